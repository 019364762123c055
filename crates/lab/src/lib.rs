//! A web in a box: what would the crawl find if everything were known?
//!
//! A [`FakeWeb`] is a function of a seed: hosts with Zipf sizes, pages with text, links in every form, copies,
//! redirects, holes, robots.txt. A [`LabServer`] serves it over real sockets on loopback addresses, many hosts to an
//! address if so configured, and a [`PolitenessAudit`] watches every request. The [`Truth`] lists what a correct and
//! polite crawl must find, so that tests can compare.
//!
//! ```
//! use std::{sync::Arc, time::Duration};
//! use lab::{AuditPolicy, FakeWeb, LabConfig, LabServer};
//!
//! let web = Arc::new(FakeWeb::new(LabConfig { pages: 200, hosts: 5, ..LabConfig::default() }));
//! let policy = AuditPolicy { host_delay: Duration::ZERO, ..AuditPolicy::default() };
//! let server = LabServer::start(web.clone(), 0, policy).unwrap();
//! let truth = web.truth(server.port());
//! assert_eq!(server.seeds(), truth.seeds);
//! assert!(truth.pages.len() > 150);
//! assert_eq!(server.audit().violations, 0);
//! ```
#![forbid(unsafe_code)]

mod address;
mod anchor;
mod audit;
mod compare;
mod config;
mod hosts;
mod html;
mod links;
mod listeners;
mod names;
mod near_copy;
mod respond;
mod rng;
mod robots;
mod scripted;
mod server;
mod sitemap;
mod text;
mod truth;
mod web;
mod words;

pub use audit::{Asked, AuditPolicy, AuditReport, AuditedHost, PolitenessAudit, Visit};
pub use compare::{ArcCheck, Classes, Differences, LinkDifferences, PageDifferences, count_rare_links};
pub use config::LabConfig;
pub use scripted::{Heard, Reply, Script, ScriptedHost, ScriptedWeb};
pub use server::LabServer;
pub use truth::{CopyGroup, CopyKind, Truth};
pub use web::FakeWeb;
