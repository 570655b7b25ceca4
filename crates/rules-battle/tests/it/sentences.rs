//! The chapters on layouts, AFK, disconnects and the end, a test for each sentence.

use crate::support::{Match, ONE, ZERO, slots};
use parlor_rules::{
    Chips, Draws, FlowKind, House, Input, Owner, Pending, Rules, Seat, Seeded, Viewer,
};
use parlor_rules_battle::Battle;
use parlor_rules_battle::card::{Card, Name};
use parlor_rules_battle::command::Command;
use parlor_rules_battle::event::{End, Event, Settlement};
use parlor_rules_battle::reject::Reject;
use parlor_rules_battle::state::{Config, Phase, SEATS};
use serde_json::{Value, json};

mod layout_finalization {
    use super::*;

    #[test]
    fn what_is_confirmed_is_used_as_it_is_and_its_player_is_active() {
        let mut game = Match::usual();
        game.draft(ZERO, "attack defense heal");
        game.confirm(ZERO, "counter - -");
        let (layouts, afk) = game.finalized();
        assert_eq!((layouts[0], afk[0]), (slots("counter - -"), false));
    }

    #[test]
    fn else_a_draft_with_a_card_is_used_its_empty_slots_filled_with_nothing() {
        let mut game = Match::usual();
        game.draft(ZERO, "attack - -");
        let (layouts, afk) = game.finalized();
        assert_eq!((layouts[0], afk[0]), ([Some(Card::Attack), None, None], false));
        game.expire();
        assert_eq!(game.hp(), [10, 8], "partial play is play");
        game.finish_round();
        assert_eq!(game.hp(), [10, 8], "and an empty slot does nothing");
    }

    #[test]
    fn else_three_slots_of_nothing_and_its_player_is_afk() {
        let mut game = Match::usual();
        let (layouts, afk) = game.finalized();
        assert_eq!((layouts, afk), ([slots("- - -"); 2], [true; 2]));
    }

    #[test]
    fn a_draft_without_a_card_is_three_slots_of_nothing_and_no_afk() {
        let mut game = Match::usual();
        game.draft(ZERO, "- - -");
        let (layouts, afk) = game.finalized();
        assert_eq!((layouts[0], afk), (slots("- - -"), [false, true]));
    }

    #[test]
    fn any_draft_counts_as_heard_even_of_nothing_but_rubbish() {
        let mut game = Match::usual();
        let layout = [(); 3].map(|()| Some(Name::Unknown("rubbish".to_owned())));
        let command = Command::LayoutDraft { layout };
        game.enter(&Input::Play { seat: ONE, command }).unwrap();
        assert_eq!(game.finalized().1, [true, false]);
    }

    #[test]
    fn any_confirm_counts_as_heard_even_a_refused_one() {
        let mut game = Match::usual();
        game.confirm(ONE, "attack attack attack");
        assert!(matches!(
            game.events.last(),
            Some(Event::ConfirmRefused { seat: ONE, slot: 2, .. })
        ));
        let (layouts, afk) = game.finalized();
        assert_eq!((layouts[1], afk), (slots("- - -"), [true, false]));
    }

    #[test]
    fn a_refused_confirm_leaves_the_draft_as_it_was() {
        let mut game = Match::usual();
        game.draft(ZERO, "- heal -");
        game.confirm(ZERO, "heal heal heal");
        assert_eq!(game.finalized().0[0], slots("- heal -"));
    }

    #[test]
    fn a_round_is_finalised_exactly_once() {
        let mut game = Match::usual();
        for round in 1..=3 {
            game.confirm(ZERO, "attack - -");
            game.confirm(ONE, "attack - -");
            game.finish_round();
            let times = game.events.iter().filter(|e| matches!(e, Event::Finalized { .. })).count();
            assert_eq!(times, round);
        }
    }

    #[test]
    fn what_is_heard_in_one_round_is_not_heard_in_the_next() {
        let mut game = Match::usual();
        game.draft(ZERO, "attack - -");
        game.draft(ONE, "attack - -");
        game.finish_round();
        assert_eq!(game.finalized(), ([slots("- - -"); 2], [true; 2]));
    }
}

