//! Gomoku in the terminal.

use super::people::People;
use super::{Face, Said};
use parlor_rules::series::{self, Final};
use parlor_rules::{Json, Rules, Seat, Series, json};
use parlor_rules_gomoku::board::{Colour, Point, Size};
use parlor_rules_gomoku::command::{Command, Coordinate};
use parlor_rules_gomoku::event::{Event, Offer, Reason};
use parlor_rules_gomoku::state::{Stage, State, other};
use parlor_rules_gomoku::swap2::{Choice, Phase};
use parlor_rules_gomoku::{Gomoku, notation};
use serde_json::Value;
use serde_json::value::RawValue;

/// The board, for this seat.
pub(crate) struct Board {
    who: People,
    me: Seat,
}

fn series_of(view: &RawValue) -> series::State<Gomoku> {
    let doc: Value = serde_json::from_str(view.get()).expect("a table speaks JSON");
    let series = Series::<Gomoku>::load(&Default::default(), doc);
    series.expect("a table shows documents that are whole")
}

impl Board {
    /// Why a command is not what the game is at, in the words of this terminal; the rest is for the
    /// table to judge.
    fn out_of_place(&self, state: &State, command: &Command) -> Option<&'static str> {
        let mine = state.up() == Some(self.me);
        let phase = state.in_opening().map(|opening| opening.phase());
        Some(match (command, phase) {
            (Command::Resign {}, _) => return None,
            (Command::PlaceStone { .. } | Command::Move { .. } | Command::MakeChoice { .. }, _)
                if !mine =>
            {
                "It is not your turn."
            }
            (Command::PlaceStone { .. }, Some(Phase::Choice)) => {
                "Choose first: black, white or more."
            }
            (Command::PlaceStone { .. }, Some(Phase::FinalChoice)) => {
                "Choose first: black or white."
            }
            (Command::MakeChoice { .. }, Some(Phase::Placement | Phase::Extra)) => {
                "Lay your stones first; the colours are chosen after that."
            }
            (Command::MakeChoice { choice }, Some(Phase::FinalChoice))
                if choice == Choice::PlaceMore.name() =>
            {
                "All five stones lie: choose black or white."
            }
            (Command::MakeChoice { .. }, None) => "There is no colour to choose: lay a stone.",
            (
                Command::OfferDraw {}
                | Command::OfferTakeback {}
                | Command::AnswerDraw { .. }
                | Command::AnswerTakeback { .. },
                Some(_),
            ) => "Not during the opening; offers are for the game after it.",
            (Command::AnswerDraw { .. } | Command::AnswerTakeback { .. }, None)
                if state.answers() != Some(self.me) =>
            {
                "There is nothing to answer."
            }
            _ => return None,
        })
    }

    pub(crate) fn new(who: People) -> Self {
        Self { me: who.side(), who }
    }

    /// What stands beside the board, from the top.
    fn margin(&self, state: &State, score: &[u32]) -> Vec<String> {
        let colour = match state.colour_of(self.me) {
            Some(colour) => {
                let is = if self.who.is_me(self.me) { "are" } else { "is" };
                let (who, mark) = (self.who.label(self.me), colour.mark());
                format!("{who} {is} {mark} ({})", colour.name())
            }
            None => "nobody has a colour yet".to_owned(),
        };
        let phase = match state.in_opening() {
            _ if matches!(state.stage(), Stage::Over(_)) => "the game is over".to_owned(),
            Some(opening) => match opening.stones().count() {
                1 => "Swap 2: 1 stone laid".to_owned(),
                laid => format!("Swap 2: {laid} stones laid"),
            },
            None => format!("{} to move", state.to_move().mark()),
        };
        let mut lines = vec![format!("rule {}", state.config().rule.name()), colour, phase];
        if state.config().r#match > 0 {
            let of = |seat: Seat| {
                let score = score.get(seat.index()).copied().unwrap_or(0);
                format!("{} {score}", self.who.label(seat))
            };
            let (mine, theirs) = (of(self.me), of(other(self.me)));
            let points = state.config().r#match;
            lines.insert(0, format!("first to {points}: {mine}, {theirs}"));
        }
        if state.forbidden().is_some_and(|points| !points.is_empty()) {
            lines.push("! is forbidden to black".to_owned());
        }
        lines
    }

    fn sentence(&self, event: &Event, size: Size) -> Option<String> {
        let at = |x: u8, y: u8| notation::name(Point { x, y }, size);
        let does = |seat: &Seat, verb| self.who.does(*seat, verb);
        Some(match event {
            Event::Begun { opener } => format!("{} the game.", does(opener, "open")),
            Event::StonePlaced { seat, x, y, .. } => {
                format!("{} a stone on {}.", does(seat, "lay"), at(*x, *y))
            }
            Event::ChoiceMade { seat, choice: Choice::PlaceMore, .. } => {
                format!("{} two more stones.", does(seat, "lay"))
            }
            Event::ChoiceMade { seat, choice, .. } => {
                format!("{} {}.", does(seat, "take"), choice.name())
            }
            Event::Moved { seat, x, y } => format!("{} {}.", does(seat, "play"), at(*x, *y)),
            Event::Offered { seat, offer: Offer::Draw } => {
                format!("{} a draw.", does(seat, "offer"))
            }
            Event::Offered { seat, offer: Offer::Takeback } => {
                format!("{} to take back a stone.", does(seat, "ask"))
            }
            Event::Declined { seat, .. } => format!("{}.", does(seat, "decline")),
            Event::TakenBack { seat, stones } => {
                let more = if *stones > 1 { ", and the answer to it goes too" } else { "" };
                format!("{} back a stone{more}.", does(seat, "take"))
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
                format!("{} the game{how}.", does(winner, "win"))
            }
            Event::Finished { winner: None, reason, .. } => match reason {
                Reason::Closed => "The table is closed.".to_owned(),
                Reason::Agreed => "A draw is agreed.".to_owned(),
                _ => "No point is left to play: a draw.".to_owned(),
            },
        })
    }
}

