//! Where the search page listens, and under which names: options that several commands share.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

use clap::Args;

/// Where and under which names.
#[derive(Debug, Args)]
pub struct ListenArgs {
    /// Where the search page listens: an IP address or localhost, and a port; port 0 picks a free one
    #[arg(long, value_name = "A", default_value = "127.0.0.1:8080", value_parser = parse_listen_addr)]
    pub addr: SocketAddr,
    /// A name by which the search page is reached, beside its address and localhost; may be repeated
    ///
    /// Requests for other names are refused, so that no page on the web can read a private collection by giving its own
    /// name the address of this machine.
    #[arg(long, value_name = "NAME")]
    pub host_name: Vec<String>,
}

/// Reads an address and a port; a name if it means this machine alone.
fn parse_listen_addr(text: &str) -> Result<SocketAddr, String> {
    if let Ok(addr) = text.parse() {
        return Ok(addr);
    }
    let named = text.rsplit_once(':').and_then(|(name, port)| Some((name, port.parse::<u16>().ok()?)));
    let Some((name, port)) = named.filter(|(name, _)| !name.is_empty()) else {
        return Err("an address and a port are needed, for example 127.0.0.1:8080 or localhost:8080".into());
    };
    let found: Vec<SocketAddr> = (name, port).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    let loopback = found.iter().filter(|addr| addr.ip().is_loopback());
    match loopback.min_by_key(|addr| addr.is_ipv6()) {
        Some(addr) => Ok(*addr),
        None if name.eq_ignore_ascii_case("localhost") => {
            Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
        }
        None if found.is_empty() => Err(format!("`{name}` has no address: give an IP address, or localhost")),
        None => Err(format!(
            "`{name}` is not this machine alone ({}): give the IP address to listen on, and --host-name {name}",
            found[0].ip()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_localhost_are_places_to_listen() {
        for text in ["127.0.0.1:8080", "0.0.0.0:80", "[::1]:0"] {
            assert_eq!(parse_listen_addr(text).unwrap().to_string(), text);
        }
        for text in ["localhost:8399", "LOCALHOST:8399"] {
            let addr = parse_listen_addr(text).unwrap();
            assert!(addr.ip().is_loopback() && addr.port() == 8399, "{addr}");
        }
        for text in ["", "8080", ":8080", "localhost", "localhost:", "localhost:99999", "127.0.0.1"] {
            assert!(parse_listen_addr(text).unwrap_err().contains("localhost:8080"), "{text}");
        }
    }
}
