//! Chance that can be checked: the house commits, the seats have their share, and afterwards anyone
//! can work out what had to come. `docs/fairness.md` gives the exact bytes and says what is proved.
//!
//! [`Chance`] is the house's side, a [`Source`] for the rules. [`Chain`] is a seat's side.
//! [`DiceProof`], [`ChainProof`] and [`HandProof`] are what everybody else is given to check.

use crate::log::{Bytes32, TableId};
use hmac::{Hmac, Mac};
use parlor_rules::deck::DECK_CARDS;
use parlor_rules::draws::DrawFault;
use parlor_rules::{Deck, Seat, Source, rejects};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

/// What a seat that gave nothing has given.
const NOTHING: Bytes32 = Bytes32([0; 32]);

/// HMAC-SHA-256 under one key.
struct Keyed(Hmac<Sha256>);

impl Keyed {
    fn new(key: &Bytes32) -> Self {
        Self(Hmac::new_from_slice(&key.0).expect("a key of any length will do"))
    }

    fn tag(&self, parts: &[&[u8]]) -> Bytes32 {
        let mut hmac = self.0.clone();
        for part in parts {
            hmac.update(part);
        }
        Bytes32(hmac.finalize().into_bytes().into())
    }
}

/// The remainder of a 256-bit big-endian number; what it favours, it favours by less than 2^-224.
fn modulo(number: &Bytes32, n: u32) -> u32 {
    let n = u64::from(n);
    number.0.iter().fold(0, |rest, byte| (rest << 8 | u64::from(*byte)) % n) as u32
}

/// Fisher and Yates, from the last place down; `pick(i)` is a number from 0 to `i`.
fn permutation(size: u32, pick: impl Fn(u32) -> u32) -> Vec<u8> {
    let mut order: Vec<u8> = (0..size).map(|i| i as u8).collect();
    for i in (1..size).rev() {
        order.swap(i as usize, pick(i) as usize);
    }
    order
}

/// Contributions one after the other, in the order of seats.
fn bytes_of(contributions: &[Bytes32]) -> Vec<u8> {
    contributions.iter().flat_map(|given| given.0).collect()
}

/// What the house publishes before the first draw: `SHA-256(table ‖ secret)`.
pub fn commitment(table: &TableId, secret: &Bytes32) -> Bytes32 {
    Bytes32::hash(&[table.as_str().as_bytes(), &secret.0])
}

/// The `n`th draw of a table, from 0: a number below `of`.
///
/// # Panics
/// If `of` is 0.
pub fn draw(secret: &Bytes32, table: &TableId, n: u64, contributions: &[Bytes32], of: u32) -> u32 {
    let parts: &[&[u8]] = &[table.as_str().as_bytes(), &n.to_be_bytes(), &bytes_of(contributions)];
    modulo(&Keyed::new(secret).tag(parts), of)
}

/// Whether `link` is the one before `tip` in a hash chain.
pub fn follows(tip: &Bytes32, link: &Bytes32) -> bool {
    Bytes32::hash(&[&link.0]) == *tip
}

/// A seat's hash chain: every link is the SHA-256 of the next one given out, so whoever holds the
/// tip can check each link and foresee none.
#[derive(Clone)]
pub struct Chain(Vec<Bytes32>);

impl Chain {
    /// A chain for so many draws or hands, from a seed that stays secret.
    pub fn new(seed: Bytes32, links: usize) -> Self {
        let next = |link: &Bytes32| Some(Bytes32::hash(&[&link.0]));
        Self(std::iter::successors(Some(seed), next).take(links + 1).collect())
    }

    /// What the seat tells on sitting down, and afterwards the link it gave last.
    pub fn tip(&self) -> Bytes32 {
        *self.0.last().expect("a chain has its seed")
    }

    /// The next link to give; none when the chain is used up.
    pub fn release(&mut self) -> Option<Bytes32> {
        if self.0.len() < 2 {
            return None;
        }
        self.0.pop();
        self.0.last().copied()
    }
}

/// What hides one card: `SHA-256(table ‖ hand ‖ place ‖ card ‖ salt)`.
pub fn seal(table: &TableId, hand: u64, place: u8, card: u8, salt: &Bytes32) -> Bytes32 {
    let parts: &[&[u8]] =
        &[table.as_str().as_bytes(), &hand.to_be_bytes(), &[place], &[card], &salt.0];
    Bytes32::hash(parts)
}

/// What the house publishes of a deck one hand ahead: the SHA-256 of all its commitments.
pub fn root(commitments: &[Bytes32]) -> Bytes32 {
    Bytes32::hash(&[&bytes_of(commitments)])
}

