//! Poker in the terminal.

use super::people::People;
use super::{Face, Said};
use parlor_rules::{Chips, Json, Seat, json};
use parlor_rules_poker::card::Cards;
use parlor_rules_poker::hand::Action;
use parlor_rules_poker::seats::Intent;
use parlor_rules_poker::variant::{self, Variant};
use parlor_rules_poker::{Command, Event, Phase, Pre};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The table, for these people.
pub(crate) struct Table {
    who: People,
}

/// The part of a view that is drawn.
#[derive(Deserialize)]
struct Seen {
    phase: Phase,
    hand: u64,
    #[serde(deserialize_with = "variant::read")]
    variant: &'static Variant,
    players: Vec<Player>,
    board: Cards,
    #[serde(default)]
    boards: Vec<Cards>,
    #[serde(default)]
    rabbit: Option<Cards>,
    pots: Vec<Pot>,
    actor: Option<Seat>,
    button: Option<Seat>,
    pre: Option<Pre>,
}

#[derive(Deserialize)]
struct Player {
    seat: Seat,
    stack: Chips,
    bet: Chips,
    status: String,
    cards: Cards,
    #[serde(default)]
    label: Option<String>,
    intent: Intent,
    inactive: bool,
    debt: Chips,
}

#[derive(Deserialize)]
struct Pot {
    amount: Chips,
}

/// The part of what may be said that is asked for.
#[derive(Deserialize)]
struct Legal {
    check: bool,
    call: Option<Chips>,
    raise: Option<Raise>,
    #[serde(default)]
    bring_in: Option<Chips>,
    #[serde(default)]
    discard: Option<Cards>,
}

#[derive(Deserialize)]
struct Raise {
    least: Chips,
    most: Chips,
}

fn seen(view: &RawValue) -> Seen {
    serde_json::from_str(view.get()).expect("a table shows views that are whole")
}

/// Cards with air between them.
fn airy(cards: &Cards) -> String {
    let text = cards.to_string();
    let pairs = text.as_bytes().chunks(2).map(String::from_utf8_lossy);
    pairs.collect::<Vec<_>>().join(" ")
}

impl Player {
    /// What is said of the hand, or why there is none.
    fn state(&self) -> String {
        let label = self.label.as_ref().map_or_else(String::new, |label| format!("  {label}"));
        let debt = match self.debt > Chips::ZERO {
            true => format!(", owes {}", self.debt),
            false => String::new(),
        };
        match (self.status.as_str(), self.intent) {
            (_, Intent::Leave) => "leaves".to_owned(),
            ("in", _) => airy(&self.cards) + &label,
            ("folded", _) => "folded".to_owned(),
            (_, Intent::Wait) => format!("waits for the big blind{debt}"),
            (_, Intent::Pause) => format!("sits out{debt}"),
            _ if self.inactive => "comes with the next hand".to_owned(),
            _ => String::new(),
        }
    }
}

/// What sentences are made from: the row of a hand and its bets, followed through what happens.
struct Story {
    seats: Vec<Seat>,
    /// What everyone had, bets of this round included, when it was last seen.
    had: Vec<Chips>,
    bets: Vec<Chips>,
}

impl Story {
    fn of(seen: &Seen) -> Self {
        let players = || seen.players.iter();
        Self {
            seats: players().map(|player| player.seat).collect(),
            had: players().map(|player| player.stack + player.bet).collect(),
            bets: players().map(|player| player.bet).collect(),
        }
    }

    fn seat(&self, place: u8) -> Option<Seat> {
        self.seats.get(usize::from(place)).copied()
    }

    /// A round of betting is over.
    fn round(&mut self) {
        self.bets.fill(Chips::ZERO);
    }

    fn highest(&self) -> Chips {
        self.bets.iter().copied().max().unwrap_or(Chips::ZERO)
    }

    /// Somebody has bet so much in this round now; how much it was before.
    fn bets(&mut self, place: u8, to: Chips) -> Chips {
        let bet = self.bets.get_mut(usize::from(place));
        bet.map_or(Chips::ZERO, |bet| std::mem::replace(bet, to))
    }
}

impl Table {
    pub(crate) fn new(who: People) -> Self {
        Self { who }
    }

