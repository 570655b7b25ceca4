//! The tables of the database, and how it grew.

use rusqlite::Connection;

/// Marks a file as a journal of ours: "PARL".
const APPLICATION: i64 = 0x5041_524c;

/// One step for each version, the first from nothing. A step that was ever released is never
/// changed; what changes is added as another.
const STEPS: [&str; 2] = [
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
];

/// The version this program writes.
pub(super) const VERSION: usize = STEPS.len();

/// Brings a database up to this version; says why if it cannot.
pub(super) fn migrate(db: &mut Connection) -> Result<(), String> {
    let plain = |error: rusqlite::Error| error.to_string();
    let found = version(db).map_err(plain)?;
    if found == 0 {
        let count = "SELECT count(*) FROM sqlite_schema";
        if db.query_row(count, [], |row| row.get::<_, i64>(0)).map_err(plain)? != 0 {
            return Err("it is a database of something else".to_owned());
        }
        db.pragma_update(None, "application_id", APPLICATION).map_err(plain)?;
    } else if integer(db, "application_id").map_err(plain)? != APPLICATION {
        return Err("it is a database of something else".to_owned());
    }
    let Some(steps) = STEPS.get(found..) else {
        return Err(format!(
            "a newer parlor wrote it (version {found}); this one reads up to version {VERSION}"
        ));
    };
    for (step, to) in steps.iter().zip(found + 1..) {
        let next = db.transaction().map_err(plain)?;
        next.execute_batch(step).map_err(plain)?;
        next.pragma_update(None, "user_version", to as i64).map_err(plain)?;
        next.commit().map_err(plain)?;
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