mod afk {
    use super::*;

    #[test]
    fn a_player_is_afk_who_was_not_heard_in_the_round() {
        let mut game = Match::usual();
        game.confirm(ONE, "- - -");
        assert_eq!(game.finalized().1, [true, false]);
    }

    #[test]
    fn it_is_not_the_layout_that_tells() {
        // The same three empty slots, with and without a word.
        let mut said = Match::usual();
        said.draft(ZERO, "- - -");
        let mut silent = Match::usual();
        let (laid, afk) = said.finalized();
        let (laid_too, afk_too) = silent.finalized();
        assert_eq!(laid, laid_too);
        assert_eq!((afk[0], afk_too[0]), (false, true));
    }

    #[test]
    fn a_streak_grows_with_each_round_without_a_word_and_ends_with_a_word() {
        let mut game = Match::usual();
        game.draft(ONE, "heal - -");
        game.finish_round();
        assert_eq!(game.state.afk, [1, 0]);
        game.draft(ZERO, "- - -");
        game.finish_round();
        assert_eq!(game.state.afk, [0, 1]);
    }

    #[test]
    fn a_streak_of_both_grows_only_while_both_say_nothing() {
        let mut game = Match::usual();
        game.finish_round();
        assert_eq!((game.state.afk, game.end()), ([1, 1], None));
        // One of them wakes up: the other is out alone, and the pot does not burn.
        game.draft(ZERO, "- - -");
        game.finish_round();
        assert_eq!(game.end(), Some(End::Afk { loser: ONE }));
    }

    #[test]
    fn one_player_afk_for_two_rounds_loses_by_timeout_and_the_pot_goes_to_the_other() {
        for (awake, asleep) in [(ZERO, ONE), (ONE, ZERO)] {
            let mut game = Match::usual();
            for _ in 0..2 {
                game.draft(awake, "- - heal");
                game.finish_round();
            }
            assert_eq!(game.end(), Some(End::Afk { loser: asleep }));
            let last = game.flows.last().unwrap();
            assert_eq!((last.seat, last.kind, last.chips), (awake, FlowKind::Out, Chips::whole(2)));
            let told = game.told(Viewer::Seat(awake));
            assert_eq!(told["type"], "match_end");
            assert_eq!(told["reason"], "timeout");
            assert_eq!(told["loser"], json!(asleep));
            assert_eq!(told["winner"], json!(awake));
        }
    }

    #[test]
    fn both_afk_for_two_rounds_both_lose_by_timeout_and_the_pot_burns() {
        let mut game = Match::usual();
        game.finish_round();
        game.finish_round();
        assert_eq!(game.end(), Some(End::BothAfk));
        let burned: Vec<_> = game.flows[2..].iter().map(|f| (f.seat, f.kind, f.chips)).collect();
        let stake = Chips::whole(1);
        assert_eq!(burned, [(ZERO, FlowKind::Burned, stake), (ONE, FlowKind::Burned, stake)]);
        let told = game.told(Viewer::Seat(ONE));
        assert_eq!((&told["reason"], &told["potBurn"]), (&json!("timeout"), &json!(true)));
        assert_eq!((&told["bothLose"], &told["winner"]), (&json!(true), &Value::Null));
    }

    #[test]
    fn a_match_does_not_end_after_one_afk_round() {
        for awake in [None, Some(ZERO), Some(ONE)] {
            let mut game = Match::usual();
            if let Some(awake) = awake {
                game.draft(awake, "- - -");
            }
            game.finish_round();
            assert_eq!(game.end(), None);
        }
    }

    #[test]
    fn nor_after_two_that_are_not_in_a_row() {
        let mut game = Match::usual();
        for heard in [false, true, false, true, false, true] {
            if heard {
                game.draft(ZERO, "- - -");
                game.draft(ONE, "- - -");
            }
            game.finish_round();
            assert_eq!(game.end(), None);
        }
        assert_eq!(game.state.stage.round, 7);
    }

