//! The options of a table.

use crate::bets::Bets;
use crate::hand::{OddChips, RUNS, Rake};
use crate::reject::Reject;
use crate::seats::SmallBlind;
use crate::variant::{self, Limit, NT, Variant};
use parlor_rules::Chips;
use serde::{Deserialize, Serialize};

/// What a table plays for, and how fast.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What is played, one after the other.
    #[serde(deserialize_with = "variant::read_list")]
    pub variants: Vec<&'static Variant>,
    /// When the next of them is played.
    pub variant_lasts: Lasts,
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
    /// The same where somebody brings in.
    pub stud_ante: Chips,
    /// What the lowest open card brings in; half a small bet if it is not said.
    pub bring_in: Option<Chips>,
    /// The small bet of fixed limit; the big blind if it is not said.
    pub small_bet: Option<Chips>,
    /// The big bet of fixed limit; two small ones if it is not said.
    pub big_bet: Option<Chips>,
    /// The least chips to sit down with.
    pub min_buy_in: Chips,
    /// The most chips to have after sitting down or adding some.
    pub max_buy_in: Chips,
    /// Every so many hands everyone posts `bomb_ante`, nobody a blind, and the first round of betting
    /// is passed over; never if 0.
    pub bomb_every: u32,
    /// What everyone posts then.
    pub bomb_ante: Chips,
    /// How often the rest of a board is dealt when nobody can bet any more.
    pub runs: u8,
    /// Whether one may show some of the cards, and not all.
    pub show_some: bool,
    /// Whether one may see the rest of the board after a hand that ended before.
    pub rabbit: bool,
    /// Whether it is said what a hand is.
    pub labels: bool,
    /// The smallest chip a pot is divided into.
    pub chip: Chips,
    /// Who gets what is left over when a pot is divided.
    pub odd_chips: OddChips,
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

/// How long a variant is played before the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lasts {
    /// One hand.
    Hand,
    /// As many hands as there are players.
    Orbit,
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
            variants: vec![&NT],
            variant_lasts: Lasts::Orbit,
            small_blind: Chips::whole(1),
            big_blind: Chips::whole(2),
            small_blind_at: SmallBlind::Positional,
            straddles: Vec::new(),
            ante: Chips::ZERO,
            stud_ante: Chips::ZERO,
            bring_in: None,
            small_bet: None,
            big_bet: None,
            min_buy_in: Chips::whole(40),
            max_buy_in: Chips::whole(400),
            bomb_every: 0,
            bomb_ante: Chips::ZERO,
            runs: 1,
            show_some: true,
            rabbit: false,
            labels: true,
            chip: Chips::from_ten_thousandths(1),
            odd_chips: OddChips::Each,
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
        if self.variants.is_empty() || self.variants.len() > 32 {
            return Err(bad("variants", "are 1 to 32"));
        }
        let count = self.variants.len();
        let twice = |i: usize| self.variants[i] == self.variants[(i + 1) % count];
        if count > 1 && (0..count).any(twice) {
            return Err(bad("variants", "do not follow themselves"));
        }
        let short = |variant: &&&Variant| variant.lowest > 0;
        if self.variants.iter().any(|v| short(&v)) && !self.variants.iter().all(|v| short(&v)) {
            return Err(bad("variants", "are all of one deck"));
        }
        if self.ante < zero || self.stud_ante < zero {
            return Err(bad("ante", "is not negative"));
        }
        let Bets { small, big, bring_in } = self.bets();
        if bring_in <= zero || bring_in >= small {
            return Err(bad("bring_in", "is above 0, and below the small bet"));
        }
        if small <= zero || big < small {
            return Err(bad("small_bet", "is above 0, and not above the big bet"));
        }
        if self.bomb_ante < zero || (self.bomb_every > 0 && self.bomb_ante == zero) {
            return Err(bad("bomb_ante", "is above 0, where there are bomb pots"));
        }
        if !(1..=RUNS).contains(&self.runs) {
            return Err(bad("runs", "is 1, 2 or 3"));
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
        if self.within_ms < 1_000 {
            return Err(bad("within_ms", "is 1000 at least"));
        }
        if let Some((field, needs)) = self.rake.and_then(|rake| rake.fault()) {
            return Err(bad(field, needs));
        }
        Ok(())
    }

    /// The blinds in the order they stand: small, big, straddles.
    pub(crate) fn levels(&self, variant: &Variant) -> Vec<Chips> {
        let small = if variant.button_blind { Chips::ZERO } else { self.small_blind };
        [small, self.big_blind].into_iter().chain(self.straddles.clone()).collect()
    }

    /// The bets of fixed limit.
    fn bets(&self) -> Bets {
        let small = self.small_bet.unwrap_or(self.big_blind);
        let half = Chips::from_ten_thousandths(small.ten_thousandths() / 2);
        let big = self.big_bet.unwrap_or(small + small);
        Bets { small, big, bring_in: self.bring_in.unwrap_or(half) }
    }

    /// What bets are in a variant.
    pub(crate) fn bets_of(&self, variant: &Variant) -> Bets {
        match variant.limit {
            Limit::Fixed => self.bets(),
            Limit::No | Limit::Pot => Bets::least(self.big_blind),
        }
    }

    /// What everyone posts before the cards of a variant.
    pub(crate) fn ante_of(&self, variant: &Variant) -> Chips {
        if variant.has_blinds() { self.ante } else { self.stud_ante }
    }

    /// All that anyone may have to post before the cards of a variant.
    pub(crate) fn antes_of(&self, variant: &Variant) -> Vec<Chips> {
        vec![self.ante_of(variant), self.bomb_ante]
    }

    /// How many cards the decks of the table have.
    pub(crate) fn deck(&self) -> u8 {
        self.variants[0].cards()
    }

    /// The most players a table can have: all variants are played by all.
    pub(crate) fn seats(&self) -> u8 {
        self.variants.iter().map(|variant| variant.seats).min().unwrap_or_default()
    }
}
