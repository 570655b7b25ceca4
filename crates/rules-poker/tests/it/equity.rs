//! Equity against a slow count by definition, against known counts, and against `pokers`.

use parlor_rules::{Deck, Draws, Refusal, Seeded};
use parlor_rules_poker::card::{Card, CardSet, Cards};
use parlor_rules_poker::equity::{Answer, Question, Showdown, Tally};
use parlor_rules_poker::range::Range;
use parlor_rules_poker::variant::VARIANTS;
use parlor_testkit::count;

fn ask(variant: &str, ranges: &[&str], board: &str, dead: &str) -> Result<Answer, Refusal> {
    Question::read(variant, ranges, board, dead)?.exact().run()
}

fn cards(text: &str) -> CardSet {
    text.parse::<Cards>().unwrap().set()
}

/// So many random cards of a deck, as text.
fn deal(deck: &mut Deck, draws: &mut Draws<'_>, count: usize) -> String {
    (0..count).map(|_| Card::from_number(deck.deal(draws)).unwrap().to_string()).collect()
}

/// What each player wins, counted deal by deal: the weight of all deals, and for each player of
/// those with all of the pot, those with a part, and the average.
fn slowly(
    showdown: &Showdown,
    hands: &[Vec<(CardSet, f64)>],
    board: CardSet,
    deck: CardSet,
) -> Vec<[f64; 3]> {
    fn boards(board: CardSet, deck: &[Card]) -> Vec<CardSet> {
        if board.len() == 5 {
            return vec![board];
        }
        let more =
            |(i, card): (usize, &Card)| boards(board.union(CardSet::of(*card)), &deck[i + 1..]);
        deck.iter().enumerate().flat_map(more).collect()
    }
    let mut sums = vec![[0.0; 3]; hands.len()];
    let mut total = 0.0;
    let open: Vec<Card> = deck.without(board).iter().collect();
    let sizes: Vec<usize> = hands.iter().map(Vec::len).collect();
    for board in boards(board, &open) {
        for deal in 0..sizes.iter().product() {
            let mut rest = deal;
            let chosen: Vec<(CardSet, f64)> = hands
                .iter()
                .map(|hands| {
                    let hand = hands[rest % hands.len()];
                    rest /= hands.len();
                    hand
                })
                .collect();
            let all = chosen.iter().fold(board, |all, (hand, _)| all.union(*hand));
            if all.len() != 5 + chosen.len() * usize::from(showdown.hole) {
                continue;
            }
            let weight: f64 = chosen.iter().map(|(_, weight)| weight).product();
            total += weight;
            let mut shares = vec![0.0; hands.len()];
            let mut divide = |ranking: parlor_rules_poker::rank::Ranking, pot: f64| {
                let strengths: Vec<_> =
                    chosen.iter().map(|(hand, _)| ranking.strength(*hand, board)).collect();
                let best = strengths.iter().max().copied().flatten();
                let winners: Vec<usize> =
                    (0..hands.len()).filter(|i| best.is_some() && strengths[*i] == best).collect();
                for winner in &winners {
                    shares[*winner] += pot / winners.len() as f64;
                }
                !winners.is_empty()
            };
            let split = showdown.low.is_some_and(|low| divide(low, 0.5));
            divide(showdown.high, if split { 0.5 } else { 1.0 });
            for (sums, share) in sums.iter_mut().zip(shares) {
                let whole = share > 0.999_999;
                sums[0] += if whole { weight } else { 0.0 };
                sums[1] += if !whole && share > 0.0 { weight } else { 0.0 };
                sums[2] += weight * share;
            }
        }
    }
    sums.iter().map(|sums| sums.map(|sum| 100.0 * sum / total)).collect()
}

