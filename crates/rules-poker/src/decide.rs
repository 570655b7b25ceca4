//! What follows from an input.

use crate::card::{Card, Cards};
use crate::command::{Command, Pre};
use crate::config::OnTimeout;
use crate::event::Event;
use crate::hand::{Action, Hand, Next, Status};
use crate::reject::Reject;
use crate::seats::Intent;
use crate::state::{Phase, Place, State, spent};
use parlor_rules::{Chips, Draws, House, Input, Owner, Seat, Viewer};

/// See [`parlor_rules::Rules::decide`].
pub(crate) fn decide(
    state: &State,
    input: &Input<Command>,
    draws: &mut Draws<'_>,
) -> Result<Vec<Event>, Reject> {
    match state.phase {
        Phase::Closed => return Err(Reject::Closed),
        Phase::Fresh => match input {
            Input::House(House::Begin {}) => return Ok(vec![Event::Begun {}]),
            Input::House(House::Close {}) => return Ok(vec![Event::Closed {}]),
            _ => return Err(Reject::NotBegun),
        },
        Phase::Open => {}
    }
    match *input {
        Input::Play { seat, command } => play(state, seat, command, draws),
        Input::Expire { seat: Owner::Seat(seat) } => timeout(state, seat, draws),
        Input::Expire { seat: Owner::Table } => match state.pauses() {
            // Nobody keeps a chair for ever.
            Some((seat, ..)) if !state.is_due() => wish(state, seat, Intent::Leave, draws),
            _ => go_on(state, draws),
        },
        Input::House(house) => said(state, house, draws),
    }
}

fn said(state: &State, house: House, draws: &mut Draws<'_>) -> Result<Vec<Event>, Reject> {
    match house {
        House::Begin {} => Err(Reject::Begun),
        House::Close {} => Ok(vec![Event::Closed {}]),
        House::Joined { seat, chips } => {
            let (least, most) = (state.config.min_buy_in, state.config.max_buy_in);
            match state.place(seat) {
                Some(_) => Err(Reject::Taken),
                None if chips < least => Err(Reject::TooFewChips { least }),
                None if chips > most => Err(Reject::TooManyChips { most }),
                None if chips > state.room() => Err(Reject::TooManyChips { most: state.room() }),
                None => Ok(vec![Event::Joined { seat, chips }]),
            }
        }
        House::Topped { seat, chips } => {
            let place = state.place(seat).ok_or(Reject::Empty)?;
            let most = state.config.max_buy_in;
            if state.is_bound(seat) {
                return Err(Reject::HandInPlay);
            }
            if chips <= Chips::ZERO {
                return Err(Reject::TooFewChips { least: Chips::from_ten_thousandths(1) });
            }
            if place.column.stack + chips > most {
                return Err(Reject::TooManyChips { most });
            }
            if chips > state.room() {
                return Err(Reject::TooManyChips { most: place.column.stack + state.room() });
            }
            if place.column.intent == Intent::Leave && !place.column.short {
                return Err(Reject::Leaving);
            }
            Ok(vec![Event::Topped { seat, chips }])
        }
        House::Left { seat } => wish(state, seat, Intent::Leave, draws),
    }
}

