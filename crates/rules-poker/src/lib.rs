//! Poker: cards, ranking, betting, pots, showdown, and a table of hold'em that people join, pause
//! and leave.
//!
//! ```
//! use parlor_rules::Chips;
//! use parlor_rules_poker::bets::Bets;
//! use parlor_rules_poker::hand::{Action, Hand, Next, Setup};
//! use parlor_rules_poker::variant::NT;
//!
//! let chips = |amounts: [i64; 2]| amounts.map(Chips::whole);
//! let mut hand = Hand::new(&Setup {
//!     variant: &NT,
//!     stacks: &chips([100, 100]),
//!     antes: &chips([0, 0]),
//!     ante_trimming: true,
//!     blinds: &chips([1, 2]),
//!     dead: Chips::ZERO,
//!     bets: Bets::least(Chips::whole(2)),
//!     first: 1,
//!     active: 0b11,
//!     runs: 1,
//!     chip: Chips::whole(1),
//!     rake: None,
//! })
//! .unwrap();
//! hand.act(&Action::Hole { player: 0, cards: "AsKs".parse().unwrap() }).unwrap();
//! hand.act(&Action::Hole { player: 1, cards: "7c2d".parse().unwrap() }).unwrap();
//! assert_eq!(hand.next(), Next::Act { player: 0 });
//! hand.act(&Action::Raise { player: 0, to: Chips::whole(6) }).unwrap();
//! hand.act(&Action::Fold { player: 1 }).unwrap();
//! assert_eq!(hand.next(), Next::Over);
//! assert_eq!(hand.players()[0].stack, Chips::whole(102));
//! ```

mod action;
pub mod bets;
pub mod card;
mod command;
mod config;
mod decide;
mod doc;
pub mod equity;
mod event;
pub mod hand;
mod legal;
pub mod notation;
pub mod pots;
pub mod quick;
pub mod range;
pub mod rank;
mod reject;
pub mod seats;
mod state;
pub mod variant;
pub mod view;

pub use command::{Command, Pre};
pub use config::{Config, OnTimeout};
pub use doc::Doc;
pub use event::{Begun, Event};
pub use legal::{Legal, Raise};
pub use reject::Reject;
pub use state::{Phase, State};

use card::Card;
use hand::{Action, HANDS};
use parlor_rules::{
    Asked, AskedSeats, Chips, Deadline, Draws, Faults, Flow, FlowKind, Input, Pending, Rules, Seat,
    Stay, Viewer,
};
use serde::Serialize;
use serde_json::Value;
use std::ops::RangeInclusive;

/// A table of no-limit hold'em that people join, pause and leave.
pub struct Poker;

/// How a table ended: it was closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Closed {
    /// How many hands were played.
    pub hands: u64,
}

impl Rules for Poker {
    const KEY: &'static str = "poker";
    const EDITION: u16 = 1;
    const SEATS: RangeInclusive<u8> = 2..=10;
    const COMES_AND_GOES: bool = true;

    type Config = Config;
    type State = State;
    type Command = Command;
    type Event = Event;
    type Legal = Legal;
    type View = view::View;
    type Sight = Event;
    type Outcome = Closed;
    type Doc = Doc;
    type Reject = Reject;

    fn open(config: &Config, seats: u8) -> Result<State, Reject> {
        config.check()?;
        if seats > config.seats() {
            return Err(Reject::TooManySeats { most: config.seats() });
        }
        Ok(State::fresh(config.clone(), seats))
    }

    fn decide(
        state: &State,
        input: &Input<Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        decide::decide(state, input, draws)
    }

    fn apply(state: &mut State, event: &Event) {
        state.apply(event);
    }

    fn stamp(state: &mut State, _: &Event, at_ms: u64) {
        state.stamp(at_ms);
    }

    fn pending(state: &State) -> Pending {
        if state.phase == Phase::Closed {
            return Pending::Over;
        }
        // Which pause it is says when it began, beyond all numbers of hands.
        let pause = state.pauses().map(|(_, since_ms, within_ms)| Deadline {
            of: HANDS.saturating_add(since_ms).saturating_add(1),
            within_ms,
        });
        if let Some(seat) = state.actor() {
            // Every decision of a table has a number of its own.
            let of = state.number << 16 | state.log.len() as u64;
            let asked = Asked { seat, of, within_ms: Some(state.config.within_ms) };
            return Pending::Waiting {
                seats: [asked].into_iter().collect(),
                table: pause,
                secret: false,
            };
        }
        if state.is_due() {
            return Pending::table(state.number, state.config.between_ms);
        }
        match pause {
            Some(_) => Pending::Waiting { seats: AskedSeats::new(), table: pause, secret: false },
            None => Pending::Rest,
        }
    }

