//! The chance of one table, with its secrets.

use super::{
    HandProof, Keyed, Opening, commitment, cut, draw, follows, modulo, permutation, root, seal,
};
use crate::keys::Keys;
use crate::log::{Bytes32, TableId};
use parlor_rules::deck::DECK_CARDS;
use parlor_rules::draws::DrawFault;
use parlor_rules::{Deck, Seat, Source, rejects};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What counts for a seat that gave nothing.
const NOTHING: Bytes32 = Bytes32([0; 32]);

/// A deck as the house has laid it out, before the cut.
struct Laid {
    /// Which card lies at each place.
    order: Vec<u8>,
    salts: Vec<Bytes32>,
    commitments: Vec<Bytes32>,
    root: Bytes32,
}

impl Laid {
    fn new(secret: &Bytes32, table: &TableId, hand: u64, size: u32) -> Self {
        let keyed = Keyed::new(secret);
        let tag = |word: &str, i: u32| {
            let (name, hand, i) = (table.as_str().as_bytes(), hand.to_be_bytes(), i.to_be_bytes());
            keyed.tag(&[word.as_bytes(), name, &hand, &i])
        };
        let order = permutation(size, |i| modulo(&tag("deck", i), i + 1));
        let salts: Vec<_> = (0..size).map(|place| tag("salt", place)).collect();
        let places = (0..).zip(order.iter().zip(&salts));
        let commitments: Vec<_> =
            places.map(|(place, (card, salt))| seal(table, hand, place, *card, salt)).collect();
        Self { root: root(&commitments), order, salts, commitments }
    }
}

rejects! {
    /// Why a share in chance is not taken.
    pub enum NoShare {
        /// The seat has not told the tip of a chain.
        NoChain => "no_chain", "give the tip of a chain first";
        /// The last share was not used yet, or the others gave theirs before this seat sat down.
        TooEarly => "share_too_early", "your next share is taken after the next draw or deal";
        /// It does not hash to the link before.
        WrongLink => "wrong_link", "the sha-256 of a link must be the link before it";
    }
}

/// One seat's part in chance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Share {
    /// The link known last; none if the seat has no chain.
    tip: Option<Bytes32>,
    /// What counts for this seat.
    given: Bytes32,
    /// Whether its next link may come.
    due: bool,
}

/// Where the chance of a table stands, without its secrets: enough to go on from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChanceState {
    mark: Mark,
    /// Most entries change nothing here.
    shares: Arc<Vec<Share>>,
    /// Whether a link was released since the last draw or deal.
    released: bool,
    /// The contributions the current deck was cut with.
    cut: Arc<[Bytes32]>,
}

/// How far the chance of a table has come: what an entry that used chance has to remember.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Draws that were not cards.
    pub draws: u64,
    /// The number of the current hand, from 1; 0 before the first.
    pub hand: u64,
    /// Cards dealt in it.
    pub dealt: u32,
}

struct Fixed {
    table: TableId,
    keys: Keys,
    /// Cards of a deck; 0 if there are none.
    size: u32,
}

/// The deck in play.
struct Hand {
    laid: Arc<Laid>,
    cut: Vec<u8>,
}

/// The chance of one table.
///
/// A decision is tried on a copy, and the copy replaces the original once the entry is stored. A
/// copy is cheap: what is large in it is shared. Trying again from the same [`ChanceState`] gives the same numbers.
#[derive(Clone)]
pub struct Chance {
    fixed: Arc<Fixed>,
    at: ChanceState,
    /// Worked out when first needed: a table that is only read again needs no decks.
    hand: OnceLock<Arc<Hand>>,
    next: OnceLock<Arc<Laid>>,
}

impl fmt::Debug for Chance {
    /// Without the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chance").field("table", &self.fixed.table).field("at", &self.at).finish()
    }
}

