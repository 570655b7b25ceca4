//! A table put through the rules: what a turn, a resignation or a new game makes of it.

use crate::chance::Dice;
use crate::color::{Color, Pair};
use crate::doc::{self, Doc, Kind, LastMove};
use crate::matches::{Layout, Match, Played};
use crate::moves::{FileName, MoveFile, all_dice};
use crate::reject::Reject;
use crate::why::why_not;
use parlor_rules::{Draws, House, Input, Reject as _, Rules, Source, Tape, Target};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::command::{Action, Command, Level};
use parlor_rules_backgammon::event::Event;
use parlor_rules_backgammon::legal::Plays;
use parlor_rules_backgammon::state::{Phase, State};

/// A table: its state, and what stands beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// `state.json`.
    pub doc: Doc,
    /// `match.json`.
    pub meta: Match,
}

/// What came of something that was accepted.
#[derive(Clone, Debug)]
pub struct Step {
    /// The table after it.
    pub game: Game,
    /// What happened.
    pub events: Vec<Event>,
    /// The dice that fell, in the order they were drawn.
    pub drawn: Vec<u8>,
}

/// Where dice come from.
pub enum Chance<'a> {
    /// From a secret.
    Dice(&'a Dice),
    /// From what was written down.
    Tape(Tape),
}

impl Chance<'_> {
    /// The dice that were written down.
    pub fn tape(dice: &[u8]) -> Self {
        Self::Tape(Tape::new(dice.iter().map(|die| u32::from(die.wrapping_sub(1)))))
    }

    /// Whether nothing is left that had to be used.
    pub fn used(&self) -> bool {
        match self {
            Self::Dice(_) => true,
            Self::Tape(tape) => tape.is_empty(),
        }
    }
}

/// The rules at work on a table.
struct Run<'a, 'c> {
    state: State,
    game: u32,
    events: Vec<Event>,
    drawn: Vec<u8>,
    chance: &'a mut Chance<'c>,
}

impl Run<'_, '_> {
    /// Gives the rules an input in this turn; the new events.
    fn put(&mut self, turn: u32, input: &Input<Command>) -> Result<&[Event], Reject> {
        let mut from_secret;
        let source: &mut dyn Source = match self.chance {
            Chance::Dice(dice) => {
                from_secret = dice.turn(self.game, turn);
                &mut from_secret
            }
            Chance::Tape(tape) => tape,
        };
        let mut draws = Draws::new(source);
        let decided = Backgammon::decide(&self.state, input, &mut draws);
        let new = decided
            .map_err(|reject| Reject::Rules { why: why_not(&self.state, input, &reject) })?;
        let drawn = draws.finish().map_err(|fault| Reject::BadDice { why: fault.to_string() })?;
        self.drawn.extend(drawn.iter().map(|draw| *draw as u8 + 1));
        new.iter().for_each(|event| self.state.apply(event));
        let before = self.events.len();
        self.events.extend(new);
        Ok(&self.events[before..])
    }

    fn command(&mut self, turn: u32, color: Color, action: Action) -> Result<&[Event], Reject> {
        let seat = color.seat();
        self.put(turn, &Input::Play { seat, command: Command { action, seat } })
    }
}

/// The board a layout opens from.
fn opening(layout: Layout) -> Board {
    match layout {
        Layout::Standard => Board::OPENING,
        Layout::Printed => {
            let doc = Doc { board: Board::OPENING, ..blank() };
            let printed = doc.points().map(|men| -men);
            doc::board(&printed, &Pair::default(), &Pair::default()).unwrap_or(Board::OPENING)
        }
    }
}

/// A document nothing is written on yet.
fn blank() -> Doc {
    Doc {
        turn: 1,
        active: Color::White,
        dice: [0; 2],
        dice_used: Vec::new(),
        board: Board::OPENING,
        last: None,
        winner: None,
        players: Pair::default(),
        messages: Vec::new(),
        updated_at: String::new(),
    }
}

/// The most characters of a text of others in a message.
const PLAIN: usize = 240;

