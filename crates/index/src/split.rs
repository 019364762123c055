//! In which fields the occurrences of a block are.
//!
//! Nearly all words of a page stand in its main text only. So a posting has its count, and a number that says which
//! fields have a part in it, 0 being the main text alone; where there are several, all but one say how many they have,
//! and the last has what is left.
//!
//! ```text
//! alone      a bit, of a block that is not full: whether all are in the main text alone, then nothing follows
//! patterns   for each posting: the number of its set of fields
//! parts      for each posting with several fields: occurrences − 1, of each but the one that has the rest
//! ```

use crate::codec::{BLOCK, BitReader, BitWriter, Codec, ListShape};
use crate::field::{BY_FREQUENCY, FIELD_COUNT, Field, FieldCounts};

const PATTERNS: usize = 1 << FIELD_COUNT;

/// The sets of fields by their numbers, and back.
#[derive(Debug)]
pub(crate) struct Patterns {
    masks: [u8; PATTERNS],
    numbers: [u8; PATTERNS],
}

impl Patterns {
    /// Small sets come first, among those of a size the ones of frequent fields.
    pub(crate) fn new() -> Self {
        let mut masks: Vec<u8> = (1..PATTERNS).map(|mask| mask as u8).collect();
        let rarities = |mask: u8| {
            let has = |field: &Field| mask >> field.index() & 1 != 0;
            let places: Vec<usize> = (0..FIELD_COUNT).filter(|&place| has(&BY_FREQUENCY[place])).collect();
            (places.len(), places)
        };
        masks.sort_by_key(|&mask| rarities(mask));
        masks.push(0);
        let mut numbers = [0; PATTERNS];
        for (number, &mask) in (0u8..).zip(&masks) {
            numbers[usize::from(mask)] = number;
        }
        Self { masks: masks.try_into().expect("every set is there once"), numbers }
    }

    /// The field that has what the others leave.
    fn rest_of(mask: u8) -> usize {
        let main = Field::Main.index();
        if mask >> main & 1 != 0 { main } else { mask.trailing_zeros() as usize % FIELD_COUNT }
    }

    /// Writes what the totals of these postings do not say.
    pub(crate) fn write(
        &self,
        postings: &[FieldCounts],
        codec: &dyn Codec,
        list: &ListShape,
        bits: &mut BitWriter,
    ) {
        let (mut numbers, mut parts) = ([0; BLOCK], Vec::new());
        for (number, counts) in numbers.iter_mut().zip(postings) {
            let mask = counts.mask();
            *number = self.numbers[usize::from(mask)].into();
            parts.extend(parts_of(mask).map(|field| counts.0[field] - 1));
        }
        if numbers == [0; BLOCK] {
            return Self::write_main_alone(postings.len(), codec, list, bits);
        }
        if postings.len() < BLOCK {
            bits.write_bits(0, 1);
        }
        codec.write(&numbers[..postings.len()], list, bits);
        parts.chunks(BLOCK).for_each(|parts| codec.write(parts, list, bits));
    }

    /// Writes the same for so many postings that are in the main text alone.
    pub(crate) fn write_main_alone(
        postings: usize,
        codec: &dyn Codec,
        list: &ListShape,
        bits: &mut BitWriter,
    ) {
        match postings {
            BLOCK => codec.write(&[0; BLOCK], list, bits),
            _ => bits.write_bits(1, 1),
        }
    }

    /// Splits totals into the counts of fields. False, and nothing is split, if all are in the main text alone.
    pub(crate) fn read(
        &self,
        totals: &[u32],
        codec: &dyn Codec,
        list: &ListShape,
        bits: &mut BitReader<'_>,
        counts: &mut Vec<FieldCounts>,
    ) -> bool {
        let is_main_alone = match totals.len() {
            BLOCK => codec.read_zeros(bits, BLOCK),
            _ => bits.read_bits(1) == 1,
        };
        if is_main_alone {
            return false;
        }
        let mut numbers = [0; BLOCK];
        codec.read(bits, list, &mut numbers[..totals.len()]);
        if numbers.iter().fold(0, |all, number| all | number) == 0 {
            return false;
        }
        counts.clear();
        counts.resize(totals.len(), FieldCounts::default());
        let masks = numbers[..totals.len()].iter().map(|&number| self.masks[number as usize % PATTERNS]);
        let mut parts_left: usize =
            masks.clone().map(|mask| (mask.count_ones() as usize).saturating_sub(1)).sum();
        let (mut parts, mut at, mut read) = ([0; BLOCK], 0, 0);
        for ((mask, &total), counts) in masks.zip(totals).zip(counts) {
            let mut left = total;
            for field in parts_of(mask) {
                if at == read {
                    (at, read) = (0, parts_left.min(BLOCK));
                    codec.read(bits, list, &mut parts[..read]);
                    parts_left -= read;
                }
                let part = parts[at].saturating_add(1).min(left);
                at += 1;
                counts.0[field] = part;
                left -= part;
            }
            counts.0[Self::rest_of(mask)] = left;
        }
        true
    }
}

/// The fields of a set that say how many they have.
fn parts_of(mask: u8) -> impl Iterator<Item = usize> {
    let rest = Patterns::rest_of(mask);
    (0..FIELD_COUNT).filter(move |&field| mask >> field & 1 != 0 && field != rest)
}
