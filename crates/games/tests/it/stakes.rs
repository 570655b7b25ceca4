//! What tables are played for, how they end and what they are rated as.

use parlor_games::find;
use parlor_rules::{
    AnyGame, AnyState, Chips, Draws, Flow, FlowKind, House, Input, Json, Owner, Rated, Scale, Seat,
    Seeded, Unit, Verdict,
};
use serde_json::value::RawValue;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

fn json(text: &str) -> Json {
    RawValue::from_string(text.to_owned()).expect("JSON").into()
}

fn game(key: &str) -> &'static dyn AnyGame {
    find(key).expect("a game of the house")
}

/// A table, and all that has flowed.
struct Table {
    state: Box<dyn AnyState>,
    chance: Seeded,
    flows: Vec<Flow>,
}

impl Table {
    fn open(key: &str, config: &str) -> Self {
        let state = game(key).open(&json(config), 2).expect("a table");
        Self { state, chance: Seeded::new("stakes"), flows: Vec::new() }
    }

    fn begun(key: &str, config: &str) -> Self {
        let mut table = Self::open(key, config);
        table.house(House::Begin {});
        table
    }

    fn enter(&mut self, input: Input<Json>) {
        let events = self.state.decide(&input, &mut Draws::new(&mut self.chance)).expect("legal");
        for event in events {
            self.flows.extend(self.state.flows(&event).expect("its own event"));
            self.state.apply(&event).expect("its own event");
        }
    }

    fn house(&mut self, said: House) {
        self.enter(Input::House(said));
    }

    fn say(&mut self, seat: u8, command: &str) {
        self.enter(Input::Play { seat: Seat::new(seat), command: json(command) });
    }

