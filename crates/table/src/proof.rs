//! What a table gives to whoever wants to check its chance.

use crate::act::{Act, Desk, Entry};
use crate::audit::audit;
use crate::fair::{ChainProof, Chance, DiceProof, Drawn, HandProof};
use crate::keys::Keys;
use crate::log::{Bytes32, Stored};
use crate::replay::Eyes;
use crate::table::Table;
use parlor_rules::draws::DrawFault;
use parlor_rules::{AnyGame, Draws, Refusal, Seat, Source, Viewer};
use serde::Serialize;
use std::collections::BTreeMap;

/// The proofs of all chance at one table, as somebody may have them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Proof {
    /// Of the dice; none before the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dice: Option<DiceProof>,
    /// Of what the seats have given, one for each time somebody sat down with a chain.
    #[serde(rename = "chain")]
    pub chains: Vec<ChainProof>,
    /// Of the hands, with the cards that were seen.
    #[serde(rename = "cards")]
    pub hands: Vec<HandProof>,
}

/// Goes through a log and collects its proofs. What is proved is what was played: a log that does
/// not pass the audit has none.
pub fn prove(
    game: &dyn AnyGame,
    header: &str,
    keys: Keys,
    entries: &[Stored],
    eyes: Eyes,
) -> Result<Proof, Refusal> {
    let bad = |why: String| Refusal::new("bad_log", why);
    let report =
        audit(game, header, entries, Some(keys)).map_err(|wrong| bad(wrong.to_string()))?;
    if report.unchecked > 0 {
        return Err(bad(format!("{} entries cannot be decided again", report.unchecked)));
    }
    let mut table = Table::at_header(game, header, keys, 0)?;
    let seats = table.header().seats;
    if let Eyes::Of(Viewer::Seat(seat)) = eyes
        && seat.index() >= usize::from(seats)
    {
        return Err(Refusal::no_such_seat(seat, seats));
    }
    let mut proof = Proof { dice: None, chains: Vec::new(), hands: Vec::new() };
    let mut draws = Vec::new();
    let mut chain_of: BTreeMap<Seat, usize> = BTreeMap::new();
    for stored in entries {
        let decision = table.read(stored)?;
        let entry = Entry::read(stored).map_err(bad)?;
        let entry = entry.ok_or_else(|| bad("a sealed part is erased".to_owned()))?;
        draws.extend(draws_of(&table, &entry)?);
        if let Act::Desk(Desk::Sit { seat, tip, .. }) = &entry.act {
            chain_of.remove(seat);
            if let Some(tip) = tip {
                chain_of.insert(*seat, proof.chains.len());
                proof.chains.push(ChainProof { tip: *tip, released: Vec::new() });
            }
        }
        if let Some((seat, link)) = given(&entry)
            && let Some(chain) = chain_of.get(&seat)
        {
            proof.chains[*chain].released.push(link);
        }
        table.land(decision);
        if let Some(hand) = table.proof(eyes.at(&table)) {
            add_hand(&mut proof.hands, hand);
        }
    }
    if table.outcome().is_some() {
        let (table, commitment) = (table.header().table.clone(), table.header().dice);
        proof.dice = Some(DiceProof { table, commitment, secret: keys.dice, draws });
    }
    Ok(proof)
}

/// Adds what an entry proves of a hand. A card that was seen stays proved, also after a fold.
fn add_hand(hands: &mut Vec<HandProof>, hand: HandProof) {
    let Some(last) = hands.last_mut().filter(|last| last.hand == hand.hand) else {
        return hands.push(hand);
    };
    for opening in hand.openings {
        if !last.openings.iter().any(|known| known.k == opening.k) {
            last.openings.push(opening);
        }
    }
}

/// The link an entry releases.
fn given(entry: &Entry) -> Option<(Seat, Bytes32)> {
    match &entry.act {
        Act::Desk(Desk::Release { seat, link }) => Some((*seat, *link)),
        _ => entry.contribution,
    }
}

/// The draws that an entry makes if it comes next.
fn draws_of(table: &Table, entry: &Entry) -> Result<Vec<Drawn>, Refusal> {
    let Act::Game(input) = &entry.act else { return Ok(Vec::new()) };
    let mut chance = table.chance().clone();
    if let Some((seat, link)) = entry.contribution {
        chance.contribute(seat, link)?;
    }
    let mut recorder = Recorder { chance, drawn: Vec::new() };
    table.state().decide(input, &mut Draws::new(&mut recorder))?;
    Ok(recorder.drawn)
}

/// A chance that keeps what is needed to prove each draw.
struct Recorder {
    chance: Chance,
    drawn: Vec<Drawn>,
}

impl Source for Recorder {
    fn below(&mut self, of: u32) -> Result<u32, DrawFault> {
        let (n, contributions) = (self.chance.mark().draws, self.chance.contributions());
        let value = self.chance.below(of)?;
        self.drawn.push(Drawn { n, of, contributions, value });
        Ok(value)
    }

    fn shuffle(&mut self, size: u32) -> Result<(), DrawFault> {
        self.chance.shuffle(size)
    }

    fn card(&mut self, left: u32) -> Result<u32, DrawFault> {
        self.chance.card(left)
    }
}
