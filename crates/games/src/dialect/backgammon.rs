//! The file of a match: `.mat`.

use super::{PLAIN, Scene, until};
use parlor_rules::series::{Own, Told};
use parlor_rules::{Refusal, Rules, Series};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::mat::{Head, Sheet};
use parlor_wire::dialect::{File, FileWriter, Happened, Opened, StoryHead};
use std::ops::{ControlFlow, Range};

type Match = Series<Backgammon>;

/// What can be read by other programs: all games of the match, the last as far as it was played.
pub(super) const MAT: File = File { name: "mat", game: Match::KEY, media_type: PLAIN, open };

/// Each game as soon as the next begins. A table plays one game for money, so the head, which tells
/// the automatic doubles of all games for money, can stand above the first.
struct Games {
    scene: Scene<Match>,
    /// The names of those who play; who has got up since has played all the same.
    names: [String; 2],
    /// Which games are wanted.
    wanted: Range<u32>,
    /// How many are over.
    over: u32,
    /// The game in play.
    sheet: Sheet,
}

fn open(head: &StoryHead, _: Option<&str>, wanted: Range<u32>) -> Opened {
    let scene = Scene::<Match>::open(head)?;
    let sheet = Sheet::new(scene.state.game().config.clone(), [0; 2]);
    Ok(Box::new(Games { scene, names: Default::default(), wanted, over: 0, sheet }))
}

impl Games {
    /// Appends the game in play. The head stands above the first that is wanted.
    fn put(&self, out: &mut String) {
        if !self.wanted.contains(&self.over) {
            return;
        }
        if self.over == self.wanted.start {
            let config = &self.scene.state.game().config;
            *out +=
                &Head { tags: &[], config, automatic_doubles: &[self.sheet.automatic_doubles()] }
                    .text();
        }
        *out += &self.sheet.text(self.over + 1, &self.names);
    }
}

impl FileWriter for Games {
    fn happened(
        &mut self,
        at_ms: u64,
        what: Happened,
        out: &mut String,
    ) -> Result<ControlFlow<()>, Refusal> {
        let Some(event) = self.scene.next(at_ms, what)? else { return Ok(until(false)) };
        for (kept, name) in self.names.iter_mut().zip(&self.scene.names) {
            if let Some(name) = name {
                kept.clone_from(name);
            }
        }
        match event {
            Told::Game(event) => self.sheet.add(&event),
            Told::Series(Own::NextGame { .. }) => {
                self.put(out);
                self.sheet = self.sheet.next();
                self.over += 1;
            }
            // Between games there is nowhere to write that somebody left.
            Told::Series(Own::MatchForfeited { .. } | Own::MatchClosed {}) => {}
        }
        Ok(until(self.over >= self.wanted.end))
    }

    fn end(self: Box<Self>, out: &mut String) -> Result<(), Refusal> {
        self.put(out);
        Ok(())
    }
}
