//! Sorting records of a fixed size.

use std::path::{Path, PathBuf};

use super::SortRecord;
use super::merge::Merge;
use super::runs::RunFile;
use crate::Error;

/// So many records are gathered at least, whatever the budget.
const BUFFER_RECORDS_MIN: usize = 1 << 10;

/// Sorts a buffer in memory: for records whose bits allow more than comparing them.
pub trait BufferSort<T> {
    /// Brings the records into their order.
    fn sort(&mut self, records: &mut Vec<T>);
}

/// Sorts by comparing, whatever the records are.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByComparison;

impl<T: Ord> BufferSort<T> for ByComparison {
    fn sort(&mut self, records: &mut Vec<T>) {
        records.sort_unstable();
    }
}

/// Takes records in any order and gives them back in theirs.
///
/// ```
/// # let scratch = tempfile::tempdir().unwrap();
/// let mut sort = journal::ExternalSort::once(scratch.path(), 64 << 10);
/// for number in (0..100_000u64).rev() {
///     sort.push(number / 2)?;
/// }
/// let mut sorted = sort.finish()?;
/// assert_eq!((sorted.next()?, sorted.next()?), (Some(0), Some(1)));
/// # Ok::<(), journal::Error>(())
/// ```
#[derive(Debug)]
pub struct ExternalSort<T, S = ByComparison> {
    scratch: PathBuf,
    memory_bytes: usize,
    is_once: bool,
    buffer: Vec<T>,
    buffer_max: usize,
    buffer_sort: S,
    runs: Option<RunFile>,
}

impl<T: SortRecord> ExternalSort<T> {
    /// Gives back each record as often as it came. What does not fit into memory goes to a file in `scratch`.
    pub fn new(scratch: &Path, memory_bytes: usize) -> Self {
        Self::with(scratch, memory_bytes, false, ByComparison)
    }

    /// Gives back equal records once.
    pub fn once(scratch: &Path, memory_bytes: usize) -> Self {
        Self::with(scratch, memory_bytes, true, ByComparison)
    }
}

impl<T: SortRecord, S: BufferSort<T>> ExternalSort<T, S> {
    /// Sorts buffers in a way of the caller's, who also knows what memory that takes beside them.
    pub fn with(scratch: &Path, memory_bytes: usize, is_once: bool, buffer_sort: S) -> Self {
        let buffer_max = (memory_bytes / size_of::<T>()).max(BUFFER_RECORDS_MIN);
        let scratch = scratch.to_owned();
        Self { scratch, memory_bytes, is_once, buffer: Vec::new(), buffer_max, buffer_sort, runs: None }
    }

