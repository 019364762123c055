//! robots.txt, one way or another: what a host's file says, and which addresses it thereby forbids.
//!
//! Every host follows one of a few plans. A plan is the text of the file and, matching it by construction, the form
//! of the paths of forbidden pages (in `address.rs`); each plan also has pages that look forbidden and are not, so
//! that a crawler that reads the file too strictly is found out as well as one that reads it too freely.

use crate::LabConfig;
use crate::rng::{Purpose, Rng};

/// Which rules a host has (RFC 9309).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RobotsKind {
    /// The file is missing: all is allowed.
    Missing,
    /// `Disallow:` with nothing behind it: all is allowed.
    Open,
    /// `Disallow: /private/`.
    Private,
    /// `Disallow: /*/print/`, a wildcard in the middle; the forwarder `/out?` is closed too.
    Print,
    /// `Disallow: /*.cgi$`; `view.cgi?id=1` is allowed.
    Cgi,
    /// `Disallow: /archive/` but `Allow: /archive/open/`, which is longer and wins.
    ArchiveOpen,
}

/// The rules of one host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RobotsPlan {
    pub kind: RobotsKind,
    pub has_crawl_delay: bool,
}

impl RobotsPlan {
    pub fn new(config: &LabConfig, host: u32) -> Self {
        use RobotsKind::*;
        let mut rng = Rng::keyed(config.seed, Purpose::Robots, u64::from(host));
        let has_crawl_delay = rng.chance(config.crawl_delay_rate);
        let choices = [Missing, Open, Private, Private, Print, Print, Cgi, Cgi, ArchiveOpen, ArchiveOpen];
        // The largest host always has rules: a web of one host would otherwise often have nothing forbidden.
        let allowed_from = if host == 0 { 2 } else { usize::from(has_crawl_delay) };
        Self { kind: rng.pick(&choices[allowed_from..]), has_crawl_delay }
    }

    /// Can pages of this host be forbidden at all?
    pub fn forbids_pages(self) -> bool {
        !matches!(self.kind, RobotsKind::Missing | RobotsKind::Open)
    }

    /// Is the forwarder `/out?…` closed?
    pub fn forbids_forwarder(self) -> bool {
        self.kind == RobotsKind::Print
    }

    /// Writes the text of the robots.txt; false when the host has no such file. `authority` is host and port as the
    /// client wrote them.
    pub fn write(self, config: &LabConfig, authority: &str, out: &mut String) -> bool {
        let rules = match self.kind {
            RobotsKind::Missing => return false,
            RobotsKind::Open => "Disallow:\n",
            RobotsKind::Private => "Disallow: /private/ # not for robots\nDisallow: /tmp/\n",
            RobotsKind::Print => "disallow: /*/print/\nDisallow: /out?\n",
            RobotsKind::Cgi => "Disallow: /*.cgi$\n",
            RobotsKind::ArchiveOpen => "Disallow: /archive/\nAllow: /archive/open/\n",
        };
        out.push_str("# Rules of this house.\nUser-agent: greedybot\nUser-agent: spambot\nDisallow: /\n\n");
        out.push_str("User-Agent: *\n");
        out.push_str(rules);
        if self.has_crawl_delay {
            out.push_str(&format!("Crawl-delay: {}\n", config.crawl_delay_s));
        }
        out.push_str("\nUser-agent: otherbot\nDisallow: /\n");
        if config.sitemaps {
            out.push_str(&format!("\nSitemap: http://{authority}/sitemap.xml\n"));
        }
        true
    }
}
