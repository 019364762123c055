//! Sorting more numbers than fit into memory.
//!
//! Numbers are gathered until the memory is full, sorted, and written as a run; at the end the runs are merged. When
//! there are many runs they are merged into one, so that few files are open at a time. O(n log n) comparisons, each
//! number is written about once. The runs are taken away when the sorter goes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{BufReader, BufWriter, Read, Write};
use std::mem;
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::Error;

/// The most runs that are merged at once.
const RUNS_MAX: usize = 64;

/// A number of fixed width.
pub(crate) trait Number: Copy + Ord + Send {
    /// Writes it, little end first.
    fn write(self, to: &mut impl Write) -> std::io::Result<()>;
    /// Reads one, or none at the end.
    fn read(from: &mut impl Read) -> std::io::Result<Option<Self>>;
}

macro_rules! number {
    ($type:ty) => {
        impl Number for $type {
            fn write(self, to: &mut impl Write) -> std::io::Result<()> {
                to.write_all(&self.to_le_bytes())
            }

            fn read(from: &mut impl Read) -> std::io::Result<Option<Self>> {
                let mut bytes = [0; size_of::<$type>()];
                // The first byte alone, to tell the end of the file from the middle of a number.
                if from.read(&mut bytes[..1])? == 0 {
                    return Ok(None);
                }
                from.read_exact(&mut bytes[1..])?;
                Ok(Some(<$type>::from_le_bytes(bytes)))
            }
        }
    };
}

number!(u64);
number!(u128);

/// Gathers numbers and gives them back in ascending order.
pub(crate) struct ExternalSorter<T> {
    folder: PathBuf,
    name: &'static str,
    /// Equal numbers are given back once. Otherwise as often as they came.
    once: bool,
    buffer: Vec<T>,
    buffer_max: usize,
    runs: Vec<Run>,
    runs_made: usize,
}

impl<T: Number> ExternalSorter<T> {
    /// With so much memory, and runs of this name in a folder.
    pub fn new(folder: &Path, name: &'static str, once: bool, memory_bytes: u64) -> Self {
        let buffer_max = usize::try_from(memory_bytes).unwrap_or(usize::MAX) / size_of::<T>();
        Self {
            folder: folder.to_owned(),
            name,
            once,
            buffer: Vec::new(),
            buffer_max: buffer_max.max(1024),
            runs: Vec::new(),
            runs_made: 0,
        }
    }

    /// Takes a number.
    pub fn push(&mut self, number: T) -> Result<(), Error> {
        if self.buffer.len() == self.buffer_max {
            self.spill()?;
        }
        self.buffer.push(number);
        Ok(())
    }

    fn sort_buffer(&mut self) {
        self.buffer.sort_unstable();
        if self.once {
            self.buffer.dedup();
        }
    }

    fn spill(&mut self) -> Result<(), Error> {
        self.sort_buffer();
        // Where most numbers are repeats, one run can take many buffers.
        if self.buffer.len() <= self.buffer_max / 2 {
            return Ok(());
        }
        let mut buffer = mem::take(&mut self.buffer);
        let mut run = self.begin_run()?;
        for number in buffer.drain(..) {
            run.write(number)?;
        }
        self.runs.push(run.end()?);
        self.buffer = buffer;
        if self.runs.len() == RUNS_MAX {
            let runs = mem::take(&mut self.runs);
            let mut merged = self.begin_run()?;
            let mut sorted = Sorted::<T>::merge(Vec::new(), runs, self.once)?;
            while let Some(number) = sorted.next()? {
                merged.write(number)?;
            }
            self.runs.push(merged.end()?);
        }
        Ok(())
    }

    fn begin_run(&mut self) -> Result<OpenRun, Error> {
        let path = self.folder.join(format!("{}.{}.run", self.name, self.runs_made));
        self.runs_made += 1;
        let file = BufWriter::with_capacity(1 << 18, fs::File::create(&path)?);
        Ok(OpenRun { run: Run { path, numbers: 0 }, file })
    }

    /// All numbers, in order.
    pub fn sorted(mut self) -> Result<Sorted<T>, Error> {
        self.sort_buffer();
        Sorted::merge(mem::take(&mut self.buffer), mem::take(&mut self.runs), self.once)
    }
}

/// A file of sorted numbers, which goes with its owner.
struct Run {
    path: PathBuf,
    numbers: u64,
}

impl Drop for Run {
    fn drop(&mut self) {
        // What is left behind is overwritten by the next sorter of that name.
        let _ = fs::remove_file(&self.path);
    }
}

struct OpenRun {
    run: Run,
    file: BufWriter<fs::File>,
}

impl OpenRun {
    fn write(&mut self, number: impl Number) -> Result<(), Error> {
        self.run.numbers += 1;
        Ok(number.write(&mut self.file)?)
    }

    fn end(mut self) -> Result<Run, Error> {
        self.file.flush()?;
        Ok(self.run)
    }
}

