//! The tables of the database, and how it grew.

use super::checkpoint::checkpoint;
use rusqlite::Connection;

/// Marks a file as a journal of ours: "PARL".
const APPLICATION: i64 = 0x5041_524c;

/// One step for each version, the first from nothing. A step that was ever released is never
/// changed; what changes is added as another.
const STEPS: [&str; 5] = [
    // Entries are appended by rowid and found by the index: clustered on (t, seq) instead, each
    // table would write to a page of its own, at a third of the rate.
    "CREATE TABLE tables (
         n INTEGER PRIMARY KEY,
         id TEXT NOT NULL UNIQUE,
         game TEXT NOT NULL,
         created_ms INTEGER NOT NULL,
         finished INTEGER NOT NULL,
         header TEXT NOT NULL,
         secret TEXT NOT NULL
     );
     CREATE TABLE entries (
         row INTEGER PRIMARY KEY,
         t INTEGER NOT NULL,
         seq INTEGER NOT NULL,
         at_ms INTEGER NOT NULL,
         digest BLOB NOT NULL,
         salt BLOB,              -- null: erased, and sealed is the hash
         open TEXT NOT NULL,
         sealed NOT NULL
     );
     CREATE UNIQUE INDEX entry ON entries (t, seq);
     CREATE TABLE records (
         kind TEXT NOT NULL,
         key TEXT NOT NULL,
         value TEXT NOT NULL,
         PRIMARY KEY (kind, key)
     ) WITHOUT ROWID;",
    "CREATE TABLE snapshots (t INTEGER PRIMARY KEY, seq INTEGER NOT NULL, text TEXT NOT NULL);
     CREATE TABLE alive (one INTEGER PRIMARY KEY CHECK (one = 1), at_ms INTEGER NOT NULL);
     CREATE TABLE probe (filler BLOB NOT NULL);
     CREATE INDEX unfinished ON tables (id) WHERE finished = 0;",
    // Came from elsewhere, and nothing was appended since.
    "ALTER TABLE tables ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;",
    // An index takes a page for every entry too. Here entries are registered many at once, in the
    // order of the register, and those behind the last registered row are found by looking at all.
    "CREATE TABLE register (
         t INTEGER NOT NULL,
         seq INTEGER NOT NULL,
         row INTEGER NOT NULL,
         PRIMARY KEY (t, seq)
     ) WITHOUT ROWID;
     CREATE TABLE registered (one INTEGER PRIMARY KEY CHECK (one = 1), row INTEGER NOT NULL);
     INSERT INTO register SELECT t, seq, row FROM entries ORDER BY t, seq;
     INSERT INTO registered SELECT 1, coalesce(max(row), 0) FROM entries;
     DROP INDEX entry;
     CREATE VIEW log AS
         SELECT register.t, register.seq, at_ms, digest, salt, open, sealed
             FROM register CROSS JOIN entries USING (row)
         UNION ALL
         SELECT t, seq, at_ms, digest, salt, open, sealed
             FROM entries WHERE row > (SELECT row FROM registered);",
    // A register of all entries takes a page for every few of them too, as soon as there are many
    // tables. Here each entry names the one before it; what is registered is where each table ends
    // and, so that nobody needs to walk far, every 64th entry.
    "INSERT INTO register SELECT t, seq, row FROM entries
         WHERE row > (SELECT row FROM registered);
     UPDATE registered SET row = (SELECT coalesce(max(row), 0) FROM entries);
     ALTER TABLE entries ADD COLUMN prev INTEGER NOT NULL DEFAULT 0; -- 0: it is the first
     UPDATE entries SET prev = register.row FROM register
         WHERE register.t = entries.t AND register.seq = entries.seq - 1;
     CREATE TABLE heads (t INTEGER PRIMARY KEY, row INTEGER NOT NULL);
     INSERT INTO heads SELECT t, max(row) FROM register GROUP BY t;
     DELETE FROM register WHERE seq % 64 <> 0;
     DROP VIEW log;",
];

/// The version this program writes.
pub(super) const VERSION: usize = STEPS.len();

/// Why a database is none that this program may write to; changes nothing in it.
pub(super) fn foreign(db: &Connection) -> rusqlite::Result<Option<String>> {
    let found = version(db)?;
    let ours = if found == 0 {
        let count = "SELECT count(*) FROM sqlite_schema";
        db.query_row(count, [], |row| row.get::<_, i64>(0))? == 0
    } else {
        integer(db, "application_id")? == APPLICATION
    };
    Ok(if !ours {
        Some("it is a database of something else".to_owned())
    } else if found > VERSION {
        Some(format!(
            "a newer parlor wrote it (version {found}); this one reads up to version {VERSION}"
        ))
    } else {
        None
    })
}

/// Brings a database up to this version, each step as a whole, and all of it into the file itself:
/// the first move is not to wait for what was rewritten.
pub(super) fn migrate(db: &mut Connection) -> rusqlite::Result<()> {
    let found = version(db)?;
    for (step, to) in STEPS.iter().zip(1i64..).skip(found) {
        let next = db.transaction()?;
        next.execute_batch(step)?;
        next.pragma_update(None, "application_id", APPLICATION)?;
        next.pragma_update(None, "user_version", to)?;
        next.commit()?;
    }
    if found < VERSION {
        checkpoint(db, "TRUNCATE")?;
    }
    Ok(())
}

/// The version a database has.
pub(super) fn version(db: &Connection) -> rusqlite::Result<usize> {
    // A negative version is none of ours, and newer for all we know.
    Ok(usize::try_from(integer(db, "user_version")?).unwrap_or(usize::MAX))
}

fn integer(db: &Connection, pragma: &str) -> rusqlite::Result<i64> {
    db.pragma_query_value(None, pragma, |row| row.get(0))
}
