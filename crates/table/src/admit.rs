//! What is refused before the rules are asked.

use crate::act::{Act, Chair, Desk, Who};
use crate::table::{Stamp, Table};
use parlor_rules::{Input, Owner, Refusal, Seat};

impl Table {
    /// Refuses what cannot be, whatever the game.
    pub(crate) fn admit(&self, act: &Act, stamp: &Stamp, now_ms: u64) -> Result<(), Refusal> {
        if let (Some(ask), Act::Game(Input::Play { seat, .. })) = (stamp.ask, act)
            && self.ask(*seat) != Some(ask)
        {
            let text = "the question has changed meanwhile; look at the table and answer again";
            return Err(Refusal::new("stale_ask", text));
        }
        match act {
            Act::Game(Input::Play { seat, .. }) => match self.chair(*seat)? {
                Chair::Taken(_) => self.in_time(*seat, now_ms),
                Chair::Open | Chair::Reserved(_) => {
                    Err(Refusal::new("nobody_there", format!("nobody sits on {seat}")))
                }
            },
            Act::Game(Input::Expire { seat: owner }) => match self.until_ms(*owner) {
                Some(until) if until <= now_ms => Ok(()),
                Some(_) => Err(Refusal::new("too_early", format!("{owner} still has time"))),
                None => Err(Refusal::new("no_deadline", format!("no time runs for {owner}"))),
            },
            Act::Game(Input::House(_)) => Ok(()),
            Act::Desk(desk) => self.admit_desk(desk, now_ms),
        }
    }

    /// What comes after a deadline comes after what the deadline brings.
    fn in_time(&self, seat: Seat, now_ms: u64) -> Result<(), Refusal> {
        let deadlines = [Owner::Seat(seat), Owner::Table].map(|owner| self.until_ms(owner));
        if deadlines.into_iter().flatten().all(|until| now_ms < until) {
            return Ok(());
        }
        Err(Refusal::new("too_late", "the time is up; look at the table and say it again"))
    }

    fn admit_desk(&self, desk: &Desk, now_ms: u64) -> Result<(), Refusal> {
        let taken = |seat: &Seat| Refusal::new("seat_taken", format!("{seat} is taken"));
        match desk {
            Desk::Reserve { seat, account } => match self.chair(*seat)? {
                Chair::Open => Ok(()),
                Chair::Reserved(other) if other == account => Ok(()),
                Chair::Reserved(_) | Chair::Taken(_) => Err(taken(seat)),
            },
            Desk::Sit { who: who @ Who::Account(_), .. }
                if self.chairs().contains(&Chair::Taken(who.clone())) =>
            {
                Err(Refusal::new("seated", "this account sits here already"))
            }
            Desk::Sit { seat, who, .. } => match (self.chair(*seat)?, who) {
                (Chair::Open, _) => Ok(()),
                (Chair::Reserved(account), Who::Account(mine)) if account == mine => Ok(()),
                (Chair::Reserved(_), _) => {
                    Err(Refusal::new("seat_reserved", format!("{seat} is kept for someone else")))
                }
                (Chair::Taken(_), _) => Err(taken(seat)),
            },
            Desk::Rise { seat } => match self.chair(*seat)? {
                Chair::Open => Err(Refusal::new("nobody_there", format!("nobody sits on {seat}"))),
                Chair::Reserved(_) | Chair::Taken(_) => Ok(()),
            },
            Desk::Release { seat, .. } => match self.chair(*seat)? {
                Chair::Taken(_) => Ok(()),
                Chair::Open | Chair::Reserved(_) => {
                    Err(Refusal::new("nobody_there", format!("nobody sits on {seat}")))
                }
            },
            Desk::Pause {} if self.paused() => {
                Err(Refusal::new("paused_already", "the table is paused already"))
            }
            Desk::GoOn {} if !self.paused() => {
                Err(Refusal::new("not_paused", "the table is not paused"))
            }
            Desk::Pause {} | Desk::GoOn {} => Ok(()),
            Desk::Resume { alive_ms } if (self.at_ms()..now_ms).contains(alive_ms) => Ok(()),
            Desk::Resume { .. } => {
                let text = "only time after the last entry and before now can be forgiven";
                Err(Refusal::new("nothing_to_forgive", text))
            }
        }
    }

    fn chair(&self, seat: Seat) -> Result<&Chair, Refusal> {
        let chair = self.chairs().get(seat.index());
        chair.ok_or_else(|| Refusal::no_such_seat(seat, self.header().seats))
    }
}
