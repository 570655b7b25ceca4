//! Hands a player may have: `QQ+,AJs+,KhQh:0.5`.

use crate::card::{Card, CardSet};
use crate::quick::Sum;
use crate::rank::with_one_more;
use parlor_rules::rejects;

/// A hand a player may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Combo {
    /// Its cards.
    pub cards: Sum,
    /// How likely it is beside the others, above 0.
    pub weight: f64,
}

/// All hands a player may have, each once.
#[derive(Clone, PartialEq, Debug)]
pub struct Range {
    combos: Vec<Combo>,
}

rejects! {
    /// Why a text is no range.
    pub enum NoRange {
        /// Nothing is written.
        Nothing => "empty_range", "name a hand, or random";
        /// A piece that says nothing.
        Unknown { piece: String, cards: u8 } => "bad_range",
            "{piece:?} is no range: it is {cards} cards like AsKh, or random, and of two cards like QQ+, 99-66, AJs+, KTo or A5s-A2s";
        /// A weight out of bounds.
        Weight { piece: String } => "bad_weight", "{piece:?}: a weight is above 0 and at most 1";
        /// A hand with the same card twice.
        Twice { piece: String } => "card_twice", "{piece:?} has a card twice";
        /// A card the deck does not have.
        NotInDeck { piece: String } => "not_in_deck", "{piece:?} has a card that is not in this deck";
    }
}

/// A kind of hand: two ranks, and whether they are of one suit.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shape {
    high: u8,
    low: u8,
    suited: Option<bool>,
}

impl Shape {
    fn read(text: &str) -> Option<Self> {
        let suited = match text.as_bytes() {
            [_, _] => None,
            [_, _, b's'] => Some(true),
            [_, _, b'o'] => Some(false),
            _ => return None,
        };
        let mut ranks = text.chars().take(2).map(|letter| "23456789TJQKA".find(letter));
        let (one, other) = (ranks.next()?? as u8, ranks.next()?? as u8);
        let shape = Self { high: one.max(other), low: one.min(other), suited };
        (one != other || suited.is_none()).then_some(shape)
    }

    fn is_pair(self) -> bool {
        self.high == self.low
    }

    /// The same kind with another lower card; of a pair both are.
    fn at(self, low: u8) -> Self {
        Self { high: if self.is_pair() { low } else { self.high }, low, ..self }
    }

    fn hands(self) -> impl Iterator<Item = CardSet> {
        let card = |rank: u8, suit: u8| Card::from_number(rank * 4 + suit);
        let suits = (0..16).map(|both| (both / 4, both % 4));
        suits
            .filter(move |(one, other)| match self.suited {
                _ if self.is_pair() => one > other,
                Some(suited) => suited == (one == other),
                None => true,
            })
            .map(move |(one, other)| {
                [card(self.high, one), card(self.low, other)].into_iter().flatten().collect()
            })
    }
}

/// All kinds of hands a piece names.
fn shapes(text: &str) -> Option<Vec<Shape>> {
    if let Some(text) = text.strip_suffix('+') {
        let from = Shape::read(text)?;
        let last = if from.is_pair() { 12 } else { from.high - 1 };
        return Some((from.low..=last).map(|low| from.at(low)).collect());
    }
    if let Some((one, other)) = text.split_once('-') {
        let (one, other) = (Shape::read(one)?, Shape::read(other)?);
        let alike = one.at(other.low) == other && one.is_pair() == other.is_pair();
        let lows = one.low.min(other.low)..=one.low.max(other.low);
        return alike.then(|| lows.map(|low| one.at(low)).collect());
    }
    Some(vec![Shape::read(text)?])
}

impl Range {
    /// The range in this text, of hands of so many cards from this deck. What is named again takes
    /// the later weight.
    pub fn read(text: &str, cards: u8, deck: CardSet) -> Result<Self, NoRange> {
        if text.trim().is_empty() {
            return Err(NoRange::Nothing);
        }
        let mut hands: Vec<(CardSet, f64)> = Vec::new();
        for piece in text.split(',') {
            let piece = piece.trim();
            let (what, weight) = match piece.split_once(':') {
                Some((what, weight)) => (what, weight.parse().ok()),
                None => (piece, Some(1.0)),
            };
            let weight = weight.filter(|weight| *weight > 0.0 && *weight <= 1.0);
            let weight = weight.ok_or_else(|| NoRange::Weight { piece: piece.to_owned() })?;
            let named = named(what, cards, deck)?;
            hands.extend(named.into_iter().map(|hand| (hand, weight)));
        }
        // The last of equal hands stays.
        hands.reverse();
        hands.sort_by_key(|(hand, _)| *hand);
        hands.dedup_by_key(|(hand, _)| *hand);
        let combo = |(hand, weight): (CardSet, f64)| Combo { cards: hand.into(), weight };
        Ok(Self { combos: hands.into_iter().map(combo).collect() })
    }

    /// The hands.
    pub fn combos(&self) -> &[Combo] {
        &self.combos
    }

    /// The hands in which none of these cards is.
    pub fn without(mut self, cards: CardSet) -> Self {
        self.combos.retain(|combo| !combo.cards.set().meets(cards));
        self
    }
}

/// The hands a piece names, without its weight.
fn named(piece: &str, cards: u8, deck: CardSet) -> Result<Vec<CardSet>, NoRange> {
    if piece == "random" || piece.len() == usize::from(cards) && piece.bytes().all(|b| b == b'X') {
        return Ok(sets(usize::from(cards), deck));
    }
    let own = || piece.to_owned();
    let unknown = || NoRange::Unknown { piece: own(), cards };
    if let (2, Some(shapes)) = (cards, shapes(piece)) {
        let hands: Vec<CardSet> = shapes.into_iter().flat_map(Shape::hands).collect();
        let inside = hands.iter().all(|hand| hand.without(deck).is_empty());
        return if inside { Ok(hands) } else { Err(NoRange::NotInDeck { piece: own() }) };
    }
    let row: crate::card::Cards = piece.parse().map_err(|_| unknown())?;
    if row.len() != usize::from(cards) || !row.all_known() {
        return Err(unknown());
    }
    let hand = row.set();
    if hand.len() != row.len() {
        return Err(NoRange::Twice { piece: own() });
    }
    if !hand.without(deck).is_empty() {
        return Err(NoRange::NotInDeck { piece: own() });
    }
    Ok(vec![hand])
}

/// All sets of so many cards of a deck.
fn sets(size: usize, deck: CardSet) -> Vec<CardSet> {
    let mut sets = vec![CardSet::NONE];
    for _ in 0..size {
        sets = sets.into_iter().flat_map(|set| with_one_more(set, deck)).collect();
    }
    sets
}
