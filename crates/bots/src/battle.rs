//! The house's player of the battle. At its best it picks its layouts by the mix that nobody can
//! gain on; below that it thinks of one round only, or falls into habits.

use crate::Level;
use crate::pace::Thought;
use parlor_rules::{Draws, Json, Seat, Seeded, json};
use parlor_rules_battle::card::{Card, Hand, Layout, Name, SLOTS};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::resolve::round;
use parlor_rules_battle::solve::{Solution, Solved, solve};
use parlor_rules_battle::state::{Config, Stage};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::LazyLock;

/// The solution of the usual match, for all who play it.
static USUAL: LazyLock<Solution> = LazyLock::new(|| Solution::whole(&Config::default()));

/// Plays the battle.
pub(crate) struct Mind {
    level: Level,
    chance: Seeded,
    /// The solution of another match than the usual one.
    own: Option<Solution>,
    /// The HP it had when it laid cards last.
    had: u8,
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

impl Seen {
    /// The side of the house, and both HP in the order of the sides.
    fn sides(&self) -> (usize, [u8; 2]) {
        let side = self.your_seat.index().min(1);
        let mut hp = [self.your_hp, self.opp_hp];
        hp.rotate_right(side);
        (side, hp)
    }
}

/// The part of what is legal that the house reads.
#[derive(Deserialize)]
struct May {
    commands: Vec<String>,
}

impl Mind {
    pub(crate) fn new(level: Level, chance: Seeded) -> Self {
        Self { level, chance, own: None, had: 0 }
    }

    fn layout(&mut self, seen: &Seen) -> Option<Layout> {
        match self.level {
            Level::Easy => self.habit(seen),
            Level::Medium => self.this_round(seen),
            Level::Hard => self.solved(seen),
        }
    }

    /// By the solution of the whole match.
    fn solved(&mut self, seen: &Seen) -> Option<Layout> {
        let (side, hp) = seen.sides();
        let stage = Stage { round: seen.round_index, sudden_death: seen.sudden_death, hp };
        if USUAL.solves(&seen.config)
            && let Some(solved) = USUAL.get(&stage)
        {
            return pick(&mut self.chance, USUAL.layouts(side), &solved.mixes[side]);
        }
        let own = self.own.take().filter(|own| own.solves(&seen.config));
        let own = self.own.insert(own.unwrap_or_else(|| Solution::of(&seen.config)));
        let Solved { mixes, .. } = own.solve(&stage);
        pick(&mut self.chance, own.layouts(side), &mixes[side])
    }

    /// By the HP this round can win and lose, as if there were no other. Only full layouts are
    /// thought of.
    fn this_round(&mut self, seen: &Seen) -> Option<Layout> {
        let (side, hp) = seen.sides();
        let full = |layout: &Layout| layout.slots().iter().all(Option::is_some);
        let layouts = seen
            .config
            .hands
            .map(|hand| hand.layouts().into_iter().filter(full).collect::<Vec<_>>());
        let [rows, columns] = &layouts;
        let pairs = rows.iter().flat_map(|a| columns.iter().map(move |b| [a, b]));
        let lead = |[a, b]: [u8; 2]| f64::from(a) - f64::from(b);
        let payoffs: Vec<f64> =
            pairs.map(|pair| lead(round(pair, hp, seen.config.max_hp))).collect();
        let mixes = solve(&payoffs, columns.len()).mixes;
        pick(&mut self.chance, &layouts[side], &mixes[side])
    }

    /// By habit: attack first, cover up after a blow, heal when it is late, and do not trust the
    /// counter.
    fn habit(&mut self, seen: &Seen) -> Option<Layout> {
        use Card::{Attack, Counter, Defense, Heal};
        let hurt = seen.your_hp < self.had;
        let late = u32::from(seen.your_hp) * 3 <= u32::from(seen.config.max_hp);
        self.had = seen.your_hp;
        let mut order = match (hurt, late) {
            (_, true) => [Heal, Defense, Attack, Counter],
            (true, false) => [Defense, Attack, Heal, Counter],
            (false, false) => [Attack, Defense, Heal, Counter],
        };
        // Now and then in another order.
        if Draws::new(&mut self.chance).below(3) == 0 {
            order.swap(1, 2);
        }
        lay(&seen.config.hands[seen.sides().0], order)
    }
}

/// The first cards of a hand in this order, as a layout.
fn lay(hand: &Hand, order: [Card; 4]) -> Option<Layout> {
    let held = order.into_iter().flat_map(|card| std::iter::repeat_n(card, hand.count(card)));
    let mut slots = [None; SLOTS];
    slots.iter_mut().zip(held).for_each(|(slot, card)| *slot = Some(card));
    hand.lay(slots)
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

impl crate::Mind for Mind {
    fn think(&mut self, view: &RawValue, legal: &RawValue) -> Option<(Json, Thought)> {
        let may: May = serde_json::from_str(legal.get()).ok()?;
        if !may.commands.iter().any(|command| command == "layout_confirm") {
            return None;
        }
        let layout = self.layout(&serde_json::from_str(view.get()).ok()?)?;
        let layout = layout.slots().map(|slot| slot.map(Name::Card));
        Some((json(&Command::LayoutConfirm { layout }), Thought::Hard))
    }
}
