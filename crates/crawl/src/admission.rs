//! Which addresses may enter the sieve at all. What is refused here costs no memory and no disk.

use std::collections::HashSet;
use std::sync::RwLock;

use page::{LinkKind, PageUrl};
use regex::Regex;

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

/// The rule that leaves an address out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal<'a> {
    /// It is too far from the seeds.
    Scope,
    /// There are patterns that an address must match one of, and it matches none.
    NotIncluded,
    /// It matches this one, which no address may match.
    Excluded(&'a str),
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
            follow_nofollow: config.follow_nofollow,
            follow_sitemaps: config.sitemaps,
        }
    }

    /// Makes the host of a seed a place to be crawled.
    pub fn add_seed(&self, url: &PageUrl) {
        let key = self.home_key(url);
        self.home.write().expect("nobody panics with it").insert(key.into());
    }

    /// How far away the target of a link is, if it may be followed. `page` is that of the page it was found on.
    pub fn admit(
        &self,
        target: &PageUrl,
        kind: LinkKind,
        nofollow: bool,
        page: Distance,
    ) -> Option<Distance> {
        let followable = match kind {
            LinkKind::Anchor | LinkKind::Frame => self.follow_nofollow || !nofollow,
            LinkKind::Refresh | LinkKind::Redirect => true,
            LinkKind::Sitemap => self.follow_sitemaps,
            LinkKind::Canonical => false,
        };
        let is_redirect = matches!(kind, LinkKind::Redirect);
        let distance = if is_redirect { page.of_redirect()? } else { page.of_link() };
        if !followable || distance.depth > self.depth_max {
            return None;
        }
        let is_near = moves_a_seed(kind, page) || self.is_in_scope(target);
        (is_near && self.pattern_refusal(target).is_none()).then_some(distance)
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
        self.pattern_refusal(url)
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
        depth == 0 || (depth <= self.depth_max && self.refusal(url).is_none())
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
}
