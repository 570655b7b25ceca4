//! The Orcain battle: both sides lay three cards in secret, then the cards are shown pair by pair.
//!
//! ```
//! use parlor_rules::{Draws, Input, Owner, Rules, Seeded};
//! use parlor_rules_battle::Battle;
//!
//! let mut chance = Seeded::new("a match");
//! let mut draws = Draws::new(&mut chance);
//! let mut state = Battle::begin(&Default::default(), 2, &mut draws).unwrap();
//! while Battle::outcome(&state).is_none() {
//!     for asked in Battle::pending(&state).asked() {
//!         let command = Battle::pick(&Battle::legal(&state, asked.seat), &mut draws).unwrap();
//!         Battle::play(&mut state, &Input::Play { seat: asked.seat, command }, &mut draws).unwrap();
//!     }
//!     Battle::play(&mut state, &Input::Expire { seat: Owner::Table }, &mut draws).unwrap();
//! }
//! ```

pub mod card;
pub mod command;
pub mod decide;
pub mod doc;
pub mod event;
pub mod legal;
pub mod notation;
pub mod reject;
pub mod resolve;
pub mod solve;
pub mod state;
pub mod view;

use card::{Layout, Slot};
use command::Command;
use event::{End, Event, Settlement};
use legal::Legal;
use parlor_rules::{
    Asked, AskedSeats, Chips, Deadline, Draws, Faults, Flow, FlowKind, Input, Pending, Rated,
    Rules, Seat, Unit, Verdict, Viewer,
};
use reject::Reject;
use serde::Serialize;
use serde_json::Value;
use state::{Config, Lock, Phase, Plan, SEATS, State};
use std::ops::RangeInclusive;

/// The rules of the battle: one match.
pub struct Battle;

/// How a match ended, for whoever settles it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Who won, and why.
    #[serde(flatten)]
    pub end: End,
    /// What becomes of the pot.
    pub settlement: Settlement,
    /// What each side had put in.
    pub stake: Chips,
    /// What lay in the pot.
    pub pot: Chips,
    /// What each side had left.
    pub hp: [u8; 2],
    /// The round it ended in.
    pub round_index: u32,
}

impl Rules for Battle {
    const KEY: &'static str = "battle";
    const EDITION: u16 = 1;
    const SEATS: RangeInclusive<u8> = 2..=2;
    const UNIT: Unit = Unit::Tokens;

    type Config = Config;
    type State = State;
    type Command = Command;
    type Event = Event;
    type Legal = Legal;
    type View = view::View;
    type Sight = view::Sight;
    type Outcome = Outcome;
    type Doc = doc::Doc;
    type Reject = Reject;

    fn open(config: &Config, _: u8) -> Result<State, Reject> {
        config.check()?;
        Ok(State::fresh(config.clone()))
    }

    fn decide(
        state: &State,
        input: &Input<Command>,
        _: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        decide::decide(state, input)
    }

    fn apply(state: &mut State, event: &Event) {
        state.apply(event);
    }

