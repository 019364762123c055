//! What can stop a measurement. A peer that is missing cannot.

use std::path::PathBuf;

/// Everything that ends a run early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder of real collections has no graph.
    #[error("{0}")]
    NoGraph(graph::Error),
    /// A collection that was named has no graph.
    #[error("`{path}` has no graph to measure: {source}")]
    NoGraphOf {
        /// The collection.
        path: PathBuf,
        /// Why it cannot be opened.
        source: graph::Error,
    },
    /// Our own program did not do what it was told.
    #[error("our own program: {0}")]
    OurProgram(String),
    /// A peer that was named did not do what it was told.
    #[error("the peer: {0}")]
    Peer(String),
    /// There is nothing to make an index of.
    #[error("`{path}` has no documents with words")]
    NoWords {
        /// Where they were looked for.
        path: PathBuf,
    },
    /// Of fewer pages a hundredth is none.
    #[error("`{path}` has {pages} pages; at least {wanted} are needed")]
    FewPages {
        /// Where they were looked for.
        path: PathBuf,
        /// How many there are.
        pages: usize,
        /// How many there must be.
        wanted: usize,
    },
    /// The documents of a collection cannot be read.
    #[error(transparent)]
    Documents(#[from] build::documents::DocumentsError),
    /// An index cannot be read or written.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// A query cannot be answered.
    #[error(transparent)]
    Search(#[from] search::Error),
    /// A latent space cannot be read or written.
    #[error(transparent)]
    Space(#[from] latent::Error),
    /// Copies cannot be found.
    #[error(transparent)]
    Dedup(#[from] dedup::Error),
    /// Fingerprints cannot be kept.
    #[error(transparent)]
    Fingerprints(#[from] dedup::hamming::Error),
    /// The queues of a frontier cannot be read or written.
    #[error(transparent)]
    Frontier(#[from] frontier::Error),
    /// A sieve cannot be read or written.
    #[error(transparent)]
    Sieve(#[from] sieve::Error),
    /// A graph cannot be read or written.
    #[error(transparent)]
    Graph(#[from] graph::Error),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoGraph(_) => Some("give the folder of real collections with --data"),
            Self::NoGraphOf { source, .. } | Self::Graph(source) => source.hint(),
            Self::OurProgram(_) => None,
            Self::Peer(_) => Some("run it by hand, or leave the option out"),
            Self::NoWords { .. } => {
                Some("give a collection that was built, or a file with a document on each line")
            }
            Self::FewPages { .. } => {
                Some("give a folder with many files that end in .html, such as a manual")
            }
            Self::Documents(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Search(error) => error.hint(),
            Self::Space(error) => error.hint(),
            Self::Dedup(error) => error.hint(),
            Self::Fingerprints(error) => error.hint(),
            Self::Sieve(error) => error.hint(),
            Self::Frontier(error) => error.hint(),
            Self::Io(error) => journal::hint_for_io(error),
        }
    }
}
