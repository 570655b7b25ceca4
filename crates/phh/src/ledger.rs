//! Who brought what to a session, who has won, and who pays whom.

use crate::history::{Failure, History};
use crate::stats;
use crate::toml::Value;
use parlor_rules::Chips;
use std::collections::{BTreeMap, HashMap};

/// Money in ten-thousandths; more of it than one hand can hold.
type Money = i128;

/// What one player brought and took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// All that was brought to the tables.
    pub bought: Money,
    /// All that was taken away, with what lies there at the end.
    pub taken: Money,
}

impl Account {
    /// Won or lost.
    pub fn result(&self) -> Money {
        self.taken - self.bought
    }
}

/// A payment from one to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Payment {
    /// Who pays.
    pub from: String,
    /// Who is paid.
    pub to: String,
    /// How much.
    pub amount: Money,
}

/// The name under which the house takes its share.
pub const HOUSE: &str = "the house";

/// The accounts of a session in one currency.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    accounts: BTreeMap<String, Account>,
    /// What players had when they were last seen, table by table.
    last: HashMap<(String, String), Chips>,
    /// What the house took.
    raked: Money,
}

/// The currency of a hand; nothing for chips.
pub fn currency(history: &History<'_>) -> String {
    let text = |key: &str| {
        let field = history.fields.iter().find(|field| field.key == key);
        match field.map(|field| &field.value) {
            Some(Value::Text(text)) => Some(text.to_string()),
            _ => None,
        }
    };
    text("currency").or(text("currency_symbol")).unwrap_or_default()
}

fn money(chips: Chips) -> Money {
    Money::from(chips.ten_thousandths())
}

impl Ledger {
    /// Takes in a hand that is over; hands come in the order they were played.
    pub fn add(&mut self, history: &History<'_>) -> Result<(), Failure> {
        let end = history.replay()?;
        let table = history.fields.iter().find(|field| field.key == "table");
        let table = table.map(|field| crate::write::toml(&field.value)).unwrap_or_default();
        let (begun, ended) = (stats::begun(history), stats::ended(history, &end));
        let sum = |all: &[Chips]| all.iter().copied().map(money).sum::<Money>();
        self.raked += sum(&begun) - sum(&ended);
        for ((name, begun), ended) in stats::names(history).into_iter().zip(begun).zip(ended) {
            let account = self.accounts.entry(name.clone()).or_default();
            let had = self.last.insert((table.clone(), name), ended);
            let more = money(begun) - had.map_or(0, money);
            account.bought += more.max(0);
            // Until somebody comes back, what lies there is as good as taken.
            account.taken += money(ended) - had.map_or(0, money) - more.min(0);
        }
        Ok(())
    }

    /// The accounts by name, that of the house last, if it has taken something.
    pub fn accounts(&self) -> Vec<(&str, Account)> {
        let all = self.accounts.iter().map(|(name, account)| (name.as_str(), *account));
        let house = Account { bought: 0, taken: self.raked };
        all.chain((self.raked != 0).then_some((HOUSE, house))).collect()
    }

    /// The fewest payments after which everybody has what is theirs.
    pub fn payments(&self) -> Vec<Payment> {
        let accounts = self.accounts();
        let results: Vec<Money> = accounts.iter().map(|(_, account)| account.result()).collect();
        let name = |i: usize| accounts[i].0.to_owned();
        let payments = settle(&results).into_iter();
        payments
            .map(|(from, to, amount)| Payment { from: name(from), to: name(to), amount })
            .collect()
    }
}

/// Up to so many the fewest payments are found; of more there may be a few too many.
pub const EXACT: usize = 18;

/// Payments (who, to whom, how much) that even out results whose sum is zero. Players whose results
/// even out among themselves save a payment, so the most such groups are the fewest payments.
pub fn settle(results: &[Money]) -> Vec<(usize, usize, Money)> {
    let mut open: Vec<usize> = (0..results.len()).filter(|i| results[*i] != 0).collect();
    let mut payments = Vec::new();
    if open.len() > EXACT {
        // Two who even out each other.
        let mut i = 0;
        while i < open.len() {
            let twin = (i + 1..open.len()).find(|j| results[open[*j]] == -results[open[i]]);
            match twin {
                Some(j) => {
                    let other = open.remove(j);
                    let one = open.remove(i);
                    chain(results, &[one, other], &mut payments);
                }
                None => i += 1,
            }
        }
    }
    if open.len() > EXACT {
        chain(results, &open, &mut payments);
    } else {
        for group in groups(results, &open) {
            chain(results, &group, &mut payments);
        }
    }
    payments
}

/// The most groups whose results even out.
fn groups(results: &[Money], open: &[usize]) -> Vec<Vec<usize>> {
    let sets = 1usize << open.len();
    let mut sums: Vec<Money> = vec![0; sets];
    // The most groups within a set, and whom to take out of it to find them.
    let mut most: Vec<(u8, u8)> = vec![(0, 0); sets];
    for set in 1..sets {
        let lowest = set.trailing_zeros() as usize;
        sums[set] = sums[set & (set - 1)] + results[open[lowest]];
        let members = (0..open.len()).filter(|i| set >> i & 1 == 1);
        let best = members.map(|i| (most[set & !(1 << i)].0, i as u8)).max().unwrap_or((0, 0));
        most[set] = (best.0 + u8::from(sums[set] == 0), best.1);
    }
    let mut all = Vec::new();
    let mut group = Vec::new();
    let mut set = sets - 1;
    while set != 0 {
        if sums[set] == 0 && !group.is_empty() {
            all.push(std::mem::take(&mut group));
        }
        let out = usize::from(most[set].1);
        group.push(open[out]);
        set &= !(1 << out);
    }
    if !group.is_empty() {
        all.push(group);
    }
    all
}

/// Evens out one group: always the largest debt against the largest claim.
fn chain(results: &[Money], group: &[usize], payments: &mut Vec<(usize, usize, Money)>) {
    let mut left: Vec<(Money, usize)> = group.iter().map(|i| (results[*i], *i)).collect();
    while left.len() > 1 {
        left.sort_by_key(|(amount, i)| (*amount, std::cmp::Reverse(*i)));
        let (debt, from) = left[0];
        let (claim, to) = left[left.len() - 1];
        let amount = claim.min(-debt);
        if amount <= 0 {
            return;
        }
        payments.push((from, to, amount));
        left[0].0 += amount;
        let end = left.len() - 1;
        left[end].0 -= amount;
        left.retain(|(amount, _)| *amount != 0);
    }
}
