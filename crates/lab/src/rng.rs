//! Random numbers that are a function of what they are for.
//!
//! Nothing of the web is stored, so every trait of a page must come out the same each time somebody asks. A
//! generator is therefore made anew from (seed, purpose, key): two purposes never share a stream, and asking one
//! question more or less does not change the answer to another. The generator is SplitMix64 (Steele, Lea, Flood,
//! "Fast splittable pseudorandom number generators", 2014): one addition and one mix per number.

/// What a stream of numbers is for. The numbers are part of what a seed means: append, never renumber.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(crate) enum Purpose {
    Host = 1,
    PlaceName = 2,
    PersonName = 3,
    HostPlaces = 4,
    Role = 5,
    CopySource = 6,
    Title = 7,
    Path = 8,
    Forbidden = 9,
    NoIndex = 10,
    PageNoFollow = 11,
    TreeLink = 12,
    Links = 13,
    Text = 14,
    Markup = 15,
    Planted = 16,
    NearCopy = 17,
    Redirect = 18,
    Robots = 19,
}

/// A stream of random numbers.
pub(crate) struct Rng(u64);

impl Rng {
    /// The stream for one purpose and one key.
    pub fn keyed(seed: u64, purpose: Purpose, key: u64) -> Self {
        Self(mix(mix(seed) ^ mix(key ^ ((purpose as u64) << 56))))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Uniform in `0..bound`; `bound` must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// In `0..bound`, small ones far more often: the position x has density ∝ x^(-2/3), near enough to Zipf's law
    /// over the few decades that matter here, and only multiplications.
    pub fn skewed(&mut self, bound: u32) -> u32 {
        let unit = self.unit();
        ((unit * unit * unit * f64::from(bound)) as u32).min(bound - 1)
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// As [`pick`](Self::pick), the first choices far more often.
    pub fn pick_skewed<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.skewed(choices.len() as u32) as usize]
    }
}

fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_and_keys_have_streams_of_their_own() {
        let first = |purpose, key| Rng::keyed(7, purpose, key).next();
        assert_eq!(first(Purpose::Text, 1), first(Purpose::Text, 1));
        assert_ne!(first(Purpose::Text, 1), first(Purpose::Text, 2));
        assert_ne!(first(Purpose::Text, 1), first(Purpose::Title, 1));
    }

    #[test]
    fn chances_come_true_as_often_as_they_say() {
        let mut rng = Rng::keyed(1, Purpose::Text, 0);
        let hits = (0..100_000).filter(|_| rng.chance(0.25)).count();
        assert!((24_000..26_000).contains(&hits), "{hits} of 100000 at 25 %");
    }
}
