//! The document of a game, and what stands beside it.

use crate::board::{BAR, Board, BoardFault, MEN, OFF, PLACES, Side};
use crate::command::{DIE, Level};
use crate::event::Reason;
use crate::plays::lawful_step;
use crate::state::{
    Config, End, Phase, Played, Resignation, SEATS, Stakes, State, doc_point, other, own_point,
    pays, side,
};
use parlor_rules::{Closed, Faults, Fields, Loaded, Seat, Standing, Word, Written};
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
    /// The dice of this turn as they were thrown.
    thrown: Option<[u8; 2]>,
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
        Phase::Moving { dice, played, .. } => (dice.clone(), played.clone()),
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
        thrown: match state.phase {
            Phase::Moving { thrown, .. } => Some(thrown),
            _ => None,
        },
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
    written: &Written,
    faults: &mut Faults,
) -> Loaded<State> {
    let given = Given::read(config, doc, beside, faults);
    given.check_turn(faults);
    given.check_status(faults);
    let end = given.end(faults);
    let credit = end.map(|end| end.map(End::credit));
    let standing = credit.and_then(|credit| written.before(credit.as_ref()));
    given.check_cube(end.flatten(), standing.as_ref(), faults);
    given.check_crawford(standing.as_ref(), faults);
    let target = given.config.as_ref().map(Config::target);
    let game = given.build(end, standing).filter(|_| faults.is_empty());
    Loaded { game, target, credit }
}

/// What could be read of a document: none is what could not.
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
    winner: Option<Option<Seat>>,
    payout: Option<u32>,
    config: Option<Config>,
    begun: Option<bool>,
    crawford: Option<bool>,
    thrown: Option<Option<[u8; 2]>>,
    beavered: Option<bool>,
    ended: Option<Option<Reason>>,
}

/// A seat of this game; others are a fault.
fn seat(seat: Option<Seat>, path: &str, faults: &mut Faults) -> Option<Seat> {
    let known = seat.filter(|seat| SEATS.contains(seat));
    faults.check(known == seat, path, || "is 0 or 1".to_owned());
    known
}

impl Given {
    /// Reads each field by itself.
    fn read(config: &Config, doc: Value, beside: &mut Fields, faults: &mut Faults) -> Self {
        let switch = "true or false";
        let before = faults.len();
        let config = match beside.raw("config") {
            Some(given) => Config::draft(given, "match.config", faults),
            None => Some(config.clone()),
        };
        let whole = faults.len() == before;
        for fault in config.iter().flat_map(Config::faults) {
            faults.add("match.config", fault);
        }
        let config = config.filter(|_| whole);
        let begun = beside.or("begun", true, switch, faults);
        let crawford = beside.or("crawford", false, switch, faults);
        let thrown = beside.or("thrown", None, "two dice or null", faults);
        let beavered = beside.or("beavered", false, switch, faults);
        let ended = beside.or::<Option<Word<Reason>>>(
            "ended",
            None,
            "borne-off, forfeit, resigned, timeout, left, closed or null",
            faults,
        );

        let mut fields = Fields::of(doc, "", faults);
        let up = fields.take("up", "0 or 1", faults);
        let status =
            fields.take::<Word<Status>>("status", "pending, double-proposed or finished", faults);
        let stakes = fields.take("stakes", "a power of two from 1 to 64", faults);
        let holds_cube = fields.take::<i64>("holdsCube", "-1, 0 or 1", faults);
        let dice = fields.take::<Vec<u8>>("dice", &format!("a list, each {DIE}"), faults);
        let rolled = fields.take("rolled", switch, faults);
        let points = fields.take::<Vec<[u8; 2]>>("points", "24 pairs of men, as [2,0]", faults);
        let bar = fields.take("bar", "a pair of men, as [0,0]", faults);
        let off = fields.take("off", "a pair of men, as [0,0]", faults);
        let played = fields.list("played", "a list of steps", faults);
        let resignation = fields.nullable::<Resignation>("resignation", "an offer or null", faults);
        let (mut winner, mut payout) = (None, None);
        match &status {
            Some(Word(Status::Finished)) => {
                winner = fields.take::<Option<Seat>>("winner", "0, 1 or null", faults);
                payout = fields.take("payout", "a number of points", faults);
            }
            // Left in place, they are unknown fields of an unfinished game.
            Some(_) => {}
            None => _ = (fields.raw("winner"), fields.raw("payout")),
        }
        fields.finish(faults);

        let holder = holds_cube.and_then(|holder| match holder {
            -1 => Some(None),
            0 | 1 => Some(Some(SEATS[holder as usize])),
            _ => {
                faults.add("holdsCube", "is -1, 0 or 1");
                None
            }
        });
        let offers = resignation.flatten().map(|offer| offer.seat);
        let offers = seat(offers, "resignation.seat", faults);
        let won = seat(winner.flatten(), "winner", faults);
        Self {
            up: seat(up, "up", faults),
            status: status.map(|Word(status)| status),
            stakes,
            holder,
            dice,
            rolled,
            board: board(points.as_deref(), bar, off, faults),
            played,
            resignation: resignation.filter(|offer| offer.is_none() || offers.is_some()),
            winner: winner.filter(|winner| *winner == won),
            payout,
            config,
            begun,
            crawford,
            thrown,
            beavered,
            ended: ended.map(|ended| ended.map(|Word(reason)| reason)),
        }
    }

