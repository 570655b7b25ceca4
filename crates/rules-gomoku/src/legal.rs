//! What a seat may say now: a bit for every point, and words for the rest.

use crate::board::{Points, Size};
use crate::command::{Command, point};
use crate::event::Offer;
use crate::state::{SEATS, Stage, State};
use crate::swap2::Choice;
use parlor_rules::{Draws, Seat};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// What a seat may say now.
///
/// As JSON: `commands`, the types of commands that may be given; `rows`, while a stone may be laid,
/// a number for each row from the top whose bit `x` says whether column `x` may be played;
/// `choices`, while there is one to make.
#[derive(Clone, Debug)]
pub struct Legal {
    size: Size,
    lays: Option<Lays>,
    choices: &'static [Choice],
    offers: Vec<Offer>,
    answers: Option<Offer>,
    resigns: bool,
}

/// Where a stone may be laid.
#[derive(Clone, Debug)]
struct Lays {
    opening: bool,
    points: Points,
}

/// See [`parlor_rules::Rules::legal`].
pub fn legal(state: &State, seat: Seat) -> Legal {
    let mut legal = Legal {
        size: state.board().size(),
        lays: None,
        choices: &[],
        offers: Vec::new(),
        answers: None,
        resigns: false,
    };
    if state.stage() != Stage::Live || !SEATS.contains(&seat) {
        return legal;
    }
    legal.resigns = true;
    let mine = state.up() == Some(seat);
    match state.in_opening() {
        Some(opening) if mine => {
            legal.choices = opening.phase().options();
            if opening.phase().places() {
                legal.lays = Some(Lays { opening: true, points: state.playable() });
            }
        }
        Some(_) => {}
        None => {
            if mine {
                legal.lays = Some(Lays { opening: false, points: state.playable() });
            }
            let offers = state.offers();
            if offers.open.is_none() && !offers.spent[seat.index()] {
                legal.offers.push(Offer::Draw);
                if state.to_take_back(seat).is_some() {
                    legal.offers.push(Offer::Takeback);
                }
            }
            legal.answers =
                offers.open.filter(|(offerer, _)| *offerer != seat).map(|(_, offer)| offer);
        }
    }
    legal
}

impl Legal {
    /// Whether this command is among it.
    pub fn permits(&self, command: &Command) -> bool {
        match command {
            Command::PlaceStone { x, y } | Command::Move { x, y } => {
                let opening = matches!(command, Command::PlaceStone { .. });
                self.lays.as_ref().is_some_and(|lays| {
                    let point = point(*x, *y, self.size, "");
                    lays.opening == opening && point.is_ok_and(|p| lays.points.contains(p))
                })
            }
            Command::MakeChoice { choice } => {
                self.choices.iter().any(|option| option.name() == choice)
            }
            Command::Resign {} => self.resigns,
            Command::OfferDraw {} => self.offers.contains(&Offer::Draw),
            Command::OfferTakeback {} => self.offers.contains(&Offer::Takeback),
            Command::AnswerDraw { .. } => self.answers == Some(Offer::Draw),
            Command::AnswerTakeback { .. } => self.answers == Some(Offer::Takeback),
        }
    }

    /// Some command of it. Play goes on most of the time: offers are seldom, resigning seldomer.
    pub fn pick(&self, draws: &mut Draws<'_>) -> Option<Command> {
        if let Some(offer) = self.answers.filter(|_| self.lays.is_none() || draws.below(2) == 0) {
            let accept = draws.below(4) == 0;
            return Some(match offer {
                Offer::Draw => Command::AnswerDraw { accept },
                Offer::Takeback => Command::AnswerTakeback { accept },
            });
        }
        if !self.offers.is_empty() && draws.below(60) == 0 {
            return Some(match self.offers[draws.below(self.offers.len() as u32) as usize] {
                Offer::Draw => Command::OfferDraw {},
                Offer::Takeback => Command::OfferTakeback {},
            });
        }
        if self.resigns && draws.below(500) == 0 {
            return Some(Command::Resign {});
        }
        if !self.choices.is_empty() {
            let chosen = self.choices[draws.below(self.choices.len() as u32) as usize];
            return Some(Command::MakeChoice { choice: chosen.name().to_owned() });
        }
        let Lays { opening, points } = self.lays.as_ref()?;
        let chosen = points.iter().nth(draws.below(points.len().max(1)) as usize)?;
        let (x, y) = (chosen.x.into(), chosen.y.into());
        Some(if *opening { Command::PlaceStone { x, y } } else { Command::Move { x, y } })
    }
}

/// The types of commands that may be given.
struct Commands<'a>(&'a Legal);

impl Serialize for Commands<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let Legal { lays, choices, offers, answers, resigns, .. } = self.0;
        let lays = lays.as_ref().map(|lays| match lays.opening {
            true => "place_stone",
            false => "move",
        });
        let answers = answers.map(|offer| match offer {
            Offer::Draw => "answer_draw",
            Offer::Takeback => "answer_takeback",
        });
        let offers = offers.iter().map(|offer| match offer {
            Offer::Draw => "offer_draw",
            Offer::Takeback => "offer_takeback",
        });
        let choices = (!choices.is_empty()).then_some("make_choice");
        let first = lays.into_iter().chain(choices).chain(answers);
        s.collect_seq(first.chain(offers).chain(resigns.then_some("resign")))
    }
}

impl Serialize for Legal {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_struct("Legal", 3)?;
        out.serialize_field("commands", &Commands(self))?;
        let rows = self.lays.as_ref().map(|lays| lays.points.rows(self.size));
        out.serialize_field("rows", &rows)?;
        out.serialize_field("choices", self.choices)?;
        out.end()
    }
}
