//! From PHH to PokerStars.

use super::known::{chairs, digest, field, is_plain, names, number, plain_text, text};
use super::read::{read, the_one};
use super::{SITE, VOICE, amount, game, headings};
use crate::history::{Failure, History};
use crate::toml::Value;
use crate::write::{key, toml};
use parlor_rules::{Chips, Refusal, Reject as _};
use parlor_rules_poker::card::Cards;
use parlor_rules_poker::hand::{Action, Hand, Next, OddChips, Player};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::variant::Limit;
use std::fmt::{Display, Write as _};

/// The hand as PokerStars would tell it. The hero is the player with this name, or else the author
/// of the file, or else the first whose cards are known.
pub fn write(history: &History<'_>, hero: Option<&str>) -> Result<String, Refusal> {
    let hero = hero_of(history, hero)?;
    let text = plain(history, hero).map_err(no_text)?;
    let told = read(&text).map(|mut all| all.pop());
    let told = match told {
        Ok(Some(Ok(told))) => told,
        Ok(Some(Err(wrong))) | Err(wrong) => {
            return Err(Refusal::new(
                "no_history",
                format!("PokerStars cannot tell this: {wrong}"),
            ));
        }
        Ok(None) => return Err(Refusal::new("no_history", "PokerStars cannot tell this")),
    };
    // What this text does not tell is said in chat.
    let spelled = |history: &History<'_>| -> Vec<(String, String)> {
        let fields = history.fields.iter().filter(|field| field.key != "seed");
        fields.map(|field| (field.key.to_string(), toml(&field.value))).collect()
    };
    let fields = spelled(history);
    let back = the_one(told.phh()).as_ref().map(spelled).unwrap_or_default();
    let mut said = String::new();
    let absent: Vec<&str> = back
        .iter()
        .filter(|(key, _)| !fields.iter().any(|(other, _)| other == key))
        .map(|(key, _)| key.as_str())
        .collect();
    if !absent.is_empty() {
        say(&mut said, &format!("without {}", absent.join(", ")));
    }
    for (name, value) in fields.iter().filter(|field| !back.contains(field)) {
        say(&mut said, &format!("{} = {value}", key(name)));
    }
    let heading = "*** SUMMARY ***\n";
    Ok(text.replacen(heading, &format!("{said}{heading}"), 1))
}

fn no_text(failure: Failure) -> Refusal {
    Refusal::new("no_history", format!("PokerStars cannot tell this: {failure}"))
}

pub(super) fn say(text: &mut String, what: &str) {
    let _ = writeln!(text, "{VOICE} said, {}", serde_json::Value::from(what));
}

/// Whose cards are dealt openly.
fn hero_of(history: &History<'_>, name: Option<&str>) -> Result<Option<u8>, Refusal> {
    let names = names(history);
    let place = |name: &str| names.iter().position(|other| other == name).map(|i| i as u8);
    if let Some(name) = name {
        let no = || Refusal::new("no_such_player", format!("{name} does not play in this hand"));
        return place(name).map(Some).ok_or_else(no);
    }
    let author = text(history, "author").and_then(place);
    let first = history.actions.iter().find_map(|line| match line.action {
        Action::Hole { player, cards } if cards.all_known() => Some(player),
        _ => None,
    });
    let known = |hero: &u8| {
        history.actions.iter().any(|line| {
            matches!(line.action, Action::Hole { player, cards } if player == *hero && cards.all_known())
        })
    };
    Ok(author.filter(known).or(first))
}

pub(super) fn spaced(cards: impl Iterator<Item = impl Display>) -> String {
    cards.map(|card| card.to_string()).collect::<Vec<_>>().join(" ")
}

pub(super) fn row(cards: &Cards) -> String {
    spaced(cards.known())
}

/// The text without what is said in chat about fields.
pub(super) fn plain(history: &History<'_>, hero: Option<u8>) -> Result<String, Failure> {
    Writer::new(history, hero)?.write()
}

