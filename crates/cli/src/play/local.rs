//! A table in this program: a person and house players, with a journal that lives as long as the
//! program or in a file. Nobody is hurried, but where time is part of the game.

use super::people::People;
use super::session::{News, Shown, Source};
use super::{Manners, Options, now_ms};
use anyhow::{Context as _, Error, Result, anyhow, bail, ensure};
use parlor_bots::Player;
use parlor_journal::{Driver, Journal, Memory, Sqlite, Submission, enter, store};
use parlor_rules::{AnyGame, Chips, House, Input, Json, Pending, Refusal, Seat, Stay, Viewer};
use parlor_table::{
    Act, Chair, Desk, Keys, NewTable, Options as TableOptions, Stamp, TableId, Update, Who,
};
use std::collections::BTreeMap;
use tokio::runtime::Runtime;

/// The player sits here, the house across.
const ME: Seat = Seat::new(0);

pub(super) struct Local {
    driver: Driver,
    journal: Box<dyn Journal>,
    /// Waits for the journal.
    runtime: Runtime,
    house: BTreeMap<Seat, Box<dyn Player>>,
    game: &'static dyn AnyGame,
    /// Whether time runs as at every other table. Otherwise the table waits for the player.
    ticks: bool,
    news: Vec<News>,
    /// Whether nothing can be stored.
    paused: bool,
    /// Whether the player is to say when it goes on.
    rests: bool,
}

impl Local {
    /// Opens a table, or goes on with one that a journal has.
    pub(super) fn open(
        options: &Options,
        game: &'static dyn AnyGame,
        manners: &Manners,
        seed: &str,
    ) -> Result<Self> {
        let journal: Box<dyn Journal> = match &options.here.journal {
            Some(path) => Box::new(Sqlite::open(path, options.here.durability.into())?),
            None => Box::new(Memory::default()),
        };
        let runtime = crate::log::runtime()?;
        let now_ms = now_ms();
        let name = options.table.as_deref().unwrap_or("terminal");
        let name: TableId = name.parse().map_err(|why| anyhow!("--table: {why}"))?;
        let known = runtime.block_on(journal.head(&name)).is_ok();
        let table = if known {
            if options.points.is_some() || options.config.is_some() || options.here.seed.is_some() {
                bail!(
                    "this table is there already; --match, --config and --seed are for a new one"
                );
            }
            // Two stays in one second are not told apart, and need not be: nobody else is there.
            let epoch = (now_ms / 1_000) as u32;
            let alive_ms = runtime.block_on(journal.last_alive())?.unwrap_or(0);
            let find = parlor_games::find;
            runtime.block_on(store::recall(&*journal, find, &name, epoch, alive_ms, now_ms))?
        } else {
            let config = parlor_rules::json(&options.config(&manners.usual)?);
            let (table, seats) = (name, manners.seats);
            let (options, keys) = (TableOptions::default(), Keys::from_secret(seed));
            let new = NewTable { table, game, config, seats, options, keys, now_ms };
            runtime.block_on(store::create(&*journal, new, Vec::new()))?
        };
        ensure!(table.header().game == game.key(), "this table plays {}", table.header().game);
        let others = (0..table.chairs().len() as u8).map(Seat::new).filter(|seat| *seat != ME);
        let player = |seat: Seat| {
            let seed = format!("house {} {seed}", seat.index());
            let player = parlor_bots::player(game.key(), options.level, seat, &seed);
            Some((seat, player?))
        };
        let mut local = Self {
            house: others.filter_map(player).collect(),
            driver: Driver::new(table, Box::new(|_, _, _| Vec::new())),
            journal,
            runtime,
            game,
            ticks: manners.ticks,
            news: Vec::new(),
            paused: false,
            rests: false,
        };
        local.begin(options.chips)?;
        Ok(local)
    }

