//! A guest: the robots.txt of one site that is to be fetched from another, because a redirect leads there. Who sends
//! guests, and how they travel, is in [`crate::letters`].

use std::time::Duration;

use fetch::LargeBodyPermit;
use frontier::SiteId;
use page::{FetchFailure, Fetched, Outcome, PageUrl, Timestamp};

/// Who wants to know: a site of a worker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker {
    pub(crate) worker: usize,
    pub(crate) site: SiteId,
}

/// A robots.txt that is to be fetched for another site.
#[derive(Debug)]
pub(crate) struct Guest {
    pub(crate) url: PageUrl,
    pub(crate) asker: Asker,
}

impl Guest {
    /// The answer to a request that cannot be made.
    pub(crate) fn refused(self, failure: FetchFailure, now: Timestamp) -> GuestAnswer {
        let fetched = Fetched {
            url: self.url,
            address: None,
            at: now,
            elapsed: Duration::ZERO,
            request_head: Vec::new(),
            outcome: Outcome::Failed(failure),
        };
        GuestAnswer { asker: self.asker, fetched, permit: None }
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct GuestAnswer {
    pub(crate) asker: Asker,
    pub(crate) fetched: Fetched,
    pub(crate) permit: Option<LargeBodyPermit>,
}