    #[test]
    fn the_second_afk_round_is_not_revealed() {
        let mut game = Match::usual();
        game.draft(ZERO, "attack - -");
        game.finish_round();
        game.draft(ZERO, "attack - -");
        let events = game.expire();
        assert!(matches!(events[..], [Event::Finalized { .. }, Event::MatchEnded(_)]));
        assert_eq!(game.hp(), [10, 8]);
    }

    #[test]
    fn in_prep_silence_alone_never_ends_a_match() {
        // Nothing but a deadline, a leave or the house can: nobody watches a silent connection.
        let game = Match::usual();
        assert!(matches!(Battle::pending(&game.state), Pending::Waiting { table: Some(_), .. }));
        assert_eq!(game.end(), None);
    }
}

mod disconnect {
    use super::*;

    fn phases() -> [Match; 3] {
        let prep = Match::usual();
        let mut begun = Match::usual();
        begun.confirm(ZERO, "attack - -");
        let mut reveal = Match::usual();
        reveal.draft(ONE, "attack - -");
        reveal.expire();
        [prep, begun, reveal]
    }

    #[test]
    fn who_disconnects_loses_at_once_and_the_other_wins() {
        for loser in SEATS {
            for mut game in phases() {
                assert_eq!(
                    game.left(loser),
                    Ok(vec![Event::MatchEnded(End::Gone { loser })]),
                    "nothing comes before"
                );
                assert_eq!(game.told(Viewer::Seat(loser))["reason"], "disconnect");
                assert_eq!(Battle::pending(&game.state), Pending::Over);
            }
        }
    }

    #[test]
    fn there_is_no_grace_by_the_rules() {
        assert_eq!(Battle::grace_ms(&Match::usual().state), Some(0));
        let mut game = Match::usual();
        game.left(ZERO).unwrap();
        assert_eq!(game.state.afk, [0, 0], "and no streak is needed");
    }

    #[test]
    fn the_pot_goes_to_the_winner() {
        for mut game in phases() {
            game.left(ZERO).unwrap();
            let paid = game.flows.last().unwrap();
            assert_eq!((paid.seat, paid.kind, paid.chips), (ONE, FlowKind::Out, Chips::whole(2)));
            assert_eq!(Battle::stake(&game.state), Chips::ZERO);
        }
    }

    #[test]
    fn if_everyone_is_gone_nobody_is_paid() {
        let mut game = Match::usual();
        game.enter(&Input::House(House::Close {})).unwrap();
        assert_eq!(game.end(), Some(End::BothGone));
        assert!(game.flows[2..].iter().all(|flow| flow.kind == FlowKind::Burned));
    }
}

mod match_end {
    use super::*;

    #[test]
    fn match_end_is_the_only_way_a_match_ends_and_both_are_told() {
        for seed in 0..200 {
            let mut chance = Seeded::new(&format!("end {seed}"));
            let mut draws = Draws::new(&mut chance);
            let mut game = Match::new(Config { hp: 4, ..Config::default() });
            while game.end().is_none() {
                let seat = SEATS[draws.below(2) as usize];
                let input = match draws.below(12) {
                    0 if seed % 4 == 0 => Input::House(House::Left { seat }),
                    0..6 => Input::Expire { seat: Owner::Table },
                    _ => match Battle::pick(&Battle::legal(&game.state, seat), &mut draws) {
                        Some(command) => Input::Play { seat, command },
                        None => continue,
                    },
                };
                let events = game.enter(&input).unwrap();
                let last = matches!(events.last(), Some(Event::MatchEnded(_)));
                assert_eq!(last, game.end().is_some());
            }
            for seat in SEATS {
                assert_eq!(game.told(Viewer::Seat(seat))["type"], "match_end");
            }
            assert_eq!(game.told(Viewer::Watcher)["type"], "match_end");
        }
    }

    #[test]
    fn normal_by_hp_at_nothing() {
        let mut game = Match::new(Config { hp: 2, ..Config::default() });
        game.draft(ZERO, "counter - -");
        game.draft(ONE, "attack - -");
        game.finish_round();
        assert_eq!((game.end(), game.hp()), (Some(End::Beaten { winner: ZERO }), [2, 0]));
    }

