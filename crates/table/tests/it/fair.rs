//! Chance that can be checked, by Rust and by Python.

use parlor_rules::draws::DrawFault;
use parlor_rules::{
    Chips, Deck, Draws, House, Input, Owner, Rules, Seat, Seeded, Source, Tape, Viewer,
};
use parlor_table::Keys;
use parlor_table::fair::*;
use parlor_table::log::{Bytes32, TableId};
use parlor_testkit::highcard::{CARDS, Command as Say, Config, HighCard, State};
use parlor_testkit::transcripts::conformance;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a file of proofs may hold.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Vector {
    dice: Option<DiceProof>,
    chain: Option<ChainProof>,
    cards: Option<HandProof>,
    house: Option<HouseSide>,
    unfair: Option<String>,
}

/// What the house alone knows of a hand.
#[derive(Clone, Deserialize, Serialize)]
struct HouseSide {
    decks: Bytes32,
    order: Vec<u8>,
    salts: Vec<Bytes32>,
    cut: Vec<u8>,
}

impl Vector {
    fn check(&self) -> Result<(), Unfair> {
        self.dice.as_ref().map_or(Ok(()), DiceProof::check)?;
        self.chain.as_ref().map_or(Ok(()), ChainProof::check)?;
        self.cards.as_ref().map_or(Ok(()), HandProof::check)
    }
}

fn folder() -> PathBuf {
    conformance().join("fairness")
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn vectors() -> Vec<(PathBuf, Vector)> {
    let files = fs::read_dir(folder()).expect("the vectors").map(|file| file.unwrap().path());
    let mut paths: Vec<_> = files.filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn verdict(checked: Result<(), impl std::fmt::Display>) -> String {
    checked.map_or_else(|why| format!("unfair: {why}"), |()| "fair".to_owned())
}

/// What the checker in Python says, a line for each file.
fn python(paths: &[PathBuf]) -> Vec<String> {
    let run = Command::new("python3").arg(folder().join("check.py")).args(paths).output();
    let run = run.expect("python3 is needed to check proofs in another language: make tools");
    assert_eq!(String::from_utf8_lossy(&run.stderr), "");
    let lines: Vec<_> = String::from_utf8(run.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), paths.len());
    assert_eq!(run.status.success(), lines.iter().all(|line| line == "fair"));
    lines
}

fn table(name: &str) -> TableId {
    name.parse().unwrap()
}

fn secrets(word: &str) -> Keys {
    let secret = |kind: &str| Bytes32::hash(&[word.as_bytes(), kind.as_bytes()]);
    Keys { dice: secret("dice"), deck: secret("decks"), seal: secret("seal") }
}

const ZERO: Bytes32 = Bytes32([0; 32]);
const A: Seat = Seat::new(0);
const B: Seat = Seat::new(1);

#[test]
fn both_checkers_say_of_every_vector_what_it_says_itself() {
    let (paths, vectors): (Vec<_>, Vec<_>) = vectors().into_iter().unzip();
    let told = python(&paths);
    for ((path, vector), told) in paths.iter().zip(&vectors).zip(told) {
        let wanted = verdict(vector.unfair.clone().map_or(Ok(()), Err));
        assert_eq!(verdict(vector.check()), wanted, "{}", path.display());
        assert_eq!(told, wanted, "{}", path.display());
    }
    let unfair = vectors.iter().filter(|vector| vector.unfair.is_some()).count();
    assert!(unfair > 8 && vectors.len() - unfair > 6, "vectors are missing");
}

/// Where the texts and numbers of a document are.
fn leaves(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Array(items) => {
            let inner = items.iter().enumerate();
            inner.flat_map(|(i, item)| leaves(item, &format!("{at}/{i}"))).collect()
        }
        Value::Object(fields) => {
            fields.iter().flat_map(|(key, item)| leaves(item, &format!("{at}/{key}"))).collect()
        }
        _ => vec![at.to_owned()],
    }
}

/// A proof with one value turned by as little as possible.
fn turned(proof: &Value, leaf: &str) -> Value {
    let mut proof = proof.clone();
    let value = proof.pointer_mut(leaf).expect("a leaf");
    *value = match &*value {
        Value::String(text) if text.len() == 64 => {
            let digit = if text.ends_with('0') { '1' } else { '0' };
            format!("{}{digit}", &text[..63]).into()
        }
        Value::String(text) => format!("{text}x").into(),
        other => (other.as_u64().expect("a number") + 1).into(),
    };
    proof
}

