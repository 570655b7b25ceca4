//! The battle in the terminal.

use super::people::People;
use super::{Face, Said};
use parlor_rules::{Json, Seat, json};
use parlor_rules_battle::card::{Name, Slot, Slots};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::event::Reason;
use parlor_rules_battle::notation;
use parlor_rules_battle::state::{Config, other};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The two fighters, as one of them, or a watcher, sees them.
pub(crate) struct Arena {
    who: People,
    me: Seat,
}

impl Arena {
    pub(crate) fn new(who: People) -> Self {
        Self { me: who.side(), who }
    }
}

/// The part of a view that is drawn.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    round_index: u32,
    sudden_death: bool,
    #[serde(alias = "aHp")]
    your_hp: u8,
    #[serde(alias = "bHp")]
    opp_hp: u8,
    #[serde(alias = "aHand")]
    your_hand: Vec<String>,
    // A watcher does not see what follows.
    #[serde(default)]
    your_draft: Slots,
    #[serde(default)]
    your_confirmed: bool,
    #[serde(default)]
    your_afk_streak: u8,
    phase: Option<String>,
    end: Option<Written>,
    config: Config,
}

/// How it ended.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    reason: Reason,
    winner: Option<Seat>,
    both_lose: bool,
}

/// A pair of cards that is shown.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pair {
    step: u8,
    #[serde(alias = "aCard")]
    your_card: Slot,
    #[serde(alias = "bCard")]
    opp_card: Slot,
    #[serde(alias = "aHp")]
    your_hp: u8,
    #[serde(alias = "bHp")]
    opp_hp: u8,
}

impl Seen {
    fn of(view: &RawValue) -> Self {
        serde_json::from_str(view.get()).expect("a table shows views that are whole")
    }

    fn bar(&self, hp: u8) -> String {
        let lost = self.config.max_hp.saturating_sub(hp);
        format!("{hp:2} HP {}{}", "#".repeat(hp.into()), ".".repeat(lost.into()))
    }
}

fn layout(command: &Command) -> Slots {
    let (Command::LayoutDraft { layout } | Command::LayoutConfirm { layout }) = command;
    layout.clone().map(|name| name.as_ref().and_then(Name::card))
}

fn wanted(slots: Slots) -> [Option<Name>; 3] {
    slots.map(|slot| slot.map(Name::Card))
}

/// A card in a sentence.
fn card(slot: Slot) -> String {
    slot.map_or_else(|| "nothing".to_owned(), |card| card.to_string())
}

impl Face for Arena {
    fn draw(&self, view: &RawValue) -> String {
        let seen = Seen::of(view);
        let round = match seen.sudden_death {
            true => format!("Round {}, sudden death", seen.round_index),
            false => format!("Round {} of {}", seen.round_index, seen.config.rounds),
        };
        let (me, them) = (self.who.head(self.me), self.who.head(other(self.me)));
        let width = me.chars().count().max(them.chars().count());
        [
            format!(" {round}"),
            format!(" {them:width$}  {}", seen.bar(seen.opp_hp)),
            format!(" {me:width$}  {}", seen.bar(seen.your_hp)),
            format!(" {:width$}  {}", "Hand", seen.your_hand.join(" ")),
        ]
        .join("\n")
    }

    fn tell(&self, sights: &[Json], _: &RawValue) -> Vec<String> {
        let sights = sights.iter().filter_map(|sight| serde_json::from_str(sight.get()).ok());
        sights.filter_map(|sight: Value| self.sentence(sight)).collect()
    }

    fn late(&self, before: &RawValue, view: &RawValue) -> Option<String> {
        let (before, now) = (Seen::of(before), Seen::of(view));
        let was_asked = before.phase.as_deref() == Some("PREP") && !before.your_confirmed;
        let on = now.phase.as_deref() != Some("PREP") || now.round_index != before.round_index;
        if !was_asked || !on {
            return None;
        }
        Some(match before.your_draft.iter().any(Option::is_some) {
            true => format!("Time is up: you play {}.", notation::write(&before.your_draft)),
            false if now.your_afk_streak == 1 => {
                "Time is up: you have laid nothing. Once more, and the match is lost.".to_owned()
            }
            false => "Time is up: you have laid nothing.".to_owned(),
        })
    }

