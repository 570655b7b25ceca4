//! The hand document: a hand as JSON, with who sits out, who wants what and who owes what.
//!
//! A server's document is the truth; a player sends it back with changes. [`wishes`] finds those that
//! are the player's own, [`merge`] takes them, [`next`] makes the next hand, [`auto`] plays for who does not, [`view`] is
//! what one player may see. They are plain functions from documents to documents.

mod merge;
mod read;

pub use merge::{Act, Join, Wishes, merge, wishes};

use crate::terms;
use parlor_rules::{Chips, Draws, Faults, Refusal, Reject, Seat, Seeded, refuse};
use parlor_rules_poker::bets::Sizes;
use parlor_rules_poker::card::{Card, CardSet, Cards};
use parlor_rules_poker::hand::{Action, Hand, Next, OddChips, Rake, Setup};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::seats::{self, Blinds, Column, Intent, Posts, SmallBlind};
use parlor_rules_poker::variant::Variant;
use read::Read;
use serde::Serialize;
use serde_json::{Map, Value};

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

impl Document {
    /// Reads a server's document: every list that is there has an entry for every player.
    pub fn read(value: Value) -> Result<Self, Refusal> {
        Self::read_of(1, value)
    }

    /// Reads the document of a live table, where nobody may sit yet.
    pub fn read_live(value: Value) -> Result<Self, Refusal> {
        Self::read_of(0, value)
    }

    /// Reads a document of so many players at least.
    fn read_of(least: usize, value: Value) -> Result<Self, Refusal> {
        let mut faults = Faults::default();
        let mut read = Read { faults: &mut faults, count: None, least };
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
        // At the end whoever wants to shows first.
        let next = Some(hand.next()).filter(|next| !matches!(next, Next::Show { .. }))?;
        let absent = next.without_a_word()?;
        let player = absent.author()?;
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

/// The cards a player is dealt behind this entry of the log.
fn dealt_later(hand: &Document, entry: usize, player: u8) -> CardSet {
    let later = hand.actions.iter().skip(entry + 1).filter_map(|line| match line.action {
        Action::Hole { player: other, cards } if other == player => Some(cards.set()),
        _ => None,
    });
    later.fold(CardSet::default(), CardSet::union)
}

/// What one player may see: others' cards are `????` until they are shown.
pub fn view(hand: &Document, name: &str) -> Result<Document, Refusal> {
    let place = hand.players.iter().position(|player| player == name);
    if place.is_some_and(|place| hand.intents[place] == Intent::Leave && !hand.is_short(place)) {
        return refuse("left_the_table", format!("{name} has left the table"));
    }
    Ok(Document { author: Some(name.to_owned()), ..seen_by(hand, Some(name)) })
}

/// The hand as the player of this name has seen it, also when that player has left, or, without a
/// name, as anyone has.
pub fn seen_by(hand: &Document, name: Option<&str>) -> Document {
    let place = hand.players.iter().position(|player| Some(player.as_str()) == name);
    let mut view = hand.clone();
    view.author = None;
    let mut dealt = vec![0; hand.players.len()];
    for (i, line) in view.actions.iter_mut().enumerate() {
        let own = line.action.author().map(usize::from) == place;
        match &mut line.action {
            Action::Hole { player, cards } if Some(usize::from(*player)) != place => {
                let Some(before) = dealt.get_mut(usize::from(*player)) else { continue };
                let flags = hand.variant.open().skip(*before).chain(std::iter::repeat(false));
                *before += cards.len();
                let up = cards.iter().zip(flags).filter(|(_, open)| *open);
                let up: CardSet = up.filter_map(|(card, _)| card).collect();
                // A card that was given away and came back is shown where it came last.
                let last = shown(hand, *player).minus(dealt_later(hand, i, *player));
                let known = up.union(last);
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
    view
}

/// Plays for the player who is waited for: a fold, and cards given up unseen at the end.
pub fn auto(hand: &Document) -> Result<Document, Refusal> {
    let next = hand.replay()?.next();
    let Some(action) = next.without_a_word() else {
        return refuse("nobody_to_play_for", format!("no player is waited for: {next}"));
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
