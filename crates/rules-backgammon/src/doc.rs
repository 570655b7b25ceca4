//! The document of a game, and what stands beside it.

use crate::board::{BAR, Board, BoardFault, MEN, OFF, PLACES, Side};
use crate::event::Reason;
use crate::plays::lawful_step;
use crate::state::{
    Config, End, Phase, Played, Resignation, SEATS, Stakes, State, doc_point, other, own_point,
    side,
};
use parlor_rules::{Faults, Fields, Object, Seat, Standing};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A game as a document. Closed: an unknown field is a fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Doc {
    up: Seat,
    status: Status,
    stakes: Stakes,
    holds_cube: i8,
    dice: Vec<u8>,
    rolled: bool,
    points: Vec<[u8; 2]>,
    bar: [u8; 2],
    off: [u8; 2],
    played: Vec<Played>,
    resignation: Option<Resignation>,
    #[serde(flatten)]
    end: Option<Ended>,
}

/// What a document gains on finish.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Ended {
    winner: Option<Seat>,
    payout: u32,
}

/// The three words of a game's status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Pending,
    DoubleProposed,
    Finished,
}

/// What stands beside the game: the options, and what the game's own fields cannot tell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Beside {
    config: Config,
    /// Whether the game has begun.
    begun: bool,
    /// Whether this is the Crawford game.
    crawford: bool,
    /// Whether the open double is a beaver.
    beavered: bool,
    /// How the game ended.
    ended: Option<Reason>,
}

/// See [`parlor_rules::Rules::doc`].
pub fn doc(state: &State) -> Doc {
    let men = SEATS.map(|seat| state.board.places(side(seat)));
    let point = |p: u8| {
        let of = |seat: Seat| own_point(seat, p).map_or(0, |own| men[seat.index()][own as usize]);
        SEATS.map(of)
    };
    let (dice, played) = match &state.phase {
        Phase::Moving { dice, played } => (dice.clone(), played.clone()),
        _ => (Vec::new(), Vec::new()),
    };
    Doc {
        up: state.up,
        status: match state.phase {
            Phase::Fresh | Phase::ToRoll | Phase::Moving { .. } => Status::Pending,
            Phase::Doubled { .. } => Status::DoubleProposed,
            Phase::Over(_) => Status::Finished,
        },
        stakes: state.stakes,
        holds_cube: state.holder.map_or(-1, |seat| seat.index() as i8),
        rolled: matches!(state.phase, Phase::Moving { .. }),
        dice,
        points: (0..24).map(point).collect(),
        bar: [men[0][BAR as usize], men[1][BAR as usize]],
        off: [men[0][OFF as usize], men[1][OFF as usize]],
        played,
        resignation: state.resignation,
        end: match state.phase {
            Phase::Over(End { winner, payout, .. }) => Some(Ended { winner, payout }),
            _ => None,
        },
    }
}

/// See [`parlor_rules::Serial::beside`].
pub fn beside(state: &State) -> Beside {
    Beside {
        config: state.config.clone(),
        begun: state.phase != Phase::Fresh,
        crawford: state.crawford,
        beavered: state.phase == Phase::Doubled { beaver: true },
        ended: match state.phase {
            Phase::Over(End { reason, .. }) => Some(reason),
            _ => None,
        },
    }
}

/// See [`parlor_rules::Serial::load_beside`]: the one bridge from a document to a legal state.
pub fn load(
    config: &Config,
    doc: Value,
    beside: &mut Fields,
    standing: Standing,
    faults: &mut Faults,
) -> Option<State> {
    let beside = GivenBeside::read(config, beside, faults);
    let given = Given::read(doc, &beside, faults);
    beside.check(&given, &standing, faults);
    given.check(faults);
    given.build(beside, standing, faults).filter(|_| faults.is_empty())
}

/// What stands beside the game, as it was given or by default.
struct GivenBeside {
    config: Config,
    begun: bool,
    crawford: bool,
    beavered: bool,
    ended: Option<Reason>,
}