#[test]
fn ranges_win_what_a_slow_count_says() {
    let mut chance = Seeded::new("equity");
    let mut draws = Draws::new(&mut chance);
    let showdowns: Vec<Showdown> = VARIANTS.iter().filter_map(|v| Showdown::of(v)).collect();
    assert_eq!(showdowns.len(), 5);
    for round in 0..count(60, 2000) {
        let showdown = &showdowns[round as usize % showdowns.len()];
        let lowest = if showdown.code == "NS" { 4 } else { 0 };
        let whole = || Deck::new(52).without(0..lowest * 4);
        let mut deck = whole();
        let board = deal(&mut deck, &mut draws, 3 + round as usize % 3);
        let dead = deal(&mut deck, &mut draws, 1);
        let players = 2 + draws.below(2) as usize;
        // Hands of one player have different cards; those of two players may have the same.
        let hands: Vec<Vec<(String, f64)>> = (0..players)
            .map(|_| {
                let mut own = deck;
                let hands = 1 + draws.below(3);
                (0..hands)
                    .map(|_| {
                        let weight = [1.0, 0.5, 0.125][draws.below(3) as usize];
                        (deal(&mut own, &mut draws, usize::from(showdown.hole)), weight)
                    })
                    .collect()
            })
            .collect();
        let ranges: Vec<String> = hands
            .iter()
            .map(|hands| {
                hands
                    .iter()
                    .map(|(hand, weight)| format!("{hand}:{weight}"))
                    .collect::<Vec<_>>()
                    .join(",")
            })
            .collect();
        let ranges: Vec<&str> = ranges.iter().map(String::as_str).collect();
        let hands: Vec<Vec<(CardSet, f64)>> = hands
            .iter()
            .map(|hands| hands.iter().map(|(hand, weight)| (cards(hand), *weight)).collect())
            .collect();
        let all: CardSet = (lowest * 4..52).filter_map(Card::from_number).collect();
        let slow = slowly(showdown, &hands, cards(&board), all.without(cards(&dead)));
        let answer = match ask(showdown.code, &ranges, &board, &dead) {
            Ok(answer) => answer,
            Err(refusal) => {
                assert_eq!(refusal.code, "no_deal", "{ranges:?}");
                assert!(slow[0][0].is_nan(), "{ranges:?} can be dealt");
                continue;
            }
        };
        for (player, slow) in answer.players.iter().zip(slow) {
            for (quick, slow) in [player.win, player.tie, player.equity].into_iter().zip(slow) {
                let close = (quick - slow).abs() < 1e-9;
                assert!(close, "{} {ranges:?} {board} {dead}: {answer:?} {slow:?}", showdown.code);
            }
        }
    }
}

#[test]
fn known_hands_win_as_often_as_known() {
    let percent = |of: u64, all: u64| 100.0 * of as f64 / all as f64;
    // Wins, ties and losses of the first before the flop, of 1,712,304.
    for (one, other, wins, ties) in [
        ("AsAh", "KsKh", 1_410_336, 9_308),
        ("AsKs", "QhQd", 787_966, 6_732),
        ("AcKc", "QhQs", 787_966, 6_732),
    ] {
        let answer = ask("NT", &[one, other], "", "").unwrap();
        assert_eq!(answer.cases, 1_712_304);
        let first = &answer.players[0];
        assert_eq!((first.win, first.tie), (percent(wins, 1_712_304), percent(ties, 1_712_304)));
        assert!(
            (answer.players.iter().map(|player| player.equity).sum::<f64>() - 100.0).abs() < 1e-9
        );
    }
    // A royal flush on the board is for all; a board of five leaves one case.
    let answer = ask("NT", &["2c3c", "4d4h", "7s8s"], "AhKhQhJhTh", "").unwrap();
    assert_eq!(answer.cases, 1);
    for player in &answer.players {
        assert_eq!((player.win, player.tie), (0.0, 100.0));
        assert!((player.equity - 100.0 / 3.0).abs() < 1e-9);
    }
}

