//! What the answer to a request for robots.txt means (RFC 9309, section 2.3.1).

use page::{Fetched, Outcome, PageUrl, Response, Truncation};

use super::RobotsRules;

/// What is known about a site's wishes after one request.
#[derive(Debug, Clone)]
pub enum RobotsVerdict {
    /// The site has rules.
    Rules(RobotsRules),
    /// They are elsewhere. The rules found there hold for the site that was asked first; after five steps the file
    /// counts as unavailable.
    Redirect(PageUrl),
    /// There is no such file: everything is allowed.
    Unavailable,
    /// It cannot be known now: nothing is allowed until it can.
    Unreachable,
}

/// Reads the answer to a request for robots.txt, for the crawler with this product token.
pub fn robots_from(fetched: &Fetched, agent: &str) -> RobotsVerdict {
    let response = match &fetched.outcome {
        Outcome::Response(response) => response,
        Outcome::Failed(_) => return RobotsVerdict::Unreachable,
    };
    match response.status {
        200..=299 if is_usable(response) => RobotsVerdict::Rules(RobotsRules::parse(response.body(), agent)),
        _ if response.is_redirect() => redirect(&fetched.url, response),
        // Too many requests: the server is there and has rules, it only does not want to tell us now.
        429 => RobotsVerdict::Unreachable,
        300..=499 => RobotsVerdict::Unavailable,
        _ => RobotsVerdict::Unreachable,
    }
}

/// The missing half of a file could forbid what the first half allows. A file that is too long is cut on purpose.
fn is_usable(response: &Response) -> bool {
    !matches!(response.truncated, Some(Truncation::Time | Truncation::Disconnect))
}

fn redirect(from: &PageUrl, response: &Response) -> RobotsVerdict {
    match response.header("location").map(|location| from.join(location)) {
        Some(Ok(target)) => RobotsVerdict::Redirect(target),
        _ => RobotsVerdict::Unavailable,
    }
}
