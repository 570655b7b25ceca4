//! `state.json`: how a game stands, for people and for diffs.

use crate::color::{Color, Pair};
use crate::moves::FileName;
use parlor_rules::doc::Word;
use parlor_rules::strict;
use parlor_rules::{Closed, Faults, Fields, utc};
use parlor_rules_backgammon::board::{BAR, Board, BoardFault, MEN, OFF, PLACES, Side};
use parlor_rules_backgammon::state::{Phase, doc_point, own_point, side};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How many messages are kept.
pub const MESSAGES: usize = 20;

/// What `state.json` holds. That both sides have fifteen men, and that a game with a winner is the
/// one that is completed, is part of the type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Doc {
    /// Turns so far, passes included, from 1.
    pub turn: u32,
    /// Who is to move; the winner when it is over.
    pub active: Color,
    /// The dice, as they fell.
    pub dice: [u8; 2],
    /// Those that were used; none while a turn is waited for.
    pub dice_used: Vec<u8>,
    /// The men, as the rules' seat 0 sees them.
    pub board: Board,
    /// The last move that was accepted.
    pub last: Option<LastMove>,
    /// Who won; none while it is played.
    pub winner: Option<Color>,
    /// Who plays.
    pub players: Pair<String>,
    /// What was said, oldest first.
    pub messages: Vec<Message>,
    /// When it was written.
    pub updated_at: String,
}

/// The last move that was accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastMove {
    /// Its number.
    pub sequence: u32,
    /// Whose it was.
    pub player: Color,
    /// The name of its file.
    pub file: String,
}

/// Something said to the players.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// How bad it is.
    pub kind: Kind,
    /// What is said.
    pub text: String,
    /// When.
    pub timestamp: String,
}

/// How bad a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something was refused.
    Error,
    /// Something happened.
    Info,
    /// Something was put right.
    Warning,
}

/// What was read of a file: the document if it has no faults, and what is odd about it.
#[derive(Debug)]
pub struct Read<T> {
    /// The document, or all that is wrong with it.
    pub found: Result<T, Faults>,
    /// What is odd and changes nothing.
    pub warnings: Faults,
}

/// A time as the documents write it.
pub fn stamp(at_ms: u64) -> String {
    utc::rfc3339(at_ms / 1_000 * 1_000).replace(".000Z", "Z")
}

/// Reads JSON in which no object names a field twice.
pub fn json_of(text: &str) -> Result<Value, String> {
    strict::value(text).map_err(|error| error.to_string())
}

impl Doc {
    /// The dice one by one: two, or four equal ones.
    pub fn all_dice(&self) -> Vec<u8> {
        Phase::dice(self.dice)
    }

    /// Men per index, white's positive.
    pub fn points(&self) -> [i8; 24] {
        std::array::from_fn(|index| {
            let men = |color: Color| {
                let own = own_point(color.seat(), index as u8).unwrap_or(OFF);
                self.board.men(side(color.seat()), own) as i8
            };
            men(Color::White) - men(Color::Black)
        })
    }

    /// Men on the bar.
    pub fn bar(&self) -> Pair<u8> {
        Pair::from_fn(|color| self.board.men(side(color.seat()), BAR))
    }

    /// Men borne off.
    pub fn home(&self) -> Pair<u8> {
        Pair::from_fn(|color| self.board.men(side(color.seat()), OFF))
    }

    /// The number of the last accepted move, 0 before the first.
    pub fn sequence(&self) -> u32 {
        self.last.as_ref().map_or(0, |last| last.sequence)
    }

    /// Says something at the time of this document; the oldest message beyond the limit goes.
    pub fn say(&mut self, kind: Kind, text: impl Into<String>) {
        let message = Message { kind, text: text.into(), timestamp: self.updated_at.clone() };
        self.messages.push(message);
        let old = self.messages.len().saturating_sub(MESSAGES);
        self.messages.drain(..old);
    }

    /// Dates the document; time never runs back.
    pub fn date(&mut self, now_ms: u64) {
        let before = utc::parse(&self.updated_at).unwrap_or(0);
        if now_ms >= before || self.updated_at.is_empty() {
            self.updated_at = stamp(now_ms);
        }
    }

    /// What a move is made for: the first 16 hex digits of the SHA-256 of what matters to the
    /// rules. Messages and dates do not; dice are sorted.
    pub fn fingerprint(&self) -> String {
        let mut dice = self.all_dice();
        dice.sort_unstable();
        let text = format!(
            r#"{{"board":{},"bar":{},"home":{},"dice":{},"activePlayer":{},"turn":{},"players":{},"lastMove":{}}}"#,
            json!(self.points()),
            compact(&self.bar()),
            compact(&self.home()),
            json!(dice),
            json!(self.active),
            self.turn,
            compact(&self.players),
            match &self.last {
                None => "null".to_owned(),
                Some(LastMove { sequence, player, file }) => format!(
                    r#"{{"sequence":{sequence},"player":{},"file":{}}}"#,
                    json!(player),
                    json!(file)
                ),
            }
        );
        crate::moves::hex(text.as_bytes(), 16)
    }