    fn pending(state: &State) -> Pending {
        let round = u64::from(state.stage.round);
        let (seats, step) = match &state.phase {
            Phase::Fresh => return Pending::Rest,
            Phase::End(_) => return Pending::Over,
            Phase::Prep(_) => {
                let asked = SEATS.into_iter().filter(|seat| state.may_lay(*seat).is_ok());
                (asked.map(|seat| Asked { seat, of: round, within_ms: None }).collect(), 0)
            }
            Phase::Reveal { shown, .. } => (AskedSeats::new(), 1 + *shown as u64),
        };
        // Four deadlines a round, each with a number of its own.
        let table = state.within_ms().map(|within_ms| Deadline { of: 4 * round + step, within_ms });
        Pending::Waiting { seats, table, secret: !state.config.show_confirmed }
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

    fn sight(state: &State, event: &Event, viewer: Viewer) -> Option<view::Sight> {
        view::sight(state, event, viewer)
    }

    fn outcome(state: &State) -> Option<Outcome> {
        let Phase::End(end) = state.phase else { return None };
        let (stake, pot) = match end {
            End::Closed => (Chips::ZERO, Chips::ZERO),
            _ => (state.config.stake, state.config.pot()),
        };
        let (hp, round_index) = (state.stage.hp, state.stage.round);
        Some(Outcome { end, settlement: end.settlement(), stake, pot, hp, round_index })
    }

    fn doc(state: &State) -> doc::Doc {
        doc::doc(state)
    }

    fn load(config: &Config, doc: Value) -> Result<State, Faults> {
        doc::load(config, doc)
    }

    fn seats(_: &State) -> u8 {
        SEATS.len() as u8
    }

    /// Where both lose, nobody has beaten anybody.
    fn verdict(state: &State) -> Option<Verdict> {
        let Phase::End(end) = state.phase else { return None };
        Some(match (end, end.winner()) {
            (_, Some(seat)) => Verdict::Won(seat),
            (End::Draw, None) => Verdict::Drawn,
            (_, None) => Verdict::Void,
        })
    }

    /// The usual match, whatever its stake.
    fn rated(config: &Config) -> Option<Rated> {
        let usual = Config { stake: config.stake, ..Config::default() };
        (*config == usual).then(|| Rated::glicko2("standard"))
    }

    fn deposit(state: &State) -> Chips {
        state.config.stake
    }

    fn stake(state: &State) -> Chips {
        state.pot()
    }

    fn flows(state: &State, event: &Event) -> Vec<Flow> {
        let each = |kind, chips| SEATS.map(|seat| Flow { seat, kind, chips }).to_vec();
        let stake = Self::deposit(state);
        match (event, &state.phase) {
            (Event::MatchFound {}, Phase::Fresh) => each(FlowKind::In, stake),
            (Event::MatchEnded(_), Phase::Fresh | Phase::End(_)) => Vec::new(),
            (Event::MatchEnded(end), _) => match (end.settlement(), end.winner()) {
                (Settlement::WinnerTakes, Some(seat)) => {
                    vec![Flow { seat, kind: FlowKind::Out, chips: state.pot() }]
                }
                (Settlement::Burned, _) => each(FlowKind::Burned, stake),
                (Settlement::WinnerTakes | Settlement::Returned, _) => each(FlowKind::Out, stake),
            },
            _ => Vec::new(),
        }
    }

    fn grace_ms(_: &State) -> Option<u64> {
        Some(0)
    }

    fn resample(state: &State, viewer: Viewer, draws: &mut Draws<'_>) -> State {
        let mut other = state.clone();
        for seat in SEATS.into_iter().filter(|seat| viewer != Viewer::Seat(*seat)) {
            redraw(&mut other, seat, draws);
        }
        other
    }
}

/// Draws anew what only this seat knows: what it has laid and not shown, and whether it was heard.
fn redraw(state: &mut State, seat: Seat, draws: &mut Draws<'_>) {
    let side = seat.index();
    let layouts = state.config.hand(seat).layouts();
    let mut any = |fits: &dyn Fn(&Layout) -> bool| {
        let fitting: Vec<_> = layouts.iter().filter(|layout| fits(layout)).collect();
        *fitting[draws.below(fitting.len() as u32) as usize]
    };
    match &mut state.phase {
        Phase::Fresh | Phase::End(_) => {}
        Phase::Prep(plans) => {
            let layout = any(&|_| true);
            let (said, lock) = (draws.below(4), draws.below(2));
            let shown = state.config.show_confirmed;
            // Both locked would be a round that is finalised.
            let alone = !state.config.early_finalize || plans[1 - side].lock == Lock::Open;
            plans[side] = match (said, lock) {
                _ if shown => {
                    let lock = plans[side].lock;
                    let messages = said + u32::from(lock == Lock::Confirmed);
                    let layout = if messages == 0 { Layout::EMPTY } else { layout };
                    Plan { messages, layout, lock }
                }
                (0, _) => Plan::SILENT,
                (messages, 1) if alone => Plan { messages, layout, lock: Lock::Confirmed },
                (messages, _) => Plan { messages, layout, lock: Lock::Open },
            };
            if state.stage.round > 1 {
                state.afk[side] = draws.below(2) as u8;
            }
        }
        Phase::Reveal { layouts: laid, shown } => {
            let seen: Vec<Slot> = laid[side].slots()[..*shown].to_vec();
            laid[side] = any(&|layout| layout.slots()[..*shown] == seen[..]);
            let silent = laid[side].is_empty();
            state.afk[side] = if silent { draws.below(2) as u8 } else { 0 };
        }
    }
}
