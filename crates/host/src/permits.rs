//! Limits on what is there at one time.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most there may be of something. In a configuration it is a number; 0 means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Limit(u32);

impl Limit {
    /// No limit.
    pub const NONE: Self = Self(0);

    /// At most so many.
    pub const fn at(most: u32) -> Self {
        Self(most)
    }

    /// The number, if there is a limit.
    pub fn get(self) -> Option<u32> {
        (self.0 > 0).then_some(self.0)
    }

    /// One processor stays with everybody else.
    pub fn all_processors_but_one() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::at(cores.saturating_sub(1).max(1) as u32)
    }

    /// How many permits a semaphore of this limit has.
    fn permits(self) -> usize {
        self.get().map_or(Semaphore::MAX_PERMITS, |most| most as usize)
    }

    /// Returns whether one more is allowed beside so many.
    pub fn allows(self, count: usize) -> bool {
        self.get().is_none_or(|most| count < most as usize)
    }
}

/// So many permits for each of many.
pub struct KeyedSemaphore<K> {
    each: usize,
    all: Mutex<HashMap<K, Arc<Semaphore>>>,
}

impl<K: Hash + Eq> KeyedSemaphore<K> {
    /// So many for each key.
    pub fn new(each: Limit) -> Self {
        Self { each: each.permits(), all: Mutex::default() }
    }

    fn of(&self, key: K) -> Arc<Semaphore> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == all.capacity() {
            // Whoever has or waits for a permit holds the semaphore too.
            all.retain(|_, own| Arc::strong_count(own) > 1);
        }
        all.entry(key).or_insert_with(|| Arc::new(Semaphore::new(self.each))).clone()
    }

    /// A permit for this key, if one is left.
    pub fn try_acquire(&self, key: K) -> Option<OwnedSemaphorePermit> {
        self.of(key).try_acquire_owned().ok()
    }

    /// Waits for a permit for this key. No semaphore here is ever closed, so there always is one.
    pub async fn acquire(&self, key: K) -> Option<OwnedSemaphorePermit> {
        self.of(key).acquire_owned().await.ok()
    }
}

/// A semaphore with so many permits.
pub fn semaphore(limit: Limit) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(limit.permits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_that_is_dropped_can_be_taken_again() {
        let semaphore = KeyedSemaphore::new(Limit::at(2));
        let first = semaphore.try_acquire("a");
        let second = semaphore.try_acquire("a");
        assert!(first.is_some() && second.is_some() && semaphore.try_acquire("a").is_none());
        assert!(semaphore.try_acquire("b").is_some());
        drop(first);
        assert!(semaphore.try_acquire("a").is_some());
    }

    #[test]
    fn keys_without_permits_are_forgotten() {
        let semaphore = KeyedSemaphore::new(Limit::at(1));
        let held = semaphore.try_acquire(0);
        assert!((1..10_000).all(|key| semaphore.try_acquire(key).is_some()));
        assert!(semaphore.all.lock().expect("no panic").len() < 100);
        assert!(held.is_some() && semaphore.try_acquire(0).is_none());
    }
}
