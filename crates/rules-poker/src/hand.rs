//! One hand of poker: what is dealt, bet, shown and won.
//!
//! Players are numbered from 0 in the order of a hand history's columns. A [`Hand`] takes one
//! [`Action`] after the other, deals included, and refuses what does not fit; whoever deals and
//! whoever plays stands outside.

mod betting;
mod streets;
mod verify;

use crate::bets::Bets;
use crate::card::{CARDS, Card, CardSet, Cards};
use crate::pots::{Pots, Shares};
use crate::variant::Variant;
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

impl Next {
    /// What is done for a player who is waited for and does nothing: a fold, but nobody folds before
    /// the bring-in, all cards are kept, and none are shown. None if no player is waited for.
    pub fn without_a_word(self) -> Option<Action> {
        Some(match self {
            Self::Act { player } => Action::Fold { player },
            Self::BringIn { player } => Action::BringIn { player },
            Self::Draw { player } => Action::Discard { player, cards: Cards::NONE },
            Self::Show { player } => Action::Show { player, cards: None },
            Self::Hole { .. } | Self::Board { .. } | Self::Over => return None,
        })
    }
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
}
