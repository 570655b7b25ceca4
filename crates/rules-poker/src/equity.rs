//! What share of the pot hands and ranges win when all cards to come are dealt.
//!
//! A [`Question`] becomes [`Work`], which goes through every deal or through random ones. Work is
//! made of parts that can be done in any order and by any number of threads; their [`Tally`] adds
//! up to the same answer.
//!
//! ```
//! use parlor_rules_poker::equity::Question;
//!
//! let question = Question::read("NT", &["AsKs", "QhQd"], "", "").unwrap();
//! let answer = question.exact().run().unwrap();
//! assert_eq!(answer.cases, 1_712_304);
//! assert_eq!(format!("{:.2}", answer.players[0].equity), "46.21");
//! ```

use crate::card::{Card, CardSet};
use crate::hand::PLAYERS;
use crate::quick::{Sum, Table, table};
use crate::range::{Combo, Range};
use crate::rank::{self, Ranking, Strength, low_ranks, twos};
use crate::variant::{self, Street, Variant};
use parlor_rules::{Refusal, Reject, Seeded, Source, rejects};
use serde::Serialize;
use std::ops::AddAssign;

/// What a kind of poker shows down: how many cards, and by what they are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Showdown {
    /// Its name in hand histories.
    pub code: &'static str,
    /// How many cards a player has; the board has five.
    pub hole: u8,
    /// By what the pot is won.
    pub high: Ranking,
    /// By what half of the pot is won, if anybody has such a hand.
    pub low: Option<Ranking>,
}

const BOARD: usize = 5;

impl Showdown {
    /// Of a variant; none if it is not played with a board of five.
    pub fn of(variant: &Variant) -> Option<Self> {
        let sum = |of: fn(&Street) -> u8| variant.streets.iter().map(of).sum::<u8>();
        let (code, hole) = (variant.code, sum(|street| street.hole));
        let boards = usize::from(sum(|street| street.board)) == BOARD;
        let (high, low) = (*variant.rankings.first()?, variant.rankings.get(1).copied());
        boards.then_some(Self { code, hole, high, low })
    }

    fn deck(&self) -> CardSet {
        let lowest = if self.high == Ranking::ShortDeck { 4 } else { 0 };
        Card::all().filter(|card| card.rank() >= lowest).collect()
    }

    /// About how many nanoseconds it takes to score a hand.
    fn cost(&self) -> u64 {
        match self.high {
            Ranking::High => 2,
            Ranking::OmahaHigh => 120,
            _ => 20,
        }
    }
}

rejects! {
    /// Why there is nothing to work out.
    pub enum NoQuestion {
        /// A kind of poker that is not known.
        Variant { code: String } => "no_variant",
            "there is no equity of {code:?}; there is NT, FT, NS, PO, FO/8";
        /// Too few or too many.
        Players => "players", "name 2 to 10 hands or ranges";
        /// A text that is no cards.
        Cards { text: String } => "bad_cards", "{text:?} is no row of cards like 2d7cJh";
        /// A card that is there already.
        Twice { card: String } => "card_twice", "{card} is there twice";
        /// A card the deck does not have.
        NotInDeck { card: String } => "not_in_deck", "{card} is not in this deck";
        /// A board that no round has.
        Board => "board_size", "the board has 0, 3, 4 or 5 cards";
        /// Nothing is left of a range.
        Gone => "empty_range", "none of these hands is possible with the cards that are known";
        /// Cards the ranges cannot have at the same time.
        NoDeal => "no_deal", "these hands cannot be dealt together";
    }
}

/// A refusal with the place of what is wrong.
fn at(place: &str, reject: impl Reject) -> Refusal {
    let mut refusal = Refusal::from(reject);
    refusal.text = format!("{place}: {}", refusal.text);
    refusal.facts.insert("place".to_owned(), place.into());
    refusal
}

/// Cards that are written in a row, none of them in the set; from now on they are.
fn row(place: &str, text: &str, deck: CardSet, known: &mut CardSet) -> Result<CardSet, Refusal> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let wrong = || at(place, NoQuestion::Cards { text: text.to_owned() });
    if !rest.is_empty() {
        return Err(wrong());
    }
    let mut cards = CardSet::NONE;
    for pair in pairs {
        let letters = str::from_utf8(pair).map_err(|_| wrong())?;
        let card: Card = letters.parse().map_err(|_| wrong())?;
        if !deck.contains(card) {
            return Err(at(place, NoQuestion::NotInDeck { card: card.to_string() }));
        }
        if !known.insert(card) {
            return Err(at(place, NoQuestion::Twice { card: card.to_string() }));
        }
        cards.insert(card);
    }
    Ok(cards)
}

