//! What a site asks of crawlers: robots.txt, by RFC 9309.
//!
//! The file is a list of groups, each for some user agents. The groups that name us are merged; if none does, those
//! for `*` are. Of the rules in them the longest one that matches a path decides, and `Allow` wins a tie. A path
//! without a rule is free.
//!
//! Two readers disagree on `%62` for `b`: the RFC decodes it, Google's parser compares it as it is written. We take
//! the stricter reading of each rule: a `Disallow` is compared decoded and so forbids both spellings, an `Allow`
//! frees only the spelling that it gives.
//!
//! Cost: the rules of the file that concern us, as one block of text, sorted by length; asking walks them and stops
//! at the first match. A file of 500 KiB holds 64,000 rules at most.

mod lines;
mod packed;
mod pattern;
mod verdict;

use std::time::Duration;

use lines::{Line, lines_of};
use pattern::{decoded, escaped, matches};
pub use verdict::{RobotsVerdict, robots_from};

/// RFC 9309 asks to read at least so much. What follows is ignored, from the last whole line on.
pub const ROBOTS_BYTES_MAX: usize = 500 << 10;

/// The rules of one site for one crawler.
#[derive(Debug, Clone, Default)]
pub struct RobotsRules {
    /// The patterns of all rules, one behind the other.
    patterns: Box<[u8]>,
    /// Longest first; of equally long ones, `Allow` first.
    rules: Box<[Rule]>,
    crawl_delay: Option<Duration>,
    sitemaps: Box<[String]>,
}

#[derive(Debug, Clone, Copy)]
struct Rule {
    start: u32,
    end: u32,
    /// The length of the pattern as it is written: what decides between rules.
    weight: u32,
    is_allow: bool,
}

impl RobotsRules {
    /// Reads a robots.txt for the crawler with this product token, such as `crivello`. Any bytes will do.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        let mut groups = Groups::new(agent);
        for line in lines_of(cut_to_limit(bytes)) {
            groups.read(line);
        }
        groups.into_rules()
    }

    /// Nothing is forbidden.
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Everything is forbidden.
    pub fn disallow_all() -> Self {
        let mut rules = RuleList::default();
        rules.add_disallow(b"/");
        rules.into_rules(Vec::new())
    }

    /// May a page be fetched? `path_and_query` is that of a [`page::PageUrl`].
    pub fn allows(&self, path_and_query: &str) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        let (spelled, decoded) =
            (pattern::upper_case_escapes(path_and_query), decoded(path_and_query.as_bytes()));
        let deciding = self.rules.iter().find(|rule| {
            let path = if rule.is_allow { &spelled } else { &decoded };
            matches(&self.patterns[rule.start as usize..rule.end as usize], path)
        });
        deciding.is_none_or(|rule| rule.is_allow)
    }

    /// The pause between two requests that the site asks for.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The addresses of sitemaps, as they are written.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// How much memory the rules take, for those who keep many of them.
    pub fn memory_bytes(&self) -> usize {
        let sitemaps: usize = self.sitemaps.iter().map(|url| url.capacity() + size_of::<String>()).sum();
        size_of::<Self>() + self.patterns.len() + self.rules.len() * size_of::<Rule>() + sitemaps
    }
}

fn cut_to_limit(bytes: &[u8]) -> &[u8] {
    if bytes.len() <= ROBOTS_BYTES_MAX {
        return bytes;
    }
    let kept = &bytes[..ROBOTS_BYTES_MAX];
    let last_line_end = memchr::memrchr2(b'\n', b'\r', kept);
    &kept[..last_line_end.unwrap_or(0)]
}

/// The groups that may concern us, while the file is read.
struct Groups<'a> {
    agent: &'a str,
    ours: RuleList,
    everyones: RuleList,
    sitemaps: Vec<String>,
    /// Whom the present group is for, so far.
    group_is_ours: bool,
    group_is_everyones: bool,
    /// The present group has rules, so that the next user agent begins another group.
    group_has_rules: bool,
    any_group_is_ours: bool,
}

