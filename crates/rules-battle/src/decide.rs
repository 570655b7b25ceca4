//! What follows from an input: one match over phase and input.

use crate::card::{Layout, SLOTS};
use crate::command::Command;
use crate::event::{End, Event, Mistaken, Tag};
use crate::reject::Reject;
use crate::resolve::{Verdict, judge, step};
use crate::state::{AFK_LIMIT, Lock, Phase, Plan, SEATS, Stage, State};
use parlor_rules::{House, Input, Owner, Seat};

type Decision = Result<Vec<Event>, Reject>;

/// See [`parlor_rules::Rules::decide`]. A battle leaves nothing to chance.
pub fn decide(state: &State, input: &Input<Command>) -> Decision {
    match (&state.phase, input) {
        (Phase::End(_), _) => Err(Reject::MatchOver),
        (_, Input::House(House::Joined { .. } | House::Topped { .. })) => Err(Reject::NotHere),
        (Phase::Fresh, Input::House(House::Begin {})) => {
            Ok(vec![Event::MatchFound {}, prep(&state.stage)])
        }
        (Phase::Fresh, Input::House(House::Close {})) => Ok(vec![Event::MatchEnded(End::Closed)]),
        (Phase::Fresh, _) => Err(Reject::NotBegun),
        (_, Input::House(House::Begin {})) => Err(Reject::Begun),
        (_, Input::House(House::Left { seat })) => {
            Ok(vec![Event::MatchEnded(End::Gone { loser: *seat })])
        }
        (_, Input::House(House::Close {})) => Ok(vec![Event::MatchEnded(End::BothGone)]),
        (_, Input::Play { seat, command }) => {
            state.may_lay(*seat)?;
            Ok(lay(state, *seat, command))
        }
        (Phase::Prep(plans), Input::Expire { seat: Owner::Table }) => Ok(finalize(state, plans)),
        (Phase::Prep(_), Input::Expire { seat: Owner::Seat(seat) }) => {
            state.may_lay(*seat)?;
            Ok(lock(state, Event::TimeUp { seat: *seat }))
        }
        (Phase::Reveal { layouts, shown }, Input::Expire { seat: Owner::Table }) => {
            Ok(reveal(state, layouts, *shown))
        }
        (Phase::Reveal { .. }, Input::Expire { seat: Owner::Seat(_) }) => Err(Reject::NotInPrep),
    }
}

fn prep(stage: &Stage) -> Event {
    Event::PrepStarted { round: stage.round, sudden_death: stage.sudden_death }
}

/// The state after an event.
fn after(state: &State, event: &Event) -> State {
    let mut after = state.clone();
    after.apply(event);
    after
}

/// A seat that may lay cards says how. A draft is sorted out, a confirm is taken whole or not at
/// all; either way the seat has been heard.
fn lay(state: &State, seat: Seat, command: &Command) -> Vec<Event> {
    let hand = state.config.hand(seat);
    match command {
        Command::LayoutDraft { layout } => {
            let (layout, invalid) = hand.sort_out(layout);
            let tag = invalid.map(|_| Tag::InvalidCard);
            vec![Event::Drafted { seat, layout: layout.slots(), tag }]
        }
        Command::LayoutConfirm { layout } => match hand.sort_out(layout) {
            (layout, None) => lock(state, Event::Confirmed { seat, layout: layout.slots() }),
            (_, Some(slot)) => {
                let code = Mistaken::InvalidCard;
                vec![Event::ConfirmRefused { seat, code, slot }]
            }
        },
    }
}

/// By this event a seat has nothing more to say. If neither has, the round need not wait.
fn lock(state: &State, event: Event) -> Vec<Event> {
    let after = after(state, &event);
    let mut events = vec![event];
    if let Phase::Prep(plans) = &after.phase
        && after.config.early_finalize
        && plans.iter().all(|plan| plan.lock != Lock::Open)
    {
        events.extend(finalize(&after, plans));
    }
    events
}

/// The one place where a round's layouts become final, once a round.
///
/// What was confirmed counts as it is; else what was drafted, its empty slots staying empty; who
/// has laid nothing has three empty slots. All of these are what lies in the plan. AFK is another
/// question: whether anything was heard at all.
fn finalize(state: &State, plans: &[Plan; 2]) -> Vec<Event> {
    let layouts = plans.map(|plan| plan.layout.slots());
    let finalized = Event::Finalized { layouts, afk: plans.map(|plan| plan.messages == 0) };
    let streaks = after(state, &finalized).afk;
    let mut events = vec![finalized];
    // Rounds in a row that both were AFK in are as many as the shorter of the two streaks.
    let both = streaks[0].min(streaks[1]);
    let one = SEATS.into_iter().find(|seat| streaks[seat.index()] >= AFK_LIMIT);
    if both >= AFK_LIMIT {
        events.push(Event::MatchEnded(End::BothAfk));
    } else if let Some(loser) = one {
        events.push(Event::MatchEnded(End::Afk { loser }));
    }
    events
}

/// The next pair is shown; with the last one the round ends, and perhaps the match.
fn reveal(state: &State, layouts: &[Layout; 2], shown: usize) -> Vec<Event> {
    let cards = layouts.map(|layout| layout.slots().get(shown).copied().flatten());
    let hp = step(cards, state.stage.hp, state.config.max_hp);
    let revealed = Event::StepRevealed { step: shown as u8 + 1, cards, hp };
    if shown + 1 < SLOTS {
        return vec![revealed];
    }
    let next = match judge(&state.config, &Stage { hp, ..state.stage }) {
        Verdict::Won(side) => Event::MatchEnded(End::Beaten { winner: SEATS[side] }),
        Verdict::Draw => Event::MatchEnded(End::Draw),
        Verdict::Next(stage) => prep(&stage),
    };
    vec![revealed, Event::RoundEnded { round: state.stage.round }, next]
}
