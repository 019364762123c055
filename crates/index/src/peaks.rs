//! Peaks: what a frequent word adds at most to any 64 documents, and a less frequent one to any 256.
//!
//! The maximum of a block bounds 128 documents of a list; to know it for a document, its block has to be found, and of a word
//! that is everywhere hardly any block is without a good document. So the list of a frequent word has, beside its blocks, a level
//! for each stretch of documents of the segment, whether it has them or not: the levels of several words lie above each other, and
//! can be added up for all documents before any list is decoded; and where a word is nowhere near, that is known, too.
//!
//! ```text
//! impacts   f32 × 15           of the levels 1 to 15, increasing
//! levels    4 bits for each stretch, the lower half of a byte first:
//!               0: the word is in none of its documents; n: in none it exceeds the n-th impact
//! ```
//!
//! The impacts are quantiles of the peaks themselves: those that many stretches have in common, as pages that are made alike
//! do, are kept as they are, so that a bound which is just not enough stays so.
//!
//! Cost: 0.06 bits for each document of the segment where stretches are short, 0.016 where they are long; 2 bits a posting at
//! most, of a word that is in half of the documents an eighth of a bit. Rarer words have none.
//!
//! After Dimopoulos, Nepomnyachiy, Suel, "Optimizing top-k document retrieval strategies for block-max indexes", and Mallia,
//! Suel, Tonellotto, "Faster learned sparse retrieval with block-max pruning", who bound documents by where they are, too.

use journal::u32_at;
use serde::Serialize;

use crate::codec::BLOCK;

/// How many documents have a level together, of words that are in one document of so many or more; rarer ones have no peaks.
const STRETCHES: [(u32, Stretch); 2] = [(32, Stretch::Short), (128, Stretch::Long)];
/// How many levels there are, the lowest of which is that of no document.
pub(crate) const LEVELS: usize = 16;
const IMPACTS_BYTES: usize = 4 * (LEVELS - 1);

/// The documents that have a level together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Stretch {
    /// 64 documents.
    #[default]
    Short,
    /// 256 documents.
    Long,
}

impl Stretch {
    /// Those of a list of so many documents of a segment, if it has peaks.
    pub(crate) fn of(documents: u32, documents_all: u32) -> Option<Self> {
        let is_frequent = |rarest: &&(u32, Self)| documents >= documents_all / rarest.0;
        let frequent = STRETCHES.iter().find(is_frequent).map(|(_, stretch)| *stretch);
        frequent.filter(|_| documents as usize > BLOCK)
    }

    /// How many they are, as a power of two.
    fn shift(self) -> u32 {
        match self {
            Self::Short => 6,
            Self::Long => 8,
        }
    }

    fn documents(self) -> u32 {
        1 << self.shift()
    }
}

/// What is known of the peaks of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeakFacts {
    /// How many documents have a level together.
    pub stretch: u32,
    /// How many stretches the segment has.
    pub stretches: u64,
    /// How many of them have each level; those of the first have no document with the term.
    pub levels: [u64; LEVELS],
    /// What no document of a stretch of each level exceeds.
    pub impacts: [f32; LEVELS],
}

/// Gathers the peaks of a list.
#[derive(Debug, Default)]
pub(crate) struct PeakWriter {
    stretch: Stretch,
    /// The greatest impact of each stretch; nothing where there is no document.
    greatest: Vec<f32>,
}

impl PeakWriter {
    /// Begins a list of a segment of so many documents.
    pub(crate) fn begin(&mut self, stretch: Stretch, documents_all: u32) {
        self.stretch = stretch;
        self.greatest.clear();
        self.greatest.resize(documents_all.div_ceil(stretch.documents()) as usize, 0.0);
    }

    /// Which documents have a level together.
    pub(crate) fn stretch(&self) -> Stretch {
        self.stretch
    }

    /// Raises the peak of the stretch that has a document. What nobody weighs is there all the same.
    #[inline]
    pub(crate) fn raise(&mut self, document: u32, impact: f32) {
        if let Some(greatest) = self.greatest.get_mut((document >> self.stretch.shift()) as usize) {
            *greatest = greatest.max(impact).max(f32::MIN_POSITIVE);
        }
    }

    /// Writes them.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let impacts = quantiles(&self.greatest);
        impacts.iter().for_each(|impact| bytes.extend_from_slice(&impact.to_le_bytes()));
        let level = |greatest: &f32| match greatest {
            0.0 => 0,
            greatest => 1 + impacts.partition_point(|impact| impact < greatest) as u8,
        };
        for pair in self.greatest.chunks(2) {
            bytes.push(level(&pair[0]) | pair.get(1).map_or(0, level) << 4);
        }
    }
}