    fn begin(&mut self, chips: Chips) -> Result<()> {
        let house: Vec<Seat> = self.house.keys().copied().collect();
        let people = house.iter().map(|seat| (*seat, Who::Bot("house".to_owned())));
        self.news.push(News::Table {
            table: self.driver.table().header().table.to_string(),
            game: self.game.key().to_owned(),
            people: People::alone(ME, self.driver.table().chairs().len()),
        });
        if let Some(seen) = self.driver.table().current(Viewer::Seat(ME)) {
            self.show(seen);
        }
        let new = self.driver.table().head() == 0;
        for (seat, who) in [(ME, Who::Account(0))].into_iter().chain(people) {
            let open = self.driver.table().chairs().get(seat.index()) == Some(&Chair::Open);
            if open && (new || !self.game.comes_and_goes()) {
                self.send(Act::Desk(Desk::Sit { seat, who, tip: None }), None)?;
            }
        }
        self.driver.table_mut().back(ME);
        self.tick()?;
        if *self.driver.table().pending() == Pending::Rest {
            self.send(Act::Game(Input::House(House::Begin {})), None)?;
        }
        if new && self.game.comes_and_goes() {
            for seat in [ME].into_iter().chain(house) {
                self.send(Act::Game(Input::House(House::Joined { seat, chips })), None)?;
            }
            // All are there: the first hand need not be waited for.
            self.expire()?;
        }
        Ok(())
    }

    fn show(&mut self, update: Update) {
        let until_ms = self.driver.table().next_ms().filter(|_| self.ticks);
        let Update { sights, view, legal, ask, .. } = update;
        let view = view.json().clone();
        self.news.push(News::Shown(Shown { sights, view, legal, ask, until_ms }));
    }

    /// The one path of a move, and what the player sees of it.
    fn send(&mut self, act: Act, ask: Option<u64>) -> Result<(), Refusal> {
        let stamp = Stamp { ask, ..Stamp::default() };
        self.enter(Submission::new(act, stamp, now_ms()), 0)
    }

    /// Enters what is submitted, at a time that is not before `from_ms`.
    fn enter(&mut self, submission: Submission, from_ms: u64) -> Result<(), Refusal> {
        let mut own = Vec::new();
        let mut tell =
            |update: Update| own.extend(Some(update).filter(|update| update.audience == ME_SEES));
        let clock = || now_ms().max(from_ms);
        let entered = enter(&mut self.driver, &*self.journal, submission, &clock, &mut tell);
        let entered = self.runtime.block_on(entered);
        own.into_iter().for_each(|update| self.show(update));
        entered
    }

    /// Lets the time of whoever is waited for be up. Nobody else waits at this table, so a deadline
    /// that is waited out may come early.
    fn expire(&mut self) -> Result<(), Refusal> {
        let owner = self.driver.table().pending().owners().first().copied();
        match owner.and_then(|owner| self.driver.table().until_ms(owner)) {
            Some(until_ms) => {
                let from_ms = now_ms().max(until_ms);
                self.enter(Submission::time(from_ms), from_ms)
            }
            None => Ok(()),
        }
    }

    /// Does what time brings by now, where it runs.
    fn tick(&mut self) -> Result<(), Refusal> {
        match self.ticks {
            true => self.enter(Submission::time(now_ms()), 0),
            false => Ok(()),
        }
    }

    /// Lets the house say what it is asked; whether it was.
    fn house_turn(&mut self) -> Result<bool> {
        let pending = self.driver.table().pending();
        // Where both are asked at once, the house does not keep anyone waiting.
        let Some(asked) = pending.asked().iter().find(|asked| asked.seat != ME) else {
            return Ok(false);
        };
        let seat = asked.seat;
        let seen = self.driver.table().current(Viewer::Seat(seat)).expect("the house has a seat");
        let legal = seen.legal.as_ref().expect("a seat is told what it may say");
        let player = self.house.get_mut(&seat).expect("the house plays all other seats");
        let command = player.choose(&seen.view, legal);
        let command = command.context("the house does not know what to do")?;
        let head = self.driver.table().head();
        match self.send(Act::Game(Input::Play { seat, command }), seen.ask) {
            // The time was up meanwhile, and something else came first.
            Err(refusal) if refusal.code != PAUSED && self.driver.table().head() > head => {}
            sent => sent?,
        }
        Ok(true)
    }