impl Board {
    fn ending(&self, colour: Option<Colour>, series: &Final) -> String {
        let wins = series.winner.map(|seat| self.who.does(seat, "win"));
        let wins = wins.unwrap_or_else(|| "Nobody wins".to_owned());
        match (series.points, colour) {
            (Some(_), _) => {
                // The winner's games come first.
                let first = series.winner.unwrap_or(self.me);
                let [won, lost] = [first, other(first)].map(|seat| series.score[seat.index()]);
                format!("{wins} the match, {won} to {lost}.")
            }
            (None, Some(colour)) => format!("{wins} the game, as {}.", colour.name()),
            (None, None) => format!("{wins} the game."),
        }
    }
}

impl Face for Board {
    fn draw(&self, view: &RawValue) -> String {
        let series = series_of(view);
        let state = series.game();
        let size = state.board().size();
        let forbidden = state.forbidden().unwrap_or_default();
        let opening = state.opening().and_then(|opening| opening.stones().last());
        let last = state.moves().next_back().map(|(_, point)| point).or(opening);
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
            let does = |verb| self.who.does(other(self.me), verb);
            return match state.offers().open {
                Some((seat, Offer::Takeback)) => {
                    let both = state.to_take_back(seat) == Some(2);
                    let more = if both { ", and your answer to it goes too" } else { "" };
                    format!("{} to take back a stone{more}: yes or no?", does("ask"))
                }
                _ => format!("{} a draw: yes or no?", does("offer")),
            };
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
        match self.out_of_place(state, &command) {
            Some(why) => Said::Show(why.to_owned()),
            None => Said::Command(json(&command)),
        }
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

    fn result(&self, view: &RawValue) -> String {
        let outcome = Series::<Gomoku>::outcome(&series_of(view));
        outcome
            .map_or_else(String::new, |outcome| self.ending(outcome.game.color, &outcome.r#match))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_rules::{Draws, Input, Seeded, Viewer};
    use serde_json::json;

    const ME: Seat = Seat::new(0);
    const HOUSE: Seat = Seat::new(1);

    struct Table(series::State<Gomoku>);

    impl Table {
        fn new(config: Value) -> Self {
            let config = serde_json::from_value(config).unwrap();
            Self(
                Series::<Gomoku>::begin(&config, 2, &mut Draws::new(&mut Seeded::new(""))).unwrap(),
            )
        }

        /// What a line of a seat is taken for; a command is played, and its refusal told.
        fn hears(&mut self, seat: Seat, line: &str) -> String {
            let command =
                match Board::new(People::alone(seat, 2)).read(line, &self.view(), &json(&())) {
                    Said::Show(text) => return text,
                    Said::Command(command) => serde_json::from_str(command.get()).unwrap(),
                };
            let input = Input::Play { seat, command };
            let mut chance = Seeded::new("");
            match Series::<Gomoku>::play(&mut self.0, &input, &mut Draws::new(&mut chance)) {
                Ok(_) => String::new(),
                Err(reject) => parlor_rules::Reject::text(&reject),
            }
        }

        fn view(&self) -> Json {
            json(&Series::<Gomoku>::view(&self.0, Viewer::Seat(ME)))
        }
    }

    #[test]
    fn people_are_answered_in_words_of_the_terminal() {
        let mut table = Table::new(json!({"swap2Enabled": true, "rule": "renju"}));
        let placing = "Lay your stones first; the colours are chosen after that.";
        assert_eq!(table.hears(ME, "black"), placing);
        assert_eq!(table.hears(ME, "draw").split(';').next(), Some("Not during the opening"));
        assert_eq!(table.hears(ME, "h8"), "");
        assert!(table.hears(ME, "h8").starts_with("a stone lies on h8 already"));
        assert!(
            Board::new(People::alone(ME, 2)).draw(&table.view()).contains("Swap 2: 1 stone laid")
        );
        assert_eq!(table.hears(ME, "i9") + &table.hears(ME, "h9"), "");
        assert!(
            Board::new(People::alone(ME, 2)).draw(&table.view()).contains(">X"),
            "the last stone is marked"
        );
        assert_eq!(table.hears(ME, "a1"), "It is not your turn.");
        assert_eq!(table.hears(HOUSE, "a1"), "Choose first: black, white or more.");
        assert_eq!(table.hears(HOUSE, "more") + &table.hears(HOUSE, "a1"), "");
        assert_eq!(table.hears(HOUSE, "white"), placing);
        assert_eq!(table.hears(HOUSE, "a3"), "");
        assert_eq!(table.hears(ME, "more"), "All five stones lie: choose black or white.");
        assert_eq!(table.hears(ME, "c3"), "Choose first: black or white.");
        assert_eq!(table.hears(ME, "black"), "");
        assert_eq!(table.hears(ME, "black"), "There is no colour to choose: lay a stone.");
        assert_eq!(table.hears(ME, "yes"), "There is nothing to answer.");
        for line in ["h10", "c1", "h11", "e1", "h13", "g1"] {
            let seat = table.0.game().up().unwrap();
            assert_eq!(table.hears(seat, line), "", "{line}");
        }
        assert_eq!(table.hears(ME, "h12"), "black may not play h12: it makes an overline");
        assert!(Board::new(People::alone(ME, 2)).draw(&table.view()).contains("X to move"));
        assert_eq!(table.hears(HOUSE, "resign"), "");
        let board = Board::new(People::alone(ME, 2)).draw(&table.view());
        assert!(board.contains("the game is over") && !board.contains("to move"), "{board}");
    }

    #[test]
    fn a_takeback_says_what_goes() {
        let board = Board::new(People::alone(ME, 2));
        let told = |stones| board.sentence(&Event::TakenBack { seat: ME, stones }, Size::USUAL);
        assert_eq!(told(1).as_deref(), Some("You take back a stone."));
        let both = "You take back a stone, and the answer to it goes too.";
        assert_eq!(told(2).as_deref(), Some(both));
        let mut table = Table::new(json!({}));
        assert_eq!(table.hears(ME, "h8") + &table.hears(HOUSE, "i9"), "");
        assert_eq!(table.hears(ME, "h9") + &table.hears(HOUSE, "takeback"), "");
        assert!(board.ask(&table.view(), &json(&())).contains("your answer to it goes too"));
    }

    #[test]
    fn the_score_of_the_winner_comes_first() {
        let result = |winner: Option<Seat>, score: [u32; 2]| {
            let series = Final { winner, score: score.into(), games: 2, points: Some(2) };
            Board::new(People::alone(ME, 2)).ending(None, &series)
        };
        assert_eq!(result(Some(HOUSE), [0, 2]), "The house wins the match, 2 to 0.");
        assert_eq!(result(Some(ME), [2, 1]), "You win the match, 2 to 1.");
        assert_eq!(result(None, [1, 0]), "Nobody wins the match, 1 to 0.");
    }
}
