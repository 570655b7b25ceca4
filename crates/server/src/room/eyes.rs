//! Who looks at a table, and what is shown to whom.

use super::{KEPT, Kept, Looked, Room, Seen, bit, is_person, seats};
use crate::line::{Frame, Line};
use crate::now_ms;
use parlor_rules::{Json, Pending, Seat, Viewer};
use parlor_table::{Chair, Update, Who};
use parlor_wire::{Clock, Listed, Tell};
use serde_json::value::RawValue;
use std::collections::VecDeque;

/// How many things wait at most to be told to watchers who are behind: of more they hear nothing.
const LATE: usize = 256;

/// What stands before something that is kept: the number of the update, and how long the text is.
struct Mark {
    seq: u64,
    length: u16,
}

impl Mark {
    const BYTES: usize = size_of::<u64>() + size_of::<u16>();

    fn write(&self, to: &mut VecDeque<u8>) {
        to.extend(self.seq.to_le_bytes().into_iter().chain(self.length.to_le_bytes()));
    }

    /// The next one; none where there is nothing left.
    fn read(mut from: impl Iterator<Item = u8>) -> Option<Self> {
        let (mut seq, mut length) = ([0; 8], [0; 2]);
        for byte in seq.iter_mut().chain(&mut length) {
            *byte = from.next()?;
        }
        Some(Self { seq: u64::from_le_bytes(seq), length: u16::from_le_bytes(length) })
    }
}

impl Kept {
    /// Nothing yet, from this update on.
    fn from(seq: u64) -> Self {
        Self { from: seq, sights: VecDeque::new() }
    }

    fn push(&mut self, seq: u64, sights: &[Json]) {
        for sight in sights {
            let text = sight.get().as_bytes();
            while self.sights.len() + Mark::BYTES + text.len() > KEPT
                && let Some(first) = Mark::read(self.sights.iter().copied())
            {
                self.sights.drain(..Mark::BYTES + usize::from(first.length));
                self.from = first.seq + 1;
            }
            if Mark::BYTES + text.len() > KEPT {
                self.from = seq + 1;
                continue;
            }
            Mark { seq, length: text.len() as u16 }.write(&mut self.sights);
            self.sights.extend(text);
        }
    }

    /// What happened after this update; nothing if not all of it is kept.
    fn after(&self, seq: u64) -> Vec<Json> {
        if self.from > seq + 1 {
            return Vec::new();
        }
        let mut bytes = self.sights.iter().copied();
        let mut missed = Vec::new();
        while let Some(mark) = Mark::read(bytes.by_ref()) {
            let text: Vec<u8> = bytes.by_ref().take(mark.length.into()).collect();
            let text = String::from_utf8(text).ok().filter(|_| mark.seq > seq);
            missed.extend(text.and_then(|text| RawValue::from_string(text).ok()).map(Json::from));
        }
        missed
    }
}

impl Room {
    pub(super) fn attach(&mut self, viewer: Viewer, line: Line, seen: Option<(u32, u64)>) {
        self.there.retain(|(_, other)| other.number() != line.number());
        let there = line.looks_at(&self.name);
        if let Viewer::Seat(seat) = viewer {
            self.visited.remove(&seat);
            match there {
                true => self.place.table_mut().back(seat),
                false => self.place.table_mut().gone(seat, now_ms()),
            }
        }
        if !there {
            return self.tick();
        }
        line.write(self.about_table(viewer));
        self.greet(viewer, &line, seen);
        self.there.push((viewer, line));
        self.spoke = true;
        self.seat_bots();
        self.tick();
    }

    pub(super) fn detach(&mut self, lines: &[u64]) {
        let ends = |(_, line): &(Viewer, Line)| lines.contains(&line.number());
        let (ended, there) = std::mem::take(&mut self.there).into_iter().partition(ends);
        self.there = there;
        if ended.is_empty() {
            return;
        }
        for (viewer, line) in ended {
            line.looks_away(&self.name);
            if let Viewer::Seat(seat) = viewer
                && !self.there.iter().any(|(other, _)| *other == viewer)
            {
                self.place.table_mut().gone(seat, now_ms());
            }
        }
        self.seat_bots();
        self.tick();
    }

    fn watchers(&self) -> u32 {
        self.there.iter().filter(|(viewer, _)| *viewer == Viewer::Watcher).count() as u32
    }

