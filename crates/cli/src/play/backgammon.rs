//! Backgammon in the terminal.

use super::people::People;
use super::{Face, Said};
use parlor_rules::{Json, Rules, Seat, Series, json, series};
use parlor_rules_backgammon::board::{BAR, Board as Men, OFF, Side, Step};
use parlor_rules_backgammon::command::{Action, Command, Level, Move};
use parlor_rules_backgammon::event::{Event, Reason};
use parlor_rules_backgammon::plays::{for_each_rest, lawful_step};
use parlor_rules_backgammon::state::{Phase, State, other};
use parlor_rules_backgammon::{Backgammon, notation};
use serde_json::Value;
use serde_json::value::RawValue;

/// The board as one seat sees it: own men are O, the other's X.
pub(crate) struct Board {
    who: People,
    me: Seat,
}

impl Board {
    pub(crate) fn new(who: People) -> Self {
        Self { me: who.side(), who }
    }

    /// What stands beside the board, from the top.
    fn margin(&self, state: &State, men: &Men, score: &[u32]) -> [(usize, String); 6] {
        let line = |mark, seat, side| {
            let who = self.who.label(seat);
            format!("{mark} {who}: {} pips, {} off", men.pips(side), men.men(side, OFF))
        };
        let holder = state.holder.map(|seat| self.who.whose(seat));
        let holder = holder.unwrap_or_else(|| "in the middle".to_owned());
        let cube = format!("cube {}, {holder}", state.stakes.get());
        let crawford = if state.crawford { " (Crawford)" } else { "" };
        let score = |seat: Seat| {
            let score = score.get(seat.index()).copied().unwrap_or(0);
            format!("{} {score}", self.who.label(seat))
        };
        let (mine, theirs) = (score(self.me), score(other(self.me)));
        let game = match state.config.r#match {
            0 => "money game".to_owned(),
            points => format!("match to {points}: {mine}, {theirs}{crawford}"),
        };
        let dice = match &state.phase {
            Phase::Moving { dice, .. } => {
                let faces: Vec<_> = dice.iter().map(|die| format!("[{die}]")).collect();
                format!("{} to play: {}", self.who.head(state.up), faces.join(" "))
            }
            _ => String::new(),
        };
        [
            (0, line("X", other(self.me), Side::Other)),
            (2, game),
            (5, if state.cube_in_use() { cube } else { "no cube".to_owned() }),
            (6, dice),
            (9, String::new()),
            (11, line("O", self.me, Side::Own)),
        ]
    }

    fn plays(&self, state: &State) -> Vec<(String, Vec<Move>)> {
        let mut plays = Vec::new();
        let Phase::Moving { dice, .. } = &state.phase else { return plays };
        let men = state.seen_by(self.me);
        for_each_rest(&men, dice, |steps, _| {
            let moves: Vec<_> = steps.iter().map(|step| Move::of(self.me, *step)).collect();
            if !moves.is_empty() {
                plays.push((notation::write(&men, steps), moves));
            }
        });
        plays.sort_by(|a, b| a.0.cmp(&b.0));
        plays
    }

    /// A line that is no word: a number from the list of plays, a play, or a single step.
    fn moves(&self, line: &str, state: &State) -> Result<Action, String> {
        let Phase::Moving { dice, .. } = &state.phase else {
            return Err("there is nothing to move now; help lists what you can say".to_owned());
        };
        if let Ok(number) = line.parse::<usize>() {
            let plays = self.plays(state);
            let chosen = number.checked_sub(1).and_then(|i| plays.into_iter().nth(i));
            let (_, moves) = chosen.ok_or("there is no such number; moves lists them")?;
            return Ok(Action::Play { moves });
        }
        let men = state.seen_by(self.me);
        match notation::read(line, &men, dice) {
            Ok(steps) => {
                let moves = steps.into_iter().map(|step| Move::of(self.me, step)).collect();
                Ok(Action::Play { moves })
            }
            Err(why) => match single_step(line, &men, dice) {
                Some(step) => Ok(Move::of(self.me, step).into()),
                None => Err(why.to_string()),
            },
        }
    }
}

