//! The scenes of the contract and the rulings about them: `conformance/hand/`, a file a scene. Each
//! names what is called with what, and what the answer holds, or the code it is refused with.

use parlor_phh::{Document, document};
use parlor_rules::{Chips, Refusal};
use parlor_testkit::transcripts::conformance;
use serde_json::Value;

fn call(scene: &Value) -> Result<Value, Refusal> {
    let text = |key: &str| scene[key].as_str().expect("a text");
    let hand = || Document::read(scene["hand"].clone());
    let answer = match text("call") {
        "merge" => {
            let balance: Option<Chips> =
                serde_json::from_value(scene["balance"].clone()).expect("an amount");
            let server = Document::read(scene["server"].clone())?;
            document::merge(&server, &scene["incoming"], text("as"), balance)?
        }
        "next" => document::next(&hand()?, None)?,
        "auto" => document::auto(&hand()?)?,
        "view" => document::view(&hand()?, text("for"))?,
        other => panic!("{other} cannot be called"),
    };
    Ok(serde_json::to_value(answer).expect("a document"))
}

#[test]
fn every_scene_plays_as_it_is_written() {
    let folder = conformance().join("hand");
    let mut scenes = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the scenes") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let scene: Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("readable")).expect("JSON");
        scenes += 1;
        match (call(&scene), scene["refused"].as_str()) {
            (Err(refusal), Some(code)) if refusal.code == code => {}
            (Err(refusal), _) => wrong.push(format!("{name}: refused: {refusal}")),
            (Ok(answer), Some(code)) => wrong.push(format!("{name}: not {code}: {answer}")),
            (Ok(answer), None) => {
                for (key, value) in scene["answer"].as_object().expect("an answer") {
                    if answer[key] != *value {
                        wrong.push(format!("{name}: {key} is {}, not {value}", answer[key]));
                    }
                }
                for absent in scene["absent"].as_array().into_iter().flatten() {
                    let key = absent.as_str().expect("a name");
                    if answer.get(key).is_some() {
                        wrong.push(format!("{name}: {key} is there"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(scenes > 60, "{scenes} scenes");
}
