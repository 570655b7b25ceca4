//! The hand document: a hand as JSON, with who sits out, who wants what and who owes what.
//!
//! A server's document is the truth; a player sends it back with changes. [`merge`] takes those that
//! are the player's own, [`next`] makes the next hand, [`auto`] plays for who does not, [`view`] is
//! what one player may see. They are plain functions from documents to documents.

use crate::terms;
use parlor_rules::{Chips, Deck, Draws, Faults, Fields, Refusal, Reject, Seat, Seeded};
use parlor_rules_poker::card::{Card, Cards};
use parlor_rules_poker::hand::{Action, HANDS, Hand, Next, PLAYERS, Rake, Setup};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::seats::{self, Blinds, Column, Intent, Posts, SmallBlind};
use parlor_rules_poker::variant::{self, NT, Variant};
use serde::Serialize;
use serde_json::{Map, Value};

/// The name the hand has in a file of many.
pub(crate) const SECTION: &str = "_section";
/// The file it was read from, where it could not be written the same without.
pub(crate) const FILE: &str = "_phh";
/// What a document keeps of a file; the next hand has none of it.
const OF_A_FILE: [&str; 2] = [SECTION, FILE];

/// A hand document; lists are in the order of players.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Whose it is, if it is a player's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(serialize_with = "code")]
    variant: &'static Variant,
    /// The number of the hand.
    pub hand: u64,
    /// The names of the players.
    pub players: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat_count: Option<u8>,
    /// Their chairs, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    seats: Option<Vec<u8>>,
    /// Chips in front at the start.
    pub starting_stacks: Vec<Chips>,
    /// Where the blinds and straddles stand.
    pub blinds_or_straddles: Vec<Chips>,
    antes: Vec<Chips>,
    min_bet: Chips,
    /// What happened.
    pub actions: Vec<Line>,
    /// Chips in front at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finishing_stacks: Option<Vec<Chips>>,
    /// 1 for who sits out.
    #[serde(rename = "_inactive")]
    pub inactive: Vec<u8>,
    /// What each wants.
    #[serde(rename = "_intents")]
    pub intents: Vec<Intent>,
    /// Blinds missed, in chips.
    #[serde(rename = "_deadBlinds")]
    pub dead_blinds: Vec<Chips>,
    /// Missed blinds paid into this hand.
    #[serde(rename = "_deadMoney")]
    pub dead_money: Vec<Chips>,
    /// All else, as it was.
    #[serde(flatten)]
    rest: Map<String, Value>,
    /// How many intents were written.
    #[serde(skip)]
    wished: usize,
}

fn code<S: serde::Serializer>(variant: &&'static Variant, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(variant.code)
}

fn refuse<T>(code: &'static str, text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, text))
}

/// What a list is filled up with where it may be short.
fn filled<T: Clone>(list: Option<Vec<T>>, count: usize, with: T) -> Vec<T> {
    let mut list = list.unwrap_or_default();
    list.resize(count.max(list.len()), with);
    list
}

impl Document {
    /// Reads a server's document: every list that is there has an entry for every player.
    pub fn read(value: Value) -> Result<Self, Refusal> {
        Self::parse(value, false)
    }

    /// Reads a player's document, whose lists may be short or missing: only what is the player's own
    /// counts.
    pub fn read_request(value: Value) -> Result<Self, Refusal> {
        Self::parse(value, true)
    }

    fn parse(value: Value, request: bool) -> Result<Self, Refusal> {
        let mut faults = Faults::default();
        let mut read = Read { faults: &mut faults, count: None, request };
        let document = read.document(value);
        match document {
            Some(document) if faults.is_empty() => Ok(document),
            _ => Err(Refusal::document(&faults)),
        }
    }

