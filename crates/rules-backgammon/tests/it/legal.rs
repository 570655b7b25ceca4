//! The graph of plays that a board walks.

use crate::oracle::{self, Random};
use crate::support::board;
use parlor_rules::{Rules, Seat, Standing};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::board::{Board, Side};
use parlor_rules_backgammon::command::Move;
use parlor_rules_backgammon::legal::PLAYS_BYTES;
use parlor_rules_backgammon::plays::Dice;
use parlor_rules_backgammon::state::{Config, Phase, SEATS, State};
use parlor_testkit::count;
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};

#[derive(Deserialize)]
struct Legal {
    plays: Plays,
}

/// From, to, die, node.
type Edge = (Option<u8>, Option<u8>, u8, Option<usize>);

#[derive(Deserialize)]
struct Plays {
    whole: bool,
    nodes: Vec<Vec<Edge>>,
}

fn with_dice(board: Board, seat: Seat, dice: Dice) -> State {
    let mut state = State::fresh(Config::default(), Standing::new(2), false);
    state.board = if seat == SEATS[0] { board } else { board.swapped() };
    state.up = seat;
    state.phase = Phase::rolled([dice.high(), dice.low()]);
    state
}

/// What the seat is told, read back from its JSON.
fn told(state: &State) -> (Plays, usize) {
    let text = serde_json::to_string(&Backgammon::legal(state, state.up)).unwrap();
    (serde_json::from_str::<Legal>(&text).unwrap().plays, text.len())
}

/// Walks every way through the graph; the positions at its ends, and all steps on the way.
fn walk(plays: &Plays, board: Board, seat: Seat) -> HashSet<Board> {
    let mut reached: BTreeMap<usize, Board> = BTreeMap::from([(0, board)]);
    let mut ends = HashSet::new();
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        let here = reached[&node];
        if plays.nodes[node].is_empty() {
            ends.insert(here);
        }
        for &(from, to, die, next) in &plays.nodes[node] {
            let step = Move { from, to, die }.seen_by(seat).expect("a step that its die can make");
            let (after, _) = here.step(step).expect("a step the board allows");
            match reached.insert(next.unwrap(), after) {
                Some(known) => assert_eq!(known, after, "a node is one position"),
                None => open.push(next.unwrap()),
            }
        }
    }
    assert_eq!(reached.len(), plays.nodes.len(), "every node is reached");
    ends
}

#[test]
fn the_graph_ends_in_exactly_the_positions_the_rules_allow() {
    let mut random = Random::new(7);
    let mut whole = 0;
    for i in 0..count(150, 5_000) {
        let board = random.board();
        let seat = SEATS[i as usize % 2];
        for dice in Dice::ALL {
            let state = with_dice(board, seat, dice);
            let (plays, _) = told(&state);
            if plays.whole && !board.over() {
                whole += 1;
                let ends = walk(&plays, board, seat);
                assert_eq!(ends, oracle::positions(&board, dice), "{board:?} {dice:?}");
            }
        }
    }
    assert!(whole > 1_000, "too few graphs were walked: {whole}");
}

#[test]
fn what_is_legal_never_takes_more_than_16_kib() {
    // Men everywhere and nobody in the way: the most plays a double can have.
    let men: Vec<(u8, u8)> = (10..=24).map(|point| (point, 1)).collect();
    let board = board(&men, &[(20, 1)]);
    let mut cut = 0;
    for dice in Dice::ALL {
        let (plays, bytes) = told(&with_dice(board, SEATS[0], dice));
        assert!(bytes <= PLAYS_BYTES + 100, "{dice:?}: {bytes} bytes");
        if !plays.whole {
            cut += 1;
            assert_eq!(plays.nodes.len(), 1, "only the steps from here");
            assert!(plays.nodes[0].iter().all(|edge| edge.3.is_none()));
            assert_eq!(
                plays.nodes[0].len(),
                board.places(Side::Own).iter().filter(|n| **n > 0).count()
            );
        }
    }
    assert!(cut > 0, "no graph was too large");
}