    fn line(&self, seen: &Seen, player: &Player, width: usize) -> String {
        let mark = if seen.actor == Some(player.seat) { '*' } else { ' ' };
        let button = if seen.button == Some(player.seat) { 'D' } else { ' ' };
        let bet = match player.bet > Chips::ZERO {
            true => format!("bets {}", player.bet),
            false => String::new(),
        };
        let (name, stack) = (self.who.label(player.seat), player.stack.to_string());
        let line = format!(" {mark}{button} {name:width$}  {stack:>8}  {bet:12}{}", player.state());
        line.trim_end().to_owned()
    }

    fn sentence(&self, event: &Event, story: &mut Story) -> Option<String> {
        let does = |seat: Seat, verb| self.who.does(seat, verb);
        Some(match event {
            Event::Joined { seat, chips } => format!("{} down with {chips}.", does(*seat, "sit")),
            Event::Topped { seat, chips } => format!("{} {chips}.", does(*seat, "add")),
            Event::Left { seat, chips } => {
                format!("{} the table with {chips}.", does(*seat, "leave"))
            }
            Event::Wished { seat, intent } => match intent {
                Intent::Play => format!("{} to play.", does(*seat, "want")),
                Intent::Wait => format!("{} for the big blind.", does(*seat, "wait")),
                Intent::Pause => format!("{} a pause.", does(*seat, "take")),
                Intent::Leave => format!("{} to leave.", does(*seat, "want")),
            },
            Event::Missed { seat, .. } => format!("{} nothing in time.", does(*seat, "say")),
            Event::HandBegun(begun) => {
                let row = || begun.row.iter();
                story.seats = row().map(|column| column.seat).collect();
                story.had = row().map(|column| column.stack).collect();
                let blind = |plays, blind| if plays { blind } else { Chips::ZERO };
                story.bets = row().map(|column| blind(column.plays(), column.blind)).collect();
                let posts = story.seats.iter().zip(&story.bets);
                let posts = posts.filter(|(_, blind)| **blind > Chips::ZERO);
                let posts = posts.map(|(seat, blind)| format!(" {} {blind}.", does(*seat, "post")));
                format!("\nHand {}.{}", begun.hand, posts.collect::<String>())
            }
            Event::Act { act } => return self.action(&act.action, story),
            Event::HandEnded { stacks, .. } => {
                let ended = story.seats.iter().zip(stacks).zip(&story.had);
                let won = ended.filter(|((_, now), had)| now > had);
                let won =
                    won.map(|((seat, now), _)| format!("{}, and has {now}.", does(*seat, "win")));
                won.collect::<Vec<_>>().join(" ")
            }
            Event::Rabbit { cards } => format!("There would have come {}.", airy(cards)),
            Event::Closed {} => "The table is closed.".to_owned(),
            Event::Begun {} | Event::Prepared { .. } => return None,
        })
    }

    fn action(&self, action: &Action, story: &mut Story) -> Option<String> {
        let does = |seat: Seat, verb| self.who.does(seat, verb);
        let by = action.author().and_then(|place| story.seat(place));
        Some(match (action, by) {
            (Action::Hole { player, cards }, _) => {
                let seat = story.seat(*player)?;
                if !self.who.is_me(seat) {
                    return None;
                }
                format!("You are dealt {}.", airy(cards))
            }
            (Action::Board { cards }, _) => {
                story.round();
                format!("On the board: {}.", airy(cards))
            }
            (Action::Fold { .. }, Some(seat)) => format!("{}.", does(seat, "fold")),
            (Action::Call { player }, Some(seat)) => {
                let to = story.highest();
                match story.bets(*player, to) < to {
                    true => format!("{} {to}.", does(seat, "call")),
                    false => format!("{}.", does(seat, "check")),
                }
            }
            (Action::Raise { player, to }, Some(seat)) => {
                let before = story.highest();
                story.bets(*player, *to);
                match before > Chips::ZERO {
                    true => format!("{} to {to}.", does(seat, "raise")),
                    false => format!("{} {to}.", does(seat, "bet")),
                }
            }
            (Action::BringIn { .. }, Some(seat)) => format!("{} it in.", does(seat, "bring")),
            (Action::Discard { cards, .. }, Some(seat)) => {
                story.round();
                match cards.iter().count() {
                    0 => format!("{} all cards.", does(seat, "keep")),
                    1 => format!("{} a card.", does(seat, "change")),
                    n => format!("{} {n} cards.", does(seat, "change")),
                }
            }
            (Action::Show { cards: Some(cards), .. }, Some(seat)) => {
                format!("{} {}.", does(seat, "show"), airy(cards))
            }
            (Action::Show { cards: None, .. }, Some(seat)) => {
                format!("{} nothing.", does(seat, "show"))
            }
            (_, None) => return None,
        })
    }
}

