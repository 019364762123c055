//! Show it: the search page, a JSON interface and metrics over HTTP.
//!
//! A [`SearchServer`] is bound first, so that a busy port is an error before anything else starts, and then serves
//! whatever answers queries: a [`SearchBackend`]. Pages work without JavaScript and hold none; a file of our own, the only
//! one that may run, completes what is typed where scripts are allowed. Everything that comes
//! from a crawled page or from a visitor is escaped by the templates, and a strict Content-Security-Policy stands
//! behind them. Searches run on blocking threads, a bounded number at once; beyond a bounded queue the answer is
//! 503 with `Retry-After`. Connections have limits of number and time, and a request for a name that is not ours is
//! refused with 421, so that no page on the web can read what is served here.
//!
//! | route | what |
//! |---|---|
//! | `/` | the search box, with name and size of the collection |
//! | `/search?q=&from=` | a page of ten results; of pages that are copies of each other, one |
//! | `/search?q=&copies=1` | the same with all copies |
//! | `/search?q=&similar_to=` | only the copies of the result with this key |
//! | `/api/search?q=&from=&n=&copies=&similar_to=&as_typed=&lang=` | the same as JSON |
//! | `/search?q=&as_typed=1` | nothing is taken for a misspelling |
//! | `/api/suggest?q=` | how what was typed may go on, as OpenSearch wants it |
//! | `/api/stats` | the collection and the queries so far, as JSON |
//! | `/metrics` | for Prometheus |
//! | `/opensearch.xml` | lets a browser add the engine |
//! | `/healthz` | `ok` |
//!
//! ```no_run
//! use std::sync::Arc;
//! use serve::{Answer, CollectionInfo, QueryProblem, SearchBackend, SearchRequest, SearchServer};
//!
//! struct Nothing;
//! impl SearchBackend for Nothing {
//!     fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
//!         Err(QueryProblem::Bad(format!("nothing is known of {}", request.query)))
//!     }
//!     fn collection(&self) -> CollectionInfo {
//!         CollectionInfo { name: "empty".into(), ..Default::default() }
//!     }
//! }
//!
//! # async fn run() -> std::io::Result<()> {
//! let server = SearchServer::bind("127.0.0.1:8080".parse().unwrap())?;
//! println!("http://{}/", server.local_addr());
//! server.serve(Arc::new(Nothing), std::future::pending()).await
//! # }
//! ```
#![forbid(unsafe_code)]

mod api;
mod backend;
mod connections;
mod display;
mod failure;
mod gate;
mod guard;
mod host_names;
mod kept;
mod metrics;
mod pages;
mod paging;
mod parameters;
mod server;
mod service;

pub use backend::{
    Answer, CollectionInfo, CopiesView, Fragment, HotInfo, Note, PageText, QueryProblem, ReaderLanguages,
    SearchBackend, SearchRequest, SearchResult, Snippet,
};
pub use connections::ConnectionLimits;
pub use gate::ServeLimits;
pub use server::SearchServer;
