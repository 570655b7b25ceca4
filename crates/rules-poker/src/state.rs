//! A table as it stands.

use crate::card::{CardSet, Cards};
use crate::command::Pre;
use crate::config::{Config, Lasts};
use crate::event::{Begun, Event};
use crate::hand::{Action, Hand, Next, PLAYERS, Setup, Status};
use crate::notation::Line;
use crate::seats::{self, Column, Following, Intent, NoNext};
use parlor_rules::{Chips, Seat, Viewer, limits};
use serde::{Deserialize, Serialize};

/// All there is to know.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub(crate) config: Config,
    pub(crate) seats: u8,
    pub(crate) phase: Phase,
    /// The number of the last hand; 0 before the first.
    pub(crate) number: u64,
    /// The players in a row. While a hand is in play, those who came later stand behind.
    pub(crate) row: Vec<Place>,
    /// The last hand, also when it is over.
    pub(crate) hand: Option<Hand>,
    /// What each player of the last hand had when it began.
    pub(crate) started: Vec<Chips>,
    /// What happened in the last hand.
    pub(crate) log: Vec<Line>,
    /// Whether the chips of the last hand are where they belong.
    pub(crate) settled: bool,
    /// Who had the button last.
    pub(crate) button: Option<Seat>,
    /// Which variant the last hand was, by its place in the options.
    pub(crate) variant: usize,
    /// How many hands of it were played.
    pub(crate) lasted: u64,
    /// Whether nobody has posted a blind in the last hand, and the first round was passed over.
    pub(crate) bomb: bool,
    /// The rest of the board, as it would have been.
    pub(crate) rabbit: Option<Cards>,
    /// When something happened last; none where nobody tells the time.
    pub(crate) at_ms: Option<u64>,
}

/// Whether hands are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not yet.
    Fresh,
    /// Yes.
    Open,
    /// No more.
    Closed,
}

/// A player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Place {
    /// Chips are those the player has outside of the hand in play: what the hand brings is added
    /// when it is over.
    pub(crate) column: Column,
    /// Turns missed in a row.
    pub(crate) missed: u8,
    /// What is done as soon as the turn comes.
    pub(crate) pre: Option<Pre>,
    /// Since when the player pauses; none where nobody tells the time.
    pub(crate) since_ms: Option<u64>,
}

impl Place {
    pub(crate) fn new(column: Column) -> Self {
        Self { column, missed: 0, pre: None, since_ms: None }
    }
}

impl State {
    pub(crate) fn fresh(config: Config, seats: u8) -> Self {
        Self {
            config,
            seats,
            phase: Phase::Fresh,
            number: 0,
            row: Vec::new(),
            hand: None,
            started: Vec::new(),
            log: Vec::new(),
            settled: true,
            button: None,
            variant: 0,
            lasted: 0,
            bomb: false,
            rabbit: None,
            at_ms: None,
        }
    }

    /// What the next hand is, by its place in the options.
    fn next_variant(&self) -> usize {
        let hands = match self.config.variant_lasts {
            Lasts::Hand => 1,
            Lasts::Orbit => self.row.len() as u64,
        };
        let over = self.lasted >= hands.max(1);
        (self.variant + usize::from(over)) % self.config.variants.len()
    }

    /// The place of a seat in the row.
    pub(crate) fn place_of(&self, seat: Seat) -> Option<usize> {
        self.row.iter().position(|place| place.column.seat == seat)
    }

    pub(crate) fn place(&self, seat: Seat) -> Option<&Place> {
        self.row.iter().find(|place| place.column.seat == seat)
    }

    fn place_mut(&mut self, seat: Seat) -> Option<&mut Place> {
        self.row.iter_mut().find(|place| place.column.seat == seat)
    }

    /// The hand in play.
    pub(crate) fn playing(&self) -> Option<&Hand> {
        self.hand.as_ref().filter(|hand| hand.next() != Next::Over)
    }

    /// Whether a seat is in the hand in play.
    pub(crate) fn is_in(&self, seat: Seat) -> bool {
        let Some((hand, place)) = self.playing().zip(self.place_of(seat)) else { return false };
        hand.players().get(place).is_some_and(|player| player.status == Status::In)
    }

