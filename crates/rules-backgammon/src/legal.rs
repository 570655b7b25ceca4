//! What a seat may say now, in a form that a board can walk click by click.

use crate::board::{BAR, Board, Step};
use crate::command::{Action, Command, Level, Move};
use crate::decide::{asked, is_seat};
use crate::state::{Phase, Stakes, State};
use parlor_rules::{Draws, Seat};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::HashMap;

/// What a seat may say now.
///
/// As JSON: `commands`, the types of commands that may be given as they are, and `plays`, the graph
/// of plays while there are dice to play.
#[derive(Clone, Debug)]
pub struct Legal {
    seat: Seat,
    bare: Vec<Action>,
    resign: bool,
    plays: Option<Plays>,
}

/// See [`parlor_rules::Rules::legal`].
pub fn legal(state: &State, seat: Seat) -> Legal {
    let mut legal = Legal { seat, bare: Vec::new(), resign: false, plays: None };
    if !is_seat(seat) {
        return legal;
    }
    let mine = asked(state) == Some(seat);
    if state.resignation.is_some() {
        if mine {
            let answers = [true, false].map(|accept| Action::AnswerResign { accept });
            legal.bare.extend(answers);
        }
        return legal;
    }
    legal.resign = matches!(state.phase, Phase::ToRoll | Phase::Moving { .. });
    if !mine {
        return legal;
    }
    match &state.phase {
        Phase::Fresh | Phase::Over(_) => {}
        Phase::ToRoll => {
            legal.bare.push(Action::Roll {});
            let mine = state.holder.is_none_or(|holder| holder == seat);
            let worth = state.stakes < Stakes::CAP && !state.cube_is_dead_for(seat);
            if state.cube_in_use() && mine && worth {
                legal.bare.push(Action::ProposeDouble {});
            }
        }
        Phase::Doubled { beaver } => {
            legal.bare.extend([Action::Accept {}, Action::Forfeit {}]);
            if state.config.beavers && !beaver && state.stakes.doubled() < Stakes::CAP {
                legal.bare.push(Action::Beaver {});
            }
        }
        Phase::Moving { dice, played, .. } => {
            let plays = Plays::of(seat, state.seen_by(seat), dice);
            if plays.nodes[0].is_empty() {
                legal.bare.push(Action::Commit {});
            }
            if !played.is_empty() {
                legal.bare.push(Action::Undo {});
            }
            legal.plays = Some(plays);
        }
    }
    legal
}

impl Legal {
    /// Whether this command is among it.
    pub fn permits(&self, command: &Command) -> bool {
        command.seat == self.seat
            && match &command.action {
                Action::OfferResign { .. } => self.resign,
                Action::Play { moves } => {
                    self.plays.as_ref().is_some_and(|plays| plays.ends_with(moves))
                }
                action => match (action.step(), &self.plays) {
                    (Some(step), Some(plays)) => plays.step(0, step).is_some(),
                    (Some(_), None) => false,
                    (None, _) => self.bare.contains(action),
                },
            }
    }

    /// The plays there are, while there are dice to play.
    pub fn plays(&self) -> Option<&Plays> {
        self.plays.as_ref()
    }

    /// Some command of it. Play goes on most of the time: offers and take-backs are seldom.
    pub fn pick(&self, draws: &mut Draws<'_>) -> Option<Command> {
        let seat = self.seat;
        let command = |action| Some(Command { action, seat });
        if self.resign && draws.below(200) == 0 {
            let value = Level::ALL[draws.below(3) as usize];
            return command(Action::OfferResign { value });
        }
        let play_on = self.bare.is_empty() || draws.below(20) > 0;
        if let Some(plays) = self.plays.as_ref().filter(|_| play_on) {
            let walk = plays.walk(draws);
            return match walk.first() {
                Some(first) if draws.below(2) == 0 => command(Action::from(*first)),
                _ => command(Action::Play { moves: walk }),
            };
        }
        let last = self.bare.len().checked_sub(1)?;
        let likely = if draws.below(8) == 0 { draws.below(last as u32 + 1) } else { 0 };
        command(self.bare[likely as usize].clone())
    }
}

