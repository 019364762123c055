//! Bytes that are in memory or mapped from a file, behind one type.

use std::fs::File;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use crate::Error;

/// A stretch of bytes; cheap to clone and to cut.
#[derive(Debug, Clone)]
pub(crate) struct Bytes {
    source: Source,
    range: Range<usize>,
}

#[derive(Debug, Clone)]
enum Source {
    Memory(Arc<[u8]>),
    Map(Arc<Mmap>),
}

impl Bytes {
    /// Maps a whole file.
    pub(crate) fn map(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::io("open", path))?;
        let length = file.metadata().map_err(Error::io("read the size of", path))?.len() as usize;
        if length == 0 {
            return Ok(Self::from(Vec::new()));
        }
        // SAFETY: files of a graph are never changed in place: they are written under another name and renamed, which
        // leaves mapped pages alone. Whatever the bytes are, they are only ever read as numbers, and checked.
        let map = unsafe { Mmap::map(&file) }.map_err(Error::io("map", path))?;
        let range = 0..map.len();
        Ok(Self { source: Source::Map(Arc::new(map)), range })
    }

    /// A part of these bytes, or nothing if they do not reach so far.
    pub(crate) fn cut(&self, part: Range<usize>) -> Option<Self> {
        if part.start > part.end || part.end > self.range.len() {
            return None;
        }
        let range = self.range.start + part.start..self.range.start + part.end;
        Some(Self { source: self.source.clone(), range })
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self { source: Source::Memory(bytes.into()), range }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.source {
            Source::Memory(bytes) => &bytes[self.range.clone()],
            Source::Map(map) => &map[self.range.clone()],
        }
    }
}

/// The eight bytes that start at `place`, as a little-endian number.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(bytes[place..place + 8].try_into().expect("eight bytes were cut out"))
}

/// The four bytes that start at `place`, as a little-endian number.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(bytes[place..place + 4].try_into().expect("four bytes were cut out"))
}