    /// The dice and the steps of a turn.
    fn check_turn(&self, faults: &mut Faults) {
        let pending = self.status.is_none_or(|status| status == Status::Pending);
        faults.check(pending || self.rolled != Some(true), "rolled", || {
            "is true only while the game is pending".to_owned()
        });
        if self.rolled == Some(false) {
            let none = self.dice.as_ref().is_none_or(Vec::is_empty);
            faults.check(none, "dice", || "are there before the roll".to_owned());
            let none = self.played.as_ref().is_none_or(Vec::is_empty);
            faults.check(none, "played", || "steps before the roll".to_owned());
            faults.check(self.thrown.flatten().is_none(), "match.thrown", || {
                "dice before the roll".to_owned()
            });
        }
        if !pending || self.rolled != Some(true) {
            return;
        }
        let Some((dice, played)) = self.dice.as_deref().zip(self.played.as_deref()) else { return };
        let Some(roll) = whole_roll(dice, played, faults) else { return };
        if let Some(Some(thrown)) = self.thrown {
            let mut all = Phase::dice(thrown);
            all.sort_unstable();
            faults.check(all == roll, "match.thrown", || {
                "these are not the dice of this turn".to_owned()
            });
        }
        if let Some((up, board)) = self.up.zip(self.board) {
            check_steps(board.seen_by(up), up, roll, played, faults);
        }
    }

    /// Whether the game can have come so far, and no further.
    fn check_status(&self, faults: &mut Faults) {
        let pending = self.status.is_none_or(|status| status == Status::Pending);
        faults.check(pending || self.resignation.flatten().is_none(), "resignation", || {
            "is open only while the game is pending".to_owned()
        });
        let start = self.config.as_ref().map(Config::start);
        let nothing_yet = pending
            && self.rolled != Some(true)
            && self.resignation.flatten().is_none()
            && self.board.is_none_or(|board| start.is_none_or(|start| board == start))
            && self.stakes.is_none_or(|stakes| stakes == Stakes::ONE)
            && self.holder.flatten().is_none();
        faults.check(self.begun != Some(false) || nothing_yet, "match.begun", || {
            "the game has begun".to_owned()
        });
        if let Some((done, _)) = self.done() {
            // The last man may be off before the turn is committed.
            let bore_off = |played: &Vec<Played>| played.iter().any(|step| step.to.is_none());
            let moving = pending
                && self.rolled != Some(false)
                && self.up.is_none_or(|up| up == done)
                && self.played.as_ref().is_none_or(bore_off);
            let finished = self.status.is_none_or(|status| status == Status::Finished);
            faults.check(finished || moving, "status", || {
                "all men of a side are off, so the game is finished".to_owned()
            });
        }
    }

    /// Who has borne off all men, and how high that wins.
    fn done(&self) -> Option<(Seat, Level)> {
        let (done, level) = self.board?.win_level()?;
        let seat = SEATS.into_iter().find(|seat| side(*seat) == done)?;
        Some((seat, Level::ALL[usize::from(level) - 1]))
    }

    /// How the game ended: who wins how much for which reason. The outer is none if it cannot be
    /// told, the inner while the game goes on.
    fn end(&self, faults: &mut Faults) -> Option<Option<End>> {
        if self.status? != Status::Finished {
            faults.check(self.ended.flatten().is_none(), "match.ended", || {
                "the game is not finished".to_owned()
            });
            return Some(None);
        }
        let reason = match self.ended? {
            Some(reason) => reason,
            None => match self.winner? {
                None => Reason::Closed,
                winner if self.board?.over() && winner == self.done().map(|(seat, _)| seat) => {
                    Reason::BorneOff
                }
                Some(_) => Reason::Resigned,
            },
        };
        if let Some(winner) = self.winner {
            faults.check((reason == Reason::Closed) == winner.is_none(), "winner", || {
                "is null if the table was closed, and only then".to_owned()
            });
            faults.check(reason != Reason::Forfeit || winner != self.up, "winner", || {
                "the one who is up dropped the double".to_owned()
            });
        }
        if reason == Reason::BorneOff && self.board.is_some() {
            let done = self.done().map(|(seat, _)| seat);
            faults
                .check(done.is_some(), "match.ended", || "nobody has borne off all men".to_owned());
            let wins = done.is_none() || self.winner.is_none_or(|winner| winner == done);
            faults.check(wins, "winner", || "has men on the board".to_owned());
        }
        if let Some((payout, pays)) = self.payout.zip(self.pays(reason)) {
            faults.check(pays.contains(&payout), "payout", || {
                let pays: Vec<String> = pays.iter().map(u32::to_string).collect();
                format!("this end pays {}, not {payout}", pays.join(" or "))
            });
        }
        Some(Some(End { winner: self.winner?, payout: self.payout?, reason }))
    }

