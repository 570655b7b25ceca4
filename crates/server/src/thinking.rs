//! When a house player may think: it takes a processor, of which others need their part.

use crate::room::Name;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// From how many households on those are forgotten for whom nobody thinks.
const MANY: usize = 64;

/// For whom is thought.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Household {
    /// Whoever has opened tables from there.
    Address(IpAddr),
    /// Who plays at a table of which that is not known any more.
    Table(Name),
}

/// So many think at once, and so many for each household: whoever has opened hundreds of tables waits
/// for its own, and all others hardly wait for them.
pub(crate) struct Thinking {
    all: Arc<Semaphore>,
    each: usize,
    households: Mutex<HashMap<Household, Arc<Semaphore>>>,
}

/// Somebody thinks as long as it is held.
pub(crate) struct Turn {
    _all: Option<OwnedSemaphorePermit>,
    _household: Option<OwnedSemaphorePermit>,
}

impl Thinking {
    /// On all processors but one, and on so many for each household.
    pub(crate) fn beside_the_rest(each: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self::of(cores.saturating_sub(1).max(1), each)
    }

    fn of(most: usize, each: usize) -> Self {
        let all = Arc::new(Semaphore::new(most));
        Self { all, each: each.min(most), households: Mutex::default() }
    }

    fn household(&self, whose: Household) -> Arc<Semaphore> {
        let mut all = self.households.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MANY {
            // Whoever thinks or waits to holds another one.
            all.retain(|_, own| Arc::strong_count(own) > 1);
        }
        all.entry(whose).or_insert_with(|| Arc::new(Semaphore::new(self.each))).clone()
    }

    /// Waits for a turn. Nobody closes it: there always is one.
    pub(crate) async fn turn(&self, whose: Household) -> Turn {
        let household = self.household(whose).acquire_owned().await.ok();
        Turn { _all: self.all.clone().acquire_owned().await.ok(), _household: household }
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
    fn who_has_much_to_think_about_keeps_nobody_waiting_long() {
        let thinking = Thinking::of(1, 1);
        let mut cx = Context::from_waker(Waker::noop());
        let mut first: Vec<_> = (0..50).map(|_| Box::pin(thinking.turn(address(1)))).collect();
        let mut turns: Vec<Poll<Turn>> =
            first.iter_mut().map(|it| it.as_mut().poll(&mut cx)).collect();
        assert_eq!(turns.iter().filter(|turn| turn.is_ready()).count(), 1);
        let mut other = pin!(thinking.turn(address(2)));
        assert!(other.as_mut().poll(&mut cx).is_pending());
        // One has thought, 49 of the same household wait: it is the other's turn all the same.
        turns.clear();
        let mut again = first.iter_mut().skip(1).map(|it| it.as_mut().poll(&mut cx));
        assert!(again.all(|turn| turn.is_pending()));
        assert!(other.as_mut().poll(&mut cx).is_ready());
    }

    #[test]
    fn households_nobody_thinks_for_are_forgotten() {
        let thinking = Thinking::of(2, 1);
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(_held) = pin!(thinking.turn(address(0))).poll(&mut cx) else { panic!() };
        for n in 1..=200 {
            assert!(pin!(thinking.turn(address(n))).poll(&mut cx).is_ready());
        }
        let known = thinking.households.lock().expect("no panic");
        assert!(known.len() <= MANY && known.contains_key(&address(0)));
    }
}
