//! Made-up offers: one in five is new, the others repeat one of those before.

use xxhash_rust::xxh3::xxh3_64;

/// A sequence of addresses, some of which repeat.
#[derive(Debug)]
pub struct Offers {
    random: u64,
    /// How many different ones there were so far.
    pub keys: u64,
}

/// Some offers that were made up before they are timed.
#[derive(Debug, Default)]
pub struct Part {
    urls: String,
    /// Fingerprint, and where the address ends.
    ends: Vec<(u64, u32)>,
}

impl Offers {
    pub fn new() -> Self {
        Self { random: 0x9e37_79b9_7f4a_7c15, keys: 0 }
    }

    fn random(&mut self) -> u64 {
        // xorshift64*
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The number of the next address.
    fn next(&mut self) -> u64 {
        if self.keys == 0 || self.random() >> 32 < (1 << 32) / 5 {
            self.keys += 1;
            return self.keys - 1;
        }
        ((u128::from(self.random()) * u128::from(self.keys)) >> 64) as u64
    }

    /// Makes up the next offers.
    pub fn fill(&mut self, part: &mut Part, count: usize) {
        use std::fmt::Write;
        part.urls.clear();
        part.ends.clear();
        for _ in 0..count {
            let number = self.next();
            let start = part.urls.len();
            let (host, path) = (number % 10_007, number / 7);
            write!(part.urls, "https://www.host-{host}.example.org/section/{path}/page-{number}.html")
                .expect("a string takes everything");
            let fingerprint = xxh3_64(&part.urls.as_bytes()[start..]);
            part.ends.push((fingerprint, part.urls.len() as u32));
        }
    }
}

impl Part {
    /// Fingerprints and addresses.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(fingerprint, end)| {
            let url = &self.urls[start..end as usize];
            start = end as usize;
            (fingerprint, url)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_offer_in_five_is_new() {
        let (mut offers, mut part) = (Offers::new(), Part::default());
        offers.fill(&mut part, 100_000);
        let different: std::collections::HashSet<&str> = part.iter().map(|(_, url)| url).collect();
        assert_eq!(different.len() as u64, offers.keys);
        assert!((19_000..21_000).contains(&different.len()), "{}", different.len());
        assert!(part.iter().all(|(fingerprint, url)| fingerprint == xxh3_64(url.as_bytes())));
    }
}
