//! Gomoku in the terminal.

use super::{Face, Said};
use parlor_rules::{Json, Rules, Seat, Series, json, series};
use parlor_rules_gomoku::board::{Point, Size};
use parlor_rules_gomoku::command::{Command, Coordinate};
use parlor_rules_gomoku::event::{Event, Offer, Reason};
use parlor_rules_gomoku::state::{State, other};
use parlor_rules_gomoku::swap2::{Choice, Phase};
use parlor_rules_gomoku::{Gomoku, notation};
use serde_json::Value;
use serde_json::value::RawValue;

/// The board, for this seat.
pub(crate) struct Board {
    me: Seat,
}

fn series_of(view: &RawValue) -> series::State<Gomoku> {
    let doc: Value = serde_json::from_str(view.get()).expect("a table speaks JSON");
    let series = Series::<Gomoku>::load(&Default::default(), doc);
    series.expect("a table shows documents that are whole")
}

impl Board {
    pub(crate) fn new(me: Seat) -> Self {
        Self { me }
    }

    fn name(&self, seat: Seat) -> &'static str {
        if seat == self.me { "You" } else { "The house" }
    }

    /// You play, the house plays.
    fn s(&self, seat: Seat) -> &'static str {
        if seat == self.me { "" } else { "s" }
    }

    /// What stands beside the board, from the top.
    fn margin(&self, state: &State, score: &[u32]) -> Vec<String> {
        let colour = match state.colour_of(self.me) {
            Some(colour) => format!("you are {} ({})", colour.mark(), colour.name()),
            None => "nobody has a colour yet".to_owned(),
        };
        let phase = match state.in_opening() {
            Some(opening) => format!("Swap 2: {} stones laid", opening.stones().count()),
            None => format!("{} to move", state.to_move().mark()),
        };
        let mut lines = vec![format!("rule {}", state.config().rule.name()), colour, phase];
        if state.config().r#match > 0 {
            let of = |seat: Seat| score.get(seat.index()).copied().unwrap_or(0);
            let (mine, theirs) = (of(self.me), of(other(self.me)));
            let points = state.config().r#match;
            lines.insert(0, format!("first to {points}: you {mine}, house {theirs}"));
        }
        if state.forbidden().is_some_and(|points| !points.is_empty()) {
            lines.push("! is forbidden to black".to_owned());
        }
        lines
    }

    fn sentence(&self, event: &Event, size: Size) -> Option<String> {
        let at = |x: u8, y: u8| notation::name(Point { x, y }, size);
        Some(match event {
            Event::Begun { opener } => {
                format!("{} open{} the game.", self.name(*opener), self.s(*opener))
            }
            Event::StonePlaced { seat, x, y, .. } => {
                format!("{} lay{} a stone on {}.", self.name(*seat), self.s(*seat), at(*x, *y))
            }
            Event::ChoiceMade { seat, choice, .. } => {
                let (who, s) = (self.name(*seat), self.s(*seat));
                match choice {
                    Choice::PlaceMore => format!("{who} lay{s} two more stones."),
                    choice => format!("{who} take{s} {}.", choice.name()),
                }
            }
            Event::Moved { seat, x, y } => {
                format!("{} play{} {}.", self.name(*seat), self.s(*seat), at(*x, *y))
            }
            Event::Offered { seat, offer } => {
                let what = match offer {
                    Offer::Draw => "a draw",
                    Offer::Takeback => "to take back a stone",
                };
                format!("{} offer{} {what}.", self.name(*seat), self.s(*seat))
            }
            Event::Declined { seat, .. } => {
                format!("{} decline{}.", self.name(*seat), self.s(*seat))
            }
            Event::TakenBack { seat, .. } => {
                format!("{} take{} back a stone.", self.name(*seat), self.s(*seat))
            }
            Event::Finished { winner: Some(winner), reason, line } => {
                let how = match reason {
                    Reason::Row => {
                        format!(" with {}", notation::names(line.iter().copied(), size))
                    }
                    Reason::Resigned => " by resignation".to_owned(),
                    Reason::Timeout => " on time".to_owned(),
                    Reason::Left => " because the other left".to_owned(),
                    Reason::Full | Reason::Agreed | Reason::Closed => String::new(),
                };
                format!("{} win{} the game{how}.", self.name(*winner), self.s(*winner))
            }
            Event::Finished { winner: None, reason, .. } => match reason {
                Reason::Closed => "The table is closed.".to_owned(),
                Reason::Agreed => "A draw is agreed.".to_owned(),
                _ => "No point is left to play: a draw.".to_owned(),
            },
        })
    }
}

impl Face for Board {
    fn draw(&self, view: &RawValue) -> String {
        let series = series_of(view);
        let state = series.game();
        let size = state.board().size();
        let forbidden = state.forbidden().unwrap_or_default();
        let last = state.moves().next_back().map(|(_, point)| point);
        let letters: String =
            (0..size.get()).map(|x| format!(" {}", char::from(b'a' + x))).collect();
        let mut lines = vec![format!("   {letters}")];
        for y in 0..size.get() {
            let cell = |x: u8| {
                let point = Point { x, y };
                let mark = match state.board().at(point) {
                    Some(colour) => colour.mark(),
                    None if forbidden.contains(point) => "!",
                    None => ".",
                };
                // The last stone stands out.
                format!("{}{mark}", if last == Some(point) { '>' } else { ' ' })
            };
            let cells: String = (0..size.get()).map(cell).collect();
            lines.push(format!("{:3}{cells}", size.get() - y));
        }
        for (line, text) in lines[1..].iter_mut().zip(self.margin(state, &series.standing().score))
        {
            *line += &format!("   {text}");
        }
        lines.join("\n")
    }

