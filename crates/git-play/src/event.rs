//! What a forge tells of a push, a form or a comment, and what the referee is asked to do by it.
//!
//! The text of people reaches the referee in this file alone; it is never part of a command line.

use crate::apply::{Push, Request};
use crate::color::Pair;
use crate::game::plain;
use crate::matches::Layout;
use parlor_rules_backgammon::command::Level;
use parlor_table::TableId;
use serde::Deserialize;
use serde_json::Value;

/// The label of an issue that challenges somebody.
pub const CHALLENGE: &str = "gitgammon-challenge";
/// The label of an issue by which somebody gives up.
pub const RESIGN: &str = "gitgammon-resign";
/// What the one who is challenged says.
pub const ACCEPT: &str = "/accept";

/// What an event comes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Heard {
    /// The push it tells of.
    pub push: Option<Push>,
    /// What the referee is asked to do.
    pub request: Option<Request>,
    /// What is answered, where nothing is done.
    pub reply: Option<String>,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    #[serde(default)]
    body: Option<String>,
    user: User,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    author_association: String,
}

#[derive(Deserialize)]
struct Comment {
    body: String,
    user: User,
    #[serde(default)]
    author_association: String,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    before: Option<String>,
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    action: Option<String>,
    #[serde(default)]
    inputs: Option<Value>,
    #[serde(default)]
    issue: Option<Issue>,
    #[serde(default)]
    comment: Option<Comment>,
    sender: User,
}

/// Where the answers of a form come from: fields by name.
struct Form<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Form<'_> {
    /// What was filled in; none if nothing was.
    fn field(&self, name: &str) -> Option<String> {
        let text = (self.0)(name)?.trim().to_owned();
        Some(text).filter(|text| !text.is_empty() && text != "_No response_")
    }

    fn name(&self, name: &str) -> Result<String, String> {
        let text = self.field(name).ok_or_else(|| format!("the form has no {name}"))?;
        Ok(text.trim_start_matches('@').to_owned())
    }

    fn table(&self) -> Result<Option<TableId>, String> {
        let Some(name) = self.field("Table") else { return Ok(None) };
        name.parse().map(Some).map_err(|why: &str| format!("{}: {why}", plain(&name)))
    }

    /// A table for the one who asks and an opponent; `number` tells unnamed tables apart.
    fn new_table(&self, me: &str, number: &str) -> Result<Request, String> {
        let opponent = self.name("Opponent")?;
        let players = match self.field("Colour").as_deref() {
            Some("black") => Pair { white: opponent, black: me.to_owned() },
            None | Some("white") => Pair { white: me.to_owned(), black: opponent },
            Some(_) => return Err("Colour is white or black".to_owned()),
        };
        let layout = match self.field("Layout").as_deref() {
            None | Some("standard") => Layout::Standard,
            Some("printed") => Layout::Printed,
            Some(_) => return Err("Layout is standard or printed".to_owned()),
        };
        let length = self.field("Match").unwrap_or_else(|| "0".to_owned());
        let length = length.parse().map_err(|_| "Match is a number of points")?;
        let table = match self.table()? {
            Some(table) => table,
            None => {
                let text = format!("{}-{}-{number}", players.white, players.black).to_lowercase();
                let odd = |c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit();
                text.replace(odd, "-").trim_matches('-').parse().map_err(str::to_owned)?
            }
        };
        let request = Request::New { table, players, layout, length };
        request.check().map(|()| request)
    }

    fn resign(&self, me: &str) -> Result<Request, String> {
        let table = self.table()?.ok_or("the form has no Table")?;
        let value = match self.field("Value") {
            None => Level::Single,
            Some(word) => Level::ALL
                .into_iter()
                .find(|level| level.name() == word)
                .ok_or("Value is single, gammon or backgammon")?,
        };
        Ok(Request::Resign { table, player: me.to_owned(), value })
    }
}