impl GivenBeside {
    fn read(config: &Config, fields: &mut Fields, faults: &mut Faults) -> Self {
        let given = fields.optional::<Object<Config>>("config", faults);
        Self {
            config: given.map_or_else(|| config.clone(), |Object(given)| given),
            begun: fields.optional("begun", faults).unwrap_or(true),
            crawford: fields.optional("crawford", faults).unwrap_or(false),
            beavered: fields.optional("beavered", faults).unwrap_or(false),
            ended: fields.optional::<Option<Reason>>("ended", faults).flatten(),
        }
    }

    fn check(&self, given: &Given, standing: &Standing, faults: &mut Faults) {
        if let Err(reject) = self.config.check() {
            faults.add("match.config", parlor_rules::Reject::text(&reject));
        }
        faults.check(standing.score.len() == 2, "match.score", || "is two numbers".to_owned());
        let length = self.config.r#match;
        // The score of a finished game counts it already, and so does not tell how it stood before.
        let one_away = given.status == Some(Status::Finished)
            || standing.score.iter().any(|score| score.saturating_add(1) == length);
        let may_be = self.config.crawford && length > 0 && one_away;
        faults.check(!self.crawford || may_be, "match.crawford", || {
            "the Crawford game is one of a match in which somebody is one point away".to_owned()
        });
        let doubled = given.status == Some(Status::DoubleProposed);
        faults.check(!doubled || (self.config.cube && !self.crawford), "status", || {
            "the cube is not in use, so nobody could double".to_owned()
        });
        let beaver = doubled && self.config.beavers && given.holder.flatten().is_some();
        faults.check(!self.beavered || beaver, "match.beavered", || {
            "needs an open double by the holder of the cube, and the option beavers".to_owned()
        });
    }
}

/// The fields of a document that could be read.
struct Given {
    up: Option<Seat>,
    status: Option<Status>,
    stakes: Option<Stakes>,
    holder: Option<Option<Seat>>,
    dice: Option<Vec<u8>>,
    rolled: Option<bool>,
    board: Option<Board>,
    played: Option<Vec<Played>>,
    resignation: Option<Option<Resignation>>,
    end: Option<End>,
}

impl Given {
    /// Reads each field by itself.
    fn read(doc: Value, beside: &GivenBeside, faults: &mut Faults) -> Self {
        let mut fields = Fields::of(doc, "", faults);
        let up = fields.take::<Seat>("up", faults);
        let status = fields.take("status", faults);
        let stakes = fields.take("stakes", faults);
        let holds_cube = fields.take::<i64>("holdsCube", faults);
        let dice = fields.take("dice", faults);
        let rolled = fields.take("rolled", faults);
        let points = fields.take::<Vec<[u8; 2]>>("points", faults);
        let bar = fields.take("bar", faults);
        let off = fields.take("off", faults);
        let played = fields.take::<Vec<Object<Played>>>("played", faults);
        let resignation = fields.take::<Option<Object<Resignation>>>("resignation", faults);
        let end = read_end(&mut fields, status, stakes, beside.ended, faults);
        fields.finish(faults);
        let resignation = resignation.map(|offer| offer.map(|Object(offer)| offer));

        let is_seat = |seat: &Seat| SEATS.contains(seat);
        let text = || "is 0 or 1".to_owned();
        faults.check(up.as_ref().is_none_or(is_seat), "up", text);
        let offers = resignation.flatten().map(|offer| offer.seat);
        faults.check(offers.as_ref().is_none_or(is_seat), "resignation.seat", text);
        let holder = holds_cube.and_then(|holder| match holder {
            -1 => Some(None),
            0 | 1 => Some(Some(SEATS[holder as usize])),
            _ => {
                faults.add("holdsCube", "is -1, 0 or 1");
                None
            }
        });
        Self {
            up: up.filter(is_seat),
            status,
            stakes,
            holder,
            dice,
            rolled,
            board: board(points.as_deref(), bar, off, faults),
            played: played.map(|steps| steps.into_iter().map(|Object(step)| step).collect()),
            resignation,
            end,
        }
    }

