//! The opening: who lays which stones, and who plays black.
//!
//! [`Swap2`] holds the actions alone; phase, stones, colours and whose turn it is follow from them.
//! [`Swap2State`] is its document.

use crate::board::{Colour, Point, Size};
use crate::command::{Coordinate, point};
use crate::notation;
use crate::reject::Reject;
use crate::state::other;
use parlor_rules::{Closed, Faults, Fields, Seat, Word};
use serde::{Deserialize, Deserializer, Serialize};

/// Where an opening is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Phase {
    /// The first player lays three stones.
    #[serde(rename = "swap2_placement")]
    Placement,
    /// The second player chooses a colour, or to lay more.
    #[serde(rename = "swap2_choice")]
    Choice,
    /// The second player lays two more stones.
    #[serde(rename = "swap2_extra")]
    Extra,
    /// The first player chooses a colour.
    #[serde(rename = "swap2_final_choice")]
    FinalChoice,
    /// Both have their colours.
    #[serde(rename = "complete")]
    Complete,
}

impl Phase {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Placement => "swap2_placement",
            Self::Choice => "swap2_choice",
            Self::Extra => "swap2_extra",
            Self::FinalChoice => "swap2_final_choice",
            Self::Complete => "complete",
        }
    }

    /// What may be chosen, in the order in which it is offered.
    pub const fn options(self) -> &'static [Choice] {
        match self {
            Self::Choice => &[Choice::Black, Choice::White, Choice::PlaceMore],
            Self::FinalChoice => &[Choice::Black, Choice::White],
            Self::Placement | Self::Extra | Self::Complete => &[],
        }
    }

    /// Whether a stone is to be laid.
    pub const fn places(self) -> bool {
        matches!(self, Self::Placement | Self::Extra)
    }

    /// What is to be sent.
    pub(crate) const fn expected(self) -> &'static str {
        match self {
            Self::Placement | Self::Extra => "place_stone",
            Self::Choice | Self::FinalChoice => "make_choice",
            Self::Complete => "move",
        }
    }
}

/// What can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// To play black.
    Black,
    /// To play white.
    White,
    /// To lay two more stones and leave the choice to the other.
    PlaceMore,
}

impl Choice {
    /// Its word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
            Self::PlaceMore => "place_more",
        }
    }

    /// The colour it takes.
    pub const fn colour(self) -> Option<Colour> {
        match self {
            Self::Black => Some(Colour::Black),
            Self::White => Some(Colour::White),
            Self::PlaceMore => None,
        }
    }
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// A stone was laid.
    Place(Point),
    /// A choice was made.
    Choose(Choice),
}

/// An action of the opening, and when it was done if that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Action {
    deed: Deed,
    timestamp: Option<String>,
}

/// An opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swap2 {
    opener: Seat,
    actions: Vec<Action>,
}

impl Swap2 {
    /// An opening in which nothing is done yet.
    pub const fn new(opener: Seat) -> Self {
        Self { opener, actions: Vec::new() }
    }

    /// Who lays the first stones.
    pub const fn opener(&self) -> Seat {
        self.opener
    }

