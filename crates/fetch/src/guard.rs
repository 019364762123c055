//! Which addresses a crawl may reach: the public ones, and what the user allows.
//!
//! A page, a redirect or a name server can name any address, so the check sits behind all of them: on the address
//! that is about to be dialled. Denied is everything in the IANA special-purpose registries (private, loopback,
//! link-local with the metadata services of clouds, shared, documentation, benchmarking…), multicast, and every IPv6
//! address outside the global unicast block. An IPv6 address that stands for an IPv4 address is judged as that one.
//! Of those, only the mapped (`::ffff:0:0/96`) and the NAT64 (`64:ff9b::/96`) forms can be public; 6to4, Teredo and
//! IPv4-compatible addresses are history and denied as a whole.
//!
//! Cost: a walk over some thirty prefixes, once per name and connection.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Decides whether an address may be connected to.
#[derive(Debug, Clone, Default)]
pub struct AddressGuard {
    allowed: Vec<Cidr>,
}

impl AddressGuard {
    /// Permits the public addresses and everything in `allowed`.
    pub fn new(allowed: Vec<Cidr>) -> Self {
        Self { allowed }
    }

    /// May we connect to it?
    pub fn permits(&self, address: IpAddr) -> bool {
        self.is_allowed_by_user(address) || is_public(unmapped(address))
    }

    /// Did the user allow it, whether or not it is public?
    pub(crate) fn is_allowed_by_user(&self, address: IpAddr) -> bool {
        let address = unmapped(address);
        self.allowed.iter().any(|range| range.contains(address))
    }

    pub(crate) fn allows_nothing(&self) -> bool {
        self.allowed.is_empty()
    }
}

/// A range of addresses such as `127.0.0.0/8`, `::1` or `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    first: IpAddr,
    prefix_bits: u8,
}

impl Cidr {
    /// Is the address in the range? The two families do not meet, except that IPv4-mapped addresses are IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, unmapped(address)) {
            (IpAddr::V4(first), IpAddr::V4(address)) => same_prefix_v4(first, address, self.prefix_bits),
            (IpAddr::V6(first), IpAddr::V6(address)) => same_prefix_v6(first, address, self.prefix_bits),
            _ => false,
        }
    }
}

/// Why a string is not a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an address range: write for example 127.0.0.0/8, 10.1.2.3 or fd00::/8")]
pub struct ParseCidrError(String);

impl FromStr for Cidr {
    type Err = ParseCidrError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseCidrError(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| error())?;
        let bits: u8 = if address.is_ipv4() { 32 } else { 128 };
        let prefix_bits = match prefix {
            Some(digits) => digits.trim().parse().ok().filter(|given| *given <= bits).ok_or_else(error)?,
            None => bits,
        };
        // A range of mapped addresses is a range of IPv4 addresses, which is how addresses are compared.
        match (address, unmapped(address)) {
            (IpAddr::V6(_), first @ IpAddr::V4(_)) if prefix_bits >= 96 => {
                Ok(Self { first, prefix_bits: prefix_bits - 96 })
            }
            (first, _) => Ok(Self { first, prefix_bits }),
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix_bits)
    }
}

fn unmapped(address: IpAddr) -> IpAddr {
    address.to_canonical()
}

fn same_prefix_v4(one: Ipv4Addr, other: Ipv4Addr, prefix_bits: u8) -> bool {
    let mask = u32::MAX.checked_shl(32 - u32::from(prefix_bits)).unwrap_or(0);
    (one.to_bits() ^ other.to_bits()) & mask == 0
}

fn same_prefix_v6(one: Ipv6Addr, other: Ipv6Addr, prefix_bits: u8) -> bool {
    let mask = u128::MAX.checked_shl(128 - u32::from(prefix_bits)).unwrap_or(0);
    (one.to_bits() ^ other.to_bits()) & mask == 0
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match nat64_target(address) {
            Some(target) => is_public_v4(target),
            None => {
                same_prefix_v6(GLOBAL_UNICAST.0, address, GLOBAL_UNICAST.1)
                    && !SPECIAL_V6.iter().any(|(first, bits, _)| same_prefix_v6(*first, address, *bits))
            }
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|(first, bits, _)| same_prefix_v4(*first, address, *bits))
}

/// The IPv4 address behind the well-known translation prefix: how an IPv6-only network reaches the IPv4 web.
fn nat64_target(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let prefix = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);
    same_prefix_v6(prefix, address, 96).then(|| Ipv4Addr::from_bits(address.to_bits() as u32))
}

