//! `parlor git`, and the action around it.

use crate::{parlor, stdout};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SECRET: &str = "a secret for the tests";

/// A folder with a bare repository, two players and a referee, that goes away.
struct World(PathBuf);

impl Drop for World {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

impl World {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("parlor-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("temp")).unwrap();
        let world = Self(path);
        world.git(".", &["init", "--quiet", "--bare", "--initial-branch=main", "hub"]);
        world.git(".", &["init", "--quiet", "--initial-branch=main", "first"]);
        world.git("first", &["commit", "--quiet", "--allow-empty", "--message", "start"]);
        world.git("first", &["push", "--quiet", "../hub", "main"]);
        for who in ["alice", "bob", "referee"] {
            world.git(".", &["clone", "--quiet", "hub", who]);
            world.git(who, &["config", "user.name", who]);
            world.git(who, &["config", "user.email", "p@x.invalid"]);
        }
        world
    }

    fn dir(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn git(&self, dir: &str, args: &[&str]) -> String {
        let names = ["-c", "user.name=x", "-c", "user.email=x@x.invalid"];
        let names = if dir == "first" { &names[..] } else { &[] };
        let mut git = Command::new("git");
        let output = git.args(names).args(args).current_dir(self.dir(dir)).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
        stdout(&output)
    }

    fn parlor(&self, dir: &str, args: &[&str]) -> Output {
        let mut command = parlor(&[&["git"], args].concat());
        let secret = if dir == "referee" { SECRET } else { "" };
        command.current_dir(self.dir(dir)).env("PARLOR_GIT_SECRET", secret).output().unwrap()
    }

    fn says(&self, dir: &str, args: &[&str]) -> String {
        let output = self.parlor(dir, args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        stdout(&output)
    }

    fn state(&self, dir: &str) -> Value {
        let text = fs::read_to_string(self.dir(dir).join("tables/t1/state.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// The one who is to move makes the first legal move and pushes it; who, and the file.
    fn turn(&self) -> (String, String) {
        let state = self.state("referee");
        let color = state["activePlayer"].as_str().unwrap();
        let who = state["players"][color].as_str().unwrap();
        self.git(who, &["pull", "--quiet"]);
        let plays = self.says(who, &["legal"]);
        let file = self.says(who, &["move", plays.lines().next().unwrap()]);
        self.git(who, &["add", "--all"]);
        self.git(who, &["commit", "--quiet", "--message", "my turn"]);
        self.git(who, &["push", "--quiet", "origin", "main"]);
        (who.to_owned(), file.trim().to_owned())
    }

    /// Runs the steps of the action with an event, and a `gh` that knows these pushes.
    fn action(&self, event: &Value, pushes: &Value) -> Vec<Output> {
        let temp = self.dir("temp");
        fs::write(temp.join("event.json"), event.to_string()).unwrap();
        let pages: Vec<String> =
            pushes.as_array().unwrap().chunks(100).map(|page| json!(page).to_string()).collect();
        fs::write(temp.join("pushes.json"), pages.join("\n")).unwrap();
        let gh = format!(
            "#!/bin/sh\necho \"$@\" >> '{0}/gh.log'\ncase \"$*\" in 'api --paginate '*) cat '{0}/pushes.json';; \
             api*) head -n 1 '{0}/pushes.json';; issue*) shift; while [ \"$1\" != --body-file ]; do shift; done; cat \"$2\" > '{0}/said';; esac\n",
            temp.display()
        );
        let bin = temp.join("bin");
        fs::create_dir_all(&bin).unwrap();
        executable(&bin.join("gh"), gh.as_bytes());
        let binary = fs::read(env!("CARGO_BIN_EXE_parlor")).unwrap();
        let served = temp.join("served");
        fs::write(&served, &binary).unwrap();
        let sum = Command::new("sha256sum").arg(&served).output().unwrap();
        let sum = stdout(&sum).split(' ').next().unwrap().to_owned();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let issue = event["issue"]["number"].to_string();
        let mut outputs = Vec::new();
        for step in steps() {
            if step.run.contains("gh issue") && event["issue"].is_null() {
                continue;
            }
            let mut bash = Command::new("bash");
            bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step.run])
                .current_dir(self.dir("referee"))
                .env("PATH", &path)
                .env("RUNNER_TEMP", &temp)
                .env("GITHUB_EVENT_PATH", temp.join("event.json"))
                .env("GITHUB_REPOSITORY", "owner/game")
                .env("GITHUB_REF", "refs/heads/main");
            for (key, value) in &step.env {
                let value = match value.as_str() {
                    "${{ inputs.binary }}" => format!("file://{}", served.display()),
                    "${{ inputs.sha256 }}" => sum.clone(),
                    "${{ inputs.secret }}" => SECRET.to_owned(),
                    "${{ inputs.token }}" => "token".to_owned(),
                    "${{ github.event.issue.number }}" => issue.clone(),
                    other => panic!("{key} is {other}, which the tests do not know"),
                };
                bash.env(key, value);
            }
            outputs.push(bash.output().unwrap());
        }
        outputs
    }
}

fn executable(path: &Path, content: &[u8]) {
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A step of the action: its lines, and what it gets in the environment.
struct Step {
    run: String,
    env: Vec<(String, String)>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads the steps out of `action.yml`: lists at four blanks, keys at six, blocks below them.
fn steps() -> Vec<Step> {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let (_, list) = text.split_once("\n  steps:\n").unwrap();
    let mut steps = Vec::new();
    for step in list.split("    - name: ").skip(1) {
        let (head, run) = step.split_once("      run: |\n").unwrap();
        let unindented = |line: &str| line.strip_prefix("        ").unwrap_or(line).to_owned();
        let run: Vec<String> = run.lines().map(unindented).collect();
        let env = head.split_once("      env:\n").map_or("", |(_, env)| env);
        let env = env.lines().filter_map(|line| line.strip_prefix("        ")?.split_once(": "));
        let env = env.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        steps.push(Step { run: run.join("\n"), env });
    }
    steps
}

fn push_event(who: &str, before: &str, after: &str) -> Value {
    json!({"before": before.trim(), "after": after.trim(), "ref": "refs/heads/main",
           "sender": {"login": who}})
}

fn activity(who: &str, before: &str, after: &str) -> Value {
    json!({"before": before.trim(), "after": after.trim(), "actor": {"login": who}})
}

#[test]
fn three_turns_from_the_command_line() {
    let world = World::new("git-cli");
    let opened = world.says(
        "referee",
        &["new", "--white", "alice", "--black", "bob", "--id", "t1", "--push", "origin"],
    );
    assert!(opened.contains("t1: new table, alice (white) and bob (black)"), "{opened}");
    for turn in 1..=3 {
        world.turn();
        let applied = world.says("referee", &["apply", "--push", "origin"]);
        assert!(applied.contains(&format!("t1: turn {turn}, ")), "{applied}");
    }
    world.git(".", &["clone", "--quiet", "hub", "fresh"]);
    assert!(world.says("fresh", &["verify"]).contains("t1: 4 commits, all legal"));
    assert_eq!(world.says("fresh", &["log"]).lines().count(), 4);
    assert!(world.says("fresh", &["show"]).contains("+13-14-15-16-17-18-+"));
    assert!(world.says("fresh", &["export", "--to", "mat"]).contains(" 0 point match"));
    let state = world.dir("fresh").join("tables/t1/state.json");
    let path = state.to_str().unwrap();
    assert_eq!(world.says("fresh", &["validate", path]), format!("{path}: good\n"));
    fs::write(&state, "{\"turn\": 0}").unwrap();
    let bad = world.parlor("fresh", &["validate", path]);
    assert!(!bad.status.success());
    let legal = path.replace("state.json", "legal.json");
    assert!(!world.parlor("fresh", &["validate", &legal]).status.success());
    world.git("fresh", &["checkout", "--quiet", "--", "."]);
    assert_eq!(world.says("fresh", &["validate", &legal]), format!("{legal}: good\n"));
    let about = fs::read_to_string(state.with_file_name("match.json")).unwrap();
    assert!(about.contains("\"0003-"), "the moves are listed: {about}");
    assert!(stdout(&bad).lines().count() > 10, "every fault: {}", stdout(&bad));
    let both = world.parlor("fresh", &["validate", "nothing.json", path]);
    assert!(!both.status.success());
    let lines = stdout(&both);
    let good = format!("{path}: good\n");
    assert!(lines.starts_with("nothing.json: fault: ") && lines.ends_with(&good), "{lines}");
    for wrong in [
        ["move", "24/1"],
        ["move", "hello"],
        ["verify", "--table=nowhere"],
        ["log", "--table=nowhere"],
    ] {
        world.git("fresh", &["checkout", "--quiet", "--", "."]);
        let output = world.parlor("fresh", &wrong);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.starts_with("parlor: "), "{text}");
    }
}

#[test]
fn whoever_is_in_the_wrong_place_is_told_what_to_do() {
    let world = World::new("git-wrong");
    world.git(".", &["init", "--quiet", "--initial-branch=main", "empty"]);
    let new = ["new", "--white", "alice", "--black", "bob", "--id", "t1", "--push", "origin"];
    world.says("referee", &new);
    world.git("alice", &["pull", "--quiet"]);
    world.git("alice", &["checkout", "--quiet", "--detach"]);
    assert!(world.says("alice", &["show"]).contains("t1, turn 1"), "any moment can be looked at");
    for (dir, args, why) in [
        ("alice", &["apply"][..], "git switch"),
        ("alice", &["apply", "--push", "origin"], "git switch"),
        ("empty", &["show"], "there is no table here: git pull"),
        ("empty", &["verify", "--table", "t1"], "there is no commit here yet"),
        ("bob", &["show"], "there is no table here: git pull"),
        ("referee", &["show", "--repo", "/nowhere/at/all"], "no folder /nowhere/at/all"),
        ("referee", &["show", "--repo", "/"], "/ is in no git repository: git clone"),
        ("hub", &["verify"], "git clone it"),
        ("referee", &["apply", "--event", "/nowhere/event.json"], "--event /nowhere/event.json: "),
        ("referee", &["apply", "--reply", "/nowhere/reply"], "--reply /nowhere/reply: "),
        ("referee", &["page", ".", "--github", "foo"], "say OWNER/NAME"),
        ("referee", &["page", ".", "--github", "a/b/c"], "say OWNER/NAME"),
    ] {
        let output = world.parlor(dir, args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(why), "{args:?} in {dir}: {text}");
    }
    fs::create_dir_all(world.dir("referee").join("tables/nowhere")).unwrap();
    fs::write(world.dir("referee").join("tables/nowhere/x"), "").unwrap();
    world.git("referee", &["add", "--all"]);
    world.git("referee", &["commit", "--quiet", "--message", "x"]);
    let said = world.says("referee", &["apply"]);
    assert!(said.contains("  Invalid move rejected: tables/nowhere/x: "), "{said}");
}

/// The page's own lines, in its own order; who is to play is the one thing a reader has to see.
#[test]
fn the_page_leads_through_the_first_three_turns() {
    let page = fs::read_to_string(root().join("docs/gitgammon.md")).unwrap();
    let (page, _) = page.split_once("## With GitHub").unwrap();
    let blocks: Vec<&str> =
        page.split("```sh\n").skip(1).map(|part| part.split("```").next().unwrap()).collect();
    let [start, open, look, turn, judge, check] = blocks[..] else { panic!("{blocks:?}") };
    // Whatever the dice, and with those where the third turn passes by itself.
    let dancing = "echo e14ab1d525c65565efb62d792b0a842a444fc6c8bad41f0b46b90718ab937992";
    for (name, secret) in [("page", "openssl rand -hex 32"), ("page-dance", dancing)] {
        let folder = std::env::temp_dir().join(format!("parlor-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let binary = Path::new(env!("CARGO_BIN_EXE_parlor")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let follow = |lines: &str| {
            let mut bash = Command::new("bash");
            bash.args(["-ec", lines]).current_dir(&folder).env("PATH", &path);
            let output = bash.output().unwrap();
            assert!(output.status.success(), "{lines}\n{output:?}");
            stdout(&output)
        };
        follow(start);
        assert!(open.contains("openssl rand -hex 32 > secret"));
        follow(&open.replace("openssl rand -hex 32", secret));
        let mut turns = Vec::new();
        for _ in 1..=3 {
            let seen = follow(look);
            let (_, shown) = seen.split_once("first, turn ").expect(&seen);
            let (number, shown) = shown.split_once(": ").expect(&seen);
            let who = if shown.contains("(bob) to play") { "who=bob" } else { "who=alice" };
            follow(&turn.replace("who=alice", who));
            let said = follow(judge);
            assert!(said.contains(&format!("first: turn {number}, ")), "{seen}\n{said}");
            turns.push(number.to_owned());
        }
        if secret == dancing {
            assert_eq!(turns, ["1", "2", "4"]);
        }
        assert!(follow(check).contains("first: 4 commits, all legal"));
        fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn the_steps_of_the_action_play_a_game() {
    let world = World::new("git-action");
    let form = json!({"sender": {"login": "alice"}, "inputs": {
        "do": "new", "table": "t1", "opponent": "bob", "colour": "white"}});
    for output in world.action(&form, &json!([])) {
        assert!(output.status.success(), "{output:?}");
    }
    let mut known = Vec::new();
    for turn in 1..=4 {
        let before = world.git("hub", &["rev-parse", "main"]);
        let (who, file) = world.turn();
        let after = world.git("hub", &["rev-parse", "main"]);
        known.push(activity(&who, &before, &after));
        let outputs = world.action(&push_event(&who, &before, &after), &json!(known));
        assert!(outputs.iter().all(|output| output.status.success()), "{outputs:?}");
        assert_eq!(world.state("referee")["lastMove"]["sequence"], turn);
        assert!(world.dir("referee").join(file).exists());
    }
    // Two pushes and one run: the run of the first was replaced by that of the second.
    let first = world.git("hub", &["rev-parse", "main"]);
    let (who, _) = world.turn();
    let second = world.git("hub", &["rev-parse", "main"]);
    let other = if who == "alice" { "bob" } else { "alice" };
    world.git(other, &["pull", "--quiet"]);
    fs::write(world.dir(other).join("tables/t1/match.json"), "{}").unwrap();
    world.git(other, &["commit", "--quiet", "--all", "--message", "$(touch pwned)"]);
    world.git(other, &["push", "--quiet", "origin", "main"]);
    let third = world.git("hub", &["rev-parse", "main"]);
    known.extend([activity(&who, &first, &second), activity(other, &second, &third)]);
    let outputs = world.action(&push_event(other, &second, &third), &json!(known));
    assert!(outputs.iter().all(|output| output.status.success()), "{outputs:?}");
    assert_eq!(world.state("referee")["lastMove"]["sequence"], 5);
    assert!(world.git("hub", &["log", "-3", "--format=%s", "main"]).contains("put back"));
    world.git(".", &["clone", "--quiet", "hub", "fresh"]);
    assert!(world.says("fresh", &["verify"]).contains("all legal"));
}

#[test]
fn the_actor_of_a_push_is_the_forge_s_word_and_nobody_moves_for_another() {
    let world = World::new("git-actor");
    world.says(
        "referee",
        &["new", "--white", "alice", "--black", "bob", "--id", "t1", "--push", "origin"],
    );
    let before = world.git("hub", &["rev-parse", "main"]);
    let (who, _) = world.turn();
    let after = world.git("hub", &["rev-parse", "main"]);
    let other = if who == "alice" { "bob" } else { "alice" };
    let outputs = world
        .action(&push_event(other, &before, &after), &json!([activity(other, &before, &after)]));
    assert!(outputs.iter().all(|output| output.status.success()), "{outputs:?}");
    let state = world.state("referee");
    let last = state["messages"].as_array().unwrap().last().unwrap();
    assert!(last["text"].as_str().unwrap().starts_with("Invalid move rejected: "), "{last}");
    assert_eq!(state["lastMove"], Value::Null);
}

#[test]
fn more_pushes_than_the_forge_tells_at_once_are_all_heard_of() {
    let world = World::new("git-pages");
    world.says(
        "referee",
        &["new", "--white", "alice", "--black", "bob", "--id", "t1", "--push", "origin"],
    );
    let before = world.git("hub", &["rev-parse", "main"]);
    let (who, _) = world.turn();
    let mut after = world.git("hub", &["rev-parse", "main"]);
    let mut known = vec![activity(&who, &before, &after)];
    for _ in 0..100 {
        world.git(&who, &["commit", "--quiet", "--allow-empty", "--message", "hello"]);
        let next = world.git(&who, &["rev-parse", "HEAD"]);
        known.insert(0, activity(&who, &after, &next));
        after = next;
    }
    world.git(&who, &["push", "--quiet", "origin", "main"]);
    let event = json!({"sender": {"login": who}, "inputs": {"do": "apply"}});
    let outputs = world.action(&event, &json!(known));
    assert!(outputs.iter().all(|output| output.status.success()), "{outputs:?}");
    assert_eq!(world.state("referee")["lastMove"]["sequence"], 1);
}

#[test]
fn a_challenge_is_answered_and_user_text_reaches_no_shell() {
    let world = World::new("git-challenge");
    let tricks = "$(touch pwned) `touch pwned` '; touch pwned; \" && touch pwned";
    let body = "### Opponent\n\nbob\n\n### Table\n\nt1\n\n### Colour\n\nwhite\n";
    let mut event = json!({"action": "opened", "sender": {"login": "alice"}, "issue": {
        "number": 5, "body": format!("### Opponent\n\n{tricks}\n\n### Table\n\n{tricks}\n"),
        "title": tricks, "user": {"login": "alice"}, "author_association": "MEMBER",
        "labels": [{"name": "gitgammon-challenge"}]}});
    world.action(&event, &json!([]));
    let said = fs::read_to_string(world.dir("temp/said")).unwrap();
    assert!(said.contains("a table's name is"), "{said}");
    event["issue"]["body"] = json!(body);
    world.action(&event, &json!([]));
    let said = fs::read_to_string(world.dir("temp/said")).unwrap();
    assert!(said.contains("@bob, you are challenged"), "{said}");
    event["action"] = json!("created");
    event["comment"] = json!({"body": "/accept", "user": {"login": "bob"},
                              "author_association": "MEMBER"});
    world.action(&event, &json!([]));
    let said = fs::read_to_string(world.dir("temp/said")).unwrap();
    assert!(said.contains("t1: new table, alice (white) and bob (black)"), "{said}");
    assert_eq!(world.state("referee")["players"]["white"], "alice");
    let resign = json!({"action": "opened", "sender": {"login": "alice"}, "issue": {
        "number": 6, "body": "### Table\n\nt1\n\n### Value\n\ngammon\n", "user": {"login": "alice"},
        "author_association": "MEMBER", "labels": [{"name": "gitgammon-resign"}]}});
    world.action(&resign, &json!([]));
    assert_eq!(world.state("referee")["winner"], "black");
    for dir in ["referee", "temp", "."] {
        assert!(!world.dir(dir).join("pwned").exists());
    }
}

#[test]
fn a_binary_with_another_checksum_is_not_run() {
    let step = steps().remove(0);
    let folder = std::env::temp_dir().join(format!("parlor-sum-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("served"), "something else").unwrap();
    let output = Command::new("bash")
        .args(["-eo", "pipefail", "-c", &step.run])
        .env("RUNNER_TEMP", &folder)
        .env("BINARY", format!("file://{}", folder.join("served").display()))
        .env("SHA256", "0".repeat(64))
        .output()
        .unwrap();
    fs::remove_dir_all(&folder).unwrap();
    assert!(!output.status.success());
}

#[test]
fn parlor_is_built_where_the_settings_of_the_game_do_not_count() {
    let world = World::new("git-build");
    let (temp, source) = (world.dir("temp"), world.dir("source"));
    fs::create_dir_all(&source).unwrap();
    let cargo = "#!/bin/sh\npwd -P > \"$RUNNER_TEMP/where\"\n\
                 mkdir -p \"$RUNNER_TEMP/build/release\"\n: > \"$RUNNER_TEMP/build/release/parlor\"\n";
    executable(&temp.join("cargo"), cargo.as_bytes());
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &steps().remove(0).run])
        .current_dir(world.dir("referee"))
        .env("PATH", format!("{}:{}", temp.display(), std::env::var("PATH").unwrap()))
        .env("RUNNER_TEMP", &temp)
        .env("GITHUB_ACTION_PATH", &source)
        .envs([("BINARY", ""), ("SHA256", "")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let place = fs::read_to_string(temp.join("where")).unwrap();
    assert_eq!(Path::new(place.trim()), source.canonicalize().unwrap());
    assert!(temp.join("parlor").exists());
}

/// Nothing a player writes is put into a line of shell: every expression is in `env`, `if` or
/// `with`. Actions are pinned by their commits, and permissions are as few as can be.
#[test]
fn action_and_workflows_are_safe_by_their_text() {
    for step in steps() {
        assert!(!step.run.contains("${{"), "{}", step.run);
    }
    let folder = root().join("docs/gitgammon/github/workflows");
    for (name, permissions) in [
        ("gitgammon.yml", "permissions:\n  contents: write\n#"),
        ("gitgammon-forms.yml", "permissions:\n  contents: write\n  issues: write\n#"),
    ] {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.contains(permissions), "{name}");
        assert!(!text.contains("cancel-in-progress: true"), "{name}");
        assert!(!text.contains("run:"), "{name} runs nothing but actions");
        for uses in text.lines().filter(|line| line.contains("uses: ")) {
            let pin = uses.split('@').nth(1).unwrap().split(' ').next().unwrap();
            let hex = pin.len() == 40 && pin.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(hex || uses.contains("OWNER/parlor@SHA"), "{uses}");
        }
    }
}
