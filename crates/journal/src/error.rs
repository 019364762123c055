//! What can be wrong with a file of ours, told so that a person can act on it.

use std::io;
use std::path::PathBuf;

/// Everything that reading or writing files can meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path (see `fs_err`).
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file starts with other bytes than ours do.
    #[error("`{path}` is not a file of this kind (its first bytes are wrong)")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version.
    #[error("`{path}` was written by format {found}, this build reads {expected}")]
    Version {
        /// The file.
        path: PathBuf,
        /// What the file says.
        found: u32,
        /// What we can read.
        expected: u32,
    },
    /// Bytes were changed or lost.
    #[error("`{path}` is damaged at byte {offset}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the record starts.
        offset: u64,
        /// What does not fit.
        what: &'static str,
    },
    /// Somebody else makes the same thing anew.
    #[error("another process is building in `{path}`")]
    Busy {
        /// The folder.
        path: PathBuf,
    },
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) => hint_for_io(error),
            Self::Foreign { .. } | Self::Damaged { .. } => Some("restore the file from a backup"),
            Self::Version { .. } => Some("use the version of Crivello that wrote it"),
            Self::Busy { .. } => Some("wait until it has finished"),
        }
    }
}

/// Is there no room left, on the disk or for this user?
pub fn is_full_disk(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What a person can do about an error of the system.
pub fn hint_for_io(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some("make room on the disk and repeat the command: it goes on where it stopped")
        }
        io::ErrorKind::PermissionDenied => Some("change who may use it, or choose another place"),
        io::ErrorKind::ReadOnlyFilesystem => Some("choose a folder that you may write to"),
        _ => None,
    }
}