impl<'a> Groups<'a> {
    fn new(agent: &'a str) -> Self {
        Self {
            agent,
            ours: RuleList::default(),
            everyones: RuleList::default(),
            sitemaps: Vec::new(),
            group_is_ours: false,
            group_is_everyones: false,
            group_has_rules: false,
            any_group_is_ours: false,
        }
    }

    fn read(&mut self, line: Line<'_>) {
        match line {
            Line::UserAgent(value) => self.read_user_agent(value),
            Line::Allow(pattern) => self.read_rule(|rules| rules.add_allow(pattern)),
            Line::Disallow(pattern) => self.read_rule(|rules| rules.add_disallow(pattern)),
            // Only the records that the RFC defines end the list of user agents.
            Line::CrawlDelay(delay) => self.for_present_group(|rules| rules.add_crawl_delay(delay)),
            Line::Sitemap(url) => self.sitemaps.push(url),
        }
    }

    fn read_user_agent(&mut self, value: &[u8]) {
        if self.group_has_rules {
            (self.group_is_ours, self.group_is_everyones, self.group_has_rules) = (false, false, false);
        }
        if matches!(value, [b'*'] | [b'*', b' ' | b'\t', ..]) {
            self.group_is_everyones = true;
        } else if !self.agent.is_empty() && product_token(value).eq_ignore_ascii_case(self.agent.as_bytes()) {
            self.group_is_ours = true;
            self.any_group_is_ours = true;
        }
    }

    fn read_rule(&mut self, add: impl Fn(&mut RuleList)) {
        self.group_has_rules = true;
        self.for_present_group(add);
    }

    fn for_present_group(&mut self, change: impl Fn(&mut RuleList)) {
        if self.group_is_ours {
            change(&mut self.ours);
        }
        if self.group_is_everyones {
            change(&mut self.everyones);
        }
    }

    fn into_rules(self) -> RobotsRules {
        let rules = if self.any_group_is_ours { self.ours } else { self.everyones };
        rules.into_rules(self.sitemaps)
    }
}

/// `Googlebot/2.1 (…)` is written for `Googlebot`.
fn product_token(value: &[u8]) -> &[u8] {
    let is_token = |byte: &&u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    &value[..value.iter().take_while(is_token).count()]
}

/// Rules in the making.
#[derive(Default)]
struct RuleList {
    patterns: Vec<u8>,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl RuleList {
    fn add_allow(&mut self, pattern: &[u8]) {
        let pattern = escaped(pattern);
        self.add(true, pattern.len(), &pattern);
        // Whoever allows the index page of a folder means the folder too. (Google reads it so; who is allowed in
        // cannot complain.)
        let folder_end = pattern.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        if pattern[folder_end..].starts_with(b"index.htm") && folder_end > 0 {
            self.add(true, folder_end + 1, &[&pattern[..folder_end], b"$"].concat());
        }
    }

    fn add_disallow(&mut self, pattern: &[u8]) {
        let weight = escaped(pattern).len();
        self.add(false, weight, &decoded(pattern));
    }

    fn add(&mut self, is_allow: bool, weight: usize, pattern: &[u8]) {
        if pattern.is_empty() {
            return;
        }
        let start = self.patterns.len() as u32;
        self.patterns.extend_from_slice(pattern);
        self.rules.push(Rule { start, end: self.patterns.len() as u32, weight: weight as u32, is_allow });
    }

    fn add_crawl_delay(&mut self, delay: Duration) {
        self.crawl_delay = self.crawl_delay.max(Some(delay));
    }

    fn into_rules(mut self, sitemaps: Vec<String>) -> RobotsRules {
        self.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.weight), !rule.is_allow));
        RobotsRules {
            patterns: self.patterns.into(),
            rules: self.rules.into(),
            crawl_delay: self.crawl_delay,
            sitemaps: sitemaps.into(),
        }
    }
}