/// Numbers in ascending order.
pub(crate) struct Sorted<T> {
    buffer: std::vec::IntoIter<T>,
    readers: Vec<RunReader>,
    /// The first number of each run, and of the buffer, which counts as the last run.
    heads: BinaryHeap<Reverse<(T, usize)>>,
    once: bool,
    last: Option<T>,
    taken: u64,
    total: u64,
}

/// Reads a run, and notices if it is not what was written.
struct RunReader {
    file: BufReader<fs::File>,
    run: Run,
    left: u64,
}

impl RunReader {
    fn open<T: Number>(run: Run) -> Result<Self, Error> {
        let file = BufReader::with_capacity(1 << 18, fs::File::open(&run.path)?);
        let reader = Self { left: run.numbers, file, run };
        if reader.file.get_ref().metadata()?.len() != reader.left * size_of::<T>() as u64 {
            return Err(reader.damaged::<T>("it has not the length that was written"));
        }
        Ok(reader)
    }

    fn next<T: Number>(&mut self) -> Result<Option<T>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        match T::read(&mut self.file) {
            Ok(Some(number)) => {
                self.left -= 1;
                Ok(Some(number))
            }
            Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Err(error.into()),
            _ => Err(self.damaged::<T>("the end is missing")),
        }
    }

    fn damaged<T>(&self, what: &'static str) -> Error {
        let offset = (self.run.numbers - self.left) * size_of::<T>() as u64;
        Error::Damaged { path: self.run.path.clone(), offset, what }
    }
}

impl<T: Number> Sorted<T> {
    fn merge(buffer: Vec<T>, runs: Vec<Run>, once: bool) -> Result<Self, Error> {
        let mut readers = Vec::new();
        let mut total = buffer.len() as u64;
        for run in runs {
            total += run.numbers;
            readers.push(RunReader::open::<T>(run)?);
        }
        let count = readers.len();
        let (buffer, heads) = (buffer.into_iter(), BinaryHeap::new());
        let mut sorted = Self { buffer, readers, heads, once, last: None, taken: 0, total };
        for run in 0..=count {
            if let Some(number) = sorted.next_of(run)? {
                sorted.heads.push(Reverse((number, run)));
            }
        }
        Ok(sorted)
    }

    fn next_of(&mut self, run: usize) -> Result<Option<T>, Error> {
        match self.readers.get_mut(run) {
            Some(reader) => reader.next(),
            None => Ok(self.buffer.next()),
        }
    }

    /// How many numbers were taken so far, of how many, repeats included.
    pub fn progress(&self) -> (u64, u64) {
        (self.taken, self.total)
    }

    /// The next number.
    pub fn next(&mut self) -> Result<Option<T>, Error> {
        loop {
            let Some(Reverse((number, run))) = self.heads.pop() else { return Ok(None) };
            self.taken += 1;
            if let Some(next) = self.next_of(run)? {
                if next < number {
                    return Err(self.readers[run].damaged::<T>("the numbers are not in order"));
                }
                self.heads.push(Reverse((next, run)));
            }
            if !self.once || self.last != Some(number) {
                self.last = Some(number);
                return Ok(Some(number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_that_is_not_as_it_was_written_is_an_error() {
        let cut = |file: &std::fs::File| file.set_len(8000).unwrap();
        let long = |file: &std::fs::File| file.set_len(9000).unwrap();
        let mixed = |file: &std::fs::File| {
            std::os::unix::fs::FileExt::write_all_at(file, &[0; 8], 4096).unwrap();
        };
        type Spoil = fn(&std::fs::File);
        let table: [(&str, Spoil); 3] = [("length", cut), ("length", long), ("not in order", mixed)];
        for (expected, spoil) in table {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = ExternalSorter::new(folder.path(), "test", true, 0);
            (1..3000u64).for_each(|number| sorter.push(number).unwrap());
            let path = folder.path().join("test.0.run");
            spoil(&std::fs::File::options().write(true).open(&path).unwrap());
            let outcome = sorter.sorted().and_then(|mut sorted| {
                while sorted.next()?.is_some() {}
                Ok(())
            });
            let error = outcome.unwrap_err();
            assert!(
                matches!(&error, Error::Damaged { path: named, what, .. } if *named == path && what.contains(expected)),
                "{error}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn any_amount_is_sorted_with_any_memory(
            seed in any::<u64>(), count in 0u64..200_000, distinct in 1u64..300_000, once in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = ExternalSorter::new(folder.path(), "test", once, 0);
            let mut numbers: Vec<u64> =
                (0..count).map(|n| (n ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) % distinct).collect();
            for &number in &numbers {
                sorter.push(number).unwrap();
            }
            numbers.sort_unstable();
            if once {
                numbers.dedup();
            }
            let mut sorted = sorter.sorted().unwrap();
            for &number in &numbers {
                prop_assert_eq!(sorted.next().unwrap(), Some(number));
            }
            prop_assert_eq!(sorted.next().unwrap(), None);
            drop(sorted);
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
