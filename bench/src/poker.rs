//! Poker: hands parsed and replayed, hands through the door, hands ranked.
//!
//! `PARLOR_PHH_DATA` may name a folder of hands that were really played; without it hands are made
//! up, of six players who mostly fold.

use crate::random::Random;
use crate::timing::{Contender, compare};
use parlor_phh::{History, hands};
use parlor_rules::draws::DrawFault;
use parlor_rules::{Chips, Draws, House, Input, Owner, Rules, Seat, Source};
use parlor_rules_poker::card::{Card, CardSet};
use parlor_rules_poker::equity::Question;
use parlor_rules_poker::quick::{Score, Sum, Table, table};
use parlor_rules_poker::rank::{Category, high};
use parlor_rules_poker::{Command, Config, Poker, State};
use pokers::{CARDS, Hand};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::ops::Add;
use std::path::Path;

const ROUNDS: usize = 7;
const HANDS: u64 = 20_000;

impl Source for &mut Random {
    fn below(&mut self, n: u32) -> Result<u32, DrawFault> {
        Ok(Random::below(self, n))
    }
}

pub(crate) fn run() {
    let (texts, what) = match std::env::var("PARLOR_PHH_DATA") {
        Ok(folder) => (real(Path::new(&folder)), "played"),
        Err(_) => (made_up(1_000), "made up"),
    };
    let read: Vec<History<'_>> = texts.iter().map(|text| one(text)).collect();
    let count = texts.len();
    println!(" {count} hands in PHH that were {what}, one thread");
    compare(
        ROUNDS,
        "hands",
        vec![
            Contender {
                name: "both",
                work: Box::new(|| {
                    for text in &texts {
                        black_box(one(black_box(text)).replay()).expect("a right hand");
                    }
                    count as u64
                }),
            },
            Contender {
                name: "replay",
                work: Box::new(|| {
                    for _ in 0..20 {
                        for history in &read {
                            black_box(black_box(history).replay()).expect("a right hand");
                        }
                    }
                    20 * count as u64
                }),
            },
        ],
    );
    peer(&texts);
    println!(" random hands of six through decide and apply, one thread");
    let mut random = Random(60);
    compare(
        ROUNDS,
        "hands",
        vec![Contender { name: "door", work: Box::new(|| door(&mut random, HANDS)) }],
    );
    ranked();
    shares();
}

/// The same hands read and replayed by PokerKit, where `PARLOR_PYTHON` names a Python that has it.
fn peer(texts: &[String]) {
    let Ok(python) = std::env::var("PARLOR_PYTHON") else { return };
    let folder = crate::journal::folder();
    for (i, text) in texts.iter().take(200).enumerate() {
        std::fs::write(folder.join(format!("{i}.phh")), text).expect("written");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/pokerkit_peer.py");
    let run = std::process::Command::new(python).arg(script).arg(&folder).output();
    std::fs::remove_dir_all(&folder).expect("it was ours");
    match run {
        Ok(out) if out.status.success() => {
            let rate = String::from_utf8_lossy(&out.stdout);
            println!("  PokerKit, both: {} hands a CPU-second", rate.trim());
        }
        _ => println!("  PokerKit is not there"),
    }
}

fn one(text: &str) -> History<'_> {
    let mut all = hands(text).expect("a right file");
    all.remove(0).expect("a right hand")
}

fn real(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of hands") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "phh") {
                texts.push(std::fs::read_to_string(path).expect("readable"));
            }
        }
    }
    texts.retain(|text| text.contains("variant = 'NT'"));
    texts
}

/// A table of six with chips enough for a while.
fn table_of_six(random: &mut Random) -> State {
    let config = Config { min_buy_in: Chips::whole(100), ..Config::default() };
    let mut source = &mut *random;
    let mut draws = Draws::new(&mut source);
    let mut state = Poker::begin(&config, 6, &mut draws).expect("a right config");
    for seat in Seat::all(6) {
        let joined = House::Joined { seat, chips: Chips::whole(200) };
        Poker::play(&mut state, &Input::House(joined), &mut draws).expect("a free seat");
    }
    state
}

/// What a player does who folds mostly, and raises now and then.
fn decision(state: &State, seat: Seat, random: &mut Random) -> Command {
    let legal = Poker::legal(state, seat);
    match (random.below(10), legal.raise) {
        (0, Some(raise)) => Command::Raise { to: raise.least },
        (1, Some(raise)) if random.below(10) == 0 => Command::Raise { to: raise.most },
        (2..=4, _) | (_, None) if legal.call.is_some() => Command::Call {},
        _ if legal.check => Command::Check {},
        _ => Command::Fold {},
    }
}

