//! What follows from an input: one match over phase and input.

use crate::board::Side;
use crate::command::{Action, Command, Level, Move};
use crate::event::{Event, Reason};
use crate::plays::{lawful_step, longest};
use crate::reject::Reject;
use crate::state::{Opening, Phase, SEATS, Stakes, State, other};
use parlor_rules::{Draws, House, Input, Owner, Seat};

type Decision = Result<Vec<Event>, Reject>;

/// See [`parlor_rules::Rules::decide`].
pub fn decide(state: &State, input: &Input<Command>, draws: &mut Draws<'_>) -> Decision {
    match input {
        Input::Play { seat, command } => {
            if command.seat != *seat {
                return Err(Reject::ForeignSeat);
            }
            if let Action::Play { moves } = &command.action
                && moves.iter().any(|step| step.from.or(step.to).is_none())
            {
                return Err(Reject::Nowhere);
            }
            command_by(state, *seat, &command.action, draws)
        }
        Input::Expire { seat: Owner::Seat(seat) } => lose(state, *seat, Reason::Timeout),
        Input::House(House::Left { seat }) => lose(state, *seat, Reason::Left),
        Input::House(House::Begin {}) if state.phase == Phase::Fresh => Ok(begin(state, draws)),
        Input::House(House::Close {}) if !matches!(state.phase, Phase::Over(_)) => {
            Ok(vec![Event::Finished { winner: None, payout: 0, reason: Reason::Closed }])
        }
        Input::House(House::Begin {} | House::Close {}) => Err(Reject::Status),
        Input::House(House::Joined { .. } | House::Topped { .. })
        | Input::Expire { seat: Owner::Table } => Err(Reject::NotHere),
    }
}

/// A seat that is out of time, or gone, loses a single game at the stakes as they are.
fn lose(state: &State, seat: Seat, reason: Reason) -> Decision {
    match state.phase {
        Phase::Fresh | Phase::Over(_) => Err(Reject::Status),
        _ => Ok(vec![won(other(seat), state.stakes.get(), reason)]),
    }
}

fn won(winner: Seat, payout: u32, reason: Reason) -> Event {
    Event::Finished { winner: Some(winner), payout, reason }
}

fn die(draws: &mut Draws<'_>) -> u8 {
    draws.below(6) as u8 + 1
}

fn begin(state: &State, draws: &mut Draws<'_>) -> Vec<Event> {
    if let Opening::Seat(up) = state.config.opening {
        return vec![Event::Opened { up }];
    }
    let mut events = Vec::new();
    let mut doubles = 0;
    loop {
        let dice = [die(draws), die(draws)];
        events.push(Event::OpeningRolled { dice });
        if dice[0] != dice[1] {
            return events;
        }
        if doubles < state.config.automatic_doubles {
            doubles += 1;
            events.push(Event::AutomaticDouble {});
        }
    }
}

fn command_by(state: &State, seat: Seat, action: &Action, draws: &mut Draws<'_>) -> Decision {
    if let Action::AnswerResign { accept } = action {
        return answer_resign(state, seat, *accept);
    }
    if state.resignation.is_some() {
        return Err(Reject::Status);
    }
    match (&state.phase, action) {
        (Phase::ToRoll | Phase::Moving { .. }, Action::OfferResign { value }) => {
            Ok(vec![Event::ResignOffered { seat, value: *value }])
        }
        (Phase::ToRoll, Action::ProposeDouble {}) if state.cube_in_use() => {
            propose_double(state, seat)
        }
        (Phase::ToRoll, Action::Roll {}) => my_turn(state, seat).map(|()| roll(state, draws)),
        (Phase::Doubled { .. }, Action::Accept {}) => {
            my_turn(state, seat).map(|()| vec![Event::Accepted { seat }])
        }
        (Phase::Doubled { .. }, Action::Forfeit {}) => {
            my_turn(state, seat)?;
            Ok(vec![won(other(seat), state.stakes.get(), Reason::Forfeit)])
        }
        (Phase::Doubled { beaver: false }, Action::Beaver {}) if state.config.beavers => {
            my_turn(state, seat)?;
            if state.stakes.doubled() >= Stakes::CAP {
                return Err(Reject::Cap);
            }
            Ok(vec![Event::Beavered { seat }])
        }
        (Phase::Moving { dice, played, .. }, action) => {
            let turn = Turn { state, seat, dice };
            match action {
                Action::Undo {} => {
                    my_turn(state, seat)?;
                    played.last().ok_or(Reject::NothingPlayed)?;
                    Ok(vec![Event::Undone { seat }])
                }
                Action::Commit {} => turn.play(&[], true),
                Action::Play { moves } => turn.play(moves, true),
                action => match action.step() {
                    Some(step) => turn.play(&[step], false),
                    None => Err(Reject::Status),
                },
            }
        }
        _ => Err(Reject::Status),
    }
}

