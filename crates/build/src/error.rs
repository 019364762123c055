//! What can stop a build. A page that cannot be read cannot: it is told and counted.

use std::io;
use std::path::PathBuf;

/// Everything that ends a build early. The stored pages are never touched, and the parts that were there stay in use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The stored pages cannot be read, or not be written by an import.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// What was read of the pages cannot be read back or kept.
    #[error(transparent)]
    Documents(#[from] crate::documents::DocumentsError),
    /// The graph cannot be read or made.
    #[error(transparent)]
    Graph(#[from] graph::Error),
    /// Copies cannot be looked for, among all pages or while pages are imported.
    #[error(transparent)]
    Copies(#[from] dedup::Error),
    /// The groups of copies are damaged.
    #[error(transparent)]
    Groups(dedup::Error),
    /// The index cannot be read or made.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// What is known of documents cannot be read or kept.
    #[error(transparent)]
    Known(journal::Error),
    /// The latent space cannot be read or made.
    #[error(transparent)]
    Space(#[from] latent::Error),
    /// The index of a collection has no latent space.
    #[error("`{0}` has no latent space of its present index")]
    NoSpace(PathBuf),
    /// A page that was asked for is not in the index.
    #[error("{0} is not in the index")]
    NotIndexed(String),
    /// A page has no words by which others could be found.
    #[error("{0} shares no words with other pages that would tell what it is about")]
    NoMeaning(String),
    /// Nobody has made an index yet.
    #[error("`{0}` has no index yet")]
    NoIndex(PathBuf),
    /// A part names pages by their places in the table of another collection.
    #[error("`{0}` was made from other pages than those that are here")]
    OtherPages(PathBuf),
    /// The files that were to be imported cannot be read.
    #[error(transparent)]
    Input(#[from] input::Error),
    /// The journal of what was forgotten cannot be read or written.
    #[error(transparent)]
    Forgotten(#[from] journal::Error),
    /// The index cannot answer.
    #[error(transparent)]
    Search(#[from] search::Error),
    /// A file of weights cannot be read.
    #[error("the weights in `{path}` cannot be read: {error}")]
    WeightsFile {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of weights says what cannot be meant.
    #[error("the weights in `{path}` cannot be used: {error}")]
    Weights {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: search::WeightsError,
    },
    /// A file of synonyms cannot be read.
    #[error("the synonyms in `{path}` cannot be read: {error}")]
    SynonymsFile {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of synonyms says what cannot be meant.
    #[error("the synonyms in `{path}` cannot be used: {error}")]
    Synonyms {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: search::SynonymsError,
    },
    /// A file of clicks cannot be read.
    #[error("the clicks in `{path}` cannot be read: {error}")]
    ClicksFile {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of clicks says what cannot be meant.
    #[error("the clicks in `{path}` cannot be used: {error}")]
    Clicks {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: ClicksError,
    },
    /// There is nothing to judge answers by.
    #[error(transparent)]
    Judged(#[from] eval::Error),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Documents(error) => error.hint(),
            Self::Graph(error) => error.hint(),
            Self::Copies(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Groups(_) => Some("make it anew with `crivello dedup DIR`; the stored pages are untouched"),
            Self::Known(journal::Error::Io(error)) => journal::hint_for_io(error),
            Self::Known(_) => Some("make it anew with `crivello build DIR`; the stored pages are untouched"),
            Self::Space(error) => error.hint(),
            Self::NoSpace(_) => Some("make it with `crivello build DIR`"),
            Self::NotIndexed(_) => Some("`crivello export DIR pages` lists what is stored"),
            Self::NoMeaning(_) => None,
            Self::NoIndex(_) => Some("make it with `crivello build DIR`"),
            Self::OtherPages(_) => Some("make it anew with `crivello build DIR`"),
            Self::Input(error) => error.hint(),
            Self::Forgotten(error) => error.hint(),
            Self::Search(error) => error.hint(),
            Self::WeightsFile { .. } | Self::Weights { .. } => {
                Some("`crivello tune --show` prints a file of weights as it should be")
            }
            Self::SynonymsFile { .. } | Self::Synonyms { .. } => Some(
                "a line is `car, automobile` where each word finds the other, or `tyre => tire` for one way",
            ),
            Self::ClicksFile { .. } | Self::Clicks { .. } => Some(
                "a line is `query`, `address` and `count` with tabs between them; an empty file takes all clicks away",
            ),
            Self::Judged(error) => error.hint(),
            Self::Io(error) => journal::hint_for_io(error),
        }
    }
}

/// A line of a file of clicks that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ClicksError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}
