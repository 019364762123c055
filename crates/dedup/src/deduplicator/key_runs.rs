//! Documents with equal keys, side by side.
//!
//! Problem: of n keys of a column, find the runs of documents that have the same. Method: each key and its document are
//! packed into one word of 64 bits, and the words are spread over buckets by their first bits, so that what is done in a
//! bucket stays in the cache, and threads can share the buckets. Nearly all keys are there once: a bucket first drops
//! those ([`RepeatFilter`]), and only what is left is sorted and read off. The bits that name the bucket are not stored,
//! so that with ten million documents about 50 bits of each key count; runs that are joined by accident do no harm, as
//! every pair is checked.
//!
//! Keys are hashes, so a bucket has room for little more than its share. A key that very many documents have makes its
//! bucket flow over into a list of its own. So one pass over the column is enough. Where a column does not fit into
//! memory, it is done in parts, each some buckets wide: the file is read once per part, and nothing is written.
//!
//! Where only runs with a document that is new are wanted, the keys of the new ones are read first, and of all others only
//! those are packed that may be equal to one of them: then a column costs one pass, and what is sorted is as little as
//! what is new.
//!
//! Cost: see `examples/clustering.rs` for the numbers. Memory: as given, and eight bytes for each document that flows
//! over, four times less than what the documents themselves need anyway.

use std::ops::Range;

use super::files::SketchFiles;
use crate::Error;
use crate::exact::ExactCopies;
use crate::execution::in_order_ahead;
use crate::repeat_filter::RepeatFilter;

/// Keys that a bucket has on average: they and their filter fit a second-level cache with ease.
const BUCKET_KEYS: u64 = 4096;

/// The first bits of a key name its bucket: enough for threads to share few keys, not so many that spreading them
/// spoils the cache.
const BUCKET_BITS_MIN: u32 = 6;
const BUCKET_BITS_MAX: u32 = 11;

/// The most keys that a thread takes at once.
const JOB_KEYS_MAX: usize = 1 << 16;

/// A part is cut into at least so many jobs for each thread, if it has the buckets: what a key costs is not known before,
/// as its documents may have to be read.
const JOBS_PER_THREAD_MIN: usize = 32;

/// How columns are sorted.
#[derive(Clone, Copy)]
pub(crate) struct KeySorter<'a> {
    pub files: &'a SketchFiles,
    pub copies: &'a ExactCopies,
    pub threads: usize,
    /// For the words of a part.
    pub memory_bytes: u64,
    /// Runs without a document from this one on are not wanted.
    pub first_new: u32,
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
        let capacity = usize::try_from(self.memory_bytes / 8).unwrap_or(usize::MAX);
        let part_buckets = (capacity / packing.bucket_room).clamp(1, packing.buckets());
        let job_keys = (capacity / (self.threads * 8)).clamp(1, JOB_KEYS_MAX);
        let jobs_min = self.threads * JOBS_PER_THREAD_MIN;
        let job_buckets = (job_keys / packing.bucket_room).min(part_buckets / jobs_min).max(1);
        let mut buckets = Buckets::new(part_buckets, packing.bucket_room);
        let new_keys = self.new_keys(columns.clone())?;
        for first in (0..packing.buckets()).step_by(part_buckets) {
            let part = first..(first + part_buckets).min(packing.buckets());
            self.spread(columns.clone(), packing, part.clone(), new_keys.as_ref(), &mut buckets)?;
            let work = |(worker, filter): &mut (Worker, RepeatFilter), buckets: SomeBuckets<'_>| {
                work(worker, SortedRuns { buckets, filter, document_mask: packing.document_mask })
            };
            let worker = || (worker(), RepeatFilter::new(packing.bucket_room));
            let jobs = buckets.jobs(part.len(), job_buckets);
            in_order_ahead(self.threads, part.len(), jobs, worker, work, &mut finish)?;
        }
        Ok(())
    }

    /// The keys of new documents, each as if it were seen twice; none if all documents are new.
    fn new_keys(&self, columns: Range<usize>) -> Result<Option<RepeatFilter>, Error> {
        if self.first_new == 0 {
            return Ok(None);
        }
        let new = self.files.documents().saturating_sub(self.first_new) as usize;
        let mut keys = RepeatFilter::new(new * columns.len());
        for column in columns {
            self.files.keys_from(column, self.first_new, |_, key| keys.see_twice(key))?;
        }
        Ok(Some(keys))
    }

    /// Packs the keys of some buckets, of the documents that are the first of their kind.
    fn spread(
        &self,
        columns: Range<usize>,
        packing: Packing,
        part: Range<usize>,
        new_keys: Option<&RepeatFilter>,
        buckets: &mut Buckets,
    ) -> Result<(), Error> {
        buckets.clear();
        columns.into_iter().try_for_each(|column| {
            self.files.keys(column, |document, key| {
                // Buckets before the part wrap around and are as far outside as those behind it.
                let bucket = packing.bucket(key).wrapping_sub(part.start);
                let is_wanted = new_keys.is_none_or(|new| new.may_be_repeat(key));
                if is_wanted && bucket < part.len() && self.copies.is_first(document) {
                    buckets.push(bucket, packing.word(key, document));
                }
            })
        })
    }
}

