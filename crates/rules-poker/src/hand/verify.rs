//! Whether an action fits.

use super::{Hand, Next, Status};
use crate::action::{Action, Fault};
use crate::card::{CardSet, Cards};

impl Hand {
    /// Whether an action fits.
    pub fn verify(&self, action: &Action) -> Result<(), Fault> {
        match *action {
            Action::Hole { player, cards } => self.verify_hole(player, &cards),
            Action::Board { cards } => {
                let Next::Board { cards: due } = self.next else { return Err(Fault::WrongDeal) };
                if !(1..=usize::from(due)).contains(&cards.len()) {
                    return Err(Fault::WrongDeal);
                }
                if !cards.all_known() {
                    return Err(Fault::HiddenBoard);
                }
                self.verify_new(&cards)
            }
            Action::Call { player } if self.spared == 1 << player => Ok(()),
            Action::Fold { player } | Action::Call { player } => {
                self.verify_turn(player)?;
                match self.next {
                    Next::BringIn { .. } => Err(Fault::BringInFirst),
                    _ => Ok(()),
                }
            }
            Action::BringIn { player } => {
                self.verify_turn(player)?;
                match self.next {
                    Next::BringIn { .. } => Ok(()),
                    _ => Err(Fault::NoBringIn),
                }
            }
            Action::Raise { player, to } => {
                self.verify_turn(player)?;
                self.may_raise(player)?;
                let me = self.player(player);
                let all = me.stack + me.bet;
                let (least, most) = self.raises_to(player);
                if to > all {
                    return Err(Fault::AboveStack { most: all });
                }
                if to > most {
                    return Err(Fault::AboveLimit { most });
                }
                if to < least {
                    return Err(Fault::BelowMinimum { least });
                }
                Ok(())
            }
            Action::Discard { player, cards } => self.verify_discard(player, cards),
            Action::Show { player, cards } => self.verify_show(player, cards),
        }
    }

    fn in_it(&self, player: u8) -> Result<(), Fault> {
        if player < self.count && self.player(player).status != Status::Out {
            return Ok(());
        }
        Err(Fault::NoPlayer { player: player + 1 })
    }

    /// Cards are new if they were not dealt, or were given away again and the deck has run out:
    /// a card is burnt on every street.
    fn verify_new(&self, cards: &Cards) -> Result<(), Fault> {
        let mut deck = self.deck;
        let left = self.variant.cards().saturating_sub(self.dealt);
        let short = left < cards.len() as u8 + self.street;
        let mut spare = if short { self.muck.union(self.given) } else { CardSet::default() };
        let new = cards.known().all(|card| deck.remove(card.number()) || spare.remove(card));
        if new { Ok(()) } else { Err(Fault::CardTwice) }
    }

    fn verify_hole(&self, player: u8, cards: &Cards) -> Result<(), Fault> {
        self.in_it(player)?;
        let deals = matches!(self.next, Next::Hole { .. } | Next::Draw { .. });
        let due = usize::from(self.hole_due(player));
        let fits = (1..=due).contains(&cards.len());
        if !deals || self.lacking >> player & 1 == 0 || !fits {
            return Err(Fault::WrongDeal);
        }
        self.verify_new(cards)
    }

    fn verify_turn(&self, player: u8) -> Result<(), Fault> {
        self.in_it(player)?;
        match self.next {
            Next::Act { player: actor } | Next::BringIn { player: actor }
                if actor == player || self.may_open(player) =>
            {
                Ok(())
            }
            Next::Act { player: actor } | Next::BringIn { player: actor } => {
                Err(Fault::NotYourTurn { player: player + 1, actor: actor + 1 })
            }
            Next::Draw { .. } => Err(Fault::DrawFirst),
            Next::Hole { .. } | Next::Board { .. } if !self.closed => Err(Fault::Deal),
            Next::Hole { .. } | Next::Board { .. } | Next::Show { .. } => Err(Fault::NoBetting),
            Next::Over => Err(Fault::Over),
        }
    }

    fn verify_discard(&self, player: u8, cards: Cards) -> Result<(), Fault> {
        self.in_it(player)?;
        match self.next {
            Next::Draw { player: due } if due == player => {}
            Next::Draw { player: due } => {
                return Err(Fault::NotYourTurn { player: player + 1, actor: due + 1 });
            }
            _ => return Err(Fault::NoDraw),
        }
        let mut hole = self.player(player).hole;
        let unknown = hole.len() - hole.set().len();
        let new = cards.known().filter(|card| !hole.set().contains(*card)).count();
        let hidden = cards.len() - cards.set().len();
        // What the writer does not know is given away of what the writer does not know.
        let fits = new + hidden <= unknown && cards.iter().all(|card| hole.remove(card));
        if !fits {
            return Err(Fault::WrongCards);
        }
        self.verify_fresh(player, &cards)
    }

    /// Cards that somebody turns out to have had are nobody else's.
    fn verify_fresh(&self, player: u8, cards: &Cards) -> Result<(), Fault> {
        let own = self.player(player).hole.set();
        let new = cards.known().filter(|card| !own.contains(*card)).collect();
        self.verify_new(&new)
    }

    fn verify_show(&self, player: u8, cards: Option<Cards>) -> Result<(), Fault> {
        self.in_it(player)?;
        match self.next {
            // Whoever wants to may be quicker.
            Next::Show { .. } if self.hiding >> player & 1 == 1 => {}
            Next::Show { player: due } => {
                return Err(Fault::NotYourTurn { player: player + 1, actor: due + 1 });
            }
            // Who has won, or has nothing to lose any more, may still show.
            Next::Over if cards.is_some() && !self.has_shown(player) => {}
            // Who has got cards since may show them too, or not.
            Next::Over if self.again >> player & 1 == 1 => {}
            Next::Over => return Err(Fault::Over),
            _ => return Err(Fault::NoShowdown),
        }
        let Some(cards) = cards else { return Ok(()) };
        let hole = &self.player(player).hole;
        if cards.is_empty() {
            return if hole.all_known() { Ok(()) } else { Err(Fault::WrongCards) };
        }
        // When all is over one may show some of the cards.
        let some = self.next == Next::Over && !cards.set().is_empty();
        if !(cards.all_known() || some) || !hole.could_be(&cards) {
            return Err(Fault::WrongCards);
        }
        self.verify_fresh(player, &cards)
    }

    /// Whether a player may begin the round whose open cards nobody has written down.
    pub(super) fn may_open(&self, player: u8) -> bool {
        let begins = matches!(self.next, Next::Act { .. } | Next::BringIn { .. })
            && self.waiting == self.able
            && self.waiting >> player & 1 == 1;
        begins && self.open_row(player).any(|card| card.is_none())
    }
}
