//! How a room answers what was said to the rules.

use super::{Answer, gone};
use crate::line::Line;
use crate::session::refused;
use parlor_rules::Refusal;
use parlor_wire::Tell;

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
}

impl Spoken {
    pub(crate) fn new(line: Line, id: &str) -> Self {
        line.asks();
        Self { line, id: Some(id.to_owned()) }
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
        self.line.answered();
    }
}
