//! Hands: betting, pots, showdown.

use parlor_rules::{Chips, Draws, Reject as _, Seeded};
use parlor_rules_poker::bets::Bets;
use parlor_rules_poker::card::{Card, Cards};
use parlor_rules_poker::hand::{Action, Hand, Next, Rake, Setup, Status};
use parlor_rules_poker::notation::Line;
use parlor_rules_poker::pots::Pot;
use parlor_rules_poker::variant::{NT, VARIANTS, Variant};
use parlor_testkit::count;

fn chips(amounts: &[i64]) -> Vec<Chips> {
    amounts.iter().map(|amount| Chips::whole(*amount)).collect()
}

/// What is not the default of these tests: three or more players, blinds 1 and 2.
struct Table {
    stacks: Vec<Chips>,
    antes: Vec<Chips>,
    blinds: Vec<Chips>,
    variant: &'static Variant,
    ante_trimming: bool,
    dead: Chips,
    first: u8,
    active: u16,
    rake: Option<Rake>,
    chip: Chips,
    runs: u8,
}

impl Table {
    fn new(stacks: &[i64]) -> Self {
        let mut blinds = vec![Chips::ZERO; stacks.len()];
        (blinds[0], blinds[1]) = (Chips::whole(1), Chips::whole(2));
        Self {
            stacks: chips(stacks),
            antes: vec![Chips::ZERO; stacks.len()],
            blinds,
            variant: &NT,
            ante_trimming: true,
            dead: Chips::ZERO,
            first: if stacks.len() == 2 { 1 } else { 0 },
            active: u16::MAX,
            rake: None,
            chip: Chips::whole(1),
            runs: 1,
        }
    }

    fn begin(&self) -> Hand {
        let setup = Setup {
            variant: self.variant,
            stacks: &self.stacks,
            antes: &self.antes,
            ante_trimming: self.ante_trimming,
            blinds: &self.blinds,
            dead: self.dead,
            bets: Bets { small: Chips::whole(2), big: Chips::whole(4), bring_in: Chips::whole(1) },
            first: self.first,
            active: self.active,
            runs: self.runs,
            chip: self.chip,
            rake: self.rake,
        };
        Hand::new(&setup).unwrap()
    }

    fn play(&self, actions: &[&str]) -> Hand {
        let mut hand = self.begin();
        for action in actions {
            let line = Line::read(action).unwrap();
            hand.act(&line.action).unwrap_or_else(|fault| panic!("{action}: {fault:?}"));
        }
        hand
    }
}

/// Plays actions; the last is refused with this code, and changes nothing.
fn refused(table: &Table, actions: &[&str]) -> &'static str {
    let (last, before) = actions.split_last().unwrap();
    let hand = table.play(before);
    let mut after = hand;
    let fault = after.act(&Line::read(last).unwrap().action).expect_err(last);
    assert_eq!(after, hand, "a refusal changes nothing");
    fault.code()
}

fn stacks(hand: &Hand) -> Vec<Chips> {
    assert_eq!(hand.next(), Next::Over);
    hand.players().iter().map(|player| player.stack).collect()
}

const DEAL3: [&str; 3] = ["d dh p1 AsAh", "d dh p2 KsKh", "d dh p3 QsQh"];

