//! Who people are: names, passwords, tokens.
//!
//! An account is a record of the journal. Of a token only its hash is kept, of a password only what
//! argon2 makes of it.

use crate::chance::Chance;
use crate::{bank, put};
use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use moka::future::Cache;
use parlor_journal::{Effect, Journal};
use parlor_rules::{Refusal, refuse};
use parlor_table::{Chair, Who};
use parlor_wire::{Language, NAME_LENGTH, fits_a_name};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Kinds of records.
const ACCOUNT: &str = "account";
const NAME: &str = "name";
const TOKEN: &str = "token";

/// The code of a refusal where there is no such account, and the name it is shown by.
const NO_ACCOUNT: &str = "no_account";
const NOBODY: &str = "?";

/// How many names are kept in memory.
const NAMES: u64 = 10_000;

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    /// Its number, from 1.
    pub number: u64,
    /// Its name, which never changes.
    pub name: String,
    /// The language of its texts.
    #[serde(default)]
    pub language: Language,
    /// What argon2 makes of the password; none for a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// What a token is good for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Token {
    account: u64,
    /// Only for the account's chair at this table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    table: Option<String>,
}

/// Somebody who has signed in.
#[derive(Clone)]
pub struct Authenticated {
    /// Its account.
    pub account: Account,
    /// The token it has shown.
    pub token: String,
    /// Only for the account's chair at this table.
    pub table: Option<String>,
}

/// All accounts.
pub struct Accounts {
    journal: Arc<dyn Journal>,
    chance: Chance,
    /// The number of the next one. Held while a name is taken or an account is changed.
    next: Mutex<u64>,
    /// Names never change.
    names: Cache<u64, Arc<str>>,
}

fn hash(token: &str) -> String {
    const_hex::encode(Sha256::digest(token.as_bytes()))
}

/// The key of an account's records: in the order of numbers.
pub(crate) fn key(number: u64) -> String {
    format!("{number:020}")
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

/// Does what takes long on a thread that may wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Refusal::broken()))
}

impl Accounts {
    /// The accounts of a journal.
    pub async fn new(journal: Arc<dyn Journal>, chance: Chance) -> Result<Self, Refusal> {
        let mut last: Option<String> = None;
        loop {
            let page = journal.records(ACCOUNT, last.as_deref(), 1_000).await?;
            match page.into_iter().next_back() {
                Some((key, _)) => last = Some(key),
                None => break,
            }
        }
        let next = last.and_then(|key| key.parse::<u64>().ok()).map_or(1, |last| last + 1);
        Ok(Self { journal, chance, next: Mutex::new(next), names: Cache::new(NAMES) })
    }

    /// How many there are.
    pub async fn count(&self) -> u64 {
        *self.next.lock().await - 1
    }

    /// An account by its number.
    pub async fn account(&self, number: u64) -> Result<Account, Refusal> {
        let text = self.journal.record(ACCOUNT, &key(number)).await?;
        let account = text.and_then(|text| serde_json::from_str(&text).ok());
        account.ok_or_else(|| Refusal::new(NO_ACCOUNT, "there is no such account"))
    }

    /// An account by its name, whatever its case.
    pub async fn by_name(&self, name: &str) -> Result<Account, Refusal> {
        let number = self.journal.record(NAME, &name.trim().to_lowercase()).await?;
        match number.and_then(|number| number.parse().ok()) {
            Some(number) => self.account(number).await,
            None => refuse(NO_ACCOUNT, "there is no such account"),
        }
    }

    /// The name of an account.
    pub async fn name(&self, number: u64) -> Arc<str> {
        let load = async {
            match self.account(number).await {
                Ok(account) => Ok(account.name.into()),
                // Whoever played elsewhere, at a table that was imported, has no account here.
                Err(refusal) if refusal.code == NO_ACCOUNT => Ok(NOBODY.into()),
                Err(refusal) => Err(refusal),
            }
        };
        // What cannot be read now is not kept.
        self.names.try_get_with(number, load).await.unwrap_or_else(|_| NOBODY.into())
    }