    pub(crate) fn variant(&self) -> &'static Variant {
        self.variant
    }

    pub(crate) fn min_bet(&self) -> Chips {
        self.min_bet
    }

    pub(crate) fn antes(&self) -> &[Chips] {
        &self.antes
    }

    pub(crate) fn seat_count(&self) -> Option<u8> {
        self.seat_count
    }

    pub(crate) fn chairs(&self) -> Option<&[u8]> {
        self.seats.as_deref()
    }

    pub(crate) fn rest(&self) -> &Map<String, Value> {
        &self.rest
    }

    /// Whether an ante that others cannot match is given back, as it is where nothing is said.
    pub(crate) fn ante_trimming(&self) -> bool {
        self.rest.get("anteTrimmingStatus").and_then(Value::as_bool).unwrap_or(true)
    }

    /// The smallest chip a pot is divided into.
    pub(crate) fn chip(&self) -> Chips {
        let chip = self.rest.get("_chip").cloned();
        chip.and_then(|chip| terms::chip(chip).ok()).unwrap_or(terms::CHIP)
    }

    fn rake(&self) -> Option<Rake> {
        terms::rake(self.rest.get("_rake")?.clone()).ok()
    }

    /// What else is known of these players: lists of one thing a player follow them.
    pub(crate) fn rest_of(&self, players: &[usize]) -> Map<String, Value> {
        let mut rest = self.rest.clone();
        rest.retain(|key, _| !OF_A_FILE.contains(&key.as_str()));
        for list in rest.values_mut().filter_map(Value::as_array_mut) {
            if list.len() == self.players.len() {
                *list = players.iter().map(|i| list[*i].clone()).collect();
            }
        }
        rest
    }

    /// Keeps something beside the hand.
    pub(crate) fn keep(&mut self, key: &str, value: impl Into<Value>) {
        self.rest.insert(key.to_owned(), value.into());
    }

    /// The places of those who play, the first to act after the first round first; of two the big
    /// blind.
    pub(crate) fn order(&self) -> Result<Vec<usize>, Refusal> {
        let posts = self.posts()?;
        let count = self.players.len();
        let turned = (0..count).map(|i| (usize::from(posts.first) + i) % count);
        Ok(turned.filter(|i| posts.active >> i & 1 == 1).collect())
    }

    /// What each player posts as a blind or straddle.
    pub(crate) fn posted(&self) -> Result<Vec<Chips>, Refusal> {
        Ok(self.posts()?.blinds)
    }

    fn columns(&self) -> Vec<Column> {
        (0..self.players.len())
            .map(|i| Column {
                seat: Seat::new(self.seats.as_ref().map_or(i as u8, |chairs| chairs[i])),
                stack: self.starting_stacks[i],
                ante: self.antes[i],
                blind: self.blinds_or_straddles[i],
                intent: self.intents[i],
                inactive: self.inactive[i] != 0,
                debt: self.dead_blinds[i],
                dead: self.dead_money[i],
            })
            .collect()
    }

    fn out(&self, player: u8) -> bool {
        let place = usize::from(player);
        self.inactive[place] != 0 || self.intents[place] != Intent::Play
    }

    /// What is posted, by whom. Who was dealt cards plays, whoever sits out by now.
    fn posts(&self) -> Result<Posts, Refusal> {
        let dealt = |i: usize| {
            self.actions.iter().any(|line| {
                matches!(line.action, Action::Hole { player, .. } if usize::from(player) == i)
            })
        };
        let deals = |line: &Line| matches!(line.action, Action::Hole { .. });
        let all_dealt = !self.actions.iter().all(deals);
        let mut columns = self.columns();
        for (i, column) in columns.iter_mut().enumerate() {
            column.inactive = !dealt(i) && (all_dealt || column.inactive);
        }
        match seats::posts(&columns) {
            Some(posts) => Ok(posts),
            None => refuse("no_blinds", "blindsOrStraddles: a small and a big blind are needed"),
        }
    }

    /// The hand before its first action.
    fn begin(&self) -> Result<Hand, Refusal> {
        let posts = self.posts()?;
        let setup = Setup {
            variant: self.variant,
            stacks: &self.starting_stacks,
            antes: &self.antes,
            ante_trimming: self.ante_trimming(),
            blinds: &posts.blinds,
            dead: self.dead_money.iter().copied().sum(),
            min_bet: self.min_bet,
            first: posts.first,
            active: posts.active,
            chip: self.chip(),
            rake: self.rake(),
        };
        Hand::new(&setup).map_err(Refusal::from)
    }

    /// The hand after all actions so far.
    fn replay(&self) -> Result<Hand, Refusal> {
        let mut hand = self.begin()?;
        for (i, line) in self.actions.iter().enumerate() {
            self.play(&mut hand, &line.action).map_err(|fault| {
                Refusal::new(fault.code(), format!("actions.{i}: {line}: {}", fault.text()))
            })?;
        }
        Ok(hand)
    }

    /// Plays an action; who sits out and is waited for has folded without a word.
    fn play(
        &self,
        hand: &mut Hand,
        action: &Action,
    ) -> Result<(), parlor_rules_poker::hand::Fault> {
        while let Some(fold) = self.implied(hand, action) {
            hand.act(&fold)?;
        }
        hand.act(action)
    }

    /// The fold that must have come before this action, though nobody has written it down.
    fn implied(&self, hand: &Hand, action: &Action) -> Option<Action> {
        let Next::Act { player } = hand.next() else { return None };
        let own = matches!(action,
            Action::Fold { player: p } | Action::Call { player: p }
                | Action::Raise { player: p, .. } if *p == player);
        (!own && self.out(player)).then_some(Action::Fold { player })
    }

    /// The log with those folds, as far as it can be played.
    pub(crate) fn whole_log(&self) -> Vec<Line> {
        let mut log = Vec::new();
        let mut hand = self.begin().ok();
        for line in &self.actions {
            if let Some(hand) = &mut hand {
                while let Some(fold) = self.implied(hand, &line.action)
                    && hand.act(&fold).is_ok()
                {
                    log.push(fold.into());
                }
            }
            hand = hand.and_then(|mut hand| hand.act(&line.action).is_ok().then_some(hand));
            log.push(line.clone());
        }
        log
    }

    /// Puts an entry into the log. From then on who wants to pause sits out.
    fn log(&mut self, line: Line) {
        self.actions.push(line);
        for (inactive, intent) in self.inactive.iter_mut().zip(&self.intents) {
            if matches!(intent, Intent::Wait | Intent::Pause) {
                *inactive = 1;
            }
        }
    }

    /// What the players have after this hand. A hand that is not over is void.
    fn finished(&self) -> Vec<Chips> {
        if let Some(finishing) = &self.finishing_stacks {
            return finishing.clone();
        }
        match self.replay() {
            Ok(hand) if hand.next() == Next::Over => {
                hand.players().iter().map(|player| player.stack).collect()
            }
            _ => {
                let stacks = self.starting_stacks.iter().zip(&self.dead_money);
                stacks.map(|(stack, dead)| *stack + *dead).collect()
            }
        }
    }
}

