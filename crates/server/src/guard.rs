//! What keeps one client from hurting the others: limits, origins, addresses.

use crate::listen::Asking;
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use parlor_rules::Refusal;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// What a server allows. Counts are of what is there at one time.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Pages of other sites that may connect, as `https://example.org`; that of this site may.
    pub origins: Vec<String>,
    /// Proxies that tell the address of a client in `x-forwarded-for`.
    pub proxies: Vec<IpAddr>,
    /// Connections from one address.
    pub connections_per_address: usize,
    /// Connections of one account.
    pub connections_per_account: usize,
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address that are no WebSockets: they ask something, or are about to.
    pub asking_per_address: usize,
    /// How long a request may take to come in, and how long a connection may wait with its next.
    pub ask_ms: u64,
    /// Tables that one account has opened and that go on.
    pub tables_per_account: usize,
    /// Tables that were opened from one address and go on.
    pub tables_per_address: usize,
    /// Tables that one connection looks at.
    pub tables_per_connection: usize,
    /// How long a table stays at hand that nobody looks at or sits at any more; one where the game is
    /// over is put away much sooner.
    pub linger_ms: u64,
    /// How long a connection may be silent; it is asked three times meanwhile whether it is there.
    pub idle_ms: u64,
    /// The longest a house player pretends to think.
    pub house_pause_ms: u64,
    /// House players that think at one time at tables that were opened from one address.
    pub thinking_per_address: usize,
    /// New accounts from one address, a minute.
    pub accounts_per_minute: f64,
    /// Messages of one connection, a second, and of one account on all its connections.
    pub messages_per_second: f64,
    /// Requests over HTTP from one address, a second.
    pub requests_per_second: f64,
    /// Tries to sign in with a password from one address, a minute.
    pub logins_per_minute: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            proxies: Vec::new(),
            connections_per_address: 64,
            connections_per_account: 16,
            connections: 20_000,
            asking_per_address: 256,
            ask_ms: 10_000,
            tables_per_account: 20,
            tables_per_address: 100,
            tables_per_connection: 64,
            linger_ms: 60_000,
            idle_ms: 75_000,
            house_pause_ms: 2_500,
            thinking_per_address: 1,
            accounts_per_minute: 20.0,
            messages_per_second: 30.0,
            requests_per_second: 50.0,
            logins_per_minute: 10.0,
        }
    }
}

impl Settings {
    /// Nothing is limited: for measuring, and for a machine one has to oneself.
    pub fn without_limits() -> Self {
        Self {
            connections_per_address: usize::MAX,
            connections_per_account: usize::MAX,
            connections: usize::MAX,
            asking_per_address: usize::MAX,
            tables_per_account: usize::MAX,
            tables_per_address: usize::MAX,
            tables_per_connection: usize::MAX,
            house_pause_ms: 0,
            thinking_per_address: usize::MAX,
            accounts_per_minute: f64::INFINITY,
            messages_per_second: f64::INFINITY,
            requests_per_second: f64::INFINITY,
            logins_per_minute: f64::INFINITY,
            ..Self::default()
        }
    }

    /// Whether a page that came from there may connect. Programs that are no browsers say nothing.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
        let text = origin.to_str().unwrap_or_default();
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let own = text.split_once("://").is_some_and(|(_, site)| Some(site) == host);
        if own || self.origins.iter().any(|allowed| allowed == text) {
            return Ok(());
        }
        Err(Refusal::new("foreign_origin", "pages of this site may not connect"))
    }

    /// The address of a client: that of the connection, or what a known proxy says it is.
    pub(crate) fn address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut address = peer;
        let told = headers.get_all("x-forwarded-for").iter();
        let told = told.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
        let told: Vec<Option<IpAddr>> = told.map(|text| text.trim().parse().ok()).collect();
        for told in told.into_iter().rev() {
            // Everyone writes at the end: what stands before the first stranger may be made up.
            let (true, Some(told)) = (self.proxies.contains(&address), told) else { break };
            address = told;
        }
        self.household(address)
    }

    /// Whom an address is counted as: a house has 2⁶⁴ addresses of the new kind.
    pub(crate) fn household(&self, address: IpAddr) -> IpAddr {
        match address.to_canonical() {
            IpAddr::V6(long) => {
                let bits = long.to_bits() >> 64 << 64;
                Ipv6Addr::from_bits(bits).into()
            }
            short => short,
        }
    }
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let hash = |text: &str| Sha256::digest(text.as_bytes());
    hash(a).ct_eq(&hash(b)).into()
}

