//! The fourteen properties of the opening, by the plain API and through the door.

use crate::support::{Match, doc, say, table};
use parlor_rules::{Draws, House, Input, Owner, Pending, Reject as _, Rules, Seat, Seeded, series};
use parlor_rules_gomoku::Gomoku;
use parlor_rules_gomoku::board::Colour;
use parlor_rules_gomoku::command::Command;
use parlor_rules_gomoku::event::Event;
use parlor_rules_gomoku::manager::{ManagerError, Swap2Manager};
use parlor_rules_gomoku::state::{Config, Mode, State};
use parlor_rules_gomoku::swap2::{ActionData, Choice, Phase, Swap2State};
use parlor_testkit::count;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// A way through an opening: five points, the second player's choice, the first player's.
#[derive(Clone, Debug)]
struct Script {
    points: Vec<(i32, i32)>,
    choice: &'static str,
    last: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Place(i32, i32),
    Choose(&'static str),
}

impl Script {
    /// Its steps with the player who takes each and the phase it is taken in.
    fn steps(&self) -> Vec<(&'static str, Phase, Step)> {
        let place = |i: usize| Step::Place(self.points[i].0, self.points[i].1);
        let mut steps: Vec<_> = (0..3).map(|i| ("ada", Phase::Placement, place(i))).collect();
        steps.push(("bob", Phase::Choice, Step::Choose(self.choice)));
        if self.choice == "place_more" {
            steps.extend((3..5).map(|i| ("bob", Phase::Extra, place(i))));
            steps.push(("ada", Phase::FinalChoice, Step::Choose(self.last)));
        }
        steps
    }

    /// Who ends up black.
    fn black(&self) -> &'static str {
        match (self.choice, self.last) {
            ("black", _) | ("place_more", "white") => "bob",
            _ => "ada",
        }
    }
}

fn scripts() -> impl Strategy<Value = Script> {
    let all: Vec<(i32, i32)> = (0..225).map(|i| (i % 15, i / 15)).collect();
    let points = subsequence(all, 5).prop_shuffle();
    let choices = select(vec!["black", "white", "place_more", "place_more"]);
    (points, choices, select(vec!["black", "white"])).prop_map(|(points, choice, last)| Script {
        points,
        choice,
        last,
    })
}

/// A script and how many of its steps are taken.
fn prefixes() -> impl Strategy<Value = (Script, usize)> {
    scripts().prop_flat_map(|script| {
        let steps = script.steps().len();
        (Just(script), 0..=steps)
    })
}

/// A script and so many of its steps that some stone lies and another is to be laid.
fn placings() -> impl Strategy<Value = (Script, usize)> {
    (scripts(), 0..4usize).prop_map(|(script, which)| {
        let places: &[usize] = if script.choice == "place_more" { &[1, 2, 4, 5] } else { &[1, 2] };
        let steps = places[which % places.len()];
        (script, steps)
    })
}

fn manager() -> (Swap2Manager, Swap2State) {
    let mut manager = Swap2Manager::new(|| "2026-01-02T03:04:05Z".to_owned());
    let state = manager.initialize_swap2("g", "ada", "bob").unwrap();
    (manager, state)
}

fn take(manager: &mut Swap2Manager, who: &str, step: &Step) -> Result<Swap2State, ManagerError> {
    match step {
        Step::Place(x, y) => manager.place_stone("g", who, *x, *y),
        Step::Choose(choice) => manager.make_choice("g", who, choice),
    }
}

/// The opening after so many steps.
fn after(script: &Script, steps: usize) -> (Swap2Manager, Swap2State) {
    let (mut manager, mut state) = manager();
    for (who, _, step) in &script.steps()[..steps] {
        state = take(&mut manager, who, step).unwrap();
    }
    (manager, state)
}

fn swap2(first_mover: &str) -> Value {
    json!({"swap2Enabled": true, "players": ["ada", "bob"], "first_mover": first_mover})
}

fn command(step: &Step) -> Command {
    match step {
        Step::Place(x, y) => Command::PlaceStone { x: (*x).into(), y: (*y).into() },
        Step::Choose(choice) => Command::MakeChoice { choice: (*choice).to_owned() },
    }
}

fn seat(who: &str) -> Seat {
    Seat::new(u8::from(who == "bob"))
}