struct Read<'f> {
    faults: &'f mut Faults,
    count: Option<usize>,
    request: bool,
}

impl Read<'_> {
    /// A list with an entry for every player.
    fn list<T: for<'de> serde::Deserialize<'de>>(
        &mut self,
        fields: &mut Fields,
        key: &'static str,
        wanted: &str,
    ) -> Option<Option<Vec<T>>> {
        if !fields.has(key) {
            fields.raw(key);
            return Some(None);
        }
        let list: Vec<T> = fields.take(key, wanted, self.faults)?;
        let fits = self.request || self.count.is_none_or(|count| list.len() == count);
        let count = self.count.unwrap_or_default();
        self.faults.check(fits, key, || format!("needs {count} entries, one for every player"));
        fits.then_some(Some(list))
    }

    fn chips(&mut self, fields: &mut Fields, key: &'static str) -> Option<Option<Vec<Chips>>> {
        let list = self.list::<Chips>(fields, key, "a list of amounts")?;
        let right = list.iter().flatten().all(|chips| *chips >= Chips::ZERO);
        self.faults.check(right, key, || "amounts are not negative".to_owned());
        Some(list)
    }

    fn document(&mut self, value: Value) -> Option<Document> {
        let rest = match &value {
            Value::Object(map) => map.clone(),
            _ => Map::new(),
        };
        let mut fields = Fields::of(value, "", self.faults);
        let f = &mut fields;
        let players: Option<Vec<String>> = f.take("players", "a list of names", self.faults);
        self.count = players.as_ref().map(Vec::len);
        let author: Option<String> = f.optional("author", "a name", self.faults);
        let variant = match f.optional::<String>("variant", "a text", self.faults) {
            None => Some(&NT),
            Some(code) => {
                let found = variant::find(&code);
                self.faults.check(found.is_some(), "variant", || format!("{code} is not played"));
                found
            }
        };
        let hand: Option<u64> = f.or("hand", 1, "a number", self.faults);
        let most = hand.is_none_or(|hand| hand <= HANDS);
        self.faults.check(most, "hand", || format!("is at most {HANDS}"));
        let seat_count = match f.raw("seatCount") {
            // Both spellings are in use.
            Some(Value::Array(list)) if list.len() == 1 => list.into_iter().next(),
            other => other,
        };
        let seat_count = match seat_count {
            None => Some(None),
            Some(value) => {
                let count = value.as_u64().and_then(|count| u8::try_from(count).ok());
                let fits = count.filter(|count| (2..=PLAYERS as u8).contains(count));
                self.faults.check(fits.is_some(), "seatCount", || {
                    format!("needs a number from 2 to {PLAYERS}")
                });
                fits.map(Some)
            }
        };
        let seats = self.list::<u8>(f, "seats", "a list of chairs");
        let stacks = self.chips(f, "startingStacks");
        let blinds = self.chips(f, "blindsOrStraddles");
        let antes = self.chips(f, "antes");
        let min_bet: Option<Chips> = f.optional("minBet", "an amount", self.faults);
        let actions: Option<Vec<Line>> =
            f.or("actions", Vec::new(), "a list of actions", self.faults);
        let finishing = self.chips(f, "finishingStacks");
        let inactive = self.list::<u8>(f, "_inactive", "a list of 0 and 1");
        let intents = self.list::<Intent>(f, "_intents", "a list of numbers from 0 to 3");
        let debts = self.chips(f, "_deadBlinds");
        let dead = self.chips(f, "_deadMoney");
        let known = [
            "author",
            "variant",
            "hand",
            "players",
            "seatCount",
            "seats",
            "startingStacks",
            "blindsOrStraddles",
            "antes",
            "minBet",
            "actions",
            "finishingStacks",
            "_inactive",
            "_intents",
            "_deadBlinds",
            "_deadMoney",
        ];
        let rest: Map<String, Value> =
            rest.into_iter().filter(|(key, _)| !known.contains(&key.as_str())).collect();

        let players = players?;
        let count = players.len();
        self.faults.check((1..=PLAYERS).contains(&count), "players", || {
            format!("needs 1 to {PLAYERS} names")
        });
        let twice = (1..count).any(|i| players[..i].contains(&players[i]));
        self.faults.check(!twice, "players", || "every name stands there once".to_owned());
        let seats = seats?;
        if let Some(chairs) = seats.as_ref().filter(|_| !self.request) {
            let twice = (1..chairs.len()).any(|i| chairs[..i].contains(&chairs[i]));
            self.faults.check(!twice, "seats", || "every chair stands there once".to_owned());
        }
        let zero = Chips::ZERO;
        let (blinds, stacks) = (blinds?, stacks?);
        if !self.request {
            self.faults.check(stacks.is_some(), "startingStacks", || "is missing".to_owned());
            self.faults.check(blinds.is_some(), "blindsOrStraddles", || "is missing".to_owned());
        }
        let blinds = filled(blinds, count, zero);
        let big = Blinds::of(&blinds).map(|blinds| blinds.levels[1]);
        let min_bet = min_bet.or(big).unwrap_or(Chips::from_ten_thousandths(1));
        self.faults.check(min_bet > zero, "minBet", || "is above 0".to_owned());
        if !self.request {
            if let Some(Err(why)) = rest.get("_chip").cloned().map(terms::chip) {
                self.faults.add("_chip", why);
            }
            if let Some(Err(why)) = rest.get("_rake").cloned().map(terms::rake) {
                self.faults.add("_rake", why);
            }
        }
        let inactive: Vec<u8> =
            filled(inactive?, count, 0).into_iter().map(|flag| u8::from(flag != 0)).collect();
        let intents = intents?;
        let wished = intents.as_ref().map_or(0, Vec::len);
        let intents = filled(intents, count, Intent::Play);
        let dead_blinds = filled(debts?, count, zero);
        if !self.request {
            let owes = |i: usize| dead_blinds[i] > zero && inactive[i] == 0;
            let impossible = (0..count).find(|i| owes(*i));
            self.faults
                .check(impossible.is_none(), "_deadBlinds", || "who plays owes nothing".to_owned());
        }
        Some(Document {
            author,
            variant: variant?,
            hand: hand?,
            seat_count: seat_count?,
            seats,
            starting_stacks: filled(stacks, count, zero),
            blinds_or_straddles: blinds,
            antes: filled(antes?, count, zero),
            min_bet,
            actions: actions?,
            finishing_stacks: finishing?,
            inactive,
            intents,
            dead_blinds,
            dead_money: filled(dead?, count, zero),
            players,
            rest,
            wished,
        })
    }
}