const GLOBAL_UNICAST: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// The IANA IPv4 special-purpose registry, multicast and the reserved block. Also the few globally reachable entries:
/// they are relays and anycast services, not web servers.
const SPECIAL_V4: [(Ipv4Addr, u8, &str); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network (RFC 791)"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private (RFC 1918)"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by carriers, metadata of one cloud (RFC 6598)"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback (RFC 1122)"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local, metadata of most clouds (RFC 3927)"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private (RFC 1918)"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments (RFC 6890)"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation (RFC 5737)"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "AS112 (RFC 7535)"),
    (Ipv4Addr::new(192, 52, 193, 0), 24, "multicast tunnels (RFC 7450)"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relays (RFC 7526)"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private (RFC 1918)"),
    (Ipv4Addr::new(192, 175, 48, 0), 24, "AS112 (RFC 7534)"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking (RFC 2544)"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation (RFC 5737)"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation (RFC 5737)"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast (RFC 5771)"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved, and broadcast (RFC 1112)"),
];

/// The IANA IPv6 special-purpose registry within global unicast space; everything outside it is denied anyway.
const SPECIAL_V6: [(Ipv6Addr, u8, &str); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments, Teredo, ORCHID (RFC 2928)"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation (RFC 3849)"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4 (RFC 3056)"),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48, "AS112 (RFC 7534)"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation (RFC 9637)"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.215.14 100.63.255.255 100.128.0.0 126.255.255.255 \
        128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 \
        192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2a00:1450:4001:80b::200e \
        2001:200::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8";

    const SPECIAL: &str = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 \
        127.255.255.255 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.9 \
        192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.168.255.255 \
        192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 \
        240.0.0.1 255.255.255.255 :: ::1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:0:127.0.0.1 \
        ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0 64:ff9b::127.0.0.1 \
        64:ff9b::169.254.169.254 64:ff9b::10.0.0.1 64:ff9b:1::1 64:ff9b:1::8.8.8.8 100::1 100:0:0:1::1 \
        2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:2::1 2001:4:112::1 2001:10::1 \
        2001:20::1 2001:30::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 2620:4f:8000::1 3fff::1 5f00::1 \
        fd00:ec2::254 fe80::1 ff02::1";

    fn permits(allowed: &[&str], address: &str) -> bool {
        let allowed = allowed.iter().map(|range| range.parse().unwrap()).collect();
        AddressGuard::new(allowed).permits(address.parse().unwrap())
    }

    #[test]
    fn public_addresses_pass_and_special_ones_do_not() {
        for address in PUBLIC.split_whitespace() {
            assert!(permits(&[], address), "{address} is public");
        }
        for address in SPECIAL.split_whitespace() {
            assert!(!permits(&[], address), "{address} is special");
        }
        for address in ["fc00::1", "fec0::1", "4000::1", "e000::1"] {
            assert!(!permits(&[], address), "{address} is not global unicast");
        }
    }

    #[test]
    fn what_the_user_allows_passes_and_nothing_beside_it() {
        let cases: &[(&[&str], &str, bool)] = &[
            (&["127.0.0.0/8"], "127.3.2.1", true),
            (&["127.0.0.0/8"], "::ffff:127.3.2.1", true),
            (&["127.0.0.0/8"], "::1", false),
            (&["127.0.0.0/8"], "64:ff9b::127.0.0.1", false),
            (&["127.0.0.0/8"], "10.0.0.1", false),
            (&["127.0.0.0/8"], "8.8.8.8", true),
            (&["::ffff:127.0.0.0/104"], "127.3.2.1", true),
            (&["::ffff:127.0.0.0/104"], "128.0.0.1", true),
            (&["::ffff:127.0.0.0/104"], "10.0.0.1", false),
            (&["10.1.2.3"], "10.1.2.3", true),
            (&["10.1.2.3"], "10.1.2.4", false),
            (&["10.1.2.3/24"], "10.1.2.4", true),
            (&["10.1.2.3/24"], "10.1.3.3", false),
            (&["::1", "fd00::/8"], "::1", true),
            (&["::1", "fd00::/8"], "fdff::1", true),
            (&["::1", "fd00::/8"], "fe80::1", false),
            (&["0.0.0.0/0"], "169.254.169.254", true),
            (&["0.0.0.0/0"], "::1", false),
            (&["::/0"], "::1", true),
            (&["::/0"], "10.0.0.1", false),
        ];
        for (allowed, address, expected) in cases {
            assert_eq!(permits(allowed, address), *expected, "{address} with {allowed:?}");
        }
    }

    #[test]
    fn ranges_are_read_and_written() {
        let cases = [
            ("127.0.0.0/8", "127.0.0.0/8"),
            ("10.1.2.3", "10.1.2.3/32"),
            ("::1", "::1/128"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ];
        for (text, expected) in cases {
            let written = text.parse::<Cidr>().map(|range| range.to_string()).unwrap_or_default();
            assert_eq!(written, expected, "{text}");
        }
        for text in ["", "localhost", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0/8", "10.0.0.0/-1", "/8"]
        {
            assert!(text.parse::<Cidr>().is_err(), "{text:?} should be refused");
        }
    }
}
