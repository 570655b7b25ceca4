//! What players do, counted over many hands. The words are defined in `docs/poker.md`.

use crate::history::{Failure, History};
use crate::toml::Value;
use parlor_rules::{Chips, Reject as _};
use parlor_rules_poker::hand::{Action, Hand, Next, Status};
use std::collections::BTreeMap;

/// How often something was done, and how often it could have been.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Share {
    /// How often it was done.
    pub done: u64,
    /// How often it could have been.
    pub of: u64,
}

impl Share {
    fn count(&mut self, could: bool, done: bool) {
        self.of += u64::from(could);
        self.done += u64::from(could && done);
    }

    /// As a percentage, if it could have been done at all.
    pub fn percent(self) -> Option<f64> {
        (self.of > 0).then(|| self.done as f64 / self.of as f64 * 100.0)
    }
}

/// What one player did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Player {
    /// Hands the player was dealt.
    pub hands: u64,
    /// Chips put in of the own will in the first round.
    pub vpip: Share,
    /// Raised in the first round.
    pub pfr: Share,
    /// Raised the first raise.
    pub three_bet: Share,
    /// Went to the showdown, of the hands that went on behind the first round.
    pub showdown: Share,
    /// Won there.
    pub won: Share,
    /// Big blinds won, and their squares.
    sum: f64,
    squares: f64,
}

impl Player {
    /// Big blinds won in a hundred hands.
    pub fn rate(&self) -> f64 {
        self.sum / self.hands as f64 * 100.0
    }

    /// How far the rate may be off on either side, in 95 of 100 cases; nothing of a single hand.
    pub fn margin(&self) -> Option<f64> {
        let hands = self.hands as f64;
        (self.hands > 1).then(|| {
            let variance = (self.squares - self.sum * self.sum / hands).max(0.0) / (hands - 1.0);
            1.96 * (variance / hands).sqrt() * 100.0
        })
    }
}

/// What all players did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// By their names.
    pub players: BTreeMap<String, Player>,
}

/// What a player did in one hand.
#[derive(Clone, Copy, Default)]
struct Seen {
    acted: bool,
    paid: bool,
    raised: bool,
    faced_raise: bool,
    raised_raise: bool,
    went_on: bool,
    showdown: Option<Chips>,
}

impl Stats {
    /// Counts a hand that is over.
    pub fn add(&mut self, history: &History<'_>) -> Result<(), Failure> {
        let (seen, end) = watch(history)?;
        let blind = blind(history);
        let results = results(history, &end);
        for (i, name) in names(history).into_iter().enumerate() {
            let player = self.players.entry(name).or_default();
            let seen = seen[i];
            player.hands += 1;
            player.vpip.count(seen.acted, seen.paid);
            player.pfr.count(seen.acted, seen.raised);
            player.three_bet.count(seen.faced_raise, seen.raised_raise);
            player.showdown.count(seen.went_on, seen.showdown.is_some());
            let won = seen.showdown.is_some_and(|before| end.players()[i].stack > before);
            player.won.count(seen.showdown.is_some(), won);
            let won = results[i].ten_thousandths() as f64 / blind.ten_thousandths() as f64;
            player.sum += won;
            player.squares += won * won;
        }
        Ok(())
    }
}

