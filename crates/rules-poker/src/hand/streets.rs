//! Streets: what is changed and dealt, who opens, and the cards to come when betting is over.

use super::{Hand, Next, Status};
use crate::action::{Action, Fault};
use crate::card::{Card, CardSet};
use crate::rank::Ranking;
use crate::variant::Street;

impl Hand {
    pub(super) fn street(&self) -> &'static Street {
        &self.variant.streets[usize::from(self.street)]
    }

    /// How many cards the board still lacks up to this street.
    pub(super) fn board_due(&self) -> u8 {
        self.board_upto - self.board.len() as u8
    }

    /// How many cards a player still lacks up to this street.
    pub(super) fn hole_due(&self, player: u8) -> u8 {
        self.hole_upto.saturating_sub(self.player(player).hole.len() as u8)
    }

    pub(super) fn begin_street(&mut self, street: u8) {
        self.street = street;
        let Street { hole, draw, .. } = *self.street();
        let upto = &self.variant.streets[..=usize::from(street)];
        self.hole_upto = upto.iter().map(|street| street.hole).sum::<u8>() - self.shared;
        self.board_upto = upto.iter().map(|street| street.board).sum::<u8>() + self.shared;
        self.muck = self.muck.union(std::mem::take(&mut self.given));
        (self.lacking, self.drawing) = (0, if draw { self.live } else { 0 });
        if hole > 0 {
            let held = self.held() + self.board.len() as u32;
            let new = self.live.count_ones() * u32::from(hole);
            if held + new <= u32::from(self.variant.cards()) {
                self.lacking = self.live;
            } else {
                // There is not one for each: one for all lies on the board.
                self.shared += hole;
                self.hole_upto -= hole;
                self.board_upto += hole;
            }
        }
        self.deal();
    }

    /// How many cards those in the hand have.
    fn held(&self) -> u32 {
        let each = self.players().iter().filter(|player| player.status == Status::In);
        each.map(|player| player.hole.len() as u32).sum()
    }

    /// What is changed or dealt next on this street, or else the round of betting.
    pub(super) fn deal(&mut self) {
        if let Some(player) = self.from(self.first, self.drawing) {
            self.next = Next::Draw { player };
        } else if let Some(player) = self.from(0, self.lacking) {
            self.next = Next::Hole { player, cards: self.hole_due(player) };
        } else if self.board_due() > 0 {
            self.next = Next::Board { cards: self.board_due() };
        } else if self.closed {
            self.show_on();
        } else {
            self.begin_betting();
        }
    }

    /// The open cards of a player, unknown ones among them.
    pub(super) fn open_row(&self, player: u8) -> impl Iterator<Item = Option<Card>> + '_ {
        let hole = self.player(player).hole.iter().zip(self.variant.open());
        hole.filter(|(_, open)| *open).map(|(card, _)| card)
    }

    /// The open cards of a player.
    pub(crate) fn open_cards(&self, player: u8) -> CardSet {
        self.open_row(player).flatten().collect()
    }

    /// Who begins the round by the open cards. Of equal hands it is the first behind the button.
    pub(super) fn opener(&self, ranking: Ranking) -> u8 {
        let order = (0..self.count).map(|i| (self.first + i) % self.count);
        let live = order.filter(|i| self.live >> i & 1 == 1);
        let known = live.filter(|i| !self.open_cards(*i).is_empty());
        let low = ranking == Ranking::AceToFive;
        let first = if self.street > 0 {
            let best = |i: &u8| ranking.strength(self.open_cards(*i), CardSet::default());
            known.rev().max_by_key(best)
        } else if low {
            // Suits count only here.
            let aces_low = |card: Card| (card.rank() + 1) % 13 * 4 + card.suit();
            known.max_by_key(|i| self.open_row(*i).flatten().map(aces_low).max())
        } else {
            known.min_by_key(|i| self.open_row(*i).flatten().map(Card::number).min())
        };
        first.unwrap_or(self.first)
    }

    /// Whether cards are still to come.
    pub(crate) fn more_to_come(&self) -> bool {
        usize::from(self.street) + 1 < self.variant.streets.len()
    }

    /// The next to show, the rest of the cards, or the end.
    pub(super) fn show_on(&mut self) {
        if self.live.is_power_of_two() {
            return self.finish();
        }
        match self.from(self.aggressor, self.hiding) {
            Some(player) => self.next = Next::Show { player },
            None if self.more_to_come() => self.begin_street(self.street + 1),
            None if self.runs_again() => self.begin_street(self.street + 1),
            None => self.finish(),
        }
    }

    /// Puts the board aside for another run, if there is one to come.
    fn runs_again(&mut self) -> bool {
        let (board, street) = self.run_from;
        let ran = self.ran.iter().take_while(|board| !board.is_empty()).count();
        let need = self.board.len() - board.len();
        let enough = usize::from(self.variant.cards().saturating_sub(self.dealt)) >= need;
        let again = need > 0 && enough && ran + 1 < usize::from(self.runs);
        if again {
            self.ran[ran] = self.board;
            (self.board, self.street) = (board, street);
        }
        again
    }

    /// Who is all-in may show before or after the rest is dealt.
    pub(super) fn may_run_ahead(&self) -> bool {
        matches!(self.next, Next::Show { .. }) && self.more_to_come()
    }

    /// Takes cards of the next street while somebody has still to show.
    #[cold]
    pub(super) fn act_ahead(&mut self, action: &Action) -> Result<(), Fault> {
        let mut ahead = *self;
        ahead.begin_street(self.street + 1);
        ahead.act(action)?;
        *self = ahead;
        Ok(())
    }

    /// How many cards the board would have got if the hand had gone on.
    pub(crate) fn board_to_come(&self) -> u8 {
        let whole: u8 = self.variant.streets.iter().map(|street| street.board).sum();
        whole.saturating_sub(self.board.len() as u8)
    }

    /// Whether nobody has been dealt cards for a second time.
    pub(crate) fn is_first_round(&self) -> bool {
        self.street == 0
    }

    /// Whether all cards of the deck were dealt, and some may have been dealt again.
    pub(crate) fn ran_out(&self) -> bool {
        self.dealt >= self.variant.cards()
    }

    /// The number of the street.
    pub(crate) fn street_number(&self) -> u8 {
        self.street
    }

    /// What can be dealt again when the deck has run out, what was given away on this street only if
    /// there is nothing else.
    pub(crate) fn spare(&self) -> [CardSet; 2] {
        [self.muck, self.given]
    }

    /// Who has shown some cards and has more by now, from the first behind the button on.
    pub fn shows_again(&self) -> impl Iterator<Item = u8> {
        let (count, first, again) = (self.count, self.first, self.again);
        (0..count).map(move |i| (first + i) % count).filter(move |player| again >> player & 1 == 1)
    }
}
