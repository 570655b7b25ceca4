//! The house player of poker: how often its cards win, against what it costs to see.

use crate::Player;
use parlor_rules::{Chips, Draws, Json, Seat, Seeded, json};
use parlor_rules_poker::Command;
use parlor_rules_poker::card::{Card, CardSet, Cards};
use parlor_rules_poker::rank::Ranking;
use parlor_rules_poker::variant::{self, Street, Variant};
use serde::Deserialize;
use serde_json::value::RawValue;

/// How many deals are tried for a decision.
const TRIALS: u32 = 200;
/// How many for every way to change cards.
const DRAWS: u32 = 40;

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
    #[serde(deserialize_with = "variant::read")]
    variant: &'static Variant,
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
    bring_in: Option<Chips>,
    discard: Option<String>,
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

/// A deal as far as it is known.
struct Deal<'c> {
    variant: &'static Variant,
    own: &'c [Card],
    /// What is known of each of the others' cards.
    others: Vec<Vec<Card>>,
    board: &'c [Card],
    /// What is known to be gone.
    gone: &'c [Card],
}

impl House {
    /// How much of the pot these cards win on average, when all that is not known is dealt.
    fn share(&mut self, deal: &Deal<'_>, trials: u32) -> f64 {
        let Deal { variant, own, others, board, gone } = deal;
        let known = own.iter().chain(*board).chain(*gone).chain(others.iter().flatten());
        let known: CardSet = known.copied().collect();
        let deck = Card::all().filter(|card| card.number() >= variant.lowest);
        let mut deck: Vec<Card> = deck.filter(|card| !known.contains(*card)).collect();
        let whole = |of: fn(&Street) -> u8| variant.streets.iter().map(of).sum::<u8>() as usize;
        let (hole, table) = (whole(|street| street.hole), whole(|street| street.board));
        let lacks = |cards: &[Card], whole: usize| whole.saturating_sub(cards.len());
        let need: usize = lacks(own, hole)
            + lacks(board, table)
            + others.iter().map(|cards| lacks(cards, hole)).sum::<usize>();
        let need = need.min(deck.len());
        let mut draws = Draws::new(&mut self.chance);
        let mut won = 0.0;
        for _ in 0..trials {
            for i in 0..need {
                let j = i + draws.below((deck.len() - i) as u32) as usize;
                deck.swap(i, j);
            }
            let mut next = deck[..need].iter().copied();
            let mut whole = |cards: &[Card], size: usize| -> CardSet {
                let lacking = lacks(cards, size);
                cards.iter().copied().chain(next.by_ref().take(lacking)).collect()
            };
            let table = whole(board, table);
            let mine = whole(own, hole);
            let theirs: Vec<CardSet> = others.iter().map(|cards| whole(cards, hole)).collect();
            won += split(variant.rankings, table, mine, &theirs);
        }
        won / f64::from(trials)
    }

    /// The cards to give away: those without which the rest wins most.
    fn discard(&mut self, deal: &Deal<'_>) -> Cards {
        let best = (0..1u32 << deal.own.len()).map(|set| {
            let kept = |(i, card): (usize, &Card)| (set >> i & 1 == 0).then_some(*card);
            let own: Vec<Card> = deal.own.iter().enumerate().filter_map(kept).collect();
            let others = deal.others.clone();
            let share = self.share(&Deal { own: &own, others, gone: deal.own, ..*deal }, DRAWS);
            (set, share)
        });
        let (set, _) = best.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        let given = deal.own.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        given.map(|(_, card)| *card).collect()
    }
}

/// What share of a pot a hand has against others, by all ways there are to win.
fn split(rankings: &[Ranking], table: CardSet, mine: CardSet, theirs: &[CardSet]) -> f64 {
    let share = |ranking: &Ranking| -> Option<f64> {
        let own = ranking.strength(mine, table);
        let others: Vec<_> = theirs.iter().map(|hole| ranking.strength(*hole, table)).collect();
        let best = others.iter().copied().max().flatten().max(own)?;
        let winners = others.iter().filter(|other| **other == Some(best)).count();
        let wins = own == Some(best);
        Some(if wins { 1.0 / (winners + 1) as f64 } else { 0.0 })
    };
    let shares: Vec<f64> = rankings.iter().filter_map(share).collect();
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

impl Player for House {
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json> {
        let seen: Seen = serde_json::from_str(view.get()).ok()?;
        let legal: Legal = serde_json::from_str(legal.get()).ok()?;
        if !legal.fold && legal.bring_in.is_none() && legal.discard.is_none() {
            return None;
        }
        let me = seen.players.iter().find(|player| player.seat == self.seat)?;
        let against = seen.players.iter().filter(|p| p.status == "in" && p.seat != self.seat);
        let others: Vec<Vec<Card>> = against.map(|player| cards(&player.cards)).collect();
        let count = others.len();
        let (own, board) = (cards(&me.cards), cards(&seen.board));
        let deal = Deal { variant: seen.variant, own: &own, others, board: &board, gone: &[] };
        if legal.discard.is_some() {
            let cards = self.discard(&deal);
            return Some(json(&Command::Discard { cards }));
        }
        let bets: Chips = seen.players.iter().map(|player| player.bet).sum();
        let pot = number(seen.pots.iter().map(|pot| pot.amount).sum::<Chips>() + bets);
        let call = number(legal.call.unwrap_or(Chips::ZERO));
        let share = self.share(&deal, TRIALS);
        let others = count.max(1);
        let fair = 1.0 / (others + 1) as f64;
        let command = match legal.raise {
            // Well ahead: about three quarters of the pot.
            Some(Raise { least, most }) if share > fair * 1.35 => {
                let top = seen.players.iter().map(|player| player.bet).max().unwrap_or_default();
                let wanted = number(top) + 0.75 * (pot + call);
                let whole = Chips::whole((wanted / 10_000.0).round() as i64);
                Command::Raise { to: whole.clamp(least, most) }
            }
            _ if legal.bring_in.is_some() => Command::BringIn {},
            _ if legal.check => Command::Check {},
            _ if share > call / (pot + call) + 0.04 => Command::Call {},
            _ => Command::Fold {},
        };
        Some(json(&command))
    }
}
