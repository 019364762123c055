//! Which addresses may enter the sieve at all. What is refused here costs no memory and no disk.
//!
//! A link is judged by its kind, by its target (scope, patterns, shape, quotas of its host and domain), by how far that is from
//! the seeds and from the first page of its host, and by its place: of a page that names more addresses than are taken, the
//! first are. All links of a page are kept in the store, whatever becomes of them here, so that other rules can judge them anew.
//!
//! How deep a page is within its host is how many links further from the seeds it is than the first page of that host that was
//! met. That needs a number for each host and none for each address, and is the same after a restart, since the ready log keeps
//! the order in which addresses were met.

use std::collections::{HashMap, HashSet};
use std::sync::RwLock;

use page::{Link, LinkKind, PageUrl};
use regex::Regex;

use crate::gate::{GateLimits, Misshape};
use crate::past::name_key;
use crate::quotas::Quotas;
use crate::{CrawlConfig, Scope};

/// Redirects in a row that are followed from an address that a link named, and from one that the user named. A server
/// can answer each request with an address that never was before, so something has to count them.
const HOPS_MAX: u8 = 5;
const HOPS_FROM_SEED_MAX: u8 = 10;

/// How far an address is from where the crawl began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Distance {
    /// Links from a seed. A redirect is the same page under another name, not a step further.
    pub depth: u16,
    /// Redirects from the address that the last link, or the user, named.
    pub hops: u8,
}

impl Distance {
    /// If an address this far away is a redirect: is that followed?
    pub fn may_redirect(self) -> bool {
        self.hops < if self.depth == 0 { HOPS_FROM_SEED_MAX } else { HOPS_MAX }
    }

    /// Of what a page this far away links to.
    fn of_link(self) -> Self {
        Self { depth: self.depth.saturating_add(1), hops: 0 }
    }

    /// Of where a redirect this far away leads.
    fn of_redirect(self) -> Option<Self> {
        self.may_redirect().then(|| Self { hops: self.hops + 1, ..self })
    }
}

/// The rule that leaves an address, or a link to it, out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal<'a> {
    /// Links of this kind are not followed, or it asks not to be.
    NotFollowed,
    /// It is further from the seeds than so many links.
    Depth(u16),
    /// It is further from the first page of its host than so many links.
    SiteDepth(u16),
    /// Its host is none of those that are crawled.
    Scope,
    /// There are patterns that an address must match one of, and it matches none.
    NotIncluded,
    /// It matches this one, which no address may match.
    Excluded(&'a str),
    /// It looks like an address of a trap.
    Shape(Misshape),
    /// Its host or its domain has given all the pages that it may.
    Full,
}

/// Those links of a page that are followed, and how many were left out by what bounds a crawl.
#[derive(Debug, Default)]
pub struct Chosen<'l> {
    /// In the order of the page, with how far away their targets are.
    pub links: Vec<(&'l Link, Distance)>,
    /// Links that were left out.
    pub left_out: LeftOut,
}

/// Links that were left out before the sieve, by the bound that did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Their page names many others before them.
    pub place: u64,
    /// Their targets look like those of a trap.
    pub shape: u64,
    /// Their targets are too deep within their hosts.
    pub site_depth: u64,
    /// The hosts or domains of their targets are full.
    pub full: u64,
}

impl LeftOut {
    fn count(&mut self, refusal: Refusal<'_>) {
        match refusal {
            Refusal::Shape(_) => self.shape += 1,
            Refusal::SiteDepth(_) => self.site_depth += 1,
            Refusal::Full => self.full += 1,
            _ => {}
        }
    }
}

/// The gate before the sieve.
#[derive(Debug)]
pub struct Admission {
    scope: Scope,
    /// Hosts or domains of the seeds. It grows when a seed redirects elsewhere (`example.org` to `www.example.org`).
    home: RwLock<HashSet<Box<str>>>,
    include: Vec<Regex>,
    exclude: Vec<Regex>,
    depth_max: u16,
    site_depth_max: Option<u16>,
    /// How far from the seeds the first page of each host was, if that matters.
    entries: RwLock<HashMap<u64, u16>>,
    limits: GateLimits,
    pub(crate) quotas: Quotas,
    follow_nofollow: bool,
    follow_sitemaps: bool,
}

