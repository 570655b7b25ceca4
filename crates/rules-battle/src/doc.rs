//! The document of a match, and the one checked way from it to a state.

use crate::card::{Hand, Layout, SLOTS, Slots};
use crate::event::End;
use crate::state::{AFK_LIMIT, BothDown, Config, Lock, Phase, Plan, SEATS, Stage, State};
use crate::view::phase_name;
use parlor_rules::{Closed, Faults, Fields, Word};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The document: all of the state that is not options.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Doc {
    phase: Option<&'static str>,
    round_index: u32,
    sudden_death: bool,
    hp: [u8; 2],
    afk_streaks: [u8; 2],
    /// In PREP: what each seat has said.
    #[serde(skip_serializing_if = "Option::is_none")]
    plans: Option<[Written; 2]>,
    /// In REVEAL: what lies, and how much of it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    layouts: Option<[Layout; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shown: Option<usize>,
    /// At the END: how.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

/// A plan as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct Written {
    messages: u32,
    layout: Slots,
    lock: Lock,
}

impl Closed for Written {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let messages = fields.take("messages", "a number of messages", faults);
        let layout = fields.take("layout", LAYOUT, faults);
        let lock = fields.take("lock", "\"open\", \"confirmed\" or \"time_up\"", faults);
        Some(Self { messages: messages?, layout: layout?, lock: lock.map(|Word(lock)| lock)? })
    }
}

const LAYOUT: &str = "three slots, each a card or null";

