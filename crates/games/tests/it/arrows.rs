//! The arrows of the workspace are those of the code map in ARCHITECTURE.md, no more and no fewer.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// What each crate uses in `[dependencies]`.
#[derive(Clone, Default)]
struct Uses {
    /// The folders of crates of ours.
    ours: BTreeSet<String>,
    /// The names of other crates.
    others: BTreeSet<String>,
}

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The last part of a path, which is what ARCHITECTURE.md calls a crate.
fn folder(path: &Value) -> String {
    let path = Path::new(path.as_str().expect("a path is a text"));
    path.file_name().expect("a path has an end").to_string_lossy().into_owned()
}

/// The crates of the workspace by their folders.
fn workspace() -> BTreeMap<String, Uses> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let out = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a workspace has packages");
    let uses = |package: &Value| {
        let mut uses = Uses::default();
        let list = package["dependencies"].as_array().expect("a list");
        for dependency in list.iter().filter(|dependency| dependency["kind"].is_null()) {
            if dependency["path"].is_string() {
                uses.ours.insert(folder(&dependency["path"]));
            } else {
                let name = dependency["name"].as_str().expect("a crate has a name");
                uses.others.insert(name.to_owned());
            }
        }
        uses
    };
    let of = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path is a text"));
        let folder = manifest.parent().and_then(Path::file_name).expect("a crate has a folder");
        (folder.to_string_lossy().into_owned(), uses(package))
    };
    packages.iter().map(of).collect()
}

/// The texts in backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The arrows that the code map lists: in its first column a crate, in its last what it uses. `rules-*`
/// stands for every crate whose folder begins so, "all but" for all crates but those named and itself.
fn listed(page: &str) -> Arrows {
    let (_, map) = page.split_once("## Code map").expect("the page has a code map");
    let map = map.split_once("\n## ").map_or(map, |(map, _)| map);
    let mut rows = Vec::new();
    for row in map.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [place, _, uses] = cells[..] else { panic!("three columns are needed: {row}") };
        let place = quoted(place).first().map_or("", |place| place.trim_end_matches('/'));
        if let Some(name) = place.strip_prefix("crates/").or((place == "bench").then_some(place)) {
            rows.push((name, uses));
        }
    }
    let all: Vec<&str> = rows.iter().map(|(name, _)| *name).collect();
    let matching = |pattern: &str| -> BTreeSet<String> {
        let matches = |name: &&&str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => **name == pattern,
        };
        let found: BTreeSet<String> = all.iter().filter(matches).map(|n| n.to_string()).collect();
        assert!(!found.is_empty(), "{pattern} is no crate of the code map");
        found
    };
    let uses = |name: &str, cell: &str| -> BTreeSet<String> {
        let named: BTreeSet<String> = quoted(cell).into_iter().flat_map(matching).collect();
        if cell.starts_with("all but ") {
            let others = all.iter().filter(|other| **other != name);
            return others.map(|other| other.to_string()).filter(|o| !named.contains(o)).collect();
        }
        assert!(cell == "nothing" || !named.is_empty(), "{name} uses {cell}?");
        named
    };
    rows.iter().map(|(name, cell)| ((*name).to_owned(), uses(name, cell))).collect()
}

/// What of the listed arrows is not there, and what is there and not listed.
fn differences(listed: &Arrows, found: &Arrows) -> Vec<String> {
    let mut differences = Vec::new();
    for name in listed.keys().chain(found.keys()).collect::<BTreeSet<_>>() {
        match (listed.get(name), found.get(name)) {
            (Some(listed), Some(found)) => {
                let more = found.difference(listed);
                differences.extend(more.map(|used| format!("{name} must not use {used}")));
                let less = listed.difference(found);
                differences.extend(less.map(|used| format!("{name} does not use {used}")));
            }
            (None, _) => differences.push(format!("{name} is not in the code map")),
            (_, None) => differences.push(format!("{name} is not in the workspace")),
        }
    }
    differences
}

fn found() -> Arrows {
    workspace().into_iter().map(|(name, uses)| (name, uses.ours)).collect()
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    std::fs::read_to_string(path).expect("ARCHITECTURE.md is there")
}

#[test]
fn the_crates_use_each_other_as_the_code_map_says() {
    let found = found();
    assert!(found.len() >= 8, "the workspace was not read: {:?}", found.keys());
    assert_eq!(differences(&listed(&page()), &found), [] as [&str; 0]);
}

#[test]
fn an_arrow_too_many_or_too_few_is_found() {
    let (listed, found) = (listed(&page()), found());
    let mut more = found.clone();
    more.get_mut("wire").expect("it is there").insert("table".to_owned());
    assert_eq!(differences(&listed, &more), ["wire must not use table"]);
    let mut less = found.clone();
    less.get_mut("bots").expect("it is there").remove("wire");
    assert_eq!(differences(&listed, &less), ["bots does not use wire"]);
    let mut new = found.clone();
    new.insert("new".to_owned(), BTreeSet::new());
    assert_eq!(differences(&listed, &new), ["new is not in the code map"]);
    new.remove("new");
    new.remove("phh");
    assert_eq!(differences(&listed, &new), ["phh is not in the workspace"]);
}

/// Libraries that reach the outside world, and the crates that may use them.
const WORLDLY: &[(&[&str], &[&str])] = &[
    (&["tokio", "tokio-util"], &["journal", "accounts", "host", "server", "cli", "bench"]),
    (
        &["axum", "hyper", "hyper-util", "tungstenite", "tokio-tungstenite", "reqwest"],
        &["server", "cli", "bench"],
    ),
    (&["rusqlite"], &["journal", "bench"]),
    (&["rand", "getrandom", "chrono", "time"], &["accounts", "cli", "bench"]),
];

#[test]
fn tokio_and_the_outside_world_stay_at_the_edge() {
    for (name, Uses { others, .. }) in workspace() {
        for (libraries, crates) in WORLDLY {
            let used = libraries.iter().find(|library| others.contains(**library));
            if let Some(used) = used {
                assert!(crates.contains(&name.as_str()), "{name} must not use {used}");
            }
        }
    }
}
