//! What a crawl leaves out before it costs anything: many links of one page, and addresses that look like those of a trap.

use clap::Args;
use crawl::GateLimits;

/// The options of [`GateLimits`]. Start addresses are fetched whatever they look like.
#[derive(Debug, Clone, Copy, Args)]
pub struct GateArgs {
    /// Of one page follow the first so many different addresses (all links are kept for the graph)
    #[arg(long, value_name = "N", default_value_t = GateLimits::default().links_per_page_max, help_heading = "What to fetch")]
    pub max_links_per_page: usize,
    /// Follow no address that is longer
    #[arg(long, value_name = "N", default_value_t = GateLimits::default().url_bytes_max, value_parser = parse_url_bytes, help_heading = "What to fetch")]
    pub max_url_bytes: usize,
    /// Follow no address whose query has more parameters
    #[arg(long, value_name = "N", default_value_t = GateLimits::default().parameters_max, help_heading = "What to fetch")]
    pub max_url_parameters: usize,
    /// Follow no address whose path repeats itself more often in a row, as /a/b/a/b does twice
    #[arg(long, value_name = "N", default_value_t = GateLimits::default().repeats_max, value_parser = parse_repeats, help_heading = "What to fetch")]
    pub max_url_repeats: usize,
}

impl GateArgs {
    /// Makes of the options what the crawl is told.
    pub fn limits(self) -> GateLimits {
        GateLimits {
            links_per_page_max: self.max_links_per_page,
            url_bytes_max: self.max_url_bytes,
            parameters_max: self.max_url_parameters,
            repeats_max: self.max_url_repeats,
        }
    }
}

fn parse_url_bytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes) if (1..=page::URL_BYTES_MAX).contains(&bytes) => Ok(bytes),
        _ => Err(format!(
            "a number between 1 and {} is needed: no link is read that is longer",
            page::URL_BYTES_MAX
        )),
    }
}

fn parse_repeats(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(repeats) if repeats > 0 => Ok(repeats),
        _ => Err("a number from 1 on is needed: every path comes once".to_owned()),
    }
}