    /// What was done, in order.
    pub fn deeds(&self) -> impl Iterator<Item = Deed> + '_ {
        self.actions.iter().map(|action| action.deed)
    }

    /// How much was done.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether nothing is done yet.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// The stones, in order; their colours alternate, black first.
    pub fn stones(&self) -> impl Iterator<Item = Point> + '_ {
        self.deeds().filter_map(|deed| match deed {
            Deed::Place(point) => Some(point),
            Deed::Choose(_) => None,
        })
    }

    fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        self.deeds().filter_map(|deed| match deed {
            Deed::Choose(choice) => Some(choice),
            Deed::Place(_) => None,
        })
    }

    /// Where it is.
    pub fn phase(&self) -> Phase {
        match (self.choices().last(), self.stones().count()) {
            (None, 0..3) => Phase::Placement,
            (None, _) => Phase::Choice,
            (Some(Choice::PlaceMore), 0..5) => Phase::Extra,
            (Some(Choice::PlaceMore), _) => Phase::FinalChoice,
            (Some(Choice::Black | Choice::White), _) => Phase::Complete,
        }
    }

    fn actor(&self, phase: Phase) -> Option<Seat> {
        match phase {
            Phase::Placement | Phase::FinalChoice => Some(self.opener),
            Phase::Choice | Phase::Extra => Some(other(self.opener)),
            Phase::Complete => None,
        }
    }

    /// Who is to act; none once it is complete.
    pub fn active(&self) -> Option<Seat> {
        self.actor(self.phase())
    }

    /// Who chose which colour, once somebody has.
    pub fn chosen(&self) -> Option<(Seat, Colour)> {
        let colour = self.choices().last()?.colour()?;
        // The first choice is the second player's, a second one the first player's.
        let chooser = if self.choices().count() == 1 { other(self.opener) } else { self.opener };
        Some((chooser, colour))
    }

    /// Who plays black, once that is known.
    pub fn black(&self) -> Option<Seat> {
        let (chooser, colour) = self.chosen()?;
        Some(if colour == Colour::Black { chooser } else { other(chooser) })
    }

    /// Makes something part of it; what does not fit changes nothing.
    pub(crate) fn push(&mut self, deed: Deed, timestamp: Option<String>) -> bool {
        let phase = self.phase();
        let fits = match deed {
            Deed::Place(point) => phase.places() && self.stones().all(|stone| stone != point),
            Deed::Choose(choice) => phase.options().contains(&choice),
        };
        if fits {
            self.actions.push(Action { deed, timestamp });
        }
        fits
    }

    /// Says when the last action was done, unless that is known.
    pub(crate) fn stamp(&mut self, timestamp: String) {
        if let Some(last) = self.actions.last_mut() {
            last.timestamp.get_or_insert(timestamp);
        }
    }

    fn check(&self, by: Seat, fits: bool, players: &Players) -> Result<Phase, Reject> {
        let phase = self.phase();
        let active = self.active().map(|seat| players.id(seat).to_owned());
        if !fits {
            let expected = phase.expected();
            return Err(Reject::InvalidPhase { phase: phase.name(), expected, active });
        }
        match active {
            Some(active) if self.active() != Some(by) => {
                Err(Reject::WrongPlayer { active, phase: phase.name() })
            }
            _ => Ok(phase),
        }
    }

    /// The point a seat may lay a stone on: phase, player and point are looked at in this order.
    pub(crate) fn may_place(
        &self,
        by: Seat,
        (x, y): (Coordinate, Coordinate),
        size: Size,
        players: &Players,
    ) -> Result<Deed, Reject> {
        let phase = self.check(by, self.phase().places(), players)?.name();
        let point = point(x, y, size, phase)?;
        if self.stones().any(|stone| stone == point) {
            let (Point { x, y }, at) = (point, notation::name(point, size));
            return Err(Reject::PositionOccupied { x, y, at, phase });
        }
        Ok(Deed::Place(point))
    }

    /// The choice a seat may make: phase, player and choice are looked at in this order.
    pub(crate) fn may_choose(
        &self,
        by: Seat,
        word: &str,
        players: &Players,
    ) -> Result<Deed, Reject> {
        let options = self.phase().options();
        let phase = self.check(by, !options.is_empty(), players)?.name();
        let chosen = options.iter().find(|option| option.name() == word);
        chosen.copied().map(Deed::Choose).ok_or_else(|| {
            let options: Vec<_> = options.iter().map(|option| option.name()).collect();
            let listed = options.join(", ");
            Reject::InvalidChoice {
                choice: word.chars().take(40).collect(),
                options,
                listed,
                phase,
            }
        })
    }
}

/// How the two seats are called in documents: two different texts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "[String; 2]", into = "[String; 2]")]
pub struct Players([String; 2]);

impl Players {
    /// Two names; none if they are the same, or one of them is empty.
    pub fn new(first: impl Into<String>, second: impl Into<String>) -> Option<Self> {
        Some(Self([first.into(), second.into()])).filter(Self::differ)
    }

    /// What options ask for, whether or not the two differ: they are checked as a whole.
    pub(crate) fn asked(both: [String; 2]) -> Self {
        Self(both)
    }

    /// Whether these are two different names.
    pub(crate) fn differ(&self) -> bool {
        self.0[0] != self.0[1] && self.0.iter().all(|id| !id.is_empty())
    }

