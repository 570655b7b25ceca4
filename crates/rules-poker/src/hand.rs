//! One hand of poker: what is dealt, bet, shown and won.
//!
//! Players are numbered from 0 in the order of a hand history's columns. A [`Hand`] takes one
//! [`Action`] after the other, deals included, and refuses what does not fit; whoever deals and
//! whoever plays stands outside.

use crate::bets::Bets;
use crate::card::{CARDS, Card, CardSet, Cards};
use crate::pots::{Pots, Shares};
use crate::rank::Ranking;
use crate::variant::{Limit, Opening, RAISES, Street, Variant};
use parlor_rules::{Chips, Deck, rejects};
use serde::{Deserialize, Serialize};
use std::fmt;

pub use crate::action::{Action, Fault};

/// The most players a hand can have.
pub const PLAYERS: usize = 10;

/// How often a board can be dealt.
pub const RUNS: u8 = 3;

/// The highest number of a hand: what a client's floating numbers hold.
pub const HANDS: u64 = 1 << 53;

/// Players as a set of bits.
type Set = u16;

rejects! {
    /// Why a hand cannot begin.
    pub enum NoHand {
        /// Too few or too many.
        Players => "players", "a hand has 2 to 10 players, and two of them play";
        /// Lists that do not fit.
        Lengths => "lengths", "antes, blinds and stacks are lists as long as that of the players";
        /// Negative chips.
        Negative => "negative", "chips are not negative";
        /// Too few or too many boards.
        Runs => "runs", "a board is dealt once, twice or three times";
        /// Nothing to bet.
        NoBet => "no_bet", "the smallest bet and the bring-in are above 0, and the big bet is not below";
    }
}

/// What the house takes of a pot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rake {
    /// Of every pot so many hundredths of a percent.
    pub per_10_000: u32,
    /// At most so much of a hand.
    #[serde(default)]
    pub cap: Option<Chips>,
    /// Nothing of a hand that has seen no flop.
    #[serde(default)]
    pub no_flop_no_drop: bool,
}

impl Rake {
    /// The option that makes no sense, and what it needs.
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        if self.per_10_000 > 10_000 {
            return Some(("rake.per_10_000", "is at most 10000"));
        }
        let negative = self.cap.is_some_and(|cap| cap < Chips::ZERO);
        negative.then_some(("rake.cap", "is not negative"))
    }
}

/// Who of several winners of a pot gets the chips that cannot be divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OddChips {
    /// One each, from the first to act on.
    #[default]
    Each,
    /// The first to act gets all, as in files of other programs.
    First,
}

/// What a hand begins with; lists are in the order of players.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// What is played.
    pub variant: &'static Variant,
    /// Chips in front.
    pub stacks: &'a [Chips],
    /// What each posts before the cards.
    pub antes: &'a [Chips],
    /// Whether an ante that others cannot match is given back; otherwise it is in the pot for all.
    pub ante_trimming: bool,
    /// What each posts as a blind or straddle.
    pub blinds: &'a [Chips],
    /// Chips in the pot that are nobody's.
    pub dead: Chips,
    /// How large bets are.
    pub bets: Bets,
    /// Who acts first after the first round.
    pub first: u8,
    /// Who plays; bits of players.
    pub active: u16,
    /// How often the rest of the board is dealt once betting is over, as long as there are cards;
    /// each deal has its share of the pots.
    pub runs: u8,
    /// The smallest chip a pot is divided into.
    pub chip: Chips,
    /// What the house takes.
    pub rake: Option<Rake>,
}

/// What a player does in this hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Sits it out.
    Out,
    /// Is in it.
    In,
    /// Has folded, or mucked.
    Folded,
}

/// One player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Player {
    /// Whether the player is in it.
    pub status: Status,
    /// Chips in front.
    pub stack: Chips,
    /// Chips bet in this round.
    pub bet: Chips,
    /// Chips bet in earlier rounds.
    pub paid: Chips,
    /// The cards.
    pub hole: Cards,
    /// What the highest bet was when the player acted last, if there was no whole raise since;
    /// otherwise less than nothing.
    answered: Chips,
    /// How many had folded before, once the player has.
    pub(crate) folded: u8,
}

const UNANSWERED: Chips = Chips::from_ten_thousandths(-1);

impl Player {
    const NOBODY: Self = Self {
        status: Status::Out,
        stack: Chips::ZERO,
        bet: Chips::ZERO,
        paid: Chips::ZERO,
        hole: Cards::NONE,
        answered: UNANSWERED,
        folded: 0,
    };
}