/// A bucket that fills with time: what is in it may be used at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    per_second: f64,
    most: f64,
    left: f64,
    at: Instant,
}

impl Bucket {
    /// So many a second, and so many at once.
    pub(crate) fn new(per_second: f64, most: f64) -> Self {
        Self { per_second, most, left: most, at: Instant::now() }
    }

    /// Takes one, if there is one.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        if self.per_second.is_infinite() {
            return true;
        }
        let filled = now.saturating_duration_since(self.at).as_secs_f64() * self.per_second;
        self.left = (self.left + filled).min(self.most);
        self.at = now;
        let there = self.left >= 1.0;
        self.left -= f64::from(u8::from(there));
        there
    }

    fn is_full(&self, now: Instant) -> bool {
        let filled = now.saturating_duration_since(self.at).as_secs_f64() * self.per_second;
        self.left + filled >= self.most
    }
}

/// A bucket for each of many.
pub(crate) struct Buckets<K> {
    per_second: f64,
    most: f64,
    all: Mutex<Known<K>>,
}

struct Known<K> {
    buckets: HashMap<K, Bucket>,
    /// At how many it is looked which of them are needed no more.
    swept_at: usize,
}

/// So many buckets may be there that are not needed.
const SPARE: usize = 10_000;

impl<K: Hash + Eq> Buckets<K> {
    pub(crate) fn new(per_second: f64, most: f64) -> Self {
        let known = Known { buckets: HashMap::new(), swept_at: SPARE };
        Self { per_second, most, all: Mutex::new(known) }
    }

    pub(crate) fn take(&self, key: K) -> bool {
        if self.per_second.is_infinite() {
            return true;
        }
        let now = Instant::now();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.buckets.len() >= all.swept_at {
            // A full bucket is as good as none.
            all.buckets.retain(|_, bucket| !bucket.is_full(now));
            all.swept_at = 2 * all.buckets.len().max(SPARE / 2);
        }
        let new = || Bucket::new(self.per_second, self.most);
        all.buckets.entry(key).or_insert_with(new).take(now)
    }
}

/// Counts what is there at one time, for each of many.
pub(crate) struct Counts<K: Hash + Eq>(Arc<Mutex<HashMap<K, usize>>>);

impl<K: Hash + Eq> Default for Counts<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

/// One that is counted as long as this is held.
pub(crate) struct Counted<K: Hash + Eq> {
    counts: Arc<Mutex<HashMap<K, usize>>>,
    key: K,
}

impl<K: Hash + Eq + Clone> Counts<K> {
    /// One more, unless there are so many already.
    pub(crate) fn one(&self, key: K, most: usize) -> Option<Counted<K>> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key.clone()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Counted { counts: self.0.clone(), key })
    }
}

impl<K: Hash + Eq> Drop for Counted<K> {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

/// All limits of a running server.
pub(crate) struct Guard {
    pub(crate) settings: Settings,
    pub(crate) by_address: Counts<IpAddr>,
    pub(crate) by_account: Counts<u64>,
    pub(crate) in_all: Counts<()>,
    pub(crate) asking: Asking,
    /// Passwords that may be hashed at one time: each takes a processor, and 19 MiB.
    pub(crate) hashing: Semaphore,
    pub(crate) messages: Buckets<u64>,
    pub(crate) accounts: Buckets<IpAddr>,
    pub(crate) logins: Buckets<IpAddr>,
    pub(crate) requests: Buckets<IpAddr>,
}

impl Guard {
    pub(crate) fn new(settings: Settings) -> Self {
        let Settings { messages_per_second, accounts_per_minute, logins_per_minute, .. } = settings;
        Self {
            by_address: Counts::default(),
            by_account: Counts::default(),
            in_all: Counts::default(),
            asking: Asking::default(),
            hashing: Semaphore::new(2),
            messages: Buckets::new(messages_per_second, 3.0 * messages_per_second),
            accounts: Buckets::new(accounts_per_minute / 60.0, accounts_per_minute),
            logins: Buckets::new(logins_per_minute / 60.0, logins_per_minute),
            requests: Buckets::new(
                settings.requests_per_second,
                3.0 * settings.requests_per_second,
            ),
            settings,
        }
    }

