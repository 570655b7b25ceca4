//! Gomoku: placing and judging stones, beside a plain scan, and forbidden points.

use crate::door::json_game;
use crate::random::Random;
use crate::timing::{Contender, compare};
use parlor_rules::{Draws, Erased, Input, Rules, Seeded, Series};
use parlor_rules_gomoku::Gomoku;
use parlor_rules_gomoku::board::{Colour, Lines, Point, Size};
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::renju::forbidden;
use parlor_rules_gomoku::rule::Rule;
use parlor_rules_gomoku::state::Config;
use std::hint::black_box;

const ROUNDS: usize = 7;
const GAMES: u64 = 20_000;
const DOOR_GAMES: u64 = 500;
const POSITIONS: usize = 1_000;
const SIDE: usize = 15;

pub(crate) fn run() {
    println!(" stones placed and judged in random games, rule standard, one thread");
    let (ours, scans) = (games(&mut Random(7)), plain::games(&mut Random(7)));
    assert_eq!(ours, scans, "both must play the same games to the same ends");
    let (mut random, mut plain_random) = (Random(7), Random(7));
    compare(
        ROUNDS,
        "stones",
        vec![
            Contender { name: "parlor", work: Box::new(|| games(&mut random).0) },
            Contender { name: "scan", work: Box::new(|| plain::games(&mut plain_random).0) },
        ],
    );

    println!(" the same through the door, one thread");
    let (mut random, mut chance) = (Random(7), Seeded::new("bench"));
    let config = parlor_rules::json(&standard());
    compare(
        ROUNDS,
        "stones",
        vec![
            Contender {
                name: "typed",
                work: Box::new(|| (0..DOOR_GAMES).map(|_| door_game(&mut random)).sum()),
            },
            Contender {
                name: "JSON",
                work: Box::new(|| {
                    (0..DOOR_GAMES / 10).map(|_| json_game(&GAME, &config, &mut chance)).sum()
                }),
            },
        ],
    );

    let positions = midgames();
    let stones: u32 = positions.iter().map(|board| u32::from(board.stones())).sum();
    let fouls: u32 = positions.iter().map(|board| forbidden(board).len()).sum();
    println!(
        " renju: all forbidden points of {POSITIONS} midgame positions of {:.1} stones, {fouls} in \
         all, one thread",
        f64::from(stones) / POSITIONS as f64
    );
    let all = |positions: &[Lines]| {
        let found: u32 = positions.iter().map(|board| forbidden(black_box(board)).len()).sum();
        assert_eq!(found, fouls);
        positions.len() as u64
    };
    compare(
        ROUNDS,
        "positions",
        vec![Contender {
            name: "parlor",
            work: Box::new(|| (0..100).map(|_| all(&positions)).sum()),
        }],
    );
}

/// All points of a board, to be drawn from without looking for free ones.
fn points() -> [Point; SIDE * SIDE] {
    std::array::from_fn(|i| Point::new((i % SIDE) as u8, (i / SIDE) as u8))
}

/// Plays random games; how many stones were laid, and how many games were won.
fn games(random: &mut Random) -> (u64, u64) {
    let (mut laid, mut won) = (0, 0);
    let mut left = points();
    for _ in 0..GAMES {
        let mut board = Lines::new(Size::USUAL);
        for stones in 0..left.len() {
            let rest = left.len() - stones;
            let drawn = random.below(rest as u32) as usize;
            let point = left[drawn];
            left.swap(drawn, rest - 1);
            let colour = Colour::after(stones);
            board.lay(colour, point);
            laid += 1;
            if Rule::Standard.wins(&board, colour, point) {
                won += 1;
                break;
            }
        }
        black_box(&board);
    }
    (laid, won)
}

/// What one writes first: a grid, and from the last stone a walk both ways on four lines.
mod plain {
    use super::{GAMES, Random, SIDE, points};
    use std::hint::black_box;

    pub(super) fn games(random: &mut Random) -> (u64, u64) {
        let (mut laid, mut won) = (0, 0);
        let mut left = points();
        for _ in 0..GAMES {
            let mut grid = [0u8; SIDE * SIDE];
            for stones in 0..left.len() {
                let rest = left.len() - stones;
                let drawn = random.below(rest as u32) as usize;
                let point = left[drawn];
                left.swap(drawn, rest - 1);
                let (x, y) = (i32::from(point.x), i32::from(point.y));
                grid[(y * SIDE as i32 + x) as usize] = 1 + (stones % 2) as u8;
                laid += 1;
                if five(&grid, x, y) {
                    won += 1;
                    break;
                }
            }
            black_box(&grid);
        }
        (laid, won)
    }

    fn five(grid: &[u8; SIDE * SIDE], x: i32, y: i32) -> bool {
        let side = SIDE as i32;
        let colour = grid[(y * side + x) as usize];
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
            let mut run = 1;
            for sign in [-1, 1] {
                let (mut x, mut y) = (x + sign * dx, y + sign * dy);
                while (0..side).contains(&x)
                    && (0..side).contains(&y)
                    && grid[(y * side + x) as usize] == colour
                {
                    run += 1;
                    (x, y) = (x + sign * dx, y + sign * dy);
                }
            }
            run == 5
        })
    }
}

type Match = Series<Gomoku>;

static GAME: Erased<Match> = Erased::new();

fn standard() -> Config {
    Config { rule: Rule::Standard, ..Config::default() }
}

/// Every stone is decided and applied; the generator chooses where it goes.
fn door_game(random: &mut Random) -> u64 {
    let mut chance = Seeded::new("");
    let mut state = Match::begin(&standard(), 2, &mut Draws::new(&mut chance))
        .expect("the options can be opened");
    let (mut left, mut stones) = (points(), 0);
    while let Some(asked) = Match::pending(&state).asked().first() {
        let rest = left.len() - stones as usize;
        let drawn = random.below(rest as u32) as usize;
        let Point { x, y } = left[drawn];
        left.swap(drawn, rest - 1);
        let command = Command::Move { x: x.into(), y: y.into() };
        let input = Input::Play { seat: asked.seat, command };
        Match::play(&mut state, &input, &mut Draws::new(&mut chance)).expect("a free point");
        stones += 1;
    }
    black_box(state);
    stones
}

/// Positions of 20 to 80 stones as games have them: every stone near another.
fn midgames() -> Vec<Lines> {
    let mut random = Random(11);
    let middle = Point::new(7, 7);
    let midgame = |_| {
        let mut board = Lines::new(Size::USUAL);
        board.lay(Colour::Black, middle);
        let mut laid = vec![middle];
        let stones = 20 + random.below(61) as usize;
        while laid.len() < stones {
            let from = laid[random.below(laid.len() as u32) as usize];
            let mut near = |at: u8| (at + random.below(5) as u8).wrapping_sub(2);
            let point = Point::new(near(from.x), near(from.y));
            if board.is_free(point) {
                board.lay(Colour::after(laid.len()), point);
                laid.push(point);
            }
        }
        board
    };
    (0..POSITIONS).map(midgame).collect()
}
