//! All there is to know about a game of gomoku.

use crate::board::{Board, Colour, Lines, Point, Points, Size};
use crate::event::{Event, Offer, Reason};
use crate::reject::Reject;
use crate::renju;
use crate::rule::Rule;
use crate::swap2::{Deed, Players, Swap2};
use parlor_rules::{Closed, Credit, Faults, Fields, Seat, Standing, Target, Wager, Word, doc, utc};
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::Arc;

/// The two seats.
pub const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// The seat across the board.
pub fn other(seat: Seat) -> Seat {
    if seat == SEATS[0] { SEATS[1] } else { SEATS[0] }
}

/// The options of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Config {
    /// What kind of game it is: it sets what the other options are if they are left out.
    pub mode: Mode,
    /// Whether a game opens with Swap 2; always so in a ranked one.
    #[serde(rename = "swap2Enabled")]
    pub swap2_enabled: bool,
    /// What wins.
    pub rule: Rule,
    /// How large the board is.
    pub board_size: Size,
    /// Which colour moves first after the opening.
    pub first_mover: Colour,
    /// Who opens the next game of a series.
    pub opener: Opener,
    /// Who opens the first one.
    pub first_opener: Seat,
    /// How long an action may take.
    pub clock: Clock,
    /// What happens when it takes longer during the opening.
    pub timeout_policy: TimeoutPolicy,
    /// Games to win the series; 0 is a single game.
    pub r#match: u32,
    /// How the seats are called in documents.
    pub players: Players,
    /// What the game or the series is played for.
    #[serde(flatten)]
    pub wager: Wager,
}

/// What kind of game it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Mode {
    Ranked,
    TieuDao,
    VanMon,
    DiBienKy,
    Custom,
    Casual,
}

/// Who opens the next game of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// The one who did not open the last.
    Alternate,
    /// The same one.
    Fixed,
}

/// How long an action may take; written as the clock of a table is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Clock {
    /// As long as the table allows.
    None,
    /// So long, every one.
    PerMove {
        /// How long.
        per_move_ms: u64,
    },
}

/// What happens when the time for an action of the opening is up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutPolicy {
    /// A stone goes to a random free point, a choice takes black.
    Black,
    /// A stone goes to a random free point, a choice is made at random.
    Random,
    /// The game is lost.
    Forfeit,
}

impl Default for Config {
    fn default() -> Self {
        Self::of(Mode::Casual)
    }
}

impl Config {
    /// The usual options of a mode.
    pub fn of(mode: Mode) -> Self {
        let ranked = mode == Mode::Ranked;
        Self {
            mode,
            swap2_enabled: ranked,
            rule: if ranked || mode == Mode::VanMon { Rule::Standard } else { Rule::Caro },
            board_size: Size::USUAL,
            first_mover: Colour::Black,
            opener: Opener::Alternate,
            first_opener: SEATS[0],
            clock: Clock::PerMove { per_move_ms: 60_000 },
            timeout_policy: TimeoutPolicy::Black,
            r#match: if ranked { 2 } else { 0 },
            players: Players::default(),
            wager: Wager::default(),
        }
    }

    /// The longest series.
    pub const LONGEST_MATCH: u32 = 1_000;
    /// Drawn games of a series that are played again.
    pub const REPLAYS: u32 = 3;