/// The board as its player sees it, own men O: thirteen lines.
pub(crate) fn drawn(men: &Men) -> Vec<String> {
    let half = |points: [u8; 12], rows: [usize; 5]| {
        let mut lines = Vec::new();
        for row in rows {
            let mut line = String::from(" |");
            for (i, point) in points.into_iter().enumerate() {
                if i == 6 {
                    let bar = if points[0] == 13 { Side::Other } else { Side::Own };
                    line += &format!("|{}|", cell(men.men(bar, BAR), row, bar));
                }
                let own = men.men(Side::Own, point);
                line += &match own {
                    0 => cell(men.men(Side::Other, BAR - point), row, Side::Other),
                    own => cell(own, row, Side::Own),
                };
            }
            lines.push(line + "|");
        }
        lines
    };
    let mut lines = vec![" +13-14-15-16-17-18-+---+19-20-21-22-23-24-+".to_owned()];
    lines.extend(half([13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], [0, 1, 2, 3, 4]));
    lines.push(" |                  |BAR|                  |".to_owned());
    lines.extend(half([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1], [4, 3, 2, 1, 0]));
    lines.push(" +12-11-10--9--8--7-+---+-6--5--4--3--2--1-+".to_owned());
    lines
}

/// A turn may be played step by step.
fn single_step(line: &str, men: &Men, dice: &[u8]) -> Option<Step> {
    let plain = |text: &str| text.replace('*', "").to_lowercase();
    let every = dice.iter().flat_map(|die| (1..=BAR).map(|from| Step { from, die: *die }));
    every.into_iter().find(|step| {
        let lawful = lawful_step(men, dice, *step).is_some();
        lawful && plain(&notation::write(men, &[*step])) == plain(line)
    })
}

fn series_of(view: &RawValue) -> series::State<Backgammon> {
    let doc: Value = serde_json::from_str(view.get()).expect("a table speaks JSON");
    let series = Series::<Backgammon>::load(&Default::default(), doc);
    series.expect("a table shows documents that are whole")
}

fn state_of(view: &RawValue) -> State {
    series_of(view).game().clone()
}

impl Face for Board {
    fn draw(&self, view: &RawValue) -> String {
        let series = series_of(view);
        let state = series.game();
        let men = state.seen_by(self.me);
        let mut lines = drawn(&men);
        for (row, text) in self.margin(state, &men, &series.standing().score) {
            if !text.is_empty() {
                lines[row] += &format!("  {text}");
            }
        }
        lines.join("\n")
    }

    fn tell(&self, sights: &[Json], before: &RawValue) -> Vec<String> {
        let mut state = state_of(before);
        let mut lines = Vec::new();
        let mut steps = Vec::new();
        for sight in sights {
            let Ok(event) = serde_json::from_str::<Event>(sight.get()) else {
                lines.push("A new game begins.".to_owned());
                state = State::fresh(state.config, state.standing, false);
                continue;
            };
            // Steps are told together, from the board they began on.
            if matches!(event, Event::Moved { .. }) {
                steps.push(event);
                continue;
            }
            lines.extend(self.sentence(&event, &state, &mut steps));
            state.apply(&event);
        }
        lines
    }

    fn ask(&self, view: &RawValue, legal: &RawValue) -> String {
        let state = state_of(view);
        let may_double = legal.get().contains("\"propose-double\"");
        if let Some(offer) = state.resignation {
            let resigns = self.who.does(other(self.me), "resign");
            return format!("{resigns} a {} game: yes or no?", offer.value.name());
        }
        match &state.phase {
            Phase::Doubled { .. } => {
                let stakes = state.stakes.get();
                let doubles = self.who.does(other(self.me), "double");
                format!("{doubles} to {}: take, or drop and lose {stakes}?", 2 * stakes)
            }
            Phase::Moving { dice, .. } if dice.is_empty() => "commit or undo?".to_owned(),
            Phase::Moving { .. } => "Your move (as 8/5 6/5; moves lists them)".to_owned(),
            _ if may_double => "roll or double?".to_owned(),
            _ => "roll?".to_owned(),
        }
    }