    /// How a seat is called.
    pub fn id(&self, seat: Seat) -> &str {
        &self.0[seat.index() & 1]
    }

    /// The seat that is called so.
    pub fn seat(&self, id: &str) -> Option<Seat> {
        self.0.iter().position(|known| known == id).map(|seat| Seat::new(seat as u8))
    }
}

impl Default for Players {
    /// The numbers of the seats.
    fn default() -> Self {
        Self(["0".to_owned(), "1".to_owned()])
    }
}

impl TryFrom<[String; 2]> for Players {
    type Error = &'static str;

    fn try_from([first, second]: [String; 2]) -> Result<Self, Self::Error> {
        Self::new(first, second).ok_or("the two players differ")
    }
}

impl From<Players> for [String; 2] {
    fn from(players: Players) -> Self {
        players.0
    }
}

/// An opening as a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swap2State {
    /// Where it is.
    pub phase: Phase,
    /// Who opens.
    pub player1_id: String,
    /// The other.
    pub player2_id: String,
    /// Who is to act; once it is complete, who moves first in the game.
    pub active_player_id: String,
    /// The stones so far.
    pub tentative_stones: Vec<TentativeStone>,
    /// Who chose which colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_choice: Option<FinalChoice>,
    /// Who plays black.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_player_id: Option<String>,
    /// Who plays white.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_player_id: Option<String>,
    /// What was done, in order.
    pub actions: Vec<Swap2Action>,
}

/// A stone of the opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TentativeStone {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
    /// Who laid it.
    pub placed_by: String,
    /// 1 to 5.
    pub placement_order: u8,
    /// When.
    pub phase: Phase,
    /// Its colour; a reader may leave it out.
    pub color: Option<Colour>,
}

/// Who chose which colour.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalChoice {
    /// Who.
    pub chooser: String,
    /// Which.
    pub chosen_color: Colour,
}

/// An action of the opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Swap2Action {
    /// `place` or `choice`.
    pub r#type: &'static str,
    /// Who did it.
    pub player_id: String,
    /// When, if that is known.
    pub timestamp: Option<String>,
    /// What.
    pub data: ActionData,
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum ActionData {
    /// A stone was laid.
    Place(Point),
    /// A choice was made.
    Choice {
        /// Which.
        choice: Choice,
    },
}

/// Who plays which colour, and who moves first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ColorAssignment {
    /// Black.
    pub black_player_id: String,
    /// White.
    pub white_player_id: String,
    /// Who moves first in the game.
    pub first_mover: String,
}

/// What a finished game keeps of its opening.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// What was done, in order.
    pub actions: Vec<Swap2Action>,
    /// Who played what; none if the game ended before that was known.
    pub final_assignment: Option<ColorAssignment>,
}

impl Swap2 {
    /// Who plays which colour, once that is known.
    pub fn assignment(&self, players: &Players, first: Colour) -> Option<ColorAssignment> {
        let black = self.black()?;
        let id = |colour| players.id(if colour == Colour::Black { black } else { other(black) });
        Some(ColorAssignment {
            black_player_id: id(Colour::Black).to_owned(),
            white_player_id: id(Colour::White).to_owned(),
            first_mover: id(first).to_owned(),
        })
    }