/// See [`parlor_rules::Rules::doc`].
pub fn doc(state: &State) -> Doc {
    let Stage { round, sudden_death, hp } = state.stage;
    let mut doc = Doc {
        phase: phase_name(&state.phase),
        round_index: round,
        sudden_death,
        hp,
        afk_streaks: state.afk,
        plans: None,
        layouts: None,
        shown: None,
        end: None,
    };
    match &state.phase {
        Phase::Fresh => {}
        Phase::Prep(plans) => {
            doc.plans = Some(plans.map(|plan| Written {
                messages: plan.messages,
                layout: plan.layout.slots(),
                lock: plan.lock,
            }));
        }
        Phase::Reveal { layouts, shown } => {
            (doc.layouts, doc.shown) = (Some(*layouts), Some(*shown));
        }
        Phase::End(end) => doc.end = Some(*end),
    }
    doc
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum PhaseName {
    Prep,
    Reveal,
    End,
}

/// See [`parlor_rules::Rules::load`]. Only what the rules can produce is loaded.
pub fn load(config: &Config, doc: Value) -> Result<State, Faults> {
    let mut faults = Faults::default();
    if let Err(reject) = config.check() {
        faults.add("", parlor_rules::Reject::text(&reject));
    }
    let state = read(config, doc, &mut faults);
    state.filter(|_| faults.is_empty()).ok_or(faults)
}

fn read(config: &Config, doc: Value, faults: &mut Faults) -> Option<State> {
    let mut fields = Fields::of(doc, "", faults);
    let wanted = "\"PREP\", \"REVEAL\", \"END\" or null";
    let phase = fields.take::<Option<Word<PhaseName>>>("phase", wanted, faults);
    let round = fields.take("roundIndex", "the number of a round, from 1", faults);
    let sudden_death = fields.take("suddenDeath", "true or false", faults);
    let hp = fields.take::<[u8; 2]>("hp", "the HP of both", faults);
    let afk = fields.take::<[u8; 2]>("afkStreaks", "two numbers of rounds", faults);
    let phase = match phase.map(|phase| phase.map(|Word(name)| name)) {
        None => {
            // What else there may be depends on it.
            for key in ["plans", "layouts", "shown", "end"] {
                fields.raw(key);
            }
            None
        }
        Some(None) => Some(Phase::Fresh),
        Some(Some(PhaseName::Prep)) => plans(config, &mut fields, faults).map(Phase::Prep),
        Some(Some(PhaseName::Reveal)) => {
            let two = "two layouts, each of three slots";
            let layouts = fields.take::<[Slots; 2]>("layouts", two, faults);
            let shown = fields.take::<usize>("shown", "how many pairs are shown, 0 to 2", faults);
            let layouts = layouts.and_then(|[a, b]| {
                let a = lay(&config.hands[0], a, "layouts.0", faults);
                a.zip(lay(&config.hands[1], b, "layouts.1", faults))
            });
            faults.check(shown.is_none_or(|shown| shown < SLOTS), "shown", || {
                "is 0 to 2: with the third pair the round ends".to_owned()
            });
            layouts.zip(shown).map(|((a, b), shown)| Phase::Reveal { layouts: [a, b], shown })
        }
        Some(Some(PhaseName::End)) => {
            fields.take("end", "how the match ended", faults).map(Phase::End)
        }
    };
    fields.finish(faults);
    let stage = Stage { round: round?, sudden_death: sudden_death?, hp: hp? };
    let state = State { config: config.clone(), stage, afk: afk?, phase: phase? };
    if faults.is_empty() {
        check(&state, faults);
    }
    Some(state)
}

fn lay(hand: &Hand, slots: Slots, path: &str, faults: &mut Faults) -> Option<Layout> {
    let layout = hand.lay(slots);
    faults.check(layout.is_some(), path, || "holds a card that is not in the hand".to_owned());
    layout
}

fn plans(config: &Config, fields: &mut Fields, faults: &mut Faults) -> Option<[Plan; 2]> {
    let written = fields.list::<Written>("plans", "what each of the two seats has said", faults)?;
    faults.check(written.len() == 2, "plans", || format!("are two, not {}", written.len()));
    let mut plan = |i: usize| {
        let Written { messages, layout, lock } = *written.get(i)?;
        let path = format!("plans.{i}");
        let layout = lay(&config.hands[i], layout, &path, faults)?;
        let said = !layout.is_empty() || lock == Lock::Confirmed;
        faults.check(messages > 0 || !said, &path, || {
            "a layout, or a confirmation, needs a message that brought it".to_owned()
        });
        Some(Plan { messages, layout, lock })
    };
    let plans = plan(0).zip(plan(1)).map(|(a, b)| [a, b])?;
    let waits = !config.early_finalize || plans.iter().any(|plan| plan.lock == Lock::Open);
    faults.check(waits, "plans", || {
        "neither seat has more to say, so the round is in REVEAL".to_owned()
    });
    Some(plans)
}

/// Whether the parts of a state, each of which can be, can be together.
fn check(state: &State, faults: &mut Faults) {
    let State { config, stage: Stage { round, sudden_death, hp }, afk, phase } = state;
    let last = config.rounds + config.sudden_death_cap;
    faults.check((1..=last).contains(round), "roundIndex", || format!("is 1 to {last}"));
    faults.check(hp.iter().all(|hp| *hp <= config.max_hp), "hp", || {
        format!("are at most {}", config.max_hp)
    });
    let early = config.both_down == BothDown::SuddenDeath && *round > 1;
    let late = *round > config.rounds;
    faults.check(*sudden_death == late || (*sudden_death && early), "suddenDeath", || {
        format!("is true from round {} on", config.rounds + 1)
    });
    let [a, b] = *hp;
    let begins = match phase {
        Phase::Fresh => *round == 1 && *hp == [config.hp; 2] && *afk == [0; 2],
        Phase::Prep(_) if *round == 1 => *hp == [config.hp; 2] && *afk == [0; 2],
        Phase::Prep(_) if *sudden_death => a == b && (a > 0 || early),
        Phase::Prep(_) => a > 0 && b > 0,
        Phase::Reveal { shown: 0, .. } if *round == 1 => *hp == [config.hp; 2],
        Phase::Reveal { shown: 0, .. } if *sudden_death => a == b && (a > 0 || early),
        Phase::Reveal { shown: 0, .. } => a > 0 && b > 0,
        Phase::Reveal { .. } | Phase::End(_) => true,
    };
    faults.check(begins, "hp", || "are not what a round can begin with".to_owned());
    let most = afk.iter().max().copied().unwrap_or(0);
    match phase {
        Phase::End(end) => check_end(state, *end, faults),
        _ => faults.check(most < AFK_LIMIT, "afkStreaks", || {
            format!("are below {AFK_LIMIT} while the match goes on")
        }),
    }
    if let Phase::Reveal { layouts, .. } = phase {
        let heard = SEATS.map(|seat| seat.index()).into_iter();
        let fits = heard.filter(|i| afk[*i] > 0).all(|i| layouts[i].is_empty());
        faults.check(fits, "afkStreaks", || "who is AFK has laid nothing".to_owned());
    }
}

fn check_end(state: &State, end: End, faults: &mut Faults) {
    let State { config, stage, afk, .. } = state;
    let [a, b] = stage.hp;
    let last = stage.round == config.rounds + config.sudden_death_cap;
    let by_hp = match end {
        End::Beaten { winner } => {
            let (won, lost) = if winner == SEATS[0] { (a, b) } else { (b, a) };
            won > lost && (lost == 0 || stage.sudden_death || stage.round >= config.rounds)
        }
        End::Draw => a == b && (last || (a == 0 && config.both_down == BothDown::Draw)),
        End::Closed => *stage == config.start(),
        End::Afk { .. } | End::BothAfk => stage.round >= u32::from(AFK_LIMIT),
        End::Gone { .. } | End::BothGone => true,
    };
    faults.check(by_hp, "end", || "does not fit the HP and the round".to_owned());
    let limit = |i: usize| afk[i] == AFK_LIMIT;
    let by_afk = match end {
        End::Afk { loser } => limit(loser.index()) && !limit(1 - loser.index()),
        End::BothAfk => limit(0) && limit(1),
        End::Closed => *afk == [0; 2],
        _ => afk.iter().all(|streak| *streak < AFK_LIMIT),
    };
    let fits = by_afk && afk.iter().all(|streak| *streak <= AFK_LIMIT);
    faults.check(fits, "afkStreaks", || "do not fit the end".to_owned());
}
