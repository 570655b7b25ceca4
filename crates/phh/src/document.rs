//! The hand document: a hand as JSON, with who sits out, who wants what and who owes what.
//!
//! A server's document is the truth; a player sends it back with changes. [`merge`] takes those that
//! are the player's own, [`next`] makes the next hand, [`auto`] plays for who does not, [`view`] is
//! what one player may see. They are plain functions from documents to documents.

use crate::terms;
use parlor_rules::{Chips, Draws, Faults, Fields, Refusal, Reject, Seat, Seeded, limits};
use parlor_rules_poker::bets::Sizes;
use parlor_rules_poker::card::{Card, CardSet, Cards};
use parlor_rules_poker::hand::{Action, HANDS, Hand, Next, OddChips, PLAYERS, Rake, Setup};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::seats::{self, Blinds, Column, Intent, Posts, SmallBlind};
use parlor_rules_poker::variant::{self, NT, Street, Variant};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

/// The name the hand has in a file of many.
pub(crate) const SECTION: &str = "_section";
/// The file it was read from, where it could not be written the same without.
pub(crate) const FILE: &str = "_phh";
/// What a document keeps of a file; the next hand has none of it.
const OF_A_FILE: [&str; 2] = [SECTION, FILE];

/// What everyone may know of what begins with `_` and has no field of its own.
const PUBLIC: [&str; 8] =
    ["_chip", "_oddChips", "_runs", "_rake", "_bomb", "_ante", "_rabbit", "_blinds"];

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
    /// Where the blinds and straddles stand; nothing where somebody brings in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blinds_or_straddles: Vec<Chips>,
    antes: Vec<Chips>,
    #[serde(flatten)]
    sizes: Sizes,
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
    /// How many have come since the cards were dealt; they stand behind.
    #[serde(rename = "_joined", skip_serializing_if = "is_zero")]
    joined: usize,
    /// 1 for who has to leave for lack of chips alone.
    #[serde(rename = "_short", skip_serializing_if = "Option::is_none")]
    short: Option<Vec<u8>>,
    /// Who has the button where no blinds tell it: a chair, or without chairs a place from 1.
    #[serde(rename = "_button", skip_serializing_if = "Option::is_none")]
    button: Option<u8>,
    /// The blinds, where the row has no place for all of them: small, big, straddles.
    #[serde(rename = "_levels", skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<Chips>>,
    /// Who posts the small blind.
    #[serde(rename = "_smallBlindAt", skip_serializing_if = "Option::is_none")]
    small_blind_at: Option<SmallBlind>,
    /// All else, as it was.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

