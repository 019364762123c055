//! Counters of distinct nodes, small enough to have one for every node.
//!
//! A HyperLogLog counter has m registers. A node is hashed to a register and to a value that is larger than k with
//! probability 2⁻ᵏ; a register keeps the largest value that it met. So the union of two counters is the register-wise
//! maximum, and the number of distinct nodes is read off the sum of 2⁻ʳ over the registers r.
//!
//! There are three forms with the same answers:
//!
//! - [`Bytes`]: a byte a register. A maximum of 64 registers is four instructions that every machine with SSE2 has.
//! - [`Planes`]: five bits a register, 3/8 less memory. Word k holds bit k of 64 registers, so that comparing and choosing
//!   64 registers is a handful of logical operations on whole words, and no bit is lost to padding or to a spare bit between
//!   registers.
//! - [`Broadword`](super::broadword::Broadword): the usual packing. Six bits a register, side by side, of which the highest
//!   is spare: a subtraction borrows from it.
//!
//! Values are cut off at 31: for them to matter there would have to be more nodes than fit into 32 bits.
//!
//! Cost: a whole run on cnr-2000 with 64 registers takes 0.6 s with bytes and 1.2 s with planes.
//!
//! After Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog" (2007); the size as in Ertl, "New cardinality estimation
//! algorithms for HyperLogLog sketches" (2017), section 4, which needs no thresholds and no tables of biases.

/// The largest value of a register.
pub(crate) const VALUE_MAX: u32 = 31;

/// Registers, in one form or another.
pub(crate) trait Counter: Copy + PartialEq + Send + Sync {
    /// How many registers there are; a power of two.
    const REGISTERS: usize;

    /// Nothing was counted.
    fn empty() -> Self;

    /// Puts a value into a register that is still empty.
    fn put(&mut self, register: usize, value: u32);

    /// Counts also what the other has counted.
    fn unite(&mut self, other: &Self);

    /// The sum of [`share`] over all registers.
    fn shares(&self) -> u64;

    /// Counts a node. The same seed sends it to the same place in all forms.
    fn of(seed: u64, node: u32) -> Self {
        let hash = mix(seed ^ mix(u64::from(node) + 1));
        let value = (hash >> Self::REGISTERS.trailing_zeros()).trailing_zeros() + 1;
        let mut counter = Self::empty();
        counter.put(hash as usize % Self::REGISTERS, value.min(VALUE_MAX));
        counter
    }
}

/// Every bit of the result depends on every bit of the number (the finisher of SplitMix64).
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Where the number of empty registers begins in a sum of shares.
const EMPTY_SHIFT: u32 = 48;

/// What a register adds to the sum: 2⁻ʳ in units of 2⁻³¹, or, if it is empty, one empty register. Sums are exact, so they
/// do not depend on the order.
const fn share(value: u32) -> u64 {
    if value == 0 { 1 << EMPTY_SHIFT } else { 1 << (VALUE_MAX - value) }
}

pub(crate) const SHARES: [u64; VALUE_MAX as usize + 1] = {
    let mut shares = [0; VALUE_MAX as usize + 1];
    let mut value = 0;
    while value <= VALUE_MAX {
        shares[value as usize] = share(value);
        value += 1;
    }
    shares
};

/// A byte a register.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Bytes<const M: usize>([u8; M]);

impl<const M: usize> Counter for Bytes<M> {
    const REGISTERS: usize = M;

    fn empty() -> Self {
        Self([0; M])
    }

    fn put(&mut self, register: usize, value: u32) {
        self.0[register] = value as u8;
    }

    #[inline]
    fn unite(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            *ours = (*ours).max(*theirs);
        }
    }

    #[inline]
    fn shares(&self) -> u64 {
        // The mask lets the compiler see that the table is long enough.
        let mut lanes = [0; 4];
        for four in self.0.as_chunks::<4>().0 {
            for (lane, register) in lanes.iter_mut().zip(four) {
                *lane += SHARES[usize::from(*register) % SHARES.len()];
            }
        }
        lanes.iter().sum()
    }
}

/// Bits of a register.
const PLANES: usize = VALUE_MAX.count_ones() as usize;

/// Five bits a register, 64 registers in five words; `G` groups of 64.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Planes<const G: usize>([[u64; PLANES]; G]);

impl<const G: usize> Counter for Planes<G> {
    const REGISTERS: usize = 64 * G;

    fn empty() -> Self {
        Self([[0; PLANES]; G])
    }

