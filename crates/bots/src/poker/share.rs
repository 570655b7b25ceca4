//! What share of a pot cards win on average, tried out on random deals.

use parlor_rules::{Draws, Seeded};
use parlor_rules_poker::card::{Card, CardSet, Cards};
use parlor_rules_poker::rank::Ranking;
use parlor_rules_poker::variant::{Street, Variant};

/// Somebody else in the hand.
#[derive(Clone)]
pub(super) struct Rival {
    /// What is known of the cards.
    pub(super) cards: Vec<Card>,
    /// Of how many hands that could have been dealt this is the best: who raises has more than
    /// anything.
    pub(super) best_of: usize,
}

/// A deal as far as it is known.
pub(super) struct Deal<'c> {
    pub(super) variant: &'static Variant,
    pub(super) own: &'c [Card],
    pub(super) rivals: &'c [Rival],
    pub(super) board: &'c [Card],
    /// What is known to be gone.
    pub(super) gone: &'c [Card],
}

/// How many for every way to change cards.
const DRAWS: u32 = 40;

impl Deal<'_> {
    /// How much of the pot these cards win on average, when all that is not known is dealt.
    pub(super) fn share(&self, trials: u32, chance: &mut Seeded) -> f64 {
        let Deal { variant, own, rivals, board, gone } = self;
        let held = rivals.iter().flat_map(|rival| &rival.cards);
        let known: CardSet = own.iter().chain(*board).chain(*gone).chain(held).copied().collect();
        let deck = Card::all().filter(|card| card.number() >= variant.lowest);
        let mut deck: Vec<Card> = deck.filter(|card| !known.contains(*card)).collect();
        let whole = |of: fn(&Street) -> u8| variant.streets.iter().map(of).sum::<u8>() as usize;
        let (hole, table) = (whole(|street| street.hole), whole(|street| street.board));
        let mut theirs = vec![CardSet::NONE; rivals.len()];
        let laid: CardSet = board.iter().copied().collect();
        let mut won = 0.0;
        for _ in 0..trials {
            let mut dealer = Dealer { deck: &mut deck, dealt: 0, draws: Draws::new(chance) };
            for (hand, rival) in theirs.iter_mut().zip(*rivals) {
                let held: CardSet = rival.cards.iter().copied().collect();
                let lacking = hole.saturating_sub(rival.cards.len());
                *hand = dealer.best(rival.best_of, lacking, |dealt| {
                    variant
                        .rankings
                        .first()
                        .map(|ranking| ranking.strength(held.union(dealt), laid))
                });
                *hand = hand.union(held);
            }
            let mine = dealer.deal(hole.saturating_sub(own.len()));
            let mine = own.iter().copied().collect::<CardSet>().union(mine);
            let table = laid.union(dealer.deal(table.saturating_sub(board.len())));
            won += split(variant.rankings, table, mine, &theirs);
        }
        won / f64::from(trials)
    }

    /// The cards to give away: those without which the rest wins most.
    pub(super) fn discard(&self, chance: &mut Seeded) -> Cards {
        let best = (0..1u32 << self.own.len()).map(|set| {
            let kept = |(i, card): (usize, &Card)| (set >> i & 1 == 0).then_some(*card);
            let own: Vec<Card> = self.own.iter().enumerate().filter_map(kept).collect();
            let share = Deal { own: &own, gone: self.own, ..*self }.share(DRAWS, chance);
            (set, share)
        });
        let (set, _) = best.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
        let given = self.own.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        given.map(|(_, card)| *card).collect()
    }
}

/// Deals from a deck that is shuffled as far as it is needed.
struct Dealer<'d> {
    deck: &'d mut [Card],
    dealt: usize,
    draws: Draws<'d>,
}

impl Dealer<'_> {
    /// Brings so many random cards to the places from this one on; how many there were.
    fn shuffle(&mut self, from: usize, count: usize) -> usize {
        let end = (from + count).min(self.deck.len());
        for i in from..end {
            let j = i + self.draws.below((self.deck.len() - i) as u32) as usize;
            self.deck.swap(i, j);
        }
        end.saturating_sub(from)
    }

    fn deal(&mut self, count: usize) -> CardSet {
        let count = self.shuffle(self.dealt, count);
        self.dealt += count;
        self.deck[self.dealt - count..self.dealt].iter().copied().collect()
    }

    /// The best of some hands; the others stay in the deck.
    fn best<S: Ord>(&mut self, of: usize, count: usize, rated: impl Fn(CardSet) -> S) -> CardSet {
        let (mut best, mut at) = (None, self.dealt);
        for hand in 0..of.max(1) {
            let from = self.dealt + hand * count;
            if of < 2 || count == 0 || self.shuffle(from, count) < count {
                break;
            }
            let rated = rated(self.deck[from..from + count].iter().copied().collect());
            if best.as_ref().is_none_or(|best| rated > *best) {
                (best, at) = (Some(rated), from);
            }
        }
        if best.is_none() {
            return self.deal(count);
        }
        for i in 0..count {
            self.deck.swap(self.dealt + i, at + i);
        }
        self.dealt += count;
        self.deck[self.dealt - count..self.dealt].iter().copied().collect()
    }
}

/// What share of a pot a hand has against others, by all ways there are to win.
fn split(rankings: &[Ranking], table: CardSet, mine: CardSet, theirs: &[CardSet]) -> f64 {
    let (mut sum, mut ways) = (0.0, 0);
    for ranking in rankings {
        let own = ranking.strength(mine, table);
        let (mut best, mut winners) = (own, 0);
        for hole in theirs {
            let other = ranking.strength(*hole, table);
            match other.cmp(&best) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => winners += 1,
                std::cmp::Ordering::Greater => (best, winners) = (other, 1),
            }
        }
        if best.is_some() {
            ways += 1;
            sum += if own == best { 1.0 / f64::from(winners + 1) } else { 0.0 };
        }
    }
    sum / f64::from(ways.max(1))
}
