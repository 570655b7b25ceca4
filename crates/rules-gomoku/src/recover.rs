//! A game from a damaged document.

use crate::Gomoku;
use crate::board::{Point, Size};
use crate::decide::judge;
use crate::doc;
use crate::event::Reason;
use crate::state::{Config, End, Mode, Offers, SEATS, Stage, State, TimeoutPolicy, other};
use crate::swap2::{ActionData, Deed, Players, Swap2Action};
use parlor_rules::{Closed, Credit, Faults, Rules, Seat, Series, Standing, series};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What could be saved, and what was done for it, in sentences for a log.
pub struct Recovered {
    /// The series, its game in play, or over if it was.
    pub state: series::State<Gomoku>,
    /// What was found and done; empty if the document was whole.
    pub log: Vec<String>,
}

/// The most stones that are kept when the actions cannot be replayed: placement goes on from there.
const KEPT: usize = 2;

/// Recovers a game: a whole document as it is; otherwise its actions and moves are replayed; if the
/// actions do not fit, the first stones that are valid are kept and placement continues. A game
/// that was over stays so if its end fits what was replayed; if not, it goes on and counts for
/// nobody.
pub fn recover(table: &Config, doc: &Value) -> Recovered {
    let mut log = Vec::new();
    match Series::<Gomoku>::load(table, doc.clone()) {
        Ok(state) => return Recovered { state, log },
        Err(faults) => log.push(format!("the document is damaged: {faults}")),
    }
    let told = &doc["match"]["history"];
    let history = match told.is_null() && doc.get("match").is_none_or(Value::is_object) {
        true => Some(Vec::new()),
        false => list::<Credit>(told),
    };
    let games = history.as_ref().map_or(0, Vec::len).saturating_sub(ended(doc).into());
    let config = Arc::new(options(table, doc, games as u32, &mut log));
    // Score and history as they are told, and if they do not hold either, a series from its start.
    let mut tries: Vec<_> = history.into_iter().map(|history| (history, true, true)).collect();
    tries.extend([true, false].map(|ends| (Vec::new(), false, ends)));
    for (history, sure, ends) in tries {
        let mut tried = log.clone();
        if !sure {
            tried.push("the history of the series does not hold, so it begins anew".to_owned());
        }
        if let Some(state) = series(&config, doc, history, (sure, ends), &mut tried) {
            return Recovered { state, log: tried };
        }
    }
    unreachable!("what was played through the rules is whole")
}

/// Whether the game of a document was over: no other document has any of these.
fn ended(doc: &Value) -> bool {
    ["reason", "winner", "line", "swap2_history"].iter().any(|key| !doc[key].is_null())
}

/// How a series stands after these games.
fn sum(history: &[Credit]) -> Standing {
    history.iter().fold(Standing::new(2), |standing, credit| standing.with(credit))
}

/// The series with what can be saved of its game. Whether the history is sure, and whether an end
/// is kept.
fn series(
    config: &Arc<Config>,
    doc: &Value,
    mut history: Vec<Credit>,
    (sure, ends): (bool, bool),
    log: &mut Vec<String>,
) -> Option<series::State<Gomoku>> {
    // A finished game is counted already, as the last.
    let was_over = ended(doc);
    let borne = doc["match"]["score"] == json!(sum(&history).score);
    let credit = was_over.then(|| history.pop()).flatten();
    let before = sum(&history);
    let (mut state, closing) = play(State::fresh(config.clone(), before), doc, log);
    let end =
        (was_over && ends).then(|| end(&state, doc, closing, (credit, borne), sure)).flatten();
    match (end, closing) {
        (Some(end), closing) => {
            if let Some((point, _)) = closing {
                state.lay(point);
            }
            state.resume(Stage::Over(end), Offers::default());
            history.push(end.credit());
            log.push(match end.winner {
                Some(seat) => format!("the game was over, and stays so: {seat} has won"),
                None => "the game was over, and stays so: nobody has won".to_owned(),
            });
        }
        (None, _) if was_over => {
            let counted = "it goes on, and counts for nobody";
            log.push(format!(
                "the game was over, but its end does not fit what is left: {counted}"
            ));
        }
        (None, Some(_)) => {
            log.push("the last stone would end the game; it is left to be laid again".to_owned());
        }
        (None, None) => {}
    }
    let mut recovered = serde_json::to_value(doc::doc(&state)).unwrap_or_default();
    recovered["match"] = json!({"config": **config});
    if !history.is_empty() {
        recovered["match"]["score"] = json!(sum(&history).score);
        recovered["match"]["history"] = json!(history);
    }
    let over = end.is_some() && doc["match"]["over"] == true;
    if over {
        // Somebody may have left between two games; only the document knows.
        let mut stopped = recovered.clone();
        stopped["match"]["over"] = json!(true);
        stopped["match"]["winner"] = doc["match"]["winner"].clone();
        if let Ok(state) = Series::<Gomoku>::load(config, stopped) {
            return Some(state);
        }
    }
    let state = Series::<Gomoku>::load(config, recovered).ok()?;
    if over && Series::<Gomoku>::outcome(&state).is_none() {
        log.push("the series was over, but it cannot be told how: it goes on".to_owned());
    }
    Some(state)
}