/// A text of others as it may stand in a message: short, and no control characters.
pub fn plain(text: &str) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let short: String = text.chars().map(clean).take(PLAIN).collect();
    if text.chars().count() > PLAIN { short + "…" } else { short }
}

impl Game {
    /// A new table with its first dice.
    pub fn open(
        meta: Match,
        players: Pair<String>,
        chance: &mut Chance<'_>,
        now_ms: u64,
    ) -> Result<Step, Reject> {
        Self { doc: Doc { players, ..blank() }, meta }.begin(chance, now_ms)
    }

    /// The next game of a match.
    pub fn next(&self, chance: &mut Chance<'_>, now_ms: u64) -> Result<Step, Reject> {
        let Doc { players, messages, updated_at, .. } = self.doc.clone();
        let game = self.meta.game + 1;
        let meta = Match { game, moves: Vec::new(), ..self.meta.clone() };
        let doc = Doc { players, messages, updated_at, ..blank() };
        Self { doc, meta }.begin(chance, now_ms)
    }

    fn begin(mut self, chance: &mut Chance<'_>, now_ms: u64) -> Result<Step, Reject> {
        let config = self.meta.config();
        config.check().map_err(|reject| Reject::Rules { why: reject.text() })?;
        let mut state = State::fresh(config, self.meta.standing(), false);
        state.board = opening(self.meta.layout);
        let mut run = self.run(state, chance);
        run.put(1, &Input::House(House::Begin {}))?;
        let Run { state, events, drawn, .. } = run;
        self.doc.date(now_ms);
        self.see(&state);
        let text = format!("Game started. {} to move.", self.doc.active.title());
        self.doc.say(Kind::Info, text);
        Ok(Step { game: self, events, drawn })
    }

    fn run<'a, 'c>(&self, state: State, chance: &'a mut Chance<'c>) -> Run<'a, 'c> {
        Run { state, game: self.meta.game, events: Vec::new(), drawn: Vec::new(), chance }
    }

    /// The game as the rules have it.
    pub fn state(&self) -> State {
        let mut state = State::fresh(self.meta.config(), self.meta.standing(), false);
        state.board = self.doc.board;
        state.up = self.doc.active.seat();
        state.phase = Phase::rolled(self.doc.dice);
        state
    }

    /// `legal.json`: every play of the dice, with the fingerprint of the state they are for. A page
    /// that knows no rules offers what is in it.
    pub fn legal(&self) -> String {
        let legal = Backgammon::legal(&self.state(), self.doc.active.seat());
        let plays = legal.plays().filter(|_| self.doc.winner.is_none()).map(Plays::uncut);
        let plays = serde_json::to_string(&plays).unwrap_or_default();
        format!("{{\"expectedState\":\"{}\",\"plays\":{plays}}}\n", self.doc.fingerprint())
    }

    /// Takes over what the rules have made of it.
    fn see(&mut self, state: &State) {
        self.doc.board = state.board;
        if let Phase::Moving { thrown, .. } = state.phase {
            self.doc.dice = thrown;
            self.doc.active = Color::of(state.up);
        }
    }

    /// Whether this move may be made now, the rules of the game aside.
    fn admits(&self, file: &MoveFile, name: &FileName) -> Result<(), Reject> {
        let doc = &self.doc;
        if doc.winner.is_some() {
            return Err(Reject::Completed);
        }
        if file.player != doc.active {
            return Err(Reject::Turn { active: doc.active.to_string() });
        }
        let due = doc.sequence() + 1;
        if name.sequence != due {
            return Err(Reject::Sequence { came: name.sequence, due });
        }
        let expected = doc.fingerprint();
        if file.expected != expected {
            return Err(Reject::Stale { due: expected });
        }
        let (came, due) = (all_dice(&file.dice), all_dice(&doc.all_dice()));
        if came != due {
            let shown = |dice: Option<Vec<u8>>| format!("{:?}", dice.unwrap_or_default());
            return Err(Reject::Dice { came: shown(came), due: shown(due) });
        }
        Ok(())
    }

