//! High card: two hidden cards each, stay or fold in secret, one common card, the highest total of
//! ranks wins the antes.
//!
//! Small, and yet it has all that is hard about cards: a deck dealt in several inputs, cards only
//! their holder sees, cards shown to all, and cards mucked, which nobody ever sees.

use parlor_rules::{
    Asked, Chips, Deadline, Deck, Draws, Faults, Flow, FlowKind, House, Input, Object, Owner,
    Pending, Rules, Seat, Viewer, rejects,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The rules of high card.
pub struct HighCard;

/// Cards in the deck. A card is a number from 0; four suits of each rank, from 2 up to 14, the ace.
pub const CARDS: u32 = 52;

/// What a card counts by itself.
pub const fn rank(card: u8) -> u32 {
    card as u32 / 4 + 2
}

/// The options of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What each seat puts in for a hand.
    pub ante: Chips,
    /// Hands to play, unless somebody is broke before.
    pub hands: u32,
    /// How long a hand may take, and how long it is to the next one.
    pub within_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { ante: Chips::whole(1), hands: 10, within_ms: 10_000 }
    }
}

/// What a seat says about its cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Play them.
    Stay,
    /// Give them up.
    Fold,
}

/// Cards in front of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// How many cards of the hand were dealt before them.
    pub after: u32,
    /// The cards.
    pub cards: [u8; 2],
    /// The secret.
    pub choice: Option<Command>,
}

/// Someone at the table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// Chips in front.
    pub chips: Chips,
    /// Cards in front: hidden while a hand is in play, shown after it.
    pub held: Option<Held>,
}

/// The document: all of the state that is not options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// Whether the house has begun.
    pub begun: bool,
    /// Hands played to their end.
    pub hands: u32,
    /// Cards dealt in the last hand.
    pub dealt: u32,
    /// The common card, shown by the end of a hand.
    pub common: Option<u8>,
    /// The antes of the hand in play.
    pub pot: Chips,
    /// Who sits where.
    pub players: Vec<Option<Player>>,
    /// How it ended.
    pub ended: Option<Ended>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// Who had the most; none if nobody did, or the table was closed.
    pub winner: Option<Seat>,
}

/// All there is to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The options.
    pub config: Config,
    /// The rest.
    pub doc: Doc,
}

/// What has happened; lists are in the order of seats. Of a deal a viewer sees its own cards only.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Event {
    Begun {},
    Joined { seat: Seat, chips: Chips },
    Topped { seat: Seat, chips: Chips },
    Left { seat: Seat, chips: Chips },
    Dealt { cards: Vec<Option<[u8; 2]>> },
    Spoke { seat: Seat, choice: Command },
    Shown { common: u8, cards: Vec<Option<[u8; 2]>>, won: Vec<Chips> },
    Ended { winner: Option<Seat>, paid: Vec<Chips> },
}

/// What a viewer sees: `cards` are its own, and after a hand those that stayed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct View {
    pub hands: u32,
    pub pot: Chips,
    pub common: Option<u8>,
    pub chips: Vec<Option<Chips>>,
    pub cards: Vec<Option<[u8; 2]>>,
    pub your_choice: Option<Command>,
    pub ended: Option<Ended>,
}

rejects! {
    /// Why high card says no.
    pub enum Reject {
        /// Silly options.
        BadConfig => "bad_config", "config: a hand needs an ante above 0, a game at least one hand";
        /// No hand is in play.
        NotPlaying => "not_playing", "no hand is in play";
        /// Spoken already.
        Spoken => "already_spoken", "you have spoken already";
        /// Chairs and chips stay while a hand is in play.
        HandInPlay => "hand_in_play", "wait for the end of the hand";
        /// Somebody sits there.
        Taken => "seat_taken", "that seat is taken";
        /// Nobody sits there.
        Empty => "seat_empty", "nobody sits there";
        /// Not enough to play.
        Short => "too_few_chips", "bring at least the ante";
    }
}

impl State {
    fn player(&self, seat: Seat) -> Option<&Player> {
        self.doc.players.get(seat.index())?.as_ref()
    }

