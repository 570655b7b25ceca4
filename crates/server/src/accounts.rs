//! Who people are: names, passwords, tokens.
//!
//! An account is a record of the journal. Of a token only its hash is kept, of a password only what
//! argon2 makes of it.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use parlor_journal::Journal;
use parlor_rules::{Chips, Refusal};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

/// What a new account has.
pub(crate) const GRANT: Chips = Chips::whole(1_000);

/// Kinds of records.
const ACCOUNT: &str = "account";
const NAME: &str = "name";
const TOKEN: &str = "token";
/// Balances, in ten-thousandths of a chip.
pub(crate) const CHIPS: &str = "chips";

/// An account.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) number: u64,
    pub(crate) name: String,
    /// What argon2 makes of the password; none for a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

impl Account {
    pub(crate) fn is_guest(&self) -> bool {
        self.password.is_none()
    }
}

/// All accounts.
pub(crate) struct Accounts {
    journal: Arc<dyn Journal>,
    /// The number of the next one. Whoever holds it may look whether a name is free and take it.
    next: Mutex<u64>,
}

fn refuse<T>(code: &'static str, text: &str) -> Result<T, Refusal> {
    Err(Refusal::new(code, text))
}

/// Bytes that nobody can guess.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .or_else(|_| refuse("no_chance", "the system has no chance left"))?;
    Ok(bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

fn key(number: u64) -> String {
    format!("{number:020}")
}

/// A name as it may be, and as it is compared.
fn named(name: &str) -> Result<(String, String), Refusal> {
    let name = name.trim();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
    let count = name.chars().count();
    if !(2..=24).contains(&count) || !name.chars().all(fits) || name.contains("  ") {
        return refuse("bad_name", "a name is 2 to 24 letters, digits, spaces and - _ .");
    }
    Ok((name.to_owned(), name.to_lowercase()))
}

impl Accounts {
    pub(crate) fn new(journal: Arc<dyn Journal>) -> Result<Self, Refusal> {
        let mut last = None;
        loop {
            let page = journal.records(ACCOUNT, last.as_deref(), 1_000)?;
            match page.into_iter().next_back() {
                Some((key, _)) => last = Some(key),
                None => break,
            }
        }
        let next = last.and_then(|key| key.parse::<u64>().ok()).map_or(1, |last| last + 1);
        Ok(Self { journal, next: Mutex::new(next) })
    }

    /// An account by its number.
    pub(crate) fn account(&self, number: u64) -> Option<Account> {
        let text = self.journal.record(ACCOUNT, &key(number)).ok()??;
        serde_json::from_str(&text).ok()
    }

    /// What an account has.
    pub(crate) fn chips(&self, number: u64) -> Chips {
        let text = self.journal.record(CHIPS, &number.to_string()).ok().flatten();
        let amount = text.and_then(|text| text.parse().ok()).unwrap_or_default();
        Chips::from_ten_thousandths(amount)
    }

    fn put(&self, account: &Account) -> (String, String, String) {
        let value = parlor_rules::json(account).get().to_owned();
        (ACCOUNT.to_owned(), key(account.number), value)
    }

    /// A new guest, and the token it comes back with.
    pub(crate) fn guest(&self, name: &str) -> Result<(Account, String), Refusal> {
        let (name, lower) = named(name)?;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if self.journal.record(NAME, &lower)?.is_some() {
            return refuse("name_taken", "somebody has this name; take another one");
        }
        let account = Account { number: *next, name, password: None };
        let token = hex(&random::<24>()?);
        let number = account.number.to_string();
        self.journal.put_records(vec![
            self.put(&account),
            (NAME.to_owned(), lower, number.clone()),
            (TOKEN.to_owned(), hash(&token), number.clone()),
            (CHIPS.to_owned(), number, GRANT.ten_thousandths().to_string()),
        ])?;
        *next += 1;
        Ok((account, token))
    }

    /// Whose token this is. It is found by its hash, so that nothing is compared byte by byte.
    pub(crate) fn by_token(&self, token: &str) -> Result<Account, Refusal> {
        let number = self.journal.record(TOKEN, &hash(token))?;
        let account = number.and_then(|n| n.parse().ok()).and_then(|n| self.account(n));
        account.ok_or_else(|| Refusal::new("bad_token", "this token is not known, or revoked"))
    }

    /// Makes a token worthless.
    pub(crate) fn revoke(&self, token: &str) -> Result<(), Refusal> {
        let record = (TOKEN.to_owned(), hash(token), String::new());
        Ok(self.journal.put_records(vec![record])?)
    }

    /// Gives an account a password. It takes long on purpose.
    pub(crate) fn claim(&self, number: u64, password: &str) -> Result<(), Refusal> {
        if !(8..=128).contains(&password.len()) {
            return refuse("bad_password", "a password has 8 to 128 bytes");
        }
        let Some(mut account) = self.account(number) else {
            return refuse("no_account", "there is no such account");
        };
        let salt = SaltString::encode_b64(&random::<16>()?);
        let hashed = salt.and_then(|salt| {
            Argon2::default().hash_password(password.as_bytes(), &salt).map(|hash| hash.to_string())
        });
        let Ok(hashed) = hashed else { return refuse("bad_password", "it cannot be hashed") };
        account.password = Some(hashed);
        Ok(self.journal.put_records(vec![self.put(&account)])?)
    }

    /// Signs in to a claimed account, with a new token. It takes long on purpose.
    pub(crate) fn login(&self, name: &str, password: &str) -> Result<(Account, String), Refusal> {
        let wrong = || Refusal::new("bad_login", "this name and password are not known together");
        let number = self.journal.record(NAME, &name.trim().to_lowercase())?;
        let account = number.and_then(|n| n.parse().ok()).and_then(|n| self.account(n));
        let account = account.ok_or_else(wrong)?;
        let hashed = account.password.as_deref().ok_or_else(wrong)?;
        let hashed = PasswordHash::new(hashed).map_err(|_| wrong())?;
        Argon2::default().verify_password(password.as_bytes(), &hashed).map_err(|_| wrong())?;
        let token = hex(&random::<24>()?);
        let record = (TOKEN.to_owned(), hash(&token), account.number.to_string());
        self.journal.put_records(vec![record])?;
        Ok((account, token))
    }
}