fn play(
    state: &State,
    seat: Seat,
    command: Command,
    draws: &mut Draws<'_>,
) -> Result<Vec<Event>, Reject> {
    match command {
        Command::Intent { intent } => return wish(state, seat, intent, draws),
        Command::Pre { pre } => return prepare(state, seat, pre),
        Command::Show { cards } => return show(state, seat, cards),
        Command::Rabbit {} => return rabbit(state, seat, draws),
        Command::Fold {}
        | Command::Check {}
        | Command::Call {}
        | Command::Raise { .. }
        | Command::BringIn {}
        | Command::Discard { .. } => {}
    }
    if !state.is_in(seat) {
        return Err(Reject::NotInHand);
    }
    let hand =
        state.playing().filter(|_| state.actor() == Some(seat)).ok_or(Reject::NotYourTurn)?;
    let player = state.place_of(seat).ok_or(Reject::NotInHand)? as u8;
    let to_call = match hand.next() {
        Next::Act { .. } => hand.options().map(|options| options.call),
        Next::Draw { .. } if matches!(command, Command::Check {} | Command::Call {}) => {
            return Err(Reject::DrawFirst);
        }
        _ => None,
    };
    let action = match command {
        Command::Check {} => match to_call {
            Some(call) if call > Chips::ZERO => return Err(Reject::CannotCheck { call }),
            _ => Action::Call { player },
        },
        Command::Call {} if to_call == Some(Chips::ZERO) => return Err(Reject::NothingToCall),
        Command::Raise { to } => Action::Raise { player, to },
        Command::Fold {} => Action::Fold { player },
        Command::BringIn {} => Action::BringIn { player },
        Command::Discard { cards } if !cards.all_known() => return Err(Reject::WrongCards),
        Command::Discard { cards } => Action::Discard { player, cards },
        _ => Action::Call { player },
    };
    let mut course = Course::new(state, hand, draws);
    course.act(action)?;
    course.run()
}

/// The player at a seat, in a hand that is over.
fn after_hand(state: &State, seat: Seat) -> Result<(u8, &Hand), Reject> {
    let place = state.place_of(seat).ok_or(Reject::Empty)?;
    let hand = state.hand.as_ref().filter(|hand| hand.next() == Next::Over);
    let dealt = |hand: &&Hand| hand.players().get(place).is_some_and(|p| !p.hole.is_empty());
    Ok((place as u8, hand.filter(dealt).ok_or(Reject::NothingToShow)?))
}

fn show(state: &State, seat: Seat, some: Option<Cards>) -> Result<Vec<Event>, Reject> {
    let (player, hand) = after_hand(state, seat)?;
    let hole = hand.players()[usize::from(player)].hole;
    let all = hole.set();
    if some.is_some() && !state.config.show_some {
        return Err(Reject::ShowAll);
    }
    let some = some.map_or(all, |cards| cards.set());
    if some.is_empty() || !some.minus(all).is_empty() {
        return Err(Reject::WrongCards);
    }
    let shown = state.shows(Viewer::Watcher, usize::from(player));
    if some.minus(shown).is_empty() {
        return Err(Reject::NothingToShow);
    }
    let cards = Some(hole.only(some.union(shown)));
    Ok(vec![Event::Act { act: Action::Show { player, cards }.into() }])
}

/// What would have come: the next cards of the deck, which nobody has had.
fn rabbit(state: &State, seat: Seat, draws: &mut Draws<'_>) -> Result<Vec<Event>, Reject> {
    if !state.config.rabbit {
        return Err(Reject::NoRabbit);
    }
    let (_, hand) = after_hand(state, seat)?;
    let missing = hand.board_to_come();
    if missing == 0 || state.rabbit.is_some() {
        return Err(Reject::NoRabbit);
    }
    let mut deck = hand.deck();
    let cards = (0..missing).filter_map(|_| Card::from_number(deck.deal(draws))).collect();
    Ok(vec![Event::Rabbit { cards }])
}

fn prepare(state: &State, seat: Seat, pre: Option<Pre>) -> Result<Vec<Event>, Reject> {
    let place = state.place(seat).ok_or(Reject::Empty)?;
    if !may_prepare(state, seat) {
        return Err(Reject::NotInHand);
    }
    if place.pre == pre {
        return Err(Reject::NoChange);
    }
    Ok(vec![Event::Prepared { seat, pre }])
}

/// Whether a seat may say beforehand what to do: it is in the hand, and somebody else is to act.
pub(crate) fn may_prepare(state: &State, seat: Seat) -> bool {
    let wants = state.place(seat).is_some_and(|place| place.column.wants());
    wants && state.is_in(seat) && state.actor().is_some_and(|actor| actor != seat)
}