/// What one player may see: others' cards are `????` until they are shown.
pub fn view(hand: &Document, name: &str) -> Result<Document, Refusal> {
    let place = hand.players.iter().position(|player| player == name);
    if place.is_some_and(|place| hand.intents[place] == Intent::Leave) {
        return refuse("left_the_table", format!("{name} has left the table"));
    }
    let mut view = hand.clone();
    view.author = Some(name.to_owned());
    let shown = |player: u8| {
        hand.actions.iter().any(
            |line| matches!(line.action, Action::Show { player: p, cards: Some(_) } if p == player),
        )
    };
    for line in &mut view.actions {
        if let Action::Hole { player, cards } = &mut line.action
            && Some(usize::from(*player)) != place
            && !shown(*player)
        {
            *cards = Cards::unknown(cards.len());
            line.comment = None;
        }
    }
    // What is not known to be for everyone is for nobody.
    let public = |key: &str| ["_chip", "_rake"].contains(&key) || !key.starts_with('_');
    view.rest.retain(|key, _| public(key) && key != "seed");
    Ok(view)
}

/// Plays for the player who is waited for: a fold, and cards given up unseen at the end.
pub fn auto(hand: &Document) -> Result<Document, Refusal> {
    let action = match hand.replay()?.next() {
        Next::Act { player } => Action::Fold { player },
        Next::Show { player } => Action::Show { player, cards: None },
        next => return refuse("nobody_to_play_for", format!("no player is waited for: {next}")),
    };
    let mut after = hand.clone();
    after.author = None;
    after.log(action.into());
    Ok(after)
}

