//! What a server allows, and how long it waits.

use parlor_host::Limit;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What a server allows. Counts are of what is there at one time.
///
/// Every field has a default, so that a configuration names only what differs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Pages of other sites that may connect, as `https://example.org`; the server's own page may.
    pub origins: Vec<String>,
    /// Proxies that tell the address of a client in `x-forwarded-for`.
    pub proxies: Vec<IpAddr>,
    /// WebSockets from one address.
    pub connections_per_address: Limit,
    /// WebSockets of one account.
    pub connections_per_account: Limit,
    /// WebSockets in all, and HTTP connections in all.
    pub connections: Limit,
    /// HTTP connections from one address.
    pub asking_per_address: Limit,
    /// How long a request may take to come in, and how long a connection may wait with its next.
    pub ask_ms: u64,
    /// Files, logs, proofs and replays that are sent to one address at one time; others wait.
    pub downloads_per_address: Limit,
    /// Tables that one connection watches.
    pub tables_per_connection: Limit,
    /// How long a connection may be silent; it is pinged three times meanwhile.
    pub idle_ms: u64,
    /// New accounts from one address, a minute.
    pub accounts_per_minute: Limit,
    /// Messages of one connection, a second, and of one account on all its connections.
    pub messages_per_second: Limit,
    /// HTTP requests from one address, a second.
    pub requests_per_second: Limit,
    /// Attempts to sign in with a password from one address, a minute.
    pub logins_per_minute: Limit,
    /// What is allowed at tables.
    pub tables: parlor_host::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            proxies: Vec::new(),
            connections_per_address: Limit::at(64),
            connections_per_account: Limit::at(16),
            connections: Limit::at(20_000),
            asking_per_address: Limit::at(256),
            ask_ms: 10_000,
            downloads_per_address: Limit::at(4),
            tables_per_connection: Limit::at(64),
            idle_ms: 75_000,
            accounts_per_minute: Limit::at(20),
            messages_per_second: Limit::at(30),
            requests_per_second: Limit::at(50),
            logins_per_minute: Limit::at(10),
            tables: parlor_host::Settings::default(),
        }
    }
}

impl Settings {
    /// Nothing is limited: for measuring, and for a machine of one's own.
    pub fn without_limits() -> Self {
        Self {
            connections_per_address: Limit::NONE,
            connections_per_account: Limit::NONE,
            connections: Limit::NONE,
            asking_per_address: Limit::NONE,
            downloads_per_address: Limit::NONE,
            tables_per_connection: Limit::NONE,
            accounts_per_minute: Limit::NONE,
            messages_per_second: Limit::NONE,
            requests_per_second: Limit::NONE,
            logins_per_minute: Limit::NONE,
            tables: parlor_host::Settings::without_limits(),
            ..Self::default()
        }
    }
}
