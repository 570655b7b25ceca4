//! Every refusal of a table, in order of precedence.

use crate::hand::Fault;
use parlor_rules::{Chips, rejects};

rejects! {
    /// Why a table says no.
    pub enum Reject {
        /// Options that make no game.
        BadConfig { field: &'static str, needs: &'static str } => "bad_config", "config: {field} {needs}";
        /// More seats than can play.
        TooManySeats { most: u8 } => "too_many_seats", "this is played by {most} at most";
        /// The table is closed.
        Closed => "table_closed", "the table is closed";
        /// It was opened already.
        Begun => "already_begun", "the table is open already";
        /// It has not been opened.
        NotBegun => "not_begun", "the table is not open yet";
        /// Somebody sits there.
        Taken => "seat_taken", "somebody sits there; take another seat";
        /// Nobody sits there.
        Empty => "seat_empty", "nobody sits there";
        /// Too little to sit down with.
        TooFewChips { least: Chips } => "too_few_chips", "bring {least} at least";
        /// Too much.
        TooManyChips { most: Chips } => "too_many_chips", "have {most} at most";
        /// Chips stay as they are while they are played for.
        HandInPlay => "hand_in_play", "wait for the end of the hand";
        /// Nothing would change.
        NoChange => "no_change", "that is so already";
        /// Who leaves has left.
        Leaving => "leaving", "you are leaving; that is final";
        /// No hand is in play, or not for this seat.
        NotInHand => "not_in_hand", "you are not in the hand";
        /// Somebody else's turn.
        NotYourTurn => "not_your_turn", "it is not your turn";
        /// Something to pay.
        CannotCheck { call: Chips } => "cannot_check", "there is a bet: call {call}, raise or fold";
        /// Nothing to pay.
        NothingToCall => "nothing_to_call", "there is nothing to call; check or bet";
        /// The last raise was too small to raise again.
        NotReopened => "not_reopened", "the last raise was all-in and too small to raise it again";
        /// Nobody could call a raise.
        NobodyToRaise => "nobody_to_raise", "nobody left can call a raise";
        /// Not enough to raise.
        TooShort => "too_short", "your chips do not reach for a raise; call or fold";
        /// Less than the least.
        BelowMinimum { least: Chips } => "below_minimum", "raise to {least} at least";
        /// More than there is.
        AboveStack { most: Chips } => "above_stack", "raise to {most} at most: that is all you have";
        /// More than the limit.
        AboveLimit { most: Chips } => "above_limit", "raise to {most} at most: that is the limit";
        /// Enough raises.
        Capped => "raises_capped", "no more raises in this round: call or fold";
        /// Somebody has to bring in.
        BringInFirst => "bring_in_first", "bring in, or complete the bet";
        /// Nobody has to.
        NoBringIn => "no_bring_in", "nobody brings in now";
        /// Cards are changed first.
        DrawFirst => "draw_first", "change cards first, or keep them";
        /// They are not.
        NoDraw => "no_draw", "no cards are changed now";
        /// Other cards than were dealt.
        WrongCards => "wrong_cards", "these are not cards of yours";
        /// All cards or none.
        ShowAll => "show_all", "here all cards are shown, or none";
        /// No more cards to come, or not here.
        NoRabbit => "no_rabbit", "there are no more cards to see here";
        /// No cards to show, or shown already.
        NothingToShow => "nothing_to_show", "you have no cards to show";
    }
}

impl From<Fault> for Reject {
    /// What a player can be told; the rest cannot come from a player.
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotReopened => Self::NotReopened,
            Fault::NobodyToRaise => Self::NobodyToRaise,
            Fault::TooShort => Self::TooShort,
            Fault::BelowMinimum { least } => Self::BelowMinimum { least },
            Fault::AboveStack { most } => Self::AboveStack { most },
            Fault::AboveLimit { most } => Self::AboveLimit { most },
            Fault::Capped => Self::Capped,
            Fault::BringInFirst => Self::BringInFirst,
            Fault::NoBringIn => Self::NoBringIn,
            Fault::DrawFirst => Self::DrawFirst,
            Fault::NoDraw => Self::NoDraw,
            Fault::WrongCards => Self::WrongCards,
            Fault::NoPlayer { .. } => Self::NotInHand,
            _ => Self::NotYourTurn,
        }
    }
}
