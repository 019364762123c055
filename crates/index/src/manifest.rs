//! The manifest: which segments are the index that counts, and what they hold.
//!
//! ```text
//! index/manifest.json        names the segments; replaced by a rename, which is the moment of commitment
//! index/segment-N/           the files of one build, never changed
//! index/building/            runs and files in the making; whoever builds next deletes what a crash left here
//! index/lock                 held while building
//! ```
//!
//! Segments stand in the order of their documents. A build either replaces all of them or adds one; a folder that the
//! manifest does not name is removed by the next build.
//!
//! The manifest is JSON, for people and scripts. `xxh3` is the checksum of `index` as `serde_json` writes it without
//! spaces: reformatting does not hurt, changing a value does.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{Error, FORMAT_VERSION};

/// The binary files of a segment, in the order in which the manifest lists their checksums.
pub(crate) const FILE_NAMES: [&str; 8] =
    ["terms", "blocks", "postings", "positions", "skips", "keys", "lengths", "filter"];

const MANIFEST: &str = "manifest.json";

/// What is in an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexReport {
    /// Documents.
    pub documents: u64,
    /// Distinct terms of each segment, summed: a term of two segments counts twice.
    pub terms: u64,
    /// Pairs of a term and a document in which it occurs.
    pub postings: u64,
    /// Words in all documents.
    pub occurrences: u64,
    /// Size of the index on disk.
    pub bytes: u64,
    /// Sorted runs that had to be merged.
    pub runs: u64,
    /// Segments.
    pub segments: u64,
}

/// What is in a segment; the fields are those of [`IndexReport`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentCounts {
    pub(crate) documents: u64,
    pub(crate) terms: u64,
    pub(crate) postings: u64,
    pub(crate) occurrences: u64,
    pub(crate) bytes: u64,
    pub(crate) runs: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentEntry {
    pub(crate) folder: String,
    /// How far the segments up to this one cover the source, in the words of whoever built it.
    pub(crate) source_stamp: String,
    pub(crate) counts: SegmentCounts,
    pub(crate) header_checksums: [u64; FILE_NAMES.len()],
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// At least one.
    pub(crate) segments: Vec<SegmentEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed<M> {
    format: String,
    version: u32,
    index: M,
    xxh3: String,
}

/// Only what tells another version from damage.
#[derive(Deserialize)]
struct VersionOnly {
    format: String,
    version: u32,
}

impl Manifest {
    /// What all segments hold together.
    pub(crate) fn report(&self) -> IndexReport {
        let mut report = IndexReport { segments: self.segments.len() as u64, ..IndexReport::default() };
        for SegmentEntry { counts, .. } in &self.segments {
            report.documents += counts.documents;
            report.terms += counts.terms;
            report.postings += counts.postings;
            report.occurrences += counts.occurrences;
            report.bytes += counts.bytes;
            report.runs += counts.runs;
        }
        report
    }

    /// How far the index covers its source.
    pub(crate) fn source_stamp(&self) -> &str {
        self.segments.last().map_or("", |segment| &segment.source_stamp)
    }

    /// Reads the manifest of the index folder `dir`.
    pub(crate) fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(MANIFEST);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Missing { path: dir.to_owned() });
            }
            Err(error) => return Err(Error::io("read", &path)(error)),
        };
        let version: VersionOnly =
            serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error.to_string()))?;
        if version.format != "crivello-index" {
            return Err(Error::Foreign { path });
        }
        if version.version != FORMAT_VERSION {
            return Err(Error::Version { path, found: version.version, readable: FORMAT_VERSION });
        }
        let sealed: Sealed<Manifest> =
            serde_json::from_slice(&text).map_err(|error| Error::damaged(&path, error.to_string()))?;
        if sealed.xxh3 != sealed.index.checksum() {
            return Err(Error::damaged(&path, "a value is not the one that was written"));
        }
        if sealed.index.segments.is_empty() {
            return Err(Error::damaged(&path, "it names no segment"));
        }
        Ok(sealed.index)
    }

    /// Makes this the manifest of `dir`: before the rename the old index counts, after it the new one.
    pub(crate) fn commit(&self, dir: &Path) -> Result<(), Error> {
        let sealed = Sealed {
            format: "crivello-index".to_owned(),
            version: FORMAT_VERSION,
            index: self,
            xxh3: self.checksum(),
        };
        let text = serde_json::to_vec_pretty(&sealed).expect("numbers and strings are always JSON");
        let (temporary, path) = (dir.join("manifest.json.new"), dir.join(MANIFEST));
        let mut file = std::fs::File::create(&temporary).map_err(Error::io("create", &temporary))?;
        file.write_all(&text).map_err(Error::io("write", &temporary))?;
        file.sync_all().map_err(Error::io("sync", &temporary))?;
        std::fs::rename(&temporary, &path).map_err(Error::io("rename", &temporary))?;
        sync_folder(dir)
    }

    fn checksum(&self) -> String {
        let text = serde_json::to_vec(self).expect("numbers and strings are always JSON");
        format!("{:016x}", xxh3_64(&text))
    }
}

/// Makes renames in a folder survive a power cut.
pub(crate) fn sync_folder(dir: &Path) -> Result<(), Error> {
    let folder = std::fs::File::open(dir).map_err(Error::io("open", dir))?;
    folder.sync_all().map_err(Error::io("sync", dir))
}
