//! Cards, hands, and layouts that are built only from a hand.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A card a player can hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "Name")]
pub enum Card {
    /// Deals 2 damage unless it is blocked or reflected.
    Attack,
    /// Blocks an attack.
    Defense,
    /// Restores 1 HP.
    Heal,
    /// Turns an attack back on the attacker.
    Counter,
}

impl Card {
    /// All cards.
    pub const ALL: [Card; 4] = [Self::Attack, Self::Defense, Self::Heal, Self::Counter];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attack => "attack",
            Self::Defense => "defense",
            Self::Heal => "heal",
            Self::Counter => "counter",
        }
    }

    /// The card of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|card| card.name() == name)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TryFrom<Name> for Card {
    type Error = &'static str;

    fn try_from(name: Name) -> Result<Self, Self::Error> {
        name.card().ok_or("the cards are attack, defense, heal and counter")
    }
}

/// What a player calls a card. A name that no card has is kept as it was sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Name {
    /// A card.
    Card(Card),
    /// No card.
    Unknown(String),
}

/// The longest name that is kept.
const NAME_BYTES: usize = 32;

impl Name {
    /// The card, if there is one of this name.
    pub fn card(&self) -> Option<Card> {
        match self {
            Self::Card(card) => Some(*card),
            Self::Unknown(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let name = String::deserialize(d)?;
        if name.len() > NAME_BYTES {
            return Err(D::Error::custom("the name of a card has at most 32 bytes"));
        }
        Ok(Card::named(&name).map_or(Self::Unknown(name), Self::Card))
    }
}

/// What lies in a slot. Nothing is the contract's server-only placeholder for "no card played": it
/// has no name, so no name of it can leave the server.
pub type Slot = Option<Card>;

/// How many slots a layout has, and steps a round.
pub const SLOTS: usize = 3;

/// Three slots.
pub type Slots = [Slot; SLOTS];

/// The four cards of a player, the same in every round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hand(pub [Card; 4]);

impl Hand {
    /// How many of this card are in it.
    pub fn count(&self, card: Card) -> usize {
        self.0.iter().filter(|held| **held == card).count()
    }

    /// What a player wants to lay, from left to right: what is not, or no longer, in the hand is
    /// left out. Beside the layout, the number of the first slot that was left out, from 1.
    pub fn sort_out(&self, wanted: &[Option<Name>; SLOTS]) -> (Layout, Option<u8>) {
        let mut layout = Layout::EMPTY;
        let mut invalid = None;
        for (i, name) in wanted.iter().enumerate() {
            let Some(name) = name else { continue };
            let left = |card: &Card| layout.count(*card) < self.count(*card);
            match name.card().filter(left) {
                Some(card) => layout.0[i] = Some(card),
                None => invalid = invalid.or(Some(i as u8 + 1)),
            }
        }
        (layout, invalid)
    }

    /// These slots as a layout; none if a card of them is not in the hand.
    pub fn lay(&self, slots: Slots) -> Option<Layout> {
        match self.sort_out(&slots.map(|slot| slot.map(Name::Card))) {
            (layout, None) => Some(layout),
            (_, Some(_)) => None,
        }
    }

    /// Every layout of this hand once, in a fixed order.
    pub fn layouts(&self) -> Vec<Layout> {
        let choices = || [None].into_iter().chain(Card::ALL.map(Some));
        let three =
            choices().flat_map(|a| choices().flat_map(move |b| choices().map(move |c| [a, b, c])));
        three.filter_map(|slots| self.lay(slots)).collect()
    }
}

impl Default for Hand {
    /// One of each.
    fn default() -> Self {
        Self(Card::ALL)
    }
}

/// Three slots filled from a hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Layout(Slots);

impl Layout {
    /// Nothing in it: every hand can lay it.
    pub const EMPTY: Self = Self([None; SLOTS]);

    /// What lies in its slots.
    pub const fn slots(&self) -> Slots {
        self.0
    }

    /// Whether there is no card in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    fn count(&self, card: Card) -> usize {
        self.0.iter().filter(|slot| **slot == Some(card)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Card::{Attack, Counter, Heal};

    #[test]
    fn one_of_each_can_be_laid_in_73_ways_24_of_them_full() {
        let layouts = Hand::default().layouts();
        assert_eq!(layouts.len(), 1 + 3 * 4 + 3 * 12 + 24);
        let full = layouts.iter().filter(|layout| layout.slots().iter().all(Option::is_some));
        assert_eq!(full.count(), 24);
    }

    #[test]
    fn two_of_a_kind_allow_two_and_not_three() {
        let hand = Hand([Attack, Attack, Heal, Counter]);
        assert!(hand.lay([Some(Attack), None, Some(Attack)]).is_some());
        assert!(hand.lay([Some(Attack); 3]).is_none());
        let wanted = [Attack; 3].map(|card| Some(Name::Card(card)));
        let (layout, invalid) = hand.sort_out(&wanted);
        assert_eq!((layout.slots(), invalid), ([Some(Attack), Some(Attack), None], Some(3)));
    }

    #[test]
    fn what_is_no_card_is_left_out_and_the_rest_stays() {
        let wanted = [Some(Name::Unknown("GRASS".into())), Some(Name::Card(Heal)), None];
        let (layout, invalid) = Hand::default().sort_out(&wanted);
        assert_eq!((layout.slots(), invalid), ([None, Some(Heal), None], Some(1)));
    }
}
