//! The laws of every game, written once.
//!
//! A random game is played in the erased form; at every step every law is checked. What is found
//! broken is named by its law, with the step and the seed that lead there.

use parlor_rules::draws::DrawFault;
use parlor_rules::{
    AnyGame, AnyState, Chips, Deck, Draws, FlowKind, House, Input, Json, Owner, Pending, Seat,
    Seeded, Source, Tape, Viewer, json,
};
use serde_json::value::RawValue;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The laws.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Law {
    /// The same state, input and chance give the same events.
    Deterministic,
    /// Applying an event never fails, whatever the state.
    ApplyIsTotal,
    /// What follows from an accepted input changes the state.
    EventsMatter,
    /// A command is permitted exactly when it is accepted, and a seat that is asked has one.
    PermittedIsAccepted,
    /// A document reads back as the state it was written from.
    JsonRoundTrip,
    /// Events applied to a state read from an earlier document give the live state.
    Replay,
    /// Deciding again with the draws remembered gives the same events and uses all of them; a deck
    /// is as large as the game has said and deals each card once.
    Audit,
    /// What is hidden from a viewer changes nothing of what it sees.
    Secrecy,
    /// Until it is over someone is asked, or time runs, or the table rests; then there is an outcome
    /// and a verdict.
    SomeoneIsAsked,
    /// Timeouts alone bring every state to its end or to rest.
    TimeoutsEnd,
    /// What is over stays over.
    OverIsOver,
    /// Chips neither appear nor vanish except as flows say, and to begin takes what was told.
    Conservation,
}

/// A law found broken.
#[derive(Debug, thiserror::Error)]
#[error("{law:?}: {how}")]
pub struct Broken {
    /// Which.
    pub law: Law,
    /// How.
    pub how: String,
}

/// Finds a law broken unless something holds.
macro_rules! law {
    ($law:ident, $holds:expr, $($how:tt)*) => {
        if !$holds {
            return Err($crate::laws::Broken { law: $crate::laws::Law::$law, how: format!($($how)*) });
        }
    };
}
pub(crate) use law;

/// How games are to be played.
pub struct Scenario {
    /// The options, as JSON text.
    pub config: &'static str,
    /// How many seats.
    pub seats: u8,
    /// Whether people come and go.
    pub open_house: bool,
    /// The most inputs one game may take before it is given up as endless.
    pub inputs: u32,
    /// From every how-manieth state timeouts alone are tried.
    pub timeouts_every: u32,
}

impl Default for Scenario {
    fn default() -> Self {
        Self { config: "{}", seats: 2, open_house: false, inputs: 20_000, timeouts_every: 50 }
    }
}

/// The most timeouts until a game is over or at rest.
const TIMEOUT_BOUND: u32 = 10_000;
/// How many commands and events of earlier states are kept to be tried again.
const MEMORY: usize = 12;

/// Plays one game from this seed and gives the number of inputs, or the first law found broken.
pub fn hold(game: &dyn AnyGame, scenario: &Scenario, seed: &str) -> Result<u32, Broken> {
    Trial::new(game, scenario, seed).play()
}

/// Plays so many games, from seeds that begin with this word.
///
/// # Panics
/// If a law is broken; the message names the seed.
pub fn hold_over(game: &dyn AnyGame, scenario: &Scenario, word: &str, games: u32) -> u64 {
    let mut inputs = 0;
    for i in 0..games {
        let seed = format!("{word} {i}");
        match hold(game, scenario, &seed) {
            Ok(count) => inputs += u64::from(count),
            Err(broken) => {
                panic!("{}, config {}, seed {seed:?}: {broken}", game.key(), scenario.config)
            }
        }
    }
    inputs
}

/// Chance that keeps account of the deck, as the chance of a table does.
#[derive(Clone)]
struct Dealer<S> {
    source: S,
    size: u32,
    deck: Deck,
    /// The cards dealt from it, in order.
    cards: Vec<u8>,
}

