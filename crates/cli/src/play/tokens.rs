//! Who the player is at which server: a token in a file of its own for each.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

/// Where a token is kept; nowhere if there is no place for it.
pub(super) struct Token(Option<PathBuf>);

impl Token {
    /// That of a name at a server; without a name, of whoever plays there by chance.
    pub(super) fn of(server: &str, name: Option<&str>) -> Self {
        let own = |variable| std::env::var_os(variable).filter(|value| !value.is_empty());
        let config = own("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.or_else(|| own("HOME").map(|home| PathBuf::from(home).join(".config")));
        let name = name.map_or_else(|| "guest".to_owned(), |name| format!("name-{}", plain(name)));
        let place = |config: PathBuf| config.join("parlor").join(plain(server)).join(name);
        Self(config.map(place))
    }

    /// The token, if there is one.
    pub(super) fn get(&self) -> Option<String> {
        let text = fs::read_to_string(self.0.as_ref()?).ok()?;
        Some(text.trim().to_owned()).filter(|token| !token.is_empty())
    }

    /// Keeps a token, for nobody else to read.
    pub(super) fn put(&self, token: &str) -> std::io::Result<()> {
        let Some(path) = &self.0 else { return Ok(()) };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        writeln!(options.open(path)?, "{token}")
    }

    /// Forgets a token that is worth nothing any more.
    pub(super) fn forget(&self) -> std::io::Result<()> {
        match self.0.as_ref().map(fs::remove_file) {
            Some(Err(error)) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// A text that can be the name of a file, another one for every text that is another name.
fn plain(text: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | '0'..='9' | '-' => letter.to_string(),
        letter => format!("_{:x}_", u32::from(letter)),
    };
    text.to_lowercase().chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_folder_and_no_two_meet() {
        assert_eq!(plain("127.0.0.1:7766"), "127_2e_0_2e_0_2e_1_3a_7766");
        assert_eq!(plain("../Anna"), plain("../anna"));
        let names = ["a.b", "a_b", "a b", "..", "_2e_", "ä"].map(plain);
        for (i, name) in names.iter().enumerate() {
            assert!(!name.contains(['/', '.']) && !names[..i].contains(name), "{name}");
        }
    }
}
