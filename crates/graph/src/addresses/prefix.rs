//! What two keys share, to the bit.
//!
//! A byte has nine bits here: the first tells it from the end of the key, which comes before all bytes. So no key begins
//! another.

/// The length of a prefix: whole bytes, and bits of the next one in the four bits below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prefix(pub(super) u32);

/// Bits of a byte and of what tells it from the end.
const SYMBOL_BITS: u32 = 9;

impl Prefix {
    /// Everything that two keys share; of equal ones, all, with the end.
    pub(super) fn shared(one: &[u8], other: &[u8]) -> Self {
        let bytes = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        let differing = symbol(one, bytes) ^ symbol(other, bytes);
        let bits = (differing.leading_zeros() - (u32::BITS - SYMBOL_BITS)).min(SYMBOL_BITS);
        Self((bytes as u32) << 4 | bits)
    }

    /// The whole bytes of a key that belong to the prefix, and the bits behind them with their number; nothing if the key
    /// is shorter.
    #[inline]
    pub(super) fn of(self, key: &[u8]) -> Option<(&[u8], u32)> {
        let (bytes, bits) = ((self.0 >> 4) as usize, self.0 & 15);
        let whole = key.get(..bytes)?;
        Some((whole, symbol(key, bytes) >> SYMBOL_BITS.saturating_sub(bits) << 4 | bits))
    }
}

/// A byte with a one before it, or zero behind the end.
#[inline]
fn symbol(key: &[u8], byte: usize) -> u32 {
    key.get(byte).map_or(0, |byte| 0x100 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bits(key: &[u8]) -> Vec<bool> {
        let bytes = key
            .iter()
            .flat_map(|byte| std::iter::once(true).chain((0..8).map(move |bit| byte & (0x80 >> bit) != 0)));
        bytes.chain([false; SYMBOL_BITS as usize]).collect()
    }

    proptest! {
        #[test]
        fn a_prefix_is_what_is_shared_to_the_bit(
            one in prop::collection::vec(prop::sample::select(vec![0u8, 1, 128, 255]), 0..5),
            other in prop::collection::vec(prop::sample::select(vec![0u8, 1, 128, 255]), 0..5),
        ) {
            let prefix = Prefix::shared(&one, &other);
            let shared = bits(&one).iter().zip(&bits(&other)).take_while(|(one, other)| one == other).count();
            prop_assert_eq!((prefix.0 >> 4) * SYMBOL_BITS + (prefix.0 & 15), shared as u32);
            prop_assert_eq!(prefix.of(&one), prefix.of(&other));
            prop_assert!(prefix.of(&one).is_some());
        }
    }
}
