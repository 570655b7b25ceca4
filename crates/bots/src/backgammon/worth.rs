//! What a position of backgammon is worth: the chances of both sides, from what can be counted.
//!
//! While men can still meet, the chances are logistic sums over [`COUNTS`] numbers of each side;
//! afterwards they follow from the race alone.

use crate::Level;
use parlor_rules_backgammon::board::{BAR, Board, MEN, OFF, PLACES, Side};

/// The chances of the player on roll.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chances {
    /// To win, at whatever level.
    pub(super) win: f32,
    /// To win a gammon or more.
    pub(super) gammon: f32,
    /// To lose a gammon or more.
    pub(super) gammoned: f32,
}

impl Chances {
    /// The same for the other player.
    pub(super) fn swapped(self) -> Self {
        Self { win: 1.0 - self.win, gammon: self.gammoned, gammoned: self.gammon }
    }

    /// What the game is worth in points, at stakes of one and without a cube.
    pub(super) fn equity(self) -> f32 {
        2.0 * self.win - 1.0 + self.gammon - self.gammoned
    }
}

/// How many numbers are counted of a side.
const COUNTS: usize = 22;

/// The weights of a constant, of the numbers of the player on roll and of those of the other, for
/// each of the three chances.
pub(super) type Weights = [[f32; 3]; 1 + 2 * COUNTS];

type Men = [u8; PLACES];

/// The chances of the player on roll.
pub(super) fn chances(board: &Board, weights: &Weights) -> Chances {
    let (own, other) = (board.places(Side::Own), board.places(Side::Other));
    if own[usize::from(OFF)] == MEN || other[usize::from(OFF)] == MEN {
        return over(board);
    }
    if !contact(&own, &other) {
        return race(&own, &other);
    }
    let counted = [counts(&own, &other), counts(&other, &own)];
    let mut sums = weights[0];
    for (count, weights) in counted.as_flattened().iter().zip(&weights[1..]) {
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += count * weight);
    }
    let [win, gammon, gammoned] = sums.map(logistic);
    let saved = |men: &Men, chance: f32| if men[usize::from(OFF)] > 0 { 0.0 } else { chance };
    let (gammon, gammoned) = (saved(&other, gammon), saved(&own, gammoned));
    Chances { win, gammon: gammon.min(win), gammoned: gammoned.min(1.0 - win) }
}

fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

fn over(board: &Board) -> Chances {
    match board.win_level() {
        Some((Side::Own, level)) => {
            Chances { win: 1.0, gammon: f32::from(level.min(2) - 1), gammoned: 0.0 }
        }
        Some((Side::Other, level)) => {
            Chances { win: 0.0, gammon: 0.0, gammoned: f32::from(level.min(2) - 1) }
        }
        None => Chances { win: 0.5, gammon: 0.0, gammoned: 0.0 },
    }
}

/// How far back the last man of a side is.
fn rearmost(men: &Men) -> usize {
    (1..PLACES).rev().find(|place| men[*place] > 0).unwrap_or(0)
}

/// Whether men of the two sides can still meet.
pub(super) fn contact(own: &Men, other: &Men) -> bool {
    rearmost(own) + rearmost(other) > usize::from(BAR)
}

fn pips(men: &Men) -> f32 {
    (0u32..).zip(men).map(|(place, men)| (place * u32::from(*men)) as f32).sum()
}

/// The pips a side needs to bear off, with those that are lost to men in the wrong places: on low
/// points, above gaps, and left at all.
fn needs(men: &Men) -> f32 {
    let above = |place: usize, fine: u8| f32::from(men[place].saturating_sub(fine));
    let gaps = (4..=6).filter(|place| men[*place] == 0).count() as f32;
    let left = f32::from(MEN - men[usize::from(OFF)]);
    pips(men) + 2.0 * above(1, 1) + above(2, 1) + above(3, 3) + gaps + 0.6 * left
}

/// What a throw moves on average.
const THROW: f32 = 8.17;

fn race(own: &Men, other: &Men) -> Chances {
    let (mine, theirs) = (needs(own), needs(other));
    // The weights are those of a logistic fit to games of this player against itself.
    let win = logistic((RACE[0] + RACE[1] * (theirs - mine)) / mine.max(4.0).sqrt());
    // Throws until all are home and one is off, against throws until all are off.
    let saves = |men: &Men| {
        let home: f32 = (7..PLACES).map(|place| f32::from(men[place]) * (place as f32 - 6.0)).sum();
        (home * 1.08 + 4.0) / THROW
    };
    let done =
        |men: &Men, needs: f32| (needs / THROW).max(f32::from(MEN - men[usize::from(OFF)]) / 2.3);
    let gammon = |winner: &Men, needs: f32, loser: &Men, first: f32| {
        let safe = loser[usize::from(OFF)] > 0;
        if safe { 0.0 } else { logistic(2.2 * (saves(loser) - done(winner, needs) + first)) }
    };
    let (gammon, gammoned) = (gammon(own, mine, other, 0.5), gammon(other, theirs, own, -0.5));
    Chances { win, gammon: gammon.min(win), gammoned: gammoned.min(1.0 - win) }
}

