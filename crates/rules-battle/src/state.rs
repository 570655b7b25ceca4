//! All there is to know about a match.

use crate::card::{Hand, Layout, SLOTS};
use crate::event::{End, Event};
use crate::reject::Reject;
use parlor_rules::{Chips, Closed, Faults, Fields, Seat, Word, doc};
use serde::{Deserialize, Deserializer, Serialize};

/// The two seats; side 0 is `a` to a watcher, side 1 `b`.
pub const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// The seat across the table.
pub fn other(seat: Seat) -> Seat {
    if seat == SEATS[0] { SEATS[1] } else { SEATS[0] }
}

/// How many rounds in a row without a word lose the match.
pub const AFK_LIMIT: u8 = 2;

/// The options of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Config {
    /// What both begin with.
    pub hp: u8,
    /// What nobody gets above.
    pub max_hp: u8,
    /// Rounds until sudden death.
    pub rounds: u32,
    /// Rounds of sudden death until the match is a draw.
    pub sudden_death_cap: u32,
    /// What follows when both are down at the end of a round.
    pub both_down: BothDown,
    /// What each player puts into the pot.
    pub stake: Chips,
    /// How long cards may be laid.
    pub prep_ms: u64,
    /// From there to the first pair of cards.
    pub first_step_ms: u64,
    /// From one pair to the next.
    pub next_step_ms: u64,
    /// Whether a round goes on as soon as both have confirmed.
    pub early_finalize: bool,
    /// Whether a player sees that the other has confirmed.
    pub show_confirmed: bool,
    /// The cards of each seat.
    pub hands: [Hand; 2],
}

/// What follows when both are down at the end of a round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BothDown {
    /// A draw; the stakes go back.
    Draw,
    /// Sudden death, from no HP each.
    SuddenDeath,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            hp: 10,
            max_hp: 10,
            rounds: 3,
            sudden_death_cap: 20,
            both_down: BothDown::Draw,
            stake: Chips::whole(1),
            prep_ms: 20_000,
            first_step_ms: 250,
            next_step_ms: 900,
            early_finalize: true,
            show_confirmed: false,
            hands: [Hand::default(); 2],
        }
    }
}

/// The most HP, rounds, and rounds of sudden death a table may have, the highest stake and the
/// longest time: what a match can be thought through to the end in.
pub mod most {
    use parlor_rules::{Chips, limits};

    /// HP.
    pub const HP: u8 = 20;
    /// Rounds.
    pub const ROUNDS: u32 = 10;
    /// Rounds of sudden death.
    pub const SUDDEN_DEATH: u32 = 100;
    /// Chips of each player.
    pub const STAKE: Chips = Chips::whole(limits::DEPOSIT);
    /// An hour for one deadline.
    pub const MS: u64 = 3_600_000;
}

impl Closed for Config {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let usual = Self::default();
        let hp = fields.or("hp", Count(usual.hp.into()), "a number of HP", faults);
        let max_hp = fields.or("max_hp", Count(usual.max_hp.into()), "a number of HP", faults);
        let mut number =
            |key, usual, wanted| fields.or(key, Count(usual), wanted, faults).map(|Count(n)| n);
        let rounds = number("rounds", usual.rounds.into(), "a number of rounds");
        let cap = number("sudden_death_cap", usual.sudden_death_cap.into(), "a number of rounds");
        let time = "a number of milliseconds";
        let prep_ms = number("prep_ms", usual.prep_ms, time);
        let first_step_ms = number("first_step_ms", usual.first_step_ms, time);
        let next_step_ms = number("next_step_ms", usual.next_step_ms, time);
        let wanted = "\"draw\" or \"sudden_death\"";
        let both_down = fields.or("both_down", Word(usual.both_down), wanted, faults);
        let stake = fields.or("stake", usual.stake, "an amount of chips", faults);
        let mut switch = |key, usual| fields.or(key, usual, "true or false", faults);
        let early_finalize = switch("early_finalize", usual.early_finalize);
        let show_confirmed = switch("show_confirmed", usual.show_confirmed);
        let wanted = "two lists of four cards: attack, defense, heal, counter";
        let hands = fields.or("hands", usual.hands, wanted, faults);
        // What is far out of range is kept as the largest, for the check of ranges to refuse.
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let tiny = |n: u64| u8::try_from(n).unwrap_or(u8::MAX);
        Some(Self {
            hp: tiny(hp?.0),
            max_hp: tiny(max_hp?.0),
            rounds: small(rounds?),
            sudden_death_cap: small(cap?),
            both_down: both_down?.0,
            stake: stake?,
            prep_ms: prep_ms?,
            first_step_ms: first_step_ms?,
            next_step_ms: next_step_ms?,
            early_finalize: early_finalize?,
            show_confirmed: show_confirmed?,
            hands: hands?,
        })
    }
}

