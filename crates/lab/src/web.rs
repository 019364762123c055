//! The web as a function: every trait of every page, computed when somebody asks.
//!
//! A page is a number. Its host owns a range of numbers; inside the range the pages form a heap-shaped tree whose
//! root is the home page, and the homes form such a tree among the hosts. Tree links make nearly every page
//! reachable; all other links are for the shape. Everything unpleasant that could cut a branch off (forbidden pages,
//! links not to be followed, copies that repeat the links of another page) happens to leaves only.
//!
//! A copy renders the *content* of its source: title, text, navigation, links. Only its own address, and how its
//! links are written, differ.
//!
//! Memory: the table of hosts. Time per question: a few hashes and a binary search among the hosts.

use std::collections::HashMap;

use crate::hosts::{Host, address_count, plan_hosts};
use crate::rng::{Purpose, Rng};
use crate::{LabConfig, names};

/// Homes of the first hosts that a crawl starts from.
const SEED_HOSTS_MAX: u32 = 3;
/// Children of a home in the tree of hosts.
const HOST_FAN_OUT: u32 = 8;
/// Tries to find a page that is no copy itself; with silly copy rates there may be none.
const COPY_SOURCE_TRIES: u32 = 16;

/// A web that exists only as a function of its parameters.
#[derive(Debug)]
pub struct FakeWeb {
    config: LabConfig,
    hosts: Vec<Host>,
    host_by_name: HashMap<Box<str>, u32>,
    /// Children of a page in the tree of its host.
    fan_out: u32,
}

/// A page, with what the binary search among the hosts found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageKey {
    pub id: u32,
    pub host: u32,
    /// Position on its host; 0 is the home page.
    pub local: u32,
}

/// Whose text a page carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Original,
    ExactCopy(u32),
    NearCopy(u32),
}

impl FakeWeb {
    /// Plans the hosts; pages need no planning.
    pub fn new(config: LabConfig) -> Self {
        let config = config.made_sound();
        let hosts = plan_hosts(&config);
        let host_by_name = (0..).zip(&hosts).map(|(index, host)| (host.name.clone(), index)).collect();
        let fan_out = (config.links_per_page / 2).clamp(3, 16);
        Self { config, hosts, host_by_name, fan_out }
    }

    /// The parameters that this web was made from, made sound where they were not.
    pub fn config(&self) -> &LabConfig {
        &self.config
    }

    /// A few queries of one or two words that have sensible answers: what the first pages are about.
    pub fn suggested_queries(&self) -> Vec<String> {
        let mut queries = Vec::new();
        for host in 0..self.host_count().min(4) {
            let title = self.title(self.home(host));
            let mut place = String::new();
            names::write_place(self.config.seed, title.place, &mut place);
            place.make_ascii_lowercase();
            queries.push(format!("{} {place}", title.noun));
            queries.push(place);
        }
        if let Some(page) = self.page_of(0, 1) {
            let title = self.title(page);
            queries.push(format!("{} {}", title.adjective, title.noun));
        }
        queries.dedup();
        queries
    }

    pub(crate) fn host_count(&self) -> u32 {
        self.hosts.len() as u32
    }

    pub(crate) fn address_count(&self) -> u32 {
        address_count(&self.config)
    }

    pub(crate) fn seed_host_count(&self) -> u32 {
        self.host_count().min(SEED_HOSTS_MAX)
    }

    pub(crate) fn host(&self, host: u32) -> &Host {
        &self.hosts[host as usize]
    }

    pub(crate) fn host_named(&self, name: &str) -> Option<u32> {
        self.host_by_name.get(name).copied()
    }

    /// A stream of random numbers for one purpose and page.
    pub(crate) fn rng(&self, purpose: Purpose, page: u32) -> Rng {
        Rng::keyed(self.config.seed, purpose, u64::from(page))
    }

    pub(crate) fn page(&self, id: u32) -> PageKey {
        let host = self.hosts.partition_point(|host| host.first_page <= id) as u32 - 1;
        PageKey { id, host, local: id - self.host(host).first_page }
    }

    /// The page at a position of a host, if the host has so many.
    pub(crate) fn page_of(&self, host: u32, local: u32) -> Option<PageKey> {
        let Host { first_page, page_count, .. } = *self.host(host);
        (local < page_count).then(|| PageKey { id: first_page + local, host, local })
    }

    pub(crate) fn home(&self, host: u32) -> PageKey {
        PageKey { id: self.host(host).first_page, host, local: 0 }
    }

    /// The pages below a page in the tree of its host, as positions.
    pub(crate) fn children(&self, page: PageKey) -> std::ops::Range<u32> {
        let page_count = self.host(page.host).page_count;
        let first = page.local.saturating_mul(self.fan_out).saturating_add(1).min(page_count);
        first..first.saturating_add(self.fan_out).min(page_count)
    }

    /// The page above, for all but the home page.
    pub(crate) fn parent(&self, page: PageKey) -> Option<PageKey> {
        let above = page.local.checked_sub(1)? / self.fan_out;
        self.page_of(page.host, above)
    }