/// The answers of an issue form: `### Field`, a blank line, the answer.
fn section(body: &str, name: &str) -> Option<String> {
    let mut lines = body.lines().map(str::trim_end);
    lines.find(|line| line.strip_prefix("### ") == Some(name))?;
    let answer: Vec<&str> = lines.take_while(|line| !line.starts_with("### ")).collect();
    Some(answer.join("\n"))
}

/// Reads the file a forge leaves for a workflow.
pub fn read(text: &str) -> Result<Heard, String> {
    let event: Event =
        serde_json::from_str(text).map_err(|error| format!("the event cannot be read: {error}"))?;
    let me = event.sender.login;
    let mut heard = Heard::default();
    if let (Some(before), Some(after)) = (event.before, event.after) {
        heard.push = Some(Push { actor: me, before, after });
        return Ok(heard);
    }
    if let Some(issue) = event.issue {
        let asked = by_issue(&issue, event.comment.as_ref(), event.action.as_deref())?;
        match asked {
            Asked::Do(request) => heard.request = Some(request),
            Asked::Say(text) => heard.reply = Some(text),
            Asked::Nothing => {}
        }
        return Ok(heard);
    }
    let inputs = event.inputs.unwrap_or_default();
    let field = |name: &str| match inputs.get(name.to_lowercase())? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let form = Form(&field);
    heard.request = match form.field("Do").as_deref() {
        None | Some("apply") => None,
        Some("new") => Some(form.new_table(&me, "1")?),
        Some("resign") => Some(form.resign(&me)?),
        Some(_) => return Err("do is apply, new or resign".to_owned()),
    };
    Ok(heard)
}

enum Asked {
    Do(Request),
    Say(String),
    Nothing,
}

fn by_issue(
    issue: &Issue,
    comment: Option<&Comment>,
    action: Option<&str>,
) -> Result<Asked, String> {
    let has = |label: &str| issue.labels.iter().any(|one| one.name == label);
    let body = issue.body.as_deref().unwrap_or_default();
    let field = |name: &str| section(body, name);
    let form = Form(&field);
    let opener = &issue.user.login;
    // Strangers may open issues; only who may push here may play here.
    let known = |association: &str| ["OWNER", "MEMBER", "COLLABORATOR"].contains(&association);
    let known = known(&issue.author_association)
        && comment.is_none_or(|comment| known(&comment.author_association));
    match (has(CHALLENGE), has(RESIGN), comment, action) {
        _ if !known => Ok(Asked::Nothing),
        (true, _, None, Some("opened")) => {
            form.new_table(opener, &issue.number.to_string())?;
            let opponent = form.name("Opponent")?;
            Ok(Asked::Say(format!(
                "@{}, you are challenged: answer `{ACCEPT}` to play.",
                plain(&opponent)
            )))
        }
        (true, _, Some(comment), Some("created")) if comment.body.trim() == ACCEPT => {
            let opponent = form.name("Opponent")?;
            if !crate::doc::same_name(&opponent, &comment.user.login) {
                return Ok(Asked::Nothing);
            }
            form.new_table(opener, &issue.number.to_string()).map(Asked::Do)
        }
        (_, true, None, Some("opened")) => form.resign(opener).map(Asked::Do),
        _ => Ok(Asked::Nothing),
    }
}

/// Reads the list of pushes a forge has recorded, page after page.
pub fn pushes(text: &str) -> Result<Vec<Push>, String> {
    #[derive(Deserialize)]
    struct Activity {
        before: String,
        after: String,
        actor: Option<User>,
    }
    let pages = serde_json::Deserializer::from_str(text).into_iter::<Vec<Activity>>();
    let list = pages
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("the list of pushes cannot be read: {error}"))?;
    let push = |activity: Activity| {
        let Activity { before, after, actor } = activity;
        actor.map(|User { login }| Push { actor: login, before, after })
    };
    Ok(list.into_iter().flatten().filter_map(push).collect())
}