    fn player_mut(&mut self, seat: Seat) -> Option<&mut Player> {
        self.doc.players.get_mut(seat.index())?.as_mut()
    }

    fn held(&self, seat: Seat) -> Option<Held> {
        self.player(seat)?.held
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        Seat::all(self.doc.players.len() as u8)
    }

    /// Something of every seat.
    fn each<T>(&self, of: impl Fn(Seat) -> T) -> Vec<T> {
        self.seats().map(of).collect()
    }

    /// The cards in front of the seats.
    fn cards(&self) -> impl Iterator<Item = u8> {
        self.doc.players.iter().flatten().filter_map(|player| player.held).flat_map(|h| h.cards)
    }

    fn hand_in_play(&self) -> bool {
        self.doc.dealt > 0 && self.doc.common.is_none() && self.doc.ended.is_none()
    }

    fn can_deal(&self) -> bool {
        self.doc.begun && !self.hand_in_play() && self.doc.players.iter().flatten().count() >= 2
    }

    /// Whether this seat may see that one's cards.
    fn sees(&self, viewer: Viewer, seat: Seat) -> bool {
        viewer == Viewer::Seat(seat) || !self.hand_in_play()
    }

    fn may_speak(&self, seat: Seat) -> Result<(), Reject> {
        match self.held(seat) {
            Some(Held { choice: None, .. }) if self.hand_in_play() => Ok(()),
            Some(_) if self.hand_in_play() => Err(Reject::Spoken),
            _ => Err(Reject::NotPlaying),
        }
    }

    fn deal(&self, draws: &mut Draws<'_>) -> Vec<Event> {
        draws.shuffle(CARDS);
        let mut deck = Deck::new(CARDS);
        let two =
            |player: &Option<Player>| player.as_ref().map(|_| [deck.deal(draws), deck.deal(draws)]);
        vec![Event::Dealt { cards: self.doc.players.iter().map(two).collect() }]
    }

    /// A seat's choice; the last one of a hand shows the cards.
    fn speak(
        &self,
        seat: Seat,
        choice: Command,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        self.may_speak(seat)?;
        let mut events = vec![Event::Spoke { seat, choice }];
        let mut after = self.clone();
        HighCard::apply(&mut after, &events[0]);
        if after.seats().all(|seat| after.may_speak(seat).is_err()) {
            events.extend(after.show(draws));
        }
        Ok(events)
    }

    /// The common card is shown, and the game may be over by that. Who is silent folds.
    fn show(&self, draws: &mut Draws<'_>) -> Vec<Event> {
        let common = Deck::new(CARDS).without(self.cards()).deal(draws);
        let count = |card| rank(card) * if rank(card) == rank(common) { 2 } else { 1 };
        let stays = |held: &Held| held.choice == Some(Command::Stay);
        let cards = self.each(|seat| self.held(seat).filter(stays).map(|held| held.cards));
        let total = |cards: [u8; 2]| cards.into_iter().map(count).sum::<u32>();
        let best = cards.iter().flatten().map(|cards| total(*cards)).max();
        let wins = |seat: &Seat| match best {
            Some(_) => cards[seat.index()].map(total) == best,
            // Nobody stayed: everybody has the ante back.
            None => self.held(*seat).is_some(),
        };
        let winners: Vec<Seat> = self.seats().filter(wins).collect();
        let won = self.each(|seat| share(self.doc.pot, &winners, seat));
        let shown = Event::Shown { common, cards, won };
        let mut after = self.clone();
        HighCard::apply(&mut after, &shown);
        let broke = |player: &Player| player.chips < self.config.ante;
        let over =
            after.doc.hands >= self.config.hands || after.doc.players.iter().flatten().any(broke);
        if over { vec![shown, after.end(after.richest())] } else { vec![shown] }
    }

    /// Who has more than all others.
    fn richest(&self) -> Option<Seat> {
        let chips = |seat: &Seat| self.player(*seat).map(|player| player.chips);
        let most = self.seats().max_by_key(chips)?;
        let only = self.seats().filter(|seat| chips(seat) == chips(&most)).count() == 1;
        Some(most).filter(|_| only)
    }

