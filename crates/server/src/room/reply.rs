//! How a room answers what was said to the rules.

use super::{Answer, gone};
use crate::line::Line;
use crate::session::refused;
use parlor_rules::Refusal;
use parlor_wire::Tell;
use tokio::sync::oneshot;

/// How it is answered what somebody has said to the rules.
pub(crate) enum Reply {
    /// To who waits for it.
    Waits(Answer<()>),
    /// Over the line, behind what was told by it.
    Line(Spoken),
}

/// Something said by a line that is answered there, also when the room ends before.
pub(crate) struct Spoken {
    line: Line,
    /// None once it is answered.
    id: Option<String>,
    /// Gone when it is answered.
    _answered: oneshot::Sender<()>,
}

impl Spoken {
    pub(crate) fn new(line: Line, id: &str, answered: oneshot::Sender<()>) -> Self {
        Self { line, id: Some(id.to_owned()), _answered: answered }
    }

    pub(super) fn answer(mut self, done: Result<(), Refusal>) {
        if let Some(id) = self.id.take() {
            self.line.tell(match done {
                Ok(()) => Tell::Done { id },
                Err(refusal) => refused(Some(id), refusal),
            });
        }
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.line.tell(refused(Some(id), gone()));
        }
    }
}
