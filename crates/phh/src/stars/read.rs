//! From PokerStars to PHH.

use super::lines::{Event, Lines, is_header};
use super::posted::{Posted, base, order};
use super::{SITE, write};
use crate::history::{Failure, History, hands};
use crate::toml::Wrong;
use crate::write::{place, quoted};
use parlor_rules::{Chips, Reject as _};
use parlor_rules_poker::card::{Card, Cards};
use parlor_rules_poker::hand::{Action, Hand, Next};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::variant::Limit;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::{Display, Write as _};

/// A hand that a text tells.
#[derive(Clone, Debug)]
pub struct Told {
    /// The line it begins in, from 1.
    pub line: usize,
    /// Its number.
    pub number: String,
    phh: String,
    /// What the text says the players have won, and the house.
    won: Vec<Chips>,
    rake: Chips,
}

/// Whether a text is a hand history of PokerStars, by its first line.
pub fn is_stars(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    first.contains(SITE) && first.contains('#') || first.starts_with("*********** #")
}

/// Reads all hands of a text. A hand that cannot be read does not keep the others from being read.
pub fn read(text: &str) -> Result<Vec<Result<Told, Wrong>>, Wrong> {
    Ok(each(text)?.collect())
}

/// The same, each hand only when its turn comes.
pub fn each(text: &str) -> Result<impl ExactSizeIterator<Item = Result<Told, Wrong>>, Wrong> {
    let mut all: Vec<Vec<(usize, &str)>> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if is_header(text) {
            all.push(Vec::new());
        }
        match all.last_mut() {
            Some(hand) => hand.push((line, text)),
            None if text.trim().is_empty() || text.starts_with("****") => {}
            None if text.starts_with("Hand #") || text.starts_with("Transcript for ") => {}
            None => {
                let why = "no hand begins here: the first line is PokerStars Hand #NUMBER, and \
                           only English is read";
                return Err(Wrong { line, why: why.to_owned() });
            }
        }
    }
    if all.is_empty() {
        return Err(Wrong { line: 1, why: "there is no hand in this file".to_owned() });
    }
    Ok(all.into_iter().map(|lines| told(&lines)))
}

fn told(lines: &[(usize, &str)]) -> Result<Told, Wrong> {
    let read = Lines::read(lines)?;
    let number = read.head.number;
    Reader::told(&read).map_err(|no| Wrong { why: format!("hand {number}: {}", no.why), ..no })
}

impl Told {
    /// The hand as a PHH file.
    pub fn phh(&self) -> &str {
        &self.phh
    }

    /// The hand.
    pub fn history(&self) -> Result<History<'_>, Wrong> {
        the_one(&self.phh).ok_or_else(|| Wrong {
            line: self.line,
            why: format!("hand {}: this cannot be written as PHH", self.number),
        })
    }

    /// Plays the hand and compares what the players have at the end. Where there are several pots,
    /// the text tells what the house took of all, not of which.
    pub fn check(&self) -> Result<bool, Failure> {
        let fail = |why: String| Failure { action: None, why };
        let history = self.history().map_err(|wrong| fail(wrong.why))?;
        let checked = history.check();
        if checked.is_ok() || self.rake == Chips::ZERO || self.won.is_empty() {
            return checked;
        }
        let free = History { rake: None, ..history.clone() };
        let hand = free.replay()?;
        let mut taken = Chips::ZERO;
        let Some(finishing) = &history.finishing_stacks else { return checked };
        for ((player, stack), won) in hand.players().iter().zip(finishing).zip(&self.won) {
            let less = player.stack - *stack;
            if less < Chips::ZERO || less > Chips::ZERO && *won == Chips::ZERO {
                return checked;
            }
            taken += less;
        }
        if taken == self.rake { Ok(true) } else { checked }
    }
}

/// The only hand of a text.
pub(super) fn the_one(text: &str) -> Option<History<'_>> {
    let mut all = hands(text).ok()?;
    let one = all.pop()?.ok()?;
    (all.is_empty() && one.name.is_none()).then_some(one)
}