    /// Its document; `first` is the colour that moves first in the game.
    pub fn document(&self, players: &Players, first: Colour) -> Swap2State {
        let id = |seat| players.id(seat).to_owned();
        let mut so_far = Self::new(self.opener);
        let (mut actions, mut stones) = (Vec::new(), Vec::new());
        for Action { deed, timestamp } in &self.actions {
            let phase = so_far.phase();
            let player_id = so_far.active().map_or_else(String::new, id);
            let (r#type, data) = match deed {
                Deed::Place(point) => {
                    stones.push(TentativeStone {
                        x: point.x,
                        y: point.y,
                        placed_by: player_id.clone(),
                        placement_order: stones.len() as u8 + 1,
                        phase,
                        color: Some(Colour::after(stones.len())),
                    });
                    ("place", ActionData::Place(*point))
                }
                Deed::Choose(choice) => ("choice", ActionData::Choice { choice: *choice }),
            };
            actions.push(Swap2Action { r#type, player_id, timestamp: timestamp.clone(), data });
            so_far.push(*deed, None);
        }
        let assignment = self.assignment(players, first);
        let active = self.active().map(id);
        let first_mover = assignment.as_ref().map(|known| known.first_mover.clone());
        Swap2State {
            phase: self.phase(),
            player1_id: id(self.opener),
            player2_id: id(other(self.opener)),
            active_player_id: active.or(first_mover).unwrap_or_default(),
            tentative_stones: stones,
            final_choice: self
                .chosen()
                .map(|(chooser, chosen_color)| FinalChoice { chooser: id(chooser), chosen_color }),
            black_player_id: assignment.as_ref().map(|known| known.black_player_id.clone()),
            white_player_id: assignment.map(|known| known.white_player_id),
            actions,
        }
    }

    /// What a finished game keeps of it.
    pub fn history(&self, players: &Players, first: Colour) -> History {
        History {
            actions: self.document(players, first).actions,
            final_assignment: self.assignment(players, first),
        }
    }
}

const PLAYER: &str = "the id of a player";
const PHASE: &str = "a phase of Swap 2";

impl Closed for TentativeStone {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let point = Point::take(fields, faults);
        let placed_by = fields.take("placedBy", PLAYER, faults);
        let placement_order = fields.take("placementOrder", "1 to 5", faults);
        let phase = fields.take::<Word<_>>("phase", PHASE, faults);
        let color = fields.or::<Option<Word<_>>>("color", None, "black or white", faults);
        let (Point { x, y }, Word(phase)) = (point?, phase?);
        let color = color?.map(|Word(colour)| colour);
        let (placed_by, placement_order) = (placed_by?, placement_order?);
        Some(Self { x, y, placed_by, placement_order, phase, color })
    }
}

impl Closed for FinalChoice {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let chooser = fields.take("chooser", PLAYER, faults);
        let color = fields.take::<Word<_>>("chosenColor", "black or white", faults);
        Some(Self { chooser: chooser?, chosen_color: color?.0 })
    }
}

impl Closed for ActionData {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        if fields.has("choice") {
            let choice = fields.take::<Word<_>>("choice", "black, white or place_more", faults);
            return choice.map(|Word(choice)| Self::Choice { choice });
        }
        Point::take(fields, faults).map(Self::Place)
    }
}

impl<'de> Deserialize<'de> for ActionData {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parlor_rules::doc::closed(d)
    }
}

/// The type of an action with a point, and of one with a choice.
#[derive(Deserialize)]
enum Place {
    #[serde(rename = "place")]
    Place,
}

#[derive(Deserialize)]
enum Choose {
    #[serde(rename = "choice")]
    Choice,
}

impl Closed for Swap2Action {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let data = fields.take("data", "x and y, or a choice", faults);
        let r#type = match &data {
            Some(ActionData::Place(_)) => fields
                .take("type", "\"place\", since it has a point", faults)
                .map(|Word(Place::Place)| "place"),
            Some(ActionData::Choice { .. }) => fields
                .take("type", "\"choice\", since it has one", faults)
                .map(|Word(Choose::Choice)| "choice"),
            None => fields.take::<String>("type", "place or choice", faults).map(|_| ""),
        };
        let player_id = fields.take("playerId", PLAYER, faults);
        let timestamp = fields.or("timestamp", None, "a time or null", faults);
        Some(Self { r#type: r#type?, player_id: player_id?, timestamp: timestamp?, data: data? })
    }
}

impl Closed for Swap2State {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let phase = fields.take::<Word<_>>("phase", PHASE, faults);
        let player1_id = fields.take("player1Id", PLAYER, faults);
        let player2_id = fields.take("player2Id", PLAYER, faults);
        let active_player_id = fields.take("activePlayerId", PLAYER, faults);
        let stones = fields.list("tentativeStones", "a list of stones", faults);
        let final_choice = match fields.has("finalChoice") {
            true => fields.nullable("finalChoice", "a choice or null", faults),
            false => Some(None),
        };
        let black = fields.or("blackPlayerId", None, PLAYER, faults);
        let white = fields.or("whitePlayerId", None, PLAYER, faults);
        let actions = fields.list("actions", "a list of actions", faults);
        Some(Self {
            phase: phase?.0,
            player1_id: player1_id?,
            player2_id: player2_id?,
            active_player_id: active_player_id?,
            tentative_stones: stones?,
            final_choice: final_choice?,
            black_player_id: black?,
            white_player_id: white?,
            actions: actions?,
        })
    }
}

