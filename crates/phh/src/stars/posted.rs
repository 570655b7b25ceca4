//! What is agreed before the cards: who plays, in which order, and who has posted what.

use super::lines::{Event, Lines, Post};
use super::read::{Fields, list, wrong};
use crate::toml::Wrong;
use crate::write::quoted;
use parlor_rules::Chips;
use parlor_rules_poker::hand::PLAYERS;
use parlor_rules_poker::variant::Limit;

/// What is agreed before the cards.
#[derive(Default)]
pub(super) struct Posted {
    pub(super) antes: Vec<Chips>,
    pub(super) blinds: Vec<Chips>,
    pub(super) stacks: Vec<Chips>,
    /// In the pot for all, and not in the stacks.
    pub(super) dead: Vec<Chips>,
    /// Bets that were posted out of turn; they count when the player acts.
    pub(super) late: Vec<Chips>,
    pub(super) trimming: bool,
}

/// The seats of those who play, the first to act after the first round first; of two the big blind.
pub(super) fn order(lines: &Lines<'_>) -> Result<Vec<usize>, Wrong> {
    let seats = &lines.head.seats;
    let plays = |who: &usize| {
        lines.events.iter().any(|(_, event)| match event {
            Event::Post { who: w, .. }
            | Event::Dealt { who: w, .. }
            | Event::Fold { who: w, .. }
            | Event::Check { who: w }
            | Event::Call { who: w, .. }
            | Event::Bet { who: w, .. }
            | Event::Raise { who: w, .. }
            | Event::BringIn { who: w, .. }
            | Event::Discard { who: w, .. }
            | Event::Show { who: w, .. }
            | Event::Muck { who: w }
            | Event::Uncalled { who: w, .. }
            | Event::Collected { who: w, .. } => w == who,
            _ => false,
        })
    };
    let mut order: Vec<usize> = (0..seats.len()).filter(plays).collect();
    let first = seats.first().map_or(1, |seat| seat.line);
    if !(2..=PLAYERS).contains(&order.len()) {
        return wrong(first, format!("{} play: 2 to {PLAYERS} are needed", order.len()));
    }
    let button = lines.head.button.unwrap_or(0);
    order.sort_by_key(|seat| {
        let chair = seats[*seat].chair;
        (chair <= button, chair)
    });
    let poster = |wanted: Post| {
        let mut posts = lines.events.iter();
        posts.find_map(|(_, event)| match event {
            Event::Post { who, post, .. } if *post == wanted => {
                order.iter().position(|seat| seat == who)
            }
            _ => None,
        })
    };
    let (small, big) = (poster(Post::Small), poster(Post::Big));
    let turn = match (order.len(), small, big) {
        _ if lines.head.variant.button_blind => 0,
        (2, _, Some(big)) => big,
        (2, Some(small), None) => 1 - small,
        // The small blind stands right before the big one, or it is a dead one.
        (count, Some(small), Some(big)) if (small + 1) % count == big => small,
        _ => 0,
    };
    order.rotate_left(turn);
    Ok(order)
}

