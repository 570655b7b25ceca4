//! The server that is measured.

use crate::address::socket_of;
use anyhow::Result;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A server under load.
pub(super) struct Server {
    /// The address as the user gave it.
    pub(super) address: String,
    /// The URL of its WebSocket.
    pub(super) url: String,
    /// Its process, if that runs on this machine.
    pid: Option<u32>,
    /// The process and the folder of a server that was started here.
    own: Option<(Child, PathBuf)>,
}

/// What a server has used since it was started.
#[derive(Clone, Copy)]
pub(super) struct Usage {
    /// CPU time in microseconds.
    pub(super) cpu_us: f64,
    /// Resident memory in KiB.
    pub(super) kib: f64,
}

impl Server {
    /// A server that runs at an address.
    pub(super) fn at(address: &str, pid: Option<u32>) -> Self {
        let (url, _) = socket_of(address);
        Self { address: address.to_owned(), url, pid, own: None }
    }

    /// Starts a server on a free port, with its journal in a folder of its own.
    pub(super) fn start() -> Result<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let address = format!("127.0.0.1:{port}");
        let folder =
            std::env::temp_dir().join(format!("parlor-load-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let child = Command::new(std::env::current_exe()?)
            .args(["serve", "--no-limits", "--listen", &address, "--journal"])
            .arg(folder.join("load.db"))
            .env("RUST_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server = Self::at(&address, Some(child.id()));
        server.own = Some((child, folder));
        Ok(server)
    }

    /// Whether it was started here, so that it may not answer yet.
    pub(super) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// What it has used so far; `None` if its process is not known.
    pub(super) fn usage(&self) -> Option<Usage> {
        let pid = self.pid?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain spaces; nothing behind it does. Ticks are hundredths of a second.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let rss = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib = rss.trim().trim_end_matches(" kB").parse::<f64>().ok()?;
        Some(Usage { cpu_us: ticks * 10_000.0, kib })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, folder)) = &mut self.own {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
            let _ = fs::remove_dir_all(folder);
        }
    }
}