/// A whole number. A negative one has the right type too: it is kept as the largest, for the check
/// of ranges to refuse.
#[derive(Deserialize)]
#[serde(try_from = "serde_json::Number")]
struct Count(u64);

impl TryFrom<serde_json::Number> for Count {
    type Error = &'static str;

    fn try_from(number: serde_json::Number) -> Result<Self, Self::Error> {
        match (number.as_u64(), number.as_i64()) {
            (Some(n), _) => Ok(Self(n)),
            (None, Some(_)) => Ok(Self(u64::MAX)),
            (None, None) => Err("a whole number"),
        }
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}

impl Config {
    /// Refuses options that are out of range.
    pub fn check(&self) -> Result<(), Reject> {
        let (hp, rounds, cap, hour) = (most::HP, most::ROUNDS, most::SUDDEN_DEATH, most::MS);
        let times = [self.prep_ms, self.first_step_ms, self.next_step_ms];
        let faults = [
            ((1..=hp).contains(&self.max_hp), format!("max_hp is 1 to {hp}")),
            ((1..=self.max_hp).contains(&self.hp), "hp is 1 to max_hp".to_owned()),
            ((1..=rounds).contains(&self.rounds), format!("rounds is 1 to {rounds}")),
            (self.sudden_death_cap <= cap, format!("sudden_death_cap is 0 to {cap}")),
            (
                (Chips::ZERO..=most::STAKE).contains(&self.stake),
                format!("stake is 0 to {}", most::STAKE),
            ),
            (
                times.iter().all(|ms| (1..=hour).contains(ms)),
                format!("prep_ms, first_step_ms and next_step_ms are 1 to {hour}"),
            ),
        ];
        let why: Vec<String> =
            faults.into_iter().filter_map(|(fits, text)| (!fits).then_some(text)).collect();
        if why.is_empty() { Ok(()) } else { Err(Reject::BadConfig { why: why.join("; ") }) }
    }

    /// What the winner takes.
    pub fn pot(&self) -> Chips {
        self.stake + self.stake
    }

    pub(crate) fn hand(&self, seat: Seat) -> Hand {
        self.hands[seat.index().min(1)]
    }

    /// Where a match begins.
    pub fn start(&self) -> Stage {
        Stage { round: 1, sudden_death: false, hp: [self.hp; 2] }
    }
}

/// Where a match stands between two rounds: all that its future depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// The round, from 1.
    pub round: u32,
    /// Whether the next difference in HP ends it.
    pub sudden_death: bool,
    /// What both have.
    pub hp: [u8; 2],
}

/// All there is to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The options.
    pub config: Config,
    /// How it stands.
    pub stage: Stage,
    /// How many rounds in a row each seat has said nothing.
    pub afk: [u8; 2],
    /// What is going on.
    pub phase: Phase,
}

/// What is going on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It has not begun.
    Fresh,
    /// Both lay their cards in secret.
    Prep([Plan; 2]),
    /// The cards are shown pair by pair.
    Reveal {
        /// What lies.
        layouts: [Layout; 2],
        /// How many pairs are shown. With the third comes the end of the round, so that nobody
        /// ever finds three.
        shown: usize,
    },
    /// It is over.
    End(End),
}

/// What a seat has said in this PREP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many layout messages were heard. Without one the seat is AFK for the round.
    pub messages: u32,
    /// What lies. Whether it was drafted or confirmed makes no difference to the reveal.
    pub layout: Layout,
    /// Whether it can still be changed.
    pub lock: Lock,
}

/// Whether a layout can still be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// It can.
    Open,
    /// It is confirmed.
    Confirmed,
    /// The seat's own clock, where a table has one, has run out.
    TimeUp,
}

impl Plan {
    /// Nothing said yet.
    pub const SILENT: Self = Self { messages: 0, layout: Layout::EMPTY, lock: Lock::Open };

    fn heard(&mut self) {
        self.messages = self.messages.saturating_add(1);
    }
}

impl State {
    /// A table before its first event.
    pub fn fresh(config: Config) -> Self {
        Self { stage: config.start(), config, afk: [0; 2], phase: Phase::Fresh }
    }

