//! Dice that follow from the table, the game, the turn, and a secret: nothing a player pushes and
//! no second run of the referee can change them.

use hmac::{Hmac, Mac};
use parlor_rules::Source;
use parlor_rules::draws::DrawFault;
use parlor_table::{Bytes32, TableId, fair};
use sha2::Sha256;

/// K, the secret of a repository.
#[derive(Clone)]
pub struct Key(Vec<u8>);

impl Key {
    /// The fewest characters a secret has.
    pub const SHORTEST: usize = 16;

    /// The secret as it is given; its bytes are the key.
    pub fn new(secret: &str) -> Result<Self, String> {
        let secret = secret.trim();
        if secret.chars().count() < Self::SHORTEST {
            let text = format!("the secret needs at least {} characters", Self::SHORTEST);
            return Err(text + "; `openssl rand -hex 32` makes a good one");
        }
        Ok(Self(secret.as_bytes().to_vec()))
    }

    fn tag(&self, parts: &[&[u8]]) -> Bytes32 {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length will do");
        parts.iter().for_each(|part| mac.update(part));
        Bytes32(mac.finalize().into_bytes().into())
    }

    /// S, the secret of one table: `HMAC(K, table)`.
    pub fn table_secret(&self, table: &TableId) -> Bytes32 {
        self.tag(&[table.as_str().as_bytes()])
    }

    /// What only the holder of K can write under a commit: `HMAC(K, "referee" ‖ tables ‖ parent)`,
    /// the two being the hex names of the tree `tables` and of the parent commit. No name of a
    /// table is that long, so it is no table's secret.
    pub fn seal(&self, tables: &str, parent: &str) -> Bytes32 {
        self.tag(&[b"referee", tables.as_bytes(), parent.as_bytes()])
    }
}

/// The dice of one table.
#[derive(Clone)]
pub struct Dice {
    table: TableId,
    secret: Bytes32,
}

impl Dice {
    /// The dice that follow from S.
    pub fn new(table: TableId, secret: Bytes32) -> Self {
        Self { table, secret }
    }

    /// S.
    pub fn secret(&self) -> Bytes32 {
        self.secret
    }

    /// What is published before the first roll.
    pub fn commitment(&self) -> Bytes32 {
        fair::commitment(&self.table, &self.secret)
    }

    /// The draws of one turn of one game, both from 1.
    pub fn turn(&self, game: u32, turn: u32) -> Turn<'_> {
        let first = u64::from(game.saturating_sub(1)) << 48 | u64::from(turn) << 16;
        Turn { dice: self, next: first }
    }
}

/// The draws of one turn: two dice, or as many as an opening needs.
pub struct Turn<'a> {
    dice: &'a Dice,
    next: u64,
}

impl Source for Turn<'_> {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        let drawn = fair::draw(&self.dice.secret, &self.dice.table, self.next, &[], n);
        self.next += 1;
        Ok(drawn)
    }
}
