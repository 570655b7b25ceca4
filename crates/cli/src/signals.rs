//! What tells a program to stop.

/// Ends with the first signal to stop: Ctrl-C, that of a system that wants it gone, or that of a
/// terminal that is closed.
#[cfg(unix)]
pub(crate) async fn stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let hangup = (!outlives_its_terminal()).then(SignalKind::hangup);
    let kinds = [SignalKind::interrupt(), SignalKind::terminate()].into_iter().chain(hangup);
    let mut signals: Vec<_> = kinds.filter_map(|kind| signal(kind).ok()).collect();
    std::future::poll_fn(|cx| match signals.iter_mut().any(|s| s.poll_recv(cx).is_ready()) {
        true => std::task::Poll::Ready(()),
        false => std::task::Poll::Pending,
    })
    .await;
}

/// Ends with Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn stop() {
    drop(tokio::signal::ctrl_c().await);
}

/// Whether it was started not to hear of its terminal's end, as by `nohup`. Where that cannot be
/// known, the system does as it was told.
#[cfg(unix)]
fn outlives_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is the first signal.
    ignored.is_none_or(|mask| mask & 1 == 1)
}
