//! The functions that are fuzzed: those of `crates/games/tests/it/anything.rs`.

#[path = "../../crates/games/tests/it/anything.rs"]
#[allow(dead_code)]
mod anything;
#[path = "../../crates/games/tests/it/configs.rs"]
mod configs;

pub use libfuzzer_sys;

/// Hands bytes to the target of this name.
pub fn target(name: &str, bytes: &[u8]) {
    let found = anything::TARGETS.iter().find(|(other, _)| *other == name);
    let (_, target) = found.expect("a target of this name");
    target(bytes);
}

/// The program of a target.
#[macro_export]
macro_rules! fuzzes {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::target($name, bytes));
    };
}
