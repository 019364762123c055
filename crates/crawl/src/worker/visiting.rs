//! Visiting: when a visit begins, whether it goes on, and how long site and machine rest after it.
//!
//! A visit is one request unless the policy gives it time for more. It goes on only on its own connection and while all is
//! well: a site that asks for a delay, that answers with an error or that closes the connection is left alone. Whatever ends
//! a visit puts the site and its machine to rest by what the visit took, also if its last turn found nothing to ask for.
//!
//! Rests by the ratio rule must hold after a kill, too. Those that are longer than everybody's rest at a restart are
//! written to the log of hosts, under the name of the site and under its address, since its neighbours rest with it. A visit
//! that is under way has its place in [`frontier::UnderWay`].

use std::time::{Duration, Instant};

use frontier::{HostFact, SiteId};

use super::Worker;
use crate::Error;
use crate::site_state::VisitUnderWay;

impl Worker {
    /// A request of a site is about to be made: a visit begins, unless it is under way.
    pub(super) fn note_visit(&mut self, id: SiteId) -> Result<(), Error> {
        let data = &mut self.bench.site_mut(id).data;
        if data.visit.is_none() {
            let slot = self.shared.note_visit(data.address)?;
            data.visit = Some(VisitUnderWay { began: Instant::now(), slot });
        }
        Ok(())
    }

    /// An answer has landed: the visit goes on, or site and machine rest.
    pub(super) fn go_on_or_rest(&mut self, id: SiteId, pause: Duration) -> Result<(), Error> {
        if pause.is_zero() && self.may_go_on(id) {
            self.begin(id)?;
            return Ok(());
        }
        self.end_visit(id, pause)
    }

    fn may_go_on(&self, id: SiteId) -> bool {
        let state = self.bench.site(id);
        let data = &state.data;
        let Some(visit) = data.visit else { return false };
        let is_full = self.shared.outbox_is_full() || self.shared.room.is_full();
        let has_room = self.in_flight + self.unread_count() < self.visits_max && !is_full;
        self.shared.config.policy.goes_on(visit.began.elapsed(), data.crawl_delay().max(data.error_rest()))
            && data.connection.is_some()
            && has_room
            && !self.bench.is_frozen(id)
            && !self.shared.is_stopping()
    }

    /// Ends the turn of a site. If it was asked for anything, it rests with its machine, at least for the pause that it
    /// asked for.
    pub(super) fn end_visit(&mut self, id: SiteId, pause: Duration) -> Result<(), Error> {
        let data = &mut self.bench.site_mut(id).data;
        let Some(VisitUnderWay { began, slot }) = data.visit.take() else {
            return Ok(self.bench.release_unvisited(id)?);
        };
        let site_delay = data.crawl_delay().max(data.error_rest()).max(pause);
        let elapsed = began.elapsed();
        self.remember_rest(id, elapsed)?;
        self.shared.forget_visit(slot)?;
        let site_delay = match self.turns_to_sit_out(id) {
            Some(turns) => self.shared.config.policy.site_rest(elapsed, site_delay) + turns,
            None => site_delay,
        };
        Ok(self.bench.release(id, Instant::now(), elapsed, site_delay)?)
    }

    /// What a restart would not know: a rest by the ratio rule that is longer than everybody's.
    fn remember_rest(&self, id: SiteId, elapsed: Duration) -> Result<(), Error> {
        let policy = &self.shared.config.policy;
        let rest = elapsed.mul_f64(policy.rest_ratio);
        if rest > policy.unknown_rest() {
            self.remember_pause(id, rest)?;
            // The clock has cut off a part of a millisecond.
            let until = self.shared.clock.now().after(rest + Duration::from_millis(1));
            let address = self.bench.site(id).data.address.to_string();
            self.note_fact_of(&address, &HostFact::PauseUntil(until))?;
        }
        Ok(())
    }
}
