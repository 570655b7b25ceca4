use crate::person::Person;
use crate::{parlor, stdout};
use parlor_testkit::count;

impl Person {
    fn sits_down(args: &[&str]) -> Self {
        Self::sits_down_to("backgammon", args)
    }

    fn sits_down_to(game: &str, args: &[&str]) -> Self {
        let mut person = Self::runs(parlor(&[&["play", game], args].concat()));
        person.reads();
        person
    }

    /// Follows the hints until the end; what stood on the screen last.
    fn follows_the_hints(mut self) -> String {
        for _ in 0..5_000 {
            let on = if self.seen.contains("Press Enter for the next") {
                self.says("")
            } else {
                self.follows_a_hint()
            };
            assert!(!self.seen.contains("Not understood"), "{}", self.seen);
            if !on {
                assert!(self.ends());
                return std::mem::take(&mut self.seen);
            }
        }
        panic!("no end: {}", self.seen)
    }
}

#[test]
fn a_game_with_doubling_is_played_to_its_end() {
    for i in 0..count(5, 100) {
        let end = Person::sits_down(&["--seed", &i.to_string()]).follows_the_hints();
        let last = end.trim_end().lines().last().unwrap();
        assert!(last.contains("You win") || last.contains("The house wins"), "{end}");
    }
}

#[test]
fn a_match_goes_on_from_game_to_game() {
    let end = Person::sits_down(&["--seed", "m", "--match", "3"]).follows_the_hints();
    assert!(end.contains("the match, "), "{end}");
}

#[test]
fn a_match_of_one_game_is_a_match_and_its_last_score_is_shown() {
    let end = Person::sits_down(&["--seed", "m", "--match", "1"]).follows_the_hints();
    assert!(end.contains("win the match, 1 to 0.") || end.contains("wins the match, 0 to 1."));
    assert!(!end.contains("you 0, house 0"), "{end}");
    let won = if end.contains("You win") { "you 1, house 0" } else { "you 0, house 1" };
    assert!(end.contains(&format!("match to 1: {won}")), "{end}");
}

impl Person {
    /// Plays the first step of some listed play by hand; whether dice are left after it.
    fn plays_a_step(&mut self) -> bool {
        assert!(self.says("moves"));
        let listed: Vec<String> = self.seen.lines().map(str::to_owned).collect();
        let steps = listed.iter().filter_map(|line| {
            let mut words = line.split_whitespace();
            words.next()?.parse::<usize>().ok()?;
            let step = words.next()?.split('(').next()?;
            (step.matches('/').count() == 1).then_some(step)
        });
        for step in steps {
            let on = self.says(step);
            if on && self.seen.contains("You to play: [") {
                return true;
            }
            if !self.seen.contains("Not understood") && !self.seen.contains("does not go") {
                return false;
            }
        }
        false
    }
}

