//! How one hand follows another, by the scenes of the contract and against a second version that
//! turns the row of blinds step by step.

use parlor_rules::{Chips, Seat};
use parlor_rules_poker::seats::{
    self, Blinds, Column, Following, Intent, NoNext, SmallBlind, posts,
};
use parlor_testkit::count;

const SMALL: Chips = Chips::whole(1);
const BIG: Chips = Chips::whole(2);
const CAP: Chips = Chips::whole(3);

fn chips(amounts: &[i64]) -> Vec<Chips> {
    amounts.iter().map(|amount| Chips::whole(*amount)).collect()
}

/// A row of players with these blinds, all of whom play.
fn row(blinds: &[i64]) -> Vec<Column> {
    let column = |(who, blind): (usize, &i64)| Column {
        seat: Seat::new(who as u8),
        stack: Chips::whole(100),
        ante: Chips::ZERO,
        blind: Chips::whole(*blind),
        intent: Intent::Play,
        inactive: false,
        debt: Chips::ZERO,
        dead: Chips::ZERO,
        short: false,
    };
    blinds.iter().enumerate().map(column).collect()
}

/// The next hand, for the blinds that stand in the row.
fn next(columns: &[Column]) -> Result<Following, NoNext> {
    let levels = Blinds::of(&blinds(columns)).map_or(Vec::new(), |blinds| blinds.levels);
    let button = button(columns).ok_or(NoNext::NoBlinds)?;
    seats::next(columns, button, &levels, SmallBlind::Positional)
}

/// Who has the button where everybody in the row plays.
fn button(columns: &[Column]) -> Option<Seat> {
    let all: Vec<Column> = columns.iter().map(|c| Column { inactive: false, ..*c }).collect();
    Some(columns[usize::from(posts(&all)?.button)].seat)
}

fn blinds(columns: &[Column]) -> Vec<Chips> {
    columns.iter().map(|column| column.blind).collect()
}

fn state(column: &Column) -> (bool, u8, Chips) {
    (column.inactive, column.intent.number(), column.debt)
}

#[test]
fn blinds_go_round_by_one() {
    let mut columns = row(&[1, 2, 0]);
    for expected in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
        columns = next(&columns).unwrap().columns;
        assert_eq!(blinds(&columns), chips(&expected));
    }
    let mut pair = row(&[1, 2]);
    for expected in [[2, 1], [1, 2]] {
        pair = next(&pair).unwrap().columns;
        assert_eq!(blinds(&pair), chips(&expected), "two alternate");
    }
}

#[test]
fn a_straddle_is_not_the_big_blind() {
    let found = |amounts: &[i64]| Blinds::of(&chips(amounts)).map(|b| (b.small, b.big));
    assert_eq!(found(&[1, 2, 4, 0]), Some((0, 1)));
    assert_eq!(found(&[4, 0, 1, 2]), Some((2, 3)));
    assert_eq!(found(&[2, 4, 1]), Some((2, 0)));
    assert_eq!(found(&[0, 0, 2]), Some((1, 2)), "a blind alone is the big one");
    assert_eq!(found(&[1, 2]), Some((0, 1)));
    assert_eq!(found(&[2, 1]), Some((1, 0)));
    assert_eq!(found(&[1, 0, 2, 0, 3]), None);
    assert_eq!(found(&[1, 0, 2, 0]), Some((0, 2)), "the small blind may stand apart");
    assert_eq!(found(&[2, 0, 1, 0]), Some((2, 0)));
    assert_eq!(found(&[2, 1, 0]), Some((1, 0)), "two played, and one has come");
    assert_eq!(found(&[2, 0, 1, 0]), Some((2, 0)), "three played, and one has come");
    assert_eq!(found(&[4, 0, 1, 2, 0, 0]), Some((2, 3)));
    assert_eq!(found(&[0, 0, 0]), None);
    assert_eq!(found(&[1]), None);
    let following = next(&row(&[1, 2, 4, 0, 0])).unwrap();
    assert_eq!(blinds(&following.columns), chips(&[0, 1, 2, 4, 0]));
}

#[test]
fn who_joins_plays_the_next_hand() {
    let mut columns = row(&[1, 2, 0]);
    columns[2].inactive = true;
    let following = next(&columns).unwrap().columns;
    assert_eq!(blinds(&following), chips(&[0, 1, 2]));
    assert!(following.iter().all(|column| state(column) == (false, 0, Chips::ZERO)));
}

