//! Pennies with one fault each: every law must find the fault that breaks it.

use parlor_rules::{
    AskedSeats, Chips, Draws, Erased, Faults, Flow, House, Input, Pending, Rules, Seat, Verdict,
    Viewer,
};
use parlor_testkit::laws::{Law, Scenario, hold};
use parlor_testkit::pennies::*;
use serde_json::Value;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, Ordering};

/// The faults, by number: a constant is all that a type can carry.
const MOODY: u8 = 0;
const FORGETFUL_DECIDE: u8 = 1;
const FRAGILE_APPLY: u8 = 2;
const FORGETFUL_APPLY: u8 = 3;
const GENEROUS_LEGAL: u8 = 4;
const MUTE_PICK: u8 = 5;
const FORGETFUL_DOC: u8 = 6;
const DRIFTING_APPLY: u8 = 7;
const LEAKY_VIEW: u8 = 8;
const LEAKY_SIGHT: u8 = 9;
const LEAKY_LEGAL: u8 = 10;
const WAITS_FOR_NOBODY: u8 = 11;
const TIME_STANDS_STILL: u8 = 12;
const UNDEAD: u8 = 13;
const MINTING_FLOW: u8 = 14;
const LEAKY_PENDING: u8 = 15;
const LEAKY_DEALT: u8 = 16;
const HIDDEN_DEPOSIT: u8 = 17;
const NO_VERDICT: u8 = 18;

struct Faulty<const F: u8>;

/// What a game must never have: something outside its state.
static CALLS: AtomicU32 = AtomicU32::new(0);
static JOINS: AtomicU32 = AtomicU32::new(0);

impl<const F: u8> Rules for Faulty<F> {
    const KEY: &'static str = "faulty";
    const EDITION: u16 = 1;
    const SEATS: RangeInclusive<u8> = 2..=2;

    type Config = Config;
    type State = State;
    type Command = Command;
    type Event = Event;
    type Legal = Legal;
    type View = View;
    type Sight = Event;
    type Outcome = Ended;
    type Doc = Doc;
    type Reject = Reject;

    fn open(config: &Config, seats: u8) -> Result<State, Reject> {
        Pennies::open(config, seats)
    }

    fn decide(
        state: &State,
        input: &Input<Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        let calls = CALLS.fetch_add(1, Ordering::Relaxed);
        match (F, input) {
            (MOODY, Input::House(House::Begin {})) => {
                Ok(vec![Event::Begun { matcher: Seat::new((calls % 2) as u8) }])
            }
            // Decides the third time, when the log is checked, with a draw more than before.
            (FORGETFUL_DECIDE, Input::House(House::Joined { .. })) => {
                let events = Pennies::decide(state, input, draws)?;
                if JOINS.fetch_add(1, Ordering::Relaxed) % 3 == 2 {
                    draws.below(2);
                }
                Ok(events)
            }
            (TIME_STANDS_STILL, Input::Expire { .. }) => Ok(Vec::new()),
            (UNDEAD, Input::House(House::Joined { seat, chips })) if state.doc.ended.is_some() => {
                Ok(vec![Event::Joined { seat: *seat, chips: *chips }])
            }
            _ => Pennies::decide(state, input, draws),
        }
    }

    fn apply(state: &mut State, event: &Event) {
        match (F, event) {
            (FRAGILE_APPLY, Event::Revealed { .. }) => {
                assert!(state.doc.players.iter().all(Option::is_some), "nobody to pay");
            }
            (FORGETFUL_APPLY, Event::Chose { .. }) => return,
            // Every application counts on from the last one.
            (DRIFTING_APPLY, Event::Begun { .. }) => {
                let drift = CALLS.fetch_add(1, Ordering::Relaxed) % 2;
                state.doc.matcher = Some(Seat::new(drift as u8));
                return;
            }
            _ => {}
        }
        Pennies::apply(state, event);
    }

    fn pending(state: &State) -> Pending {
        match Pennies::pending(state) {
            Pending::Waiting { seats, table, .. } if F == LEAKY_PENDING => {
                Pending::Waiting { seats, table, secret: false }
            }
            Pending::Waiting { .. } if F == WAITS_FOR_NOBODY => {
                Pending::Waiting { seats: AskedSeats::new(), table: None, secret: true }
            }
            pending => pending,
        }
    }

    fn legal(state: &State, seat: Seat) -> Legal {
        match F {
            GENEROUS_LEGAL => Legal::new(true),
            // Says whether the other seat has chosen.
            LEAKY_LEGAL if Pennies::pending(state).asked().len() == 1 => Legal::new(false),
            _ => Pennies::legal(state, seat),
        }
    }

    fn permits(legal: &Legal, command: &Command) -> bool {
        F == LEAKY_LEGAL || Pennies::permits(legal, command)
    }