    /// The file: the contract's order of fields, the board in four rows of six.
    pub fn write(&self) -> String {
        let list = |dice: &[u8]| {
            let dice: Vec<String> = dice.iter().map(u8::to_string).collect();
            format!("[{}]", dice.join(", "))
        };
        let men =
            |men: Pair<u8>| format!("{{ \"white\": {}, \"black\": {} }}", men.white, men.black);
        let rows: Vec<String> = self
            .points()
            .chunks(6)
            .map(|row| row.iter().map(i8::to_string).collect::<Vec<_>>().join(", "))
            .collect();
        let last = match &self.last {
            None => "null".to_owned(),
            Some(LastMove { sequence, player, file }) => format!(
                "{{\n    \"sequence\": {sequence},\n    \"player\": \"{player}\",\n    \"file\": {}\n  }}",
                json!(file)
            ),
        };
        let message = |Message { kind, text, timestamp }: &Message| {
            format!(
                "    {{\n      \"type\": {},\n      \"text\": {},\n      \"timestamp\": {}\n    }}",
                json!(kind),
                json!(text),
                json!(timestamp)
            )
        };
        let messages: Vec<String> = self.messages.iter().map(message).collect();
        let messages = match messages.is_empty() {
            true => "[]".to_owned(),
            false => format!("[\n{}\n  ]", messages.join(",\n")),
        };
        let fields = [
            ("turn", self.turn.to_string()),
            ("activePlayer", json!(self.active).to_string()),
            ("dice", list(&self.all_dice())),
            ("diceUsed", list(&self.dice_used)),
            ("board", format!("[\n    {}\n  ]", rows.join(",\n    "))),
            ("bar", men(self.bar())),
            ("home", men(self.home())),
            ("lastMove", last),
            ("status", json!(self.status()).to_string()),
            ("winner", json!(self.winner).to_string()),
            (
                "players",
                format!(
                    "{{\n    \"white\": {},\n    \"black\": {}\n  }}",
                    json!(self.players.white),
                    json!(self.players.black)
                ),
            ),
            ("messages", messages),
            ("updatedAt", json!(self.updated_at).to_string()),
        ];
        let lines: Vec<String> =
            fields.iter().map(|(key, value)| format!("  \"{key}\": {value}")).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }

    fn status(&self) -> Status {
        if self.winner.is_some() { Status::Completed } else { Status::Playing }
    }

    /// Reads the file, with every fault.
    pub fn read(text: &str) -> Read<Self> {
        let (mut faults, mut warnings) = (Faults::default(), Faults::default());
        let given = match json_of(text) {
            Ok(value) => Given::draft(value, "", &mut faults),
            Err(why) => {
                faults.add("", format!("is not JSON: {why}"));
                None
            }
        };
        let doc = given.and_then(|given| given.check(&mut faults, &mut warnings));
        Read { found: doc.filter(|_| faults.is_empty()).ok_or(faults), warnings }
    }
}

/// The two words of a game's status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Playing,
    Completed,
}

fn compact<T: Serialize>(pair: &Pair<T>) -> String {
    serde_json::to_string(pair).unwrap_or_default()
}

/// What could be read of a document, field by field.
struct Given {
    turn: Option<u32>,
    active: Option<Color>,
    dice: Option<Vec<u8>>,
    dice_used: Option<Vec<u8>>,
    points: Option<Vec<i8>>,
    bar: Option<Pair<u8>>,
    home: Option<Pair<u8>>,
    last: Option<Option<LastMove>>,
    status: Option<Status>,
    winner: Option<Option<Color>>,
    players: Option<Pair<String>>,
    messages: Option<Vec<Message>>,
    updated_at: Option<String>,
}

const COLOR: &str = "\"white\" or \"black\"";

fn color(fields: &mut Fields, key: &'static str, faults: &mut Faults) -> Option<Color> {
    fields.take::<Word<Color>>(key, COLOR, faults).map(|Word(color)| color)
}

