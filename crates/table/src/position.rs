//! How a table stands.

use crate::act::{Act, Chair, Desk};
use crate::audience::{Settled, Stand};
use crate::fair;
use crate::log::Tail;
use crate::options::Clock;
use crate::table::Header;
use crate::time::Times;
use parlor_rules::{AnyState, Pending, Refusal, Seat};
use std::sync::Arc;

/// All that an entry changes.
pub(crate) struct Position {
    pub(crate) state: Settled,
    /// What the state waits for.
    pub(crate) pending: Pending,
    pub(crate) tail: Tail,
    pub(crate) chance: fair::Shared,
    pub(crate) chairs: Arc<[Chair]>,
    pub(crate) times: Times,
    /// When the last entry was decided.
    pub(crate) at_ms: u64,
}

impl Position {
    pub(crate) fn stand(&self, clock: Clock) -> Stand<'_> {
        Stand { state: &self.state, pending: &self.pending, times: &self.times, clock }
    }

    /// A copy for an entry to change, and then to [`follow`](Self::follow).
    pub(crate) fn copy(&self) -> Box<Self> {
        Box::new(Self {
            state: self.state.shared(),
            // Asked of the state when it has changed.
            pending: Pending::Rest,
            tail: self.tail,
            chance: self.chance.clone(),
            chairs: self.chairs.clone(),
            times: self.times.clone(),
            at_ms: self.at_ms,
        })
    }

    /// Makes what follows from an entry beside the game part of the position.
    pub(crate) fn follow(
        &mut self,
        act: &Act,
        header: &Header,
        now_ms: u64,
    ) -> Result<(), Refusal> {
        if let Act::Desk(desk) = act {
            self.arrange(desk, now_ms)?;
        }
        if act.author().is_some() {
            self.times.go_on(now_ms);
        }
        self.pending = self.state.pending();
        self.times.follow(&self.pending, header.options.clock, now_ms);
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

/// The state of a copy, which nobody has seen yet.
pub(crate) fn changing(state: &mut Settled) -> &mut dyn AnyState {
    Arc::get_mut(state).expect("a copy is nobody else's")
}
