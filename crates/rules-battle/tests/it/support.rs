//! A match to write tests with.

use parlor_rules::{Draws, Flow, House, Input, Owner, Rules, Seat, Seeded, Viewer};
use parlor_rules_battle::Battle;
use parlor_rules_battle::card::{Name, Slots};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::event::{End, Event};
use parlor_rules_battle::notation;
use parlor_rules_battle::reject::Reject;
use parlor_rules_battle::state::{Config, Phase, State};
use serde_json::Value;

pub(crate) const ZERO: Seat = Seat::new(0);
pub(crate) const ONE: Seat = Seat::new(1);

/// A match with all that came of it so far.
pub(crate) struct Match {
    pub(crate) state: State,
    pub(crate) events: Vec<Event>,
    pub(crate) flows: Vec<Flow>,
}

impl Match {
    /// A match that has begun.
    pub(crate) fn new(config: Config) -> Self {
        let state = Battle::open(&config, 2).unwrap();
        let mut new = Self { state, events: Vec::new(), flows: Vec::new() };
        new.enter(&Input::House(House::Begin {})).unwrap();
        new
    }

    /// A match with the usual options.
    pub(crate) fn usual() -> Self {
        Self::new(Config::default())
    }

    /// What follows from an input.
    pub(crate) fn enter(&mut self, input: &Input<Command>) -> Result<Vec<Event>, Reject> {
        let mut none = Seeded::new("");
        let events = Battle::decide(&self.state, input, &mut Draws::new(&mut none))?;
        for event in &events {
            self.flows.extend(Battle::flows(&self.state, event));
            Battle::apply(&mut self.state, event);
        }
        self.events.extend(events.clone());
        Ok(events)
    }

    pub(crate) fn draft(&mut self, seat: Seat, layout: &str) {
        let command = Command::LayoutDraft { layout: wanted(layout) };
        self.enter(&Input::Play { seat, command }).unwrap();
    }

    pub(crate) fn confirm(&mut self, seat: Seat, layout: &str) {
        let command = Command::LayoutConfirm { layout: wanted(layout) };
        self.enter(&Input::Play { seat, command }).unwrap();
    }

    /// The deadline of the table passes.
    pub(crate) fn expire(&mut self) -> Vec<Event> {
        self.enter(&Input::Expire { seat: Owner::Table }).unwrap()
    }

    /// The PREP ends and the cards are shown, if it comes to that.
    pub(crate) fn finish_round(&mut self) {
        if matches!(self.state.phase, Phase::Prep(_)) {
            self.expire();
        }
        while matches!(self.state.phase, Phase::Reveal { .. }) {
            self.expire();
        }
    }

    /// What lies after the PREP, and who is AFK in the round.
    pub(crate) fn finalized(&mut self) -> ([Slots; 2], [bool; 2]) {
        match self.expire().first() {
            Some(Event::Finalized { layouts, afk }) => (*layouts, *afk),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn left(&mut self, seat: Seat) -> Result<Vec<Event>, Reject> {
        self.enter(&Input::House(House::Left { seat }))
    }

    pub(crate) fn end(&self) -> Option<End> {
        Battle::outcome(&self.state).map(|outcome| outcome.end)
    }

    pub(crate) fn hp(&self) -> [u8; 2] {
        self.state.stage.hp
    }

    /// What a viewer is told of the last event.
    pub(crate) fn told(&self, viewer: Viewer) -> Value {
        let event = self.events.last().unwrap();
        let sight = Battle::sight(&self.state, event, viewer);
        serde_json::to_value(sight).unwrap()
    }
}

fn wanted(layout: &str) -> [Option<Name>; 3] {
    slots(layout).map(|slot| slot.map(Name::Card))
}

/// A layout from a line.
pub(crate) fn slots(layout: &str) -> Slots {
    notation::read(layout).unwrap()
}
