//! `conformance/git`: a folder a case, with the repository before, what is pushed, and after.
//! `PARLOR_BLESS=1` writes `after/`.

use crate::support::{Folder, as_referee, git, referee, repository, tree, write};
use parlor_git_play::apply::Actors;
use parlor_git_play::git::Op;
use parlor_git_play::{Doc, Key, Match};
use parlor_rules::utc;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder, by path.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(dir: &Path, top: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => walk(&path, top, found),
                false => {
                    let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(dir, dir, &mut found);
    found
}

fn play(case: &Path) {
    let about: Value = serde_json::from_slice(&fs::read(case.join("case.json")).unwrap()).unwrap();
    let text = |key: &str| about[key].as_str().unwrap();
    let map = |key: &str| about[key].as_object().cloned().unwrap_or_default();
    let key = Key::new(text("secret")).unwrap();
    let folder = Folder::new();
    let (repo, dir) = (repository(folder.path()), folder.path());
    let before = files(&case.join("before"));
    let ops: Vec<Op> = before.into_iter().map(|(path, text)| Op::Write(path, text)).collect();
    as_referee(&repo, Some(&key), &ops, "before");

    // Each player pushes what is theirs.
    let mut pushed: Vec<String> = Vec::new();
    for (path, content) in files(&case.join("push")) {
        write(dir, &path, &content);
        pushed.push(path);
    }
    for (path, target) in map("links") {
        _ = fs::remove_dir_all(dir.join(&path));
        write(dir, &path, b"");
        fs::remove_file(dir.join(&path)).unwrap();
        std::os::unix::fs::symlink(target.as_str().unwrap(), dir.join(&path)).unwrap();
        pushed.push(path);
    }
    for (path, bytes) in map("fill") {
        let length = bytes.as_u64().unwrap() as usize;
        write(dir, &path, format!("[{}1]", "1,".repeat(length / 2 - 1)).as_bytes());
        pushed.push(path);
    }
    for path in about["delete"].as_array().into_iter().flatten() {
        fs::remove_file(dir.join(path.as_str().unwrap())).unwrap();
        pushed.push(path.as_str().unwrap().to_owned());
    }
    for path in &pushed {
        let who = about["actors"][path].as_str().unwrap_or(text("actor"));
        git(dir, who, &["add", "--all", "--", path]);
        git(dir, who, &["commit", "--quiet", "--message", "a push"]);
    }
    assert_eq!(git(dir, "x", &["status", "--short"]), "");

    let now_ms = utc::parse(text("now")).unwrap();
    let mut referee = referee(&repo, Some(&key));
    referee.now_ms = now_ms;
    let done = referee.apply(&Actors::Authors, None).unwrap();
    assert_eq!(git(dir, "x", &["status", "--short"]), "", "the folder is as the branch is");
    assert!(referee.apply(&Actors::Authors, None).unwrap().is_empty(), "once is enough");

    let pictures = |path: &str| !path.ends_with(".svg");
    let now: BTreeMap<_, _> = tree(dir, ".").into_iter().filter(|(p, _)| pictures(p)).collect();
    let name = case.file_name().unwrap().to_str().unwrap();
    if std::env::var_os("PARLOR_BLESS").is_some() {
        _ = fs::remove_dir_all(case.join("after"));
        now.iter().for_each(|(path, content)| write(&case.join("after"), path, content));
        println!("{name}: {done:#?}");
    }
    let after = files(&case.join("after"));
    let names = |files: &BTreeMap<String, _>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&now), names(&after), "{name}");
    for (path, content) in &after {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&now[path]), text(content), "{name}: {path}");
    }
    let state = String::from_utf8(now["tables/t1/state.json"].clone()).unwrap();
    let doc = Doc::read(&state).found.unwrap();
    assert_eq!(doc.write(), state, "{name} is byte-stable");
    let meta = String::from_utf8(now["tables/t1/match.json"].clone()).unwrap();
    assert_eq!(Match::read(&meta).found.unwrap().write(), meta, "{name} is byte-stable");
    crate::contract::is_by_the_schema(&state);
    if name.starts_with("reject-") {
        let refused = doc.messages.iter().any(|m| m.text.starts_with("Invalid move rejected: "));
        assert!(refused && done.iter().all(|done| done.refused), "{name}");
        let untouched = Doc::read(&text_of(case, "before")).found.unwrap();
        assert_eq!(doc.fingerprint(), untouched.fingerprint(), "{name}: the game is untouched");
    }
}

fn text_of(case: &Path, when: &str) -> String {
    fs::read_to_string(case.join(when).join("tables/t1/state.json")).unwrap()
}

#[test]
fn folders_come_out_as_they_are_written() {
    let mut cases = 0;
    let mut list: Vec<_> =
        fs::read_dir(root().join("conformance/git")).unwrap().flatten().collect();
    list.sort_by_key(fs::DirEntry::path);
    for case in list.into_iter().filter(|case| case.path().is_dir()) {
        play(&case.path());
        cases += 1;
    }
    assert!(cases >= 40, "{cases} cases");
}
