//! One connection to a server. A line that dies says nothing: who hears nothing for long takes it for
//! lost.

use futures_util::{SinkExt as _, StreamExt as _};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// How long a server may take to pick up, and to welcome who calls.
const CALL: Duration = Duration::from_secs(10);

pub(super) struct Line {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// How long it may be silent.
    patience: Duration,
    /// When anything last came, if only a ping.
    heard: Instant,
}

fn silent(patience: Duration) -> String {
    format!("nothing was heard for {} s", patience.as_secs())
}

impl Line {
    /// Calls a server, which is to answer soon; if it does not, says why.
    pub(super) async fn call(url: &str, patience: Duration) -> Result<Self, String> {
        let patience = patience.min(CALL);
        // What is said is not kept back until more is.
        let called = timeout(patience, connect_async_with_config(url, None, true)).await;
        let (socket, _) =
            called.map_err(|_| silent(patience))?.map_err(|error| error.to_string())?;
        Ok(Self { socket, patience, heard: Instant::now() })
    }

    /// Somebody is there, and may be silent so long from now on.
    pub(super) fn is_up(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The next message, or why there will be none.
    pub(super) async fn next(&mut self) -> Result<Utf8Bytes, String> {
        loop {
            let next = timeout_at(self.heard + self.patience, self.socket.next()).await;
            let frame = next.map_err(|_| silent(self.patience))?;
            self.heard = Instant::now();
            match frame {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(_))) | None => {
                    return Err("the server has hung up".to_owned());
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.to_string()),
            }
        }
    }

    /// Says something, or why it could not.
    pub(super) async fn says(&mut self, text: String) -> Result<(), String> {
        let said = self.socket.send(Message::text(text));
        let said = timeout_at(self.heard + self.patience, said).await;
        said.map_err(|_| silent(self.patience))?.map_err(|error| error.to_string())
    }

    /// Hangs up. Who is gone already need not be told.
    pub(super) async fn ends(mut self) {
        let _ = self.socket.close(None).await;
    }
}
