//! The page that follows tables in a git repository, from inside the binary.

use anyhow::{Result, ensure};
use clap::Args;
use rust_embed::RustEmbed;
use serde::Serialize;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;

/// What `make web` has built, as it was when the binary was.
#[derive(RustEmbed)]
#[folder = "../../web/dist-git"]
#[allow_missing = true]
struct Dist;

/// What the page is told in `gitgammon/config.json`.
#[derive(Args, Serialize)]
pub(crate) struct About {
    /// Where the folder `tables` is, as the page sees it: a path or an address
    #[arg(long, value_name = "URL", default_value = "./")]
    files: String,
    /// The repository on GitHub, for its history and for new files
    #[arg(long, value_name = "OWNER/NAME", value_parser = repository)]
    github: Option<String>,
    /// The branch that is played on
    #[arg(long, default_value = "main")]
    branch: String,
}

/// A repository as GitHub names it.
fn repository(text: &str) -> Result<String, &'static str> {
    let word = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        !part.is_empty() && part.chars().all(fits)
    };
    match text.split_once('/') {
        Some((owner, name)) if word(owner) && word(name) => Ok(text.to_owned()),
        _ => Err("say OWNER/NAME, as in https://github.com/OWNER/NAME"),
    }
}

pub(crate) fn write(dir: &Path, about: &About) -> Result<()> {
    ensure!(
        Dist::get("index.html").is_some(),
        "this parlor was built without the page: `make web`, and build it again"
    );
    let put = |name: &str, content: &[u8]| -> Result<()> {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap_or(dir))?;
        fs::write(&path, content)?;
        Ok(writeln!(stdout(), "{}", path.display())?)
    };
    for name in Dist::iter() {
        if let Some(file) = Dist::get(&name) {
            put(&name, &file.data)?;
        }
    }
    put("gitgammon/config.json", (serde_json::to_string_pretty(about)? + "\n").as_bytes())
}