impl Admission {
    /// The gate that a configuration describes, with no seeds yet.
    pub fn new(config: &CrawlConfig) -> Self {
        Self {
            scope: config.scope,
            home: RwLock::default(),
            include: config.include.clone(),
            exclude: config.exclude.clone(),
            depth_max: config.budget.depth_max.unwrap_or(u16::MAX),
            site_depth_max: config.budget.site_depth_max,
            entries: RwLock::default(),
            limits: config.gate,
            quotas: Quotas::new(&config.budget),
            follow_nofollow: config.follow_nofollow,
            follow_sitemaps: config.sitemaps,
        }
    }

    /// The same gate, with what earlier runs have used of the quotas.
    pub(crate) fn with_quotas(self, quotas: Quotas) -> Self {
        Self { quotas, ..self }
    }

    /// Makes the host of a seed a place to be crawled.
    pub fn add_seed(&self, url: &PageUrl) {
        let key = self.home_key(url);
        self.home.write().expect("nobody panics with it").insert(key.into());
    }

    /// Notes that an address has passed the sieve: the first of a host is where that is entered.
    pub fn meet(&self, url: &PageUrl, depth: u16) {
        if self.site_depth_max.is_some() {
            let mut entries = self.entries.write().expect("nobody panics with it");
            entries.entry(name_key(url.host())).or_insert(depth);
        }
    }

    /// The same for all hosts that earlier runs have met.
    pub(crate) fn meet_all(&self, entries: impl Iterator<Item = (u64, u16)>) {
        self.entries.write().expect("nobody panics with it").extend(entries);
    }

