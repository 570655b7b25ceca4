//! How a hand ends: what is shown, who collects what, and the summary.

use super::headings;
use super::write::{Writer, row, say};
use parlor_rules::Chips;
use parlor_rules_poker::card::Cards;
use parlor_rules_poker::hand::{Action, Player, Rake, Status};
use parlor_rules_poker::pots::{Pot, Pots, Shares};
use parlor_rules_poker::variant::Variant;
use std::fmt::Write as _;

/// What a hand is worth at the end: `a pair of Kings`, or `HI: a pair of Kings; LO: 8,6,4,3,A`.
fn worth(variant: &Variant, cards: &Cards, board: &Cards) -> String {
    let rankings = variant.rankings;
    let all = rankings.iter().map(|ranking| ranking.strength(cards.set(), board.set()));
    let two = rankings.len() > 1;
    let parts = all.zip(["HI: ", "LO: "]).filter_map(|(strength, half)| {
        let text = strength?.to_string();
        Some(match text.strip_suffix(" low") {
            Some(low) if two => format!("{half}{}", low.replace('-', ",")),
            Some(low) => format!("Lo: {}", low.replace('-', ",")),
            None if two => format!("{half}{}", capital(&text)),
            None => capital(&text),
        })
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// The names of ranks with a capital letter; three of a kind is none.
fn capital(text: &str) -> String {
    const RANKS: [&str; 13] = [
        "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
        "king", "ace",
    ];
    let word = |(i, word): (usize, &str)| {
        let rank = RANKS.iter().any(|rank| word.starts_with(rank));
        if rank && i > 0 { word[..1].to_ascii_uppercase() + &word[1..] } else { word.to_owned() }
    };
    text.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// A pot after the house has taken its share, and what each player wins of it, run by run.
struct Won {
    amount: Chips,
    shares: Vec<Vec<Chips>>,
}

impl Writer<'_, '_> {
    /// The pots, the main pot first.
    fn pots(&self, boards: &[Cards]) -> Vec<Won> {
        let dead = self.unmatched();
        let mut players: Vec<Player> = self.hand.players().to_vec();
        for ((player, paid), dead) in players.iter_mut().zip(&self.paid).zip(&dead) {
            player.paid = *paid - *dead;
        }
        let mut pots = Pots::new(&players, dead.iter().copied().sum());
        let cap = Some(self.hand.raked());
        let take = Rake { per_10_000: 10_000, cap, no_flop_no_drop: false };
        pots.rake(&take, Chips::from_ten_thousandths(1));
        let filled = pots.all().iter().filter(|pot| pot.amount > Chips::ZERO);
        filled
            .map(|pot| {
                // Every run has an equal part, the first what is left over.
                let chip = self.history.chip.ten_thousandths();
                let count = boards.len() as i64;
                let part = pot.amount.ten_thousandths() / count / chip * chip;
                let first = pot.amount.ten_thousandths() - part * (count - 1);
                let parts = [first].into_iter().chain(std::iter::repeat(part));
                let share = |(board, amount): (&Cards, i64)| {
                    let amount = Chips::from_ten_thousandths(amount);
                    self.share(&Pot { amount, ..*pot }, &players, board)
                };
                Won { amount: pot.amount, shares: boards.iter().zip(parts).map(share).collect() }
            })
            .collect()
    }

    /// What each player wins of one pot on one board: the pot is that of a hand in which only those
    /// play who can win it.
    fn share(&self, pot: &Pot, players: &[Player], board: &Cards) -> Vec<Chips> {
        let mut won = vec![Chips::ZERO; players.len()];
        if pot.eligible.is_power_of_two() {
            won[pot.eligible.trailing_zeros() as usize] = pot.amount;
            return won;
        }
        let mut players = players.to_vec();
        for (i, player) in players.iter_mut().enumerate() {
            player.paid = Chips::ZERO;
            player.status = if pot.eligible >> i & 1 == 1 { Status::In } else { Status::Folded };
        }
        let shares = Shares { chip: self.history.chip, odd_chips: self.odd_chips, first: 0 };
        let pots = Pots::new(&players, pot.amount);
        let all = pots.winnings(&players, &[board.set()], self.history.variant.rankings, shares);
        won.copy_from_slice(&all[..players.len()]);
        won
    }

    /// What each has paid that is in the pot for all.
    fn unmatched(&self) -> Vec<Chips> {
        let Ok(start) = self.history.begin() else { return vec![Chips::ZERO; self.names.len()] };
        let each = start.players().iter().enumerate().map(|(i, player)| {
            let ante = self.history.starting_stacks[i] - player.stack - player.bet;
            let ante = if self.history.ante_trimming { Chips::ZERO } else { ante };
            ante + self.dead(i)
        });
        each.collect()
    }

    /// Who shows what; comments stand only with the first board.
    fn showdown(&mut self, board: &Cards, first: bool) {
        for (player, cards, comment) in self.shows.clone() {
            let name = self.names[player].clone();
            match cards.map(|cards| self.at_the_end(player, cards)) {
                None => self.line(format!("{name}: mucks hand")),
                Some(cards) if cards.all_known() => {
                    let worth = worth(self.history.variant, &cards, board);
                    self.line(format!("{name}: shows [{}] ({worth})", row(&cards)));
                }
                Some(cards) => self.line(format!("{name}: shows [{}]", row(&cards))),
            }
            if let Some(comment) = comment.filter(|_| first) {
                say(&mut self.text, &format!("# {comment}"));
            }
        }
    }

    pub(super) fn end(&mut self) {
        let boards: Vec<Cards> = self.hand.boards().collect();
        let twice = boards.len() > 1;
        let runs: &[&str] = if twice { &["FIRST ", "SECOND "] } else { &[""] };
        let pots = self.pots(&boards);
        let several = pots.len() > 1;
        let label = |i: usize| match (several, i, pots.len()) {
            (false, ..) => "pot".to_owned(),
            (_, 0, _) => "main pot".to_owned(),
            (_, _, 2) => "side pot".to_owned(),
            _ => format!("side pot-{i}"),
        };
        let mut won = vec![vec![Chips::ZERO; runs.len()]; self.names.len()];
        for (run, (name, board)) in runs.iter().zip(&boards).enumerate() {
            if self.contested {
                self.line(format!("*** {name}SHOW DOWN ***"));
                self.showdown(board, run == 0);
            }
            for (i, pot) in pots.iter().enumerate().rev() {
                for (player, share) in pot.shares[run].iter().enumerate() {
                    if *share > Chips::ZERO {
                        won[player][run] += *share;
                        let (name, share) = (&self.names[player], self.money(*share));
                        self.line(format!("{name} collected {share} from {}", label(i)));
                    }
                }
            }
        }
        if !self.contested {
            self.showdown(&boards[0], true);
            let winner = won.iter().position(|won| won[0] > Chips::ZERO);
            if let (true, Some(winner)) = (self.shows.is_empty(), winner) {
                self.line(format!("{}: doesn't show hand", self.names[winner]));
            }
        }
        self.line("*** SUMMARY ***");
        let total: Chips = self.paid.iter().copied().sum();
        let mut text = format!("Total pot {}", self.money(total));
        for (i, pot) in pots.iter().enumerate().filter(|_| several) {
            let name = label(i);
            let name = name[..1].to_ascii_uppercase() + &name[1..];
            let _ = write!(text, " {name} {}.", self.money(pot.amount));
        }
        self.line(format!("{text} | Rake {}", self.money(self.hand.raked())));
        if twice {
            self.line("Hand was run twice");
        }
        for (name, board) in runs.iter().zip(&boards).filter(|(_, board)| !board.is_empty()) {
            self.line(format!("{name}Board [{}]", row(board)));
        }
        let mut seats: Vec<usize> = (0..self.names.len()).collect();
        seats.sort_by_key(|i| self.chairs[*i]);
        for i in seats {
            let text = self.outcome(i, &won[i], &boards);
            self.line(format!("Seat {}: {}{}", self.chairs[i], self.names[i], text));
        }
    }

    /// What is said of a player at the end.
    fn outcome(&self, player: usize, won: &[Chips], boards: &[Cards]) -> String {
        let (small, big) = self.blind_places();
        let mut text = String::new();
        if self.history.variant.has_blinds() && player + 1 == self.names.len() {
            text += " (button)";
        }
        if Some(player) == small {
            text += " (small blind)";
        }
        if Some(player) == big && !self.history.variant.button_blind {
            text += " (big blind)";
        }
        let shown = self.history.actions.iter().rev().find_map(|line| match line.action {
            Action::Show { player: p, cards: Some(cards) } if usize::from(p) == player => {
                Some(cards)
            }
            _ => None,
        });
        let all: Chips = won.iter().copied().sum();
        text + &match (shown, self.folded[player]) {
            (_, Some(usize::MAX)) => match self.mucked(player as u8) {
                Some(cards) => format!(" mucked [{}]", row(&cards)),
                None => " mucked".to_owned(),
            },
            (Some(cards), None) if self.contested => {
                let cards = self.at_the_end(player, cards);
                let part = |(won, board): (&Chips, &Cards)| {
                    let worth = worth(self.history.variant, &cards, board);
                    match *won {
                        Chips::ZERO => format!("lost with {worth}"),
                        won => format!("won ({}) with {worth}", self.money(won)),
                    }
                };
                let parts: Vec<String> = won.iter().zip(boards).map(part).collect();
                format!(" showed [{}] and {}", row(&cards), parts.join(", and "))
            }
            (_, Some(street)) => self.fold_text(player, street),
            _ if all > Chips::ZERO => format!(" collected ({})", self.money(all)),
            _ => " mucked".to_owned(),
        }
    }

    fn fold_text(&self, player: usize, street: usize) -> String {
        let variant = self.history.variant;
        let bare = !self.willing[player]
            && self.history.blinds.get(player).is_none_or(|b| *b == Chips::ZERO);
        let bare = if bare { " (didn't bet)" } else { "" };
        let names = headings(variant);
        if !variant.has_blinds() {
            let name = names.get(street).copied().unwrap_or("RIVER").replace("STREET", "Street");
            let name = if name == "RIVER" { "River".to_owned() } else { name };
            let bare = if street == 0 { bare } else { "" };
            return format!(" folded on the {name}{bare}");
        }
        let draws = variant.streets.iter().any(|street| street.draw);
        match (street, draws) {
            (0, true) => format!(" folded before the Draw{bare}"),
            (0, false) => format!(" folded before Flop{bare}"),
            (1, true) if variant.streets.len() == 2 => " folded after the Draw".to_owned(),
            (n, true) => {
                format!(" folded after the {} Draw", ["1st", "2nd", "3rd"][(n - 1).min(2)])
            }
            (1, false) => " folded on the Flop".to_owned(),
            (2, false) => " folded on the Turn".to_owned(),
            _ => " folded on the River".to_owned(),
        }
    }
}
