//! Who wants a rematch.

use crate::{ConnectionId, Pairing, Rematch, seats};
use parlor_rules::{Refusal, Seat};
use parlor_table::{Chair, Who};
use std::collections::BTreeMap;

/// Who wants a rematch of a game that is over.
#[derive(Default)]
pub(crate) struct RematchOffers {
    /// Who does, and the connection that said so.
    wanted: BTreeMap<Seat, Option<ConnectionId>>,
    /// Whether all did, and went on at another table.
    opened: bool,
}

impl RematchOffers {
    /// Returns whether nobody wants one.
    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Refuses once the rematch was opened.
    pub(crate) fn may_ask(&self) -> Result<(), Refusal> {
        match self.opened {
            true => Err(Refusal::new("rematched", "it is played again already, at another table")),
            false => Ok(()),
        }
    }

    /// Somebody does not want one: all have to be asked again.
    pub(crate) fn decline(&mut self) {
        self.wanted.clear();
    }

    /// Somebody wants one; returns whether that is new.
    pub(crate) fn accept(&mut self, seat: Seat, connection: Option<ConnectionId>) -> bool {
        self.wanted.insert(seat, connection).is_none()
    }

    /// Whether everybody wants one by now: house players always do. `watching` gives the connections
    /// of a seat.
    pub(crate) fn agreed(
        &mut self,
        chairs: &[Chair],
        watching: impl Fn(Seat) -> Vec<ConnectionId>,
    ) -> Rematch {
        let people = || {
            seats(chairs).filter_map(|(seat, chair)| match chair {
                Chair::Taken(who) => Some((seat, who)),
                Chair::Open | Chair::Reserved(_) => None,
            })
        };
        let agrees = |(seat, who): (Seat, &Who)| match who {
            Who::Bot(_) => true,
            Who::Account(_) => self.wanted.contains_key(&seat),
        };
        if !people().all(agrees) {
            return Rematch::Waiting;
        }
        let pairing = |(seat, who): (Seat, &Who)| {
            let mut connections = watching(seat);
            let own = self.wanted.get(&seat).copied().flatten();
            connections.extend(own.filter(|own| !connections.contains(own)));
            Pairing { who: who.clone(), connections }
        };
        let pairings = people().map(pairing).collect();
        self.wanted.clear();
        self.opened = true;
        Rematch::Agreed(pairings)
    }

    /// The rematch could not be opened.
    pub(crate) fn failed(&mut self) {
        self.opened = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rematch_takes_everybody_and_happens_once() {
        let chairs = [
            Chair::Taken(Who::Account(7)),
            Chair::Taken(Who::Bot("easy".to_owned())),
            Chair::Taken(Who::Account(9)),
            Chair::Open,
        ];
        let mut offers = RematchOffers::default();
        let watching = |seat: Seat| if seat.index() == 0 { vec![ConnectionId(1)] } else { vec![] };
        assert!(offers.accept(Seat::new(0), Some(ConnectionId(1))));
        assert!(!offers.accept(Seat::new(0), Some(ConnectionId(1))), "it is said twice");
        assert!(matches!(offers.agreed(&chairs, watching), Rematch::Waiting));
        offers.decline();
        assert!(offers.is_empty());
        offers.accept(Seat::new(0), Some(ConnectionId(1)));
        offers.accept(Seat::new(2), Some(ConnectionId(2)));
        let Rematch::Agreed(pairings) = offers.agreed(&chairs, watching) else {
            panic!("all agree")
        };
        let connections: Vec<_> = pairings.into_iter().map(|pairing| pairing.connections).collect();
        assert_eq!(connections, [vec![ConnectionId(1)], vec![], vec![ConnectionId(2)]]);
        assert_eq!(offers.may_ask().map_err(|refusal| refusal.code), Err("rematched"));
        offers.failed();
        assert!(offers.may_ask().is_ok());
    }
}