#[test]
fn who_waits_for_the_big_blind_comes_back_on_it_for_nothing() {
    // Hands 3, 4 and 5 of the contract.
    let mut columns = row(&[0, 1, 2]);
    columns[1].intent = Intent::Wait;
    let fourth = next(&columns).unwrap().columns;
    assert_eq!(blinds(&fourth), chips(&[2, 0, 1]));
    assert_eq!(state(&fourth[1]), (true, 1, Chips::ZERO), "no blind was missed");
    let fifth = next(&fourth).unwrap().columns;
    assert_eq!(blinds(&fifth), chips(&[1, 2, 0]));
    assert_eq!(state(&fifth[1]), (false, 0, Chips::ZERO));
}

#[test]
fn who_pauses_owes_the_blinds_and_pays_them_on_an_early_return() {
    // Hands 6 and 7 of the contract.
    let mut columns = row(&[2, 0, 1]);
    columns[1].intent = Intent::Pause;
    columns[1].inactive = true;
    let mut sixth = next(&columns).unwrap().columns;
    assert_eq!(blinds(&sixth), chips(&[0, 1, 2]));
    assert_eq!(state(&sixth[1]), (true, 2, CAP));
    sixth[1].intent = Intent::Play;
    let seventh = next(&sixth).unwrap().columns;
    // The contract prints the blinds of hand 6 once more, which is an erratum: they go round.
    assert_eq!(blinds(&seventh), chips(&[2, 0, 1]));
    assert_eq!(state(&seventh[1]), (false, 0, Chips::ZERO));
    assert_eq!((seventh[1].stack, seventh[1].dead), (Chips::whole(97), CAP));
}