    #[test]
    fn normal_by_a_difference_at_the_round_limit_and_not_before() {
        let mut game = Match::usual();
        for round in 1..=3 {
            assert_eq!(game.end(), None, "round {round}");
            game.draft(ZERO, "attack - -");
            game.draft(ONE, "- heal -");
            game.finish_round();
        }
        assert_eq!(game.end(), Some(End::Beaten { winner: ZERO }));
    }

    #[test]
    fn every_end_has_its_reason_its_winner_and_what_becomes_of_the_pot() {
        use Settlement::{Burned, Returned, WinnerTakes};
        let table = [
            (End::Beaten { winner: ONE }, "normal", Some(ONE), WinnerTakes),
            (End::Afk { loser: ONE }, "timeout", Some(ZERO), WinnerTakes),
            (End::BothAfk, "timeout", None, Burned),
            (End::Gone { loser: ZERO }, "disconnect", Some(ONE), WinnerTakes),
            (End::BothGone, "disconnect", None, Burned),
            (End::Draw, "draw", None, Returned),
            (End::Closed, "closed", None, Returned),
        ];
        for (end, reason, winner, settlement) in table {
            assert_eq!(json!(end)["reason"], reason);
            assert_eq!((end.winner(), end.settlement()), (winner, settlement));
            assert_eq!(json!(end)["potBurn"], json!(settlement == Burned));
            assert_eq!(json!(end)["bothLose"], json!(settlement == Burned));
        }
    }

    #[test]
    fn an_end_reads_back_as_what_was_written_and_nothing_else_is_an_end() {
        for end in End::ALL {
            assert_eq!(serde_json::from_value::<End>(json!(end)).unwrap(), end);
        }
        let mut both = json!(End::BothAfk);
        both["winner"] = json!(0);
        assert!(serde_json::from_value::<End>(both).is_err());
    }

    #[test]
    fn a_match_that_has_ended_ignores_every_further_end() {
        let mut game = Match::usual();
        game.left(ZERO).unwrap();
        let ended = game.state.clone();
        for end in End::ALL {
            assert_eq!(Battle::flows(&game.state, &Event::MatchEnded(end)), []);
            Battle::apply(&mut game.state, &Event::MatchEnded(end));
            assert_eq!(game.state, ended, "the first end stands");
        }
    }

    #[test]
    fn and_nothing_can_be_said_that_would_end_it_again() {
        let mut game = Match::usual();
        game.left(ZERO).unwrap();
        let first = Battle::outcome(&game.state);
        for input in [
            Input::House(House::Left { seat: ONE }),
            Input::House(House::Left { seat: ZERO }),
            Input::House(House::Close {}),
            Input::Expire { seat: Owner::Table },
        ] {
            assert_eq!(game.enter(&input), Err(Reject::MatchOver));
            assert_eq!(Battle::outcome(&game.state), first);
        }
    }

    #[test]
    fn a_draw_gives_both_their_stakes_back_and_tells_both() {
        let mut game = Match::new(Config { hp: 1, stake: Chips::whole(7), ..Config::default() });
        game.draft(ZERO, "attack - -");
        game.draft(ONE, "attack - -");
        game.finish_round();
        assert_eq!(game.end(), Some(End::Draw));
        let back: Vec<_> = game.flows[2..].iter().map(|f| (f.seat, f.kind, f.chips)).collect();
        let stake = Chips::whole(7);
        assert_eq!(back, [(ZERO, FlowKind::Out, stake), (ONE, FlowKind::Out, stake)]);
        for seat in SEATS {
            assert_eq!(game.told(Viewer::Seat(seat))["reason"], "draw");
        }
    }
}

mod messages {
    use super::*;