    /// How it is from outside, for these eyes.
    fn seen(&self, viewer: Viewer) -> Seen {
        let table = self.table();
        let here = seats(table.chairs()).filter(|(seat, _)| table.here(*seat));
        Seen {
            chairs: table.chairs().clone(),
            here: here.map(|(seat, _)| bit(seat)).sum(),
            watchers: self.watchers(),
            over: self.is_over(viewer),
            late_over: self.is_over(Viewer::Watcher),
            lively: !self.is_forlorn(),
        }
    }

    /// Tells everyone, and the lobby, who sits and looks here, if that has changed.
    pub(super) fn publish(&mut self) {
        // Whoever is just sitting down may yet be refused.
        if !self.moving.is_empty() {
            return;
        }
        let table = self.table();
        let here = |(seat, chair): (Seat, &Chair)| is_person(chair) && table.here(seat);
        let over = *table.pending() == Pending::Over;
        let alone = self.there.is_empty() && (over || !seats(table.chairs()).any(here));
        self.alone_since_ms = alone.then(|| self.alone_since_ms.unwrap_or_else(now_ms));
        // The lobby knows what the players do.
        let seen = Seen { over, ..self.seen(Viewer::Watcher) };
        if seen == self.shown {
            return;
        }
        self.shown = seen.clone();
        self.seen.send_replace(seen);
        self.hall.lobby_changed();
        for (viewer, line) in &self.there {
            line.write(self.about_table(*viewer));
        }
        self.spoke = true;
    }

    pub(super) fn about_table(&self, viewer: Viewer) -> Tell {
        let you = match viewer {
            Viewer::Seat(seat) => Some(seat.index() as u8),
            Viewer::Watcher => None,
        };
        Tell::Table { listed: self.listed(viewer), you }
    }

    pub(super) fn listed(&self, viewer: Viewer) -> Listed {
        let seen = self.seen(viewer);
        let header = self.table().header();
        self.hall.listed(&self.name, &self.game, &header.config, self.about.access, &seen)
    }

    pub(super) fn look(&self, seat: Option<Seat>) -> Looked {
        let viewer = seat.map_or(Viewer::Watcher, Viewer::Seat);
        let name = |chair: &Chair| match chair {
            Chair::Taken(Who::Account(number)) => {
                Some(self.hall.accounts.name(*number).to_string())
            }
            Chair::Taken(Who::Bot(_)) | Chair::Open | Chair::Reserved(_) => None,
        };
        let table = self.table();
        let behind = viewer == Viewer::Watcher && self.delay_ms() > 0;
        Looked {
            seat,
            listed: self.listed(viewer),
            update: table.current(viewer).map(|update| self.told(update, true)),
            doc: table.doc(),
            names: table.chairs().iter().map(name).collect(),
            proof: parlor_rules::json(&table.proof(viewer).filter(|_| !behind)),
            behind,
            dice: table.header().dice.to_string(),
            root: table.chance().next_root().map(|root| root.to_string()),
        }
    }

    /// Tells everyone; watchers who are behind when it is time for them.
    pub(super) fn tell_all(&mut self, tell: Tell) {
        let said = Frame::new(tell);
        let behind = self.delay_ms() > 0;
        for (viewer, line) in &self.there {
            if *viewer != Viewer::Watcher || !behind {
                line.pass(&said);
            }
        }
        self.spoke = true;
        if behind && self.late.len() < LATE {
            self.late.push_back((now_ms().saturating_add(self.delay_ms()), said));
        }
    }

    /// How far watchers are behind.
    pub(super) fn delay_ms(&self) -> u64 {
        self.table().header().options.watch_delay_ms
    }

    /// When watchers have seen all there was until now.
    pub(super) fn seen_by_watchers_ms(&self) -> u64 {
        self.table().at_ms().saturating_add(self.delay_ms())
    }

    /// Whether the game is over, for these eyes.
    pub(super) fn is_over(&self, viewer: Viewer) -> bool {
        let over = *self.table().pending() == Pending::Over;
        let behind = viewer == Viewer::Watcher;
        over && (!behind || self.seen_by_watchers_ms() <= now_ms())
    }

