//! `parlor convert backgammon`.

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::ValueEnum;
use parlor_rules::strict;
use parlor_rules::{Closed, Faults, Fields, Rules, Seat, Serial, Series, Standing};
use parlor_rules_backgammon::board::Board;
use parlor_rules_backgammon::event::Event;
use parlor_rules_backgammon::mat::{self, Record};
use parlor_rules_backgammon::situation::series;
use parlor_rules_backgammon::state::{Config, Phase, State};
use parlor_rules_backgammon::{Backgammon, match_id, position_id, xgid};
use serde_json::{Value, json};

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Form {
    Xgid,
    Gnubg,
    Json,
    Mat,
}

/// What was read: one situation, or a whole match.
enum Found {
    Situation(Box<State>),
    Match(Record),
}

/// The same thing in another form.
pub(super) fn convert(to: Form, input: &str) -> Result<String> {
    let found = read(input)?;
    if to == Form::Mat {
        return match found {
            Found::Match(record) => Ok(mat::write(&record)),
            Found::Situation(_) => {
                bail!("a .mat file tells how a match was played; this is one situation")
            }
        };
    }
    let state = match found {
        Found::Situation(state) => *state,
        Found::Match(record) if to == Form::Json => return Ok(told(&record).to_string()),
        Found::Match(record) => last(&record),
    };
    Ok(match to {
        Form::Xgid => xgid::write(&state)?,
        Form::Gnubg => match_id::write(&state)?,
        Form::Json | Form::Mat => {
            serde_json::to_string(&Series::<Backgammon>::doc(&series(&state)?))?
        }
    })
}

fn read(input: &str) -> Result<Found> {
    if input == "-" {
        return recognise(&super::input(input)?);
    }
    // An ID has a slash now and then, but is hardly ever the name of a file.
    match std::fs::read_to_string(input) {
        Ok(text) => recognise(&text),
        Err(error) if input.ends_with(".mat") || input.ends_with(".json") => {
            Err(error).context(input.to_owned())
        }
        // It may have been meant as either.
        Err(error) if !input.contains([':', '{', '\n']) => recognise(input)
            .map_err(|why| anyhow!("{input:?} is no file ({error}) and no ID ({why})")),
        Err(_) => recognise(input),
    }
}

/// The forms tell themselves apart.
fn recognise(text: &str) -> Result<Found> {
    let trimmed = text.trim();
    let situation = |state| Ok(Found::Situation(Box::new(state)));
    if trimmed.starts_with('{') {
        return document(trimmed);
    }
    if trimmed.lines().count() > 1 || trimmed.contains("point match") {
        return Ok(Found::Match(mat::read(text)?));
    }
    match trimmed.matches(':').count() {
        0 => situation(series(&on_roll(position_id::decode(trimmed)?))?.game().clone()),
        1 => situation(match_id::read(trimmed)?),
        _ => situation(xgid::read(trimmed)?),
    }
}

/// A board alone: seat 0 is on roll in a single game.
fn on_roll(board: Board) -> State {
    let mut state = State::fresh(Config::default(), Standing::new(2), false);
    (state.board, state.phase) = (board, Phase::ToRoll);
    state
}

/// A document of a game, or what [`told`] writes of a match.
fn document(text: &str) -> Result<Found> {
    let value = strict::value(text)?;
    if value.get("events").is_none() {
        let state = Series::<Backgammon>::load(&Config::default(), value)?;
        return Ok(Found::Situation(Box::new(state.game().clone())));
    }
    let mut faults = Faults::default();
    let mut fields = Fields::of(value, "", &mut faults);
    let names = fields.take("names", "two names", &mut faults);
    let config = fields.raw("config").unwrap_or_else(|| json!({}));
    let config = Config::read(config, "config", &mut faults);
    let events = fields.take::<Vec<Value>>("events", "a list of events", &mut faults);
    let read = |(i, event)| match serde_json::from_value(event) {
        Ok(event) => Some(event),
        Err(error) => {
            faults.add(format!("events.{i}"), error.to_string());
            None
        }
    };
    let told: Vec<_> = events.into_iter().flatten().enumerate().filter_map(read).collect();
    fields.finish(&mut faults);
    let Some((names, config)) = names.zip(config).filter(|_| faults.is_empty()) else {
        return Err(faults.into());
    };
    // Events in a document may be anything; only what plays through the rules is believed.
    let claimed = Record::of_series(names, config, &told);
    let record = mat::read(&mat::write(&claimed))?;
    ensure!(ends(&claimed) == ends(&record), "the games do not end as their events say");
    Ok(Found::Match(record))
}