pub(super) fn wrong<T>(line: usize, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { line, why: why.into() })
}

pub(super) fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

fn texts<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    list(items.into_iter().map(quoted))
}

/// What is shown at the end: in which line, the cards, what is said about it.
type Shown = (usize, Option<Vec<Card>>, Option<Box<str>>);

/// Cards, and what is said about them.
type Dealt = (Cards, Option<Box<str>>);

struct Reader<'r, 'a> {
    lines: &'r Lines<'a>,
    /// The seats of those who play, the first to act first.
    order: Vec<usize>,
    hand: Hand,
    actions: Vec<Line>,
    /// What players are dealt, street by street.
    deals: Vec<BTreeMap<u8, Dealt>>,
    street: usize,
    /// How many streets have had their cards.
    dealt: usize,
    shows: BTreeMap<u8, Shown>,
    /// What each has paid.
    paid: Vec<Chips>,
    late: Vec<Chips>,
    won: Vec<Chips>,
    /// The big blind, if it were paid whole.
    blind: Chips,
}

impl<'r, 'a> Reader<'r, 'a> {
    fn told(lines: &'r Lines<'a>) -> Result<Told, Wrong> {
        let order = order(lines)?;
        let posted = Posted::read(lines, &order);
        let base = base(lines, &posted);
        let first = lines.head.seats.first().map_or(1, |seat| seat.line);
        let text = text_of(&base);
        let bad = |why: String| Wrong { line: first, why };
        let history = match hands(&text).map(|mut all| all.pop()) {
            Ok(Some(Ok(history))) => history,
            Ok(Some(Err(no))) | Err(no) => return Err(bad(no.why)),
            Ok(None) => return Err(bad("no hand can be made of this".to_owned())),
        };
        let hand = history.begin().map_err(|no| bad(no.why))?;
        let count = order.len();
        let mut reader = Self {
            lines,
            order,
            hand,
            actions: Vec::new(),
            deals: Vec::new(),
            street: 0,
            dealt: 0,
            shows: BTreeMap::new(),
            paid: vec![Chips::ZERO; count],
            late: posted.late.clone(),
            blind: match lines.head.variant {
                variant if !variant.has_blinds() => Chips::ZERO,
                variant if variant.limit == Limit::Fixed => lines.head.stakes[0],
                _ => lines.head.stakes[1],
            },
            won: vec![Chips::ZERO; count],
        };
        reader.prepare()?;
        reader.play()?;
        reader.compare()?;
        let fields = reader.fields(base, &posted);
        let plain = text_of(&fields);
        Ok(Told {
            line: lines.line,
            number: lines.head.number.to_owned(),
            phh: reader.whole(fields).unwrap_or(plain),
            won: reader.won,
            rake: lines.summary.rake,
        })
    }

    fn player(&self, who: usize) -> u8 {
        self.order.iter().position(|seat| *seat == who).unwrap_or(0) as u8
    }