pub(super) struct Writer<'h, 'a> {
    pub(super) history: &'h History<'a>,
    pub(super) hero: Option<u8>,
    pub(super) names: Vec<String>,
    pub(super) chairs: Vec<u8>,
    pub(super) sign: String,
    pub(super) hand: Hand,
    /// The hand as it ends.
    pub(super) last: Hand,
    pub(super) odd_chips: OddChips,
    pub(super) text: String,
    /// Who shows what, and what is said about it.
    pub(super) shows: Vec<(usize, Option<Cards>, Option<Box<str>>)>,
    /// What was bet in this round, and in all.
    pub(super) bets: Vec<Chips>,
    pub(super) paid: Vec<Chips>,
    /// In which round each has folded, and whether with a bet.
    pub(super) folded: Vec<Option<usize>>,
    /// Whether each has paid of the own will.
    pub(super) willing: Vec<bool>,
    pub(super) street: usize,
    /// The last street whose cards were told.
    pub(super) dealt: usize,
    /// How often each was dealt cards, and has changed some or could have.
    pub(super) rounds: Vec<usize>,
    pub(super) drawn: Vec<usize>,
    pub(super) contested: bool,
}

impl<'h, 'a> Writer<'h, 'a> {
    fn new(history: &'h History<'a>, hero: Option<u8>) -> Result<Self, Failure> {
        let fail = |why: &str| Failure { action: None, why: why.to_owned() };
        if game(history.variant).is_empty() {
            return Err(fail("PokerStars has no such game"));
        }
        // It is written as the file says, whoever gets the odd chips.
        let mut odd_chips = OddChips::Each;
        let end = |odd_chips| -> Result<Hand, Failure> {
            let mut hand = history.begin()?.with_odd_chips(odd_chips);
            for (i, line) in history.actions.iter().enumerate() {
                hand.act(&line.action).map_err(|fault| Failure {
                    action: Some((i + 1, line.to_string())),
                    why: fault.text(),
                })?;
            }
            if hand.next() != Next::Over {
                let why = format!("the hand is not played to its end: {}", hand.next());
                return Err(Failure { action: None, why });
            }
            Ok(hand)
        };
        let stacks = |hand: &Hand| -> Vec<Chips> {
            hand.players().iter().map(|player| player.stack).collect()
        };
        let mut last = end(odd_chips)?;
        if let Some(finishing) = &history.finishing_stacks
            && *finishing != stacks(&last)
        {
            odd_chips = OddChips::First;
            last = end(odd_chips)?;
            if *finishing != stacks(&last) {
                return Err(fail("the stacks at the end are others than the file says"));
            }
        }
        if last.boards().count() > 2 {
            return Err(fail("PokerStars deals a board twice at most"));
        }
        let count = history.starting_stacks.len();
        let sign = plain_text(history, "currency_symbol").filter(|sign| {
            let mut letters = sign.chars();
            letters.next().is_some_and(|c| !c.is_ascii_alphanumeric() && !"-. (".contains(c))
                && letters.next().is_none()
        });
        let sign = sign.or(match plain_text(history, "currency") {
            Some("USD") => Some("$"),
            Some("EUR") => Some("€"),
            Some("GBP") => Some("£"),
            _ => None,
        });
        Ok(Self {
            history,
            hero,
            names: names(history),
            chairs: chairs(history),
            sign: sign.unwrap_or_default().to_owned(),
            hand: history.begin()?.with_odd_chips(odd_chips),
            last,
            odd_chips,
            text: String::new(),
            shows: Vec::new(),
            bets: vec![Chips::ZERO; count],
            paid: vec![Chips::ZERO; count],
            folded: vec![None; count],
            willing: vec![false; count],
            street: 0,
            dealt: 0,
            rounds: vec![0; count],
            drawn: vec![0; count],
            contested: false,
        })
    }

    pub(super) fn money(&self, chips: Chips) -> String {
        format!("{}{}", self.sign, amount(chips))
    }