    fn read(&self, line: &str, view: &RawValue, _: &RawValue) -> Said {
        let state = state_of(view);
        let line = line.trim().to_lowercase();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let action = match word {
            "roll" | "r" => Action::Roll {},
            "double" | "d" => Action::ProposeDouble {},
            "take" | "accept" | "t" => Action::Accept {},
            "drop" | "forfeit" | "concede" | "pass" => Action::Forfeit {},
            "beaver" => Action::Beaver {},
            "undo" | "u" => Action::Undo {},
            "commit" | "done" | "c" => Action::Commit {},
            "yes" | "y" => Action::AnswerResign { accept: true },
            "no" | "n" => Action::AnswerResign { accept: false },
            "resign" => {
                let wanted = if rest.is_empty() { "single" } else { rest };
                let named = |l: &Level| l.name() == wanted || (*l as u8).to_string() == wanted;
                match Level::ALL.into_iter().find(named) {
                    Some(value) => Action::OfferResign { value },
                    None => return Said::Show("resign single, gammon or backgammon?".to_owned()),
                }
            }
            "moves" | "m" => {
                let plays = self.plays(&state);
                if plays.is_empty() {
                    return Said::Show("there is nothing to move now".to_owned());
                }
                let numbered = plays.iter().enumerate();
                let lines = numbered.map(|(i, (text, _))| format!("{:4}  {text}", i + 1));
                return Said::Show(lines.collect::<Vec<_>>().join("\n"));
            }
            _ => match self.moves(&line, &state) {
                Ok(action) => action,
                Err(why) => return Said::Show(format!("Not understood: {why}.")),
            },
        };
        Said::Command(json(&Command { action, seat: self.me }))
    }

    fn describe(&self, command: &RawValue, view: &RawValue) -> String {
        let state = state_of(view);
        let Ok(Command { action, seat }) = serde_json::from_str(command.get()) else {
            return String::new();
        };
        if let Some(step) = action.step() {
            let steps: Vec<_> = step.seen_by(seat).into_iter().collect();
            return notation::write(&state.seen_by(seat), &steps);
        }
        match action {
            Action::Play { moves } => {
                let steps: Vec<_> = moves.iter().filter_map(|step| step.seen_by(seat)).collect();
                notation::write(&state.seen_by(seat), &steps)
            }
            Action::ProposeDouble {} => "double".to_owned(),
            Action::Accept {} => "take".to_owned(),
            Action::Forfeit {} => "drop".to_owned(),
            Action::Beaver {} => "beaver".to_owned(),
            Action::Undo {} => "undo".to_owned(),
            Action::Commit {} => "commit".to_owned(),
            Action::OfferResign { value } => format!("resign {}", value.name()),
            Action::AnswerResign { accept } => if accept { "yes" } else { "no" }.to_owned(),
            Action::Roll {}
            | Action::Move { .. }
            | Action::Enter { .. }
            | Action::BearOff { .. } => "roll".to_owned(),
        }
    }

    fn help(&self) -> &'static str {
        "Backgammon. You are O and move from 24 down to 1 and off; the other is X.\n\
         \n\
         \x20 roll            throw the dice          double          offer to double the stakes\n\
         \x20 8/5 6/5         a whole turn            8/5             one step of it\n\
         \x20 bar/20 6/off    from the bar, off       moves, 3        list the plays, take the third\n\
         \x20 undo, commit    take back, end the turn take, drop      answer a double\n\
         \x20 beaver          double back at once\n\
         \x20 resign gammon   offer to lose           yes, no         answer a resignation\n\
         \x20 hint  board  help  quit"
    }

    fn result(&self, view: &RawValue) -> String {
        let Some(outcome) = Series::<Backgammon>::outcome(&series_of(view)) else {
            return String::new();
        };
        let series = outcome.r#match;
        let Some(winner) = series.winner else { return "Nobody wins.".to_owned() };
        let wins = self.who.does(winner, "win");
        match series.points {
            Some(_) => {
                let [mine, theirs] = [self.me, other(self.me)].map(|s| series.score[s.index()]);
                format!("{wins} the match, {mine} to {theirs}.")
            }
            None => {
                let (payout, result) = (points(outcome.game.end.payout), outcome.game.result);
                format!("{wins} {payout} (a {result} game).")
            }
        }
    }
}

