//! The players of a running table in a row, and how one hand follows another: who plays, who posts,
//! who has missed what, who is gone.

use crate::hand::PLAYERS;
use parlor_rules::{Chips, Seat, rejects};
use serde::{Deserialize, Serialize};

/// What a player wants; in JSON the number documents have for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Intent {
    /// To play.
    #[default]
    Play,
    /// To pause until the big blind comes round.
    Wait,
    /// To pause.
    Pause,
    /// To leave for good.
    Leave,
}

impl From<Intent> for u8 {
    fn from(intent: Intent) -> Self {
        intent.number()
    }
}

impl TryFrom<u8> for Intent {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Self, Self::Error> {
        Self::from_number(number).ok_or("an intent is a number from 0 to 3")
    }
}

impl Intent {
    /// All but this one.
    pub const fn others(self) -> &'static [Self] {
        match self {
            Self::Play => &[Self::Wait, Self::Pause, Self::Leave],
            Self::Wait => &[Self::Play, Self::Pause, Self::Leave],
            Self::Pause => &[Self::Play, Self::Wait, Self::Leave],
            Self::Leave => &[Self::Play, Self::Wait, Self::Pause],
        }
    }

    /// As the number documents have for it.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// From that number.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Play),
            1 => Some(Self::Wait),
            2 => Some(Self::Pause),
            3 => Some(Self::Leave),
            _ => None,
        }
    }
}

/// One player's column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Whose it is: the chair.
    pub seat: Seat,
    /// Chips in front.
    pub stack: Chips,
    /// What is posted by everyone.
    pub ante: Chips,
    /// The blind or straddle that stands here; it is posted only by who plays.
    pub blind: Chips,
    /// What the player wants.
    pub intent: Intent,
    /// Whether the player sits out.
    pub inactive: bool,
    /// Blinds missed, in chips.
    pub debt: Chips,
    /// Missed blinds paid into this hand, for nobody's sake.
    pub dead: Chips,
    /// Whether the player has to leave for lack of chips alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub short: bool,
}

impl Column {
    /// Whether the player is in the hand.
    pub const fn plays(&self) -> bool {
        !self.inactive
    }

    /// Whether the player stays at the table and out of the hands.
    pub fn pauses(&self) -> bool {
        matches!(self.intent, Intent::Wait | Intent::Pause)
    }

    /// Whether the player is in the hand and wants to be.
    pub fn wants(&self) -> bool {
        self.intent == Intent::Play && !self.inactive
    }

    /// Whether the player is not at the table any more when the next hand begins.
    pub fn gone(&self) -> bool {
        self.intent == Intent::Leave || self.stack <= Chips::ZERO
    }

    /// Whether the player takes the big blind of the next hand if it comes here.
    fn takes(&self, big: Chips) -> bool {
        match self.intent {
            Intent::Play | Intent::Wait => !self.inactive || self.stack >= big,
            Intent::Pause | Intent::Leave => false,
        }
    }
}

rejects! {
    /// Why there is no next hand.
    pub enum NoNext {
        /// There are no blinds to move on.
        NoBlinds => "no_blinds", "a small and a big blind are needed, or a big blind alone";
        /// Nobody to play with.
        TooFew => "too_few_players", "two players who play are needed; the table waits";
    }
}

/// Where the blinds stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blinds {
    /// The column of the small blind, which is the first to act after the first round unless two
    /// play.
    pub small: usize,
    /// The column of the big blind.
    pub big: usize,
    /// The amounts, from the small blind on: big blind, straddles.
    pub levels: Vec<Chips>,
    /// How many columns there were when they were laid; those who came later stand behind.
    pub laid: usize,
}

