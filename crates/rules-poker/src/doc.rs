//! The table as a document: the hand in the notation of hand histories, with what a running table
//! needs beside it.

use crate::bets::Sizes;
use crate::card::Cards;
use crate::command::Pre;
use crate::config::Config;
use crate::decide::may_prepare;
use crate::event::Begun;
use crate::hand::{Action, HANDS, Next, OddChips, PLAYERS, Rake};
use crate::notation::Line;
use crate::seats::{Blinds, Column, Intent, SmallBlind};
use crate::state::{Phase, Place, State};
use crate::variant::Variant;
use parlor_rules::{Chips, Faults, Fields, Reject as _, Seat};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The document; lists are in the order of the row of players.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Doc {
    variant: &'static Variant,
    hand: u64,
    /// Names, which the rules do not know: those of the chairs.
    players: Vec<String>,
    seat_count: u8,
    /// Chairs, from 1.
    seats: Vec<u8>,
    starting_stacks: Vec<Chips>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blinds_or_straddles: Option<Vec<Chips>>,
    antes: Vec<Chips>,
    #[serde(flatten)]
    sizes: Sizes,
    actions: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finishing_stacks: Option<Vec<Chips>>,
    #[serde(rename = "_phase")]
    phase: Phase,
    #[serde(rename = "_inactive")]
    inactive: Vec<u8>,
    #[serde(rename = "_intents")]
    intents: Vec<Intent>,
    #[serde(rename = "_deadBlinds")]
    dead_blinds: Vec<Chips>,
    #[serde(rename = "_deadMoney")]
    dead_money: Vec<Chips>,
    /// How many have come since the hand began; they stand behind.
    #[serde(rename = "_joined")]
    joined: usize,
    /// Chips added since then, or since it ended.
    #[serde(rename = "_topUps")]
    top_ups: Vec<Chips>,
    #[serde(rename = "_missed")]
    missed: Vec<u8>,
    #[serde(rename = "_pre")]
    pre: Vec<Option<Pre>>,
    /// 1 for who has to leave for lack of chips alone.
    #[serde(rename = "_short", skip_serializing_if = "Option::is_none")]
    short: Option<Vec<u8>>,
    /// The chair that had the button, where no hand tells it.
    #[serde(rename = "_button", skip_serializing_if = "Option::is_none")]
    button: Option<u8>,
    /// What is played for beyond what the row shows, where a table is not like most.
    #[serde(rename = "_levels", skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<Chips>>,
    #[serde(rename = "_smallBlindAt", skip_serializing_if = "Option::is_none")]
    small_blind_at: Option<SmallBlind>,
    #[serde(rename = "_chip", skip_serializing_if = "Option::is_none")]
    chip: Option<Chips>,
    #[serde(rename = "_rake", skip_serializing_if = "Option::is_none")]
    rake: Option<Rake>,
    /// Where blinds stand for the next hand that has some.
    #[serde(rename = "_blinds", skip_serializing_if = "Option::is_none")]
    blinds: Option<Vec<Chips>>,
    /// Which of the table's variants it is, and how many hands of it were played.
    #[serde(rename = "_variant", skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(rename = "_lasted", skip_serializing_if = "Option::is_none")]
    lasted: Option<u64>,
    #[serde(rename = "_oddChips", skip_serializing_if = "Option::is_none")]
    odd_chips: Option<OddChips>,
    #[serde(rename = "_runs", skip_serializing_if = "Option::is_none")]
    runs: Option<u8>,
    /// Whether nobody has posted a blind.
    #[serde(rename = "_bomb", skip_serializing_if = "std::ops::Not::not")]
    bomb: bool,
    /// What everyone posts in other hands than this one.
    #[serde(rename = "_ante", skip_serializing_if = "Option::is_none")]
    ante: Option<Chips>,
    /// The rest of the board, as it would have been.
    #[serde(rename = "_rabbit", skip_serializing_if = "Option::is_none")]
    rabbit: Option<Cards>,
    /// Since when each pauses.
    #[serde(rename = "_since", skip_serializing_if = "Option::is_none")]
    since_ms: Option<Vec<Option<u64>>>,
    /// When something happened last.
    #[serde(rename = "_at", skip_serializing_if = "Option::is_none")]
    at_ms: Option<u64>,
}

/// The options of a table that a document needs and its other fields do not tell: blinds, who posts
/// the small one, the smallest chip, rake.
fn options(
    config: &Config,
    bomb: bool,
) -> (Option<Vec<Chips>>, Option<SmallBlind>, Option<Chips>, Option<Rake>) {
    let plain = Config::default();
    let rule = Some(config.small_blind_at).filter(|rule| *rule != plain.small_blind_at);
    let levels = (bomb || rule.is_some() || !config.straddles.is_empty())
        .then(|| config.levels(config.variants[0]));
    (levels, rule, Some(config.chip).filter(|chip| *chip != plain.chip), config.rake)
}

