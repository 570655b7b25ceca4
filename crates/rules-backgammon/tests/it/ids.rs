use crate::oracle::Random;
use crate::support::{mutations, proof};
use parlor_rules::{Draws, Input, Owner, Rules, Seat, Seeded, Series};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::match_id::{self, Game, MatchId};
use parlor_rules_backgammon::situation::series;
use parlor_rules_backgammon::state::{Config, Phase, State};
use parlor_rules_backgammon::xgid::{self, Xgid};
use serde_json::json;

type Match = Series<Backgammon>;

/// The same situation in both forms. The IDs on the right are those GNU Backgammon 1.07.001 showed;
/// it makes them of the XGIDs itself where the turn is 1 and the dice are not a letter. It does not
/// read the letters, and calls whoever is on roll player 1.
const BOTH: [(&str, &str); 20] = [
    ("-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", "4HPwATDgc/ABMA:cAkAAAAAAAAE"),
    ("-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:0:10", "4HPwATDgc/ABMA:cAkAAAAAAAAA"),
    ("-b----E-C---eE---c-e----B-:1:1:1:63:2:3:0:7:10", "4HPwATDgc/ABMA:UQnvADAAEAAE"),
    ("-b----E-C---eE---c-e----B-:1:-1:1:00:2:3:0:7:10", "4HPwATDgc/ABMA:QQngADAAEAAE"),
    ("-b----E-C---eE---c-e----B-:1:1:-1:00:2:3:0:7:10", "4HPwATDgc/ABMA:EQHgADAAEAAE"),
    ("-b----E-C---eE---c-e----B-:0:0:1:31:6:3:1:7:10", "4HPwATDgc/ABMA:8InlADAAMAAE"),
    ("-b----E-C---eE---c-e----B-:0:0:1:31:6:3:0:7:10", "4HPwATDgc/ABMA:cInlADAAMAAE"),
    ("-b----E-C---eE---c-e---AA-:0:0:1:00:2:3:0:7:10", "4HPwATDgc/ABKA:cAngADAAEAAE"),
    ("-b----E-C---eE---c-e---AA-:0:0:1:D:2:3:0:7:10", "4HPwATDgc/ABKA:cBHgADAAEAAE"),
    ("-b----E-C---eE---c-e---AA-:1:1:1:D:2:3:0:11:10", "4HPwATDgc/ABKA:URFgATAAEAAE"),
    ("-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10", "4HPwATDgc/ABMA:cBEAAAAAAAAE"),
    ("-b----E-C---eE---c-e----B-:0:0:1:B:0:0:2:0:10", "4HPwATDgc/ABMA:QRkAAAAAAAAE"),
    ("-A----------------------o-:1:-1:1:21:2:3:0:7:10", "/38AAAABAAAAAA:QQnlADAAEAAE"),
    ("-A----------------------o-:0:0:1:21:0:0:1:0:10", "/38AAAABAAAAAA:cAkFAAAAAAAA"),
    ("-b----E-C---eE---c-e----B-:2:-1:1:00:3:2:0:17:10", "4HPwATDgc/ABMA:QgkgAiAAGAAE"),
    ("-B-BCAbA-A-aaB---abc-baAbB:2:-1:1:54:0:0:0:0:10", "09yCggGzS8IAZA:QokSAAAAAAAE"),
    ("-EA--B---b-AA-A-a--AA-ciAA:2:-1:1:55:0:0:0:7:10", "/jsQMABfDJSgUA:Qon2AAAAAAAE"),
    ("-A-AaAD---aAaDa--baeaB-aaA:0:0:1:62:4:0:1:5:10", "RV8jCQRJD/IAQw:8AmrAAAAIAAE"),
    ("-BbA--CABa--aC-Aa-ad--bcAA:1:1:1:11:0:0:0:7:10", "bryECBgT1+AEUA:UYnkAAAAAAAE"),
    ("-cHC-bB----b-a---aabaA-Ab-:0:0:1:00:2:6:1:7:10", "QytkYDj+HQMAEg:8AngAGAAEAAE"),
];

#[test]
fn both_forms_tell_the_same_situations() {
    for (xgid, gnubg) in BOTH {
        let xgid = format!("XGID={xgid}");
        let state = xgid::read(&xgid).unwrap_or_else(|error| panic!("{xgid}: {error}"));
        assert_eq!(match_id::write(&state).as_deref(), Ok(gnubg), "{xgid}");
        let again = match_id::read(gnubg).unwrap_or_else(|error| panic!("{gnubg}: {error}"));
        assert_eq!(again, state, "{gnubg}");
        assert_eq!(xgid::write(&state), Ok(xgid.clone()));
    }
}

