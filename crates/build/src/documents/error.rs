//! What can be wrong with stored documents.

use std::io;
use std::path::PathBuf;

/// Everything that reading or writing documents can meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentsError {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file is foreign, of another version or damaged.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// Nothing was ever committed there.
    #[error("there are no documents in `{0}`")]
    Missing(PathBuf),
    /// The documents are those of another collection or were read by another parser.
    #[error("the documents in `{0}` were made from something else")]
    OtherSource(PathBuf),
    /// Bytes fit their checksum, but not each other.
    #[error("`{path}` is damaged at byte {offset}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the record starts.
        offset: u64,
        /// What does not fit.
        what: &'static str,
    },
}

impl DocumentsError {
    /// Can it be helped by making the documents anew from the pages? Everything but the system's refusal can.
    pub fn is_helped_by_making_anew(&self) -> bool {
        !matches!(self, Self::Io(_) | Self::Journal(journal::Error::Io(_)))
    }

    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) | Self::Journal(journal::Error::Io(error)) => journal::hint_for_io(error),
            _ => Some("run `crivello build DIR`: documents are made anew from the pages"),
        }
    }
}
