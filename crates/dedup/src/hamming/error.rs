//! What can go wrong in a Hamming index. In memory: nothing but its being full.

use std::io;

/// Everything a Hamming index can meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A run on disk is foreign, from another version or damaged.
    #[error(transparent)]
    Run(#[from] journal::Error),
    /// As many entries as a number of 32 bits can count.
    #[error("the index of fingerprints is full: it has {} entries", u32::MAX)]
    Full,
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) | Self::Run(journal::Error::Io(error)) => journal::hint_for_io(error),
            Self::Run(_) => Some(
                "start again: these files are scratch, and a new start deletes them and fills the index anew",
            ),
            Self::Full => None,
        }
    }
}