fn code<S: serde::Serializer>(variant: &&'static Variant, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(variant.code)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
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
        let mut faults = Faults::default();
        let mut read = Read { faults: &mut faults, count: None };
        let document = read.document(value);
        match document {
            Some(document) if faults.is_empty() => Ok(document),
            _ => Err(Refusal::document(&faults)),
        }
    }

    pub(crate) fn variant(&self) -> &'static Variant {
        self.variant
    }

    pub(crate) fn sizes(&self) -> Sizes {
        self.sizes
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

    /// Whether the blinds only stand there and are not posted: everyone has posted an ante.
    fn bomb(&self) -> bool {
        self.rest.get("_bomb").is_some_and(|bomb| *bomb == true)
    }

    fn runs(&self) -> u8 {
        self.rest.get("_runs").cloned().and_then(|runs| terms::runs(runs).ok()).unwrap_or(1)
    }

    fn odd_chips(&self) -> OddChips {
        let rule = self.rest.get("_oddChips").cloned();
        rule.and_then(|rule| serde_json::from_value(rule).ok()).unwrap_or_default()
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
                blind: self.blinds_or_straddles.get(i).copied().unwrap_or_default(),
                intent: self.intents[i],
                inactive: self.inactive[i] != 0,
                debt: self.dead_blinds[i],
                dead: self.dead_money[i],
                short: self.is_short(i),
            })
            .collect()
    }

    fn is_short(&self, place: usize) -> bool {
        self.short.as_ref().is_some_and(|short| short[place] == 1)
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
        let laid = columns.iter().any(|column| column.blind > Chips::ZERO);
        let there = &columns[..columns.len() - self.joined];
        let posts = match laid && self.variant.has_blinds() && !self.bomb() {
            true => seats::posts(there, self.variant.button_blind),
            false => seats::no_posts(there, self.old_button(there)),
        };
        match posts {
            Some(mut posts) => {
                posts.blinds.resize(columns.len(), Chips::ZERO);
                Ok(posts)
            }
            None => refuse("no_blinds", "blindsOrStraddles: a small and a big blind are needed"),
        }
    }

    /// Who has the button where no blinds tell it; the last in the row if nothing is said.
    fn old_button(&self, there: &[Column]) -> Seat {
        let last = there.last().map_or(Seat::new(0), |column| column.seat);
        let number = |button: u8| button - u8::from(self.seats.is_none());
        self.button.map_or(last, |button| Seat::new(number(button)))
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
            bets: self.sizes.bets(self.variant, None).or(refuse("no_bet", "bets have sizes"))?,
            first: posts.first,
            active: posts.active,
            runs: self.runs(),
            chip: self.chip(),
            rake: self.rake(),
        };
        let hand = Hand::new(&setup).map_err(Refusal::from)?;
        Ok(hand.with_odd_chips(self.odd_chips()))
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

    /// The fold, or what else must have come before this action, though nobody has written it down.
    fn implied(&self, hand: &Hand, action: &Action) -> Option<Action> {
        let (player, absent) = absent(hand.next())?;
        let own = action.author() == Some(player);
        (!own && self.out(player)).then_some(absent)
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

    /// What the players have after this hand; none if it is not over. What cannot have happened is
    /// refused, unless somebody acts out of turn: such logs are only handed on.
    fn finished(&self) -> Result<Option<Vec<Chips>>, Refusal> {
        let total = |stacks: &[Chips]| stacks.iter().copied().sum::<Chips>();
        let stacks = match self.replay() {
            Ok(hand) if hand.next() == Next::Over => {
                let later = self.starting_stacks.iter().skip(hand.players().len()).copied();
                Some(hand.players().iter().map(|player| player.stack).chain(later).collect())
            }
            Ok(_) => None,
            Err(_) if self.actions.is_empty() => None,
            Err(refusal) if refusal.code == "not_your_turn" => None,
            Err(refusal) => return Err(refusal),
        };
        let Some(finishing) = &self.finishing_stacks else { return Ok(stacks) };
        let there = total(&self.starting_stacks) + total(&self.dead_money);
        if stacks.as_ref().is_some_and(|stacks| total(stacks) != total(finishing))
            || total(finishing) > there
        {
            let text = "finishingStacks: these are not the chips the hand began with";
            return refuse("invalid_document", text);
        }
        Ok(Some(finishing.clone()))
    }

    /// The players after this hand. One that is not over is void: nobody has bet, and who has paid
    /// to come back has it back and is where the hand began.
    fn ended(&self) -> Result<Vec<Column>, Refusal> {
        let mut columns = self.columns();
        match self.finished()? {
            Some(stacks) => {
                for (column, stack) in columns.iter_mut().zip(stacks) {
                    column.stack = stack;
                }
            }
            None => {
                for column in columns.iter_mut().filter(|column| column.dead > Chips::ZERO) {
                    column.stack += column.dead;
                    (column.debt, column.inactive) = (column.dead, true);
                }
            }
        }
        // Chips that were added meanwhile.
        let added = self.rest.get("_topUps").cloned();
        let added: Vec<Chips> =
            added.and_then(|added| serde_json::from_value(added).ok()).unwrap_or_default();
        for (column, added) in columns.iter_mut().zip(added) {
            column.stack += added.max(Chips::ZERO);
        }
        Ok(columns)
    }
}

/// What is played for who bets no more: a fold, but first the bring-in, and all cards are kept.
fn absent(next: Next) -> Option<(u8, Action)> {
    match next {
        Next::Act { player } => Some((player, Action::Fold { player })),
        Next::BringIn { player } => Some((player, Action::BringIn { player })),
        Next::Draw { player } => Some((player, Action::Discard { player, cards: Cards::NONE })),
        _ => None,
    }
}

