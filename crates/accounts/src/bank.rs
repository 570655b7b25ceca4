//! Play chips and tokens, in double entry: whatever one account receives another one pays.
//!
//! Balances are records of the journal in ten-thousandths of a chip, one kind of record a unit. Beside
//! people's there are `house` (what it has granted and lost, less what it has won), `burned`, and one
//! for each table, which always equals what lies on it.

use parlor_journal::{Effect, Journal, Outcome};
use parlor_rules::{Chips, Flow, FlowKind, Refusal, Unit, refuse};
use parlor_table::{Chair, Table, Who};
use std::sync::Arc;

/// The accounts that pay and receive what nobody else does.
const HOUSE: &str = "house";
const BURNED: &str = "burned";

/// What a new account has.
pub(crate) const GRANTS: [(Unit, Chips); 2] =
    [(Unit::Chips, Chips::whole(1_000)), (Unit::Tokens, Chips::whole(10))];

/// The kind of records that balances in a unit are.
fn kind(unit: Unit) -> &'static str {
    match unit {
        Unit::Chips => "chips",
        Unit::Tokens => "tokens",
    }
}

fn add(unit: Unit, key: &str, amount: i64, floor: Option<i64>) -> Effect {
    Effect::Add { kind: kind(unit).to_owned(), key: key.to_owned(), amount, floor }
}

/// The house gives an account something.
pub(crate) fn grant(unit: Unit, account: u64, chips: Chips) -> [Effect; 2] {
    let amount = chips.ten_thousandths();
    [add(unit, HOUSE, -amount, None), add(unit, &account.to_string(), amount, Some(0))]
}

/// The balances of all accounts.
pub struct Bank {
    log: Arc<dyn Journal>,
}

impl Bank {
    /// The balances of a journal.
    pub fn new(log: Arc<dyn Journal>) -> Self {
        Self { log }
    }

    /// What an account has.
    pub async fn balance(&self, unit: Unit, account: u64) -> Result<Chips, Refusal> {
        let text = self.log.record(kind(unit), &account.to_string()).await?;
        let amount = text.and_then(|text| text.parse().ok()).unwrap_or_default();
        Ok(Chips::from_ten_thousandths(amount))
    }

    /// The house gives an account something, or takes it back as far as it is there.
    pub async fn grant(&self, unit: Unit, account: u64, chips: Chips) -> Result<(), Refusal> {
        match self.log.post(grant(unit, account, chips).to_vec()).await? {
            Outcome::Stored => Ok(()),
            _ => refuse("overdrawn", "the account does not have so much"),
        }
    }
}

/// What an entry does to the bank: every flow moves chips between a player, the table and the house.
pub fn effects(unit: Unit, table: &Table, flows: &[Flow]) -> Vec<Effect> {
    if flows.is_empty() {
        return Vec::new();
    }
    let at_table = format!("table {}", table.header().table);
    let mut effects = Vec::with_capacity(2 * flows.len());
    for flow in flows.iter().filter(|flow| flow.chips != Chips::ZERO) {
        let person = match table.chairs().get(flow.seat.index()) {
            Some(Chair::Taken(Who::Account(number))) => Some(number.to_string()),
            _ => None,
        };
        let floor = person.as_ref().map(|_| 0);
        let player = person.as_deref().unwrap_or(HOUSE);
        let amount = flow.chips.ten_thousandths();
        let (from, from_floor, to) = match flow.kind {
            FlowKind::In => (player, floor, at_table.as_str()),
            FlowKind::Out => (at_table.as_str(), Some(0), player),
            FlowKind::Raked => (at_table.as_str(), Some(0), HOUSE),
            FlowKind::Burned => (at_table.as_str(), Some(0), BURNED),
        };
        effects.push(add(unit, from, -amount, from_floor));
        effects.push(add(unit, to, amount, None));
    }
    effects
}
