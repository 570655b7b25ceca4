//! Who wins what.

use crate::card::CardSet;
use crate::hand::{OddChips, PLAYERS, Player, Rake, Status};
use crate::rank::{Ranking, Strength};
use parlor_rules::Chips;

/// Chips and the players who can win them, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pot {
    /// How much.
    pub amount: Chips,
    /// For whom.
    pub eligible: u16,
}

/// The pots of a hand, the main pot first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pots {
    count: usize,
    pots: [Pot; PLAYERS + 1],
}

impl Pots {
    /// The pots from what each player has paid; `dead` is in the main pot.
    pub fn new(players: &[Player], dead: Chips) -> Self {
        let those = |holds: &dyn Fn(&Player) -> bool| {
            let bits = players.iter().enumerate();
            bits.fold(0, |set, (i, player)| set | u16::from(holds(player)) << i)
        };
        let main = Pot { amount: dead, eligible: those(&|p| p.status == Status::In) };
        let mut pots = Self { count: 1, pots: [main; PLAYERS + 1] };
        let mut floor = Chips::ZERO;
        loop {
            let above = players.iter().map(|player| player.paid).filter(|paid| *paid > floor);
            let Some(level) = above.min() else { return pots };
            let layer = |paid: Chips| paid.min(level) - paid.min(floor);
            let amount = players.iter().map(|player| layer(player.paid)).sum();
            let eligible = match those(&|p| p.status == Status::In && p.paid >= level) {
                // All who reached so high have folded; the last of them had won it by then.
                0 => {
                    let reached = players.iter().enumerate().filter(|(_, p)| p.paid >= level);
                    reached.max_by_key(|(_, p)| p.folded).map_or(0, |(i, _)| 1 << i)
                }
                live => live,
            };
            pots.add(Pot { amount, eligible });
            floor = level;
        }
    }

    fn add(&mut self, pot: Pot) {
        let last = &mut self.pots[self.count - 1];
        if last.eligible == pot.eligible {
            last.amount += pot.amount;
        } else {
            self.pots[self.count] = pot;
            self.count += 1;
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Pot] {
        &self.pots[..self.count]
    }

    /// Takes the share of the house out, from the main pot on; tells how much it is.
    pub fn rake(&mut self, rake: &Rake, chip: Chips) -> Chips {
        let total: Chips = self.all().iter().map(|pot| pot.amount).sum();
        let share = i128::from(total.ten_thousandths()) * i128::from(rake.per_10_000) / 10_000;
        let share = Chips::from_ten_thousandths(share.min(i128::from(i64::MAX)) as i64);
        let share = floor_to(share, chip);
        let share = rake.cap.map_or(share, |cap| share.min(cap));
        let mut left = share;
        for pot in &mut self.pots[..self.count] {
            let taken = left.min(pot.amount);
            pot.amount -= taken;
            left -= taken;
        }
        share - left
    }

    /// What each player wins. Every board has an equal part of a pot. Where hands are compared in two
    /// ways each has half of that, unless nobody has a hand for the second. The first has the odd
    /// chip.
    pub fn winnings(
        &self,
        players: &[Player],
        boards: &[CardSet],
        rankings: &[Ranking],
        shares: Shares,
    ) -> [Chips; PLAYERS] {
        let mut won = [Chips::ZERO; PLAYERS];
        if self.all().iter().all(|pot| pot.eligible.count_ones() <= 1) {
            for pot in self.all().iter().filter(|pot| pot.eligible != 0) {
                won[pot.eligible.trailing_zeros() as usize] += pot.amount;
            }
            return won;
        }
        let count = boards.len() as i64;
        for (run, board) in (0..).zip(boards) {
            let mut strengths: [[Option<Strength>; PLAYERS]; 2] = [[None; PLAYERS]; 2];
            for (ranking, strengths) in rankings.iter().zip(&mut strengths) {
                for (player, strength) in players.iter().zip(strengths) {
                    if player.status == Status::In {
                        *strength = ranking.strength(player.hole.set(), *board);
                    }
                }
            }
            for pot in self.all() {
                let winners = |strengths: &[Option<Strength>; PLAYERS]| {
                    let among = |i: &usize| pot.eligible >> i & 1 == 1;
                    let best = (0..players.len()).filter(among).map(|i| strengths[i]).max()?;
                    let wins = |i: &usize| among(i) && strengths[*i] == best;
                    let set = (0..players.len()).filter(wins).fold(0u16, |set, i| set | 1 << i);
                    (best.is_some() || pot.eligible.is_power_of_two()).then_some(set)
                };
                let part = shares.part(pot.amount, count);
                let amount = match run {
                    0 => pot.amount - times(part, count - 1),
                    _ => part,
                };
                let low = winners(&strengths[1]).filter(|_| rankings.len() > 1);
                let half = low.map_or(Chips::ZERO, |_| shares.part(amount, 2));
                let high = winners(&strengths[0]);
                for (winners, amount) in [(high, amount - half), (low, half)] {
                    shares.divide(&mut won[..players.len()], winners.unwrap_or(0), amount);
                }
            }
        }
        won
    }
}

/// How a pot is divided.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// The smallest chip.
    pub chip: Chips,
    /// Who gets what is left over.
    pub odd_chips: OddChips,
    /// Who of them comes first: the player who acts first.
    pub first: u8,
}

fn times(chips: Chips, count: i64) -> Chips {
    Chips::from_ten_thousandths(chips.ten_thousandths() * count)
}

impl Shares {
    /// One of so many equal parts, as a number of the smallest chips.
    fn part(&self, amount: Chips, count: i64) -> Chips {
        floor_to(Chips::from_ten_thousandths(amount.ten_thousandths() / count), self.chip)
    }

    /// Divides chips. An equal share is a number of the smallest chips; those that are left over go
    /// to the winners, from the player who acts first on.
    fn divide(&self, won: &mut [Chips], winners: u16, amount: Chips) {
        let count = i64::from(winners.count_ones());
        if count == 0 {
            return;
        }
        let each = self.part(amount, count);
        let mut odd = amount - times(each, count);
        let first = usize::from(self.first);
        for i in (first..won.len()).chain(0..first).filter(|i| winners >> i & 1 == 1) {
            let extra = match self.odd_chips {
                // What is smaller than the smallest chip stays together.
                OddChips::Each => odd.min(self.chip),
                OddChips::First => odd,
            };
            won[i] += each + extra;
            odd -= extra;
        }
    }
}

/// The next smaller whole number of chips of this size.
fn floor_to(amount: Chips, chip: Chips) -> Chips {
    let chip = chip.ten_thousandths();
    Chips::from_ten_thousandths(amount.ten_thousandths() / chip * chip)
}
