//! What a seat may say.

use crate::card::Hand;
use crate::command::Command;
use crate::state::State;
use parlor_rules::{Draws, Seat};
use serde::Serialize;

/// The commands a seat may send, and the hand to send them from. Every well-formed layout is heard:
/// of a draft what the hand cannot give is left out, and a confirm of it is refused as a fact.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Legal {
    commands: &'static [&'static str],
    hand: Hand,
}

/// See [`parlor_rules::Rules::legal`].
pub fn legal(state: &State, seat: Seat) -> Legal {
    let may: &[&str] = match state.may_lay(seat) {
        Ok(()) => &["layout_draft", "layout_confirm"],
        Err(_) => &[],
    };
    Legal { commands: may, hand: state.config.hand(seat) }
}

impl Legal {
    /// Whether anything may be said.
    pub fn permits(&self, _: &Command) -> bool {
        !self.commands.is_empty()
    }

    /// Some layout of the hand, confirmed or drafted.
    pub fn pick(&self, draws: &mut Draws<'_>) -> Option<Command> {
        if self.commands.is_empty() {
            return None;
        }
        let mut left: Vec<_> = self.hand.0.to_vec();
        let layout = [(); 3].map(|()| {
            let empty = draws.below(4) == 0;
            let at = draws.below(left.len() as u32) as usize;
            (!empty).then(|| crate::card::Name::Card(left.remove(at)))
        });
        Some(match draws.below(2) {
            0 => Command::LayoutDraft { layout },
            _ => Command::LayoutConfirm { layout },
        })
    }
}