/// Who has which cards, and what else is known.
#[derive(Clone, Debug)]
pub struct Question {
    showdown: Showdown,
    ranges: Vec<Range>,
    board: CardSet,
    /// The deck without board and dead cards.
    free: CardSet,
}

impl Question {
    /// The question in these texts: the code of the variant, a range a player, the cards of the
    /// board, and cards nobody has.
    pub fn read(variant: &str, ranges: &[&str], board: &str, dead: &str) -> Result<Self, Refusal> {
        let known = variant::find(variant).and_then(Showdown::of);
        let unknown = || at("variant", NoQuestion::Variant { code: variant.to_owned() });
        let showdown = known.ok_or_else(unknown)?;
        if !(2..=PLAYERS).contains(&ranges.len()) {
            return Err(at("players", NoQuestion::Players));
        }
        let deck = showdown.deck();
        let mut known = CardSet::NONE;
        let board = row("board", board, deck, &mut known)?;
        if !matches!(board.len(), 0 | 3..=BOARD) {
            return Err(at("board", NoQuestion::Board));
        }
        row("dead", dead, deck, &mut known)?;
        let read = |(i, text): (usize, &&str)| {
            let place = format!("player {}", i + 1);
            let range = Range::read(text, showdown.hole, deck).map_err(|no| at(&place, no))?;
            let range = range.without(known);
            if range.combos().is_empty() {
                return Err(at(&place, NoQuestion::Gone));
            }
            Ok(range)
        };
        let ranges = ranges.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        let question = Self { showdown, ranges, board, free: deck.without(known) };
        let needed = question.ranges.len() * usize::from(showdown.hole) + question.missing();
        // Cards that are certain must not be held by two.
        let mut certain = CardSet::NONE;
        for range in &question.ranges {
            let own = held_by_all(range);
            if certain.meets(own) {
                return Err(at("players", NoQuestion::NoDeal));
            }
            certain = certain.union(own);
        }
        if needed > question.free.len() {
            return Err(at("players", NoQuestion::NoDeal));
        }
        Ok(question)
    }

    /// How many cards are to come.
    fn missing(&self) -> usize {
        BOARD - self.board.len()
    }

    /// About how many nanoseconds of a processor it takes to go through every deal.
    pub fn cost(&self) -> u64 {
        let sizes = || self.ranges.iter().map(|range| range.combos().len() as u64);
        let together = sizes().fold(4, u64::saturating_mul);
        let alone = sizes().sum::<u64>() * self.showdown.cost();
        boards(self.open().len(), self.missing()).saturating_mul(together.saturating_add(alone))
    }

    /// The cards that may come to the board.
    fn open(&self) -> CardSet {
        let held = self.ranges.iter().map(held_by_all);
        self.free.without(held.fold(CardSet::NONE, CardSet::union))
    }

    /// Every deal.
    pub fn exact(&self) -> Work<'_> {
        let deck: Vec<Card> = self.open().iter().collect();
        let firsts = deck.len();
        let starts = match self.missing() {
            0 => vec![Start { sum: Sum::NONE, from: 0 }],
            1 => (0..firsts).map(|i| Start { sum: deck[i].into(), from: i }).collect(),
            _ => {
                let pairs = (0..firsts).flat_map(|i| (0..i).map(move |j| (i, j)));
                let start = |(i, j): (usize, usize)| Start {
                    sum: Sum::from(deck[i]) + deck[j].into(),
                    from: j,
                };
                pairs.map(start).collect()
            }
        };
        Work { question: self, kind: Kind::Exact { deck, starts } }
    }

    /// So many random deals, the same for the same seed.
    pub fn sampled(&self, samples: u64, seed: &str) -> Work<'_> {
        Work { question: self, kind: Kind::Sampled { samples, seed: seed.to_owned() } }
    }
}

/// The cards a player has whatever the hand is.
fn held_by_all(range: &Range) -> CardSet {
    let mut sets = range.combos().iter().map(|combo| combo.cards.set());
    let first = sets.next().unwrap_or_default();
    sets.fold(first, CardSet::intersection)
}