/// The cut: the `k`th card dealt lies at place `cut[k]`.
pub fn cut(root: &Bytes32, hand: u64, contributions: &[Bytes32], size: u32) -> Vec<u8> {
    let (keyed, given) = (Keyed::new(root), bytes_of(contributions));
    permutation(size, |i| {
        modulo(&keyed.tag(&[&hand.to_be_bytes(), &given, &i.to_be_bytes()]), i + 1)
    })
}

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

/// A card shown to someone who may see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The how-manieth card of the hand, from 0.
    pub k: u32,
    /// Where it lay.
    pub place: u8,
    /// The card.
    pub card: u8,
    /// What hid it.
    pub salt: Bytes32,
}

/// The secrets of a table.
#[derive(Clone)]
pub struct Secrets {
    /// Makes the dice; revealed when all is over.
    pub dice: Bytes32,
    /// Makes the decks; never revealed, since it would show what was mucked.
    pub decks: Bytes32,
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
pub struct Position {
    mark: Mark,
    /// Most entries change nothing here.
    shares: Arc<Vec<Share>>,
    /// Whether a link was released since the last draw or deal.
    released: bool,
    /// The contributions the current deck was cut with.
    cut: Vec<Bytes32>,
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
    secrets: Secrets,
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
/// A copy is cheap: a decision is tried on a copy, and the copy is kept once the decision is
/// stored. Trying again from the same [`Position`] gives the same numbers.
#[derive(Clone)]
pub struct Chance {
    fixed: Arc<Fixed>,
    at: Position,
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
    pub fn new(table: TableId, secrets: Secrets, seats: u8, deck: u32) -> Self {
        let share = Share { tip: None, given: NOTHING, due: false };
        let shares = Arc::new(vec![share; usize::from(seats)]);
        let at = Position { mark: Mark::default(), shares, released: false, cut: Vec::new() };
        Self::resume(table, secrets, deck, at)
    }

    /// The chance of a table that stands here.
    ///
    /// # Panics
    /// If a deck is larger than [`DECK_CARDS`].
    pub fn resume(table: TableId, secrets: Secrets, deck: u32, at: Position) -> Self {
        assert!(deck <= DECK_CARDS, "a deck has at most {DECK_CARDS} cards");
        let fixed = Arc::new(Fixed { table, secrets, size: deck });
        Self { fixed, at, hand: OnceLock::new(), next: OnceLock::new() }
    }

    /// Where it stands.
    pub fn position(&self) -> &Position {
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

    /// A seat sits down with the tip of its chain, or without one. Of whoever sat there before
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
        commitment(&self.fixed.table, &self.fixed.secrets.dice)
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
            contributions: self.at.cut.clone(),
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
        let Fixed { table, secrets, size } = &*self.fixed;
        Arc::new(Laid::new(&secrets.decks, table, hand, *size))
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
        self.at.cut = self.contributions();
        self.at.mark.hand = hand;
        self.at.mark.dealt = 0;
        (self.hand, self.next) = (OnceLock::new(), OnceLock::new());
        self.used();
    }
}

impl Source for Chance {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        let Fixed { table, secrets, .. } = &*self.fixed;
        let value = draw(&secrets.dice, table, self.at.mark.draws, &self.contributions(), n);
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

/// A chance that is copied when something is drawn from it or added to it: most moves do neither.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Chance>);

impl From<Chance> for Shared {
    fn from(chance: Chance) -> Self {
        Self(Arc::new(chance))
    }
}

impl Deref for Shared {
    type Target = Chance;

    fn deref(&self) -> &Chance {
        &self.0
    }
}

impl DerefMut for Shared {
    fn deref_mut(&mut self) -> &mut Chance {
        Arc::make_mut(&mut self.0)
    }
}

impl Source for Shared {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        (**self).below(n)
    }

    fn shuffle(&mut self, size: u32) -> Result<(), DrawFault> {
        (**self).shuffle(size)
    }

    fn card(&mut self, left: u32) -> Result<u32, DrawFault> {
        (**self).card(left)
    }
}

/// A chance that notes of how many every number was drawn.
pub(crate) struct Noted {
    chance: Chance,
    pub(crate) drawn: Vec<Drawn>,
}

impl Noted {
    pub(crate) fn new(chance: Chance) -> Self {
        Self { chance, drawn: Vec::new() }
    }
}

impl Source for Noted {
    fn below(&mut self, of: u32) -> Result<u32, DrawFault> {
        let (n, contributions) = (self.chance.at.mark.draws, self.chance.contributions());
        let value = self.chance.below(of)?;
        self.drawn.push(Drawn { n, of, contributions, value });
        Ok(value)
    }

    fn shuffle(&mut self, size: u32) -> Result<(), DrawFault> {
        self.chance.shuffle(size)
    }

