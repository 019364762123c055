//! Quotas: how many pages a host, and all hosts of a registrable domain together, may give.
//!
//! A host is taken care of by one worker, which counts its pages by itself. The hosts of a domain can be at many machines, so
//! whoever asks for a page of it takes a ticket before, and gives it back if what came is no page: the quota is met exactly
//! and never exceeded.
//!
//! What is full gives no more pages, so links that lead there are left out before the sieve. If a later run has larger
//! quotas, all links that are stored are judged anew ([`crate::CrawlConfig::rules_fingerprint`]).
//!
//! Cost: an entry for each domain that was met, if domains have a quota, and one for each host that is full.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, RwLock};

use page::{PageUrl, Site, registrable_domain};

use crate::CrawlBudget;
use crate::past::name_key;

/// What hosts and domains have given.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    host_max: Option<u64>,
    domain_max: Option<u64>,
    /// By hashes of their names, as all that follows.
    full_sites: RwLock<HashSet<u64>>,
    full_domains: RwLock<HashSet<u64>>,
    domains: Mutex<HashMap<u64, Domain>>,
}

#[derive(Debug, Default)]
struct Domain {
    stored: u64,
    tickets_out: u64,
}

/// What whoever wants to ask for a page is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ticket {
    /// It may be asked for.
    Given,
    /// Requests that are under way may use up the quota: ask again when they have ended.
    Later,
    /// The quota is used up.
    Never,
}

impl Quotas {
    pub(crate) fn new(budget: &CrawlBudget) -> Self {
        let (host_max, domain_max) = (budget.pages_per_host_max, budget.pages_per_domain_max);
        Self { host_max, domain_max, ..Self::default() }
    }

    /// Earlier runs have stored so many pages of sites and of domains.
    pub(crate) fn note_stored(&self, sites: &HashMap<u64, u64>, domains: &HashMap<u64, u64>) {
        for (site, pages) in sites {
            self.note_site_by_key(*site, *pages);
        }
        for (domain, pages) in domains {
            self.store_by_key(*domain, |domain| domain.stored += pages);
        }
    }

    /// Takes a ticket for one page of a site.
    pub(crate) fn take_ticket(&self, site: &Site) -> Ticket {
        let Some(max) = self.domain_max else { return Ticket::Given };
        self.store(registrable_domain(&site.host()), |domain| {
            if domain.stored >= max {
                return Ticket::Never;
            }
            if domain.stored + domain.tickets_out >= max {
                return Ticket::Later;
            }
            domain.tickets_out += 1;
            Ticket::Given
        })
    }

    /// Gives a ticket back: what came is a page, or it is none.
    pub(crate) fn return_ticket(&self, site: &Site, is_page: bool) {
        if self.domain_max.is_some() {
            self.store(registrable_domain(&site.host()), |domain| {
                domain.tickets_out -= 1;
                domain.stored += u64::from(is_page);
            });
        }
    }

    fn store<T>(&self, name: &str, change: impl FnOnce(&mut Domain) -> T) -> T {
        self.store_by_key(name_key(name), change)
    }

    fn store_by_key<T>(&self, key: u64, change: impl FnOnce(&mut Domain) -> T) -> T {
        let mut domains = self.domains.lock().expect("nobody panics with it");
        let domain = domains.entry(key).or_default();
        let changed = change(domain);
        if self.domain_max.is_some_and(|max| domain.stored >= max) {
            self.full_domains.write().expect("nobody panics with it").insert(key);
        }
        changed
    }

    /// Is a site full that has given so many pages?
    pub(crate) fn note_site(&self, site: &str, pages: u64) -> bool {
        self.host_max.is_some() && self.note_site_by_key(name_key(site), pages)
    }

    fn note_site_by_key(&self, site: u64, pages: u64) -> bool {
        let is_full = self.host_max.is_some_and(|max| pages >= max);
        if is_full {
            self.full_sites.write().expect("nobody panics with it").insert(site);
        }
        is_full
    }

    /// Is the domain of a site full?
    pub(crate) fn domain_is_full(&self, site: &Site) -> bool {
        self.domain_max.is_some() && self.is_of_full_domain(&site.host())
    }

    fn is_of_full_domain(&self, host: &str) -> bool {
        self.full_domains.read().expect("nobody panics with it").contains(&name_key(registrable_domain(host)))
    }

    /// Does an address lead to where nothing more is fetched?
    pub(crate) fn leads_nowhere(&self, url: &PageUrl) -> bool {
        let site_is_full = self.host_max.is_some()
            && self.full_sites.read().expect("nobody panics with it").contains(&name_key(url.site_str()));
        site_is_full || (self.domain_max.is_some() && self.is_of_full_domain(url.host()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    #[test]
    fn the_hosts_of_a_domain_share_its_quota_and_meet_it_exactly() {
        let quotas = Quotas::new(&CrawlBudget { pages_per_domain_max: Some(3), ..CrawlBudget::default() });
        let [www, docs] = ["http://www.a.co.uk/", "http://docs.a.co.uk/"].map(|text| url(text).site());
        quotas.note_stored(&HashMap::new(), &[(name_key("a.co.uk"), 1)].into());
        assert_eq!(
            [&www, &docs, &www].map(|site| quotas.take_ticket(site)),
            [Ticket::Given, Ticket::Given, Ticket::Later]
        );
        quotas.return_ticket(&www, false);
        assert_eq!(quotas.take_ticket(&docs), Ticket::Given);
        quotas.return_ticket(&docs, true);
        assert!(!quotas.leads_nowhere(&url("http://new.a.co.uk/x")));
        quotas.return_ticket(&docs, true);
        assert_eq!(quotas.take_ticket(&www), Ticket::Never);
        assert!(quotas.leads_nowhere(&url("http://new.a.co.uk/x")));
        assert!(!quotas.leads_nowhere(&url("http://b.co.uk/")), "which is another domain");
    }

    #[test]
    fn what_has_no_quota_is_never_full() {
        let quotas = Quotas::new(&CrawlBudget::default());
        quotas.note_stored(&[(name_key("http://a.test"), 1000)].into(), &HashMap::new());
        let site = url("http://a.test/").site();
        assert_eq!(quotas.take_ticket(&site), Ticket::Given);
        quotas.return_ticket(&site, true);
        assert!(!quotas.note_site("http://a.test", 1000) && !quotas.leads_nowhere(&url("http://a.test/")));
    }

    #[test]
    fn a_full_host_leaves_its_neighbours_alone() {
        let quotas = Quotas::new(&CrawlBudget { pages_per_host_max: Some(2), ..CrawlBudget::default() });
        assert!(!quotas.note_site("http://a.test", 1) && quotas.note_site("http://a.test", 2));
        assert!(quotas.leads_nowhere(&url("http://a.test/x")));
        assert!(
            !quotas.leads_nowhere(&url("http://b.a.test/x"))
                && !quotas.leads_nowhere(&url("https://a.test/"))
        );
    }
}