/// Plays hands; those who are out of chips are given new ones.
fn door(random: &mut Random, hands: u64) -> u64 {
    let mut state = table_of_six(random);
    let mut played = 0;
    while played < hands {
        let pending = Poker::pending(&state);
        let input = match pending.asked().first() {
            Some(asked) => {
                let command = decision(&state, asked.seat, random);
                Input::Play { seat: asked.seat, command }
            }
            None if pending.deadline().is_some() => {
                played += 1;
                Input::Expire { seat: Owner::Table }
            }
            None => {
                state = table_of_six(random);
                continue;
            }
        };
        let mut source = &mut *random;
        Poker::play(&mut state, &input, &mut Draws::new(&mut source)).expect("a legal input");
        if played % 50 == 0 && pending.deadline().is_some() {
            state = table_of_six(random);
        }
    }
    played
}

/// Hands of our own as PHH.
fn made_up(count: usize) -> Vec<String> {
    let mut random = Random(7);
    let mut texts = Vec::new();
    while texts.len() < count {
        let mut state = table_of_six(&mut random);
        let mut source = &mut random;
        let next = Input::Expire { seat: Owner::Table };
        Poker::play(&mut state, &next, &mut Draws::new(&mut source)).expect("a hand begins");
        while let Some(asked) = Poker::pending(&state).asked().first() {
            let command = decision(&state, asked.seat, &mut random);
            let input = Input::Play { seat: asked.seat, command };
            let mut source = &mut random;
            Poker::play(&mut state, &input, &mut Draws::new(&mut source)).expect("legal");
        }
        let doc = serde_json::to_value(Poker::doc(&state)).expect("a document");
        let mut text = String::from("variant = 'NT'\nante_trimming_status = true\n");
        // The small blind is the first column of a file: turn the row so that it is.
        let blinds = doc["blindsOrStraddles"].as_array().expect("a list");
        let turn = blinds.iter().position(|blind| *blind == 1).expect("a small blind");
        for (key, name) in [
            ("antes", "antes"),
            ("blindsOrStraddles", "blinds_or_straddles"),
            ("startingStacks", "starting_stacks"),
            ("finishingStacks", "finishing_stacks"),
        ] {
            let mut list = doc[key].as_array().expect("a list").clone();
            list.rotate_left(turn);
            let list: Vec<String> = list.iter().map(|amount| amount.to_string()).collect();
            writeln!(text, "{name} = [{}]", list.join(", ")).expect("a text");
        }
        let turned = |action: &serde_json::Value| {
            let words = action.as_str().expect("a text").split(' ').map(|word| {
                match word.strip_prefix('p').and_then(|number| number.parse::<usize>().ok()) {
                    Some(number) => format!("p{}", (number - 1 + 6 - turn) % 6 + 1),
                    None => word.to_owned(),
                }
            });
            format!("'{}'", words.collect::<Vec<_>>().join(" "))
        };
        let actions = doc["actions"].as_array().expect("a list").iter().map(turned);
        let actions = actions.collect::<Vec<_>>().join(", ");
        writeln!(text, "min_bet = 2\nactions = [{actions}]").expect("a text");
        texts.push(text);
    }
    texts
}

/// Hands ranked by table, beside the crate `pokers`.
fn ranked() {
    println!(" all {ALL_OF_SEVEN} hands of seven in order, one thread");
    compare(
        3,
        "hands",
        vec![
            Contender { name: "quick", work: Box::new(all_of_seven_quickly) },
            Contender { name: "pokers", work: Box::new(all_of_seven_by_pokers) },
            Contender { name: "words", work: Box::new(all_of_seven_in_words) },
        ],
    );
    for (category, hands) in totals() {
        println!("  {hands:>11}  {category}");
    }
    let mut random = Random(52);
    let hands: Vec<[Card; 7]> = (0..1_000_000).map(|_| seven(&mut random)).collect();
    let numbers: Vec<[u8; 7]> = hands.iter().map(|hand| hand.map(Card::number)).collect();
    println!(" random hands of seven, each as seven numbers of cards, one thread");
    let table = table();
    let count = 10 * hands.len() as u64;
    compare(
        ROUNDS,
        "hands",
        vec![
            Contender {
                name: "quick",
                work: Box::new(|| {
                    for _ in 0..10 {
                        let scores = black_box(&hands).iter().map(|hand| table.cards(hand));
                        black_box(scores.map(|score| u64::from(score.number())).sum::<u64>());
                    }
                    count
                }),
            },
            Contender {
                name: "pokers",
                work: Box::new(|| {
                    let hand = |hand: &[u8; 7]| {
                        let cards = hand.iter().map(|card| CARDS[usize::from(*card)]);
                        cards.fold(Hand::default(), |hand, card| hand + card)
                    };
                    for _ in 0..10 {
                        let scores = black_box(&numbers).iter().map(hand);
                        black_box(scores.map(|hand| u64::from(hand.evaluate())).sum::<u64>());
                    }
                    count
                }),
            },
        ],
    );
}

