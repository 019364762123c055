//! `crivello serve`: the search page, the JSON API and metrics.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant, SystemTime};

use ::serve::{Answer, CollectionInfo, QueryProblem, SearchBackend, SearchRequest, SearchServer};
use clap::Args;
use search::{Bm25Parameters, RANK_WEIGHT, Searcher};
use store::Collection;

use super::Context;
use super::search::{open_index, parse_rank_weight};
use super::stats::count_hosts;
use crate::copies;
use crate::documents::ArchivePages;
use crate::graphs::for_search;
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
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "A", default_value = "127.0.0.1:8080")]
    pub addr: SocketAddr,
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
    let server = bind(args.addr)?;
    let collection = Collection::open(&args.dir)?;
    serve(context, server, &collection, &[], args.rank_weight)
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
    rank_weight: f64,
) -> anyhow::Result<Ending> {
    let backend = Backend::new(collection, rank_weight)?;
    let url = format!("http://{}/", server.local_addr());
    if context.json {
        print_json(&serde_json::json!({ "url": url, "documents": backend.snapshot().info.documents }))?;
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

/// Answers from the newest index: one that is built while the page is up is taken up within a second.
struct Backend {
    collection: Collection,
    pages: ArchivePages,
    current: RwLock<Arc<Snapshot>>,
    last_look: Mutex<Instant>,
    rank_weight: f64,
}

/// An index with its copies and ranks, and the moments at which their files were written.
struct Snapshot {
    searcher: Searcher,
    info: CollectionInfo,
    written_at: [Option<SystemTime>; 5],
}

impl Snapshot {
    fn open(collection: &Collection, rank_weight: f64) -> anyhow::Result<Self> {
        let written_at = written_at(collection);
        let index = open_index(collection)?;
        let name =
            collection.dir().file_stem().map_or_else(|| "Crivello".into(), |stem| stem.to_string_lossy());
        let info = CollectionInfo {
            name: name.into_owned(),
            documents: index.documents().into(),
            hosts: count_hosts(collection)?,
            index_bytes: index.report().bytes,
        };
        let index = Arc::new(index);
        let copies = copies::for_search(collection, &index)?;
        let ranks = for_search::link_ranks(collection, &index, rank_weight)?;
        let searcher = Searcher::new(index, Bm25Parameters::default()).with_copies(copies).with_ranks(ranks);
        Ok(Self { searcher, info, written_at })
    }
}

fn written_at(collection: &Collection) -> [Option<SystemTime>; 5] {
    let [graph, ranks, documents] = for_search::watched_files(collection);
    let index = collection.dir().join("index/manifest.json");
    [index, copies::groups_path(collection.dir()), graph, ranks, documents]
        .map(|path| path.metadata().ok()?.modified().ok())
}

impl Backend {
    fn new(collection: &Collection, rank_weight: f64) -> anyhow::Result<Self> {
        let snapshot = Snapshot::open(collection, rank_weight)?;
        Ok(Self {
            collection: Collection::open(collection.dir())?,
            pages: ArchivePages::new(collection)?,
            current: RwLock::new(Arc::new(snapshot)),
            last_look: Mutex::new(Instant::now()),
            rank_weight,
        })
    }

    /// The newest index. If a new one cannot be opened, the old one, which is still whole, goes on.
    fn snapshot(&self) -> Arc<Snapshot> {
        let current = self.current.read().expect("nobody panics with it").clone();
        if self.is_time_to_look() && written_at(&self.collection) != current.written_at {
            match Snapshot::open(&self.collection, self.rank_weight) {
                Ok(newer) => *self.current.write().expect("nobody panics with it") = Arc::new(newer),
                Err(error) => errln!("the new index cannot be used: {error:#}"),
            }
            return self.current.read().expect("nobody panics with it").clone();
        }
        current
    }

    fn is_time_to_look(&self) -> bool {
        let mut last_look = self.last_look.lock().expect("nobody panics with it");
        let is_time = last_look.elapsed() >= LOOK_EVERY;
        if is_time {
            *last_look = Instant::now();
        }
        is_time
    }
}

impl SearchBackend for Backend {
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        let answer_request = search::AnswerRequest {
            from: request.from,
            count: request.count,
            explain: false,
            copies: request.copies,
            limits: search::Limits { deadline: Some(Instant::now() + DEADLINE) },
        };
        Ok(self.snapshot().searcher.answer_request(&request.query, &answer_request, &self.pages)?)
    }

    fn collection(&self) -> CollectionInfo {
        self.snapshot().info.clone()
    }
}

/// How often to look for a new index.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// No query takes longer; it is answered with what was found until then, and says so.
const DEADLINE: Duration = Duration::from_secs(2);