    /// When the series is over.
    pub fn target(&self) -> Target {
        match self.r#match {
            0 => Target::Single,
            points => Target::Points { points, draws: Self::REPLAYS },
        }
    }

    /// Who opens the game that comes after so many.
    pub fn opener_after(&self, games: u32) -> Seat {
        let swapped = self.opener == Opener::Alternate && games % 2 == 1;
        if swapped { other(self.first_opener) } else { self.first_opener }
    }

    /// The options of a rematch: the other seat opens first.
    pub fn rematch(&self) -> Self {
        Self { first_opener: other(self.first_opener), ..self.clone() }
    }

    /// What is out of range or does not go together.
    pub(crate) fn faults(&self) -> impl Iterator<Item = &'static str> {
        let timeless = matches!(self.clock, Clock::PerMove { per_move_ms: 0 });
        let faults = [
            (!Size::ALL.contains(&self.board_size), "board_size is 15, 19 or 20"),
            (!SEATS.contains(&self.first_opener), "first_opener is 0 or 1"),
            (self.r#match > Self::LONGEST_MATCH, "match is for 0 to 1000 games"),
            (timeless, "clock gives at least one millisecond a move"),
            (!self.players.differ(), "players are two different names"),
        ];
        let faults = faults.into_iter().filter_map(|(wrong, text)| wrong.then_some(text));
        faults.chain(self.wager.faults())
    }

    /// Refuses options that are out of range.
    pub fn check(&self) -> Result<(), Reject> {
        let why = self.faults().collect::<Vec<_>>().join("; ");
        if why.is_empty() { Ok(()) } else { Err(Reject::BadConfig { why }) }
    }
}

impl Closed for Config {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let modes = "ranked, tieu_dao, van_mon, di_bien_ky, custom or casual";
        let mode = fields.optional::<Word<Mode>>("mode", modes, faults);
        let usual = Self::of(mode.map_or(Mode::Casual, |Word(mode)| mode));
        let swap2 = fields.optional("swap2Enabled", "true or false", faults);
        let rules = "freestyle, standard, caro, caro_overline or renju";
        let rule = fields.optional("rule", rules, faults);
        let size = fields.optional("board_size", "15, 19 or 20", faults);
        let first = fields.optional("first_mover", "black or white", faults);
        let opener = fields.optional("opener", "alternate or fixed", faults);
        let first_opener = fields.optional("first_opener", "0 or 1", faults);
        let clocks = "\"none\" or {\"per_move\":{\"per_move_ms\":60000}}";
        let clock = fields.optional("clock", clocks, faults);
        let policy = fields.optional("timeout_policy", "black, random or forfeit", faults);
        let length = fields.optional("match", "a number of games to win", faults);
        let players = fields.optional("players", "two different names", faults);
        Some(Self {
            mode: usual.mode,
            // A ranked game has it, whatever is asked for.
            swap2_enabled: usual.mode == Mode::Ranked || swap2.unwrap_or(usual.swap2_enabled),
            rule: rule.map_or(usual.rule, |Word(rule)| rule),
            board_size: size.map_or(usual.board_size, Size::asked),
            first_mover: first.map_or(usual.first_mover, |Word(first)| first),
            opener: opener.map_or(usual.opener, |Word(opener)| opener),
            first_opener: first_opener.unwrap_or(usual.first_opener),
            clock: clock.unwrap_or(usual.clock),
            timeout_policy: policy.map_or(usual.timeout_policy, |Word(policy)| policy),
            r#match: length.unwrap_or(usual.r#match),
            players: players.map_or(usual.players, Players::asked),
            wager: Wager::take(fields, faults).unwrap_or_default(),
        })
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        doc::closed(d)
    }
}

/// A game of gomoku.
#[derive(PartialEq, Eq, Debug)]
pub struct State {
    config: Arc<Config>,
    standing: Standing,
    stage: Stage,
    /// None where the game has none.
    opening: Option<Arc<Swap2>>,
    board: Board,
    /// Those of the game itself, without the opening.
    moves: Vec<Point>,
    offers: Offers,
}

impl Clone for State {
    /// Most copies are made for one more stone: there is room for it.
    fn clone(&self) -> Self {
        let mut moves = Vec::with_capacity(self.moves.len() + 1);
        moves.extend_from_slice(&self.moves);
        Self {
            config: self.config.clone(),
            standing: self.standing.clone(),
            stage: self.stage,
            opening: self.opening.clone(),
            board: self.board.clone(),
            moves,
            offers: self.offers,
        }
    }
}

/// How far a game is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Not yet begun.
    Fresh,
    /// In play.
    Live,
    /// Over.
    Over(End),
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Who won; none if nobody did.
    pub winner: Option<Seat>,
    /// How it came about.
    pub reason: Reason,
}

