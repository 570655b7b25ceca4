//! When a house player may think: it takes a processor, of which others need their part.

use crate::{KeyedSemaphore, Limit, semaphore};
use parlor_table::TableId;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Whose house players share a limit.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Household {
    /// Those at tables that were opened from this address.
    Address(IpAddr),
    /// Those at a table whose opener's address is not known any more.
    Table(TableId),
}

/// Limits how many house players think at one time, in all and for each household, so that a household
/// with hundreds of tables delays only itself.
pub struct BotScheduler {
    all: Arc<Semaphore>,
    households: KeyedSemaphore<Household>,
}

/// Permission to think, as long as it is held.
pub(crate) struct ThinkingPermit {
    _all: Option<OwnedSemaphorePermit>,
    _household: Option<OwnedSemaphorePermit>,
}

impl BotScheduler {
    /// All processors but one may think, and so many for each household.
    pub fn new(each: Limit) -> Self {
        Self::of(Limit::all_processors_but_one(), each)
    }

    fn of(most: Limit, each: Limit) -> Self {
        Self { all: semaphore(most), households: KeyedSemaphore::new(each) }
    }

    /// Waits for permission.
    pub(crate) async fn acquire(&self, household: Household) -> ThinkingPermit {
        let household = self.households.acquire(household).await;
        ThinkingPermit { _all: self.all.clone().acquire_owned().await.ok(), _household: household }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn address(n: u8) -> Household {
        Household::Address(IpAddr::from([10, 0, 0, n]))
    }

    #[test]
    fn a_household_with_many_tables_delays_only_itself() {
        let scheduler = BotScheduler::of(Limit::at(1), Limit::at(1));
        let mut cx = Context::from_waker(Waker::noop());
        let mut first: Vec<_> = (0..50).map(|_| Box::pin(scheduler.acquire(address(1)))).collect();
        let mut permits: Vec<Poll<ThinkingPermit>> =
            first.iter_mut().map(|it| it.as_mut().poll(&mut cx)).collect();
        assert_eq!(permits.iter().filter(|permit| permit.is_ready()).count(), 1);
        let mut other = pin!(scheduler.acquire(address(2)));
        assert!(other.as_mut().poll(&mut cx).is_pending());
        // One has thought, 49 of the same household wait: the other's turn comes all the same.
        permits.clear();
        let mut again = first.iter_mut().skip(1).map(|it| it.as_mut().poll(&mut cx));
        assert!(again.all(|permit| permit.is_pending()));
        assert!(other.as_mut().poll(&mut cx).is_ready());
    }
}
