//! The hosts: how large, called what, at which address, with which habits.
//!
//! Sizes follow Zipf's law, host 0 being the largest. Host h owns a contiguous range of page ids, so the host of a
//! page is a binary search, and this table is all that the web keeps in memory: some hundred bytes per host.

use std::collections::HashSet;
use std::net::Ipv4Addr;

use crate::LabConfig;
use crate::names;
use crate::rng::{Purpose, Rng};
use crate::robots::RobotsPlan;
use crate::words::TOPICS;

/// One host and its habits.
#[derive(Debug)]
pub(crate) struct Host {
    pub name: Box<str>,
    pub first_page: u32,
    pub page_count: u32,
    /// Index of its IP address.
    pub address: u32,
    /// Index into [`TOPICS`].
    pub topic: usize,
    pub robots: RobotsPlan,
    pub slow: bool,
    pub gzip: bool,
    pub chunked: bool,
    /// Its pages say in their markup what is navigation.
    pub marks_navigation: bool,
}

/// Makes all hosts of a web.
pub(crate) fn plan_hosts(config: &LabConfig) -> Vec<Host> {
    let sizes = zipf_sizes(config.pages, config.hosts, config.zipf_exponent);
    let mut taken = HashSet::new();
    let mut first_page = 0;
    let make = |(index, page_count): (usize, u32)| {
        let index = index as u32;
        let mut rng = Rng::keyed(config.seed, Purpose::Host, u64::from(index));
        let topic = rng.below(TOPICS.len() as u32) as usize;
        let host = Host {
            name: unique_name(config.seed, index, topic, &mut rng, &mut taken),
            first_page,
            page_count,
            address: index % address_count(config),
            topic,
            robots: RobotsPlan::new(config, index),
            slow: rng.chance(config.slow_host_rate),
            gzip: rng.chance(config.gzip_rate),
            chunked: rng.chance(config.chunked_rate),
            marks_navigation: !rng.chance(config.unmarked_navigation_rate),
        };
        first_page += page_count;
        host
    };
    sizes.into_iter().enumerate().map(make).collect()
}

/// How many IP addresses the hosts need.
pub(crate) fn address_count(config: &LabConfig) -> u32 {
    config.hosts.div_ceil(config.hosts_per_address)
}

/// The n-th IP address: from 127.20.0.1 upward, 250 to a network of 256 so that none ends in 0 or 255.
pub(crate) fn ip_address(index: u32) -> Ipv4Addr {
    let (network, host) = (index / 250, index % 250);
    Ipv4Addr::new(127, (20 + network / 250) as u8, (network % 250) as u8, 1 + host as u8)
}

/// The number of an IP address; none if [`ip_address`] does not give it.
pub(crate) fn address_index(ip: Ipv4Addr) -> Option<u32> {
    let [first, second, third, last] = ip.octets().map(u32::from);
    let network = second.checked_sub(20)? * 250 + third;
    let index = network * 250 + last.checked_sub(1)?;
    (first == 127 && ip_address(index) == ip).then_some(index)
}

/// Shares pages among hosts: one each, the others in proportion to rank to the minus `exponent`.
fn zipf_sizes(pages: u32, hosts: u32, exponent: f64) -> Vec<u32> {
    let weights: Vec<f64> = (1..=hosts).map(|rank| f64::from(rank).powf(-exponent)).collect();
    let total: f64 = weights.iter().sum();
    let to_share = f64::from(pages - hosts);
    let mut sizes: Vec<u32> = weights.iter().map(|weight| 1 + (to_share * weight / total) as u32).collect();
    let left = pages - sizes.iter().sum::<u32>().min(pages);
    // Rounding down leaves less than one page per host.
    for size in sizes.iter_mut().take(left as usize) {
        *size += 1;
    }
    sizes
}

/// A name under `.test`, which no real name server answers for (RFC 6761).
fn unique_name(seed: u64, index: u32, topic: usize, rng: &mut Rng, taken: &mut HashSet<String>) -> Box<str> {
    let mut place = String::new();
    names::write_place(seed, index, &mut place);
    place.make_ascii_lowercase();
    let noun = rng.pick(TOPICS[topic].nouns);
    let mut name = match rng.below(6) {
        0 => format!("www.{place}.test"),
        1 => format!("{noun}-of-{place}.test"),
        2 => format!("{noun}.{place}.test"),
        3 => format!("www.{noun}-of-{place}.test"),
        _ => format!("{place}.test"),
    };
    if !taken.insert(name.clone()) {
        name = format!("{place}-{index}.test");
        taken.insert(name.clone());
    }
    name.into_boxed_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_sizes_follow_zipf_and_sum_up() {
        let sizes = zipf_sizes(100_000, 200, 0.8);
        assert_eq!(sizes.iter().sum::<u32>(), 100_000);
        assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]));
        let ratio = f64::from(sizes[0]) / f64::from(sizes[99]);
        assert!((ratio / 100f64.powf(0.8) - 1.0).abs() < 0.05, "first to hundredth: {ratio}");
    }

    #[test]
    fn odd_sizes_still_give_every_host_a_page() {
        for (pages, hosts) in [(1, 1), (7, 7), (8, 7), (1000, 999), (10_000_000, 3)] {
            let sizes = zipf_sizes(pages, hosts, 1.2);
            assert_eq!(sizes.iter().sum::<u32>(), pages, "{pages} pages on {hosts} hosts");
            assert!(sizes.iter().all(|&size| size > 0));
        }
    }

    #[test]
    fn names_and_addresses_are_unique() {
        let config = LabConfig { hosts: 5000, pages: 5000, hosts_per_address: 1, ..LabConfig::default() };
        let hosts = plan_hosts(&config);
        let names: HashSet<_> = hosts.iter().map(|host| &host.name).collect();
        let addresses: HashSet<_> = hosts.iter().map(|host| ip_address(host.address)).collect();
        assert_eq!((names.len(), addresses.len()), (5000, 5000));
    }

    #[test]
    fn addresses_are_known_by_their_numbers_and_others_are_not() {
        for index in [0, 1, 249, 250, 62_499, 62_500, 199_999] {
            assert_eq!(address_index(ip_address(index)), Some(index));
        }
        for ip in [[127, 0, 0, 1], [127, 20, 0, 0], [127, 20, 0, 251], [127, 20, 250, 1], [10, 20, 0, 1]] {
            assert_eq!(address_index(Ipv4Addr::from(ip)), None, "{ip:?}");
        }
    }
}
