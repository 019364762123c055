//! What can go wrong in a sieve.

use std::io;
use std::path::PathBuf;

/// Everything a sieve can meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The state is foreign, from another version or damaged.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The folder holds a sieve of another kind.
    #[error("`{path}` holds a sieve of another kind")]
    OtherKind {
        /// The sieve's folder.
        path: PathBuf,
    },
    /// The list of seen addresses is not what was written.
    #[error("`{path}` is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: &'static str,
    },
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) | Self::Journal(journal::Error::Io(error)) => journal::hint_for_io(error),
            Self::OtherKind { .. } => Some(
                "go on with the same --sieve as before, or delete the `sieve` folder: it is rebuilt from the frontier's log",
            ),
            Self::Damaged { .. } | Self::Journal(_) => Some(
                "delete the collection's `sieve` folder and repeat the command: it is rebuilt from the frontier's log",
            ),
        }
    }
}
