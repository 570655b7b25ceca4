//! A game from a damaged document.

use crate::board::Point;
use crate::decide::judge;
use crate::doc;
use crate::state::{Config, Mode, Offers, Stage, State};
use crate::swap2::{ActionData, Deed, Players, Swap2Action, TentativeStone};
use crate::{Gomoku, board::Size};
use parlor_rules::{Closed, Credit, Faults, Rules, Series, Standing, series};
use serde_json::{Value, json};
use std::sync::Arc;

/// What could be saved, and what was done for it, in sentences for a log.
pub struct Recovered {
    /// The series, its game in play.
    pub state: series::State<Gomoku>,
    /// What was found and done; empty if the document was whole.
    pub log: Vec<String>,
}

/// The most stones that are kept when the actions cannot be replayed: placement goes on from there.
const KEPT: usize = 2;

/// Recovers a game: a whole document as it is; otherwise its actions and moves are replayed; if the
/// actions do not fit, the first stones that are valid are kept and placement continues.
pub fn recover(table: &Config, doc: &Value) -> Recovered {
    let mut log = Vec::new();
    match Series::<Gomoku>::load(table, doc.clone()) {
        Ok(state) => return Recovered { state, log },
        Err(faults) => log.push(format!("the document is damaged: {faults}")),
    }
    let config = Arc::new(options(table, doc, &mut log));
    // Score and history as they are told, and if they do not hold either, a series from its start.
    let history = list::<Credit>(&doc["match"]["history"]).into_iter().flatten();
    let told = history.fold(Standing::new(2), |standing, credit| standing.with(&credit));
    let whole = |standing: Standing, log: &mut Vec<String>| {
        let (mut beside, games) = (json!({"config": *config}), standing.games);
        if games > 0 {
            beside["history"] = doc["match"]["history"].clone();
        }
        let game = play(State::fresh(config.clone(), standing), doc, log);
        let mut recovered = serde_json::to_value(doc::doc(&game)).unwrap_or_default();
        recovered["match"] = beside;
        Series::<Gomoku>::load(&config, recovered)
    };
    let mut tried = log.clone();
    if let Ok(state) = whole(told, &mut tried) {
        return Recovered { state, log: tried };
    }
    log.push("the history of the series does not hold, so it begins anew".to_owned());
    let state = whole(Standing::new(2), &mut log);
    Recovered { state: state.expect("what was played through the rules is whole"), log }
}

/// The options the document tells, as far as they can be read.
fn options(table: &Config, doc: &Value, log: &mut Vec<String>) -> Config {
    let mut config = table.clone();
    let mut faults = Faults::default();
    if let Some(told) = doc["match"].get("config") {
        match Config::read(told.clone(), "match.config", &mut faults) {
            Some(told) if told.check().is_ok() => return told,
            _ => log.push("the options cannot be read; those of the table hold".to_owned()),
        }
    }
    config.swap2_enabled =
        config.mode == Mode::Ranked || doc["swap2State"].is_object() || doc["swap2Enabled"] == true;
    let side = doc["board"].as_array().and_then(|rows| u8::try_from(rows.len()).ok());
    let size = side.and_then(|side| Size::try_from(side).ok());
    config.board_size = size.unwrap_or(config.board_size);
    let id = |key: &str| doc["swap2State"][key].as_str().unwrap_or_default().to_owned();
    let (first, second) = (id("player1Id"), id("player2Id"));
    let swapped = config.first_opener.index() == 1;
    let players = if swapped { Players::new(second, first) } else { Players::new(first, second) };
    config.players = players.unwrap_or(config.players);
    config
}

/// A list of closed objects; where one cannot be read there is none.
fn list<T: Closed>(value: &Value) -> Option<Vec<T>> {
    let read = |item: &Value| T::read(item.clone(), "", &mut Faults::default());
    value.as_array()?.iter().map(read).collect()
}

/// Plays what the document tells, as far as it goes.
fn play(fresh: State, doc: &Value, log: &mut Vec<String>) -> State {
    let mut state = fresh.clone();
    state.resume(Stage::Live, Offers::default());
    if state.opening().is_some() {
        match actions(&mut state, &doc["swap2State"]["actions"]) {
            Ok(count) => log.push(format!("the opening was replayed from its {count} actions")),
            Err(why) => {
                state = fresh;
                state.resume(Stage::Live, Offers::default());
                let kept = stones(&mut state, &doc["swap2State"]["tentativeStones"]);
                let text = format!("the actions cannot be replayed ({why})");
                log.push(format!("{text}; {kept} stones are kept and placement goes on"));
            }
        }
    }
    if state.in_opening().is_none() {
        let played = moves(&mut state, &doc["moves"]);
        log.push(format!("{played} moves were replayed"));
    }
    state
}

fn actions(state: &mut State, told: &Value) -> Result<usize, String> {
    let actions = list::<Swap2Action>(told).ok_or("they cannot be read")?;
    for (i, action) in actions.iter().enumerate() {
        let deed = match &action.data {
            ActionData::Place(point) => Deed::Place(*point),
            ActionData::Choice { choice } => Deed::Choose(*choice),
        };
        let by = state.config().players.seat(&action.player_id);
        let done = by.is_some_and(|by| state.open(by, deed, action.timestamp.clone()));
        if !done {
            return Err(format!("number {} does not fit", i + 1));
        }
    }
    Ok(actions.len())
}

fn stones(state: &mut State, told: &Value) -> usize {
    let mut kept = 0;
    for stone in told.as_array().into_iter().flatten() {
        let stone = TentativeStone::read(stone.clone(), "", &mut Faults::default());
        let point = stone.map(|stone| Point { x: stone.x, y: stone.y });
        let opener = state.opener();
        let lies =
            point.is_some_and(|point| kept < KEPT && state.open(opener, Deed::Place(point), None));
        kept += usize::from(lies);
    }
    kept
}

fn moves(state: &mut State, told: &Value) -> usize {
    let rule = state.config().rule;
    for stone in told.as_array().into_iter().flatten() {
        let at = |key: &str| stone[key].as_u64().and_then(|at| u8::try_from(at).ok());
        let Some(point) = at("x").zip(at("y")).map(|(x, y)| Point { x, y }) else { break };
        if !state.board().size().contains(point) {
            break;
        }
        // A stone that ends the game is left to be laid again, at the table.
        match judge(rule, state.board(), state.to_move(), point) {
            Ok(None) => state.lay(point),
            Ok(Some(_)) | Err(_) => break,
        }
    }
    state.moves().len()
}