impl<S> Dealer<S> {
    /// The same deck, dealt by other chance.
    fn with<T>(&self, source: T) -> Dealer<T> {
        Dealer { source, size: self.size, deck: self.deck, cards: self.cards.clone() }
    }
}

impl<S: Source> Source for Dealer<S> {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        self.source.below(n)
    }

    fn shuffle(&mut self, size: u32) -> Result<(), DrawFault> {
        if size != self.size {
            return Err(DrawFault::OtherDeck { asked: size, there: self.size });
        }
        (self.deck, self.cards) = (Deck::new(size), Vec::new());
        Ok(())
    }

    fn card(&mut self, left: u32) -> Result<u32, DrawFault> {
        if left != self.deck.left() {
            return Err(DrawFault::OtherDeck { asked: left, there: self.deck.left() });
        }
        let place = self.source.card(left)?;
        let card = self.deck.at(place).ok_or(DrawFault::TooLarge { value: place, below: left })?;
        self.deck.remove(card);
        self.cards.push(card);
        Ok(place)
    }
}

struct Trial<'a> {
    game: &'a dyn AnyGame,
    scenario: &'a Scenario,
    config: Json,
    /// The chance of the game.
    chance: Dealer<Seeded>,
    /// The chance of the trial itself.
    dice: Seeded,
    live: Box<dyn AnyState>,
    /// A state read from an earlier document, kept up by events.
    replayed: Box<dyn AnyState>,
    commands: Vec<Json>,
    events: Vec<Json>,
}

impl<'a> Trial<'a> {
    fn new(game: &'a dyn AnyGame, scenario: &'a Scenario, seed: &str) -> Self {
        let config: Json =
            RawValue::from_string(scenario.config.to_owned()).expect("config is JSON").into();
        let open = || game.open(&config, scenario.seats).expect("the scenario can be opened");
        let (live, replayed) = (open(), open());
        Self {
            game,
            scenario,
            config: config.clone(),
            chance: Dealer {
                source: Seeded::new(&format!("game {seed}")),
                size: live.deck(),
                deck: Deck::new(0),
                cards: Vec::new(),
            },
            dice: Seeded::new(&format!("trial {seed}")),
            live,
            replayed,
            commands: Vec::new(),
            events: Vec::new(),
        }
    }

    fn below(&mut self, n: u32) -> u32 {
        Draws::new(&mut self.dice).below(n)
    }

    fn play(mut self) -> Result<u32, Broken> {
        self.enter(&Input::House(House::Begin {}))?;
        for inputs in 1..self.scenario.inputs {
            self.look()?;
            if inputs % self.scenario.timeouts_every == 1 {
                self.time_out()?;
            }
            if self.live.pending() == Pending::Over {
                self.over()?;
                return Ok(inputs);
            }
            if let Some(input) = self.choose()? {
                self.enter(&input)?;
            }
        }
        let how = format!("no end after {} inputs", self.scenario.inputs);
        Err(Broken { law: Law::TimeoutsEnd, how })
    }

    /// What comes next: mostly somebody who is asked, now and then time, or the house.
    fn choose(&mut self) -> Result<Option<Input<Json>>, Broken> {
        let pending = self.live.pending();
        let owners = pending.owners();
        let house = pending == Pending::Rest || (self.scenario.open_house && self.below(20) == 0);
        if house {
            return Ok(Some(self.house()));
        }
        let asked = pending.asked();
        // In games where running out of time ends everything it must stay rare.
        if !owners.is_empty() && (asked.is_empty() || self.below(400) == 0) {
            let owner = owners[self.below(owners.len() as u32) as usize];
            return Ok(Some(Input::Expire { seat: owner }));
        }
        let seat = if asked.is_empty() || self.below(30) == 0 {
            Seat::new(self.below(u32::from(self.scenario.seats)) as u8)
        } else {
            asked[self.below(asked.len() as u32) as usize].seat
        };
        let command = self.live.legal(seat).pick(&mut Draws::new(&mut self.dice));
        Ok(command.map(|command| Input::Play { seat, command }))
    }