#[test]
fn who_leaves_is_gone_from_the_next_hand() {
    // Hands 8 and 9 of the contract.
    let mut columns = row(&[0, 1, 2]);
    (columns[0].intent, columns[0].inactive) = (Intent::Leave, true);
    let following = next(&columns).unwrap();
    assert_eq!(blinds(&following.columns), chips(&[1, 2]));
    assert_eq!(
        following.columns.iter().map(|column| column.seat.index()).collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(following.removed.len(), 1);
}

#[test]
fn who_cannot_pay_is_flagged_first_and_gone_then() {
    let mut columns = row(&[1, 2, 0, 0]);
    columns[3].inactive = true;
    (columns[3].debt, columns[3].stack) = (CAP, CAP);
    let flagged = next(&columns).unwrap().columns;
    assert_eq!(state(&flagged[3]), (true, 3, CAP), "the debt leaves nothing to play with");
    assert_eq!(flagged[3].stack, CAP, "and is not paid");
    let gone = next(&flagged).unwrap();
    assert_eq!(gone.columns.len(), 3);
    // A rebuy in between clears the flags.
    let mut rebought = flagged;
    rebought[3].stack += Chips::whole(50);
    rebought[3].intent = Intent::Play;
    let back = next(&rebought).unwrap().columns;
    assert_eq!(state(&back[3]), (false, 0, Chips::ZERO));
    // Who plays and is short posts what there is.
    let mut short = row(&[1, 2, 0]);
    short[2].stack = Chips::whole(1);
    assert!(next(&short).unwrap().columns[2].plays());
    short[2].stack = Chips::ZERO;
    assert_eq!(next(&short).unwrap().columns.len(), 2, "who has nothing is gone");
}

#[test]
fn a_table_of_one_waits() {
    let mut columns = row(&[1, 2, 0]);
    columns[0].intent = Intent::Pause;
    columns[1].intent = Intent::Pause;
    assert_eq!(next(&columns), Err(NoNext::TooFew));
    columns[1].intent = Intent::Wait;
    let following = next(&columns).unwrap().columns;
    assert_eq!(state(&following[1]), (false, 0, Chips::ZERO), "nobody waits for what cannot come");
    columns[0].intent = Intent::Leave;
    columns[1].intent = Intent::Leave;
    assert_eq!(next(&columns), Err(NoNext::TooFew));
}

#[test]
fn a_sitting_out_small_blind_is_dead_and_two_play_heads_up() {
    let mut columns = row(&[0, 1, 2, 0]);
    columns[1].inactive = true;
    let posted = posts(&columns).unwrap();
    assert_eq!((posted.blinds, posted.first, posted.active), (chips(&[0, 0, 2, 0]), 1, 0b1101));
    columns[3].inactive = true;
    let posted = posts(&columns).unwrap();
    assert_eq!((posted.blinds, posted.first, posted.active), (chips(&[1, 0, 2, 0]), 2, 0b0101));
}

/// The same, slowly: leavers out, then the row of blinds turned by one until somebody takes the big
/// blind; whoever stays out pays for every turn.
fn by_turning(columns: &[Column]) -> Option<Vec<Column>> {
    let old: Vec<Chips> = blinds(columns);
    let mut left: Vec<Column> = columns.to_vec();
    let count = columns.len();
    let big_was = if count == 2 {
        usize::from(old[1] >= old[0])
    } else {
        // The big blind stands behind the small one.
        (0..count).find(|i| old[(i + count - 1) % count] == SMALL && old[*i] == BIG)?
    };
    let button_was = if count == 2 { 1 - big_was } else { (big_was + count - 2) % count };
    let gone = |column: &Column| column.intent == Intent::Leave || column.stack == Chips::ZERO;
    // The first seat that is still there, from this one on round the table.
    let still = |from: usize| (0..count).map(|i| (from + i) % count).find(|i| !gone(&columns[*i]));
    let first = columns[still(big_was + 1)?].seat;
    let button = columns[still(button_was + 1)?].seat;
    left.retain(|column| !gone(column));
    if left.len() < 2 {
        return None;
    }
    let place =
        |left: &[Column], who: Seat| left.iter().position(|column| column.seat == who).unwrap();
    let n = left.len();
    let mut big = place(&left, first);
    if n == 2 {
        big = 1 - place(&left, button);
    }
    let mut turns = 0;
    loop {
        let column = &left[big];
        let takes = match column.intent {
            Intent::Play | Intent::Wait => !column.inactive || column.stack >= BIG,
            _ => false,
        };
        for (i, column) in left.iter_mut().enumerate() {
            let stays_out = matches!(column.intent, Intent::Wait | Intent::Pause);
            let on_big = i == big;
            let on_small = i == (big + n - 1) % n;
            if stays_out && !(on_big && takes) {
                if on_big {
                    column.debt = (column.debt + BIG).min(CAP);
                }
                if on_small {
                    column.debt = (column.debt + SMALL).min(CAP);
                }
            }
        }
        if takes || n == 2 {
            break;
        }
        big = (big + 1) % n;
        turns += 1;
        if turns == n {
            return None;
        }
    }
    for (i, column) in left.iter_mut().enumerate() {
        column.blind = if i == big {
            BIG
        } else if i == (big + n - 1) % n {
            SMALL
        } else {
            Chips::ZERO
        };
    }
    let mut after = left.clone();
    let decide = |column: &mut Column, on_big: bool| match column.intent {
        Intent::Play if !column.inactive => {}
        Intent::Play => {
            let debt = if on_big { Chips::ZERO } else { column.debt };
            if column.stack >= debt + column.blind && column.stack > debt {
                (column.stack, column.dead) = (column.stack - debt, debt);
                (column.debt, column.inactive) = (Chips::ZERO, false);
            } else {
                (column.debt, column.intent, column.short) = (debt, Intent::Leave, true);
            }
        }
        Intent::Wait if on_big && (!column.inactive || column.stack >= BIG) => {
            (column.intent, column.inactive, column.debt) = (Intent::Play, false, Chips::ZERO);
        }
        _ => column.inactive = true,
    };
    for (i, column) in after.iter_mut().enumerate() {
        decide(column, i == big);
    }
    let playing = |row: &[Column]| row.iter().filter(|column| !column.inactive).count();
    if playing(&after) < 2 {
        for column in &mut after {
            if column.intent == Intent::Wait {
                (column.intent, column.debt) = (Intent::Play, Chips::ZERO);
                decide(column, false);
            }
        }
    }
    (playing(&after) >= 2 && !after[big].inactive).then_some(after)
}

/// What a seat may do between two hands.
const MOODS: [(bool, Intent, i64, i64); 8] = [
    (false, Intent::Play, 0, 100),
    (false, Intent::Pause, 0, 100),
    (false, Intent::Wait, 0, 100),
    (true, Intent::Leave, 2, 100),
    (true, Intent::Play, 3, 100),
    (true, Intent::Pause, 1, 100),
    (true, Intent::Wait, 0, 100),
    (true, Intent::Play, 3, 3),
];

/// Every way in which every seat of a table can play, pause, wait, leave, return or be too poor to.
#[test]
fn every_table_goes_on_as_by_turning() {
    let (seats, moods) = if count(0, 1) == 1 { (9, 4) } else { (6, 4) };
    let (mut hands, mut waits) = (0u64, 0u64);
    for n in 2..=seats {
        // With few seats all moods are tried, with many the four that matter most.
        let moods = if n <= 5 { MOODS.len() } else { moods };
        for big in 0..n {
            let mut start = vec![0; n];
            start[big] = 2;
            start[(big + n - 1) % n] = 1;
            for choice in 0..moods.pow(n as u32) {
                let mut columns = row(&start);
                let mut rest = choice;
                for column in &mut columns {
                    // Of the first four, a return stands for a wait.
                    let pick = [0, 1, 3, 4, 2, 5, 6, 7][rest % moods];
                    let (inactive, intent, debt, stack) = MOODS[pick];
                    (column.inactive, column.intent) = (inactive, intent);
                    (column.debt, column.stack) = (Chips::whole(debt), Chips::whole(stack));
                    rest /= moods;
                }
                let expected = by_turning(&columns);
                let found = next(&columns).ok().map(|following| following.columns);
                assert_eq!(found, expected, "{columns:#?}");
                let Some(found) = found else {
                    waits += 1;
                    continue;
                };
                hands += 1;
                let bigs = found.iter().filter(|column| column.blind == BIG);
                assert_eq!(bigs.filter(|column| column.plays()).count(), 1, "{found:?}");
                assert!(
                    found.is_sorted_by_key(|column| column.seat.index()),
                    "seats stay in order"
                );
                assert!(found.iter().all(|column| column.debt <= CAP));
                assert!(found.iter().all(|column| column.inactive || column.debt == Chips::ZERO));
                let posted = posts(&found).unwrap();
                assert_eq!(posted.blinds.iter().filter(|post| **post == BIG).count(), 1);
            }
        }
    }
    assert!(hands > 10_000 && waits > 100, "{hands} hands, {waits} tables that wait");
}

/// Nobody pays the big blind in two hands running, unless everybody between has gone.
#[test]
fn nobody_pays_the_big_blind_twice_in_a_row() {
    for n in 3..=9 {
        let mut start = vec![0; n];
        (start[0], start[1]) = (1, 2);
        let mut columns = row(&start);
        for hand in 0..50 {
            let big = |columns: &[Column]| columns.iter().find(|c| c.blind == BIG).unwrap().seat;
            let before = big(&columns);
            columns[hand % n].intent = if hand % 3 == 0 { Intent::Pause } else { Intent::Play };
            columns = match next(&columns) {
                Ok(following) => following.columns,
                Err(_) => break,
            };
            let playing = columns.iter().filter(|column| column.plays()).count();
            assert!(big(&columns) != before || playing < 2, "{columns:?}");
        }
    }
}

#[test]
fn by_the_fair_rule_the_small_blind_goes_where_the_big_one_was() {
    // A had the big blind, B pauses: it goes to C, and A posts the small blind all the same.
    let levels = chips(&[1, 2]);
    let mut columns = row(&[2, 0, 0, 1]);
    (columns[1].intent, columns[1].inactive) = (Intent::Pause, true);
    let fair = |columns: &[Column]| {
        let button = button(columns).unwrap();
        seats::next(columns, button, &levels, SmallBlind::PreviousBig).unwrap().columns
    };
    let after = fair(&columns);
    assert_eq!(blinds(&after), chips(&[1, 0, 2, 0]));
    assert_eq!(after[1].debt, BIG, "the big blind was missed, and the small one never came");
    let then = fair(&after);
    assert_eq!(blinds(&then), chips(&[0, 0, 1, 2]));
    // Where it was, somebody may be gone: then nobody posts it.
    let mut gone = after;
    gone[2].intent = Intent::Leave;
    let last = fair(&gone);
    assert_eq!(last.iter().map(|column| column.seat.index()).collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(blinds(&last), chips(&[0, 0, 2]));
}

#[test]
fn the_button_of_two_beside_a_third_goes_on_when_the_third_leaves() {
    // B pauses between A and C, who play alone: C has the button and the small blind.
    let mut columns = row(&[2, 0, 1]);
    (columns[1].intent, columns[1].inactive) = (Intent::Pause, true);
    let posted = posts(&columns).unwrap();
    assert_eq!((posted.button, posted.blinds), (2, chips(&[2, 0, 1])));
    let levels = chips(&[1, 2]);
    columns[1].intent = Intent::Leave;
    let button = columns[2].seat;
    let after = seats::next(&columns, button, &levels, SmallBlind::Positional).unwrap().columns;
    assert_eq!(blinds(&after), chips(&[1, 2]), "A had the big blind and has the button now");
}

#[test]
fn who_is_short_of_a_debt_is_marked_so_and_who_wants_to_leave_is_not() {
    let mut columns = row(&[1, 2, 0, 0]);
    for i in [0, 3] {
        (columns[i].inactive, columns[i].debt) = (true, CAP);
    }
    columns[0].stack = CAP;
    columns[3].intent = Intent::Pause;
    let after = next(&columns).unwrap().columns;
    let marks: Vec<_> = after.iter().map(|column| (column.intent, column.short)).collect();
    let (play, pause) = ((Intent::Play, false), (Intent::Pause, false));
    assert_eq!(marks, [(Intent::Leave, true), play, play, pause]);
}
