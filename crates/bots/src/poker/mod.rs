//! The house's player of poker: how often its cards win, against what it costs to see. At its best
//! it also minds who has raised, who acts after it and how many are still to come, and now and then
//! it bets with nothing.

mod share;

use crate::Level;
use crate::pace::Thought;
use parlor_rules::{Chips, Draws, Json, Seat, Seeded, json};
use parlor_rules_poker::Command;
use parlor_rules_poker::card::Card;
use parlor_rules_poker::hand::Action;
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::seats::Intent;
use parlor_rules_poker::variant::{self, Limit, Opening, Variant};
use serde::Deserialize;
use serde_json::value::RawValue;
use share::{Deal, Rival};

/// How many deals are tried for a decision, against up to three others; against more it is fewer,
/// for the same time.
const TRIALS: u32 = 300;

/// Plays poker.
pub(crate) struct Mind {
    level: Level,
    seat: Seat,
    chance: Seeded,
}

/// The part of a view that matters.
#[derive(Deserialize)]
struct Seen {
    #[serde(deserialize_with = "variant::read")]
    variant: &'static Variant,
    players: Vec<Seated>,
    board: String,
    pots: Vec<Pot>,
    button: Option<Seat>,
    log: Vec<Line>,
}

#[derive(Deserialize)]
struct Seated {
    seat: Seat,
    stack: Chips,
    bet: Chips,
    status: String,
    cards: String,
    intent: Intent,
    blind: Chips,
}

impl Seated {
    fn is_in(&self) -> bool {
        self.status == "in"
    }
}

#[derive(Deserialize)]
struct Pot {
    amount: Chips,
}

#[derive(Deserialize)]
struct Legal {
    fold: bool,
    check: bool,
    call: Option<Chips>,
    raise: Option<Raise>,
    bring_in: Option<Chips>,
    discard: Option<String>,
    intents: Vec<Intent>,
}

#[derive(Clone, Copy, Deserialize)]
struct Raise {
    least: Chips,
    most: Chips,
}

fn cards(text: &str) -> Vec<Card> {
    let pairs = text.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    pairs.filter_map(|pair| pair.parse().ok()).collect()
}

fn number(chips: Chips) -> f64 {
    chips.ten_thousandths() as f64
}

/// A decision about chips, in ten-thousandths.
struct Spot {
    /// How much of the pot the cards win on average, in units of a fair share.
    ratio: f64,
    share: f64,
    rivals: usize,
    /// All that lies in the middle.
    pot: f64,
    call: f64,
    /// The highest bet of this round.
    top: f64,
    /// What is left, with the bet that lies there already.
    stack: f64,
    /// Whether nobody acts after this seat.
    last: bool,
    /// Whether it is the last round.
    river: bool,
}

impl Mind {
    pub(crate) fn new(level: Level, seat: Seat, chance: Seeded) -> Self {
        Self { level, seat, chance }
    }

    /// Whether something happens that does so often, of a hundred times.
    fn sometimes(&mut self, percent: u32) -> bool {
        Draws::new(&mut self.chance).below(100) < percent
    }