impl Blinds {
    /// From a row in which the blinds stand in the order of play, one behind the other. The big
    /// blind is the second of them, whatever stands behind it.
    pub fn of(row: &[Chips]) -> Option<Self> {
        // Those who came later have no blind, and are not between those who had.
        let later = row.iter().rev().take_while(|blind| **blind == Chips::ZERO).count();
        if row.len() - later == 2 && row[0] > row[1] {
            // Two played; of more the big blind would stand behind the small one.
            return Self::round(&row[..2]);
        }
        (0..=later).find_map(|later| Self::round(&row[..row.len() - later]))
    }

    /// The blinds of a row that goes round.
    fn round(row: &[Chips]) -> Option<Self> {
        let count = row.len();
        if !(2..=PLAYERS).contains(&count) {
            return None;
        }
        let posted = |i: usize| row[i % count] > Chips::ZERO;
        if count == 2 {
            let big = if row[0] > row[1] { 0 } else { 1 };
            let (small, levels) = (1 - big, vec![row[1 - big], row[big]]);
            return posted(big).then_some(Self { small, big, levels, laid: count });
        }
        let mut begins = (0..count).filter(|i| posted(*i) && !posted(i + count - 1));
        let small = match (begins.next(), begins.next()) {
            (Some(begin), None) => begin,
            // The small blind may stand apart, with who had the big one before.
            (Some(one), Some(other)) if begins.next().is_none() => {
                let (small, big) = if row[one] < row[other] { (one, other) } else { (other, one) };
                let run = (0..count).map(|i| row[(big + i) % count]);
                let mut levels = vec![row[small]];
                levels.extend(run.take_while(|chips| *chips > Chips::ZERO));
                let alone = !posted(small + 1);
                let rises = alone && levels.is_sorted();
                return rises.then_some(Self { small, big, levels, laid: count });
            }
            // Everyone posts: from the small blind on they rise.
            (None, _) if posted(0) => {
                let rises = |from: &usize| {
                    (1..count).all(|i| row[(from + i - 1) % count] <= row[(from + i) % count])
                };
                (0..count).find(rises)?
            }
            _ => return None,
        };
        let mut levels: Vec<Chips> =
            (0..count).map(|i| row[(small + i) % count]).take_while(|c| *c > Chips::ZERO).collect();
        // A blind that stands alone is the big one.
        let small = if levels.len() == 1 {
            levels.insert(0, Chips::ZERO);
            (small + count - 1) % count
        } else {
            small
        };
        let big = (small + 1) % count;
        if let [first, second] = levels[..]
            && first > second
        {
            // Everyone between was passed over, and who had the big blind before is behind it.
            return Some(Self { small: big, big: small, levels: vec![second, first], laid: count });
        }
        levels.is_sorted().then_some(Self { small, big, levels, laid: count })
    }
}

fn half(chips: Chips) -> Chips {
    Chips::from_ten_thousandths(chips.ten_thousandths() / 2)
}

/// What stands on the table when a hand begins, and who does what first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Posts {
    /// What each posts as a blind or straddle.
    pub blinds: Vec<Chips>,
    /// Who acts first after the first round.
    pub first: u8,
    /// Who has the button.
    pub button: u8,
    /// Who plays, as bits.
    pub active: u16,
}

/// What is posted: who sits out posts nothing, and with two players the one who is not the big
/// blind is the button and posts the small blind, wherever it stands. With a button blind the
/// button has the big one, and nobody the small one.
pub fn posts(columns: &[Column], button_blind: bool) -> Option<Posts> {
    let row: Vec<Chips> = columns.iter().map(|column| column.blind).collect();
    let blinds = Blinds::of(&row)?;
    let plays = columns.iter().enumerate().filter(|(_, column)| column.plays());
    let active: u16 = plays.fold(0, |set, (i, _)| set | 1 << i);
    let mut posted = row;
    for (post, column) in posted.iter_mut().zip(columns) {
        if !column.plays() {
            *post = Chips::ZERO;
        }
    }
    let mut first = blinds.small;
    let mut button = match blinds.laid {
        2 => blinds.small,
        laid => (blinds.small + laid - 1) % laid,
    };
    if button_blind {
        (first, button) = ((blinds.big + 1) % blinds.laid, blinds.big);
    } else if active.count_ones() == 2 && columns[blinds.big].plays() {
        posted.fill(Chips::ZERO);
        let other = (active & !(1 << blinds.big)).trailing_zeros() as usize;
        posted[other] = blinds.levels[0];
        posted[blinds.big] = blinds.levels[1];
        (first, button) = (blinds.big, other);
    }
    Some(Posts { blinds: posted, first: first as u8, button: button as u8, active })
}