    fn name(&self, player: u8) -> &'a str {
        self.lines.head.seats[self.order[usize::from(player)]].name
    }

    /// Collects what has to be known before it happens.
    fn prepare(&mut self) -> Result<(), Wrong> {
        let hole: usize = self.hand.variant().streets.iter().map(|s| usize::from(s.hole)).sum();
        let draws = self.hand.variant().streets.iter().any(|street| street.draw);
        let mut street = None;
        let mut last = None;
        let mut known: BTreeMap<u8, Vec<Card>> = BTreeMap::new();
        for (line, event) in &self.lines.events {
            match event {
                Event::Street { .. } => {
                    street = Some(street.map_or(0, |street| street + 1));
                    self.deals.push(BTreeMap::new());
                }
                Event::Discard { .. } if draws && street == Some(0) => {
                    // A single draw has no heading.
                    street = Some(1);
                    self.deals.push(BTreeMap::new());
                }
                Event::Dealt { who, cards } => {
                    let player = self.player(*who);
                    if let Some(deals) = self.deals.last_mut() {
                        deals.insert(player, (*cards, None));
                    }
                }
                Event::Noted { player, cards, comment } => {
                    if *player >= self.order.len() {
                        return wrong(*line, format!("there is no p{}", player + 1));
                    }
                    if let Some(deals) = self.deals.last_mut() {
                        deals.insert(*player as u8, (*cards, comment.clone()));
                    }
                }
                Event::Fold { who, cards } if !cards.is_empty() => {
                    known.insert(self.player(*who), cards.clone());
                }
                Event::Show { who, cards } => {
                    let player = self.player(*who);
                    // On a second board they are shown again.
                    if let Entry::Vacant(entry) = self.shows.entry(player) {
                        entry.insert((*line, Some(cards.clone()), None));
                        last = Some(player);
                        continue;
                    }
                }
                Event::Muck { who } => {
                    let player = self.player(*who);
                    self.shows.insert(player, (*line, None, None));
                    last = Some(player);
                    continue;
                }
                Event::Comment(comment) => {
                    if let Some((_, _, said)) = last.and_then(|player| self.shows.get_mut(&player))
                    {
                        *said = Some(comment.clone());
                    }
                }
                _ => {}
            }
            last = None;
        }
        // Cards that came to light otherwise.
        for (_, who, cards, _) in &self.lines.summary.seats {
            if self.order.contains(who) {
                let player = self.player(*who);
                let shown = matches!(self.shows.get(&player), Some((_, Some(_), _)));
                if !cards.is_empty() && !shown {
                    known.entry(player).or_insert(cards.clone());
                }
            }
        }
        let first = self.hand.variant().streets[0];
        if let Some(deals) = self.deals.first_mut()
            && usize::from(first.hole) == hole
            && !draws
        {
            for (player, cards) in known {
                let mut row = Cards::NONE;
                cards.iter().for_each(|card| {
                    row.push(Some(*card));
                });
                while row.len() < hole && row.push(None) {}
                deals.entry(player).or_insert((row, None));
            }
        }
        Ok(())
    }

    fn act(&mut self, line: usize, action: Action, comment: Option<Box<str>>) -> Result<(), Wrong> {
        self.hand.act(&action).map_err(|fault| Wrong { line, why: self.names(&fault.text()) })?;
        self.actions.push(Line { action, comment });
        Ok(())
    }

    /// The names of players in the place of their numbers.
    fn names(&self, text: &str) -> String {
        let word = |word: &str| {
            let number = word.strip_prefix('p').map(|n| n.trim_end_matches(','));
            let player = number.and_then(|n| n.parse::<usize>().ok());
            match player.and_then(|n| self.order.get(n.wrapping_sub(1))) {
                Some(seat) if word.ends_with(',') => {
                    format!("{},", self.lines.head.seats[*seat].name)
                }
                Some(seat) => self.lines.head.seats[*seat].name.to_owned(),
                None => word.to_owned(),
            }
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    /// Deals what is due to players.
    fn deal(&mut self, line: usize) -> Result<(), Wrong> {
        self.dealt = self.street + 1;
        let mut served = 0u16;
        while let Next::Hole { player, cards } = self.hand.next() {
            // The next cards of somebody are those of the next street.
            if served >> player & 1 == 1 {
                break;
            }
            served |= 1 << player;
            let found = self.deals.get_mut(self.street).and_then(|deals| deals.remove(&player));
            let (known, comment) = found.unwrap_or((Cards::NONE, None));
            let due = usize::from(cards);
            let mut row = Cards::unknown(due.saturating_sub(known.len()).min(Cards::MOST));
            row.extend(&known);
            self.act(line, Action::Hole { player, cards: row }, comment)?;
        }
        Ok(())
    }

    /// Lets those show who are due.
    fn show(&mut self, line: usize) -> Result<(), Wrong> {
        while let Next::Show { player } = self.hand.next() {
            let Some((at, cards, comment)) = self.shows.remove(&player) else {
                let name = self.name(player);
                return wrong(line, format!("{name} neither shows nor mucks"));
            };
            let has = self.hand.players()[usize::from(player)].hole.len();
            let cards = cards.map(|mut cards| {
                // Who is all-in shows before the rest is dealt, and the text tells all at the end.
                let later = if cards.len() > has { cards.split_off(has) } else { Vec::new() };
                for (deals, card) in self.deals.iter_mut().skip(self.street + 1).zip(later) {
                    let unknown = || (Cards::from_iter([card]), None);
                    deals.entry(player).or_insert_with(unknown);
                }
                cards.into_iter().take(Cards::MOST).collect()
            });
            self.act(at, Action::Show { player, cards }, comment)?;
        }
        Ok(())
    }

    /// Plays all that happens.
    fn play(&mut self) -> Result<(), Wrong> {
        let events = &self.lines.events;
        let mut begun = false;
        let mut end = self.lines.summary.line;
        for (i, (line, event)) in events.iter().enumerate() {
            let line = *line;
            end = line;
            let comment = match events.get(i + 1) {
                Some((_, Event::Comment(comment))) => Some(comment.clone()),
                _ => None,
            };
            match event {
                Event::Post { who, chips, .. } => {
                    let player = usize::from(self.player(*who));
                    self.paid[player] += *chips;
                }
                Event::Street { .. } if !begun => begun = true,
                Event::Street { board } => {
                    // Nobody may have had anything to decide since the last heading.
                    if self.dealt <= self.street {
                        self.deal(line)?;
                    }
                    // Who is all-in shows before the rest is dealt; who mucks must see it first.
                    if self.shows.values().all(|(_, cards, _)| cards.is_some()) {
                        self.show(line)?;
                    }
                    self.street += 1;
                    if !board.is_empty() {
                        self.act(line, Action::Board { cards: *board }, comment)?;
                    }
                }
                Event::Uncalled { who, chips } => {
                    let player = usize::from(self.player(*who));
                    self.paid[player] -= *chips;
                }
                Event::Collected { who, chips } => {
                    let player = usize::from(self.player(*who));
                    self.won[player] += *chips;
                }
                Event::Dealt { .. } | Event::Noted { .. } | Event::Comment(_) => {}
                Event::Show { .. } | Event::Muck { .. } => {}
                Event::Discard { who, count, cards } => {
                    if self.street == 0 && self.deals.len() == 2 {
                        if self.dealt == 0 {
                            self.deal(line)?;
                        }
                        self.street = 1;
                    }
                    let player = self.player(*who);
                    let cards = cards.unwrap_or(Cards::unknown(*count));
                    self.act(line, Action::Discard { player, cards }, comment)?;
                }
                _ => {
                    self.deal(line)?;
                    self.bet(line, event, comment)?;
                }
            }
        }
        // Somebody may be all-in before the first action.
        self.deal(end)?;
        self.show(end)?;
        if self.hand.next() != Next::Over {
            let next = self.names(&self.hand.next().to_string());
            return wrong(end, format!("the hand is not played to its end: {next}"));
        }
        // Who was all-in has shown before the last cards came.
        let again: Vec<u8> = self.hand.shows_again().collect();
        for player in again {
            let hole = self.hand.players()[usize::from(player)].hole;
            if hole.all_known() {
                self.act(end, Action::Show { player, cards: Some(hole) }, None)?;
            }
        }
        // Who has won without a fight, or has lost, may show as well.
        let mut late: Vec<(u8, Shown)> = std::mem::take(&mut self.shows).into_iter().collect();
        late.sort_by_key(|(_, (line, _, _))| *line);
        for (player, (at, cards, comment)) in late {
            if let Some(cards) = cards {
                // One may show some of the cards.
                let hole = self.hand.players()[usize::from(player)].hole.len();
                let mut row: Cards = cards.into_iter().take(Cards::MOST).collect();
                while row.len() < hole && row.push(None) {}
                self.act(at, Action::Show { player, cards: Some(row) }, comment)?;
            }
        }
        Ok(())
    }

    /// A decision about chips.
    fn bet(&mut self, line: usize, event: &Event, comment: Option<Box<str>>) -> Result<(), Wrong> {
        let highest = self.hand.players().iter().map(|player| player.bet).max().unwrap_or_default();
        let (who, to) = match event {
            Event::Fold { who, .. } => (*who, None),
            Event::Check { who } => (*who, Some(Chips::ZERO)),
            Event::Call { who, chips } | Event::BringIn { who, chips } => (*who, Some(*chips)),
            Event::Bet { who, chips } => (*who, Some(*chips)),
            Event::Raise { who, to, .. } => (*who, Some(*to)),
            _ => return Ok(()),
        };
        let player = self.player(who);
        let at = usize::from(player);
        let late = std::mem::take(&mut self.late[at]);
        let before = self.hand.players()[at].bet;
        let said = to.unwrap_or_default();
        let action = match event {
            Event::Fold { .. } => Action::Fold { player },
            Event::Check { .. } | Event::Call { .. } => {
                self.hand
                    .verify(&Action::Call { player })
                    .map_err(|fault| Wrong { line, why: self.names(&fault.text()) })?;
                let due = self.hand.options().map_or(Chips::ZERO, |options| options.call) - late;
                if due != said {
                    let why = match event {
                        Event::Check { .. } => format!("there is a bet: {due} to call"),
                        _ => format!("a call is {due}, the text says {said}"),
                    };
                    return wrong(line, why);
                }
                Action::Call { player }
            }
            Event::BringIn { .. } => Action::BringIn { player },
            Event::Raise { by, to, .. } => {
                // A bring-in is completed, not raised, so the two numbers may be the same. Where
                // a blind is short, a raise is counted from what it should have been.
                let whole = if self.street == 0 { highest.max(self.blind) } else { highest };
                if *to - highest != *by && *to - whole != *by && to != by {
                    let why = format!("a raise from {highest} to {to} is not one by {by}");
                    return wrong(line, why);
                }
                Action::Raise { player, to: *to }
            }
            _ => Action::Raise { player, to: said },
        };
        let put = match event {
            Event::Raise { to, .. } => *to - before - late,
            _ => said,
        };
        self.act(line, action, comment)?;
        self.paid[at] += put;
        Ok(())
    }

    /// Compares what the text says about the end.
    fn compare(&self) -> Result<(), Wrong> {
        let summary = &self.lines.summary;
        let paid: Chips = self.paid.iter().copied().sum();
        let Some((line, total)) = summary.total else {
            return wrong(summary.line, "the total pot is missing");
        };
        if paid != total {
            let why = format!("the players have paid {paid} into the pot, the text says {total}");
            return wrong(line, why);
        }
        let won: Chips = self.won.iter().copied().sum();
        if won + summary.rake != total {
            let rake = summary.rake;
            let why = format!("{won} collected and a rake of {rake} are not the pot of {total}");
            return wrong(line, why);
        }
        let pots: Chips = summary.pots.iter().copied().sum();
        if !summary.pots.is_empty() && pots != total && pots + summary.rake != total {
            return wrong(line, format!("the pots are {pots} together, not {total}"));
        }
        for ((line, board), dealt) in summary.boards.iter().zip(self.hand.boards()) {
            if !dealt.known().eq(board.iter().copied()) {
                return wrong(*line, format!("the board is {dealt}, the text says another"));
            }
        }
        for (line, who, cards, won) in &summary.seats {
            if !self.order.contains(who) {
                continue;
            }
            let player = self.player(*who);
            let me = &self.hand.players()[usize::from(player)];
            let cards: Option<Cards> =
                (cards.len() <= Cards::MOST).then(|| cards.iter().copied().collect());
            let fits = cards.is_some_and(|cards| {
                cards.known().all(|card| me.hole.set().contains(card)) || me.hole.could_be(&cards)
            });
            if !fits {
                return wrong(*line, format!("{} has other cards: {}", self.name(player), me.hole));
            }
            let collected = self.won[usize::from(player)];
            if won.is_some_and(|won| won != collected) {
                let name = self.name(player);
                return wrong(
                    *line,
                    format!("{name} has collected {collected}, the text says else"),
                );
            }
        }
        Ok(())
    }

    /// All fields of the file.
    fn fields(&self, mut fields: Fields, posted: &Posted) -> Fields {
        let head = &self.lines.head;
        let mut field = |key: &str, value: String| match fields.iter_mut().find(|f| f.0 == key) {
            Some(field) => field.1 = value,
            None => fields.push((key.to_owned(), value)),
        };
        field("actions", list(self.actions.iter().map(|line| quoted(&line.to_string()))));
        field("venue", quoted(SITE));
        if let Some(event) = head.event {
            field("event", quoted(event));
        }
        if let Some(level) = head.level {
            field("_level", quoted(level));
        }
        if let Some([year, month, day, hour, minute, second]) = head.date {
            field("time", format!("{hour:02}:{minute:02}:{second:02}"));
            field("day", day.to_string());
            field("month", month.to_string());
            field("year", year.to_string());
        }
        if let Some(zone) = head.zone {
            field("time_zone_abbreviation", quoted(zone));
        }
        let number = head.number.trim_start_matches('0');
        field("hand", if number.is_empty() { "0" } else { number }.to_owned());
        field("seats", list(self.order.iter().map(|seat| head.seats[*seat].chair)));
        if let Some(max) = head.max {
            field("seat_count", max.to_string());
        }
        if let Some(table) = head.table {
            field("table", quoted(table));
        }
        field("players", texts(self.order.iter().map(|seat| head.seats[*seat].name)));
        let finishing = (0..self.order.len()).map(|i| {
            let start = head.seats[self.order[i]].stack;
            start - self.paid[i] + self.won[i]
        });
        field("finishing_stacks", list(finishing));
        if let Some(currency) = head.currency {
            field("currency", quoted(currency));
        }
        if let Some(sign) = head.sign {
            field("currency_symbol", quoted(&sign.to_string()));
        }
        if posted.late.iter().any(|chips| *chips > Chips::ZERO) {
            field("_posted", list(&posted.late));
        }
        let absent: Vec<_> =
            (0..head.seats.len()).filter(|seat| !self.order.contains(seat)).collect();
        if !absent.is_empty() {
            let table = |seat: &usize| {
                let seat = &head.seats[*seat];
                let (chair, name) = (seat.chair, quoted(seat.name));
                format!("{{ seat = {chair}, player = {name}, stack = {} }}", seat.stack)
            };
            field("_sittingOut", list(absent.iter().map(table)));
        }
        fields.sort_by_key(|(key, _)| place(key));
        fields
    }

    /// The file with what was said in chat, if it is still the same hand.
    fn whole(&self, mut fields: Fields) -> Option<String> {
        if self.lines.fields.is_empty() {
            return None;
        }
        for (key, value) in &self.lines.fields {
            fields.retain(|(known, _)| known != key);
            fields.extend(value.clone().map(|value| (key.clone(), value)));
        }
        fields.sort_by_key(|(key, _)| place(key));
        let text = text_of(&fields);
        let history = the_one(&text)?;
        let hero = self.lines.events.iter().find_map(|(_, event)| match event {
            Event::Dealt { who, .. } => Some(self.player(*who)),
            _ => None,
        });
        let same = write::plain(&history, hero).ok()? == self.lines.plain;
        same.then_some(text)
    }
}

pub(super) type Fields = Vec<(String, String)>;

fn text_of(fields: &Fields) -> String {
    let mut text = String::new();
    for (key, value) in fields {
        let _ = writeln!(text, "{} = {value}", crate::write::key(key));
    }
    text
}
