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
    /// Is it only that there is no room left on the disk?
    pub fn is_full_disk(&self) -> bool {
        let of_journal = match self {
            Self::Store(store::Error::Journal(error))
            | Self::Sieve(sieve::Error::Journal(error))
            | Self::Frontier(frontier::Error::Journal(error))
            | Self::Copies(dedup::Error::Journal(error))
            | Self::Journal(error) => Some(error),
            _ => None,
        };
        let of_system = match (self, of_journal) {
            (_, Some(journal::Error::Io(error)))
            | (Self::Store(store::Error::Io(error)), _)
            | (Self::Sieve(sieve::Error::Io(error)), _)
            | (Self::Frontier(frontier::Error::Io(error)), _)
            | (Self::Copies(dedup::Error::Io(error)), _)
            | (Self::Io(error), _) => Some(error),
            _ => None,
        };
        of_system.is_some_and(journal::is_full_disk)
    }

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
