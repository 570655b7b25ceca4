//! What a seat may say.

use crate::command::{Command, Pre};
use crate::decide::may_prepare;
use crate::hand::Next;
use crate::seats::Intent;
use crate::state::{Phase, State};
use parlor_rules::{Chips, Draws, Seat};
use serde::Serialize;

/// What a seat may say now.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Legal {
    /// Whether it may fold.
    pub fold: bool,
    /// Whether it may check.
    pub check: bool,
    /// What a call costs.
    pub call: Option<Chips>,
    /// What it may raise to.
    pub raise: Option<Raise>,
    /// Whether it may show its cards.
    pub show: bool,
    /// What it may want instead of what it wants.
    pub intents: &'static [Intent],
    /// What it may say beforehand.
    pub pre: Vec<Option<Pre>>,
}

/// What a seat may raise to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Raise {
    /// At least.
    pub least: Chips,
    /// At most: all it has.
    pub most: Chips,
}

/// See [`parlor_rules::Rules::legal`].
pub(crate) fn legal(state: &State, seat: Seat) -> Legal {
    let mut legal = Legal::default();
    let Some(place) = state.place(seat).filter(|_| state.phase == Phase::Open) else {
        return legal;
    };
    let index = state.place_of(seat).unwrap_or_default();
    if place.column.intent != Intent::Leave {
        legal.intents = place.column.intent.others();
    }
    if may_prepare(state, seat) {
        let all = [None].into_iter().chain(Pre::ALL.map(Some));
        legal.pre = all.filter(|pre| *pre != place.pre).collect();
    }
    if let Some(hand) = state.hand.as_ref().filter(|hand| hand.next() == Next::Over) {
        let dealt = hand.players().get(index).is_some_and(|player| !player.hole.is_empty());
        legal.show = dealt && !state.has_shown(index);
    }
    if let Some(options) = state.playing().and_then(|hand| hand.options())
        && state.actor() == Some(seat)
    {
        legal.fold = true;
        legal.check = options.call == Chips::ZERO;
        legal.call = (options.call > Chips::ZERO).then_some(options.call);
        legal.raise = options.raise.map(|(least, most)| Raise { least, most });
    }
    legal
}

impl Legal {
    pub(crate) fn permits(&self, command: &Command) -> bool {
        match command {
            Command::Fold {} => self.fold,
            Command::Check {} => self.check,
            Command::Call {} => self.call.is_some(),
            Command::Raise { to } => {
                self.raise.is_some_and(|Raise { least, most }| (least..=most).contains(to))
            }
            Command::Show {} => self.show,
            Command::Intent { intent } => self.intents.contains(intent),
            Command::Pre { pre } => self.pre.contains(pre),
        }
    }

    /// Some command, mostly about the cards.
    pub(crate) fn pick(&self, draws: &mut Draws<'_>) -> Option<Command> {
        let about_cards = self.fold && draws.below(16) > 0;
        if about_cards {
            let stay = if self.check { Command::Check {} } else { Command::Call {} };
            return Some(match (draws.below(8), self.raise) {
                (0, _) => Command::Fold {},
                (1, Some(raise)) => Command::Raise { to: raise.least },
                (2, Some(raise)) => Command::Raise { to: raise.most },
                (3, Some(Raise { least, most })) => {
                    let span = (most - least).ten_thousandths().clamp(0, 1 << 30) as u32;
                    let more = Chips::from_ten_thousandths(i64::from(draws.below(span + 1)));
                    Command::Raise { to: least + more }
                }
                _ => stay,
            });
        }
        let mut others: Vec<Command> =
            self.intents.iter().map(|intent| Command::Intent { intent: *intent }).collect();
        others.extend(self.pre.iter().map(|pre| Command::Pre { pre: *pre }));
        others.extend(self.show.then_some(Command::Show {}));
        others.extend(self.fold.then_some(Command::Fold {}));
        let count = others.len() as u32;
        (count > 0).then(|| others[draws.below(count) as usize])
    }
}