/// The next hand; with a seed its cards are dealt.
pub fn next(hand: &Document, seed: Option<&str>) -> Result<Document, Refusal> {
    let mut columns = hand.columns();
    for (column, stack) in columns.iter_mut().zip(hand.finished()) {
        column.stack = stack;
    }
    let places: Vec<Seat> = columns.iter().map(|column| column.seat).collect();
    let row: Vec<Chips> = columns.iter().map(|column| column.blind).collect();
    let levels = Blinds::of(&row).map(|blinds| blinds.levels).unwrap_or_default();
    let following = seats::next(&columns, &levels, SmallBlind::Positional)?;
    let row = following.columns;
    let each = |of: &dyn Fn(&Column) -> Chips| row.iter().map(of).collect::<Vec<Chips>>();
    let old = |column: &Column| {
        places.iter().position(|seat| *seat == column.seat).expect("nobody new is there")
    };
    let mut next = Document {
        author: None,
        hand: hand.hand + 1,
        players: row.iter().map(|column| hand.players[old(column)].clone()).collect(),
        seats: hand.seats.as_ref().map(|chairs| row.iter().map(|c| chairs[old(c)]).collect()),
        starting_stacks: each(&|column| column.stack),
        blinds_or_straddles: each(&|column| column.blind),
        antes: each(&|column| column.ante),
        actions: Vec::new(),
        finishing_stacks: None,
        inactive: row.iter().map(|column| u8::from(column.inactive)).collect(),
        intents: row.iter().map(|column| column.intent).collect(),
        dead_blinds: each(&|column| column.debt),
        dead_money: each(&|column| column.dead),
        rest: hand.rest_of(&row.iter().map(old).collect::<Vec<_>>()),
        ..hand.clone()
    };
    if let Some(seed) = seed {
        let mut chance = Seeded::new(seed);
        let mut draws = Draws::new(&mut chance);
        let mut deck = Deck::new(52);
        draws.shuffle(52);
        let mut dealing = next.begin()?;
        while let Next::Hole { player, cards } = dealing.next() {
            let cards: Cards =
                (0..cards).filter_map(|_| Card::from_number(deck.deal(&mut draws))).collect();
            let action = Action::Hole { player, cards };
            dealing.act(&action)?;
            next.actions.push(action.into());
        }
    }
    Ok(next)
}