/// Takes a text and holds it against a rule.
pub(crate) fn text(
    fields: &mut Fields,
    key: &'static str,
    wanted: &str,
    fits: fn(&str) -> bool,
    faults: &mut Faults,
) -> Option<String> {
    let path = match fields.path() {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    let text = fields.take::<String>(key, wanted, faults)?;
    faults.check(fits(&text), &path, || format!("needs {wanted}, not {text:?}"));
    Some(text)
}

/// Takes a time that is one.
pub(crate) fn time(fields: &mut Fields, key: &'static str, faults: &mut Faults) -> Option<String> {
    let wanted = "a time like 2025-01-21T12:00:00Z (RFC 3339)";
    text(fields, key, wanted, |text| utc::parse(text).is_some(), faults)
}

/// A pair that is a closed object of its own.
struct Two<T>(Pair<T>);

impl Closed for Two<u8> {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let [white, black] = ["white", "black"]
            .map(|key| fields.take::<u8>(key, "a number of men, 0 to 15", faults));
        Some(Self(Pair { white: white?, black: black? }))
    }
}

impl Closed for Two<String> {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let [white, black] =
            ["white", "black"].map(|key| fields.take::<String>(key, "a name", faults));
        Some(Self(Pair { white: white?, black: black? }))
    }
}

impl Closed for LastMove {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let sequence = fields.take("sequence", "a number from 1", faults);
        let player = color(fields, "player", faults);
        let file = fields.take("file", "the name of a move file", faults);
        Some(Self { sequence: sequence?, player: player?, file: file? })
    }
}

impl Closed for Message {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let kind = fields.take::<Word<Kind>>("type", "error, info or warning", faults);
        let text = text(fields, "text", "words", |text| !text.is_empty(), faults);
        let timestamp = time(fields, "timestamp", faults);
        Some(Self { kind: kind?.0, text: text?, timestamp: timestamp? })
    }
}

impl Closed for Given {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let dice = "a list of dice, 1 to 6";
        Some(Self {
            turn: fields.take("turn", "a number from 1", faults),
            active: color(fields, "activePlayer", faults),
            dice: fields.take("dice", dice, faults),
            dice_used: fields.take("diceUsed", dice, faults),
            points: fields.take("board", "24 numbers from -15 to 15", faults),
            bar: pair(fields, "bar", faults),
            home: pair(fields, "home", faults),
            last: fields.nullable("lastMove", "a move or null", faults),
            status: fields
                .take::<Word<Status>>("status", "playing or completed", faults)
                .map(|Word(status)| status),
            winner: fields
                .take::<Option<Word<Color>>>("winner", "white, black or null", faults)
                .map(|winner| winner.map(|Word(color)| color)),
            players: pair(fields, "players", faults),
            messages: fields.list("messages", "a list of messages", faults),
            updated_at: time(fields, "updatedAt", faults),
        })
    }
}

