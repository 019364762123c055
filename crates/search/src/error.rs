//! Why a search has no answer, in words for the person who asked.

/// What is wrong with a query. None of it is fatal: the text goes back to whoever typed it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Nothing in it can be looked for.
    #[error("the query has no words to look for")]
    Empty,
    /// It says nothing but what is not understood yet.
    #[error("{note}, and the query asks for nothing else")]
    NotUnderstood {
        /// What was left out, and why.
        note: String,
    },
    /// Its parentheses are nested too deeply.
    #[error("the query has parentheses within parentheses more than {limit} deep: make it simpler")]
    TooDeep {
        /// How deep it may be.
        limit: usize,
    },
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The query cannot be answered.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] index::Error),
    /// The latent space cannot be written.
    #[error(transparent)]
    Space(#[from] latent::Error),
    /// The results asked for are too far down the list.
    #[error(
        "results {from} to {to} were asked for, but only the first {limit} are ranked: refine the query instead"
    )]
    TooFar {
        /// How many results were to be passed over.
        from: usize,
        /// The last one wanted.
        to: usize,
        /// The last one there can be.
        limit: usize,
    },
}

impl Error {
    /// The next step, where the text does not name it already.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Index(error) => error.hint(),
            Self::Space(error) => error.hint(),
            Self::Query(_) | Self::TooFar { .. } => None,
        }
    }
}

/// The error of [`crate::Searcher::answer`].
pub type SearchError = Error;