fn wish(
    state: &State,
    seat: Seat,
    intent: Intent,
    draws: &mut Draws<'_>,
) -> Result<Vec<Event>, Reject> {
    let place = state.place(seat).ok_or(Reject::Empty)?;
    if place.column.intent == Intent::Leave {
        return Err(Reject::Leaving);
    }
    if place.column.intent == intent {
        return Err(Reject::NoChange);
    }
    let wished = Event::Wished { seat, intent };
    match state.playing().filter(|_| state.actor() == Some(seat) && intent != Intent::Play) {
        None => Ok(vec![wished]),
        // Nobody waits for a decision that will not come.
        Some(hand) => {
            let mut course = Course::new(state, hand, draws);
            course.wish(seat, intent);
            course.run()
        }
    }
}

fn timeout(state: &State, seat: Seat, draws: &mut Draws<'_>) -> Result<Vec<Event>, Reject> {
    let hand =
        state.playing().filter(|_| state.actor() == Some(seat)).ok_or(Reject::NotYourTurn)?;
    let player = state.place_of(seat).ok_or(Reject::NotYourTurn)? as u8;
    let free = hand.options().is_some_and(|options| options.call == Chips::ZERO);
    let action = match state.config.on_timeout {
        OnTimeout::CheckOrAuto if free => Action::Call { player },
        OnTimeout::CheckOrAuto | OnTimeout::Auto => {
            hand.next().without_a_word().ok_or(Reject::NotYourTurn)?
        }
    };
    let mut course = Course::new(state, hand, draws);
    course.act(action)?;
    let turns = state.row[usize::from(player)].missed.saturating_add(1);
    course.events.push(Event::Missed { seat, turns });
    if state.config.sit_out_after > 0 && turns >= state.config.sit_out_after {
        course.wish(seat, Intent::Pause);
    }
    course.run()
}

/// Those who are gone go, and the next hand begins.
fn go_on(state: &State, draws: &mut Draws<'_>) -> Result<Vec<Event>, Reject> {
    if state.playing().is_some() {
        return Err(Reject::NotYourTurn);
    }
    let gone = state.row.iter().map(|place| place.column).filter(|column| column.gone());
    let mut events = Vec::with_capacity(2 * state.row.len() + 4);
    events.extend(gone.map(|column| Event::Left { seat: column.seat, chips: column.stack }));
    let following = state.following().ok();
    let begun = following.and_then(|begun| Some((State::begin(&state.config, &begun)?.0, begun)));
    match begun {
        None if events.is_empty() => Err(Reject::NotYourTurn),
        None => Ok(events),
        Some((hand, begun)) => {
            draws.shuffle(u32::from(state.config.deck()));
            let places: Vec<Place> = begun.row.iter().map(|column| Place::new(*column)).collect();
            let bomb = begun.bomb;
            events.push(Event::HandBegun(begun));
            Course { row: &places, bomb, hand, wished: None, unprepared: 0, events, draws }.run()
        }
    }
}

/// A hand on its course: what follows by itself is played at once.
struct Course<'s, 'd, 't> {
    row: &'s [Place],
    /// Whether the first round of betting is passed over.
    bomb: bool,
    hand: Hand,
    /// What a seat wants since this very moment.
    wished: Option<(Seat, Intent)>,
    /// Who has said nothing beforehand for what comes now: a bit a player.
    unprepared: u16,
    events: Vec<Event>,
    draws: &'d mut Draws<'t>,
}

impl<'s, 'd, 't> Course<'s, 'd, 't> {
    #[inline]
    fn new(state: &'s State, hand: &Hand, draws: &'d mut Draws<'t>) -> Self {
        let events = Vec::with_capacity(4);
        let (row, bomb) = (&state.row, state.bomb);
        Self { row, bomb, hand: *hand, wished: None, unprepared: 0, events, draws }
    }

    fn act(&mut self, action: Action) -> Result<(), Reject> {
        let street = self.hand.street_number();
        self.hand.act(&action)?;
        self.unprepared |= spent(street, &self.hand, &action);
        self.events.push(Event::Act { act: action.into() });
        Ok(())
    }

    fn wish(&mut self, seat: Seat, intent: Intent) {
        self.wished = Some((seat, intent));
        self.events.push(Event::Wished { seat, intent });
    }

