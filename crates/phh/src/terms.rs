//! How a pot is divided and what the house takes of it: `_chip`, `_runs` and `_rake`, in files and
//! documents.

use parlor_rules::Chips;
use parlor_rules_poker::hand::{RUNS, Rake};
use serde_json::Value;

/// The smallest chip there is.
pub(crate) const CHIP: Chips = Chips::from_ten_thousandths(1);

/// Reads `_chip`.
pub(crate) fn chip(value: Value) -> Result<Chips, &'static str> {
    let chip = serde_json::from_value(value).ok().filter(|chip| *chip > Chips::ZERO);
    chip.ok_or("needs an amount above 0")
}

/// Reads `_runs`.
pub(crate) fn runs(value: Value) -> Result<u8, &'static str> {
    let runs = serde_json::from_value(value).ok().filter(|runs| (1..=RUNS).contains(runs));
    runs.ok_or("needs a number from 1 to 3")
}

/// Reads `_rake`.
pub(crate) fn rake(value: Value) -> Result<Rake, String> {
    let needs = "needs per_10_000, and perhaps cap and no_flop_no_drop";
    let rake: Rake = serde_json::from_value(value).map_err(|why| format!("{needs}: {why}"))?;
    match rake.fault() {
        Some((field, why)) => Err(format!("{field} {why}")),
        None => Ok(rake),
    }
}