fn after<'a>(deal: &[&'a str], actions: &[&'a str]) -> Vec<&'a str> {
    [deal, actions].concat()
}

#[test]
fn the_big_blind_may_raise_when_everyone_calls() {
    let hand = Table::new(&[100; 3]).play(&after(&DEAL3, &["p3 cc", "p1 cc"]));
    assert_eq!(hand.next(), Next::Act { player: 1 });
    let options = hand.options().unwrap();
    assert_eq!(options.call, Chips::ZERO);
    assert_eq!(options.raise, Some((Chips::whole(4), Chips::whole(100))));
}

#[test]
fn heads_up_the_button_has_the_small_blind_and_acts_first_then_last() {
    let table = Table::new(&[100, 100]);
    let hand = table.play(&["d dh p1 AsAh", "d dh p2 KsKh"]);
    assert_eq!(hand.next(), Next::Act { player: 0 });
    let hand = table.play(&["d dh p1 AsAh", "d dh p2 KsKh", "p1 cc", "p2 cc", "d db 2c3c4c"]);
    assert_eq!(hand.next(), Next::Act { player: 1 });
}

#[test]
fn a_raise_is_at_least_as_large_as_the_last_one() {
    let table = Table::new(&[100; 3]);
    let raise = |actions: &[&str]| refused(&table, &after(&DEAL3, actions));
    assert_eq!(raise(&["p3 cbr 3"]), "below_minimum");
    assert_eq!(raise(&["p3 cbr 10", "p1 cbr 17"]), "below_minimum");
    assert_eq!(raise(&["p3 cbr 101"]), "above_stack");
    table.play(&after(&DEAL3, &["p3 cbr 10", "p1 cbr 18"]));
}

#[test]
fn a_short_all_in_does_not_open_betting_again() {
    // p3 raises to 10, p1 is all-in for 14: less than the raise of 8 more. p2 has not acted and may
    // raise; p3 may only call.
    let table = Table::new(&[14, 100, 100]);
    let short = ["p3 cbr 10", "p1 cbr 14"];
    let hand = table.play(&after(&DEAL3, &short));
    assert_eq!(hand.options().unwrap().raise, Some((Chips::whole(22), Chips::whole(100))));
    let called = [&short[..], &["p2 cc"]].concat();
    let hand = table.play(&after(&DEAL3, &called));
    assert_eq!(hand.next(), Next::Act { player: 2 });
    assert_eq!(hand.options().unwrap().raise, None);
    let raised = [&called[..], &["p3 cbr 40"]].concat();
    assert_eq!(refused(&table, &after(&DEAL3, &raised)), "not_reopened");
}

#[test]
fn short_all_ins_together_may_open_it_again() {
    // A raise of 8 to 10, then all-ins to 14 and to 19: p4 faces 9 more and may raise again.
    let table = Table::new(&[14, 19, 100, 100]);
    let deal = ["d dh p1 AsAh", "d dh p2 KsKh", "d dh p3 QsQh", "d dh p4 JsJh"];
    let hand = table.play(&after(&deal, &["p3 f", "p4 cbr 10", "p1 cbr 14", "p2 cbr 19"]));
    assert_eq!(hand.next(), Next::Act { player: 3 });
    assert_eq!(hand.options().unwrap().raise, None, "nobody is left to call a raise");
    let table = Table::new(&[14, 19, 100, 100]);
    let hand =
        table.play(&after(&deal, &["p3 cc", "p4 cbr 10", "p1 cbr 14", "p2 cbr 19", "p3 cc"]));
    assert_eq!(hand.next(), Next::Act { player: 3 });
    assert_eq!(hand.options().unwrap().raise, Some((Chips::whole(27), Chips::whole(100))));
}

#[test]
fn side_pots_are_for_those_who_paid_them() {
    // 10, 30 and 100: the main pot is 30 for all, the side pot 40 for two; 70 go back to p3.
    let table = Table::new(&[10, 30, 100]);
    let all_in = after(&DEAL3, &["p3 cbr 100", "p1 cc", "p2 cc"]);
    let hand = table.play(&all_in);
    let pots = hand.pots();
    let pot = |amount, eligible| Pot { amount: Chips::whole(amount), eligible };
    assert_eq!(pots.all(), [pot(30, 0b111), pot(40, 0b110)]);
    let end = ["p3 sm QsQh", "p1 sm AsAh", "p2 sm KsKh", "d db 2c3d4h", "d db 7s", "d db 9c"];
    let hand = table.play(&[&all_in[..], &end].concat());
    assert_eq!(stacks(&hand), chips(&[30, 40, 70]));
    // Cards may be shown after the board as well.
    let end = ["d db 2c3d4h", "d db 7s", "d db 9c", "p3 sm QsQh", "p1 sm AsAh", "p2 sm KsKh"];
    let hand = table.play(&[&all_in[..], &end].concat());
    assert_eq!(stacks(&hand), chips(&[30, 40, 70]));
}

#[test]
fn a_pot_is_divided_to_the_last_chip_from_the_first_to_act_on() {
    // Two equal hands share 5: the odd chip goes to the first to act, p2 here.
    let mut table = Table::new(&[2, 2, 2]);
    table.dead = Chips::ZERO;
    table.antes = chips(&[1, 0, 0]);
    table.ante_trimming = false;
    let deal = ["d dh p1 2s3h", "d dh p2 AsKh", "d dh p3 AdKc"];
    let end = ["p3 cc", "p3 sm AdKc", "p1 sm", "p2 sm AsKh", "d db Qc7d8h", "d db 9s", "d db Tc"];
    let hand = table.play(&after(&deal, &end));
    assert_eq!(stacks(&hand), chips(&[0, 3, 3]), "an even pot has no odd chip");
    table.dead = Chips::whole(1);
    let hand = table.play(&after(&deal, &end));
    assert_eq!(stacks(&hand), chips(&[0, 4, 3]));
    table.chip = Chips::from_ten_thousandths(5_000);
    let hand = table.play(&after(&deal, &end));
    let half = Chips::from_ten_thousandths(5_000);
    assert_eq!(stacks(&hand), [Chips::ZERO, Chips::whole(3) + half, Chips::whole(3) + half]);
}

#[test]
fn what_nobody_matched_goes_back_and_is_not_raked() {
    let mut table = Table::new(&[100; 3]);
    table.rake = Some(Rake { per_10_000: 1_000, cap: None, no_flop_no_drop: false });
    let hand = table.play(&after(&DEAL3, &["p3 cbr 50", "p1 f", "p2 f"]));
    // A tenth of 1 + 2 + 2, in whole chips, is nothing.
    assert_eq!((stacks(&hand), hand.raked()), (chips(&[99, 98, 103]), Chips::ZERO));
    let flop = ["p3 cbr 20", "p1 f", "p2 cc", "d db 2c3d4h", "p2 cc", "p3 cbr 30", "p2 f"];
    let hand = table.play(&after(&DEAL3, &flop));
    assert_eq!((stacks(&hand), hand.raked()), (chips(&[99, 80, 117]), Chips::whole(4)));
    table.rake =
        Some(Rake { per_10_000: 1_000, cap: Some(Chips::whole(3)), no_flop_no_drop: true });
    let hand = table.play(&after(&DEAL3, &flop));
    assert_eq!((stacks(&hand), hand.raked()), (chips(&[99, 80, 118]), Chips::whole(3)));
    let hand = table.play(&after(&DEAL3, &["p3 cbr 60", "p1 f", "p2 f"]));
    assert_eq!(hand.raked(), Chips::ZERO);
}

#[test]
fn a_side_pot_that_its_last_player_gives_up_was_won_before() {
    // p1 is all-in for 10; p2 and p3 bet on, p2 folds first and then p3, who had won 2 x 10 by then.
    let table = Table::new(&[10, 100, 100]);
    let play =
        ["p3 cbr 10", "p1 cc", "p2 cbr 20", "p3 cc", "d db 2c3d4h", "p2 f", "p1 sm AsAh", "p3 sm"];
    let hand = table.play(&after(&DEAL3, &play));
    assert_eq!(stacks(&hand), chips(&[30, 80, 100]));
}

#[test]
fn dead_blinds_and_antes_of_one_are_for_all() {
    let mut table = Table::new(&[100; 3]);
    table.antes = chips(&[0, 2, 0]);
    table.ante_trimming = false;
    table.dead = Chips::whole(3);
    let hand = table.play(&after(&DEAL3, &["p3 f", "p1 f"]));
    assert_eq!(stacks(&hand), chips(&[99, 104, 100]));
    table.ante_trimming = true;
    let hand = table.play(&after(&DEAL3, &["p3 f", "p1 f"]));
    assert_eq!(stacks(&hand), chips(&[99, 104, 100]), "an ante that nobody matched goes back");
}

#[test]
fn who_sits_out_is_passed_over() {
    let mut table = Table::new(&[100; 4]);
    table.active = 0b1011;
    let deal = ["d dh p1 AsAh", "d dh p2 KsKh", "d dh p4 QsQh"];
    let hand = table.play(&deal);
    assert_eq!(hand.next(), Next::Act { player: 3 });
    assert_eq!(hand.players()[2].status, Status::Out);
    assert_eq!(refused(&table, &["d dh p3 AsAh"]), "no_such_player");
    assert_eq!(refused(&table, &after(&deal, &["p3 f"])), "no_such_player");
}

#[test]
fn what_does_not_fit_is_refused() {
    let table = Table::new(&[100; 3]);
    let code = |actions: &[&str]| refused(&table, actions);
    assert_eq!(code(&["p3 cc"]), "deal_first");
    assert_eq!(code(&["d db 2c3c4c"]), "wrong_deal");
    assert_eq!(code(&["d dh p1 AsAh", "d dh p2 AsKh"]), "card_twice");
    assert_eq!(code(&["d dh p1 AsAs"]), "card_twice");
    assert_eq!(code(&["d dh p1 AsKsQs"]), "wrong_deal");
    assert_eq!(code(&["d dh p1 AsAh", "d dh p1 KsKh"]), "wrong_deal");
    assert_eq!(code(&["d dh p9 AsAh"]), "no_such_player");
    let hand = |actions: &[&str]| code(&after(&DEAL3, actions));
    assert_eq!(hand(&["p1 cc"]), "not_your_turn");
    assert_eq!(hand(&["p3 sm"]), "no_showdown");
    assert_eq!(hand(&["p3 cc", "p1 cc", "p2 cc", "p1 cc"]), "deal_first");
    assert_eq!(hand(&["p3 cc", "p1 cc", "p2 cc", "d db 2c3c4c5c"]), "wrong_deal");
    assert_eq!(hand(&["p3 cc", "p1 cc", "p2 cc", "d db 2c3c??"]), "hidden_board");
    assert_eq!(hand(&["p3 cc", "p1 cc", "p2 cc", "d db 2c3cAs"]), "card_twice");
    assert_eq!(hand(&["p3 f", "p1 f", "p2 cc"]), "hand_over");
    assert_eq!(hand(&["p3 f", "p1 f", "p2 sm"]), "hand_over");
    assert_eq!(hand(&["p3 f", "p1 f", "p2 sm KsQd"]), "wrong_cards");
    let short = Table::new(&[100, 100, 1]);
    assert_eq!(refused(&short, &after(&DEAL3, &["p3 cbr 1"])), "too_short");
    let all_in = Table::new(&[10, 10, 100]);
    let raise = ["p3 cc", "p1 cbr 10", "p2 cc", "p3 cbr 50"];
    assert_eq!(refused(&all_in, &after(&DEAL3, &raise)), "nobody_to_raise");
    assert_eq!(hand(&["p3 cbr 100", "p1 cc", "p2 cc", "p3 cc"]), "no_betting");
}

#[test]
fn the_winner_of_a_pot_nobody_called_may_show() {
    let hand =
        Table::new(&[100; 3]).play(&after(&DEAL3, &["p3 cbr 6", "p1 f", "p2 f", "p3 sm QsQh"]));
    assert_eq!(stacks(&hand), chips(&[99, 98, 103]));
}

/// Random hands to their end: no chip is lost or made, nobody has less than nothing, and exactly
/// what is offered is accepted.
#[test]
fn random_hands_conserve_chips_and_accept_what_they_offer() {
    let mut chance = Seeded::new("hands");
    let mut draws = Draws::new(&mut chance);
    let (mut showdowns, mut side_pots, mut shorts) = (0, 0, 0);
    let (mut drawn, mut shared, mut run_out) = (0, 0, 0);
    for (round, variant) in (0..count(6_600, 220_000)).zip(VARIANTS.iter().cycle()) {
        let players = 2 + draws.below(u32::from(variant.seats) - 1) as usize;
        let amounts: Vec<i64> = (0..players).map(|_| 1 + i64::from(draws.below(60))).collect();
        let mut table = Table::new(&amounts);
        table.variant = variant;
        if !variant.has_blinds() {
            table.blinds.fill(Chips::ZERO);
        }
        table.chip = Chips::from_ten_thousandths([1, 5_000, 10_000][draws.below(3) as usize]);
        if draws.below(3) == 0 {
            table.antes = vec![Chips::whole(1); players];
            table.ante_trimming = draws.below(2) == 0;
        }
        if draws.below(4) == 0 && players > 2 && variant.has_blinds() {
            table.blinds[2] = Chips::whole(4);
        }
        table.runs = 1 + draws.below(3) as u8;
        table.dead = Chips::whole(i64::from(draws.below(2)) * 3);
        table.rake = (draws.below(2) == 0).then_some(Rake {
            per_10_000: 500,
            cap: Some(Chips::whole(3)),
            no_flop_no_drop: true,
        });
        let total: Chips = table.stacks.iter().copied().sum::<Chips>() + table.dead;
        let mut hand = table.begin();
        let mut deck = variant.deck();
        let mut deal = |draws: &mut Draws<'_>, hand: &Hand, cards: u8| -> Cards {
            let mut row = Cards::NONE;
            for _ in 0..cards {
                if deck.left() == 0 {
                    // All that nobody holds any more is shuffled again.
                    run_out += 1;
                    let live = hand.players().iter().filter(|player| player.status == Status::In);
                    let held = live.flat_map(|player| player.hole.known().collect::<Vec<_>>());
                    let board = hand.board();
                    let held = held.chain(board.known()).chain(row.known());
                    deck = variant.deck().without(held.map(Card::number).collect::<Vec<_>>());
                }
                let number = deck.at(draws.below(deck.left())).unwrap();
                deck.remove(number);
                row.push(Card::from_number(number));
            }
            row
        };
        loop {
            let action = match hand.next() {
                Next::Over => break,
                Next::Hole { player, cards } => {
                    Action::Hole { player, cards: deal(&mut draws, &hand, cards) }
                }
                Next::Board { cards } => {
                    shared += u32::from(!variant.has_blinds());
                    Action::Board { cards: deal(&mut draws, &hand, cards) }
                }
                Next::Draw { player } => {
                    let hole = hand.players()[usize::from(player)].hole;
                    let given: Cards = hole.known().filter(|_| draws.below(3) > 0).collect();
                    drawn += given.len();
                    assert!(hand.verify(&Action::Fold { player }).is_err());
                    Action::Discard { player, cards: given }
                }
                Next::BringIn { player } => {
                    assert!(hand.verify(&Action::Call { player }).is_err());
                    assert!(hand.verify(&Action::Fold { player }).is_err());
                    match (draws.below(3), hand.options().unwrap().raise) {
                        (0, Some((least, _))) => Action::Raise { player, to: least },
                        _ => Action::BringIn { player },
                    }
                }
                Next::Show { player } => {
                    showdowns += 1;
                    let hole = hand.players()[usize::from(player)].hole;
                    Action::Show { player, cards: (draws.below(4) > 0).then_some(hole) }
                }
                Next::Act { player } => {
                    let options = hand.options().unwrap();
                    let me = hand.players()[usize::from(player)];
                    assert!(me.stack > Chips::ZERO && options.call <= me.stack);
                    match (draws.below(6), options.raise) {
                        (0, _) if draws.below(3) == 0 => Action::Fold { player },
                        (1 | 2, Some((least, most))) => {
                            let under = least - Chips::from_ten_thousandths(1);
                            let over = most + Chips::from_ten_thousandths(1);
                            assert!(hand.verify(&Action::Raise { player, to: under }).is_err());
                            assert!(hand.verify(&Action::Raise { player, to: over }).is_err());
                            let to = if draws.below(2) == 0 { least } else { most };
                            shorts += u32::from(to - me.bet < least);
                            Action::Raise { player, to }
                        }
                        _ => {
                            let to = me.stack + me.bet;
                            if options.raise.is_none() {
                                assert!(hand.verify(&Action::Raise { player, to }).is_err());
                            }
                            Action::Call { player }
                        }
                    }
                }
            };
            hand.act(&action).unwrap_or_else(|fault| panic!("{round}: {action}: {fault:?}"));
            let on_table: Chips = hand.players().iter().map(|player| player.stack).sum();
            assert_eq!(on_table + hand.pot() + hand.raked(), total, "{round}: {action}");
            assert!(hand.players().iter().all(|player| player.stack >= Chips::ZERO));
            side_pots += u32::from(hand.pots().all().len() > 1);
        }
        assert_eq!(hand.pot(), Chips::ZERO);
    }
    assert!(
        showdowns > 1_000 && side_pots > 500 && shorts > 100,
        "{showdowns} {side_pots} {shorts}"
    );
    assert!(drawn > 1_000 && shared > 3 && run_out > 3, "{drawn} {shared} {run_out}");
}
