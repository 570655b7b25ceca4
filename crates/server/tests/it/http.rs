//! What a script can do without a socket.

use crate::client::{ADMIN, Client, Server, http, http_with, until};
use crate::people::{gathered, somebody_asked, until_over};
use serde_json::{Value, json};

/// Says something over HTTP.
async fn say(server: &Server, token: &str, say: Value) -> Value {
    http(server, "POST", "/api/say", token, &say.to_string()).await.json()
}

/// A new guest over HTTP; the token.
async fn guest(server: &Server, name: &str) -> String {
    let hello = json!({"id":"1","type":"hello","version":1,"name":name,"language":"vi"});
    let welcome = say(server, "", hello).await;
    assert_eq!(welcome["me"]["language"], "vi");
    welcome["token"].as_str().expect("a token").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_address_that_is_described_answers() {
    let server = Server::start().await;
    let (table, people) = gathered(&server, "poker", json!({}), json!({})).await;
    let token = people[0].client.token.clone();
    let described = http(&server, "GET", "/api/openapi.json", "", "").await.json();
    assert_eq!(described["openapi"], "3.1.0");
    let paths = described["paths"].as_object().expect("paths");
    assert!(paths.len() > 10);
    for (path, methods) in paths {
        for method in methods.as_object().expect("methods").keys() {
            let path = path.replace("{table}", &table).replace("{document}", "hand");
            let path = path.replace("{game}", "gomoku").replace("{set}", "caro");
            let path = path.replace("/players/{name}", "/players/Anna").replace("{name}", "phhs");
            let answer = http(&server, &method.to_uppercase(), &path, &token, "{}").await;
            let is_json = answer.body.starts_with('{');
            let json = if is_json { answer.json() } else { Value::Null };
            let expected = match path.rsplit('/').next().expect("a last part") {
                // The table goes on.
                "log" | "proof" => Some("not_over"),
                "say" => Some("malformed"),
                "hand" if method == "post" => None,
                _ => None,
            };
            match expected {
                Some(code) => assert_eq!(json["code"], code, "{method} {path}"),
                None if method == "post" => assert_ne!(answer.status, 404, "{method} {path}"),
                None => assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body),
            }
        }
    }
    // All that is referred to is there.
    let text = described.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(described["components"]["schemas"][name].is_object(), "{name}");
    }
    let page = http(&server, "GET", "/api", "", "").await;
    assert!(page.head.contains("text/html") && page.body.contains("/api/openapi.json"));
    let nowhere = http(&server, "GET", "/api/nowhere", "", "").await;
    assert_eq!((nowhere.status, &nowhere.json()["code"]), (404, &json!("no_such_file")));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_address_of_no_program_is_a_place_in_the_page() {
    let server = Server::start().await;
    for path in ["/", "/t/t-0", "/leaders", "/nowhere"] {
        let page = http(&server, "GET", path, "", "").await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.contains("<title>Parlor</title>"), "{path}: {}", page.body);
        for header in ["text/html", "default-src 'self'", "nosniff"] {
            assert!(page.head.contains(header), "{path}: {}", page.head);
        }
    }
    for path in ["/assets/none.js", "/api/nowhere", "/ws/nowhere/more", "/admin/status"] {
        assert_eq!(http(&server, "GET", path, "", "").await.status, 404, "{path}");
    }
    assert_eq!(http(&server, "POST", "/t/t-0", "", "").await.status, 405);
    // Who understands it is sent what was packed.
    let page = http(&server, "GET", "/", "", "").await;
    let Some((_, script)) = page.body.split_once("src=\"/assets/") else { return };
    let script = format!("/assets/{}", script.split('"').next().expect("a name"));
    for (takes, coding) in [("gzip", Some("gzip")), ("gzip, br", Some("br")), ("br;q=0", None)] {
        let takes_it = [("accept-encoding", takes)];
        let head = http_with(server.address, "HEAD", &script, &takes_it, "").await.head;
        assert!(head.contains("text/javascript") && head.contains("immutable"), "{head}");
        let told = head.lines().find_map(|line| line.strip_prefix("content-encoding: "));
        assert_eq!(told, coding, "{takes}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_games_tell_what_they_are() {
    let server = Server::start().await;
    let games = http(&server, "GET", "/api/games", "", "").await.json();
    let keys: Vec<&Value> = games.as_array().expect("games").iter().map(|g| &g["game"]).collect();
    assert_eq!(keys, ["backgammon", "battle", "gomoku", "poker"]);
    let poker = &games[3];
    assert_eq!((&poker["unit"], &poker["comes_and_goes"]), (&json!("chips"), &json!(true)));
    assert_eq!((&poker["config"]["big_blind"], &poker["documents"]), (&json!(2), &json!(["hand"])));
    assert_eq!(games[1]["unit"], "tokens");
    assert!(games.as_array().expect("games").iter().all(|game| game["house"] == true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_can_be_played_without_a_socket() {
    let server = Server::start().await;
    let tokens = [guest(&server, "Anna").await, guest(&server, "Boris").await];
    let create = json!({"id":"2","type":"create","game":"gomoku","access":"private"});
    let created = say(&server, &tokens[0], create).await;
    let table = created["table"].as_str().expect("a name").to_owned();
    let mut seat_tokens = Vec::new();
    for token in &tokens {
        let sit = json!({"id":"3","type":"sit","table":table});
        assert_eq!(say(&server, token, sit.clone()).await["code"], "private");
        let mut keyed = sit;
        keyed["key"] = created["key"].clone();
        let seated = say(&server, token, keyed).await;
        seat_tokens.push(seated["token"].as_str().expect("a token").to_owned());
    }
    let address = format!("/api/tables/{table}");
    assert_eq!(http(&server, "GET", &address, "", "").await.status, 403, "it is private");
    let key = created["key"].as_str().expect("a key");
    let keyed = http(&server, "GET", &format!("{address}?key={key}"), "", "").await.json();
    assert_eq!((&keyed["you"], &keyed["update"]["legal"]), (&Value::Null, &Value::Null));
    // Black makes five in a row; the token of a chair is enough to play on it.
    for n in 0..9_u32 {
        let (seat, x, y) = (n % 2, n / 2, n % 2);
        let token = &seat_tokens[seat as usize];
        let shown = http(&server, "GET", &address, token, "").await.json();
        assert_eq!(shown["you"], seat);
        let play = json!({"id":format!("m{n}"),"type":"play","table":table,
            "ask":shown["update"]["ask"],"command":{"type":"move","x":x,"y":y}});
        assert_eq!(say(&server, token, play).await["type"], "done", "{n}");
    }
    let shown = http(&server, "GET", &address, &tokens[1], "").await.json();
    assert_eq!(shown["over"], true);
    // What is left of it.
    let log = http(&server, "GET", &format!("{address}/log"), &tokens[0], "").await;
    assert!(log.head.contains(&format!("filename=\"{table}.jsonl\"")), "{}", log.head);
    assert!(log.body.lines().count() > 9 && log.body.lines().all(|line| line.starts_with('{')));
    let proof = http(&server, "GET", &format!("{address}/proof"), &tokens[0], "").await.json();
    assert_eq!(proof["dice"]["table"], table.as_str());
    let sgf = http(&server, "GET", &format!("{address}/files/sgf"), &tokens[0], "").await;
    assert!(sgf.body.starts_with("(;") && sgf.body.contains("Anna"), "{}", sgf.body);
    let none = http(&server, "GET", &format!("{address}/files/mat"), &tokens[0], "").await;
    assert_eq!((none.status, &none.json()["code"]), (404, &json!("no_such_file")));
    let mut history = Value::Null;
    until(async || {
        history = http(&server, "GET", "/api/me/history", &tokens[0], "").await.json();
        history[0].is_object()
    })
    .await;
    assert_eq!((&history[0]["result"], &history[0]["rating"]), (&json!("won"), &Value::Null));
    // The token of a chair is good for nothing else.
    let me = http(&server, "GET", "/api/me", &seat_tokens[0], "").await;
    assert_eq!(me.json()["code"], "seat_only");
    let create = json!({"id":"9","type":"create","game":"gomoku"});
    assert_eq!(say(&server, &seat_tokens[0], create).await["code"], "seat_only");
    let watch = json!({"id":"9","type":"watch","table":table});
    assert_eq!(say(&server, &tokens[0], watch).await["code"], "needs_socket");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hand_is_fetched_changed_and_sent_back() {
    let server = Server::start().await;
    let config = json!({"between_ms":1});
    let (table, mut people) = gathered(&server, "poker", config, json!({})).await;
    let asked = somebody_asked(&mut people).await.expect("a hand has begun");
    let address = format!("/api/tables/{table}/hand");
    let tokens = [people[0].client.token.clone(), people[1].client.token.clone()];
    let hand = http(&server, "GET", &address, &tokens[asked], "").await.json();
    assert_eq!(hand["players"], json!(["Anna", "Boris"]));
    let actions = hand["actions"].as_array().expect("actions").clone();
    let hidden = actions.iter().filter(|action| action.as_str().unwrap_or("").contains("????"));
    assert_eq!(hidden.count(), 1, "the other's cards: {actions:?}");
    // Whoever is not asked cannot act.
    let mut other = http(&server, "GET", &address, &tokens[1 - asked], "").await.json();
    let act = |hand: &mut Value, seat: usize| {
        let own = format!("p{} f", seat + 1);
        hand["actions"].as_array_mut().expect("actions").push(own.into());
    };
    act(&mut other, 1 - asked);
    let refused = http(&server, "POST", &address, &tokens[1 - asked], &other.to_string()).await;
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(!refused.json()["text"].as_str().expect("a reason").is_empty());
    // A fold by whoever is asked, and then a pause: it is folded for who pauses.
    let mut mine = hand.clone();
    act(&mut mine, asked);
    let merged = http(&server, "POST", &address, &tokens[asked], &mine.to_string()).await;
    assert_eq!(merged.status, 200, "{}", merged.body);
    // The next hand may begin between the question and the answer: then it is asked again.
    let mut merged = Value::Null;
    until(async || {
        let mut mine = http(&server, "GET", &address, &tokens[asked], "").await.json();
        mine["_intents"][asked] = 2.into();
        let answer = http(&server, "POST", &address, &tokens[asked], &mine.to_string()).await;
        merged = answer.json();
        answer.status == 200
    })
    .await;
    assert_eq!(merged["_intents"][asked], 2);
    let nobody = http(&server, "GET", &address, "", "").await;
    assert_eq!((nobody.status, &nobody.json()["code"]), (401, &json!("hello_first")));
    let large = " ".repeat(65_537);
    assert_eq!(http(&server, "POST", &address, &tokens[0], &large).await.status, 413);
    let rubbish = http(&server, "POST", &address, &tokens[0], "[").await;
    assert_eq!(rubbish.json()["code"], "malformed");
    // A third one comes in by a document.
    let clara = Client::guest(&server, "Clara").await.token;
    let mut hers = http(&server, "GET", &address, &clara, "").await.json();
    let text = hers["actions"].to_string();
    assert!(!text.contains("dh p1 ") || text.contains("????"), "{text}");
    for (field, value) in [
        ("players", json!("Clara")),
        ("startingStacks", json!(150)),
        ("blindsOrStraddles", json!(0)),
        ("antes", json!(0)),
        ("_inactive", json!(0)),
        ("_intents", json!(0)),
        ("_deadBlinds", json!(0)),
    ] {
        if let Some(list) = hers[field].as_array_mut() {
            list.push(value);
        }
    }
    let joined = http(&server, "POST", &address, &clara, &hers.to_string()).await;
    assert_eq!(joined.status, 200, "{}", joined.body);
    assert!(joined.json()["players"].as_array().expect("players").contains(&json!("Clara")));
    let me = http(&server, "GET", "/api/me", &clara, "").await.json();
    assert_eq!(me["chips"], 850);
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_there_for_prometheus() {
    let server = Server::start().await;
    let (_, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    let asked = somebody_asked(&mut people).await.expect("it has begun");
    people[asked].answers().await;
    people[0].client.refused(json!({"type":"unqueue"})).await;
    let text = http(&server, "GET", "/metrics", "", "").await.body;
    let value = |name: &str| {
        let line =
            text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
        line.rsplit(' ').next().and_then(|value| value.parse::<f64>().ok()).expect("a number")
    };
    assert_eq!(value("parlor_connections "), 2.0);
    assert_eq!(value("parlor_tables "), 1.0);
    // Two have sat down, the game has begun, and one has moved.
    assert_eq!(value("parlor_entries_total{game=\"gomoku\"}"), 4.0);
    assert_eq!(value("parlor_refusals_total{code=\"not_queued\"}"), 1.0);
    assert_eq!(value("parlor_commit_seconds_count"), 4.0);
    for secret in ["Anna", "t-", &people[0].client.token] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_runs_the_house_is_heard_elsewhere_and_with_a_token() {
    let server = Server::start().await;
    let (table, mut people) = gathered(&server, "gomoku", json!({}), json!({})).await;
    somebody_asked(&mut people).await;
    let ask = async |method: &str, path: &str, token: &str, body: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        http_with(server.admin_address, method, path, &headers, body).await
    };
    assert_eq!(http(&server, "GET", "/admin/status", ADMIN, "").await.status, 404, "not here");
    assert_eq!(ask("GET", "/admin/status", "guess", "").await.status, 401);
    let status = ask("GET", "/admin/status", ADMIN, "").await.json();
    assert_eq!((&status["accounts"], &status["tables"]), (&json!(2), &json!(1)));
    let grant = r#"{"unit":"tokens","amount":5}"#;
    let granted = ask("POST", "/admin/accounts/anna/grant", ADMIN, grant).await.json();
    assert_eq!(granted["balance"], 15);
    let taken = r#"{"unit":"tokens","amount":-16}"#;
    let refused = ask("POST", "/admin/accounts/anna/grant", ADMIN, taken).await.json();
    assert_eq!(refused["code"], "overdrawn");
    let close = format!("/admin/tables/{table}/close");
    assert_eq!(ask("POST", &close, ADMIN, "").await.status, 204);
    until_over(&mut people).await;
    let revoked = ask("POST", "/admin/accounts/Anna/revoke", ADMIN, "").await.json();
    // Her own, and that of her chair.
    assert_eq!(revoked["tokens"], 2);
    let me = http(&server, "GET", "/api/me", &people[0].client.token, "").await;
    assert_eq!((me.status, &me.json()["code"]), (401, &json!("bad_token")));
}