    /// Chooses those links of a page that are followed.
    pub fn choose<'l>(&self, links: &'l [Link], page: Distance) -> Chosen<'l> {
        let mut chosen = Chosen::default();
        // Only a page with more links than are taken can name too many addresses.
        let is_long = links.len() > self.limits.links_per_page_max;
        let mut named = HashSet::new();
        for link in links {
            match self.judge(&link.target, link.kind, link.nofollow, page) {
                Ok(distance) => {
                    let is_counted = is_long && is_named_by_its_page(link.kind);
                    let print = link.target.fingerprint();
                    if is_counted && named.len() >= self.limits.links_per_page_max && !named.contains(&print)
                    {
                        chosen.left_out.place += 1;
                        continue;
                    }
                    if is_counted {
                        named.insert(print);
                    }
                    chosen.links.push((link, distance));
                }
                Err(refusal) => chosen.left_out.count(refusal),
            }
        }
        chosen
    }

    /// How far away the target of a link is, if it may be followed. `page` is that of the page it was found on.
    pub fn admit(
        &self,
        target: &PageUrl,
        kind: LinkKind,
        nofollow: bool,
        page: Distance,
    ) -> Option<Distance> {
        self.judge(target, kind, nofollow, page).ok()
    }

    /// The same, or the rule that leaves the link out.
    pub fn judge(
        &self,
        target: &PageUrl,
        kind: LinkKind,
        nofollow: bool,
        page: Distance,
    ) -> Result<Distance, Refusal<'_>> {
        let followable = match kind {
            LinkKind::Anchor | LinkKind::Frame => self.follow_nofollow || !nofollow,
            LinkKind::Refresh | LinkKind::Redirect => true,
            LinkKind::Sitemap => self.follow_sitemaps,
            LinkKind::Canonical => false,
        };
        let is_redirect = matches!(kind, LinkKind::Redirect);
        let distance = if is_redirect { page.of_redirect() } else { Some(page.of_link()) };
        let distance = distance.filter(|_| followable).ok_or(Refusal::NotFollowed)?;
        if distance.depth > self.depth_max {
            return Err(Refusal::Depth(self.depth_max));
        }
        if !moves_a_seed(kind, page) && !self.is_in_scope(target) {
            return Err(Refusal::Scope);
        }
        let refusal = self.form_refusal(target).or_else(|| self.site_depth_refusal(target, distance.depth));
        match refusal {
            Some(refusal) => Err(refusal),
            None if self.quotas.leads_nowhere(target) => Err(Refusal::Full),
            None => Ok(distance),
        }
    }

    /// Widens the scope if a link is one by which a seed moves: what is at home follows it there.
    pub fn follow_seed(&self, target: &PageUrl, kind: LinkKind, page: Distance) {
        if moves_a_seed(kind, page) {
            self.add_seed(target);
        }
    }

    /// Which rule leaves an address out, wherever it was found.
    pub fn refusal(&self, url: &PageUrl) -> Option<Refusal<'_>> {
        if !self.is_in_scope(url) {
            return Some(Refusal::Scope);
        }
        self.form_refusal(url)
    }

    /// What speaks against an address itself.
    fn form_refusal(&self, url: &PageUrl) -> Option<Refusal<'_>> {
        self.pattern_refusal(url).or_else(|| self.limits.misshape(url).map(Refusal::Shape))
    }

    fn site_depth_refusal(&self, url: &PageUrl, depth: u16) -> Option<Refusal<'_>> {
        let max = self.site_depth_max?;
        let entry = *self.entries.read().expect("nobody panics with it").get(&name_key(url.host()))?;
        (depth.saturating_sub(entry) > max).then_some(Refusal::SiteDepth(max))
    }

    fn pattern_refusal(&self, url: &PageUrl) -> Option<Refusal<'_>> {
        let matches = |pattern: &Regex| pattern.is_match(url.as_str());
        if !self.include.is_empty() && !self.include.iter().any(matches) {
            return Some(Refusal::NotIncluded);
        }
        self.exclude
            .iter()
            .find(|pattern| matches(pattern))
            .map(|pattern| Refusal::Excluded(pattern.as_str()))
    }

    /// May an address that waits from an earlier run still be fetched? Seeds may: the user named them.
    pub fn admits_waiting(&self, url: &PageUrl, depth: u16) -> bool {
        let is_near = depth <= self.depth_max && self.site_depth_refusal(url, depth).is_none();
        depth == 0 || (is_near && self.refusal(url).is_none())
    }

    fn is_in_scope(&self, url: &PageUrl) -> bool {
        self.scope == Scope::All
            || self.home.read().expect("nobody panics with it").contains(self.home_key(url))
    }

    fn home_key<'u>(&self, url: &'u PageUrl) -> &'u str {
        let host = url.host();
        if self.scope == Scope::Domain { page::registrable_domain(host) } else { host }
    }
}

/// Is a link one of those that a page can have any number of? A sitemap is a list, and has a limit of its own.
fn is_named_by_its_page(kind: LinkKind) -> bool {
    !matches!(kind, LinkKind::Redirect | LinkKind::Sitemap)
}