/// The same steps through the door.
fn door(config: Value, script: &Script, steps: usize) -> series::State<Gomoku> {
    let mut state = table(config);
    for (who, _, step) in &script.steps()[..steps] {
        say(&mut state, seat(who), command(step)).unwrap();
    }
    state
}

/// The same cases in every run.
fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: count(100, 1_000),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(4),
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    // **Feature: swap2-opening-rule, Property 1: Initial Phase Correctness**
    // **Validates: Requirements 1.1**
    #[test]
    fn property_1_a_game_begins_with_placement_by_the_first_player(
        first in "[a-z]{1,8}", second in "[A-Z]{1,8}",
    ) {
        let mut manager = Swap2Manager::new(String::new);
        let state = manager.initialize_swap2("g", &first, &second).unwrap();
        prop_assert_eq!(state.phase, Phase::Placement);
        prop_assert_eq!(&state.active_player_id, &first);
        prop_assert_eq!((&state.player1_id, &state.player2_id), (&first, &second));
        prop_assert!(state.tentative_stones.is_empty() && state.actions.is_empty());
        let doc = doc(&table(json!({"swap2Enabled": true, "players": [first, second]})));
        prop_assert_eq!(&doc["gamePhase"], "swap2");
        prop_assert_eq!(&doc["swap2State"]["phase"], "swap2_placement");
        prop_assert_eq!(&doc["swap2State"]["activePlayerId"], &json!(first));
        prop_assert_eq!(&doc["swap2State"]["player2Id"], &json!(second));
    }

    // **Feature: swap2-opening-rule, Property 2: State Machine Transition Correctness**
    // **Validates: Requirements 1.2, 1.3, 1.5, 1.6**
    #[test]
    fn property_2_phases_follow_each_other_as_drawn(script in scripts()) {
        let (mut manager, mut state) = manager();
        let mut door = table(swap2("black"));
        for (who, phase, step) in script.steps() {
            prop_assert_eq!(state.phase, phase);
            prop_assert_eq!(&doc(&door)["swap2State"]["phase"], phase.name());
            prop_assert_eq!(&doc(&door)["gamePhase"], "swap2");
            state = take(&mut manager, who, &step).unwrap();
            say(&mut door, seat(who), command(&step)).unwrap();
        }
        prop_assert_eq!(state.phase, Phase::Complete);
        prop_assert!(Swap2Manager::is_complete(&state));
        prop_assert_eq!(&doc(&door)["swap2State"]["phase"], "complete");
        prop_assert_eq!(&doc(&door)["gamePhase"], "main_game");
    }

    // **Feature: swap2-opening-rule, Property 3: Stone Count Invariant**
    // **Validates: Requirements 2.1, 2.2, 2.3**
    #[test]
    fn property_3_every_phase_has_its_number_of_stones((script, steps) in prefixes()) {
        let (_, state) = after(&script, steps);
        let range = match state.phase {
            Phase::Placement => 0..=2,
            Phase::Choice => 3..=3,
            Phase::Extra => 3..=4,
            Phase::FinalChoice => 5..=5,
            Phase::Complete if script.choice == "place_more" => 5..=5,
            Phase::Complete => 3..=3,
        };
        prop_assert!(range.contains(&state.tentative_stones.len()), "{state:?}");
        for (i, stone) in state.tentative_stones.iter().enumerate() {
            prop_assert_eq!(usize::from(stone.placement_order), i + 1);
            let colour = if i % 2 == 0 { Colour::Black } else { Colour::White };
            prop_assert_eq!(stone.color, Some(colour));
            prop_assert_eq!((stone.x as i32, stone.y as i32), script.points[i]);
            let phase = if i < 3 { Phase::Placement } else { Phase::Extra };
            prop_assert_eq!(stone.phase, phase);
            prop_assert_eq!(&stone.placed_by, if i < 3 { "ada" } else { "bob" });
        }
    }

    // **Feature: swap2-opening-rule, Property 4: Occupied Cell Rejection**
    // **Validates: Requirements 2.4**
    #[test]
    fn property_4_a_point_is_taken_once((script, steps) in placings(), which in 0..5usize) {
        let (mut manager, state) = after(&script, steps);
        prop_assert!(state.phase == Phase::Placement || state.phase == Phase::Extra);
        let stone = &state.tentative_stones[which % state.tentative_stones.len()];
        let active = state.active_player_id.clone();
        let refused = manager.place_stone("g", &active, stone.x, stone.y).unwrap_err();
        let ManagerError::Refused(reject) = refused else { panic!("{refused}") };
        prop_assert_eq!(reject.code(), "position_occupied");
        prop_assert_eq!(&reject.facts()["reason"], "occupied");
        prop_assert_eq!(manager.get_state("g").unwrap(), state.clone());
        let mut door = door(swap2("black"), &script, steps);
        let before = door.clone();
        let again = Command::PlaceStone { x: stone.x.into(), y: stone.y.into() };
        prop_assert_eq!(say(&mut door, seat(&active), again).unwrap_err(), reject);
        prop_assert_eq!(door, before);
    }

    // **Feature: swap2-opening-rule, Property 5: Color Assignment Correctness**
    // **Validates: Requirements 3.2, 3.3**
    #[test]
    fn property_5_who_chooses_a_colour_gets_it(script in scripts()) {
        let (_, state) = after(&script, script.steps().len());
        let (black, white) = match script.black() {
            "ada" => ("ada", "bob"),
            _ => ("bob", "ada"),
        };
        prop_assert_eq!(state.black_player_id.as_deref(), Some(black));
        prop_assert_eq!(state.white_player_id.as_deref(), Some(white));
        let choice = state.final_choice.clone().unwrap();
        let mine = if choice.chosen_color == Colour::Black { black } else { white };
        prop_assert_eq!(&choice.chooser, mine);
        let assigned = Swap2Manager::get_final_assignments(&state).unwrap();
        prop_assert_eq!((&*assigned.black_player_id, &*assigned.white_player_id), (black, white));
    }

    // **Feature: swap2-opening-rule, Property 6: Available Options Correctness**
    // **Validates: Requirements 3.1, 3.5**
    #[test]
    fn property_6_three_options_then_two((script, steps) in prefixes(), other in "[a-z_]{0,12}") {
        let (mut manager, state) = after(&script, steps);
        let options: &[&str] = match state.phase {
            Phase::Choice => &["black", "white", "place_more"],
            Phase::FinalChoice => &["black", "white"],
            _ => &[],
        };
        let door = door(swap2("black"), &script, steps);
        let legal = serde_json::to_value(Match::legal(&door, seat(&state.active_player_id)));
        prop_assert_eq!(&legal.unwrap()["choices"], &json!(options));
        for word in ["black", "white", "place_more", &other] {
            let (mut again, _) = after(&script, steps);
            let made = again.make_choice("g", &state.active_player_id, word);
            prop_assert_eq!(made.is_ok(), options.contains(&word), "{}", word);
        }
        let refused = manager.make_choice("g", &state.active_player_id, "purple").unwrap_err();
        let ManagerError::Refused(reject) = refused else { panic!("{refused}") };
        if options.is_empty() {
            prop_assert_eq!(reject.code(), "invalid_phase");
        } else {
            prop_assert_eq!(reject.code(), "invalid_choice");
            prop_assert_eq!(&reject.facts()["validOptions"], &json!(options));
        }
    }

    // **Feature: swap2-opening-rule, Property 7: Next Mover Determination**
    // **Validates: Requirements 3.6**
    #[test]
    fn property_7_black_moves_first_unless_the_table_says_white(
        script in scripts(), first in select(vec!["black", "white"]),
    ) {
        let (_, state) = after(&script, script.steps().len());
        prop_assert_eq!(&state.active_player_id, script.black());
        let assigned = Swap2Manager::get_final_assignments(&state).unwrap();
        prop_assert_eq!(&assigned.first_mover, &assigned.black_player_id);
        let mut door = door(swap2(first), &script, script.steps().len());
        let (mark, mover) = match first {
            "black" => ("X", seat(script.black())),
            _ => ("O", Seat::new(1 - seat(script.black()).index() as u8)),
        };
        prop_assert_eq!(&doc(&door)["currentTurn"], mark);
        prop_assert_eq!(Match::pending(&door).asked()[0].seat, mover);
        let free = (0..15).find(|x| !script.points.contains(&(*x, 0))).unwrap();
        let lays = || Command::Move { x: free.into(), y: 0.into() };
        let other = Seat::new(1 - mover.index() as u8);
        prop_assert_eq!(say(&mut door, other, lays()).unwrap_err().code(), "wrong_player");
        prop_assert!(say(&mut door, mover, lays()).is_ok());
        prop_assert_eq!(&doc(&door)["board"][0][free as usize], mark);
    }

    // **Feature: swap2-opening-rule, Property 8: Ranked Mode Enforcement**
    // **Validates: Requirements 4.1**
    #[test]
    fn property_8_a_ranked_game_always_opens_with_swap_2(
        asked in select(vec![None, Some(true), Some(false)]), (script, steps) in prefixes(),
    ) {
        let mut config = json!({"mode": "ranked", "players": ["ada", "bob"]});
        if let Some(asked) = asked {
            config["swap2Enabled"] = json!(asked);
        }
        let state = door(config, &script, steps);
        let whole = doc(&state);
        prop_assert_eq!(&whole["swap2Enabled"], true);
        prop_assert_eq!(&whole["match"]["config"]["swap2Enabled"], true);
        // It cannot be changed later.
        for path in ["/swap2Enabled", "/match/config/swap2Enabled"] {
            let mut changed = whole.clone();
            *changed.pointer_mut(path).unwrap() = json!(false);
            let faults = Match::load(&Config::of(Mode::Ranked), changed).unwrap_err();
            let path = path[1..].replace('/', ".");
            prop_assert!(faults.iter().any(|fault| fault.path == path), "{faults}");
        }
    }

    // **Feature: swap2-opening-rule, Property 9: Disabled Swap 2 Behavior**
    // **Validates: Requirements 4.3**
    #[test]
    fn property_9_without_swap_2_black_simply_begins(
        mode in select(vec!["tieu_dao", "van_mon", "di_bien_ky", "custom", "casual"]),
        named in any::<bool>(), x in 0..15i32, y in 0..15i32,
    ) {
        let mut config = json!({"mode": mode});
        if named {
            config["swap2Enabled"] = json!(false);
        }
        let mut state = table(config);
        let whole = doc(&state);
        prop_assert_eq!(&whole["gamePhase"], "main_game");
        prop_assert_eq!(&whole["currentTurn"], "X");
        prop_assert!(whole.get("swap2State").is_none());
        let place = Command::PlaceStone { x: x.into(), y: y.into() };
        prop_assert_eq!(say(&mut state, Seat::new(0), place).unwrap_err().code(), "invalid_phase");
        say(&mut state, Seat::new(0), Command::Move { x: x.into(), y: y.into() }).unwrap();
        prop_assert_eq!(&doc(&state)["board"][y as usize][x as usize], "X");
    }

    // **Feature: swap2-opening-rule, Property 10: Series Swap 2 Reset**
    // **Validates: Requirements 6.3**
    #[test]
    fn property_10_every_game_of_a_series_opens_afresh(
        script in scripts(), loser in 0..2u8, steps in 0..5usize,
    ) {
        let mut state = table(json!({"mode": "ranked", "players": ["ada", "bob"]}));
        let steps = steps.min(script.steps().len());
        for (who, _, step) in &script.steps()[..steps] {
            say(&mut state, seat(who), command(step)).unwrap();
        }
        say(&mut state, Seat::new(loser), Command::Resign {}).unwrap();
        let next = Input::Expire { seat: Owner::Table };
        Match::play(&mut state, &next, &mut Draws::new(&mut Seeded::new(""))).unwrap();
        let whole = doc(&state);
        prop_assert_eq!(&whole["swap2State"]["phase"], "swap2_placement");
        prop_assert_eq!(&whole["swap2State"]["tentativeStones"], &json!([]));
        prop_assert_eq!(&whole["swap2State"]["actions"], &json!([]));
        prop_assert!(whole["swap2State"].get("blackPlayerId").is_none());
        // The opener alternates, and so does who is the first player.
        prop_assert_eq!(&whole["swap2State"]["player1Id"], "bob");
        prop_assert_eq!(Match::pending(&state).asked()[0].seat, Seat::new(1));
        let mut score = [0, 0];
        score[1 - usize::from(loser)] = 1;
        prop_assert_eq!(&whole["match"]["score"], &json!(score));
    }

    // **Feature: swap2-opening-rule, Property 11: State Persistence Round-Trip**
    // **Validates: Requirements 7.1, 7.2**
    #[test]
    fn property_11_a_document_reads_back_as_the_same_state((script, steps) in prefixes()) {
        let (_, state) = after(&script, steps);
        let text = serde_json::to_string(&state).unwrap();
        let back: Swap2State = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &state);
        let door = door(swap2("black"), &script, steps);
        let back = Match::load(&Config::default(), doc(&door)).unwrap();
        prop_assert_eq!(&back, &door);
        // A document of the plain API plays on at a table, times and all.
        let mut whole = doc(&door);
        whole["swap2State"] = serde_json::from_str(&text).unwrap();
        let back = Match::load(&Config::default(), whole.clone()).unwrap();
        prop_assert_eq!(doc(&back), whole);
    }

    // **Feature: swap2-opening-rule, Property 12: Invalid Action Rejection**
    // **Validates: Requirements 8.1, 8.2, 8.3**
    #[test]
    fn property_12_what_does_not_fit_is_refused_and_changes_nothing(
        (script, steps) in prefixes(),
        x in prop_oneof![(-3..18).prop_map(f64::from), -2.0..17.0f64],
        y in prop_oneof![(-3..18).prop_map(f64::from), -2.0..17.0f64],
        who in select(vec!["ada", "bob", "eve"]),
        word in select(vec!["black", "white", "place_more", "red", ""]),
        places in any::<bool>(),
    ) {
        let (mut manager, before) = after(&script, steps);
        let wanted = before.phase == Phase::Placement || before.phase == Phase::Extra;
        let whole = |at: f64| at.fract() == 0.0 && (0.0..15.0).contains(&at);
        let taken = before.tentative_stones.iter()
            .any(|stone| (f64::from(stone.x), f64::from(stone.y)) == (x, y));
        let offered: &[&str] = match before.phase {
            Phase::Choice => &["black", "white", "place_more"],
            Phase::FinalChoice => &["black", "white"],
            _ => &[],
        };
        let expected = if before.phase == Phase::Complete || wanted != places {
            Some("invalid_phase")
        } else if who != before.active_player_id {
            Some("wrong_player")
        } else if places && !(whole(x) && whole(y)) {
            Some("out_of_bounds")
        } else if places && taken {
            Some("position_occupied")
        } else if !places && !offered.contains(&word) {
            Some("invalid_choice")
        } else {
            None
        };
        let done = match places {
            true => manager.place_stone("g", who, x, y),
            false => manager.make_choice("g", who, word),
        };
        match (&done, expected) {
            (Ok(state), None) => prop_assert_ne!(state, &before),
            (Err(ManagerError::Refused(reject)), Some(code)) => {
                prop_assert_eq!(reject.code(), code);
                let facts = reject.facts();
                prop_assert_eq!(&facts["phase"], before.phase.name());
                match code {
                    "wrong_player" => {
                        prop_assert_eq!(&facts["activePlayerId"], &json!(before.active_player_id));
                    }
                    "out_of_bounds" => prop_assert_eq!(&facts["reason"], "out of bounds"),
                    "position_occupied" => prop_assert_eq!(&facts["reason"], "occupied"),
                    "invalid_choice" => {
                        prop_assert_eq!(&facts["validOptions"], &json!(offered));
                    }
                    _ => {}
                }
                prop_assert_eq!(manager.get_state("g").unwrap(), before);
            }
            _ => prop_assert!(false, "{done:?} where {expected:?} was due"),
        }
        // The door says the same, except that there are no strangers, and that a complete opening
        // is the game itself.
        if who != "eve" && script.steps().len() > steps {
            let mut door = door(swap2("black"), &script, steps);
            let before = door.clone();
            let command = match places {
                true => Command::PlaceStone { x: x.into(), y: y.into() },
                false => Command::MakeChoice { choice: word.to_owned() },
            };
            let said = say(&mut door, seat(who), command);
            prop_assert_eq!(said.as_ref().err().map(|reject| reject.code()), expected);
            prop_assert_eq!(door == before, said.is_err());
        }
    }

    // **Feature: swap2-opening-rule, Property 13: Active Player Correctness**
    // **Validates: Requirements 1.1, 1.2, 1.4, 1.5**
    #[test]
    fn property_13_the_right_player_is_asked((script, steps) in prefixes()) {
        let (_, state) = after(&script, steps);
        let active = match state.phase {
            Phase::Placement | Phase::FinalChoice => "ada",
            Phase::Choice | Phase::Extra => "bob",
            Phase::Complete => script.black(),
        };
        prop_assert_eq!(&state.active_player_id, active);
        let door = door(swap2("black"), &script, steps);
        prop_assert_eq!(Match::pending(&door).asked()[0].seat, seat(active));
        prop_assert_eq!(&doc(&door)["swap2State"]["activePlayerId"], active);
    }

    // **Feature: swap2-opening-rule, Property 14: Swap 2 History Completeness**
    // **Validates: Requirements 6.4, 7.3**
    #[test]
    fn property_14_the_history_is_what_was_done_in_order(script in scripts()) {
        let (_, state) = after(&script, script.steps().len());
        let told: Vec<(String, Step)> = state.actions.iter().map(|action| {
            prop_assert_eq!(action.timestamp.as_deref(), Some("2026-01-02T03:04:05Z"));
            let step = match &action.data {
                ActionData::Place(point) => Step::Place(point.x.into(), point.y.into()),
                ActionData::Choice { choice } => Step::Choose(choice.name()),
            };
            Ok((action.player_id.clone(), step))
        }).collect::<Result<_, TestCaseError>>()?;
        let done: Vec<(String, Step)> = script.steps().into_iter()
            .map(|(who, _, step)| (who.to_owned(), step)).collect();
        prop_assert_eq!(told, done);
        // A finished game keeps it.
        let mut door = door(swap2("black"), &script, script.steps().len());
        say(&mut door, Seat::new(0), Command::Resign {}).unwrap();
        let outcome = serde_json::to_value(Match::outcome(&door)).unwrap();
        let history = &outcome["swap2_history"];
        prop_assert_eq!(history["actions"].as_array().unwrap().len(), script.steps().len());
        prop_assert_eq!(&history["finalAssignment"]["blackPlayerId"], script.black());
        prop_assert_eq!(&history["finalAssignment"]["firstMover"], script.black());
        prop_assert_eq!(&doc(&door)["swap2_history"], history);
    }
}

