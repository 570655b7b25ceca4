PRAGMA journal_mode = wal;
PRAGMA application_id = 1346458188;
PRAGMA user_version = 5;
CREATE TABLE tables (
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
    sealed NOT NULL,
    prev INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE records (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE TABLE snapshots (t INTEGER PRIMARY KEY, seq INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE alive (one INTEGER PRIMARY KEY CHECK (one = 1), at_ms INTEGER NOT NULL);
CREATE TABLE probe (filler BLOB NOT NULL);
CREATE INDEX unfinished ON tables (id) WHERE finished = 0;
ALTER TABLE tables ADD COLUMN moved INTEGER NOT NULL DEFAULT 0;
INSERT INTO tables (n, id, game, created_ms, finished, header, secret)
VALUES (1, 'old', 'pennies', 1000, 0, '{}', 's'), (2, 'over', 'pennies', 1000, 1, '{}', 's');
INSERT INTO entries (row, t, seq, at_ms, digest, salt, open, sealed, prev) VALUES
(1, 1, 0, 2000, x'd3fc7949c688405593d0f5f0e3f23f3568715df91ef911b45026a712053b3496', x'0707070707070707070707070707070707070707070707070707070707070707', '{"a":0}', '{"s":0}', 0),
(2, 1, 1, 2001, x'a39684beca938dc37c1f8e8901f09c9ab6adf5c66bc1609acf051d794c746347', NULL, '{"a":1}', x'b68592294e17784f4ee549db7cce4e74c785b08ed78af4fb7e411f8dbd78f1b9', 1);
INSERT INTO records (kind, key, value) VALUES ('account', 'ann', '7');
INSERT INTO snapshots (t, seq, text) VALUES (1, 2, 'state');
INSERT INTO alive (one, at_ms) VALUES (1, 3000);
CREATE TABLE register (
    t INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    row INTEGER NOT NULL,
    PRIMARY KEY (t, seq)
) WITHOUT ROWID;
CREATE TABLE heads (t INTEGER PRIMARY KEY, row INTEGER NOT NULL);
CREATE TABLE registered (one INTEGER PRIMARY KEY CHECK (one = 1), row INTEGER NOT NULL);
INSERT INTO register (t, seq, row) VALUES (1, 0, 1);
INSERT INTO heads (t, row) VALUES (1, 1);
INSERT INTO registered (one, row) VALUES (1, 1);
