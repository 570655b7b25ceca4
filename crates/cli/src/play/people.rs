//! Who sits where, in the words of the one at the terminal.

use parlor_rules::Seat;
use parlor_wire::Sitting;

/// The people at a table: the one who is spoken to is "you", all others have names.
pub(crate) struct People {
    me: Option<Seat>,
    names: Vec<Name>,
}

enum Name {
    Person(String),
    /// One of the house's players.
    House(String),
    Nobody,
}

impl People {
    /// Those on these chairs; who has none watches.
    pub(crate) fn new(me: Option<Seat>, chairs: &[Sitting]) -> Self {
        let is_house = |chair: &&Sitting| matches!(chair, Sitting::House { .. });
        let alone = chairs.iter().filter(is_house).count() == 1;
        let name = |(chair, sitting): (usize, &Sitting)| match sitting {
            Sitting::Taken { name, .. } => Name::Person(name.clone()),
            Sitting::House { .. } if alone => Name::House("house".to_owned()),
            Sitting::House { .. } => Name::House(format!("house {}", chair + 1)),
            Sitting::Open {} | Sitting::Kept {} => Name::Nobody,
        };
        Self { me, names: chairs.iter().enumerate().map(name).collect() }
    }

    /// One person here, and the house on all other chairs.
    pub(crate) fn alone(me: Seat, chairs: usize) -> Self {
        let mut chairs = vec![Sitting::House { level: Default::default() }; chairs];
        chairs[me.index()] = Sitting::Open {};
        Self::new(Some(me), &chairs)
    }

    /// The seat of the one at the terminal; none for a watcher.
    pub(crate) fn me(&self) -> Option<Seat> {
        self.me
    }

    pub(crate) fn is_me(&self, seat: Seat) -> bool {
        self.me == Some(seat)
    }

    /// The seat a board is shown from.
    pub(crate) fn side(&self) -> Seat {
        self.me.unwrap_or(Seat::new(0))
    }

    /// Whether all the others are of the house.
    pub(crate) fn is_alone(&self) -> bool {
        let others = (0..).map(Seat::new).zip(&self.names).filter(|(seat, _)| !self.is_me(*seat));
        others.into_iter().all(|(_, name)| !matches!(name, Name::Person(_)))
    }

    /// A name beside a figure: you, house, Anna.
    pub(crate) fn label(&self, seat: Seat) -> &str {
        match self.names.get(seat.index()) {
            _ if self.is_me(seat) => "you",
            Some(Name::Person(name) | Name::House(name)) => name,
            // Whoever has just come has no name yet.
            Some(Name::Nobody) | None => "somebody",
        }
    }

    /// A name in a sentence: you, the house, Anna.
    pub(crate) fn name(&self, seat: Seat) -> String {
        match self.names.get(seat.index()) {
            Some(Name::House(name)) if name == "house" => format!("the {name}"),
            _ => self.label(seat).to_owned(),
        }
    }

    /// A name at the head of a sentence.
    pub(crate) fn head(&self, seat: Seat) -> String {
        let name = self.name(seat);
        match self.names.get(seat.index()) {
            Some(Name::Person(_)) if !self.is_me(seat) => name,
            _ => name[..1].to_uppercase() + &name[1..],
        }
    }

    /// Somebody does something: you roll, the house rolls.
    pub(crate) fn does(&self, seat: Seat, verb: &str) -> String {
        let s = if self.is_me(seat) { "" } else { "s" };
        format!("{} {verb}{s}", self.head(seat))
    }

    /// Whose something is: yours, the house's.
    pub(crate) fn whose(&self, seat: Seat) -> String {
        match self.is_me(seat) {
            true => "yours".to_owned(),
            false => format!("{}'s", self.name(seat)),
        }
    }
}