    fn house(&mut self) -> Input<Json> {
        let seat = Seat::new(self.below(u32::from(self.scenario.seats)) as u8);
        let chips = Chips::from_ten_thousandths(i64::from(self.below(100_000)) + 1);
        Input::House(match self.below(40) {
            0 => House::Begin {},
            1 => House::Close {},
            2..=7 => House::Left { seat },
            8..=12 => House::Topped { seat, chips },
            _ => House::Joined { seat, chips },
        })
    }

    /// All that must be true of a state by itself.
    fn look(&mut self) -> Result<(), Broken> {
        let pending = self.live.pending();
        let over = self.live.outcome().is_some();
        law!(SomeoneIsAsked, over == (pending == Pending::Over), "over is {over}, but {pending:?}");
        let verdict = self.live.verdict();
        law!(SomeoneIsAsked, over == verdict.is_some(), "over is {over}, but {verdict:?}");
        let waits = matches!(pending, Pending::Waiting { .. });
        law!(SomeoneIsAsked, !waits || !pending.owners().is_empty(), "nobody is waited for");

        let doc = self.live.doc();
        match self.game.load(&self.config, &doc) {
            Err(refusal) => law!(JsonRoundTrip, false, "{refusal} in {doc}"),
            Ok(read) => {
                law!(JsonRoundTrip, read.same(&*self.live), "{doc} reads as {}", read.doc());
                if self.below(10) == 0 {
                    self.replayed = read;
                }
            }
        }
        law!(
            Replay,
            self.replayed.same(&*self.live),
            "replay gives {} where the game has {doc}",
            self.replayed.doc()
        );
        self.permitted()?;
        self.hidden()?;
        self.total()
    }

    fn permitted(&mut self) -> Result<(), Broken> {
        let asked: Vec<Seat> = self.live.pending().asked().iter().map(|a| a.seat).collect();
        for seat in Seat::all(self.scenario.seats) {
            let legal = self.live.legal(seat);
            let pick = legal.pick(&mut Draws::new(&mut self.dice));
            law!(
                PermittedIsAccepted,
                pick.is_some() || !asked.contains(&seat),
                "{seat} is asked and has nothing to say in {}",
                self.live.doc()
            );
            for command in pick.iter().chain(&self.commands) {
                let permitted = legal.permits(command);
                let input = Input::Play { seat, command: command.clone() };
                let mut chance = self.chance.clone();
                let decided = self.live.decide(&input, &mut Draws::new(&mut chance));
                law!(
                    PermittedIsAccepted,
                    permitted == decided.is_ok(),
                    "{seat} saying {command} is permitted: {permitted}, but {decided:?} in {}",
                    self.live.doc()
                );
            }
            if let Some(pick) = pick {
                law!(PermittedIsAccepted, legal.permits(&pick), "picked, not permitted: {pick}");
                let place = self.below(MEMORY as u32) as usize;
                remember(&mut self.commands, pick, place);
            }
        }
        Ok(())
    }

    fn hidden(&mut self) -> Result<(), Broken> {
        for viewer in Viewer::all(self.scenario.seats) {
            let other = self.live.resample(viewer, &mut Draws::new(&mut self.dice));
            let (seen, seen_too) = (self.live.view(viewer), other.view(viewer));
            law!(
                Secrecy,
                seen.get() == seen_too.get(),
                "{viewer:?} can tell {seen} from {seen_too}"
            );
            let (waits, waits_too) = (self.live.pending(), other.pending());
            law!(
                Secrecy,
                waits.secret() || waits == waits_too,
                "{viewer:?} can tell {waits:?} from {waits_too:?}"
            );
            let (cards, cards_too) = (self.live.dealt(viewer), other.dealt(viewer));
            law!(
                Secrecy,
                cards == cards_too,
                "{viewer:?} is shown {cards:?} here and {cards_too:?} there"
            );
            let there = cards.iter().all(|k| (*k as usize) < self.chance.cards.len());
            law!(Audit, there, "{viewer:?} is shown {cards:?}, which were not all dealt");
            let Viewer::Seat(seat) = viewer else { continue };
            let (may, may_too) = (self.live.legal(seat).json(), other.legal(seat).json());
            law!(Secrecy, may.get() == may_too.get(), "{seat} can tell {may} from {may_too}");
        }
        Ok(())
    }

