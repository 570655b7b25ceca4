//! Who is connected.

use crate::ConnectionId;
use crate::outbox::Outbox;
use parlor_wire::Tell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A connection that has signed in.
struct SignedIn {
    account: u64,
    token: String,
    outbox: Outbox,
}

/// All connections that have signed in.
#[derive(Default)]
pub struct ConnectionRegistry {
    next: AtomicU64,
    signed_in: Mutex<HashMap<ConnectionId, SignedIn>>,
}

impl ConnectionRegistry {
    /// The id of a new connection.
    pub fn next_id(&self) -> ConnectionId {
        ConnectionId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<ConnectionId, SignedIn>> {
        self.signed_in.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection has signed in with this token.
    pub fn add(&self, account: u64, token: &str, outbox: &Outbox) {
        let own = SignedIn { account, token: token.to_owned(), outbox: outbox.clone() };
        self.all().insert(outbox.connection(), own);
    }

    /// A connection is over, or has signed out.
    pub fn remove(&self, connection: ConnectionId) {
        self.all().remove(&connection);
    }

    /// The outbox of a connection that has signed in.
    pub fn outbox(&self, connection: ConnectionId) -> Option<Outbox> {
        self.all().get(&connection).map(|own| own.outbox.clone())
    }

    /// Ends the connections of an account.
    pub fn revoke_account(&self, account: u64) {
        self.revoke(|own| own.account == account);
    }

    /// Ends the connections that signed in with a token, but for one.
    pub fn revoke_token(&self, token: &str, but: Option<ConnectionId>) {
        self.revoke(|own| own.token == token && Some(own.outbox.connection()) != but);
    }

    fn revoke(&self, whose: impl Fn(&SignedIn) -> bool) {
        for own in self.all().values().filter(|own| whose(own)) {
            let (code, text) = ("revoked", "this token is worth nothing any more");
            own.outbox.tell(Tell::Bye { code: code.to_owned(), text: text.to_owned() });
            own.outbox.cut();
        }
    }
}