/// Impacts of which as many peaks are below each as below the next; the last is the greatest.
fn quantiles(greatest: &[f32]) -> [f32; LEVELS - 1] {
    let mut peaks: Vec<f32> = greatest.iter().copied().filter(|&peak| peak > 0.0).collect();
    peaks.sort_unstable_by(f32::total_cmp);
    let last = peaks.len().saturating_sub(1);
    std::array::from_fn(|level| peaks.get(last * (level + 1) / (LEVELS - 1)).copied().unwrap_or(1.0))
}

/// The peaks of a list, as they are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peaks<'a> {
    stretch: Stretch,
    impacts: &'a [u8],
    levels: &'a [u8],
}

impl<'a> Peaks<'a> {
    /// Those in these bytes; `None` if they are too short for any.
    pub(crate) fn new(stretch: Stretch, bytes: &'a [u8]) -> Option<Self> {
        let (impacts, levels) = bytes.split_at_checked(IMPACTS_BYTES)?;
        Some(Self { stretch, impacts, levels })
    }

    /// The documents that have a level together.
    pub(crate) fn stretch(&self) -> Stretch {
        self.stretch
    }

    /// The impacts of all levels, the first of which is none.
    pub(crate) fn impacts(&self) -> [f32; LEVELS] {
        let impact = |level: usize| match self.impacts.len() {
            IMPACTS_BYTES => f32::from_bits(u32_at(self.impacts, 4 * (level - 1))),
            _ => 1.0,
        };
        std::array::from_fn(|level| if level == 0 { 0.0 } else { impact(level) })
    }

    /// What there is to know of them, in a segment of so many documents.
    pub(crate) fn facts(&self, documents: u32) -> PeakFacts {
        let stretch = self.stretch.documents();
        let (stretches, mut levels) = (documents.div_ceil(stretch), [0; LEVELS]);
        let each = self.levels.iter().flat_map(|both| [both & 0xf, both >> 4]);
        each.take(stretches as usize).for_each(|level| levels[usize::from(level)] += 1);
        PeakFacts { stretch, stretches: stretches.into(), levels, impacts: self.impacts() }
    }

    /// Gives each window of `1 << shift` documents, the first of which is that of the segment, what is greatest of what levels are
    /// worth there. Higher levels are worth no less.
    pub(crate) fn raise_windows(&self, shift: u32, worths: &[u32; LEVELS], windows: &mut [u32]) {
        let worth = |level: u8| worths[usize::from(level & 0xf)];
        let Some(stretches) = shift.checked_sub(self.stretch.shift()) else {
            let levels = self.levels.iter().flat_map(|both| [both & 0xf, both >> 4]);
            let windows = windows.chunks_mut(self.stretch.documents() as usize >> shift);
            return windows.zip(levels).for_each(|(windows, level)| windows.fill(worth(level)));
        };
        match 1 << stretches {
            1 => {
                let (pairs, last) = windows.as_chunks_mut::<2>();
                let mut levels = self.levels.iter();
                for ([even, odd], levels) in pairs.iter_mut().zip(&mut levels) {
                    (*even, *odd) = (worth(*levels), worth(levels >> 4));
                }
                if let ([last], Some(levels)) = (last, levels.next()) {
                    *last = worth(*levels);
                }
            }
            4 => self.raise_each::<2>(worth, windows),
            stretches => {
                let levels = self.levels.chunks(stretches / 2);
                for (window, levels) in windows.iter_mut().zip(levels) {
                    *window = worth(greatest(levels));
                }
            }
        }
    }

    /// The same for windows of so many bytes, which a compiler knows.
    fn raise_each<const BYTES: usize>(&self, worth: impl Fn(u8) -> u32, windows: &mut [u32]) {
        let (whole, rest) = self.levels.as_chunks::<BYTES>();
        let levels = whole.iter().map(|levels| &levels[..]).chain((!rest.is_empty()).then_some(rest));
        for (window, levels) in windows.iter_mut().zip(levels) {
            *window = worth(greatest(levels));
        }
    }

    /// What no document of the stretch that has this one exceeds; nothing if the word is in none.
    pub(crate) fn of(&self, document: u32) -> f32 {
        let stretch = document >> self.stretch.shift();
        let both = self.levels.get((stretch / 2) as usize).copied().unwrap_or(0);
        self.impacts()[usize::from(both >> (4 * (stretch % 2)) & 0xf)]
    }

    /// Gives the first and the last document of each stretch that has some, and what they do not exceed. The segment has so
    /// many documents.
    pub(crate) fn for_each(&self, documents: u32, mut each: impl FnMut(u32, u32, f32)) {
        let (impacts, levels) = (self.impacts(), self.levels.iter().flat_map(|both| [both & 0xf, both >> 4]));
        let stretch = self.stretch.documents();
        let firsts = (0..documents).step_by(stretch as usize);
        for (first, level) in firsts.zip(levels).filter(|(_, level)| *level > 0) {
            each(first, (first + stretch - 1).min(documents - 1), impacts[usize::from(level)]);
        }
    }
}