impl Serialize for Legal {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut names: Vec<&str> = self.bare.iter().map(name).collect();
        names.dedup();
        if self.resign {
            names.push("offer-resign");
        }
        let mut out = s.serialize_struct("Legal", 2)?;
        out.serialize_field("commands", &names)?;
        out.serialize_field("plays", &self.plays)?;
        out.end()
    }
}

fn name(action: &Action) -> &'static str {
    match action {
        Action::ProposeDouble {} => "propose-double",
        Action::Accept {} => "accept",
        Action::Forfeit {} => "forfeit",
        Action::Beaver {} => "beaver",
        Action::Roll {} => "roll",
        Action::Move { .. } => "move",
        Action::Enter { .. } => "enter",
        Action::BearOff { .. } => "bear-off",
        Action::Undo {} => "undo",
        Action::Commit {} => "commit",
        Action::Play { .. } => "play",
        Action::OfferResign { .. } => "offer-resign",
        Action::AnswerResign { .. } => "answer-resign",
    }
}

/// All maximal plays from here as a graph: a node is a position with dice left, an edge a step.
/// Positions reached by several ways stand once. Node 0 is where the turn is now; a node without
/// edges ends it.
///
/// As JSON: `nodes`, a list of lists of `[from, to, die, node]` with null for the bar and for off,
/// and `whole`. A graph that would be longer than 16 KiB is cut to the steps from here, `whole` is
/// false then and `node` null.
#[derive(Clone, Debug)]
pub struct Plays {
    nodes: Vec<Vec<(Move, usize)>>,
}

/// The most bytes a graph takes as JSON.
pub const PLAYS_BYTES: usize = 16 << 10;

impl Plays {
    fn of(seat: Seat, board: Board, dice: &[u8]) -> Self {
        let mut search = Search { seat, seen: HashMap::new(), nodes: Vec::new() };
        search.node(board, dice);
        let mut plays = Self { nodes: search.nodes.into_iter().map(|node| node.edges).collect() };
        // If either but not both of two dice can be played, it must be the higher.
        let ends = |plays: &Self| plays.nodes[0].iter().all(|e| plays.nodes[e.1].is_empty());
        if dice.len() == 2 && ends(&plays) {
            let high = plays.nodes[0].iter().map(|edge| edge.0.die).max();
            plays.nodes[0].retain(|edge| Some(edge.0.die) == high);
        }
        plays.compact();
        plays
    }

    /// Leaves out what no maximal play reaches.
    fn compact(&mut self) {
        let mut order = vec![0];
        let mut place = HashMap::from([(0, 0)]);
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            for &(_, target) in &self.nodes[node] {
                place.entry(target).or_insert_with(|| {
                    order.push(target);
                    order.len() - 1
                });
            }
            next += 1;
        }
        let moved = |edges: &Vec<(Move, usize)>| {
            edges.iter().map(|&(step, target)| (step, place[&target])).collect()
        };
        self.nodes = order.iter().map(|&node| moved(&self.nodes[node])).collect();
    }

    fn step(&self, node: usize, step: Move) -> Option<usize> {
        self.nodes[node].iter().find(|edge| edge.0 == step).map(|edge| edge.1)
    }

    fn ends_with(&self, moves: &[Move]) -> bool {
        let end = moves.iter().try_fold(0, |node, step| self.step(node, *step));
        end.is_some_and(|node| self.nodes[node].is_empty())
    }

    fn walk(&self, draws: &mut Draws<'_>) -> Vec<Move> {
        let mut walk = Vec::new();
        let mut node = 0;
        while !self.nodes[node].is_empty() {
            let edge = self.nodes[node][draws.below(self.nodes[node].len() as u32) as usize];
            walk.push(edge.0);
            node = edge.1;
        }
        walk
    }

    /// The graph as JSON, however long it is: for who cannot ask again after a step.
    pub fn uncut(&self) -> impl Serialize {
        self.shown(true)
    }

    fn shown(&self, whole: bool) -> Shown {
        let row = |edges: &Vec<(Move, usize)>| -> Vec<Edge> {
            let edge = |&(step, node): &(Move, usize)| {
                (step.from, step.to, step.die, whole.then_some(node))
            };
            edges.iter().map(edge).collect()
        };
        let nodes = if whole { &self.nodes[..] } else { &self.nodes[..1] };
        Shown { whole, nodes: nodes.iter().map(row).collect() }
    }
}

