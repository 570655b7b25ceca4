//! One WebSocket whose client speaks a dialect: a translator stands between it and its session.
//!
//! A translator answers both sides in turn, so reading and writing are one loop here.

use super::{FAREWELL, Incoming, Lost, in_time, incoming, stopping, unreadable};
use crate::app::AppState;
use crate::session::Session;
use axum::extract::ws::{Message, WebSocket};
use parlor_host::{ConnectionId, Outbox, Outgoing};
use parlor_wire::dialect::{Socket, Translator, Turn};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until, timeout};

struct Translated {
    socket: WebSocket,
    session: Session,
    translator: Box<dyn Translator>,
}

/// Serves a client of a dialect until it ends.
pub(super) async fn serve(
    app: Arc<AppState>,
    socket: WebSocket,
    id: ConnectionId,
    address: IpAddr,
    dialect: &'static Socket,
) {
    let idle = Duration::from_millis(app.settings.idle_ms);
    // No other connection has had this name: ids of one account are never used twice.
    let translator = (dialect.open)(&format!("{}-{}", app.epoch, id.0));
    let (outbox, mut messages) = Outbox::new(id, &app.stop);
    let session = Session::new(app, address, Some(outbox.clone()), Some(dialect.game));
    let mut own = Translated { socket, session, translator };
    let lost = own.run(&outbox, &mut messages, idle).await.is_err();
    own.session.ends();
    if !lost {
        // A client that does not read the last messages does without.
        let _ = timeout(FAREWELL, own.ends(messages)).await;
    }
}

impl Translated {
    async fn run(
        &mut self,
        outbox: &Outbox,
        messages: &mut UnboundedReceiver<Outgoing>,
        idle: Duration,
    ) -> Result<(), Lost> {
        let mut silent_at = Instant::now() + idle;
        let mut ping_at = Instant::now() + idle / 3;
        loop {
            let turns = tokio::select! {
                biased;
                () = outbox.read_end_token().cancelled() => {
                    if self.session.is_stopping() {
                        outbox.tell(stopping());
                    }
                    return Ok(());
                }
                message = self.socket.recv() => {
                    silent_at = Instant::now() + idle;
                    match (incoming(message), self.session.in_rate()) {
                        (Incoming::Closed, _) => return Ok(()),
                        (Incoming::Unreadable, _) => {
                            outbox.tell(unreadable());
                            return Ok(());
                        }
                        (Incoming::Nothing, _) => continue,
                        (Incoming::Text(text), Ok(())) => self.translator.hear(&text),
                        (Incoming::Text(_), Err(refusal))
                        | (Incoming::Refused(_), Err(refusal))
                        | (Incoming::Refused(refusal), Ok(())) => {
                            self.translator.told(&self.session.refuse(None, refusal))
                        }
                    }
                }
                Some(Outgoing::Message(message, _)) = messages.recv() => {
                    self.translator.told(message.tell())
                }
                () = sleep_until(silent_at.min(ping_at)) => {
                    if Instant::now() >= silent_at {
                        return Ok(());
                    }
                    ping_at = Instant::now() + idle / 3;
                    self.send(Message::Ping(Default::default())).await?;
                    continue;
                }
            };
            self.take(turns).await?;
        }
    }

    /// Does what the translator wants. What it says is answered to it.
    async fn take(&mut self, turns: Vec<Turn>) -> Result<(), Lost> {
        let mut turns = VecDeque::from(turns);
        while let Some(turn) = turns.pop_front() {
            match turn {
                Turn::Say(request) => {
                    let answer = self.session.answer(request).await;
                    turns.extend(self.translator.told(&answer));
                    self.session.after_answer().await;
                }
                Turn::Send(json) => self.send(Message::text(json.get())).await?,
            }
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), Lost> {
        in_time(self.socket.send(message)).await
    }

    /// Sends the last messages, and waits for the client's goodbye.
    async fn ends(mut self, mut messages: UnboundedReceiver<Outgoing>) {
        messages.close();
        while let Some(Outgoing::Message(message, _)) = messages.recv().await {
            // What the translator still says is answered by nobody.
            for turn in self.translator.told(message.tell()) {
                if let Turn::Send(json) = turn
                    && self.send(Message::text(json.get())).await.is_err()
                {
                    return;
                }
            }
        }
        let _ = self.socket.send(Message::Close(None)).await;
        while let Some(Ok(_)) = self.socket.recv().await {}
    }
}