struct Read<'f> {
    faults: &'f mut Faults,
    count: Option<usize>,
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
        let fits = self.count.is_none_or(|count| list.len() == count);
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
        let sizes = Sizes::take(f, self.faults);
        let actions: Option<Vec<Line>> =
            f.or("actions", Vec::new(), "a list of actions", self.faults);
        let finishing = self.chips(f, "finishingStacks");
        let inactive = self.list::<Number>(f, "_inactive", "a list of 0 and 1");
        let intents = self.list::<Intent>(f, "_intents", "a list of numbers from 0 to 3");
        let debts = self.chips(f, "_deadBlinds");
        let dead = self.chips(f, "_deadMoney");
        let joined: Option<usize> = f.or("_joined", 0, "a number", self.faults);
        let short = self.list::<u8>(f, "_short", "a list of 0 and 1");
        let button: Option<u8> = f.optional("_button", "a chair", self.faults);
        let levels: Option<Vec<Chips>> = f.optional("_levels", "a list of amounts", self.faults);
        let rising = |levels: &Vec<Chips>| {
            levels.len() >= 2 && levels[0] >= Chips::ZERO && levels.is_sorted_by(|a, b| a <= b)
        };
        self.faults.check(levels.as_ref().is_none_or(rising), "_levels", || {
            "are the small and the big blind and straddles, in rising order".to_owned()
        });
        let small_blind_at: Option<SmallBlind> =
            f.optional("_smallBlindAt", "\"positional\" or \"previous_big\"", self.faults);
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
            "smallBet",
            "bigBet",
            "bringIn",
            "actions",
            "finishingStacks",
            "_inactive",
            "_intents",
            "_deadBlinds",
            "_deadMoney",
            "_joined",
            "_short",
            "_button",
            "_levels",
            "_smallBlindAt",
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
        if let Some(chairs) = &seats {
            let twice = (1..chairs.len()).any(|i| chairs[..i].contains(&chairs[i]));
            self.faults.check(!twice, "seats", || "every chair stands there once".to_owned());
            let most = seat_count.flatten().unwrap_or(PLAYERS as u8);
            let there = chairs.iter().all(|chair| (1..=most).contains(chair));
            self.faults.check(there, "seats", || format!("chairs are 1 to {most}"));
        }
        let zero = Chips::ZERO;
        let (blinds, stacks) = (blinds?, stacks?);
        self.faults.check(stacks.is_some(), "startingStacks", || "is missing".to_owned());
        let variant = variant?;
        let blinds = match variant.has_blinds() {
            true => {
                let there = blinds.is_some();
                self.faults.check(there, "blindsOrStraddles", || "is missing".to_owned());
                filled(blinds, count, zero)
            }
            false => Vec::new(),
        };
        let equal = matches!(blinds[..], [one, other] if one == other && one > zero);
        self.faults.check(!equal, "blindsOrStraddles", || {
            "of two equal blinds nobody can tell which is the big one".to_owned()
        });
        let big = Blinds::of(&blinds).map(|blinds| blinds.levels[1]);
        let sizes = match sizes.bets(variant, Some(big.unwrap_or(terms::CHIP))) {
            Ok(bets) => bets.sizes(variant),
            Err(name) => {
                let name = Sizes::NAMES[name];
                self.faults.add(name, "is above 0, and big bets are not below small ones");
                return None;
            }
        };
        let most = if seats.is_some() { PLAYERS } else { count } as u8;
        let fits = button.is_none_or(|button| (1..=most).contains(&button));
        self.faults.check(fits, "_button", || format!("is from 1 to {most}"));
        if let Some(Err(why)) = rest.get("_chip").cloned().map(terms::chip) {
            self.faults.add("_chip", why);
        }
        if let Some(Err(why)) = rest.get("_runs").cloned().map(terms::runs) {
            self.faults.add("_runs", why);
        }
        if let Some(Err(why)) = rest.get("_rake").cloned().map(terms::rake) {
            self.faults.add("_rake", why);
        }
        // Whatever is not 0 is read as sitting out.
        let flags = inactive?.unwrap_or_default().into_iter();
        let flags = flags.map(|flag| u8::from(flag.as_f64() != Some(0.0)));
        let inactive = filled(Some(flags.collect()), count, 0);
        let intents = filled(intents?, count, Intent::Play);
        let dead_blinds = filled(debts?, count, zero);
        let owes = |i: usize| dead_blinds[i] > zero && inactive[i] == 0;
        self.faults
            .check(!(0..count).any(owes), "_deadBlinds", || "who plays owes nothing".to_owned());
        let short = short?;
        let marks = short.iter().flatten().zip(&intents);
        let fits =
            |(mark, intent): (&u8, &Intent)| *mark == 0 || (*mark, *intent) == (1, Intent::Leave);
        self.faults.check(marks.into_iter().all(fits), "_short", || {
            "are 0, or 1 for who leaves".to_owned()
        });
        let joined = joined?;
        self.faults.check(joined <= count.saturating_sub(2), "_joined", || {
            "leaves two who were there before".to_owned()
        });
        let starting_stacks = filled(stacks, count, zero);
        let dead_money = filled(dead?, count, zero);
        let total = |stacks: &[Chips]| -> Chips { stacks.iter().chain(&dead_money).copied().sum() };
        let most = Chips::whole(limits::CHIPS);
        let finishing = finishing?;
        let all = [Some(&starting_stacks), finishing.as_ref()];
        self.faults.check(
            all.into_iter().flatten().all(|s| total(s) <= most),
            "startingStacks",
            || format!("are together at most {most}"),
        );
        Some(Document {
            author,
            variant,
            hand: hand?,
            seat_count: seat_count?,
            seats,
            starting_stacks,
            blinds_or_straddles: blinds,
            antes: filled(antes?, count, zero),
            sizes,
            actions: actions?,
            finishing_stacks: finishing,
            inactive,
            intents,
            dead_blinds,
            dead_money,
            joined,
            short,
            button,
            levels,
            small_blind_at,
            players,
            rest,
        })
    }
}

