//! Has the crate built anew when the page was.

use std::fs;
use std::path::Path;

fn main() {
    let page = Path::new("../../web/dist-git");
    // What is not there would have it built anew every time, so it is there, empty, before it is built.
    if page.parent().is_some_and(Path::exists)
        && let Err(error) = fs::create_dir_all(page)
    {
        println!("cargo:warning={}: {error}", page.display());
    }
    println!("cargo:rerun-if-changed={}", page.display());
    println!("cargo:rerun-if-changed=build.rs");
}