/// How many ways there are to take some of so many cards.
fn boards(of: usize, take: usize) -> u64 {
    (0..take).fold(1, |ways, i| ways * (of.saturating_sub(i)) as u64 / (i as u64 + 1))
}

/// What is to be gone through, in parts.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    question: &'a Question,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Exact {
        /// The cards that may come.
        deck: Vec<Card>,
        /// A part each.
        starts: Vec<Start>,
    },
    Sampled {
        samples: u64,
        seed: String,
    },
}

/// The first cards to come; the others are before this place in the deck.
#[derive(Clone, Copy, Debug)]
struct Start {
    sum: Sum,
    from: usize,
}

/// How many random deals a part has.
const CHUNK: u64 = 1 << 16;
/// How often a random deal may fail before one is right.
const TRIES: u64 = 1000;

impl Work<'_> {
    /// Whether every deal is gone through.
    pub fn is_exact(&self) -> bool {
        matches!(self.kind, Kind::Exact { .. })
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        match &self.kind {
            Kind::Exact { starts, .. } => starts.len(),
            Kind::Sampled { samples, .. } => samples.div_ceil(CHUNK) as usize,
        }
    }

    /// Does one part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(&self, part: usize) -> Tally {
        let mut judge = Judge::new(self.question);
        match &self.kind {
            Kind::Exact { deck, starts } => {
                let Start { sum, from } = starts[part];
                let board = Sum::from(self.question.board) + sum;
                judge.boards(board, &deck[..from], BOARD - board.set().len());
            }
            Kind::Sampled { samples, seed } => {
                let left = samples - part as u64 * CHUNK;
                judge.sample(left.min(CHUNK), &mut Seeded::new(&format!("{seed}/{part}")));
            }
        }
        judge.tally
    }

    /// Does all parts, one after the other.
    pub fn run(&self) -> Result<Answer, Refusal> {
        let mut tally = Tally::default();
        for part in 0..self.parts() {
            tally += self.part(part);
        }
        self.answer(&tally)
    }

    /// What all parts come to.
    pub fn answer(&self, tally: &Tally) -> Result<Answer, Refusal> {
        if tally.cases == 0 {
            return Err(at("players", NoQuestion::NoDeal));
        }
        let percent = |part: f64| 100.0 * part / tally.weight;
        let player = |of: &Won| {
            let equity = of.share / POT;
            let mean = equity / tally.weight;
            let variance = of.square / (POT * POT) / tally.weight - mean * mean;
            let error = 100.0 * (variance.max(0.0) / tally.cases as f64).sqrt();
            Share {
                win: percent(of.wins),
                tie: percent(of.ties),
                equity: percent(equity),
                error: (!self.is_exact()).then_some(error),
            }
        };
        let players = tally.won[..self.question.ranges.len()].iter().map(player).collect();
        Ok(Answer { exact: self.is_exact(), cases: tally.cases, players })
    }
}

/// What the hands win, in percent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Answer {
    /// Whether every deal was gone through.
    pub exact: bool,
    /// How many deals were.
    pub cases: u64,
    /// The players in the order of their ranges.
    pub players: Vec<Share>,
}

/// What a player wins, in percent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// How often all of the pot.
    pub win: f64,
    /// How often a part of it.
    pub tie: f64,
    /// How much of it on average.
    pub equity: f64,
    /// The standard error of that, if deals were random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// A pot that halves can be cut out of, and shares of up to ten out of these, without a rest.
const POT: f64 = 5040.0;

/// What has come up so far.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Tally {
    cases: u64,
    weight: f64,
    won: [Won; PLAYERS],
}

#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Won {
    wins: f64,
    ties: f64,
    share: f64,
    /// The sum of squares of shares.
    square: f64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.cases += other.cases;
        self.weight += other.weight;
        for (mine, others) in self.won.iter_mut().zip(other.won) {
            mine.wins += others.wins;
            mine.ties += others.ties;
            mine.share += others.share;
            mine.square += others.square;
        }
    }
}

/// How good a hand is on a board; 0 is no hand.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Scores {
    high: u32,
    low: u32,
}

/// The best so far, and who has it, as bits.
#[derive(Clone, Copy, Default)]
struct Best {
    score: u32,
    who: u16,
}

