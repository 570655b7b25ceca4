//! A match at a table: deadlines that time alone drives, and updates that give nothing away.

use crate::support::{ONE, ZERO};
use parlor_rules::{AnyGame, Erased, House, Input, Owner, Pending, Seat, Viewer, json};
use parlor_rules_battle::Battle;
use parlor_table::audit::audit;
use parlor_table::{
    Act, Desk, Keys, NewTable, Options, Stamp, Stored, Submitted, Table, Tail, Update, Who,
};
use serde_json::{Value, json as value};

static BATTLE: Erased<Battle> = Erased::new();

struct Room {
    table: Table,
    header: String,
    log: Vec<Stored>,
    now_ms: u64,
    /// All that was ever sent, as it was sent.
    sent: Vec<(Viewer, String)>,
}

impl Room {
    /// A match with people on both chairs.
    fn new(config: &str, options: Options) -> Self {
        let config = serde_json::from_str(config).unwrap();
        let table = "t-1".parse().unwrap();
        let keys = Keys::from_secret("secret");
        let new = NewTable { table, game: &BATTLE, config, seats: 2, options, keys, now_ms: 1_000 };
        let (table, header) = Table::open(new).unwrap();
        let mut room = Self { table, header, log: Vec::new(), now_ms: 1_000, sent: Vec::new() };
        for (seat, account) in [(ZERO, 10), (ONE, 11)] {
            room.enter(Act::Desk(Desk::Sit { seat, who: Who::Account(account), tip: None }))
                .unwrap();
        }
        room.enter(Act::Game(Input::House(House::Begin {}))).unwrap();
        room
    }

    fn usual() -> Self {
        Self::new("{}", Options::default())
    }

    fn enter(&mut self, act: Act) -> Result<Vec<Update>, &'static str> {
        let submitted = self.table.submit(act, &Stamp::default(), self.now_ms);
        let Submitted::Entry(pending) = submitted.map_err(|refusal| refusal.code)? else {
            return Ok(Vec::new());
        };
        self.log.push((*pending.stored).clone());
        let updates = self.table.commit(*pending).unwrap();
        let text = |update: &Update| (update.audience, json(update).get().to_owned());
        self.sent.extend(updates.iter().map(text));
        Ok(updates)
    }

    fn say(&mut self, seat: Seat, kind: &str, layout: Value) -> Result<Vec<Update>, &'static str> {
        let command = json(&value!({"type": kind, "layout": layout}));
        self.enter(Act::Game(Input::Play { seat, command }))
    }

    /// What time and presence bring up to this moment.
    fn pass(&mut self, ms: u64) -> Vec<Act> {
        self.now_ms += ms;
        let mut done = Vec::new();
        while let Some((act, _)) = self.table.due(self.now_ms) {
            self.enter(act.clone()).unwrap();
            done.push(act);
            assert!(done.len() < 100, "it never ends: {done:?}");
        }
        done
    }

    /// Lets time pass from deadline to deadline until the match is over.
    fn play_out(&mut self) {
        while let Some(at) = self.table.next_ms() {
            self.pass(at - self.now_ms);
        }
        assert_eq!(*self.table.pending(), Pending::Over);
    }

    fn outcome(&self) -> Value {
        serde_json::from_str(self.table.outcome().expect("it is over").get()).unwrap()
    }

    fn view(&self, seat: Seat) -> Value {
        let current = self.table.current(Viewer::Seat(seat)).unwrap();
        serde_json::from_str(current.view.get()).unwrap()
    }

    /// All that was sent to others than this seat.
    fn sent_past(&self, seat: Seat) -> Vec<(Viewer, String)> {
        let past = |(viewer, _): &&(Viewer, String)| *viewer != Viewer::Seat(seat);
        self.sent.iter().filter(past).cloned().collect()
    }
}

