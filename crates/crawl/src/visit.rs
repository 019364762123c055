//! One request: what is asked for, and what becomes of it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use fetch::{Connection, LargeBodyPermit};
use frontier::{QueuedUrl, SiteId};
use page::{Fetched, Outcome, PageUrl};

use crate::guest::Asker;
use crate::shared::Shared;

/// What a visit is for.
#[derive(Debug)]
pub(crate) enum Errand {
    /// An address of the queue.
    Page(QueuedUrl),
    /// The site's robots.txt, or where on the site it was redirected to.
    Robots,
    /// The robots.txt of another site, which redirects here.
    Guest(Asker),
}

/// A visit under way.
#[derive(Debug)]
pub(crate) struct Visit {
    pub(crate) site: SiteId,
    pub(crate) errand: Errand,
    pub(crate) url: PageUrl,
    pub(crate) address: std::net::IpAddr,
    pub(crate) connection: Option<Connection>,
}

/// A visit that came back.
#[derive(Debug)]
pub(crate) struct Landed {
    pub(crate) site: SiteId,
    pub(crate) errand: Errand,
    pub(crate) fetched: Fetched,
    /// Of a large answer. It ends with the answer, however that ends, so that memory holds only so many of them.
    pub(crate) permit: Option<LargeBodyPermit>,
    pub(crate) connection: Option<Connection>,
    /// When it was sent, and when it was back. None of an answer that another site gave.
    pub(crate) moments: Option<(Instant, Instant)>,
}

impl Landed {
    /// What its body takes in memory.
    pub(crate) fn body_bytes(&self) -> u64 {
        match &self.fetched.outcome {
            Outcome::Response(response) => {
                let decoded = response.decoded_body.as_ref().map_or(0, Vec::capacity);
                (response.raw_body.capacity() + decoded) as u64
            }
            Outcome::Failed(_) => 0,
        }
    }
}

impl Visit {
    pub(crate) async fn run(mut self, shared: Arc<Shared>) -> Landed {
        let destination = self.destination();
        let began = Instant::now();
        let (fetched, permit) = shared.fetcher.fetch_held(&self.url, destination, &mut self.connection).await;
        let moments = Some((began, Instant::now()));
        Landed { site: self.site, errand: self.errand, fetched, permit, connection: self.connection, moments }
    }

    /// Where to connect to: everything that a site has is on its machine, whose turn we hold.
    fn destination(&mut self) -> SocketAddr {
        let destination = SocketAddr::new(self.address, self.url.port());
        let is_elsewhere =
            self.connection.as_ref().is_some_and(|connection| connection.peer() != destination);
        if is_elsewhere {
            self.connection = None;
        }
        destination
    }
}
