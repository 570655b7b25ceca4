//! Who people are: names, passwords, tokens.
//!
//! An account is a record of the journal. Of a token only its hash is kept, of a password only what
//! argon2 makes of it.

use crate::bank;
use crate::chance::{Chance, hex};
use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use parlor_journal::{Effect, Journal, Outcome};
use parlor_rules::{Chips, Refusal, Unit};
use parlor_wire::{Language, Me, NAME_LENGTH, fits_a_name};
use prometheus_client::metrics::counter::Counter;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Kinds of records.
const ACCOUNT: &str = "account";
const NAME: &str = "name";
const TOKEN: &str = "token";

/// The code of a refusal where there is no such account, and how it is called all the same.
const NO_ACCOUNT: &str = "no_account";
const NOBODY: &str = "?";

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) number: u64,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) language: Language,
    /// What argon2 makes of the password; none for a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

/// What a token is good for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Token {
    account: u64,
    /// Only for the account's chair at this table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
}

/// Somebody who has said who it is.
#[derive(Clone)]
pub(crate) struct Signed {
    pub(crate) account: Account,
    pub(crate) token: String,
    /// Only for the account's chair at this table.
    pub(crate) table: Option<String>,
}

/// All accounts.
pub(crate) struct Accounts {
    journal: Arc<dyn Journal>,
    chance: Chance,
    /// The number of the next one. Whoever holds it may look whether a name is free and take it, and
    /// change an account.
    next: Mutex<u64>,
    /// How often a password was compared with one that is kept.
    compared: Counter,
    /// The names of who was met; they never change.
    names: RwLock<HashMap<u64, Arc<str>>>,
}

fn refuse<T>(code: &'static str, text: &str) -> Result<T, Refusal> {
    Err(Refusal::new(code, text))
}

fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// The key of an account's records: in the order of numbers.
pub(crate) fn key(number: u64) -> String {
    format!("{number:020}")
}

/// A record that is to be so from now on, or no more.
pub(crate) fn put(kind: &str, key: String, value: Option<String>) -> Effect {
    Effect::Put { kind: kind.to_owned(), key, value }
}

fn written(value: &impl Serialize) -> Option<String> {
    Some(parlor_rules::json(value).get().to_owned())
}

/// What a password is compared with where there is none: that takes as long.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm8gc2VjcmV0IG5lZWRlZA$2mt39MXxvHbhaj4yn9DBT8OsjYnafgnmDHP/yi7NB0w";

/// What argon2 makes of a password.
fn hashed(password: &str, salt: [u8; 16]) -> Result<String, Refusal> {
    let hashed = SaltString::encode_b64(&salt).and_then(|salt| {
        Argon2::default().hash_password(password.as_bytes(), &salt).map(|hash| hash.to_string())
    });
    hashed.map_err(|_| Refusal::new("bad_password", "it cannot be hashed"))
}

/// A name as it may be, and as it is compared.
fn named(name: &str) -> Result<(String, String), Refusal> {
    let name = name.trim();
    let count = name.chars().count();
    let seen = name.chars().any(char::is_alphanumeric);
    if !NAME_LENGTH.contains(&count)
        || !seen
        || !name.chars().all(fits_a_name)
        || name.contains("  ")
    {
        return refuse("bad_name", "a name is 2 to 24 letters, digits, spaces and - _ .");
    }
    let lower = name.to_lowercase();
    if lower == "house" {
        return refuse(
            "name_reserved",
            "the players of the house are called so; take another name",
        );
    }
    Ok((name.to_owned(), lower))
}

