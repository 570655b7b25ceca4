//! What follows from an input: one match over phase and input.

use crate::board::{Board, Colour, Lines, Point};
use crate::command::{Command, Coordinate, point};
use crate::event::{Event, Offer, Reason};
use crate::notation;
use crate::reject::Reject;
use crate::renju::{self, Makes};
use crate::rule::Rule;
use crate::state::{SEATS, Stage, State, TimeoutPolicy, other};
use crate::swap2::{Choice, Deed, Swap2};
use parlor_rules::{Draws, House, Input, Owner, Seat};

type Decision = Result<Vec<Event>, Reject>;

/// See [`parlor_rules::Rules::decide`].
pub fn decide(state: &State, input: &Input<Command>, draws: &mut Draws<'_>) -> Decision {
    let live = state.stage() == Stage::Live;
    let over = matches!(state.stage(), Stage::Over(_));
    match input {
        Input::Play { seat, command } => said(state, *seat, command),
        Input::Expire { seat: Owner::Seat(seat) }
            if live && [state.up(), state.answers()].contains(&Some(*seat)) =>
        {
            Ok(expired(state, *seat, draws))
        }
        Input::House(House::Begin {}) if state.stage() == Stage::Fresh => {
            Ok(vec![Event::Begun { opener: state.opener() }])
        }
        Input::House(House::Left { seat }) if live => Ok(lost(*seat, Reason::Left)),
        Input::House(House::Close {}) if !over => Ok(vec![ended(None, Reason::Closed)]),
        Input::House(_) | Input::Expire { .. } => Err(Reject::NotHere),
    }
}

fn ended(winner: Option<Seat>, reason: Reason) -> Event {
    Event::Finished { winner, reason, line: Vec::new() }
}

fn lost(seat: Seat, reason: Reason) -> Vec<Event> {
    vec![ended(Some(other(seat)), reason)]
}

/// What a phase is called in refusals.
fn phase(state: &State) -> &'static str {
    match (state.stage(), state.in_opening()) {
        (Stage::Fresh, _) => "not_begun",
        (Stage::Live, Some(opening)) => opening.phase().name(),
        (Stage::Live, None) => "main_game",
        (Stage::Over(_), _) => "finished",
    }
}

fn invalid_phase(state: &State) -> Reject {
    let expected = match (state.stage(), state.in_opening()) {
        (Stage::Fresh, _) => "the house to begin",
        (Stage::Live, Some(opening)) => opening.phase().expected(),
        (Stage::Live, None) => "move",
        (Stage::Over(_), _) => "nothing more",
    };
    let active = state.up().map(|seat| state.config().players.id(seat).to_owned());
    Reject::InvalidPhase { phase: phase(state), expected, active }
}

fn wrong_player(state: &State, active: Option<Seat>) -> Reject {
    let active = active.or(state.up()).unwrap_or(SEATS[0]);
    let active = state.config().players.id(active).to_owned();
    Reject::WrongPlayer { active, phase: phase(state) }
}

fn said(state: &State, seat: Seat, command: &Command) -> Decision {
    if state.stage() != Stage::Live {
        return Err(invalid_phase(state));
    }
    if !SEATS.contains(&seat) {
        return Err(wrong_player(state, None));
    }
    let players = &state.config().players;
    match (state.in_opening(), command) {
        (_, Command::Resign {}) => Ok(lost(seat, Reason::Resigned)),
        (Some(opening), Command::PlaceStone { x, y }) => {
            let size = state.board().size();
            let deed = opening.may_place(seat, (*x, *y), size, players)?;
            Ok(vec![told(seat, deed, false)])
        }
        (Some(opening), Command::MakeChoice { choice }) => {
            Ok(vec![told(seat, opening.may_choose(seat, choice, players)?, false)])
        }
        (None, Command::Move { x, y }) => moved(state, seat, *x, *y),
        (None, Command::OfferDraw {}) => offered(state, seat, Offer::Draw),
        (None, Command::OfferTakeback {}) => offered(state, seat, Offer::Takeback),
        (None, Command::AnswerDraw { accept }) => answered(state, seat, Offer::Draw, *accept),
        (None, Command::AnswerTakeback { accept }) => {
            answered(state, seat, Offer::Takeback, *accept)
        }
        _ => Err(invalid_phase(state)),
    }
}

/// An action of the opening as an event.
fn told(seat: Seat, deed: Deed, auto: bool) -> Event {
    match deed {
        Deed::Place(Point { x, y }) => Event::StonePlaced { seat, x, y, auto },
        Deed::Choose(choice) => Event::ChoiceMade { seat, choice, auto },
    }
}

