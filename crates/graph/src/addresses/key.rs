//! Addresses written so that their order is the order of nodes: by host from its end, then by path.
//!
//! ```text
//! https://www.example.org/a?b        org.example.www/a?b
//! http://www.example.org/a           org.example.www/:http/a
//! https://example.org:8443/          org.example/::8443/   …   the scheme is left out when it is https
//! https://example.org/:a             org.example/;:a
//! https://[::1]/                     [::1]/
//! ```
//!
//! All pages of a host stand together, and so do all hosts of a domain: this is where the locality comes from that makes
//! a graph compress (chapter 10 of the notes). Before the first slash stands the host, behind it the rest of the address;
//! where it starts with `:` it says scheme and port, and where it starts with `;` a letter that only shields the next.

use page::PageUrl;

/// The key of an address.
pub fn key_of(address: &PageUrl) -> String {
    let path = &address.path_and_query()[1..];
    let mut key = String::with_capacity(address.as_str().len());
    push_reversed(&mut key, address.host());
    key.push('/');
    let port = address.authority()[address.host().len()..].strip_prefix(':');
    match (address.is_https(), port) {
        (true, None) if path.starts_with([':', ';']) => key.push(';'),
        (true, None) => {}
        (true, Some(port)) => key.extend(["::", port, "/"]),
        (false, None) => key.push_str(":http/"),
        (false, Some(port)) => key.extend([":http:", port, "/"]),
    }
    key.push_str(path);
    key
}

/// The address of a key; nothing if no address has such a key.
pub fn address_of(key: &str) -> Option<String> {
    let (host, rest) = key.split_once('/')?;
    let host = reversed(host);
    if let Some(path) = rest.strip_prefix(';') {
        return Some(format!("https://{host}/{path}"));
    }
    let Some(marked) = rest.strip_prefix(':') else { return Some(format!("https://{host}/{rest}")) };
    let (mark, path) = marked.split_once('/')?;
    Some(match mark.split_once(':') {
        None => format!("{mark}://{host}/{path}"),
        Some(("", port)) => format!("https://{host}:{port}/{path}"),
        Some((scheme, port)) => format!("{scheme}://{host}:{port}/{path}"),
    })
}

/// The host of a key, as it stands there: reversed.
pub(crate) fn reversed_host(key: &[u8]) -> &[u8] {
    let end = key.iter().position(|byte| *byte == b'/').unwrap_or(key.len());
    &key[..end]
}

/// `www.example.org` and `org.example.www`, one from the other. An IPv6 address has no parts to turn around.
pub fn reversed(host: &str) -> String {
    let mut text = String::with_capacity(host.len());
    push_reversed(&mut text, host);
    text
}

fn push_reversed(text: &mut String, host: &str) {
    if host.starts_with('[') {
        return text.push_str(host);
    }
    for (place, part) in host.rsplit('.').enumerate() {
        if place > 0 {
            text.push('.');
        }
        text.push_str(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_lead_back_to_their_addresses() {
        for (address, key) in [
            ("https://www.example.org/a?b", "org.example.www/a?b"),
            ("https://example.org/", "org.example/"),
            ("http://example.org/a", "org.example/:http/a"),
            ("http://example.org:8080/a/b", "org.example/:http:8080/a/b"),
            ("https://example.org:8443/", "org.example/::8443/"),
            ("https://example.org/:http/a", "org.example/;:http/a"),
            ("https://example.org/;", "org.example/;;"),
            ("https://[::1]:8443/x", "[::1]/::8443/x"),
            ("http://127.0.0.1/", "1.0.0.127/:http/"),
        ] {
            let parsed = PageUrl::parse(address).unwrap();
            assert_eq!(parsed.as_str(), address);
            assert_eq!(key_of(&parsed), key);
            assert_eq!(address_of(key).as_deref(), Some(address));
        }
    }

    proptest! {
        #[test]
        fn every_address_comes_back(
            is_https in any::<bool>(), host in "[a-z]{1,5}(\\.[a-z]{2,4}){0,3}", port in prop::option::of(1u16..), path in "[:;/a-z0-9?=&.]{0,20}",
        ) {
            let scheme = if is_https { "https" } else { "http" };
            let port = port.map_or(String::new(), |port| format!(":{port}"));
            if let Ok(address) = PageUrl::parse(&format!("{scheme}://{host}{port}/{path}")) {
                let back = address_of(&key_of(&address));
                prop_assert_eq!(back.as_deref(), Some(address.as_str()));
            }
        }
    }
}
