//! The arrows of the workspace point one way.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const PREFIX: &str = "parlor-";

/// Which crates of ours each crate names in `[dependencies]`, and which of others.
fn dependencies() -> BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let out = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a workspace has packages");
    let short = |name: &Value| {
        let name = name.as_str().expect("a crate has a name");
        name.strip_prefix(PREFIX).map_or(name, |short| short).to_owned()
    };
    let of = |package: &Value| {
        let (mut ours, mut others) = (BTreeSet::new(), BTreeSet::new());
        let list = package["dependencies"].as_array().expect("a list");
        for dependency in list.iter().filter(|dependency| dependency["kind"].is_null()) {
            let is_ours = dependency["path"].is_string();
            let set = if is_ours { &mut ours } else { &mut others };
            set.insert(short(&dependency["name"]));
        }
        (ours, others)
    };
    packages.iter().map(|package| (short(&package["name"]), of(package))).collect()
}

/// What each crate may use of ours; a crate that is not listed fails the test.
fn allowed(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "rules" => &[],
        game if game.starts_with("rules-") => &["rules"],
        "phh" => &["rules", "rules-poker"],
        "testkit" | "table" => &["rules"],
        "journal" => &["rules", "table"],
        "wire" => &["rules", "table"],
        "games" => &["rules", "rules-*", "phh", "wire"],
        "bots" => &["rules", "rules-*", "wire"],
        "git-play" => &["rules", "rules-backgammon", "table"],
        "server" => &["rules", "games", "table", "journal", "wire", "bots"],
        "parlor" | "bench" => &["*"],
        _ => return None,
    })
}

fn permits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

#[test]
fn no_crate_uses_what_stands_above_it() {
    let found = dependencies();
    assert!(found.len() >= 8, "the workspace was not read: {found:?}");
    for (name, (ours, _)) in &found {
        let allowed = allowed(name).unwrap_or_else(|| panic!("{name} has no place in the design"));
        for used in ours {
            let fits = allowed.iter().any(|pattern| permits(pattern, used));
            assert!(fits, "{name} must not use {used}");
        }
    }
}

#[test]
fn tokio_and_the_outside_world_stay_at_the_edge() {
    let edge = ["server", "parlor", "bench"];
    let worldly = ["tokio", "axum", "rusqlite", "reqwest", "rand", "getrandom", "chrono", "time"];
    for (name, (_, others)) in dependencies() {
        for used in others.iter().filter(|used| worldly.contains(&used.as_str())) {
            let stores = name == "journal" && used == "rusqlite";
            assert!(edge.contains(&name.as_str()) || stores, "{name} must not use {used}");
        }
    }
}