/// Whether the blinds of a hand tell who has the button.
fn is_laid(state: &State) -> bool {
    let variant = state.config.variants[state.variant];
    state.hand.is_some() && !state.bomb && variant.has_blinds()
}

/// A list that is left out while there is nothing in it.
fn where_any<T: Default + PartialEq>(state: &State, of: impl Fn(&Place) -> T) -> Option<Vec<T>> {
    let list: Vec<T> = state.row.iter().map(of).collect();
    list.iter().any(|entry| *entry != T::default()).then_some(list)
}

/// See [`parlor_rules::Rules::doc`].
pub(crate) fn doc(state: &State) -> Doc {
    let each = |of: &dyn Fn(&Column) -> Chips| state.row.iter().map(|p| of(&p.column)).collect();
    let started =
        |(i, place): (usize, &Place)| state.started.get(i).copied().unwrap_or(place.column.stack);
    let finished = state.hand.as_ref().filter(|_| state.playing().is_none());
    let finishing: Option<Vec<Chips>> = finished.map(|hand| {
        let later = state.row.iter().skip(hand.players().len()).map(|place| place.column.stack);
        hand.players().iter().map(|player| player.stack).chain(later).collect()
    });
    let before = finishing.as_ref().unwrap_or(&state.started);
    let top_up = |(i, place): (usize, &Place)| match before.get(i) {
        Some(before) => place.column.stack - *before,
        None => Chips::ZERO,
    };
    let places = || state.row.iter().enumerate();
    let (levels, small_blind_at, chip, rake) = options(&state.config, state.bomb);
    let variant = state.config.variants[state.variant];
    Doc {
        variant,
        hand: state.number,
        players: state.row.iter().map(|place| name(place.column.seat.index() as u8 + 1)).collect(),
        seat_count: state.seats,
        seats: state.row.iter().map(|place| place.column.seat.index() as u8 + 1).collect(),
        starting_stacks: places().map(started).collect(),
        blinds_or_straddles: variant.has_blinds().then(|| each(&|column| column.blind)),
        antes: each(&|column| column.ante),
        sizes: state.config.bets_of(variant).sizes(variant),
        actions: state.log.clone(),
        finishing_stacks: finishing.clone(),
        phase: state.phase,
        inactive: state.row.iter().map(|place| u8::from(place.column.inactive)).collect(),
        intents: state.row.iter().map(|place| place.column.intent).collect(),
        dead_blinds: each(&|column| column.debt),
        dead_money: each(&|column| column.dead),
        joined: if state.hand.is_some() { state.row.len() - state.started.len() } else { 0 },
        top_ups: places().map(top_up).collect(),
        missed: state.row.iter().map(|place| place.missed).collect(),
        pre: state.row.iter().map(|place| place.pre).collect(),
        odd_chips: Some(state.config.odd_chips).filter(|rule| *rule != OddChips::Each),
        runs: Some(state.config.runs).filter(|runs| *runs > 1),
        bomb: state.bomb,
        ante: state.bomb.then_some(state.config.ante),
        rabbit: state.rabbit,
        blinds: where_any(state, |place| place.column.blind).filter(|_| !variant.has_blinds()),
        at: Some(state.variant).filter(|at| *at > 0),
        lasted: Some(state.lasted).filter(|hands| *hands > 0),
        short: where_any(state, |place| u8::from(place.column.short)),
        button: state.button.filter(|_| !is_laid(state)).map(|seat| seat.index() as u8 + 1),
        levels,
        small_blind_at,
        chip,
        rake,
        since_ms: where_any(state, |place| place.since_ms),
        at_ms: state.at_ms,
    }
}

/// What the player on a chair is called.
fn name(chair: u8) -> String {
    format!("Seat {chair}")
}

/// A list of one thing a player, as long as that of the players.
fn column<T: for<'de> Deserialize<'de>>(
    fields: &mut Fields,
    key: &'static str,
    wanted: &str,
    count: Option<usize>,
    faults: &mut Faults,
) -> Option<Vec<T>> {
    let list: Vec<T> = fields.take(key, wanted, faults)?;
    let fits = count.is_none_or(|count| list.len() == count);
    faults.check(fits, key, || "needs as many entries as seats has".to_owned());
    fits.then_some(list)
}

