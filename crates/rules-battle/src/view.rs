//! What a viewer sees: the state as a view, and events as the messages of the contract, each from
//! the viewer's side.

use crate::card::{Hand, SLOTS, Slot, Slots};
use crate::event::{End, Event};
use crate::reject::Mistake;
use crate::state::{Config, Lock, Phase, SEATS, State};
use parlor_rules::{Chips, Reject as _, Seat, Viewer};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// One thing of each side, in the words of the viewer: `yourHp` and `oppHp` for a seat, `aHp` and
/// `bHp` for a watcher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Both<T> {
    what: &'static str,
    of: [T; 2],
    viewer: Viewer,
}

impl<T> Both<T> {
    /// This of both sides.
    pub fn new(what: &'static str, of: [T; 2], viewer: Viewer) -> Self {
        Self { what, of, viewer }
    }
}

impl<T: Serialize> Serialize for Both<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let (words, first) = match self.viewer {
            Viewer::Seat(seat) => (["your", "opp"], seat.index().min(1)),
            Viewer::Watcher => (["a", "b"], 0),
        };
        let mut map = s.serialize_map(Some(2))?;
        for (word, side) in words.into_iter().zip([first, 1 - first]) {
            map.serialize_entry(&format!("{word}{}", self.what), &self.of[side])?;
        }
        map.end()
    }
}

/// What a viewer sees. No field could hold what the other side has laid and not shown, or whether
/// it has laid anything.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// `PREP`, `REVEAL` or `END`; null before the match.
    phase: Option<&'static str>,
    round_index: u32,
    sudden_death: bool,
    #[serde(flatten)]
    hp: Both<u8>,
    pot: Chips,
    #[serde(flatten)]
    hands: Both<Hand>,
    #[serde(flatten)]
    own: Option<Own>,
    /// Where the table shows who has confirmed: the other seat, or, to a watcher, both.
    #[serde(skip_serializing_if = "Option::is_none")]
    opp_confirmed: Option<bool>,
    #[serde(flatten)]
    confirmed: Option<Both<bool>>,
    /// The pairs of this round shown so far.
    revealed: Vec<Both<Slot>>,
    /// How long the deadline that runs is.
    #[serde(rename = "within_ms")]
    within_ms: Option<u64>,
    /// How it ended.
    end: Option<End>,
    /// The options of the table.
    config: Config,
}

/// What only the seat itself sees.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Own {
    your_seat: Seat,
    your_draft: Slots,
    your_confirmed: bool,
    your_afk_streak: u8,
}

/// The name of a phase.
pub(crate) fn phase_name(phase: &Phase) -> Option<&'static str> {
    match phase {
        Phase::Fresh => None,
        Phase::Prep(_) => Some("PREP"),
        Phase::Reveal { .. } => Some("REVEAL"),
        Phase::End(_) => Some("END"),
    }
}

fn confirmed(state: &State, seat: Seat) -> bool {
    state.plan(seat).is_some_and(|plan| plan.lock == Lock::Confirmed)
}

/// What lies before a seat.
fn laid(state: &State, seat: Seat) -> Slots {
    match &state.phase {
        Phase::Prep(plans) => plans[seat.index().min(1)].layout.slots(),
        Phase::Reveal { layouts, .. } => layouts[seat.index().min(1)].slots(),
        Phase::Fresh | Phase::End(_) => [None; SLOTS],
    }
}

/// See [`parlor_rules::Rules::view`].
pub fn view(state: &State, viewer: Viewer) -> View {
    let State { config, stage, .. } = state;
    let own = |seat: Seat| Own {
        your_seat: seat,
        your_draft: laid(state, seat),
        your_confirmed: confirmed(state, seat),
        your_afk_streak: state.afk[seat.index().min(1)],
    };
    let (own, opp_confirmed, both_confirmed) = match viewer {
        Viewer::Seat(seat) => {
            (Some(own(seat)), Some(confirmed(state, crate::state::other(seat))), None)
        }
        Viewer::Watcher => {
            (None, None, Some(Both::new("Confirmed", SEATS.map(|s| confirmed(state, s)), viewer)))
        }
    };
    let shown = match &state.phase {
        Phase::Reveal { layouts, shown } => {
            let pair = |i: usize| [0, 1].map(|side| layouts[side].slots()[i]);
            (0..*shown).map(|i| Both::new("Card", pair(i), viewer)).collect()
        }
        _ => Vec::new(),
    };
    View {
        phase: phase_name(&state.phase),
        round_index: stage.round,
        sudden_death: stage.sudden_death,
        hp: Both::new("Hp", stage.hp, viewer),
        pot: state.pot(),
        hands: Both::new("Hand", config.hands, viewer),
        own,
        opp_confirmed: opp_confirmed.filter(|_| config.show_confirmed),
        confirmed: both_confirmed.filter(|_| config.show_confirmed),
        revealed: shown,
        within_ms: state.within_ms(),
        end: match state.phase {
            Phase::End(end) => Some(end),
            _ => None,
        },
        config: config.clone(),
    }
}