#[test]
fn ranges_win_what_pokers_says() {
    use std::sync::{Arc, atomic::AtomicBool};
    let cases: [(&[&str], &str, &str); 6] = [
        (&["QQ+,AJs+", "random"], "2d7cJh", ""),
        (&["AK", "TT-77", "QJs"], "2d7cJhTh", ""),
        (&["AsKs", "22+"], "2d7cJh", "AhQc"),
        (&["A5s-A2s,KTo", "99-66", "KQ"], "2d7cJh9s", ""),
        (&["AA", "KK"], "", ""),
        (&["AsKs", "QhQd"], "", ""),
    ];
    for (ranges, board, dead) in cases {
        // What a dash means is said without it.
        let theirs = ranges.iter().map(|range| {
            range
                .replace("TT-77", "TT,99,88,77")
                .replace("99-66", "99,88,77,66")
                .replace("A5s-A2s", "A5s,A4s,A3s,A2s")
        });
        let theirs = pokers::HandRange::from_strings(theirs.collect());
        let (board_mask, dead_mask) = (pokers::get_card_mask(board), pokers::get_card_mask(dead));
        let never = Arc::new(AtomicBool::new(false));
        let theirs =
            pokers::exact_equity(&theirs, board_mask, dead_mask, 1, never, |_| ()).unwrap();
        let ours = ask("NT", ranges, board, dead).unwrap();
        for (player, equity) in ours.players.iter().zip(theirs.equities) {
            assert!((player.equity - 100.0 * equity).abs() < 1e-6, "{ranges:?}: {ours:?} {equity}");
        }
    }
}

#[test]
fn random_deals_come_close_and_are_the_same_again() {
    for (variant, ranges, board) in [
        ("NT", ["QQ+,AJs+:0.25", "AsKh,JTs,99-66"], "2d7cJh"),
        ("NS", ["AsKs", "random"], "6d7cJh"),
        ("PO", ["AsKsQhJh", "7d7h8c9c,2c2d3h3s"], "2h7cTh"),
        ("FO/8", ["As2sQhJh", "3d4h8c9c"], "2h7cTh"),
    ] {
        let question = Question::read(variant, &ranges, board, "").unwrap();
        let exact = question.exact().run().unwrap();
        let work = question.sampled(200_000, "a seed");
        let sampled = work.run().unwrap();
        assert_eq!((sampled.cases, sampled.exact, work.parts()), (200_000, false, 4));
        for (random, all) in sampled.players.iter().zip(&exact.players) {
            let error = random.error.unwrap();
            assert!(error < 0.2, "{variant}: {sampled:?}");
            assert!((random.equity - all.equity).abs() < 4.0 * error, "{sampled:?} {exact:?}");
        }
        let mut backwards = Tally::default();
        for part in (0..work.parts()).rev() {
            backwards += work.part(part);
        }
        assert_eq!(work.answer(&backwards).unwrap(), sampled);
        assert_ne!(question.sampled(200_000, "another").run().unwrap(), sampled);
    }
}

