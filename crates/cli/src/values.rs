//! Parsers of values on the command line. What they refuse, they refuse with what to write instead.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A whole number in a range. The type is that of the option: `Into<u64>` keeps a range of plain
/// literals from being one of `i32`, which clap would find out only when it runs.
pub(crate) fn number<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Clone + Into<u64>,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (first, last) = range.clone().into_inner();
        number.ok_or_else(|| {
            format!("{text} is not in {first}..={last}; a whole number in that range is needed")
        })
    }
}

/// An address to listen at.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "an IP address and a port are needed, as 127.0.0.1:7766; 0.0.0.0:7766 is every address of \
         this machine"
            .to_owned()
    })
}

/// An address to listen at that only this machine can reach.
pub(crate) fn loopback(text: &str) -> Result<SocketAddr, String> {
    let local = text.parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback());
    local.ok_or_else(|| {
        "an address of this machine alone is needed, with a port, as 127.0.0.1:7767".to_owned()
    })
}

/// The address of a machine.
pub(crate) fn ip(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "an IP address is needed, as 10.0.0.1".to_owned())
}

/// An origin as browsers send it.
pub(crate) fn origin(text: &str) -> Result<String, String> {
    let host = text.split_once("://").map(|(_, host)| host);
    match host.is_some_and(|host| !host.is_empty() && !host.contains('/')) {
        true => Ok(text.to_owned()),
        false => Err("an origin is needed, without a path, as https://example.org".to_owned()),
    }
}