/// What a hand waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Cards to a player.
    Hole {
        /// The player.
        player: u8,
        /// How many.
        cards: u8,
    },
    /// Cards to the board.
    Board {
        /// How many.
        cards: u8,
    },
    /// A player's decision.
    Act {
        /// The player.
        player: u8,
    },
    /// A player's bring-in, or the whole bet.
    BringIn {
        /// The player.
        player: u8,
    },
    /// What a player gives away.
    Draw {
        /// The player.
        player: u8,
    },
    /// A player's cards.
    Show {
        /// The player.
        player: u8,
    },
    /// Nothing.
    Over,
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hole { player, cards } => write!(f, "p{} gets cards, {cards}", player + 1),
            Self::Board { cards } => write!(f, "the board gets cards, {cards}"),
            Self::Act { player } => write!(f, "p{} is to act", player + 1),
            Self::BringIn { player } => write!(f, "p{} is to bring in", player + 1),
            Self::Draw { player } => write!(f, "p{} is to change cards", player + 1),
            Self::Show { player } => write!(f, "p{} is to show or muck", player + 1),
            Self::Over => f.write_str("nothing is left to do"),
        }
    }
}

/// What a player may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What it costs to call, or to bring in; nothing to check.
    pub call: Chips,
    /// The least and the most to raise to; none if there is no raise.
    pub raise: Option<(Chips, Chips)>,
}

/// A hand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hand {
    variant: &'static Variant,
    count: u8,
    players: [Player; PLAYERS],
    board: Cards,
    /// What is not known to be dealt.
    deck: Deck,
    /// What was folded, or given away on earlier streets.
    muck: CardSet,
    /// What was given away on this street.
    given: CardSet,
    /// How many cards were dealt.
    dealt: u8,
    /// How many cards of the board everyone has in place of one of their own.
    shared: u8,
    /// How many cards everyone has, and how many the board, when this street is dealt.
    hole_upto: u8,
    board_upto: u8,
    runs: u8,
    /// The boards of earlier runs.
    ran: [Cards; RUNS as usize - 1],
    /// The board and the street the runs begin with.
    run_from: (Cards, u8),
    dead: Chips,
    bets: Bets,
    chip: Chips,
    odd_chips: OddChips,
    rake: Option<Rake>,
    first: u8,
    street: u8,
    next: Next,
    /// Who is in it.
    live: Set,
    /// Who of them has chips left.
    able: Set,
    /// Who of them gets cards on this street.
    lacking: Set,
    /// Who of them has still to change cards.
    drawing: Set,
    /// Who has still to act in this round.
    waiting: Set,
    /// Whether betting is over for good.
    closed: bool,
    /// Who has still to show.
    hiding: Set,
    /// Who has shown.
    shown: Set,
    /// Who of them has got cards since.
    again: Set,
    /// Who was not asked, for there was nobody left to bet against: a check may be written down.
    spared: Set,
    folds: u8,
    /// The highest bet of this round.
    bet: Chips,
    /// The highest raise of this round.
    raise: Chips,
    /// How many bets and raises there were in it.
    raises: u8,
    /// Whether the bring-in has not been completed to a bet.
    incomplete: bool,
    /// Who bet or raised last in this round, or else began it: the first to show.
    aggressor: u8,
    raked: Chips,
}