/// The cards a player has shown.
fn shown(hand: &Document, player: u8) -> CardSet {
    let shown = hand.actions.iter().filter_map(|line| match line.action {
        Action::Show { player: other, cards } if other == player => cards,
        _ => None,
    });
    // No card stands for all that were dealt.
    let set = |cards: Cards| if cards.is_empty() { CardSet::ALL } else { cards.set() };
    shown.fold(CardSet::default(), |all, cards| all.union(set(cards)))
}

/// What one player may see: others' cards are `????` until they are shown.
pub fn view(hand: &Document, name: &str) -> Result<Document, Refusal> {
    let place = hand.players.iter().position(|player| player == name);
    if place.is_some_and(|place| hand.intents[place] == Intent::Leave && !hand.is_short(place)) {
        return refuse("left_the_table", format!("{name} has left the table"));
    }
    let mut view = hand.clone();
    view.author = Some(name.to_owned());
    let open = |street: &Street| (0..street.hole).map(|i| i >= street.hole - street.up).collect();
    let open: Vec<bool> =
        hand.variant.streets.iter().flat_map(|s| -> Vec<bool> { open(s) }).collect();
    let mut dealt = vec![0; hand.players.len()];
    for line in &mut view.actions {
        let own = line.action.author().map(usize::from) == place;
        match &mut line.action {
            Action::Hole { player, cards } if Some(usize::from(*player)) != place => {
                let Some(before) = dealt.get_mut(usize::from(*player)) else { continue };
                let flags = open.iter().skip(*before).chain(std::iter::repeat(&false));
                *before += cards.len();
                let up = cards.iter().zip(flags).filter(|(_, open)| **open);
                let up: CardSet = up.filter_map(|(card, _)| card).collect();
                let known = up.union(shown(hand, *player));
                if !cards.set().minus(known).is_empty() {
                    line.comment = None;
                }
                *cards = cards.only(known);
            }
            Action::Discard { cards, .. } if !own => {
                *cards = Cards::unknown(cards.len());
                line.comment = None;
            }
            _ => {}
        }
    }
    // What is not known to be for everyone is for nobody.
    let public = |key: &str| PUBLIC.contains(&key) || !key.starts_with('_');
    view.rest.retain(|key, _| public(key) && key != "seed");
    Ok(view)
}

