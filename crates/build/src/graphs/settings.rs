//! How ranks are computed: on which links, and how exactly.

use graph::{ArcFilter, HyperBall, RankMemory};
use serde::{Deserialize, Serialize};

/// How ranks are computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RankSettings {
    /// Links between pages of one host do not count.
    pub without_same_host: bool,
    /// Navigation does not count.
    pub without_navigation: bool,
    /// Links that ask not to be followed do not count.
    pub without_nofollow: bool,
    /// Links of a page to itself do not count.
    pub without_loops: bool,
    /// Of PageRank.
    pub damping: f64,
    /// Of HyperBall, for graphs that are too large for exact distances.
    pub log2_registers: u32,
    /// Runs of HyperBall that are averaged.
    pub runs: usize,
    /// Decides the hash functions of HyperBall.
    pub seed: u64,
}

impl Default for RankSettings {
    fn default() -> Self {
        Self {
            without_same_host: false,
            without_navigation: true,
            without_nofollow: true,
            without_loops: true,
            damping: 0.85,
            log2_registers: 6,
            runs: 5,
            seed: 0,
        }
    }
}

impl RankSettings {
    /// Which arcs count.
    pub fn filter(&self) -> ArcFilter {
        ArcFilter {
            without_same_host: self.without_same_host,
            without_navigation: self.without_navigation,
            without_nofollow: self.without_nofollow,
            without_loops: self.without_loops,
        }
    }

    /// The same for a graph of which nothing is known but its arcs.
    pub fn on_all_links(self) -> Self {
        Self {
            without_same_host: false,
            without_navigation: false,
            without_nofollow: false,
            without_loops: false,
            ..self
        }
    }

    /// Which arcs count, for people.
    pub fn filter_text(&self) -> String {
        let left_out = [
            (self.without_nofollow, "nofollow links"),
            (self.without_navigation, "navigation"),
            (self.without_loops, "links of a page to itself"),
        ];
        let names: Vec<&str> = left_out.iter().filter(|(is_out, _)| *is_out).map(|(_, name)| *name).collect();
        let all = if self.without_same_host { "links between hosts" } else { "links" };
        match names.as_slice() {
            [] if !self.without_same_host => "all links".into(),
            [] => all.into(),
            [one] => format!("{all} without {one}"),
            [others @ .., last] => format!("{all} without {} and {last}", others.join(", ")),
        }
    }

    /// How distances are estimated.
    pub fn hyperball(&self, memory: RankMemory) -> HyperBall {
        HyperBall {
            log2_registers: self.log2_registers,
            runs: self.runs,
            seed: self.seed,
            threads: threads(),
            memory,
            ..HyperBall::default()
        }
    }

    pub(super) fn about(&self, rank: &str) -> String {
        let settings = serde_json::to_string(self).expect("settings are plain data");
        format!("{rank} on {}{ABOUT_SETTINGS}{settings}", self.filter_text())
    }
}

/// Stands before the settings in the description of a file.
pub(super) const ABOUT_SETTINGS: &str = "; settings ";

/// As many as there are processors.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
