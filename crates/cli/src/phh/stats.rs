//! `parlor phh stats`: what players do, and what they owe each other.

use super::How;
use super::check::each;
use crate::AlreadyPrinted;
use crate::table;
use anyhow::{Result, bail};
use parlor_phh::History;
use parlor_phh::ledger::{self, Ledger};
use parlor_phh::stats::Stats;
use std::collections::BTreeMap;
use std::io::{Write as _, stdout};
use std::path::PathBuf;

/// A row of a table. A cell without a value is `-` for people and empty in CSV.
type Row = Vec<Option<String>>;

/// Counts what the players of these files and folders do, or what they have won.
pub(super) fn count(paths: &[PathBuf], csv: bool, with_ledger: bool, how: How) -> Result<()> {
    let mut stats = Stats::default();
    let mut ledgers: BTreeMap<String, Ledger> = BTreeMap::new();
    let mut left_out = false;
    each(paths, how.from, |hand, bar| {
        let counted = hand.and_then(|placed| {
            placed.check()?;
            let mut add = |hand: &History<'_>| match with_ledger {
                true => ledgers.entry(ledger::currency(hand)).or_default().add(hand),
                false => stats.add(hand),
            };
            let added = placed.hand.with(|hand| add(hand).map_err(|no| no.to_string()));
            added.map_err(|why| placed.here(why))
        });
        match counted {
            Ok(()) => {}
            Err(why) if how.keep_going => {
                left_out = true;
                bar.suspend(|| eprintln!("{why}"));
            }
            Err(why) => bail!(why),
        }
        Ok(())
    })?;
    let text = match (with_ledger, csv) {
        (false, false) => aligned(&counted(&stats)),
        (false, true) => comma_separated(&counted(&stats))?,
        (true, _) => settled(&ledgers, csv)?,
    };
    write!(stdout(), "{text}")?;
    if left_out { Err(AlreadyPrinted.into()) } else { Ok(()) }
}

fn headings<const N: usize>(headings: [&str; N]) -> Row {
    headings.map(|heading| Some(heading.to_owned())).to_vec()
}

/// A row a player, below the headings.
fn counted(stats: &Stats) -> Vec<Row> {
    let mut rows = vec![headings([
        "player",
        "hands",
        "bb/100",
        "±95%",
        "VPIP",
        "PFR",
        "3-bet",
        "showdown",
        "won there",
    ])];
    let number = |number: Option<f64>| number.map(|number| format!("{number:.1}"));
    for (name, player) in &stats.players {
        let shares = [player.vpip, player.pfr, player.three_bet, player.showdown, player.won];
        let mut row = vec![Some(name.clone()), Some(player.hands.to_string())];
        row.extend([number(Some(player.rate())), number(player.margin())]);
        row.extend(shares.map(|share| number(share.percent())));
        rows.push(row);
    }
    rows
}

/// An amount of ten-thousandths as people write it.
fn money(amount: i128) -> String {
    let (whole, part) = (amount.unsigned_abs() / 10_000, amount.unsigned_abs() % 10_000);
    let sign = if amount < 0 { "-" } else { "" };
    match part {
        0 => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{}", format!("{part:04}").trim_end_matches('0')),
    }
}

/// The ledgers, currency by currency: what was brought and taken, then who pays whom.
fn settled(ledgers: &BTreeMap<String, Ledger>, csv: bool) -> Result<String> {
    let mut parts = Vec::new();
    for (currency, ledger) in ledgers {
        let mut rows = vec![headings(["player", "buy-ins", "taken", "result"])];
        for (name, account) in ledger.accounts() {
            let amounts = [account.bought, account.taken, account.result()];
            rows.push([name.to_owned()].into_iter().chain(amounts.map(money)).map(Some).collect());
        }
        parts.push(if csv { comma_separated(&rows)? } else { aligned(&rows) });
        let payments = ledger.payments().into_iter();
        let payments: String = match csv {
            true => {
                let row = |p: ledger::Payment| [p.from, p.to, money(p.amount)].map(Some).to_vec();
                comma_separated(&payments.map(row).collect::<Vec<_>>())?
            }
            false => {
                let sign = if currency.is_empty() { "" } else { &format!(" {currency}") };
                let line = |p: ledger::Payment| {
                    format!("{} pays {} {}{sign}\n", p.from, p.to, money(p.amount))
                };
                payments.map(line).collect()
            }
        };
        if !payments.is_empty() {
            parts.push(payments);
        }
    }
    Ok(parts.join("\n"))
}

/// Rows as a table for people; the first holds the headings.
fn aligned(rows: &[Row]) -> String {
    let cells = |row: &Row| row.iter().map(|cell| cell.clone().unwrap_or("-".to_owned())).collect();
    let mut rows = rows.iter().map(cells);
    let headings: Vec<String> = rows.next().unwrap_or_default();
    table::table(headings).add_rows(rows).trim_fmt() + "\n"
}

/// Rows as comma-separated values.
fn comma_separated(rows: &[Row]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.iter().map(|cell| cell.as_deref().unwrap_or_default()))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
