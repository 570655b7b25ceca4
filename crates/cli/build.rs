//! Has the crate built anew when the page was.

use std::path::Path;

fn main() {
    // An address that is not there would have it built anew every time.
    let page = Path::new("../../web/dist-git");
    let watched = if page.exists() { page } else { Path::new("../../web/src") };
    println!("cargo:rerun-if-changed={}", watched.display());
    println!("cargo:rerun-if-changed=build.rs");
}