#[test]
fn what_only_match_ids_tell() {
    let state = match_id::read("4HPwATDgc/ABKA:cKHqADAAEAAE").unwrap();
    let offer = state.resignation.unwrap();
    assert_eq!((offer.seat, u8::from(offer.value)), (Seat::new(1), 1));
    assert_eq!(state.phase, Phase::rolled([5, 2]));
    assert!(xgid::write(&state).is_err());
    let state = match_id::read("4HPwASjgc/ABMA:AmlgATAAEAAE").unwrap();
    let offer = state.resignation.unwrap();
    assert_eq!((offer.seat, u8::from(offer.value), state.up), (Seat::new(0), 3, Seat::new(0)));
    assert_eq!((state.stakes.get(), state.holder), (4, Some(Seat::new(0))));

    // Finished games: score before, winner, payout.
    for (text, score, winner, payout) in [
        ("4HPwATDgc/ABMA:cATgADAAGAAE", [3, 2], 1, 1),
        ("4HPwATDgc/ABMA:cEPqAFAAEAAE", [3, 2], 0, 2),
        ("AAAAAgAAAAAAAA:AQLgADAAIAAE", [3, 2], 1, 2),
        ("AAAA/v8AAAAAAA:gQLgADAAMAAE", [3, 2], 1, 4),
        ("AAAA/v8AAAAAAA:MAIAAAAACAAA", [0, 0], 1, 1),
    ] {
        let state = match_id::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let Phase::Over(end) = state.phase else { panic!("{text}") };
        assert_eq!((end.winner, end.payout), (Some(Seat::new(winner)), payout), "{text}");
        assert_eq!(state.standing.score[..], score, "{text}");
        let again = match_id::write(&state).unwrap();
        // Of a resigned game the dice are not kept.
        let kept = if text.contains("cEPq") { "4HPwATDgc/ABMA:cEPgAFAAEAAE" } else { text };
        assert_eq!(again, kept);
        assert!(xgid::write(&state).is_err());
    }
    let fresh = Backgammon::open(&Config::default(), 2).unwrap();
    assert_eq!(MatchId::of(&fresh).unwrap().game, Game::None);
    assert_eq!(match_id::read(&match_id::write(&fresh).unwrap()), Ok(fresh));
}

#[test]
fn options_of_money_play_are_kept_by_xgids() {
    let opening = "XGID=-b----E-C---eE---c-e----B-";
    let config = |rest: &str| xgid::read(&format!("{opening}{rest}")).unwrap().config;
    let plain = config(":0:0:1:00:0:0:0:0:10");
    assert_eq!(plain, Config::default());
    let jacoby = Config { jacoby: true, ..plain.clone() };
    assert_eq!(config(":0:0:1:00:0:0:1:0:10"), jacoby);
    assert_eq!(config(":0:0:1:00:0:0:2:0:10"), Config { beavers: true, ..plain.clone() });
    assert_eq!(config(":0:0:1:00:0:0:3:0:10"), Config { beavers: true, ..jacoby });
    assert_eq!(config(":0:0:1:00:0:0:0:0:0"), Config { cube: false, ..plain });
}

#[test]
fn the_score_of_a_session_for_money_is_left_out() {
    let state = xgid::read("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:4:3:0:0:10").unwrap();
    assert_eq!(state.standing.score[..], [0, 0]);
    let mut id = MatchId::of(&state).unwrap();
    id.score = [3, 4];
    assert_eq!(id.state(state.seen_by(state.up)), Ok(state));
}

/// The state with uncommitted steps taken back, and without what no ID tells.
fn plain(state: &State) -> State {
    let mut plain = state.clone();
    while let Phase::Moving { played, .. } = &plain.phase {
        if played.is_empty() {
            break;
        }
        let seat = plain.up;
        plain.apply(&parlor_rules_backgammon::event::Event::Undone { seat });
    }
    if let Phase::Moving { thrown: [a, b], .. } = plain.phase {
        plain.phase = Phase::rolled([a.max(b), a.min(b)]);
    }
    // The games before are told by their score alone.
    plain.standing.games = plain.standing.score.iter().filter(|points| **points > 0).count() as u32;
    plain.config.automatic_doubles = 0;
    plain
}

