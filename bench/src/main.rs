//! Times Parlor beside other programs, one section a game.
//!
//! `parlor-bench` runs all sections, `parlor-bench backgammon` only those named.

mod backgammon;
mod battle;
mod door;
mod gomoku;
mod journal;
mod poker;
mod random;
mod tables;
mod timing;

/// What the other program is measured with by its own author; ours does not allocate.
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SECTIONS: [(&str, fn()); 6] = [
    ("backgammon", backgammon::run),
    ("battle", battle::run),
    ("gomoku", gomoku::run),
    ("journal", journal::run),
    ("poker", poker::run),
    ("tables", tables::run),
];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = chosen.iter().find(|name| SECTIONS.iter().all(|(n, _)| n != name)) {
        let known = SECTIONS.map(|(name, _)| name).join(", ");
        eprintln!("no section {unknown:?}; there are: {known}");
        std::process::exit(2);
    }
    for (name, run) in SECTIONS {
        if chosen.is_empty() || chosen.iter().any(|c| c == name) {
            println!("{name}");
            run();
        }
    }
}
