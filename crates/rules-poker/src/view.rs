//! What a viewer sees.

use crate::card::{CardSet, Cards};
use crate::command::Pre;
use crate::event::Event;
use crate::hand::{Action, Status};
use crate::notation::Line;
use crate::seats::{Column, Intent};
use crate::state::{Phase, State};
use crate::variant::Variant;
use parlor_rules::{Chips, Seat, Viewer};
use serde::Serialize;

/// A table as somebody sees it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// Whether hands are played here.
    pub phase: Phase,
    /// The number of the last hand.
    pub hand: u64,
    /// What it was, or is.
    pub variant: &'static Variant,
    /// The players in a row; their numbers in `log` are their places here, from 1.
    pub players: Vec<PlayerView>,
    /// The cards on the board.
    pub board: Cards,
    /// All boards, where the rest was dealt more than once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<Cards>,
    /// The rest of the board, as it would have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rabbit: Option<Cards>,
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
    /// What the cards are with the board, where they are for these eyes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
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
            cards: hole.only(state.shows(viewer, i)),
            label: state.label(viewer, i),
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
    let boards = state.hand.as_ref().map(|hand| hand.boards().collect::<Vec<_>>());
    View {
        phase: state.phase,
        hand: state.number,
        variant: state.config.variants[state.variant],
        players: state.row.iter().enumerate().map(player).collect(),
        board: state.hand.as_ref().map_or(Cards::NONE, |hand| hand.board()),
        boards: boards.filter(|boards| boards.len() > 1).unwrap_or_default(),
        rabbit: state.rabbit,
        pots: pots.map(|pot| PotView { amount: pot.amount, seats: seats(pot.eligible) }).collect(),
        actor: state.actor(),
        button: state.button,
        log: (0..).zip(&state.log).map(|(i, line)| masked(state, i, line, viewer)).collect(),
        pre: match viewer {
            Viewer::Seat(seat) => state.place(seat).and_then(|place| place.pre),
            Viewer::Watcher => None,
        },
    }
}

/// Whether these are the eyes of a player.
fn is_own(state: &State, player: u8, viewer: Viewer) -> bool {
    let place = state.row.get(usize::from(player));
    place.is_some_and(|place| viewer == Viewer::Seat(place.column.seat))
}

/// The cards of a player that are for these eyes, of those dealt by the line at this place. A card
/// that was given away and came back is shown where it came last.
fn known(state: &State, at: usize, player: u8, viewer: Viewer) -> CardSet {
    let shown = state.shows(viewer, usize::from(player));
    if is_own(state, player, viewer) {
        return shown;
    }
    let later = state.log.iter().skip(at + 1).filter_map(|line| match line.action {
        Action::Hole { cards, .. } => Some(cards.set()),
        _ => None,
    });
    later.fold(shown, CardSet::minus)
}

/// The same action, with the cards that are not for these eyes unknown.
fn masked(state: &State, at: usize, line: &Line, viewer: Viewer) -> Line {
    match line.action {
        Action::Hole { player, cards } => {
            let known = known(state, at, player, viewer);
            Action::Hole { player, cards: cards.only(known) }.into()
        }
        Action::Discard { player, cards } if !is_own(state, player, viewer) => {
            Action::Discard { player, cards: Cards::unknown(cards.len()) }.into()
        }
        _ => line.clone(),
    }
}

/// See [`parlor_rules::Rules::sight`].
pub(crate) fn sight(state: &State, event: &Event, viewer: Viewer) -> Option<Event> {
    match event {
        Event::Prepared { seat, .. } if viewer != Viewer::Seat(*seat) => None,
        Event::Act { act } => {
            // Open cards are seen as soon as they lie there.
            let mut after = state.clone();
            after.apply(event);
            Some(Event::Act { act: masked(&after, after.log.len(), act, viewer) })
        }
        _ => Some(event.clone()),
    }
}

/// See [`parlor_rules::Rules::dealt`]. What is dealt beyond the deck was given away before.
pub(crate) fn dealt(state: &State, viewer: Viewer) -> Vec<u32> {
    let mut next = 0;
    let mut seen = Vec::new();
    for (at, line) in state.log.iter().enumerate() {
        let (cards, known) = match line.action {
            Action::Hole { player, cards } => (cards, known(state, at, player, viewer)),
            Action::Board { cards } => (cards, CardSet::ALL),
            _ => continue,
        };
        for card in cards.known() {
            if known.contains(card) && next < u32::from(state.config.deck()) {
                seen.push(next);
            }
            next += 1;
        }
    }
    let rabbit = state.rabbit.map_or(0, |cards| cards.len() as u32);
    seen.extend(next..next + rabbit);
    seen
}