    /// Whether a seat's chips are being played for.
    pub(crate) fn is_bound(&self, seat: Seat) -> bool {
        let Some((hand, place)) = self.playing().zip(self.place_of(seat)) else { return false };
        hand.players().get(place).is_some_and(|player| player.status != Status::Out)
    }

    /// The seat whose decision is waited for.
    pub(crate) fn actor(&self) -> Option<Seat> {
        match self.playing()?.next() {
            Next::Act { player } | Next::BringIn { player } | Next::Draw { player } => {
                Some(self.row[usize::from(player)].column.seat)
            }
            _ => None,
        }
    }

    /// What the next hand begins with, if there can be one.
    pub(crate) fn following(&self) -> Result<Begun, NoNext> {
        let columns: Vec<Column> = self.row.iter().map(|place| place.column).collect();
        let variant = self.config.variants[self.next_variant()];
        let levels = self.config.levels(variant);
        let hand = self.number + 1;
        let every = u64::from(self.config.bomb_every);
        let bomb = variant.has_blinds() && every > 0 && hand.is_multiple_of(every);
        let laid = columns.iter().any(|column| column.blind > Chips::ZERO);
        let mut following = match self.button {
            button if bomb || !variant.has_blinds() => seats::without_blinds(&columns, button)?,
            Some(button) if laid => {
                match seats::next(&columns, button, &levels, self.config.small_blind_at) {
                    Err(NoNext::NoBlinds) => seats::first(&columns, &levels)?,
                    found => found?,
                }
            }
            Some(button) => seats::resume(&columns, button, &levels)?,
            None => seats::first(&columns, &levels)?,
        };
        let ante = if bomb { self.config.bomb_ante } else { self.config.ante_of(variant) };
        for column in &mut following.columns {
            column.ante = ante;
        }
        let Following { columns: row, button, .. } = following;
        Ok(Begun { hand, row, variant, button, bomb })
    }

    /// Whether time brings something while no hand is in play: a hand, or the end of a stay.
    pub(crate) fn is_due(&self) -> bool {
        if self.phase != Phase::Open || self.playing().is_some() {
            return false;
        }
        let columns = || self.row.iter().map(|place| &place.column);
        // Where everybody wants to play there is no need to work out how.
        let all = self.row.len() > 1 && columns().all(|column| column.wants());
        columns().any(|column| column.gone()) || all || self.following().is_ok()
    }

    /// Who has paused longest, and when the pause has been too long, counted from now.
    pub(crate) fn pauses(&self) -> Option<(Seat, u64, u64)> {
        let since = |place: &Place| Some((place.since_ms?, place.column.seat));
        let (since_ms, seat) = self.row.iter().filter_map(since).min()?;
        let until = since_ms.saturating_add(self.config.max_pause_s.saturating_mul(1_000));
        Some((seat, since_ms, until.saturating_sub(self.at_ms?)))
    }

    /// What time it was when something happened.
    pub(crate) fn stamp(&mut self, at_ms: u64) {
        self.at_ms = Some(at_ms);
        for place in &mut self.row {
            place.since_ms = place.since_ms.or(Some(at_ms)).filter(|_| place.column.pauses());
        }
    }

    /// A hand with this row, as it begins, and who has the button.
    pub(crate) fn begin(config: &Config, begun: &Begun) -> Option<(Hand, Seat)> {
        let Begun { ref row, variant, button, .. } = *begun;
        let posts = match button {
            Some(button) => seats::no_posts(row, button)?,
            None => seats::posts(row, variant.button_blind)?,
        };
        if row.len() > PLAYERS {
            return None;
        }
        let mut stacks = [Chips::ZERO; PLAYERS];
        let mut antes = [Chips::ZERO; PLAYERS];
        for (i, column) in row.iter().enumerate() {
            (stacks[i], antes[i]) = (column.stack, column.ante);
        }
        let setup = Setup {
            variant,
            stacks: &stacks[..row.len()],
            antes: &antes[..row.len()],
            ante_trimming: true,
            blinds: &posts.blinds,
            dead: row.iter().map(|column| column.dead).sum(),
            bets: config.bets_of(variant),
            first: posts.first,
            active: posts.active,
            runs: config.runs,
            chip: config.chip,
            rake: config.rake,
        };
        let button = row[usize::from(posts.button)].seat;
        let hand = Hand::new(&setup).ok()?.with_odd_chips(config.odd_chips);
        Some((hand, button))
    }

