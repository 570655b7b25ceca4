//! Matching pennies: two seats choose heads or tails in secret; one wins on equal coins, the other
//! on different ones.
//!
//! Small, and yet it has all that is hard about a table: hidden simultaneous choices, joining and
//! leaving, stakes, a deadline of the table, chance, and a series.

use parlor_rules::{
    Asked, Chips, Credit, Deadline, Draws, Faults, Fields, Flow, FlowKind, House, Input, Loaded,
    Object, Owner, Pending, Rules, Seat, Serial, Standing, Target, Verdict, Viewer, Written,
    rejects,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::RangeInclusive;

/// The rules of matching pennies.
pub struct Pennies;

/// The options of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What a round is played for.
    pub ante: Chips,
    /// Rounds to win the game.
    pub wins: u32,
    /// Games to win the series; 0 is a single game.
    pub series: u32,
    /// How long a round may take.
    pub within_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { ante: Chips::whole(1), wins: 3, series: 0, within_ms: 10_000 }
    }
}

/// A side of the coin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum Coin {
    /// Heads.
    Heads,
    /// Tails.
    Tails,
}

const COINS: [Coin; 2] = [Coin::Heads, Coin::Tails];

impl TryFrom<String> for Coin {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        match word.as_str() {
            "heads" => Ok(Self::Heads),
            "tails" => Ok(Self::Tails),
            _ => Err("a coin shows heads or tails"),
        }
    }
}

/// Someone at the table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// Chips in front.
    pub chips: Chips,
    /// Rounds won.
    pub wins: u32,
    /// The secret.
    pub choice: Option<Coin>,
}

/// The document: all of the state that is not options or series.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Doc {
    /// Who wins on equal coins; none before the game has begun.
    pub matcher: Option<Seat>,
    /// Who sits where.
    pub players: [Option<Player>; 2],
    /// How it ended.
    pub ended: Option<Ended>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// Who won; none if the table was closed.
    pub winner: Option<Seat>,
}

/// All there is to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The options.
    pub config: Config,
    /// How the series stood when the game began.
    pub standing: Standing,
    /// The rest.
    pub doc: Doc,
}

/// What a seat may say.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Choose a side.
    Choose(Coin),
}

/// What has happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Event {
    Begun { matcher: Seat },
    Joined { seat: Seat, chips: Chips },
    Topped { seat: Seat, chips: Chips },
    Chose { seat: Seat, coin: Coin },
    Revealed { coins: [Coin; 2], winner: Seat },
    Left { seat: Seat, chips: Chips, forfeited: Chips },
    Ended { winner: Option<Seat>, paid: [Chips; 2] },
}

/// What a viewer sees: no field could hold another seat's choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct View {
    pub matcher: Option<Seat>,
    pub chips: [Option<Chips>; 2],
    pub wins: [u32; 2],
    pub your_choice: Option<Coin>,
    pub ended: Option<Ended>,
}

rejects! {
    /// Why pennies says no.
    pub enum Reject {
        /// Silly options.
        BadConfig => "bad_config", "config: a round needs an ante above 0, a game at least one win";
        /// No round is in play.
        NotPlaying => "not_playing", "no round is in play";
        /// Chosen already.
        Chosen => "already_chosen", "you have chosen already";
        /// Somebody sits there.
        Taken => "seat_taken", "that seat is taken";
        /// Nobody sits there.
        Empty => "seat_empty", "nobody sits there";
        /// Not enough to play.
        Short => "too_few_chips", "bring at least the ante";
    }
}

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

fn other(seat: Seat) -> Seat {
    if seat == SEATS[0] { SEATS[1] } else { SEATS[0] }
}

impl State {
    fn player(&self, seat: Seat) -> Option<&Player> {
        self.doc.players.get(seat.index())?.as_ref()
    }

    fn player_mut(&mut self, seat: Seat) -> Option<&mut Player> {
        self.doc.players.get_mut(seat.index())?.as_mut()
    }

    fn playing(&self) -> bool {
        let full = self.doc.players.iter().all(Option::is_some);
        full && self.doc.matcher.is_some() && self.doc.ended.is_none()
    }

