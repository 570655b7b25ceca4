//! Tables of text.

use comfy_table::{CellAlignment, Row, Table, presets};

/// A table without lines under these headings. The first column is aligned to the left, the others
/// to the right, two spaces apart.
pub(crate) fn table(headings: impl Into<Row>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
        if i > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
