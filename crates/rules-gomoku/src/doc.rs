//! The document of a game, and what stands beside it.

use crate::board::{Board, Colour, MOST, Point, Size};
use crate::decide::judge;
use crate::event::{Offer, Reason};
use crate::state::{Config, End, Mode, Offers, SEATS, Stage, State, TimeoutPolicy, other};
use crate::swap2::{History, Swap2State};
use parlor_rules::{Closed, Faults, Fields, Loaded, Reject as _, Seat, Word, Written};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::{Arc, LazyLock};

/// A game as a document. Closed: an unknown field is a fault.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Doc {
    board: Cells,
    moves: Vec<Stone>,
    current_turn: &'static str,
    swap2_enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    swap2_state: Option<Swap2State>,
    game_phase: GamePhase,
    up: Option<Seat>,
    black: Option<Seat>,
    offer: Option<Offered>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forbidden: Option<Vec<Point>>,
    #[serde(flatten)]
    end: Option<Ended>,
}

/// A board as rows of `null`, `"X"` and `"O"`, from the top.
#[derive(Clone, PartialEq, Debug)]
struct Cells(Board);

impl Serialize for Cells {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let size = self.0.size().get();
        let mut rows = s.serialize_seq(Some(size.into()))?;
        for y in 0..size {
            let mut row = [None; MOST];
            for x in 0..size {
                row[usize::from(x)] = self.0.at(Point { x, y }).map(Colour::mark);
            }
            rows.serialize_element(&row[..usize::from(size)])?;
        }
        rows.end()
    }
}

/// A stone of the game itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stone(Colour, Point);

impl Serialize for Stone {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Self(colour, Point { x, y }) = *self;
        WRITTEN[(colour as usize * MOST + usize::from(y)) * MOST + usize::from(x)].serialize(s)
    }
}

/// Every stone as it is written: black's, then white's, row by row. A document has all stones after
/// every move, so they are not put together anew each time.
static WRITTEN: LazyLock<Vec<Box<RawValue>>> = LazyLock::new(|| {
    let stone = |place: usize| {
        let (color, y, x) = (Colour::after(place / MOST / MOST), place / MOST % MOST, place % MOST);
        to_raw_value(&Move { x: x as u8, y: y as u8, color: Some(color) })
    };
    (0..2 * MOST * MOST).map(|place| stone(place).expect("a stone is JSON")).collect()
});

/// The same, as it is read: its colour need not be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct Move {
    x: u8,
    y: u8,
    color: Option<Colour>,
}

impl Closed for Move {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let point = Point::take(fields, faults);
        let color = fields.or::<Option<Word<_>>>("color", None, "black or white", faults);
        let Point { x, y } = point?;
        Some(Self { x, y, color: color?.map(|Word(colour)| colour) })
    }
}

/// The two words of a game's phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GamePhase {
    Swap2,
    MainGame,
}

impl GamePhase {
    fn of(state: &State) -> Self {
        if state.in_opening().is_some() { Self::Swap2 } else { Self::MainGame }
    }
}

/// An open offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
struct Offered {
    seat: Seat,
    r#type: Offer,
}

impl Closed for Offered {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let seat = fields.take("seat", "0 or 1", faults);
        let offer = fields.take::<Word<_>>("type", "draw or takeback", faults);
        Some(Self { seat: seat?, r#type: offer?.0 })
    }
}

/// What a document gains on finish.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Ended {
    winner: Option<Seat>,
    reason: Reason,
    line: Vec<Point>,
    #[serde(skip_serializing_if = "Option::is_none")]
    swap2_history: Option<History>,
}

/// What stands beside the game: the options, and what the game's own fields cannot tell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Beside {
    #[serde(serialize_with = "shared")]
    config: Arc<Config>,
    /// Whether the game has begun.
    begun: bool,
    /// Which seats have made an offer since the last stone.
    spent: [bool; 2],
}

fn shared<S: Serializer>(config: &Arc<Config>, s: S) -> Result<S::Ok, S::Error> {
    config.as_ref().serialize(s)
}

/// The opening of a finished game.
pub fn history(state: &State) -> Option<History> {
    Some(state.opening()?.history(&state.config().players, state.first_mover()))
}