    /// Shows a connection how things stand: what it has missed, or the whole.
    pub(super) fn greet(&self, viewer: Viewer, line: &Line, seen: Option<(u32, u64)>) {
        let Some(mut current) = self.table().current(viewer) else { return };
        if let Some((_, seq)) = seen.filter(|(epoch, _)| *epoch == current.epoch) {
            if seq == current.seq {
                return;
            }
            let seq = seq.min(current.seq);
            let kept = self.kept.iter().filter(|(other, _)| *other == viewer);
            current.sights = kept.flat_map(|(_, kept)| kept.after(seq)).collect();
        }
        line.write(self.told(current, true));
    }

    /// What an audience has seen so far is nobody's any more.
    pub(super) fn forget_kept(&mut self, audience: Viewer) {
        self.kept.retain(|(viewer, _)| *viewer != audience);
    }

    /// An update as it is told: with all there is to see, or only with what has happened.
    pub(super) fn told(&self, update: Update, whole: bool) -> Tell {
        let whole = whole || update.sights.is_empty();
        let clock = |reading: &parlor_table::time::Reading| Clock {
            seat: reading.seat.index() as u8,
            reserve_ms: reading.reserve_ms,
            until_ms: reading.until_ms,
        };
        Tell::Update {
            table: self.name.shared(),
            epoch: update.epoch,
            seq: update.seq,
            sights: update.sights,
            view: whole.then(|| update.view.json().clone()),
            legal: update.legal,
            ask: update.ask,
            clocks: update.clocks.iter().map(clock).collect(),
            until_ms: update.until_ms,
            paused: update.paused,
            root: self.table().chance().next_root().map(|root| root.to_string()),
            now_ms: now_ms(),
        }
    }

    pub(super) fn tell(&mut self, update: Update) {
        let (audience, seq) = (update.audience, update.seq);
        let looks = |(viewer, _): &(Viewer, Line)| *viewer == audience;
        if let Viewer::Seat(seat) = audience {
            self.ask_bot(seat, &update);
            if !self.table().chairs().get(seat.index()).is_some_and(is_person) {
                return;
            }
        } else if !self.there.iter().any(looks) {
            // Who comes to watch is shown how it stands.
            self.forget_kept(audience);
            return;
        }
        if !self.kept.iter().any(|(viewer, _)| *viewer == audience) {
            self.kept.push((audience, Kept::from(seq)));
        }
        let own = self.kept.iter_mut().filter(|(viewer, _)| *viewer == audience);
        own.for_each(|(_, kept)| kept.push(seq, &update.sights));
        let lines = || self.there.iter().filter(|there| looks(there)).map(|(_, line)| line);
        let mut few = lines();
        match (few.next(), few.next()) {
            (None, _) => {}
            (Some(line), None) => line.write(self.told(update, line.views())),
            _ => {
                for whole in [true, false] {
                    let mut lines = lines().filter(|line| line.views() == whole).peekable();
                    if lines.peek().is_some() {
                        let told = Frame::new(self.told(update.clone(), whole));
                        lines.for_each(|line| line.pass(&told));
                    }
                }
            }
        }
        self.spoke = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_told_whole_or_not_at_all() {
        let sight = |seq: u64, n: u64| {
            let length = [0, 7, 40, 333, KEPT - 20, KEPT + 1][(seq * 5 + n * 3) as usize % 6];
            parlor_rules::json(&format!("{seq} {n} {}", "ü".repeat(length / 2)))
        };
        let sights = |seq: u64| (0..seq % 4).map(|n| sight(seq, n)).collect::<Vec<Json>>();
        let text = |sight: &Json| sight.get().to_owned();
        let mut kept = Kept::from(1);
        for now in 1..500 {
            kept.push(now, &sights(now));
            assert!(kept.sights.len() <= KEPT);
            for seen in now.saturating_sub(60)..=now {
                let all: Vec<String> =
                    (seen + 1..=now).flat_map(sights).map(|sight| text(&sight)).collect();
                let told: Vec<String> = kept.after(seen).iter().map(text).collect();
                let bytes: usize = all.iter().map(|text| Mark::BYTES + text.len()).sum();
                if bytes <= KEPT {
                    assert_eq!(told, all, "after {seen}, at {now}");
                } else {
                    assert!(told.is_empty(), "after {seen}, at {now}");
                }
            }
        }
    }
}