    fn may_choose(&self, seat: Seat) -> Result<(), Reject> {
        match self.player(seat) {
            _ if !self.playing() => Err(Reject::NotPlaying),
            Some(Player { choice: None, .. }) => Ok(()),
            _ => Err(Reject::Chosen),
        }
    }

    /// A choice; the second one of a round shows both.
    fn choose(&self, seat: Seat, coin: Coin) -> Result<Vec<Event>, Reject> {
        self.may_choose(seat)?;
        let mut events = vec![Event::Chose { seat, coin }];
        if let Some(theirs) = self.player(other(seat)).and_then(|player| player.choice) {
            let coins = if seat == SEATS[0] { [coin, theirs] } else { [theirs, coin] };
            events.extend(self.reveal(coins));
        }
        Ok(events)
    }

    /// The coins are shown, and the game may be over by that.
    fn reveal(&self, coins: [Coin; 2]) -> Vec<Event> {
        let matcher = self.doc.matcher.unwrap_or(SEATS[0]);
        let winner = if coins[0] == coins[1] { matcher } else { other(matcher) };
        let revealed = Event::Revealed { coins, winner };
        let mut after = self.clone();
        Pennies::apply(&mut after, &revealed);
        let won = after.player(winner).is_some_and(|p| p.wins >= self.config.wins);
        let broke = after.player(other(winner)).is_some_and(|p| p.chips < self.config.ante);
        if won || broke { vec![revealed, after.end(Some(winner))] } else { vec![revealed] }
    }

    fn end(&self, winner: Option<Seat>) -> Event {
        let paid = SEATS.map(|seat| self.player(seat).map_or(Chips::ZERO, |p| p.chips));
        Event::Ended { winner, paid }
    }
}

/// See [`Rules::legal`]: whether this seat may choose.
pub struct Legal(bool);

impl Serialize for Legal {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let coins: &[Coin] = if self.0 { &COINS } else { &[] };
        s.collect_map([("choose", coins)])
    }
}

impl Legal {
    /// For planted faults.
    pub fn new(may_choose: bool) -> Self {
        Self(may_choose)
    }
}

