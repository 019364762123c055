//! The parameters of a fake web as options: of `demo`, `lab` and `bench`.

use clap::Args;
use lab::LabConfig;

/// See [`LabConfig`]; what is not given has the value of the demo's web.
#[derive(Debug, Clone, Args)]
pub struct LabArgs {
    /// Pages of the fake web
    #[arg(long, value_name = "N", default_value_t = LabConfig::default().pages, help_heading = "The fake web")]
    pub pages: u32,
    /// Hosts of the fake web
    #[arg(long, value_name = "N", default_value_t = LabConfig::default().hosts, help_heading = "The fake web")]
    pub hosts: u32,
    /// Everything random comes from this number
    #[arg(long, value_name = "S", default_value_t = LabConfig::default().seed, help_heading = "The fake web")]
    pub seed: u64,
    /// How unequal hosts are: the exponent of Zipf's law
    #[arg(long, value_name = "X", default_value_t = LabConfig::default().zipf_exponent, help_heading = "The fake web")]
    pub zipf: f64,
    /// Mean links per page
    #[arg(long, value_name = "N", default_value_t = LabConfig::default().links_per_page, help_heading = "The fake web")]
    pub links_per_page: u32,
    /// Part of the links that stay on their host
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().local_link_ratio, help_heading = "The fake web")]
    pub local_links: f64,
    /// Words per page, about
    #[arg(long, value_name = "N", default_value_t = LabConfig::default().words_per_page, help_heading = "The fake web")]
    pub words_per_page: u32,
    /// Pages that are copies of others
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().copy_rate, help_heading = "The fake web")]
    pub copies: f64,
    /// Pages that are nearly copies of others
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().near_copy_rate, help_heading = "The fake web")]
    pub near_copies: f64,
    /// How near those are (Jaccard similarity of 5-word shingles)
    #[arg(long, value_name = "J", default_value_t = LabConfig::default().near_copy_jaccard, help_heading = "The fake web")]
    pub near_copy_jaccard: f64,
    /// Links through redirects
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().redirect_rate, help_heading = "The fake web")]
    pub redirects: f64,
    /// Links to nothing
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().missing_rate, help_heading = "The fake web")]
    pub missing: f64,
    /// Pages that robots.txt forbids
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().forbidden_rate, help_heading = "The fake web")]
    pub forbidden: f64,
    /// Hosts whose markup does not say what is navigation
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().unmarked_navigation_rate, help_heading = "The fake web")]
    pub unmarked_navigation: f64,
    /// Hosts that are slow
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().slow_host_rate, help_heading = "The fake web")]
    pub slow_hosts: f64,
    /// How slow, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = LabConfig::default().slow_ms, help_heading = "The fake web")]
    pub slow_ms: u64,
    /// Hosts that share an IP address
    #[arg(long, value_name = "N", default_value_t = LabConfig::default().hosts_per_address, help_heading = "The fake web")]
    pub hosts_per_address: u32,
    /// Hosts whose robots.txt has a Crawl-delay
    #[arg(long, value_name = "RATE", default_value_t = LabConfig::default().crawl_delay_rate, help_heading = "The fake web")]
    pub crawl_delays: f64,
    /// That Crawl-delay, in seconds
    #[arg(long, value_name = "S", default_value_t = LabConfig::default().crawl_delay_s, help_heading = "The fake web")]
    pub crawl_delay: f64,
}

impl LabArgs {
    /// Describes the web that was asked for.
    pub fn config(&self) -> anyhow::Result<LabConfig> {
        for (name, rate) in [
            ("--local-links", self.local_links),
            ("--copies", self.copies),
            ("--near-copies", self.near_copies),
            ("--near-copy-jaccard", self.near_copy_jaccard),
            ("--redirects", self.redirects),
            ("--missing", self.missing),
            ("--forbidden", self.forbidden),
            ("--unmarked-navigation", self.unmarked_navigation),
            ("--slow-hosts", self.slow_hosts),
            ("--crawl-delays", self.crawl_delays),
        ] {
            anyhow::ensure!((0.0..=1.0).contains(&rate), "{name} must be between 0 and 1, not {rate}");
        }
        anyhow::ensure!(self.pages > 0 && self.hosts > 0, "a web has at least one page and one host");
        Ok(LabConfig {
            seed: self.seed,
            hosts: self.hosts,
            pages: self.pages,
            zipf_exponent: self.zipf,
            links_per_page: self.links_per_page,
            local_link_ratio: self.local_links,
            words_per_page: self.words_per_page,
            copy_rate: self.copies,
            near_copy_rate: self.near_copies,
            near_copy_jaccard: self.near_copy_jaccard,
            redirect_rate: self.redirects,
            missing_rate: self.missing,
            forbidden_rate: self.forbidden,
            unmarked_navigation_rate: self.unmarked_navigation,
            slow_host_rate: self.slow_hosts,
            slow_ms: self.slow_ms,
            hosts_per_address: self.hosts_per_address,
            crawl_delay_rate: self.crawl_delays,
            crawl_delay_s: self.crawl_delay,
            ..LabConfig::default()
        })
    }
}
