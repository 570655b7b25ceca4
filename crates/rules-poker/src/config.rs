//! The options of a table.

use crate::hand::Rake;
use crate::reject::Reject;
use crate::seats::SmallBlind;
use parlor_rules::Chips;
use serde::{Deserialize, Serialize};

/// What a table plays for, and how fast.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The small blind.
    pub small_blind: Chips,
    /// The big blind, which is the smallest bet.
    pub big_blind: Chips,
    /// Who posts the small blind.
    pub small_blind_at: SmallBlind,
    /// Straddles behind the big blind, posted by whoever sits there.
    pub straddles: Vec<Chips>,
    /// What everyone posts before the cards.
    pub ante: Chips,
    /// The least chips to sit down with.
    pub min_buy_in: Chips,
    /// The most chips to have after sitting down or adding some.
    pub max_buy_in: Chips,
    /// The smallest chip a pot is divided into.
    pub chip: Chips,
    /// What the house takes; nothing without it.
    pub rake: Option<Rake>,
    /// How long a player has for a decision, before the time bank of the table.
    pub within_ms: u64,
    /// How long it is from one hand to the next.
    pub between_ms: u64,
    /// What is played for a player whose time is up.
    pub on_timeout: OnTimeout,
    /// After how many turns missed in a row a player sits out; never if 0.
    pub sit_out_after: u8,
    /// How long a player may pause; then the chair is free again.
    pub max_pause_s: u64,
}

/// What is played for a player whose time is up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// A check where that is free, otherwise a fold.
    CheckOrAuto,
    /// A fold.
    Auto,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            small_blind: Chips::whole(1),
            big_blind: Chips::whole(2),
            small_blind_at: SmallBlind::Positional,
            straddles: Vec::new(),
            ante: Chips::ZERO,
            min_buy_in: Chips::whole(40),
            max_buy_in: Chips::whole(400),
            chip: Chips::from_ten_thousandths(1),
            rake: None,
            within_ms: 20_000,
            between_ms: 3_000,
            on_timeout: OnTimeout::CheckOrAuto,
            sit_out_after: 2,
            max_pause_s: 1_800,
        }
    }
}

impl Config {
    /// Refuses options that make no game.
    pub(crate) fn check(&self) -> Result<(), Reject> {
        let bad = |field: &'static str, needs: &'static str| Reject::BadConfig { field, needs };
        let zero = Chips::ZERO;
        if self.big_blind <= zero {
            return Err(bad("big_blind", "is above 0"));
        }
        // Of two equal blinds nobody could tell which is the big one.
        if self.small_blind < zero || self.small_blind >= self.big_blind {
            return Err(bad("small_blind", "is not negative, and below the big blind"));
        }
        let rising = [self.big_blind].iter().chain(&self.straddles).is_sorted_by(|a, b| a < b);
        if !rising || self.straddles.len() > 8 {
            return Err(bad("straddles", "are at most eight, each above the one before"));
        }
        if self.ante < zero {
            return Err(bad("ante", "is not negative"));
        }
        if self.min_buy_in < self.big_blind {
            return Err(bad("min_buy_in", "is a big blind at least"));
        }
        if self.max_buy_in < self.min_buy_in {
            return Err(bad("max_buy_in", "is not below min_buy_in"));
        }
        if self.chip <= zero {
            return Err(bad("chip", "is above 0"));
        }
        if let Some((field, needs)) = self.rake.and_then(|rake| rake.fault()) {
            return Err(bad(field, needs));
        }
        Ok(())
    }

    /// The blinds in the order they stand: small, big, straddles.
    pub(crate) fn levels(&self) -> Vec<Chips> {
        [self.small_blind, self.big_blind].into_iter().chain(self.straddles.clone()).collect()
    }
}
