//! What happens in a hand, and why it may not.

use crate::card::Cards;
use parlor_rules::{Chips, rejects};

/// Something that happens in a hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Cards to a player.
    Hole {
        /// The player.
        player: u8,
        /// The cards, unknown where the writer does not know them.
        cards: Cards,
    },
    /// Cards to the board.
    Board {
        /// The cards.
        cards: Cards,
    },
    /// A player gives up.
    Fold {
        /// The player.
        player: u8,
    },
    /// A player checks or calls.
    Call {
        /// The player.
        player: u8,
    },
    /// A player bets or raises.
    Raise {
        /// The player.
        player: u8,
        /// Up to this bet in this round.
        to: Chips,
    },
    /// A player brings in, as the lowest open card does.
    BringIn {
        /// The player.
        player: u8,
    },
    /// A player gives cards away to get others, or none.
    Discard {
        /// The player.
        player: u8,
        /// The cards, unknown where the writer does not know them.
        cards: Cards,
    },
    /// A player shows cards or, with none, gives them up unseen.
    Show {
        /// The player.
        player: u8,
        /// All of the player's cards, or no card for those that were dealt; none to muck.
        cards: Option<Cards>,
    },
}

impl Action {
    /// The player who does it; none if it is dealt.
    pub fn author(&self) -> Option<u8> {
        match *self {
            Self::Hole { .. } | Self::Board { .. } => None,
            Self::Fold { player }
            | Self::Call { player }
            | Self::Raise { player, .. }
            | Self::BringIn { player }
            | Self::Discard { player, .. }
            | Self::Show { player, .. } => Some(player),
        }
    }

    /// The same action with its player numbered otherwise; none if the player has no number.
    pub fn renumbered(mut self, number: impl FnOnce(u8) -> Option<u8>) -> Option<Self> {
        match &mut self {
            Self::Board { .. } => {}
            Self::Hole { player, .. }
            | Self::Fold { player }
            | Self::Call { player }
            | Self::Raise { player, .. }
            | Self::BringIn { player }
            | Self::Discard { player, .. }
            | Self::Show { player, .. } => *player = number(*player)?,
        }
        Some(self)
    }
}

rejects! {
    /// Why an action does not fit.
    pub enum Fault {
        /// The hand is over.
        Over => "hand_over", "the hand is over";
        /// There is no such player, or not in this hand.
        NoPlayer { player: u8 } => "no_such_player", "p{player} is not in this hand";
        /// Cards have to be dealt first.
        Deal => "deal_first", "cards have to be dealt first";
        /// No cards are due, or another number of them.
        WrongDeal => "wrong_deal", "these cards are not due now";
        /// A card was there already.
        CardTwice => "card_twice", "a card is dealt twice";
        /// Somebody else's turn.
        NotYourTurn { player: u8, actor: u8 } => "not_your_turn", "p{actor} is to act, not p{player}";
        /// Betting is over.
        NoBetting => "no_betting", "betting is over: show or muck";
        /// It is not over.
        NoShowdown => "no_showdown", "cards are shown when betting is over";
        /// Somebody has to bring in.
        BringInFirst => "bring_in_first", "bring in, or complete the bet";
        /// Nobody has to.
        NoBringIn => "no_bring_in", "nobody brings in now";
        /// Cards are changed first.
        DrawFirst => "draw_first", "change cards first, or keep them";
        /// They are not.
        NoDraw => "no_draw", "no cards are changed now";
        /// Enough raises.
        Capped => "raises_capped", "no more raises in this round: call or fold";
        /// More than the limit.
        AboveLimit { most: Chips } => "above_limit", "raise to {most} at most: that is the limit";
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
        /// Other cards than were dealt.
        WrongCards => "wrong_cards", "these are not the cards that were dealt";
        /// A board that nobody knows.
        HiddenBoard => "hidden_board", "the cards of the board are known to all";
    }
}
