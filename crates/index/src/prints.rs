//! Prints: a number for each document that whoever indexed it gave, to know later whether it would be indexed otherwise now.
//!
//! A segment has the file if a document of it has a print; the manifest names it. Where there is none, all prints are 0.
//!
//! ```text
//! prints   for each document of the segment: its print (u32)
//! ```

use std::path::{Path, PathBuf};

use journal::{SealedFile, SealedWriter};

use crate::Error;
use crate::file::{self, PRINTS_KIND};

const FILE: &str = "prints";

/// Takes the prints of the documents of a segment in their order.
pub(crate) struct PrintsWriter {
    path: PathBuf,
    /// Not before a print is none of 0.
    file: Option<SealedWriter>,
    documents: u64,
}

impl PrintsWriter {
    /// For a segment that is written to `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE), file: None, documents: 0 }
    }

    pub(crate) fn push(&mut self, print: u32) -> Result<(), Error> {
        if self.file.is_none() && print != 0 {
            let mut file = file::create(&self.path, PRINTS_KIND)?;
            for _ in 0..self.documents {
                file.put(&[0; 4])?;
            }
            self.file = Some(file);
        }
        if let Some(file) = &mut self.file {
            file.put(&print.to_le_bytes())?;
        }
        self.documents += 1;
        Ok(())
    }

    /// The identity of the file and its bytes, if there is one.
    pub(crate) fn finish(self) -> Result<Option<(u64, u64)>, Error> {
        let Some(file) = self.file else { return Ok(None) };
        let sealed = file.finish()?;
        Ok(Some((sealed.identity, sealed.file_bytes)))
    }
}

/// The prints of a segment.
#[derive(Debug, Default)]
pub(crate) struct Prints {
    file: Option<SealedFile>,
}

impl Prints {
    /// Opens and verifies those of a segment of so many documents that lies in `folder`.
    pub(crate) fn open(folder: &Path, identity: Option<u64>, documents: u64) -> Result<Self, Error> {
        let Some(identity) = identity else { return Ok(Self::default()) };
        let file = file::open(&folder.join(FILE), PRINTS_KIND, identity)?;
        if file.all_bytes()?.len() as u64 != documents.saturating_mul(4) {
            return Err(Error::damaged(file.path(), "it does not have one entry for each document"));
        }
        Ok(Self { file: Some(file) })
    }

    /// The print of a document of the segment.
    pub(crate) fn of(&self, document: u32) -> u32 {
        let at = 4 * u64::from(document);
        let bytes = self.file.as_ref().map_or(&[][..], |file| file.verified_bytes(at..at + 4));
        bytes.try_into().map_or(0, u32::from_le_bytes)
    }
}