impl<'de> Deserialize<'de> for Swap2State {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        parlor_rules::doc::closed(d)
    }
}

impl Swap2State {
    /// The two players by their seats, when this seat opens; none if they are the same.
    pub fn players(&self, opener: Seat) -> Option<Players> {
        let (first, second) = (self.player1_id.clone(), self.player2_id.clone());
        if opener.index() == 0 { Players::new(first, second) } else { Players::new(second, first) }
    }

    /// The opening these actions make; or the first of them that does not fit, and why.
    pub(crate) fn replay(
        &self,
        opener: Seat,
        players: &Players,
        size: Size,
    ) -> Result<Swap2, (usize, Reject)> {
        let mut opening = Swap2::new(opener);
        for (i, action) in self.actions.iter().enumerate() {
            let by = players.seat(&action.player_id);
            let stranger = || {
                let active = opening.active().unwrap_or(opener);
                let phase = opening.phase().name();
                Reject::WrongPlayer { active: players.id(active).to_owned(), phase }
            };
            let by = by.ok_or_else(|| (i, stranger()))?;
            let deed = match &action.data {
                ActionData::Place(Point { x, y }) => {
                    opening.may_place(by, ((*x).into(), (*y).into()), size, players)
                }
                ActionData::Choice { choice } => opening.may_choose(by, choice.name(), players),
            };
            opening.push(deed.map_err(|reject| (i, reject))?, action.timestamp.clone());
        }
        Ok(opening)
    }

    /// The opening of this document, or all that does not fit together in it.
    pub(crate) fn open(
        &self,
        path: &str,
        opener: Seat,
        players: &Players,
        (size, first): (Size, Colour),
        faults: &mut Faults,
    ) -> Option<Swap2> {
        let before = faults.len();
        let at = |field: &str| format!("{path}.{field}");
        let ids = [(&self.player1_id, opener), (&self.player2_id, other(opener))];
        for ((given, seat), field) in ids.into_iter().zip(["player1Id", "player2Id"]) {
            let id = players.id(seat);
            faults.check(given == id, &at(field), || format!("{seat} is player {id:?}"));
        }
        let stones = &self.tentative_stones;
        for (i, stone) in stones.iter().enumerate() {
            let twice = stones[..i].iter().any(|other| (other.x, other.y) == (stone.x, stone.y));
            faults.check(!twice, &at(&format!("tentativeStones.{i}")), || {
                "a stone lies on this point already".to_owned()
            });
        }
        let opening = match self.replay(opener, players, size) {
            Ok(opening) => opening,
            Err((i, reject)) => {
                use parlor_rules::Reject as _;
                faults.add(at(&format!("actions.{i}")), reject.text());
                return None;
            }
        };
        let told = opening.document(players, first);
        let fit = stones.len() == told.tentative_stones.len()
            && stones.iter().zip(&told.tentative_stones).all(|(given, told)| {
                let color = given.color.or(told.color);
                TentativeStone { color, ..given.clone() } == *told
            });
        let unlike = |field: &str| format!("does not follow from the actions: {field}");
        let mut check = |fits: bool, field: &str, told: String| {
            faults.check(fits, &at(field), || unlike(&told));
        };
        check(fit, "tentativeStones", format!("they lay {}", told.tentative_stones.len()));
        check(self.phase == told.phase, "phase", format!("they lead to {}", told.phase.name()));
        let active = &told.active_player_id;
        check(self.active_player_id == *active, "activePlayerId", format!("{active:?} is to act"));
        let choice = |made: bool| if made { "they choose" } else { "they choose no colour" };
        let chose = choice(told.final_choice.is_some()).to_owned();
        check(self.final_choice == told.final_choice, "finalChoice", chose);
        let whose = |id: &Option<String>| match id {
            Some(id) => format!("it is {id:?}"),
            None => "nobody has a colour yet".to_owned(),
        };
        let (black, white) = (&told.black_player_id, &told.white_player_id);
        check(self.black_player_id == *black, "blackPlayerId", whose(black));
        check(self.white_player_id == *white, "whitePlayerId", whose(white));
        (faults.len() == before).then_some(opening)
    }
}
