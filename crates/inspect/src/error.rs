//! Why a file cannot be looked at.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// What is wrong with a file, or with what was asked of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It cannot be read.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its bytes do not add up.
    #[error("`{}` is damaged at byte {byte}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        byte: u64,
        /// What does not add up.
        what: String,
    },
    /// It was written by another version.
    #[error("`{}` was written by format {found}, this build reads {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The one that can be read.
        expected: u32,
    },
    /// It is somebody else's.
    #[error("`{}` is not a file of Crivello: {seems}", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What it seems to be.
        seems: String,
    },
    /// The segment does not have the word.
    #[error("`{}` has no list of `{term}`", path.display())]
    NoList {
        /// The segment.
        path: PathBuf,
        /// The word.
        term: String,
    },
    /// The list is shorter.
    #[error("the list of `{term}` has no block {number}; there are {blocks}")]
    NoBlock {
        /// The word.
        term: String,
        /// The block that was asked for.
        number: u64,
        /// How many there are.
        blocks: usize,
    },
    /// Sketches of documents are damaged.
    #[error(transparent)]
    Sketches(dedup::Error),
    /// A graph in BV format cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Bv {
        /// The file.
        path: PathBuf,
        /// Why.
        source: graph::Error,
    },
    /// Told by the owner of the format.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Sieve(#[from] sieve::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Frontier(#[from] frontier::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Copies(#[from] dedup::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Graph(#[from] graph::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Latent(#[from] latent::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Search(#[from] search::Error),
    /// Told by the owner of the format.
    #[error(transparent)]
    Documents(#[from] build::documents::DocumentsError),
}

impl Error {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// Tells damage like the owners of formats tell it.
    pub fn damaged(path: &Path, byte: u64, what: impl Display) -> Self {
        Self::Damaged { path: path.to_owned(), byte, what: what.to_string() }
    }

    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io { source, .. } => journal::hint_for_io(source),
            Self::NotOurs { .. } => Some(
                "files of a collection, gzipped WARC files and stored filters can be looked at; \
                 if this is one of them, its first bytes are damaged",
            ),
            Self::NoList { .. } => Some("give a word as the index has it: in lower case, without accents"),
            Self::NoBlock { .. } => Some("blocks are counted from 0"),
            Self::Sketches(_) => Some("sketches can be made again: delete the folder that they are in"),
            Self::Damaged { .. } | Self::Version { .. } => None,
            Self::Bv { source, .. } => source.hint(),
            Self::Journal(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Sieve(error) => error.hint(),
            Self::Frontier(error) => error.hint(),
            Self::Copies(error) => error.hint(),
            Self::Graph(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Latent(error) => error.hint(),
            Self::Search(error) => error.hint(),
            Self::Documents(error) => error.hint(),
        }
    }
}