#[test]
fn both_checkers_find_whatever_is_turned() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fair");
    fs::create_dir_all(&scratch).unwrap();
    for (kind, name) in [("chain", "chain"), ("cards", "cards-52"), ("dice", "dice")] {
        let proof: Value = read(&folder().join(format!("{name}.json")));
        let proof = serde_json::json!({ kind: proof[kind] });
        let leaves = leaves(&proof, "");
        assert!(leaves.len() > 4);
        let mut wanted = Vec::new();
        let mut paths = Vec::new();
        for (i, leaf) in leaves.iter().enumerate() {
            let turned = turned(&proof, leaf);
            let checked = serde_json::from_value::<Vector>(turned.clone()).unwrap().check();
            // One face in six comes up again by itself.
            let may_come_again = kind == "dice" && leaf.contains("contributions");
            assert!(checked.is_err() || may_come_again, "{name}: {leaf} can be turned");
            wanted.push(verdict(checked));
            paths.push(scratch.join(format!("{name}-{i}.json")));
            fs::write(&paths[i], turned.to_string()).unwrap();
        }
        assert_eq!(python(&paths), wanted);
    }
}

#[test]
fn a_proof_without_anything_in_it_proves_nothing() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing.json");
    fs::write(&path, "{}").unwrap();
    assert_eq!(python(&[path]), ["unfair: there is nothing to check"]);
}

/// Puts these contributions in, by chains made for it.
fn put(chance: &mut Chance, contributions: &[Bytes32]) {
    for (seat, given) in Seat::all(6).zip(contributions) {
        if *given != chance.contributions()[seat.index()] {
            chance.sit(seat, Some(Bytes32::hash(&[&given.0])));
        }
    }
    for (seat, given) in Seat::all(6).zip(contributions) {
        if *given != chance.contributions()[seat.index()] {
            chance.contribute(seat, *given).unwrap();
        }
    }
}

#[test]
fn the_house_draws_what_the_vectors_say() {
    let mut draws = 0;
    for proof in vectors().into_iter().filter(|(_, v)| v.unfair.is_none()) {
        let Some(proof) = proof.1.dice else { continue };
        let secrets = Keys { dice: proof.secret, deck: ZERO, seal: ZERO };
        let seats = proof.draws[0].contributions.len() as u8;
        let mut chance = Chance::new(proof.table, secrets, seats, 0);
        assert_eq!(chance.commitment(), proof.commitment);
        assert_eq!((chance.next_root(), chance.hand(&[])), (None, None));
        for drawn in proof.draws {
            put(&mut chance, &drawn.contributions);
            assert_eq!(chance.below(drawn.of), Ok(drawn.value));
            draws += 1;
        }
    }
    assert!(draws > 10);
}

#[test]
fn the_house_lays_and_cuts_its_decks_as_the_vectors_say() {
    let mut hands = 0;
    for (_, vector) in vectors() {
        let (Some(house), Some(proof)) = (vector.house, vector.cards) else { continue };
        let secrets = Keys { dice: ZERO, deck: house.decks, seal: ZERO };
        let (seats, size) = (proof.contributions.len() as u8, house.order.len() as u32);
        let mut chance = Chance::new(proof.table.clone(), secrets, seats, size);
        let before = Mark { hand: proof.hand - 1, ..Mark::default() };
        chance.advance(before).unwrap();
        assert_eq!(chance.next_root(), Some(proof.root));
        put(&mut chance, &proof.contributions);
        chance.shuffle(size).unwrap();
        let mut deck = Deck::new(size);
        for k in 0..size {
            assert_eq!(chance.opening(k), None, "a card not yet dealt");
            let card = deck.deal(&mut Draws::new(&mut chance));
            let place = house.cut[k as usize];
            let salt = house.salts[usize::from(place)];
            assert_eq!(card, house.order[usize::from(place)]);
            assert_eq!(chance.opening(k), Some(Opening { k, place, card, salt }));
        }
        let shown: Vec<u32> = proof.openings.iter().map(|opening| opening.k).collect();
        assert_eq!(chance.hand(&shown), Some(proof));
        hands += 1;
    }
    assert!(hands > 3);
}