/// A row for the next hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Following {
    /// Those who are still there.
    pub columns: Vec<Column>,
    /// Those who are gone, with what they take along.
    pub removed: Vec<Column>,
    /// Who has the button, where no blinds tell it.
    pub button: Option<Seat>,
}

/// Who posts the small blind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmallBlind {
    /// The seat before the big blind; nobody, if that seat sits out.
    #[default]
    Positional,
    /// Who had the big blind before, so that nobody is spared it behind a seat that sits out.
    PreviousBig,
}

/// The next hand of a table whose last one has ended with these stacks. Those who came meanwhile
/// stand behind; in the next row everyone stands in the order of seats. `button` had the button.
/// `levels` are the blinds it is played for: small, big, straddles.
pub fn next(
    columns: &[Column],
    button: Seat,
    levels: &[Chips],
    rule: SmallBlind,
) -> Result<Following, NoNext> {
    let row: Vec<Chips> = columns.iter().map(|column| column.blind).collect();
    let old = Blinds::of(&row).ok_or(NoNext::NoBlinds)?;
    let big_level = *levels.get(1).ok_or(NoNext::NoBlinds)?;
    let count = columns.len();
    let big_seat = columns[old.big].seat;
    let mut columns = columns.to_vec();
    columns.sort_by_key(|column| column.seat);
    let old_big = columns.iter().position(|column| column.seat == big_seat).unwrap_or_default();
    // From the seat after the old big blind on, so that the first is the first to be tried.
    let turned = (1..=count).map(|i| (old_big + i) % count);
    let there: Vec<usize> = turned.filter(|i| !columns[*i].gone()).collect();
    if there.len() < 2 {
        return Err(NoNext::TooFew);
    }
    let takes = |i: &usize| columns[*i].takes(big_level);
    let (big, missed) = if there.len() == 2 {
        // The button goes to the first seat after the old one; it posts the small blind.
        let mut there_by_seat = [there[0], there[1]];
        there_by_seat.sort_unstable();
        let after = there_by_seat.into_iter().find(|i| columns[*i].seat > button);
        (usize::from(there[0] == after.unwrap_or(there_by_seat[0])), 0)
    } else {
        let big = there.iter().position(takes).ok_or(NoNext::TooFew)?;
        (big, big)
    };
    let mut next: Vec<Column> = there.iter().map(|i| columns[*i]).collect();
    let before = (big + there.len() - 1) % there.len();
    let small = match rule {
        SmallBlind::PreviousBig if there.len() > 2 => {
            there.iter().position(|i| *i == old_big).filter(|small| *small != big)
        }
        SmallBlind::Positional | SmallBlind::PreviousBig => Some(before),
    };
    lay(&mut next, small, big, levels);
    let seated = seat(&mut next, big, big_level);
    if !seated {
        return Err(NoNext::TooFew);
    }
    accrue(&mut next, missed, small, big, levels);
    // Back into the order the row had.
    let begin = there.iter().enumerate().min_by_key(|(_, i)| **i).map_or(0, |(at, _)| at);
    next.rotate_left(begin);
    let removed = columns.iter().filter(|column| column.gone()).copied().collect();
    Ok(Following { columns: next, removed, button: None })
}