#[test]
fn a_game_needs_two_players_and_a_name_of_its_own() {
    let (mut manager, _) = manager();
    assert_eq!(manager.initialize_swap2("h", "ada", "ada"), Err(ManagerError::SamePlayers));
    assert_eq!(manager.initialize_swap2("h", "", "ada"), Err(ManagerError::SamePlayers));
    let again = manager.initialize_swap2("g", "eve", "bob");
    assert_eq!(again, Err(ManagerError::GameExists("g".to_owned())));
    let nowhere = manager.place_stone("nowhere", "ada", 0, 0);
    assert_eq!(nowhere, Err(ManagerError::NoSuchGame("nowhere".to_owned())));
    assert_eq!(manager.get_state("nowhere"), None);
    assert_eq!(manager.get_state("g").unwrap().player1_id, "ada");
}

/// The event that follows when the time of the seat that is asked is up.
fn expire(state: &mut State, seed: &str) -> Event {
    let pending = Gomoku::pending(state);
    let Pending::Waiting { seats, .. } = &pending else { panic!("nobody is asked") };
    let input = Input::Expire { seat: Owner::Seat(seats[0].seat) };
    let events = Gomoku::play(state, &input, &mut Draws::new(&mut Seeded::new(seed)));
    events.unwrap().remove(0)
}

