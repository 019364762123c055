//! Landing: what happens when an answer has come.
//!
//! First the site is put to rest, so that its time runs while the answer is read; with it the budgets are settled, as
//! they decide whether the site has another turn. An address that failed for the moment goes back into the queue, and
//! everything else waits to be read. A pause that a site asked for is written down before it begins, since it must hold
//! after a kill.

use std::time::Duration;

use frontier::{HostFact, SiteId};
use page::Site;

use super::Worker;
use crate::site_state::{SiteState, TRIES_MAX};
use crate::visit::{Errand, Landed};
use crate::{Error, Progress, read};

/// A site that has given its share lets others go first for at least this time, and for at most so many of its rests.
const SIT_OUT_MIN: Duration = Duration::from_millis(20);
const SIT_OUT_TURNS_MAX: u64 = 4;

impl Worker {
    /// A page came back, or something in its place.
    pub(super) fn land_page(&mut self, mut landed: Landed) -> Result<(), Error> {
        let Errand::Page(queued) = &mut landed.errand else { unreachable!("land saw the errand") };
        let data = &mut self.bench.site_mut(landed.site).data;
        // A pause means that the same address is worth another try after it.
        let pause = data.hear(&landed.fetched.outcome, queued.tries, self.shared.clock.now());
        let is_page = read::is_page(&landed.fetched, queued.depth, &self.shared.config);
        data.pages_stored += u64::from(is_page);
        self.count_page(landed.site, is_page);
        let must_retry = pause.is_some() && queued.tries + 1 < TRIES_MAX;
        let id = landed.site;
        if must_retry {
            queued.tries += 1;
            let again = queued.clone();
            self.bench.push(id, again)?;
        } else {
            self.keep_unread(landed);
        }
        if let Some(pause) = pause {
            self.remember_pause(id, pause)?;
        }
        self.freeze_if_full(id);
        self.go_on_or_rest(id, pause.unwrap_or_default())
    }

    /// A request that had its tickets has given a page, or something else.
    fn count_page(&self, id: SiteId, is_page: bool) {
        self.shared.admission.quotas.return_ticket(self.bench.site(id).site(), is_page);
        if is_page {
            self.shared.pages.page_stored();
            Progress::add(&self.shared.progress.pages_stored, 1);
            Progress::add(&self.shared.progress.pages_this_run, 1);
        } else {
            self.shared.pages.return_ticket();
        }
    }

    /// How long a site that has given more than its share of the page budget lets others go first: as many rests as it
    /// has had shares. Then it has its turn, so that the budget is used up even if the others have nothing more to give.
    pub(super) fn turns_to_sit_out(&self, id: SiteId) -> Option<Duration> {
        let (policy, pages_max) = (self.shared.priority.as_ref()?, self.shared.config.budget.pages_max?);
        let state = self.bench.site(id);
        let share = policy.share_of(state.site(), pages_max)?.max(1);
        let times = state.data.pages_stored / share;
        let rest = self.shared.config.policy.host_delay.max(SIT_OUT_MIN);
        (times > 0).then(|| rest * times.min(SIT_OUT_TURNS_MAX) as u32)
    }

    /// A pause must hold after a restart too, whatever the delays of the next run.
    pub(super) fn remember_pause(&self, id: SiteId, pause: Duration) -> Result<(), Error> {
        if pause > Duration::ZERO {
            // The clock has cut off a part of a millisecond.
            let until = self.shared.clock.now().after(pause + Duration::from_millis(1));
            self.note_fact(id, &HostFact::PauseUntil(until))?;
        }
        Ok(())
    }

    pub(super) fn note_fact(&self, id: SiteId, fact: &HostFact) -> Result<(), Error> {
        self.note_fact_of(self.bench.site(id).site().as_str(), fact)
    }

    pub(super) fn note_fact_of(&self, name: &str, fact: &HostFact) -> Result<(), Error> {
        self.shared.note_fact(name, fact)
    }

    /// Is a site full, by itself or with its domain? Then links to it are left out from now on.
    pub(super) fn site_is_full(&self, site: &Site, state: &SiteState) -> bool {
        let quotas = &self.shared.admission.quotas;
        quotas.note_site(site.as_str(), state.pages_stored) || quotas.domain_is_full(site)
    }

    pub(super) fn freeze_if_full(&mut self, id: SiteId) {
        let state = self.bench.site(id);
        if self.site_is_full(state.site(), &state.data) && !self.bench.is_frozen(id) {
            let waiting = self.bench.queue_len(id);
            self.bench.freeze(id);
            self.shared.add_active(-(waiting as i64));
        }
    }

    pub(super) fn keep_unread(&mut self, landed: Landed) {
        self.shared.progress.add_unread(landed.body_bytes());
        self.unread.push_back(landed);
    }
}
