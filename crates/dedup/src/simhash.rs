//! SimHash: 64 or 128 bits of a text, few of which change when the text changes a little.
//!
//! Every signal (a hash, with a weight) votes on each bit: for it where the hash has a one, against it where it has a
//! zero. The majority decides; a tie is a zero. So the empty text has the SimHash 0.
//!
//! For texts all weights are one, and votes are counted for all 64 bits at once: [`Votes`] is a column of numbers whose
//! binary digits lie in separate words, so that adding a hash to all 64 of them is a few AND and XOR. Eight hashes are
//! first added to each other (carry-save, after Harley and Seal), and only one carry in eight goes further. The
//! comparison with one half is made on the digits, too.
//!
//! After Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, and Manku, Jain, Das Sarma,
//! "Detecting Near-Duplicates for Web Crawling", WWW 2007, who find copies at a Hamming distance of up to 3 of 64.

/// The SimHash of 64 bits of weighted signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SimHash64(pub u64);

/// The SimHash of 128 bits of weighted signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SimHash128(pub u128);

impl SimHash64 {
    /// That of some signals: hashes of 64 good bits with their weights.
    pub fn of(signals: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let mut votes = [0i64; 64];
        for (hash, weight) in signals {
            for (bit, vote) in votes.iter_mut().enumerate() {
                *vote += if hash >> bit & 1 == 1 { i64::from(weight) } else { -i64::from(weight) };
            }
        }
        Self(votes.iter().rev().fold(0, |hash, vote| hash << 1 | u64::from(*vote > 0)))
    }

    /// In how many bits two differ.
    pub fn distance(self, other: Self) -> u32 {
        hamming(self.0, other.0)
    }
}

impl SimHash128 {
    /// That of some signals: hashes of 128 good bits with their weights.
    pub fn of(signals: impl IntoIterator<Item = (u128, u32)>) -> Self {
        let mut votes = [0i64; 128];
        for (hash, weight) in signals {
            for (bit, vote) in votes.iter_mut().enumerate() {
                *vote += if hash >> bit & 1 == 1 { i64::from(weight) } else { -i64::from(weight) };
            }
        }
        Self(votes.iter().rev().fold(0, |hash, vote| hash << 1 | u128::from(*vote > 0)))
    }

    /// In how many bits two differ.
    pub fn distance(self, other: Self) -> u32 {
        (self.0 ^ other.0).count_ones()
    }
}

/// In how many bits two numbers differ.
pub fn hamming(left: u64, right: u64) -> u32 {
    (left ^ right).count_ones()
}

/// The votes on 64 bits.
#[derive(Debug, Clone)]
pub(crate) struct Votes {
    /// Binary digits of the 64 counts, the lowest first.
    digits: [u64; DIGITS],
    voters: u64,
}

/// Enough for any text: a voter is a word.
const DIGITS: usize = 48;

/// Adds three digits: their sum's digit, and what is carried.
#[inline(always)]
fn add_digits(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

impl Votes {
    pub fn new() -> Self {
        Self { digits: [0; DIGITS], voters: 0 }
    }

    /// Adds one vote per bit for each hash.
    #[inline]
    pub fn add(&mut self, hashes: &[u64]) {
        let (eights, rest) = hashes.as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in eights {
            let [ones, twos, fours, ..] = self.digits;
            let (ones, two_1) = add_digits(ones, *a, *b);
            let (ones, two_2) = add_digits(ones, *c, *d);
            let (twos, four_1) = add_digits(twos, two_1, two_2);
            let (ones, two_1) = add_digits(ones, *e, *f);
            let (ones, two_2) = add_digits(ones, *g, *h);
            let (twos, four_2) = add_digits(twos, two_1, two_2);
            let (fours, carry) = add_digits(fours, four_1, four_2);
            self.digits[..3].copy_from_slice(&[ones, twos, fours]);
            self.carry(carry, 3);
        }
        rest.iter().for_each(|hash| self.carry(*hash, 0));
        self.voters += hashes.len() as u64;
    }

    #[inline(always)]
    fn carry(&mut self, mut carry: u64, from: usize) {
        for digit in &mut self.digits[from..] {
            let next = *digit & carry;
            *digit ^= carry;
            carry = next;
            if carry == 0 {
                break;
            }
        }
    }

    /// The bits for which more than half voted.
    pub fn majority(&self) -> u64 {
        let half = self.voters / 2;
        let mut above = 0;
        for (place, digit) in self.digits.iter().enumerate() {
            // A higher digit outweighs all lower ones; where it is equal, these decide.
            above = if half >> place & 1 == 1 { digit & above } else { digit | above };
        }
        above
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn heavy_signals_outvote_light_ones_and_ties_are_zero() {
        let cases: [(&[(u64, u32)], u64); 5] = [
            (&[], 0),
            (&[(0b101, 1)], 0b101),
            (&[(0b01, 1), (0b10, 1)], 0),
            (&[(0b01, 3), (0b10, 1), (0b10, 1)], 0b01),
            (&[(u64::MAX, 0), (0b11, 1)], 0b11),
        ];
        for (signals, expected) in cases {
            assert_eq!(SimHash64::of(signals.iter().copied()), SimHash64(expected));
            let wide = signals.iter().map(|(hash, weight)| (u128::from(*hash) << 64, *weight));
            assert_eq!(SimHash128::of(wide), SimHash128(u128::from(expected) << 64));
        }
        assert_eq!(SimHash128(0b111).distance(SimHash128(1 << 127)), 4);
        assert_eq!(SimHash64(0b111).distance(SimHash64(0b001)), 2);
    }

    proptest! {
        #[test]
        fn votes_are_counted_as_one_by_one(hashes in prop::collection::vec(prop_oneof![any::<u64>(), Just(7)], 0..300), cut in 0usize..300) {
            let mut votes = Votes::new();
            let (first, second) = hashes.split_at(cut.min(hashes.len()));
            votes.add(first);
            votes.add(second);
            prop_assert_eq!(votes.majority(), SimHash64::of(hashes.iter().map(|hash| (*hash, 1))).0);
        }
    }
}