/// A list that may be left out.
fn listed<T: for<'de> Deserialize<'de>>(
    fields: &mut Fields,
    key: &'static str,
    wanted: &str,
    count: Option<usize>,
    faults: &mut Faults,
) -> Option<Vec<T>> {
    if fields.has(key) { column(fields, key, wanted, count, faults) } else { None }
}

/// See [`parlor_rules::Rules::load`].
pub(crate) fn load(config: &Config, doc: Value) -> Result<State, Faults> {
    let mut faults = Faults::default();
    let state = read(config, doc, &mut faults);
    match state {
        Some(state) if faults.is_empty() => Ok(state),
        _ => Err(faults),
    }
}

fn read(config: &Config, doc: Value, faults: &mut Faults) -> Option<State> {
    let mut fields = Fields::of(doc, "", faults);
    let f = &mut fields;
    let code: Option<String> = f.take("variant", "the code of a variant", faults);
    let at: Option<usize> = f.or("_variant", 0, "a place in the options", faults);
    let lasted: Option<u64> = f.or("_lasted", 0, "a number", faults);
    let variant = at.and_then(|at| config.variants.get(at).copied());
    let right = variant.is_some() && variant.map(|variant| variant.code) == code.as_deref();
    faults.check(right, "variant", || "is one of the table's, at the place of _variant".to_owned());
    let several = config.variants.len() > 1;
    faults.check(several || lasted == Some(0), "_lasted", || "is 0 with one variant".to_owned());
    let hand: Option<u64> = f.take("hand", "a number", faults);
    let most = hand.is_none_or(|hand| hand <= HANDS);
    faults.check(most, "hand", || format!("is at most {HANDS}"));
    let seat_count: Option<u8> = f.take("seatCount", "a number", faults);
    let chairs: Option<Vec<u8>> = f.take("seats", "a list of chairs", faults);
    let count = chairs.as_ref().map(Vec::len);
    let players: Option<Vec<String>> = column(f, "players", "a list of names", count, faults);
    let chips = "a list of amounts";
    let stacks = column(f, "startingStacks", chips, count, faults);
    let blinds = match variant.is_some_and(|variant| variant.has_blinds()) {
        true => column(f, "blindsOrStraddles", chips, count, faults),
        false => match f.has("_blinds") {
            true => column(f, "_blinds", chips, count, faults),
            false => count.map(|count| vec![Chips::ZERO; count]),
        },
    };
    let antes = column(f, "antes", chips, count, faults);
    let sizes = Sizes::take(f, faults);
    let log: Option<Vec<Line>> = f.take("actions", "a list of actions", faults);
    let finishing: Option<Vec<Chips>> = f.optional("finishingStacks", chips, faults);
    let phase: Option<Phase> = f.take("_phase", "\"fresh\", \"open\" or \"closed\"", faults);
    let inactive: Option<Vec<u8>> = column(f, "_inactive", "a list of 0 and 1", count, faults);
    let intents = column(f, "_intents", "a list of numbers from 0 to 3", count, faults);
    let debts = column(f, "_deadBlinds", chips, count, faults);
    let dead = column(f, "_deadMoney", chips, count, faults);
    let joined: Option<usize> = f.take("_joined", "a number", faults);
    let top_ups = column(f, "_topUps", chips, count, faults);
    let missed = column(f, "_missed", "a list of numbers", count, faults);
    let pre = column(f, "_pre", "a list of fold, check_fold, call_any or null", count, faults);
    let short: Option<Vec<u8>> = listed(f, "_short", "a list of 0 and 1", count, faults);
    let button: Option<u8> = f.optional("_button", "a chair", faults);
    let bomb: Option<bool> = f.or("_bomb", false, "true or false", faults);
    let own = options(config, bomb == Some(true));
    let levels: Option<Vec<Chips>> = f.optional("_levels", "a list of amounts", faults);
    faults.check(levels == own.0, "_levels", || "are the table's".to_owned());
    let rule: Option<SmallBlind> = f.optional("_smallBlindAt", "a rule", faults);
    faults.check(rule == own.1, "_smallBlindAt", || "is the table's".to_owned());
    let chip: Option<Chips> = f.optional("_chip", "an amount", faults);
    faults.check(chip == own.2, "_chip", || "is the table's".to_owned());
    let rake: Option<Rake> = f.optional("_rake", "what the house takes", faults);
    faults.check(rake == own.3, "_rake", || "is the table's".to_owned());
    let odd: Option<OddChips> = f.or("_oddChips", OddChips::Each, "each or first", faults);
    faults.check(odd == Some(config.odd_chips), "_oddChips", || "is the table's".to_owned());
    let runs: Option<u8> = f.or("_runs", 1, "a number", faults);
    faults.check(runs == Some(config.runs), "_runs", || "is the table's".to_owned());
    let ante: Option<Chips> = f.optional("_ante", "an amount", faults);
    let fits = ante == bomb.filter(|bomb| *bomb).map(|_| config.ante);
    faults.check(fits, "_ante", || "is the table's, in a bomb pot".to_owned());
    let rabbit: Option<Cards> = f.optional("_rabbit", "cards", faults);
    let since: Option<Vec<Option<u64>>> =
        listed(f, "_since", "a list of times or null", count, faults);
    let at_ms: Option<u64> = f.optional("_at", "a time", faults);
    fields.finish(faults);

    let (chairs, count, seat_count) = (chairs?, count?, seat_count?);
    faults.check((2..=PLAYERS as u8).contains(&seat_count), "seatCount", || {
        format!("is from 2 to {PLAYERS}")
    });
    let mut sorted = chairs.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let fit = sorted.len() == count && sorted.iter().all(|chair| (1..=seat_count).contains(chair));
    faults.check(fit, "seats", || "are different chairs from 1 to seatCount".to_owned());
    let named = players?.iter().zip(&chairs).all(|(player, chair)| *player == name(*chair));
    faults.check(named, "players", || "are Seat 1 and so on, by their chairs".to_owned());
    let own = config.bets_of(variant?).sizes(variant?);
    faults
        .check(sizes == own, "minBet", || "and all other sizes of bets are the table's".to_owned());
    let (stacks, blinds, antes, log): (Vec<Chips>, Vec<Chips>, Vec<Chips>, _) =
        (stacks?, blinds?, antes?, log?);
    let (inactive, intents, debts): (_, Vec<Intent>, Vec<Chips>) = (inactive?, intents?, debts?);
    let (dead, top_ups): (Vec<Chips>, Vec<Chips>) = (dead?, top_ups?);
    let (missed, pre, joined): (Vec<u8>, Vec<Option<Pre>>, _) = (missed?, pre?, joined?);
    let short = short.unwrap_or_else(|| vec![0; count]);
    let since = since.unwrap_or_else(|| vec![None; count]);
    let phase = phase?;
    for (key, list) in [
        ("startingStacks", &stacks),
        ("antes", &antes),
        ("_deadBlinds", &debts),
        ("_deadMoney", &dead),
        ("_topUps", &top_ups),
    ] {
        faults.check(list.iter().all(|amount| *amount >= Chips::ZERO), key, || {
            "are not negative".to_owned()
        });
    }
    let variant = variant?;
    let own: Vec<Chips> = config.antes_of(variant);
    faults.check(antes.iter().all(|ante| own.contains(ante)), "antes", || {
        "are those of the table".to_owned()
    });
    faults.check(inactive.iter().all(|flag| *flag <= 1), "_inactive", || "are 0 or 1".to_owned());
    let fits = |i: usize| short[i] == 0 || (short[i], intents[i]) == (1, Intent::Leave);
    faults.check((0..count).all(fits), "_short", || "are 0, or 1 for who leaves".to_owned());
    let pauses = |i: usize| matches!(intents[i], Intent::Wait | Intent::Pause);
    let fits =
        |i: usize| since[i].is_none_or(|since| pauses(i) && at_ms.is_some_and(|at| since <= at));
    faults.check((0..count).all(fits), "_since", || {
        "are times not after _at, of those who pause".to_owned()
    });
    let laid = variant.has_blinds() && bomb == Some(false) && !log.is_empty();
    let fits = match button {
        Some(chair) => (1..=seat_count).contains(&chair) && !laid,
        None => laid || log.is_empty(),
    };
    faults.check(fits, "_button", || "is a chair, while no blinds tell it".to_owned());
    faults.check(phase == Phase::Open || count == 0, "_phase", || {
        "is open while somebody sits there".to_owned()
    });
    let most =
        Chips::from_ten_thousandths(config.big_blind.ten_thousandths() / 2) + config.big_blind;
    faults.check(debts.iter().all(|debt| *debt <= most), "_deadBlinds", || {
        format!("are at most {most} each")
    });
    let owes = debts.iter().zip(&inactive).any(|(debt, out)| *debt > Chips::ZERO && *out == 0);
    faults.check(!owes, "_deadBlinds", || "who plays owes nothing".to_owned());
    if !faults.is_empty() {
        return None;
    }

    let mut row: Vec<Place> = (0..count)
        .map(|i| Place {
            column: Column {
                seat: Seat::new(chairs[i] - 1),
                stack: stacks[i] + top_ups[i],
                ante: antes[i],
                blind: blinds[i],
                intent: intents[i],
                inactive: inactive[i] == 1,
                debt: debts[i],
                dead: dead[i],
                short: short[i] == 1,
            },
            missed: missed[i],
            pre: pre[i],
            since_ms: since[i],
        })
        .collect();
    let mut state = State::fresh(config.clone(), seat_count);
    (state.phase, state.number, state.at_ms) = (phase, hand?, at_ms);
    state.button = button.map(|chair| Seat::new(chair - 1));
    (state.variant, state.lasted) = (at?, lasted?);
    if log.is_empty() {
        faults.check(joined == 0, "_joined", || "is 0 while no hand is in play".to_owned());
        faults.check(finishing.is_none(), "finishingStacks", || {
            "are there when a hand is over".to_owned()
        });
        faults
            .check(pre.iter().all(Option::is_none), "_pre", || "are of those in a hand".to_owned());
        state.row = row;
        return Some(state);
    }
    let players = count.saturating_sub(joined);
    faults.check(players >= 2, "_joined", || "leaves two who were there before".to_owned());
    let right = !laid
        || Blinds::of(&blinds[..players]).is_some_and(|laid| {
            let (levels, fair) =
                (config.levels(variant), config.small_blind_at == SmallBlind::PreviousBig);
            // By the fair rule the small blind stands with who had the big one before, and is nobody's
            // where that one is gone.
            let small = laid.levels[0] == levels[0] || (fair && laid.levels[0] == Chips::ZERO);
            let behind = laid.laid == 2 || laid.big == (laid.small + 1) % laid.laid;
            small && (behind || fair) && levels[1..].starts_with(&laid.levels[1..])
        });
    faults.check(right, "blindsOrStraddles", || {
        "are those of the table, one behind the other".to_owned()
    });
    if !faults.is_empty() {
        return None;
    }
    let dealt = |i: usize| {
        log.iter().any(
            |line| matches!(line.action, Action::Hole { player, .. } if usize::from(player) == i),
        )
    };
    let begun: Vec<Column> = row[..players]
        .iter()
        .enumerate()
        .map(|(i, place)| Column { stack: stacks[i], inactive: !dealt(i), ..place.column })
        .collect();
    let begun = Begun { hand: hand?, row: begun, variant, button: state.button, bomb: bomb? };
    let Some((mut hand, button)) = State::begin(config, &begun) else {
        faults.add("actions", "two players get cards, and the big blind is one of them");
        return None;
    };
    for (i, line) in log.iter().enumerate() {
        if let Err(fault) = hand.act(&line.action) {
            faults.add(format!("actions.{i}"), fault.text());
            return None;
        }
    }
    let rest = hand.next() == Next::Over
        && rabbit.is_none_or(|cards| {
            let mut deck = hand.deck();
            let new = cards.known().all(|card| deck.remove(card.number()));
            new && cards.all_known() && cards.len() == usize::from(hand.board_to_come())
        });
    faults.check(rest || rabbit.is_none(), "_rabbit", || {
        "is the rest of the board, after the hand".to_owned()
    });
    (state.bomb, state.rabbit) = (bomb?, rabbit);
    state.started = stacks[..players].to_vec();
    (state.hand, state.button) = (Some(hand), Some(button));
    state.log = log;
    let over = state.playing().is_none();
    state.settled = over;
    let later = &stacks[players..];
    let ended: Option<Vec<Chips>> = over.then(|| {
        let stacks = hand.players().iter().map(|player| player.stack);
        stacks.chain(later.iter().copied()).collect()
    });
    faults.check(finishing == ended, "finishingStacks", || match &ended {
        Some(_) => "are what the actions lead to".to_owned(),
        None => "are there when a hand is over".to_owned(),
    });
    for (place, (ended, started)) in row.iter_mut().zip(ended.iter().flatten().zip(&state.started))
    {
        place.column.stack += *ended - *started;
    }
    state.row = row;
    let actor = state.actor().and_then(|seat| state.place(seat));
    faults.check(actor.is_none_or(|place| place.column.wants()), "_inactive", || {
        "who is to act neither sits out nor wants to".to_owned()
    });
    // Who has to bring in or to change cards may have said before what to do about the next bet.
    let bets = matches!(hand.next(), Next::Act { .. });
    let early = |place: &Place| {
        let seat = place.column.seat;
        let asked = !bets && state.actor() == Some(seat);
        place.pre.is_some() && !asked && !may_prepare(&state, seat)
    };
    faults.check(!state.row.iter().any(early), "_pre", || {
        "are of those in the hand whose turn it is not".to_owned()
    });
    Some(state)
}