/// A redirect of a seed, as far as redirects are followed.
fn moves_a_seed(kind: LinkKind, page: Distance) -> bool {
    kind == LinkKind::Redirect && page.depth == 0 && page.may_redirect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlBudget;

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
    }

    fn at_depth(depth: u16) -> Distance {
        Distance { depth, hops: 0 }
    }

    fn gate(scope: Scope, include: &[&str], exclude: &[&str]) -> Admission {
        let compile =
            |patterns: &[&str]| patterns.iter().map(|pattern| Regex::new(pattern).unwrap()).collect();
        let config = CrawlConfig {
            scope,
            include: compile(include),
            exclude: compile(exclude),
            budget: CrawlBudget { depth_max: Some(3), ..CrawlBudget::default() },
            ..CrawlConfig::default()
        };
        let admission = Admission::new(&config);
        admission.add_seed(&url("http://www.example.co.uk/"));
        admission
    }

    #[test]
    fn scopes_reach_as_far_as_they_say() {
        let cases = [
            ("http://www.example.co.uk/x", true, true),
            ("https://www.example.co.uk:8443/x", true, true),
            ("http://docs.example.co.uk/", false, true),
            ("http://example.co.uk/", false, true),
            ("http://other.co.uk/", false, false),
            ("http://127.0.0.1/", false, false),
        ];
        for (target, host, domain) in cases {
            for (scope, expected) in [(Scope::Host, host), (Scope::Domain, domain), (Scope::All, true)] {
                let admitted =
                    gate(scope, &[], &[]).admit(&url(target), LinkKind::Anchor, false, at_depth(0));
                assert_eq!(admitted.is_some(), expected, "{target} in {scope:?}");
            }
        }
    }

    #[test]
    fn patterns_choose_among_addresses() {
        let gate = gate(Scope::Host, &["/docs/", "/blog/"], &[r"\.pdf$"]);
        for (path, expected) in
            [("/docs/a", true), ("/blog/b", true), ("/shop/", false), ("/docs/a.pdf", false)]
        {
            let target = url(&format!("http://www.example.co.uk{path}"));
            assert_eq!(
                gate.admit(&target, LinkKind::Anchor, false, at_depth(0)).is_some(),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn links_count_as_steps_and_redirects_do_not() {
        let target = url("http://www.example.co.uk/x");
        let gate = gate(Scope::Host, &[], &[]);
        let cases = [
            (LinkKind::Anchor, false, 2, Some(3)),
            (LinkKind::Anchor, false, 3, None),
            (LinkKind::Redirect, false, 3, Some(3)),
            (LinkKind::Anchor, true, 0, None),
            (LinkKind::Canonical, false, 0, None),
        ];
        for (kind, nofollow, depth, expected) in cases {
            let admitted = gate.admit(&target, kind, nofollow, at_depth(depth));
            assert_eq!(admitted.map(|distance| distance.depth), expected, "{kind:?} at {depth}");
        }
    }

    #[test]
    fn redirects_are_counted_from_the_address_that_was_found_and_end() {
        let gate = gate(Scope::Host, &[], &[]);
        let target = url("http://www.example.co.uk/x");
        for (depth, hops_max) in [(0, 10), (1, 5), (3, 5)] {
            let mut distance = at_depth(depth);
            for hops in 1..=hops_max {
                distance = gate.admit(&target, LinkKind::Redirect, false, distance).unwrap();
                assert_eq!(distance, Distance { depth, hops });
            }
            assert!(!distance.may_redirect());
            assert_eq!(gate.admit(&target, LinkKind::Redirect, false, distance), None, "from {depth}");
        }
        let far = Distance { depth: 1, hops: 5 };
        let linked = gate.admit(&target, LinkKind::Anchor, false, far);
        assert_eq!(linked, Some(at_depth(2)), "a link begins anew");
    }

    #[test]
    fn a_seed_that_moves_on_and_on_takes_the_scope_only_so_far() {
        let gate = gate(Scope::Host, &[], &[]);
        let mut distance = at_depth(0);
        let hosts: Vec<PageUrl> = (0..30).map(|host| url(&format!("http://{host}.test/"))).collect();
        for host in &hosts {
            gate.follow_seed(host, LinkKind::Redirect, distance);
            distance = gate.admit(host, LinkKind::Redirect, false, distance).unwrap_or(distance);
        }
        let within =
            hosts.iter().filter(|host| gate.admit(host, LinkKind::Anchor, false, at_depth(0)).is_some());
        assert_eq!(within.count(), 10);
    }

    #[test]
    fn a_seed_that_moved_takes_the_scope_with_it() {
        let gate = gate(Scope::Host, &[], &[]);
        let moved = url("http://moved.test/");
        let admit = |kind, depth| gate.admit(&moved, kind, false, at_depth(depth));
        let follow = |kind, depth| gate.follow_seed(&moved, kind, at_depth(depth));
        assert_eq!(admit(LinkKind::Redirect, 1), None, "only seeds do");
        assert_eq!(admit(LinkKind::Redirect, 0), Some(Distance { depth: 0, hops: 1 }));
        follow(LinkKind::Redirect, 1);
        follow(LinkKind::Anchor, 0);
        assert_eq!(admit(LinkKind::Anchor, 0), None, "to ask changes nothing, nor does any other link");
        follow(LinkKind::Redirect, 0);
        assert_eq!(admit(LinkKind::Anchor, 0), Some(at_depth(1)));
    }

    fn links_to(targets: impl IntoIterator<Item = String>, kind: LinkKind) -> Vec<Link> {
        targets.into_iter().map(|target| Link::bare(url(&target), kind)).collect()
    }

    #[test]
    fn of_a_page_the_first_addresses_are_followed_and_the_others_counted() {
        let limits = GateLimits { links_per_page_max: 3, ..GateLimits::default() };
        let config =
            CrawlConfig { scope: Scope::All, gate: limits, sitemaps: true, ..CrawlConfig::default() };
        let gate = Admission::new(&config);
        // Every second link goes to one address.
        let targets = || (0..8).map(|page| format!("http://a.test/{}", if page % 2 == 0 { 0 } else { page }));
        let paths = |chosen: &Chosen<'_>| -> Vec<String> {
            chosen.links.iter().map(|(link, _)| link.target.path_and_query().to_owned()).collect()
        };
        let links = links_to(targets(), LinkKind::Anchor);
        let chosen = gate.choose(&links, at_depth(0));
        assert_eq!(paths(&chosen), ["/0", "/1", "/0", "/3", "/0", "/0"]);
        assert_eq!(chosen.left_out, LeftOut { place: 2, ..LeftOut::default() });
        let few = &links[..3];
        assert_eq!(gate.choose(few, at_depth(0)).links.len(), 3);
        let listed = links_to(targets(), LinkKind::Sitemap);
        assert_eq!(gate.choose(&listed, at_depth(0)).links.len(), 8, "a list is as long as it is");
    }

    #[test]
    fn what_is_not_followed_takes_no_place_from_what_is() {
        let limits = GateLimits { links_per_page_max: 2, ..GateLimits::default() };
        let budget = CrawlBudget { pages_per_host_max: Some(5), ..CrawlBudget::default() };
        let config = CrawlConfig {
            scope: Scope::All,
            exclude: vec![Regex::new("/x").unwrap()],
            gate: limits,
            budget,
            ..CrawlConfig::default()
        };
        let gate = Admission::new(&config);
        gate.quotas.note_stored(&[(name_key("http://full.test"), 5)].into(), &HashMap::new());
        let targets = ["a.test/x/1", "full.test/", "a.test/b/b/b/b", "a.test/x/2", "a.test/1", "a.test/2"];
        let links = links_to(targets.map(|target| format!("http://{target}")), LinkKind::Anchor);
        let chosen = gate.choose(&links, at_depth(0));
        assert_eq!(chosen.links.len(), 2);
        assert_eq!(chosen.left_out, LeftOut { shape: 1, full: 1, ..LeftOut::default() });
    }

    #[test]
    fn depth_within_a_host_is_counted_from_its_first_page() {
        let budget = CrawlBudget { site_depth_max: Some(2), ..CrawlBudget::default() };
        let gate = Admission::new(&CrawlConfig { scope: Scope::All, budget, ..CrawlConfig::default() });
        gate.meet(&url("http://b.test/first"), 5);
        gate.meet(&url("http://b.test/later"), 1);
        for (target, from, expected) in [
            ("http://b.test/x", 6, true),
            ("http://b.test/x", 7, false),
            ("https://b.test/x", 7, false),
            ("http://c.test/", 7, true),
            ("http://b.test/x", 0, true),
        ] {
            let admitted = gate.admit(&url(target), LinkKind::Anchor, false, at_depth(from));
            assert_eq!(admitted.is_some(), expected, "{target} from {from}");
            assert_eq!(gate.admits_waiting(&url(target), from + 1), expected, "{target}, which waits");
        }
    }
}
