//! A perfect player of the battle: it picks its layouts by the mix that nobody can gain on.

use crate::Player;
use parlor_rules::{Draws, Json, Seat, Seeded, json};
use parlor_rules_battle::card::{Layout, Name};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::solve::{Solution, Solved};
use parlor_rules_battle::state::{Config, Stage};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::LazyLock;

/// The solution of the usual match, for all who play it.
static USUAL: LazyLock<Solution> = LazyLock::new(|| Solution::whole(&Config::default()));

/// The house's player.
pub struct House {
    chance: Seeded,
    /// The solution of another match than the usual one.
    own: Option<Solution>,
}

/// The part of a view that the house reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    your_seat: Seat,
    round_index: u32,
    sudden_death: bool,
    your_hp: u8,
    opp_hp: u8,
    config: Config,
}

/// The part of what is legal that the house reads.
#[derive(Deserialize)]
struct May {
    commands: Vec<String>,
}

impl House {
    /// A player that picks by this chance.
    pub fn new(chance: Seeded) -> Self {
        Self { chance, own: None }
    }

    fn layout(&mut self, seen: &Seen) -> Option<Layout> {
        let side = seen.your_seat.index();
        let mut hp = [seen.your_hp, seen.opp_hp];
        hp.rotate_right(side);
        let stage = Stage { round: seen.round_index, sudden_death: seen.sudden_death, hp };
        if USUAL.solves(&seen.config)
            && let Some(solved) = USUAL.get(&stage)
        {
            return pick(&mut self.chance, USUAL.layouts(side), &solved.mixes[side]);
        }
        let own = self.own.take().filter(|own| own.solves(&seen.config));
        let own = self.own.insert(own.unwrap_or_else(|| Solution::of(&seen.config)));
        let Solved { mixes, .. } = own.solve(&stage).clone();
        pick(&mut self.chance, own.layouts(side), &mixes[side])
    }
}

/// One of these layouts, as often as its share says.
fn pick(chance: &mut Seeded, layouts: &[Layout], mix: &[f64]) -> Option<Layout> {
    const FINE: u32 = 1 << 30;
    let mut left = f64::from(Draws::new(chance).below(FINE)) / f64::from(FINE);
    let chosen = layouts.iter().zip(mix).find(|(_, share)| {
        left -= **share;
        left < 0.0
    });
    // Shares add up to 1 but for rounding.
    let last = || layouts.iter().zip(mix).rfind(|(_, share)| **share > 0.0);
    chosen.or_else(last).map(|(layout, _)| *layout)
}

impl Player for House {
    fn choose(&mut self, view: &RawValue, legal: &RawValue) -> Option<Json> {
        let may: May = serde_json::from_str(legal.get()).ok()?;
        if !may.commands.iter().any(|command| command == "layout_confirm") {
            return None;
        }
        let layout = self.layout(&serde_json::from_str(view.get()).ok()?)?;
        let layout = layout.slots().map(|slot| slot.map(Name::Card));
        Some(json(&Command::LayoutConfirm { layout }))
    }
}