    /// Which cards of the player at this place a viewer may see: the own, the open and the shown.
    pub(crate) fn shows(&self, viewer: Viewer, place: usize) -> CardSet {
        let own = self.row.get(place).map(|place| Viewer::Seat(place.column.seat));
        if own == Some(viewer) {
            return CardSet::ALL;
        }
        let open = self.hand.as_ref().filter(|hand| place < hand.players().len());
        let open = open.map_or(CardSet::default(), |hand| hand.open_cards(place as u8));
        self.log.iter().fold(open, |shown, line| match line.action {
            Action::Show { player, cards: Some(cards) } if usize::from(player) == place => {
                shown.union(cards.set())
            }
            _ => shown,
        })
    }

    /// What the cards of the player at this place are, for who may see them all: with two ways to
    /// win, both.
    pub(crate) fn label(&self, viewer: Viewer, place: usize) -> Option<String> {
        let hand = self.hand.as_ref().filter(|_| self.config.labels)?;
        let hole = hand.players().get(place)?.hole;
        let known = hole.only(self.shows(viewer, place));
        if hole.is_empty() || !known.all_known() {
            return None;
        }
        let board = hand.board().set();
        let rankings = hand.variant().rankings.iter();
        let strengths = rankings.filter_map(|ranking| ranking.strength(known.set(), board));
        let words: Vec<String> = strengths.map(|strength| strength.to_string()).collect();
        Some(words.join("; ")).filter(|words| !words.is_empty())
    }

    /// The cards of the last hand of which a viewer knows where they are. When the deck has run out
    /// what one has given away may be anybody's.
    pub(crate) fn seen(&self, viewer: Viewer) -> CardSet {
        let own = match viewer {
            Viewer::Seat(seat) => self.place_of(seat),
            Viewer::Watcher => None,
        };
        let is_own = |player: u8| own == Some(usize::from(player));
        let ran_out = self.hand.is_some_and(|hand| hand.ran_out());
        let (mut others, mut mine) = (CardSet::default(), CardSet::default());
        for line in &self.log {
            match line.action {
                Action::Board { cards } => others = others.union(cards.set()),
                Action::Hole { player, cards } if is_own(player) => mine = mine.union(cards.set()),
                Action::Hole { player, cards } => {
                    let shown = self.shows(viewer, usize::from(player));
                    others = others.union(cards.set().among(shown));
                }
                Action::Discard { player, cards } if is_own(player) && ran_out => {
                    mine = mine.minus(cards.set());
                }
                _ => {}
            }
        }
        let rabbit = self.rabbit.map_or(CardSet::default(), |cards| cards.set());
        others.union(mine).union(rabbit)
    }

    /// All chips on the table.
    pub(crate) fn stake(&self) -> Chips {
        self.row.iter().map(|place| self.chips(place)).sum()
    }

    /// How many chips may still come to the table.
    pub(crate) fn room(&self) -> Chips {
        Chips::whole(limits::CHIPS) - self.stake()
    }

    /// What a player would take along if the hand in play were void.
    pub(crate) fn chips(&self, place: &Place) -> Chips {
        let dead = if self.settled { Chips::ZERO } else { place.column.dead };
        place.column.stack + dead
    }

