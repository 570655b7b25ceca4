//! A table of pennies and a log in memory, for tests.

use parlor_rules::{AnyGame, Chips, Erased, House, Input, Json, Seat, Series, json};
use parlor_table::fair::Chain;
use parlor_table::{
    Act, Bytes32, Desk, Keys, NewTable, Options, Stamp, Stored, Submitted, Table, Update, Who,
};
use parlor_testkit::pennies::{Coin, Command, Pennies};

pub(crate) static PENNIES: Erased<Series<Pennies>> = Erased::new();
pub(crate) const ZERO: Seat = Seat::new(0);
pub(crate) const ONE: Seat = Seat::new(1);

pub(crate) struct Room {
    pub(crate) table: Table,
    pub(crate) header: String,
    pub(crate) log: Vec<Stored>,
    pub(crate) now_ms: u64,
}

/// The hash chain of a seat, from its beginning.
pub(crate) fn chain(seat: Seat) -> Chain {
    Chain::new(Bytes32([seat.index() as u8 + 1; 32]), 100)
}

pub(crate) fn keys() -> Keys {
    Keys::from_secret("secret")
}

impl Room {
    /// A table with people on both chairs and the game begun.
    pub(crate) fn of(game: &dyn AnyGame, config: &str, options: Options) -> Self {
        let (table, header) = Table::open(NewTable {
            table: "t-1".parse().unwrap(),
            game,
            config: serde_json::from_str(config).unwrap(),
            seats: 2,
            options,
            keys: keys(),
            now_ms: 1_000,
        })
        .unwrap();
        let mut room = Self { table, header, log: Vec::new(), now_ms: 1_000 };
        for (seat, account) in [(ZERO, 10), (ONE, 11)] {
            let tip = Some(chain(seat).tip());
            room.desk(Desk::Sit { seat, who: Who::Account(account), tip }).unwrap();
        }
        room.house(House::Begin {});
        room
    }

    /// A table of pennies at which both play.
    pub(crate) fn pennies(options: Options) -> Self {
        let mut room = Self::of(&PENNIES, "{}", options);
        for seat in [ZERO, ONE] {
            room.house(House::Joined { seat, chips: Chips::whole(5) });
        }
        room
    }

    pub(crate) fn enter(&mut self, act: Act, stamp: &Stamp) -> Result<Vec<Update>, String> {
        let submitted = self.table.submit(act, stamp, self.now_ms);
        match submitted.map_err(|refusal| refusal.code.to_owned())? {
            Submitted::Again { .. } => Ok(Vec::new()),
            Submitted::Entry(pending) => {
                self.log.push((*pending.stored).clone());
                self.table.commit(*pending).map_err(|refusal| refusal.to_string())
            }
        }
    }

    pub(crate) fn game(&mut self, input: Input<Json>) -> Result<Vec<Update>, String> {
        self.enter(Act::Game(input), &Stamp::default())
    }

    pub(crate) fn desk(&mut self, desk: Desk) -> Result<Vec<Update>, String> {
        self.enter(Act::Desk(desk), &Stamp::default())
    }

    pub(crate) fn house(&mut self, house: House) -> Vec<Update> {
        self.game(Input::House(house)).unwrap()
    }

    pub(crate) fn choose(&mut self, seat: Seat, coin: Coin) -> Result<Vec<Update>, String> {
        self.game(choose(seat, coin))
    }

    /// Does everything that time and presence bring up to this moment.
    pub(crate) fn pass(&mut self, ms: u64) -> Vec<Act> {
        self.now_ms += ms;
        let mut done = Vec::new();
        while let Some((act, stamp)) = self.table.due(self.now_ms) {
            self.enter(act.clone(), &stamp).unwrap();
            done.push(act);
            assert!(done.len() < 100, "it never ends: {done:?}");
        }
        done
    }

    /// The same table, from its log alone.
    pub(crate) fn recovered(&self) -> Table {
        self.recovered_as(&PENNIES)
    }

    pub(crate) fn recovered_as(&self, game: &dyn AnyGame) -> Table {
        Table::recover(game, &self.header, keys(), &self.log, 1, self.now_ms).unwrap()
    }
}

pub(crate) fn choose(seat: Seat, coin: Coin) -> Input<Json> {
    Input::Play { seat, command: json(&Command::Choose(coin)) }
}
