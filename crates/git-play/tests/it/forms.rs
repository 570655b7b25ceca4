//! What a forge tells: pushes, forms, issues and comments.

use parlor_git_play::apply::{Push, Request};
use parlor_git_play::event::{ACCEPT, CHALLENGE, Heard, RESIGN, pushes, read};
use parlor_git_play::matches::Layout;
use serde_json::{Value, json};

fn heard(event: Value) -> Heard {
    read(&event.to_string()).unwrap()
}

fn issue(label: &str, body: &str, by: &str) -> Value {
    json!({
        "action": "opened", "sender": {"login": by},
        "issue": {"number": 7, "body": body, "user": {"login": by},
                  "labels": [{"name": label}], "author_association": "COLLABORATOR"},
    })
}

const FORM: &str = "### Opponent\n\n@bob\n\n### Table\n\n_No response_\n\n### Colour\n\nblack\n\n\
                    ### Match\n\n5\n\n### Layout\n\nstandard\n";

fn accepted(by: &str, said: &str) -> Value {
    let mut event = issue(CHALLENGE, FORM, "alice");
    event["action"] = json!("created");
    event["sender"]["login"] = json!(by);
    event["comment"] = json!({"body": said, "user": {"login": by}, "author_association": "MEMBER"});
    event
}

#[test]
fn a_push_has_an_actor() {
    let event = json!({"before": "a", "after": "b", "sender": {"login": "alice"}, "ref": "x"});
    let push = Push { actor: "alice".into(), before: "a".into(), after: "b".into() };
    assert_eq!(heard(event), Heard { push: Some(push.clone()), ..Heard::default() });
    let list = json!([{"before": "a", "after": "b", "actor": {"login": "alice", "id": 1}, "id": 3},
                      {"before": "b", "after": "c", "actor": null}]);
    assert_eq!(pushes(&list.to_string()).unwrap(), std::slice::from_ref(&push));
    assert_eq!(pushes(&format!("{list}{list}")).unwrap(), [push.clone(), push], "two pages");
    assert!(pushes("[]{}").is_err());
}

#[test]
fn a_form_opens_a_table_for_the_one_who_fills_it_in() {
    let event = json!({"sender": {"login": "alice"}, "inputs": {
        "do": "new", "table": "final", "opponent": "bob", "match": "3", "layout": "printed"}});
    let Some(Request::New { table, players, layout, length }) = heard(event).request else {
        panic!("no table")
    };
    assert_eq!((table.as_str(), layout, length), ("final", Layout::Printed, 3));
    assert_eq!((&players.white[..], &players.black[..]), ("alice", "bob"));
}

#[test]
fn a_form_without_anything_to_do_judges_what_was_pushed() {
    let event = json!({"sender": {"login": "alice"}, "inputs": {"do": "apply"}});
    assert_eq!(heard(event), Heard::default());
    assert_eq!(heard(json!({"sender": {"login": "alice"}})), Heard::default());
}

#[test]
fn a_challenge_is_told_and_becomes_a_table_when_the_opponent_accepts() {
    let told = heard(issue(CHALLENGE, FORM, "alice"));
    assert_eq!(told.request, None);
    assert!(told.reply.unwrap().contains("@bob"));
    let Some(Request::New { table, players, length, .. }) =
        heard(accepted("Bob", &format!(" {ACCEPT}\n"))).request
    else {
        panic!("no table")
    };
    assert_eq!((table.as_str(), length), ("bob-alice-7", 5));
    assert_eq!((&players.white[..], &players.black[..]), ("bob", "alice"));
}

#[test]
fn nobody_else_accepts_a_challenge_and_strangers_are_not_heard() {
    assert_eq!(heard(accepted("mallory", ACCEPT)), Heard::default());
    assert_eq!(heard(accepted("bob", "maybe")), Heard::default());
    let mut strange = issue(CHALLENGE, FORM, "mallory");
    strange["issue"]["author_association"] = json!("NONE");
    assert_eq!(heard(strange), Heard::default());
    let mut strange = accepted("bob", ACCEPT);
    strange["comment"]["author_association"] = json!("NONE");
    assert_eq!(heard(strange), Heard::default());
    assert_eq!(heard(issue("bug", FORM, "alice")), Heard::default());
}

#[test]
fn a_resignation_is_that_of_the_one_who_opens_the_issue() {
    let body = "### Table\n\nt1\n\n### Value\n\ngammon\n\n### Player\n\nbob\n";
    let Some(Request::Resign { table, player, value }) =
        heard(issue(RESIGN, body, "alice")).request
    else {
        panic!("nobody resigns")
    };
    assert_eq!((table.as_str(), &player[..], value as u8), ("t1", "alice", 2));
}

#[test]
fn forms_with_nonsense_are_answered_with_a_sentence() {
    for body in [
        "",
        "### Opponent\n\n\n",
        "### Opponent\n\nbob\n\n### Table\n\n../../etc/passwd\n",
        "### Opponent\n\nbob\n\n### Match\n\n$(id)\n",
        "### Opponent\n\nbob\n\n### Colour\n\ngreen\n",
        "### Opponent\n\nbob and carol\n",
        "### Opponent\n\n@Alice\n",
        "### Opponent\n\nbob\n\n### Table\n\na\n",
        "### Opponent\n\nbob\n\n### Match\n\n4000000000\n",
    ] {
        let why = read(&issue(CHALLENGE, body, "alice").to_string()).unwrap_err();
        assert!(!why.is_empty() && !why.contains('\n'), "{why}");
    }
    assert!(read("{}").is_err());
    assert!(read("not json").is_err());
}