impl Best {
    fn with(self, score: u32, player: usize) -> Self {
        match score.cmp(&self.score) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Equal => Self { who: self.who | 1 << player, ..self },
            std::cmp::Ordering::Greater => Self { score, who: 1 << player },
        }
    }
}

/// A hand that is possible on the board.
#[derive(Clone, Copy, Default)]
struct Live {
    cards: CardSet,
    weight: f64,
    scores: Scores,
}

/// One who goes through deals and keeps the tally.
struct Judge<'a> {
    question: &'a Question,
    table: &'static Table,
    tally: Tally,
    /// What each player may have on the board that is looked at.
    live: Vec<Vec<Live>>,
}

impl<'a> Judge<'a> {
    fn new(question: &'a Question) -> Self {
        let live = question.ranges.iter().map(|range| Vec::with_capacity(range.combos().len()));
        Self { question, table: table(), tally: Tally::default(), live: live.collect() }
    }

    /// Goes through all boards with so many more of these cards.
    fn boards(&mut self, board: Sum, deck: &[Card], missing: usize) {
        if missing == 0 {
            return self.board(board);
        }
        for (i, card) in deck.iter().enumerate() {
            self.boards(board + (*card).into(), &deck[..i], missing - 1);
        }
    }

    /// Goes through all hands on one board.
    fn board(&mut self, board: Sum) {
        let scorer = Scorer::new(&self.question.showdown, self.table, board);
        for (range, live) in self.question.ranges.iter().zip(&mut self.live) {
            // Every hand is written down, and written over if it is not possible: a processor
            // guesses badly which are.
            let mut count = 0;
            live.resize(range.combos().len(), Live::default());
            for Combo { cards, weight } in range.combos() {
                let scores = scorer.scores(*cards);
                live[count] = Live { cards: cards.set(), weight: *weight, scores };
                count += usize::from(!cards.set().meets(board.set()));
            }
            live.truncate(count);
        }
        let live = std::mem::take(&mut self.live);
        self.hands(&live, 0, CardSet::NONE, 1.0, Best::default(), Best::default());
        self.live = live;
    }

    /// Goes through all hands of the players from this one on.
    fn hands(
        &mut self,
        live: &[Vec<Live>],
        player: usize,
        taken: CardSet,
        weight: f64,
        high: Best,
        low: Best,
    ) {
        if player + 1 < live.len() {
            for hand in live[player].iter().filter(|hand| !hand.cards.meets(taken)) {
                self.hands(
                    live,
                    player + 1,
                    taken.union(hand.cards),
                    weight * hand.weight,
                    high.with(hand.scores.high, player),
                    low.with(hand.scores.low, player),
                );
            }
            return;
        }
        // The last player is below, equal to or above the best high and the best low of the
        // others: nine cases, and who wins depends on the case alone.
        let mut weights = [[0.0; 3]; 3];
        let against = |score: u32, best: Best| {
            usize::from(score >= best.score) + usize::from(score > best.score)
        };
        for hand in &live[player] {
            let possible = !hand.cards.meets(taken);
            let sum = &mut weights[against(hand.scores.high, high)][against(hand.scores.low, low)];
            *sum += if possible { hand.weight } else { 0.0 };
            self.tally.cases += u64::from(possible);
        }
        let own = |best: Best, case: usize| match case {
            0 => best,
            1 => best.with(best.score, player),
            _ => best.with(best.score + 1, player),
        };
        for (high_case, weights) in weights.iter().enumerate() {
            for (low_case, sum) in weights.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
                self.settle(weight * sum, own(high, high_case), own(low, low_case));
            }
        }
    }

    /// Divides the pot. A low of 0 is no low, and then the high hand wins all.
    fn settle(&mut self, weight: f64, high: Best, low: Best) {
        self.tally.weight += weight;
        let both = low.score > 0;
        let each = |best: Best, pot: f64, player: usize| match best.who >> player & 1 {
            1 => pot / f64::from(best.who.count_ones()),
            _ => 0.0,
        };
        for (player, won) in self.tally.won.iter_mut().enumerate() {
            let share = match both {
                true => each(high, POT / 2.0, player) + each(low, POT / 2.0, player),
                false => each(high, POT, player),
            };
            if share == POT {
                won.wins += weight;
            } else if share > 0.0 {
                won.ties += weight;
            }
            won.share += weight * share;
            won.square += weight * share * share;
        }
    }

    /// Deals at random. Hands are drawn together and thrown away together if two have the same
    /// card, so that every deal is as likely as it should be.
    fn sample(&mut self, samples: u64, chance: &mut Seeded) {
        let free: Vec<Card> = self.question.free.iter().collect();
        let mut below = |n: usize| chance.below(n as u32).unwrap_or_default() as usize;
        let mut tries = samples.saturating_mul(TRIES);
        let mut done = 0;
        let mut hands = [Sum::NONE; PLAYERS];
        'deal: while done < samples && tries > 0 {
            tries -= 1;
            let mut taken = CardSet::NONE;
            for (range, hand) in self.question.ranges.iter().zip(&mut hands) {
                let combos = range.combos();
                let combo = &combos[below(combos.len())];
                let unlikely =
                    combo.weight < 1.0 && below(1 << 30) as f64 >= combo.weight * 2f64.powi(30);
                if unlikely || combo.cards.set().meets(taken) {
                    continue 'deal;
                }
                *hand = combo.cards;
                taken = taken.union(combo.cards.set());
            }
            let mut board = Sum::from(self.question.board);
            for _ in 0..self.question.missing() {
                loop {
                    let card = free[below(free.len())];
                    if taken.insert(card) {
                        board = board + card.into();
                        break;
                    }
                }
            }
            let scorer = Scorer::new(&self.question.showdown, self.table, board);
            let (mut high, mut low) = (Best::default(), Best::default());
            for (player, hand) in hands[..self.question.ranges.len()].iter().enumerate() {
                let scores = scorer.scores(*hand);
                high = high.with(scores.high, player);
                low = low.with(scores.low, player);
            }
            self.settle(1.0, high, low);
            self.tally.cases += 1;
            done += 1;
        }
    }
}

