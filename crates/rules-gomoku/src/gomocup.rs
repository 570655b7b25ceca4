//! The Gomocup protocol: the board a manager sends to a brain, and the exchanges of Swap 2.
//!
//! There white moves first after the opening, so a table that talks to brains has
//! `first_mover=white`: a stone in answer to `SWAP2BOARD` is white's next move.

use crate::board::{Colour, Point, Size};
use crate::command::Command;
use crate::record::{FormatError, Record};
use crate::state::State;
use crate::swap2::Phase;

/// A request of a manager about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// `BOARD`: the stones, and whether each is the brain's own.
    Board(Vec<(Point, bool)>),
    /// `SWAP2BOARD`: the stones of the opening, none, three or five.
    Swap2Board(Vec<Point>),
}

fn coordinates(text: &str, size: Size) -> Result<Point, FormatError> {
    let numbers = text.trim().split_once(',');
    let read = |number: &str| number.trim().parse::<u8>().ok();
    let point = numbers.and_then(|(x, y)| Some(Point { x: read(x)?, y: read(y)? }));
    point.filter(|point| size.contains(*point)).ok_or_else(|| {
        let (text, last) = (text.trim().chars().take(20).collect::<String>(), size.get() - 1);
        FormatError::new(format!("{text:?} is no point: x,y from 0,0 to {last},{last}"))
    })
}

/// Reads a request, with any ends of lines.
pub fn read_request(text: &str, size: Size) -> Result<Request, FormatError> {
    let mut lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let swap2 = match lines.next().map(|(_, word)| word.to_ascii_uppercase()).as_deref() {
        Some("BOARD") => false,
        Some("SWAP2BOARD") => true,
        _ => return Err(FormatError::new("a request begins with BOARD or SWAP2BOARD")),
    };
    let (mut stones, mut done): (Vec<(Point, bool)>, bool) = (Vec::new(), false);
    for (i, line) in lines {
        let at = |error: FormatError| error.at(format!("line {}", i + 1));
        if done {
            return Err(at(FormatError::new("nothing stands behind DONE")));
        }
        if line.eq_ignore_ascii_case("DONE") {
            done = true;
            continue;
        }
        let (point, own) = match (swap2, line.rsplit_once(',')) {
            (true, _) => (line, true),
            (false, Some((point, "1"))) => (point, true),
            (false, Some((point, "2"))) => (point, false),
            (false, _) => {
                let why = "a stone is x,y,1 for the brain's own and x,y,2 for the other's";
                return Err(at(FormatError::new(why)));
            }
        };
        let point = coordinates(point, size).map_err(at)?;
        if stones.iter().any(|(stone, _)| *stone == point) {
            return Err(at(FormatError::new("a stone lies there already")));
        }
        stones.push((point, own));
    }
    if !done {
        return Err(FormatError::new("a request ends with DONE"));
    }
    if !swap2 {
        return Ok(Request::Board(stones));
    }
    if ![0, 3, 5].contains(&stones.len()) {
        return Err(FormatError::new("SWAP2BOARD has no stones, three or five"));
    }
    Ok(Request::Swap2Board(stones.into_iter().map(|(point, _)| point).collect()))
}

/// Writes a request.
pub fn write_request(request: &Request) -> String {
    let (word, stones): (_, Vec<String>) = match request {
        Request::Board(stones) => {
            let line = |(p, own): &(Point, bool)| {
                format!("{},{},{}\n", p.x, p.y, if *own { 1 } else { 2 })
            };
            ("BOARD", stones.iter().map(line).collect())
        }
        Request::Swap2Board(stones) => {
            ("SWAP2BOARD", stones.iter().map(|p| format!("{},{}\n", p.x, p.y)).collect())
        }
    };
    format!("{word}\n{}DONE\n", stones.concat())
}

/// What a manager asks the brain that is to act: about the opening, or about the board.
pub fn request(state: &State) -> Result<Request, FormatError> {
    if let Some(opening) = state.in_opening() {
        let stones: Vec<Point> = opening.stones().collect();
        return match (opening.phase(), stones.len()) {
            (Phase::Placement, 0) | (Phase::Choice | Phase::FinalChoice, _) => {
                Ok(Request::Swap2Board(stones))
            }
            _ => Err(FormatError::new("a brain lays all stones of a step of the opening at once")),
        };
    }
    Ok(board(&Record::of(state), state.to_move()))
}

