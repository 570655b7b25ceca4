//! The repository, by way of the `git` on the command line.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Who writes the referee's commits.
pub const REFEREE: &str = "GitGammon referee <referee@gitgammon.invalid>";

/// Why git could not do something.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct GitError(pub String);

impl From<std::io::Error> for GitError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self("there is no git here: install it".to_owned()),
            _ => Self(format!("git: {error}")),
        }
    }
}

/// An error that is a sentence.
pub(crate) fn said<T>(text: impl Into<String>) -> Result<T, GitError> {
    Err(GitError(text.into()))
}

/// A repository with its files.
pub struct Repo {
    dir: PathBuf,
    shallow: bool,
    started: Cell<u32>,
}

impl Repo {
    /// The repository this folder lies in.
    pub fn open(dir: &Path) -> Result<Self, GitError> {
        let shown = dir.display();
        if !dir.is_dir() {
            return said(format!("there is no folder {shown}"));
        }
        let here = Self { dir: dir.to_owned(), shallow: false, started: Cell::new(0) };
        let found = here.run(&["rev-parse", "--show-toplevel", "--is-shallow-repository"]);
        let found = found.or_else(|error| match &error.0 {
            why if why.contains("not a git repository") => {
                said(format!("{shown} is in no git repository: git clone one, or git init"))
            }
            why if why.contains("must be run in a work tree") => {
                said(format!("{shown} is a repository without files: git clone it, and go there"))
            }
            _ => Err(error),
        })?;
        let (top, shallow) = found.trim_end().rsplit_once('\n').unwrap_or_default();
        Ok(Self { dir: top.into(), shallow: shallow == "true", started: Cell::new(0) })
    }

    /// Says so if commits are missing here: nothing can be held against a history without its start.
    pub fn whole(&self) -> Result<(), GitError> {
        match self.shallow {
            true => said("this clone is shallow: git fetch --unshallow"),
            false => Ok(()),
        }
    }

    /// Whether there is a commit here.
    pub fn has_commits(&self) -> bool {
        self.run(&["rev-parse", "--verify", "--quiet", "HEAD"]).is_ok()
    }

    /// The branch that is played on.
    pub fn branch(&self) -> Result<String, GitError> {
        // Its whole name: what `--short` says is longer where a tag is named like it.
        let head = self.run(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
        match head.trim().strip_prefix("refs/heads/") {
            Some(branch) => Ok(branch.to_owned()),
            None => said("no branch is checked out here: git switch to the one that is played on"),
        }
    }

    /// Its topmost folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// How many processes of git were started so far.
    pub fn started(&self) -> u32 {
        self.started.get()
    }

    fn command(&self, args: &[&str]) -> Command {
        self.started.set(self.started.get() + 1);
        let mut command = Command::new("git");
        command.args(["-c", "core.quotePath=false", "-c", "maintenance.auto=false"]);
        command.args(args).current_dir(&self.dir);
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
        command
    }

    /// What git prints.
    pub fn run(&self, args: &[&str]) -> Result<String, GitError> {
        let bytes = self.bytes(args)?;
        String::from_utf8(bytes).map_err(|_| GitError("git printed no UTF-8".to_owned()))
    }

    /// What git prints, as it is.
    pub fn bytes(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        let output = self.command(args).output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let why = String::from_utf8_lossy(&output.stderr);
        said(format!("git {}: {}", args.first().unwrap_or(&""), why.trim()))
    }

    /// A git that is talked with.
    fn talk(&self, args: &[&str]) -> Result<Talk, GitError> {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(into), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
            return said("git does not talk");
        };
        Ok(Talk { child, into: Some(into), out: BufReader::new(out) })
    }

    /// Reads objects, any number of them with one process.
    pub fn objects(&self) -> Result<Objects, GitError> {
        Ok(Objects(self.talk(&["cat-file", "--batch-command", "--buffer"])?))
    }

    /// Writes commits, any number of them with one process.
    pub fn import(&self) -> Result<Import, GitError> {
        let talk = self.talk(&["fast-import", "--quiet", "--date-format=raw", "--done"])?;
        Ok(Import { talk, commits: 0, last: String::new(), width: 40 })
    }