    /// Every message and every view of a match, for every viewer.
    fn all_said(seed: u32) -> Vec<String> {
        let mut chance = Seeded::new(&format!("said {seed}"));
        let mut draws = Draws::new(&mut chance);
        let mut game = Match::new(Config { show_confirmed: seed & 1 == 0, ..Config::default() });
        let mut said = Vec::new();
        while game.end().is_none() {
            let seat = SEATS[draws.below(2) as usize];
            let grass = [(); 3].map(|()| Some(Name::Unknown("GRASS".to_owned())));
            let input = match draws.below(8) {
                0 => Input::Play { seat, command: Command::LayoutDraft { layout: grass } },
                1 => Input::Play { seat, command: Command::LayoutConfirm { layout: grass } },
                2..6 => Input::Expire { seat: Owner::Table },
                _ => match Battle::pick(&Battle::legal(&game.state, seat), &mut draws) {
                    Some(command) => Input::Play { seat, command },
                    None => continue,
                },
            };
            let Ok(events) = game.enter(&input) else { continue };
            for viewer in Viewer::all(2) {
                for event in &events {
                    let sight = Battle::sight(&game.state, event, viewer);
                    said.extend(sight.map(|sight| json!(sight).to_string()));
                }
                said.push(json!(Battle::view(&game.state, viewer)).to_string());
            }
        }
        said
    }

    #[test]
    fn the_placeholder_for_no_card_is_in_no_message_and_no_view() {
        let mut count = 0;
        for seed in 0..50 {
            for text in all_said(seed) {
                assert!(!text.to_lowercase().contains("grass"), "{text}");
                count += 1;
            }
        }
        assert!(count > 1_000);
    }

    #[test]
    fn each_message_is_told_from_the_side_of_its_viewer() {
        let mut game = Match::usual();
        let start = game.told(Viewer::Seat(ONE));
        let cards = json!(["attack", "defense", "heal", "counter"]);
        assert_eq!(start["type"], "prep_start");
        assert_eq!((&start["yourHand"], &start["cards"]), (&cards, &cards));
        assert_eq!((&start["roundIndex"], &start["pot"]), (&json!(1), &json!(2)));
        assert_eq!(start["within_ms"], 20_000);

        game.confirm(ZERO, "attack - -");
        assert_eq!(
            game.told(Viewer::Seat(ZERO)),
            json!({"type":"confirm_ok","roundIndex":1,"layout":["attack",null,null]})
        );
        for other in [Viewer::Seat(ONE), Viewer::Watcher] {
            assert_eq!(game.told(other), Value::Null);
        }
        game.expire();
        game.expire();
        let step = |your: &str, opp: &str, hp: [u8; 2], cards: [Value; 2]| {
            json!({"type":"step_reveal","roundIndex":1,"step":1,
                format!("{your}Card"):cards[0],format!("{opp}Card"):cards[1],
                format!("{your}Hp"):hp[0],format!("{opp}Hp"):hp[1]})
        };
        let (attack, none) = (json!("attack"), Value::Null);
        let mine = step("your", "opp", [10, 8], [attack.clone(), none.clone()]);
        assert_eq!(game.told(Viewer::Seat(ZERO)), mine);
        let theirs = step("your", "opp", [8, 10], [none.clone(), attack.clone()]);
        assert_eq!(game.told(Viewer::Seat(ONE)), theirs);
        assert_eq!(game.told(Viewer::Watcher), step("a", "b", [10, 8], [attack, none]));
    }

    #[test]
    fn the_messages_that_begin_and_end_have_all_their_fields() {
        let mut game = Match::usual();
        let hand = json!(["attack", "defense", "heal", "counter"]);
        let told = |game: &Match, at: usize, viewer| {
            json!(Battle::sight(&game.state, &game.events[at], viewer))
        };
        assert_eq!(
            told(&game, 0, Viewer::Seat(ONE)),
            json!({"type":"match_found","yourSeat":1,"yourHand":hand,"oppHand":hand,"yourHp":10,
                "oppHp":10,"stake":1,"pot":2})
        );
        assert_eq!(
            told(&game, 0, Viewer::Watcher),
            json!({"type":"match_found","aHand":hand,"bHand":hand,"aHp":10,"bHp":10,"stake":1,
                "pot":2})
        );
        assert_eq!(
            told(&game, 1, Viewer::Seat(ONE)),
            json!({"type":"prep_start","roundIndex":1,"suddenDeath":false,"within_ms":20_000,
                "yourHp":10,"oppHp":10,"pot":2,"yourHand":hand,"oppHand":hand,"cards":hand})
        );
        assert_eq!(
            told(&game, 1, Viewer::Watcher),
            json!({"type":"prep_start","roundIndex":1,"suddenDeath":false,"within_ms":20_000,
                "aHp":10,"bHp":10,"pot":2,"aHand":hand,"bHand":hand})
        );
        game.draft(ZERO, "attack - -");
        game.finish_round();
        let ended = game.events.iter().position(|e| matches!(e, Event::RoundEnded { .. }));
        assert_eq!(
            told(&game, ended.unwrap(), Viewer::Seat(ONE)),
            json!({"type":"round_end","roundIndex":1,"yourHp":8,"oppHp":10})
        );
        game.left(ZERO).unwrap();
        let end = json!({"type":"match_end","reason":"disconnect","winner":1,"loser":0,
            "potBurn":false,"bothLose":false,"pot":2});
        let with = |hp: Value| {
            let mut whole = end.clone();
            whole.as_object_mut().unwrap().extend(hp.as_object().unwrap().clone());
            whole
        };
        assert_eq!(game.told(Viewer::Seat(ONE)), with(json!({"yourHp":8,"oppHp":10})));
        assert_eq!(game.told(Viewer::Watcher), with(json!({"aHp":10,"bHp":8})));
    }