#[test]
fn time_alone_drives_a_match_from_start_to_end() {
    let mut room = Room::usual();
    let began = room.now_ms;
    let mut deadlines = Vec::new();
    while let Some(at) = room.table.next_ms() {
        deadlines.push(at - room.now_ms);
        let done = room.pass(at - room.now_ms);
        assert!(matches!(done[..], [Act::Game(Input::Expire { seat: Owner::Table })]));
    }
    assert_eq!(deadlines, [20_000, 250, 900, 900, 20_000]);
    assert_eq!(room.now_ms - began, 42_050);
    assert_eq!(room.outcome()["settlement"], "burned");
}

#[test]
fn a_deadline_is_not_moved_by_drafts_and_ended_by_two_confirmations() {
    let mut room = Room::usual();
    let until = room.table.until_ms(Owner::Table).unwrap();
    room.now_ms += 7_000;
    room.say(ZERO, "layout_draft", value!(["attack", null, null])).unwrap();
    room.say(ZERO, "layout_confirm", value!(["attack", null, null])).unwrap();
    assert_eq!(room.table.until_ms(Owner::Table), Some(until));
    room.say(ONE, "layout_confirm", value!([null, null, null])).unwrap();
    assert_eq!(room.table.until_ms(Owner::Table), Some(room.now_ms + 250));
}

#[test]
fn a_message_after_the_deadline_is_too_late() {
    let mut room = Room::usual();
    room.pass(19_999);
    room.say(ZERO, "layout_draft", value!(["attack", null, null])).unwrap();
    room.pass(1);
    let late = room.say(ZERO, "layout_confirm", value!(["heal", null, null]));
    assert_eq!(late.unwrap_err(), "not_in_prep");
    assert_eq!(room.view(ZERO)["yourDraft"], value!(["attack", null, null]));
}

#[test]
fn what_is_laid_is_sent_to_nobody_else_and_makes_no_question_stale() {
    let mut room = Room::usual();
    let ask = room.table.current(Viewer::Seat(ONE)).unwrap().ask;
    let before = room.sent_past(ZERO);
    for layout in [value!(["attack", null, null]), value!(["bad", "bad", "heal"])] {
        let updates = room.say(ZERO, "layout_draft", layout).unwrap();
        assert!(updates.iter().all(|update| update.audience == Viewer::Seat(ZERO)));
    }
    room.say(ZERO, "layout_confirm", value!(["attack", "attack", null])).unwrap();
    room.say(ZERO, "layout_confirm", value!(["attack", "heal", null])).unwrap();
    assert_eq!(room.sent_past(ZERO), before, "not one frame");
    assert_eq!(room.table.current(Viewer::Seat(ONE)).unwrap().ask, ask);
}

/// A match in which seat 0 says these things in its first PREP, and nothing later. Seat 1 drafts an
/// empty layout in every round.
fn whole_match(options: &Options, said: &[(&str, Value)]) -> Room {
    let mut room = Room::new("{}", options.clone());
    for (kind, layout) in said {
        room.now_ms += 10;
        room.say(ZERO, kind, layout.clone()).unwrap();
    }
    room.now_ms = 5_000;
    room.say(ONE, "layout_draft", value!([null, null, null])).unwrap();
    // The first round to its end, and the second PREP.
    for _ in 0..4 {
        let at = room.table.next_ms().unwrap();
        room.pass(at - room.now_ms);
    }
    room
}

#[test]
fn nobody_can_tell_an_empty_draft_from_silence_by_bytes_numbers_or_times() {
    let empty = value!([null, null, null]);
    let options = Options::default();
    let silent = whole_match(&options, &[]).sent_past(ZERO);
    // Two audiences are told of the beginning, the end of the PREP, and three pairs.
    assert_eq!(silent.len(), 2 * 5);
    for said in [
        vec![("layout_draft", empty.clone())],
        vec![("layout_draft", value!(["attack", null, null])), ("layout_draft", empty.clone())],
        vec![("layout_confirm", value!(["attack", "attack", null]))],
        vec![("layout_draft", empty.clone()), ("layout_confirm", empty.clone())],
    ] {
        assert_eq!(whole_match(&options, &said).sent_past(ZERO), silent, "{said:?}");
    }
}