    /// The commits that lead to a revision, children before parents, read as they are asked for.
    pub fn log(&self, revisions: &[&str]) -> Result<Log, GitError> {
        let format = "--format=%H%n%P%n%cn <%ce>%n%an%n%ct%n%B";
        let args = [&["log", "-z", "--topo-order", format], revisions].concat();
        Ok(Log(self.talk(&args)?))
    }
}

/// A process of git that reads and answers.
struct Talk {
    child: Child,
    into: Option<ChildStdin>,
    out: BufReader<ChildStdout>,
}

impl Talk {
    fn say(&mut self, bytes: &[u8]) -> Result<(), GitError> {
        match &mut self.into {
            Some(into) => Ok(into.write_all(bytes)?),
            None => said("git is not listening any more"),
        }
    }

    fn hear(&mut self) -> Result<String, GitError> {
        let mut line = String::new();
        if let Some(into) = &mut self.into {
            into.flush()?;
        }
        if self.out.read_line(&mut line)? == 0 {
            return Err(self.fault());
        }
        Ok(line.trim_end_matches('\n').to_owned())
    }

    /// What it says when it has stopped.
    fn fault(&mut self) -> GitError {
        self.into = None;
        let mut text = String::new();
        if let Some(mut err) = self.child.stderr.take() {
            _ = err.read_to_string(&mut text);
        }
        let why = text.lines().next().unwrap_or("git stopped without a word");
        GitError(why.to_owned())
    }