/// See [`parlor_rules::Rules::doc`].
pub fn doc(state: &State) -> Doc {
    let (config, first) = (state.config(), state.first_mover());
    Doc {
        board: Cells(state.board().clone()),
        moves: state.moves().map(|(colour, point)| Stone(colour, point)).collect(),
        current_turn: state.to_move().mark(),
        swap2_enabled: state.opening().is_some(),
        swap2_state: state.opening().map(|opening| opening.document(&config.players, first)),
        game_phase: GamePhase::of(state),
        up: state.up(),
        black: state.seat_of(Colour::Black),
        offer: state.offers().open.map(|(seat, offer)| Offered { seat, r#type: offer }),
        forbidden: state.forbidden().map(|points| points.iter().collect()),
        end: match state.stage() {
            Stage::Over(End { winner, reason }) => Some(Ended {
                winner,
                reason,
                line: line(state, reason),
                swap2_history: history(state),
            }),
            Stage::Fresh | Stage::Live => None,
        },
    }
}

/// The winning row of a game that ended like this.
pub fn line(state: &State, reason: Reason) -> Vec<Point> {
    match reason {
        Reason::Row => state.row().unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// See [`parlor_rules::Serial::beside`].
pub fn beside(state: &State) -> Beside {
    Beside {
        config: state.config().clone(),
        begun: state.stage() != Stage::Fresh,
        spent: state.offers().spent,
    }
}

/// See [`parlor_rules::Serial::load_beside`]: the one bridge from a document to a legal state.
pub fn load(
    config: &Config,
    doc: Value,
    beside: &mut Fields,
    written: &Written,
    faults: &mut Faults,
) -> Loaded<State> {
    let given = Given::read(doc, beside, faults);
    let credit = given.end.map(|end| end.map(End::credit));
    let standing = credit.and_then(|credit| written.before(credit.as_ref()));
    let games = standing.as_ref().map_or(0, |standing| standing.games);
    let config = given.options(config, games, faults);
    let target = config.as_ref().map(Config::target);
    let game = config.zip(standing).and_then(|(config, standing)| {
        given.play(State::fresh(Arc::new(config), standing), faults)
    });
    Loaded { game: game.filter(|_| faults.is_empty()), target, credit }
}

type Rows = Vec<Vec<Option<Word<Mark>>>>;

/// A stone as a board writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
enum Mark {
    X,
    O,
}

impl Mark {
    fn colour(self) -> Colour {
        match self {
            Self::X => Colour::Black,
            Self::O => Colour::White,
        }
    }
}

/// What could be read of a document: none is what could not.
struct Given {
    board: Option<Vec<Vec<Option<Colour>>>>,
    moves: Option<Vec<Move>>,
    turn: Option<Colour>,
    swap2: Option<bool>,
    opening: Option<Option<Swap2State>>,
    phase: Option<GamePhase>,
    /// The outer is none where the document does not say.
    up: Option<Option<Seat>>,
    black: Option<Option<Seat>>,
    forbidden: Option<Vec<Point>>,
    offer: Option<Option<Offered>>,
    end: Option<Option<End>>,
    line: Vec<Point>,
    history: Option<Value>,
    config: Option<Value>,
    begun: Option<bool>,
    spent: Option<[bool; 2]>,
}

impl Given {
    fn read(doc: Value, beside: &mut Fields, faults: &mut Faults) -> Self {
        let config = beside.raw("config");
        let begun = beside.or("begun", true, "true or false", faults);
        let spent = beside.optional("spent", "a pair of true or false", faults);
        let mut fields = Fields::of(doc, "", faults);
        let board = fields.take::<Rows>("board", "rows of null, \"X\" and \"O\"", faults);
        let moves = fields.list("moves", "a list of stones", faults);
        let turn = fields.take::<Word<Mark>>("currentTurn", "\"X\" or \"O\"", faults);
        let swap2 = fields.take("swap2Enabled", "true or false", faults);
        let opening = match fields.has("swap2State") {
            true => fields.nullable("swap2State", "the state of the opening", faults),
            false => Some(None),
        };
        let phase = fields.take::<Word<_>>("gamePhase", "swap2 or main_game", faults);
        let up = fields.optional("up", "0, 1 or null", faults);
        let black = fields.optional("black", "0, 1 or null", faults);
        let forbidden = match fields.has("forbidden") {
            true => fields.list("forbidden", "a list of points", faults),
            false => None,
        };
        let offer = match fields.has("offer") {
            true => fields.nullable::<Offered>("offer", "an offer or null", faults),
            false => Some(None),
        };
        let offer = offer.filter(|offer| {
            let seated = offer.is_none_or(|offer| SEATS.contains(&offer.seat));
            faults.check(seated, "offer.seat", || "is 0 or 1".to_owned());
            seated
        });
        let (mut end, mut line, mut history) = (Some(None), Vec::new(), None);
        // Left in place, they are unknown fields of an unfinished game.
        if fields.has("reason") {
            let why = "row, full, agreed, resigned, timeout, left or closed";
            let reason = fields.take::<Word<_>>("reason", why, faults);
            let winner = fields.take::<Option<Seat>>("winner", "0, 1 or null", faults);
            let winner = winner.filter(|winner| {
                let seated = winner.is_none_or(|seat| SEATS.contains(&seat));
                faults.check(seated, "winner", || "is 0, 1 or null".to_owned());
                seated
            });
            line = fields.list("line", "a list of points", faults).unwrap_or_default();
            history = fields.raw("swap2_history");
            let both = reason.zip(winner);
            end = both.map(|(Word(reason), winner)| Some(End { winner, reason }));
        }
        fields.finish(faults);
        let colours = |row: Vec<Option<Word<Mark>>>| {
            row.into_iter().map(|cell| cell.map(|Word(mark)| mark.colour())).collect()
        };
        Self {
            board: board.map(|rows| rows.into_iter().map(colours).collect()),
            moves,
            turn: turn.map(|Word(mark)| mark.colour()),
            swap2,
            opening,
            phase: phase.map(|Word(phase)| phase),
            up,
            black,
            forbidden,
            offer,
            end,
            line,
            history,
            config,
            begun,
            spent,
        }
    }

    /// The options beside the document; without, the table's, as far as the document does not say
    /// otherwise itself.
    fn options(&self, table: &Config, games: u32, faults: &mut Faults) -> Option<Config> {
        let Some(beside) = &self.config else {
            let mut config = table.clone();
            let ranked = config.mode == Mode::Ranked;
            config.swap2_enabled = ranked || self.swap2?;
            let size = u8::try_from(self.board.as_ref()?.len()).ok();
            config.board_size =
                size.and_then(|size| Size::try_from(size).ok()).unwrap_or(config.board_size);
            if let Some(opening) = self.opening.as_ref()? {
                let players = opening.players(config.opener_after(games));
                faults.check(players.is_some(), "swap2State.player2Id", || {
                    "the two players differ".to_owned()
                });
                config.players = players?;
            }
            return Some(config);
        };
        let off = beside.get("swap2Enabled") == Some(&Value::Bool(false));
        let config = Config::read(beside.clone(), "match.config", faults)?;
        faults.check(!off || config.mode != Mode::Ranked, "match.config.swap2Enabled", || {
            "a ranked game opens with Swap 2".to_owned()
        });
        let before = faults.len();
        config.faults().for_each(|why| faults.add("match.config", why));
        (faults.len() == before).then_some(config)
    }

    /// Plays the document through the rules; what it says otherwise is a fault.
    fn play(&self, mut state: State, faults: &mut Faults) -> Option<State> {
        let config = state.config().clone();
        let before = faults.len();
        faults.check(self.swap2? == config.swap2_enabled, "swap2Enabled", || {
            let on = if config.swap2_enabled { "opens" } else { "does not open" };
            format!("this table {on} with Swap 2")
        });
        faults.check(
            self.opening.as_ref()?.is_some() == config.swap2_enabled,
            "swap2State",
            || "is there if swap2Enabled is true, and only then".to_owned(),
        );
        if faults.len() > before {
            return None;
        }
        if let Some(given) = self.opening.as_ref()? {
            let (opener, first) = (state.opener(), state.first_mover());
            let on = (config.board_size, first);
            let opening = given.open("swap2State", opener, &config.players, on, faults);
            for (deed, action) in opening?.deeds().zip(&given.actions) {
                let seat = state.opening().and_then(|opening| opening.active())?;
                state.open(seat, deed, action.timestamp.clone());
            }
        }
        let last = self.moves(&mut state, faults)?;
        self.compare(&state, faults);
        self.check_end(&state, last, faults);
        self.check_offer(&state, faults);
        if faults.len() > before {
            return None;
        }
        let open = self.offer?.map(|offer| (offer.seat, offer.r#type));
        let spent = SEATS.map(|seat| open.is_some_and(|(offerer, _)| offerer == seat));
        let spent = self.spent.unwrap_or(spent);
        let stage = match (self.end?, self.begun?) {
            (Some(end), _) => Stage::Over(end),
            (None, true) => Stage::Live,
            (None, false) => Stage::Fresh,
        };
        let nothing = state.count() == 0;
        faults.check(nothing || stage != Stage::Fresh, "match.begun", || {
            "the game has begun".to_owned()
        });
        state.resume(stage, Offers { open, spent });
        if let Some(forbidden) = &self.forbidden {
            let told: Vec<Point> = state.forbidden().iter().flat_map(|p| p.iter()).collect();
            faults.check(*forbidden == told, "forbidden", || {
                format!("there are {} such points in this order", told.len())
            });
        }
        if let Some(up) = self.up {
            faults.check(up == state.up(), "up", || match state.up() {
                Some(seat) => format!("is {seat}"),
                None => "is null while nobody is asked".to_owned(),
            });
        }
        Some(state)
    }

    /// Plays the moves; what the last one ends, if it ends the game.
    fn moves(&self, state: &mut State, faults: &mut Faults) -> Option<Option<Reason>> {
        let moves = self.moves.as_ref()?;
        if state.in_opening().is_some() && !moves.is_empty() {
            faults.add("moves", "there are none before the opening is complete");
            return None;
        }
        let mut ended = None;
        for (i, Move { x, y, color }) in moves.iter().enumerate() {
            let (point, colour) = (Point { x: *x, y: *y }, state.to_move());
            let mut wrong = |text: String| {
                faults.add(format!("moves.{i}"), text);
                None
            };
            if ended.is_some() {
                return wrong("the game was over before".to_owned());
            }
            if !state.board().size().contains(point) {
                return wrong("is off the board".to_owned());
            }
            if color.is_some_and(|given| given != colour) {
                return wrong(format!("it is {}'s turn", colour.name()));
            }
            match judge(state.config().rule, state.board(), colour, point) {
                Ok(end) => ended = end.map(|(reason, _)| reason),
                Err(reject) => return wrong(reject.text()),
            }
            state.lay(point);
        }
        Some(ended)
    }

    /// Holds what can be told from opening and moves against what is said.
    fn compare(&self, state: &State, faults: &mut Faults) {
        let size = state.board().size().get();
        if let Some(rows) = &self.board {
            let square = rows.len() == usize::from(size)
                && rows.iter().all(|row| row.len() == usize::from(size));
            faults.check(square, "board", || format!("has {size} rows of {size} points"));
            let unlike = state.board().size().all().find(|point| {
                let row = rows.get(usize::from(point.y));
                let cell = row.and_then(|row| row.get(usize::from(point.x)));
                cell.is_some_and(|cell| *cell != state.board().at(*point))
            });
            if let Some(Point { x, y }) = unlike {
                let path = format!("board.{y}.{x}");
                faults.add(path, "does not follow from the opening and the moves");
            }
        }
        if let Some(turn) = self.turn {
            let told = state.to_move();
            faults.check(turn == told, "currentTurn", || format!("is {:?}", told.mark()));
        }
        if let Some(phase) = self.phase {
            faults.check(phase == GamePhase::of(state), "gamePhase", || {
                "does not fit the opening".to_owned()
            });
        }
        if let Some(black) = self.black {
            faults.check(black == state.seat_of(Colour::Black), "black", || {
                "does not follow from the opening".to_owned()
            });
        }
    }

    /// Whether the game can have ended like this, or not at all.
    fn check_end(&self, state: &State, last: Option<Reason>, faults: &mut Faults) {
        let Some(end) = self.end else { return };
        let played_out = |reason| matches!(reason, Reason::Row | Reason::Full);
        let said = end.map(|end| end.reason).filter(|reason| played_out(*reason));
        if said != last {
            faults.add(
                "reason",
                match last {
                    Some(Reason::Row) => "the last stone made a row that wins, so it is \"row\"",
                    Some(_) => "no point is left to play, so it is \"full\"",
                    None => "the last stone did not end the game",
                },
            );
            return;
        }
        let Some(End { winner, reason }) = end else { return };
        let fits = match reason {
            Reason::Row => winner == state.seat_of(!state.to_move()),
            Reason::Full | Reason::Agreed | Reason::Closed => winner.is_none(),
            Reason::Timeout => winner == state.up_next().map(other),
            Reason::Resigned | Reason::Left => winner.is_some(),
        };
        faults.check(fits, "winner", || "does not fit the reason".to_owned());
        let possible = match reason {
            Reason::Timeout => state.config().timeout_policy == TimeoutPolicy::Forfeit,
            reason => reason != Reason::Agreed,
        };
        faults.check(possible || state.in_opening().is_none(), "reason", || {
            "cannot end an opening here".to_owned()
        });
        faults.check(self.line == line(state, reason), "line", || {
            "is the winning row, in its order; empty without one".to_owned()
        });
        if let Some(given) = &self.history {
            let told = serde_json::to_value(history(state)).unwrap_or_default();
            faults.check(*given == told, "swap2_history", || {
                "does not follow from the opening".to_owned()
            });
        }
    }

    fn check_offer(&self, state: &State, faults: &mut Faults) {
        let quiet = state.in_opening().is_some()
            || self.end.is_some_and(|end| end.is_some())
            || self.begun == Some(false);
        faults.check(
            !quiet || self.spent.is_none_or(|spent| spent == [false; 2]),
            "match.spent",
            || "offers are made in the game itself".to_owned(),
        );
        let Some(Some(Offered { seat, r#type: offer })) = self.offer else { return };
        faults.check(!quiet, "offer", || "is open only in the game itself".to_owned());
        let possible = offer == Offer::Draw || state.to_take_back(seat).is_some();
        faults.check(possible, "offer", || "there is no stone to take back".to_owned());
        faults.check(self.spent.is_none_or(|spent| spent[seat.index()]), "match.spent", || {
            "the seat whose offer is open has made one".to_owned()
        });
    }
}