    fn card(&mut self, left: u32) -> Result<u32, DrawFault> {
        self.chance.card(left)
    }
}

/// Why a proof does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfair {
    /// The secret is not the one committed to.
    WrongSecret,
    /// A draw is missing, or stands there twice.
    SkippedDraw {
        /// The number that should stand there.
        n: u64,
    },
    /// A draw is not what it had to be.
    WrongDraw {
        /// Its number.
        n: u64,
    },
    /// A link does not hash to the link before.
    BrokenChain {
        /// The how-manieth link released, from 0.
        link: usize,
    },
    /// The commitments are not those the root was made from.
    WrongRoot,
    /// A card was not taken from the place the cut gives it.
    WrongPlace {
        /// The how-manieth card.
        k: u32,
    },
    /// A card is not the one committed to.
    WrongCard {
        /// The how-manieth card.
        k: u32,
    },
    /// A card that is not in the deck, or in it twice.
    WrongDeck {
        /// The how-manieth card.
        k: u32,
    },
}

impl fmt::Display for Unfair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongSecret => f.write_str("the secret is not the one committed to"),
            Self::SkippedDraw { n } => write!(f, "draw {n} is not where it should be"),
            Self::WrongDraw { n } => write!(f, "draw {n} had to be another number"),
            Self::BrokenChain { link } => write!(f, "link {link} does not belong to the chain"),
            Self::WrongRoot => f.write_str("the commitments do not give the root"),
            Self::WrongPlace { k } => write!(f, "card {k} had to come from another place"),
            Self::WrongCard { k } => write!(f, "card {k} is not the one committed to"),
            Self::WrongDeck { k } => write!(f, "card {k} is twice in the deck, or not at all"),
        }
    }
}

impl std::error::Error for Unfair {}

/// All draws of a table, to be checked once its secret is revealed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiceProof {
    /// The table.
    pub table: TableId,
    /// What was published before the first draw.
    pub commitment: Bytes32,
    /// What was revealed at the end.
    pub secret: Bytes32,
    /// Every draw, in order.
    pub draws: Vec<Drawn>,
}

/// One draw.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// Its number, from 0.
    pub n: u64,
    /// Out of how many.
    pub of: u32,
    /// What counted for each seat.
    pub contributions: Vec<Bytes32>,
    /// What came.
    pub value: u32,
}

impl DiceProof {
    /// Whether every draw is what it had to be.
    pub fn check(&self) -> Result<(), Unfair> {
        if commitment(&self.table, &self.secret) != self.commitment {
            return Err(Unfair::WrongSecret);
        }
        for (n, drawn) in (0..).zip(&self.draws) {
            if drawn.n != n {
                return Err(Unfair::SkippedDraw { n });
            }
            let fits =
                |of| draw(&self.secret, &self.table, n, &drawn.contributions, of) == drawn.value;
            if drawn.of == 0 || !fits(drawn.of) {
                return Err(Unfair::WrongDraw { n });
            }
        }
        Ok(())
    }
}

/// What a seat has given, to be checked against what it told on sitting down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainProof {
    /// The tip.
    pub tip: Bytes32,
    /// The links, in the order they were released.
    pub released: Vec<Bytes32>,
}

impl ChainProof {
    /// Whether every link is of the chain.
    pub fn check(&self) -> Result<(), Unfair> {
        let mut tip = &self.tip;
        for (i, link) in self.released.iter().enumerate() {
            if !follows(tip, link) {
                return Err(Unfair::BrokenChain { link: i });
            }
            tip = link;
        }
        Ok(())
    }
}

/// One hand, with the cards that somebody may see.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandProof {
    /// The table.
    pub table: TableId,
    /// The hand, from 1.
    pub hand: u64,
    /// What was published one hand ahead.
    pub root: Bytes32,
    /// What was published with the deal.
    pub commitments: Vec<Bytes32>,
    /// What counted for each seat when the deck was cut.
    pub contributions: Vec<Bytes32>,
    /// The cards shown.
    pub openings: Vec<Opening>,
}

impl HandProof {
    /// Whether every card shown is the one that had to be dealt.
    pub fn check(&self) -> Result<(), Unfair> {
        let size = self.commitments.len() as u32;
        if size > DECK_CARDS || root(&self.commitments) != self.root {
            return Err(Unfair::WrongRoot);
        }
        let cut = cut(&self.root, self.hand, &self.contributions, size);
        let mut shown = Vec::new();
        for opening @ &Opening { k, place, card, ref salt } in &self.openings {
            if cut.get(k as usize) != Some(&place) {
                return Err(Unfair::WrongPlace { k });
            }
            if seal(&self.table, self.hand, place, card, salt)
                != self.commitments[usize::from(place)]
            {
                return Err(Unfair::WrongCard { k });
            }
            let twice = |other: &&Opening| other.card == card && other.place != place;
            if u32::from(card) >= size || shown.iter().any(twice) {
                return Err(Unfair::WrongDeck { k });
            }
            shown.push(opening);
        }
        Ok(())
    }
}