    fn total(&mut self) -> Result<(), Broken> {
        for event in &self.events {
            let mut copy = self.live.copy();
            let applied = catch_unwind(AssertUnwindSafe(|| copy.apply(event).is_ok()));
            law!(ApplyIsTotal, matches!(applied, Ok(true)), "{event} on {}", self.live.doc());
        }
        Ok(())
    }

    /// Sends an input in, and checks all that must be true of the step.
    fn enter(&mut self, input: &Input<Json>) -> Result<(), Broken> {
        let mut chance = self.chance.clone();
        let mut draws = Draws::new(&mut chance);
        let decided = self.live.decide(input, &mut draws);
        let taken = match draws.finish() {
            Ok(taken) => taken,
            Err(fault) => {
                return Err(Broken { law: Law::Audit, how: format!("{input:?}: {fault}") });
            }
        };

        let mut again = self.chance.clone();
        let same = self.live.decide(input, &mut Draws::new(&mut again));
        law!(Deterministic, told(&decided) == told(&same), "{decided:?}, and then {same:?}");
        let Ok(events) = decided else { return Ok(()) };
        let mut tape = Tape::new(taken.iter().copied());
        let mut taped = Draws::new(&mut tape);
        let audited = self.replayed.decide(input, &mut taped);
        let exact = audited.as_ref().is_ok_and(|a| told_all(a) == told_all(&events));
        let used_up = taped.finish().is_ok() && tape.is_empty();
        law!(Audit, exact && used_up, "{events:?}, but from the log {audited:?}");
        self.sights(input, &taken, &events, &chance.cards)?;
        self.chance = chance;

        let before = self.live.copy();
        let mut paid = vec![Chips::ZERO; usize::from(self.scenario.seats)];
        for event in &events {
            let flows = self.live.flows(event).expect("its own event");
            for flow in flows.iter().filter(|flow| flow.kind == FlowKind::In) {
                paid[flow.seat.index()] += flow.chips;
            }
            let gain: Chips = flows.iter().map(|flow| flow.gain()).sum();
            let stake = self.live.stake();
            self.live.apply(event).expect("its own event");
            let now = self.live.stake();
            let fair = now - stake == gain && now >= Chips::ZERO;
            let signs = flows.iter().all(|flow| flow.chips >= Chips::ZERO);
            law!(
                Conservation,
                fair && signs,
                "{stake} on the table, then {now}, by flows of {gain}: {event}"
            );
            self.replayed.apply(event).expect("its own event");
            let place = self.below(MEMORY as u32) as usize;
            remember(&mut self.events, event.clone(), place);
        }
        if matches!(input, Input::House(House::Begin {})) {
            let deposit = self.game.deposit(&self.config).expect("the scenario can be opened");
            law!(
                Conservation,
                paid.iter().all(|paid| *paid == deposit),
                "to begin takes {deposit}, but {paid:?} was paid"
            );
        }
        let changed = events.is_empty() || !before.same(&*self.live);
        law!(EventsMatter, changed, "{input:?} gave {events:?}, and nothing has changed");
        Ok(())
    }