/// Follows a hand to its end.
fn watch(history: &History<'_>) -> Result<(Vec<Seen>, Hand), Failure> {
    let mut hand = history.begin()?;
    let mut seen = vec![Seen::default(); hand.players().len()];
    let mut late = posted(history);
    let (mut first, mut raises, mut raiser) = (true, 0, None);
    let mut begun = false;
    for (i, line) in history.actions.iter().enumerate() {
        let action = &line.action;
        // New cards behind a round of betting.
        let deals = matches!(
            action,
            Action::Board { .. }
                | Action::Hole { .. }
                | Action::Discard { .. }
                | Action::Show { .. }
        );
        if first && begun && deals {
            first = false;
            on(&hand, &mut seen);
        }
        if let (true, Next::Act { player } | Next::BringIn { player }) = (first, hand.next()) {
            begun = true;
            let options = hand.options();
            let me = &mut seen[usize::from(player)];
            me.acted = true;
            let faced = raises == 1 && raiser != Some(player);
            me.faced_raise |= faced && options.is_some_and(|options| options.raise.is_some());
            match action {
                Action::Call { .. } => {
                    let due = options.map_or(Chips::ZERO, |options| options.call);
                    me.paid |= due > std::mem::take(&mut late[usize::from(player)]);
                }
                Action::Raise { .. } => {
                    (me.paid, me.raised) = (true, true);
                    me.raised_raise |= faced;
                    (raises, raiser) = (raises + 1, Some(player));
                }
                _ => {}
            }
        }
        hand.act(action).map_err(|fault| Failure {
            action: Some((i + 1, line.to_string())),
            why: fault.text(),
        })?;
        if matches!(hand.next(), Next::Show { .. }) && seen.iter().all(|s| s.showdown.is_none()) {
            for (player, seen) in hand.players().iter().zip(&mut seen) {
                seen.showdown = (player.status == Status::In).then_some(player.stack);
            }
            if first {
                first = false;
                on(&hand, &mut seen);
            }
        }
    }
    if hand.next() != Next::Over {
        let why = format!("the hand is not played to its end: {}", hand.next());
        return Err(Failure { action: None, why });
    }
    Ok((seen, hand))
}

/// Those who are in it go on behind the first round.
fn on(hand: &Hand, seen: &mut [Seen]) {
    for (player, seen) in hand.players().iter().zip(seen) {
        seen.went_on = player.status == Status::In;
    }
}

/// An amount of a field.
fn chips(value: &Value<'_>) -> Option<Chips> {
    match value {
        Value::Plain(text) => text.replace('_', "").parse().ok(),
        _ => None,
    }
}

fn field<'h, 'a>(history: &'h History<'a>, key: &str) -> Option<&'h Value<'a>> {
    history.fields.iter().find(|field| field.key == key).map(|field| &field.value)
}

/// A list with an amount for every player, or nothing of each.
fn column(history: &History<'_>, key: &str) -> Vec<Chips> {
    let count = history.starting_stacks.len();
    match field(history, key) {
        Some(Value::List(list)) if list.len() == count => {
            list.iter().map(|value| chips(value).unwrap_or_default()).collect()
        }
        _ => vec![Chips::ZERO; count],
    }
}

/// Bets that were posted out of turn, and cost nothing when the player acts.
fn posted(history: &History<'_>) -> Vec<Chips> {
    column(history, "_posted")
}

/// What results are counted in.
fn blind(history: &History<'_>) -> Chips {
    let bet = |key| field(history, key).and_then(chips);
    bet("min_bet").or(bet("small_bet")).filter(|bet| *bet > Chips::ZERO).unwrap_or(Chips::whole(1))
}

/// The names of the players; numbers where there are none.
pub(crate) fn names(history: &History<'_>) -> Vec<String> {
    let count = history.starting_stacks.len();
    let mut names: Vec<String> = (1..=count).map(|i| format!("p{i}")).collect();
    if let Some(Value::List(list)) = field(history, "players") {
        for (name, value) in names.iter_mut().zip(list) {
            if let Value::Text(text) = value {
                *name = text.to_string();
            }
        }
    }
    names
}

/// What the players began with, and what they have paid for missed blinds.
pub(crate) fn begun(history: &History<'_>) -> Vec<Chips> {
    let dead = column(history, "_deadMoney");
    history.starting_stacks.iter().zip(dead).map(|(stack, dead)| *stack + dead).collect()
}

/// What the players have at the end.
pub(crate) fn ended(history: &History<'_>, end: &Hand) -> Vec<Chips> {
    let stacks = || end.players().iter().map(|player| player.stack).collect();
    history.finishing_stacks.clone().unwrap_or_else(stacks)
}

fn results(history: &History<'_>, end: &Hand) -> Vec<Chips> {
    ended(history, end).iter().zip(begun(history)).map(|(end, begun)| *end - begun).collect()
}