    /// How the fields fit together, as far as they could be read.
    fn check(&self, faults: &mut Faults) {
        if self.rolled == Some(false) {
            let none = self.dice.as_ref().is_none_or(Vec::is_empty);
            faults.check(none, "dice", || "are there before the roll".to_owned());
            let none = self.played.as_ref().is_none_or(Vec::is_empty);
            faults.check(none, "played", || "steps before the roll".to_owned());
        }
        let pending = self.status.is_none_or(|status| status == Status::Pending);
        faults.check(pending || self.rolled != Some(true), "rolled", || {
            "is true only while the game is pending".to_owned()
        });
        faults.check(pending || self.resignation.flatten().is_none(), "resignation", || {
            "is open only while the game is pending".to_owned()
        });
        if self.status == Some(Status::DoubleProposed) {
            let other_holds = self.holder.flatten().is_none_or(|holder| self.up != Some(holder));
            faults.check(other_holds, "holdsCube", || {
                "the doubled player held the cube, so nobody could double".to_owned()
            });
            faults.check(self.stakes.is_none_or(|stakes| stakes < Stakes::CAP), "stakes", || {
                "cannot be doubled above 64".to_owned()
            });
        }
    }

    /// The state, if every part of it could be read.
    fn build(self, beside: GivenBeside, standing: Standing, faults: &mut Faults) -> Option<State> {
        let pending = self.status == Some(Status::Pending);
        let turn = self.dice.as_deref().zip(self.played.as_deref());
        let turn = turn.filter(|_| pending && self.rolled == Some(true));
        let roll = turn.and_then(|(dice, played)| whole_roll(dice, played, faults));
        let (up, board, rolled) = (self.up?, self.board?, self.rolled?);
        let (dice, played, resignation) = (self.dice?, self.played?, self.resignation?);

        let nothing_yet = pending && !rolled && resignation.is_none() && board == Board::OPENING;
        faults
            .check(beside.begun || nothing_yet, "match.begun", || "the game has begun".to_owned());
        let mut state = State {
            config: beside.config,
            standing,
            crawford: beside.crawford,
            board,
            up,
            stakes: self.stakes?,
            holder: self.holder?,
            resignation,
            phase: Phase::ToRoll,
        };
        // The last man may be off before the turn is committed.
        let off = |seat| state.seen_by(seat).men(Side::Own, OFF) == MEN;
        let over = off(other(up)) || (off(up) && !rolled);
        let finished = self.status == Some(Status::Finished);
        faults.check(finished || !over, "status", || {
            "all men of a side are off, so the game is finished".to_owned()
        });
        state.phase = match self.status? {
            Status::Finished => Phase::Over(self.end?),
            Status::DoubleProposed => Phase::Doubled { beaver: beside.beavered },
            Status::Pending if !beside.begun => Phase::Fresh,
            Status::Pending if !rolled => Phase::ToRoll,
            Status::Pending => {
                check_turn(&state, roll?, &played, faults);
                Phase::Moving { dice, played }
            }
        };
        Some(state)
    }
}