impl Accounts {
    pub(crate) fn new(
        journal: Arc<dyn Journal>,
        chance: Chance,
        compared: Counter,
    ) -> Result<Self, Refusal> {
        let mut last = None;
        loop {
            let page = journal.records(ACCOUNT, last.as_deref(), 1_000)?;
            match page.into_iter().next_back() {
                Some((key, _)) => last = Some(key),
                None => break,
            }
        }
        let next = last.and_then(|key| key.parse::<u64>().ok()).map_or(1, |last| last + 1);
        let (next, names) = (Mutex::new(next), RwLock::default());
        Ok(Self { journal, chance, next, compared, names })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) - 1
    }

    /// An account by its number.
    pub(crate) fn account(&self, number: u64) -> Result<Account, Refusal> {
        let text = self.journal.record(ACCOUNT, &key(number))?;
        let account = text.and_then(|text| serde_json::from_str(&text).ok());
        let account: Account =
            account.ok_or_else(|| Refusal::new(NO_ACCOUNT, "there is no such account"))?;
        self.met(number, &account.name);
        Ok(account)
    }

    fn known(&self, number: u64) -> Option<Arc<str>> {
        self.names.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned()
    }

    /// Whoever asks for the name later need not wait for the disk.
    fn met(&self, number: u64, name: &str) -> Arc<str> {
        self.known(number).filter(|known| **known == *name).unwrap_or_else(|| {
            let name: Arc<str> = name.into();
            let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
            names.insert(number, name.clone());
            name
        })
    }

    /// An account by its name, whatever its case.
    pub(crate) fn by_name(&self, name: &str) -> Result<Account, Refusal> {
        let number = self.journal.record(NAME, &name.trim().to_lowercase())?;
        match number.and_then(|number| number.parse().ok()) {
            Some(number) => self.account(number),
            None => refuse(NO_ACCOUNT, "there is no such account"),
        }
    }

    /// The name of an account. Who was not met yet is looked up on the disk.
    pub(crate) fn name(&self, number: u64) -> Arc<str> {
        self.known(number).unwrap_or_else(|| match self.account(number) {
            Ok(account) => account.name.into(),
            // Who played elsewhere, at a table that was brought here, is nobody here.
            Err(refusal) if refusal.code == NO_ACCOUNT => self.met(number, NOBODY),
            Err(_) => NOBODY.into(),
        })
    }

    /// An account as its owner sees it.
    pub(crate) fn me(&self, account: &Account) -> Result<Me, Refusal> {
        let balance = |unit| bank::balance(&*self.journal, unit, account.number);
        Ok(Me {
            account: account.number,
            name: account.name.clone(),
            guest: account.password.is_none(),
            language: account.language,
            chips: balance(Unit::Chips)?,
            tokens: balance(Unit::Tokens)?,
            ratings: Vec::new(),
        })
    }

    fn put(account: &Account) -> Effect {
        put(ACCOUNT, key(account.number), written(account))
    }

    /// A new token, to be stored by the effect.
    fn token(&self, token: &Token) -> Result<(String, Effect), Refusal> {
        let text = self.chance.hex::<24>()?;
        let effect = put(TOKEN, hash(&text), written(token));
        Ok((text, effect))
    }

    fn post(&self, effects: Vec<Effect>) -> Result<(), Refusal> {
        self.journal.post(effects)?;
        Ok(())
    }

    /// A new guest, with the token it comes back with.
    pub(crate) fn guest(&self, name: &str, language: Language) -> Result<Signed, Refusal> {
        let (name, lower) = named(name)?;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if self.journal.record(NAME, &lower)?.is_some() {
            return refuse("name_taken", "somebody has this name; take another one");
        }
        let account = Account { number: *next, name, language, password: None };
        let (token, stored) = self.token(&Token { account: account.number, table: None })?;
        let name = put(NAME, lower, Some(account.number.to_string()));
        let mut effects = vec![Self::put(&account), name, stored];
        for (unit, chips) in bank::GRANTS {
            effects.extend(bank::grant(unit, account.number, chips));
        }
        self.post(effects)?;
        *next += 1;
        self.met(account.number, &account.name);
        Ok(Signed { account, token, table: None })
    }

    /// The house gives an account something, or takes it back as far as it is there.
    pub(crate) fn grant(&self, number: u64, unit: Unit, chips: Chips) -> Result<(), Refusal> {
        match self.journal.post(bank::grant(unit, number, chips).to_vec())? {
            Outcome::Stored => Ok(()),
            _ => refuse("overdrawn", "the account does not have so much"),
        }
    }

    /// A token for an account's chair at a table, to be stored by the effect.
    pub(crate) fn seat_token(
        &self,
        account: u64,
        table: &str,
    ) -> Result<(String, Effect), Refusal> {
        self.token(&Token { account, table: Some(table.to_owned()) })
    }

    /// Whose token this is. It is found by its hash, so that nothing is compared byte by byte.
    pub(crate) fn by_token(&self, token: &str) -> Result<Signed, Refusal> {
        let unknown = || Refusal::new("bad_token", "this token is not known, or revoked");
        let text = self.journal.record(TOKEN, &hash(token))?.ok_or_else(unknown)?;
        let Token { account, table } = serde_json::from_str(&text).map_err(|_| unknown())?;
        let account = self.account(account).map_err(|_| unknown())?;
        Ok(Signed { account, token: token.to_owned(), table })
    }

    /// Makes a token worthless.
    pub(crate) fn revoke(&self, token: &str) -> Result<(), Refusal> {
        self.post(vec![put(TOKEN, hash(token), None)])
    }

    /// Makes all tokens of an account worthless; how many there were.
    pub(crate) fn revoke_all(&self, account: u64) -> Result<usize, Refusal> {
        let (mut effects, mut last): (Vec<Effect>, Option<String>) = (Vec::new(), None);
        loop {
            let page = self.journal.records(TOKEN, last.as_deref(), 1_000)?;
            let Some((key, _)) = page.last() else { break };
            last = Some(key.clone());
            let owned = |text: &str| {
                serde_json::from_str::<Token>(text).is_ok_and(|token| token.account == account)
            };
            let own = page.into_iter().filter(|(_, text)| owned(text));
            effects.extend(own.map(|(key, _)| put(TOKEN, key, None)));
        }
        let count = effects.len();
        self.post(effects)?;
        Ok(count)
    }

    /// Speaks another language with an account from now on.
    pub(crate) fn speak(&self, number: u64, language: Language) -> Result<Account, Refusal> {
        let _turn = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let account = Account { language, ..self.account(number)? };
        self.post(vec![Self::put(&account)])?;
        Ok(account)
    }

    /// Gives an account a password. It takes long on purpose.
    pub(crate) fn claim(&self, number: u64, password: &str) -> Result<(), Refusal> {
        if !(8..=128).contains(&password.len()) {
            return refuse("bad_password", "a password has 8 to 128 bytes");
        }
        let hashed = hashed(password, self.chance.bytes()?)?;
        let _turn = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let account = Account { password: Some(hashed), ..self.account(number)? };
        self.post(vec![Self::put(&account)])
    }

    /// Signs in to a claimed account, with a new token. It takes long on purpose, whoever it is.
    pub(crate) fn login(&self, name: &str, password: &str) -> Result<Signed, Refusal> {
        let wrong = || Refusal::new("bad_login", "this name and password are not known together");
        let account = self.by_name(name).ok().filter(|account| account.password.is_some());
        let hashed = account.as_ref().and_then(|account| account.password.as_deref());
        let hashed = PasswordHash::new(hashed.unwrap_or(NOBODYS)).map_err(|_| wrong())?;
        self.compared.inc();
        Argon2::default().verify_password(password.as_bytes(), &hashed).map_err(|_| wrong())?;
        let account = account.ok_or_else(wrong)?;
        let (token, stored) = self.token(&Token { account: account.number, table: None })?;
        self.post(vec![stored])?;
        Ok(Signed { account, token, table: None })
    }
}

#[cfg(test)]
mod tests {
    use super::{NOBODYS, hashed};

    #[test]
    fn to_compare_with_nobodys_password_takes_as_long_as_with_any() {
        let nobodys = hashed("nobody's", *b"no secret needed");
        assert_eq!(nobodys.as_deref().ok(), Some(NOBODYS));
    }
}