    fn command(&mut self, seen: &Seen, legal: &Legal) -> Option<(Command, Thought)> {
        let place = seen.players.iter().position(|player| player.seat == self.seat)?;
        let me = &seen.players[place];
        if !legal.fold && legal.bring_in.is_none() && legal.discard.is_none() {
            // Who was made to sit out comes back.
            let back = me.intent != Intent::Play && legal.intents.contains(&Intent::Play);
            return back.then_some((Command::Intent { intent: Intent::Play }, Thought::Plain));
        }
        let against = seen.players.iter().enumerate().filter(|(i, p)| p.is_in() && *i != place);
        // How many raises of one player are taken for a sign of good cards.
        let noticed = match self.level {
            Level::Easy => 0,
            Level::Medium => 1,
            Level::Hard => 3,
        };
        let rival = |(i, player): (usize, &Seated)| Rival {
            cards: cards(&player.cards),
            best_of: 1 + raises(seen, Some(i)).min(noticed),
        };
        let rivals: Vec<Rival> = against.map(rival).collect();
        let (own, board) = (cards(&me.cards), cards(&seen.board));
        let deal =
            Deal { variant: seen.variant, own: &own, rivals: &rivals, board: &board, gone: &[] };
        if legal.discard.is_some() {
            let cards = deal.discard(&mut self.chance);
            return Some((Command::Discard { cards }, Thought::Hard));
        }
        let trials = TRIALS * 3 / rivals.len().max(3) as u32;
        let share = deal.share(trials, &mut self.chance);
        let bets: Chips = seen.players.iter().map(|player| player.bet).sum();
        let top = seen.players.iter().map(|player| player.bet).max().unwrap_or_default();
        let spot = Spot {
            ratio: share * (rivals.len() + 1) as f64,
            share,
            rivals: rivals.len().max(1),
            pot: number(seen.pots.iter().map(|pot| pot.amount).sum::<Chips>() + bets),
            call: number(legal.call.unwrap_or_default()),
            top: number(top),
            stack: number(me.stack + me.bet),
            last: acts_last(seen, place),
            river: seen.variant.streets.iter().map(|street| street.board).sum::<u8>() as usize
                == board.len(),
        };
        let before = board.is_empty() && seen.variant.streets[1..].iter().any(|s| s.board > 0);
        let wish = match self.level {
            Level::Easy => self.calls_too_much(&spot),
            Level::Medium => self.by_the_odds(&spot),
            Level::Hard if before && seen.variant.limit != Limit::Fixed => {
                // How the cards do against anything one player may have.
                let one = [Rival { cards: Vec::new(), best_of: 1 }];
                let alone = Deal { rivals: &one, ..deal }.share(TRIALS, &mut self.chance);
                self.before_the_board(&spot, seen, place, alone)
            }
            Level::Hard => self.by_reading(&spot),
        };
        let command = wish.within(legal, chip(seen));
        let thought = match command {
            Command::Fold {} | Command::Check {} | Command::BringIn {} => Thought::Plain,
            _ if spot.call * 2.0 < spot.pot && !matches!(command, Command::Raise { .. }) => {
                Thought::Plain
            }
            _ => Thought::Hard,
        };
        Some((command, thought))
    }

    /// Stays in with anything, raises only what is nearly sure, never bets with nothing.
    fn calls_too_much(&mut self, spot: &Spot) -> Wish {
        if spot.ratio > 1.7 {
            return Wish::Raise(spot.sized(0.35));
        }
        if spot.share > 0.5 * spot.odds() { Wish::Call } else { Wish::Fold }
    }

    /// Plays its own cards against the price, and minds little what the others may have.
    fn by_the_odds(&mut self, spot: &Spot) -> Wish {
        if spot.ratio > 1.35 {
            return Wish::Raise(spot.sized(0.75));
        }
        if spot.share > spot.odds() + 0.04 { Wish::Call } else { Wish::Fold }
    }

    /// Minds what the others have shown by raising, and who acts last.
    fn by_reading(&mut self, spot: &Spot) -> Wish {
        if spot.call == 0.0 {
            let value = if spot.last { 1.12 } else { 1.2 };
            let bluffs = spot.rivals == 1 && spot.ratio < 0.7;
            let often = if spot.last { 30 } else { 12 };
            return match spot.ratio > value || bluffs && self.sometimes(often) {
                true => Wish::Raise(spot.sized(0.66)),
                false => Wish::Call,
            };
        }
        if spot.ratio > 1.5 {
            return Wish::Raise(spot.sized(0.8));
        }
        let margin = match (spot.river, spot.last) {
            (true, _) => 0.0,
            (_, true) => 0.01,
            _ => 0.03,
        };
        if spot.share > spot.odds() + margin { Wish::Call } else { Wish::Fold }
    }

    /// Before the board: raises by how many are still to act, and goes on against raises by what
    /// these tell.
    fn before_the_board(&mut self, spot: &Spot, seen: &Seen, place: usize, alone: f64) -> Wish {
        let blind =
            number(seen.players.iter().map(|player| player.blind).max().unwrap_or_default());
        let raised = raises(seen, None);
        if raised == 0 {
            let to_come = behind(seen, place);
            let opens = match to_come {
                0..=1 => 0.46,
                2 => 0.52,
                3..=4 => 0.56,
                5..=6 => 0.585,
                _ => 0.61,
            };
            let limped = seen.players.iter().filter(|p| number(p.bet) >= blind).count();
            let limped = limped.saturating_sub(1) as f64;
            return match alone > opens + 0.02 * limped {
                true => Wish::Raise(spot.up_to((2.5 + limped) * blind)),
                false => Wish::Fold,
            };
        }
        let again = if raised == 1 { 1.22 } else { 1.32 };
        if spot.ratio > again {
            return Wish::Raise(spot.up_to(spot.top * 3.0));
        }
        let keeps = if spot.last { 0.95 } else { 0.85 };
        if spot.share * keeps > spot.odds() { Wish::Call } else { Wish::Fold }
    }
}