#[test]
fn a_chain_hands_out_links_that_its_tip_knows() {
    let mut chain = Chain::new(Bytes32([7; 32]), 3);
    let tip = chain.tip();
    let released: Vec<_> = std::iter::from_fn(|| chain.release()).collect();
    assert_eq!(released.len(), 3);
    assert_eq!(released[2], Bytes32([7; 32]));
    assert_eq!(ChainProof { tip, released: released.clone() }.check(), Ok(()));
    let swapped = vec![released[1], released[0]];
    assert_eq!(ChainProof { tip, released: swapped }.check(), Err(Unfair::BrokenChain { link: 0 }));
}

#[test]
fn a_decision_thrown_away_is_decided_the_same_again() {
    let mut chance = Chance::new(table("t"), secrets("again"), 2, CARDS);
    let mut deal = |keep: bool| {
        let mut copy = chance.clone();
        let mut draws = Draws::new(&mut copy);
        let die = draws.below(6);
        draws.shuffle(CARDS);
        let cards = [draws.card(52), draws.card(51)];
        if keep {
            chance = copy;
        }
        (die, cards)
    };
    let (first, second) = (deal(false), deal(true));
    assert_eq!(first, second);
    assert_ne!(deal(true), second);
}

#[test]
fn a_share_is_the_next_link_once_for_every_draw() {
    let mut chance = Chance::new(table("t"), secrets("share"), 2, CARDS);
    let (mut a, mut b) = (Chain::new(Bytes32([1; 32]), 9), Chain::new(Bytes32([2; 32]), 9));
    assert_eq!(chance.contribute(A, ZERO), Err(NoShare::NoChain));
    assert_eq!(chance.contribute(Seat::new(2), ZERO), Err(NoShare::NoChain));
    chance.sit(A, Some(a.tip()));
    assert!(chance.is_due(A) && !chance.is_due(B));
    let mut ahead = a.clone();
    let first = a.release().unwrap();
    assert_eq!(ahead.release(), Some(first));
    assert_eq!(chance.contribute(A, ahead.release().unwrap()), Err(NoShare::WrongLink));
    chance.contribute(A, first).unwrap();
    let second = a.release().unwrap();
    assert_eq!(chance.contribute(A, second), Err(NoShare::TooEarly));

    // Who sits down now knows what the other has given, and so waits.
    chance.sit(B, Some(b.tip()));
    let link = b.release().unwrap();
    assert_eq!(chance.contribute(B, link), Err(NoShare::TooEarly));
    assert_eq!(chance.contributions(), [first, ZERO]);
    chance.below(6).unwrap();
    chance.contribute(B, link).unwrap();
    chance.contribute(A, second).unwrap();
    assert_eq!(chance.contributions(), [second, link]);

    // Of whoever sat there before nothing remains.
    chance.sit(A, None);
    assert_eq!(chance.contributions(), [ZERO, link]);
    assert!(!chance.is_due(A));
}

#[test]
fn a_share_turns_the_next_draws_and_decks_and_none_before() {
    let play = |give: bool| {
        let mut chance = Chance::new(table("t"), secrets("turn"), 1, CARDS);
        let mut chain = Chain::new(Bytes32([3; 32]), 2);
        chance.sit(A, Some(chain.tip()));
        let mut told = vec![chance.below(u32::MAX).unwrap()];
        chance.shuffle(CARDS).unwrap();
        let root = chance.next_root();
        if give {
            chance.contribute(A, chain.release().unwrap()).unwrap();
        }
        told.extend((1..=CARDS).rev().map(|left| chance.card(left).unwrap()));
        let (hand, die) = (chance.hand(&[]).unwrap(), chance.below(u32::MAX).unwrap());
        chance.shuffle(CARDS).unwrap();
        assert_eq!(chance.hand(&[]).map(|hand| hand.root), root, "the root was there before");
        (
            told,
            hand,
            die,
            (1..=CARDS).rev().map(|left| chance.card(left).unwrap()).collect::<Vec<_>>(),
        )
    };
    let (silent, spoken) = (play(false), play(true));
    assert_eq!((&silent.0, &silent.1), (&spoken.0, &spoken.1));
    assert_ne!(silent.2, spoken.2);
    assert_ne!(silent.3, spoken.3);
}

