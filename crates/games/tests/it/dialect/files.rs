//! Files of what has happened at a table.

use super::Life;
use super::hand::{TABLES, input};
use parlor_phh::{hands, stars};
use parlor_rules::series::{Own, Told};
use parlor_rules::{Draws, House, Input, Owner, Rules, Seat, Seeded, Series, Viewer};
use parlor_rules_backgammon::{Backgammon, mat};
use parlor_rules_battle::Battle;
use parlor_rules_gomoku::board::{Colour, Point};
use parlor_rules_gomoku::event::Event as Laid;
use parlor_rules_gomoku::{Gomoku, psq, sgf};
use parlor_rules_poker::{Config, Event, Poker, State};
use parlor_testkit::count;
use parlor_wire::dialect::ALL;
use std::collections::BTreeMap;

/// Plays any game to its end, Ann on chair 0 and Bob on chair 1.
fn played<R: Rules>(config: &str, seed: &str) -> (Life, Vec<R::Event>) {
    let mut chance = Seeded::new(seed);
    let mut draws = Draws::new(&mut chance);
    let mut life = Life::new(config, 2);
    life.sits(0, "Ann");
    life.sits(1, "Bob");
    let config: R::Config = serde_json::from_str(config).expect("a config");
    let mut state = R::open(&config, 2).expect("a right config");
    let mut all = Vec::new();
    let mut input = Input::House(House::Begin {});
    loop {
        let events = R::play(&mut state, &input, &mut draws);
        let events = events.unwrap_or_else(|_| panic!("{input:?}"));
        life.add(&events);
        all.extend(events);
        if R::outcome(&state).is_some() {
            // Who gets up has played all the same.
            life.rises(Seat::new(0));
            return (life, all);
        }
        let pending = R::pending(&state);
        input = match pending.asked().first() {
            Some(asked) => {
                let command = R::pick(&R::legal(&state, asked.seat), &mut draws);
                Input::Play { seat: asked.seat, command: command.expect("an answer") }
            }
            None => Input::Expire { seat: Owner::Table },
        };
    }
}