    /// What this seat has said in this PREP.
    pub fn plan(&self, seat: Seat) -> Option<&Plan> {
        match &self.phase {
            Phase::Prep(plans) => plans.get(seat.index()),
            _ => None,
        }
    }

    /// Whether this seat may lay cards.
    pub fn may_lay(&self, seat: Seat) -> Result<(), Reject> {
        match (&self.phase, self.plan(seat).map(|plan| plan.lock)) {
            (Phase::Fresh, _) => Err(Reject::NotBegun),
            (Phase::End(_), _) => Err(Reject::MatchOver),
            (_, None) => Err(Reject::NotInPrep),
            (_, Some(Lock::Confirmed)) => Err(Reject::AlreadyConfirmed),
            (_, Some(Lock::TimeUp)) => Err(Reject::TimeIsUp),
            (_, Some(Lock::Open)) => Ok(()),
        }
    }

    /// All chips on the table.
    pub fn pot(&self) -> Chips {
        match self.phase {
            Phase::Fresh | Phase::End(_) => Chips::ZERO,
            Phase::Prep(_) | Phase::Reveal { .. } => self.config.pot(),
        }
    }

    /// How long the deadline that runs is; none if none does.
    pub fn within_ms(&self) -> Option<u64> {
        match self.phase {
            Phase::Fresh | Phase::End(_) => None,
            Phase::Prep(_) => Some(self.config.prep_ms),
            Phase::Reveal { shown: 0, .. } => Some(self.config.first_step_ms),
            Phase::Reveal { .. } => Some(self.config.next_step_ms),
        }
    }

    /// Makes a fact part of the state. What does not fit changes nothing.
    pub fn apply(&mut self, event: &Event) {
        match (event, &mut self.phase) {
            (Event::MatchFound {}, Phase::Fresh) => self.phase = Phase::Prep([Plan::SILENT; 2]),
            (Event::Drafted { seat, layout, .. }, Phase::Prep(plans)) => {
                let laid = self.config.hand(*seat).lay(*layout);
                if let Some((plan, layout)) = plans.get_mut(seat.index()).zip(laid)
                    && plan.lock == Lock::Open
                {
                    plan.heard();
                    plan.layout = layout;
                }
            }
            (Event::Confirmed { seat, layout }, Phase::Prep(plans)) => {
                let laid = self.config.hand(*seat).lay(*layout);
                if let Some((plan, layout)) = plans.get_mut(seat.index()).zip(laid)
                    && plan.lock == Lock::Open
                {
                    plan.heard();
                    (plan.layout, plan.lock) = (layout, Lock::Confirmed);
                }
            }
            (Event::ConfirmRefused { seat, .. }, Phase::Prep(plans)) => {
                let plan = plans.get_mut(seat.index()).filter(|plan| plan.lock == Lock::Open);
                if let Some(plan) = plan {
                    plan.heard();
                }
            }
            (Event::TimeUp { seat }, Phase::Prep(plans)) => {
                let plan = plans.get_mut(seat.index()).filter(|plan| plan.lock == Lock::Open);
                if let Some(plan) = plan {
                    plan.lock = Lock::TimeUp;
                }
            }
            (Event::Finalized { layouts: [a, b], afk }, Phase::Prep(_)) => {
                let hands = self.config.hands;
                let Some((a, b)) = hands[0].lay(*a).zip(hands[1].lay(*b)) else { return };
                for (streak, afk) in self.afk.iter_mut().zip(afk) {
                    *streak = if *afk { streak.saturating_add(1) } else { 0 };
                }
                self.phase = Phase::Reveal { layouts: [a, b], shown: 0 };
            }
            (Event::StepRevealed { hp, .. }, Phase::Reveal { shown, .. }) if *shown < SLOTS => {
                *shown += 1;
                self.stage.hp = hp.map(|hp| hp.min(self.config.max_hp));
            }
            (Event::PrepStarted { round, sudden_death }, Phase::Reveal { shown: SLOTS, .. }) => {
                (self.stage.round, self.stage.sudden_death) = (*round, *sudden_death);
                self.phase = Phase::Prep([Plan::SILENT; 2]);
            }
            // A match ends once: what comes later finds it ended.
            (Event::MatchEnded(_), Phase::End(_)) => {}
            (Event::MatchEnded(end), phase) => *phase = Phase::End(*end),
            _ => {}
        }
    }
}
