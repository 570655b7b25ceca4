//! What a player may change in the server's hand.

use super::Document;
use parlor_rules::{Chips, Refusal, Reject as _, limits, refuse};
use parlor_rules_poker::hand::{Action, Hand, PLAYERS};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::seats::{Blinds, Intent};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a player sends. Of the whole document only this is read.
struct Request<'v> {
    /// The document.
    value: &'v Map<String, Value>,
    /// The player's own place in its lists; none if it has none.
    place: Option<usize>,
    /// The log, as the player knows it and would have it go on.
    actions: Vec<Line>,
}

impl<'v> Request<'v> {
    /// Reads a document of `who`; without names its lists are as the server's, where `who` is at
    /// `seat`.
    fn read(value: &'v Value, who: &str, seat: Option<usize>) -> Result<Self, Refusal> {
        let Some(value) = value.as_object() else {
            return refuse("invalid_document", "a hand document is an object");
        };
        let names = value.get("players").and_then(Value::as_array);
        let named = |names: &Vec<Value>| names.iter().position(|name| name == who);
        let place = names.map_or(seat, named);
        if names.is_some_and(|names| names.iter().filter(|name| *name == who).count() > 1) {
            return refuse("invalid_document", "players: every name stands there once");
        }
        let mut request = Self { value, place, actions: Vec::new() };
        if let Some(lines) = request.field::<Vec<Value>>("actions", "a list of actions")? {
            let line =
                |(i, line): (usize, Value)| read(line, || format!("actions.{i}"), "an action");
            request.actions = lines.into_iter().enumerate().map(line).collect::<Result<_, _>>()?;
        }
        Ok(request)
    }

    fn field<T: DeserializeOwned>(&self, key: &str, needs: &str) -> Result<Option<T>, Refusal> {
        let value = self.value.get(key).filter(|value| !value.is_null()).cloned();
        value.map(|value| read(value, || key.to_owned(), needs)).transpose()
    }

    /// The player's own entry in a list; a list that is short or absent says nothing.
    fn own<T: DeserializeOwned>(&self, key: &str, needs: &str) -> Result<Option<T>, Refusal> {
        let list = self.value.get(key).and_then(Value::as_array);
        let entry = list.zip(self.place).and_then(|(list, place)| Some((list.get(place)?, place)));
        let entry = entry.filter(|(entry, _)| !entry.is_null());
        entry.map(|(entry, at)| read(entry.clone(), || format!("{key}.{at}"), needs)).transpose()
    }
}

fn read<T: DeserializeOwned>(
    value: Value,
    place: impl FnOnce() -> String,
    needs: &str,
) -> Result<T, Refusal> {
    serde_json::from_value(value).map_err(|error| {
        Refusal::new("invalid_document", format!("{}: needs {needs}: {error}", place()))
    })
}

/// What a player wants of the server's hand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wishes {
    /// A seat of the own.
    pub join: Option<Join>,
    /// What the log goes on with: own actions, and what goes before them without a word.
    pub acts: Vec<Act>,
    /// To play, to pause or to leave, where that was not wanted before.
    pub intent: Option<Intent>,
}

/// A seat that somebody wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Join {
    /// The chair, from 1; any if it was not said.
    pub chair: Option<u8>,
    /// The chips that are brought along.
    pub stack: Chips,
    /// What is wanted there.
    pub intent: Intent,
}

/// An entry for the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    /// What is done.
    pub line: Line,
    /// Whether it was sent, and did not follow by itself.
    pub own: bool,
    /// What there was to call before it; nothing where nobody bets.
    pub call: Chips,
}

/// Finds what a player may change: the own intent, an own seat, own actions at the end of the log.
/// Everything else is ignored, whatever it is.
pub fn wishes(
    server: &Document,
    incoming: &Value,
    who: &str,
    balance: Option<Chips>,
) -> Result<Wishes, Refusal> {
    let seat = server.players.iter().position(|player| player == who);
    let request = Request::read(incoming, who, seat)?;
    let author = request.value.get("author").filter(|author| !author.is_null());
    if author.is_some_and(|author| author != who) {
        return refuse("not_the_author", format!("this document is not {who}'s"));
    }
    let tail = tail_of(server, &request, seat)?;
    let Some(own) = seat else {
        let Some(place) = request.place else {
            return refuse("not_at_the_table", format!("{who} is not among the players"));
        };
        if !tail.is_empty() {
            return refuse("not_at_the_table", format!("{who} is not in this hand"));
        }
        let join = server.joining(&request, place, balance)?;
        return Ok(Wishes { join: Some(join), ..Wishes::default() });
    };
    let wished = request.own("_intents", INTENT)?;
    let acts = if tail.is_empty() { Vec::new() } else { server.acting(own as u8, tail)? };
    let intent = wished.filter(|wished| *wished != server.intents[own]);
    if intent.is_some() && server.intents[own] == Intent::Leave {
        return refuse("leaving", format!("{who} is leaving; that is final"));
    }
    Ok(Wishes { join: None, acts, intent })
}