/// Plays for the player who is waited for: a fold, and cards given up unseen at the end.
pub fn auto(hand: &Document) -> Result<Document, Refusal> {
    let next = hand.replay()?.next();
    let action = match (next, absent(next)) {
        (_, Some((_, action))) => action,
        (Next::Show { player }, _) => Action::Show { player, cards: None },
        _ => return refuse("nobody_to_play_for", format!("no player is waited for: {next}")),
    };
    let mut after = hand.clone();
    after.author = None;
    after.log(action.into());
    Ok(after)
}

/// The next hand; with a seed its cards are dealt.
pub fn next(hand: &Document, seed: Option<&str>) -> Result<Document, Refusal> {
    let columns = hand.ended()?;
    let places: Vec<Seat> = columns.iter().map(|column| column.seat).collect();
    let shown = |row: &[Chips]| Blinds::of(row).map(|blinds| blinds.levels).unwrap_or_default();
    let levels = hand.levels.clone().unwrap_or_else(|| shown(&hand.blinds_or_straddles));
    let button = columns[usize::from(hand.posts()?.button)].seat;
    let laid = columns.iter().any(|column| column.blind > Chips::ZERO);
    let rule = hand.small_blind_at.unwrap_or_default();
    let following = match hand.variant.has_blinds() {
        true if laid => seats::next(&columns, button, &levels, rule)?,
        true => seats::resume(&columns, button, &levels)?,
        false => seats::without_blinds(&columns, Some(button))?,
    };
    let (row, button) = (following.columns, following.button);
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
        blinds_or_straddles: match hand.variant.has_blinds() {
            true => each(&|column| column.blind),
            false => Vec::new(),
        },
        antes: each(&|column| column.ante),
        actions: Vec::new(),
        finishing_stacks: None,
        inactive: row.iter().map(|column| u8::from(column.inactive)).collect(),
        intents: row.iter().map(|column| column.intent).collect(),
        dead_blinds: each(&|column| column.debt),
        dead_money: each(&|column| column.dead),
        joined: 0,
        short: row
            .iter()
            .any(|column| column.short)
            .then(|| row.iter().map(|column| u8::from(column.short)).collect()),
        button: row
            .iter()
            .position(|column| Some(column.seat) == button)
            .map(|at| hand.seats.as_ref().map_or(at as u8 + 1, |chairs| chairs[old(&row[at])])),
        rest: hand.rest_of(&row.iter().map(old).collect::<Vec<_>>()),
        ..hand.clone()
    };
    if hand.variant.has_blinds() && shown(&next.blinds_or_straddles) != levels {
        next.levels = Some(levels);
    }
    if hand.bomb() {
        next.rest.remove("_bomb");
        let ante = next.rest.remove("_ante").and_then(|ante| serde_json::from_value(ante).ok());
        next.antes.fill(ante.unwrap_or(Chips::ZERO));
    }
    for of_the_last in ["_rabbit", "_topUps"] {
        next.rest.remove(of_the_last);
    }
    if let Some(seed) = seed {
        let mut chance = Seeded::new(seed);
        let mut draws = Draws::new(&mut chance);
        let mut deck = hand.variant.deck();
        draws.shuffle(deck.left());
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

/// Takes into the server's hand what a player may change: the own intent, an own seat, own actions
/// at the end of the log. Everything else is ignored, whatever it is.
pub fn merge(
    server: &Document,
    incoming: &Value,
    who: &str,
    balance: Option<Chips>,
) -> Result<Document, Refusal> {
    let seat = server.players.iter().position(|player| player == who);
    let request = Request::read(incoming, who, seat)?;
    let author = request.value.get("author").filter(|author| !author.is_null());
    if author.is_some_and(|author| author != who) {
        return refuse("not_the_author", format!("this document is not {who}'s"));
    }
    let mut merged = server.clone();
    merged.author = None;
    let tail = tail_of(server, &request, seat)?;
    let Some(own) = seat else {
        let Some(place) = request.place else {
            return refuse("not_at_the_table", format!("{who} is not among the players"));
        };
        if !tail.is_empty() {
            return refuse("not_at_the_table", format!("{who} is not in this hand"));
        }
        merged.join(&request, place, who, balance)?;
        return Ok(merged);
    };
    let wished = request.own("_intents", INTENT)?.unwrap_or(server.intents[own]);
    if !tail.is_empty() {
        merged.take(own as u8, tail)?;
    }
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
    fn take(&mut self, own: u8, tail: &[Line]) -> Result<(), Refusal> {
        let mut hand = self.replay()?;
        for line in tail {
            let at = self.actions.len();
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
            // Who sits out and is waited for folds, and it is written down.
            while let Some(fold) = self.implied(&hand, &line.action) {
                hand.act(&fold)?;
                self.log(fold.into());
            }
            let at = self.actions.len();
            let mut line = line.clone();
            if let Action::Show { cards: Some(cards), .. } = &mut line.action
                && cards.is_empty()
            {
                *cards = hand.players()[usize::from(own)].hole;
            }
            hand.act(&line.action).map_err(|fault| {
                Refusal::new(fault.code(), format!("actions.{at}: {line}: {}", fault.text()))
            })?;
            self.log(line);
        }
        Ok(())
    }

    /// A new player takes a seat: before the first card in the order of chairs, unless that is
    /// between the blinds, and later behind all others.
    fn join(
        &mut self,
        incoming: &Request<'_>,
        place: usize,
        who: &str,
        balance: Option<Chips>,
    ) -> Result<(), Refusal> {
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
        let chair = self.free_chair(chair.as_ref(), place, seats)?;
        let dealt = !self.actions.is_empty();
        let at = self.place_for(chair.filter(|_| !dealt));
        if let Some(chair) = chair {
            // Without chairs of their own the others sit in the order they stand in.
            let count = self.players.len() as u8;
            self.seats.get_or_insert_with(|| (1..=count).collect()).insert(at, chair);
        }
        self.players.insert(at, who.to_owned());
        self.starting_stacks.insert(at, stack);
        if self.variant.has_blinds() {
            self.blinds_or_straddles.insert(at, Chips::ZERO);
        }
        self.antes.insert(at, self.antes.first().copied().unwrap_or(Chips::ZERO));
        self.inactive.insert(at, u8::from(dealt || intent != Intent::Play));
        self.intents.insert(at, intent);
        self.dead_blinds.insert(at, Chips::ZERO);
        self.dead_money.insert(at, Chips::ZERO);
        if let Some(finishing) = &mut self.finishing_stacks {
            finishing.insert(at, stack);
        }
        if let Some(short) = &mut self.short {
            short.insert(at, 0);
        }
        self.joined += usize::from(dealt);
        Ok(())
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

    /// The chair a new player gets; none where there are no chairs.
    fn free_chair(
        &self,
        chair: Option<&Value>,
        place: usize,
        seats: usize,
    ) -> Result<Option<u8>, Refusal> {
        if chair.is_none() && self.seats.is_none() {
            return Ok(None);
        }
        let taken: Vec<u8> =
            self.seats.clone().unwrap_or_else(|| (1..=self.players.len() as u8).collect());
        let mut chairs = 1..=seats as u8;
        let Some(wanted) = chair else { return Ok(chairs.find(|chair| !taken.contains(chair))) };
        match chairs.find(|chair| wanted == *chair) {
            None => refuse("no_such_seat", format!("seats.{place}: chairs are 1 to {seats}")),
            Some(chair) if taken.contains(&chair) => {
                refuse("seat_taken", format!("seats.{place}: chair {chair} is taken"))
            }
            chair => Ok(chair),
        }
    }
}