    /// Two choices that differ, or two turns of chance, but not in a viewer's view, must look the
    /// same to it, down to the cards it is shown the proofs of.
    fn sights(
        &mut self,
        input: &Input<Json>,
        taken: &[u32],
        events: &[Json],
        cards: &[u8],
    ) -> Result<(), Broken> {
        let mut others = Vec::new();
        if let Input::Play { seat, .. } = input
            && let Some(command) = self.live.legal(*seat).pick(&mut Draws::new(&mut self.dice))
        {
            let other = Input::Play { seat: *seat, command };
            let mut chance = self.chance.clone();
            let decided = self.live.decide(&other, &mut Draws::new(&mut chance));
            others.extend(decided.ok().map(|events| (Some(*seat), events, chance.cards)));
        }
        if !taken.is_empty() {
            let mut turned = taken.to_vec();
            let at = self.below(taken.len() as u32) as usize;
            turned[at] = self.below(turned[at] + 2);
            let mut chance = self.chance.with(Tape::new(turned));
            let mut draws = Draws::new(&mut chance);
            let decided = self.live.decide(input, &mut draws);
            let fits = draws.finish().is_ok();
            let decided = decided.ok().filter(|_| fits);
            others.extend(decided.map(|events| (None, events, chance.cards)));
        }
        for (chooser, others, other_cards) in others {
            for viewer in Viewer::all(self.scenario.seats) {
                if chooser.map(Viewer::Seat) == Some(viewer) {
                    continue;
                }
                let (a, seen_a) = self.seen(events, viewer, cards);
                let (b, seen_b) = self.seen(&others, viewer, &other_cards);
                let hidden = !a.same(&*b) && a.view(viewer).get() == b.view(viewer).get();
                law!(
                    Secrecy,
                    !hidden || seen_a == seen_b,
                    "{viewer:?} can tell {seen_a:?} from {seen_b:?}"
                );
            }
        }
        Ok(())
    }

    /// The state after these events, and what a viewer is told of them: sights, and cards opened.
    fn seen(
        &self,
        events: &[Json],
        viewer: Viewer,
        cards: &[u8],
    ) -> (Box<dyn AnyState>, Vec<String>) {
        let mut state = self.live.copy();
        let mut sights = Vec::new();
        for event in events {
            state.apply(event).expect("its own event");
            let sight = state.sight(event, viewer).expect("its own event");
            sights.extend(sight.map(|sight| sight.get().to_owned()));
        }
        let opened = state.dealt(viewer).into_iter();
        sights.extend(opened.map(|k| format!("card {k} is {:?}", cards.get(k as usize))));
        (state, sights)
    }

    fn time_out(&mut self) -> Result<(), Broken> {
        let mut state = self.live.copy();
        let mut chance = self.chance.clone();
        for _ in 0..TIMEOUT_BOUND {
            let owners = state.pending().owners();
            if owners.is_empty() {
                return Ok(());
            }
            let owner: Owner = owners[self.below(owners.len() as u32) as usize];
            let input = Input::Expire { seat: owner };
            match state.decide(&input, &mut Draws::new(&mut chance)) {
                Err(refusal) => {
                    law!(TimeoutsEnd, false, "the time of {owner} is up, but {refusal}")
                }
                Ok(events) => {
                    for event in &events {
                        state.apply(event).expect("its own event");
                    }
                }
            }
        }
        law!(TimeoutsEnd, false, "no end by timeouts from {}", self.live.doc());
        Ok(())
    }

    fn over(&mut self) -> Result<(), Broken> {
        let mut inputs = vec![
            Input::House(House::Begin {}),
            Input::House(House::Close {}),
            Input::Expire { seat: Owner::Table },
        ];
        for seat in Seat::all(self.scenario.seats) {
            let chips = Chips::whole(10);
            inputs.push(Input::House(House::Joined { seat, chips }));
            inputs.push(Input::House(House::Topped { seat, chips }));
            inputs.push(Input::House(House::Left { seat }));
            inputs.push(Input::Expire { seat: Owner::Seat(seat) });
            for command in &self.commands {
                inputs.push(Input::Play { seat, command: command.clone() });
            }
        }
        for input in inputs {
            let decided = self.live.decide(&input, &mut Draws::new(&mut self.chance));
            law!(OverIsOver, decided.is_err(), "{} after the end gave {decided:?}", json(&input));
        }
        Ok(())
    }
}

fn remember(memory: &mut Vec<Json>, json: Json, place: usize) {
    match memory.get_mut(place) {
        Some(old) => *old = json,
        None => memory.push(json),
    }
}

fn told_all(events: &[Json]) -> Vec<&str> {
    events.iter().map(|event| event.get()).collect()
}

fn told<E: PartialEq>(decided: &Result<Vec<Json>, E>) -> Result<Vec<&str>, &E> {
    decided.as_ref().map(|events| told_all(events))
}