    fn ask(&self, view: &RawValue, _: &RawValue) -> String {
        let seen = Seen::of(view);
        match seen.your_draft.iter().any(Option::is_some) {
            true => format!("On the table: {}; confirm, or lay", notation::write(&seen.your_draft)),
            false => "Lay your cards (as attack heal -)".to_owned(),
        }
    }

    fn read(&self, line: &str, view: &RawValue, _: &RawValue) -> Said {
        let line = line.trim().to_lowercase();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let command =
            match (word, rest) {
                ("confirm", "") => {
                    let layout = wanted(Seen::of(view).your_draft);
                    Ok(Command::LayoutConfirm { layout })
                }
                ("draft", _) => {
                    notation::read(rest).map(|slots| Command::LayoutDraft { layout: wanted(slots) })
                }
                ("confirm", _) => notation::read(rest)
                    .map(|slots| Command::LayoutConfirm { layout: wanted(slots) }),
                _ => notation::read(&line)
                    .map(|slots| Command::LayoutConfirm { layout: wanted(slots) }),
            };
        match command {
            Ok(command) => Said::Command(json(&command)),
            Err(why) => Said::Show(format!("Not understood: {why}; help lists what you can say.")),
        }
    }

    fn describe(&self, command: &RawValue, _: &RawValue) -> String {
        let command = serde_json::from_str::<Command>(command.get());
        command.map_or_else(|_| String::new(), |command| notation::write(&layout(&command)))
    }

    fn help(&self) -> &'static str {
        "The battle. Both lay three cards in secret; then they are shown pair by pair.\n\
         Who has more HP after the last round wins, or who is left when the other is at 0.\n\
         There are some 20 seconds to lay; two silent rounds in a row lose the match.\n\
         \n\
         \x20 attack   takes 2 HP       defense  blocks an attack\n\
         \x20 heal     gives 1 HP       counter  turns an attack back on the attacker\n\
         \n\
         \x20 attack heal -   lay these for good, - is an empty slot; a h - will do\n\
         \x20 draft attack    lay this, and think on; what lies when the time is up is played\n\
         \x20 confirm         what lies is for good\n\
         \x20 hint  board  help  quit"
    }

    fn result(&self, view: &RawValue) -> String {
        let Some(Written { reason, winner, both_lose }) = Seen::of(view).end else {
            return String::new();
        };
        let who = match winner {
            Some(winner) => self.who.does(winner, "win"),
            None if both_lose => "Both lose".to_owned(),
            None => "A draw".to_owned(),
        };
        let how = match reason {
            Reason::Timeout => ": two rounds in a row without a word",
            Reason::Disconnect => ": nobody was there",
            Reason::Normal | Reason::Draw | Reason::Closed => "",
        };
        format!("{who}{how}.")
    }
}

impl Arena {
    /// A message in words; none if the picture tells it.
    fn sentence(&self, sight: Value) -> Option<String> {
        Some(match sight["type"].as_str()? {
            "prep_start" if sight["suddenDeath"] == true => {
                format!("\nRound {}: sudden death.", sight["roundIndex"])
            }
            "prep_start" => format!("\nRound {}.", sight["roundIndex"]),
            "confirm_ok" => "Your cards are laid.".to_owned(),
            "step_reveal" => {
                let Pair { step, your_card, opp_card, your_hp, opp_hp } =
                    serde_json::from_value(sight).ok()?;
                let (me, them) = (self.who.name(self.me), self.who.name(other(self.me)));
                let own = if self.who.is_me(self.me) {
                    "your".to_owned()
                } else {
                    self.who.whose(self.me)
                };
                let (mine, theirs) = (card(your_card), card(opp_card));
                format!(" {step}. {own} {mine} against {theirs}: {me} {your_hp}, {them} {opp_hp}")
            }
            "error_msg" => {
                let text = sight["text"].as_str()?.replace("null", "-");
                format!("That does not go: {text}.")
            }
            _ => return None,
        })
    }
}