fn my_turn(state: &State, seat: Seat) -> Result<(), Reject> {
    if state.up == seat { Ok(()) } else { Err(Reject::Turn) }
}

/// Status was looked at first; then turn, control of the cube, the cap.
fn propose_double(state: &State, seat: Seat) -> Decision {
    my_turn(state, seat)?;
    if state.holder.is_some_and(|holder| holder != seat) {
        return Err(Reject::Control);
    }
    if state.stakes >= Stakes::CAP {
        return Err(Reject::Cap);
    }
    if state.cube_is_dead_for(seat) {
        return Err(Reject::DeadCube);
    }
    Ok(vec![Event::DoubleProposed { seat }])
}

fn roll(state: &State, draws: &mut Draws<'_>) -> Vec<Event> {
    let seat = state.up;
    let dice = [die(draws), die(draws)];
    let rolled = Event::Rolled { seat, dice };
    if longest(&state.seen_by(seat), &Phase::dice(dice)).used == 0 {
        return vec![rolled, Event::Passed { seat }];
    }
    vec![rolled]
}

fn answer_resign(state: &State, seat: Seat, accept: bool) -> Decision {
    let offer = state.resignation.ok_or(Reject::Status)?;
    if offer.seat == seat {
        return Err(Reject::Turn);
    }
    if !accept {
        return Ok(vec![Event::ResignRefused { seat }]);
    }
    let payout = state.stakes.get() * offer.value as u32;
    Ok(vec![won(seat, payout, Reason::Resigned)])
}

/// A seat with dice to play.
struct Turn<'a> {
    state: &'a State,
    seat: Seat,
    dice: &'a [u8],
}

impl Turn<'_> {
    /// These steps, and then, if asked for, the end of the turn.
    fn play(&self, moves: &[Move], commit: bool) -> Decision {
        my_turn(self.state, self.seat)?;
        let mut board = self.state.seen_by(self.seat);
        let mut dice = self.dice.to_vec();
        let mut events = Vec::with_capacity(moves.len() + 2);
        for step in moves {
            let die = step.die;
            let place = dice.iter().position(|left| *left == die);
            let place = place.ok_or(Reject::NoSuchDie { die })?;
            let illegal = Reject::IllegalStep { die };
            let seen = step.seen_by(self.seat).ok_or(illegal.clone())?;
            let (after, hit) = lawful_step(&board, &dice, seen).ok_or(illegal)?;
            dice.remove(place);
            board = after;
            events.push(Event::moved(self.seat, *step, hit));
        }
        if commit {
            if longest(&board, &dice).used > 0 {
                return Err(Reject::Unfinished);
            }
            events.push(Event::Committed { seat: self.seat });
            if let Some((Side::Own, level)) = board.win_level() {
                let level = Level::ALL[usize::from(level) - 1];
                events.push(won(self.seat, self.state.payout(level), Reason::BorneOff));
            }
        }
        Ok(events)
    }
}

/// Who is asked: the one an offer waits for, or the one who is up.
pub fn asked(state: &State) -> Option<Seat> {
    match (&state.phase, state.resignation) {
        (Phase::Fresh | Phase::Over(_), _) => None,
        (_, Some(offer)) => Some(other(offer.seat)),
        _ => Some(state.up),
    }
}

/// Whether a seat is one of the two.
pub fn is_seat(seat: Seat) -> bool {
    SEATS.contains(&seat)
}
