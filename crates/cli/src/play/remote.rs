//! A table at a server.

use super::client::{Aim, Client, Order};
use super::ear::Heard;
use super::session::{News, Source};
use super::{Manners, Options};
use anyhow::{Result, bail};
use parlor_bots::Level;
use parlor_rules::{AnyGame, Json};
use parlor_wire::{Access, Say};
use serde_json::Map;
use std::convert::Infallible;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

pub(super) struct Remote {
    /// None once it is over.
    voice: Option<Voice>,
    /// Ends when the connection has.
    ended: Receiver<()>,
}

/// What the player says.
struct Voice {
    orders: UnboundedSender<Order>,
    /// Gone with the player, whatever the other end waits for.
    _here: oneshot::Sender<Infallible>,
}

impl Remote {
    /// Begins to talk with a server, beside the session; what it says is sent to `mouth`.
    pub(super) fn connect(
        options: &Options,
        server: &str,
        game: Option<&'static dyn AnyGame>,
        seed: &str,
        mouth: Sender<Heard>,
    ) -> Result<Self> {
        let aim = aim(options, game)?;
        let (orders, given) = unbounded_channel();
        let (_here, here) = oneshot::channel();
        let client = Client::new(options, server, aim, seed, given, mouth);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (end, ended) = channel();
        std::thread::spawn(move || {
            runtime.block_on(client.live(here));
            drop(end);
        });
        Ok(Self { voice: Some(Voice { orders, _here }), ended })
    }

    fn order(&self, order: Order) {
        if let Some(voice) = &self.voice {
            // Who does not listen any more has said why.
            let _ = voice.orders.send(order);
        }
    }
}

/// What the command line wants of a server.
fn aim(options: &Options, game: Option<&'static dyn AnyGame>) -> Result<Aim> {
    let there = &options.there;
    if let Some(table) = &options.table {
        let (table, key) = (table.clone(), there.key.clone());
        return Ok(match there.watch {
            true => Aim::Watch { table, key },
            false => Aim::Sit { table, key },
        });
    }
    let Some(game) = game else {
        if there.queue || there.private {
            bail!("say what to play");
        }
        return Ok(Aim::List);
    };
    let (key, level) = (game.key().to_owned(), options.level);
    if there.queue {
        return Ok(Aim::Queue(Say::Queue {
            game: key,
            config: options.config(&serde_json::Value::Null)?,
            ranked: there.ranked,
            chips: game.comes_and_goes().then_some(options.chips),
            house_after_s: there.house_after,
            level,
        }));
    }
    let manners = Manners::of(game.key());
    let create = Say::Create {
        game: key.clone(),
        seats: Some(manners.seats),
        config: options.config(&manners.usual)?,
        options: manners.options.as_object().cloned().unwrap_or_else(Map::new),
        access: if there.private { Access::Private } else { Access::Open },
    };
    let house = if there.private { 0 } else { manners.seats - 1 };
    Ok(Aim::Open { create, game: key, house, level })
}

impl Source for Remote {
    fn go_on(&mut self) -> Result<Vec<News>> {
        Ok(Vec::new())
    }

    fn wake_ms(&self) -> Option<u64> {
        None
    }

    fn play(&mut self, command: Json, ask: Option<u64>) -> Result<()> {
        self.order(Order::Play { command, ask });
        Ok(())
    }

    fn wants(&self, over: bool) -> Option<&'static str> {
        over.then_some("rematch, or quit?")
    }

    fn hears(&mut self, line: &str, over: bool) -> Result<bool> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        self.order(match (word, rest) {
            ("/say", text) => Order::Chat(text.to_owned()),
            ("/leave", "") => Order::Leave,
            ("/rematch", "") => Order::Again(true),
            ("/no", "") => Order::Again(false),
            ("rematch" | "yes", "") if over => Order::Again(true),
            ("no", "") if over => Order::Again(false),
            ("/house", level) => {
                let level: Result<Level, _> = level.parse();
                Order::House(level.unwrap_or_default())
            }
            ("/add", chips) => match chips.parse() {
                Ok(chips) => Order::Add(chips),
                Err(_) => return Ok(false),
            },
            _ => return Ok(false),
        });
        Ok(true)
    }

    fn goodbye(&mut self, over: bool) -> String {
        self.voice = None;
        // It ends with the program otherwise.
        let _ = self.ended.recv_timeout(GOODBYE);
        match over {
            true => "You leave the table.".to_owned(),
            false => "You go; where a game goes on, the same command comes back to it.".to_owned(),
        }
    }

    fn help(&self) -> &'static str {
        "\n\
         \x20 /say TEXT       to all at the table     /leave          get up; a game in play is lost\n\
         \x20 /rematch, /no   when it is over         /house LEVEL    ask the house to sit down\n\
         \x20 /add CHIPS      bring more chips        quit            go; the game waits for you"
    }
}