    /// A bucket for the messages of one connection.
    pub(crate) fn bucket(&self) -> Bucket {
        let per_second = self.settings.messages_per_second;
        Bucket::new(per_second, 3.0 * per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn only_the_own_page_and_those_allowed_may_connect() {
        let settings =
            Settings { origins: vec!["https://club.org".to_owned()], ..Settings::default() };
        let check = |pairs: &[_]| settings.check_origin(&headers(pairs)).is_ok();
        assert!(check(&[]), "a program");
        assert!(check(&[("host", "a.org:80"), ("origin", "http://a.org:80")]));
        assert!(check(&[("host", "a.org"), ("origin", "https://club.org")]));
        assert!(!check(&[("host", "a.org"), ("origin", "https://evil.org")]));
        assert!(!check(&[("host", "a.org"), ("origin", "https://a.org.evil.org")]));
        assert!(!check(&[("host", "a.org"), ("origin", "null")]));
    }

    #[test]
    fn an_address_is_believed_only_from_a_known_proxy() {
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        let settings = Settings { proxies: vec![ip("10.0.0.1")], ..Settings::default() };
        let told = headers(&[("x-forwarded-for", "6.6.6.6, 9.9.9.9")]);
        assert_eq!(settings.address(ip("10.0.0.1"), &told), ip("9.9.9.9"), "6.6.6.6 is made up");
        assert_eq!(settings.address(ip("1.2.3.4"), &told), ip("1.2.3.4"), "no proxy of ours");
        let chain = headers(&[("x-forwarded-for", "9.9.9.9"), ("x-forwarded-for", "10.0.0.1")]);
        assert_eq!(settings.address(ip("10.0.0.1"), &chain), ip("9.9.9.9"));
        let long = headers(&[("x-forwarded-for", "2001:db8::1:2:3:4")]);
        assert_eq!(settings.address(ip("10.0.0.1"), &long), ip("2001:db8::"), "a whole house");
        let mapped = headers(&[("x-forwarded-for", "::ffff:9.9.9.9")]);
        assert_eq!(settings.address(ip("10.0.0.1"), &mapped), ip("9.9.9.9"));
        let rubbish = headers(&[("x-forwarded-for", "somebody")]);
        assert_eq!(settings.address(ip("10.0.0.1"), &rubbish), ip("10.0.0.1"));
    }

    #[test]
    fn a_bucket_gives_what_has_come_in() {
        let mut bucket = Bucket::new(2.0, 4.0);
        let start = bucket.at;
        assert_eq!((0..6).filter(|_| bucket.take(start)).count(), 4);
        let later = start + Duration::from_millis(1_000);
        assert_eq!((0..6).filter(|_| bucket.take(later)).count(), 2);
        let much_later = start + Duration::from_secs(60);
        assert_eq!((0..6).filter(|_| bucket.take(much_later)).count(), 4);
    }

    #[test]
    fn buckets_that_are_full_again_are_kept_no_longer() {
        let quick = Buckets::new(1e9, 1.0);
        assert!((0..50_000).all(|key| quick.take(key)));
        let kept = quick.all.lock().expect("no panic").buckets.len();
        assert!(kept <= SPARE, "{kept}");
        // Others stay, and are not looked through every time.
        let slow = Buckets::new(1e-9, 1.0);
        assert!((0..50_000).all(|key| slow.take(key)) && !slow.take(1));
        // Where nothing is limited, nobody is remembered.
        let endless = Buckets::new(f64::INFINITY, f64::INFINITY);
        assert!((0..1_000).all(|_| endless.take(1)));
        assert!(endless.all.lock().expect("no panic").buckets.is_empty());
    }

    #[test]
    fn what_is_let_go_is_counted_no_more() {
        let counts = Counts::default();
        let first = counts.one("a", 2);
        let second = counts.one("a", 2);
        assert!(first.is_some() && second.is_some() && counts.one("a", 2).is_none());
        assert!(counts.one("b", 2).is_some());
        drop(first);
        assert!(counts.one("a", 2).is_some());
    }

    #[test]
    fn secrets_are_the_same_or_not() {
        assert!(
            same("abc", "abc") && !same("abc", "abd") && !same("abc", "abcd") && !same("", "a")
        );
    }
}
