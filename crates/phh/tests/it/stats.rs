//! Statistics and ledgers, against what is counted by hand or another way.

use crate::round::{document, random_hand};
use parlor_phh::ledger::{self, Ledger};
use parlor_phh::stats::{Share, Stats};
use parlor_phh::{hands, stars};
use parlor_rules::{Draws, Seeded};
use parlor_testkit::count;
use std::collections::BTreeMap;

fn share(done: u64, of: u64) -> Share {
    Share { done, of }
}

fn stats(texts: &[&str]) -> Stats {
    let mut stats = Stats::default();
    for text in texts {
        let hand = hands(text).expect("a file").remove(0).expect("a hand");
        stats.add(&hand).unwrap_or_else(|no| panic!("{no}\n{text}"));
    }
    stats
}

fn hand(actions: &str) -> String {
    let cards = "'d dh p1 AsAd', 'd dh p2 KsKd', 'd dh p3 QsQd'";
    format!(
        "variant = 'NT'\nantes = [0, 0, 0]\nblinds_or_straddles = [1, 2, 0]\nmin_bet = 2\n\
         starting_stacks = [100, 100, 100]\nactions = [{cards}, {actions}]\n\
         players = ['A', 'B', 'C']\n"
    )
}

#[test]
fn a_small_session_is_counted_as_by_hand() {
    let all = [
        // C raises, A raises that, C calls; A bets the flop, C folds. A wins 20, B loses 2, C 18.
        hand("'p3 cbr 6', 'p1 cbr 18', 'p2 f', 'p3 cc', 'd db 2c7d9h', 'p1 cbr 20', 'p3 f'"),
        // All fold to B: nobody pays of the own will, and B decides nothing. A loses 1.
        hand("'p3 f', 'p1 f'"),
        // All call, all check: A wins 4 at the showdown, B mucks.
        hand(
            "'p3 cc', 'p1 cc', 'p2 cc', 'd db 2c7d9h', 'p1 cc', 'p2 cc', 'p3 cc', 'd db 3c', \
             'p1 cc', 'p2 cc', 'p3 cc', 'd db 4d', 'p1 cc', 'p2 cc', 'p3 cc', 'p1 sm AsAd', \
             'p2 sm', 'p3 sm QsQd'",
        ),
        // C calls, B raises, C raises that all-in, B calls and wins 101; A loses 1.
        hand(
            "'p3 cc', 'p1 f', 'p2 cbr 8', 'p3 cbr 100', 'p2 cc', 'p3 sm QsQd', 'p2 sm KsKd', \
              'd db 2c7d9h', 'd db 3c', 'd db 4d'",
        ),
    ];
    let texts: Vec<&str> = all.iter().map(String::as_str).collect();
    let stats = stats(&texts);
    let [a, b, c] = ["A", "B", "C"].map(|name| stats.players[name]);
    assert_eq!([a.hands, b.hands, c.hands], [4, 4, 4]);
    assert_eq!([a.vpip, b.vpip, c.vpip], [share(2, 4), share(1, 3), share(3, 4)]);
    assert_eq!([a.pfr, b.pfr, c.pfr], [share(1, 4), share(1, 3), share(2, 4)]);
    // B was behind two raises in the first hand; C faced the raise of B in the last.
    assert_eq!([a.three_bet, b.three_bet, c.three_bet], [share(1, 1), share(0, 0), share(1, 1)]);
    assert_eq!([a.showdown, b.showdown, c.showdown], [share(1, 2), share(2, 2), share(2, 3)]);
    assert_eq!([a.won, b.won, c.won], [share(1, 1), share(1, 2), share(0, 2)]);
    // In big blinds A won 10, -0.5, 2 and -0.5; B -1, 0.5, -1 and 50.5.
    assert!((a.rate() - 11.0 / 4.0 * 100.0).abs() < 1e-9, "{}", a.rate());
    let squares: f64 = [7.25f64, -3.25, -0.75, -3.25].iter().map(|x| x * x).sum();
    let margin = 1.96 * (squares / 3.0 / 4.0).sqrt() * 100.0;
    assert!((a.margin().expect("four hands") - margin).abs() < 1e-9);
    assert!((b.rate() - 49.0 / 4.0 * 100.0).abs() < 1e-9, "{}", b.rate());
    assert!(stats.players.values().map(|player| player.rate()).sum::<f64>().abs() < 1e-9);
}

