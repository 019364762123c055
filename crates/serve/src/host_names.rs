//! The names to which the server answers.
//!
//! A page somewhere on the web can have its own name answered with 127.0.0.1 or an address of the local network, and
//! then its scripts may read whatever is served there: to the browser it is the same site (DNS rebinding). But the
//! browser still sends that name in `Host`. So a request for a name that is not ours is refused. Addresses cannot be
//! rebound: the one that is listened on is accepted, loopback always is (a tunnel ends there), and if all addresses are
//! listened on, any is.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header;

/// Which names are ours.
#[derive(Debug, Clone)]
pub(crate) struct HostNames {
    address: IpAddr,
    names: Vec<String>,
}

impl HostNames {
    pub(crate) fn new(address: IpAddr, names: &[String]) -> Self {
        Self { address, names: names.iter().map(|name| normal(name)).collect() }
    }

    /// The name that a request is for, if it is not ours. A request without one, as no browser sends it, is for us.
    pub(crate) fn foreign_name(&self, request: &Request) -> Option<String> {
        let header = request.headers().get_all(header::HOST).iter();
        let named = header.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        // The form for proxies, `GET http://name/ HTTP/1.1`, goes before the header.
        let asked = request.uri().authority().map(|authority| authority.as_str().to_owned());
        named.chain(asked).find(|authority| !self.is_ours(authority))
    }

    fn is_ours(&self, authority: &str) -> bool {
        let host = normal(host_of(authority));
        let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
        match literal.parse::<IpAddr>() {
            Ok(address) => self.address.is_unspecified() || address == self.address || address.is_loopback(),
            Err(_) => host == "localhost" || self.names.contains(&host),
        }
    }
}

/// The authority without its port.
pub(crate) fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn normal(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    name.strip_suffix('.').map(str::to_owned).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_our_names_are_ours_and_nothing_else_is() {
        let names = ["Search.Example".to_owned()];
        // The address that is listened on, what `Host` says, and whether that is us.
        let rows = [
            ("127.0.0.1", "127.0.0.1:8080", true),
            ("127.0.0.1", "localhost", true),
            ("127.0.0.1", "LOCALHOST.:99", true),
            ("127.0.0.1", "[::1]:8080", true),
            ("127.0.0.1", "127.8.8.8", true),
            ("127.0.0.1", "search.example:8080", true),
            ("127.0.0.1", "search.example.", true),
            ("127.0.0.1", "evil.example", false),
            ("127.0.0.1", "evil.example:8080", false),
            ("127.0.0.1", "localhost.evil.example", false),
            ("127.0.0.1", "127.0.0.1.evil.example", false),
            ("127.0.0.1", "x.search.example", false),
            ("127.0.0.1", "192.168.1.5", false),
            ("127.0.0.1", "", false),
            ("127.0.0.1", ":8080", false),
            ("192.168.1.5", "192.168.1.5:80", true),
            ("192.168.1.5", "192.168.1.6:80", false),
            ("192.168.1.5", "127.0.0.1", true),
            ("0.0.0.0", "192.168.1.5", true),
            ("0.0.0.0", "evil.example", false),
            ("::", "[fe80::1]:80", true),
        ];
        for (address, authority, expected) in rows {
            let ours = HostNames::new(address.parse().unwrap(), &names);
            assert_eq!(ours.is_ours(authority), expected, "{authority:?} at {address}");
        }
    }
}
