//! What a viewer sees: gomoku hides nothing, so everyone sees the document.

use crate::doc::{Doc, doc};
use crate::event::Event;
use crate::state::State;

/// See [`parlor_rules::Rules::view`].
pub fn view(state: &State) -> Doc {
    doc(state)
}

/// See [`parlor_rules::Rules::sight`].
pub fn sight(event: &Event) -> Event {
    event.clone()
}