    fn put(&mut self, register: usize, value: u32) {
        for (bit, plane) in self.0[register / 64].iter_mut().enumerate() {
            *plane |= u64::from(value >> bit & 1) << (register % 64);
        }
    }

    #[inline]
    fn unite(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            // From the lowest bit up: a higher bit that differs overrules all below it.
            let mut theirs_is_larger = 0;
            for (our, their) in ours.iter().zip(theirs) {
                theirs_is_larger = !our & their | !(our ^ their) & theirs_is_larger;
            }
            for (our, their) in ours.iter_mut().zip(theirs) {
                *our ^= (*our ^ their) & theirs_is_larger;
            }
        }
    }

    fn shares(&self) -> u64 {
        let mut sum = 0;
        for planes in &self.0 {
            for (value, share) in SHARES.iter().enumerate() {
                let matches =
                    |(bit, plane): (usize, &u64)| if value >> bit & 1 == 1 { *plane } else { !*plane };
                let having = planes.iter().enumerate().map(matches).fold(u64::MAX, |all, bits| all & bits);
                sum += u64::from(having.count_ones()) * share;
            }
        }
        sum
    }
}

/// How many nodes counters with a sum of shares have met.
pub(crate) struct SizeEstimator {
    registers: f64,
    /// m·σ(z / m) for z empty registers, in the notation of Ertl: the registers that are not empty do not tell how many
    /// nodes the empty ones would have needed.
    of_empty: Vec<f64>,
}

impl SizeEstimator {
    pub fn new(registers: usize) -> Self {
        let m = registers as f64;
        Self { registers: m, of_empty: (0..=registers).map(|empty| m * sigma(empty as f64 / m)).collect() }
    }

    #[inline]
    pub fn size(&self, shares: u64) -> f64 {
        let empty = (shares >> EMPTY_SHIFT) as usize;
        let rest = (shares & ((1 << EMPTY_SHIFT) - 1)) as f64 / f64::from(1u32 << VALUE_MAX);
        let constant = 0.5 / std::f64::consts::LN_2;
        constant * self.registers * self.registers / (self.of_empty[empty] + rest)
    }
}

/// x + Σ x^(2^k)·2^(k−1) for k from 1 on.
fn sigma(part_empty: f64) -> f64 {
    if part_empty >= 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut weight, mut sum, mut before) = (part_empty, 1.0, part_empty, -1.0);
    while sum != before {
        before = sum;
        power *= power;
        sum += power * weight;
        weight *= 2.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::broadword::Broadword;
    use super::*;
    use proptest::prelude::*;

    fn counted<C: Counter>(seed: u64, nodes: impl Iterator<Item = u32>) -> C {
        nodes.fold(C::empty(), |mut all, node| {
            all.unite(&C::of(seed, node));
            all
        })
    }

    proptest! {
        #[test]
        fn all_forms_say_the_same(seed: u64, a in prop::collection::vec(any::<u32>(), 0..300), b in any::<u32>()) {
            let bytes: Bytes<128> = counted(seed, a.iter().copied());
            let planes: Planes<2> = counted(seed, a.iter().copied());
            let broadword: Broadword<128, 13> = counted(seed, a.iter().copied());
            prop_assert_eq!(bytes.shares(), planes.shares());
            prop_assert_eq!(bytes.shares(), broadword.shares());
            let grows = |shares| SizeEstimator::new(128).size(shares);
            let (mut more, alone) = (bytes, Bytes::<128>::of(seed, b));
            more.unite(&alone);
            prop_assert!(grows(more.shares()) >= grows(bytes.shares()));
        }
    }

    #[test]
    fn sizes_are_right_on_average_and_spread_as_the_theory_says() {
        let estimator = SizeEstimator::new(64);
        for size in [1u32, 3, 10, 64, 150, 1000, 20_000] {
            let (runs, mut sum, mut squares) = (300, 0.0, 0.0);
            for seed in 0..runs {
                let counter: Bytes<64> = counted(seed, 0..size);
                let error = estimator.size(counter.shares()) / f64::from(size) - 1.0;
                sum += error;
                squares += error * error;
            }
            let (bias, deviation) = (sum / runs as f64, (squares / runs as f64).sqrt());
            assert!(bias.abs() < 0.025, "{size}: {bias}");
            assert!(deviation < 1.04 / 8.0 * 1.15, "{size}: {deviation}");
        }
        assert_eq!(estimator.size(Bytes::<64>::empty().shares()), 0.0);
    }
}
