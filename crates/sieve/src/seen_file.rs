//! All fingerprints that ever passed, sorted, in one file that is written anew by each merge.
//!
//! ```text
//! file = magic (8) count (u64) fingerprint (u64)* checksum of the fingerprints (u64, XXH3)
//! ```
//!
//! Numbers are little-endian. The length is checked when the file is opened, the checksum and the order by the merge,
//! which reads every byte anyway.

use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err as fs;
use xxhash_rust::xxh3::Xxh3Default;

use crate::Error;

/// What the file begins with.
pub const SEEN_MAGIC: [u8; 8] = *b"CRVSEEN1";
const BUFFER_BYTES: usize = 256 << 10;

/// The old list, read from front to back.
pub(crate) struct SeenReader {
    path: PathBuf,
    file: BufReader<fs::File>,
    left: u64,
    last: Option<u64>,
    hash: Xxh3Default,
}

impl SeenReader {
    pub(crate) fn open(path: &Path, expected_count: u64) -> Result<Self, Error> {
        let damaged = |what| Error::Damaged { path: path.to_owned(), what };
        let mut file = BufReader::with_capacity(BUFFER_BYTES, fs::File::open(path)?);
        let mut header = [0; 16];
        file.read_exact(&mut header).map_err(|_| damaged("it is cut off"))?;
        let count = u64::from_le_bytes(header[8..].try_into().expect("eight bytes"));
        if header[..8] != SEEN_MAGIC || count != expected_count {
            return Err(damaged("it is not the list that the sieve's state names"));
        }
        let length = count.checked_mul(8).and_then(|bytes| bytes.checked_add(24));
        if Some(file.get_ref().metadata()?.len()) != length {
            return Err(damaged("its length is wrong"));
        }
        Ok(Self { path: path.to_owned(), file, left: count, last: None, hash: Xxh3Default::new() })
    }

    /// The next fingerprint; at the end the checksum is compared.
    pub(crate) fn next(&mut self) -> Result<Option<u64>, Error> {
        let mut bytes = [0; 8];
        self.file.read_exact(&mut bytes)?;
        let value = u64::from_le_bytes(bytes);
        if self.left == 0 {
            let sound = value == self.hash.digest();
            return if sound { Ok(None) } else { Err(self.damaged("the checksum is wrong")) };
        }
        if self.last.is_some_and(|last| last >= value) {
            return Err(self.damaged("it is not sorted"));
        }
        self.hash.update(&bytes);
        self.left -= 1;
        self.last = Some(value);
        Ok(Some(value))
    }

    fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged { path: self.path.clone(), what }
    }
}

/// Checks a list from front to back and shows every fingerprint with the byte where it stands, whatever sieve it belongs
/// to.
pub fn scan_seen(path: &Path, mut see: impl FnMut(u64, u64)) -> Result<(), Error> {
    let mut header = [0; 16];
    let mut byte = header.len() as u64;
    let cut = |_| Error::Damaged { path: path.to_owned(), what: "it is cut off" };
    fs::File::open(path)?.read_exact(&mut header).map_err(cut)?;
    let count = u64::from_le_bytes(header[8..].try_into().expect("eight bytes"));
    let mut reader = SeenReader::open(path, count)?;
    while let Some(fingerprint) = reader.next()? {
        see(byte, fingerprint);
        byte += size_of::<u64>() as u64;
    }
    Ok(())
}

/// The file of a list.
pub(crate) fn seen_path(dir: &Path, generation: u64) -> PathBuf {
    dir.join(seen_name(generation))
}

pub(crate) fn seen_name(generation: u64) -> String {
    format!("seen-{generation}")
}

/// Removes lists that the state does not name: they were being written when the last process ended.
pub(crate) fn remove_other_lists(dir: &Path, generation: u64) -> Result<(), Error> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("seen-") && name != seen_name(generation) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The new list. It counts only once the sieve's state names it.
pub(crate) struct SeenWriter {
    file: BufWriter<fs::File>,
    hash: Xxh3Default,
    count: u64,
}

impl SeenWriter {
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, fs::File::create(path)?);
        file.write_all(&SEEN_MAGIC)?;
        file.write_all(&[0; 8])?;
        Ok(Self { file, hash: Xxh3Default::new(), count: 0 })
    }

    pub(crate) fn push(&mut self, fingerprint: u64) -> Result<(), Error> {
        let bytes = fingerprint.to_le_bytes();
        self.hash.update(&bytes);
        self.count += 1;
        Ok(self.file.write_all(&bytes)?)
    }

    /// Ends the list, waits for the disk, and tells how many it has.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        self.file.write_all(&self.hash.digest().to_le_bytes())?;
        let mut file = self.file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(SEEN_MAGIC.len() as u64))?;
        file.write_all(&self.count.to_le_bytes())?;
        file.sync_all()?;
        Ok(self.count)
    }
}