fn points(payout: u32) -> String {
    match payout {
        1 => "1 point".to_owned(),
        n => format!("{n} points"),
    }
}

impl Board {
    fn sentence(&self, event: &Event, state: &State, steps: &mut Vec<Event>) -> Option<String> {
        let stakes = state.stakes.get();
        Some(match event {
            Event::Opened { up } => format!("{}.", self.who.does(*up, "begin")),
            Event::OpeningRolled { dice: [a, b] } => {
                let (mine, theirs) = if self.me.index() == 0 { (a, b) } else { (b, a) };
                let them = other(self.me);
                let then = match mine.cmp(theirs) {
                    std::cmp::Ordering::Equal => "Again".to_owned(),
                    std::cmp::Ordering::Greater => self.who.does(self.me, "begin"),
                    std::cmp::Ordering::Less => self.who.does(them, "begin"),
                };
                let (me, them) = (self.who.name(self.me), self.who.name(them));
                format!("Opening roll: {me} {mine}, {them} {theirs}. {then}.")
            }
            Event::AutomaticDouble {} => format!("The stakes are {} now.", stakes * 2),
            Event::Rolled { seat, dice: [a, b] } => {
                format!("{} {a} and {b}.", self.who.does(*seat, "roll"))
            }
            Event::Committed { seat } if !steps.is_empty() => {
                let moves = steps.drain(..).filter_map(|step| match step {
                    Event::Moved { from, to, die, .. } => Move { from, to, die }.seen_by(*seat),
                    _ => None,
                });
                let play = notation::write(&state.seen_by(*seat), &moves.collect::<Vec<_>>());
                format!("{} {play}.", self.who.does(*seat, "play"))
            }
            Event::Passed { seat } => {
                format!("{} cannot move.", self.who.head(*seat))
            }
            Event::DoubleProposed { seat } => {
                format!("{} the cube at {}.", self.who.does(*seat, "offer"), stakes * 2)
            }
            Event::Accepted { seat } => {
                format!("{} it.", self.who.does(*seat, "take"))
            }
            Event::Beavered { seat } => format!("{}.", self.who.does(*seat, "beaver")),
            Event::ResignOffered { seat, value } => {
                let offers = self.who.does(*seat, "offer");
                format!("{offers} to resign a {} game.", value.name())
            }
            Event::ResignRefused { seat } => {
                format!("{} on.", self.who.does(*seat, "play"))
            }
            Event::Finished { winner: Some(winner), payout, reason } => {
                let how = match reason {
                    Reason::BorneOff => "",
                    Reason::Forfeit => " by a dropped double",
                    Reason::Resigned => " by resignation",
                    Reason::Timeout => " on time",
                    Reason::Left => " because the other left",
                    Reason::Closed => "",
                };
                format!("{} {}{how}.", self.who.does(*winner, "win"), points(*payout))
            }
            Event::Finished { winner: None, .. } => "The table is closed.".to_owned(),
            Event::Moved { .. } | Event::Undone { .. } | Event::Committed { .. } => return None,
        })
    }
}

fn cell(men: u8, row: usize, side: Side) -> String {
    let sign = if side == Side::Own { 'O' } else { 'X' };
    match usize::from(men) {
        men if men > 5 && row == 4 => format!("{men:^3}"),
        men if men > row => format!(" {sign} "),
        _ => "   ".to_owned(),
    }
}
