//! A second resolver, slow and taken word by word from the contract's table, and a second match.

use crate::support::Match;
use parlor_rules::{Draws, Seat, Seeded};
use parlor_rules_battle::card::{Card, Hand, Slot};
use parlor_rules_battle::event::{End, Event};
use parlor_rules_battle::notation;
use parlor_rules_battle::resolve::{round, step};
use parlor_rules_battle::state::{Config, SEATS};
use parlor_testkit::count;

/// What a pair of cards does: damage to the left, damage to the right. One line for each sentence.
const DAMAGE: &[(&str, &str, i32, i32)] = &[
    ("grass", "grass", 0, 0),
    ("attack", "grass", 0, 2),
    ("grass", "attack", 2, 0),
    ("grass", "defense", 0, 0),
    ("grass", "heal", 0, 0),
    ("grass", "counter", 0, 0),
    ("defense", "grass", 0, 0),
    ("heal", "grass", 0, 0),
    ("counter", "grass", 0, 0),
    ("attack", "defense", 0, 0),
    ("defense", "attack", 0, 0),
    ("attack", "attack", 2, 2),
    ("attack", "counter", 2, 0),
    ("counter", "attack", 0, 2),
    ("attack", "heal", 0, 2),
    ("heal", "attack", 2, 0),
    ("defense", "defense", 0, 0),
    ("defense", "heal", 0, 0),
    ("heal", "defense", 0, 0),
    ("defense", "counter", 0, 0),
    ("counter", "defense", 0, 0),
    ("heal", "heal", 0, 0),
    ("heal", "counter", 0, 0),
    ("counter", "heal", 0, 0),
    ("counter", "counter", 0, 0),
];

fn word(slot: Slot) -> &'static str {
    slot.map_or("grass", Card::name)
}

fn slow_step(left: &str, right: &str, hp: [i32; 2], max: i32) -> [i32; 2] {
    let row = DAMAGE.iter().find(|row| row.0 == left && row.1 == right).unwrap();
    let [mut a, mut b] = hp;
    // 1. Heals of both.
    if left == "heal" && a < max {
        a += 1;
    }
    if right == "heal" && b < max {
        b += 1;
    }
    // 2. The interaction.
    a -= row.2;
    b -= row.3;
    // 3. Clamp.
    [a.clamp(0, max), b.clamp(0, max)]
}

fn slots() -> [Slot; 5] {
    [None, Some(Card::Attack), Some(Card::Defense), Some(Card::Heal), Some(Card::Counter)]
}

#[test]
fn every_pair_of_cards_at_every_hp_is_resolved_as_the_table_says() {
    assert_eq!(DAMAGE.len(), 25);
    for max in [1, 2, 5, 10, 20] {
        for (a, b) in (0..=max).flat_map(|a| (0..=max).map(move |b| (a, b))) {
            for (left, right) in slots().into_iter().flat_map(|l| slots().map(|r| (l, r))) {
                let slow = slow_step(word(left), word(right), [a, b].map(i32::from), max.into());
                let fast = step([left, right], [a, b], max).map(i32::from);
                assert_eq!(fast, slow, "{left:?} against {right:?} at {a} and {b} of {max}");
            }
        }
    }
}

#[test]
fn every_pair_of_layouts_is_resolved_as_three_pairs_of_cards() {
    let layouts = Hand::default().layouts();
    for hp in [[10, 10], [1, 2], [9, 3], [2, 2]] {
        for (a, b) in layouts.iter().flat_map(|a| layouts.iter().map(move |b| (a, b))) {
            let slow = a
                .slots()
                .into_iter()
                .zip(b.slots())
                .fold(hp.map(i32::from), |hp, (l, r)| slow_step(word(l), word(r), hp, 10));
            assert_eq!(round([a, b], hp, 10).map(i32::from), slow, "{a:?} {b:?} at {hp:?}");
        }
    }
}