    #[test]
    fn a_sender_is_told_what_is_wrong_and_nobody_else_is() {
        let mut game = Match::usual();
        game.confirm(ONE, "heal attack attack");
        let told = game.told(Viewer::Seat(ONE));
        assert_eq!((&told["type"], &told["code"]), (&json!("error_msg"), &json!("invalid_card")));
        assert_eq!(told["code"], json!(game.events.last())["code"], "one word for one thing");
        assert!(told["text"].as_str().unwrap().starts_with("slot 3 asks for a card"), "{told}");
        game.draft(ONE, "attack attack -");
        let told = game.told(Viewer::Seat(ONE));
        assert_eq!((&told["type"], &told["code"]), (&json!("error_msg"), &json!("invalid_card")));
        for other in [Viewer::Seat(ZERO), Viewer::Watcher] {
            assert_eq!(game.told(other), Value::Null);
        }
        game.draft(ONE, "attack - -");
        assert_eq!(game.told(Viewer::Seat(ONE)), Value::Null, "nothing is wrong with this one");
    }

    #[test]
    fn a_round_is_told_in_the_order_of_the_contract() {
        let mut game = Match::usual();
        game.draft(ZERO, "attack - -");
        game.finish_round();
        let told: Vec<Value> = game
            .events
            .iter()
            .filter_map(|event| Battle::sight(&game.state, event, Viewer::Seat(ZERO)))
            .map(|sight| json!(sight)["type"].clone())
            .collect();
        let order = [
            "match_found",
            "prep_start",
            "step_reveal",
            "step_reveal",
            "step_reveal",
            "round_end",
            "prep_start",
        ];
        assert_eq!(told, order.map(Value::from));
    }

    #[test]
    fn an_event_has_one_form() {
        let event = json!({"type":"drafted","seat":0,"layout":[null,"heal",null],
            "tag":"[INVALID_CARD_FROM_CLIENT]"});
        let read: Event = serde_json::from_value(event.clone()).unwrap();
        assert_eq!(json!(read), event);
        for (field, wrong) in [
            ("tag", json!({"[INVALID_CARD_FROM_CLIENT]":null})),
            ("tag", Value::Null),
            ("tag", json!("other")),
            ("layout", json!([null, "GRASS", null])),
            ("layout", json!([null, {"heal":null}, null])),
            ("more", json!(1)),
        ] {
            let mut other = event.clone();
            other[field] = wrong;
            assert!(serde_json::from_value::<Event>(other.clone()).is_err(), "{other}");
        }
    }

    #[test]
    fn a_seat_that_is_not_there_is_nobody() {
        let mut game = Match::usual();
        let seat = Seat::new(9);
        let before = game.state.clone();
        let layout = slots("attack - -");
        Battle::apply(&mut game.state, &Event::Drafted { seat, layout, tag: None });
        Battle::apply(&mut game.state, &Event::Confirmed { seat, layout });
        assert_eq!(game.state, before);
        assert!(matches!(game.state.phase, Phase::Prep(_)));
    }
}
