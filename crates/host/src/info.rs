//! What does not change about a table while it is open.

use parlor_accounts::Kept;
use parlor_rules::{AnyGame, Json, Unit};
use parlor_table::{Header, Options, TableId};
use std::net::IpAddr;

/// What does not change about a table while it is open.
pub struct TableInfo {
    /// Its name.
    pub id: TableId,
    /// Its game.
    pub game: String,
    /// The options of the game, in full.
    pub config: Json,
    /// The options of the table.
    pub options: Options,
    /// What is played for.
    pub unit: Unit,
    /// Whether people join and leave while the game goes on.
    pub open_seating: bool,
    /// Who may come in, and who opened it.
    pub kept: Kept,
    /// The address it was opened from, as long as the server runs.
    pub from: Option<IpAddr>,
}

impl TableInfo {
    pub(crate) fn new(
        header: &Header,
        game: Option<&dyn AnyGame>,
        kept: Kept,
        from: Option<IpAddr>,
    ) -> Self {
        Self {
            id: header.table.clone(),
            game: header.game.clone(),
            config: header.config.clone(),
            options: header.options.clone(),
            unit: game.map_or(Unit::Chips, AnyGame::unit),
            open_seating: game.is_some_and(AnyGame::comes_and_goes),
            kept,
            from,
        }
    }
}
