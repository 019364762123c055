//! What can stop a crawl. A server that misbehaves cannot.

/// Everything that ends a crawl early; what was stored until then stays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The sieve cannot be read or written.
    #[error(transparent)]
    Sieve(#[from] sieve::Error),
    /// The frontier cannot be read or written.
    #[error(transparent)]
    Frontier(#[from] frontier::Error),
    /// A log of ours is damaged.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// What was seen of pages cannot be kept.
    #[error(transparent)]
    Copies(#[from] dedup::Error),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Nothing to start from.
    #[error("there is nothing to crawl: no address was given and the collection has none waiting")]
    NoSeeds,
}

impl Error {
    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Sieve(error) => error.hint(),
            Self::NoSeeds => Some("give one or more addresses, such as https://example.org/"),
            Self::Copies(error) => error.hint(),
            Self::Frontier(error) => error.hint(),
            Self::Journal(error) => error.hint(),
            Self::Io(error) => journal::hint_for_io(error),
        }
    }
}
