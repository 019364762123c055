//! Moving: a site whose rules are old is looked for again, and may be at another machine now.
//!
//! The site is held while its name is looked up. If it is where it was, it goes on and asks for its robots.txt; if not,
//! it leaves with its queue, as [`crate::letters`] tells. What comes for it later is sent after it.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use frontier::{QueuedUrl, SiteId};

use super::Worker;
use crate::Error;
use crate::guest::Asker;
use crate::letters::{Letter, MovedSite};
use crate::site_state::{ROBOTS_LIFETIME, Robots};

impl Worker {
    /// Are the rules of a site older than they may be?
    pub(super) fn robots_are_old(&self, id: SiteId) -> bool {
        match &self.bench.site(id).data.robots {
            Robots::Known { at, .. } => self.shared.clock.now().since(*at) > ROBOTS_LIFETIME,
            _ => false,
        }
    }

    /// Forgets the rules of a site, and holds it until it is known where to ask for them.
    pub(super) fn look_again(&mut self, id: SiteId) -> Result<(), Error> {
        let state = self.bench.site_mut(id);
        let (site, address) = (state.site().clone(), state.data.address);
        state.data.robots = Robots::Unknown { url: site.robots_url(), hops: 0, tries: 0 };
        self.write(Letter::LookAgain { asker: Asker { worker: self.index, site: id }, site, address });
        self.bench.hold(id);
        self.end_visit(id, Duration::ZERO)
    }

    /// A site that was looked for is where it was, or has moved: then it leaves, with its queue, for the worker of its
    /// new machine. What stays here is held for good.
    pub(super) fn find_at(&mut self, id: SiteId, address: IpAddr) -> Result<(), Error> {
        if self.bench.wake(id)?.data.address == address {
            return Ok(self.bench.resume(id, Instant::now())?);
        }
        let mut urls = Vec::new();
        while let Some(url) = self.bench.take_url(id)? {
            urls.push(url);
        }
        self.bench.note_gone(id);
        let not_before = self.bench.next_fetch(id);
        let state = self.bench.site_mut(id);
        self.open_connections -= usize::from(state.data.connection.take().is_some());
        let site = state.site().clone();
        let state = state.data.moved_to(address, site.robots_url());
        self.write(Letter::Moved(Box::new(MovedSite { site, state, not_before, urls })));
        Ok(())
    }

    /// Sends an address after its site if that has moved; otherwise it stays.
    pub(super) fn send_after(&mut self, id: SiteId, url: QueuedUrl) -> Result<Option<QueuedUrl>, Error> {
        if !self.bench.is_gone(id) {
            return Ok(Some(url));
        }
        let site = self.bench.wake(id)?.site().clone();
        self.write(Letter::Astray(site, url));
        Ok(None)
    }
}
