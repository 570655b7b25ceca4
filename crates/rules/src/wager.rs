//! What a series is played for.

use crate::doc::Count;
use crate::{Chips, Closed, Faults, Fields, limits};
use serde::Serialize;

/// What a series is played for: chips times points, up to a limit. It stands among the options of
/// a game; what is left at its default is not written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Wager {
    /// What a point is worth; 0 is a series for nothing.
    #[serde(skip_serializing_if = "is_nothing")]
    pub chips_a_point: Chips,
    /// The most points that are paid.
    #[serde(skip_serializing_if = "is_usual")]
    pub most_points: u32,
}

fn is_nothing(chips: &Chips) -> bool {
    *chips == Chips::ZERO
}

fn is_usual(points: &u32) -> bool {
    *points == Wager::default().most_points
}

impl Default for Wager {
    fn default() -> Self {
        Self { chips_a_point: Chips::ZERO, most_points: 24 }
    }
}

impl Closed for Wager {
    fn take(fields: &mut Fields, faults: &mut Faults) -> Option<Self> {
        let usual = Self::default();
        let chips = fields.or("chips_a_point", usual.chips_a_point, "an amount of chips", faults);
        let most = Count(usual.most_points);
        let most = fields.or("most_points", most, "a number of points", faults);
        Some(Self { chips_a_point: chips?, most_points: most?.0 })
    }
}

impl Wager {
    /// The most points that can be paid: three times the highest cube.
    pub const MOST_POINTS: u32 = 192;

    /// What is out of range.
    pub fn faults(&self) -> impl Iterator<Item = &'static str> {
        let bounded = (1..=Self::MOST_POINTS).contains(&self.most_points);
        let most = Chips::whole(limits::DEPOSIT);
        let faults = [
            (!bounded, "most_points is 1 to 192"),
            (self.chips_a_point < Chips::ZERO, "chips_a_point is not negative"),
            (
                bounded && self.deposit() > most,
                "chips_a_point times most_points is at most 1000000000",
            ),
        ];
        faults.into_iter().filter_map(|(wrong, text)| wrong.then_some(text))
    }

    /// What so many points cost.
    pub fn cost(&self, points: u32) -> Chips {
        self.chips_a_point * points.min(self.most_points)
    }

    /// What every seat puts on the table: the most it can lose.
    pub fn deposit(&self) -> Chips {
        self.cost(self.most_points)
    }
}