/// How hands score on one board.
struct Scorer<'a> {
    showdown: &'a Showdown,
    table: &'static Table,
    board: Sum,
    /// The threes of the board, for Omaha.
    threes: [Sum; 10],
    /// Their ranks, if they are different and low; otherwise nothing.
    lows: [u32; 10],
}

impl<'a> Scorer<'a> {
    #[inline]
    fn new(showdown: &'a Showdown, table: &'static Table, board: Sum) -> Self {
        let (mut threes, mut lows) = ([Sum::NONE; 10], [0; 10]);
        if showdown.high == Ranking::OmahaHigh {
            for (i, cards) in rank::threes(board.set()).take(10).enumerate() {
                (threes[i], lows[i]) = (cards.into(), low_ranks(cards).unwrap_or(0));
            }
        }
        Self { showdown, table, board, threes, lows }
    }

    #[inline(always)]
    fn scores(&self, hand: Sum) -> Scores {
        if self.showdown.high == Ranking::High && self.showdown.low.is_none() {
            let high = self.table.seven(self.board + hand).number() + 1;
            return Scores { high, low: 0 };
        }
        self.other_scores(hand)
    }

    #[inline(never)]
    fn other_scores(&self, hand: Sum) -> Scores {
        let high = match self.showdown.high {
            Ranking::OmahaHigh => self.omaha(hand),
            other => number(other.strength(hand.set(), self.board.set())),
        };
        let low = match self.showdown.low {
            None => 0,
            Some(Ranking::OmahaEightOrBetter) => self.omaha_low(hand),
            Some(other) => number(other.strength(hand.set(), self.board.set())),
        };
        Scores { high, low }
    }

    /// The best of two cards of the hand and three of the board.
    fn omaha(&self, hand: Sum) -> u32 {
        let mut best = 0;
        for two in twos(hand.set()).map(Sum::from) {
            for three in &self.threes {
                best = best.max(self.table.five(two + *three).number());
            }
        }
        best + 1
    }

    /// The same for a low of eight or better: of different ranks the lowest set is the least
    /// number.
    fn omaha_low(&self, hand: Sum) -> u32 {
        let mut best = NO_LOW;
        for two in twos(hand.set()).filter_map(low_ranks) {
            for three in self.lows.iter().filter(|three| **three != 0 && **three & two == 0) {
                best = best.min(two | three);
            }
        }
        NO_LOW - best
    }
}

/// Above all sets of ranks up to the eight.
const NO_LOW: u32 = 1 << 8;

fn number(strength: Option<Strength>) -> u32 {
    strength.map_or(0, Strength::number)
}
