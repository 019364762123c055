//! The loop: from seeds to a stored collection, politely, within budgets, through any crash.
//!
//! ```text
//!            ┌──────────── worker (one thread, one reactor, many sites) ───────────┐
//!  sites ──► │ workbench ─► visit (fetch) ─► land (release site) ─► read (parse)    │
//!            └──────────────────────────────────────────────────────────│──────────┘
//!                                                                       ▼
//!  distributor (one thread): sieve ◄──── outbox of links ◄──── desk: page + links committed together
//!       └─► ready log ─► resolve host ─► worker that owns the machine
//! ```
//!
//! A site belongs to the worker that its IP address falls to, so politeness needs no lock: everything about a machine
//! happens on one thread. Workers meet only at the [`desk`], where a page and its links are committed, and the
//! distributor owns the sieve alone. See [`distributor`] for what makes the loop survive `kill -9`.
//!
//! ```no_run
//! # fn main() -> Result<(), crawl::Error> {
//! use std::sync::Arc;
//! use crawl::{Agent, CrawlConfig};
//! use page::{PageUrl, SystemClock, Clock};
//!
//! let collection = store::Collection::open_or_create("my.crivello".as_ref(), SystemClock.now())?;
//! let resolver = fetch::NameResolver::new(fetch::AddressGuard::default());
//! let seeds = vec![PageUrl::parse("http://example.org/").unwrap()];
//! let agent = Agent::open(&collection, CrawlConfig::default(), resolver, Arc::new(SystemClock))?;
//! let report = agent.run(seeds)?;
//! println!("{} pages", report.pages_stored);
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]

mod admission;
mod agent;
mod checkpoint;
mod checkpointer;
mod config;
mod desk;
mod distributor;
mod error;
mod failures;
mod gate;
mod guest;
mod letters;
mod past;
mod progress;
mod quotas;
mod read;
mod request_log;
mod restore;
mod room;
mod seen_cache;
mod shared;
mod site_state;
mod status;
mod visit;
mod why;
mod worker;

pub use admission::{Admission, Chosen, Distance, LeftOut, Refusal};
pub use agent::{Agent, StopHandle};
pub use config::{CopyLinks, CrawlBudget, CrawlConfig, Scope, SieveChoice, USER_AGENT};
pub use error::Error;
pub use failures::{FailedAddress, Failures};
pub use gate::{GateLimits, Misshape};
pub use progress::{CrawlReport, LeftOutCounts, Progress, RestCause, Resting, StopReason};
pub use room::FullDisk;
pub use status::{FrontierCounts, WaitingStats};
pub use why::{Reason, Subject, why};