/// How many of all hands of seven are of each category, the lowest first.
fn totals() -> BTreeMap<Category, u64> {
    let counts = RefCell::new(vec![0; Score::COUNT as usize]);
    let cards: Vec<Sum> = Card::all().map(Sum::from).collect();
    all_of_seven(Sum::NONE, &cards, |five, pairs| {
        let mut counts = counts.borrow_mut();
        for pair in pairs {
            counts[table().seven(five + *pair).number() as usize] += 1;
        }
        0
    });
    let mut totals = BTreeMap::new();
    let scores = (0..Score::COUNT).filter_map(Score::from_number);
    for (score, count) in scores.zip(counts.into_inner()) {
        *totals.entry(table().strength(score).category()).or_default() += count;
    }
    totals
}

/// What hands win, by every deal and by random ones.
fn shares() {
    println!(" equity, one thread");
    let questions: [(&str, &str, [&str; 2], Option<u64>); 3] = [
        ("every", "NT", ["AA", "KK"], None),
        ("random", "NT", ["QQ+,AJs+", "random"], Some(2_000_000)),
        ("Omaha", "PO", ["AsAdKsKd", "JhTh9c8c"], None),
    ];
    for (name, variant, ranges, samples) in questions {
        let question = Question::read(variant, &ranges, "", "").expect("a question");
        let work = match samples {
            Some(samples) => question.sampled(samples, "bench"),
            None => question.exact(),
        };
        let work = Box::new(|| work.run().expect("a deal").cases);
        compare(3, "deals", vec![Contender { name, work }]);
    }
}

/// Seven cards of a deck.
fn seven(random: &mut Random) -> [Card; 7] {
    let mut taken = CardSet::default();
    std::array::from_fn(|_| {
        loop {
            let card = Card::from_number(random.below(52) as u8).expect("a card");
            if taken.insert(card) {
                return card;
            }
        }
    })
}

const ALL_OF_SEVEN: u64 = 133_784_560;

/// Goes through all hands of seven by their five highest cards and then by pairs below them, for
/// anything that adds cards up.
fn all_of_seven<T>(none: T, cards: &[T], scores: impl Fn(T, &[T]) -> u64) -> u64
where
    T: Copy + Add<Output = T>,
{
    let mut pairs = Vec::new();
    for (f, first) in cards.iter().enumerate() {
        pairs.extend(cards[..f].iter().map(|second| *first + *second));
    }
    let (mut count, mut sum) = (0, 0);
    for (a, first) in cards.iter().enumerate() {
        let one = none + *first;
        for (b, second) in cards[..a].iter().enumerate() {
            let two = one + *second;
            for (c, third) in cards[..b].iter().enumerate() {
                let three = two + *third;
                for (d, fourth) in cards[..c].iter().enumerate() {
                    let four = three + *fourth;
                    for (e, fifth) in cards[..d].iter().enumerate() {
                        let below = &pairs[..e * e.saturating_sub(1) / 2];
                        sum += scores(four + *fifth, below);
                        count += below.len() as u64;
                    }
                }
            }
        }
    }
    black_box(sum);
    assert_eq!(count, ALL_OF_SEVEN);
    count
}

fn all_of_seven_quickly() -> u64 {
    #[inline(never)]
    fn scores(table: &Table, five: Sum, pairs: &[Sum]) -> u64 {
        pairs.iter().map(|pair| u64::from(table.seven(five + *pair).number())).sum()
    }
    let cards: Vec<Sum> = Card::all().map(Sum::from).collect();
    all_of_seven(Sum::NONE, &cards, |five, pairs| scores(table(), five, pairs))
}

fn all_of_seven_by_pokers() -> u64 {
    #[inline(never)]
    fn scores(five: Hand, pairs: &[Hand]) -> u64 {
        pairs.iter().map(|pair| u64::from((five + *pair).evaluate())).sum()
    }
    all_of_seven(Hand::default(), &CARDS, scores)
}

fn all_of_seven_in_words() -> u64 {
    let sets: Vec<CardSet> = Card::all().map(|card| CardSet::from_iter([card])).collect();
    let mut count = 0;
    let mut sum = 0u64;
    for a in 0..52 {
        for b in 0..a {
            for c in 0..b {
                let three = sets[a].union(sets[b]).union(sets[c]);
                for d in 0..c {
                    let four = three.union(sets[d]);
                    for e in 0..d {
                        let five = four.union(sets[e]);
                        for f in 0..e {
                            let six = five.union(sets[f]);
                            for seventh in &sets[..f] {
                                sum += high(six.union(*seventh)).category() as u64;
                                count += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    black_box(sum);
    count
}
