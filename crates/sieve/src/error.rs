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
    #[error("`{path}` holds a sieve of another kind: {kind}")]
    OtherKind {
        /// The sieve's folder.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// The folder holds signatures of another length.
    #[error("`{path}` has signatures of {found} bits, not of {asked}")]
    OtherSignatures {
        /// The sieve's folder.
        path: PathBuf,
        /// How long they are.
        found: u32,
        /// How long they should be.
        asked: u32,
    },
    /// Only one kind has signatures of other lengths.
    #[error("a sieve of the kind {kind} has signatures of 64 bits")]
    SignatureBits {
        /// Which kind was asked for.
        kind: &'static str,
    },
    /// A length that no signature has.
    #[error("signatures have 48 to 64 bits, or 128, not {asked}")]
    NoSuchSignature {
        /// What was asked for.
        asked: u32,
    },
    /// This program was built without it.
    #[error("sieves of the kind {kind} are not in this build")]
    NotInThisBuild {
        /// Which kind was asked for.
        kind: &'static str,
    },
    /// Only one kind can forget.
    #[error("a sieve of the kind {kind} cannot forget an address")]
    CannotForget {
        /// Which kind it is.
        kind: &'static str,
    },
    /// The list of seen addresses is not what was written.
    #[error("`{path}` is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: &'static str,
    },
    /// A database of others has refused.
    #[error("`{path}`: {what}")]
    Database {
        /// Its file or folder.
        path: PathBuf,
        /// What it says.
        what: String,
    },
}

impl Error {
    /// Is it only that there is no room left on the disk?
    pub fn is_full_disk(&self) -> bool {
        match self {
            Self::Io(error) | Self::Journal(journal::Error::Io(error)) => journal::is_full_disk(error),
            _ => false,
        }
    }

    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) | Self::Journal(journal::Error::Io(error)) => journal::hint_for_io(error),
            Self::OtherKind { .. } | Self::OtherSignatures { .. } => Some(
                "go on without --sieve and --signature-bits, or delete the `sieve` folder: it is rebuilt from the frontier's log",
            ),
            Self::SignatureBits { .. } | Self::CannotForget { .. } => Some(
                "the tiered sieve can; delete the collection's `sieve` folder and crawl with --sieve tiered: it is rebuilt from the frontier's log",
            ),
            Self::NoSuchSignature { .. } => {
                Some("64 is the default; 128 makes collisions impossible in practice")
            }
            Self::NotInThisBuild { .. } => {
                Some("build the program with the feature `databases`, which is on by default")
            }
            Self::Damaged { .. } | Self::Database { .. } | Self::Journal(_) => Some(
                "delete the collection's `sieve` folder and repeat the command: it is rebuilt from the frontier's log",
            ),
        }
    }
}
