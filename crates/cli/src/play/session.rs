//! Somebody at a table, wherever the table is: what is shown, asked and answered.

use super::ear::{Ear, Heard, Hears};
use super::people::People;
use super::{Face, Said, face, now_ms, say};
use anyhow::{Context as _, Result};
use parlor_bots::{Level, Player};
use parlor_rules::Json;
use serde_json::value::RawValue;
use std::io::{Write, stdout};
use std::sync::Arc;

/// How long an answer may take before who has nothing more to say goes without it.
const ANSWER_MS: u64 = 5_000;

/// Where a table is: in this program, or at a server.
pub(super) trait Source {
    /// Lets the table go on by itself as far as it goes now; what is new.
    fn go_on(&mut self) -> Result<Vec<News>>;
    /// When to let it go on again; none if news come by themselves.
    fn wake_ms(&self) -> Option<u64>;
    /// Says something to the rules. Whether it goes is news.
    fn play(&mut self, command: Json, ask: Option<u64>) -> Result<()>;
    /// What it wants to know from the player while the rules ask nothing.
    fn wants(&self, over: bool) -> Option<&'static str>;
    /// A line that is not for the rules; whether it is understood. What comes of it is news.
    fn hears(&mut self, line: &str, over: bool) -> Result<bool>;
    /// The player goes; what to say to that.
    fn goodbye(&mut self, over: bool) -> String;
    /// What can be said beside the game.
    fn help(&self) -> &'static str;
}

/// What there is to see, and what may be said to it.
pub(super) struct Shown {
    pub(super) sights: Arc<[Json]>,
    pub(super) view: Json,
    /// None for a watcher.
    pub(super) legal: Option<Json>,
    /// The number of the question; none if nothing is asked.
    pub(super) ask: Option<u64>,
    /// When the time to answer is up, by the clock of this machine.
    pub(super) until_ms: Option<u64>,
}

/// Something new.
pub(super) enum News {
    /// A table, and who sits at it.
    Table { table: String, game: String, people: People },
    /// Something has happened there.
    Shown(Shown),
    /// What was said is done.
    Done,
    /// What was said does not go.
    Refused(String),
    /// Something else to be told.
    Note(String),
    /// Nothing is heard or said until the line is back.
    Lost(String),
    /// The line is back.
    Back,
    /// The game is over.
    Over,
    /// There is nothing more to see here.
    Left(String),
    /// It cannot go on.
    Failed(anyhow::Error),
}

/// A table that is looked at.
struct At {
    table: String,
    game: String,
    face: Box<dyn Face>,
    /// Whether hints would be a help against nobody else.
    alone: bool,
    /// A house player in the player's own seat, for hints: as good as it gets.
    adviser: Option<Box<dyn Player>>,
}

/// Somebody at a table.
pub(super) struct Session<S> {
    source: S,
    ear: Ear,
    /// Who knows the hints must not know from them what the house will do.
    seed: String,
    at: Option<At>,
    seen: Option<Shown>,
    /// The question the table was last drawn for.
    drawn: Option<Option<u64>>,
    /// Whether something was said that is not answered yet.
    waits: bool,
    /// Whether there is no line to say anything on.
    lost: bool,
    /// When there was last something new.
    news_ms: u64,
    over: bool,
    /// Whether the last line on the screen is a question.
    open: bool,
}

/// What is understood at every table.
pub(super) enum Word<'a> {
    Nothing,
    Quit,
    Help,
    Board,
    Hint,
    Other(&'a str),
}

impl<'a> Word<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        let line = line.trim();
        match line.to_lowercase().as_str() {
            "" => Self::Nothing,
            "q" | "quit" | "exit" => Self::Quit,
            "help" | "h" | "?" => Self::Help,
            "board" => Self::Board,
            "hint" => Self::Hint,
            _ => Self::Other(line),
        }
    }
}

impl<S: Source> Session<S> {
    pub(super) fn new(source: S, ear: Ear, seed: &str) -> Self {
        Self {
            source,
            ear,
            seed: format!("adviser {seed}"),
            at: None,
            seen: None,
            drawn: None,
            waits: false,
            lost: false,
            news_ms: now_ms(),
            over: false,
            open: false,
        }
    }

