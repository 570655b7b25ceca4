//! What a seat may say.

use crate::card::Cards;
use crate::command::{Command, Pre};
use crate::decide::may_prepare;
use crate::hand::Next;
use crate::seats::Intent;
use crate::state::{Phase, State};
use parlor_rules::{Chips, Draws, Seat, Viewer};
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
    /// What a bring-in costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bring_in: Option<Chips>,
    /// Of which cards it may give some away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discard: Option<Cards>,
    /// Whether it may show its cards.
    pub show: bool,
    /// Of which cards it may show some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_some: Option<Cards>,
    /// Whether it may see the rest of the board.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rabbit: bool,
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
    if let Some(hand) = state.hand.as_ref().filter(|hand| hand.next() == Next::Over)
        && let Some(player) = hand.players().get(index).filter(|player| !player.hole.is_empty())
    {
        let hidden = player.hole.set().minus(state.shows(Viewer::Watcher, index));
        legal.show = !hidden.is_empty();
        let some: Cards = player.hole.known().filter(|card| hidden.contains(*card)).collect();
        legal.show_some = (state.config.show_some && legal.show).then_some(some);
        legal.rabbit = state.config.rabbit && state.rabbit.is_none() && hand.board_to_come() > 0;
    }
    let Some(hand) = state.playing().filter(|_| state.actor() == Some(seat)) else { return legal };
    let options = hand.options();
    legal.raise =
        options.and_then(|options| options.raise).map(|(least, most)| Raise { least, most });
    match (hand.next(), options) {
        (Next::Act { .. }, Some(options)) => {
            legal.fold = true;
            legal.check = options.call == Chips::ZERO;
            legal.call = (options.call > Chips::ZERO).then_some(options.call);
        }
        (Next::BringIn { .. }, Some(options)) => legal.bring_in = Some(options.call),
        (Next::Draw { .. }, _) => legal.discard = Some(hand.players()[index].hole),
        _ => {}
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
            Command::BringIn {} => self.bring_in.is_some(),
            Command::Discard { cards } => self.discard.is_some_and(|mut hole| {
                cards.all_known() && hole.all_known() && cards.iter().all(|card| hole.remove(card))
            }),
            Command::Show { cards: None } => self.show,
            Command::Show { cards: Some(cards) } => self.show_some.is_some_and(|hole| {
                !cards.set().is_empty() && cards.set().minus(hole.set()).is_empty()
            }),
            Command::Rabbit {} => self.rabbit,
            Command::Intent { intent } => self.intents.contains(intent),
            Command::Pre { pre } => self.pre.contains(pre),
        }
    }

    /// Some command, mostly about the cards.
    pub(crate) fn pick(&self, draws: &mut Draws<'_>) -> Option<Command> {
        let about_cards = draws.below(16) > 0;
        if let Some(hole) = self.discard.filter(|_| about_cards) {
            let cards = hole.known().filter(|_| draws.below(2) == 0).collect();
            return Some(Command::Discard { cards });
        }
        if self.bring_in.is_some() && about_cards {
            return Some(match self.raise.filter(|_| draws.below(3) == 0) {
                Some(Raise { least, .. }) => Command::Raise { to: least },
                None => Command::BringIn {},
            });
        }
        if self.fold && about_cards {
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
        others.extend(self.show.then_some(Command::Show { cards: None }));
        others.extend(self.rabbit.then_some(Command::Rabbit {}));
        if let Some(hole) = self.show_some {
            others.extend(
                hole.known()
                    .map(|card| Command::Show { cards: Some([card].into_iter().collect()) }),
            );
        }
        others.extend(self.fold.then_some(Command::Fold {}));
        let count = others.len() as u32;
        (count > 0).then(|| others[draws.below(count) as usize])
    }
}