impl Chance {
    /// The chance of a table before its first draw. `deck` is the size of its decks, 0 if it has
    /// none; see [`parlor_rules::Rules::deck`].
    ///
    /// # Panics
    /// If a deck is larger than [`DECK_CARDS`].
    pub fn new(table: TableId, keys: Keys, seats: u8, deck: u32) -> Self {
        let share = Share { tip: None, given: NOTHING, due: false };
        let shares = Arc::new(vec![share; usize::from(seats)]);
        let at =
            ChanceState { mark: Mark::default(), shares, released: false, cut: Arc::default() };
        Self::resume(table, keys, deck, at)
    }

    /// The chance of a table that stands here.
    ///
    /// # Panics
    /// If a deck is larger than [`DECK_CARDS`].
    pub fn resume(table: TableId, keys: Keys, deck: u32, at: ChanceState) -> Self {
        assert!(deck <= DECK_CARDS, "a deck has at most {DECK_CARDS} cards");
        let fixed = Arc::new(Fixed { table, keys, size: deck });
        Self { fixed, at, hand: OnceLock::new(), next: OnceLock::new() }
    }

    /// Where it stands.
    pub fn state(&self) -> &ChanceState {
        &self.at
    }

    /// How far it has come.
    pub fn mark(&self) -> Mark {
        self.at.mark
    }

    /// Goes on to where an entry has left it: what [`Source`] did when the entry was decided.
    pub fn advance(&mut self, mark: Mark) -> Result<(), &'static str> {
        let was = self.at.mark;
        let forth = was.draws <= mark.draws && (was.hand, was.dealt) <= (mark.hand, mark.dealt);
        let cards = if mark.hand == 0 { 0 } else { self.fixed.size };
        if !forth || mark.dealt > cards || (mark.hand > 0 && cards == 0) {
            return Err("chance goes forth, and deals no more cards than there are");
        }
        if mark.hand > was.hand {
            self.begin_hand(mark.hand);
        }
        if mark.draws > was.draws {
            self.used();
        }
        self.at.mark = mark;
        Ok(())
    }

    /// A seat sits down with the tip of its chain, or without one. Of the player who sat there before
    /// nothing remains.
    pub fn sit(&mut self, seat: Seat, tip: Option<Bytes32>) {
        // A chain made up after others have shown their links could be made to fit them.
        let due = tip.is_some() && !self.at.released;
        if let Some(share) = Arc::make_mut(&mut self.at.shares).get_mut(seat.index()) {
            *share = Share { tip, given: NOTHING, due };
        }
    }

    /// A seat releases the next link of its chain; one for each draw or deal, since who may give
    /// several may choose between them.
    pub fn contribute(&mut self, seat: Seat, link: Bytes32) -> Result<(), NoShare> {
        let share =
            Arc::make_mut(&mut self.at.shares).get_mut(seat.index()).ok_or(NoShare::NoChain)?;
        let tip = share.tip.ok_or(NoShare::NoChain)?;
        if !share.due {
            return Err(NoShare::TooEarly);
        }
        if !follows(&tip, &link) {
            return Err(NoShare::WrongLink);
        }
        *share = Share { tip: Some(link), given: link, due: false };
        self.at.released = true;
        Ok(())
    }

    /// What counts for each seat now.
    pub fn contributions(&self) -> Vec<Bytes32> {
        self.at.shares.iter().map(|share| share.given).collect()
    }

    /// Whether a link of this seat is waited for: one it has not given since the last draw or deal.
    pub fn is_due(&self, seat: Seat) -> bool {
        self.at.shares.get(seat.index()).is_some_and(|share| share.due)
    }

    /// What is published of the dice before the first draw.
    pub fn commitment(&self) -> Bytes32 {
        commitment(&self.fixed.table, &self.fixed.keys.dice)
    }

    /// The root of the next hand's deck, to be published before the seats release their links for
    /// it; none if there are no cards.
    pub fn next_root(&self) -> Option<Bytes32> {
        (self.fixed.size > 0).then(|| self.next().root)
    }

    /// The current hand as anyone may see it, with the openings of these cards; what was not dealt
    /// is not opened. None before the first hand.
    pub fn hand(&self, cards: &[u32]) -> Option<HandProof> {
        if self.at.mark.hand == 0 {
            return None;
        }
        let laid = &self.current().laid;
        Some(HandProof {
            table: self.fixed.table.clone(),
            hand: self.at.mark.hand,
            root: laid.root,
            commitments: laid.commitments.clone(),
            contributions: self.at.cut.to_vec(),
            openings: cards.iter().filter_map(|k| self.opening(*k)).collect(),
        })
    }

    /// What the deck of the current hand was committed to, place by place; nothing before the first.
    pub fn commitments(&self) -> &[Bytes32] {
        if self.at.mark.hand == 0 { &[] } else { &self.current().laid.commitments }
    }

    /// The opening of the `k`th card of the current hand; none if it was not dealt.
    pub fn opening(&self, k: u32) -> Option<Opening> {
        if k >= self.at.mark.dealt {
            return None;
        }
        let hand = self.current();
        let place = hand.cut[k as usize];
        let at = usize::from(place);
        Some(Opening { k, place, card: hand.laid.order[at], salt: hand.laid.salts[at] })
    }

    fn lay(&self, hand: u64) -> Arc<Laid> {
        let Fixed { table, keys, size } = &*self.fixed;
        Arc::new(Laid::new(&keys.deck, table, hand, *size))
    }

    fn next(&self) -> &Arc<Laid> {
        self.next.get_or_init(|| self.lay(self.at.mark.hand + 1))
    }

    fn current(&self) -> &Hand {
        self.hand.get_or_init(|| self.cut_deck(self.lay(self.at.mark.hand)))
    }

    fn cut_deck(&self, laid: Arc<Laid>) -> Arc<Hand> {
        let cut = cut(&laid.root, self.at.mark.hand, &self.at.cut, self.fixed.size);
        Arc::new(Hand { laid, cut })
    }

    /// The links released so far have done their work.
    fn used(&mut self) {
        self.at.released = false;
        for share in Arc::make_mut(&mut self.at.shares) {
            share.due = share.tip.is_some();
        }
    }

    fn begin_hand(&mut self, hand: u64) {
        self.at.cut = self.contributions().into();
        self.at.mark.hand = hand;
        self.at.mark.dealt = 0;
        (self.hand, self.next) = (OnceLock::new(), OnceLock::new());
        self.used();
    }
}

