//! Tables at which house players and chance play each other.

use cpu_time::ThreadTime;
use parlor_bots::{Level, Player};
use parlor_games::find;
use parlor_rules::{
    AnyState, Chips, Draws, House, Input, Json, Owner, Pending, Seat, Seeded, Viewer, json,
};
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

pub(crate) const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// Who sits somewhere: a house player of a level, or chance.
pub(crate) type Who = Option<Level>;

/// How long the choices of house players took, in time of the processor.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) count: u32,
    pub(crate) sum: Duration,
    pub(crate) most: Duration,
}

/// A player of a game and what it does by chance.
pub(crate) struct Guest {
    house: Option<Box<dyn Player>>,
    chance: Seeded,
    pub(crate) times: Times,
}

impl Guest {
    pub(crate) fn new(game: &str, who: Who, seat: Seat, seed: &str) -> Self {
        let seed = format!("{seed} {seat}");
        let house = who.map(|level| {
            parlor_bots::player(game, level, seat, &seed).expect("the house plays every game")
        });
        Self { house, chance: Seeded::new(&seed), times: Times::default() }
    }

    /// What it says. Chance plays on: it neither leaves nor gives up nor asks for a draw.
    pub(crate) fn say(&mut self, state: &dyn AnyState, seat: Seat) -> Json {
        let legal = state.legal(seat);
        let command = match &mut self.house {
            Some(house) => {
                let (view, legal) = (state.view(Viewer::Seat(seat)), legal.json());
                let begun = ThreadTime::now();
                let command = house.choose(&view, &legal);
                let took = begun.elapsed();
                self.times.count += 1;
                self.times.sum += took;
                self.times.most = self.times.most.max(took);
                assert!(house.pause_ms() <= parlor_bots::LONGEST_PAUSE_MS);
                command
            }
            None => loop {
                let said = legal.pick(&mut Draws::new(&mut self.chance));
                let gives_up = |said: &Json| {
                    ["resign\"", "offer_", "offer-", "intent"]
                        .iter()
                        .any(|w| said.get().contains(w))
                };
                if said.as_ref().is_none_or(|said| !gives_up(said) || said.get().contains("answer"))
                {
                    break said;
                }
            },
        };
        let command = command.expect("who is asked has something to say");
        assert!(legal.permits(&command), "{seat} may not say {command}");
        command
    }
}

/// Tells a game something.
pub(crate) fn tell(state: &mut dyn AnyState, input: &Input<Json>, chance: &mut Seeded) {
    let events = state.decide(input, &mut Draws::new(chance));
    let events = events.unwrap_or_else(|refusal| panic!("{input:?}: {refusal}"));
    events.iter().for_each(|event| state.apply(event).unwrap());
}

/// A game from its beginning to its end; its outcome.
pub(crate) fn play(game: &str, config: &str, guests: &mut [Guest; 2], seed: &str) -> Value {
    let config = RawValue::from_string(config.to_owned()).unwrap();
    let mut state = find(game).unwrap().open(&config, 2).unwrap();
    let mut chance = Seeded::new(seed);
    let mut next: Input<Json> = Input::House(House::Begin {});
    loop {
        tell(&mut *state, &next, &mut chance);
        let pending = state.pending();
        if pending == Pending::Over {
            return serde_json::from_str(state.outcome().unwrap().get()).unwrap();
        }
        next = match pending.asked().first() {
            None => Input::Expire { seat: pending.owners()[0] },
            Some(asked) => {
                let seat = asked.seat;
                Input::Play { seat, command: guests[seat.index()].say(&*state, seat) }
            }
        };
    }
}

/// A number with its standard error.
#[derive(Clone, Copy)]
pub(crate) struct Mean {
    pub(crate) of: f64,
    pub(crate) error: f64,
}

impl Mean {
    fn over(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let of = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - of).powi(2)).sum();
        Self { of, error: (squares / (count - 1.0).max(1.0) / count).sqrt() }
    }
}

/// Games of one player against another, in turn in either seat.
pub(crate) struct Match {
    pub(crate) games: u32,
    pub(crate) won: u32,
    pub(crate) lost: u32,
    /// What the first wins a game, a win counting 1 and a loss -1.
    pub(crate) mean: Mean,
}