#[test]
fn a_deck_the_house_did_not_commit_to_is_not_dealt() {
    let mut chance = Chance::new(table("t"), secrets("deck"), 2, CARDS);
    assert_eq!(chance.card(52), Err(DrawFault::OtherDeck { asked: 52, there: 0 }));
    assert_eq!(chance.shuffle(40), Err(DrawFault::OtherDeck { asked: 40, there: 52 }));
    chance.shuffle(CARDS).unwrap();
    chance.card(52).unwrap();
    assert_eq!(chance.card(52), Err(DrawFault::OtherDeck { asked: 52, there: 51 }));
    let mut without = Chance::new(table("t"), secrets("deck"), 2, 0);
    assert_eq!(without.shuffle(0), Err(DrawFault::OtherDeck { asked: 0, there: 0 }));
}

#[test]
fn what_is_printed_holds_no_secret() {
    let mut chance = Chance::new(table("t"), secrets("print"), 2, CARDS);
    chance.shuffle(CARDS).unwrap();
    let printed = format!("{chance:?}");
    let Keys { dice, deck, .. } = secrets("print");
    assert!(printed.contains("Mark"));
    assert!(!printed.contains(&dice.to_string()) && !printed.contains(&deck.to_string()));
}

#[test]
fn chance_goes_on_from_shares_and_marks_as_if_it_had_never_stopped() {
    let mut dice = Seeded::new("resume");
    for round in 0..200 {
        let word = format!("resume {round}");
        let mut live = Chance::new(table("t"), secrets(&word), 2, 5);
        let mut again = live.clone();
        let mut chains = [0, 1].map(|i| Chain::new(Bytes32([i; 32]), 50));
        for _ in 0..30 {
            let roll = |dice: &mut Seeded, n| dice.below(n).unwrap();
            let seat = Seat::new(roll(&mut dice, 2) as u8);
            match roll(&mut dice, 3) {
                0 => {
                    let tip = Some(chains[seat.index()].tip());
                    live.sit(seat, tip);
                    again.sit(seat, tip);
                }
                1 if live.is_due(seat) => {
                    let link = chains[seat.index()].release().unwrap();
                    live.contribute(seat, link).unwrap();
                    again.contribute(seat, link).unwrap();
                }
                _ => {
                    for _ in 0..roll(&mut dice, 4) {
                        let Mark { hand, dealt, .. } = live.mark();
                        match roll(&mut dice, 3) {
                            0 => drop(live.below(6).unwrap()),
                            1 => live.shuffle(5).unwrap(),
                            _ if hand > 0 && dealt < 5 => drop(live.card(5 - dealt).unwrap()),
                            _ => {}
                        }
                    }
                    again.advance(live.mark()).unwrap();
                }
            }
            assert_eq!(again.state(), live.state());
        }
        let saved = serde_json::to_string(again.state()).unwrap();
        let at = serde_json::from_str(&saved).unwrap();
        let mut again = Chance::resume(table("t"), secrets(&word), 5, at);
        assert_eq!(again.next_root(), live.next_root());
        assert_eq!(again.hand(&[0, 1, 2, 3, 4]), live.hand(&[0, 1, 2, 3, 4]));
        assert_eq!(again.below(1000), live.below(1000));
        let left = 5 - live.mark().dealt;
        if live.mark().hand > 0 && left > 0 {
            assert_eq!(again.card(left), live.card(left));
        }
    }
}

#[test]
fn chance_does_not_go_back() {
    let mut chance = Chance::new(table("t"), secrets("back"), 2, 5);
    let mark = |draws, hand, dealt| Mark { draws, hand, dealt };
    chance.advance(mark(3, 2, 4)).unwrap();
    for bad in [mark(2, 2, 4), mark(3, 1, 5), mark(3, 2, 3), mark(3, 2, 6)] {
        assert!(chance.advance(bad).is_err(), "{bad:?}");
    }
    assert_eq!(chance.mark(), mark(3, 2, 4));
    let mut without = Chance::new(table("t"), secrets("back"), 2, 0);
    assert!(without.advance(mark(0, 1, 0)).is_err());
    assert!(without.advance(mark(0, 0, 1)).is_err());
}