#[test]
fn hints_in_the_middle_of_a_turn_are_moves_that_go() {
    let (mut by_hand, mut listings) = (0, 0);
    for i in 0..count(6, 60) {
        let mut person =
            Person::sits_down(&["--seed", &format!("middle {i}"), "--config", r#"{"cube":false}"#]);
        for _ in 0..5_000 {
            if person.seen.contains("Your move") && person.plays_a_step() {
                by_hand += 1;
                // What is left can be listed too.
                person.says("moves");
                let listed = person.seen.contains("   1  ");
                assert!(listed || person.seen.contains("nothing to move"), "{}", person.seen);
                listings += u32::from(listed);
            }
            // The step may have been a whole turn, and that the last one.
            if person.over {
                break;
            }
            assert!(person.says("hint"), "{}", person.seen);
            let hint = person.last_line().to_owned();
            let on = person.says(&hint);
            assert!(!person.seen.contains("Not understood"), "{hint}: {}", person.seen);
            assert!(!person.seen.contains("does not go"), "{hint}: {}", person.seen);
            if !on {
                break;
            }
        }
        assert!(person.ends());
    }
    assert!(by_hand > 50 && listings > 50, "{by_hand} steps by hand, {listings} lists");
}

#[test]
fn a_turn_can_be_played_step_by_step_and_taken_back() {
    // The seat is named, so the first thing to do is to roll.
    let mut person = Person::sits_down(&["--seed", "a", "--config", r#"{"opening":0}"#]);
    assert!(person.seen.contains("roll or double?"));
    person.says("roll");
    assert!(person.seen.contains("You roll 5 and 4."), "the seed gives 54: {}", person.seen);
    person.says("99");
    assert!(person.seen.contains("no such number"), "{}", person.seen);
    person.says("24/20");
    assert!(person.seen.contains("You to play: [5]\n"), "{}", person.seen);
    person.says("commit");
    assert!(person.seen.contains("as many dice as you can"), "{}", person.seen);
    person.says("undo");
    assert!(person.seen.contains("You to play: [5] [4]\n"), "{}", person.seen);
    person.says("24/20");
    person.says("13/8");
    assert!(person.seen.contains("You play 13/8"), "{}", person.seen);
    assert!(person.seen.contains("The house rolls"), "{}", person.seen);
}

#[test]
fn rubbish_is_answered_and_changes_nothing() {
    let mut person = Person::sits_down(&["--seed", "a", "--config", r#"{"opening":0}"#]);
    for line in ["fly", "8/5", "-3", "99999999999999999999", "take", "resign triple", "ü/off", "\t"]
    {
        assert!(person.says(line), "{line} ended the game");
        assert!(person.seen.contains("roll or double?"), "{line}: {}", person.seen);
    }
}

#[test]
fn the_end_of_input_leaves_the_table() {
    let output = parlor(&["play", "backgammon", "--seed", "a"]).output().unwrap();
    assert!(output.status.success());
    assert!(stdout(&output).ends_with("You leave the table.\n"));
}

/// Pairs that follow each other at once.
const QUICK: &str = r#"{"first_step_ms":1,"next_step_ms":1}"#;

#[test]
fn a_battle_is_fought_to_its_end_with_pairs_shown_by_time_alone() {
    for i in 0..count(5, 50) {
        let seed = i.to_string();
        let person = Person::sits_down_to("battle", &["--seed", &seed, "--config", QUICK]);
        assert!(person.seen.contains("\nRound 1.\n"), "{}", person.seen);
        assert!(person.seen.contains("s] Lay your cards"), "time is shown: {}", person.seen);
        let end = person.follows_the_hints();
        assert!(end.contains(" 3. your "), "{end}");
        let last = end.trim_end().lines().last().unwrap();
        assert!(["You win.", "The house wins.", "A draw."].contains(&last), "{end}");
    }
}

#[test]
fn time_really_runs_in_a_battle() {
    // The player sits there and types nothing at all. The house has time to lay its cards on
    // the slowest of machines.
    let config = r#"{"prep_ms":2000,"first_step_ms":1,"next_step_ms":1}"#;
    let mut person = Person::sits_down_to("battle", &["--seed", "s", "--config", config]);
    let mut all = person.seen.clone();
    while person.reads() {
        all += &person.seen;
    }
    all += &person.seen;
    assert!(all.contains("\nRound 2.\n"), "{all}");
    assert!(!all.contains("\nRound 3.\n"), "{all}");
    assert!(all.ends_with("The house wins: two rounds in a row without a word.\n"), "{all}");
    assert!(person.ends());
}

#[test]
fn cards_are_drafted_changed_and_confirmed() {
    let mut person = Person::sits_down_to("battle", &["--seed", "s", "--config", QUICK]);
    person.says("draft attack");
    assert!(person.seen.contains("On the table: attack - -; confirm, or lay"), "{}", person.seen);
    person.says("draft - h c");
    assert!(person.seen.contains("On the table: - heal counter;"), "{}", person.seen);
    person.says("attack attack attack");
    assert!(person.seen.contains("That does not go: slot 2 asks for a card"), "{}", person.seen);
    person.says("confirm");
    assert!(person.seen.contains("Your cards are laid."), "{}", person.seen);
    assert!(person.seen.contains(" 1. your nothing against "), "{}", person.seen);
    assert!(person.seen.contains(" 2. your heal against "), "{}", person.seen);
    assert!(person.seen.contains(" 3. your counter against "), "{}", person.seen);
    assert!(person.seen.contains("Round 2 of 3"), "{}", person.seen);
}

#[test]
fn rubbish_in_a_battle_is_answered_and_changes_nothing() {
    let mut person = Person::sits_down_to("battle", &["--seed", "s"]);
    for line in ["fireball", "grass", "a d h c", "draft 7", "confirm x", "ü", "\t", "- - - -"] {
        assert!(person.says(line), "{line} ended the match");
        assert!(person.seen.contains("Lay your cards"), "{line}: {}", person.seen);
    }
    person.says("help");
    assert!(person.seen.contains("turns an attack back"), "{}", person.seen);
    assert!(!person.says("quit"));
    assert!(person.seen.ends_with("You leave the table.\n"), "{}", person.seen);
}

#[test]
fn a_battle_in_a_journal_goes_on_where_it_was_left() {
    let folder = std::env::temp_dir().join(format!("parlor-battle-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let journal = folder.join("house.db").to_str().unwrap().to_owned();
    let mut person =
        Person::sits_down_to("battle", &["--seed", "s", "--config", QUICK, "--journal", &journal]);
    person.says("draft heal");
    assert!(!person.says("quit"));
    person.ends();
    let person = Person::sits_down_to("battle", &["--journal", &journal]);
    assert!(person.seen.contains("On the table: heal - -;"), "{}", person.seen);
    let end = person.follows_the_hints();
    assert!(end.trim_end().ends_with('.'), "{end}");
    let audited = stdout(&parlor(&["audit", "terminal", "--journal", &journal]).output().unwrap());
    assert!(audited.contains(", 0 unchecked, "), "{audited}");
    std::fs::remove_dir_all(&folder).ok();
}

#[test]
fn gomoku_is_played_to_its_end_with_swap_2() {
    let (mut games, mut more) = (0, 0);
    for rule in ["freestyle", "standard", "caro", "caro_overline", "renju"] {
        for i in 0..count(2, 20) {
            let config = format!(r#"{{"rule":"{rule}"}}"#);
            let seed = i.to_string();
            let mut person =
                Person::sits_down_to("gomoku", &["--seed", &seed, "--config", &config]);
            assert!(person.seen.contains("Lay stone 1 of 3"), "{}", person.seen);
            // Stones in the middle favour black; those of the hints favour nobody.
            for stone in ["h8", "i9", "j7"] {
                let hint = i % 2 == 1 && person.says("hint");
                let stone = if hint { person.last_line().to_owned() } else { stone.to_owned() };
                person.says(&stone);
            }
            assert!(i % 2 == 1 || person.seen.contains("The house takes black."));
            more += u32::from(person.seen.contains("two more stones"));
            let end = person.follows_the_hints();
            let last = end.trim_end().lines().last().unwrap();
            assert!(last.contains(" the game"), "{end}");
            games += 1;
        }
    }
    println!("{games} games, {more} with two more stones");
    assert!(more > 0, "the house always takes a colour at once");
}

#[test]
fn a_series_of_gomoku_goes_on_from_game_to_game() {
    let end = Person::sits_down_to("gomoku", &["--seed", "s", "--match", "2"]).follows_the_hints();
    let last = end.trim_end().lines().last().unwrap();
    assert!(last.contains("the match, 2 to "), "{end}");
}

#[test]
fn a_stone_of_gomoku_is_taken_back_and_rubbish_changes_nothing() {
    let config = ["--config", r#"{"swap2Enabled":false}"#];
    let mut person = Person::sits_down_to("gomoku", &config);
    for line in ["fly", "p1", "h16", "-3", "ü", "black", "yes", "takeback", "\t"] {
        assert!(person.says(line), "{line} ended the game");
        assert!(person.seen.contains("Your move"), "{line}: {}", person.seen);
    }
    person.says("a1");
    assert!(person.seen.contains("You play a1."), "{}", person.seen);
    person.says("takeback");
    assert!(
        person.seen.contains("You take back a stone, and the answer to it goes too."),
        "{}",
        person.seen
    );
    assert!(person.seen.contains("\n  1 . ."), "{}", person.seen);
    person.says("draw");
    assert!(person.seen.contains("The house declines."), "{}", person.seen);
    person.says("resign");
    assert!(person.seen.contains("The house wins the game, as white."), "{}", person.seen);
}

#[test]
fn an_opening_of_gomoku_is_kept_and_goes_on_where_it_was() {
    let folder = std::env::temp_dir().join(format!("parlor-swap2-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let journal = folder.join("club.db").to_str().unwrap().to_owned();
    let mut person = Person::sits_down_to("gomoku", &["--seed", "k", "--journal", &journal]);
    for stone in ["h8", "i9"] {
        assert!(person.says(stone));
    }
    assert!(!person.says("quit"));
    assert!(person.ends());

    let back = Person::sits_down_to("gomoku", &["--journal", &journal]);
    assert!(back.seen.contains("Lay stone 3 of 3"), "{}", back.seen);
    assert!(back.seen.contains("Swap 2: 2 stones laid"), "{}", back.seen);
    let end = back.follows_the_hints();
    assert!(end.contains(" the game"), "{end}");

    let audited = stdout(&parlor(&["audit", "terminal", "--journal", &journal]).output().unwrap());
    assert!(audited.contains(", 0 unchecked, "), "{audited}");
    let replayed =
        stdout(&parlor(&["replay", "terminal", "--journal", &journal]).output().unwrap());
    let last: serde_json::Value = serde_json::from_str(replayed.lines().last().unwrap()).unwrap();
    let actions = last["state"]["swap2_history"]["actions"].as_array().unwrap().clone();
    assert!(actions.len() >= 4, "{last}");
    // The times of the entries are in the record of the opening.
    assert!(actions.iter().all(|action| action["timestamp"].is_string()), "{actions:?}");
    std::fs::remove_dir_all(&folder).ok();
}

#[test]
fn poker_is_played_until_somebody_has_nothing_left() {
    for i in 0..count(2, 20) {
        let args = ["--seed", &i.to_string(), "--config", r#"{"small_blind":20,"big_blind":40}"#];
        let person = Person::sits_down_to("poker", &args);
        assert!(person.seen.contains("Hand 1."), "{}", person.seen);
        assert!(person.seen.contains("You are dealt "), "{}", person.seen);
        assert!(person.seen.contains(" house 4 "), "{}", person.seen);
        let end = person.follows_the_hints();
        let last = end.trim_end().lines().last().unwrap();
        let ends = ["You have left the table.", "Nobody is left to play with."];
        assert!(ends.contains(&last), "{end}");
    }
}

#[test]
fn rubbish_in_poker_is_answered_and_changes_nothing() {
    let mut person = Person::sits_down_to("poker", &["--seed", "s"]);
    for line in ["fly", "raise x", "raise 1", "raise 99999999999999999999", "show Zz", "ü"] {
        assert!(person.says(line), "{line} ended the game");
        assert!(person.seen.contains("call"), "{line}: {}", person.seen);
    }
    assert!(person.says("pause"));
    assert!(person.seen.contains("You take a pause."), "{}", person.seen);
    assert!(!person.says("quit"));
    assert!(person.seen.ends_with("You leave the table.\n"), "{}", person.seen);
}

#[test]
fn the_house_plays_at_the_level_that_is_asked_for() {
    for level in ["easy", "medium", "hard"] {
        let end = Person::sits_down(&["--seed", "l", "--level", level]).follows_the_hints();
        assert!(end.contains("You win") || end.contains("The house wins"), "{level}: {end}");
    }
    let output = parlor(&["play", "backgammon", "--level", "expert"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("easy, medium or hard"), "{text}");
}
