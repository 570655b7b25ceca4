//! The options under which games are tried.

/// Options under which a game is tried, and how many games in a proof.
pub(crate) fn configs(key: &str) -> &'static [(&'static str, u32)] {
    match key {
        "backgammon" => &[
            ("{}", 10_000),
            (r#"{"cube":false}"#, 10_000),
            (r#"{"match":3}"#, 2_000),
            (r#"{"match":5,"crawford":false,"opening":1}"#, 1_000),
            (r#"{"beavers":true,"jacoby":true,"automatic_doubles":2,"opening":0}"#, 2_000),
            (r#"{"chips_a_point":0.25,"most_points":2,"automatic_doubles":2}"#, 2_000),
            (r#"{"chips_a_point":10,"match":3}"#, 1_000),
        ],
        "battle" => &[
            ("{}", 10_000),
            (r#"{"show_confirmed":true,"hp":3,"sudden_death_cap":2}"#, 5_000),
            (r#"{"early_finalize":false,"stake":0.25,"rounds":1,"sudden_death_cap":0}"#, 5_000),
            (r#"{"hp":2,"max_hp":5,"both_down":"sudden_death","stake":0}"#, 5_000),
            (
                r#"{"hands":[["attack","attack","heal","counter"],["defense","heal","heal","heal"]]}"#,
                5_000,
            ),
        ],
        "gomoku" => &[
            ("{}", 2_000),
            (r#"{"mode":"ranked"}"#, 300),
            (r#"{"swap2Enabled":true,"rule":"freestyle","first_mover":"white"}"#, 1_000),
            (r#"{"swap2Enabled":true,"rule":"renju","timeout_policy":"random","match":2}"#, 200),
            (r#"{"rule":"renju","clock":"none","players":["ada","bob"]}"#, 500),
            (r#"{"chips_a_point":0.0001,"most_points":1}"#, 500),
            (r#"{"mode":"ranked","chips_a_point":5}"#, 200),
            (
                r#"{"rule":"caro_overline","board_size":19,"opener":"fixed","first_opener":1,
                "swap2Enabled":true,"timeout_policy":"forfeit","match":1}"#,
                300,
            ),
            (r#"{"rule":"caro","board_size":20,"swap2Enabled":true}"#, 300),
        ],
        _ => &[("{}", 10_000)],
    }
}
