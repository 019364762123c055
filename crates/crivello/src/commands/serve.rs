//! `crivello serve`: the search page, the JSON API and metrics.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ::serve::{Answer, CollectionInfo, QueryProblem, SearchBackend, SearchServer};
use clap::Args;
use search::{Bm25Parameters, Searcher};
use store::Collection;

use super::Context;
use super::search::open_index;
use super::stats::count_hosts;
use crate::documents::ArchivePages;
use crate::output::{Ending, hinted, print_json};
use crate::signals;

/// Serve the search page, the JSON API and metrics
///
/// `/` is the page, `/api/search?q=…` the same as JSON, `/metrics` for Prometheus. It needs no JavaScript.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "A", default_value = "127.0.0.1:8080")]
    pub addr: SocketAddr,
}

/// Runs the command.
pub fn run(context: Context, args: &ServeArgs) -> anyhow::Result<Ending> {
    let server = bind(args.addr)?;
    let collection = Collection::open(&args.dir)?;
    serve(context, server, &collection, &[])
}

/// Takes the port before anything else is done, so that a busy one is told at once.
pub fn bind(addr: SocketAddr) -> anyhow::Result<SearchServer> {
    SearchServer::bind(addr).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => hinted(
            format!("{addr} is in use by another program"),
            "choose another port with --addr, for example --addr 127.0.0.1:8081, or 127.0.0.1:0 for any",
        ),
        _ => hinted(format!("cannot listen on {addr}: {error}"), "choose another address with --addr"),
    })
}

/// Serves a collection until the user has enough.
pub fn serve(
    context: Context,
    server: SearchServer,
    collection: &Collection,
    queries: &[String],
) -> anyhow::Result<Ending> {
    let backend = Backend::new(collection)?;
    let url = format!("http://{}/", server.local_addr());
    if context.json {
        print_json(&serde_json::json!({ "url": url, "documents": backend.info.documents }))?;
    } else {
        println!("the search page is at {url} (Ctrl-C to stop)");
        for query in queries {
            println!("  try {url}search?q={}", query.replace(' ', "+"));
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(server.serve(Arc::new(backend), signals::interrupted()))?;
    Ok(Ending::Done)
}

struct Backend {
    searcher: Searcher,
    pages: ArchivePages,
    info: CollectionInfo,
}

impl Backend {
    fn new(collection: &Collection) -> anyhow::Result<Self> {
        let index = open_index(collection)?;
        let name =
            collection.dir().file_stem().map_or_else(|| "Crivello".into(), |stem| stem.to_string_lossy());
        let info = CollectionInfo {
            name: name.into_owned(),
            documents: index.documents().into(),
            hosts: count_hosts(collection)?,
            index_bytes: index.report().bytes,
        };
        let searcher = Searcher::new(Arc::new(index), Bm25Parameters::default());
        Ok(Self { searcher, pages: ArchivePages::new(collection)?, info })
    }
}

impl SearchBackend for Backend {
    fn search(&self, query: &str, from: usize, count: usize) -> Result<Answer, QueryProblem> {
        let limits = search::Limits { deadline: Some(std::time::Instant::now() + DEADLINE) };
        let request = search::AnswerRequest { from, count, limits, ..search::AnswerRequest::default() };
        Ok(self.searcher.answer_request(query, &request, &self.pages)?)
    }

    fn collection(&self) -> CollectionInfo {
        self.info.clone()
    }
}

/// No query takes longer; it is answered with what was found until then, and says so.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(2);
