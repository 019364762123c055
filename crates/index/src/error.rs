//! What can go wrong with an index, said to the person who has to act on it.

use std::io;
use std::path::{Path, PathBuf};

/// Why an index could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written, is foreign, damaged or of another version, or somebody else builds.
    #[error(transparent)]
    File(#[from] journal::Error),
    /// Nothing has been committed in this folder yet.
    #[error("there is no index in `{}`", path.display())]
    Missing {
        /// The folder that was looked into.
        path: PathBuf,
    },
    /// The bytes are those that were written, but they do not add up.
    #[error("index file `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not add up.
        reason: String,
    },
    /// Words were taken apart otherwise when it was made.
    #[error("the index `{}` was made with version {found} of the analysis of words, this build has {expected}", path.display())]
    Analysis {
        /// The manifest.
        path: PathBuf,
        /// The version that it names.
        found: u32,
        /// The version of this build.
        expected: u32,
    },
    /// Two indexes take words apart differently, so no query fits both.
    #[error("`{}` and `{}` cannot be searched together: one knows more of words than the other", one.display(), other.display())]
    Analyses {
        /// The first index.
        one: PathBuf,
        /// The first that differs.
        other: PathBuf,
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
        const ANEW: &str = "make it anew with `crivello index DIR`; the stored pages are untouched";
        match self {
            Error::Missing { .. } => Some("make it with `crivello build DIR`"),
            Error::Damaged { .. } | Error::Analysis { .. } => Some(ANEW),
            Error::File(journal::Error::Busy { .. }) => Some("wait until it has finished"),
            // A file that the manifest names and that is not there is damage.
            Error::File(journal::Error::Io(error)) if error.kind() != io::ErrorKind::NotFound => {
                journal::hint_for_io(error)
            }
            Error::File(_) => Some(ANEW),
            Error::Analyses { .. } => {
                Some("make one of them anew by the command index, with --analysis full or --analysis plain")
            }
            Error::TooMany { .. } => None,
        }
    }

    /// Whether the index is sound but was made by an older version, of the format or of the analysis.
    pub fn is_of_older_format(&self) -> bool {
        match self {
            Error::Analysis { found, expected, .. } => found < expected,
            Error::File(journal::Error::Version { found, expected, .. }) => found < expected,
            _ => false,
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Error {
        Error::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::File(error.into())
    }
}
