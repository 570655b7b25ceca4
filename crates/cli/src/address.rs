//! The addresses of servers.

/// Where a server's socket is, and its host; with or without a scheme, and with or without the path.
pub(crate) fn socket_of(server: &str) -> (String, String) {
    let (scheme, rest) = server.split_once("://").unwrap_or(("ws", server));
    let scheme = if matches!(scheme, "https" | "wss") { "wss" } else { "ws" };
    let host = rest.trim_end_matches('/').trim_end_matches("/ws");
    (format!("{scheme}://{host}/ws"), host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_by_every_form_of_its_address() {
        for (server, socket) in [
            ("127.0.0.1:7766", "ws://127.0.0.1:7766/ws"),
            ("http://127.0.0.1:7766/", "ws://127.0.0.1:7766/ws"),
            ("ws://127.0.0.1:7766", "ws://127.0.0.1:7766/ws"),
            ("ws://127.0.0.1:7766/ws", "ws://127.0.0.1:7766/ws"),
            ("https://example.org/games", "wss://example.org/games/ws"),
        ] {
            assert_eq!(socket_of(server).0, socket);
        }
    }
}