/// How a key and its document become a bucket and a word.
#[derive(Debug, Clone, Copy)]
struct Packing {
    bucket_bits: u32,
    /// The keys that a bucket has room for.
    bucket_room: usize,
    document_mask: u64,
}

impl Packing {
    fn new(documents: u32, columns: usize) -> Self {
        let keys = u64::from(documents) * columns as u64;
        let bucket_bits = (keys / BUCKET_KEYS).max(1).ilog2().clamp(BUCKET_BITS_MIN, BUCKET_BITS_MAX);
        let document_bits = 32 - documents.saturating_sub(1).leading_zeros();
        // Four standard deviations more than the mean, so that few buckets flow over.
        let mean = keys >> bucket_bits;
        let bucket_room = (mean + 4 * mean.isqrt() + 16) as usize;
        Self { bucket_bits, bucket_room, document_mask: (1 << document_bits) - 1 }
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

/// Words, bucket by bucket.
struct Buckets {
    /// Each bucket has the same room.
    words: Vec<u64>,
    room: usize,
    sizes: Vec<usize>,
    /// What a bucket has no room for.
    overflow: Vec<Vec<u64>>,
}

impl Buckets {
    fn new(count: usize, room: usize) -> Self {
        Self { words: vec![0; count * room], room, sizes: vec![0; count], overflow: vec![Vec::new(); count] }
    }

    fn clear(&mut self) {
        self.sizes.fill(0);
        self.overflow.iter_mut().for_each(|overflow| *overflow = Vec::new());
    }

    #[inline]
    fn push(&mut self, bucket: usize, word: u64) {
        let size = &mut self.sizes[bucket];
        if *size < self.room {
            self.words[bucket * self.room + *size] = word;
            *size += 1;
        } else {
            self.overflow[bucket].push(word);
        }
    }

    /// The first so many buckets, some at a time.
    fn jobs(&mut self, count: usize, at_a_time: usize) -> impl Iterator<Item = SomeBuckets<'_>> {
        let words = self.words[..count * self.room].chunks_mut(at_a_time * self.room);
        let sizes = self.sizes[..count].chunks(at_a_time);
        let overflow = self.overflow[..count].chunks_mut(at_a_time);
        let room = self.room;
        (words.zip(sizes).zip(overflow)).map(move |((words, sizes), overflow)| SomeBuckets {
            words,
            room,
            sizes,
            overflow,
        })
    }
}

/// Some buckets in a row.
struct SomeBuckets<'a> {
    words: &'a mut [u64],
    room: usize,
    sizes: &'a [usize],
    overflow: &'a mut [Vec<u64>],
}

/// Some buckets, to be sorted and read off.
pub(crate) struct SortedRuns<'a> {
    buckets: SomeBuckets<'a>,
    filter: &'a mut RepeatFilter,
    document_mask: u64,
}

impl SortedRuns<'_> {
    /// Shows all runs of two or more documents. The members of a run ascend, and each stands there once.
    pub fn for_each(self, mut see: impl FnMut(&[u32]) -> Result<(), Error>) -> Result<(), Error> {
        let SomeBuckets { words, room, sizes, overflow } = self.buckets;
        let mut members = Vec::new();
        let is_same = |left: &u64, right: &u64| (left ^ right) & !self.document_mask == 0;
        for ((words, size), overflow) in words.chunks_mut(room).zip(sizes).zip(overflow) {
            let bucket = if overflow.is_empty() {
                &mut words[..*size]
            } else {
                overflow.extend_from_slice(&words[..*size]);
                &mut overflow[..]
            };
            let repeats = self.filter.keep_repeats(bucket);
            repeats.sort_unstable();
            for run in repeats.chunk_by(is_same).filter(|run| run.len() > 1) {
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
