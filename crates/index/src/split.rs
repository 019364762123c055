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

/// The set of the main text alone.
const MAIN_ALONE: u8 = 1 << Field::Main as u8;

/// The sets of fields by their numbers, and back.
#[derive(Debug)]
pub(crate) struct Patterns {
    masks: [u8; PATTERNS],
    numbers: [u8; PATTERNS],
    /// How many fields of each set say how many they have.
    parts: [u8; PATTERNS],
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
        let masks: [u8; PATTERNS] = masks.try_into().expect("every set is there once");
        Self { masks, numbers, parts: masks.map(|mask| parts_of(mask).count() as u8) }
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

    /// Reads the fields of so many postings. False, and nothing is read into `split`, if all are in the main text alone.
    pub(crate) fn read(
        &self,
        postings: usize,
        codec: &dyn Codec,
        list: &ListShape,
        bits: &mut BitReader<'_>,
        split: &mut Split,
    ) -> bool {
        let is_main_alone = match postings {
            BLOCK => codec.read_zeros(bits, BLOCK),
            _ => bits.read_bits(1) == 1,
        };
        if is_main_alone {
            return false;
        }
        let mut numbers = [0; BLOCK];
        codec.read(bits, list, &mut numbers[..postings]);
        if numbers.iter().fold(0, |all, number| all | number) == 0 {
            return false;
        }
        split.masks.resize(BLOCK, 0);
        split.begins.resize(BLOCK, 0);
        let mut parts = 0;
        for ((number, mask), begin) in numbers.iter().zip(&mut split.masks).zip(&mut split.begins) {
            let number = *number as usize % PATTERNS;
            (*mask, *begin) = (self.masks[number], parts);
            parts += u16::from(self.parts[number]);
        }
        split.parts.resize(parts.into(), 0);
        split.parts.chunks_mut(BLOCK).for_each(|parts| codec.read(bits, list, parts));
        true
    }

    /// The one field of a posting, the number of whose set is at a place of a full block; `None` if there are several, or
    /// that cannot be read alone.
    pub(crate) fn read_one(
        &self,
        codec: &dyn Codec,
        bits: &mut BitReader<'_>,
        place: usize,
    ) -> Option<usize> {
        if codec.read_zeros(bits, BLOCK) {
            return Some(Field::Main.index());
        }
        let number = codec.read_one(bits, BLOCK, place)? as usize % PATTERNS;
        let mask = self.masks[number];
        mask.is_power_of_two().then_some(mask.trailing_zeros() as usize)
    }
}

/// The fields of a block, as they are written: a posting is taken apart when somebody asks for it, since few are.
#[derive(Debug, Default)]
pub(crate) struct Split {
    /// The set of fields of each posting.
    masks: Vec<u8>,
    /// Where its parts begin.
    begins: Vec<u16>,
    /// Occurrences − 1.
    parts: Vec<u32>,
    /// All postings, taken apart.
    counts: Vec<FieldCounts>,
}

impl Split {
    /// Whether a posting is in the main text alone.
    #[inline]
    pub(crate) fn is_main_alone(&self, place: usize) -> bool {
        self.masks[place] == MAIN_ALONE
    }

    /// What a posting that has so many occurrences has in each field.
    #[inline]
    pub(crate) fn counts(&self, place: usize, total: u32) -> FieldCounts {
        let mut counts = FieldCounts::default();
        self.for_each_field(place, total, |field, count| counts.0[field] = count);
        counts
    }

    /// Its weight, by what an occurrence in a field weighs there.
    #[inline]
    pub(crate) fn weight(&self, place: usize, total: u32, of_field: impl Fn(usize) -> f32) -> f32 {
        if self.is_main_alone(place) {
            return total as f32 * of_field(Field::Main.index());
        }
        let mut weights = [0.0; FIELD_COUNT];
        self.for_each_field(place, total, |field, count| {
            weights[field] = if count > 0 { count as f32 * of_field(field) } else { 0.0 };
        });
        // In the order of the fields, as everybody adds them.
        weights.iter().sum()
    }

    /// The same of all postings, which have these totals.
    pub(crate) fn all(&mut self, totals: &[u32]) -> &[FieldCounts] {
        let counts = (0..).zip(totals).map(|(place, &total)| self.counts(place, total)).collect();
        self.counts = counts;
        &self.counts
    }

    #[inline]
    fn for_each_field(&self, place: usize, total: u32, mut each: impl FnMut(usize, u32)) {
        let mask = self.masks[place];
        let mut left = total;
        if !mask.is_power_of_two() {
            let parts = &self.parts[usize::from(self.begins[place])..];
            for (field, part) in parts_of(mask).zip(parts) {
                let part = part.saturating_add(1).min(left);
                each(field, part);
                left -= part;
            }
        }
        each(Patterns::rest_of(mask), left);
    }
}

/// The fields of a set that say how many they have.
fn parts_of(mask: u8) -> impl Iterator<Item = usize> {
    let rest = Patterns::rest_of(mask);
    (0..FIELD_COUNT).filter(move |&field| mask >> field & 1 != 0 && field != rest)
}