impl Posted {
    pub(super) fn read(lines: &Lines<'_>, order: &[usize]) -> Self {
        let count = order.len();
        let zero = vec![Chips::ZERO; count];
        let variant = lines.head.variant;
        // In limit games the stakes are bets.
        let [mut small, mut big] = lines.head.stakes;
        if variant.limit == Limit::Fixed {
            big = small;
            small = Chips::from_ten_thousandths(big.ten_thousandths() / 2);
        }
        let stacks = order.iter().map(|seat| lines.head.seats[*seat].stack).collect();
        let mut all = Self {
            antes: zero.clone(),
            blinds: zero.clone(),
            stacks,
            dead: zero.clone(),
            late: zero.clone(),
            trimming: true,
        };
        let mut dead = zero;
        let mut short = false;
        let (mut small_posted, mut big_posted) = (false, false);
        let big_at = if count == 2 { 0 } else { 1 };
        let small_at = 1 - big_at;
        for (_, event) in &lines.events {
            let Event::Post { who, post, chips, all_in } = event else { continue };
            let Some(i) = order.iter().position(|seat| seat == who) else { continue };
            let nominal = |full: Chips| if *all_in { full.max(*chips) } else { *chips };
            match post {
                Post::Ante => {
                    all.antes[i] += *chips;
                    short |= *all_in;
                }
                Post::Dead => dead[i] += *chips,
                Post::Straddle => all.blinds[i] = *chips,
                Post::Small if variant.button_blind => all.blinds[i] = *chips,
                Post::Small if i == small_at && !small_posted => {
                    small_posted = true;
                    all.blinds[i] = nominal(small);
                }
                Post::Small => dead[i] += *chips,
                Post::Big if !big_posted && (i <= big_at || all.blinds[i] > Chips::ZERO) => {
                    big_posted = true;
                    all.blinds[i] = nominal(big);
                }
                Post::Big => all.late[i] += *chips,
                Post::Both => {
                    let live = (*chips).min(big);
                    all.late[i] += live;
                    dead[i] += *chips - live;
                }
            }
        }
        // A bet that was posted out of turn and then given up is dead.
        for (i, seat) in order.iter().enumerate() {
            if all.late[i] == Chips::ZERO {
                continue;
            }
            let first = lines.events.iter().find_map(|(_, event)| match event {
                Event::Fold { who, .. } if who == seat => Some(true),
                Event::Check { who } | Event::Call { who, .. } | Event::Raise { who, .. }
                    if who == seat =>
                {
                    Some(false)
                }
                _ => None,
            });
            match first {
                Some(false) => {}
                Some(true) => dead[i] += std::mem::take(&mut all.late[i]),
                None => all.blinds[i] = std::mem::take(&mut all.late[i]),
            }
        }
        let highest = all.antes.iter().copied().max().unwrap_or_default();
        if short {
            // Who is all-in with less owes the same.
            for (ante, stack) in all.antes.iter_mut().zip(&all.stacks) {
                if *ante > Chips::ZERO && *ante == *stack {
                    *ante = highest;
                }
            }
        }
        let level = all.antes.iter().all(|ante| *ante == highest);
        all.trimming = level;
        if dead.iter().any(|chips| *chips > Chips::ZERO) {
            if short && level {
                for (stack, dead) in all.stacks.iter_mut().zip(&dead) {
                    *stack -= *dead;
                }
                all.dead = dead;
            } else {
                for (ante, dead) in all.antes.iter_mut().zip(&dead) {
                    *ante += *dead;
                }
                all.trimming = false;
            }
        }
        all
    }
}

/// The fields a hand begins with.
pub(super) fn base(lines: &Lines<'_>, posted: &Posted) -> Fields {
    let Lines { head, summary, events, .. } = lines;
    let variant = head.variant;
    let columns = |chips: &[Chips]| {
        let mut chips = chips.to_vec();
        if chips.len() == 2 {
            chips.reverse();
        }
        list(chips)
    };
    let mut fields = Vec::new();
    let mut field = |key: &str, value: String| fields.push((key.to_owned(), value));
    field("variant", quoted(variant.code));
    field("ante_trimming_status", posted.trimming.to_string());
    field("antes", columns(&posted.antes));
    let [small, big] = head.stakes;
    if variant.has_blinds() {
        field("blinds_or_straddles", columns(&posted.blinds));
    } else {
        let brought = events.iter().find_map(|(_, event)| match event {
            Event::BringIn { chips, .. } => Some(*chips),
            _ => None,
        });
        let half = Chips::from_ten_thousandths(small.ten_thousandths() / 2);
        field("bring_in", brought.unwrap_or(half).to_string());
    }
    if variant.limit == Limit::Fixed {
        field("small_bet", small.to_string());
        field("big_bet", big.to_string());
    } else {
        field("min_bet", big.to_string());
    }
    field("starting_stacks", list(&posted.stacks));
    field("actions", "[]".to_owned());
    if posted.dead.iter().any(|chips| *chips > Chips::ZERO) {
        field("_deadMoney", list(&posted.dead));
    }
    if let Some(chip) = chip(lines) {
        field("_chip", chip.to_string());
    }
    if lines.twice {
        field("_runs", "2".to_owned());
    }
    if summary.rake > Chips::ZERO {
        let cap = summary.rake;
        field("_rake", format!("{{ per_10_000 = 10000, cap = {cap}, no_flop_no_drop = false }}"));
    }
    fields
}

/// The smallest chip: a hundredth of a currency, unless something smaller is paid.
fn chip(lines: &Lines<'_>) -> Option<Chips> {
    lines.head.sign?;
    let seats = lines.head.seats.iter().map(|seat| seat.stack);
    let events = lines.events.iter().filter_map(|(_, event)| match event {
        Event::Post { chips, .. }
        | Event::Call { chips, .. }
        | Event::Bet { chips, .. }
        | Event::Raise { to: chips, .. }
        | Event::Collected { chips, .. } => Some(*chips),
        _ => None,
    });
    let cents = seats.chain(events).all(|chips| chips.ten_thousandths() % 100 == 0);
    cents.then(|| Chips::from_ten_thousandths(100))
}