#[test]
fn ranges_name_as_many_hands_as_they_should() {
    let deck: CardSet = Card::all().collect();
    let size = |text: &str| Range::read(text, 2, deck).map(|range| range.combos().len());
    for (text, hands) in [
        ("AsKh", 1),
        ("QQ", 6),
        ("QQ+", 18),
        ("22+", 78),
        ("99-66", 24),
        ("66-99", 24),
        ("AK", 16),
        ("AKs", 4),
        ("AKo", 12),
        ("AJs+", 12),
        ("T8s+", 8),
        ("32o+", 12),
        ("A2+", 12 * 16),
        ("A5s-A2s", 16),
        ("KTo-K7o", 48),
        ("random", 1326),
        ("XX", 1326),
        ("QQ+, AJs+", 30),
        ("QQ+,QQ,QsQh", 18),
    ] {
        assert_eq!(size(text), Ok(hands), "{text}");
    }
    let weights = Range::read("AA:0.5,AsAh,KK", 2, deck).unwrap();
    assert_eq!(weights.combos().iter().map(|combo| combo.weight).sum::<f64>(), 5.0 * 0.5 + 7.0);
    let hands = |text| Range::read(text, 4, deck).map(|range| range.combos().len());
    assert_eq!(
        (hands("random"), hands("XXXX"), hands("AsKsQsJs")),
        (Ok(270_725), Ok(270_725), Ok(1))
    );
    let short: CardSet = Card::all().filter(|card| card.rank() >= 4).collect();
    assert_eq!(Range::read("random", 2, short).unwrap().combos().len(), 630);
    assert_eq!(
        Range::read("A2s,66", 2, short).map_err(|no| parlor_rules::Reject::code(&no)),
        Err("not_in_deck")
    );
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    for (variant, ranges, board, dead, code, place) in [
        ("XX", &["AA", "KK"][..], "", "", "no_variant", "variant"),
        ("NT", &["AA"], "", "", "players", "players"),
        ("NT", &["AA"; 11], "", "", "players", "players"),
        ("NT", &["AA", "KK"], "2d", "", "board_size", "board"),
        ("NT", &["AA", "KK"], "2d3d", "", "board_size", "board"),
        ("NT", &["AA", "KK"], "2d3d4d5d6d7d", "", "board_size", "board"),
        ("NT", &["AA", "KK"], "2d3d4d4d", "", "card_twice", "board"),
        ("NT", &["AA", "KK"], "2d3d4", "", "bad_cards", "board"),
        ("NT", &["AA", "KK"], "2d3d??", "", "bad_cards", "board"),
        ("NT", &["AA", "KK"], "ääää", "", "bad_cards", "board"),
        ("NT", &["AA", "KK"], "2d3d4d", "4d", "card_twice", "dead"),
        ("NT", &["AA", "KK"], "", "x", "bad_cards", "dead"),
        ("NS", &["AA", "KK"], "2d7d8d", "", "not_in_deck", "board"),
        ("NS", &["AA", "22"], "", "", "not_in_deck", "player 2"),
        ("NT", &["AA", ""], "", "", "empty_range", "player 2"),
        ("NT", &["AA", "KK,"], "", "", "bad_range", "player 2"),
        ("NT", &["AsAs", "KK"], "", "", "card_twice", "player 1"),
        ("NT", &["AA", "KKs"], "", "", "bad_range", "player 2"),
        ("NT", &["AA", "AKs-QJs"], "", "", "bad_range", "player 2"),
        ("NT", &["AA", "AA-AK"], "", "", "bad_range", "player 2"),
        ("NT", &["AA", "AsKsQs"], "", "", "bad_range", "player 2"),
        ("NT", &["AA", "A\u{e4}s+"], "", "", "bad_range", "player 2"),
        ("NT", &["AA", "KK:2"], "", "", "bad_weight", "player 2"),
        ("NT", &["AA", "KK:NaN"], "", "", "bad_weight", "player 2"),
        ("NT", &["AsAh", "KK"], "As7d8d", "", "empty_range", "player 1"),
        ("NT", &["AsAh", "AsKs"], "", "", "no_deal", "players"),
        ("NT", &["AA", "AA", "AA"], "", "", "no_deal", "players"),
        ("PO", &["AA", "KK"], "", "", "bad_range", "player 1"),
    ] {
        let refusal = ask(variant, ranges, board, dead).expect_err(code);
        let found = (refusal.code, refusal.facts["place"].as_str().unwrap());
        assert_eq!(found, (code, place), "{ranges:?} {board} {dead}: {refusal}");
        assert!(refusal.text.starts_with(place), "{refusal}");
    }
    let nobody = Question::read("NT", &["AA", "AA", "AA"], "", "").unwrap();
    assert_eq!(nobody.sampled(10, "").run().expect_err("six aces").code, "no_deal");
    let all = ["random"; 10];
    let dead: String = Card::all().take(28).map(|card| card.to_string()).collect();
    assert_eq!(ask("NT", &all, "", &dead).expect_err("too few cards").code, "no_deal");
}
