//! Limits that hold while the server runs: rates, and counts of what is there at one time.

use crate::Settings;
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota};
use parlor_host::{KeyedSemaphore, Limit, semaphore};
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

/// So many in a period, and `burst` periods' worth at once; none without a limit.
fn quota(limit: Limit, period: Duration, burst: u32) -> Option<Quota> {
    let most = NonZeroU32::new(limit.get()?)?;
    let burst = most.saturating_mul(NonZeroU32::new(burst)?);
    Some(Quota::with_period(period / most.get())?.allow_burst(burst))
}

/// The rate of one thing.
pub(crate) struct Rate(Option<DefaultDirectRateLimiter>);

impl Rate {
    /// The messages of one connection.
    pub(crate) fn messages(settings: &Settings) -> Self {
        let quota = quota(settings.messages_per_second, SECOND, 3);
        Self(quota.map(DefaultDirectRateLimiter::direct))
    }

    /// How often one connection may be told to slow down before it is closed.
    pub(crate) fn patience(settings: &Settings) -> Self {
        let limited = settings.messages_per_second.get().is_some();
        let quota = quota(Limit::at(2), SECOND, 100).filter(|_| limited);
        Self(quota.map(DefaultDirectRateLimiter::direct))
    }

    /// Returns whether one more is allowed now, and counts it.
    pub(crate) fn allows(&self) -> bool {
        self.0.as_ref().is_none_or(|limiter| limiter.check().is_ok())
    }
}

/// A rate for each of many.
pub(crate) struct Rates<K: Hash + Eq + Clone>(Option<DefaultKeyedRateLimiter<K>>);

impl<K: Hash + Eq + Clone> Rates<K> {
    fn new(limit: Limit, period: Duration, burst: u32) -> Self {
        Self(quota(limit, period, burst).map(DefaultKeyedRateLimiter::keyed))
    }

    /// Returns whether one more of this key is allowed now, and counts it.
    pub(crate) fn allows(&self, key: &K) -> bool {
        self.0.as_ref().is_none_or(|limiter| limiter.check_key(key).is_ok())
    }

    fn forget_idle(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

/// All limits of a running server.
pub(crate) struct Limits {
    pub(crate) connections_by_address: KeyedSemaphore<IpAddr>,
    pub(crate) connections_by_account: KeyedSemaphore<u64>,
    pub(crate) connections: Arc<Semaphore>,
    pub(crate) asking_by_address: KeyedSemaphore<IpAddr>,
    pub(crate) asking: Arc<Semaphore>,
    pub(crate) downloads_by_address: KeyedSemaphore<IpAddr>,
    /// Passwords that are hashed at one time: each takes a processor and 19 MiB.
    pub(crate) hashing: Arc<Semaphore>,
    pub(crate) messages: Rates<u64>,
    pub(crate) accounts: Rates<IpAddr>,
    pub(crate) logins: Rates<IpAddr>,
    pub(crate) requests: Rates<IpAddr>,
}

impl Limits {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            connections_by_address: KeyedSemaphore::new(settings.connections_per_address),
            connections_by_account: KeyedSemaphore::new(settings.connections_per_account),
            connections: semaphore(settings.connections),
            asking_by_address: KeyedSemaphore::new(settings.asking_per_address),
            asking: semaphore(settings.connections),
            downloads_by_address: KeyedSemaphore::new(settings.downloads_per_address),
            hashing: Arc::new(Semaphore::new(2)),
            messages: Rates::new(settings.messages_per_second, SECOND, 3),
            accounts: Rates::new(settings.accounts_per_minute, MINUTE, 1),
            logins: Rates::new(settings.logins_per_minute, MINUTE, 1),
            requests: Rates::new(settings.requests_per_second, SECOND, 3),
        }
    }

    /// Forgets whoever has used nothing of late; called once a minute.
    pub(crate) fn forget_idle(&self) {
        self.messages.forget_idle();
        self.accounts.forget_idle();
        self.logins.forget_idle();
        self.requests.forget_idle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_allows_a_burst_and_no_more() {
        let settings = Settings { messages_per_second: Limit::at(1), ..Settings::default() };
        let rate = Rate::messages(&settings);
        assert_eq!((0..10).filter(|_| rate.allows()).count(), 3);
        let endless = Rate::messages(&Settings::without_limits());
        assert!((0..10_000).all(|_| endless.allows()));
    }

    #[test]
    fn rates_are_kept_apart() {
        let rates = Rates::new(Limit::at(1), MINUTE, 1);
        assert!(rates.allows(&"a") && !rates.allows(&"a") && rates.allows(&"b"));
        let endless = Rates::new(Limit::NONE, MINUTE, 1);
        assert!((0..1_000).all(|_| endless.allows(&1)));
    }
}