    /// Makes a fact part of the state.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::Begun {} => self.phase = Phase::Open,
            Event::Joined { seat, chips } => {
                if self.place_of(*seat).is_none() {
                    let column = Column {
                        seat: *seat,
                        stack: *chips,
                        ante: self.config.ante_of(self.config.variants[self.variant]),
                        blind: Chips::ZERO,
                        intent: Intent::Play,
                        inactive: true,
                        debt: Chips::ZERO,
                        dead: Chips::ZERO,
                        short: false,
                    };
                    self.row.push(Place::new(column));
                }
            }
            Event::Topped { seat, chips } => {
                if let Some(place) = self.place_mut(*seat) {
                    place.column.stack += *chips;
                    // Who was out for lack of chips is in again.
                    if std::mem::take(&mut place.column.short) {
                        place.column.intent = Intent::Play;
                    }
                }
            }
            Event::Wished { seat, intent } => {
                if let Some(place) = self.place_mut(*seat) {
                    place.column.intent = *intent;
                    place.missed = 0;
                    place.pre = None;
                    place.column.inactive |= *intent == Intent::Leave;
                }
            }
            Event::Prepared { seat, pre } => {
                if let Some(place) = self.place_mut(*seat) {
                    place.pre = *pre;
                }
            }
            Event::Missed { seat, turns } => {
                if let Some(place) = self.place_mut(*seat) {
                    place.missed = *turns;
                }
            }
            Event::Left { seat, .. } => self.leave(*seat),
            Event::HandBegun(begun) => self.begin_hand(begun),
            Event::Rabbit { cards } => self.rabbit = Some(*cards),
            Event::Act { act } => self.act(act),
            Event::HandEnded { stacks, .. } => {
                for ((place, stack), started) in self.row.iter_mut().zip(stacks).zip(&self.started)
                {
                    place.column.stack += *stack - *started;
                    place.pre = None;
                }
                self.settled = true;
            }
            Event::Closed {} => {
                self.phase = Phase::Closed;
                self.row.clear();
                self.hand = None;
                self.started.clear();
                self.log.clear();
                self.settled = true;
                self.button = None;
                (self.bomb, self.rabbit) = (false, None);
            }
        }
    }

    /// Somebody is gone. What is known of the last hand goes along: its row is another now.
    fn leave(&mut self, seat: Seat) {
        if let Some(gone) = self.place_of(seat) {
            let gone = self.row.remove(gone);
            if gone.column.blind > Chips::ZERO {
                // Where the blinds stood is not known any more; the next hand lays them anew.
                self.row.iter_mut().for_each(|place| place.column.blind = Chips::ZERO);
                self.button = None;
            }
            self.hand = None;
            self.started.clear();
            self.log.clear();
            (self.bomb, self.rabbit) = (false, None);
        }
    }

    fn begin_hand(&mut self, begun: &Begun) {
        let Some((hand, button)) = Self::begin(&self.config, begun) else { return };
        let Begun { hand: number, ref row, variant, bomb, .. } = *begun;
        // No variant follows itself.
        let count = self.config.variants.len();
        if self.config.variants[self.variant] != variant {
            (self.variant, self.lasted) = ((self.variant + 1) % count, 0);
        }
        self.lasted += u64::from(count > 1);
        // What is known of a player beside the column goes on.
        let mut known = [(None, 0, None); PLAYERS];
        for (known, old) in known.iter_mut().zip(&self.row) {
            *known = (Some(old.column.seat), old.missed, old.since_ms);
        }
        let place = |column: &Column| {
            let old = known.iter().find(|(seat, ..)| *seat == Some(column.seat));
            let (missed, since_ms) = old.map_or((0, None), |(_, missed, since)| (*missed, *since));
            Place { missed, since_ms, ..Place::new(*column) }
        };
        self.row.clear();
        self.row.extend(row.iter().map(place));
        self.button = Some(button);
        self.started.clear();
        self.started.extend(row.iter().map(|column| column.stack));
        self.log.clear();
        (self.number, self.hand, self.settled) = (number, Some(hand), false);
        (self.bomb, self.rabbit) = (bomb, None);
    }

    fn act(&mut self, line: &Line) {
        let Some(hand) = &mut self.hand else { return };
        let street = hand.street_number();
        if hand.act(&line.action).is_err() {
            return;
        }
        let spent = spent(street, hand, &line.action);
        for (i, place) in self.row.iter_mut().enumerate() {
            place.pre = place.pre.filter(|_| spent >> i & 1 == 0);
        }
        self.log.push(line.clone());
        for place in &mut self.row {
            place.column.inactive |= matches!(place.column.intent, Intent::Wait | Intent::Pause);
        }
        let place = line.action.author().and_then(|player| self.row.get_mut(usize::from(player)));
        if let Some(place) = place.filter(|_| !matches!(line.action, Action::Show { .. })) {
            place.missed = 0;
        }
    }
}

/// For whom what was said beforehand is spent by an action on this street, a bit a player: it is for one decision
/// about a bet, and for one round.
pub(crate) fn spent(street: u8, after: &Hand, action: &Action) -> u16 {
    match *action {
        _ if street != after.street_number() => u16::MAX,
        Action::Fold { player } | Action::Call { player } | Action::Raise { player, .. } => {
            1 << player
        }
        _ => 0,
    }
}