/// An object with something for each colour.
fn pair<T>(fields: &mut Fields, key: &'static str, faults: &mut Faults) -> Option<Pair<T>>
where
    Two<T>: Closed,
{
    let value = fields.take::<Value>(key, "an object with white and black", faults)?;
    Two::read(value, key, faults).map(|Two(pair)| pair)
}

/// Two different dice, or four equal ones.
pub fn roll(dice: &[u8]) -> Option<[u8; 2]> {
    let faces = dice.iter().all(|die| (1..=6).contains(die));
    let roll = match *dice {
        [a, b] if a != b => [a, b],
        [a, b, c, d] if a == b && b == c && c == d => [a, b],
        _ => return None,
    };
    faces.then_some(roll)
}

impl Given {
    /// Holds the fields against each other.
    fn check(self, faults: &mut Faults, warnings: &mut Faults) -> Option<Doc> {
        let dice = self.dice.as_deref().and_then(|dice| {
            let roll = roll(dice);
            faults.check(roll.is_some(), "dice", || {
                "are two different dice or four equal ones, each 1 to 6".to_owned()
            });
            roll
        });
        let completed = self.status == Some(Status::Completed);
        if let (Some(used), Some(dice)) = (&self.dice_used, &self.dice) {
            let mut left = dice.clone();
            let part = used.iter().all(|die| {
                let place = left.iter().position(|one| one == die);
                place.map(|place| left.remove(place)).is_some()
            });
            faults.check(part, "diceUsed", || "are dice of this roll, each once".to_owned());
            faults.check(completed || used.is_empty(), "diceUsed", || {
                "is empty while a turn is waited for".to_owned()
            });
        }
        let board = self.board(faults);
        self.check_end(board.as_ref(), faults, warnings);
        self.check_last(completed, faults, warnings);
        self.check_people(faults, warnings);
        faults.check(self.turn != Some(0), "turn", || "counts from 1".to_owned());
        Some(Doc {
            turn: self.turn?,
            active: self.active?,
            dice: dice?,
            dice_used: self.dice_used?,
            board: board?,
            last: self.last?,
            winner: self.winner?,
            players: self.players?,
            messages: self.messages?,
            updated_at: self.updated_at?,
        })
    }

    fn board(&self, faults: &mut Faults) -> Option<Board> {
        let points = self.points.as_ref()?;
        if points.len() != 24 {
            faults.add("board", format!("has 24 points, not {}", points.len()));
            return None;
        }
        for (index, men) in points.iter().enumerate() {
            faults.check(men.unsigned_abs() <= MEN, &format!("board.{index}"), || {
                format!("is -15 to 15, not {men}")
            });
        }
        let (bar, home) = (self.bar.as_ref()?, self.home.as_ref()?);
        board(points, bar, home)
            .map_err(|found| {
                for fault in found {
                    let text = match fault {
                        BoardFault::Men { side, men } => {
                            let color = if side == Side::Own { Color::Black } else { Color::White };
                            format!("{color} has {men} men with bar and home, not {MEN}")
                        }
                        fault => fault.to_string(),
                    };
                    faults.add("board", text);
                }
            })
            .ok()
    }

    fn check_end(&self, board: Option<&Board>, faults: &mut Faults, warnings: &mut Faults) {
        let (Some(status), Some(winner)) = (self.status, self.winner) else { return };
        let completed = status == Status::Completed;
        faults.check(completed == winner.is_some(), "winner", || match completed {
            true => "is white or black when the game is completed".to_owned(),
            false => "is null while the game is played".to_owned(),
        });
        if let Some((side, _)) = board.and_then(Board::win_level) {
            let done = if side == Side::Own { Color::Black } else { Color::White };
            faults.check(completed, "status", || format!("is completed: {done} is home"));
            faults.check(!completed || winner == Some(done), "winner", || {
                format!("is {done}, who is home")
            });
        }
        let fits = !completed || winner.is_none() || self.active.is_none() || self.active == winner;
        warnings
            .check(fits, "activePlayer", || "is the winner when the game is completed".to_owned());
    }

    fn check_last(&self, completed: bool, faults: &mut Faults, warnings: &mut Faults) {
        let (Some(last), Some(turn)) = (&self.last, self.turn) else { return };
        let Some(last) = last else {
            faults.check(turn <= 1, "lastMove", || "is null only in turn 1".to_owned());
            return;
        };
        let sequence = last.sequence;
        faults.check(sequence > 0, "lastMove.sequence", || "counts from 1".to_owned());
        let most = if completed { turn } else { turn.saturating_sub(1) };
        faults.check(sequence <= most, "lastMove.sequence", || {
            format!("is at most {most} in turn {turn}")
        });
        match FileName::loose(&last.file) {
            None => faults.add("lastMove.file", FileName::NONE),
            Some((number, color)) => {
                faults.check(number == sequence && color == last.player, "lastMove.file", || {
                    format!("says {number} and {color}, lastMove {sequence} and {}", last.player)
                });
            }
        }
        // After a pass the same player moves again.
        let passed = completed || turn > sequence + 1;
        let fits = passed || self.active.is_none_or(|active| active == last.player.other());
        warnings.check(fits, "lastMove.player", || {
            "moved last and is to move, though nobody passed".to_owned()
        });
    }

    fn check_people(&self, faults: &mut Faults, warnings: &mut Faults) {
        if let Some(Pair { white, black }) = &self.players {
            for (path, name) in [("players.white", white), ("players.black", black)] {
                faults.check(!name.is_empty(), path, || "is a name".to_owned());
            }
            faults.check(!same_name(white, black), "players", || {
                "are two different people".to_owned()
            });
        }
        let mut before = None;
        for (i, message) in self.messages.iter().flatten().enumerate() {
            let at = utc::parse(&message.timestamp);
            warnings.check(at >= before, &format!("messages.{i}.timestamp"), || {
                "is before the message before it".to_owned()
            });
            before = at;
        }
    }
}

/// Whether two names are one player's.
pub fn same_name(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// A board from men per index, white's positive.
pub fn board(points: &[i8], bar: &Pair<u8>, home: &Pair<u8>) -> Result<Board, Vec<BoardFault>> {
    let [black, white] = [Color::Black, Color::White].map(|color| {
        let mut places = [0; PLACES];
        places[usize::from(OFF)] = *home.of(color);
        places[usize::from(BAR)] = *bar.of(color);
        for own in 1..=24 {
            let index = doc_point(color.seat(), own).map_or(0, usize::from);
            let men = points.get(index).copied().unwrap_or(0);
            let mine = (men > 0) == (color == Color::White);
            places[usize::from(own)] = if mine { men.unsigned_abs() } else { 0 };
        }
        places
    });
    Board::new(black, white)
}