    /// Plays until it is over, the player leaves, or standard input ends.
    pub(super) fn play(mut self) -> Result<()> {
        loop {
            for news in self.source.go_on()? {
                if !self.takes(news)? {
                    return Ok(());
                }
            }
            let (hears, enough_ms) = match (self.asks()?, self.enough_ms()) {
                (true, _) => (Hears::All, None),
                (false, Some(enough_ms)) if enough_ms <= now_ms() => (Hears::Goodbye, None),
                (false, enough_ms) => (Hears::Nothing, enough_ms),
            };
            let until_ms = self.source.wake_ms().into_iter().chain(enough_ms).min();
            let on = match self.ear.hear(hears, until_ms)? {
                Heard::Line(line) => {
                    self.open = false;
                    self.hears(&line)?
                }
                Heard::News(news) => {
                    self.news_ms = now_ms();
                    self.takes(news)?
                }
                Heard::Time => true,
                Heard::End => {
                    self.open = false;
                    self.goes()?
                }
                Heard::Stop => self.goes()?,
            };
            if !on {
                return Ok(());
            }
        }
    }

    /// When it has been waited long enough for who has to speak now; none if all goes its way.
    fn enough_ms(&self) -> Option<u64> {
        let stuck = self.waits || self.lost || self.at.is_none();
        stuck.then(|| self.news_ms.saturating_add(ANSWER_MS))
    }

    /// Prints, below a question that is open.
    fn say(&mut self, text: impl std::fmt::Display) -> Result<()> {
        if std::mem::take(&mut self.open) {
            say("")?;
        }
        Ok(say(text)?)
    }

    fn goes(&mut self) -> Result<bool> {
        let goodbye = self.source.goodbye(self.over);
        self.say(format!("\n{goodbye}"))?;
        Ok(false)
    }

    fn draws(&mut self) -> Result<()> {
        if let (Some(at), Some(seen)) = (&self.at, &self.seen) {
            let picture = at.face.draw(&seen.view);
            self.say(format!("\n{picture}"))?;
        }
        Ok(())
    }

    /// Puts the question that is to be answered now; whether there is one.
    fn asks(&mut self) -> Result<bool> {
        let ask = self.seen.as_ref().and_then(|seen| seen.ask).filter(|_| !self.over);
        let wanted = self.source.wants(self.over);
        if self.waits || self.lost || (ask.is_none() && wanted.is_none()) {
            return Ok(false);
        }
        if self.drawn != Some(ask) {
            self.drawn = Some(ask);
            self.draws()?;
        }
        if self.open {
            return Ok(true);
        }
        let question = match (&self.at, &self.seen, wanted) {
            (
                Some(at),
                Some(Shown { view, legal: Some(legal), until_ms, ask: Some(_), .. }),
                None,
            ) => {
                let left = until_ms.map(|until_ms| until_ms.saturating_sub(now_ms()));
                let clock = left.map(|left_ms| format!("[{} s] ", left_ms.div_ceil(1_000)));
                clock.unwrap_or_default() + &at.face.ask(view, legal)
            }
            (.., wanted) => wanted.unwrap_or_default().to_owned(),
        };
        write!(stdout(), "{question} > ")?;
        stdout().flush()?;
        self.open = true;
        Ok(true)
    }

    /// Takes in what is new; whether there is more to come.
    fn takes(&mut self, news: News) -> Result<bool> {
        match news {
            News::Table { table, game, people } => self.comes_to(table, game, people)?,
            News::Shown(shown) => self.sees(shown)?,
            News::Done => self.waits = false,
            News::Refused(text) => {
                self.waits = false;
                self.say(format!("That does not go: {text}."))?;
            }
            News::Note(text) => self.say(text)?,
            News::Lost(why) => {
                self.lost = true;
                self.say(format!("The line is lost ({why}); trying again."))?;
            }
            News::Back => {
                self.lost = false;
                self.say("The line is back.")?;
            }
            News::Over if self.over => {}
            News::Over => {
                self.over = true;
                self.waits = false;
                self.drawn = Some(None);
                if let (Some(at), Some(seen)) = (&self.at, &self.seen) {
                    let end =
                        format!("{}\n{}", at.face.draw(&seen.view), at.face.result(&seen.view));
                    self.say(end)?;
                }
            }
            News::Left(text) => {
                self.say(text)?;
                return Ok(false);
            }
            News::Failed(failure) => return Err(failure),
        }
        // Who only watches has seen all there is.
        let plays = self.seen.as_ref().is_none_or(|seen| seen.legal.is_some());
        Ok(!self.over || (plays && self.source.wants(true).is_some()))
    }

