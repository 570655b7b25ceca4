//! How large bets are, and how hand histories name it.

use crate::variant::{Limit, Variant};
use parlor_rules::{Chips, Faults, Fields};
use serde::Serialize;

/// How large bets are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bets {
    /// The smallest bet; of fixed limit the small one.
    pub small: Chips,
    /// The big bet of fixed limit; as the small one elsewhere.
    pub big: Chips,
    /// What the lowest open card brings in; nothing where nobody does.
    pub bring_in: Chips,
}

impl Bets {
    /// Without limit, and without a bring-in.
    pub const fn least(small: Chips) -> Self {
        Self { small, big: small, bring_in: Chips::ZERO }
    }

    /// By the names they have in this variant.
    pub fn sizes(self, variant: &Variant) -> Sizes {
        let Self { small, big, bring_in } = self;
        let fixed = variant.limit == Limit::Fixed;
        Sizes {
            min_bet: (!fixed).then_some(small),
            small_bet: fixed.then_some(small),
            big_bet: fixed.then_some(big),
            bring_in: (!variant.has_blinds()).then_some(bring_in),
        }
    }
}

/// The sizes of bets by their names in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sizes {
    /// The smallest bet, where there is no limit but the pot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_bet: Option<Chips>,
    /// The small bet of fixed limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small_bet: Option<Chips>,
    /// The big bet of fixed limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub big_bet: Option<Chips>,
    /// What the lowest open card brings in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bring_in: Option<Chips>,
}

impl Sizes {
    /// Their names in documents.
    pub const NAMES: [&'static str; 4] = ["minBet", "smallBet", "bigBet", "bringIn"];

    /// Their names in files, in the same order.
    pub const IN_FILES: [&'static str; 4] = ["min_bet", "small_bet", "big_bet", "bring_in"];

    /// Takes them out of a document.
    pub fn take(fields: &mut Fields, faults: &mut Faults) -> Self {
        let [min_bet, small_bet, big_bet, bring_in] =
            Self::NAMES.map(|name| fields.optional(name, "an amount", faults));
        Self { min_bet, small_bet, big_bet, bring_in }
    }

    /// What they say for a variant. Of a bet that is not there `usual` is the size; which one is
    /// needed and not right is the error, by the order of the names.
    pub fn bets(self, variant: &Variant, usual: Option<Chips>) -> Result<Bets, usize> {
        let [min_bet, small_bet, big_bet, bring_in] = [0, 1, 2, 3];
        let fixed = variant.limit == Limit::Fixed;
        let need = |size: Option<Chips>, name| size.filter(|c| *c > Chips::ZERO).ok_or(name);
        let bring_in = match variant.has_blinds() {
            true => Chips::ZERO,
            false => need(self.bring_in, bring_in)?,
        };
        if !fixed {
            let small = need(self.min_bet.or(usual), min_bet)?;
            return Ok(Bets { small, big: small, bring_in });
        }
        let small = need(self.small_bet.or(usual), small_bet)?;
        let big = need(self.big_bet.or(Some(small + small)), big_bet)?;
        if big < small {
            return Err(big_bet);
        }
        Ok(Bets { small, big, bring_in })
    }
}
