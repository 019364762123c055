//! Departing: what the turn of a site is used for.
//!
//! A turn goes to the first of these that there is: a guest of another site, the rules of the site itself, the next
//! address that they allow. Addresses that are forbidden, or that are on a closed site, are settled without a request.

use std::time::{Duration, Instant};

use frontier::SiteId;
use page::{FetchFailure, PageUrl};
use store::{NewPage, PageRecord, RecordKind};

use super::Worker;
use crate::quotas::Ticket;
use crate::site_state::Robots;
use crate::visit::{Errand, Visit};
use crate::{Error, Progress};

/// Addresses that are settled without a request in one turn of a site, before others have theirs.
const UNVISITED_PER_TURN_MAX: usize = 64;

/// Whoever waits for a ticket of its domain looks again after this time.
const TICKET_RECHECK: Duration = Duration::from_millis(20);

impl Worker {
    /// Uses the turn of a site. False if the page budget has no ticket left for it just now.
    pub(super) fn begin(&mut self, id: SiteId) -> Result<bool, Error> {
        if let Some(guest) = self.bench.site_mut(id).data.guests.pop_front() {
            self.bench.take_errand(id);
            self.begin_guest(id, guest)?;
            return Ok(true);
        }
        if self.shared.admission.quotas.domain_is_full(self.bench.site(id).site()) {
            self.turn_back(id, Ticket::Never)?;
            return Ok(true);
        }
        if self.robots_are_old(id) {
            self.look_again(id)?;
            return Ok(true);
        }
        match self.bench.site(id).data.robots {
            Robots::Known { .. } => self.begin_page(id),
            Robots::Unknown { .. } => {
                self.ask_for_rules(id)?;
                Ok(true)
            }
            Robots::Closed(failure) => {
                self.give_up_queue(id, failure)?;
                Ok(true)
            }
        }
    }

    /// Sends for the first address of the queue that robots.txt allows.
    fn begin_page(&mut self, id: SiteId) -> Result<bool, Error> {
        if !self.shared.pages.take_ticket() {
            self.end_visit(id, Duration::ZERO)?;
            return Ok(false);
        }
        let ticket = self.shared.admission.quotas.take_ticket(self.bench.site(id).site());
        if ticket != Ticket::Given {
            self.shared.pages.return_ticket();
            self.turn_back(id, ticket)?;
            return Ok(true);
        }
        for _ in 0..UNVISITED_PER_TURN_MAX {
            let Some(queued) = self.bench.take_url(id)? else { break };
            let state = self.bench.site(id);
            let url = queued.url(state.site());
            let Robots::Known { rules, .. } = &state.data.robots else { unreachable!("begin saw the rules") };
            if rules.allows(url.path_and_query()) {
                self.depart(id, Errand::Page(queued), url)?;
                return Ok(true);
            }
            Progress::add(&self.shared.progress.forbidden, 1);
            let record = PageRecord {
                ordinal: Some(queued.ordinal),
                depth: queued.depth,
                ..PageRecord::new(RecordKind::Forbidden, url, self.shared.clock.now())
            };
            self.settle(NewPage::bare(record))?;
        }
        self.shared.admission.quotas.return_ticket(self.bench.site(id).site(), false);
        self.shared.pages.return_ticket();
        self.end_visit(id, Duration::ZERO)?;
        Ok(true)
    }

    /// The domain of a site has no ticket for it: never again, or not as long as others are under way there.
    fn turn_back(&mut self, id: SiteId, ticket: Ticket) -> Result<(), Error> {
        if ticket == Ticket::Never {
            self.freeze_if_full(id);
        } else {
            self.bench.postpone(id, Instant::now() + TICKET_RECHECK)?;
        }
        self.end_visit(id, Duration::ZERO)
    }

    /// Gives up all addresses of a site that cannot be reached.
    fn give_up_queue(&mut self, id: SiteId, failure: FetchFailure) -> Result<(), Error> {
        for _ in 0..UNVISITED_PER_TURN_MAX {
            let Some(queued) = self.bench.take_url(id)? else { break };
            let url = queued.url(self.bench.site(id).site());
            let record = PageRecord {
                ordinal: Some(queued.ordinal),
                depth: queued.depth,
                failure: Some(failure),
                ..PageRecord::new(RecordKind::Failed, url, self.shared.clock.now())
            };
            self.settle(NewPage::bare(record))?;
        }
        self.end_visit(id, Duration::ZERO)
    }

    /// Commits what is known of an address that needs no reading.
    fn settle(&self, page: NewPage) -> Result<(), Error> {
        let committed = self.shared.commit(page, &[])?;
        self.shared.note_outbox(committed.outbox_bytes);
        self.shared.add_active(-1);
        Ok(())
    }

    /// Sends a visitor on its way.
    pub(super) fn depart(&mut self, id: SiteId, errand: Errand, url: PageUrl) -> Result<(), Error> {
        self.note_visit(id)?;
        let data = &mut self.bench.site_mut(id).data;
        let connection = data.connection.take();
        self.open_connections -= usize::from(connection.is_some());
        let visit = Visit { site: id, errand, url, address: data.address, connection };
        self.in_flight += 1;
        Progress::add(&self.shared.progress.requests, 1);
        Progress::add(&self.shared.progress.in_flight, 1);
        let (shared, landed) = (self.shared.clone(), self.landing.clone());
        tokio::task::spawn_local(async move {
            // The worker may be gone after a failure; then nobody waits for this visit any more.
            let _ = landed.send(visit.run(shared).await);
        });
        Ok(())
    }
}
