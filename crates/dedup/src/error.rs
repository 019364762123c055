//! What can go wrong while copies are looked for.

use std::io;
use std::path::PathBuf;

/// Everything that looking for copies can meet. A document that cannot be read is not among them: it is counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A log of the work folder is foreign or damaged.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// The fingerprints of earlier pages cannot be kept or asked.
    #[error(transparent)]
    Fingerprints(#[from] crate::hamming::Error),
    /// A file of the work folder is not what was written.
    #[error("`{path}` is damaged at byte {offset}: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where, about.
        offset: u64,
        /// What does not fit.
        what: &'static str,
    },
    /// Another process, or another part of this one, works there.
    #[error("the work folder `{0}` is in use")]
    InUse(PathBuf),
    /// Settings that cannot be meant.
    #[error("{0}")]
    Settings(String),
    /// There are fewer documents than were sketched, or they were not sketched.
    #[error("{sketched} documents were sketched, but there are {given}")]
    OtherDocuments {
        /// As the work folder says.
        sketched: u32,
        /// As the caller says.
        given: u32,
    },
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) | Self::Journal(journal::Error::Io(error)) => journal::hint_for_io(error),
            Self::Damaged { .. } | Self::Journal(_) => {
                Some("delete the work folder and repeat the command: everything in it can be made again")
            }
            Self::OtherDocuments { .. } => {
                Some("sketch the documents first, with a stamp that changes with them")
            }
            Self::InUse(_) => Some("wait until the other command has ended, or choose another work folder"),
            Self::Fingerprints(error) => error.hint(),
            Self::Settings(_) => None,
        }
    }
}