/// From, to, die, node.
type Edge = (Option<u8>, Option<u8>, u8, Option<usize>);

/// A graph as it is written.
#[derive(Serialize)]
struct Shown {
    whole: bool,
    nodes: Vec<Vec<Edge>>,
}

impl Shown {
    /// How long it is as JSON.
    fn bytes(&self) -> usize {
        struct Count(usize);
        impl std::io::Write for Count {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut count = Count(0);
        let written = serde_json::to_writer(&mut count, self);
        if written.is_ok() { count.0 } else { usize::MAX }
    }

    /// An edge takes 18 bytes at the most, so that most graphs need not be counted.
    fn surely_fits(&self) -> bool {
        let edges: usize = self.nodes.iter().map(Vec::len).sum();
        edges * 18 + self.nodes.len() * 3 + 32 <= PLAYS_BYTES
    }
}

impl Serialize for Plays {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let whole = self.shown(true);
        match whole.surely_fits() || whole.bytes() <= PLAYS_BYTES {
            true => whole.serialize(s),
            false => self.shown(false).serialize(s),
        }
    }
}

struct Node {
    edges: Vec<(Move, usize)>,
    depth: usize,
}

struct Search {
    seat: Seat,
    seen: HashMap<(Board, Vec<u8>), usize>,
    nodes: Vec<Node>,
}

impl Search {
    /// The number of the node for this position, all steps that lead to a longest play below it.
    fn node(&mut self, board: Board, dice: &[u8]) -> usize {
        let mut key = dice.to_vec();
        key.sort_unstable();
        if let Some(&known) = self.seen.get(&(board, key.clone())) {
            return known;
        }
        let number = self.nodes.len();
        self.nodes.push(Node { edges: Vec::new(), depth: 0 });
        let mut edges = Vec::new();
        for (i, &die) in key.iter().enumerate() {
            if key[..i].contains(&die) {
                continue;
            }
            let rest = [&key[..i], &key[i + 1..]].concat();
            for from in (1..=BAR).rev() {
                let step = Step { from, die };
                if let Some((after, _)) = board.step(step) {
                    let target = self.node(after, &rest);
                    edges.push((Move::of(self.seat, step), target));
                }
            }
        }
        let depth = edges.iter().map(|edge| self.nodes[edge.1].depth + 1).max().unwrap_or(0);
        edges.retain(|edge| self.nodes[edge.1].depth + 1 == depth);
        self.nodes[number] = Node { edges, depth };
        self.seen.insert((board, key), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::PLACES;

    #[test]
    fn a_graph_is_cut_only_if_it_is_too_long() {
        let (mut counted, mut cut) = (0, 0);
        for first in 1..=20u8 {
            for spread in 1..=12u8 {
                let mut own = [0; PLACES];
                (0..15).for_each(|man| own[usize::from((first + man % spread).min(24))] += 1);
                let mut other = [0; PLACES];
                other[0] = 14;
                other[25] = 1;
                let Ok(board) = Board::new(own, other) else { continue };
                for die in 1..=6 {
                    let plays = Plays::of(Seat::new(0), board, &[die; 4]);
                    let text = serde_json::to_string(&plays).unwrap();
                    let whole = plays.shown(true);
                    let length = serde_json::to_string(&whole).unwrap().len();
                    assert_eq!(whole.bytes(), length);
                    assert_eq!(text.starts_with("{\"whole\":true"), length <= PLAYS_BYTES);
                    assert!(text.len() <= PLAYS_BYTES);
                    cut += u32::from(length > PLAYS_BYTES);
                    counted += u32::from(length <= PLAYS_BYTES && !whole.surely_fits());
                }
            }
        }
        assert!(counted > 0 && cut > 0, "{counted} counted, {cut} cut");
    }
}
