//! What can go wrong with an index, said to the person who has to act on it.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was attempted: `open`, `write`, `rename` …
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing has been committed in this folder yet.
    #[error("there is no index in `{}`", path.display())]
    Missing {
        /// The folder that was looked into.
        path: PathBuf,
    },
    /// The file is not one that an index is made of.
    #[error("`{}` is not a file of a Crivello index", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version of the format.
    #[error("cannot open index file `{}`: written by format {found}, this build reads {readable}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it says it has.
        found: u32,
        /// The version this build reads.
        readable: u32,
    },
    /// Bytes are missing or are not those that were written.
    #[error("index file `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not add up.
        reason: String,
    },
    /// Somebody else is building in the same folder.
    #[error("another process is building the index in `{}`", path.display())]
    Busy {
        /// The index folder.
        path: PathBuf,
    },
    /// The collection is larger than the format can number.
    #[error("too many {what}: this index format counts up to {limit}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The largest count.
        limit: u64,
    },
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::Missing { .. } => Some("make it with `crivello build DIR`"),
            Error::Foreign { .. } | Error::Version { .. } | Error::Damaged { .. } => {
                Some("make it anew with `crivello index DIR`; the stored pages are untouched")
            }
            Error::Busy { .. } => Some("wait until it has finished"),
            // What the system says is asked by whoever shows the error.
            Error::Io { .. } | Error::TooMany { .. } => None,
        }
    }

    /// For `map_err`: an `io::Error` that knows what was being done to which path.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Error {
        Error::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}
