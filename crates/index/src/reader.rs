//! Reading an index.
//!
//! Opening reads the manifest, maps seven files and verifies what every search goes through: headers, the table of
//! dictionary blocks, lengths and keys (12 bytes per document). Lists are verified when they are first used.
//!
//! An open index is a snapshot: a later build replaces the folder, not the maps of those who already read it.

use std::path::Path;

use crate::bits::bytes_of_bits;
use crate::cursor::PostingsCursor;
use crate::dictionary::{DictionaryReader, TermEntry};
use crate::file::{EnvelopeReader, u32_at, u64_at};
use crate::manifest::{FILE_NAMES, IndexReport, Manifest};
use crate::postings::SKIP_BYTES;
use crate::{END, Error};

/// An inverted index, open for reading. Any number of threads may share one.
#[derive(Debug)]
pub struct Index {
    manifest: Manifest,
    dictionary: DictionaryReader,
    postings: EnvelopeReader,
    positions: EnvelopeReader,
    skips: EnvelopeReader,
    keys: EnvelopeReader,
    lengths: EnvelopeReader,
}

impl Index {
    /// Opens the index of the folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let manifest = Manifest::read(dir)?;
        match Self::open_generation(dir, manifest.clone()) {
            // A build may have committed and deleted this generation since the manifest was read.
            Err(error) => match Manifest::read(dir)? {
                newer if newer != manifest => Self::open_generation(dir, newer),
                _ => Err(error),
            },
            opened => opened,
        }
    }

    fn open_generation(dir: &Path, manifest: Manifest) -> Result<Self, Error> {
        let folder = dir.join(manifest.folder_name());
        let open = |number: usize, kind| {
            EnvelopeReader::open(&folder.join(FILE_NAMES[number]), kind, manifest.header_checksums[number])
        };
        let index = Self {
            dictionary: DictionaryReader::new(open(0, *b"term")?, open(1, *b"blck")?)?,
            postings: open(2, *b"post")?,
            positions: open(3, *b"posi")?,
            skips: open(4, *b"skip")?,
            keys: open(5, *b"keys")?,
            lengths: open(6, *b"leng")?,
            manifest,
        };
        let documents = index.manifest.report.documents;
        for (file, width) in [(&index.keys, 8), (&index.lengths, 4)] {
            if documents >= u64::from(END) || file.all_bytes()?.len() as u64 != documents * width {
                return Err(Error::damaged(file.path(), "it does not have one entry for each document"));
            }
        }
        Ok(index)
    }

    /// How many documents there are; they are numbered from 0.
    pub fn documents(&self) -> u32 {
        self.manifest.report.documents as u32
    }

    /// Words per document, titles included; 0 without documents.
    pub fn average_length(&self) -> f64 {
        self.manifest.report.occurrences as f64 / self.manifest.report.documents.max(1) as f64
    }

    /// What the build was told about its source.
    pub fn source_stamp(&self) -> &str {
        &self.manifest.source_stamp
    }

    /// What the build reported.
    pub fn report(&self) -> &IndexReport {
        &self.manifest.report
    }

    /// Looks a term up, as [`crate::Analyzer`] gives it, and verifies its list; `None`: it occurs nowhere.
    pub fn term(&self, term: &str) -> Result<Option<TermEntry>, Error> {
        let Some(entry) = self.dictionary.find(term)? else { return Ok(None) };
        self.postings.bytes(bytes_of_bits(&entry.postings, self.postings.payload_bytes()))?;
        let skips = entry.skips.start.saturating_mul(SKIP_BYTES)..entry.skips.end.saturating_mul(SKIP_BYTES);
        self.skips.bytes(skips)?;
        Ok(Some(entry))
    }

    /// A cursor on the first document of a term. The entry has to come from [`Index::term`] of this index.
    pub fn cursor(&self, entry: &TermEntry) -> PostingsCursor<'_> {
        PostingsCursor::new(entry, &self.postings, &self.skips, &self.positions)
    }

    /// How many words the document has, title included; 0 for a number that no document has.
    #[inline]
    pub fn doc_length(&self, doc: u32) -> u32 {
        let at = u64::from(doc) * 4;
        let bytes = self.lengths.verified_bytes(at..at + 4);
        if bytes.is_empty() { 0 } else { u32_at(bytes, 0) }
    }

    /// The key under which the document was added; 0 for a number that no document has.
    pub fn doc_key(&self, doc: u32) -> u64 {
        let at = u64::from(doc) * 8;
        let bytes = self.keys.verified_bytes(at..at + 8);
        if bytes.is_empty() { 0 } else { u64_at(bytes, 0) }
    }
}
