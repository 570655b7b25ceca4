//! The binary `parlor`.
fn main() {}