impl Face for Table {
    fn draw(&self, view: &RawValue) -> String {
        let seen = seen(view);
        let mut lines = vec![match seen.hand {
            0 => format!(" {}", seen.variant.name),
            hand => format!(" Hand {hand}, {}", seen.variant.name),
        }];
        let board = match seen.boards.is_empty() {
            true => airy(&seen.board),
            false => seen.boards.iter().map(airy).collect::<Vec<_>>().join("  |  "),
        };
        let rabbit = seen.rabbit.map(|cards| format!("  ({} would have come)", airy(&cards)));
        let pots = seen.pots.iter().map(|pot| pot.amount.to_string()).collect::<Vec<_>>();
        if !board.is_empty() || rabbit.is_some() {
            lines.push(format!(" Board  {board}{}", rabbit.unwrap_or_default()));
        }
        if !pots.is_empty() {
            lines.push(format!(" Pot    {}", pots.join(" and ")));
        }
        let names = seen.players.iter().map(|player| self.who.label(player.seat).chars().count());
        let width = names.max().unwrap_or(0);
        lines.extend(seen.players.iter().map(|player| self.line(&seen, player, width)));
        if let Some(pre) = seen.pre {
            let said = match pre {
                Pre::Fold => "fold",
                Pre::CheckFold => "check or fold",
                Pre::CallAny => "call anything",
            };
            lines.push(format!(" In your turn you will {said}."));
        }
        lines.join("\n")
    }

    fn tell(&self, sights: &[Json], before: &RawValue) -> Vec<String> {
        let mut story = Story::of(&seen(before));
        let events = sights.iter().filter_map(|sight| serde_json::from_str(sight.get()).ok());
        events.filter_map(|event: Event| self.sentence(&event, &mut story)).collect()
    }

    fn ask(&self, _: &RawValue, legal: &RawValue) -> String {
        let Ok(legal) = serde_json::from_str::<Legal>(legal.get()) else { return String::new() };
        if legal.discard.is_some() {
            return "Which cards do you change (as KdQs)? keep keeps all".to_owned();
        }
        let mut choices = Vec::new();
        match (legal.bring_in, legal.call, legal.check) {
            (Some(chips), ..) => choices.push(format!("bring in {chips}")),
            (_, Some(chips), _) => choices.extend(["fold".to_owned(), format!("call {chips}")]),
            (.., true) => choices.push("check".to_owned()),
            _ => {}
        }
        if let Some(Raise { least, most }) = legal.raise {
            choices.push(match least == most {
                true => format!("raise {least}"),
                false => format!("raise {least} to {most}"),
            });
        }
        format!("{}?", choices.join(", "))
    }

