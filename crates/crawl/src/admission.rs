//! Which addresses may enter the sieve at all. What is refused here costs no memory and no disk.

use std::collections::HashSet;
use std::sync::RwLock;

use page::{LinkKind, PageUrl};
use regex::Regex;

use crate::CrawlConfig;

/// How far from the seeds a crawl goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Only the hosts of the seeds.
    #[default]
    Host,
    /// All hosts of the seeds' registrable domains: `docs.example.co.uk` for a seed on `www.example.co.uk`.
    Domain,
    /// Wherever the links lead.
    All,
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

    /// Where a link leads if it may be followed: its depth. `page_depth` is that of the page it was found on.
    pub fn admit(&self, target: &PageUrl, kind: LinkKind, nofollow: bool, page_depth: u16) -> Option<u16> {
        let followable = match kind {
            LinkKind::Anchor | LinkKind::Frame => self.follow_nofollow || !nofollow,
            LinkKind::Refresh | LinkKind::Redirect => true,
            LinkKind::Sitemap => self.follow_sitemaps,
            LinkKind::Canonical => false,
        };
        // A redirect is the same page under another name, not a step further.
        let is_redirect = matches!(kind, LinkKind::Redirect);
        let depth = if is_redirect { page_depth } else { page_depth.saturating_add(1) };
        if !followable || depth > self.depth_max {
            return None;
        }
        if is_redirect && page_depth == 0 {
            self.add_seed(target);
        }
        self.is_within(target).then_some(depth)
    }

    /// May an address that waits from an earlier run still be fetched? Seeds may: the user named them.
    pub fn admits_waiting(&self, url: &PageUrl, depth: u16) -> bool {
        depth == 0 || (depth <= self.depth_max && self.is_within(url))
    }

    fn is_within(&self, url: &PageUrl) -> bool {
        let in_scope = self.scope == Scope::All
            || self.home.read().expect("nobody panics with it").contains(self.home_key(url));
        in_scope
            && (self.include.is_empty() || self.include.iter().any(|pattern| pattern.is_match(url.as_str())))
            && !self.exclude.iter().any(|pattern| pattern.is_match(url.as_str()))
    }

    fn home_key<'u>(&self, url: &'u PageUrl) -> &'u str {
        let host = url.host();
        if self.scope == Scope::Domain { registrable_domain(host) } else { host }
    }
}

/// What its owner has registered: `example.co.uk` for `www.example.co.uk`. A number has no other domain than itself.
pub fn registrable_domain(host: &str) -> &str {
    let is_name = !host.starts_with('[') && host.parse::<std::net::Ipv4Addr>().is_err();
    if is_name { psl::domain_str(host).unwrap_or(host) } else { host }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrawlBudget;

    fn url(text: &str) -> PageUrl {
        PageUrl::parse(text).unwrap()
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
                let admitted = gate(scope, &[], &[]).admit(&url(target), LinkKind::Anchor, false, 0);
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
            assert_eq!(gate.admit(&target, LinkKind::Anchor, false, 0).is_some(), expected, "{path}");
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
            assert_eq!(gate.admit(&target, kind, nofollow, depth), expected, "{kind:?} at {depth}");
        }
    }

    #[test]
    fn a_seed_that_moved_takes_the_scope_with_it() {
        let gate = gate(Scope::Host, &[], &[]);
        let moved = url("http://moved.test/");
        assert_eq!(gate.admit(&moved, LinkKind::Redirect, false, 1), None, "only seeds do");
        assert_eq!(gate.admit(&moved, LinkKind::Redirect, false, 0), Some(0));
        assert_eq!(gate.admit(&moved, LinkKind::Anchor, false, 0), Some(1));
    }
}