    fn pick(legal: &Legal, draws: &mut Draws<'_>) -> Option<Command> {
        Pennies::pick(legal, draws).filter(|_| F != MUTE_PICK)
    }

    fn view(state: &State, viewer: Viewer) -> View {
        let shown = match viewer {
            Viewer::Seat(seat) if F == LEAKY_VIEW => {
                Viewer::Seat(Seat::new(1 - seat.index() as u8))
            }
            viewer => viewer,
        };
        Pennies::view(state, shown)
    }

    fn sight(state: &State, event: &Event, viewer: Viewer) -> Option<Event> {
        if F == LEAKY_SIGHT { Some(event.clone()) } else { Pennies::sight(state, event, viewer) }
    }

    fn outcome(state: &State) -> Option<Ended> {
        Pennies::outcome(state)
    }

    fn verdict(state: &State) -> Option<Verdict> {
        Pennies::verdict(state).filter(|_| F != NO_VERDICT)
    }

    fn deposit(_: &State) -> Chips {
        Chips::whole(i64::from(F == HIDDEN_DEPOSIT))
    }

    fn doc(state: &State) -> Doc {
        let mut doc = Pennies::doc(state);
        for player in doc.players.iter_mut().flatten().filter(|_| F == FORGETFUL_DOC) {
            player.choice = None;
        }
        doc
    }

    fn load(config: &Config, doc: Value) -> Result<State, Faults> {
        Pennies::load(config, doc)
    }

    fn seats(_: &State) -> u8 {
        2
    }

    fn stake(state: &State) -> Chips {
        Pennies::stake(state)
    }

    fn flows(state: &State, event: &Event) -> Vec<Flow> {
        let mut flows = Pennies::flows(state, event);
        if F == MINTING_FLOW && matches!(event, Event::Left { .. }) {
            flows[0].chips += Chips::whole(1);
        }
        flows
    }

    fn dealt(state: &State, _: Viewer) -> Vec<u32> {
        // Shows a card as soon as somebody has chosen.
        let chosen = state.doc.players.iter().flatten().any(|player| player.choice.is_some());
        if F == LEAKY_DEALT && chosen { vec![0] } else { Vec::new() }
    }

    fn resample(state: &State, viewer: Viewer, draws: &mut Draws<'_>) -> State {
        Pennies::resample(state, viewer, draws)
    }
}

/// The law that the fault is caught by within a few games.
fn caught<const F: u8>() -> Option<Law> {
    let scenario =
        Scenario { open_house: true, inputs: 2_000, timeouts_every: 5, ..Scenario::default() };
    let game = Erased::<Faulty<F>>::new();
    (0..40).find_map(|i| hold(&game, &scenario, &format!("planted {i}")).err()).map(|b| b.law)
}

/// Equal to Pennies in everything.
const SOUND: u8 = 255;

#[test]
fn a_sound_game_is_not_accused() {
    assert_eq!(caught::<SOUND>(), None);
}

#[test]
fn every_law_finds_the_fault_that_breaks_it() {
    assert_eq!(caught::<MOODY>(), Some(Law::Deterministic));
    assert_eq!(caught::<FRAGILE_APPLY>(), Some(Law::ApplyIsTotal));
    assert_eq!(caught::<FORGETFUL_APPLY>(), Some(Law::EventsMatter));
    assert_eq!(caught::<GENEROUS_LEGAL>(), Some(Law::PermittedIsAccepted));
    assert_eq!(caught::<MUTE_PICK>(), Some(Law::PermittedIsAccepted));
    assert_eq!(caught::<FORGETFUL_DOC>(), Some(Law::JsonRoundTrip));
    assert_eq!(caught::<DRIFTING_APPLY>(), Some(Law::Replay));
    assert_eq!(caught::<FORGETFUL_DECIDE>(), Some(Law::Audit));
    assert_eq!(caught::<LEAKY_VIEW>(), Some(Law::Secrecy));
    assert_eq!(caught::<LEAKY_SIGHT>(), Some(Law::Secrecy));
    assert_eq!(caught::<LEAKY_LEGAL>(), Some(Law::Secrecy));
    assert_eq!(caught::<LEAKY_PENDING>(), Some(Law::Secrecy));
    assert_eq!(caught::<LEAKY_DEALT>(), Some(Law::Secrecy));
    assert_eq!(caught::<WAITS_FOR_NOBODY>(), Some(Law::SomeoneIsAsked));
    assert_eq!(caught::<TIME_STANDS_STILL>(), Some(Law::TimeoutsEnd));
    assert_eq!(caught::<UNDEAD>(), Some(Law::OverIsOver));
    assert_eq!(caught::<MINTING_FLOW>(), Some(Law::Conservation));
    assert_eq!(caught::<HIDDEN_DEPOSIT>(), Some(Law::Conservation));
    assert_eq!(caught::<NO_VERDICT>(), Some(Law::SomeoneIsAsked));
}
