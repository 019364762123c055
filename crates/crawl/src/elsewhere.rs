//! robots.txt that is kept elsewhere: a redirect leads to another site, often on another machine.
//!
//! A worker holds the turns of its own sites only, so it does not go there by itself. It writes a letter, the distributor
//! finds the worker of the other site, and there the request waits for that site's turn like any other, with all its
//! rests. The answer comes back by the same way, and its rules hold for the site that asked. Meanwhile that site is held:
//! nothing of it is fetched, but guests of its own are served, so that two sites can send each other round without
//! waiting for ever. Five redirects are followed in all (RFC 9309, section 2.3.1.2).

use fetch::LargeBodyPermit;
use frontier::SiteId;
use page::{FetchFailure, Fetched, PageUrl};

use crate::shared::Shared;
use crate::visit;

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
    pub(crate) fn refused(self, failure: FetchFailure, shared: &Shared) -> GuestAnswer {
        GuestAnswer { asker: self.asker, fetched: visit::failed(&self.url, failure, shared), permit: None }
    }
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct GuestAnswer {
    pub(crate) asker: Asker,
    pub(crate) fetched: Fetched,
    pub(crate) permit: Option<LargeBodyPermit>,
}

/// What a worker tells the distributor.
#[derive(Debug)]
pub(crate) enum Letter {
    Ask(Guest),
    Answer(Box<GuestAnswer>),
}