    /// The names of the people on these chairs.
    pub async fn names(&self, chairs: &[Chair]) -> Arc<[Option<Arc<str>>]> {
        let mut names = Vec::with_capacity(chairs.len());
        for chair in chairs {
            names.push(match chair {
                Chair::Taken(Who::Account(number)) => Some(self.name(*number).await),
                Chair::Taken(Who::Bot(_)) | Chair::Open | Chair::Reserved(_) => None,
            });
        }
        names.into()
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

    async fn post(&self, effects: Vec<Effect>) -> Result<(), Refusal> {
        self.journal.post(effects).await?;
        Ok(())
    }

    /// A new guest, with the token it comes back with.
    pub async fn guest(&self, name: &str, language: Language) -> Result<Authenticated, Refusal> {
        let (name, lower) = named(name)?;
        let mut next = self.next.lock().await;
        if self.journal.record(NAME, &lower).await?.is_some() {
            return refuse("name_taken", "somebody has this name; take another one");
        }
        let account = Account { number: *next, name, language, password: None };
        let (token, stored) = self.token(&Token { account: account.number, table: None })?;
        let name = put(NAME, lower, Some(account.number.to_string()));
        let mut effects = vec![Self::put(&account), name, stored];
        for (unit, chips) in bank::GRANTS {
            effects.extend(bank::grant(unit, account.number, chips));
        }
        // A number whose outcome is not known is not given again.
        *next += 1;
        self.post(effects).await?;
        Ok(Authenticated { account, token, table: None })
    }

    /// A new token for an account's seat at a table.
    pub async fn seat_token(&self, account: u64, table: &str) -> Result<String, Refusal> {
        let (token, stored) = self.token(&Token { account, table: Some(table.to_owned()) })?;
        self.post(vec![stored]).await?;
        Ok(token)
    }

    /// Whose token this is. It is found by its hash, so that nothing is compared byte by byte.
    pub async fn by_token(&self, token: &str) -> Result<Authenticated, Refusal> {
        let unknown = || Refusal::new("bad_token", "this token is not known, or revoked");
        let text = self.journal.record(TOKEN, &hash(token)).await?.ok_or_else(unknown)?;
        let Token { account, table } = serde_json::from_str(&text).map_err(|_| unknown())?;
        let account = self.account(account).await.map_err(|_| unknown())?;
        Ok(Authenticated { account, token: token.to_owned(), table })
    }

    /// Makes a token worthless.
    pub async fn revoke(&self, token: &str) -> Result<(), Refusal> {
        self.post(vec![put(TOKEN, hash(token), None)]).await
    }

    /// Makes all tokens of an account worthless; returns how many there were.
    pub async fn revoke_all(&self, account: u64) -> Result<usize, Refusal> {
        let (mut effects, mut last): (Vec<Effect>, Option<String>) = (Vec::new(), None);
        loop {
            let page = self.journal.records(TOKEN, last.as_deref(), 1_000).await?;
            let Some((key, _)) = page.last() else { break };
            last = Some(key.clone());
            let owned = |text: &str| {
                serde_json::from_str::<Token>(text).is_ok_and(|token| token.account == account)
            };
            let own = page.into_iter().filter(|(_, text)| owned(text));
            effects.extend(own.map(|(key, _)| put(TOKEN, key, None)));
        }
        let count = effects.len();
        self.post(effects).await?;
        Ok(count)
    }

    /// Sets the language of an account.
    pub async fn set_language(&self, number: u64, language: Language) -> Result<Account, Refusal> {
        let _turn = self.next.lock().await;
        let account = Account { language, ..self.account(number).await? };
        self.post(vec![Self::put(&account)]).await?;
        Ok(account)
    }

    /// Gives an account a password. It takes long on purpose.
    pub async fn claim(&self, number: u64, password: String) -> Result<(), Refusal> {
        if !(8..=128).contains(&password.len()) {
            return refuse("bad_password", "a password has 8 to 128 bytes");
        }
        let salt = self.chance.bytes()?;
        let hashed = blocking(move || hashed(&password, salt)).await?;
        let _turn = self.next.lock().await;
        let account = Account { password: Some(hashed), ..self.account(number).await? };
        self.post(vec![Self::put(&account)]).await
    }

    /// Signs in to a claimed account, with a new token. It takes long on purpose, whoever it is.
    pub async fn login(&self, name: &str, password: String) -> Result<Authenticated, Refusal> {
        let wrong = || Refusal::new("bad_login", "this name and password are not known together");
        let account = self.by_name(name).await.ok().filter(|account| account.password.is_some());
        let hashed = account.as_ref().and_then(|account| account.password.clone());
        blocking(move || {
            let hashed = hashed.as_deref().unwrap_or(NOBODYS);
            let hashed = PasswordHash::new(hashed).map_err(|_| wrong())?;
            Argon2::default().verify_password(password.as_bytes(), &hashed).map_err(|_| wrong())
        })
        .await?;
        let account = account.ok_or_else(wrong)?;
        let (token, stored) = self.token(&Token { account: account.number, table: None })?;
        self.post(vec![stored]).await?;
        Ok(Authenticated { account, token, table: None })
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