    fn run(&mut self) -> Result<Vec<Event>, Reject> {
        loop {
            let action = match self.hand.next() {
                Next::Over => break,
                Next::Hole { player, cards } => Action::Hole { player, cards: self.deal(cards) },
                Next::Board { cards } => Action::Board { cards: self.deal(cards) },
                Next::Show { player } => Action::Show { player, cards: self.shown(player) },
                Next::Act { player } | Next::BringIn { player } | Next::Draw { player } => {
                    match self.by_itself(player) {
                        Some(action) => action,
                        None => return Ok(std::mem::take(&mut self.events)),
                    }
                }
            };
            self.act(action)?;
        }
        // Who was all-in has shown before the last cards came.
        let again: Vec<u8> = self.hand.shows_again().collect();
        for player in again {
            let cards = Some(self.hand.players()[usize::from(player)].hole);
            self.act(Action::Show { player, cards })?;
        }
        let stacks = self.hand.players().iter().map(|player| player.stack).collect();
        self.events.push(Event::HandEnded { stacks, raked: self.hand.raked() });
        Ok(std::mem::take(&mut self.events))
    }

    /// The next cards of the deck; when it has run out, any of those that were given away.
    fn deal(&mut self, count: u8) -> Cards {
        let mut deck = self.hand.deck();
        let mut spare = self.hand.spare();
        let mut deal = || {
            if deck.left() > 0 {
                return Card::from_number(deck.deal(self.draws));
            }
            let spare = spare.iter_mut().find(|cards| !cards.is_empty())?;
            let card = spare.at(self.draws.below(spare.len() as u32) as usize)?;
            spare.remove(card);
            Some(card)
        };
        (0..count).filter_map(|_| deal()).collect()
    }

    fn wants(&self, player: u8) -> bool {
        let column = &self.row[usize::from(player)].column;
        let wished = self.wished.filter(|(seat, _)| *seat == column.seat);
        column.wants() && wished.is_none_or(|(_, intent)| intent == Intent::Play)
    }

    /// What a player does without being asked.
    fn by_itself(&self, player: u8) -> Option<Action> {
        if !self.wants(player) {
            return self.hand.next().without_a_word();
        }
        let Next::Act { .. } = self.hand.next() else { return None };
        let (fold, call) = (Action::Fold { player }, Action::Call { player });
        if self.bomb && self.hand.is_first_round() {
            return Some(call);
        }
        let prepared = self.unprepared >> player & 1 == 0;
        let pre = self.row[usize::from(player)].pre.filter(|_| prepared)?;
        let free = self.hand.options().is_some_and(|options| options.call == Chips::ZERO);
        Some(match pre {
            Pre::Fold => fold,
            Pre::CheckFold if free => call,
            Pre::CheckFold => fold,
            Pre::CallAny => call,
        })
    }

    /// What a player shows: everything if it is all-in, otherwise what can win something.
    fn shown(&self, player: u8) -> Option<Cards> {
        if !self.wants(player) {
            return None;
        }
        let hole = self.hand.players()[usize::from(player)].hole;
        (self.hand.more_to_come() || self.could_win(player)).then_some(hole)
    }

    fn could_win(&self, player: u8) -> bool {
        let board = self.hand.board().set();
        let pots = self.hand.pots();
        self.hand.variant().rankings.iter().any(|ranking| {
            let strength = |hole: &Cards| ranking.strength(hole.set(), board);
            let mine = strength(&self.hand.players()[usize::from(player)].hole);
            let beaten = |eligible: u16| {
                self.hand.players().iter().enumerate().any(|(i, other)| {
                    eligible >> i & 1 == 1
                        && other.status == Status::In
                        && self.hand.has_shown(i as u8)
                        && strength(&other.hole) > mine
                })
            };
            let mut own = pots.all().iter().filter(|pot| pot.eligible >> player & 1 == 1);
            mine.is_some() && own.any(|pot| !beaten(pot.eligible))
        })
    }
}
