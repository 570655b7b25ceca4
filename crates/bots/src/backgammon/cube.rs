//! The cube: when to double, to take, to drop, for money and by the score of a match.

use super::worth::Chances;
use parlor_rules::Seat;
use parlor_rules_backgammon::state::{State, other};

/// What points are worth to a player.
#[derive(Clone, Copy)]
pub(super) enum Purse {
    /// As much as they are.
    Money,
    /// The chance of the match that they bring.
    Match {
        /// Points the player needs.
        mine: u32,
        /// Points the other needs.
        theirs: u32,
        /// Whether the Crawford game is over, or there is none.
        late: bool,
    },
}

impl Purse {
    /// That of a seat at this table.
    pub(super) fn of(state: &State, seat: Seat) -> Self {
        match (state.away(seat), state.away(other(seat))) {
            (Some(mine), Some(theirs)) => {
                let near = mine.min(theirs) == 1;
                let late = !state.config.crawford || near && !state.crawford;
                Self::Match { mine, theirs, late }
            }
            _ => Self::Money,
        }
    }

    /// What it is worth to win so many points; a negative number is lost.
    fn worth(self, points: i32) -> f32 {
        let Self::Match { mine, theirs, late } = self else { return points as f32 };
        let won = points.max(0).unsigned_abs();
        let lost = points.min(0).unsigned_abs();
        match_chance(mine.saturating_sub(won), theirs.saturating_sub(lost), late)
    }
}

/// How the cube stands before a player's decision.
#[derive(Clone, Copy)]
pub(super) struct Cube {
    pub(super) purse: Purse,
    /// What a single game pays now.
    pub(super) stakes: i32,
    /// Whether gammons count only once the cube was turned.
    pub(super) jacoby: bool,
}

/// How much of the way from the first sound double to the last taken one is waited for.
const PATIENCE: f32 = 0.65;
/// What owning the cube adds: who takes may have so much less.
const OWNED: f32 = 0.87;

impl Cube {
    /// What the game is worth at these stakes, to who has these chances.
    fn value(&self, stakes: i32, chances: Chances, gammons: bool) -> f32 {
        let [won, lost] = self.ends(stakes, chances, gammons);
        chances.win * won + (1.0 - chances.win) * lost
    }

    /// What a won game and a lost one are worth on average.
    fn ends(&self, stakes: i32, chances: Chances, gammons: bool) -> [f32; 2] {
        let share = |part: f32, whole: f32| if gammons { part / whole.max(0.01) } else { 0.0 };
        let end = |sign: i32, gammon: f32| {
            let worth = |level: i32| self.purse.worth(sign * level * stakes);
            (1.0 - gammon) * worth(1) + gammon * worth(2)
        };
        let won = share(chances.gammon, chances.win).min(1.0);
        let lost = share(chances.gammoned, 1.0 - chances.win).min(1.0);
        [end(1, won), end(-1, lost)]
    }

    /// What the winning chances of who is doubled must reach to take, all being as it is.
    fn take_point(&self, chances: Chances) -> f32 {
        let [won, lost] = self.ends(2 * self.stakes, chances, true);
        OWNED * (self.purse.worth(-self.stakes) - lost) / (won - lost).max(1e-6)
    }

    /// Whether who has these chances takes a double.
    pub(super) fn takes(&self, chances: Chances) -> bool {
        chances.win >= self.take_point(chances)
    }

    /// Whether who has these chances and is on roll doubles; `theirs` is the other's cube.
    pub(super) fn doubles(&self, chances: Chances, theirs: &Cube) -> bool {
        let cash = 1.0 - theirs.take_point(chances.swapped());
        let now = self.value(self.stakes, chances, !self.jacoby);
        if chances.win >= cash {
            // What is worth more played on for a gammon is not cashed.
            return now < self.purse.worth(self.stakes);
        }
        let [won, lost] = self.ends(self.stakes, chances, !self.jacoby);
        let [won_more, lost_more] = self.ends(2 * self.stakes, chances, true);
        let (gain, risk) = (won_more - won, lost - lost_more);
        if gain <= 0.0 {
            return false;
        }
        // Where both stakes are worth the same, then up to where they are dropped.
        let even = risk / (gain + risk);
        even <= 0.0 || chances.win >= even + PATIENCE * (cash - even)
    }
}

