//! How a table stands after an entry.

use crate::act::{Act, Chair, Desk};
use crate::fair::Chance;
use crate::log::Tail;
use crate::options::Clock;
use crate::time::Times;
use parlor_rules::{AnyState, Draws, Entered, Json, Pending, Refusal, Seat, Tape};
use std::sync::Arc;

/// Everything an entry may change.
pub(crate) struct Position {
    /// The state of the game. It is shared with the views that are yet to be written.
    pub(crate) state: Arc<dyn AnyState>,
    /// What the state waits for.
    pub(crate) pending: Pending,
    pub(crate) tail: Tail,
    pub(crate) chance: Chance,
    pub(crate) chairs: Arc<[Chair]>,
    pub(crate) times: Times,
    /// The time of the last entry.
    pub(crate) at_ms: u64,
}

impl Position {
    /// A copy for an entry to change, and then to [`follow`](Self::follow).
    pub(crate) fn copy(&self) -> Box<Self> {
        Box::new(Self {
            state: self.state.shared(),
            // `follow` asks the changed state for it.
            pending: Pending::Rest,
            tail: self.tail,
            chance: self.chance.clone(),
            chairs: self.chairs.clone(),
            times: self.times.clone(),
            at_ms: self.at_ms,
        })
    }

    /// Lets the rules decide an act, and changes the state by what follows. The numbers come from
    /// the chance of the table, or from a tape where they are known. Also gives the numbers.
    pub(crate) fn enter(
        &mut self,
        act: &Act,
        tape: Option<&mut Tape>,
        now_ms: u64,
    ) -> Result<(Entered, Vec<u32>), Refusal> {
        let Act::Game(input) = act else { return Ok(Default::default()) };
        let mut draws = match tape {
            Some(tape) => Draws::new(tape),
            None => Draws::new(&mut self.chance),
        };
        let entered = own(&mut self.state).enter(input, &mut draws, now_ms)?;
        let drawn = draws.finish().map_err(|fault| Refusal::new("no_chance", fault.to_string()))?;
        Ok((entered, drawn))
    }

    /// Changes the state by events that were decided before.
    pub(crate) fn apply(&mut self, events: Vec<Json>, at_ms: u64) -> Result<Entered, Refusal> {
        own(&mut self.state).follow(events, at_ms)
    }

    /// Makes what follows from an act beside the game part of the position.
    pub(crate) fn follow(&mut self, act: &Act, clock: Clock, now_ms: u64) -> Result<(), Refusal> {
        if let Act::Desk(desk) = act {
            self.arrange(desk, now_ms)?;
        }
        if act.author().is_some() {
            self.times.go_on(now_ms);
        }
        self.pending = self.state.pending();
        self.times.follow(&self.pending, clock, now_ms);
        self.at_ms = now_ms;
        Ok(())
    }

    fn arrange(&mut self, desk: &Desk, now_ms: u64) -> Result<(), Refusal> {
        match desk {
            Desk::Reserve { seat, account } => self.place(*seat, Chair::Reserved(*account))?,
            Desk::Sit { seat, who, tip } => {
                self.place(*seat, Chair::Taken(who.clone()))?;
                self.chance.sit(*seat, *tip);
            }
            Desk::Rise { seat } => self.place(*seat, Chair::Open)?,
            Desk::Pause {} => self.times.pause(now_ms),
            Desk::GoOn {} => self.times.go_on(now_ms),
            Desk::Resume { alive_ms } => self.times.forgive_since(*alive_ms, now_ms),
            Desk::Release { seat, link } => self.chance.contribute(*seat, *link)?,
        }
        Ok(())
    }

    fn place(&mut self, seat: Seat, chair: Chair) -> Result<(), Refusal> {
        let seats = self.chairs.len() as u8;
        let place = Arc::make_mut(&mut self.chairs).get_mut(seat.index());
        *place.ok_or_else(|| Refusal::no_such_seat(seat, seats))? = chair;
        Ok(())
    }
}

fn own(state: &mut Arc<dyn AnyState>) -> &mut dyn AnyState {
    Arc::get_mut(state).expect("the state of a copy is not shared")
}