    /// The hosts below a host in the tree of hosts. The roots are the hosts of the seeds.
    pub(crate) fn child_hosts(&self, host: u32) -> std::ops::Range<u32> {
        let first = host.saturating_mul(HOST_FAN_OUT).saturating_add(self.seed_host_count());
        first.min(self.host_count())..first.saturating_add(HOST_FAN_OUT).min(self.host_count())
    }

    /// May unpleasant things happen to it? Not to homes, nor to pages that others hang from.
    pub(crate) fn is_leaf(&self, page: PageKey) -> bool {
        page.local != 0 && self.children(page).is_empty()
    }

    /// Does robots.txt forbid it?
    pub(crate) fn is_forbidden(&self, page: PageKey) -> bool {
        self.config.forbidden_rate > 0.0
            && self.host(page.host).robots.forbids_pages()
            && self.is_leaf(page)
            && self.rng(Purpose::Forbidden, page.id).chance(self.config.forbidden_rate)
    }

    /// Does it ask not to be indexed?
    pub(crate) fn is_noindex(&self, page: PageKey) -> bool {
        page.local != 0 && self.rng(Purpose::NoIndex, page.id).chance(self.config.noindex_rate)
    }

    /// Does it ask that none of its links be followed?
    pub(crate) fn is_nofollow_page(&self, page: PageKey) -> bool {
        self.is_leaf(page) && self.rng(Purpose::PageNoFollow, page.id).chance(self.config.nofollow_rate / 4.0)
    }

    /// Does the tree link to this page ask not to be followed? Then only other links lead there, if any.
    pub(crate) fn is_nofollow_child(&self, page: PageKey) -> bool {
        self.is_leaf(page) && self.rng(Purpose::TreeLink, page.id).chance(self.config.nofollow_rate / 2.0)
    }

    pub(crate) fn role(&self, page: PageKey) -> Role {
        let Some(is_near) = self.copy_roll(page) else { return Role::Original };
        let mut rng = self.rng(Purpose::CopySource, page.id);
        let mut candidates = (0..COPY_SOURCE_TRIES).map(|_| rng.below(self.config.pages));
        let source = candidates.find(|&id| id != page.id && self.copy_roll(self.page(id)).is_none());
        match source {
            Some(source) if is_near => Role::NearCopy(source),
            Some(source) => Role::ExactCopy(source),
            None => Role::Original,
        }
    }

    /// Would this page be a copy, and a near one, if a source can be found?
    fn copy_roll(&self, page: PageKey) -> Option<bool> {
        let LabConfig { copy_rate, near_copy_rate, .. } = self.config;
        if copy_rate + near_copy_rate <= 0.0 {
            return None;
        }
        let roll = self.rng(Purpose::Role, page.id).unit();
        (roll < copy_rate + near_copy_rate && self.is_leaf(page)).then_some(roll >= copy_rate)
    }

    /// The page whose content this page shows: itself, or the source of the copy.
    pub(crate) fn content_of(&self, page: PageKey) -> PageKey {
        match self.role(page) {
            Role::Original => page,
            Role::ExactCopy(source) | Role::NearCopy(source) => self.page(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_but_the_home_hangs_from_its_parent() {
        let web = FakeWeb::new(LabConfig { hosts: 7, pages: 400, ..LabConfig::default() });
        for id in 0..400 {
            let page = web.page(id);
            assert_eq!(web.page_of(page.host, page.local), Some(page));
            match web.parent(page) {
                Some(parent) => assert!(web.children(parent).contains(&page.local)),
                None => assert_eq!(page.local, 0),
            }
        }
    }

    #[test]
    fn every_host_is_a_seed_or_below_one_other_host() {
        let web = FakeWeb::new(LabConfig { hosts: 500, pages: 500, ..LabConfig::default() });
        let mut above = vec![0; 500];
        (0..500).flat_map(|host| web.child_hosts(host)).for_each(|child| above[child as usize] += 1);
        assert!(above[..3].iter().all(|&count| count == 0));
        assert!(above[3..].iter().all(|&count| count == 1));
    }

    #[test]
    fn copies_are_made_of_originals_at_the_rate_asked_for() {
        let config =
            LabConfig { pages: 20_000, copy_rate: 0.1, near_copy_rate: 0.05, ..LabConfig::default() };
        let web = FakeWeb::new(config);
        let (mut exact, mut near) = (0, 0);
        for id in 0..20_000 {
            match web.role(web.page(id)) {
                Role::Original => continue,
                Role::ExactCopy(_) => exact += 1,
                Role::NearCopy(_) => near += 1,
            }
            assert_eq!(web.role(web.content_of(web.page(id))), Role::Original);
        }
        assert!((1600..2100).contains(&exact) && (800..1100).contains(&near), "{exact} exact, {near} near");
    }

    #[test]
    fn a_web_of_one_page_is_a_web() {
        let web = FakeWeb::new(LabConfig { pages: 0, hosts: 0, ..LabConfig::default() });
        assert_eq!((web.host_count(), web.config().pages), (1, 1));
        assert_eq!(web.page(0), web.home(0));
    }
}