/// The next hand where nobody posts a blind. Where blinds stand they and the button stay for the next
/// hand that has some, and who waits for the big one goes on waiting. Otherwise everyone who wants to
/// plays, and the button goes on.
pub fn without_blinds(columns: &[Column], button: Option<Seat>) -> Result<Following, NoNext> {
    let (mut row, removed) = staying(columns);
    let laid = row.iter().any(|column| column.blind > Chips::ZERO);
    for column in &mut row {
        column.dead = Chips::ZERO;
        match column.intent {
            Intent::Play if column.inactive => come_back(column, false),
            Intent::Play => {}
            // There is no blind to wait for.
            Intent::Wait if !laid => wait_no_more(column),
            Intent::Wait | Intent::Pause | Intent::Leave => column.inactive = true,
        }
    }
    let plays = |row: &[Column]| row.iter().filter(|column| column.plays()).count();
    if plays(&row) < 2 {
        row.iter_mut().filter(|column| column.intent == Intent::Wait).for_each(wait_no_more);
    }
    if plays(&row) < 2 {
        return Err(NoNext::TooFew);
    }
    let stays = |seat: &Seat| laid && button.is_some_and(|button| *seat >= button);
    let after = |seat: &Seat| !laid && button.is_some_and(|button| *seat > button);
    let seats: Vec<Seat> = row.iter().filter(|c| laid || c.plays()).map(|c| c.seat).collect();
    let next = seats.iter().find(|seat| stays(seat) || after(seat));
    let button = Some(*next.unwrap_or(&seats[0]));
    Ok(Following { columns: row, removed, button })
}

/// Who waits for a blind that cannot come plays, and owes nothing.
fn wait_no_more(column: &mut Column) {
    (column.intent, column.debt) = (Intent::Play, Chips::ZERO);
    come_back(column, false);
}

/// The next hand after one without blinds: the button goes on, and the blinds are laid behind it.
pub fn resume(columns: &[Column], button: Seat, levels: &[Chips]) -> Result<Following, NoNext> {
    let big_level = *levels.get(1).ok_or(NoNext::NoBlinds)?;
    let (mut row, removed) = staying(columns);
    let count = row.len();
    if count < 2 {
        return Err(NoNext::TooFew);
    }
    let after = row.iter().position(|column| column.seat > button).unwrap_or_default();
    let from = after + if count == 2 { 1 } else { 2 };
    let mut turned = (0..count).map(|i| (from + i) % count);
    let big = turned.find(|i| row[*i].takes(big_level)).ok_or(NoNext::TooFew)?;
    lay(&mut row, Some((big + count - 1) % count), big, levels);
    if !seat(&mut row, big, big_level) {
        return Err(NoNext::TooFew);
    }
    Ok(Following { columns: row, removed, button: None })
}

/// What is posted where there are no blinds.
pub fn no_posts(columns: &[Column], button: Seat) -> Option<Posts> {
    let count = columns.len();
    let button = columns.iter().position(|column| column.seat == button)?;
    let plays = columns.iter().enumerate().filter(|(_, column)| column.plays());
    let active: u16 = plays.fold(0, |set, (i, _)| set | 1 << i);
    let blinds = vec![Chips::ZERO; count];
    let first = (button + 1) % count.max(1);
    Some(Posts { blinds, first: first as u8, button: button as u8, active })
}

/// Those who are still there, in the order of seats, and those who are gone.
fn staying(columns: &[Column]) -> (Vec<Column>, Vec<Column>) {
    let (removed, mut row): (Vec<Column>, Vec<Column>) =
        columns.iter().partition(|column| column.gone());
    row.sort_by_key(|column| column.seat);
    (row, removed)
}