    /// Where people come and go, those without chips get up.
    fn tidy(&mut self) -> Result<(), Refusal> {
        if !self.game.comes_and_goes() {
            return Ok(());
        }
        for seat in (0..self.driver.table().chairs().len() as u8).map(Seat::new) {
            let chair = &self.driver.table().chairs()[seat.index()];
            if matches!(chair, Chair::Taken(_)) && self.driver.table().stay(seat) == Stay::Gone {
                self.send(Act::Desk(Desk::Rise { seat }), None)?;
            }
        }
        Ok(())
    }

    /// Goes on by itself as far as it can without the player.
    fn step(&mut self) -> Result<()> {
        let comes_and_goes = self.game.comes_and_goes();
        let gone = |local: &Self| comes_and_goes && local.driver.table().stay(ME) == Stay::Gone;
        while !gone(self) && self.house_turn()? {}
        self.tick()?;
        self.tidy()?;
        let pending = self.driver.table().pending();
        self.rests = !self.ticks && pending.asked().is_empty() && !pending.owners().is_empty();
        match pending {
            Pending::Over => self.news.push(News::Over),
            _ if gone(self) => self.news.push(News::Left("You have left the table.".to_owned())),
            Pending::Rest => self.news.push(News::Left("Nobody is left to play with.".to_owned())),
            Pending::Waiting { .. } => {}
        }
        Ok(())
    }

    /// What does not go because of the disk is tried again when the player says so.
    fn or_pause(&mut self, done: Result<()>) -> Result<()> {
        let Err(error) = done else { return Ok(()) };
        match error.downcast::<Refusal>() {
            Ok(refusal) if refusal.code == PAUSED => {
                self.paused = true;
                self.news.push(News::Done);
                self.news.push(News::Note(format!("The table is paused: {}.", refusal.text)));
                Ok(())
            }
            Ok(refusal) => Err(refusal.into()),
            Err(error) => Err(error),
        }
    }
}

const PAUSED: &str = "paused";
const ME_SEES: Viewer = Viewer::Seat(ME);

impl Source for Local {
    fn go_on(&mut self) -> Result<Vec<News>> {
        if !self.paused {
            let stepped = self.step();
            self.or_pause(stepped)?;
        }
        Ok(std::mem::take(&mut self.news))
    }

    fn wake_ms(&self) -> Option<u64> {
        self.driver.table().next_ms().filter(|_| self.ticks && !self.paused)
    }

    fn play(&mut self, command: Json, ask: Option<u64>) -> Result<()> {
        let sent = match self.send(Act::Game(Input::Play { seat: ME, command }), ask) {
            Err(refusal) if refusal.code != PAUSED => {
                self.news.push(News::Refused(refusal.text));
                return Ok(());
            }
            sent => sent,
        };
        self.news.push(News::Done);
        self.or_pause(sent.map_err(Error::from))
    }

    fn wants(&self, _over: bool) -> Option<&'static str> {
        match (self.paused, self.rests) {
            (true, _) => Some("Press Enter to try again (q leaves)"),
            (_, true) if self.game.comes_and_goes() => {
                Some("Press Enter for the next hand (q leaves)")
            }
            (_, true) => Some("Press Enter for the next game (q leaves)"),
            (false, false) => None,
        }
    }

    fn hears(&mut self, line: &str, _over: bool) -> Result<bool> {
        if !line.is_empty() {
            return Ok(false);
        }
        if !std::mem::take(&mut self.paused) && std::mem::take(&mut self.rests) {
            let expired = self.expire();
            self.or_pause(expired.map_err(Error::from))?;
        }
        Ok(true)
    }

    fn goodbye(&mut self, _over: bool) -> String {
        // A disk that fails now fails to note only when this was.
        self.runtime.block_on(self.journal.alive(now_ms())).ok();
        "You leave the table.".to_owned()
    }

    fn help(&self) -> &'static str {
        ""
    }
}