    /// Seat 0 gives up a game of backgammon at this level.
    fn give_up(&mut self, level: u8) {
        self.say(0, &format!(r#"{{"type":"offer-resign","seat":0,"value":{level}}}"#));
        self.say(1, r#"{"type":"answer-resign","seat":1,"accept":true}"#);
    }

    fn next_game(&mut self) {
        self.enter(Input::Expire { seat: Owner::Table });
    }

    /// What each seat has put in and got back.
    fn paid(&self) -> [(Chips, Chips); 2] {
        SEATS.map(|seat| {
            let all = |kind| {
                let mine = self.flows.iter().filter(|flow| flow.seat == seat && flow.kind == kind);
                mine.map(|flow| flow.chips).sum()
            };
            (all(FlowKind::In), all(FlowKind::Out))
        })
    }
}

fn whole(pairs: [(i64, i64); 2]) -> [(Chips, Chips); 2] {
    pairs.map(|(put, got)| (Chips::whole(put), Chips::whole(got)))
}

#[test]
fn a_game_of_backgammon_pays_its_points() {
    let mut table = Table::begun("backgammon", r#"{"opening":0,"chips_a_point":5}"#);
    assert_eq!(table.state.stake(), Chips::whole(240));
    table.say(0, r#"{"type":"propose-double","seat":0}"#);
    table.say(1, r#"{"type":"accept","seat":1}"#);
    table.give_up(3);
    // Stakes of 2, three times.
    assert_eq!(table.paid(), whole([(120, 90), (120, 150)]));
    assert_eq!(table.state.stake(), Chips::ZERO);
    assert_eq!(table.state.verdict(), Some(Verdict::Won(SEATS[1])));
}

#[test]
fn nobody_loses_more_than_the_deposit() {
    let config = r#"{"opening":0,"chips_a_point":0.25,"most_points":2}"#;
    let mut table = Table::begun("backgammon", config);
    table.give_up(3);
    let half = Chips::from_ten_thousandths(5_000);
    assert_eq!(table.paid(), [(half, Chips::ZERO), (half, Chips::whole(1))]);
}

#[test]
fn a_match_pays_its_length_at_its_end() {
    let mut table = Table::begun("backgammon", r#"{"opening":0,"chips_a_point":5,"match":3}"#);
    table.give_up(2);
    assert_eq!((table.state.stake(), table.state.verdict()), (Chips::whole(240), None));
    table.next_game();
    assert_eq!(table.state.stake(), Chips::whole(240));
    table.give_up(2);
    assert_eq!(table.paid(), whole([(120, 105), (120, 135)]));
}

#[test]
fn who_leaves_between_two_games_pays_for_the_match() {
    let mut table = Table::begun("backgammon", r#"{"opening":0,"chips_a_point":5,"match":3}"#);
    table.give_up(1);
    table.house(House::Left { seat: SEATS[1] });
    assert_eq!(table.paid(), whole([(120, 135), (120, 105)]));
    assert_eq!(table.state.verdict(), Some(Verdict::Won(SEATS[0])));
}

#[test]
fn what_nobody_wins_goes_back() {
    let back = whole([(120, 120), (120, 120)]);
    let config = r#"{"opening":0,"chips_a_point":5,"match":3}"#;
    let mut table = Table::begun("backgammon", config);
    table.house(House::Close {});
    assert_eq!((table.paid(), table.state.verdict()), (back, Some(Verdict::Void)));

    let mut table = Table::begun("backgammon", config);
    table.give_up(1);
    table.house(House::Close {});
    assert_eq!((table.paid(), table.state.verdict()), (back, Some(Verdict::Void)));

    let mut table = Table::begun("gomoku", r#"{"chips_a_point":5}"#);
    table.say(0, r#"{"type":"move","x":7,"y":7}"#);
    table.house(House::Close {});
    assert_eq!((table.paid(), table.state.verdict()), (back, Some(Verdict::Drawn)));

    let mut table = Table::begun("gomoku", r#"{"chips_a_point":5,"match":2}"#);
    table.say(0, r#"{"type":"resign"}"#);
    table.house(House::Close {});
    assert_eq!((table.paid(), table.state.verdict()), (back, Some(Verdict::Void)));
}

#[test]
fn a_series_of_gomoku_pays_the_games_that_win_it() {
    let mut table = Table::begun("gomoku", r#"{"chips_a_point":5,"match":2}"#);
    for _ in 0..2 {
        table.say(1, r#"{"type":"resign"}"#);
        if table.state.outcome().is_none() {
            table.next_game();
        }
    }
    assert_eq!(table.paid(), whole([(120, 130), (120, 110)]));
}

#[test]
fn a_table_closed_before_it_began_is_void_and_moves_nothing() {
    for key in ["backgammon", "battle", "gomoku"] {
        let config = if key == "battle" { "{}" } else { r#"{"chips_a_point":5}"# };
        let mut table = Table::open(key, config);
        table.house(House::Close {});
        assert_eq!(table.state.verdict(), Some(Verdict::Void), "{key}");
        assert_eq!(table.paid(), whole([(0, 0); 2]), "{key}");
    }
}

#[test]
fn the_end_of_a_battle_is_its_verdict() {
    let mut table = Table::begun("battle", "{}");
    table.house(House::Left { seat: SEATS[0] });
    assert_eq!(table.state.verdict(), Some(Verdict::Won(SEATS[1])));
    // Both are gone: both lose.
    let mut table = Table::begun("battle", "{}");
    table.house(House::Close {});
    assert_eq!(table.state.verdict(), Some(Verdict::Void));
}

#[test]
fn what_one_must_have_to_begin_is_told() {
    let deposit = |key: &str, config| game(key).deposit(&json(config)).map_err(|r| r.code);
    assert_eq!(deposit("battle", "{}"), Ok(Chips::whole(1)));
    assert_eq!(deposit("battle", r#"{"stake":7}"#), Ok(Chips::whole(7)));
    assert_eq!(deposit("poker", "{}"), Ok(Chips::ZERO));
    for key in ["backgammon", "gomoku"] {
        assert_eq!(deposit(key, "{}"), Ok(Chips::ZERO));
        let most = r#"{"chips_a_point":0.5,"most_points":192}"#;
        assert_eq!(deposit(key, most), Ok(Chips::whole(96)));
        assert_eq!(deposit(key, r#"{"most_points":0}"#), Err("bad_config"));
        assert_eq!(deposit(key, "[]"), Err("malformed"));
    }
}

#[test]
fn only_the_battle_is_for_tokens() {
    for game in parlor_games::GAMES {
        assert_eq!(game.unit() == Unit::Tokens, game.key() == "battle", "{}", game.key());
    }
}

#[test]
fn tables_are_rated_by_their_rules() {
    let rated = |key: &str, config| game(key).rated(&json(config)).expect("options");
    let glicko = |set: &str| Some(Rated::glicko2(set));
    assert_eq!(rated("gomoku", "{}"), glicko("caro"));
    assert_eq!(rated("gomoku", r#"{"mode":"ranked"}"#), glicko("standard"));
    assert_eq!(rated("gomoku", r#"{"rule":"renju","board_size":19}"#), glicko("renju-19"));
    assert_eq!(rated("backgammon", r#"{"jacoby":true,"beavers":true}"#), glicko("money"));
    let fibs = Rated { set: "match".to_owned(), scale: Scale::Fibs { length: 5 } };
    assert_eq!(rated("backgammon", r#"{"match":5}"#), Some(fibs));
    assert_eq!(rated("backgammon", r#"{"match":5,"opening":1}"#), None);
    assert_eq!(rated("battle", r#"{"stake":100}"#), glicko("standard"));
    assert_eq!(rated("battle", r#"{"hp":9}"#), None);
    assert_eq!(rated("poker", "{}"), None);
    assert!(game("poker").rated(&json("[]")).is_err());
}