#[test]
fn a_match_of_backgammon_is_read_back() {
    use parlor_rules_backgammon::event::Event;
    for seed in 0..count(10, 200) {
        let (life, events) = played::<Series<Backgammon>>(r#"{"match":3}"#, &format!("mat {seed}"));
        let text = life.file("backgammon", "mat", None);
        assert_eq!(text, life.file("backgammon", "mat", Some("Bob")), "nothing is hidden");
        let record = mat::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(record.names, ["Ann", "Bob"]);
        assert_eq!(record.config.r#match, 3);
        let rolls = |events: &mut dyn Iterator<Item = &Event>| {
            events.filter(|event| matches!(event, Event::Rolled { .. })).count()
        };
        let game = |told: &Told<Event>| match told {
            Told::Game(event) => Some(event.clone()),
            Told::Series(_) => None,
        };
        let mut own: Vec<Vec<Event>> = vec![Vec::new()];
        for told in &events {
            match told {
                Told::Series(Own::NextGame { .. }) => own.push(Vec::new()),
                told => own.last_mut().expect("a game").extend(game(told)),
            }
        }
        assert_eq!(record.games.len(), own.len());
        for (read, played) in record.games.iter().zip(&own) {
            assert_eq!(rolls(&mut read.iter()), rolls(&mut played.iter()));
            let end = |events: &[Event]| {
                events.iter().find_map(|event| match event {
                    Event::Finished { winner, payout, .. } => Some((*winner, *payout)),
                    _ => None,
                })
            };
            assert_eq!(end(read), end(played));
        }
    }
}

#[test]
fn an_unfinished_game_is_told_as_far_as_it_was_played() {
    let (mut life, _) = played::<Series<Backgammon>>("{}", "half");
    let whole = mat::read(&life.file("backgammon", "mat", None)).expect("a match");
    life.happened.truncate(life.happened.len() / 2);
    let half = mat::read(&life.file("backgammon", "mat", None)).expect("a match");
    assert_eq!(half.games.len(), 1);
    assert!(half.games[0].len() < whole.games[0].len());
    life.happened.truncate(2);
    let none = life.file("backgammon", "mat", None);
    assert!(none.contains("Game 1"), "{none}");
}

/// The stones of each game as they were laid.
fn stones(events: &[Told<Laid>]) -> Vec<Vec<Point>> {
    let mut games: Vec<Vec<Point>> = vec![Vec::new()];
    for event in events {
        match *event {
            Told::Series(_) => games.push(Vec::new()),
            Told::Game(Laid::StonePlaced { x, y, .. } | Laid::Moved { x, y, .. }) => {
                games.last_mut().expect("a game").push(Point { x, y });
            }
            Told::Game(Laid::TakenBack { stones, .. }) => {
                let game = games.last_mut().expect("a game");
                game.truncate(game.len() - usize::from(stones));
            }
            Told::Game(_) => {}
        }
    }
    games
}

#[test]
fn games_of_gomoku_are_read_back() {
    for seed in 0..count(10, 200) {
        let seed = format!("sgf {seed}");
        let (life, events) = played::<Series<Gomoku>>(r#"{"mode":"ranked"}"#, &seed);
        let games = stones(&events);
        let text = life.file("gomoku", "sgf", None);
        let starts: Vec<usize> = text.match_indices("(;FF[4]").map(|(at, _)| at).collect();
        assert_eq!(starts.len(), games.len());
        for (start, stones) in starts.iter().zip(&games) {
            let record = sgf::read(&text[*start..]).expect("a game");
            let read: Vec<Point> = record.stones.iter().map(|(_, point)| *point).collect();
            assert_eq!(read, *stones);
            // Whoever plays black, both names are there.
            let mut names = record.names.map(|name| name.unwrap_or_default());
            names.sort();
            assert!(names == ["Ann", "Bob"] || record.result.as_deref() == Some("?"), "{names:?}");
        }
        let (life, events) = played::<Series<Gomoku>>("{}", &seed);
        let record = psq::read(&life.file("gomoku", "psq", None)).expect("a game");
        let read: Vec<Point> = record.stones.iter().map(|(_, point)| *point).collect();
        assert_eq!(read, stones(&events)[0]);
        assert_eq!(record.names.map(Option::unwrap_or_default), ["Ann", "Bob"]);
    }
}

#[test]
fn what_a_format_cannot_tell_is_refused() {
    let psq = |life: &Life| life.pieces("gomoku", "psq", None, ALL).map_err(|no| no.code);
    let life = Life::new("{}", 2);
    assert_eq!(psq(&life), Err("no_record"));
    assert_eq!(life.file("gomoku", "sgf", None), "");
    assert_eq!(life.file("poker", "phhs", None), "");
    // After three stones of an opening black moves again, and this format knows no colours.
    let mut life = Life::new(r#"{"swap2Enabled":true}"#, 2);
    let seat = |seat| Seat::new(seat);
    let place = |x| Told::Game(Laid::StonePlaced { seat: seat(0), x, y: 7, auto: false });
    life.add(&[Told::Game(Laid::Begun { opener: seat(0) }), place(1), place(3), place(5)]);
    let choice = parlor_rules_gomoku::swap2::Choice::White;
    life.add(&[
        Told::Game(Laid::ChoiceMade { seat: seat(1), choice, auto: false }),
        Told::Game(Laid::Moved { seat: seat(0), x: 9, y: 9 }),
    ]);
    assert_eq!(psq(&life), Err("no_record"));
    let record = sgf::read(&life.file("gomoku", "sgf", None)).expect("a game");
    let colours: Vec<Colour> = record.stones.iter().map(|(colour, _)| *colour).collect();
    assert_eq!(colours, [Colour::Black, Colour::White, Colour::Black, Colour::Black]);
}

/// A table of poker at which people come and go, every one under a name of the own.
struct Cards {
    life: Life,
    events: Vec<Event>,
    /// For every viewer of a hand the events with all that is hidden dealt anew.
    others: BTreeMap<Option<String>, Vec<Event>>,
    hands: usize,
}

fn cards(config: &str) -> Cards {
    let parsed: Config = serde_json::from_str(config).expect("a config");
    let (mut chance, mut dice) = (Seeded::new("files"), Seeded::new("said"));
    let (mut draws, mut said) = (Draws::new(&mut chance), Draws::new(&mut dice));
    let mut life = Life::new(config, 6);
    let mut state = Poker::open(&parsed, 6).expect("a right config");
    let mut names: [Option<String>; 6] = Default::default();
    let (mut people, mut hands) = (0, 0);
    let mut events = Vec::new();
    let mut others: BTreeMap<Option<String>, Vec<Event>> = BTreeMap::from([(None, Vec::new())]);
    // Where the hand in play begins.
    let mut from = 0;
    let mut input_now = Input::House(House::Begin {});
    while hands < count(15, 100) as usize {
        let Ok(new) = Poker::decide(&state, &input_now, &mut draws) else {
            input_now = input(&state, &mut said);
            continue;
        };
        life.now_ms += 1_000;
        for event in &new {
            if let Event::Joined { seat, .. } = event {
                people += 1;
                let name = format!("N{people}");
                life.sits(seat.index() as u8, &name);
                others.insert(Some(name.clone()), events[..from].to_vec());
                names[seat.index()] = Some(name);
            }
            let ends = matches!(event, Event::HandBegun(_) | Event::Left { .. });
            if ends && from < events.len() {
                redeal(&parsed, &state, &events, from, &names, &mut others, &mut said);
                from = events.len();
            }
            Poker::apply(&mut state, event);
            life.add(std::slice::from_ref(event));
            events.push(event.clone());
            hands += usize::from(matches!(event, Event::HandEnded { .. }));
            if let Event::Left { seat, .. } = event {
                life.rises(*seat);
                names[seat.index()] = None;
            }
        }
        input_now = input(&state, &mut said);
    }
    redeal(&parsed, &state, &events, from, &names, &mut others, &mut said);
    Cards { life, events, others, hands }
}

/// Tells every viewer another story of the events from here on, in which all that the viewer must
/// not know is something else.
fn redeal(
    config: &Config,
    state: &State,
    events: &[Event],
    from: usize,
    names: &[Option<String>; 6],
    others: &mut BTreeMap<Option<String>, Vec<Event>>,
    draws: &mut Draws<'_>,
) {
    for (name, told) in others {
        let seat = names.iter().position(|other| other.is_some() && other == name);
        let viewer = seat.map_or(Viewer::Watcher, |seat| Viewer::Seat(Seat::new(seat as u8)));
        let other = Poker::resample(state, viewer, draws);
        let doc = serde_json::to_value(Poker::doc(&other)).expect("JSON");
        let mut lines = doc["actions"].as_array().expect("a log").iter();
        let acts = events[from..].iter().filter(|event| matches!(event, Event::Act { .. })).count();
        // Without a hand there is nothing to deal anew, and when the deck has run out, not all that
        // is drawn anew can have been.
        let known = lines.len() == acts && Poker::load(config, doc.clone()).is_ok();
        told.extend(events[from..].iter().cloned().map(|event| match event {
            Event::Act { .. } if known => {
                let line = lines.next().cloned().expect("a line");
                Event::Act { act: serde_json::from_value(line).expect("an action") }
            }
            event => event,
        }));
    }
}

/// The same life with other events.
fn retold(life: &Life, events: &[Event]) -> Life {
    let mut other = life.clone();
    let mut events = events.iter();
    for (_, happened) in &mut other.happened {
        if let parlor_wire::dialect::Happened::Event(event) = happened {
            *event = parlor_rules::json(events.next().expect("as many events"));
        }
    }
    other
}

fn same(one: &str, other: &str) {
    let mut lines = one.lines().zip(other.lines());
    assert!(one == other, "{:?}", lines.find(|(one, other)| one != other));
}

#[test]
fn hands_are_told_as_somebody_has_seen_them() {
    for config in TABLES {
        let Cards { life, events, others, hands: over } = cards(config);
        let mut own = 0;
        for (who, other) in &others {
            let text = life.file("poker", "phhs", who.as_deref());
            let found = hands(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
            assert_eq!(found.len(), over);
            for hand in &found {
                let hand = hand.as_ref().unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
                assert_eq!(hand.check(), Ok(true), "{config}\n{}", hand.to_phh());
            }
            // What others have held is in no file.
            let other = retold(&life, other);
            same(&other.file("poker", "phhs", who.as_deref()), &text);
            let anyone = life.file("poker", "phhs", None);
            let masked = |text: &str| text.matches("??").count();
            own += usize::from(masked(&text) < masked(&anyone));
            let told = life.file("poker", "pokerstars", who.as_deref());
            same(&other.file("poker", "pokerstars", who.as_deref()), &told);
            for hand in stars::read(&told).expect("a text") {
                assert_eq!(hand.expect("a hand").check(), Ok(true));
            }
        }
        assert!(own * 2 > others.len(), "most have held cards that only they have seen");
        let other = retold(&life, &others[&None]);
        assert_ne!(events, others[&None], "something was dealt anew");
        let somebody = others.keys().flatten().find(|name| {
            let file = |life: &Life| life.file("poker", "phhs", Some(name));
            file(&life) != file(&other)
        });
        assert!(somebody.is_some(), "somebody sees what nobody else does");
    }
}

#[test]
fn who_takes_over_a_chair_does_not_see_what_was_held_there() {
    let Cards { life, .. } = cards(TABLES[0]);
    let text = life.file("poker", "phhs", Some("N1"));
    let found = hands(&text).expect("a file");
    let first = found[0].as_ref().expect("a hand");
    assert!(first.to_phh().contains("'N1'"), "{}", first.to_phh());
    assert!(first.to_phh().contains("year = 2025\n") && first.to_phh().contains("table = 't-1'"));
    // Whoever never was in a hand sees what anyone sees.
    let without = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("author = "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let anyone = life.file("poker", "phhs", None);
    assert_eq!(without(&life.file("poker", "phhs", Some("Eve"))), without(&anyone));
}

/// Whoever asks for units one by one gets the whole, and each is there as soon as it is complete:
/// the most that is appended at once is one unit. How many units there are.
fn in_units(life: &Life, game: &str, name: &str, who: Option<&str>, between: &str) -> usize {
    let pieces = |units| life.pieces(game, name, who, units).expect("a file");
    let whole = pieces(ALL);
    let text = whole.concat();
    // Every part of a match has its head.
    let head = if name == "mat" { &text[..text.find("\n Game 1\n").expect("a game")] } else { "" };
    let body = |text: &str| text.strip_prefix(head).expect("a head").to_owned();
    let part = |units| body(&life.part(game, name, who, units));
    let one = |unit: u32| life.part(game, name, who, unit..unit + 1);
    let units: Vec<String> = (0..).map(one).take_while(|unit| !unit.is_empty()).collect();
    let units: Vec<String> = units.iter().map(|unit| body(unit)).collect();
    same(&units.join(between), &body(&text));
    let longest = units.iter().map(String::len).max().unwrap_or_default();
    let most = head.len() + longest + between.len();
    assert!(whole.iter().all(|piece| piece.len() <= most), "{game} {name}");
    let count = units.len();
    let mut read = 0;
    for at in (1..count).step_by(1 + count / 8) {
        let end = at as u32;
        same(&[part(0..end), part(end..u32::MAX)].join(between), &body(&text));
        // What comes behind the part is not read.
        let took = pieces(0..end).len();
        assert!(read < took && took <= whole.len(), "{game} {name}: {took} of {}", whole.len());
        read = took;
    }
    for none in [0..0, count as u32..u32::MAX] {
        assert_eq!(life.part(game, name, who, none), "", "{game} {name}");
    }
    count
}

#[test]
fn files_are_written_unit_by_unit() {
    let (mut games, mut rounds) = (0, 0);
    for seed in 0..count(5, 100) {
        let seed = format!("units {seed}");
        let (mut life, _) = played::<Series<Backgammon>>(r#"{"match":5}"#, &seed);
        games += in_units(&life, "backgammon", "mat", None, "");
        life.happened.truncate(life.happened.len() / 2);
        in_units(&life, "backgammon", "mat", None, "");
        let (mut life, _) = played::<Series<Gomoku>>(r#"{"mode":"ranked"}"#, &seed);
        games += in_units(&life, "gomoku", "sgf", None, "");
        life.happened.truncate(life.happened.len() / 2);
        in_units(&life, "gomoku", "sgf", None, "");
        let (life, _) = played::<Battle>("{}", &seed);
        for who in [None, Some("Ann"), Some("Bob")] {
            rounds += in_units(&life, "battle", "jsonl", who, "");
        }
    }
    assert!(games >= 20 && rounds >= 20, "{games} games, {rounds} rounds");
    for config in TABLES {
        let Cards { life, hands, .. } = cards(config);
        for who in [None, Some("N1"), Some("N2")] {
            assert_eq!(in_units(&life, "poker", "phhs", who, "\n"), hands);
            assert_eq!(in_units(&life, "poker", "pokerstars", who, "\n\n\n"), hands);
        }
    }
}

#[test]
fn the_last_game_of_a_part_is_the_one_that_is_written() {
    let (life, events) = played::<Series<Gomoku>>(r#"{"mode":"ranked"}"#, "parts");
    for (at, stones) in (0..).zip(stones(&events)) {
        let sgf = sgf::read(&life.part("gomoku", "sgf", None, at..at + 1)).expect("a game");
        assert_eq!(sgf.stones.iter().map(|(_, point)| *point).collect::<Vec<_>>(), stones);
        let Ok(psq) = life.pieces("gomoku", "psq", None, 0..at + 1) else { continue };
        assert_eq!(psq::read(&psq.concat()).expect("a game").stones, sgf.stones);
    }
}