/// The same numbers from the text of the actions, without the rules.
fn slowly(text: &str) -> BTreeMap<String, Vec<u64>> {
    let hand = hands(text).expect("a file").remove(0).expect("a hand");
    let count = hand.starting_stacks.len();
    let ten = |chips: parlor_rules::Chips| chips.ten_thousandths();
    // What is left after the antes; who has less is all-in.
    let mut stacks: Vec<i64> = (0..count)
        .map(|i| {
            ten(hand.starting_stacks[i]) - ten(hand.antes[i]).min(ten(hand.starting_stacks[i]))
        })
        .collect();
    if hand.ante_trimming {
        let mut paid: Vec<i64> =
            (0..count).map(|i| ten(hand.antes[i]).min(ten(hand.starting_stacks[i]))).collect();
        let most = paid.iter().copied().enumerate().max_by_key(|(_, paid)| *paid).expect("some").0;
        let own = paid[most];
        paid.sort();
        stacks[most] += own - paid[count - 2];
    }
    let mut bets = vec![0; count];
    for i in 0..count {
        bets[i] = ten(hand.blinds[i]).min(stacks[i]);
        stacks[i] -= bets[i];
    }
    let mut folded = vec![false; count];
    let (mut vpip, mut pfr) = (vec![false; count], vec![false; count]);
    let (mut acted, mut three) = (vec![false; count], vec![false; count]);
    let (mut raises, mut raiser) = (0, count);
    let mut first = true;
    let mut on = vec![false; count];
    for line in &hand.actions {
        let text = line.action.to_string();
        let words: Vec<&str> = text.split(' ').collect();
        if text.starts_with("d db") || words[1] == "sm" {
            if first {
                on = folded.iter().map(|folded| !folded).collect();
            }
            first = false;
        }
        if words[0] == "d" || !first && words[1] != "f" {
            continue;
        }
        let i = words[0][1..].parse::<usize>().expect("a player") - 1;
        match words[1] {
            "f" => {
                folded[i] = true;
                acted[i] |= first;
            }
            "cc" => {
                acted[i] = true;
                let to = *bets.iter().max().expect("some");
                let pay = (to - bets[i]).min(stacks[i]);
                vpip[i] |= pay > 0;
                bets[i] += pay;
                stacks[i] -= pay;
            }
            "cbr" => {
                acted[i] = true;
                let to: parlor_rules::Chips = words[2].parse().expect("an amount");
                (vpip[i], pfr[i]) = (true, true);
                three[i] |= raises == 1 && raiser != i;
                (raises, raiser) = (raises + 1, i);
                stacks[i] -= ten(to) - bets[i];
                bets[i] = ten(to);
            }
            _ => {}
        }
    }
    let live = folded.iter().filter(|folded| !**folded).count();
    let names: Vec<String> =
        match &hand.fields.iter().find(|f| f.key == "players").expect("names").value {
            parlor_phh::Value::List(list) => list.iter().map(|name| format!("{name:?}")).collect(),
            _ => unreachable!("a list"),
        };
    (0..count)
        .map(|i| {
            let showdown = live > 1 && !folded[i];
            let row = [acted[i], vpip[i], pfr[i], three[i], on[i], showdown];
            (names[i].clone(), row.map(u64::from).to_vec())
        })
        .collect()
}

#[test]
fn whatever_is_played_is_counted_alike_in_another_way() {
    let mut chance = Seeded::new("stats");
    let mut draws = Draws::new(&mut chance);
    let (mut all, mut sums) = (Stats::default(), BTreeMap::<String, Vec<u64>>::new());
    for _ in 0..count(2_000, 20_000) {
        let text = document(random_hand(&mut draws)).to_phh().expect("a file");
        let hand = hands(&text).expect("a file").remove(0).expect("a hand");
        all.add(&hand).expect("it is over");
        for (name, row) in slowly(&text) {
            let sum = sums.entry(name).or_insert_with(|| vec![0; row.len()]);
            sum.iter_mut().zip(row).for_each(|(sum, one)| *sum += one);
        }
    }
    for (name, player) in &all.players {
        let wanted = &sums[&format!("Text({name:?})")];
        let found = [
            player.vpip.of,
            player.vpip.done,
            player.pfr.done,
            player.three_bet.done,
            player.showdown.of,
            player.showdown.done,
        ];
        assert_eq!(&found[..], &wanted[..], "{name}");
        assert!(player.three_bet.done > 0 && player.won.done > 0, "{name}");
    }
}