/// The highest of some levels.
#[inline]
fn greatest(levels: &[u8]) -> u8 {
    levels.iter().map(|both| (both & 0xf).max(both >> 4)).fold(0, u8::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What of a segment of so many documents is written that has these, and read again.
    fn written(
        stretch: Stretch,
        documents_all: u32,
        documents: impl IntoIterator<Item = (u32, f32)>,
    ) -> Vec<u8> {
        let mut writer = PeakWriter::default();
        // What an earlier list has left is forgotten.
        writer.begin(Stretch::Short, documents_all + 1000);
        writer.raise(documents_all / 2, 1.0);
        writer.begin(stretch, documents_all);
        documents.into_iter().for_each(|(document, impact)| writer.raise(document, impact));
        let mut bytes = Vec::new();
        writer.write(&mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn no_document_exceeds_its_peak_and_none_is_forgotten(
            steps in proptest::collection::btree_map(0u32..5000, 0u32..12, 0..400),
            scale in prop_oneof![Just(1.0f32), Just(0.083)],
            documents_all in prop_oneof![Just(5000u32), Just(5056), Just(5060), Just(5121)],
            (stretch, length) in prop_oneof![Just((Stretch::Short, 64u32)), Just((Stretch::Long, 256))],
            shift in 5u32..11,
        ) {
            let impact = |step: u32| step as f32 / 12.0 * scale;
            let bytes =
                written(stretch, documents_all, steps.iter().map(|(&document, &step)| (document, impact(step))));
            prop_assert_eq!(bytes.len(), 60 + documents_all.div_ceil(length).div_ceil(2) as usize);
            let peaks = Peaks::new(stretch, &bytes).unwrap();
            let greatest_of = |first: u32, end: u32| {
                steps.range(first..end).map(|(_, &step)| impact(step).max(f32::MIN_POSITIVE)).reduce(f32::max)
            };
            let mut told = vec![None; documents_all.div_ceil(length) as usize];
            peaks.for_each(documents_all, |first, last, impact| {
                assert!(last == first + length - 1 || last == documents_all - 1);
                told[(first / length) as usize] = Some(impact);
            });
            let (facts, stretches) = (peaks.facts(documents_all), told.len() as u64);
            prop_assert_eq!((facts.stretches, facts.levels.iter().sum::<u64>()), (stretches, stretches));
            prop_assert_eq!(facts.levels[0], told.iter().filter(|told| told.is_none()).count() as u64);
            let most = greatest_of(0, documents_all);
            for (first, told) in (0..documents_all).step_by(length as usize).zip(&told) {
                let greatest = greatest_of(first, first + length);
                prop_assert_eq!(greatest.is_some(), told.is_some());
                prop_assert!(*told >= greatest && *told <= most);
                prop_assert_eq!(peaks.of(first + length - 1), told.unwrap_or(0.0));
            }
            // What windows are worth are the numbers of the levels here.
            let mut windows = vec![0; (documents_all >> shift) as usize + 1];
            peaks.raise_windows(shift, &std::array::from_fn(|level| level as u32), &mut windows);
            let impacts = peaks.impacts();
            for (first, level) in (0..documents_all).step_by(1 << shift).zip(windows) {
                let told = &told[(first / length) as usize..];
                let told = told.iter().take(((1 << shift) / length).max(1) as usize).flatten().copied().reduce(f32::max);
                prop_assert_eq!(told.unwrap_or(0.0), impacts[level as usize]);
            }
            prop_assert!(Peaks::new(stretch, &bytes[..59]).is_none());
        }
    }

    #[test]
    fn peaks_of_few_kinds_are_kept_as_they_are() {
        let kind = |stretch: u32| [0.25, 0.5, 0.75][stretch as usize % 3];
        let bytes = written(Stretch::Short, 6400, (0..100).map(|stretch| (64 * stretch, kind(stretch))));
        let mut count = 0;
        Peaks::new(Stretch::Short, &bytes).unwrap().for_each(6400, |first, _, impact| {
            assert_eq!(impact, kind(first / 64));
            count += 1;
        });
        assert_eq!(count, 100);
    }

    #[test]
    fn frequent_words_have_peaks() {
        let (short, long) = (Some(Stretch::Short), Some(Stretch::Long));
        let rows = [(128, 1000, None), (129, 1000, short), (200, 6400, short), (199, 6400, long)];
        for (documents, documents_all, expected) in rows {
            assert_eq!(Stretch::of(documents, documents_all), expected, "{documents} of {documents_all}");
        }
        assert_eq!([Stretch::of(200, 25_600), Stretch::of(199, 25_600)], [long, None]);
    }
}