/// The chance to win a match that needs so many points, the other so many; `late` says that there
/// is no Crawford game to come.
fn match_chance(mine: u32, theirs: u32, late: bool) -> f32 {
    match (mine as usize, theirs as usize) {
        (0, _) => 1.0,
        (_, 0) => 0.0,
        (1, theirs) if late => 1.0 - TRAILS[theirs.min(TRAILS.len()) - 1],
        (mine, 1) if late => TRAILS[mine.min(TRAILS.len()) - 1],
        (mine, theirs) if mine.max(theirs) <= EQUITY.len() => EQUITY[mine - 1][theirs - 1],
        // A rule of thumb for what the table does not have.
        (mine, theirs) => {
            let lead = theirs as f32 - mine as f32;
            (0.5 + 0.85 * lead / (mine.max(theirs) as f32 + 6.0)).clamp(0.01, 0.99)
        }
    }
}

/// The chance to win a match, by the points one needs, down, and the other needs, across. Where one
/// needs a point it is the Crawford game. Kazaross-XG2, © 2011 Neil Kazaross, free to copy with this
/// notice.
const EQUITY: [[f32; 9]; 9] = [
    [0.50000, 0.67736, 0.75076, 0.81436, 0.84179, 0.88731, 0.90724, 0.93250, 0.94402],
    [0.32264, 0.50000, 0.59947, 0.66870, 0.74359, 0.79940, 0.84225, 0.87539, 0.90197],
    [0.24924, 0.40053, 0.50000, 0.57150, 0.64795, 0.71123, 0.76209, 0.80468, 0.84017],
    [0.18564, 0.33130, 0.42850, 0.50000, 0.57732, 0.64285, 0.69924, 0.74577, 0.78799],
    [0.15821, 0.25641, 0.35205, 0.42268, 0.50000, 0.56635, 0.62638, 0.67786, 0.72540],
    [0.11269, 0.20060, 0.28877, 0.35715, 0.43365, 0.50000, 0.56261, 0.61636, 0.66787],
    [0.09276, 0.15775, 0.23791, 0.30076, 0.37362, 0.43739, 0.50000, 0.55480, 0.60854],
    [0.06750, 0.12461, 0.19532, 0.25423, 0.32214, 0.38364, 0.44520, 0.50000, 0.55442],
    [0.05598, 0.09803, 0.15983, 0.21201, 0.27460, 0.33213, 0.39146, 0.44558, 0.50000],
];

/// The same after the Crawford game, for who needs so many points and the other one.
const TRAILS: [f32; 15] = [
    0.50000, 0.48803, 0.32264, 0.31002, 0.19012, 0.18072, 0.11559, 0.10906, 0.06953, 0.06516,
    0.04207, 0.03906, 0.02537, 0.02343, 0.01530,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn at(win: f32) -> Chances {
        Chances { win, gammon: 0.0, gammoned: 0.0 }
    }

    #[test]
    fn for_money_a_fifth_takes_and_two_thirds_double() {
        let cube = Cube { purse: Purse::Money, stakes: 1, jacoby: false };
        assert!(cube.takes(at(0.23)) && !cube.takes(at(0.20)));
        let doubles = |win| cube.doubles(at(win), &cube);
        assert!(!doubles(0.60) && doubles(0.70) && doubles(0.95));
        // With gammons to come it is worth more played on.
        let good = Chances { win: 0.97, gammon: 0.6, gammoned: 0.0 };
        assert!(!cube.doubles(good, &cube));
        assert!(Cube { jacoby: true, ..cube }.doubles(good, &cube));
    }

    #[test]
    fn who_trails_after_the_crawford_game_doubles_at_once() {
        let cube = |mine, theirs| Cube {
            purse: Purse::Match { mine, theirs, late: true },
            stakes: 1,
            jacoby: false,
        };
        assert!(cube(3, 1).doubles(at(0.45), &cube(1, 3)));
        // The leader has nothing to win by it.
        assert!(!cube(1, 3).doubles(at(0.7), &cube(3, 1)));
    }
}
