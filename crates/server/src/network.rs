//! Where a client is: its network and the page it comes from.

use crate::Settings;
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use parlor_rules::Refusal;
use std::net::{IpAddr, Ipv6Addr};

/// Refuses pages of other sites that are not allowed to connect. Programs other than browsers send no
/// origin.
pub(crate) fn check_origin(settings: &Settings, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let text = origin.to_str().unwrap_or_default();
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let own = text.split_once("://").is_some_and(|(_, site)| Some(site) == host);
    if own || settings.origins.iter().any(|allowed| allowed == text) {
        return Ok(());
    }
    Err(Refusal::new("foreign_origin", "pages of this site may not connect"))
}

/// The network of a client: that of the connection, or what a known proxy says it is.
///
/// This walk is our own: the crates for it believe one header as it comes, or know no list of proxies.
pub(crate) fn client_network(settings: &Settings, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut address = peer;
    let told = headers.get_all("x-forwarded-for").iter();
    let told = told.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(','));
    let told: Vec<Option<IpAddr>> = told.map(|text| text.trim().parse().ok()).collect();
    for told in told.into_iter().rev() {
        // Every proxy appends: what stands before the first unknown address may be made up.
        let (true, Some(told)) = (settings.proxies.contains(&address), told) else { break };
        address = told;
    }
    network(address)
}

/// The network an address is counted as: a customer has 2⁶⁴ addresses of IPv6.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(long) => Ipv6Addr::from_bits(long.to_bits() >> 64 << 64).into(),
        short => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn only_the_own_page_and_those_allowed_may_connect() {
        let settings =
            Settings { origins: vec!["https://club.org".to_owned()], ..Settings::default() };
        let check = |pairs: &[_]| check_origin(&settings, &headers(pairs)).is_ok();
        assert!(check(&[]), "a program");
        assert!(check(&[("host", "a.org:80"), ("origin", "http://a.org:80")]));
        assert!(check(&[("host", "a.org"), ("origin", "https://club.org")]));
        assert!(!check(&[("host", "a.org"), ("origin", "https://evil.org")]));
        assert!(!check(&[("host", "a.org"), ("origin", "https://a.org.evil.org")]));
        assert!(!check(&[("host", "a.org"), ("origin", "null")]));
    }

    #[test]
    fn an_address_is_believed_only_from_a_known_proxy() {
        let ip = |text: &str| text.parse::<IpAddr>().expect("an address");
        let settings = Settings { proxies: vec![ip("10.0.0.1")], ..Settings::default() };
        let told = headers(&[("x-forwarded-for", "6.6.6.6, 9.9.9.9")]);
        assert_eq!(
            client_network(&settings, ip("10.0.0.1"), &told),
            ip("9.9.9.9"),
            "6.6.6.6 is made up"
        );
        assert_eq!(
            client_network(&settings, ip("1.2.3.4"), &told),
            ip("1.2.3.4"),
            "no proxy of ours"
        );
        let chain = headers(&[("x-forwarded-for", "9.9.9.9"), ("x-forwarded-for", "10.0.0.1")]);
        assert_eq!(client_network(&settings, ip("10.0.0.1"), &chain), ip("9.9.9.9"));
        let long = headers(&[("x-forwarded-for", "2001:db8::1:2:3:4")]);
        assert_eq!(
            client_network(&settings, ip("10.0.0.1"), &long),
            ip("2001:db8::"),
            "a whole house"
        );
        let mapped = headers(&[("x-forwarded-for", "::ffff:9.9.9.9")]);
        assert_eq!(client_network(&settings, ip("10.0.0.1"), &mapped), ip("9.9.9.9"));
        let rubbish = headers(&[("x-forwarded-for", "somebody")]);
        assert_eq!(client_network(&settings, ip("10.0.0.1"), &rubbish), ip("10.0.0.1"));
    }
}
