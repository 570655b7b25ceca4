//! Why the rules say no, in the words of the table: of a step on the board, the rule it breaks.

use crate::color::Color;
use parlor_rules::{Input, Reject as _};
use parlor_rules_backgammon::board::{BAR, Board, OFF, Side};
use parlor_rules_backgammon::command::{Action, Command, Move};
use parlor_rules_backgammon::reject::Reject;
use parlor_rules_backgammon::state::{State, own_point};

/// Why the rules refuse this.
pub(crate) fn why_not(state: &State, input: &Input<Command>, reject: &Reject) -> String {
    let rule = match (reject, input) {
        (
            Reject::IllegalStep { .. },
            Input::Play { seat, command: Command { action: Action::Play { moves }, .. } },
        ) => broken(state.seen_by(*seat), Color::of(*seat), moves),
        _ => None,
    };
    rule.unwrap_or_else(|| reject.text())
}

/// What is wrong with the first of these steps that the board does not allow; none where it is the
/// dice that ask for other steps.
fn broken(mut board: Board, color: Color, moves: &[Move]) -> Option<String> {
    for step in moves {
        match step.seen_by(color.seat()).and_then(|seen| board.step(seen)) {
            Some((after, _)) => board = after,
            None => return Some(rule(&board, color, *step)),
        }
    }
    None
}

/// Points are counted from 1, for both colours as in every message.
fn rule(board: &Board, color: Color, step: Move) -> String {
    let Move { from, to, die } = step;
    let seat = color.seat();
    let place = from.map_or(Some(BAR), |point| own_point(seat, point)).unwrap_or(OFF);
    let at = from.map_or("the bar".to_owned(), |point| format!("point {}", point + 1));
    let men = |place: u8| board.men(Side::Own, place);
    if men(place) == 0 {
        return format!("no man of {color}'s on {at}");
    }
    if place != BAR && men(BAR) > 0 {
        return format!("men of {color}'s on the bar enter first");
    }
    match (step.seen_by(seat), to) {
        (None, Some(to)) => format!("a {die} does not lead from {at} to point {}", to + 1),
        (None, None) => format!("a {die} does not lead off from {at}"),
        (Some(_), Some(to)) => format!("{} holds point {}", color.other(), to + 1),
        (Some(_), None) if (7..BAR).any(|place| men(place) > 0) => {
            format!("{color} bears off only with all men at home")
        }
        (Some(_), None) => format!("a {die} bears off a man of {color}'s farther back than {at}"),
    }
}