    fn read(&self, line: &str, _: &RawValue, legal: &RawValue) -> Said {
        let legal = serde_json::from_str::<Legal>(legal.get()).ok();
        let line = line.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let raise = legal.as_ref().and_then(|legal| legal.raise.as_ref());
        let intent = |intent| Command::Intent { intent };
        let pre = |pre| Command::Pre { pre };
        let cards = |text: &str| text.replace(' ', "").parse::<Cards>();
        let no_cards =
            || Said::Show("A card is a rank of 23456789TJQKA and a suit of cdhs.".into());
        let command = match (word.to_lowercase().as_str(), rest) {
            ("fold" | "f", "") => Command::Fold {},
            ("check" | "k" | "x", "") => Command::Check {},
            ("call" | "c", "") => Command::Call {},
            ("raise" | "bet" | "r" | "b", amount) => {
                let amount = amount.trim_start_matches("to ");
                match (amount.parse(), raise) {
                    (Ok(to), _) => Command::Raise { to },
                    (Err(_), Some(raise)) if amount.is_empty() => {
                        Command::Raise { to: raise.least }
                    }
                    (Err(_), _) => return Said::Show("Raise to how much? As raise 6.".to_owned()),
                }
            }
            ("allin" | "all-in", "") | ("all", "in") => match raise {
                Some(raise) => Command::Raise { to: raise.most },
                None => Command::Call {},
            },
            ("bring", "in" | "") => Command::BringIn {},
            ("keep", "") => Command::Discard { cards: Cards::NONE },
            ("change" | "discard", text) => match cards(text) {
                Ok(cards) => Command::Discard { cards },
                Err(_) => return no_cards(),
            },
            ("show", "") => Command::Show { cards: None },
            ("show", text) => match cards(text) {
                Ok(cards) => Command::Show { cards: Some(cards) },
                Err(_) => return no_cards(),
            },
            ("rabbit", "") => Command::Rabbit {},
            ("play" | "back", "") => intent(Intent::Play),
            ("wait", "") => intent(Intent::Wait),
            ("pause", "") => intent(Intent::Pause),
            ("leave", "") => intent(Intent::Leave),
            ("pre", "fold") => pre(Some(Pre::Fold)),
            ("pre", "check") => pre(Some(Pre::CheckFold)),
            ("pre", "call") => pre(Some(Pre::CallAny)),
            ("pre", "nothing") => pre(None),
            _ => match cards(line) {
                Ok(cards) if legal.is_some_and(|legal| legal.discard.is_some()) => {
                    Command::Discard { cards }
                }
                _ => {
                    let text = "Not understood; help lists what you can say.";
                    return Said::Show(text.to_owned());
                }
            },
        };
        Said::Command(json(&command))
    }

    fn describe(&self, command: &RawValue, _: &RawValue) -> String {
        let Ok(command) = serde_json::from_str(command.get()) else { return String::new() };
        match command {
            Command::Fold {} => "fold".to_owned(),
            Command::Check {} => "check".to_owned(),
            Command::Call {} => "call".to_owned(),
            Command::Raise { to } => format!("raise {to}"),
            Command::BringIn {} => "bring in".to_owned(),
            Command::Discard { cards } if cards.is_empty() => "keep".to_owned(),
            Command::Discard { cards } => format!("change {}", airy(&cards)),
            Command::Show { cards: None } => "show".to_owned(),
            Command::Show { cards: Some(cards) } => format!("show {}", airy(&cards)),
            Command::Rabbit {} => "rabbit".to_owned(),
            Command::Intent { intent: Intent::Play } => "play".to_owned(),
            Command::Intent { intent: Intent::Wait } => "wait".to_owned(),
            Command::Intent { intent: Intent::Pause } => "pause".to_owned(),
            Command::Intent { intent: Intent::Leave } => "leave".to_owned(),
            Command::Pre { pre: Some(Pre::Fold) } => "pre fold".to_owned(),
            Command::Pre { pre: Some(Pre::CheckFold) } => "pre check".to_owned(),
            Command::Pre { pre: Some(Pre::CallAny) } => "pre call".to_owned(),
            Command::Pre { pre: None } => "pre nothing".to_owned(),
        }
    }

    fn help(&self) -> &'static str {
        "Poker. * is to act, D has the button; cards are a rank and a suit, as As for the ace of spades.\n\
         \n\
         \x20 fold  check  call               raise 6         bet, or raise to 6 in this round\n\
         \x20 allin           all you have    bring in        with the lowest open card\n\
         \x20 change KdQs     in a draw       keep            change none\n\
         \x20 show, show As   after the hand  rabbit          see the rest of the board\n\
         \x20 pre fold, pre check, pre call   said before your turn; pre nothing takes it back\n\
         \x20 pause  wait  play  leave        sit out, until the big blind, come back, go for good\n\
         \x20 hint  board  help  quit"
    }

    fn result(&self, view: &RawValue) -> String {
        match seen(view).phase {
            Phase::Closed => "The table is closed.".to_owned(),
            _ => String::new(),
        }
    }
}