/// A whole match of random layouts, told as a story: who lays what in each round, or says nothing.
struct Story {
    rounds: Vec<[Option<[Slot; 3]>; 2]>,
}

/// How a story ends by the words of the contract: the end, the round it comes in, and the HP.
fn slow_match(story: &Story, config: &Config) -> Option<(End, usize, [i32; 2])> {
    let mut hp = [i32::from(config.hp); 2];
    let (mut streak, mut both) = ([0, 0], 0);
    for (i, round) in story.rounds.iter().enumerate() {
        let number = i + 1;
        let afk = round.map(|said| said.is_none());
        for side in 0..2 {
            streak[side] = if afk[side] { streak[side] + 1 } else { 0 };
        }
        both = if afk[0] && afk[1] { both + 1 } else { 0 };
        if both >= 2 {
            return Some((End::BothAfk, number, hp));
        }
        for side in 0..2 {
            if streak[side] >= 2 {
                return Some((End::Afk { loser: SEATS[side] }, number, hp));
            }
        }
        for slot in 0..3 {
            let card = |side: usize| round[side].map_or("grass", |layout| word(layout[slot]));
            hp = slow_step(card(0), card(1), hp, config.max_hp.into());
        }
        let limit = config.rounds as usize;
        if hp[0] == 0 && hp[1] == 0 {
            return Some((End::Draw, number, hp));
        }
        if hp[0] == 0 || hp[1] == 0 || (number >= limit && hp[0] != hp[1]) {
            let winner = SEATS[usize::from(hp[1] > hp[0])];
            return Some((End::Beaten { winner }, number, hp));
        }
        if number == limit + config.sudden_death_cap as usize {
            return Some((End::Draw, number, hp));
        }
    }
    None
}

#[test]
fn whole_matches_end_as_the_contract_says() {
    let mut ends = std::collections::BTreeMap::<String, u32>::new();
    for seed in 0..count(3_000, 200_000) {
        let mut chance = Seeded::new(&format!("story {seed}"));
        let mut draws = Draws::new(&mut chance);
        let config = Config {
            hp: 1 + draws.below(10) as u8,
            rounds: 1 + draws.below(4),
            sudden_death_cap: draws.below(4),
            early_finalize: draws.below(2) == 0,
            ..Config::default()
        };
        let layouts = Hand::default().layouts();
        let quiet = 1 + draws.below(6);
        let mut said = || {
            let layout = layouts[draws.below(layouts.len() as u32) as usize];
            (draws.below(quiet + 1) > 0).then(|| layout.slots())
        };
        let rounds = (0..8).map(|_| [said(), said()]).collect();
        let story = Story { rounds };

        let mut game = Match::new(config.clone());
        for round in &story.rounds {
            for (seat, layout) in SEATS.into_iter().zip(round) {
                let Some(layout) = layout else { continue };
                let line = notation::write(layout);
                if chance_of(seed, seat) {
                    game.draft(seat, &line)
                } else {
                    game.confirm(seat, &line)
                }
            }
            game.finish_round();
            if game.end().is_some() {
                break;
            }
        }
        let slow = slow_match(&story, &config).expect("seven rounds are the most");
        let stage = game.state.stage;
        let fast = (game.end().unwrap(), stage.round as usize, stage.hp.map(i32::from));
        assert_eq!(fast, slow, "seed {seed}, {config:?}");
        let ended = game.events.iter().filter(|event| matches!(event, Event::MatchEnded(_)));
        assert_eq!(ended.count(), 1);
        *ends.entry(format!("{:?}", slow.0)).or_default() += 1;
    }
    println!("{ends:?}");
    assert_eq!(ends.len(), 6, "every end by play comes up: {ends:?}");
}

/// Whether a seat drafts or confirms makes no difference.
fn chance_of(seed: u32, seat: Seat) -> bool {
    (seed >> seat.index()) & 1 == 0
}
