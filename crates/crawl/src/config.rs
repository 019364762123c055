//! What a crawl is told before it starts.

use std::path::PathBuf;
use std::time::Duration;

use fetch::FetchLimits;
use frontier::{PolitenessPolicy, Priority, Topic};
use regex::Regex;
use xxhash_rust::xxh3::xxh3_64;

use crate::gate::GateLimits;

/// How we present ourselves. The first word is the name that robots.txt files can address.
pub const USER_AGENT: &str = concat!("crivello/", env!("CARGO_PKG_VERSION"));

/// Files that a crawl has open beside its connections: archives, tables, logs, scratch, the reactors of its threads.
const FILES_BESIDE: usize = 60;

/// Fewer connections are not enough for a worker.
const CONNECTIONS_MIN: usize = 8;

/// When to stop, and what not to fetch.
#[derive(Debug, Clone, Copy, Default)]
pub struct CrawlBudget {
    /// Stop when the collection has this many pages.
    pub pages_max: Option<u64>,
    /// Fetch nothing that is further from a seed. Redirects do not count as a step.
    pub depth_max: Option<u16>,
    /// Fetch nothing that is so much further from a seed than the first page of its host that was met.
    pub site_depth_max: Option<u16>,
    /// Leave a host alone when it has given this many pages.
    pub pages_per_host_max: Option<u64>,
    /// Leave all hosts of a registrable domain alone when they have given this many pages together.
    pub pages_per_domain_max: Option<u64>,
    /// Stop after this time.
    pub duration_max: Option<Duration>,
}

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

/// How addresses that were seen before are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SieveChoice {
    /// By which kind of sieve; nothing means the one that the collection has, or the default.
    pub kind: Option<sieve::SieveKind>,
    /// By how many bits; nothing means what the collection has, or 64.
    pub signature_bits: Option<u32>,
}

impl SieveChoice {
    /// A kind with signatures of the usual length.
    pub fn of(kind: sieve::SieveKind) -> Self {
        Self { kind: Some(kind), signature_bits: None }
    }
}

/// What becomes of the links of a page that is a copy of an earlier one. It is stored in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CopyLinks {
    /// They are followed like any other.
    #[default]
    Follow,
    /// They are kept but not followed.
    Skip,
}

/// Everything a crawl can be told.
#[derive(Debug, Clone)]
pub struct CrawlConfig {
    /// How long sites and machines rest.
    pub policy: PolitenessPolicy,
    /// When to stop.
    pub budget: CrawlBudget,
    /// How to recognise what was seen before.
    pub sieve: SieveChoice,
    /// Which address of a site is next: by the first of these, and among what is about the same to it by the next.
    pub priority: Vec<Priority>,
    /// What pages should speak of, for those who choose by that.
    pub topic: Topic,
    /// How far from the seeds to go.
    pub scope: Scope,
    /// If there are any, an address must match one of them.
    pub include: Vec<Regex>,
    /// An address must match none of them.
    pub exclude: Vec<Regex>,
    /// Which addresses are followed, and how many of a page.
    pub gate: GateLimits,
    /// Follow links that ask not to be followed.
    pub follow_nofollow: bool,
    /// Fetch the sitemaps that robots.txt files name.
    pub sitemaps: bool,
    /// Whether the links of copies are followed.
    pub copies: CopyLinks,
    /// The `User-Agent` header; its first word, up to `/`, is looked for in robots.txt.
    pub user_agent: String,
    /// All memory that the crawl may use, about.
    pub memory_bytes: u64,
    /// Threads that fetch pages, and read them if nobody else does.
    pub workers: usize,
    /// Threads that only read pages.
    pub readers: usize,
    /// Files and sockets that the process may have open.
    pub open_files_max: usize,
    /// The limits of one request.
    pub limits: FetchLimits,
    /// Whether answers and their links are kept, and copies told apart. Without, a kill loses links of the last pages, which
    /// are in memory only.
    pub keeps_pages: bool,
    /// 1 (fast) to 12 (small), for the WARC files.
    pub compression_level: i32,
    /// Where a line for each request is appended, if anywhere.
    pub audit: Option<PathBuf>,
    /// A restart reads at most about so many records of the page table.
    pub checkpoint_every: u64,
    /// How long a part of the ready log becomes.
    pub ready_part_bytes: u64,
}

impl Default for CrawlConfig {
    fn default() -> Self {
        Self {
            policy: PolitenessPolicy::default(),
            budget: CrawlBudget::default(),
            sieve: SieveChoice::default(),
            priority: vec![Priority::default()],
            topic: Topic::default(),
            scope: Scope::Host,
            include: Vec::new(),
            exclude: Vec::new(),
            gate: GateLimits::default(),
            follow_nofollow: false,
            sitemaps: false,
            copies: CopyLinks::default(),
            user_agent: USER_AGENT.to_owned(),
            memory_bytes: 512 << 20,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            // One fewer than cores: measured with two of them, and none where there is one.
            readers: std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1),
            open_files_max: 1024,
            limits: FetchLimits::default(),
            keeps_pages: true,
            // Of the CPU time of a page this takes a sixth less than 4, for archives that are 4 to 6 % larger.
            compression_level: 1,
            audit: None,
            checkpoint_every: 100_000,
            ready_part_bytes: frontier::READY_PART_BYTES,
        }
    }
}