/// Chips of a list of two or more.
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
    /// A hand with its antes and blinds posted, before the first card.
    pub fn new(setup: &Setup<'_>) -> Result<Self, NoHand> {
        let Setup { variant, stacks, antes, blinds, dead, bets, .. } = *setup;
        let count = stacks.len();
        let all = if count <= PLAYERS { ((1u32 << count) - 1) as Set } else { 0 };
        let active = setup.active & all;
        if active.count_ones() < 2 || usize::from(setup.first) >= count {
            return Err(NoHand::Players);
        }
        if antes.len() != count || blinds.len() != count {
            return Err(NoHand::Lengths);
        }
        let negative = |chips: &[Chips]| chips.iter().any(|chips| *chips < Chips::ZERO);
        if negative(stacks) || negative(antes) || negative(blinds) || dead < Chips::ZERO {
            return Err(NoHand::Negative);
        }
        let brings_in = variant.has_blinds() || bets.bring_in > Chips::ZERO;
        let right = bets.small > Chips::ZERO && bets.big >= bets.small && brings_in;
        if !(1..=RUNS).contains(&setup.runs) {
            return Err(NoHand::Runs);
        }
        if !right || setup.chip <= Chips::ZERO {
            return Err(NoHand::NoBet);
        }
        let mut hand = Self {
            variant,
            count: count as u8,
            players: [Player::NOBODY; PLAYERS],
            board: Cards::NONE,
            deck: variant.deck(),
            muck: CardSet::default(),
            given: CardSet::default(),
            dealt: 0,
            shared: 0,
            hole_upto: 0,
            board_upto: 0,
            runs: setup.runs,
            ran: [Cards::NONE; RUNS as usize - 1],
            run_from: (Cards::NONE, 0),
            dead,
            bets,
            chip: setup.chip,
            odd_chips: OddChips::Each,
            rake: setup.rake,
            first: setup.first,
            street: 0,
            next: Next::Over,
            live: active,
            able: 0,
            lacking: 0,
            drawing: 0,
            waiting: 0,
            closed: false,
            hiding: 0,
            shown: 0,
            again: 0,
            spared: 0,
            folds: 0,
            bet: Chips::ZERO,
            raise: Chips::ZERO,
            raises: 0,
            incomplete: false,
            aggressor: 0,
            raked: Chips::ZERO,
        };
        for (i, player) in hand.players[..count].iter_mut().enumerate() {
            player.stack = stacks[i];
            if active >> i & 1 == 1 {
                player.status = Status::In;
                player.bet = antes[i].min(player.stack);
                player.stack -= player.bet;
            }
        }
        if setup.ante_trimming {
            hand.collect();
        } else {
            for player in &mut hand.players {
                hand.dead += std::mem::replace(&mut player.bet, Chips::ZERO);
            }
        }
        for (i, player) in hand.players[..count].iter_mut().enumerate() {
            if player.status == Status::In {
                player.bet = blinds[i].min(player.stack);
                player.stack -= player.bet;
            }
        }
        hand.count_able();
        hand.begin_street(0);
        Ok(hand)
    }

    /// The same hand with another way to divide its pots.
    #[must_use]
    pub fn with_odd_chips(self, odd_chips: OddChips) -> Self {
        Self { odd_chips, ..self }
    }

    /// The players, in order.
    pub fn players(&self) -> &[Player] {
        &self.players[..usize::from(self.count)]
    }

    /// The board.
    pub fn board(&self) -> Cards {
        self.board
    }

    /// The boards of all runs so far, the current one last.
    pub fn boards(&self) -> impl Iterator<Item = Cards> {
        self.ran.into_iter().filter(|board| !board.is_empty()).chain([self.board])
    }

    /// What the hand waits for.
    pub fn next(&self) -> Next {
        self.next
    }

    /// What was taken by the house.
    pub fn raked(&self) -> Chips {
        self.raked
    }

    /// What is played.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// All chips of the pot and in front of it.
    pub fn pot(&self) -> Chips {
        self.dead + self.players().iter().map(|player| player.bet + player.paid).sum()
    }

    /// The cards that are not known to be dealt.
    pub(crate) fn deck(&self) -> Deck {
        self.deck
    }

    /// Whether a player has shown cards at the end of this hand.
    pub(crate) fn has_shown(&self, player: u8) -> bool {
        self.shown >> player & 1 == 1
    }

    /// Who has shown some cards and has more by now, from the first behind the button on.
    pub fn shows_again(&self) -> impl Iterator<Item = u8> {
        let (count, first, again) = (self.count, self.first, self.again);
        (0..count).map(move |i| (first + i) % count).filter(move |player| again >> player & 1 == 1)
    }

    /// Whether all cards of the deck were dealt, and some may have been dealt again.
    pub(crate) fn ran_out(&self) -> bool {
        self.dealt >= self.variant.cards()
    }

    /// The number of the street.
    pub(crate) fn street_number(&self) -> u8 {
        self.street
    }

    /// The same hand with cards made others, one for one, as somebody else may think of it.
    pub(crate) fn mapped(mut self, other: impl Fn(Card) -> Card) -> Self {
        let set = |cards: CardSet| -> CardSet {
            Card::all().filter(|card| cards.contains(*card)).map(&other).collect()
        };
        for player in &mut self.players {
            player.hole = player.hole.map(|card| Some(other(card)));
        }
        (self.muck, self.given) = (set(self.muck), set(self.given));
        let out = Card::all().filter(|card| !self.deck.contains(card.number())).map(&other);
        self.deck = Deck::new(u32::from(CARDS)).without(out.map(Card::number));
        self
    }

    /// The pots as they stand, without the bets of this round.
    pub fn pots(&self) -> Pots {
        Pots::new(self.players(), self.dead)
    }

    /// Whether betting is over for good: cards are shown, and the rest of the board is dealt.
    pub fn closed(&self) -> bool {
        self.closed
    }

    fn player(&self, player: u8) -> &Player {
        &self.players[usize::from(player)]
    }

    fn player_mut(&mut self, player: u8) -> &mut Player {
        &mut self.players[usize::from(player)]
    }

    /// The players for whom something holds.
    fn those(&self, holds: impl Fn(&Player) -> bool) -> Set {
        let bits = self.players().iter().enumerate();
        bits.fold(0, |set, (i, player)| set | Set::from(holds(player)) << i)
    }

    fn count_able(&mut self) {
        self.able = self.live & self.those(|player| player.stack > Chips::ZERO);
    }

    /// The first of some players from this one on, round the table.
    fn from(&self, start: u8, among: Set) -> Option<u8> {
        let at = among >> start;
        if at != 0 {
            return Some(start + at.trailing_zeros() as u8);
        }
        (among != 0).then(|| among.trailing_zeros() as u8)
    }

    fn after(&self, player: u8) -> u8 {
        if player + 1 == self.count { 0 } else { player + 1 }
    }

    fn street(&self) -> &'static Street {
        &self.variant.streets[usize::from(self.street)]
    }

    /// How many cards the board still lacks up to this street.
    fn board_due(&self) -> u8 {
        self.board_upto - self.board.len() as u8
    }

    /// How many cards a player still lacks up to this street.
    fn hole_due(&self, player: u8) -> u8 {
        self.hole_upto.saturating_sub(self.player(player).hole.len() as u8)
    }

    fn begin_street(&mut self, street: u8) {
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
    fn deal(&mut self) {
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
    fn open_row(&self, player: u8) -> impl Iterator<Item = Option<Card>> + '_ {
        let streets = self.variant.streets.iter();
        let open = streets.flat_map(|s| (0..s.hole).map(|i| i >= s.hole - s.up));
        let hole = self.player(player).hole.iter().zip(open);
        hole.filter(|(_, open)| *open).map(|(card, _)| card)
    }

    /// The open cards of a player.
    pub(crate) fn open_cards(&self, player: u8) -> CardSet {
        self.open_row(player).flatten().collect()
    }

    /// Who begins the round by the open cards. Of equal hands it is the first behind the button.
    fn opener(&self, ranking: Ranking) -> u8 {
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

    /// Whether a player may begin the round whose open cards nobody has written down.
    fn may_open(&self, player: u8) -> bool {
        let begins = matches!(self.next, Next::Act { .. } | Next::BringIn { .. })
            && self.waiting == self.able
            && self.waiting >> player & 1 == 1;
        begins && self.open_row(player).any(|card| card.is_none())
    }

    fn begin_betting(&mut self) {
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
    fn go_on(&mut self, from: u8) {
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

    fn end_betting(&mut self) {
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
    fn collect(&mut self) {
        let matched = second_highest(self.players().iter().map(|player| player.bet));
        for player in &mut self.players[..usize::from(self.count)] {
            player.stack += (player.bet - matched).max(Chips::ZERO);
            player.paid += player.bet.min(matched);
            player.bet = Chips::ZERO;
        }
        self.bet = Chips::ZERO;
        self.count_able();
    }

    /// Whether cards are still to come.
    pub(crate) fn more_to_come(&self) -> bool {
        usize::from(self.street) + 1 < self.variant.streets.len()
    }

    /// The next to show, the rest of the cards, or the end.
    fn show_on(&mut self) {
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
    fn may_run_ahead(&self) -> bool {
        matches!(self.next, Next::Show { .. }) && self.more_to_come()
    }

    /// Takes cards of the next street while somebody has still to show.
    #[cold]
    fn act_ahead(&mut self, action: &Action) -> Result<(), Fault> {
        let mut ahead = *self;
        ahead.begin_street(self.street + 1);
        ahead.act(action)?;
        *self = ahead;
        Ok(())
    }

    fn finish(&mut self) {
        self.next = Next::Over;
        let mut pots = self.pots();
        if let Some(rake) = self.rake
            && !(rake.no_flop_no_drop && self.street == 0)
        {
            self.raked = pots.rake(&rake, self.chip);
        }
        let shares = Shares { chip: self.chip, odd_chips: self.odd_chips, first: self.first };
        let mut boards = [CardSet::default(); RUNS as usize];
        let runs =
            boards.iter_mut().zip(self.boards()).map(|(set, board)| *set = board.set()).count();
        let won = pots.winnings(self.players(), &boards[..runs], self.variant.rankings, shares);
        for (player, won) in self.players.iter_mut().zip(won) {
            player.stack += won;
            player.paid = Chips::ZERO;
        }
        self.dead = Chips::ZERO;
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
    fn whole_raise(&self) -> Chips {
        if self.incomplete { self.size() - self.bet } else { self.raise.max(self.size()) }
    }

    /// Whether so much more lets those raise who have acted: a whole raise, of fixed limit half one.
    fn reopens(&self, more: Chips) -> bool {
        let counted = if self.variant.limit == Limit::Fixed { more + more } else { more };
        counted >= self.whole_raise()
    }

    /// The least and the most a player may raise to.
    fn raises_to(&self, player: u8) -> (Chips, Chips) {
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

    fn may_raise(&self, player: u8) -> Result<(), Fault> {
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

    /// What can be dealt again when the deck has run out, what was given away on this street only if
    /// there is nothing else.
    pub(crate) fn spare(&self) -> [CardSet; 2] {
        [self.muck, self.given]
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

    fn take_out(&mut self, cards: &Cards) {
        for card in cards.known() {
            self.deck.remove(card.number());
            self.muck.remove(card);
            self.given.remove(card);
        }
    }

    fn fold(&mut self, player: u8) {
        self.folds += 1;
        let folded = self.folds;
        self.live &= !(1 << player);
        self.able &= !(1 << player);
        let me = self.player_mut(player);
        (me.status, me.folded) = (Status::Folded, folded);
        self.muck = self.muck.union(self.player(player).hole.set());
    }

    /// The player has answered the highest bet; the turn goes on.
    fn answer(&mut self, player: u8) {
        let bet = self.bet;
        self.player_mut(player).answered = bet;
        self.waiting &= !(1 << player);
        self.go_on(self.after(player));
    }

    /// Takes an action, or refuses it and stays as it is.
    pub fn act(&mut self, action: &Action) -> Result<(), Fault> {
        if matches!(action, Action::Hole { .. } | Action::Board { .. }) && self.may_run_ahead() {
            return self.act_ahead(action);
        }
        self.verify(action)?;
        if !matches!(action, Action::Call { .. }) {
            self.spared = 0;
        }
        match *action {
            Action::Hole { player, cards } => {
                self.player_mut(player).hole.extend(&cards);
                self.lacking &= !(Set::from(self.hole_due(player) == 0) << player);
                self.again |= self.shown & 1 << player;
                self.dealt += cards.len() as u8;
                self.take_out(&cards);
                self.deal();
            }
            Action::Board { cards } => {
                self.board.extend(&cards);
                self.dealt += cards.len() as u8;
                self.take_out(&cards);
                self.deal();
            }
            Action::Discard { player, cards } => {
                for card in cards.iter() {
                    self.player_mut(player).hole.remove(card);
                }
                self.take_out(&cards);
                self.given = self.given.union(cards.set());
                self.drawing &= !(1 << player);
                self.lacking |= Set::from(!cards.is_empty()) << player;
                self.deal();
            }
            Action::Fold { player } => {
                self.fold(player);
                self.answer(player);
            }
            Action::Call { player } if self.spared == 1 << player => self.spared = 0,
            Action::Call { player } => {
                self.pay(player, self.bet);
                self.answer(player);
            }
            Action::BringIn { player } => {
                self.pay(player, self.bets.bring_in);
                self.bet = self.player(player).bet;
                self.answer(player);
            }
            Action::Raise { player, to } => {
                if self.reopens(to - self.bet) {
                    for player in &mut self.players[..usize::from(self.count)] {
                        player.answered = UNANSWERED;
                    }
                }
                self.raise = self.raise.max(if self.incomplete { to } else { to - self.bet });
                self.raises += 1;
                self.incomplete = false;
                self.pay(player, to);
                self.bet = to;
                self.aggressor = player;
                self.waiting = self.able;
                self.answer(player);
            }
            Action::Show { player, cards } => {
                self.hiding &= !(1 << player);
                match cards {
                    Some(cards) if cards.all_known() => {
                        self.shown |= 1 << player;
                        self.again &= !(1 << player);
                        self.take_out(&cards);
                        if !cards.is_empty() {
                            self.player_mut(player).hole = cards;
                        }
                    }
                    Some(_) => {}
                    None if self.next == Next::Over => self.again &= !(1 << player),
                    None => self.fold(player),
                }
                if self.next != Next::Over {
                    self.show_on();
                }
            }
        }
        Ok(())
    }

    /// Brings a player's bet up to this, or as far as the chips reach.
    fn pay(&mut self, player: u8, to: Chips) {
        let me = self.player_mut(player);
        let paid = (to - me.bet).min(me.stack);
        me.stack -= paid;
        me.bet += paid;
        if me.stack == Chips::ZERO {
            self.able &= !(1 << player);
        }
    }
}