    fn tell(&self, sights: &[Json], before: &RawValue) -> Vec<String> {
        let size = series_of(before).game().board().size();
        let told = sights.iter().map(|sight| match serde_json::from_str::<Event>(sight.get()) {
            Ok(event) => self.sentence(&event, size),
            Err(_) => Some("A new game begins.".to_owned()),
        });
        told.flatten().collect()
    }

    fn ask(&self, view: &RawValue, _: &RawValue) -> String {
        let series = series_of(view);
        let state = series.game();
        if state.answers() == Some(self.me) {
            return match state.offers().open {
                Some((_, Offer::Takeback)) => "The house asks to take back a stone: yes or no?",
                _ => "The house offers a draw: yes or no?",
            }
            .to_owned();
        }
        match state.in_opening().map(|opening| (opening.phase(), opening.stones().count())) {
            Some((Phase::Placement, laid)) => format!("Lay stone {} of 3 (as h8)", laid + 1),
            Some((Phase::Extra, laid)) => format!("Lay stone {} of 5 (as h8)", laid + 1),
            Some((Phase::Choice, _)) => "black, white or more?".to_owned(),
            Some((Phase::FinalChoice, _)) => "black or white?".to_owned(),
            Some((Phase::Complete, _)) | None => "Your move (as h8)".to_owned(),
        }
    }

    fn read(&self, line: &str, view: &RawValue, _: &RawValue) -> Said {
        let series = series_of(view);
        let state = series.game();
        let line = line.trim().to_lowercase();
        let takeback = matches!(state.offers().open, Some((_, Offer::Takeback)));
        let answer = |accept| match takeback {
            true => Command::AnswerTakeback { accept },
            false => Command::AnswerDraw { accept },
        };
        let choice = |choice: Choice| Command::MakeChoice { choice: choice.name().to_owned() };
        let command = match line.as_str() {
            "black" => choice(Choice::Black),
            "white" => choice(Choice::White),
            "more" | "place_more" => choice(Choice::PlaceMore),
            "resign" => Command::Resign {},
            "draw" => Command::OfferDraw {},
            "takeback" | "undo" => Command::OfferTakeback {},
            "yes" | "y" => answer(true),
            "no" | "n" => answer(false),
            _ => match notation::point(&line, state.board().size()) {
                Ok(Point { x, y }) => {
                    let (x, y): (Coordinate, Coordinate) = (x.into(), y.into());
                    match state.in_opening() {
                        Some(_) => Command::PlaceStone { x, y },
                        None => Command::Move { x, y },
                    }
                }
                Err(why) => return Said::Show(format!("Not understood: {why}.")),
            },
        };
        Said::Command(json(&command))
    }

    fn describe(&self, command: &RawValue, view: &RawValue) -> String {
        let size = series_of(view).game().board().size();
        let Ok(command) = serde_json::from_str(command.get()) else { return String::new() };
        match command {
            Command::PlaceStone { x, y } | Command::Move { x, y } => x
                .on(size)
                .zip(y.on(size))
                .map_or_else(String::new, |(x, y)| notation::name(Point { x, y }, size)),
            Command::MakeChoice { choice } if choice == Choice::PlaceMore.name() => "more".into(),
            Command::MakeChoice { choice } => choice,
            Command::Resign {} => "resign".to_owned(),
            Command::OfferDraw {} => "draw".to_owned(),
            Command::OfferTakeback {} => "takeback".to_owned(),
            Command::AnswerDraw { accept } | Command::AnswerTakeback { accept } => {
                if accept { "yes" } else { "no" }.to_owned()
            }
        }
    }

    fn help(&self) -> &'static str {
        "Gomoku. X is black, O is white; a row of five wins.\n\
         Swap 2 opens the game: one lays three stones, X O X; the other takes black, takes white,\n\
         or lays two more and leaves the choice.\n\
         \n\
         \x20 h8              lay a stone             black, white    take that colour\n\
         \x20 more            lay two more stones     resign          lose the game\n\
         \x20 draw            offer a draw            takeback        ask for your last stone back\n\
         \x20 yes, no         answer an offer\n\
         \x20 hint  board  help  quit"
    }

    fn result(&self, outcome: &RawValue) -> String {
        let outcome: Value = serde_json::from_str(outcome.get()).unwrap_or_default();
        let series = &outcome["match"];
        let who = match series["winner"].as_u64() {
            None => "Nobody wins",
            Some(seat) if seat == self.me.index() as u64 => "You win",
            Some(_) => "The house wins",
        };
        match series["score"].as_array() {
            Some(score) if series["points"].is_number() => {
                let [mine, theirs] = [self.me, other(self.me)].map(|s| &score[s.index()]);
                format!("{who} the match, {mine} to {theirs}.")
            }
            _ => match outcome["color"].as_str() {
                Some(colour) => format!("{who} the game, as {colour}."),
                None => format!("{who} the game."),
            },
        }
    }
}