#[test]
fn what_the_house_and_the_players_have_won_is_nothing() {
    let mut chance = Seeded::new("ledger");
    let mut draws = Draws::new(&mut chance);
    for _ in 0..count(200, 5_000) {
        let mut ledger = Ledger::default();
        for _ in 0..1 + draws.below(6) {
            let text = document(random_hand(&mut draws)).to_phh().expect("a file");
            let hand = hands(&text).expect("a file").remove(0).expect("a hand");
            ledger.add(&hand).expect("it is over");
        }
        let accounts = ledger.accounts();
        let mut left: BTreeMap<&str, i128> =
            accounts.iter().map(|(name, account)| (*name, account.result())).collect();
        assert_eq!(left.values().sum::<i128>(), 0);
        let payments = ledger.payments();
        let open = left.values().filter(|result| **result != 0).count();
        assert!(payments.len() < open.max(1), "{accounts:?} {payments:?}");
        for payment in &payments {
            assert!(payment.amount > 0);
            *left.get_mut(payment.from.as_str()).expect("somebody") += payment.amount;
            *left.get_mut(payment.to.as_str()).expect("somebody") -= payment.amount;
        }
        assert!(left.values().all(|left| *left == 0), "{accounts:?} {payments:?}");
    }
}

/// The fewest payments there can be, by trying who pays whom.
fn fewest(results: &[i128]) -> usize {
    let Some(first) = results.iter().position(|result| *result != 0) else { return 0 };
    let others = (first + 1..results.len()).filter(|i| results[*i] * results[first] < 0);
    let tries = others.map(|i| {
        let mut left = results.to_vec();
        left[i] += left[first];
        left[first] = 0;
        fewest(&left) + 1
    });
    tries.min().expect("somebody owes what another has won")
}

#[test]
fn there_is_no_way_with_fewer_payments() {
    let mut chance = Seeded::new("fewest");
    let mut draws = Draws::new(&mut chance);
    let mut saved = 0;
    for _ in 0..count(2_000, 20_000) {
        let size = 2 + draws.below(6) as usize;
        let mut results: Vec<i128> = (0..size).map(|_| i128::from(draws.below(9)) - 4).collect();
        results.push(-results.iter().sum::<i128>());
        let payments = ledger::settle(&results);
        assert_eq!(payments.len(), fewest(&results), "{results:?}");
        let open = results.iter().filter(|result| **result != 0).count();
        saved += usize::from(payments.len() + 1 < open);
        let mut left = results.clone();
        for (from, to, amount) in payments {
            assert!(amount > 0);
            left[from] += amount;
            left[to] -= amount;
        }
        assert!(left.iter().all(|left| *left == 0));
    }
    assert!(saved > 100, "{saved}");
    // Of very many there are never as many as players.
    let mut results: Vec<i128> = (0..200).map(|_| i128::from(draws.below(1_000)) - 500).collect();
    results.push(-results.iter().sum::<i128>());
    assert!(ledger::settle(&results).len() < results.len());
}

#[test]
fn who_adds_chips_or_takes_some_away_is_not_a_winner() {
    let [first, second, third] = [[100, 100], [150, 98], [60, 99]].map(|[a, b]| {
        format!(
            "variant = 'NT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\n\
             starting_stacks = [{a}, {b}]\nactions = ['d dh p1 ????', 'd dh p2 ????', 'p2 f']\n\
             players = ['A', 'B']\n"
        )
    });
    let mut ledger = Ledger::default();
    for text in [&first, &second, &third] {
        let hand = hands(text).expect("a file").remove(0).expect("a hand");
        ledger.add(&hand).expect("it is over");
    }
    let accounts = ledger.accounts();
    let money = |chips: i128| chips * 10_000;
    // A has 101 and adds 49, has 151 and takes 91; B has 99 and takes 1, has 97 and adds 2.
    let [(_, a), (_, b)] = accounts[..] else { panic!("two") };
    assert_eq!((a.bought, a.taken, a.result()), (money(149), money(152), money(3)));
    assert_eq!((b.bought, b.taken, b.result()), (money(102), money(99), money(-3)));
}

#[test]
fn what_is_posted_out_of_turn_is_not_of_the_own_will() {
    let told = stars::read(include_str!("session.txt")).expect("hands").remove(0).expect("a hand");
    let text = told.phh().replace("'p3 cbr 3', 'p4 cc'", "'p3 f', 'p4 cc'");
    let end = "'p5 f', 'p1 f', 'p2 cc', 'd db 2c7dJh', 'p2 cc', 'p4 cbr 2', 'p2 f']";
    let at = text.find("'p5 f'").expect("a fold");
    let rest = &text[text[at..].find(']').expect("an end") + at + 1..];
    let rest: String =
        rest.lines().filter(|l| !l.starts_with("finishing")).map(|l| format!("{l}\n")).collect();
    let text = format!("{}{end}{rest}", &text[..at]);
    let stats = stats(&[&text]);
    assert_eq!(stats.players["Bob: the cat"].vpip, share(0, 1));
}