/// The first hand of a table, or of one that has come down to one player: everyone who wants to
/// plays, and owes nothing. The first in the row is the button.
pub fn first(columns: &[Column], levels: &[Chips]) -> Result<Following, NoNext> {
    let (mut row, removed) = staying(columns);
    let wants = |column: &Column| matches!(column.intent, Intent::Play | Intent::Wait);
    for column in &mut row {
        column.debt = Chips::ZERO;
        column.inactive = !wants(column);
        if wants(column) {
            column.intent = Intent::Play;
        }
    }
    let count = row.len();
    if row.iter().filter(|column| column.plays()).count() < 2 {
        return Err(NoNext::TooFew);
    }
    let begin = if count == 2 { 1 } else { 2 };
    let turned = (0..count).map(|i| (begin + i) % count);
    let big = turned.into_iter().find(|i| row[*i].plays()).ok_or(NoNext::TooFew)?;
    lay(&mut row, Some((big + count - 1) % count), big, levels);
    Ok(Following { columns: row, removed, button: None })
}

/// Lays the blinds: straddles after the big one.
fn lay(next: &mut [Column], small: Option<usize>, big: usize, levels: &[Chips]) {
    let count = next.len();
    for column in next.iter_mut() {
        (column.blind, column.dead) = (Chips::ZERO, Chips::ZERO);
    }
    for (i, level) in levels.iter().skip(1).take(count - 1).enumerate() {
        next[(big + i) % count].blind = *level;
    }
    if let (Some(small), Some(level)) = (small, levels.first()) {
        next[small].blind = *level;
    }
}

/// Decides who plays the hand, and takes what returning costs; whether there are two at least.
fn seat(next: &mut [Column], big: usize, big_level: Chips) -> bool {
    for (i, column) in next.iter_mut().enumerate() {
        let on_big = i == big;
        match column.intent {
            Intent::Play if column.inactive => come_back(column, on_big),
            Intent::Wait if on_big && (!column.inactive || column.stack >= big_level) => {
                column.intent = Intent::Play;
                column.inactive = false;
                column.debt = Chips::ZERO;
            }
            Intent::Play => {}
            Intent::Wait | Intent::Pause | Intent::Leave => column.inactive = true,
        }
    }
    let plays = |next: &[Column]| next.iter().filter(|column| column.plays()).count();
    if plays(next) < 2 {
        // Nobody waits for a blind that cannot come.
        next.iter_mut().filter(|column| column.intent == Intent::Wait).for_each(wait_no_more);
    }
    plays(next) >= 2 && next[big].plays()
}

/// A player joins or returns. On the big blind that is never early, and costs nothing else.
fn come_back(column: &mut Column, on_big: bool) {
    if on_big {
        column.debt = Chips::ZERO;
    }
    let left = column.stack - column.debt;
    if left < column.blind || left <= Chips::ZERO {
        // Too little to play with: out, unless chips are added before the next hand.
        (column.intent, column.short) = (Intent::Leave, true);
        return;
    }
    column.stack = left;
    column.dead = column.debt;
    column.debt = Chips::ZERO;
    column.inactive = false;
}

/// Who stays out misses the blinds that pass: the big blind goes from the first seat to `big`, and
/// the small blind one seat behind it, or it goes to where it was laid.
fn accrue(next: &mut [Column], passed: usize, small: Option<usize>, big: usize, levels: &[Chips]) {
    let big_level = levels[1];
    // Nobody misses a small blind that there is not.
    let half_level = if levels[0] > Chips::ZERO { half(big_level) } else { Chips::ZERO };
    let count = next.len();
    let most = big_level + half(big_level);
    let first = big - passed;
    let positional = small == Some((big + count - 1) % count);
    for at in first..=big {
        let behind = (at + count - 1) % count;
        let small = if positional { Some(behind) } else { small.filter(|_| at == big) };
        let missed = [Some((at, big_level)), small.map(|small| (small, half_level))];
        for (place, missed) in missed.into_iter().flatten() {
            let column = &mut next[place];
            if column.inactive && column.pauses() {
                column.debt = (column.debt + missed).min(most);
            }
        }
    }
}