/// Plays a match and prints how it ended.
pub(crate) fn contest(game: &str, config: &str, [one, two]: [Who; 2], games: u32) -> Match {
    let name = |who: Who| who.map_or("chance", Level::name);
    let mut times = Times::default();
    let mut results = Vec::new();
    for i in 0..games {
        let at = (i % 2) as usize;
        let seed = format!("{game} {config} {} {} {i}", name(one), name(two));
        let mut who = [one, two];
        who.rotate_right(at);
        let mut guests = [0, 1].map(|seat| Guest::new(game, who[seat], SEATS[seat], &seed));
        let outcome = play(game, config, &mut guests, &seed);
        let winner = outcome["match"]["winner"].as_u64().or(outcome["winner"].as_u64());
        results.push(match winner {
            Some(winner) if winner == at as u64 => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        });
        let own = &guests[at].times;
        times.count += own.count;
        times.sum += own.sum;
        times.most = times.most.max(own.most);
    }
    let count = |sign: f64| results.iter().filter(|result| **result == sign).count() as u32;
    let (won, lost, mean) = (count(1.0), count(-1.0), Mean::over(&results));
    println!(
        "{game} {config}: {} against {}: {won} won, {lost} lost of {games}; {:+.3} a game, two \
         standard errors {:.3}; {:.2} ms a choice, at most {:.1}",
        name(one),
        name(two),
        mean.of,
        2.0 * mean.error,
        times.sum.as_secs_f64() * 1e3 / f64::from(times.count.max(1)),
        times.most.as_secs_f64() * 1e3,
    );
    Match { games, won, lost, mean }
}

/// A hand of poker of two with fresh stacks, from its deal to its end: how it stands then, and what
/// was said.
pub(crate) fn hand(
    config: &RawValue,
    seats: [Seat; 2],
    chips: Chips,
    guests: &mut [Guest; 2],
    seed: &str,
) -> (Box<dyn AnyState>, Vec<Json>) {
    let mut state = find("poker").unwrap().open(config, 2).unwrap();
    let mut chance = Seeded::new(seed);
    tell(&mut *state, &Input::House(House::Begin {}), &mut chance);
    for seat in seats {
        tell(&mut *state, &Input::House(House::Joined { seat, chips }), &mut chance);
    }
    tell(&mut *state, &Input::Expire { seat: Owner::Table }, &mut chance);
    let mut said = Vec::new();
    while let Some(asked) = state.pending().asked().first() {
        let seat = asked.seat;
        let command = guests[seat.index()].say(&*state, seat);
        said.push(command.clone());
        tell(&mut *state, &Input::Play { seat, command }, &mut chance);
    }
    (state, said)
}

/// What one wins of the other at poker, in big blinds a hundred hands. Stacks are fresh for every
/// hand; every deal is played twice, with the seats exchanged.
pub(crate) fn poker(variant: &str, [one, two]: [Who; 2], deals: u32) -> Mean {
    const STACK: i64 = 200;
    let name = |who: Who| who.map_or("chance", Level::name);
    let config = format!(r#"{{"sit_out_after":0,"variants":["{variant}"],"stud_ante":0.5}}"#);
    let config = RawValue::from_string(config).unwrap();
    let seed = format!("poker {variant} {} {}", name(one), name(two));
    let mut guests = [0, 1].map(|at| {
        let who = if at == 0 { [one, two] } else { [two, one] };
        [0, 1].map(|seat| Guest::new("poker", who[seat], SEATS[seat], &format!("{seed} {at}")))
    });
    let mut won = Vec::new();
    for deal in 0..deals {
        let mut both = 0.0;
        for (at, guests) in guests.iter_mut().enumerate() {
            // The button in turn.
            let mut seats = SEATS;
            seats.rotate_left((deal % 2) as usize);
            let seed = format!("{seed} {deal}");
            let (state, _) = hand(&config, seats, Chips::whole(STACK), guests, &seed);
            let doc: Value = serde_json::from_str(json(&state.doc()).get()).unwrap();
            let stack = doc["finishingStacks"][at].as_f64().expect("the hand is over");
            both += stack - STACK as f64;
        }
        // Two hands, big blinds of two chips.
        won.push(both / 4.0 * 100.0);
    }
    let mean = Mean::over(&won);
    let choices: u32 = guests.iter().enumerate().map(|(at, both)| both[at].times.count).sum();
    let took: Duration = guests.iter().enumerate().map(|(at, both)| both[at].times.sum).sum();
    let most = guests.iter().enumerate().map(|(at, both)| both[at].times.most).max();
    println!(
        "poker {variant}: {} against {}: {:+.0} big blinds a hundred hands over {} hands, two \
         standard errors {:.0}; {:.2} ms a choice, at most {:.1}",
        name(one),
        name(two),
        mean.of,
        2 * deals,
        2.0 * mean.error,
        took.as_secs_f64() * 1e3 / f64::from(choices.max(1)),
        most.unwrap_or_default().as_secs_f64() * 1e3,
    );
    mean
}
