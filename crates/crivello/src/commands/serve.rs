//! `crivello serve`: the search page, the JSON API and metrics.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ::serve::{Answer, CollectionInfo, QueryProblem, SearchBackend, SearchRequest, SearchServer};
use clap::Args;
use search::{Bm25Parameters, RANK_WEIGHT, Searcher};
use store::Collection;

use super::Context;
use super::search::{open_index, parse_rank_weight};
use crate::copies;
use crate::documents::{ArchivePages, sites_of};
use crate::graphs::for_search;
use crate::listen::ListenArgs;
use crate::newest::Newest;
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
    let backend = Backend::new(collection, rank_weight)?;
    let url = format!("http://{}/", server.local_addr());
    if context.json {
        print_json(&serde_json::json!({ "url": url, "documents": backend.newest.get().info.documents }))?;
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
    pages: ArchivePages,
    newest: Newest<Snapshot>,
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
        let sites = sites_of(collection, &index)?;
        let info = CollectionInfo {
            name: name.into_owned(),
            documents: index.documents().into(),
            hosts: sites.hosts(),
            index_bytes: index.report().bytes,
        };
        let index = Arc::new(index);
        let copies = copies::for_search(collection, &index)?;
        let ranks = for_search::link_ranks(collection, &index, rank_weight)?;
        let searcher = Searcher::new(index, Bm25Parameters::default())
            .with_copies(copies)
            .with_ranks(ranks)
            .with_sites(Arc::new(sites));
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
        let first = Snapshot::open(collection, rank_weight)?;
        let pages = ArchivePages::new(collection)?;
        let (collection, mut failed) = (Collection::open(collection.dir())?, None);
        // If a new one cannot be opened, the old one, which is still whole, goes on; that is said once.
        let renew = move |present: &Snapshot| {
            let now = written_at(&collection);
            if now == present.written_at || Some(now) == failed {
                return None;
            }
            Snapshot::open(&collection, rank_weight)
                .map_err(|error| {
                    errln!("the new index cannot be used: {error:#}");
                    failed = Some(now);
                })
                .ok()
        };
        Ok(Self { pages, newest: Newest::watch(first, LOOK_EVERY, renew)? })
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
        Ok(self.newest.get().searcher.answer_request(&request.query, &answer_request, &self.pages)?)
    }

    fn collection(&self) -> CollectionInfo {
        self.newest.get().info.clone()
    }
}

/// How often to look for a new index.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// No query takes longer; it is answered with what was found until then, and says so.
const DEADLINE: Duration = Duration::from_secs(2);