    /// Plays a turn and rolls for the next that can be played.
    pub fn play(
        &self,
        file: &MoveFile,
        name: &FileName,
        chance: &mut Chance<'_>,
        now_ms: u64,
    ) -> Result<Step, Reject> {
        self.admits(file, name)?;
        let mut next = self.clone();
        let doc = &mut next.doc;
        doc.date(now_ms);
        let mut run = self.run(self.state(), chance);
        let play = Action::Play { moves: file.moves.clone() };
        for event in run.command(doc.turn, doc.active, play)? {
            if let Event::Moved { to: Some(to), hit: true, .. } = event {
                let hit = doc.active.other().title();
                doc.say(Kind::Info, format!("{hit} piece hit on point {}.", to + 1));
            }
        }
        doc.last =
            Some(LastMove { sequence: name.sequence, player: file.player, file: name.to_string() });
        next.meta.moves.push(name.to_string());
        while run.state.phase == Phase::ToRoll {
            doc.turn += 1;
            let up = Color::of(run.state.up);
            let rolled = run.command(doc.turn, up, Action::Roll {})?;
            if matches!(rolled.last(), Some(Event::Passed { .. })) {
                doc.say(Kind::Info, "No legal moves available");
            }
        }
        let used = file.moves.iter().map(|step| step.die).collect();
        let Run { state, events, drawn, .. } = run;
        next.see(&state);
        next.finish(&state, used, chance);
        Ok(Step { game: next, events, drawn })
    }

    /// A player gives up; the opponent is not asked.
    pub fn resign(
        &self,
        color: Color,
        value: Level,
        chance: &mut Chance<'_>,
        now_ms: u64,
    ) -> Result<Step, Reject> {
        if self.doc.winner.is_some() {
            return Err(Reject::Completed);
        }
        let mut next = self.clone();
        next.doc.date(now_ms);
        let mut run = self.run(self.state(), chance);
        run.command(self.doc.turn, color, Action::OfferResign { value })?;
        run.command(self.doc.turn, color.other(), Action::AnswerResign { accept: true })?;
        let Run { state, events, drawn, .. } = run;
        next.doc.say(Kind::Info, "Player resigned");
        next.finish(&state, Vec::new(), chance);
        Ok(Step { game: next, events, drawn })
    }

    /// Writes down the end of a game, if it is one.
    fn finish(&mut self, state: &State, used: Vec<u8>, chance: &Chance<'_>) {
        let Phase::Over(end) = state.phase else { return };
        let (Some(seat), Some(outcome)) = (end.winner, Backgammon::outcome(state)) else {
            return;
        };
        let winner = Color::of(seat);
        (self.doc.winner, self.doc.active, self.doc.dice_used) = (Some(winner), winner, used);
        let won = if outcome.result == "single" { "single game" } else { outcome.result };
        self.doc.say(Kind::Info, format!("{} wins a {won}.", winner.title()));
        let result = outcome.result.to_owned();
        self.meta.games.push(Played { winner, points: end.payout, result, reason: end.reason });
        let standing = state.standing.with(&end.credit());
        self.meta.score = Pair::from_fn(|color| standing.score[color.seat().index()]);
        if let (false, Some(_), Chance::Dice(dice)) =
            (self.wants_next(), self.meta.fairness.commitment, chance)
        {
            self.meta.fairness.secret = Some(dice.secret());
        }
    }

    /// Whether the next game of the match is to be begun.
    pub fn wants_next(&self) -> bool {
        let most = self.meta.score.white.max(self.meta.score.black);
        let goes_on = match self.meta.config().target() {
            Target::Single => false,
            Target::Points { points, .. } => most < points,
        };
        goes_on && self.doc.winner.is_some()
    }

    /// The same with something said, and nothing else changed.
    pub fn told(&self, kind: Kind, text: impl Into<String>, now_ms: u64) -> Self {
        let mut next = self.clone();
        next.doc.date(now_ms);
        next.doc.say(kind, text);
        next
    }
}