/// Takes into the server's hand what a player may change; see [`wishes`].
pub fn merge(
    server: &Document,
    incoming: &Value,
    who: &str,
    balance: Option<Chips>,
) -> Result<Document, Refusal> {
    let Wishes { join, acts, intent } = wishes(server, incoming, who, balance)?;
    let mut merged = server.clone();
    merged.author = None;
    if let Some(join) = join {
        merged.seat(who, &join);
    }
    for act in acts {
        merged.log(act.line);
    }
    let own = merged.players.iter().position(|player| player == who);
    if let Some((own, wished)) = own.zip(intent) {
        merged.intents[own] = wished;
        if wished == Intent::Leave {
            merged.inactive[own] = 1;
        }
    }
    Ok(merged)
}

const INTENT: &str = "a number from 0 to 3";

/// What the incoming log has beyond the server's, with which it must begin. Whatever a player
/// writes for the cards of another is as good as any: an answer that depended on them would tell
/// them.
fn tail_of<'r>(
    server: &Document,
    incoming: &'r Request<'_>,
    own: Option<usize>,
) -> Result<&'r [Line], Refusal> {
    let same = |(ours, theirs): (&Line, &Line)| match (ours.action, theirs.action) {
        (Action::Hole { player, cards }, Action::Hole { player: other, cards: dealt }) => {
            let mine = own == Some(usize::from(player));
            player == other && cards.len() == dealt.len() && (!mine || cards.could_be(&dealt))
        }
        (Action::Discard { player, cards }, Action::Discard { player: other, cards: given }) => {
            let mine = own == Some(usize::from(player));
            player == other && cards.len() == given.len() && (!mine || cards.could_be(&given))
        }
        (ours, theirs) => ours == theirs,
    };
    let known = server.actions.len();
    let first = server.actions.iter().zip(&incoming.actions).position(|both| !same(both));
    match first {
        Some(i) => refuse("other_log", format!("actions.{i}: the hand has gone another way")),
        None if incoming.actions.len() < known => {
            refuse("other_log", format!("actions.{}: the hand has gone on", incoming.actions.len()))
        }
        None if incoming.value.get("hand").is_some_and(|hand| *hand != server.hand) => {
            refuse("other_hand", format!("hand: this is hand {}", server.hand))
        }
        None => Ok(&incoming.actions[known..]),
    }
}

impl Document {
    /// Plays a player's own actions.
    fn acting(&self, own: u8, tail: &[Line]) -> Result<Vec<Act>, Refusal> {
        let mut hand = self.replay()?;
        let mut acts = Vec::new();
        for line in tail {
            let at = self.actions.len() + acts.len();
            if line.action.author() != Some(own) {
                return refuse(
                    "not_yours",
                    format!("actions.{at}: {line}: this is not yours to do"),
                );
            }
            let bets = matches!(line.action, Action::Call { .. } | Action::Raise { .. });
            if bets && self.out(own) {
                let text = format!("actions.{at}: {line}: you sit out until the next hand");
                return refuse("sitting_out", text);
            }
            let to_call = |hand: &Hand| hand.options().map_or(Chips::ZERO, |options| options.call);
            // Who sits out and is waited for folds, and it is written down.
            while let Some(fold) = self.implied(&hand, &line.action) {
                let call = to_call(&hand);
                hand.act(&fold)?;
                acts.push(Act { line: fold.into(), own: false, call });
            }
            let at = self.actions.len() + acts.len();
            let mut line = line.clone();
            if let Action::Show { cards: Some(cards), .. } = &mut line.action
                && cards.is_empty()
            {
                *cards = hand.players()[usize::from(own)].hole;
            }
            let call = to_call(&hand);
            hand.act(&line.action).map_err(|fault| {
                Refusal::new(fault.code(), format!("actions.{at}: {line}: {}", fault.text()))
            })?;
            acts.push(Act { line, own: true, call });
        }
        Ok(acts)
    }

