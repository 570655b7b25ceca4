//! All plays of a roll: every final position once, without hashing or allocation.
//!
//! Plays are handed around in bundles that share all steps but the last. What follows explains why
//! no position turns up twice.
//!
//! *Doubles.* Any play can be put in the order of falling sources: a step from further back never
//! needs a step from further ahead. How often each place is left can be read off the final
//! position, from the back to the front. So plays in that order and positions match one to one.
//!
//! *Two dice.* A play is a pair of sources, one for each die; the order of the two steps makes no
//! difference where both orders are possible. Everything reachable with the higher die first is
//! taken that way, and with the lower die first only what is left. Two different pairs give one
//! position only when
//! - one man goes the whole way over either of two points and hits on neither, or
//! - both dice bear off men that either die would bear off.

use crate::board::{BAR, Board, Sight, Step, bit};
use std::collections::HashSet;

/// A roll of two dice, in no order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dice {
    high: u8,
    low: u8,
}

impl Dice {
    /// The 21 different rolls.
    pub const ALL: [Dice; 21] = {
        let mut all = [Dice { high: 1, low: 1 }; 21];
        let (mut i, mut high) = (0, 1);
        while high <= 6 {
            let mut low = 1;
            while low <= high {
                all[i] = Dice { high, low };
                i += 1;
                low += 1;
            }
            high += 1;
        }
        all
    };

    /// A roll, unless a die does not show 1 to 6.
    pub fn new(a: u8, b: u8) -> Option<Dice> {
        let valid = (1..=6).contains(&a) && (1..=6).contains(&b);
        valid.then(|| Dice { high: a.max(b), low: a.min(b) })
    }

    /// The higher die.
    pub fn high(self) -> u8 {
        self.high
    }

    /// The lower die, equal to the higher one in a double.
    pub fn low(self) -> u8 {
        self.low
    }

    /// Whether both dice show the same, and are played twice each.
    pub fn is_double(self) -> bool {
        self.high == self.low
    }

    /// In how many of the 36 throws this roll comes up.
    pub fn weight(self) -> u64 {
        if self.is_double() { 1 } else { 2 }
    }
}

/// One way to play a roll, and the position it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Play {
    steps: [Step; 4],
    len: usize,
    board: Board,
}

impl Play {
    fn new(path: Path, board: Board) -> Play {
        let mut steps = [Step::default(); 4];
        let len = path.len();
        for (i, step) in steps[..len].iter_mut().enumerate() {
            *step = path.step(len - 1 - i);
        }
        Play { steps, len, board }
    }

    /// The steps in the order they are made; none when no man can move.
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.len]
    }

    /// The position after the last step, still seen from the mover.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

/// Up to four steps, 16 bits each, the latest lowest. A number rather than an array, because it is
/// copied at every step and mostly not read.
#[derive(Clone, Copy, Default)]
struct Path(u64);

impl Path {
    fn then(self, step: Step) -> Path {
        Path(self.0 << 16 | u64::from(step.from) << 8 | u64::from(step.die))
    }

    fn len(self) -> usize {
        4 - self.0.leading_zeros() as usize / 16
    }

    /// The step that has `later` others after it.
    fn step(self, later: usize) -> Step {
        let [die, from, ..] = (self.0 >> (16 * later)).to_le_bytes();
        Step { from, die }
    }
}

/// Where a play may stand after some of its steps.
#[derive(Clone, Copy)]
struct Stop {
    sight: Sight,
    path: Path,
}

impl Stop {
    #[inline]
    fn after(&self, step: Step) -> Stop {
        Stop { sight: self.sight.after(step), path: self.path.then(step) }
    }
}

/// Plays that differ in their last step only.
#[derive(Clone, Copy)]
struct Bundle {
    stop: Stop,
    /// What the last step is made with.
    die: u8,
    /// From where the last step may start.
    sources: u32,
}

impl Bundle {
    fn len(&self) -> u32 {
        self.sources.count_ones()
    }

    /// The position the play with this index leads to.
    fn nth(&self, index: u32) -> Board {
        let rest = (0..index).fold(self.sources, |rest, _| rest & rest.wrapping_sub(1));
        let step = Step { from: rest.trailing_zeros() as u8, die: self.die };
        self.stop.sight.after(step).board
    }

    #[inline]
    fn for_each(&self, mut visit: impl FnMut(Step, Board)) {
        let sight = &self.stop.sight;
        let hitting = self.sources & sight.blots << self.die;
        for from in Places(self.sources & !hitting) {
            let step = Step { from, die: self.die };
            visit(step, sight.quiet(step));
        }
        for from in Places(hitting) {
            let step = Step { from, die: self.die };
            visit(step, sight.hitting(step));
        }
    }
}

/// The places in a mask, lowest first.
struct Places(u32);

impl Iterator for Places {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let place = (self.0 != 0).then(|| self.0.trailing_zeros() as u8);
        self.0 &= self.0.wrapping_sub(1);
        place
    }
}

/// A board made ready for the plays of several rolls.
#[derive(Clone, Copy)]
pub struct Plays {
    sight: Sight,
}