fn read_end(
    fields: &mut Fields,
    status: Option<Status>,
    stakes: Option<Stakes>,
    ended: Option<Reason>,
    faults: &mut Faults,
) -> Option<End> {
    if status != Some(Status::Finished) {
        // Left in place, they are unknown fields of an unfinished game.
        faults.check(ended.is_none(), "match.ended", || "the game is not finished".to_owned());
        return None;
    }
    let winner = fields.take::<Option<Seat>>("winner", faults);
    let payout = fields.take::<u32>("payout", faults);
    let (winner, payout) = (winner?, payout?);
    let reason = ended.unwrap_or(match winner {
        Some(_) => Reason::Resigned,
        None => Reason::Closed,
    });
    faults.check(winner.is_none_or(|seat| SEATS.contains(&seat)), "winner", || {
        "is 0, 1 or null".to_owned()
    });
    let pays = match (winner, stakes) {
        (None, _) => payout == 0,
        (Some(_), Some(stakes)) => (1..=3).any(|level| payout == level * stakes.get()),
        (Some(_), None) => true,
    };
    faults.check(pays, "payout", || "is 1, 2 or 3 times the stakes, 0 without a winner".into());
    Some(End { winner, payout, reason })
}

fn board(
    points: Option<&[[u8; 2]]>,
    bar: Option<[u8; 2]>,
    off: Option<[u8; 2]>,
    faults: &mut Faults,
) -> Option<Board> {
    let points = points?;
    if points.len() != 24 {
        faults.add("points", format!("are 24 pairs, not {}", points.len()));
        return None;
    }
    let (bar, off) = (bar?, off?);
    let men = SEATS.map(|seat| {
        let mut places = [0; PLACES];
        places[OFF as usize] = off[seat.index()];
        places[BAR as usize] = bar[seat.index()];
        for own in 1..=24 {
            let point = doc_point(seat, own).map_or(0, usize::from);
            places[own as usize] = points[point][seat.index()];
        }
        places
    });
    match Board::new(men[0], men[1]) {
        Ok(board) => Some(board),
        Err(found) => {
            for fault in found {
                faults.add("points", describe(&fault));
            }
            None
        }
    }
}

/// All dice of a roll, played or not.
fn whole_roll(dice: &[u8], played: &[Played], faults: &mut Faults) -> Option<Vec<u8>> {
    let mut all: Vec<u8> = played.iter().map(|step| step.die).chain(dice.iter().copied()).collect();
    all.sort_unstable();
    let roll = match all[..] {
        [a, b] => a != b,
        [a, b, c, d] => a == b && b == c && c == d,
        _ => false,
    };
    let faces = all.iter().all(|die| (1..=6).contains(die));
    faults.check(roll && faces, "dice", || {
        "with the dice of the played steps they are two different dice or four equal ones".into()
    });
    (roll && faces).then_some(all)
}

/// The steps of a turn are undone one by one and played again as the rules have it.
fn check_turn(state: &State, roll: Vec<u8>, played: &[Played], faults: &mut Faults) {
    let mut board = state.seen_by(state.up);
    let mut steps = Vec::new();
    for (i, step) in played.iter().enumerate().rev() {
        let undone = step.step().seen_by(state.up).and_then(|seen| {
            steps.push((i, seen, step.hit));
            board.undo(seen, step.hit)
        });
        match undone {
            Some(before) => board = before,
            None => {
                faults.add(format!("played.{i}"), "cannot have led to this position");
                return;
            }
        }
    }
    let mut left = roll;
    for (i, seen, hit) in steps.into_iter().rev() {
        match lawful_step(&board, &left, seen) {
            Some((after, hits)) if hits == hit => board = after,
            _ => {
                faults.add(format!("played.{i}"), "is not a step of a maximal play");
                return;
            }
        }
        if let Some(place) = left.iter().position(|die| *die == seen.die) {
            left.remove(place);
        }
    }
}

/// Board faults in the words of the document.
fn describe(fault: &BoardFault) -> String {
    match fault {
        BoardFault::Men { side, men } => {
            let seat = if *side == Side::Own { SEATS[0] } else { SEATS[1] };
            format!("{seat} has {men} men, not {MEN}, with bar and off")
        }
        BoardFault::Shared { point } => {
            let point = doc_point(SEATS[0], *point).unwrap_or_default();
            format!("both seats stand on point {point}")
        }
        BoardFault::BothDone => "both seats have borne off all men".to_owned(),
    }
}
