//! The trait of a game.

use crate::{
    Chips, Draws, Faults, Flow, House, Input, Pending, Rated, Reject, Seat, Stay, Unit, Verdict,
    Viewer,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// The rules of one game.
///
/// `decide` may refuse, and then nothing has changed; `apply` may not. Chance is an argument of
/// `decide` and its result is inside the event, so a replay needs no generator. Time is an input,
/// so a timeout walks the same path as a move.
pub trait Rules: Sized + Send + Sync + 'static {
    /// The game's name in every log and on every command line; never renamed.
    const KEY: &'static str;
    /// Raised when an old log would be decided differently.
    const EDITION: u16;
    /// For how many seats it can be opened.
    const SEATS: RangeInclusive<u8>;
    /// Whether people join and leave while it goes on; otherwise it begins when all seats are taken.
    const COMES_AND_GOES: bool = false;
    /// Whether some see less than others. If not, view and sights are written once for all.
    const HIDES: bool = true;
    /// What it is played for.
    const UNIT: Unit = Unit::Chips;

    /// The options of a table.
    type Config: Serialize + DeserializeOwned + Default + Clone + PartialEq + Debug + Send + Sync;
    /// All there is to know.
    type State: Clone + PartialEq + Debug + Send + Sync;
    /// What a seat may say.
    type Command: Serialize + DeserializeOwned + Clone + PartialEq + Debug + Send + Sync;
    /// A fact.
    type Event: Serialize + DeserializeOwned + Clone + PartialEq + Debug + Send + Sync;
    /// What a seat may say now.
    type Legal: Serialize + Send + Sync;
    /// What a viewer sees. Its own type: a secret without a field cannot leak.
    type View: Serialize;
    /// What a viewer sees of an event.
    type Sight: Serialize;
    /// How it ended.
    type Outcome: Serialize + Clone + PartialEq + Debug;
    /// The state as a document.
    type Doc: Serialize;
    /// Why it says no.
    type Reject: Reject;

    /// A table before its first event. Pure: chance comes with [`House::Begin`].
    fn open(config: &Self::Config, seats: u8) -> Result<Self::State, Self::Reject>;
    /// What follows from an input.
    fn decide(
        state: &Self::State,
        input: &Input<Self::Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Self::Event>, Self::Reject>;
    /// Makes a fact part of the state. Total: an event that does not fit changes nothing.
    fn apply(state: &mut Self::State, event: &Self::Event);
    /// Who is asked, and within how long.
    fn pending(state: &Self::State) -> Pending;
    /// What a seat may say.
    fn legal(state: &Self::State, seat: Seat) -> Self::Legal;
    /// Whether a command is among what is legal; exactly then `decide` accepts it.
    fn permits(legal: &Self::Legal, command: &Self::Command) -> bool;
    /// Some legal command, chosen by chance; none if there is none.
    fn pick(legal: &Self::Legal, draws: &mut Draws<'_>) -> Option<Self::Command>;
    /// What a viewer sees.
    fn view(state: &Self::State, viewer: Viewer) -> Self::View;
    /// What a viewer sees of an event, told after it was applied.
    fn sight(state: &Self::State, event: &Self::Event, viewer: Viewer) -> Option<Self::Sight>;
    /// How it ended, once it has.
    fn outcome(state: &Self::State) -> Option<Self::Outcome>;
    /// The state as a document.
    fn doc(state: &Self::State) -> Self::Doc;
    /// The state of a document at a table with these options, or all its faults.
    fn load(config: &Self::Config, doc: Value) -> Result<Self::State, Faults>;
    /// How many seats this table has.
    fn seats(state: &Self::State) -> u8;

    /// How it ended for a rating, once it has an outcome. A game that is never rated is void.
    fn verdict(state: &Self::State) -> Option<Verdict> {
        Self::outcome(state).map(|_| Verdict::Void)
    }
    /// What a table with these options is rated as; none if it is not.
    fn rated(_: &Self::Config) -> Option<Rated> {
        None
    }
    /// Turns what was asked for into what is played where it counts for ratings.
    fn ranked(_: &mut Map<String, Value>) {}
    /// What every seat puts on the table when the game begins: the chips that then flow in.
    fn deposit(_: &Self::State) -> Chips {
        Chips::ZERO
    }
    /// All chips on the table.
    fn stake(_: &Self::State) -> Chips {
        Chips::ZERO
    }
    /// Chips that cross the table's edge by this event, told before it is applied.
    fn flows(_: &Self::State, _: &Self::Event) -> Vec<Flow> {
        Vec::new()
    }
    /// An event that was just applied came about at this time, in milliseconds since 1970: for
    /// documents that show times, and for deadlines that go on while others come between. No other
    /// rule may depend on it.
    fn stamp(_: &mut Self::State, _: &Self::Event, _at_ms: u64) {}
    /// How long a seat may be gone before the rules hear [`House::Left`]; none if they never do
    /// and its clock simply runs on.
    fn grace_ms(_: &Self::State) -> Option<u64> {
        None
    }
    /// What a seat on a taken chair is to the game, where people come and go.
    fn stay(_: &Self::State, _: Seat) -> Stay {
        Stay::Stays
    }
    /// How many cards the decks have that this table deals from; 0 if it deals none. The same for
    /// the table's life: the house commits to the next deck while the last one is still in play.
    fn deck(_: &Self::State) -> u32 {
        0
    }
    /// Which cards of the current deck a viewer may see now, as numbers of the order they were
    /// dealt in, from 0: to those who may see a card, a table shows the proof of it.
    ///
    /// The current deck is the one shuffled last, so a game that shows cards at the end of a hand
    /// shuffles for the next one by another input.
    fn dealt(_: &Self::State, _: Viewer) -> Vec<u32> {
        Vec::new()
    }
    /// For the law of secrecy: another state that this viewer must not be able to tell from the
    /// given one, all that is hidden from it drawn anew.
    fn resample(state: &Self::State, _: Viewer, _: &mut Draws<'_>) -> Self::State {
        state.clone()
    }

    /// Decides an input and applies what follows: the shortest way to play a game in a program.
    fn play(
        state: &mut Self::State,
        input: &Input<Self::Command>,
        draws: &mut Draws<'_>,
    ) -> Result<Vec<Self::Event>, Self::Reject> {
        let events = Self::decide(state, input, draws)?;
        for event in &events {
            Self::apply(state, event);
        }
        Ok(events)
    }

    /// Opens a table and begins.
    fn begin(
        config: &Self::Config,
        seats: u8,
        draws: &mut Draws<'_>,
    ) -> Result<Self::State, Self::Reject> {
        let mut state = Self::open(config, seats)?;
        Self::play(&mut state, &Input::House(House::Begin {}), draws)?;
        Ok(state)
    }
}
