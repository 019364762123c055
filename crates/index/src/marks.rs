//! Documents of a window as bits: what all of some lists have, or any, is found for 64 of them at a time.
//!
//! A list gives its documents as they lie: bitmaps many at once, arrays one by one. Setting a bit takes a number that has to be
//! read and written, mostly the one that was just written; a byte is written without being read. So where several lists are
//! laid over each other, what comes one by one is noted in bytes, which are made bits once for all of them.

/// Where the documents of lists are marked, by their places in a window. What is beyond the window is nobody's.
pub trait Marks {
    /// Marks a place.
    fn mark(&mut self, place: usize);

    /// Marks those places from this one on whose bits are set.
    fn mark_all(&mut self, place: usize, bits: u64);
}

/// The bits themselves, for one list.
impl Marks for [u64] {
    #[inline]
    fn mark(&mut self, place: usize) {
        if let Some(word) = self.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    #[inline]
    fn mark_all(&mut self, place: usize, bits: u64) {
        let in_word = place % 64;
        if let Some(word) = self.get_mut(place / 64) {
            *word |= bits << in_word;
        }
        if let Some(word) = self.get_mut(place / 64 + 1).filter(|_| in_word > 0) {
            *word |= bits >> (64 - in_word);
        }
    }
}

/// What any of several lists has, in a window of so many times 64 documents.
#[derive(Debug)]
pub struct AnyMarks<const WORDS: usize> {
    bits: [u64; WORDS],
    bytes: [[u8; 64]; WORDS],
}

impl<const WORDS: usize> AnyMarks<WORDS> {
    /// The bits of all marks.
    pub fn bits(&self) -> [u64; WORDS] {
        std::array::from_fn(|word| self.bits[word] | packed(&self.bytes[word]))
    }
}

impl<const WORDS: usize> Default for AnyMarks<WORDS> {
    fn default() -> Self {
        Self { bits: [0; WORDS], bytes: [[0; 64]; WORDS] }
    }
}

impl<const WORDS: usize> Marks for AnyMarks<WORDS> {
    #[inline]
    fn mark(&mut self, place: usize) {
        if let Some(byte) = self.bytes.as_flattened_mut().get_mut(place) {
            *byte = 1;
        }
    }

    #[inline]
    fn mark_all(&mut self, place: usize, bits: u64) {
        self.bits.mark_all(place, bits);
    }
}

/// A bit for each byte, all of which are 0 or 1.
#[inline]
fn packed(bytes: &[u8; 64]) -> u64 {
    // Multiplied so, the lowest bits of eight bytes come to lie side by side in the highest byte.
    const SIDE_BY_SIDE: u64 = 0x0102_0408_1020_4080;
    let eights = bytes.as_chunks::<8>().0.iter().enumerate();
    eights.fold(0, |word, (at, eight)| {
        word | u64::from_le_bytes(*eight).wrapping_mul(SIDE_BY_SIDE) >> 56 << (8 * at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_place_that_was_marked_in_any_way_has_its_bit(
            places in proptest::collection::vec(0usize..300, 0..50),
            words in proptest::collection::vec((0usize..300, any::<u64>()), 0..4),
        ) {
            let (mut any, mut one_by_one, mut expected) = (AnyMarks::<4>::default(), [0; 4], [0u64; 4]);
            for &place in &places {
                any.mark(place);
                one_by_one[..].mark(place);
            }
            for &(place, word) in &words {
                any.mark_all(place, word);
                one_by_one[..].mark_all(place, word);
            }
            let of_words = words.iter().flat_map(|&(place, word)| {
                (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place + bit)
            });
            for place in places.iter().copied().chain(of_words).filter(|&place| place < 256) {
                expected[place / 64] |= 1 << (place % 64);
            }
            prop_assert_eq!((any.bits(), one_by_one), (expected, expected));
        }
    }
}