    fn comes_to(&mut self, table: String, game: String, people: People) -> Result<()> {
        let (alone, me) = (people.is_alone(), people.me());
        let face = face(&game, people)
            .with_context(|| format!("{game} cannot be played in the terminal yet"))?;
        if let Some(at) = self.at.as_mut().filter(|at| at.table == table) {
            (at.face, at.alone) = (face, alone);
            return Ok(());
        }
        let known = self.at.as_ref().is_some_and(|at| at.game == game);
        if !known {
            let more = self.source.help();
            self.say(format!("{}{more}\n", face.help()))?;
        }
        let adviser = me.and_then(|seat| parlor_bots::player(&game, Level::Hard, seat, &self.seed));
        self.at = Some(At { table, game, face, alone, adviser });
        (self.seen, self.drawn, self.over, self.waits) = (None, None, false, false);
        Ok(())
    }

    fn sees(&mut self, shown: Shown) -> Result<()> {
        let Some(at) = &self.at else { return Ok(()) };
        let mut told = Vec::new();
        if let Some(before) = &self.seen {
            // What comes unasked while the player thinks may be the end of the time to think.
            if self.open && !self.waits {
                told.extend(at.face.late(&before.view, &shown.view));
            }
            told.extend(at.face.tell(&shown.sights, &before.view));
        }
        let watches = shown.legal.is_none();
        self.seen = Some(shown);
        for line in told {
            self.say(line)?;
        }
        if watches {
            self.draws()?;
        }
        Ok(())
    }

    /// Hears a line; whether the player stays.
    fn hears(&mut self, line: &str) -> Result<bool> {
        let text = match Word::of(line) {
            Word::Quit => return self.goes(),
            Word::Nothing => {
                self.source.hears("", self.over)?;
                return Ok(true);
            }
            Word::Help => match &self.at {
                Some(at) => format!("{}{}", at.face.help(), self.source.help()),
                None => self.source.help().trim_start().to_owned(),
            },
            Word::Board => match (&self.at, &self.seen) {
                (Some(at), Some(seen)) => at.face.draw(&seen.view),
                _ => "There is no table yet.".to_owned(),
            },
            Word::Hint => self.hint(),
            Word::Other(line) => {
                if self.source.hears(line, self.over)? {
                    self.waits = true;
                    return Ok(true);
                }
                match self.reads(line) {
                    Said::Show(text) => text,
                    Said::Command(command) => {
                        self.waits = true;
                        let ask = self.seen.as_ref().and_then(|seen| seen.ask);
                        self.source.play(command, ask)?;
                        return Ok(true);
                    }
                }
            }
        };
        self.say(text)?;
        Ok(true)
    }

    fn reads(&self, line: &str) -> Said {
        match (&self.at, &self.seen) {
            (Some(at), Some(Shown { view, legal: Some(legal), .. })) if !self.over => {
                at.face.read(line, view, legal)
            }
            _ => Said::Show("There is nothing to say now.".to_owned()),
        }
    }

    fn hint(&mut self) -> String {
        let nothing = || "nothing to advise here".to_owned();
        let Some(at) = &mut self.at else { return nothing() };
        if !at.alone {
            return "Hints are for games against the house.".to_owned();
        }
        let advised = |seen: &Shown, adviser: &mut Box<dyn Player>| {
            let legal: &RawValue = seen.legal.as_deref()?;
            seen.ask?;
            Some(at.face.describe(&adviser.choose(&seen.view, legal)?, &seen.view))
        };
        let hint = self.seen.as_ref().zip(at.adviser.as_mut());
        hint.and_then(|(seen, adviser)| advised(seen, adviser)).unwrap_or_else(nothing)
    }
}