impl End {
    /// What this counts in a series.
    pub fn credit(self) -> Credit {
        let decides = matches!(self.reason, Reason::Left | Reason::Closed);
        Credit { winner: self.winner, points: u32::from(self.winner.is_some()), decides }
    }
}

/// What is offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Offers {
    /// The open offer, and whose it is.
    pub open: Option<(Seat, Offer)>,
    /// Which seats have made an offer since the last stone.
    pub spent: [bool; 2],
}

impl State {
    /// A game that has not begun.
    pub fn fresh(config: Arc<Config>, standing: Standing) -> Self {
        let opener = config.opener_after(standing.games);
        let opening = config.swap2_enabled.then(|| Arc::new(Swap2::new(opener)));
        let board = Board::new(config.board_size);
        let (stage, moves, offers) = (Stage::Fresh, Vec::new(), Offers::default());
        Self { config, standing, stage, opening, board, moves, offers }
    }

    /// The options.
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }

    /// How the series stood when this game began.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// How far it is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The opening; none where the game has none.
    pub fn opening(&self) -> Option<&Swap2> {
        self.opening.as_deref()
    }

    /// The stones.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The stones of the game itself, in order, without those of the opening.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = (Colour, Point)> + ExactSizeIterator {
        self.moves.iter().enumerate().map(|(i, point)| (self.colour_after(i), *point))
    }

    /// What is offered.
    pub fn offers(&self) -> Offers {
        self.offers
    }

    /// Who opens this game.
    pub fn opener(&self) -> Seat {
        self.config.opener_after(self.standing.games)
    }

    /// The opening, while it goes on.
    pub fn in_opening(&self) -> Option<&Swap2> {
        self.opening().filter(|opening| opening.black().is_none())
    }

    /// The colour that moves first in the game itself.
    pub fn first_mover(&self) -> Colour {
        if self.opening.is_some() { self.config.first_mover } else { Colour::Black }
    }

    /// The colour of the stone of the game that comes after so many.
    fn colour_after(&self, moves: usize) -> Colour {
        let first = self.first_mover();
        if moves.is_multiple_of(2) { first } else { !first }
    }

    /// The colour that is to move, or will be after the opening.
    pub fn to_move(&self) -> Colour {
        self.colour_after(self.moves.len())
    }

    /// Who plays a colour; none as long as that is open.
    pub fn seat_of(&self, colour: Colour) -> Option<Seat> {
        let black = match self.opening() {
            Some(opening) => opening.black()?,
            None => self.opener(),
        };
        Some(if colour == Colour::Black { black } else { other(black) })
    }

    /// The colour a seat plays; none as long as that is open.
    pub fn colour_of(&self, seat: Seat) -> Option<Colour> {
        Colour::ALL.into_iter().find(|colour| self.seat_of(*colour) == Some(seat))
    }

    /// Whose action comes next, whether or not the game is in play.
    pub(crate) fn up_next(&self) -> Option<Seat> {
        match self.in_opening() {
            Some(opening) => opening.active(),
            None => self.seat_of(self.to_move()),
        }
    }

    /// Whose action the game waits for; none before it begins and when it is over.
    pub fn up(&self) -> Option<Seat> {
        self.up_next().filter(|_| self.stage == Stage::Live)
    }

    /// Who has an offer to answer, if anybody.
    pub fn answers(&self) -> Option<Seat> {
        self.offers.open.map(|(seat, _)| other(seat))
    }

    /// How many actions and moves there are.
    pub fn count(&self) -> usize {
        self.moves.len() + self.opening().map_or(0, Swap2::len)
    }

    /// How many stones are taken back if a seat takes back its last one; none if it has none.
    pub fn to_take_back(&self, seat: Seat) -> Option<usize> {
        let stones = if self.seat_of(self.to_move()) == Some(seat) { 2 } else { 1 };
        (self.moves.len() >= stones).then_some(stones)
    }

    /// Black's forbidden points, where there are such and black is to move in the game itself.
    pub fn forbidden(&self) -> Option<Points> {
        let asked = self.config.rule == Rule::Renju
            && self.stage == Stage::Live
            && self.in_opening().is_none()
            && self.to_move() == Colour::Black;
        asked.then(|| renju::forbidden(&Lines::of(&self.board)))
    }

    /// The points the seat that is up may lay a stone on, in the opening or in the game.
    pub fn playable(&self) -> Points {
        let free = self.board.free();
        self.forbidden().map_or(free, |forbidden| free.without(&forbidden))
    }

    /// The winning row, if the last stone made one.
    pub fn row(&self) -> Option<Vec<Point>> {
        let (colour, point) = self.moves().next_back()?;
        self.config.rule.row(&self.board, colour, point)
    }

    /// Makes a fact part of the state. What does not fit changes nothing.
    pub fn apply(&mut self, event: &Event) {
        match (event, self.stage) {
            (Event::Begun { .. }, Stage::Fresh) => self.stage = Stage::Live,
            (Event::StonePlaced { seat, x, y, .. }, Stage::Live) => {
                self.open(*seat, Deed::Place(Point { x: *x, y: *y }), None);
            }
            (Event::ChoiceMade { seat, choice, .. }, Stage::Live) => {
                self.open(*seat, Deed::Choose(*choice), None);
            }
            (Event::Moved { seat, x, y }, Stage::Live) => {
                let point = Point { x: *x, y: *y };
                let mine = self.in_opening().is_none() && self.up() == Some(*seat);
                if mine && self.board.is_free(point) {
                    self.lay(point);
                    // Only a stone of the one who is to answer declines a draw.
                    self.offers.open =
                        self.offers.open.filter(|offer| *offer == (*seat, Offer::Draw));
                    self.offers.spent =
                        SEATS.map(|seat| self.offers.open.is_some_and(|(by, _)| by == seat));
                }
            }
            (Event::Offered { seat, offer }, Stage::Live) if SEATS.contains(seat) => {
                self.offers.open = Some((*seat, *offer));
                self.offers.spent[seat.index()] = true;
            }
            (Event::Declined { .. }, Stage::Live) => self.offers.open = None,
            (Event::TakenBack { stones, .. }, Stage::Live) => {
                for _ in 0..*stones {
                    let last = self.moves().next_back();
                    if let Some((colour, point)) = last {
                        self.board.lift(colour, point);
                        self.moves.pop();
                    }
                }
                self.offers = Offers::default();
            }
            (Event::Finished { winner, reason, .. }, Stage::Live | Stage::Fresh) => {
                self.offers = Offers::default();
                self.stage = Stage::Over(End { winner: *winner, reason: *reason });
            }
            _ => {}
        }
    }

    /// An event that was just applied came about at this time.
    pub fn stamp(&mut self, event: &Event, at_ms: u64) {
        if let (Event::StonePlaced { .. } | Event::ChoiceMade { .. }, Some(opening)) =
            (event, &mut self.opening)
        {
            Arc::make_mut(opening).stamp(utc::rfc3339(at_ms));
        }
    }

    /// Does something of the opening; whether it fitted.
    pub(crate) fn open(&mut self, seat: Seat, deed: Deed, timestamp: Option<String>) -> bool {
        let on_board = match deed {
            Deed::Place(point) => self.board.is_free(point),
            Deed::Choose(_) => true,
        };
        let Some(opening) = &mut self.opening else { return false };
        if opening.active() != Some(seat) || !on_board {
            return false;
        }
        let fits = Arc::make_mut(opening).push(deed, timestamp);
        if let (true, Deed::Place(point)) = (fits, deed) {
            self.board.lay(Colour::after(usize::from(self.board.stones())), point);
        }
        fits
    }

    /// Lays a stone of the game on a free point.
    pub(crate) fn lay(&mut self, point: Point) {
        self.board.lay(self.to_move(), point);
        self.moves.push(point);
    }

    /// For a document: the stage and the offers it says.
    pub(crate) fn resume(&mut self, stage: Stage, offers: Offers) {
        (self.stage, self.offers) = (stage, offers);
    }
}
