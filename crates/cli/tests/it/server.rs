//! `parlor play --server`: real clients of a real server.

use crate::person::Person;
use crate::{parlor, stdout};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A server with a folder of its own.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    folder: PathBuf,
    limits: &'static [&'static str],
}

impl Server {
    pub(crate) fn start(name: &str) -> Self {
        // These people answer faster than people do.
        Self::start_with(name, &["--no-limits"])
    }

    pub(crate) fn start_with(name: &str, limits: &'static [&'static str]) -> Self {
        let folder = std::env::temp_dir().join(format!("parlor-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (child, address) = Self::listen(&folder, "127.0.0.1:0", limits);
        Self { child, address, folder, limits }
    }

    fn listen(folder: &std::path::Path, address: &str, limits: &[&str]) -> (Child, String) {
        let mut serve = parlor(&["serve", "--listen", address, "--journal"]);
        serve.arg(folder.join("server.db")).args(limits).stderr(Stdio::piped());
        let mut child = serve.spawn().expect("the binary runs");
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let listens = lines.by_ref().map(Result::unwrap).find(|line| line.contains("listens on"));
        let listens = listens.expect("it says where it listens");
        let address = listens.split(['/', ' ']).find(|word| word.starts_with("127.")).unwrap();
        let address = address.to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        (child, address)
    }

    /// Sends it a signal: stopped, it is there and says nothing.
    fn signal(&self, signal: &str) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn starts_again(&mut self) {
        (self.child, _) = Self::listen(&self.folder, &self.address, self.limits);
    }

    /// Somebody's `parlor play` with this server.
    fn command(&self, who: &str, args: &[&str]) -> Command {
        let mut command = self.nameless(&self.folder);
        command.args(["--name", who]).args(args);
        command
    }

    /// That of somebody who does not say who it is, and keeps it there.
    fn nameless(&self, kept: &std::path::Path) -> Command {
        let mut command = parlor(&["play", "--server", &format!("http://{}", self.address)]);
        command.env("XDG_CONFIG_HOME", kept.join("config"));
        command
    }

    fn play(&self, who: &str, args: &[&str]) -> Person {
        Person::runs(self.command(who, args))
    }

    fn complaint(&self, who: &str, args: &[&str]) -> String {
        let output = self.command(who, args).output().unwrap();
        assert!(!output.status.success(), "{}", stdout(&output));
        String::from_utf8(output.stderr).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// A wire to a server that may die without a word to either end.
struct Wire {
    address: String,
    /// How many connections were made over it, and from which on they carry anything.
    made: Arc<AtomicUsize>,
    first: Arc<AtomicUsize>,
    /// How many pieces each carries from the server before it dies.
    pieces: Arc<AtomicUsize>,
}

impl Wire {
    fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (made, first) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let pieces = Arc::new(AtomicUsize::new(usize::MAX));
        let wire = Self { address, made: made.clone(), first: first.clone(), pieces };
        let pieces = wire.pieces.clone();
        let server = server.to_owned();
        std::thread::spawn(move || {
            for client in listener.incoming().map(Result::unwrap) {
                let server = TcpStream::connect(&server).unwrap();
                let number = made.fetch_add(1, Ordering::SeqCst);
                let most = pieces.load(Ordering::SeqCst);
                let back = (server.try_clone().unwrap(), client.try_clone().unwrap(), most);
                for (from, to, most) in [(client, server, usize::MAX), back] {
                    let first = first.clone();
                    let lives = move || number >= first.load(Ordering::SeqCst);
                    std::thread::spawn(move || Self::carry(from, to, most, lives));
                }
            }
        });
        wire
    }

    fn carry(mut from: TcpStream, mut to: TcpStream, most: usize, lives: impl Fn() -> bool) {
        let (mut bytes, mut carried) = ([0; 4096], 0);
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            let carries = lives() && carried < most;
            if carries && to.write_all(&bytes[..read]).is_err() {
                break;
            }
            carried += 1;
        }
        if lives() && carried < most {
            // The other end may have hung up too.
            let _ = to.shutdown(Shutdown::Both);
        }
    }

    /// Anna's `parlor play` over it.
    fn play(&self, server: &Server, args: &[&str]) -> Person {
        let mut command = parlor(&["play", "--name", "Anna", "--patience", "2"]);
        command.args(args).args(["--server", &self.address]);
        command.env("XDG_CONFIG_HOME", server.folder.join("config"));
        Person::runs(command)
    }

    /// From now on nothing is carried.
    fn dies(&self) {
        self.first.store(usize::MAX, Ordering::SeqCst);
    }

    /// From now on new connections carry again, so many pieces of what the server says.
    fn is_mended(&self, pieces: usize) {
        self.pieces.store(pieces, Ordering::SeqCst);
        self.first.store(self.made.load(Ordering::SeqCst), Ordering::SeqCst);
    }
}

/// The two who play with each other, until both are told that it is over; what they saw last.
fn play_out(people: &mut [Person; 2], says: impl Fn(&str) -> &'static str) {
    let until = Instant::now() + Duration::from_secs(120);
    while !people.iter().all(|person| person.seen.contains("rematch, or quit?")) {
        for person in &mut *people {
            if person.is_asked() && !person.seen.contains("rematch, or quit?") {
                let line = says(&person.seen);
                assert!(!person.seen.contains("does not go"), "{}", person.seen);
                person.writes(line);
            }
        }
        let seen = people.each_ref().map(|person| &person.seen);
        assert!(Instant::now() < until, "no end: {seen:?}");
    }
}

#[test]
fn a_person_alone_is_asked_in_every_game_before_a_word_is_said() {
    let server = Server::start("alone");
    for (game, question) in [
        ("backgammon", "?"),
        ("battle", "Lay your cards"),
        ("gomoku", "Lay stone 1 of 3"),
        ("poker", "raise"),
    ] {
        let mut person = server.play("Anna", &[game]);
        assert!(person.reads(), "{}", person.seen);
        let asked = person.seen.lines().last().unwrap();
        assert!(asked.contains(question) || asked.contains("Your move"), "{}", person.seen);
        assert!(asked.contains(" s] "), "the time is shown: {asked}");
        assert!(!person.says("quit"));
        assert!(person.seen.contains("comes back to it") && person.ends(), "{}", person.seen);
    }
    // The same command goes on where it was.
    let mut back = server.play("Anna", &["gomoku"]);
    assert!(back.reads() && back.seen.contains("You sit at table t-"), "{}", back.seen);
    assert!(back.seen.contains("Lay stone 1 of 3"), "{}", back.seen);
    // What is open is listed, and can be looked at.
    let listed = stdout(&server.command("Boris", &[]).output().unwrap());
    assert!(listed.contains("Games: backgammon, battle, gomoku, poker"), "{listed}");
    let table = listed.lines().find(|line| line.contains("gomoku ")).unwrap();
    assert!(table.contains("Anna, house (medium)"), "{table}");
    let table = table.split_whitespace().next().unwrap();
    let mut boris = server.play("Boris", &["--table", table, "--watch"]);
    assert!(boris.waits_for("Swap 2: 0 stones laid"), "{}", boris.seen);
    assert!(back.says("/say Hello, Boris!"));
    assert!(boris.waits_for("Anna: Hello, Boris!\n"), "{}", boris.seen);
    assert!(back.says("h8"));
    assert!(boris.waits_for("Anna lays a stone on h8.\n"), "{}", boris.seen);
    back.writes("/leave");
    assert!(!back.waits_for(" > ") && back.seen.contains("you have left the table"));
    assert!(boris.waits_for("The house wins the game.\n"), "{}", boris.seen);
    assert!(boris.ends());
}

#[test]
fn a_game_goes_on_when_the_server_is_killed_and_started_again() {
    let mut server = Server::start("killed");
    let config = r#"{"swap2Enabled":false,"rule":"freestyle"}"#;
    let mut anna = server.play("Anna", &["gomoku", "--private", "--config", config]);
    assert!(anna.waits_for("--key "));
    assert!(anna.waits_for("\n"));
    let words: Vec<&str> = anna.seen.split_whitespace().collect();
    let after = |word| words[words.iter().position(|other| *other == word).unwrap() + 1];
    let (table, key) = (after("--table").to_owned(), after("--key").to_owned());
    let refused = server.complaint("Boris", &["--table", &table]);
    assert!(refused.contains("its key lets you in (private)"), "{refused}");
    let mut boris = server.play("Boris", &["--table", &table, "--key", &key]);
    let mut people = [&mut anna, &mut boris];
    for (ply, point) in ["h8", "a1", "h9", "a2", "h10", "a3", "h11", "a4"].iter().enumerate() {
        if ply == 4 {
            server.kill();
            for person in &mut people {
                assert!(person.waits_for("trying again.\n"), "{}", person.seen);
            }
            server.starts_again();
            for person in &mut people {
                assert!(person.waits_for("The line is back.\n"), "{}", person.seen);
            }
        }
        let person = &mut people[ply % 2];
        assert!(person.waits_for("Your move (as h8) > "), "{}", person.seen);
        person.writes(point);
        assert!(person.waits_for(&format!("You play {point}.\n")), "{}", person.seen);
    }
    assert!(anna.waits_for("Your move (as h8) > ") && anna.says("hint"));
    assert!(anna.seen.contains("Hints are for games against the house."), "{}", anna.seen);
    assert!(anna.says("h8"), "what does not go is said");
    assert!(anna.seen.contains("That does not go: a stone lies on h8 already"), "{}", anna.seen);
    assert!(anna.says("h12"));
    assert!(anna.seen.contains("You win the game, as black."), "{}", anna.seen);
    assert!(boris.waits_for("rematch, or quit? > "));
    assert!(boris.seen.contains("Anna wins the game, as black."), "{}", boris.seen);
    // The same again, with the chairs exchanged.
    anna.writes("rematch");
    assert!(boris.waits_for("Anna wants a rematch: yes or no?\n"), "{}", boris.seen);
    assert!(boris.waits_for(" > ") && boris.says("yes"), "{}", boris.seen);
    assert!(boris.seen.contains("Your move"), "{}", boris.seen);
    boris.writes("resign");
    assert!(anna.waits_for("You win the game by resignation.\n"), "{}", anna.seen);
    assert!(boris.waits_for("rematch, or quit? > ") && !boris.says("quit") && boris.ends());
}

#[test]
fn a_line_that_dies_silently_is_lost_and_comes_back() {
    let server = Server::start("silent");
    let mut person = server.play("Anna", &["gomoku", "--patience", "3"]);
    assert!(person.waits_for("Lay stone 1 of 3 (as h8) > "), "{}", person.seen);
    server.signal("-STOP");
    person.writes("h8");
    assert!(person.waits_for("(nothing was heard for 3 s); trying again.\n"), "{}", person.seen);
    // What cannot be said yet is not thrown away.
    person.writes("i9");
    server.signal("-CONT");
    assert!(person.waits_for("Lay stone 3 of 3 (as h8) > "), "{}", person.seen);
    for line in ["The line is back.", "You lay a stone on h8.", "You lay a stone on i9."] {
        assert!(person.seen.contains(line), "{}", person.seen);
    }
    assert!(!person.seen.contains("does not go"), "{}", person.seen);
}

#[test]
fn who_quits_is_heard_while_a_server_is_silent() {
    let server = Server::start("unanswered");
    let mut person = server.play("Anna", &["gomoku"]);
    assert!(person.waits_for("Lay stone 1 of 3 (as h8) > "), "{}", person.seen);
    server.signal("-STOP");
    person.writes("h8");
    person.writes("quit");
    assert!(!person.waits_for("never") && person.ends(), "{}", person.seen);
    assert!(person.seen.contains("comes back to it"), "{}", person.seen);
    // It takes calls still, and says nothing to them.
    let mut caller = server.play("Boris", &["gomoku"]);
    caller.writes("quit");
    assert!(!caller.waits_for("never") && caller.ends(), "{}", caller.seen);
    let said = server.complaint("Boris", &["gomoku", "--patience", "1"]);
    assert!(said.contains("nothing was heard for 1 s"), "{said}");
}

#[test]
fn who_waits_in_the_queue_waits_on_when_the_line_is_lost() {
    let mut server = Server::start("requeue");
    let args = ["gomoku", "--queue"];
    let mut anna = server.play("Anna", &args);
    let waiting = "Waiting for somebody to play with.\n";
    assert!(anna.waits_for(waiting), "{}", anna.seen);
    server.kill();
    assert!(anna.waits_for("trying again.\n"), "{}", anna.seen);
    server.starts_again();
    assert!(anna.waits_for("The line is back.\n"), "{}", anna.seen);
    assert!(anna.waits_for(waiting), "{}", anna.seen);
    let mut boris = server.play("Boris", &args);
    for person in [&mut anna, &mut boris] {
        assert!(person.waits_for("the game waits for you\n"), "{}", person.seen);
    }
}

#[test]
fn who_waits_in_the_queue_waits_on_when_only_the_client_knows_that_the_line_is_lost() {
    let server = Server::start("wire");
    let wire = Wire::to(&server.address);
    let mut anna = wire.play(&server, &["gomoku", "--queue"]);
    let waiting = "Waiting for somebody to play with.\n";
    assert!(anna.waits_for(waiting), "{}", anna.seen);
    // The server believes that she waits already.
    wire.dies();
    assert!(anna.waits_for("(nothing was heard for 2 s); trying again.\n"), "{}", anna.seen);
    wire.is_mended(usize::MAX);
    assert!(anna.waits_for(waiting), "{}", anna.seen);
    // Now she is given a chair, and does not hear of it.
    wire.dies();
    let mut boris = server.play("Boris", &["gomoku", "--queue"]);
    assert!(boris.waits_for("the game waits for you\n"), "{}", boris.seen);
    wire.is_mended(usize::MAX);
    assert!(anna.waits_for("the game waits for you\n"), "{}", anna.seen);
    assert!(anna.seen.contains("The line is back.\nYou sit at table t-"), "{}", anna.seen);
}

#[test]
fn a_move_survives_a_line_that_is_lost_again_while_it_comes_back() {
    let server = Server::start("twice");
    let wire = Wire::to(&server.address);
    let mut anna = wire.play(&server, &["gomoku"]);
    assert!(anna.waits_for("Lay stone 1 of 3 (as h8) > "), "{}", anna.seen);
    wire.dies();
    anna.writes("h8");
    // The handshake and the welcome, and no word of the table.
    wire.is_mended(2);
    for _ in 0..2 {
        anna.seen.clear();
        assert!(anna.waits_for("(nothing was heard for 2 s); trying again.\n"), "{}", anna.seen);
    }
    wire.is_mended(usize::MAX);
    assert!(anna.waits_for("Lay stone 2 of 3 (as h8) > "), "{}", anna.seen);
    assert!(anna.seen.contains("You lay a stone on h8."), "{}", anna.seen);
}

#[test]
fn a_name_that_was_guessed_is_made_fit() {
    let server = Server::start("guessed");
    for (place, (user, name)) in [
        ("bob@corp", "bobcorp"),
        ("CORP\\bob", "CORPbob"),
        ("web+dev", "webdev"),
        ("web+dev", "webdev 2"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwx"),
        ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuv 2"),
        ("house", "Guest"),
        ("@", "Guest 2"),
        ("", "Guest 3"),
        ("Жанна", "Жанна"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut command = server.nameless(&server.folder.join(place.to_string()));
        command.arg("gomoku").env("USER", user);
        let mut person = Person::runs(command);
        assert!(person.reads() && !person.says("quit"), "{}", person.seen);
        let listed = stdout(&server.command("Boris", &[]).output().unwrap());
        assert!(listed.contains(&format!(" {name}, house")), "{user}: {listed}");
    }
}

#[test]
fn backgammon_is_played_to_its_end_by_two_who_met_in_the_queue() {
    let server = Server::start("queue");
    let args = ["backgammon", "--queue", "--config", r#"{"cube":false}"#];
    let mut people = ["Anna", "Boris"].map(|name| server.play(name, &args));
    play_out(&mut people, |seen| match seen.lines().last() {
        Some(line) if line.contains("roll?") => "roll",
        _ => "1",
    });
    let winners = people.iter().filter(|person| person.seen.contains("\nYou win "));
    assert_eq!(winners.count(), 1, "{}", people[0].seen);
}

#[test]
fn a_battle_is_fought_to_its_end_against_the_house_and_again() {
    let server = Server::start("battle");
    let config = r#"{"first_step_ms":1,"next_step_ms":1}"#;
    let mut person = server.play("Anna", &["battle", "--level", "easy", "--config", config]);
    assert!(person.reads());
    for again in [true, false] {
        let mut rounds = 0;
        while !person.seen.contains("rematch, or quit?") {
            assert!(person.seen.contains("Lay your cards") && rounds < 20, "{}", person.seen);
            assert!(person.follows_a_hint(), "{}", person.seen);
            rounds += 1;
        }
        assert!(person.seen.contains(" 3. your "), "{}", person.seen);
        let ends = ["You win.\n", "The house wins.\n", "A draw.\n"];
        assert!(ends.iter().any(|end| person.seen.contains(end)), "{}", person.seen);
        assert_eq!(person.says(if again { "rematch" } else { "quit" }), again);
    }
    assert!(person.ends());
}

#[test]
fn hands_of_poker_are_played_with_the_house_that_fills_the_queue() {
    let server = Server::start("poker");
    let config = r#"{"between_ms":1}"#;
    let args = ["poker", "--queue", "--house-after", "0", "--level", "easy", "--config", config];
    let mut person = server.play("Anna", &args);
    let mut all = String::new();
    // Whoever sits down meanwhile is told of, and the question put again.
    for _ in 0..200 {
        assert!(person.waits_for(" > "), "{}", person.seen);
        all += &person.seen;
        if all.contains("Hand 3.") {
            break;
        }
        let asked = person.seen.lines().last().unwrap_or_default();
        // Who calls whatever it costs may have lost all before the third hand.
        let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_digit).count();
        person.writes(match asked.split_once("call ").map(|(_, rest)| digits(rest)) {
            Some(1) => "call",
            Some(_) => "fold",
            None => "check",
        });
    }
    assert!(all.contains("Hand 3.") && all.contains(", and has "), "{all}");
    person.writes("leave");
    assert!(!person.waits_for("never") && person.ends(), "{}", person.seen);
    assert!(person.seen.contains("you have left the table"), "{}", person.seen);
}

#[test]
fn a_client_that_is_interrupted_goes_and_its_chair_is_kept() {
    let server = Server::start("interrupt");
    let mut person = server.play("Anna", &["gomoku"]);
    assert!(person.reads());
    let killed = Command::new("kill").args(["-INT", &person.id().to_string()]).status();
    assert!(killed.expect("kill is there").success());
    assert!(!person.waits_for("never") && person.ends(), "{}", person.seen);
    assert!(person.seen.contains("comes back to it"), "{}", person.seen);
    let mut back = server.play("Anna", &["gomoku"]);
    assert!(back.reads() && back.seen.contains("You sit at table t-"), "{}", back.seen);
}

#[test]
fn what_a_server_refuses_is_said() {
    let server = Server::start("refused");
    let unknown = server.complaint("Anna", &["--table", "t-nothing"]);
    assert!(unknown.contains("there is no table \"t-nothing\" (no_such_table)"), "{unknown}");
    let name = server.complaint("x", &["gomoku"]);
    assert!(name.contains("a name is 2 to 24 letters") && name.contains("(bad_name)"), "{name}");
    assert!(name.contains("say another with --name"), "{name}");
    let house = server.complaint("House", &["gomoku"]);
    assert!(house.contains("say another with --name (name_reserved)"), "{house}");
    let config = server.complaint("Anna", &["poker", "--config", r#"{"small_blind":-1}"#]);
    assert!(config.contains("small_blind"), "{config}");
    let nobody = stdout_of_nobody();
    assert!(nobody.contains("127.0.0.1:1: "), "{nobody}");
}

/// Where no server is.
fn stdout_of_nobody() -> String {
    let output = parlor(&["play", "gomoku", "--server", "127.0.0.1:1"]).output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}