/// What a viewer is told of an event: a message of the contract.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the contract names them")]
pub enum Sight {
    MatchFound {
        #[serde(skip_serializing_if = "Option::is_none")]
        your_seat: Option<Seat>,
        #[serde(flatten)]
        hands: Both<Hand>,
        #[serde(flatten)]
        hp: Both<u8>,
        stake: Chips,
        pot: Chips,
    },
    PrepStart {
        round_index: u32,
        sudden_death: bool,
        #[serde(rename = "within_ms")]
        within_ms: u64,
        #[serde(flatten)]
        hp: Both<u8>,
        pot: Chips,
        #[serde(flatten)]
        hands: Both<Hand>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cards: Option<Hand>,
    },
    ConfirmOk {
        round_index: u32,
        layout: Slots,
    },
    StepReveal {
        round_index: u32,
        step: u8,
        #[serde(flatten)]
        cards: Both<Slot>,
        #[serde(flatten)]
        hp: Both<u8>,
    },
    RoundEnd {
        round_index: u32,
        #[serde(flatten)]
        hp: Both<u8>,
    },
    MatchEnd {
        #[serde(flatten)]
        end: End,
        #[serde(flatten)]
        hp: Both<u8>,
        pot: Chips,
    },
    ErrorMsg {
        code: &'static str,
        text: String,
    },
}

impl From<Mistake> for Sight {
    fn from(mistake: Mistake) -> Self {
        Self::ErrorMsg { code: mistake.code(), text: mistake.text() }
    }
}

/// See [`parlor_rules::Rules::sight`].
pub fn sight(state: &State, event: &Event, viewer: Viewer) -> Option<Sight> {
    let State { config, stage, .. } = state;
    let both_hp = |hp| Both::new("Hp", hp, viewer);
    let own_hand = match viewer {
        Viewer::Seat(seat) => Some(config.hand(seat)),
        Viewer::Watcher => None,
    };
    let round_index = stage.round;
    match *event {
        Event::MatchFound {} => Some(Sight::MatchFound {
            your_seat: viewer.into(),
            hands: Both::new("Hand", config.hands, viewer),
            hp: both_hp(stage.hp),
            stake: config.stake,
            pot: config.pot(),
        }),
        Event::PrepStarted { round, sudden_death } => Some(Sight::PrepStart {
            round_index: round,
            sudden_death,
            within_ms: config.prep_ms,
            hp: both_hp(stage.hp),
            pot: config.pot(),
            hands: Both::new("Hand", config.hands, viewer),
            cards: own_hand,
        }),
        // What one seat says is for no other eyes.
        Event::Drafted { seat, .. }
        | Event::Confirmed { seat, .. }
        | Event::ConfirmRefused { seat, .. }
            if viewer != Viewer::Seat(seat) =>
        {
            None
        }
        Event::Drafted { tag, .. } => tag.map(|_| Mistake::InvalidDraft.into()),
        Event::Confirmed { layout, .. } => Some(Sight::ConfirmOk { round_index, layout }),
        Event::ConfirmRefused { slot, .. } => Some(Mistake::InvalidConfirm { slot }.into()),
        Event::TimeUp { .. } | Event::Finalized { .. } => None,
        Event::StepRevealed { step, cards, hp } => Some(Sight::StepReveal {
            round_index,
            step,
            cards: Both::new("Card", cards, viewer),
            hp: both_hp(hp),
        }),
        Event::RoundEnded { round } => {
            Some(Sight::RoundEnd { round_index: round, hp: both_hp(stage.hp) })
        }
        Event::MatchEnded(end) => {
            let pot = if end == End::Closed { Chips::ZERO } else { config.pot() };
            Some(Sight::MatchEnd { end, hp: both_hp(stage.hp), pot })
        }
    }
}
