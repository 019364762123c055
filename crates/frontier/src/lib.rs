//! Where next, and when? The addresses that wait to be fetched, and the rules by which they wait.
//!
//! An address that passes the sieve is written to the [`ReadyLog`], which is what survives a crash, and joins the
//! queue of its site on a [`Workbench`]. The workbench gives out at most one address per site and per machine at a
//! time, and not before the [`PolitenessPolicy`] allows it: the one that came first, or the one that matters most to a
//! [`PriorityPolicy`].
//! What is too much for memory is in a scratch file: the rest of long queues, and sites whose turn is far away.
//!
//! ```
//! use std::time::{Duration, Instant};
//! use frontier::{PolitenessPolicy, QueuedUrl, Turn, Workbench};
//! use page::{Ordinal, PageUrl};
//!
//! let dir = tempfile::tempdir().unwrap();
//! let policy = PolitenessPolicy { host_delay: Duration::from_secs(4), ..PolitenessPolicy::default() };
//! let now = Instant::now();
//! let mut bench: Workbench<()> = Workbench::new(policy, &dir.path().join("overflow"), 1 << 20, now).unwrap();
//!
//! let url = PageUrl::parse("http://a.test/index.html").unwrap();
//! let site = bench.add_site(url.site(), "127.0.0.1".parse().unwrap(), None, ()).unwrap();
//! bench.push(site, QueuedUrl::new(Ordinal::new(0), 0, 0, &url)).unwrap();
//! let Turn::Visit(visited) = bench.next_turn(now).unwrap() else { panic!("it may be visited at once") };
//! assert_eq!(bench.take_url(visited).unwrap().unwrap().url(bench.site(visited).site()), url);
//! ```
#![forbid(unsafe_code)]

mod disk_queue;
mod host_log;
mod host_table;
mod pieces;
mod politeness;
mod priority;
mod queued_url;
mod ready_log;
mod ready_parts;
mod ready_record;
mod residents;
mod scratch_log;
mod site_queue;
mod under_way;
mod weighed_urls;
mod workbench;

pub use host_log::{FactPlace, HOSTS as HOSTS_FORMAT, HostFact, HostLog, decode_host_fact};
pub use politeness::PolitenessPolicy;
pub use priority::{Means, Priority, PriorityPolicy, SeenPage, Topic};
pub use queued_url::QueuedUrl;
pub use ready_log::{PART_BYTES as READY_PART_BYTES, ReadyLog, ReadyScan};
pub use ready_parts::{
    ReadyPlace, list_parts as list_ready_parts, part_path as ready_part_path, trim_part as trim_ready_part,
};
pub use ready_record::{READY as READY_FORMAT, READY_OLDEST, ReadyUrl, decode_ready};
pub use residents::{Kept, VisitState};
pub use under_way::{Slot, UnderWay};
pub use workbench::{Glance, SiteId, Turn, Workbench};

/// What `checkpoint` begins with, in the folder of the frontier; whoever runs a crawl says what is in it.
pub const CHECKPOINT_FORMAT: journal::Format = journal::Format { magic: *b"CRVCHECK", version: 1 };

/// Everything the frontier's files can meet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A log is foreign, from another version or damaged.
    #[error(transparent)]
    Journal(#[from] journal::Error),
    /// A record with a good checksum and senseless fields.
    #[error("`{path}` holds a record at byte {offset} that this build cannot read")]
    Malformed {
        /// The file.
        path: std::path::PathBuf,
        /// Where the record starts.
        offset: u64,
    },
}

impl Error {
    /// The same as an error of the system, for whoever knows no others; its kind stays.
    pub fn into_io(self) -> std::io::Error {
        match self {
            Self::Io(error) | Self::Journal(journal::Error::Io(error)) => error,
            error => std::io::Error::other(error),
        }
    }

    /// The next step, where there is one.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) => journal::hint_for_io(error),
            Self::Journal(journal::Error::Damaged { .. }) | Self::Malformed { .. } => Some(
                "restore the file from a backup, or crawl into a new folder; the stored pages are untouched",
            ),
            Self::Journal(error) => error.hint(),
        }
    }
}