/// Takes into the server's hand what a player may change: the own intent, an own seat, own actions
/// at the end of the log. Everything else is ignored, whatever it is.
pub fn merge(
    server: &Document,
    incoming: &Document,
    who: &str,
    balance: Option<Chips>,
) -> Result<Document, Refusal> {
    if incoming.author.as_deref().is_some_and(|author| author != who) {
        return refuse("not_the_author", format!("this document is not {who}'s"));
    }
    let mut merged = server.clone();
    merged.author = None;
    let seat = server.players.iter().position(|player| player == who);
    let tail = tail_of(server, incoming, seat)?;
    let place = incoming.players.iter().position(|player| player == who);
    let Some(own) = seat else {
        let Some(place) = place else {
            return refuse("not_at_the_table", format!("{who} is not among the players"));
        };
        if !tail.is_empty() {
            return refuse("not_at_the_table", format!("{who} is not in this hand"));
        }
        merged.join(incoming, place, who, balance)?;
        return Ok(merged);
    };
    if !tail.is_empty() {
        merged.take(own as u8, tail)?;
    }
    // A list that is short or absent wants nothing.
    let wished =
        place.filter(|place| *place < incoming.wished).map(|place| incoming.intents[place]);
    let wished = wished.unwrap_or(server.intents[own]);
    if wished != server.intents[own] {
        if server.intents[own] == Intent::Leave {
            return refuse("leaving", format!("{who} is leaving; that is final"));
        }
        merged.intents[own] = wished;
        if wished == Intent::Leave {
            merged.inactive[own] = 1;
        }
    }
    Ok(merged)
}

