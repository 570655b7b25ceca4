//! The battle in the terminal.

use super::{Face, Said};
use parlor_rules::{Json, json};
use parlor_rules_battle::card::{Name, Slot, Slots};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::notation;
use parlor_rules_battle::state::Config;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The two fighters, as the player sees them.
pub(crate) struct Arena;

/// The part of a view that is drawn.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    round_index: u32,
    sudden_death: bool,
    your_hp: u8,
    opp_hp: u8,
    your_hand: Vec<String>,
    your_draft: Slots,
    your_confirmed: bool,
    your_afk_streak: u8,
    phase: Option<String>,
    config: Config,
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
fn card(value: &Value) -> String {
    let slot: Slot = serde_json::from_value(value.clone()).unwrap_or(None);
    slot.map_or_else(|| "nothing".to_owned(), |card| card.to_string())
}

impl Face for Arena {
    fn draw(&self, view: &RawValue) -> String {
        let seen = Seen::of(view);
        let round = match seen.sudden_death {
            true => format!("Round {}, sudden death", seen.round_index),
            false => format!("Round {} of {}", seen.round_index, seen.config.rounds),
        };
        [
            format!(" {round}"),
            format!(" House  {}", seen.bar(seen.opp_hp)),
            format!(" You    {}", seen.bar(seen.your_hp)),
            format!(" Hand   {}", seen.your_hand.join(" ")),
        ]
        .join("\n")
    }

    fn tell(&self, sights: &[Json], _: &RawValue) -> Vec<String> {
        let sights = sights.iter().filter_map(|sight| serde_json::from_str(sight.get()).ok());
        sights.filter_map(|sight: Value| sentence(&sight)).collect()
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

    fn result(&self, outcome: &RawValue) -> String {
        let outcome: Value = serde_json::from_str(outcome.get()).unwrap_or_default();
        let who = match outcome["winner"].as_u64() {
            Some(0) => "You win",
            Some(_) => "The house wins",
            None if outcome["bothLose"] == true => "Both lose",
            None => "A draw",
        };
        let how = match outcome["reason"].as_str() {
            Some("timeout") => ": two rounds in a row without a word",
            Some("disconnect") => ": nobody was there",
            _ => "",
        };
        format!("{who}{how}.")
    }

    fn ticks(&self) -> bool {
        true
    }
}

/// A message in words; none if the picture tells it.
fn sentence(sight: &Value) -> Option<String> {
    Some(match sight["type"].as_str()? {
        "prep_start" if sight["suddenDeath"] == true => {
            format!("\nRound {}: sudden death.", sight["roundIndex"])
        }
        "prep_start" => format!("\nRound {}.", sight["roundIndex"]),
        "confirm_ok" => "Your cards are laid.".to_owned(),
        "step_reveal" => format!(
            " {}. your {} against {}: you {}, the house {}",
            sight["step"],
            card(&sight["yourCard"]),
            card(&sight["oppCard"]),
            sight["yourHp"],
            sight["oppHp"]
        ),
        "error_msg" => {
            let text = sight["text"].as_str()?.replace("null", "-");
            format!("That does not go: {text}.")
        }
        _ => return None,
    })
}
