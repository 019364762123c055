//! What can go wrong with a graph, said to the person who has to act on it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a graph could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written, is foreign, damaged or of another version, or somebody else builds.
    #[error(transparent)]
    File(#[from] journal::Error),
    /// There is no graph in this folder yet.
    #[error("there is no graph in `{}`", path.display())]
    Missing {
        /// The folder that was looked into.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{}` is not {expected}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        expected: &'static str,
    },
    /// The bytes do not add up.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not add up.
        reason: String,
    },
    /// The graph uses a feature of the format that is not read here.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What is not supported.
        reason: String,
    },
    /// A line of an arc list is not an arc.
    #[error("`{}`, line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from one.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// There is more of something than the format can number.
    #[error("too many {what}: a graph counts up to {limit}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The largest count.
        limit: u64,
    },
    /// An arc names a node that does not exist.
    #[error("the arc from {source_node} to {target_node} leaves the graph, which has {nodes} nodes")]
    NoSuchNode {
        /// Where the arc begins.
        source_node: u32,
        /// Where the arc ends.
        target_node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
}

impl Error {
    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::File(error @ (journal::Error::Io(_) | journal::Error::Busy { .. })) => error.hint(),
            Error::Missing { .. } => Some("make it with `crivello build DIR`"),
            Error::Foreign { .. } => {
                Some("give the name before `.graph` of a graph in BV format, or a file of arcs")
            }
            Error::File(_) | Error::Damaged { .. } => Some(
                "a graph of a collection is made again with `crivello build DIR`; any other, fetch again",
            ),
            Error::Unsupported { .. } => {
                Some("write the graph again with WebGraph's standard codes, big-endian")
            }
            Error::Line { .. } => Some(
                "a line is `source<TAB>target`, or with spaces or a comma; lines that start with `#` are skipped",
            ),
            Error::TooMany { .. } | Error::NoSuchNode { .. } => None,
        }
    }

    /// Whether the graph is sound but was written by an older version.
    pub fn is_of_older_format(&self) -> bool {
        matches!(self, Error::File(journal::Error::Version { found, expected, .. }) if found < expected)
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
