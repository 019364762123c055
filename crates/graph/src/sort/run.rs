//! A sorted run on disk: the gaps between keys as bytes, and what is carried with each key.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::varint;
use crate::Error;

/// What is sorted: a key, and perhaps something small that is carried along.
pub(crate) trait Item: Copy + Ord + Send + Sync {
    /// Comes after every item.
    const LAST: Self;
    /// What it is sorted by first.
    fn key(&self) -> u64;
    /// What it is sorted by next, or zero.
    fn carried(&self) -> u64;
    /// Whether [`Item::carried`] is ever something else than zero.
    const CARRIES: bool;
    /// Puts the two together again.
    fn new(key: u64, carried: u64) -> Self;
}

impl Item for u64 {
    const LAST: Self = u64::MAX;
    const CARRIES: bool = false;

    #[inline]
    fn key(&self) -> u64 {
        *self
    }

    fn carried(&self) -> u64 {
        0
    }

    #[inline]
    fn new(key: u64, _carried: u64) -> Self {
        key
    }
}

impl Item for (u64, u64) {
    const LAST: Self = (u64::MAX, u64::MAX);
    const CARRIES: bool = true;

    #[inline]
    fn key(&self) -> u64 {
        self.0
    }

    fn carried(&self) -> u64 {
        self.1
    }

    #[inline]
    fn new(key: u64, carried: u64) -> Self {
        (key, carried)
    }
}

/// A run is read and written in pieces of this size.
const PIECE_BYTES: usize = 64 << 10;
/// No item takes more.
const ITEM_BYTES_MAX: usize = 20;

/// Many runs one behind the other in one scratch file.
#[derive(Debug)]
pub(super) struct RunFile {
    path: PathBuf,
    file: File,
    ends: Vec<u64>,
}

impl RunFile {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let options = File::options().read(true).write(true).create(true).truncate(true).open(path);
        let file = options.map_err(Error::io("create", path))?;
        // Whoever holds it can use it; nobody has to clean up after a crash.
        std::fs::remove_file(path).map_err(Error::io("remove", path))?;
        Ok(Self { path: path.to_owned(), file, ends: vec![0] })
    }

    /// Writes items that ascend; equal ones are written once.
    pub(super) fn write<T: Item>(&mut self, items: &[T]) -> Result<(), Error> {
        let mut out = BufWriter::with_capacity(PIECE_BYTES, &mut self.file);
        let mut bytes = Vec::with_capacity(PIECE_BYTES);
        let (mut before, mut length) = (None, 0);
        for item in items {
            if before == Some(*item) {
                continue;
            }
            varint::put(&mut bytes, item.key() - before.map_or(0, |before: T| before.key()));
            if T::CARRIES {
                varint::put(&mut bytes, item.carried());
            }
            before = Some(*item);
            if bytes.len() + ITEM_BYTES_MAX > PIECE_BYTES {
                out.write_all(&bytes).map_err(Error::io("write", &self.path))?;
                length += bytes.len() as u64;
                bytes.clear();
            }
        }
        out.write_all(&bytes).and_then(|()| out.flush()).map_err(Error::io("write", &self.path))?;
        drop(out);
        length += bytes.len() as u64;
        self.ends.push(self.ends.last().expect("there is a zero at the beginning") + length);
        Ok(())
    }

    /// A reader for each run.
    pub(super) fn readers<T: Item>(self) -> Result<Vec<RunReader<T>>, Error> {
        let ends = self.ends.windows(2);
        ends.map(|ends| {
            let file = self.file.try_clone().map_err(Error::io("open", &self.path))?;
            let (bytes, items) = (Vec::new(), Vec::new());
            Ok(RunReader {
                file,
                path: self.path.clone(),
                place: ends[0],
                end: ends[1],
                bytes,
                items,
                next: 0,
                key: 0,
            })
        })
        .collect()
    }
}

/// Gives the items of a run, a piece at a time.
#[derive(Debug)]
pub(super) struct RunReader<T> {
    file: File,
    path: PathBuf,
    place: u64,
    end: u64,
    bytes: Vec<u8>,
    items: Vec<T>,
    next: usize,
    key: u64,
}

impl<T: Item> RunReader<T> {
    /// The next item, or [`Item::LAST`] for ever.
    #[inline]
    pub(super) fn next(&mut self) -> Result<T, Error> {
        if self.next == self.items.len() {
            self.fill()?;
        }
        let item = self.items.get(self.next).copied().unwrap_or(T::LAST);
        self.next += usize::from(self.next < self.items.len());
        Ok(item)
    }

    fn fill(&mut self) -> Result<(), Error> {
        let kept = self.bytes.len();
        let wanted = (PIECE_BYTES - kept).min((self.end - self.place) as usize);
        self.bytes.resize(kept + wanted, 0);
        // All readers share one position of the file, so it is set anew each time.
        let mut file = &self.file;
        file.seek(SeekFrom::Start(self.place))
            .and_then(|_| file.read_exact(&mut self.bytes[kept..]))
            .map_err(Error::io("read", &self.path))?;
        self.place += wanted as u64;
        (self.next, self.items) = (0, std::mem::take(&mut self.items));
        self.items.clear();
        let mut rest = &self.bytes[..];
        let is_last = self.place == self.end;
        while !rest.is_empty() && (is_last || rest.len() >= ITEM_BYTES_MAX) {
            let damaged = || Error::damaged(&self.path, "a scratch file was changed");
            self.key += varint::take(&mut rest).ok_or_else(damaged)?;
            let carried = if T::CARRIES { varint::take(&mut rest).ok_or_else(damaged)? } else { 0 };
            self.items.push(T::new(self.key, carried));
        }
        let used = self.bytes.len() - rest.len();
        self.bytes.drain(..used);
        Ok(())
    }
}
