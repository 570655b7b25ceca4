//! What the house counts about itself, for Prometheus. Nothing in it says who plays what.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Game {
    game: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Code {
    code: &'static str,
}

/// What is counted.
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) connections: Gauge,
    pub(crate) tables: Gauge,
    pub(crate) waiting: Gauge,
    pub(crate) messages: Counter,
    pub(crate) passwords: Counter,
    entries: Family<Game, Counter>,
    refusals: Family<Code, Counter>,
    commit: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("parlor");
        let commit = Histogram::new(exponential_buckets(0.000_1, 2.0, 16));
        let metrics = Self {
            connections: Gauge::default(),
            tables: Gauge::default(),
            waiting: Gauge::default(),
            messages: Counter::default(),
            passwords: Counter::default(),
            entries: Family::default(),
            refusals: Family::default(),
            commit,
            registry: Registry::default(),
        };
        registry.register("connections", "Open connections", metrics.connections.clone());
        registry.register("tables", "Tables at hand", metrics.tables.clone());
        registry.register("waiting", "People in queues", metrics.waiting.clone());
        registry.register("messages", "Messages of clients", metrics.messages.clone());
        registry.register("passwords", "Passwords compared", metrics.passwords.clone());
        registry.register("entries", "Entries stored, by game", metrics.entries.clone());
        registry.register("refusals", "Refusals, by code", metrics.refusals.clone());
        registry.register(
            "commit_seconds",
            "From the decision of an entry until it is durable",
            metrics.commit.clone(),
        );
        Self { registry, ..metrics }
    }
}

impl Metrics {
    /// An entry of a game is durable.
    pub(crate) fn stored(&self, game: &str, within: Duration) {
        self.entries.get_or_create_owned(&Game { game: game.to_owned() }).inc();
        self.commit.observe(within.as_secs_f64());
    }

    /// Something was refused.
    pub(crate) fn refused(&self, code: &'static str) {
        self.refusals.get_or_create(&Code { code }).inc();
    }

    /// As Prometheus reads it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
