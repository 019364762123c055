//! Bytes that are in memory or mapped from a file, behind one type. Here alone files are mapped.

use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::Arc;

use fs_err as fs;
use memmap2::{Mmap, MmapMut, MmapOptions};

use crate::Error;

/// A stretch of bytes; cheap to clone and to cut, and shared between threads.
#[derive(Debug, Clone)]
pub struct Bytes {
    source: Source,
    range: Range<usize>,
}

#[derive(Debug, Clone)]
enum Source {
    Memory(Arc<[u8]>),
    Map(Arc<Mmap>),
}

impl Bytes {
    /// Maps a whole file. It has to be one that nobody changes in place, such as those that are sealed or renamed into
    /// their place; what is cut off while it is mapped ends the process that looks there.
    pub fn map(path: &Path) -> Result<Self, Error> {
        let file = fs::File::open(path)?;
        if file.metadata()?.len() == 0 {
            // The system maps no empty files.
            return Ok(Self::from(Vec::new()));
        }
        let map = map_file(&file)?;
        let range = 0..map.len();
        Ok(Self::from_map(map, range))
    }

    /// Takes over a part of a map, which reaches so far.
    pub(crate) fn from_map(map: Mmap, range: Range<usize>) -> Self {
        Self { source: Source::Map(Arc::new(map)), range }
    }

    /// Gives a part of these bytes, or nothing if they do not reach so far.
    pub fn cut(&self, part: Range<usize>) -> Option<Self> {
        if part.start > part.end || part.end > self.range.len() {
            return None;
        }
        let range = self.range.start + part.start..self.range.start + part.end;
        Some(Self { source: self.source.clone(), range })
    }
}

/// Maps a file that is not empty; see [`Bytes::map`] for which.
pub(crate) fn map_file(file: &fs::File) -> Result<Mmap, Error> {
    // SAFETY: the bytes behind a `&[u8]` must not change while they are borrowed. Files of ours are written under
    // another name, or in a folder that does not count yet, and renamed when they are whole; a later build writes new
    // files and removes the old ones, which leaves mapped pages alone. Of files that others wrote, the contract of
    // `Bytes::map` asks the same. Every pattern of bits is a valid `u8`, and whoever reads the bytes as something else
    // checks them.
    let map = unsafe { Mmap::map(file.file()) };
    Ok(map.map_err(|error| named(file, &error))?)
}

/// Maps the same so that this process may have copies of its pages.
pub(crate) fn map_privately(file: &fs::File) -> Result<MmapMut, Error> {
    // SAFETY: as above; and nobody writes to the map.
    let map = unsafe { MmapOptions::new().map_copy(file.file()) };
    Ok(map.map_err(|error| named(file, &error))?)
}

fn named(file: &fs::File, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot map `{}`: {error}", file.path().display()))
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

/// Reads the little-endian number in the eight bytes from `place` on; the caller knows that they are there.
#[inline]
pub fn u64_at(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(bytes[place..place + 8].try_into().expect("eight bytes were cut out"))
}

/// Reads the little-endian number in the four bytes from `place` on; the caller knows that they are there.
#[inline]
pub fn u32_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(bytes[place..place + 4].try_into().expect("four bytes were cut out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_from_maps_and_from_memory_alike() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bytes");
        for content in [&b""[..], b"0123456789"] {
            std::fs::write(&path, content).unwrap();
            for bytes in [Bytes::map(&path).unwrap(), Bytes::from(content.to_vec())] {
                assert_eq!(&*bytes, content);
                let part = bytes.cut(content.len() / 2..content.len()).unwrap();
                assert_eq!(&*part, &content[content.len() / 2..]);
                assert!(part.cut(0..content.len() + 1).is_none());
                assert_eq!(part.cut(0..0).unwrap().len(), 0);
            }
        }
        let error = Bytes::map(&dir.path().join("absent")).unwrap_err().to_string();
        assert!(error.contains("absent"), "{error}");
    }
}