    /// What a game can pay that ended like this.
    fn pays(&self, reason: Reason) -> Option<Vec<u32>> {
        let at = |level| Some(pays(self.stakes?, level, self.config.as_ref()?, self.holder?));
        Some(match reason {
            Reason::Closed => vec![0],
            Reason::Forfeit | Reason::Timeout | Reason::Left => vec![self.stakes?.get()],
            Reason::Resigned => Level::ALL
                .map(|level| self.stakes.map(|s| s.get() * level as u32))
                .into_iter()
                .collect::<Option<_>>()?,
            Reason::BorneOff => vec![at(self.done()?.1)?],
        })
    }

    /// Whether the cube can have come to where it is.
    fn check_cube(&self, end: Option<End>, standing: Option<&Standing>, faults: &mut Faults) {
        let off = self.crawford == Some(true) || self.config.as_ref().is_some_and(|c| !c.cube);
        let held = self.holder.flatten().is_some();
        faults.check(!off || !held, "holdsCube", || "the cube is not in use".to_owned());
        faults.check(!off || self.stakes.is_none_or(|s| s == Stakes::ONE), "stakes", || {
            "are 1 where the cube is not in use".to_owned()
        });
        let open = self.status == Some(Status::DoubleProposed);
        let beaver = open && held && self.config.as_ref().is_none_or(|c| c.beavers);
        faults.check(self.beavered != Some(true) || beaver, "match.beavered", || {
            "needs an open double by the holder of the cube, and the option beavers".to_owned()
        });
        let dropped = end.is_some_and(|end| end.reason == Reason::Forfeit);
        if !open && !dropped {
            return;
        }
        let path = if open { "status" } else { "match.ended" };
        faults.check(!off, path, || "the cube is not in use, so nobody could double".to_owned());
        let other_holds = self.holder.flatten().is_none_or(|holder| self.up != Some(holder));
        faults.check(other_holds, "holdsCube", || {
            "the doubled player held the cube, so nobody could double".to_owned()
        });
        faults.check(self.stakes.is_none_or(|stakes| stakes < Stakes::CAP), "stakes", || {
            "cannot be doubled above 64".to_owned()
        });
        let dead = || {
            let score = standing?.score.get(other(self.up?).index())?;
            let length = Some(self.config.as_ref()?.r#match).filter(|length| *length > 0)?;
            Some(self.stakes?.get() >= length.saturating_sub(*score))
        };
        faults.check(off || dead() != Some(true), path, || {
            "the cube is dead for the one who doubled".to_owned()
        });
    }

    fn check_crawford(&self, standing: Option<&Standing>, faults: &mut Faults) {
        let length = self.config.as_ref().map(|config| config.r#match);
        let one_away = |length: u32| {
            standing.is_none_or(|s| s.score.iter().any(|score| score.saturating_add(1) == length))
        };
        let may_be = self.config.as_ref().is_none_or(|config| config.crawford)
            && length.is_none_or(|length| length > 0 && one_away(length));
        faults.check(self.crawford != Some(true) || may_be, "match.crawford", || {
            "the Crawford game is one of a match in which somebody is one point away".to_owned()
        });
    }

    /// The state, if every part of it could be read.
    fn build(self, end: Option<Option<End>>, standing: Option<Standing>) -> Option<State> {
        let (dice, played) = (self.dice?, self.played?);
        let phase = match self.status? {
            Status::Finished => Phase::Over(end??),
            Status::DoubleProposed => Phase::Doubled { beaver: self.beavered? },
            Status::Pending if !self.begun? => Phase::Fresh,
            Status::Pending if !self.rolled? => Phase::ToRoll,
            Status::Pending => {
                let mut all = played.iter().map(|step| step.die).chain(dice.iter().copied());
                let told = all.next().zip(all.next()).map(|(a, b)| [a, b]);
                Phase::Moving { thrown: self.thrown?.or(told)?, dice, played }
            }
        };
        Some(State {
            config: self.config?,
            standing: standing?,
            crawford: self.crawford?,
            board: self.board?,
            up: self.up?,
            stakes: self.stakes?,
            holder: self.holder?,
            resignation: self.resignation?,
            phase,
        })
    }
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
fn check_steps(mut board: Board, up: Seat, roll: Vec<u8>, played: &[Played], faults: &mut Faults) {
    let mut steps = Vec::new();
    for (i, step) in played.iter().enumerate().rev() {
        let undone = step.step().seen_by(up).and_then(|seen| {
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