/// A table of high card with fair chance, and what each viewer was shown of the hand.
struct Game {
    state: State,
    chance: Chance,
    chains: [Chain; 3],
}

impl Game {
    /// Decides and applies, as a table does, and tells whether the input was taken.
    fn enter(&mut self, input: Input<Say>) -> bool {
        let mut chance = self.chance.clone();
        let mut draws = Draws::new(&mut chance);
        let decided = HighCard::decide(&self.state, &input, &mut draws);
        let taken = draws.finish().expect("the game holds the deck the house has laid");
        let Ok(events) = decided else { return false };
        let mut tape = Tape::new(taken);
        let audited = HighCard::decide(&self.state, &input, &mut Draws::new(&mut tape));
        assert_eq!(audited.as_ref(), Ok(&events));
        for event in &events {
            HighCard::apply(&mut self.state, event);
        }
        self.chance = chance;
        true
    }
}

#[test]
fn every_card_a_viewer_sees_is_proved_to_it_and_no_other() {
    let mut dice = Seeded::new("high card");
    let config = Config { hands: 40, ..Config::default() };
    let chains = [1, 2, 3].map(|i| Chain::new(Bytes32([i; 32]), 100));
    let state = HighCard::open(&config, 3).unwrap();
    let chance = Chance::new(table("high-card"), secrets("game"), 3, HighCard::deck(&state));
    let mut game = Game { state, chance, chains };
    game.enter(Input::House(House::Begin {}));
    for seat in Seat::all(3) {
        game.enter(Input::House(House::Joined { seat, chips: Chips::whole(500) }));
        game.chance.sit(seat, Some(game.chains[seat.index()].tip()));
    }
    let (mut mucked, mut proved) = (0, 0);
    let mut root = game.chance.next_root();
    while game.state.doc.ended.is_none() {
        // The root is known; the seats cut, one of them sometimes not.
        for seat in Seat::all(3).take(2 + dice.below(2).unwrap() as usize) {
            let link = game.chains[seat.index()].release().unwrap();
            game.chance.contribute(seat, link).unwrap();
        }
        let cut = game.chance.contributions();
        assert!(game.enter(Input::Expire { seat: Owner::Table }));
        let mut steps = 0;
        loop {
            for viewer in Viewer::all(3) {
                let proof = game.chance.hand(&HighCard::dealt(&game.state, viewer)).unwrap();
                proof.check().unwrap();
                assert_eq!((Some(proof.root), &proof.contributions), (root, &cut));
                let view = HighCard::view(&game.state, viewer);
                let seen: BTreeSet<u8> =
                    view.cards.iter().flatten().flatten().copied().chain(view.common).collect();
                let opened: BTreeSet<u8> = proof.openings.iter().map(|o| o.card).collect();
                assert_eq!(seen, opened, "{viewer:?}");
                proved += opened.len();
            }
            if game.state.doc.common.is_some() {
                break;
            }
            let command = [Say::Stay, Say::Fold][dice.below(2).unwrap() as usize];
            assert!(game.enter(Input::Play { seat: Seat::new(steps), command }));
            steps += 1;
        }
        mucked += game.state.doc.players.iter().flatten().filter(|p| p.held.is_none()).count();
        root = game.chance.next_root();
    }
    assert!(proved > 500 && mucked > 20, "{proved} cards proved, {mucked} hands mucked");
    assert_eq!(game.chance.mark().hand, 40);
}

#[test]
fn the_page_holds_the_checker_and_every_value_of_its_examples() {
    let page = fs::read_to_string(conformance().join("../docs/fairness.md")).unwrap();
    let checker = fs::read_to_string(folder().join("check.py")).unwrap();
    assert!(page.contains(&format!("```python\n{checker}```")), "the page shows another checker");
    for name in ["dice", "chain", "cards"] {
        let vector: Value = read(&folder().join(format!("{name}.json")));
        let values = leaves(&vector, "").into_iter().filter(|leaf| leaf != "/note");
        for leaf in values {
            let Some(value) = vector.pointer(&leaf).and_then(Value::as_str) else { continue };
            assert!(page.contains(value), "{name}{leaf} is not on the page: {value}");
        }
    }
}