const RACE: [f32; 2] = [4.5, 1.17];

/// What is counted of a side while men can meet. [`FITTED`] says what each number is.
fn counts(own: &Men, other: &Men) -> [f32; COUNTS] {
    let made = |place: usize| f32::from(u8::from(own[place] >= 2));
    let sum = |places: std::ops::RangeInclusive<usize>| -> f32 {
        places.map(|place| f32::from(own[place])).sum()
    };
    let bar = f32::from(own[usize::from(BAR)]);
    let (chance, loss) = shots(own, other);
    let back = rearmost(own);
    let theirs = |place: usize| other[usize::from(BAR) - place] >= 2;
    let ahead = (back.saturating_sub(6).max(1)..back.min(25)).filter(|place| theirs(*place));
    let hemmed = ahead.count() as f32;
    let shut = (1..=6).filter(|place| other[*place] >= 2).count() as f32 / 6.0;
    let front = usize::from(BAR) - rearmost(other);
    let stacked: f32 = own[1..25].iter().map(|men| f32::from(men.saturating_sub(3))).sum();
    let builders = (7..=12).filter(|place| own[*place] > 0).count() as f32;
    [
        pips(own) / 100.0,
        chance,
        loss / 10.0,
        bar,
        made(7),
        made(6),
        made(5),
        made(4),
        made(3),
        made(2) + made(1),
        made(20) + made(21),
        made(22) + made(23) + made(24),
        made(18) + made(19),
        sum(19..=24) / 4.0,
        hemmed / 4.0,
        hemmed * hemmed / 16.0,
        stacked / 4.0,
        sum(1..=2) / 4.0,
        builders / 4.0,
        f32::from(own[usize::from(OFF)]) / 15.0,
        shut * shut * bar.min(2.0),
        sum(front.clamp(1, 24)..=24) / 15.0,
    ]
}

/// The rolls that hit by one die a man so far away, a bit for each of the 21 rolls.
static DIRECT: [u32; 7] = {
    let mut direct = [0; 7];
    let mut high = 1;
    while high <= 6 {
        let mut low = 1;
        while low <= high {
            direct[high] |= roll(high, low);
            direct[low] |= roll(high, low);
            low += 1;
        }
        high += 1;
    }
    direct
};

/// The bit of a roll.
const fn roll(high: usize, low: usize) -> u32 {
    1 << (high * (high - 1) / 2 + low - 1)
}

/// The doubles among the rolls.
const DOUBLES: u32 = roll(1, 1) | roll(2, 2) | roll(3, 3) | roll(4, 4) | roll(5, 5) | roll(6, 6);

/// How many of the 36 throws these rolls are.
fn throws(rolls: u32) -> f32 {
    (2 * rolls.count_ones() - (rolls & DOUBLES).count_ones()) as f32
}

/// How likely a blot of this side is hit by the other, if that one is on roll; and how many pips
/// that costs on average.
fn shots(own: &Men, other: &Men) -> (f32, f32) {
    let open = |place: usize| own[place] < 2;
    let on_bar = other[usize::from(BAR)];
    let (mut seen, mut loss) = (0, 0.0);
    for blot in (1..=24).filter(|place| own[*place] == 1) {
        let mut hits = 0;
        // The other side comes from its bar, place 0 here, and moves up.
        for from in (0..blot).filter(|from| other[usize::from(BAR) - from] > 0) {
            if on_bar > 1 && from > 0 {
                break;
            }
            let far = blot - from;
            let direct = if far <= 6 { DIRECT[far] } else { 0 };
            if on_bar > 0 && from > 0 {
                // The other die has to enter.
                let shut = (1..=6).filter(|die| direct != 0 && !open(*die));
                let stay = shut.fold(0, |rolls, die| rolls | roll(die.max(far), die.min(far)));
                hits |= direct & !stay;
                continue;
            }
            hits |= direct;
            for low in 1..=6 {
                if far > low && far - low <= 6 && far - low > low {
                    let high = far - low;
                    if open(from + low) || open(from + high) {
                        hits |= roll(high, low);
                    }
                }
                let steps = far / low;
                if far.is_multiple_of(low)
                    && (2..=4).contains(&steps)
                    && (1..steps).all(|step| open(from + step * low))
                {
                    hits |= roll(low, low);
                }
            }
        }
        // The blots that have come furthest are looked at first.
        loss += throws(hits & !seen) * (25 - blot) as f32;
        seen |= hits;
    }
    (throws(seen) / 36.0, loss / 36.0)
}

