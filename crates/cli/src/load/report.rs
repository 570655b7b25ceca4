//! What was measured, as a table that grows line by line.

use crate::table::table;
use comfy_table::{CellAlignment, ColumnConstraint, Table, Width};
use std::collections::BTreeMap;
use std::io::{Write as _, stdout};

/// How often something happened, by its code or its reason.
pub(super) type Counts = BTreeMap<String, u64>;

/// Counts for people.
pub(super) fn listed(counts: &Counts) -> String {
    let each = counts.iter().map(|(why, count)| format!("{count} x {why}"));
    each.collect::<Vec<_>>().join(", ")
}

/// What one count of tables has shown.
pub(super) struct Measurement {
    pub(super) tables: u32,
    pub(super) moves_a_second: f64,
    /// The time a move takes to the opponent; `None` if there was no move.
    pub(super) p50_ms: Option<f64>,
    pub(super) p99_ms: Option<f64>,
    pub(super) cpu_us_a_move: Option<f64>,
    pub(super) kib_a_table: Option<f64>,
    pub(super) refused: Counts,
    /// How many tables stood still in the end: their last move has reached nobody.
    pub(super) still: usize,
    /// Why connections ended before the run did.
    pub(super) lost: Counts,
}

/// The table so far. Each line is printed as soon as it is known, the headings with the first one.
pub(super) struct Report(Table);

/// The headings, and the least width of each column, so that lines printed before a wide one are
/// aligned with it.
const COLUMNS: [(&str, u16); 9] = [
    ("tables", 6),
    ("connections", 13),
    ("moves/s", 10),
    ("p50 ms", 9),
    ("p99 ms", 9),
    ("CPU µs/move", 13),
    ("KiB/table", 11),
    ("refused", 9),
    ("still", 7),
];

impl Report {
    /// A report without lines.
    pub(super) fn new() -> Self {
        let mut table = table(COLUMNS.map(|(heading, _)| heading));
        for (column, (_, width)) in table.column_iter_mut().zip(COLUMNS) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
            column.set_cell_alignment(CellAlignment::Right);
        }
        Self(table)
    }

    /// Prints a line of numbers and, where something was refused, one that says what.
    pub(super) fn add(&mut self, measured: &Measurement) -> std::io::Result<()> {
        let number = |value: Option<f64>, places: usize| {
            value.map_or("-".to_owned(), |value| format!("{value:.places$}"))
        };
        if self.0.is_empty() {
            self.print_last()?;
        }
        let few = usize::from(measured.moves_a_second < 10.0);
        self.0.add_row([
            measured.tables.to_string(),
            (2 * measured.tables).to_string(),
            number(Some(measured.moves_a_second), few),
            number(measured.p50_ms, 2),
            number(measured.p99_ms, 2),
            number(measured.cpu_us_a_move, 1),
            number(measured.kib_a_table, 1),
            measured.refused.values().sum::<u64>().to_string(),
            measured.still.to_string(),
        ]);
        self.print_last()?;
        match measured.refused.is_empty() {
            true => Ok(()),
            false => writeln!(stdout(), "refused: {}", listed(&measured.refused)),
        }
    }

    fn print_last(&self) -> std::io::Result<()> {
        writeln!(stdout(), "{}", self.0.lines().last().unwrap_or_default())
    }
}