/// The board as a brain of this colour is shown it.
pub fn board(record: &Record, to_move: Colour) -> Request {
    Request::Board(record.stones.iter().map(|(c, point)| (*point, *c == to_move)).collect())
}

/// The game a request tells. The brain is to move: with as many stones as the other, or one more,
/// it is black; with one or two fewer it is white. Black is ahead by a stone more than usual where
/// black moves first after an opening.
pub fn record(request: &Request, size: Size) -> Result<Record, FormatError> {
    let mut record = Record::new(size);
    match request {
        Request::Swap2Board(stones) => {
            let coloured = stones.iter().enumerate().map(|(i, p)| (Colour::after(i), *p));
            record.stones = coloured.collect();
            record.opening = stones.len();
        }
        Request::Board(stones) => {
            let own = stones.iter().filter(|(_, own)| *own).count();
            let mine = match stones.len() - own {
                theirs if theirs == own || theirs + 1 == own => Colour::Black,
                theirs if theirs == own + 1 || theirs == own + 2 => Colour::White,
                _ => return Err(FormatError::new("it is not the brain's turn on this board")),
            };
            let colour = |own: bool| if own { mine } else { !mine };
            record.stones = stones.iter().map(|(point, own)| (colour(*own), *point)).collect();
            record.to_move = Some(mine);
        }
    }
    Ok(record)
}

/// A brain's answer to `SWAP2BOARD`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It takes black, and the other moves.
    Swap,
    /// It lays these stones: three open, one is white's move, two leave the choice to the other.
    Stones(Vec<Point>),
}

/// Reads an answer.
pub fn read_answer(line: &str, size: Size) -> Result<Answer, FormatError> {
    if line.trim().eq_ignore_ascii_case("SWAP") {
        return Ok(Answer::Swap);
    }
    let stones: Result<Vec<Point>, FormatError> =
        line.split_whitespace().map(|stone| coordinates(stone, size)).collect();
    let stones = stones?;
    if !(1..=3).contains(&stones.len()) {
        return Err(FormatError::new("an answer is SWAP, or one to three stones x,y"));
    }
    Ok(Answer::Stones(stones))
}

/// Writes an answer.
pub fn write_answer(answer: &Answer) -> String {
    match answer {
        Answer::Swap => "SWAP".to_owned(),
        Answer::Stones(stones) => {
            stones.iter().map(|p| format!("{},{}", p.x, p.y)).collect::<Vec<_>>().join(" ")
        }
    }
}

/// What an answer means at a table: the commands of the seat that is to act, in order.
pub fn commands(state: &State, answer: &Answer) -> Result<Vec<Command>, FormatError> {
    let phase = state.in_opening().map(|opening| opening.phase());
    let choose = |choice: &str| Command::MakeChoice { choice: choice.to_owned() };
    let place = |p: &Point| Command::PlaceStone { x: p.x.into(), y: p.y.into() };
    // All or nothing: a command that is refused must not come behind one that was done.
    if let Answer::Stones(stones) = answer {
        let twice = |i: usize| stones[..i].contains(&stones[i]);
        if let Some(i) = (0..stones.len()).find(|i| twice(*i) || !state.board().is_free(stones[*i]))
        {
            let Point { x, y } = stones[i];
            return Err(FormatError::new(format!("{x},{y}: a stone lies there already")));
        }
    }
    match (phase, answer) {
        (Some(Phase::Placement), Answer::Stones(stones)) if stones.len() == 3 => {
            Ok(stones.iter().map(place).collect())
        }
        (Some(Phase::Choice | Phase::FinalChoice), Answer::Swap) => Ok(vec![choose("black")]),
        (Some(Phase::Choice), Answer::Stones(stones)) if stones.len() == 2 => {
            let more = [choose("place_more")].into_iter();
            Ok(more.chain(stones.iter().map(place)).collect())
        }
        (Some(Phase::Choice | Phase::FinalChoice), Answer::Stones(stones)) if stones.len() == 1 => {
            if state.first_mover() != Colour::White {
                let why = "a stone is white's move: the table needs first_mover=white";
                return Err(FormatError::new(why));
            }
            let (x, y) = (stones[0].x.into(), stones[0].y.into());
            Ok(vec![choose("white"), Command::Move { x, y }])
        }
        _ => Err(FormatError::new("this is no answer to what is asked")),
    }
}