    pub(super) fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.text, "{text}");
    }

    fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    fn write(mut self) -> Result<String, Failure> {
        self.head();
        self.posts();
        self.deals();
        for line in &self.history.actions {
            self.action(line)?;
            let own = matches!(line.action, Action::Hole { .. } | Action::Show { .. });
            if let (Some(comment), false) = (&line.comment, own) {
                say(&mut self.text, &format!("# {comment}"));
            }
        }
        self.end();
        Ok(self.text)
    }

    /// Small and big blind, or bet.
    fn stakes(&self) -> [Chips; 2] {
        let History { blinds, bets, .. } = self.history;
        if self.history.variant.limit == Limit::Fixed {
            return [bets.small, bets.big];
        }
        let (small, _) = self.blind_places();
        let half = Chips::from_ten_thousandths(bets.small.ten_thousandths() / 2);
        [small.map_or(half, |i| blinds[i]), bets.small]
    }

    /// What is the least to call in the first round, though the big blind may be short.
    fn whole_blind(&self) -> Chips {
        let [small, big] = self.stakes();
        match self.history.variant.limit {
            _ if self.street > 0 || !self.history.variant.has_blinds() => Chips::ZERO,
            Limit::Fixed => small,
            _ => big,
        }
    }

    /// Who posts the small and the big blind.
    pub(super) fn blind_places(&self) -> (Option<usize>, Option<usize>) {
        let blinds = &self.history.blinds;
        let posts = |i: usize| Some(i).filter(|i| blinds.get(*i).is_some_and(|b| *b > Chips::ZERO));
        match blinds.len() {
            _ if !self.history.variant.has_blinds() => (None, None),
            count if self.history.variant.button_blind => (None, posts(count - 1)),
            2 => (posts(1), posts(0)),
            // Without a small blind the big one may be the first.
            _ if posts(1).is_none() => (None, posts(0)),
            _ => (posts(0), posts(1)),
        }
    }

    fn head(&mut self) {
        let history = self.history;
        let own = text(history, "venue") == Some(SITE);
        let id = number::<u64>(history, "hand").filter(|_| own);
        let id = id.unwrap_or_else(|| digest(history));
        let [small, big] = self.stakes();
        // Where one of them has cents, both have.
        let cents = !(small.is_whole() && big.is_whole());
        let full = |chips: Chips| {
            let end = if cents && chips.is_whole() { ".00" } else { "" };
            self.money(chips) + end
        };
        let mut stakes = format!("{}/{}", full(small), full(big));
        if let Some(code) = plain_text(history, "currency")
            && code.len() == 3
            && code.bytes().all(|byte| byte.is_ascii_uppercase())
        {
            stakes = format!("{stakes} {code}");
        }
        let game = game(history.variant);
        let date = ["year", "month", "day"].map(|key| number::<u32>(history, key));
        let [year, month, day] = match date {
            [Some(year), Some(month @ 1..=12), Some(day @ 1..=31)]
                if (1..=9999).contains(&year) =>
            {
                [year, month, day]
            }
            _ => [2000, 1, 1],
        };
        let time = match field(history, "time") {
            Some(Value::Plain(time)) => *time,
            _ => "00:00:00",
        };
        let parts: Vec<Option<u32>> = time.split(':').map(|part| part.parse().ok()).collect();
        let [hour, minute, second] = match parts[..] {
            [Some(h @ 0..24), Some(m @ 0..60), Some(s @ 0..60)] => [h, m, s],
            _ => [0, 0, 0],
        };
        let zone = plain_text(history, "time_zone_abbreviation");
        let zone = zone.filter(|zone| zone.bytes().all(|b| b.is_ascii_uppercase())).unwrap_or("ET");
        let when = format!("{year}/{month:02}/{day:02} {hour:02}:{minute:02}:{second:02} {zone}");
        let event = plain_text(history, "event").filter(|_| own);
        let game = match (event, plain_text(history, "_level")) {
            (Some(event), Some(level)) => format!("{event} {game} - Level {level} ({stakes})"),
            (Some(event), None) => format!("{event} {game} ({stakes})"),
            _ => format!(" {game} ({stakes})"),
        };
        self.line(format_args!("{SITE} Hand #{id}: {game} - {when}"));
        let table = plain_text(history, "table").unwrap_or(VOICE);
        let highest = self.chairs.iter().copied().max().unwrap_or_default();
        let sitting = self.sitting();
        let highest = sitting.iter().map(|(chair, _, _)| *chair).chain([highest]).max();
        let highest = highest.unwrap_or_default();
        let max = number::<u8>(history, "seat_count").filter(|max| *max >= highest);
        let usual = [2, 6, 9, 10].into_iter().find(|max| *max >= highest).unwrap_or(highest);
        let max = max.unwrap_or(usual);
        let play = if self.sign.is_empty() && event.is_none() { " (Play Money)" } else { "" };
        let button = self.chairs[self.chairs.len() - 1];
        let button = match history.variant.has_blinds() {
            true => format!(" Seat #{button} is the button"),
            false => String::new(),
        };
        self.line(format_args!("Table '{table}' {max}-max{play}{button}"));
        let mut seats: Vec<(u8, String)> = (0..self.names.len())
            .map(|i| {
                let stack = self.money(self.stack(i));
                (self.chairs[i], format!("{} ({stack} in chips)", self.name(i)))
            })
            .collect();
        for (chair, name, stack) in sitting {
            seats.push((chair, format!("{name} ({} in chips) is sitting out", self.money(stack))));
        }
        seats.sort();
        for (chair, seat) in seats {
            self.line(format_args!("Seat {chair}: {seat}"));
        }
    }

    /// Chips in front, with what was paid for missed blinds.
    fn stack(&self, player: usize) -> Chips {
        self.history.starting_stacks[player] + self.dead(player)
    }

    pub(super) fn dead(&self, player: usize) -> Chips {
        let Some(Value::List(list)) = field(self.history, "_deadMoney") else { return Chips::ZERO };
        match list.get(player) {
            Some(Value::Plain(text)) => text.parse().unwrap_or(Chips::ZERO),
            _ => Chips::ZERO,
        }
    }

    /// Who sits at the table and does not play: chair, name, stack.
    fn sitting(&self) -> Vec<(u8, String, Chips)> {
        let Some(Value::List(list)) = field(self.history, "_sittingOut") else {
            return self.paused();
        };
        let one = |value: &Value<'_>| {
            let Value::Table(fields) = value else { return None };
            let get = |key: &str| fields.iter().find(|(name, _)| name == key).map(|(_, v)| v);
            let Some(Value::Plain(chair)) = get("seat") else { return None };
            let Some(Value::Text(name)) = get("player") else { return None };
            let Some(Value::Plain(stack)) = get("stack") else { return None };
            let (chair, stack) = (chair.parse().ok()?, stack.parse().ok()?);
            let free = !self.chairs.contains(&chair) && !self.names.iter().any(|n| n == name);
            (is_plain(name) && free).then(|| (chair, name.to_string(), stack))
        };
        list.iter().filter_map(one).collect()
    }

    /// The same, as the document tells it that the file was written from.
    fn paused(&self) -> Vec<(u8, String, Chips)> {
        let document = text(self.history, "_document");
        let document = document.and_then(|text| serde_json::from_str(text).ok());
        let Some(serde_json::Value::Object(map)) = document else { return Vec::new() };
        let list = |key: &str| map.get(key).and_then(serde_json::Value::as_array);
        let (Some(players), Some(stacks)) = (list("players"), list("startingStacks")) else {
            return Vec::new();
        };
        let mut taken = self.chairs.clone();
        let mut all = Vec::new();
        for (i, (name, stack)) in players.iter().zip(stacks).enumerate() {
            let Some(name) = name.as_str().filter(|name| is_plain(name)) else { continue };
            let Ok(stack) = serde_json::from_value(stack.clone()) else { continue };
            if self.names.iter().any(|other| other == name) {
                continue;
            }
            let chair = list("seats").and_then(|seats| seats.get(i)?.as_u64()?.try_into().ok());
            let free = (1..u8::MAX).find(|chair| !taken.contains(chair));
            let chair = chair.filter(|chair| !taken.contains(chair)).or(free);
            if let Some(chair) = chair {
                taken.push(chair);
                all.push((chair, name.to_owned(), stack));
            }
        }
        all
    }

    /// What the late posts of a hand are: bets out of turn.
    fn late(&self) -> Vec<Chips> {
        let count = self.names.len();
        let mut late = vec![Chips::ZERO; count];
        if let Some(Value::List(list)) = field(self.history, "_posted")
            && list.len() == count
        {
            for (late, value) in late.iter_mut().zip(list) {
                if let Value::Plain(text) = value {
                    *late = text.parse().unwrap_or(Chips::ZERO);
                }
            }
        }
        late
    }

    fn posts(&mut self) {
        let players: Vec<Player> = self.hand.players().to_vec();
        let (small, big) = self.blind_places();
        let late = self.late();
        let mut antes: Vec<Chips> = players
            .iter()
            .zip(&self.history.starting_stacks)
            .enumerate()
            .map(|(i, (player, stack))| *stack - player.stack - player.bet + self.dead(i))
            .collect();
        let least = antes.iter().copied().min().unwrap_or_default();
        // Who comes back posts a dead small blind and a bet.
        let mut both = vec![Chips::ZERO; antes.len()];
        for (i, ante) in antes.iter_mut().enumerate() {
            self.bets[i] = players[i].bet;
            self.paid[i] += *ante;
            if late[i] > Chips::ZERO {
                both[i] = std::mem::replace(ante, least) - least;
            }
        }
        for (i, (ante, player)) in antes.into_iter().zip(&players).enumerate() {
            if ante > Chips::ZERO {
                let all_in = player.stack == Chips::ZERO && player.bet == Chips::ZERO;
                self.post(i, "the ante", ante, all_in);
            }
        }
        let mut posts: Vec<(usize, &str)> = Vec::new();
        posts.extend(small.map(|i| (i, "small blind")));
        posts.extend(big.map(|i| {
            (i, if self.history.variant.button_blind { "button blind" } else { "big blind" })
        }));
        for (i, blind) in self.history.blinds.iter().enumerate() {
            if *blind > Chips::ZERO && Some(i) != small && Some(i) != big {
                posts.push((i, "straddle"));
            }
        }
        for (i, what) in posts {
            let player = &players[i];
            if player.bet > Chips::ZERO {
                self.post(i, what, player.bet, player.stack == Chips::ZERO);
            }
        }
        for (i, late) in late.iter().enumerate().filter(|(_, late)| **late > Chips::ZERO) {
            match both[i] {
                Chips::ZERO => self.post(i, "big blind", *late, false),
                dead => self.post(i, "small & big blinds", *late + dead, false),
            }
        }
    }

    fn post(&mut self, player: usize, what: &str, chips: Chips, all_in: bool) {
        let end = if all_in { " and is all-in" } else { "" };
        let text = format!("{}: posts {what} {}{end}", self.name(player), self.money(chips));
        self.line(text);
    }

    /// The first cards: the hero's are dealt openly, those of others said in chat.
    fn deals(&mut self) {
        self.heading(0);
        self.deal(0);
    }

    fn heading(&mut self, street: usize) {
        let name = headings(self.history.variant).get(street).copied().unwrap_or("RIVER");
        // A single draw has no heading.
        if street == 0 || self.history.variant.streets.len() != 2 {
            self.line(format_args!("*** {name} ***"));
        }
    }

    /// The cards of players on a street. Open ones are told of all.
    fn deal(&mut self, street: usize) {
        let variant = self.history.variant;
        let up = usize::from(variant.streets[street].up);
        let mut had: Vec<Cards> = vec![Cards::NONE; self.names.len()];
        let mut now: Vec<Option<(Cards, Option<Box<str>>)>> = vec![None; self.names.len()];
        let mut rounds = vec![0; self.names.len()];
        for line in &self.history.actions {
            match line.action {
                Action::Hole { player, cards } => {
                    let at = usize::from(player);
                    if rounds[at] == street {
                        now[at] = Some((cards, line.comment.clone()));
                    } else if rounds[at] < street {
                        had[at].extend(&cards);
                    }
                    rounds[at] += 1;
                }
                Action::Discard { player, cards } if rounds[usize::from(player)] <= street => {
                    let at = usize::from(player);
                    for card in cards.iter() {
                        had[at].remove(card);
                    }
                    // Who keeps all cards gets none in this round.
                    rounds[at] += usize::from(cards.is_empty());
                }
                _ => {}
            }
        }
        for (i, now) in now.into_iter().enumerate() {
            let Some((cards, comment)) = now else { continue };
            let open: Cards = cards.iter().skip(cards.len().saturating_sub(up)).flatten().collect();
            let hero = self.hero == Some(i as u8) && cards.all_known() && had[i].all_known();
            // Of others only open cards are told, here and before.
            let flags =
                variant.streets.iter().flat_map(|s| (0..s.hole).map(|i| i >= s.hole - s.up));
            let before: Cards = had[i]
                .iter()
                .zip(flags.chain(std::iter::repeat(false)))
                .filter(|(_, open)| hero || *open)
                .filter_map(|(card, _)| card)
                .collect();
            let before = match before.is_empty() {
                true => String::new(),
                false => format!(" [{}]", row(&before)),
            };
            let mucked = self.mucked(i as u8).filter(|_| street == 0 && up == 0);
            let told = if hero {
                self.line(format!("Dealt to {}{before} [{}]", self.names[i], row(&cards)));
                Some(cards)
            } else if !open.is_empty() {
                self.line(format!("Dealt to {}{before} [{}]", self.names[i], row(&open)));
                let mut told = Cards::unknown(cards.len() - open.len());
                told.extend(&open);
                Some(told)
            } else {
                mucked.or(Some(Cards::unknown(cards.len())))
            };
            if told != Some(cards) || comment.is_some() {
                let mut deal = Action::Hole { player: i as u8, cards }.to_string();
                if let Some(comment) = comment {
                    let _ = write!(deal, " # {comment}");
                }
                say(&mut self.text, &deal);
            }
        }
    }

    /// The cards of a player who gives them up at the end, if they are known.
    pub(super) fn mucked(&self, player: u8) -> Option<Cards> {
        let draws = self.history.variant.streets.iter().any(|street| street.draw);
        let later = self.history.variant.streets[1..].iter().any(|street| street.hole > 0);
        let mucks = self.history.actions.iter().any(
            |line| matches!(line.action, Action::Show { player: p, cards: None } if p == player),
        );
        let shows = self.history.actions.iter().any(
            |line| matches!(line.action, Action::Show { player: p, cards: Some(_) } if p == player),
        );
        let dealt = self.history.actions.iter().find_map(|line| match line.action {
            Action::Hole { player: p, cards } if p == player => Some(cards),
            _ => None,
        });
        dealt.filter(|cards| mucks && !shows && !draws && !later && cards.all_known())
    }

    fn action(&mut self, line: &Line) -> Result<(), Failure> {
        let action = &line.action;
        let late = self.late();
        let highest = self.bets.iter().copied().max().unwrap_or_default();
        match *action {
            Action::Hole { player, .. } => {
                let at = usize::from(player);
                if self.rounds[at] > self.street && self.drawn.iter().all(|drawn| *drawn == 0) {
                    self.street = self.rounds[at];
                    self.heading(self.street);
                }
                self.rounds[at] += 1;
                if self.street > self.dealt {
                    self.dealt = self.street;
                    self.deal(self.street);
                }
            }
            Action::Board { cards } => {
                let board = self.hand.board();
                self.street = match board.len() {
                    // In stud one card may lie there for all.
                    _ if !self.history.variant.has_blinds() => self.street + 1,
                    0 => 1,
                    3 => 2,
                    _ => 3,
                };
                let run = match (self.last.boards().count(), self.hand.boards().count()) {
                    (2, 1) if self.hand.closed() => "FIRST ",
                    (2, 2) => "SECOND ",
                    _ => "",
                };
                let name = headings(self.history.variant).get(self.street).copied();
                let name = name.unwrap_or("RIVER");
                let before = match board.is_empty() {
                    true => String::new(),
                    false => format!("[{}] ", row(&board)),
                };
                self.line(format_args!("*** {run}{name} *** {before}[{}]", row(&cards)));
            }
            Action::Fold { player } => {
                let at = usize::from(player);
                self.folded[at] = Some(self.street);
                self.line(format!("{}: folds", self.names[at]));
            }
            Action::Call { player } => {
                let at = usize::from(player);
                let call = self.hand.options().map_or(Chips::ZERO, |options| options.call);
                let all_in = call > Chips::ZERO && self.hand.players()[at].stack == call;
                self.bets[at] += call;
                self.willing[at] |= call > Chips::ZERO;
                // What was posted out of turn counts now.
                let first = self.street == 0 && self.bets[at] == call;
                let call = if first { (call - late[at]).max(Chips::ZERO) } else { call };
                let what = match call {
                    Chips::ZERO => "checks".to_owned(),
                    call => format!("calls {}", self.money(call)),
                };
                self.decision(at, what, all_in);
            }
            Action::Raise { player, to } => {
                let at = usize::from(player);
                let me = &self.hand.players()[at];
                let all_in = me.stack + me.bet == to;
                self.bets[at] = to;
                self.willing[at] = true;
                // A big blind that is short counts whole.
                let whole = Some(self.whole_blind()).filter(|blind| *blind < to);
                let highest = highest.max(whole.unwrap_or_default());
                let what = match highest {
                    Chips::ZERO => format!("bets {}", self.money(to)),
                    _ => format!("raises {} to {}", self.money(to - highest), self.money(to)),
                };
                self.decision(at, what, all_in);
            }
            Action::BringIn { player } => {
                let at = usize::from(player);
                let call = self.hand.options().map_or(Chips::ZERO, |options| options.call);
                let all_in = self.hand.players()[at].stack == call;
                self.bets[at] += call;
                self.decision(at, format!("brings in for {}", self.money(call)), all_in);
            }
            Action::Discard { player, cards } => {
                let at = usize::from(player);
                self.drawn[at] += 1;
                if self.drawn[at] > self.street {
                    self.street = self.drawn[at];
                    self.heading(self.street);
                }
                let count = cards.len();
                let plural = if count == 1 { "" } else { "s" };
                let known = match cards.all_known() {
                    true => format!(" [{}]", row(&cards)),
                    false => String::new(),
                };
                let what = match count {
                    0 => "stands pat".to_owned(),
                    _ => format!("discards {count} card{plural}{known}"),
                };
                self.line(format!("{}: {what}", self.names[at]));
            }
            Action::Show { player, cards } => {
                let at = usize::from(player);
                self.contested |= matches!(self.hand.next(), Next::Show { .. });
                if cards.is_none() {
                    self.folded[at] = Some(usize::MAX);
                }
                // Who was all-in shows twice, and is told to have shown once.
                if !self.hand.shows_again().any(|again| again == player) {
                    self.shows.push((at, cards, line.comment.clone()));
                }
            }
        }
        self.hand.act(action).map_err(|fault| Failure { action: None, why: fault.text() })?;
        self.collect();
        Ok(())
    }

    /// The cards somebody has shown, with those that came later.
    pub(super) fn at_the_end(&self, player: usize, shown: Cards) -> Cards {
        let hole = self.last.players()[player].hole;
        if hole.len() > shown.len() { hole } else { shown }
    }

    fn decision(&mut self, player: usize, what: String, all_in: bool) {
        let end = if all_in { " and is all-in" } else { "" };
        self.line(format!("{}: {what}{end}", self.names[player]));
    }

    /// When a round is over, what nobody matched goes back.
    fn collect(&mut self) {
        let open = self.hand.players().iter().any(|player| player.bet > Chips::ZERO);
        let highest = self.bets.iter().copied().max().unwrap_or_default();
        if open || highest == Chips::ZERO {
            return;
        }
        let mut sorted = self.bets.clone();
        sorted.sort();
        let back = highest - sorted[sorted.len() - 2];
        if let Some(at) = self.bets.iter().position(|bet| *bet == highest)
            && back > Chips::ZERO
        {
            self.bets[at] -= back;
            let text =
                format!("Uncalled bet ({}) returned to {}", self.money(back), self.names[at]);
            self.line(text);
        }
        for (paid, bet) in self.paid.iter_mut().zip(&mut self.bets) {
            *paid += std::mem::replace(bet, Chips::ZERO);
        }
    }
}
