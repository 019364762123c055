//! The file `filter` of a segment: its terms as a Bloom filter, in the bytes of [`filter::bytes`].
//!
//! Filters are searched together if they have one shape, so shapes come in classes: a filter has room for the next power
//! of two of its segment's terms, or for three quarters of it, at a rate of 5 % when full. Then a segment of any size can be
//! added to an index without touching the filters of the others, and the segments of an index are in a few classes at most.
//! A lower rate would not pay: a term that passes and is not there is nearly always refused by the signature of its number
//! ([`crate::term_numbers`]), before anything of the list of terms is read.
//!
//! A segment of many terms has none: its file is empty. The signature of its numbers refuses more for two cache misses than a
//! filter for four, and of so large segments an index has few, which need not be asked together.
//!
//! Cost: 6.3 to 9.4 bits for each term on disk and in memory; four probes, each a cache miss. It is made from the finished dictionary, which is still in
//! the system's cache, so that merging does not have to remember its terms.

use std::path::Path;

use filter::{BloomFilter, FilterShape};
use journal::{SealedFile, SealedWriter};

use crate::term_blocks::TermBlocks;
use crate::{Error, file};

const FALSE_POSITIVE_RATE: f64 = 0.05;
const PROBES: u32 = 4;

/// Segments of more terms have no filter.
const TERMS_MAX: u64 = 1 << 16;

/// Smaller segments share the lowest class, which takes 0.8 KiB.
const TERMS_MIN: u64 = 1 << 10;

/// The shape of the filter of a segment with so many terms.
pub(crate) fn shape_for(terms: u64) -> FilterShape {
    let power = terms.max(TERMS_MIN).next_power_of_two();
    let room = if terms.max(TERMS_MIN) <= power / 4 * 3 { power / 4 * 3 } else { power };
    FilterShape::for_rate_with_probes(room, FALSE_POSITIVE_RATE, PROBES)
}

/// Writes the filter of a dictionary; the caller finishes the file.
pub(crate) fn write(path: &Path, blocks: &TermBlocks, terms: u64) -> Result<SealedWriter, Error> {
    let mut file = file::create(path, *b"filt")?;
    if terms > TERMS_MAX {
        return Ok(file);
    }
    let shape = shape_for(terms);
    let mut filter = BloomFilter::new(shape);
    blocks.for_each_term(|term| {
        filter.insert(&shape.hash(term));
    })?;
    file.put(&filter.to_bytes())?;
    Ok(file)
}

/// Whether a segment has one.
pub(crate) fn is_there(file: &SealedFile) -> bool {
    file.payload_bytes() > 0
}

/// Reads and verifies a filter that is there, whatever its shape.
pub(crate) fn read(file: &SealedFile) -> Result<BloomFilter, Error> {
    BloomFilter::from_bytes(file.all_bytes()?).map_err(|error| Error::damaged(file.path(), error.to_string()))
}
