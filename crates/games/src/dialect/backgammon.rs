//! The file of a match: `.mat`.

use super::{PLAIN, Scene, retell};
use parlor_rules::{Refusal, Rules, Series};
use parlor_rules_backgammon::Backgammon;
use parlor_rules_backgammon::mat::{self, Record};
use parlor_wire::dialect::{File, Story};

type Match = Series<Backgammon>;

/// What can be read by other programs: all games of the match, the last as far as it was played.
pub(super) const MAT: File =
    File { name: "mat", game: Match::KEY, media_type: PLAIN, write: |story, _| write(story) };

fn write(story: &Story) -> Result<String, Refusal> {
    let mut told = Vec::new();
    let mut names: [String; 2] = Default::default();
    let scene = retell::<Match>(story, |scene, event| {
        told.push(event.clone());
        keep(&mut names, scene);
    })?;
    let config = scene.state.game().config.clone();
    Ok(mat::write(&Record::of_series(names, config, &told)))
}

/// The names of those who play; who has got up since has played all the same.
fn keep(names: &mut [String; 2], scene: &Scene<Match>) {
    for (kept, name) in names.iter_mut().zip(&scene.names) {
        if let Some(name) = name {
            kept.clone_from(name);
        }
    }
}
