//! A table in this program: a person and house players, with a journal that lives as long as the
//! program or in a file. Nobody is hurried, but where time is part of the game.

use super::people::People;
use super::session::{News, Shown, Source};
use super::{Manners, Options, now_ms};
use crate::Failure;
use parlor_bots::Player;
use parlor_journal::place::Place;
use parlor_journal::{Journal, Memory, Sqlite, hall};
use parlor_rules::{AnyGame, Chips, House, Input, Json, Pending, Refusal, Seat, Stay, Viewer};
use parlor_table::{
    Act, Chair, Desk, Keys, NewTable, Options as TableOptions, Stamp, TableId, Update, Who,
};
use std::collections::BTreeMap;

/// The player sits here, the house across.
const ME: Seat = Seat::new(0);

pub(super) struct Local {
    place: Place<()>,
    journal: Box<dyn Journal>,
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
    ) -> Result<Self, Failure> {
        let journal: Box<dyn Journal> = match &options.here.journal {
            Some(path) => Box::new(Sqlite::open(path, options.here.durability.into())?),
            None => Box::new(Memory::default()),
        };
        let now_ms = now_ms();
        let name = options.table.as_deref().unwrap_or("terminal");
        let name: TableId = name.parse().map_err(|why| format!("--table: {why}"))?;
        let known = journal.head(&name).is_ok();
        let table = if known {
            if options.points.is_some() || options.config.is_some() || options.here.seed.is_some() {
                let text =
                    "this table is there already; --match, --config and --seed are for a new one";
                return Err(text.to_owned().into());
            }
            // Two stays in one second are not told apart, and need not be: nobody else is there.
            let epoch = (now_ms / 1_000) as u32;
            let alive_ms = journal.last_alive()?.unwrap_or(0);
            hall::recall(&*journal, parlor_games::find, &name, epoch, alive_ms, now_ms)?
        } else {
            let config = parlor_rules::json(&options.config(&manners.usual)?);
            let (table, seats) = (name, manners.seats);
            let (options, keys) = (TableOptions::default(), Keys::from_secret(seed));
            let new = NewTable { table, game, config, seats, options, keys, now_ms };
            hall::create(&*journal, new, Vec::new())?
        };
        if table.header().game != game.key() {
            return Err(format!("this table plays {}", table.header().game).into());
        }
        let others = (0..table.chairs().len() as u8).map(Seat::new).filter(|seat| *seat != ME);
        let player = |seat: Seat| {
            let seed = format!("house {} {seed}", seat.index());
            let player = parlor_bots::player(game.key(), options.level, seat, &seed);
            Some((seat, player?))
        };
        let mut local = Self {
            house: others.filter_map(player).collect(),
            place: Place::new(table, Box::new(|_, _, _| Vec::new())),
            journal,
            game,
            ticks: manners.ticks,
            news: Vec::new(),
            paused: false,
            rests: false,
        };
        local.begin(options.chips)?;
        Ok(local)
    }

    fn begin(&mut self, chips: Chips) -> Result<(), Failure> {
        let house: Vec<Seat> = self.house.keys().copied().collect();
        let people = house.iter().map(|seat| (*seat, Who::Bot("house".to_owned())));
        self.news.push(News::Table {
            table: self.place.table().header().table.to_string(),
            game: self.game.key().to_owned(),
            people: People::alone(ME, self.place.table().chairs().len()),
        });
        if let Some(seen) = self.place.table().current(Viewer::Seat(ME)) {
            self.show(seen);
        }
        let new = self.place.table().head() == 0;
        for (seat, who) in [(ME, Who::Account(0))].into_iter().chain(people) {
            let open = self.place.table().chairs().get(seat.index()) == Some(&Chair::Open);
            if open && (new || !self.game.comes_and_goes()) {
                self.send(Act::Desk(Desk::Sit { seat, who, tip: None }), None)?;
            }
        }
        self.place.table_mut().back(ME);
        self.tick()?;
        if *self.place.table().pending() == Pending::Rest {
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
        let until_ms = self.place.table().next_ms().filter(|_| self.ticks);
        let Update { sights, view, legal, ask, .. } = update;
        let view = view.json().clone();
        self.news.push(News::Shown(Shown { sights, view, legal, ask, until_ms }));
    }

    /// The one path of a move, and what the player sees of it.
    fn send(&mut self, act: Act, ask: Option<u64>) -> Result<(), Refusal> {
        // Nobody else waits at this table, so a deadline that is waited out may come early.
        let due = match &act {
            Act::Game(Input::Expire { seat: owner }) => self.place.table().until_ms(*owner),
            _ => None,
        };
        let now_ms = now_ms().max(due.unwrap_or(0));
        let stamp = Stamp { ask, ..Stamp::default() };
        let mut updates = Vec::new();
        let mut tell = |update| updates.push(update);
        let entered = hall::enter(&mut self.place, &*self.journal, act, stamp, now_ms, &mut tell);
        let own = updates.into_iter().filter(|update: &Update| update.audience == ME_SEES);
        for update in own.collect::<Vec<_>>() {
            self.show(update);
        }
        entered
    }

    /// Lets the time of whoever is waited for be up.
    fn expire(&mut self) -> Result<(), Refusal> {
        match self.place.table().pending().owners().first() {
            Some(owner) => self.send(Act::Game(Input::Expire { seat: *owner }), None),
            None => Ok(()),
        }
    }

    /// Does what time brings by now, where it runs.
    fn tick(&mut self) -> Result<(), Refusal> {
        while self.ticks
            && let Some((act, _)) = self.place.table().due(now_ms())
        {
            self.send(act, None)?;
        }
        Ok(())
    }

    /// Lets the house say what it is asked; whether it was.
    fn house_turn(&mut self) -> Result<bool, Failure> {
        let pending = self.place.table().pending();
        // Where both are asked at once, the house does not keep anyone waiting.
        let Some(asked) = pending.asked().iter().find(|asked| asked.seat != ME) else {
            return Ok(false);
        };
        let seat = asked.seat;
        let seen = self.place.table().current(Viewer::Seat(seat)).expect("the house has a seat");
        let legal = seen.legal.as_ref().expect("a seat is told what it may say");
        let player = self.house.get_mut(&seat).expect("the house plays all other seats");
        let command = player.choose(&seen.view, legal);
        let command = command.ok_or_else(|| "the house does not know what to do".to_owned())?;
        let head = self.place.table().head();
        match self.send(Act::Game(Input::Play { seat, command }), seen.ask) {
            // The time was up meanwhile, and something else came first.
            Err(refusal) if refusal.code != PAUSED && self.place.table().head() > head => {}
            sent => sent?,
        }
        Ok(true)
    }

    /// Where people come and go, those without chips get up.
    fn tidy(&mut self) -> Result<(), Refusal> {
        if !self.game.comes_and_goes() {
            return Ok(());
        }
        for seat in (0..self.place.table().chairs().len() as u8).map(Seat::new) {
            let chair = &self.place.table().chairs()[seat.index()];
            if matches!(chair, Chair::Taken(_)) && self.place.table().stay(seat) == Stay::Gone {
                self.send(Act::Desk(Desk::Rise { seat }), None)?;
            }
        }
        Ok(())
    }

    /// Goes on by itself as far as it can without the player.
    fn step(&mut self) -> Result<(), Failure> {
        let comes_and_goes = self.game.comes_and_goes();
        let gone = |local: &Self| comes_and_goes && local.place.table().stay(ME) == Stay::Gone;
        while !gone(self) && self.house_turn()? {}
        self.tick()?;
        self.tidy()?;
        let pending = self.place.table().pending();
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
    fn or_pause(&mut self, done: Result<(), Failure>) -> Result<(), Failure> {
        match done {
            Err(Failure::Refused(refusal)) if refusal.code == PAUSED => {
                self.paused = true;
                self.news.push(News::Done);
                self.news.push(News::Note(format!("The table is paused: {}.", refusal.text)));
                Ok(())
            }
            done => done,
        }
    }
}

const PAUSED: &str = "paused";
const ME_SEES: Viewer = Viewer::Seat(ME);

impl Source for Local {
    fn go_on(&mut self) -> Result<Vec<News>, Failure> {
        if !self.paused {
            let stepped = self.step();
            self.or_pause(stepped)?;
        }
        Ok(std::mem::take(&mut self.news))
    }

    fn wake_ms(&self) -> Option<u64> {
        self.place.table().next_ms().filter(|_| self.ticks && !self.paused)
    }

    fn play(&mut self, command: Json, ask: Option<u64>) -> Result<(), Failure> {
        let sent = match self.send(Act::Game(Input::Play { seat: ME, command }), ask) {
            Err(refusal) if refusal.code != PAUSED => {
                self.news.push(News::Refused(refusal.text));
                return Ok(());
            }
            sent => sent,
        };
        self.news.push(News::Done);
        self.or_pause(sent.map_err(Failure::from))
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

    fn hears(&mut self, line: &str, _over: bool) -> Result<bool, Failure> {
        if !line.is_empty() {
            return Ok(false);
        }
        if !std::mem::take(&mut self.paused) && std::mem::take(&mut self.rests) {
            let expired = self.expire();
            self.or_pause(expired.map_err(Failure::from))?;
        }
        Ok(true)
    }

    fn goodbye(&mut self, _over: bool) -> String {
        // A disk that fails now fails to note only when this was.
        self.journal.alive(now_ms()).ok();
        "You leave the table.".to_owned()
    }

    fn help(&self) -> &'static str {
        ""
    }
}