    /// The seat that somebody wants who is not here yet.
    fn joining(
        &self,
        incoming: &Request<'_>,
        place: usize,
        balance: Option<Chips>,
    ) -> Result<Join, Refusal> {
        let seats = self.seat_count.map_or(PLAYERS, usize::from);
        if self.players.len() >= seats {
            return refuse("table_full", format!("all {seats} seats are taken"));
        }
        let wanted = incoming.own("startingStacks", "an amount")?.unwrap_or(Chips::ZERO);
        let stack = balance.map_or(wanted, |balance| wanted.min(balance));
        if stack <= Chips::ZERO {
            return refuse("no_chips", format!("startingStacks.{place}: bring some chips"));
        }
        let there: Chips = self.starting_stacks.iter().chain(&self.dead_money).copied().sum();
        let most = Chips::whole(limits::CHIPS);
        if there + stack > most {
            let text = format!("startingStacks.{place}: a table has at most {most} in all");
            return refuse("too_many_chips", text);
        }
        let intent = incoming.own("_intents", INTENT)?.unwrap_or_default();
        if intent == Intent::Leave {
            return refuse("leaving", format!("_intents.{place}: who comes does not leave"));
        }
        let chair = incoming.own::<Value>("seats", "a chair")?;
        let chair = chair.map(|wanted| self.chosen_chair(&wanted, place, seats)).transpose()?;
        Ok(Join { chair, stack, intent })
    }

    /// A new player takes a seat: before the first card in the order of chairs, unless that is
    /// between the blinds, and later behind all others.
    fn seat(&mut self, who: &str, join: &Join) {
        let dealt = !self.actions.is_empty();
        let taken = self.taken_chairs();
        let most = self.seat_count.unwrap_or(PLAYERS as u8);
        let free = || (1..=most).find(|chair| !taken.contains(chair));
        let chair = join.chair.or_else(|| self.seats.as_ref().and_then(|_| free()));
        let at = self.place_for(chair.filter(|_| !dealt));
        if let Some(chair) = chair {
            self.seats.get_or_insert(taken).insert(at, chair);
        }
        self.players.insert(at, who.to_owned());
        self.starting_stacks.insert(at, join.stack);
        if self.variant.has_blinds() {
            self.blinds_or_straddles.insert(at, Chips::ZERO);
        }
        self.antes.insert(at, self.antes.first().copied().unwrap_or(Chips::ZERO));
        self.inactive.insert(at, u8::from(dealt || join.intent != Intent::Play));
        self.intents.insert(at, join.intent);
        self.dead_blinds.insert(at, Chips::ZERO);
        self.dead_money.insert(at, Chips::ZERO);
        if let Some(finishing) = &mut self.finishing_stacks {
            finishing.insert(at, join.stack);
        }
        if let Some(short) = &mut self.short {
            short.insert(at, 0);
        }
        self.joined += usize::from(dealt);
    }

    /// Where in the row a chair belongs; at its end without one, or between the blinds.
    fn place_for(&self, chair: Option<u8>) -> usize {
        let end = self.players.len();
        let (Some(chair), Some(chairs)) = (chair, &self.seats) else { return end };
        let at = chairs.iter().position(|other| *other > chair).unwrap_or(end);
        let between = Blinds::of(&self.blinds_or_straddles)
            .is_some_and(|blinds| blinds.small < at && at <= blinds.big);
        if between || !chairs.is_sorted() { end } else { at }
    }

    /// The chairs of the players. Without chairs of their own they sit in the order they stand in.
    fn taken_chairs(&self) -> Vec<u8> {
        self.seats.clone().unwrap_or_else(|| (1..=self.players.len() as u8).collect())
    }

    /// A chair that somebody asks for.
    fn chosen_chair(&self, wanted: &Value, place: usize, seats: usize) -> Result<u8, Refusal> {
        match (1..=seats as u8).find(|chair| wanted == chair) {
            None => refuse("no_such_seat", format!("seats.{place}: chairs are 1 to {seats}")),
            Some(chair) if self.taken_chairs().contains(&chair) => {
                refuse("seat_taken", format!("seats.{place}: chair {chair} is taken"))
            }
            Some(chair) => Ok(chair),
        }
    }
}