/// Phase, player, then the point: on the board, free, allowed.
fn moved(state: &State, seat: Seat, x: Coordinate, y: Coordinate) -> Decision {
    if state.up() != Some(seat) {
        return Err(wrong_player(state, None));
    }
    let point = point(x, y, state.board().size(), phase(state))?;
    let (rule, colour) = (state.config().rule, state.to_move());
    let end = judge(rule, state.board(), colour, point)?;
    let mut events = vec![Event::Moved { seat, x: point.x, y: point.y }];
    events.extend(end.map(|(reason, line)| {
        let winner = (reason == Reason::Row).then_some(seat);
        Event::Finished { winner, reason, line }
    }));
    Ok(events)
}

/// How a game ends by a stone, if it does, and the row that ends it; or why the stone may not be
/// laid.
pub fn judge(
    rule: Rule,
    board: &Board,
    colour: Colour,
    point: Point,
) -> Result<Option<(Reason, Vec<Point>)>, Reject> {
    let (Point { x, y }, at) = (point, || notation::name(point, board.size()));
    if !board.is_free(point) {
        return Err(Reject::PositionOccupied { x, y, at: at(), phase: "main_game" });
    }
    if rule == Rule::Renju
        && colour == Colour::Black
        && let Makes::Foul(foul) = renju::makes(&Lines::of(board), point)
    {
        return Err(Reject::ForbiddenPoint { x, y, at: at(), foul, made: foul.name() });
    }
    if rule.wins(board, colour, point) {
        return Ok(rule.row(board, colour, point).map(|row| (Reason::Row, row)));
    }
    let full = board.stones() + 1 == board.size().points() || {
        // Under renju black may be left with forbidden points only.
        rule == Rule::Renju && colour == Colour::White && {
            let mut after = Lines::of(board);
            after.lay(colour, point);
            let free = after.free();
            free.iter().all(|free| matches!(renju::makes(&after, free), Makes::Foul(_)))
        }
    };
    Ok(full.then(|| (Reason::Full, Vec::new())))
}

fn offered(state: &State, seat: Seat, offer: Offer) -> Decision {
    if offer == Offer::Takeback && state.to_take_back(seat).is_none() {
        return Err(Reject::NothingToTakeBack);
    }
    let offers = state.offers();
    if offers.open.is_some() || offers.spent[seat.index()] {
        return Err(Reject::AlreadyOffered);
    }
    Ok(vec![Event::Offered { seat, offer }])
}

fn answered(state: &State, seat: Seat, kind: Offer, accept: bool) -> Decision {
    let open = state.offers().open.filter(|(_, open)| *open == kind);
    let (offerer, _) = open.ok_or(Reject::NoOffer { kind: kind.name() })?;
    if offerer == seat {
        return Err(wrong_player(state, Some(other(offerer))));
    }
    Ok(vec![match kind {
        _ if !accept => Event::Declined { seat, offer: kind },
        Offer::Draw => ended(None, Reason::Agreed),
        Offer::Takeback => {
            let stones = state.to_take_back(offerer).unwrap_or(0) as u8;
            Event::TakenBack { seat: offerer, stones }
        }
    }])
}

/// The time of a seat is up. Who only had an offer to answer has declined it.
fn expired(state: &State, seat: Seat, draws: &mut Draws<'_>) -> Vec<Event> {
    if let (Some((_, offer)), true) = (state.offers().open, state.up() != Some(seat)) {
        return vec![Event::Declined { seat, offer }];
    }
    match (state.in_opening(), state.config().timeout_policy) {
        (None, _) | (_, TimeoutPolicy::Forfeit) => lost(seat, Reason::Timeout),
        (Some(opening), policy) => vec![told(seat, automatic(state, opening, policy, draws), true)],
    }
}

/// What the house does for a seat whose time for an action of the opening is up.
fn automatic(state: &State, opening: &Swap2, policy: TimeoutPolicy, draws: &mut Draws<'_>) -> Deed {
    if opening.phase().places() {
        let free = state.board().free();
        let chosen = free.iter().nth(draws.below(free.len()) as usize);
        return Deed::Place(chosen.unwrap_or(Point { x: 0, y: 0 }));
    }
    let options = opening.phase().options();
    Deed::Choose(match policy {
        TimeoutPolicy::Random => options[draws.below(options.len() as u32) as usize],
        TimeoutPolicy::Black | TimeoutPolicy::Forfeit => Choice::Black,
    })
}