impl Source for Chance {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        let Fixed { table, keys, .. } = &*self.fixed;
        let value = draw(&keys.dice, table, self.at.mark.draws, &self.contributions(), n);
        self.at.mark.draws += 1;
        self.used();
        Ok(value)
    }

    fn shuffle(&mut self, size: u32) -> Result<(), DrawFault> {
        if size != self.fixed.size || size == 0 {
            return Err(DrawFault::OtherDeck { asked: size, there: self.fixed.size });
        }
        let laid = self.next.take();
        self.begin_hand(self.at.mark.hand + 1);
        if let Some(laid) = laid {
            self.hand = OnceLock::from(self.cut_deck(laid));
        }
        Ok(())
    }

    fn card(&mut self, left: u32) -> Result<u32, DrawFault> {
        let Mark { hand, dealt, .. } = self.at.mark;
        let there = if hand == 0 { 0 } else { self.fixed.size - dealt };
        if left != there {
            return Err(DrawFault::OtherDeck { asked: left, there });
        }
        let hand = self.current();
        let card = |k: u32| hand.laid.order[usize::from(hand.cut[k as usize])];
        let place = Deck::new(self.fixed.size).without((0..dealt).map(card)).place_of(card(dealt));
        self.at.mark.dealt += 1;
        Ok(place)
    }
}