/// How the memory of a crawl is divided. The rest of it is for code, stacks and what the system keeps.
impl CrawlConfig {
    /// For the sieve.
    pub(crate) fn sieve_options(&self) -> sieve::SieveOptions {
        let signature_bits = self.sieve.signature_bits;
        sieve::SieveOptions { memory_bytes: self.memory_bytes / 4, signature_bits }
    }

    /// For the queues of one worker.
    pub(crate) fn queue_bytes_per_worker(&self) -> usize {
        (self.memory_bytes / 8) as usize / self.workers
    }

    /// For addresses whose site is being looked for; when it is full, no more are sent.
    pub(crate) fn searching_bytes(&self) -> usize {
        (self.memory_bytes / 64) as usize
    }

    /// For links on their way to the sieve; when it is full, no new request is made.
    pub(crate) fn outbox_bytes(&self) -> usize {
        (self.memory_bytes / 16) as usize
    }

    /// For the recently seen links of whoever reads: each worker, or each reader.
    pub(crate) fn cache_bytes_per_reader(&self) -> usize {
        (self.memory_bytes / 32) as usize / if self.readers > 0 { self.readers } else { self.workers }
    }

    /// For recognising copies of pages: at 81 bytes each, 1.2 million of them in 512 MiB.
    pub(crate) fn copies_bytes(&self) -> usize {
        (self.memory_bytes / 16 * 3) as usize
    }

    /// For whoever decides which address is next.
    pub(crate) fn priority_bytes(&self) -> usize {
        (self.memory_bytes / 32) as usize
    }

    /// Requests that one worker may have under way: a quarter of the memory, at 256 KiB for a page.
    pub(crate) fn visits_per_worker_max(&self) -> usize {
        let by_memory = (self.memory_bytes / 4 / (256 << 10)) as usize / self.workers;
        by_memory.min(self.connections_per_worker_max() / 2).clamp(4, 512)
    }

    /// The limits of one request, tightened so that a few giant answers cannot break the budget.
    pub(crate) fn limits_within_memory(&self) -> FetchLimits {
        let bytes_max = (self.memory_bytes / 32).max(256 << 10) as usize;
        FetchLimits {
            body_bytes_max: self.limits.body_bytes_max.min(bytes_max),
            decoded_bytes_max: self.limits.decoded_bytes_max.min(bytes_max),
            ..self.limits.clone()
        }
    }

    /// Large answers that may be held at the same time, from the wire to the commit: a quarter of the memory, raw and
    /// decoded. Reading one takes a few copies more, but each worker reads one at a time.
    pub(crate) fn large_bodies_max(&self) -> usize {
        let limits = self.limits_within_memory();
        self.memory_bytes as usize / 4 / (limits.body_bytes_max + limits.decoded_bytes_max)
    }

    /// Sockets that one worker may have open: half of them under way, half of them resting between visits.
    pub(crate) fn connections_per_worker_max(&self) -> usize {
        (self.open_files_max.saturating_sub(FILES_BESIDE) / self.workers).max(CONNECTIONS_MIN)
    }

    /// Fewer open files than this are not enough for one worker.
    pub const OPEN_FILES_MIN: usize = FILES_BESIDE + CONNECTIONS_MIN;

    /// The same with no more workers than have enough open files.
    #[must_use]
    pub fn within_open_files(self) -> Self {
        let workers_max = self.open_files_max.saturating_sub(FILES_BESIDE) / CONNECTIONS_MIN;
        Self { workers: self.workers.min(workers_max).max(1), ..self }
    }

    /// Requests that may be under way at the same time.
    pub fn requests_max(&self) -> usize {
        self.visits_per_worker_max() * self.workers
    }

    /// A number that changes when other links would be admitted.
    pub(crate) fn rules_fingerprint(&self) -> u64 {
        let patterns = |patterns: &[Regex]| patterns.iter().map(Regex::as_str).collect::<Vec<_>>().join("\n");
        let (include, exclude) = (patterns(&self.include), patterns(&self.exclude));
        let depth_max = self.budget.depth_max;
        let flags = (self.follow_nofollow, self.sitemaps);
        let copies = if self.copies == CopyLinks::Skip { " without copies" } else { "" };
        let mut text = format!("{:?} {depth_max:?} {flags:?}{copies}\n+{include}\n-{exclude}", self.scope);
        // What older collections did not know is not in the text unless somebody asks for it.
        let CrawlBudget { site_depth_max, pages_per_host_max, pages_per_domain_max, .. } = self.budget;
        let site_depth_max = site_depth_max.map(u64::from);
        for (what, bound) in
            [("deep", site_depth_max), ("host", pages_per_host_max), ("domain", pages_per_domain_max)]
        {
            text += &bound.map(|bound| format!("\n{what} {bound}")).unwrap_or_default();
        }
        if self.gate != GateLimits::default() {
            text += &format!("\n{:?}", self.gate);
        }
        // Zero is the mark of a sieve that has no rules yet.
        xxh3_64(text.as_bytes()) | 1
    }

    /// The name that robots.txt files address us by.
    pub(crate) fn robots_name(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or("")
    }
}
