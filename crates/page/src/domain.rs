//! Who owns a host?

/// What its owner has registered: `example.co.uk` for `www.example.co.uk`. A number has no other domain than itself.
pub fn registrable_domain(host: &str) -> &str {
    let is_name = !host.starts_with('[') && host.parse::<std::net::Ipv4Addr>().is_err();
    if is_name { psl::domain_str(host).unwrap_or(host) } else { host }
}
