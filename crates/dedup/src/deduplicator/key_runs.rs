//! Documents with equal keys, side by side.
//!
//! Problem: of n keys of a column, find the runs of documents that have the same. Method: each key and its document are
//! packed into one word of 64 bits; the words are spread over buckets by their first bits (so that each bucket fits the
//! cache and threads can share the buckets), sorted there, and read off. The bits that name the bucket are not stored,
//! so that with ten million documents 40 + 12 bits of each key are left; runs that are joined by accident do no harm,
//! as every pair is checked. Where a column does not fit into memory, it is done in parts, each some buckets wide: the
//! file is read once per part, and nothing is written.
//!
//! Cost: two passes over the column, and one sort of small slices; see `examples/clustering.rs` for the numbers.
//! A key that very many documents have is one bucket and must fit into memory: eight bytes each, four times less than
//! what the documents themselves need anyway.

use std::ops::Range;

use super::files::SketchFiles;
use crate::Error;
use crate::exact::ExactCopies;
use crate::execution::in_order;

/// Keys that a bucket has on average: half of a first-level cache.
const BUCKET_KEYS: u64 = 2048;

/// The first bits of a key name its bucket: enough for threads to share few keys, not so many that spreading them
/// spoils the cache.
const BUCKET_BITS_MIN: u32 = 4;
const BUCKET_BITS_MAX: u32 = 12;

/// The most keys that a thread takes at once.
const JOB_KEYS_MAX: usize = 1 << 16;

/// How columns are sorted.
#[derive(Clone, Copy)]
pub(crate) struct KeySorter<'a> {
    pub files: &'a SketchFiles,
    pub copies: &'a ExactCopies,
    pub threads: usize,
    /// For the words of a part.
    pub memory_bytes: u64,
}

impl KeySorter<'_> {
    /// Sorts some columns together and shows the runs of their buckets to several threads. What `work` makes of some
    /// buckets is handed to `finish` in the order of the keys.
    pub fn runs<Worker, Done: Send>(
        &self,
        columns: Range<usize>,
        worker: impl Fn() -> Worker + Sync,
        work: impl Fn(&mut Worker, SortedRuns<'_>) -> Done + Sync,
        mut finish: impl FnMut(Done) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let packing = Packing::new(self.files.documents(), columns.len());
        let mut sizes = vec![0usize; packing.buckets()];
        self.keys(columns.clone(), |_, key| sizes[packing.bucket(key)] += 1)?;

        let capacity = usize::try_from(self.memory_bytes / 8).unwrap_or(usize::MAX);
        let mut words = Vec::new();
        let mut first = 0;
        while first < sizes.len() {
            let part = first..first + buckets_that_fit(&sizes[first..], capacity);
            first = part.end;
            self.spread(columns.clone(), packing, part.clone(), &sizes, &mut words)?;
            let jobs = Jobs {
                words: &mut words,
                sizes: &sizes[part],
                keys_max: (capacity / (self.threads * 8)).clamp(1, JOB_KEYS_MAX),
            };
            let sort_and_work = |worker: &mut Worker, (words, sizes): (&mut [u64], &[usize])| {
                work(worker, SortedRuns { words, sizes, document_mask: packing.document_mask })
            };
            in_order(self.threads, jobs, &worker, sort_and_work, &mut finish)?;
        }
        Ok(())
    }

    /// Shows the keys of the documents that are the first of their kind.
    fn keys(&self, columns: Range<usize>, mut see: impl FnMut(u32, u64)) -> Result<(), Error> {
        columns.into_iter().try_for_each(|column| {
            self.files.keys(column, |document, key| {
                if self.copies.is_first(document) {
                    see(document, key);
                }
            })
        })
    }

    /// Packs the keys of some buckets, bucket behind bucket.
    fn spread(
        &self,
        columns: Range<usize>,
        packing: Packing,
        part: Range<usize>,
        sizes: &[usize],
        words: &mut Vec<u64>,
    ) -> Result<(), Error> {
        let mut places = Vec::with_capacity(part.len());
        let mut total = 0;
        for size in &sizes[part.clone()] {
            places.push(total);
            total += size;
        }
        words.resize(total, 0);
        self.keys(columns, |document, key| {
            // Buckets before the part wrap around and are as far outside as those behind it.
            if let Some(place) = places.get_mut(packing.bucket(key).wrapping_sub(part.start)) {
                words[*place] = packing.word(key, document);
                *place += 1;
            }
        })
    }
}

/// How a key and its document become a bucket and a word.
#[derive(Debug, Clone, Copy)]
struct Packing {
    bucket_bits: u32,
    document_mask: u64,
}

impl Packing {
    fn new(documents: u32, columns: usize) -> Self {
        let keys = u64::from(documents) * columns as u64;
        let bucket_bits = (keys / BUCKET_KEYS).max(1).ilog2().clamp(BUCKET_BITS_MIN, BUCKET_BITS_MAX);
        let document_bits = 32 - documents.saturating_sub(1).leading_zeros();
        Self { bucket_bits, document_mask: (1 << document_bits) - 1 }
    }

    fn buckets(self) -> usize {
        1 << self.bucket_bits
    }

    fn bucket(self, key: u64) -> usize {
        (key >> (64 - self.bucket_bits)) as usize
    }

    fn word(self, key: u64, document: u32) -> u64 {
        (key << self.bucket_bits) & !self.document_mask | u64::from(document)
    }
}

/// How many of the first buckets fit into memory together, at least one.
fn buckets_that_fit(sizes: &[usize], capacity: usize) -> usize {
    let mut total = 0;
    let fitting = sizes.iter().take_while(|size| {
        total += **size;
        total <= capacity
    });
    fitting.count().max(1)
}

/// Hands out some buckets at a time.
struct Jobs<'a> {
    words: &'a mut [u64],
    sizes: &'a [usize],
    keys_max: usize,
}

impl<'a> Iterator for Jobs<'a> {
    type Item = (&'a mut [u64], &'a [usize]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.sizes.is_empty() {
            return None;
        }
        let buckets = buckets_that_fit(self.sizes, self.keys_max);
        let (sizes, sizes_left) = self.sizes.split_at(buckets);
        let (words, words_left) = std::mem::take(&mut self.words).split_at_mut(sizes.iter().sum());
        (self.sizes, self.words) = (sizes_left, words_left);
        Some((words, sizes))
    }
}

/// Some buckets, to be sorted and read off.
pub(crate) struct SortedRuns<'a> {
    words: &'a mut [u64],
    sizes: &'a [usize],
    document_mask: u64,
}

impl SortedRuns<'_> {
    /// Shows all runs of two or more documents. The members of a run ascend, and each stands there once.
    pub fn for_each(self, mut see: impl FnMut(&[u32]) -> Result<(), Error>) -> Result<(), Error> {
        let mut members = Vec::new();
        let mut words = self.words;
        for size in self.sizes {
            let bucket;
            (bucket, words) = words.split_at_mut(*size);
            bucket.sort_unstable();
            let is_same = |left: &u64, right: &u64| (left ^ right) & !self.document_mask == 0;
            for run in bucket.chunk_by(is_same).filter(|run| run.len() > 1) {
                members.clear();
                members.extend(run.iter().map(|word| (word & self.document_mask) as u32));
                members.dedup();
                if members.len() > 1 {
                    see(&members)?;
                }
            }
        }
        Ok(())
    }
}
