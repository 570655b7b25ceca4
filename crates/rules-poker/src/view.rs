//! What a viewer sees.

use crate::card::Cards;
use crate::command::Pre;
use crate::event::Event;
use crate::hand::{Action, Status};
use crate::notation::Line;
use crate::seats::{Column, Intent};
use crate::state::{Phase, State};
use parlor_rules::{Chips, Seat, Viewer};
use serde::Serialize;

/// A table as somebody sees it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// Whether hands are played here.
    pub phase: Phase,
    /// The number of the last hand.
    pub hand: u64,
    /// The players in a row; their numbers in `log` are their places here, from 1.
    pub players: Vec<PlayerView>,
    /// The cards on the board.
    pub board: Cards,
    /// The pots, the main one first, without the bets of this round.
    pub pots: Vec<PotView>,
    /// Whose decision is waited for.
    pub actor: Option<Seat>,
    /// Who has the button.
    pub button: Option<Seat>,
    /// What happened in the last hand.
    pub log: Vec<Line>,
    /// What the viewer has said beforehand.
    pub pre: Option<Pre>,
}

/// A player as somebody sees it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlayerView {
    /// The chair.
    pub seat: Seat,
    /// Chips in front.
    pub stack: Chips,
    /// Chips bet in this round.
    pub bet: Chips,
    /// `in`, `folded` or `out` of the last hand.
    pub status: &'static str,
    /// The cards: `????` if they are not for these eyes.
    pub cards: Cards,
    /// What the player wants.
    pub intent: Intent,
    /// Whether the player sits out.
    pub inactive: bool,
    /// Blinds missed, in chips: what an early return costs.
    pub debt: Chips,
    /// The blind or straddle that stands here.
    pub blind: Chips,
}

/// A pot as everyone sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PotView {
    /// How much.
    pub amount: Chips,
    /// For whom.
    pub seats: Vec<Seat>,
}

/// See [`parlor_rules::Rules::view`].
pub(crate) fn view(state: &State, viewer: Viewer) -> View {
    let player = |(i, place): (usize, &crate::state::Place)| {
        let hand = state.hand.as_ref().and_then(|hand| hand.players().get(i));
        let Column { seat, stack, intent, inactive, debt, blind, .. } = place.column;
        let hole = hand.map_or(Cards::NONE, |player| player.hole);
        PlayerView {
            seat,
            stack: hand.filter(|_| state.playing().is_some()).map_or(stack, |player| player.stack),
            bet: hand.map_or(Chips::ZERO, |player| player.bet),
            status: match hand.map(|player| player.status) {
                Some(Status::In) => "in",
                Some(Status::Folded) => "folded",
                Some(Status::Out) | None => "out",
            },
            cards: if state.sees(viewer, i) { hole } else { Cards::unknown(hole.len()) },
            intent,
            inactive,
            debt,
            blind,
        }
    };
    let pots = state.playing().map(|hand| hand.pots());
    let seats = |eligible: u16| {
        let places = state.row.iter().enumerate().filter(|(i, _)| eligible >> i & 1 == 1);
        places.map(|(_, place)| place.column.seat).collect()
    };
    let pots = pots.iter().flat_map(|pots| pots.all()).filter(|pot| pot.amount > Chips::ZERO);
    View {
        phase: state.phase,
        hand: state.number,
        players: state.row.iter().enumerate().map(player).collect(),
        board: state.hand.as_ref().map_or(Cards::NONE, |hand| hand.board()),
        pots: pots.map(|pot| PotView { amount: pot.amount, seats: seats(pot.eligible) }).collect(),
        actor: state.actor(),
        button: state.button,
        log: state.log.iter().map(|line| masked(state, line, viewer)).collect(),
        pre: match viewer {
            Viewer::Seat(seat) => state.place(seat).and_then(|place| place.pre),
            Viewer::Watcher => None,
        },
    }
}

fn masked(state: &State, line: &Line, viewer: Viewer) -> Line {
    match line.action {
        Action::Hole { player, cards } if !state.sees(viewer, usize::from(player)) => {
            Action::Hole { player, cards: Cards::unknown(cards.len()) }.into()
        }
        _ => line.clone(),
    }
}

/// See [`parlor_rules::Rules::sight`].
pub(crate) fn sight(state: &State, event: &Event, viewer: Viewer) -> Option<Event> {
    match event {
        Event::Prepared { seat, .. } if viewer != Viewer::Seat(*seat) => None,
        Event::Act { act } => match act.action {
            Action::Hole { player, cards } => {
                let seat = state.row.get(usize::from(player)).map(|place| place.column.seat);
                let own = seat.is_some_and(|seat| viewer == Viewer::Seat(seat));
                let cards = if own { cards } else { Cards::unknown(cards.len()) };
                Some(Event::Act { act: Action::Hole { player, cards }.into() })
            }
            _ => Some(event.clone()),
        },
        _ => Some(event.clone()),
    }
}

/// See [`parlor_rules::Rules::dealt`].
pub(crate) fn dealt(state: &State, viewer: Viewer) -> Vec<u32> {
    let mut next = 0;
    let mut seen = Vec::new();
    for line in &state.log {
        let (cards, shown) = match line.action {
            Action::Hole { player, cards } => (cards, state.sees(viewer, usize::from(player))),
            Action::Board { cards } => (cards, true),
            _ => continue,
        };
        let after = next + cards.len() as u32;
        if shown {
            seen.extend(next..after);
        }
        next = after;
    }
    seen
}