/// What the house would like to do; what is not free to do becomes what is.
enum Wish {
    /// To bet or raise up to this.
    Raise(f64),
    /// To stay in.
    Call,
    /// To pay nothing.
    Fold,
}

impl Wish {
    /// With bets in chips of this worth; all there is is bet as it is.
    fn within(&self, legal: &Legal, chip: Chips) -> Command {
        match (self, legal.raise) {
            (Self::Raise(to), Some(Raise { most, .. })) if *to >= number(most) => {
                Command::Raise { to: most }
            }
            (Self::Raise(to), Some(Raise { least, most })) => {
                let chip = chip.ten_thousandths();
                let to = Chips::from_ten_thousandths((to / chip as f64).round() as i64 * chip);
                Command::Raise { to: to.min(most).max(least) }
            }
            _ if legal.bring_in.is_some() => Command::BringIn {},
            _ if legal.check => Command::Check {},
            (Self::Raise(_) | Self::Call, _) if legal.call.is_some() => Command::Call {},
            _ => Command::Fold {},
        }
    }
}

impl Spot {
    /// What a call costs of the pot it plays for.
    fn odds(&self) -> f64 {
        self.call / (self.pot + self.call).max(1.0)
    }

    /// The bet to raise by this part of the pot after a call.
    fn sized(&self, part: f64) -> f64 {
        self.up_to(self.top + part * (self.pot + self.call))
    }

    /// This bet, or all there is where not much would be left.
    fn up_to(&self, bet: f64) -> f64 {
        if bet > 0.6 * self.stack { self.stack } else { bet }
    }
}

/// The chip that bets are made of: the largest that all blinds can be paid with, but not more than
/// half of the greatest of them.
fn chip(seen: &Seen) -> Chips {
    let blinds = seen.players.iter().map(|player| player.blind.ten_thousandths());
    let (most, divisor) =
        blinds.fold((0, 0), |(most, all), blind| (blind.max(most), gcd(blind, all)));
    let chip = if divisor == most { most / 2 } else { divisor };
    match chip {
        // Without blinds, a whole one.
        ..=0 => Chips::whole(1),
        chip => Chips::from_ten_thousandths(chip),
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How often a player, or anybody, has bet or raised in this hand.
fn raises(seen: &Seen, who: Option<usize>) -> usize {
    let by = |line: &&Line| match line.action {
        Action::Raise { player, .. } => who.is_none_or(|who| who == usize::from(player)),
        _ => false,
    };
    seen.log.iter().filter(by).count()
}

/// The places after this one, round the table up to it, that are still in the hand.
fn after(seen: &Seen, place: usize) -> impl Iterator<Item = usize> + '_ {
    let count = seen.players.len();
    (1..count).map(move |step| (place + step) % count).filter(|at| seen.players[*at].is_in())
}

/// Whether nobody in the hand acts after this place in the rounds to come.
fn acts_last(seen: &Seen, place: usize) -> bool {
    let button = seen.players.iter().position(|player| Some(player.seat) == seen.button);
    let count = seen.players.len();
    match button {
        Some(button) if seen.variant.opening == Opening::Position => {
            let turn = |at: usize| (at + count - button - 1) % count;
            after(seen, place).all(|other| turn(other) < turn(place))
        }
        _ => false,
    }
}

/// How many are still to act before the board, if nobody has raised: up to the big blind.
fn behind(seen: &Seen, place: usize) -> usize {
    let blind = (0..seen.players.len()).max_by_key(|at| seen.players[*at].blind);
    after(seen, place).position(|at| Some(at) == blind).map_or(0, |steps| steps + 1)
}

impl crate::Mind for Mind {
    fn think(&mut self, view: &RawValue, legal: &RawValue) -> Option<(Json, Thought)> {
        let seen: Seen = serde_json::from_str(view.get()).ok()?;
        let legal: Legal = serde_json::from_str(legal.get()).ok()?;
        self.command(&seen, &legal).map(|(command, thought)| (json(&command), thought))
    }
}