impl Plays {
    /// Looks at a board from the player on roll.
    pub fn of(board: &Board) -> Plays {
        Plays { sight: Sight::of(*board) }
    }

    /// As [`for_each_position`].
    #[inline]
    pub fn for_each_position(&self, dice: Dice, mut visit: impl FnMut(Board)) -> u8 {
        let used = self.bundles(dice, &mut |bundle| bundle.for_each(|_, board| visit(board)));
        if used == 0 {
            visit(self.sight.board);
        }
        used
    }

    /// As [`for_each_play`].
    #[inline]
    pub fn for_each_play(&self, dice: Dice, mut visit: impl FnMut(Play)) -> u8 {
        let used = self.bundles(dice, &mut |bundle| {
            bundle.for_each(|step, board| visit(Play::new(bundle.stop.path.then(step), board)));
        });
        if used == 0 {
            visit(Play::new(Path::default(), self.sight.board));
        }
        used
    }

    /// Finds all plays of a roll and returns how many dice they use.
    #[inline]
    fn bundles(&self, dice: Dice, visit: &mut impl FnMut(&Bundle)) -> u8 {
        let start = Stop { sight: self.sight, path: Path::default() };
        if dice.is_double() {
            // Mostly all four can be played, so the failed attempts cost little.
            let found = (1..=4).rev().find(|&steps| falling(&start, dice.high, steps, !0, visit));
            found.unwrap_or(0)
        } else if mixed(&start, dice, visit) {
            2
        } else {
            // Only one of the dice can be played, if any: the higher one where there is a choice.
            let found =
                [dice.high, dice.low].into_iter().any(|die| falling(&start, die, 1, !0, visit));
            u8::from(found)
        }
    }
}

/// Plays that go on from `stop` by exactly `steps` steps of one die, none from further back than
/// the one before; `allowed` holds the sources left by that. Tells whether there are any.
fn falling(stop: &Stop, die: u8, steps: u8, allowed: u32, visit: &mut impl FnMut(&Bundle)) -> bool {
    let sources = stop.sight.sources(die) & allowed;
    if steps == 1 {
        return finish(*stop, die, sources, visit);
    }
    let mut found = false;
    for from in Places(sources) {
        let not_further_back = bit(from + 1) - 1;
        let next = stop.after(Step { from, die });
        found |= falling(&next, die, steps - 1, not_further_back, visit);
    }
    found
}

/// Plays that use both of two different dice. Tells whether there are any.
#[inline]
fn mixed(start: &Stop, dice: Dice, visit: &mut impl FnMut(&Bundle)) -> bool {
    let Dice { high, low } = dice;
    let sight = &start.sight;
    let high_first = sight.sources(high);
    // Men that can go by the higher die first and meet no blot either way: where such a man goes
    // on by the lower die, its way around, by the lower die first, is left out.
    let straight = high_first & beyond(high) & !(sight.blots << high | sight.blots << low);
    let mut found = false;
    for from in Places(high_first) {
        let next = start.after(Step { from, die: high });
        // The man behind steps to where this one stood, as if it had gone the way around.
        let around = straight & bit(from + low);
        found |= finish(next, low, next.sight.sources(low) & !around, visit);
    }
    // Bearing off by the lower die first adds nothing: the other man could have gone before, or
    // either die bears off either man.
    for from in Places(sight.sources(low) & beyond(low)) {
        let next = start.after(Step { from, die: low });
        let mut sources = next.sight.sources(high) & !high_first;
        let same_man = bit(from - low);
        if sources & same_man != 0 && straight & bit(from) != 0 {
            // The straight way can fail at the end, where men behind forbid bearing off.
            let halfway = sight.after(Step { from, die: high });
            if halfway.sources(low) & bit(from - high) != 0 {
                sources &= !same_man;
            }
        }
        found |= finish(next, high, sources, visit);
    }
    found
}

/// Hands over the plays that end with a step from one of the sources. Tells whether there are any.
#[inline]
fn finish(stop: Stop, die: u8, sources: u32, visit: &mut impl FnMut(&Bundle)) -> bool {
    if sources != 0 {
        visit(&Bundle { stop, die, sources });
    }
    sources != 0
}

/// The places from where a die does not bear off.
fn beyond(die: u8) -> u32 {
    !(bit(die + 1) - 1)
}

/// Visits every distinct position the roll can lead to exactly once, still seen from the mover, and
/// returns how many dice were used. Where no man can move that is 0, and the unchanged board is
/// visited.
pub fn for_each_position(board: &Board, dice: Dice, visit: impl FnMut(Board)) -> u8 {
    Plays::of(board).for_each_position(dice, visit)
}

/// As [`for_each_position`], with the steps of one way to get there.
pub fn for_each_play(board: &Board, dice: Dice, visit: impl FnMut(Play)) -> u8 {
    Plays::of(board).for_each_play(dice, visit)
}

/// How far dice can be played; more is what the rules ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Reach {
    /// How many dice are used.
    pub used: u8,
    /// The die, where just one is used: of two different dice the higher must be taken.
    pub only: Option<u8>,
}

