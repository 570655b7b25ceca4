//! A round of betting: whose turn it is, what may be bet, and where bets go.

use super::{Hand, Next, Options, UNANSWERED};
use crate::action::Fault;
use crate::rank::Ranking;
use crate::variant::{Limit, Opening, RAISES};
use parlor_rules::Chips;

/// The second of a list of chips, the highest first.
fn second_highest(chips: impl Iterator<Item = Chips>) -> Chips {
    let (mut first, mut second) = (Chips::ZERO, Chips::ZERO);
    for chips in chips {
        if chips > first {
            (first, second) = (chips, first);
        } else if chips > second {
            second = chips;
        }
    }
    second
}

impl Hand {
    pub(super) fn begin_betting(&mut self) {
        let count = usize::from(self.count);
        // Of equal bets the one that was posted last counts, wherever the row begins.
        let order = (0..count).map(|i| (usize::from(self.first) + i) % count);
        let bets = order.map(|i| (i, self.players[i].bet));
        let (highest, bet) = bets.max_by_key(|(_, bet)| *bet).unwrap_or_default();
        self.bet = bet;
        (self.raise, self.raises) = (Chips::ZERO, 0);
        for player in &mut self.players[..count] {
            player.answered = UNANSWERED;
        }
        let opener = match self.variant.opening {
            Opening::Position if bet > Chips::ZERO => self.after(highest as u8),
            Opening::Position => self.first,
            Opening::HighHand => self.opener(Ranking::High),
            Opening::LowHand => self.opener(Ranking::AceToFive),
        };
        self.incomplete = self.street == 0 && !self.variant.has_blinds();
        self.waiting = self.able;
        self.aggressor = self.from(opener, self.live).unwrap_or(opener);
        self.go_on(opener);
        if let (Next::Act { player }, true) = (self.next, self.incomplete) {
            self.next = Next::BringIn { player };
        }
    }

    /// The next to act from this player on, or the end of the round.
    pub(super) fn go_on(&mut self, from: u8) {
        if self.live.is_power_of_two() {
            self.collect();
            return self.finish();
        }
        match self.from(from, self.waiting) {
            // Who alone has chips left answers a bet, and has nobody to bet against.
            Some(player) if self.able != 1 << player || self.player(player).bet < self.bet => {
                self.next = Next::Act { player };
            }
            spared => {
                self.spared = spared.map_or(0, |player| 1 << player);
                self.end_betting();
            }
        }
    }

    pub(super) fn end_betting(&mut self) {
        self.collect();
        let coming = &self.variant.streets[usize::from(self.street) + 1..];
        let draws = coming.iter().any(|street| street.draw);
        if coming.is_empty() || (self.able.count_ones() <= 1 && !draws) {
            (self.closed, self.hiding) = (true, self.live);
            self.run_from = (self.board, self.street);
            self.show_on();
        } else {
            self.begin_street(self.street + 1);
        }
    }

    /// Bets go to the pot; what nobody else matched goes back.
    pub(super) fn collect(&mut self) {
        let matched = second_highest(self.players().iter().map(|player| player.bet));
        for player in &mut self.players[..usize::from(self.count)] {
            player.stack += (player.bet - matched).max(Chips::ZERO);
            player.paid += player.bet.min(matched);
            player.bet = Chips::ZERO;
        }
        self.bet = Chips::ZERO;
        self.count_able();
    }

    /// What the player whose turn it is may do.
    pub fn options(&self) -> Option<Options> {
        let (player, call) = match self.next {
            Next::Act { player } => (player, self.bet - self.player(player).bet),
            Next::BringIn { player } => (player, self.bets.bring_in),
            _ => return None,
        };
        let call = call.min(self.player(player).stack);
        let raise = self.may_raise(player).is_ok().then(|| self.raises_to(player));
        Some(Options { call, raise })
    }

    /// The size of a bet.
    fn size(&self) -> Chips {
        if self.street().big && self.variant.limit == Limit::Fixed {
            self.bets.big
        } else {
            self.bets.small
        }
    }

    /// A raise that counts as one.
    pub(super) fn whole_raise(&self) -> Chips {
        if self.incomplete { self.size() - self.bet } else { self.raise.max(self.size()) }
    }

    /// Whether so much more lets those raise who have acted: a whole raise, of fixed limit half one.
    pub(super) fn reopens(&self, more: Chips) -> bool {
        let counted = if self.variant.limit == Limit::Fixed { more + more } else { more };
        counted >= self.whole_raise()
    }

    /// The least and the most a player may raise to.
    pub(super) fn raises_to(&self, player: u8) -> (Chips, Chips) {
        let me = self.player(player);
        let all = me.stack + me.bet;
        let least = (self.bet + self.whole_raise()).min(all);
        let most = match self.variant.limit {
            Limit::No => all,
            Limit::Pot => (self.bet + self.pot() + self.bet - me.bet).clamp(least, all),
            Limit::Fixed => least,
        };
        (least, most)
    }

    pub(super) fn may_raise(&self, player: u8) -> Result<(), Fault> {
        let me = self.player(player);
        if me.stack + me.bet <= self.bet {
            return Err(Fault::TooShort);
        }
        if self.variant.limit == Limit::Fixed && self.raises >= RAISES {
            return Err(Fault::Capped);
        }
        let others = self.able & !(1 << player);
        let could_call = |i: usize| {
            others >> i & 1 == 1 && self.players[i].stack + self.players[i].bet > self.bet
        };
        if !(0..usize::from(self.count)).any(could_call) {
            return Err(Fault::NobodyToRaise);
        }
        // Since this player has acted there were only raises that do not count as one.
        if me.answered != UNANSWERED && !self.reopens(self.bet - me.answered) {
            return Err(Fault::NotReopened);
        }
        Ok(())
    }

    /// The player has answered the highest bet; the turn goes on.
    pub(super) fn answer(&mut self, player: u8) {
        let bet = self.bet;
        self.player_mut(player).answered = bet;
        self.waiting &= !(1 << player);
        self.go_on(self.after(player));
    }

    /// Brings a player's bet up to this, or as far as the chips reach.
    pub(super) fn pay(&mut self, player: u8, to: Chips) {
        let me = self.player_mut(player);
        let paid = (to - me.bet).min(me.stack);
        me.stack -= paid;
        me.bet += paid;
        if me.stack == Chips::ZERO {
            self.able &= !(1 << player);
        }
    }
}
