//! The referee's clone and the remote it judges for.

use crate::apply::{Actors, Done, Referee, Request};
use crate::git::{GitError, said};
use crate::history::is_referees;

/// How often a refused push is tried again.
const TRIES: u32 = 20;

/// A branch of a remote, and what is known of it here.
struct Remote<'a> {
    name: &'a str,
    /// `main`.
    branch: String,
    /// `refs/heads/main`.
    here: String,
    /// `refs/remotes/origin/main`.
    there: String,
}

impl Referee<'_> {
    /// Judges, beginning with what a remote has and ending there: if somebody was faster, it is
    /// fetched and everything is judged again.
    pub fn apply_to(
        &self,
        remote: &str,
        actors: &Actors<'_>,
        request: Option<&Request>,
    ) -> Result<Vec<Done>, GitError> {
        let branch = self.repo.branch()?;
        let (here, there) =
            (format!("refs/heads/{branch}"), format!("refs/remotes/{remote}/{branch}"));
        let remote = Remote { name: remote, branch, here, there };
        self.follow(&remote)?;
        let mut why = String::new();
        for _ in 0..TRIES {
            let done = self.apply(actors, request)?;
            if done.is_empty() {
                return Ok(done);
            }
            let spec = format!("HEAD:{}", remote.here);
            match self.repo.run(&["push", "--porcelain", remote.name, &spec]) {
                Ok(_) => return Ok(done),
                Err(error) => why = error.to_string(),
            }
            self.repo.run(&["reset", "--keep", "--quiet", &remote.there])?;
            self.follow(&remote)?;
        }
        said(format!("the push was refused {TRIES} times: {why}"))
    }

    /// Makes this clone what the remote is. Commits of players that somebody took out of the branch
    /// again are let go; those of the referee, or such as were never pushed, are not.
    fn follow(&self, remote: &Remote<'_>) -> Result<(), GitError> {
        let Remote { name, branch, here, there } = remote;
        let git = |args: &[&str]| self.repo.run(args);
        let before = git(&["rev-parse", "--verify", "--quiet", there]).ok();
        let fetched = git(&["fetch", "--quiet", "--no-tags", name, &format!("+{here}:{there}")]);
        fetched.or_else(|error| match error.0.contains("couldn't find remote ref") {
            true => said(format!(
                "{name} has no branch {branch} yet: git commit --allow-empty --message start, and \
                 git push {name} {branch}"
            )),
            false => Err(error),
        })?;
        // Where there is no HEAD yet, nothing is missing there.
        let ahead = git(&["rev-list", "--max-count=1", "HEAD", "--not", there]);
        if ahead.unwrap_or_default().is_empty() {
            return git(&["merge", "--ff-only", "--quiet", there]).map(drop);
        }
        let known = before.as_deref().map_or(there.as_str(), str::trim);
        let unpushed = git(&["rev-list", "HEAD", "--not", there, known])?;
        let mut objects = self.repo.objects()?;
        let mut lost = unpushed.lines().next().map(str::to_owned);
        for commit in self.repo.log(&["HEAD", "--not", there])? {
            let commit = commit?;
            if lost.is_none() && is_referees(&commit, self.key, &mut objects)? {
                lost = Some(commit.id);
            }
        }
        let Some(lost) = lost else {
            return git(&["reset", "--keep", "--quiet", there]).map(drop);
        };
        said(format!(
            "{name}/{branch} lacks the commit {lost}: it was never pushed, or somebody rewrote the \
             branch. To have it there: git push --force-with-lease {name} {branch}. To go on \
             without it: git reset --keep {name}/{branch}"
        ))
    }
}