impl Reach {
    /// The reach of a play that makes a step with `die` before this one.
    pub fn preceded_by(self, die: u8) -> Reach {
        Reach { used: self.used + 1, only: (self.used == 0).then_some(die) }
    }
}

/// The most that can be made of the dice left to play, up to four, at any point of a turn.
pub fn longest(board: &Board, remaining: &[u8]) -> Reach {
    reach(&Sight::of(*board), Left::of(remaining))
}

/// Makes a step of a turn: one of the dice left is used, and the turn can still become as long as
/// the rules ask for. Gives what [`Board::step`] gives.
pub fn lawful_step(board: &Board, remaining: &[u8], step: Step) -> Option<(Board, bool)> {
    let left = Left::of(remaining);
    let after = left.without(step.die)?;
    let (next, hit) = board.step(step)?;
    let with_step = reach(&Sight::of(next), after).preceded_by(step.die);
    (with_step == reach(&Sight::of(*board), left)).then_some((next, hit))
}

/// Visits every distinct position that the dice left to play can lead to, at any point of a turn,
/// with the steps of one way to get there; the unchanged board without steps where none can.
pub fn for_each_rest(board: &Board, remaining: &[u8], mut visit: impl FnMut(&[Step], &Board)) {
    let whole = match *remaining {
        [a, b] if a != b => Dice::new(a, b),
        [a, _, _, _] => Dice::new(a, a),
        _ => None,
    };
    match whole {
        Some(dice) => _ = for_each_play(board, dice, |play| visit(play.steps(), play.board())),
        None => walk(board, remaining, &mut Vec::new(), &mut HashSet::new(), &mut visit),
    }
}

fn walk(
    board: &Board,
    remaining: &[u8],
    steps: &mut Vec<Step>,
    seen: &mut HashSet<(Board, usize)>,
    visit: &mut impl FnMut(&[Step], &Board),
) {
    if !seen.insert((*board, remaining.len())) {
        return;
    }
    let mut stuck = true;
    for (i, &die) in remaining.iter().enumerate() {
        let rest = [&remaining[..i], &remaining[i + 1..]].concat();
        for from in (1..=BAR).rev() {
            let step = Step { from, die };
            if let Some((after, _)) = lawful_step(board, remaining, step) {
                stuck = false;
                steps.push(step);
                walk(&after, &rest, steps, seen, visit);
                steps.pop();
            }
        }
    }
    if stuck {
        visit(steps, board);
    }
}

fn reach(sight: &Sight, left: Left) -> Reach {
    let mut best = Reach::default();
    for die in 1..=6 {
        let Some(after) = left.without(die) else { continue };
        for from in Places(sight.sources(die)) {
            let next = sight.after(Step { from, die });
            best = best.max(reach(&next, after).preceded_by(die));
            // Nothing can beat the use of all dice.
            if best.used == left.dice() {
                return best;
            }
        }
    }
    best
}

/// How many dice of each face are left to play.
#[derive(Clone, Copy)]
struct Left([u8; 7]);

impl Left {
    fn of(dice: &[u8]) -> Left {
        Left(std::array::from_fn(|face| {
            dice.iter().filter(|&&die| usize::from(die) == face).count() as u8
        }))
    }

    fn dice(self) -> u8 {
        self.0.iter().sum()
    }

    fn without(mut self, die: u8) -> Option<Left> {
        let dice = self.0.get_mut(usize::from(die))?;
        *dice = dice.checked_sub(1)?;
        Some(self)
    }
}

/// Plays at random: every distinct position a roll allows is equally likely.
#[derive(Default)]
pub struct RandomPlayer {
    // Kept from turn to turn, so that playing does not allocate.
    bundles: Vec<Bundle>,
}

impl RandomPlayer {
    /// Picks a position; `below(n)` gives a random number from 0 to n - 1.
    pub fn play(&mut self, board: &Board, dice: Dice, below: &mut impl FnMut(u32) -> u32) -> Board {
        self.bundles.clear();
        let mut positions = 0;
        Plays::of(board).bundles(dice, &mut |bundle| {
            positions += bundle.len();
            self.bundles.push(*bundle);
        });
        if positions == 0 {
            return *board;
        }
        let mut index = below(positions);
        for bundle in &self.bundles {
            match index.checked_sub(bundle.len()) {
                Some(rest) => index = rest,
                None => return bundle.nth(index),
            }
        }
        unreachable!("the index is below the number of positions")
    }

    /// Plays from the opening to the end; gives the number of turns and the last board, seen from
    /// the player who made the last move and won.
    pub fn game(&mut self, below: &mut impl FnMut(u32) -> u32) -> (u32, Board) {
        let mut board = Board::OPENING;
        let mut turns = 0;
        loop {
            let throw = below(36) as u8;
            let (a, b) = (throw / 6 + 1, throw % 6 + 1);
            let dice = Dice { high: a.max(b), low: a.min(b) };
            // The first roll decides who begins, so it is never a double.
            if turns == 0 && dice.is_double() {
                continue;
            }
            turns += 1;
            board = self.play(&board, dice, below);
            if board.over() {
                return (turns, board);
            }
            board = board.swapped();
        }
    }
}