    fn legal(state: &State, seat: Seat) -> Legal {
        legal::legal(state, seat)
    }

    fn permits(legal: &Legal, command: &Command) -> bool {
        legal.permits(command)
    }

    fn pick(legal: &Legal, draws: &mut Draws<'_>) -> Option<Command> {
        legal.pick(draws)
    }

    fn view(state: &State, viewer: Viewer) -> view::View {
        view::view(state, viewer)
    }

    fn sight(state: &State, event: &Event, viewer: Viewer) -> Option<Event> {
        view::sight(state, event, viewer)
    }

    fn outcome(state: &State) -> Option<Closed> {
        (state.phase == Phase::Closed).then_some(Closed { hands: state.number })
    }

    fn doc(state: &State) -> Doc {
        doc::doc(state)
    }

    fn load(config: &Config, doc: Value) -> Result<State, Faults> {
        doc::load(config, doc)
    }

    fn seats(state: &State) -> u8 {
        state.seats
    }

    fn stake(state: &State) -> Chips {
        state.stake()
    }

    fn flows(state: &State, event: &Event) -> Vec<Flow> {
        let flow = |seat: Seat, kind, chips: Chips| Flow { seat, kind, chips };
        match event {
            Event::Joined { seat, chips } | Event::Topped { seat, chips } => {
                vec![flow(*seat, FlowKind::In, *chips)]
            }
            Event::Left { seat, chips } => vec![flow(*seat, FlowKind::Out, *chips)],
            Event::HandEnded { stacks, raked } if *raked > Chips::ZERO => {
                // Of the hand's winners the one who won most has paid it.
                let won = |i: &usize| stacks[*i] - state.started[*i];
                let most = (0..stacks.len().min(state.started.len())).max_by_key(won).unwrap_or(0);
                let payer = state.row.get(most).map(|place| place.column.seat);
                payer.map(|seat| flow(seat, FlowKind::Raked, *raked)).into_iter().collect()
            }
            Event::Closed {} => {
                let back = |place: &state::Place| {
                    flow(place.column.seat, FlowKind::Out, state.chips(place))
                };
                state.row.iter().map(back).collect()
            }
            _ => Vec::new(),
        }
    }

    fn stay(state: &State, seat: Seat) -> Stay {
        match state.row.iter().find(|place| place.column.seat == seat) {
            Some(place) if place.column.intent == seats::Intent::Leave && !place.column.short => {
                Stay::Leaves
            }
            Some(_) => Stay::Stays,
            None => Stay::Gone,
        }
    }

    fn deck(state: &State) -> u32 {
        u32::from(state.config.deck())
    }

    fn dealt(state: &State, viewer: Viewer) -> Vec<u32> {
        view::dealt(state, viewer)
    }

    fn resample(state: &State, viewer: Viewer, draws: &mut Draws<'_>) -> State {
        let mut other = state.clone();
        let Some(hand) = state.hand else { return other };
        // All that the viewer has not seen is mixed.
        let seen = state.seen(viewer);
        let own = match viewer {
            Viewer::Seat(seat) => state.place_of(seat),
            Viewer::Watcher => None,
        };
        let is_own = |player: u8| own == Some(usize::from(player));
        let hidden: Vec<Card> = Card::all()
            .filter(|card| card.number() >= hand.variant().lowest && !seen.contains(*card))
            .collect();
        let mut mixed = hidden.clone();
        for i in (1..mixed.len()).rev() {
            mixed.swap(i, draws.below(i as u32 + 1) as usize);
        }
        let map = |card: Card| match hidden.binary_search(&card) {
            Ok(at) => mixed[at],
            Err(_) => card,
        };
        other.hand = Some(hand.mapped(map));
        for line in &mut other.log {
            if let Action::Hole { player, cards } | Action::Discard { player, cards } =
                &mut line.action
                && !is_own(*player)
            {
                *cards = cards.map(|card| Some(map(card)));
            }
        }
        for place in &mut other.row {
            let seat = place.column.seat;
            if viewer != Viewer::Seat(seat) && decide::may_prepare(state, seat) {
                let pre = [None, Some(Pre::Fold), Some(Pre::CheckFold), Some(Pre::CallAny)];
                place.pre = pre[draws.below(4) as usize];
            }
        }
        other
    }
}
