//! How long a choice takes a person.

use parlor_rules::{Draws, Seeded};

/// No pause is longer.
pub(crate) const LONGEST_MS: u64 = 2_500;

/// How much there was to think about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Thought {
    /// There was one thing to say.
    Forced,
    /// It was plain what to say.
    Plain,
    /// It could have been something else.
    Hard,
}

/// Says how long a choice takes.
pub(crate) struct Pace {
    chance: Seeded,
    last: Thought,
}

impl Pace {
    pub(crate) fn new(chance: Seeded) -> Self {
        Self { chance, last: Thought::Forced }
    }

    /// This was thought just now.
    pub(crate) fn thought(&mut self, thought: Thought) {
        self.last = thought;
    }

    pub(crate) fn pause_ms(&mut self) -> u64 {
        let (least, most) = match self.last {
            Thought::Forced => (200, 500),
            Thought::Plain => (500, 1_200),
            Thought::Hard => (900, LONGEST_MS),
        };
        // Of two throws the lower: people are mostly quick and sometimes slow.
        let mut draws = Draws::new(&mut self.chance);
        let mut within = || draws.below((most - least) as u32 + 1);
        least + u64::from(within().min(within()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forced_is_said_sooner_and_nothing_takes_long() {
        let mut pace = Pace::new(Seeded::new("pace"));
        let mut longest = |thought| {
            pace.thought(thought);
            (0..1_000).map(|_| pace.pause_ms()).max().unwrap_or_default()
        };
        let [forced, plain, hard] =
            [Thought::Forced, Thought::Plain, Thought::Hard].map(&mut longest);
        assert!(forced < plain && plain < hard && hard <= LONGEST_MS, "{forced} {plain} {hard}");
    }
}
