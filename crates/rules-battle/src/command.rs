//! What a player may say.

use crate::card::{Name, SLOTS};
use parlor_rules::{Closed, Faults, Fields, doc};
use serde::{Deserialize, Deserializer, Serialize};

/// A command: `{"type":"layout_confirm","layout":["attack",null,"heal"]}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Command {
    /// Lay cards, to be changed later perhaps.
    LayoutDraft {
        /// What is to lie.
        layout: Wanted,
    },
    /// Lay cards for good.
    LayoutConfirm {
        /// What is to lie.
        layout: Wanted,
    },
}

/// What a player wants to lay.
pub type Wanted = [Option<Name>; SLOTS];

impl Closed for Command {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let wanted = "exactly three, each a card of your hand or null";
        let word = fields.take::<String>("type", "layout_draft or layout_confirm", faults);
        let layout = fields.take("layout", wanted, faults);
        match word?.as_str() {
            "layout_draft" => Some(Self::LayoutDraft { layout: layout? }),
            "layout_confirm" => Some(Self::LayoutConfirm { layout: layout? }),
            word => {
                let text = format!("there is no {word:?}; say layout_draft or layout_confirm");
                faults.add("type", text);
                None
            }
        }
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}