/// The weights that a logistic fit to 80,000 games of this player against itself gave.
/// For each chance: to win, to win a gammon, to lose one.
const FITTED: Weights = [
    // A constant.
    [0.415, -5.380, -5.970],
    // The player on roll: pips to go, in hundreds.
    [-2.087, -2.051, 3.559],
    // The player on roll: the chance that a blot is hit, were the other on roll.
    [0.123, 0.058, -0.094],
    // The player on roll: the pips that costs, in tens.
    [-0.169, 0.081, 0.410],
    // The player on roll: men on the bar.
    [-0.101, 0.147, 0.102],
    // The player on roll: the bar point made.
    [0.049, -0.001, 0.017],
    // The player on roll: the six point made.
    [0.159, 0.078, -0.121],
    // The player on roll: the five point made.
    [0.184, 0.301, -0.118],
    // The player on roll: the four point made.
    [0.103, 0.203, -0.078],
    // The player on roll: the three point made.
    [0.035, 0.070, 0.004],
    // The player on roll: the deuce and the ace point made.
    [0.066, 0.099, -0.056],
    // The player on roll: an anchor on 20 or 21.
    [0.153, 0.103, -0.375],
    // The player on roll: an anchor on 22 to 24.
    [0.000, 0.056, -0.116],
    // The player on roll: an anchor on 18 or 19.
    [-0.169, 0.049, 0.207],
    // The player on roll: men back on 19 to 24, in fours.
    [-0.538, 0.177, 0.604],
    // The player on roll: points made before the last man, in fours.
    [0.180, 0.620, 0.199],
    // The player on roll: the square of that.
    [-0.338, -0.465, -0.142],
    // The player on roll: men stacked above three, in fours.
    [-0.186, -0.402, -0.003],
    // The player on roll: men on the deuce and the ace point, in fours.
    [-0.250, -0.217, 0.366],
    // The player on roll: points held on 7 to 12, in fours.
    [0.091, 0.103, 0.012],
    // The player on roll: men off, of all.
    [2.780, 3.021, -3.080],
    // The player on roll: a closed home against men on the bar.
    [-0.178, -0.061, 0.696],
    // The player on roll: men still behind the other's last, of all.
    [0.646, 0.794, -0.606],
    // The other: pips to go, in hundreds.
    [1.962, 3.730, -1.887],
    // The other: the chance that a blot is hit, were the other on roll.
    [-0.103, 0.028, 0.056],
    // The other: the pips that costs, in tens.
    [0.694, 1.113, -0.257],
    // The other: men on the bar.
    [0.011, 0.179, 0.176],
    // The other: the bar point made.
    [-0.082, -0.038, -0.016],
    // The other: the six point made.
    [-0.198, -0.118, 0.098],
    // The other: the five point made.
    [-0.192, -0.180, 0.298],
    // The other: the four point made.
    [-0.113, -0.098, 0.196],
    // The other: the three point made.
    [-0.050, 0.025, 0.071],
    // The other: the deuce and the ace point made.
    [-0.063, -0.069, 0.088],
    // The other: an anchor on 20 or 21.
    [-0.128, -0.282, 0.051],
    // The other: an anchor on 22 to 24.
    [0.113, 0.001, -0.077],
    // The other: an anchor on 18 or 19.
    [0.109, 0.117, 0.101],
    // The other: men back on 19 to 24, in fours.
    [0.272, 0.367, 0.365],
    // The other: points made before the last man, in fours.
    [-0.198, 0.316, 0.663],
    // The other: the square of that.
    [0.267, -0.265, -0.560],
    // The other: men stacked above three, in fours.
    [0.151, -0.005, -0.392],
    // The other: men on the deuce and the ace point, in fours.
    [0.202, 0.367, -0.182],
    // The other: points held on 7 to 12, in fours.
    [-0.133, 0.013, 0.257],
    // The other: men off, of all.
    [-3.135, -3.123, 3.534],
    // The other: a closed home against men on the bar.
    [0.265, 0.483, -0.337],
    // The other: men still behind the other's last, of all.
    [-0.632, -0.710, 1.063],
];

/// Which numbers are counts of blots.
const BLOTS: std::ops::Range<usize> = 1..3;
/// Which are of men that are held and hold: anchors, points before the last man.
const HOLDING: std::ops::Range<usize> = 10..16;

/// Which are of points made at home and before it.
const MADE: std::ops::Range<usize> = 4..10;

/// The weights of a level. Who has just learnt the rules runs, hardly minds a blot, and sees little
/// use in points that block, and none in one held behind.
pub(super) fn weights(level: Level) -> Weights {
    let mut weights = FITTED;
    if level == Level::Easy {
        for side in [1, 1 + COUNTS] {
            for (counts, share) in [(BLOTS, 0.1), (HOLDING, 0.0), (MADE, 0.4)] {
                for weight in weights[side..][counts].as_flattened_mut() {
                    *weight *= share;
                }
            }
        }
    }
    weights
}