/// Who won how much in each game.
fn ends(record: &Record) -> Vec<Option<(Seat, u32)>> {
    let end = |event: &Event| match event {
        Event::Finished { winner, payout, .. } => winner.map(|winner| (winner, *payout)),
        _ => None,
    };
    record.games.iter().map(|game| game.iter().find_map(end)).collect()
}

/// A match as names, options and what its table told.
fn told(record: &Record) -> Value {
    json!({ "names": record.names, "config": record.config, "events": record.told() })
}

/// How things stood at the end of a record.
fn last(record: &Record) -> State {
    let mut standing = Standing::new(2);
    let mut state = State::fresh(record.config.clone(), standing.clone(), false);
    for (i, game) in record.games.iter().enumerate() {
        if i > 0 {
            state = Backgammon::next(&state, standing.clone());
        }
        game.iter().for_each(|event| state.apply(event));
        if let Phase::Over(end) = state.phase
            && let Some(winner) = end.winner
        {
            standing.games += 1;
            standing.score[winner.index()] += end.payout;
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(to: Form, input: &str) -> Result<String, String> {
        convert(to, input).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_situation_is_the_same_in_every_form() {
        let xgid = "XGID=-b----E-C---eE---c-e---AA-:0:0:1:D:2:3:0:7:10";
        let gnubg = "4HPwATDgc/ABKA:cBHgADAAEAAE";
        let document = converted(Form::Json, gnubg).unwrap();
        for input in [xgid, gnubg, &document] {
            assert_eq!(converted(Form::Xgid, input).as_deref(), Ok(xgid));
            assert_eq!(converted(Form::Gnubg, input).as_deref(), Ok(gnubg));
            assert_eq!(converted(Form::Json, input).as_ref(), Ok(&document));
            assert!(converted(Form::Mat, input).is_err());
        }
        let opening = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10";
        assert_eq!(converted(Form::Xgid, "4HPwATDgc/ABMA").as_deref(), Ok(opening));
    }

    #[test]
    fn a_match_is_the_same_in_every_form() {
        let mat = "\
; [Crawford \"On\"]

 3 point match

 Game 1
 Ada : 0                        Bob : 0
  1)                             31: 8/5 6/5
  2) 65: 24/18 18/13              Doubles => 2
  3)  Drops                       Wins 1 point
";
        let mat = converted(Form::Mat, mat).unwrap();
        let document = converted(Form::Json, &mat).unwrap();
        assert_eq!(converted(Form::Mat, &document).as_ref(), Ok(&mat));
        let gnubg = converted(Form::Gnubg, &mat).unwrap();
        assert_eq!(gnubg, "4HPwAyCwZ/ABMA:cARgAAAACAAE");
        assert_eq!(converted(Form::Gnubg, &document), Ok(gnubg));
        assert!(converted(Form::Mat, &document.replace("\"winner\":1", "\"winner\":0")).is_err());
        let forged = document.replace("\"winner\":1", "\"winner\":9");
        let lie = "the games do not end as their events say";
        assert_eq!(converted(Form::Mat, &forged), Err(lie.to_owned()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("foo", "\"foo\" is no file (No such file or directory (os error 2)) and no ID"),
            (r#"{"up":0,"up":1}"#, "field `up` stands twice"),
            (
                r#"{"names":["a","b"],"events":[{"type":"opened","up":0},{"type":"x"}]}"#,
                "events.1: ",
            ),
            (r#"{"names":["a","b"],"events":[{"type":"next-game"}]}"#, "missing field `game`"),
            (
                r#"{"names":5,"config":{"cube":1},"events":[]}"#,
                "names: needs two names, not 5; config.cube",
            ),
            (r#"{"names":["a","b"],"events":[],"x":1}"#, "x: is no field here"),
        ];
        for (input, wanted) in cases {
            let said = converted(Form::Json, input).unwrap_err();
            assert!(said.contains(wanted), "{input}: {said}");
        }
    }

    #[test]
    fn rubbish_is_refused() {
        for input in ["", "foo", "{}", "{", "[]", "a:b", ":::::::::", "nowhere.mat", "1\n2", "\0"] {
            for to in [Form::Xgid, Form::Gnubg, Form::Json, Form::Mat] {
                assert!(converted(to, input).is_err(), "{input:?}");
            }
        }
    }
}