#[test]
fn every_situation_of_random_matches_comes_back() {
    let configs = [
        Config::default(),
        Config { r#match: 5, ..Config::default() },
        Config { jacoby: true, beavers: true, automatic_doubles: 1, ..Config::default() },
    ];
    let (mut finished, mut doubled, mut resigned, mut crawford) = (0, 0, 0, 0);
    for game in 0..if proof() { 400 } else { 60 } {
        let config = &configs[game % configs.len()];
        let mut chance = Seeded::new(&format!("ids {game}"));
        let mut draws = Draws::new(&mut chance);
        let mut state = Match::begin(config, 2, &mut draws).unwrap();
        loop {
            let now = state.game();
            finished += usize::from(matches!(now.phase, Phase::Over(_)));
            doubled += usize::from(matches!(now.phase, Phase::Doubled { .. }));
            resigned += usize::from(now.resignation.is_some());
            crawford += usize::from(now.crawford);
            check(now);
            let asked = Match::pending(&state).asked().first().map(|asked| asked.seat);
            let input = match asked {
                Some(seat) => {
                    let command = Match::pick(&Match::legal(&state, seat), &mut draws).unwrap();
                    Input::Play { seat, command }
                }
                None if Match::outcome(&state).is_some() => break,
                None => Input::Expire { seat: Owner::Table },
            };
            Match::play(&mut state, &input, &mut draws).unwrap();
        }
    }
    let seen = [finished, doubled, resigned, crawford];
    assert!(seen.iter().all(|times| *times > 20), "{seen:?}");
}

fn check(state: &State) {
    let mut expected = plain(state);
    if expected.resignation.is_none() && !matches!(expected.phase, Phase::Over(_)) {
        let text = xgid::write(state).unwrap();
        assert_eq!(xgid::read(&text).as_ref(), Ok(&expected), "{text}");
        assert_eq!(Xgid::decode(&text).unwrap().encode(), text);
    }
    let text = match_id::write(state).unwrap();
    let read = match_id::read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(match_id::write(&read).as_ref(), Ok(&text));
    // Who was up when a game ended is not told, nor whether beavers were allowed.
    if matches!(expected.phase, Phase::Over(_)) {
        expected.up = read.up;
    }
    expected.config.beavers = read.config.beavers;
    assert_eq!(read, expected, "{text}");
    // A document of it is one a table can be opened from.
    let document = serde_json::to_value(Match::doc(&series(&read).unwrap())).unwrap();
    assert_eq!(Match::load(&Config::default(), document).unwrap().game(), &read);
}

#[test]
fn the_document_of_a_situation() {
    let state = xgid::read("XGID=-b----E-C---eE---c-e---AA-:1:1:1:63:2:3:0:7:10").unwrap();
    let document = serde_json::to_value(Match::doc(&series(&state).unwrap())).unwrap();
    assert_eq!(document["up"], json!(1));
    assert_eq!(document["holdsCube"], json!(1));
    assert_eq!(document["dice"], json!([6, 3]));
    // Point n of the player at the bottom is point n - 1 of the document.
    assert_eq!(document["points"][0], json!([2, 0]));
    assert_eq!(document["points"][5], json!([0, 5]));
    assert_eq!(document["points"][22], json!([0, 1]));
    assert_eq!(document["match"]["score"], json!([3, 2]));
    assert_eq!(document["match"]["config"]["match"], json!(7));
}

#[test]
fn match_ids_hold_what_they_say() {
    let mut random = Random::new(21);
    for _ in 0..if proof() { 100_000 } else { 2000 } {
        let seat = |n: u32| Seat::new(n as u8);
        let id = MatchId {
            cube_log2: random.below(16) as u8,
            owner: [None, Some(seat(0)), Some(seat(1))][random.below(3) as usize],
            on_roll: seat(random.below(2)),
            crawford: random.below(2) == 1,
            game: [Game::None, Game::Playing, Game::Over, Game::Resigned, Game::Dropped]
                [random.below(5) as usize],
            turn: seat(random.below(2)),
            doubled: random.below(2) == 1,
            resigned: (random.below(4) as u8).try_into().ok(),
            dice: (random.below(2) == 1)
                .then(|| [1 + random.below(6) as u8, 1 + random.below(6) as u8]),
            length: random.below(1 << 15) as u16,
            score: [random.below(1 << 15) as u16, random.below(1 << 15) as u16],
            jacoby: random.below(2) == 1,
        };
        let text = id.encode();
        assert_eq!(text.len(), 12);
        assert_eq!(MatchId::decode(&text), Ok(id.clone()));
        // Nonsense may be told, but is no state.
        let _ = id.state(random.board());
    }
}

#[test]
fn rubbish_is_no_situation() {
    let message = |text: &str| match_id::read(text).unwrap_err().to_string();
    assert_eq!(message("4HPwATDgc/ABMA"), "a position id, a colon and a match id are needed");
    assert_eq!(message("4HPwATDgc/ABMA:"), "a match id has 12 characters, not 0");
    assert_eq!(message("4HPwATDgc/ABMA:cAkAAAAAAAA="), "'=' cannot be part of a match id");
    assert_eq!(message("4HPwATDgc/ABMA:cAkAAAAAAAAI"), "the match id holds more than a match");
    assert_eq!(
        message("4HPwATDgc/ABMA:YAkAAAAAAAAE"),
        "the match id holds an owner of the cube that is neither of the players"
    );
    assert_eq!(message("4HPwATDgc/ABMA:cA8AAAAAAAAE"), "the match id holds no state of a game");
    assert_eq!(message("4HPwATDgc/ABMA:dwkAAAAAAAAE"), "the cube is above 64");
    assert_eq!(message("4HPwATDgc/ABMA:cIkAAAAAAAAE"), "the match id holds dice that do not exist");
    assert_eq!(
        message("4HPwATDgc/ABMA:cAEAAAAAAAAE"),
        "the player not on roll has to decide, but there is nothing to decide"
    );
    assert_eq!(
        message("4HPwATDgc/ABMA:cAIAAAAAAAAE"),
        "the game is said to be over, but nobody has borne off"
    );

    let opening = "-b----E-C---eE---c-e----B-";
    let message = |text: &str| xgid::read(text).unwrap_err().to_string();
    assert_eq!(message(""), "an xgid has 10 fields with colons between, not 1");
    assert_eq!(
        message(&format!("{opening}:0:0:1:00:0:0:0:0")),
        "an xgid has 10 fields with colons between, not 9"
    );
    for (rest, text) in [
        ("7:0:1:00:0:0:0:0:10", "the cube is above 64"),
        ("31:0:1:00:0:0:0:0:10", "\"31\" is no logarithm of a cube"),
        ("-1:0:1:00:0:0:0:0:10", "\"-1\" is no logarithm of a cube"),
        ("0:2:1:00:0:0:0:0:10", "\"2\" is no owner: 1, 0 or -1"),
        ("0:0:0:00:0:0:0:0:10", "\"0\" is no turn: 1 or -1"),
        ("0:0:1:70:0:0:0:0:10", "\"70\" is no roll: 00, two dice, D or B"),
        ("0:0:1:R:0:0:0:0:10", "there are no raccoons here"),
        ("0:0:1:00:+1:0:0:0:10", "\"+1\" is no score"),
        ("0:0:1:00:0:0:4:0:10", "there are no rules with the number 4"),
        ("0:0:1:00:0:0:2:7:10", "there are no rules with the number 2"),
        ("0:0:1:00:7:0:0:7:10", "a player already has the points of the match"),
        ("0:0:1:00:0:0:0:99999:10", "match.config: match is for 0 to 32767 points"),
        (
            "1:-1:1:D:0:0:0:0:10",
            "holdsCube: the doubled player held the cube, so nobody could double",
        ),
        ("1:-1:1:B:0:0:2:0:10", "the owner of the cube was doubled"),
        ("0:0:1:B:0:0:0:7:10", "match.config: beavers are for money play, not for a match"),
    ] {
        let id = format!("XGID={opening}:{rest}");
        assert_eq!(message(&id), text, "{id}");
    }
    for (men, text) in [
        ("-b----E-C---eE---c-e----B", "an xgid has 26 places, not 25"),
        ("-b----E-C---eE---c-e----C-", "the player at the bottom has 16 men, not 15"),
        ("-o----E-C---eE---c-e----B-", "the player at the top has 28 men, not 15"),
        ("Ab----E-C---eE---c-e----B-", "'A' cannot stand at place 0"),
        ("-b----E-C---eE---c-e----Ba", "'a' cannot stand at place 25"),
        ("-b----P-C---eE---c-e----B-", "'P' cannot stand at place 6"),
        ("-b----é-C---eE---c-e----B-", "'é' cannot stand at place 6"),
        ("--------------------------", "both sides have borne off all men"),
    ] {
        assert_eq!(message(&format!("{men}:0:0:1:00:0:0:0:0:10")), text);
    }
}

#[test]
fn broken_texts_never_panic() {
    for (xgid, gnubg) in BOTH {
        for broken in mutations(&format!("XGID={xgid}")) {
            let _ = xgid::read(&broken);
        }
        for broken in mutations(gnubg) {
            let _ = match_id::read(&broken);
        }
    }
}