/// How a game ended that was over: by the stone that ends it, if there is one, and otherwise as the
/// document tells, if that can be.
fn end(
    state: &State,
    doc: &Value,
    closing: Option<(Point, Reason)>,
    (credit, borne): (Option<Credit>, bool),
    sure: bool,
) -> Option<End> {
    let seated = |seat: &Option<Seat>| seat.is_none_or(|seat| SEATS.contains(&seat));
    let told = doc.get("winner").and_then(|winner| Option::<Seat>::deserialize(winner).ok());
    let told = told.filter(seated);
    if let Some((_, reason)) = closing {
        let winner = state.up_next().filter(|_| reason == Reason::Row);
        // Without the games before, who had which colour is a guess that somebody has to confirm.
        return (sure || told == Some(winner)).then_some(End { winner, reason });
    }
    let reason = Reason::deserialize(&doc["reason"]).ok()?;
    let counted = credit.and_then(|credit| credit.winner);
    // Where they differ, the score decides between the document's winner and the history's.
    let said = if borne { counted.or(told.flatten()) } else { told.flatten().or(counted) };
    let said = said.filter(|seat| SEATS.contains(seat));
    let winner = match reason {
        Reason::Row | Reason::Full => return None,
        Reason::Agreed | Reason::Closed => None,
        Reason::Resigned | Reason::Left => Some(said?),
        Reason::Timeout => {
            let winner = state.up_next().map(other);
            if said.is_some() && said != winner {
                return None;
            }
            winner
        }
    };
    let possible = match reason {
        Reason::Timeout => state.config().timeout_policy == TimeoutPolicy::Forfeit,
        reason => reason != Reason::Agreed,
    };
    (possible || state.in_opening().is_none()).then_some(End { winner, reason })
}

/// The options the document tells, as far as they can be read.
fn options(table: &Config, doc: &Value, games: u32, log: &mut Vec<String>) -> Config {
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
    let swapped = config.opener_after(games).index() == 1;
    let players = if swapped { Players::new(second, first) } else { Players::new(first, second) };
    config.players = players.unwrap_or(config.players);
    config
}

/// A list of closed objects; where one cannot be read there is none.
fn list<T: Closed>(value: &Value) -> Option<Vec<T>> {
    let read = |item: &Value| T::read(item.clone(), "", &mut Faults::default());
    value.as_array()?.iter().map(read).collect()
}

/// Plays what the document tells, as far as it goes; the last stone is not laid if it ends the game.
fn play(fresh: State, doc: &Value, log: &mut Vec<String>) -> (State, Option<(Point, Reason)>) {
    let mut state = fresh.clone();
    state.resume(Stage::Live, Offers::default());
    if state.opening().is_some() {
        let given = stones(&doc["swap2State"]["tentativeStones"], &state);
        let replayed = actions(&mut state, &doc["swap2State"]["actions"]);
        let laid = usize::from(state.board().stones());
        let short = || format!("they lay {laid} of {} stones", given.len());
        let failed = match replayed {
            Ok(_) if laid < given.len().min(KEPT) => Some(short()),
            Ok(count) => {
                let text = format!("the opening was replayed from its {count} actions");
                log.push(if laid < given.len() { format!("{text}; {}", short()) } else { text });
                None
            }
            Err(why) => Some(why),
        };
        if let Some(why) = failed {
            state = fresh;
            state.resume(Stage::Live, Offers::default());
            let opener = state.opener();
            let kept = given.iter().take(KEPT);
            kept.for_each(|point| _ = state.open(opener, Deed::Place(*point), None));
            let (text, kept) = ("the actions cannot be replayed", state.board().stones());
            log.push(format!("{text} ({why}); {kept} stones are kept and placement goes on"));
        }
    }
    let mut closing = None;
    if state.in_opening().is_none() {
        closing = moves(&mut state, &doc["moves"]);
        let played = state.moves().len() + usize::from(closing.is_some());
        log.push(format!("{played} moves were replayed"));
    }
    (state, closing)
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

/// A point that a document tells, if it is on this board.
fn point(told: &Value, size: Size) -> Option<Point> {
    let at = |key: &str| told[key].as_u64().and_then(|at| u8::try_from(at).ok());
    let point = at("x").zip(at("y")).map(|(x, y)| Point { x, y });
    point.filter(|point| size.contains(*point))
}

/// The stones of an opening that are valid, in their order.
fn stones(told: &Value, state: &State) -> Vec<Point> {
    let told = told.as_array().into_iter().flatten().enumerate();
    let order =
        |(i, stone): &(usize, &Value)| stone["placementOrder"].as_u64().unwrap_or(*i as u64 + 1);
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(order);
    let mut stones = Vec::new();
    for point in told.into_iter().filter_map(|(_, stone)| point(stone, state.board().size())) {
        if !stones.contains(&point) {
            stones.push(point);
        }
    }
    stones
}

/// Lays the moves up to the first that is none; the last one is not laid if it ends the game.
fn moves(state: &mut State, told: &Value) -> Option<(Point, Reason)> {
    let told = told.as_array()?;
    for (i, stone) in told.iter().enumerate() {
        let point = point(stone, state.board().size())?;
        match judge(state.config().rule, state.board(), state.to_move(), point).ok()? {
            None => state.lay(point),
            Some((reason, _)) => return (i + 1 == told.len()).then_some((point, reason)),
        }
    }
    None
}
