//! What cards do to each other, and what a round decides.

use crate::card::{Card, Layout, SLOTS, Slot};
use crate::state::{BothDown, Config, Stage};

/// What an attack that gets through takes, and what a counter gives back.
pub const DAMAGE: u8 = 2;

/// What this card suffers from that one.
const fn damage(own: Slot, theirs: Slot) -> u8 {
    match (own, theirs) {
        (Some(Card::Defense | Card::Counter), Some(Card::Attack)) => 0,
        (_, Some(Card::Attack)) | (Some(Card::Attack), Some(Card::Counter)) => DAMAGE,
        _ => 0,
    }
}

/// One step: both heal, up to the most, and then both suffer, down to nothing.
#[inline]
pub fn step(cards: [Slot; 2], hp: [u8; 2], max_hp: u8) -> [u8; 2] {
    let after = |own: usize| {
        let healed = hp[own].saturating_add(u8::from(cards[own] == Some(Card::Heal))).min(max_hp);
        healed.saturating_sub(damage(cards[own], cards[1 - own]))
    };
    [after(0), after(1)]
}

/// All three steps of a round.
#[inline]
pub fn round(layouts: [&Layout; 2], hp: [u8; 2], max_hp: u8) -> [u8; 2] {
    let [a, b] = layouts.map(Layout::slots);
    (0..SLOTS).fold(hp, |hp, i| step([a[i], b[i]], hp, max_hp))
}

/// What follows from a round that is played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The side with this number has won.
    Won(usize),
    /// Nobody has.
    Draw,
    /// Another round.
    Next(Stage),
}

/// Judges a round by the HP both have after its last step.
pub fn judge(config: &Config, played: &Stage) -> Verdict {
    let Stage { round, sudden_death, hp: [a, b] } = *played;
    let down = a == 0 || b == 0;
    if a != b && (down || sudden_death || round >= config.rounds) {
        return Verdict::Won(usize::from(b > a));
    }
    let drawn = (down && a == b && config.both_down == BothDown::Draw)
        || round >= config.rounds + config.sudden_death_cap;
    if drawn {
        return Verdict::Draw;
    }
    let sudden_death = sudden_death || down || round >= config.rounds;
    Verdict::Next(Stage { round: round + 1, sudden_death, hp: [a, b] })
}