impl Rules for Pennies {
    const KEY: &'static str = "pennies";
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
        if config.ante <= Chips::ZERO || config.wins == 0 {
            return Err(Reject::BadConfig);
        }
        let doc = Doc { matcher: None, players: [None, None], ended: None };
        Ok(State { config: config.clone(), standing: Standing::new(seats), doc })
    }

    fn decide(
        state: &State,
        input: &Input<Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Event>, Reject> {
        if state.doc.ended.is_some() {
            return Err(Reject::NotPlaying);
        }
        let chosen = |seat| state.player(seat).and_then(|player| player.choice);
        match *input {
            Input::House(House::Begin {}) if state.doc.matcher.is_none() => {
                Ok(vec![Event::Begun { matcher: Seat::new(draws.below(2) as u8) }])
            }
            Input::House(House::Begin {}) => Err(Reject::NotPlaying),
            Input::House(House::Joined { seat, .. }) if state.player(seat).is_some() => {
                Err(Reject::Taken)
            }
            Input::House(House::Joined { chips, .. }) if chips < state.config.ante => {
                Err(Reject::Short)
            }
            Input::House(House::Joined { seat, chips }) => Ok(vec![Event::Joined { seat, chips }]),
            Input::House(House::Topped { seat, .. } | House::Left { seat })
                if state.player(seat).is_none() =>
            {
                Err(Reject::Empty)
            }
            Input::House(House::Topped { chips, .. }) if chips <= Chips::ZERO => Err(Reject::Short),
            Input::House(House::Topped { seat, chips }) => Ok(vec![Event::Topped { seat, chips }]),
            Input::House(House::Left { seat }) => {
                let chips = state.player(seat).map_or(Chips::ZERO, |player| player.chips);
                let forfeited = if state.playing() { state.config.ante } else { Chips::ZERO };
                Ok(vec![Event::Left { seat, chips: chips - forfeited, forfeited }])
            }
            Input::House(House::Close {}) => Ok(vec![state.end(None)]),
            Input::Expire { seat: Owner::Table } if state.playing() => {
                let coin = |seat| chosen(seat).unwrap_or_else(|| COINS[draws.below(2) as usize]);
                Ok(state.reveal(SEATS.map(coin)))
            }
            Input::Expire { seat: Owner::Table } => Err(Reject::NotPlaying),
            Input::Expire { seat: Owner::Seat(seat) } => {
                state.choose(seat, COINS[draws.below(2) as usize])
            }
            Input::Play { seat, command: Command::Choose(coin) } => state.choose(seat, coin),
        }
    }

    fn apply(state: &mut State, event: &Event) {
        match *event {
            Event::Begun { matcher } => state.doc.matcher = Some(matcher),
            Event::Joined { seat, chips } => {
                if let Some(place) = state.doc.players.get_mut(seat.index()) {
                    *place = Some(Player { chips, wins: 0, choice: None });
                }
            }
            Event::Topped { seat, chips } => {
                if let Some(player) = state.player_mut(seat) {
                    player.chips += chips;
                }
            }
            Event::Chose { seat, coin } => {
                if let Some(player) = state.player_mut(seat) {
                    player.choice = Some(coin);
                }
            }
            Event::Revealed { winner, .. } => {
                let ante = state.config.ante;
                for seat in SEATS {
                    let Some(player) = state.player_mut(seat) else { continue };
                    player.choice = None;
                    player.wins += u32::from(seat == winner);
                    player.chips += if seat == winner { ante } else { -ante };
                }
            }
            Event::Left { seat, forfeited, .. } => {
                if let Some(place) = state.doc.players.get_mut(seat.index()) {
                    *place = None;
                }
                if let Some(stays) = state.player_mut(other(seat)) {
                    stays.chips += forfeited;
                    (stays.wins, stays.choice) = (0, None);
                }
            }
            Event::Ended { winner, .. } => {
                state.doc.players = [None, None];
                state.doc.ended = Some(Ended { winner });
            }
        }
    }

    fn pending(state: &State) -> Pending {
        if state.doc.ended.is_some() {
            return Pending::Over;
        }
        if !state.playing() {
            return Pending::Rest;
        }
        let asked = SEATS.into_iter().filter(|seat| state.may_choose(*seat).is_ok());
        let rounds = state.doc.players.iter().flatten().map(|player| u64::from(player.wins)).sum();
        Pending::Waiting {
            seats: asked.map(|seat| Asked { seat, of: rounds, within_ms: None }).collect(),
            table: Some(Deadline { of: rounds, within_ms: state.config.within_ms }),
            secret: true,
        }
    }

    fn legal(state: &State, seat: Seat) -> Legal {
        Legal(state.may_choose(seat).is_ok())
    }

    fn permits(legal: &Legal, _: &Command) -> bool {
        legal.0
    }

    fn pick(legal: &Legal, draws: &mut Draws<'_>) -> Option<Command> {
        legal.0.then(|| Command::Choose(COINS[draws.below(2) as usize]))
    }

    fn view(state: &State, viewer: Viewer) -> View {
        let your_choice = match viewer {
            Viewer::Seat(seat) => state.player(seat).and_then(|player| player.choice),
            Viewer::Watcher => None,
        };
        View {
            matcher: state.doc.matcher,
            chips: SEATS.map(|seat| state.player(seat).map(|player| player.chips)),
            wins: SEATS.map(|seat| state.player(seat).map_or(0, |player| player.wins)),
            your_choice,
            ended: state.doc.ended,
        }
    }

    fn sight(_: &State, event: &Event, viewer: Viewer) -> Option<Event> {
        match event {
            Event::Chose { seat, .. } if viewer != Viewer::Seat(*seat) => None,
            event => Some(event.clone()),
        }
    }

    fn outcome(state: &State) -> Option<Ended> {
        state.doc.ended
    }

    fn verdict(state: &State) -> Option<Verdict> {
        let won = |ended: Ended| ended.winner.map_or(Verdict::Void, Verdict::Won);
        state.doc.ended.map(won)
    }

    fn doc(state: &State) -> Doc {
        state.doc.clone()
    }

    fn load(config: &Config, doc: Value) -> Result<State, Faults> {
        let mut faults = Faults::default();
        let (mut beside, written) = (Fields::none("match"), Written::none(2));
        let loaded = Self::load_beside(config, doc, &mut beside, &written, &mut faults);
        loaded.game.filter(|_| faults.is_empty()).ok_or(faults)
    }

    fn seats(_: &State) -> u8 {
        2
    }

    fn stake(state: &State) -> Chips {
        state.doc.players.iter().flatten().map(|player| player.chips).sum()
    }

    fn flows(_: &State, event: &Event) -> Vec<Flow> {
        let flow = |seat, kind, chips| Flow { seat, kind, chips };
        match *event {
            Event::Joined { seat, chips } | Event::Topped { seat, chips } => {
                vec![flow(seat, FlowKind::In, chips)]
            }
            Event::Left { seat, chips, .. } => vec![flow(seat, FlowKind::Out, chips)],
            Event::Ended { paid, .. } => {
                SEATS.map(|seat| flow(seat, FlowKind::Out, paid[seat.index()])).to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn grace_ms(_: &State) -> Option<u64> {
        Some(0)
    }

    fn resample(state: &State, viewer: Viewer, draws: &mut Draws<'_>) -> State {
        let mut other = state.clone();
        for seat in SEATS {
            if viewer != Viewer::Seat(seat) && state.playing() {
                let choice = [None, Some(Coin::Heads), Some(Coin::Tails)][draws.below(3) as usize];
                other.player_mut(seat).expect("both play").choice = choice;
            }
        }
        other
    }
}

/// What stands beside the game.
#[derive(Serialize)]
pub struct Beside {
    config: Config,
}

impl Serial for Pennies {
    type Beside = Beside;

    fn standing(state: &State) -> &Standing {
        &state.standing
    }

    fn target(state: &State) -> Target {
        match state.config.series {
            0 => Target::Single,
            points => Target::Points { points, draws: 2 },
        }
    }

    fn credit(ended: &Ended) -> Credit {
        let points = u32::from(ended.winner.is_some());
        Credit { winner: ended.winner, points, decides: false }
    }

    fn next(finished: &State, standing: Standing) -> State {
        let doc = Doc { matcher: None, players: [None, None], ended: None };
        State { config: finished.config.clone(), standing, doc }
    }

    fn beside(state: &State) -> Beside {
        Beside { config: state.config.clone() }
    }

    fn load_beside(
        config: &Config,
        doc: Value,
        beside: &mut Fields,
        written: &Written,
        faults: &mut Faults,
    ) -> Loaded<State> {
        let given = beside.optional("config", "the options of pennies", faults);
        let config = given.map_or_else(|| config.clone(), |Object(given)| given);
        let doc: Doc = match serde_json::from_value(doc) {
            Ok(Object(doc)) => doc,
            Err(error) => {
                faults.add("", error.to_string());
                return Loaded::nothing();
            }
        };
        let seated = |seat: Option<Seat>| seat.is_none_or(|seat| SEATS.contains(&seat));
        let mut players = doc.players.iter().flatten();
        let text = || "is 0, 1 or null".to_owned();
        faults.check(seated(doc.matcher), "matcher", text);
        faults.check(seated(doc.ended.and_then(|ended| ended.winner)), "ended.winner", text);
        faults.check(players.all(|player| player.chips >= Chips::ZERO), "players", || {
            "chips are not negative".to_owned()
        });
        faults.check(config.ante > Chips::ZERO && config.wins > 0, "match.config", || {
            parlor_rules::Reject::text(&Reject::BadConfig)
        });
        let mut loaded = Loaded::whole::<Self>(State { config, standing: Standing::new(2), doc });
        let before = loaded.credit.and_then(|credit| written.before(credit.as_ref()));
        if let Some((state, before)) = loaded.game.as_mut().zip(before) {
            state.standing = before;
        }
        loaded
    }
}