#[test]
fn what_is_laid_is_seen_by_others_only_pair_by_pair() {
    let options = Options::default();
    let sent = |layout: Value| whole_match(&options, &[("layout_draft", layout)]).sent_past(ZERO);
    // Equal in the first two slots: equal until the third pair is shown.
    let (a, b) =
        (sent(value!(["counter", null, "heal"])), sent(value!(["counter", null, "attack"])));
    let third = |sent: &[(Viewer, String)]| {
        sent.iter().position(|(_, text)| text.contains(r#""step":3"#)).unwrap()
    };
    assert_eq!(third(&a), third(&b));
    assert_eq!(a[..third(&a)], b[..third(&b)]);
    assert_ne!(a[third(&a)], b[third(&b)]);
}

#[test]
fn that_somebody_has_confirmed_is_shown_where_the_table_says_so_and_a_draft_never() {
    let mut room = Room::new(r#"{"show_confirmed":true}"#, Options::default());
    let before = room.sent_past(ZERO).len();
    room.say(ZERO, "layout_draft", value!(["attack", null, null])).unwrap();
    assert_eq!(room.sent_past(ZERO).len(), before);
    room.say(ZERO, "layout_confirm", value!(["attack", null, null])).unwrap();
    assert_eq!(room.sent_past(ZERO).len(), before + 2, "the other seat and the watchers");
    assert_eq!(room.view(ONE)["oppConfirmed"], true);
    let (_, last) = room.sent_past(ZERO).pop().unwrap();
    assert!(!last.contains("\"attack\",null"), "{last}");
}

#[test]
fn the_open_part_of_the_log_hides_layouts_until_they_are_shown() {
    let mut room = Room::usual();
    room.say(ZERO, "layout_draft", value!(["attack", "counter", null])).unwrap();
    room.say(ZERO, "layout_confirm", value!(["counter", "attack", null])).unwrap();
    room.say(ONE, "layout_confirm", value!([null, null, null])).unwrap();
    let after_begin = &room.log[3..];
    assert_eq!(after_begin.len(), 3);
    for stored in after_begin {
        assert!(!stored.open.contains("counter"), "{}", stored.open);
        assert!(!stored.open.contains("layout"), "{}", stored.open);
    }
}

#[test]
fn a_log_is_replayed_and_audited_from_any_entry() {
    let mut room = Room::usual();
    room.say(ZERO, "layout_draft", value!(["fireball", "attack", "attack"])).unwrap();
    room.say(ONE, "layout_confirm", value!(["heal", "heal", "heal"])).unwrap();
    let keys = Keys::from_secret("secret");
    while *room.table.pending() != Pending::Over {
        let at = room.table.next_ms().unwrap();
        room.pass(at - room.now_ms);
        let again = Table::recover(&BATTLE, &room.header, keys, &room.log, 1, room.now_ms);
        assert_eq!(again.unwrap().snapshot(), room.table.snapshot());
        let (text, tail) = (room.table.snapshot(), Tail::of_last(room.log.last().unwrap()));
        let snapshot = (text.as_str(), tail);
        let restored = Table::restore(&BATTLE, &room.header, keys, snapshot, [], 2, room.now_ms);
        assert_eq!(restored.unwrap().snapshot(), room.table.snapshot());
    }
    let report = audit(&BATTLE, &room.header, &room.log, None).unwrap();
    assert_eq!((report.decided, report.unchecked), (room.log.len() as u64, 0));
    let sealed = json(&room.log).get().to_owned();
    assert!(sealed.contains("[INVALID_CARD_FROM_CLIENT]"), "the log carries the tag");
}

#[test]
fn a_closed_connection_ends_the_match_at_once() {
    let mut room = Room::usual();
    room.table.gone(ZERO, room.now_ms);
    assert!(matches!(room.pass(0)[..], [Act::Game(Input::House(House::Left { .. }))]));
    assert_eq!(room.outcome()["reason"], "disconnect");
    assert_eq!(room.outcome()["winner"], 1);
}

#[test]
fn who_is_back_within_the_grace_finds_draft_and_confirmation_as_they_were() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = Room::new("{}", options);
    room.say(ONE, "layout_draft", value!([null, "heal", null])).unwrap();
    room.say(ZERO, "layout_draft", value!(["attack", null, null])).unwrap();
    let confirm = value!(["attack", "heal", null]);
    room.say(ZERO, "layout_confirm", confirm.clone()).unwrap();
    let before = room.view(ZERO);
    let log = room.log.len();
    room.table.gone(ZERO, room.now_ms);
    assert!(room.pass(4_999).is_empty());
    room.table.back(ZERO);
    assert!(room.pass(1).is_empty());
    assert_eq!((room.view(ZERO), room.log.len()), (before, log));
    assert_eq!(room.view(ZERO)["yourDraft"], confirm);
    assert_eq!(room.view(ZERO)["yourConfirmed"], true);

    room.table.gone(ZERO, room.now_ms);
    room.pass(4_999);
    assert!(room.table.outcome().is_none());
    room.pass(1);
    assert_eq!(room.outcome()["loser"], 0);
}

#[test]
fn if_both_are_gone_nobody_absent_is_paid() {
    let grace = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    for options in [Options::default(), grace] {
        let mut room = Room::new("{}", options);
        room.table.gone(ZERO, room.now_ms);
        room.table.gone(ONE, room.now_ms);
        assert!(matches!(room.pass(0)[..], [Act::Desk(Desk::Pause {})]));
        assert!(room.pass(599_999).is_empty());
        assert!(matches!(room.pass(1)[..], [Act::Game(Input::House(House::Close {}))]));
        assert_eq!(room.outcome()["reason"], "disconnect");
        assert_eq!(room.outcome()["settlement"], "burned");
    }
}

#[test]
fn of_two_who_are_gone_the_first_to_come_back_wins() {
    let options = Options { disconnect_grace_ms: Some(5_000), ..Options::default() };
    let mut room = Room::new("{}", options);
    room.table.gone(ZERO, room.now_ms);
    room.pass(1_000);
    room.table.gone(ONE, room.now_ms);
    room.pass(60_000);
    assert!(room.table.outcome().is_none());
    room.table.back(ONE);
    room.pass(0);
    assert_eq!(room.outcome()["winner"], 1);
}

#[test]
fn a_stop_of_the_server_is_no_disconnect() {
    let mut room = Room::usual();
    room.say(ZERO, "layout_draft", value!(["attack", null, null])).unwrap();
    let keys = Keys::from_secret("secret");
    room.now_ms += 3_600_000;
    room.table = Table::recover(&BATTLE, &room.header, keys, &room.log, 1, room.now_ms).unwrap();
    room.table.woke(2_000, room.now_ms);
    room.pass(0);
    assert!(room.table.outcome().is_none());
    for seat in [ZERO, ONE] {
        room.table.back(seat);
    }
    room.pass(0);
    assert_eq!(room.view(ZERO)["yourDraft"], value!(["attack", null, null]));
    let left = room.table.until_ms(Owner::Table).unwrap() - room.now_ms;
    assert_eq!(left, 19_000, "what is left of the PREP is left");
    room.play_out();
    assert_eq!(room.outcome()["reason"], "timeout");
}

#[test]
fn chips_go_in_and_come_out_with_the_entries() {
    let mut room = Room::new(r#"{"stake":2.5}"#, Options::default());
    assert_eq!(room.table.stake().to_string(), "5");
    room.play_out();
    assert_eq!(room.table.stake().to_string(), "0");
    assert_eq!(BATTLE.key(), "battle");
}