#[test]
fn timeouts_lay_free_points_anywhere_and_choose_black() {
    let config: Config = serde_json::from_value(json!({"swap2Enabled": true})).unwrap();
    let mut laid = std::collections::BTreeSet::new();
    for i in 0..count(300, 3_000) {
        let mut chance = Seeded::new("");
        let mut state = Gomoku::open(&config, 2).unwrap();
        let begin = Input::House(House::Begin {});
        Gomoku::play(&mut state, &begin, &mut Draws::new(&mut chance)).unwrap();
        for stone in 0..3 {
            match expire(&mut state, &format!("{i} {stone}")) {
                Event::StonePlaced { seat, x, y, auto: true } if seat == Seat::new(0) => {
                    laid.insert((x, y));
                }
                other => panic!("{other:?}"),
            }
        }
        let chosen = expire(&mut state, "");
        let black = Event::ChoiceMade { seat: Seat::new(1), choice: Choice::Black, auto: true };
        assert_eq!(chosen, black);
        assert_eq!(state.seat_of(Colour::Black), Some(Seat::new(1)));
    }
    assert!(laid.len() > 200, "only {} different points", laid.len());
}

#[test]
fn a_rematch_is_opened_by_the_other_seat() {
    let config = Config::of(Mode::Ranked);
    let again = config.rematch();
    let openers = |config: &Config| [0, 1, 2].map(|games| config.opener_after(games).index());
    assert_eq!((openers(&config), openers(&again)), ([0, 1, 0], [1, 0, 1]));
    assert_eq!(again.rematch(), config);
}