    /// Everybody is paid out; a hand that is still in play is void.
    fn end(&self, winner: Option<Seat>) -> Event {
        let ante = |held: Option<Held>| match held {
            Some(_) if self.hand_in_play() => self.config.ante,
            _ => Chips::ZERO,
        };
        let paid = |seat| self.player(seat).map_or(Chips::ZERO, |p| p.chips + ante(p.held));
        Event::Ended { winner, paid: self.each(paid) }
    }
}

/// An equal share of the pot; what cannot be divided goes to the first winner.
fn share(pot: Chips, winners: &[Seat], seat: Seat) -> Chips {
    let Some(place) = winners.iter().position(|winner| *winner == seat) else { return Chips::ZERO };
    let (all, n) = (pot.ten_thousandths(), winners.len() as i64);
    Chips::from_ten_thousandths(all / n + if place == 0 { all % n } else { 0 })
}

/// See [`Rules::legal`]: what this seat may say.
#[derive(Serialize)]
pub struct Legal {
    say: &'static [Command],
}

impl Rules for HighCard {
    const KEY: &'static str = "highcard";
    const EDITION: u16 = 1;
    const SEATS: RangeInclusive<u8> = 2..=6;

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
        if config.ante <= Chips::ZERO || config.hands == 0 {
            return Err(Reject::BadConfig);
        }
        let doc = Doc {
            begun: false,
            hands: 0,
            dealt: 0,
            common: None,
            pot: Chips::ZERO,
            players: vec![None; usize::from(seats)],
            ended: None,
        };
        Ok(State { config: config.clone(), doc })
    }

    fn decide(
        state: &State,
        input: &Input<Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        use House::*;
        if state.doc.ended.is_some() {
            return Err(Reject::NotPlaying);
        }
        match *input {
            Input::Play { seat, command } => state.speak(seat, command, draws),
            Input::Expire { seat: Owner::Seat(seat) } => state.speak(seat, Command::Fold, draws),
            Input::Expire { seat: Owner::Table } if state.hand_in_play() => Ok(state.show(draws)),
            Input::Expire { seat: Owner::Table } if state.can_deal() => Ok(state.deal(draws)),
            Input::Expire { seat: Owner::Table } => Err(Reject::NotPlaying),
            Input::House(Begin {}) if state.doc.begun => Err(Reject::NotPlaying),
            Input::House(Begin {}) => Ok(vec![Event::Begun {}]),
            Input::House(Close {}) => Ok(vec![state.end(None)]),
            Input::House(_) if state.hand_in_play() => Err(Reject::HandInPlay),
            Input::House(Joined { seat, chips }) => match state.player(seat) {
                Some(_) => Err(Reject::Taken),
                None if chips < state.config.ante => Err(Reject::Short),
                None => Ok(vec![Event::Joined { seat, chips }]),
            },
            Input::House(Topped { seat, chips }) => match state.player(seat) {
                None => Err(Reject::Empty),
                Some(_) if chips <= Chips::ZERO => Err(Reject::Short),
                Some(_) => Ok(vec![Event::Topped { seat, chips }]),
            },
            Input::House(Left { seat }) => {
                let player = state.player(seat).ok_or(Reject::Empty)?;
                Ok(vec![Event::Left { seat, chips: player.chips }])
            }
        }
    }

    fn apply(state: &mut State, event: &Event) {
        let ante = state.config.ante;
        match event {
            Event::Begun {} => state.doc.begun = true,
            Event::Joined { seat, chips } => {
                if let Some(place) = state.doc.players.get_mut(seat.index()) {
                    *place = Some(Player { chips: *chips, held: None });
                }
            }
            Event::Topped { seat, chips } => {
                if let Some(player) = state.player_mut(*seat) {
                    player.chips += *chips;
                }
            }
            Event::Left { seat, .. } => {
                if let Some(place) = state.doc.players.get_mut(seat.index()) {
                    *place = None;
                }
            }
            Event::Dealt { cards } => {
                (state.doc.dealt, state.doc.common, state.doc.pot) = (0, None, Chips::ZERO);
                for (player, cards) in state.doc.players.iter_mut().zip(cards) {
                    let (Some(player), Some(cards)) = (player, *cards) else { continue };
                    player.held = Some(Held { after: state.doc.dealt, cards, choice: None });
                    player.chips -= ante;
                    state.doc.pot += ante;
                    state.doc.dealt += 2;
                }
            }
            Event::Spoke { seat, choice } => {
                if let Some(held) = state.player_mut(*seat).and_then(|p| p.held.as_mut()) {
                    held.choice = Some(*choice);
                }
            }
            Event::Shown { common, cards, won } => {
                state.doc.hands += 1;
                state.doc.dealt += 1;
                state.doc.common = Some(*common);
                state.doc.pot = Chips::ZERO;
                for (player, (cards, won)) in
                    state.doc.players.iter_mut().zip(cards.iter().zip(won))
                {
                    let Some(player) = player else { continue };
                    player.chips += *won;
                    // What is folded is gone: nothing that is kept can leak.
                    player.held = player.held.filter(|_| cards.is_some());
                }
            }
            Event::Ended { winner, .. } => {
                let void = state.hand_in_play();
                for player in state.doc.players.iter_mut().flatten() {
                    player.chips = Chips::ZERO;
                    player.held = player.held.filter(|_| !void);
                }
                state.doc.pot = Chips::ZERO;
                state.doc.ended = Some(Ended { winner: *winner });
            }
        }
    }

    fn pending(state: &State) -> Pending {
        if state.doc.ended.is_some() {
            return Pending::Over;
        }
        if !state.hand_in_play() && !state.can_deal() {
            return Pending::Rest;
        }
        let asked = state.seats().filter(|seat| state.may_speak(*seat).is_ok());
        // A hand has two deadlines: for its choices, and for the next deal.
        let of = u64::from(state.doc.hands) * 2 + u64::from(state.hand_in_play());
        Pending::Waiting {
            seats: asked.map(|seat| Asked { seat, of, within_ms: None }).collect(),
            table: Some(Deadline { of, within_ms: state.config.within_ms }),
            secret: true,
        }
    }

    fn legal(state: &State, seat: Seat) -> Legal {
        let may = state.may_speak(seat).is_ok();
        Legal { say: if may { &[Command::Stay, Command::Fold] } else { &[] } }
    }

    fn permits(legal: &Legal, command: &Command) -> bool {
        legal.say.contains(command)
    }

    fn pick(legal: &Legal, draws: &mut Draws<'_>) -> Option<Command> {
        let n = legal.say.len() as u32;
        (n > 0).then(|| legal.say[draws.below(n) as usize])
    }

    fn view(state: &State, viewer: Viewer) -> View {
        let cards =
            |seat| state.held(seat).filter(|_| state.sees(viewer, seat)).map(|held| held.cards);
        let your_choice = match viewer {
            Viewer::Seat(seat) => state.held(seat).and_then(|held| held.choice),
            Viewer::Watcher => None,
        };
        View {
            hands: state.doc.hands,
            pot: state.doc.pot,
            common: state.doc.common,
            chips: state.each(|seat| state.player(seat).map(|player| player.chips)),
            cards: state.each(cards),
            your_choice,
            ended: state.doc.ended,
        }
    }

    fn sight(_: &State, event: &Event, viewer: Viewer) -> Option<Event> {
        match event {
            Event::Spoke { seat, .. } if viewer != Viewer::Seat(*seat) => None,
            Event::Dealt { cards } => {
                let mut cards = cards.clone();
                for (seat, cards) in Seat::all(cards.len() as u8).zip(&mut cards) {
                    *cards = cards.filter(|_| viewer == Viewer::Seat(seat));
                }
                Some(Event::Dealt { cards })
            }
            event => Some(event.clone()),
        }
    }

    fn outcome(state: &State) -> Option<Ended> {
        state.doc.ended
    }

    fn doc(state: &State) -> Doc {
        state.doc.clone()
    }

    fn load(config: &Config, doc: Value) -> Result<State, Faults> {
        let mut faults = Faults::default();
        let doc: Doc = match serde_json::from_value(doc) {
            Ok(Object(doc)) => doc,
            Err(error) => {
                faults.add("", error.to_string());
                return Err(faults);
            }
        };
        let state = State { config: config.clone(), doc };
        let doc = &state.doc;
        let seats = doc.players.len();
        let number = u8::try_from(seats).is_ok_and(|seats| Self::SEATS.contains(&seats));
        faults.check(number, "players", || "has 2 to 6 seats".to_owned());
        let winner = doc.ended.and_then(|ended| ended.winner);
        let seated = winner.is_none_or(|winner| winner.index() < seats);
        faults.check(seated, "ended.winner", || "is a seat or null".to_owned());
        let mut chips = doc.players.iter().flatten().map(|player| player.chips);
        faults.check(chips.all(|chips| chips >= Chips::ZERO), "players", || {
            "chips are not negative".to_owned()
        });
        let mut deck = Deck::new(CARDS);
        let once = state.cards().chain(doc.common).all(|card| deck.remove(card));
        faults.check(once, "players", || "hold cards from 0 to 51, each once".to_owned());
        let held = || doc.players.iter().flatten().filter_map(|player| player.held);
        let dealt = doc.dealt.saturating_sub(u32::from(doc.common.is_some()));
        let fits = |held: Held| held.after.is_multiple_of(2) && held.after < dealt;
        let counted = doc.dealt <= 13 && (dealt > 0 || doc.common.is_none());
        faults.check(counted && held().all(fits), "dealt", || {
            "is two cards a seat and the common one".to_owned()
        });
        faults.check(doc.hands <= config.hands, "hands", || format!("is at most {}", config.hands));
        let pot =
            if state.hand_in_play() { held().map(|_| config.ante).sum() } else { Chips::ZERO };
        faults.check(doc.pot == pot, "pot", || format!("is {pot}: an ante of each hand in play"));
        if faults.is_empty() { Ok(state) } else { Err(faults) }
    }

    fn seats(state: &State) -> u8 {
        state.doc.players.len() as u8
    }

    fn stake(state: &State) -> Chips {
        state.doc.players.iter().flatten().map(|player| player.chips).sum::<Chips>() + state.doc.pot
    }

    fn flows(_: &State, event: &Event) -> Vec<Flow> {
        let flow = |seat: Seat, kind, chips: Chips| Flow { seat, kind, chips };
        match event {
            Event::Joined { seat, chips } | Event::Topped { seat, chips } => {
                vec![flow(*seat, FlowKind::In, *chips)]
            }
            Event::Left { seat, chips } => vec![flow(*seat, FlowKind::Out, *chips)],
            Event::Ended { paid, .. } => {
                let seats = Seat::all(paid.len() as u8).zip(paid);
                seats.map(|(seat, paid)| flow(seat, FlowKind::Out, *paid)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn grace_ms(_: &State) -> Option<u64> {
        Some(0)
    }

    fn deck(_: &State) -> u32 {
        CARDS
    }

    fn dealt(state: &State, viewer: Viewer) -> Vec<u32> {
        let seen = state.seats().filter(|seat| state.sees(viewer, *seat));
        let two = seen.filter_map(|seat| state.held(seat)).flat_map(|h| [h.after, h.after + 1]);
        two.chain(state.doc.common.map(|_| state.doc.dealt - 1)).collect()
    }

    fn resample(state: &State, viewer: Viewer, draws: &mut Draws<'_>) -> State {
        let mut other = state.clone();
        if !state.hand_in_play() {
            return other;
        }
        let (mut deck, mut hidden) = (Deck::new(CARDS), Vec::new());
        for (seat, player) in state.seats().zip(&mut other.doc.players) {
            let Some(held) = player.as_mut().and_then(|player| player.held.as_mut()) else {
                continue;
            };
            if viewer == Viewer::Seat(seat) {
                deck = deck.without(held.cards);
            } else {
                hidden.push(held);
            }
        }
        for held in hidden {
            held.cards = [deck.deal(draws), deck.deal(draws)];
            let choices = [None, Some(Command::Stay), Some(Command::Fold)];
            held.choice = choices[draws.below(3) as usize];
        }
        other
    }
}
