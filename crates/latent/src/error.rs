//! What can be wrong with a space on disk.

use std::path::{Path, PathBuf};

/// Why a space cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read or written, is foreign, damaged or of another version.
    #[error(transparent)]
    File(#[from] journal::Error),
    /// The bytes do not add up.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not add up.
        reason: &'static str,
    },
}

impl Error {
    pub(crate) fn damaged(path: &Path, reason: &'static str) -> Self {
        Self::Damaged { path: path.to_owned(), reason }
    }

    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::File(journal::Error::Io(error)) => journal::hint_for_io(error),
            _ => Some("make it anew with `crivello build DIR`; the stored pages are untouched"),
        }
    }
}
