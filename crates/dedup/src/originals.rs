//! Whose text it was first: the page and the site of each different text, in the order of arrival, in a scratch file.
//!
//! ```text
//! file = page (u32) site (u32), for each text; little-endian
//! ```
//!
//! Only pages that are copies ask, so that the last [`BLOCK`] texts are in memory and the rest takes one read. Of the file
//! the first page of each block is in memory, to find a text by its page: 4 bytes for each 512 of them.
//!
//! The file is scratch, like those of [`HammingIndex`](crate::hamming::HammingIndex): it has neither header nor checksum,
//! means nothing to another process, and is gone from its folder as soon as it is open. If the disk is full, texts stay in
//! memory until there is room.

use std::io;
use std::path::Path;

use fs_err as fs;
use fs_err::os::unix::fs::FileExt;

/// Texts that are written together.
pub(crate) const BLOCK: usize = 512;

const ENTRY_BYTES: usize = 8;

/// The page that had a text first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Original {
    pub(crate) id: u32,
    pub(crate) site: u32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Originals {
    file: fs::File,
    /// The page of the first text of each block that is in the file.
    firsts: Vec<u32>,
    /// Texts behind those.
    tail: Vec<Original>,
}

impl Originals {
    /// None yet, with a file in this folder, which is made if it is missing.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join("originals");
        let file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path)?;
        // It lives as long as it is open, whatever ends the process.
        fs::remove_file(&path)?;
        Ok(Self { file, firsts: Vec::new(), tail: Vec::new() })
    }

    pub(crate) fn len(&self) -> usize {
        self.written() + self.tail.len()
    }

    /// How many are in the file.
    fn written(&self) -> usize {
        self.firsts.len() * BLOCK
    }

    pub(crate) fn push(&mut self, original: Original) -> io::Result<()> {
        self.tail.push(original);
        if self.tail.len().is_multiple_of(BLOCK) {
            match self.write() {
                // They are tried again with the next block.
                Err(error) if journal::is_full_disk(&error) => {}
                outcome => return outcome,
            }
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let bytes: Vec<u8> = self.tail.iter().flat_map(|original| original.to_bytes()).collect();
        self.file.write_all_at(&bytes, (self.written() * ENTRY_BYTES) as u64)?;
        self.firsts.extend(self.tail.iter().step_by(BLOCK).map(|original| original.id));
        self.tail.clear();
        self.tail.shrink_to(BLOCK);
        Ok(())
    }

    /// The text that arrived at this place.
    pub(crate) fn at(&self, place: usize) -> io::Result<Original> {
        match place.checked_sub(self.written()) {
            Some(behind) => Ok(self.tail[behind]),
            None => {
                let mut bytes = [0; ENTRY_BYTES];
                self.file.read_exact_at(&mut bytes, (place * ENTRY_BYTES) as u64)?;
                Ok(Original::from_bytes(bytes))
            }
        }
    }

    /// The text that a page was the first to have, if pages came in the order of their numbers.
    pub(crate) fn of_page(&self, id: u32) -> io::Result<Option<Original>> {
        let is_in_tail = self.tail.first().is_some_and(|first| first.id <= id);
        if is_in_tail {
            let place = self.tail.binary_search_by_key(&id, |original| original.id);
            return Ok(place.ok().map(|place| self.tail[place]));
        }
        let Some(block) = self.firsts.partition_point(|first| *first <= id).checked_sub(1) else {
            return Ok(None);
        };
        let mut bytes = [0; BLOCK * ENTRY_BYTES];
        self.file.read_exact_at(&mut bytes, (block * BLOCK * ENTRY_BYTES) as u64)?;
        let (entries, _) = bytes.as_chunks::<ENTRY_BYTES>();
        let place = entries.binary_search_by_key(&id, |bytes| Original::from_bytes(*bytes).id);
        Ok(place.ok().map(|place| Original::from_bytes(entries[place])))
    }

    /// The memory in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.firsts.capacity() * size_of::<u32>() + self.tail.capacity() * size_of::<Original>()
    }
}

impl Original {
    fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        (u64::from(self.id) | u64::from(self.site) << 32).to_le_bytes()
    }

    fn from_bytes(bytes: [u8; ENTRY_BYTES]) -> Self {
        let both = u64::from_le_bytes(bytes);
        Self { id: both as u32, site: (both >> 32) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_place_and_by_page_and_take_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut originals = Originals::new(folder.path()).unwrap();
        assert_eq!(originals.of_page(3).unwrap(), None);
        let original = |place: u32| Original { id: 3 * place + 1, site: place % 5 };
        for place in 0..5000u32 {
            originals.push(original(place)).unwrap();
            for asked in [0, place / 2, place.saturating_sub(600), place] {
                assert_eq!(originals.at(asked as usize).unwrap(), original(asked));
                assert_eq!(originals.of_page(3 * asked + 1).unwrap(), Some(original(asked)));
                assert_eq!(originals.of_page(3 * asked).unwrap(), None, "no page has this number");
            }
        }
        assert_eq!((originals.len(), originals.of_page(15_001).unwrap()), (5000, None));
        assert!(originals.memory_bytes() < 5 << 10, "{} bytes", originals.memory_bytes());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file is left behind");
    }

    #[test]
    fn a_disk_that_is_full_loses_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut originals = Originals::new(folder.path()).unwrap();
        let room = std::mem::replace(
            &mut originals.file,
            fs::File::options().write(true).read(true).open("/dev/full").unwrap(),
        );
        let original = |place: u32| Original { id: place, site: place + 7 };
        (0..3 * BLOCK as u32).for_each(|place| originals.push(original(place)).unwrap());
        originals.file = room;
        (3 * BLOCK as u32..4000).for_each(|place| originals.push(original(place)).unwrap());
        assert!((0..4000).all(|place| originals.at(place as usize).unwrap() == original(place)));
        assert!((0..4000).all(|place| originals.of_page(place).unwrap() == Some(original(place))));
        assert!(originals.memory_bytes() < 20 << 10, "{} bytes", originals.memory_bytes());
    }
}
