//! What sort of web to make.

use serde::{Deserialize, Serialize};

/// The parameters of a fake web. The same parameters give the same web, byte for byte.
///
/// Rates are probabilities between 0 and 1. The default is the web of the demo: small, with a little of everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LabConfig {
    /// Everything random comes from this number.
    pub seed: u64,
    /// How many hosts; never more than pages, because each host has a home page.
    pub hosts: u32,
    /// How many pages answer 200, those that robots.txt forbids among them. Redirects and holes come on top.
    pub pages: u32,
    /// The h-th largest host has pages in proportion to h to the minus this; 0 makes all hosts equal.
    pub zipf_exponent: f64,
    /// Mean links per page. Pages near the root of a host's tree have what the tree needs, be it more.
    pub links_per_page: u32,
    /// The part of the links that stay on the host.
    pub local_link_ratio: f64,
    /// Words that a reader sees on a page, roughly.
    pub words_per_page: u32,
    /// Pages whose text is that of another page.
    pub copy_rate: f64,
    /// Pages whose text is nearly that of another page.
    pub near_copy_rate: f64,
    /// How near: the Jaccard similarity of the sets of 5-word shingles of both texts.
    pub near_copy_jaccard: f64,
    /// Links that lead through one to three redirects (one in twenty of them: into a loop of redirects).
    pub redirect_rate: f64,
    /// Links to addresses that answer 404 or 410.
    pub missing_rate: f64,
    /// Pages below paths that robots.txt forbids, of the pages that have none below them in the tree.
    pub forbidden_rate: f64,
    /// Links that ask not to be followed.
    pub nofollow_rate: f64,
    /// Pages that ask not to be indexed.
    pub noindex_rate: f64,
    /// Hosts that think before they answer.
    pub slow_host_rate: f64,
    /// For how long they think.
    pub slow_ms: u64,
    /// How many hosts share an IP address.
    pub hosts_per_address: u32,
    /// Hosts whose robots.txt has a `Crawl-delay`.
    pub crawl_delay_rate: f64,
    /// What it says, in seconds.
    pub crawl_delay_s: f64,
    /// Do hosts have sitemaps, named in robots.txt?
    pub sitemaps: bool,
    /// Hosts that compress what they send when the client accepts it.
    pub gzip_rate: f64,
    /// Hosts that send pages in chunks, without saying how long they are.
    pub chunked_rate: f64,
    /// Hosts whose markup does not say what is navigation.
    pub unmarked_navigation_rate: f64,
    /// Write links in all the forms of the real web; otherwise all are plain `<a href="/…">`.
    pub varied_markup: bool,
}

impl Default for LabConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            hosts: 60,
            pages: 5000,
            zipf_exponent: 0.8,
            links_per_page: 20,
            local_link_ratio: 0.75,
            words_per_page: 350,
            copy_rate: 0.03,
            near_copy_rate: 0.03,
            near_copy_jaccard: 0.85,
            redirect_rate: 0.01,
            missing_rate: 0.005,
            forbidden_rate: 0.03,
            nofollow_rate: 0.04,
            noindex_rate: 0.02,
            slow_host_rate: 0.05,
            slow_ms: 20,
            hosts_per_address: 3,
            crawl_delay_rate: 0.0,
            crawl_delay_s: 1.0,
            sitemaps: true,
            gzip_rate: 0.3,
            chunked_rate: 0.15,
            unmarked_navigation_rate: 0.0,
            varied_markup: true,
        }
    }
}

impl LabConfig {
    /// A web to measure speed on: one host, pages of about 8.5 kB with 20 plain links, nothing unpleasant.
    pub fn yardstick(pages: u32) -> Self {
        Self { hosts: 1, pages, words_per_page: 1330, ..Self::clean() }
    }

    /// The default web without anything unpleasant: no copies, no faults, nothing forbidden, nobody slow.
    pub fn clean() -> Self {
        Self {
            copy_rate: 0.0,
            near_copy_rate: 0.0,
            redirect_rate: 0.0,
            missing_rate: 0.0,
            forbidden_rate: 0.0,
            nofollow_rate: 0.0,
            noindex_rate: 0.0,
            slow_host_rate: 0.0,
            hosts_per_address: 1,
            sitemaps: false,
            gzip_rate: 0.0,
            chunked_rate: 0.0,
            varied_markup: false,
            ..Self::default()
        }
    }

    /// The same parameters made sound: at least one page, one host and one host per address.
    pub(crate) fn made_sound(mut self) -> Self {
        self.pages = self.pages.max(1);
        self.hosts = self.hosts.clamp(1, self.pages);
        self.hosts_per_address = self.hosts_per_address.max(1);
        self.near_copy_jaccard = self.near_copy_jaccard.clamp(0.0, 1.0);
        self
    }
}