    fn end(mut self) -> Result<(), GitError> {
        self.into = None;
        if self.child.wait()?.success() { Ok(()) } else { Err(self.fault()) }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.into = None;
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Objects of a repository by name: `HEAD:tables/t1/state.json`.
pub struct Objects(Talk);

/// An object, as far as it can be told without reading it.
pub struct Object {
    /// Its full name.
    pub id: String,
    /// `blob`, `tree`, `commit`.
    pub kind: String,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Objects {
    fn ask(&mut self, what: &str, name: &str) -> Result<Option<Object>, GitError> {
        if name.contains('\n') {
            return Ok(None);
        }
        self.0.say(format!("{what} {name}\nflush\n").as_bytes())?;
        let line = self.0.hear()?;
        let mut words = line.rsplitn(3, ' ');
        let (bytes, kind, id) = (words.next(), words.next(), words.next());
        Ok(match (bytes.and_then(|bytes| bytes.parse().ok()), kind, id) {
            (Some(bytes), Some(kind), Some(id)) => {
                Some(Object { id: id.to_owned(), kind: kind.to_owned(), bytes })
            }
            _ => None,
        })
    }

    /// What is known of an object; none if there is none.
    pub fn info(&mut self, name: &str) -> Result<Option<Object>, GitError> {
        self.ask("info", name)
    }

    /// What a file holds; none if there is none.
    pub fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, GitError> {
        let Some(Object { kind, bytes, .. }) = self.ask("contents", name)? else {
            return Ok(None);
        };
        let mut content = vec![0; bytes as usize + 1];
        self.0.out.read_exact(&mut content)?;
        content.pop();
        Ok((kind == "blob").then_some(content))
    }

    /// What a text file holds; none if there is none, or it is no text.
    pub fn text(&mut self, name: &str) -> Result<Option<String>, GitError> {
        Ok(self.file(name)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

/// A commit, as far as the referee needs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// Its name.
    pub id: String,
    /// Those it follows.
    pub parents: Vec<String>,
    /// Who committed it, as `name <address>`.
    pub committer: String,
    /// The name of its author.
    pub author: String,
    /// When it was committed, in seconds since 1970.
    pub at_s: u64,
    /// Its message.
    pub message: String,
}

impl Commit {
    /// What a trailer of the message says.
    pub fn trailer(&self, key: &str) -> Option<&str> {
        let last = self.message.trim_end().rsplit("\n\n").next()?;
        last.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
    }

    /// The first line of the message.
    pub fn title(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

/// Commits, children before parents.
pub struct Log(Talk);

impl Iterator for Log {
    type Item = Result<Commit, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::new();
        match self.0.out.read_until(0, &mut bytes) {
            Err(error) => return Some(Err(error.into())),
            Ok(0) => {
                self.0.into = None;
                return match self.0.child.wait() {
                    Ok(status) if status.success() => None,
                    _ => Some(Err(self.0.fault())),
                };
            }
            Ok(_) => {}
        }
        if bytes.last() == Some(&0) {
            bytes.pop();
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.splitn(6, '\n');
        let mut line = || lines.next().unwrap_or_default().to_owned();
        Some(Ok(Commit {
            id: line(),
            parents: line().split_whitespace().map(str::to_owned).collect(),
            committer: line(),
            author: line(),
            at_s: line().parse().unwrap_or(0),
            message: line(),
        }))
    }
}

/// One change of a commit.
pub enum Op {
    /// A plain file with this content.
    Write(String, Vec<u8>),
    /// What was there before: mode and name of the object.
    Restore(Vec<u8>, String, String),
    /// Nothing is there any more.
    Delete(Vec<u8>),
}

/// Commits on their way into the repository.
pub struct Import {
    talk: Talk,
    commits: u32,
    /// The last of them: until all is done it is known by its mark alone.
    last: String,
    /// How long the names of objects are.
    width: usize,
}

impl Import {
    /// Commits these changes on top of a parent. The message is made when the tree `tables` that
    /// comes of them is known. Gives the name of the commit.
    pub fn commit(
        &mut self,
        parent: Option<&str>,
        at_s: u64,
        ops: &[Op],
        message: impl FnOnce(&str) -> String,
    ) -> Result<String, GitError> {
        let from = match parent {
            None => String::new(),
            Some(parent) if parent == self.last => format!("from :{}\n", self.commits),
            Some(parent) => format!("from {parent}\n"),
        };
        let commit = |branch: &str, mark: &str, message: &str| {
            let head =
                format!("commit refs/parlor/{branch}\n{mark}committer {REFEREE} {at_s} +0000");
            format!("{head}\ndata {}\n{message}\n{from}", message.len())
        };
        // Deletions first: a folder may stand where a file belongs.
        self.talk.say(commit("draft", "", "").as_bytes())?;
        for op in ops {
            if let Op::Delete(path) = op {
                self.line(&[b"D ", &quoted(path)])?;
            }
        }
        for op in ops {
            match op {
                Op::Delete(_) => {}
                Op::Write(path, content) => {
                    self.line(&[b"M 100644 inline ", &quoted(path.as_bytes())])?;
                    self.line(&[format!("data {}\n", content.len()).as_bytes(), content])?;
                }
                Op::Restore(path, mode, id) => {
                    self.line(&[format!("M {mode} {id} ").as_bytes(), &quoted(path)])?;
                }
            }
        }
        self.line(&[b"ls \"tables\""])?;
        let tables = self.talk.hear()?;
        let tree = tables.strip_prefix("040000 tree ").and_then(|rest| rest.split('\t').next());
        let Some(tables) = tree else {
            return said(format!("git: no tree of tables, but {tables:?}"));
        };
        self.width = tables.len();
        self.commits += 1;
        let mark = self.commits;
        let text = commit("made", &format!("mark :{mark}\n"), &message(tables));
        self.line(&[text.as_bytes(), b"M 040000 ", tables.as_bytes(), b" tables"])?;
        self.line(&[format!("\nget-mark :{mark}").as_bytes()])?;
        self.last = self.talk.hear()?;
        Ok(self.last.clone())
    }

    fn line(&mut self, parts: &[&[u8]]) -> Result<(), GitError> {
        self.talk.say(&[&parts.concat()[..], b"\n"].concat())
    }

    /// Ends it; the commits are there, and no branch knows of them.
    pub fn done(mut self) -> Result<(), GitError> {
        let none = "0".repeat(self.width);
        for branch in ["draft", "made"] {
            self.line(&[format!("reset refs/parlor/{branch}\nfrom {none}\n").as_bytes()])?;
        }
        self.line(&[b"done"])?;
        self.talk.end()
    }
}

/// A path as fast-import reads any path.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            b'\n' => text.extend(b"\\n"),
            byte => text.push(*byte),
        }
    }
    text.push(b'"');
    text
}