/// What the incoming log has beyond the server's, with which it must begin. Whatever a player
/// writes for the cards of another is as good as any: an answer that depended on them would tell
/// them.
fn tail_of<'i>(
    server: &Document,
    incoming: &'i Document,
    own: Option<usize>,
) -> Result<&'i [Line], Refusal> {
    let same = |(ours, theirs): (&Line, &Line)| match (ours.action, theirs.action) {
        (Action::Hole { player, cards }, Action::Hole { player: other, cards: dealt }) => {
            let mine = own == Some(usize::from(player));
            player == other && cards.len() == dealt.len() && (!mine || cards.could_be(&dealt))
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
        None if incoming.hand != server.hand => {
            refuse("other_hand", format!("hand: this is hand {}", server.hand))
        }
        None => Ok(&incoming.actions[known..]),
    }
}

impl Document {
    /// Plays a player's own actions.
    fn take(&mut self, own: u8, tail: &[Line]) -> Result<(), Refusal> {
        let mut hand = self.replay()?;
        for line in tail {
            let at = self.actions.len();
            let mine = matches!(line.action,
                Action::Fold { player } | Action::Call { player } | Action::Raise { player, .. }
                    | Action::Show { player, .. } if player == own);
            if !mine {
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
            // Who sits out and is waited for folds, and it is written down.
            while let Next::Act { player } = hand.next()
                && player != own
                && self.out(player)
            {
                let fold = Action::Fold { player };
                hand.act(&fold)?;
                self.log(fold.into());
            }
            let at = self.actions.len();
            self.play(&mut hand, &line.action).map_err(|fault| {
                Refusal::new(fault.code(), format!("actions.{at}: {line}: {}", fault.text()))
            })?;
            self.log(line.clone());
        }
        Ok(())
    }

    /// A new player takes a seat.
    fn join(
        &mut self,
        incoming: &Self,
        place: usize,
        who: &str,
        balance: Option<Chips>,
    ) -> Result<(), Refusal> {
        let seats = self.seat_count.map_or(PLAYERS, usize::from);
        if self.players.len() >= seats {
            return refuse("table_full", format!("all {seats} seats are taken"));
        }
        let wanted = incoming.starting_stacks.get(place).copied().unwrap_or(Chips::ZERO);
        let stack = balance.map_or(wanted, |balance| wanted.min(balance));
        if stack <= Chips::ZERO {
            return refuse("no_chips", format!("startingStacks.{place}: bring some chips"));
        }
        let chair = incoming.seats.as_ref().and_then(|chairs| chairs.get(place)).copied();
        self.take_chair(chair, place, seats)?;
        self.players.push(who.to_owned());
        self.starting_stacks.push(stack);
        self.blinds_or_straddles.push(Chips::ZERO);
        self.antes.push(self.antes.first().copied().unwrap_or(Chips::ZERO));
        self.inactive.push(u8::from(!self.actions.is_empty()));
        self.intents.push(incoming.intents.get(place).copied().unwrap_or_default());
        self.dead_blinds.push(Chips::ZERO);
        self.dead_money.push(Chips::ZERO);
        if let Some(finishing) = &mut self.finishing_stacks {
            finishing.push(stack);
        }
        Ok(())
    }

    fn take_chair(&mut self, chair: Option<u8>, place: usize, seats: usize) -> Result<(), Refusal> {
        if chair.is_none() && self.seats.is_none() {
            return Ok(());
        }
        // Without chairs of their own the others sit in the order they stand in.
        let taken: Vec<u8> =
            self.seats.clone().unwrap_or_else(|| (1..=self.players.len() as u8).collect());
        let chair = match chair {
            Some(chair) if !(1..=seats).contains(&usize::from(chair)) => {
                return refuse("no_such_seat", format!("seats.{place}: chairs are 1 to {seats}"));
            }
            Some(chair) if taken.contains(&chair) => {
                return refuse("seat_taken", format!("seats.{place}: chair {chair} is taken"));
            }
            Some(chair) => chair,
            None => (1..=seats as u8).find(|chair| !taken.contains(chair)).unwrap_or(seats as u8),
        };
        self.seats = Some(taken.into_iter().chain([chair]).collect());
        Ok(())
    }
}
