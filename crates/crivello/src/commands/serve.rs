//! `crivello serve`: the search page, the JSON API and metrics.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::build::{Newest, Snapshot, SnapshotSettings, SnapshotStamp};
use ::serve::{Answer, CollectionInfo, QueryProblem, SearchBackend, SearchRequest, SearchServer};
use clap::Args;
use search::RANK_WEIGHT;
use store::Collection;

use super::Context;
use super::search::parse_rank_weight;
use crate::bars::Showing;
use crate::build_watch::BuildWatch;
use crate::listen::ListenArgs;
use crate::output::{Ending, errln, hinted, outln, print_json};
use crate::signals;

/// Serve the search page, the JSON API and metrics
///
/// `/` is the page, `/api/search?q=…` the same as JSON, `/metrics` for Prometheus. It needs no JavaScript.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// The collection's folder
    pub dir: PathBuf,
    #[command(flatten)]
    pub listen: ListenArgs,
    /// The most that a page can gain by being linked to; 0: links do not count
    #[arg(long, value_name = "W", default_value_t = RANK_WEIGHT, value_parser = parse_rank_weight)]
    pub rank_weight: f64,
}

const EXAMPLES: &str = "\
Examples:
  crivello serve docs.crivello --addr 127.0.0.1:8399
  curl 'http://127.0.0.1:8399/api/search?q=harbour'";

/// Runs the command.
pub fn run(context: Context, args: &ServeArgs) -> anyhow::Result<Ending> {
    let server = bind(&args.listen)?;
    let collection = Collection::open(&args.dir)?;
    serve(context, server, &collection, &[], args.rank_weight)
}

/// Takes the port before anything else is done, so that a busy one is told at once.
pub fn bind(listen: &ListenArgs) -> anyhow::Result<SearchServer> {
    let addr = listen.addr;
    let server = SearchServer::bind(addr).map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => hinted(
            format!("{addr} is in use by another program"),
            "choose another port with --addr, for example --addr 127.0.0.1:8081, or 127.0.0.1:0 for any",
        ),
        _ => hinted(format!("cannot listen on {addr}: {error}"), "choose another address with --addr"),
    })?;
    Ok(server.with_host_names(listen.host_name.clone()))
}

/// Serves a collection until the user has enough.
pub fn serve(
    context: Context,
    server: SearchServer,
    collection: &Collection,
    queries: &[String],
    rank_weight: f64,
) -> anyhow::Result<Ending> {
    let backend = Backend::new(collection, rank_weight, context.showing)?;
    let url = format!("http://{}/", server.local_addr());
    if context.json {
        print_json(&serde_json::json!({ "url": url, "documents": backend.newest.get().documents() }))?;
    } else {
        outln!("the search page is at {url} (Ctrl-C to stop)");
        for query in queries {
            outln!("  try {url}search?q={}", query.replace(' ', "+"));
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(server.serve(Arc::new(backend), signals::interrupted()))?;
    Ok(Ending::Done)
}

/// Answers from the newest index: one that is built while the page is up is taken up within a second, and until it is
/// open the one before answers.
struct Backend {
    name: String,
    newest: Newest<Snapshot>,
}

impl Backend {
    fn new(collection: &Collection, rank_weight: f64, showing: Showing) -> anyhow::Result<Self> {
        let settings = SnapshotSettings { impacts: None, rank_weight, with_sites: true };
        let watch = Arc::new(BuildWatch::new(showing));
        let first = Snapshot::open(collection, &settings, watch.clone())?;
        let stem = collection.dir().file_stem();
        let name = stem.map_or_else(|| "Crivello".into(), |stem| stem.to_string_lossy().into_owned());
        let (collection, mut failed) = (Collection::open(collection.dir())?, None);
        // If a new one cannot be opened, the old one, which is still whole, goes on; that is said once.
        let renew = move |present: &Snapshot| {
            let now = SnapshotStamp::of(&collection);
            if now == present.stamp() || Some(now) == failed {
                return None;
            }
            Snapshot::open(&collection, &settings, watch.clone())
                .map_err(|error| {
                    errln!("the new index cannot be used: {error}");
                    failed = Some(now);
                })
                .ok()
        };
        Ok(Self { name, newest: Newest::watch(first, LOOK_EVERY, renew)? })
    }
}

impl SearchBackend for Backend {
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        let answer_request = search::AnswerRequest {
            from: request.from,
            count: request.count,
            explain: false,
            copies: request.copies,
            limits: search::Limits { deadline: Some(Instant::now() + DEADLINE), ..Default::default() },
        };
        Ok(self.newest.get().answer(&request.query, &answer_request)?)
    }

    fn collection(&self) -> CollectionInfo {
        let snapshot = self.newest.get();
        CollectionInfo {
            name: self.name.clone(),
            documents: snapshot.documents(),
            hosts: snapshot.hosts(),
            index_bytes: snapshot.index_bytes(),
        }
    }
}

/// How often to look for a new index.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// No query takes longer; it is answered with what was found until then, and says so.
const DEADLINE: Duration = Duration::from_secs(2);