    /// Takes a record.
    #[inline]
    pub fn push(&mut self, record: T) -> Result<(), Error> {
        if self.buffer.len() >= self.buffer.capacity().min(self.buffer_max) {
            self.make_room()?;
        }
        self.buffer.push(record);
        Ok(())
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Error> {
        if self.buffer.len() >= self.buffer_max {
            self.sort_buffer();
            // Where most records are repeats, one run can take many buffers.
            if self.buffer.len() <= self.buffer_max / 2 {
                return Ok(());
            }
            return self.spill();
        }
        // Doubling on its own would overshoot the budget by up to a half.
        let more = self.buffer.len().max(BUFFER_RECORDS_MIN).min(self.buffer_max - self.buffer.len());
        self.buffer.reserve_exact(more);
        Ok(())
    }

    fn sort_buffer(&mut self) {
        self.buffer_sort.sort(&mut self.buffer);
        if self.is_once {
            self.buffer.dedup();
        }
    }

    /// Writes the buffer, which is sorted.
    fn spill(&mut self) -> Result<(), Error> {
        let mut runs = match self.runs.take() {
            None => RunFile::create(&self.scratch, self.memory_bytes)?,
            Some(full) if full.is_full() => {
                Merge::<T>::of(full, self.is_once)?.into_one_run(&self.scratch, self.memory_bytes)?
            }
            Some(runs) => runs,
        };
        runs.write_records(&self.buffer)?;
        self.buffer.clear();
        self.runs = Some(runs);
        Ok(())
    }

    /// Sorts what is left and begins to merge.
    pub fn finish(mut self) -> Result<Sorted<T>, Error> {
        self.sort_buffer();
        if self.runs.is_some() {
            self.spill()?;
        }
        let total = self.runs.as_ref().map_or(self.buffer.len() as u64, RunFile::records);
        let source = match self.runs {
            None => Source::Memory(self.buffer.into_iter()),
            Some(runs) => {
                drop(self.buffer);
                Source::Runs(Merge::of(runs, self.is_once)?)
            }
        };
        Ok(Sorted { source, total })
    }
}

/// Gives records in order.
#[derive(Debug)]
pub struct Sorted<T> {
    source: Source<T>,
    total: u64,
}

#[derive(Debug)]
enum Source<T> {
    Memory(std::vec::IntoIter<T>),
    Runs(Merge<T>),
}

impl<T: SortRecord> Sorted<T> {
    /// Gives the next record.
    // Not an iterator: reading may fail.
    #[inline]
    #[expect(
        clippy::should_implement_trait,
        reason = "it gives a result of an option, for `?` and `while let`"
    )]
    pub fn next(&mut self) -> Result<Option<T>, Error> {
        match &mut self.source {
            Source::Memory(records) => Ok(records.next()),
            Source::Runs(merge) => merge.next(),
        }
    }

    /// Tells how many records were taken so far, of how many; repeats that are not given count here.
    pub fn progress(&self) -> (u64, u64) {
        let taken = match &self.source {
            Source::Memory(records) => self.total - records.len() as u64,
            Source::Runs(merge) => merge.taken(),
        };
        (taken, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted<T: SortRecord>(mut sort: ExternalSort<T>, records: &[T]) -> Vec<T> {
        records.iter().for_each(|record| sort.push(record.clone()).unwrap());
        let mut sorted = sort.finish().unwrap();
        let found = std::iter::from_fn(|| sorted.next().unwrap()).collect();
        let (taken, total) = sorted.progress();
        assert_eq!(taken, total);
        found
    }

    fn check<T: SortRecord + std::fmt::Debug>(records: &[T], memory_bytes: usize, is_once: bool) {
        let scratch = tempfile::tempdir().unwrap();
        let begin = if is_once { ExternalSort::once } else { ExternalSort::new };
        let mut expected = records.to_vec();
        expected.sort_unstable();
        if is_once {
            expected.dedup();
        }
        assert_eq!(sorted(begin(scratch.path(), memory_bytes), records), expected);
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left behind");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn any_amount_is_sorted_with_any_memory(
            seed in any::<u64>(), count in 0u64..40_000, distinct in prop_oneof![1..50u64, 1..60_000u64, Just(u64::MAX)],
            memory_bytes in 0usize..400_000, is_once in any::<bool>(),
        ) {
            let numbers: Vec<u64> =
                (0..count).map(|n| (n ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) % distinct).collect();
            check(&numbers, memory_bytes, is_once);
            let pairs: Vec<(u64, u64)> = numbers.iter().map(|number| (number / 3, number % 3)).collect();
            check(&pairs, memory_bytes, is_once);
            let long: Vec<u128> = numbers.iter().map(|number| u128::from(*number) << 60 | 5).collect();
            check(&long, memory_bytes, is_once);
        }
    }

    #[test]
    fn more_runs_than_are_merged_at_once_come_back_in_order() {
        let numbers: Vec<u64> =
            (0..600_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44).collect();
        for is_once in [false, true] {
            check(&numbers, 0, is_once);
        }
    }

    #[test]
    fn two_sorts_in_one_folder_do_not_meet() {
        let scratch = tempfile::tempdir().unwrap();
        let mut sorts = [1, 2].map(|_| ExternalSort::new(scratch.path(), 0));
        for number in (0..5000u64).rev() {
            sorts[0].push(number).unwrap();
            sorts[1].push(2 * number).unwrap();
        }
        for (sort, step) in sorts.into_iter().zip([1, 2]) {
            let mut sorted = sort.finish().unwrap();
            for number in 0..5000 {
                assert_eq!(sorted.next().unwrap(), Some(step * number));
            }
        }
    }
}
