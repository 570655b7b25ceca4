//! The house player of hold'em: how often its cards win, against what it costs to see.

use crate::Player;
use parlor_rules::{Chips, Draws, Json, Seat, Seeded, json};
use parlor_rules_poker::Command;
use parlor_rules_poker::card::{Card, CardSet};
use parlor_rules_poker::rank::high;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How many deals are tried for a decision.
const TRIALS: u32 = 200;

/// Plays by its share of the pot.
pub struct House {
    seat: Seat,
    chance: Seeded,
}

impl House {
    /// For this seat, trying deals from this chance.
    pub fn new(seat: Seat, chance: Seeded) -> Self {
        Self { seat, chance }
    }
}

/// The part of a view that matters.
#[derive(Deserialize)]
struct Seen {
    players: Vec<Seated>,
    board: String,
    pots: Vec<Pot>,
}

#[derive(Deserialize)]
struct Seated {
    seat: Seat,
    bet: Chips,
    status: String,
    cards: String,
}

#[derive(Deserialize)]
struct Pot {
    amount: Chips,
}

#[derive(Deserialize)]
struct Legal {
    fold: bool,
    check: bool,
    call: Option<Chips>,
    raise: Option<Raise>,
}

#[derive(Clone, Copy, Deserialize)]
struct Raise {
    least: Chips,
    most: Chips,
}

fn cards(text: &str) -> Vec<Card> {
    let pairs = text.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| pair.parse().ok()).collect()
}

fn number(chips: Chips) -> f64 {
    chips.ten_thousandths() as f64
}

impl House {
    /// How much of the pot these cards win on average against so many others.
    fn share(&mut self, own: &[Card], board: &[Card], others: usize) -> f64 {
        let known: CardSet = own.iter().chain(board).copied().collect();
        let mut deck: Vec<Card> = Card::all().filter(|card| !known.contains(*card)).collect();
        let need = 2 * others + 5 - board.len();
        let mut draws = Draws::new(&mut self.chance);
        let mut won = 0.0;
        for _ in 0..TRIALS {
            for i in 0..need {
                let j = i + draws.below((deck.len() - i) as u32) as usize;
                deck.swap(i, j);
            }
            let (hands, rest) = deck[..need].split_at(2 * others);
            let table: CardSet = board.iter().chain(rest).copied().collect();
            let strength = |hand: &[Card]| high(table.union(hand.iter().copied().collect()));
            let mine = strength(own);
            let theirs = hands.chunks(2).map(strength);
            let (mut equal, mut beaten) = (1.0, false);
            for other in theirs {
                beaten |= other > mine;
                equal += f64::from(u8::from(other == mine));
            }
            won += if beaten { 0.0 } else { 1.0 / equal };
        }
        won / f64::from(TRIALS)
    }
}

impl Player for House {
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json> {
        let seen: Seen = serde_json::from_str(view.get()).ok()?;
        let legal: Legal = serde_json::from_str(legal.get()).ok()?;
        if !legal.fold {
            return None;
        }
        let me = seen.players.iter().find(|player| player.seat == self.seat)?;
        let others = seen.players.iter().filter(|p| p.status == "in" && p.seat != self.seat);
        let others = others.count().max(1);
        let bets: Chips = seen.players.iter().map(|player| player.bet).sum();
        let pot = number(seen.pots.iter().map(|pot| pot.amount).sum::<Chips>() + bets);
        let call = number(legal.call.unwrap_or(Chips::ZERO));
        let (own, board) = (cards(&me.cards), cards(&seen.board));
        let share = self.share(&own, &board, others);
        let fair = 1.0 / (others + 1) as f64;
        let command = match legal.raise {
            // Well ahead: about three quarters of the pot.
            Some(Raise { least, most }) if share > fair * 1.35 => {
                let top = seen.players.iter().map(|player| player.bet).max().unwrap_or_default();
                let wanted = number(top) + 0.75 * (pot + call);
                let whole = Chips::whole((wanted / 10_000.0).round() as i64);
                Command::Raise { to: whole.clamp(least, most) }
            }
            _ if legal.check => Command::Check {},
            _ if share > call / (pot + call) + 0.04 => Command::Call {},
            _ => Command::Fold {},
        };
        Some(json(&command))
    }
}
