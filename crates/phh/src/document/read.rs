//! Reading a server's document: all its faults at once.

use super::Document;
use crate::terms;
use parlor_rules::{Chips, Faults, Fields, limits};
use parlor_rules_poker::bets::Sizes;
use parlor_rules_poker::hand::{HANDS, PLAYERS};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::seats::{Blinds, Intent, SmallBlind};
use parlor_rules_poker::variant::{self, NT};
use serde_json::{Map, Number, Value};

/// What a list is filled up with where it may be short.
fn filled<T: Clone>(list: Option<Vec<T>>, count: usize, with: T) -> Vec<T> {
    let mut list = list.unwrap_or_default();
    list.resize(count.max(list.len()), with);
    list
}

pub(super) struct Read<'f> {
    pub(super) faults: &'f mut Faults,
    pub(super) count: Option<usize>,
    pub(super) least: usize,
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

    pub(super) fn document(&mut self, value: Value) -> Option<Document> {
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
        let least = self.least;
        self.faults.check((least..=PLAYERS).contains(&count), "players", || {
            format!("needs {least} to {PLAYERS} names")
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
