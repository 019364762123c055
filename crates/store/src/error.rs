//! What can go wrong with a collection, told so that a person can act on it.

use std::io;
use std::path::PathBuf;

/// Everything that can be wrong with a collection or its store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// One of our journals is foreign, from another version or damaged.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// There is no such folder.
    #[error("there is no collection `{0}`")]
    Missing(PathBuf),
    /// The folder exists and is something else.
    #[error("`{0}` is not a Crivello collection (it has no manifest.json)")]
    NotACollection(PathBuf),
    /// The manifest cannot be understood.
    #[error("`{path}` cannot be read: {reason}")]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// What a crawl was told cannot be understood.
    #[error("cannot go on as before: `{path}` is damaged or from another version: {reason}")]
    Told {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Somebody else writes to it.
    #[error("`{0}` is in use by another crivello")]
    InUse(PathBuf),
    /// Records that were on the disk are no longer there.
    #[error("`{path}` has lost pages: {} stored safely, {found} can still be read", were_stored(*safe))]
    Lost {
        /// The store's folder.
        path: PathBuf,
        /// What was there.
        safe: u64,
        /// What is there.
        found: u64,
    },
    /// A WARC record is not what the table says.
    #[error("`{path}` is damaged at byte {offset}: {what}")]
    DamagedWarc {
        /// The WARC file.
        path: PathBuf,
        /// Where the record starts.
        offset: u64,
        /// What does not fit.
        what: &'static str,
    },
    /// A record with a good checksum and senseless fields.
    #[error("`{path}` holds a record at byte {offset} that this build cannot read")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where the record starts.
        offset: u64,
    },
}

fn were_stored(records: u64) -> String {
    format!("{} {}", page::counted(records, "record"), if records == 1 { "was" } else { "were" })
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing(_) => {
                Some("create it with `crivello crawl DIR URL…` or `crivello import DIR PATH…`")
            }
            Self::NotACollection(_) => Some("give a new or empty folder, or one that `crivello crawl` made"),
            Self::InUse(_) => Some("wait for the other one to end, or stop it"),
            Self::DamagedWarc { .. }
            | Self::Malformed { .. }
            | Self::Journal(journal::Error::Damaged { .. }) => {
                Some("restore the file from a backup; the other files of the store are untouched")
            }
            Self::Lost { .. } => Some(
                "restore `pages.tbl`, `links.log` and `warc` from a backup; to go on with what is left, delete the file `safe` beside them",
            ),
            Self::Told { .. } => Some(
                "delete the file and give the options and start addresses again; the stored pages are untouched",
            ),
            Self::Io(error) => journal::hint_for_io(error),
            Self::Journal(error) => error.hint(),
            Self::Manifest { .. } => {
                Some("restore it from a backup, or use the version of Crivello that wrote it")
            }
        }
    }
}
