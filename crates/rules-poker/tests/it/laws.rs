//! The laws of every game, at tables that people join, pause and leave all the time.

use parlor_rules::Erased;
use parlor_rules_poker::Poker;
use parlor_testkit::count;
use parlor_testkit::laws::{Scenario, hold_over};

static POKER: Erased<Poker> = Erased::new();

const TABLES: [(&str, u8); 20] = [
    (r#"{"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 6),
    (r#"{"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100,"chip":0.5}"#, 2),
    (
        r#"{"small_blind":0.25,"big_blind":0.5,"ante":0.1,"min_buy_in":1,"max_buy_in":100,
            "rake":{"per_10_000":500,"cap":3,"no_flop_no_drop":true},"on_timeout":"auto"}"#,
        9,
    ),
    (
        r#"{"small_blind":0.5,"big_blind":1,"straddles":[2,4],"min_buy_in":1,"max_buy_in":100,
            "sit_out_after":1,"rake":{"per_10_000":250}}"#,
        5,
    ),
    (r#"{"small_blind":0,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 3),
    (
        r#"{"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100,
            "small_blind_at":"previous_big"}"#,
        6,
    ),
    (r#"{"variants":["NS"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 6),
    (r#"{"variants":["PO"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 6),
    (r#"{"variants":["FT"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 4),
    (r#"{"variants":["FO/8"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 5),
    (
        r#"{"variants":["F7S"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100,"stud_ante":0.1}"#,
        8,
    ),
    (
        r#"{"variants":["F7S/8"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100,"stud_ante":0.1}"#,
        4,
    ),
    (
        r#"{"variants":["FR"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100,"stud_ante":0.1}"#,
        3,
    ),
    (
        r#"{"variants":["N2L1D"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#,
        5,
    ),
    (
        r#"{"variants":["F2L3D"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#,
        7,
    ),
    (r#"{"variants":["FB"],"small_blind":0.5,"big_blind":1,"min_buy_in":1,"max_buy_in":100}"#, 6),
    (
        r#"{"variants":["FT","FO/8","FR","F7S","F7S/8"],"small_blind":0.5,"big_blind":1,"stud_ante":0.2,
            "min_buy_in":5,"max_buy_in":100,"variant_lasts":"hand"}"#,
        6,
    ),
    (
        r#"{"variants":["N2L1D","FR","PO","FB"],"small_blind":0.5,"big_blind":1,"ante":0.1,
            "min_buy_in":5,"max_buy_in":100,"rake":{"per_10_000":500,"no_flop_no_drop":true}}"#,
        4,
    ),
    (
        r#"{"small_blind":0.5,"big_blind":1,"bomb_every":2,"bomb_ante":1,"runs":2,"rabbit":true,
            "min_buy_in":5,"max_buy_in":100,"rake":{"per_10_000":500}}"#,
        5,
    ),
    (
        r#"{"variants":["FO/8","PO"],"small_blind":0.5,"big_blind":1,"runs":3,"rabbit":true,
            "show_some":false,"labels":false,"min_buy_in":1,"max_buy_in":100,"chip":0.5}"#,
        6,
    ),
];

#[test]
fn the_laws_hold_while_people_come_and_go() {
    for (config, seats) in TABLES {
        let scenario = Scenario { config, seats, open_house: true, ..Scenario::default() };
        let inputs = hold_over(&POKER, &scenario, config, count(6, 100));
        println!("{seats} seats, {config}: {inputs} inputs");
        assert!(inputs > 300, "too little was played: {inputs}");
    }
}
