//! What tells one set of files from another, without reading them.

use std::path::Path;
use std::time::UNIX_EPOCH;

use xxhash_rust::xxh3::Xxh3;

use super::Reading;

/// Takes in paths, lengths and dates of files, and how they are read.
pub struct Stamp(Xxh3);

impl Stamp {
    /// Begins with how files are read: the same ones read otherwise are other documents.
    pub fn new(reading: &Reading) -> Self {
        let mut hasher = Xxh3::new();
        hasher.update(format!("{reading:?}").as_bytes());
        Self(hasher)
    }

    /// Takes in a file.
    pub fn add(&mut self, path: &Path) {
        let metadata = path.metadata().ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let nanoseconds =
            modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map(|since| since.as_nanos());
        let bytes = metadata.map(|metadata| metadata.len());
        self.0.update(path.as_os_str().as_encoded_bytes());
        self.0.update(format!("\0{bytes:?} {nanoseconds:?}\n").as_bytes());
    }

    /// Remembers that the last file could not be read.
    pub fn leave_out(&mut self) {
        self.0.update(b"left out\n");
    }

    /// Gives all of it as a text.
    pub fn text(&self) -> String {
        format!("files {:032x}", self.0.digest128())
    }
}
