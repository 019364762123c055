//! `crivello serve`: the search page, the JSON API and metrics.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::build::{Newest, Shelf, ShelfWatch, Snapshot, SnapshotSettings, SnapshotStamp};
use ::index::HotReport;
use ::serve::{Answer, CollectionInfo, HotInfo, QueryProblem, SearchBackend, SearchRequest, SearchServer};
use clap::Args;

use super::Context;
use crate::bars::Showing;
use crate::build_watch::BuildWatch;
use crate::listen::ListenArgs;
use crate::output::{Ending, errln, hinted, outln, print_json};
use crate::signals;
use crate::weight_args::WeightArgs;

/// Serve the search page, the JSON API and metrics
///
/// `/` is the page, `/api/search?q=…` the same as JSON, `/api/suggest?q=…` completes what is typed, `/metrics` is for
/// Prometheus. The page needs no JavaScript; where it is allowed, a small script completes.
/// Several folders are searched as one: each is a collection, or a shelf, which is a folder of collections.
/// What is built meanwhile is taken up, and so are collections that are put on a shelf.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Folders of collections, and shelves
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,
    #[command(flatten)]
    pub listen: ListenArgs,
    #[command(flatten)]
    pub weights: WeightArgs,
    /// Keep so much of the index in memory, whatever else is read: what is asked for most often. The rest is read when it is
    /// needed, from what the system has in memory or from the disk
    #[arg(long, value_name = "BYTES", value_parser = page::parse_bytes)]
    pub hot: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  crivello serve docs.crivello --addr 127.0.0.1:8399
  crivello serve manuals/ docs.crivello                   all collections in manuals/, and another one
  curl 'http://127.0.0.1:8399/api/search?q=harbour'";

/// Runs the command.
pub fn run(context: Context, args: &ServeArgs) -> anyhow::Result<Ending> {
    let server = bind(&args.listen)?;
    let settings = SnapshotSettings { hot_bytes: args.hot, ..args.weights.settings()? };
    serve(context, server, &args.dirs, &[], settings)
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

/// Serves collections until the user has enough.
pub fn serve(
    context: Context,
    server: SearchServer,
    dirs: &[PathBuf],
    queries: &[String],
    settings: SnapshotSettings,
) -> anyhow::Result<Ending> {
    let backend = Backend::new(dirs, settings, context.showing)?;
    let url = format!("http://{}/", server.local_addr());
    if context.json {
        print_json(&serde_json::json!({ "url": url, "documents": backend.newest.get().documents() }))?;
    } else {
        outln!("the search page is at {url} (Ctrl-C to stop)");
        queries.iter().for_each(|query| outln!("  try {url}search?q={}", query.replace(' ', "+")));
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
    fn new(dirs: &[PathBuf], settings: SnapshotSettings, showing: Showing) -> anyhow::Result<Self> {
        let watch = Arc::new(BuildWatch::new(showing));
        let first = Snapshot::open(Shelf::open(dirs)?, &settings, watch.clone())?;
        let (name, every) = (name_of(dirs), LOOK_EVERY + LOOK_LONGER * first.collections() as u32);
        let (mut shelf, mut failed) = (ShelfWatch::new(dirs), None);
        // If a new one cannot be opened, the old one, which is still whole, goes on; that is said once.
        let renew = move |present: &Snapshot| {
            prepared(present);
            present.keep_hot().unwrap_or_else(|error| errln!("lists cannot be kept in memory: {error}"));
            let shelf = shelf.look(&*watch)?;
            let now = SnapshotStamp::of(&shelf);
            if now == *present.stamp() || Some(&now) == failed.as_ref() {
                return None;
            }
            present
                .reopen(shelf, &settings, watch.clone())
                .map_err(|error| {
                    errln!("the new index cannot be used: {error}");
                    failed = Some(now);
                })
                .ok()
                .inspect(prepared)
        };
        Ok(Self { name, newest: Newest::watch(first, every, renew)? })
    }
}

/// Reads words for completions before anybody asks; what cannot be read is told by the searches that need it.
fn prepared(snapshot: &Snapshot) {
    let _ = snapshot.prepare_words();
}

fn hot_info(HotReport { budget_bytes, kept_bytes, pages_asked, pages_kept }: HotReport) -> HotInfo {
    HotInfo { budget_bytes, kept_bytes, pages_asked, pages_kept }
}

/// What people call what is searched.
fn name_of(dirs: &[PathBuf]) -> String {
    let stem = |dir: &PathBuf| dir.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let names: Vec<String> = dirs.iter().filter_map(stem).collect();
    match names.as_slice() {
        [] => "Crivello".to_owned(),
        [one] => one.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}

impl SearchBackend for Backend {
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        if let Some(key) = request.related_to {
            return Ok(self.newest.get().related_to(key, request.count).unwrap_or_default());
        }
        let answer_request = search::AnswerRequest {
            from: request.from,
            count: request.count,
            explain: false,
            meanings: request.meanings,
            feedback: request.feedback,
            copies: request.copies,
            limits: search::Limits { deadline: Some(Instant::now() + DEADLINE), ..Default::default() },
            as_typed: request.as_typed,
            reader: request.reader,
        };
        Ok(self.newest.get().answer(&request.query, &answer_request)?)
    }

    fn suggest(&self, typed: &str, count: usize) -> Result<Vec<String>, QueryProblem> {
        Ok(self.newest.get().complete(typed, count)?)
    }

    fn page(&self, key: page::PageKey) -> Option<search::PageText> {
        self.newest.get().page(key)
    }

    fn collection(&self) -> CollectionInfo {
        let snapshot = self.newest.get();
        CollectionInfo {
            name: self.name.clone(),
            documents: snapshot.documents(),
            hosts: snapshot.hosts(),
            index_bytes: snapshot.index_bytes(),
            has_related: snapshot.has_spaces(),
            hot: snapshot.hot_report().map(hot_info),
        }
    }
}

/// How often to look for a new index.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// So much less often for each collection, as looking takes longer: a thousand are looked at every eleven seconds.
const LOOK_LONGER: Duration = Duration::from_millis(10);

/// No query takes longer; it is answered with what was found until then, and says so.
const DEADLINE: Duration = Duration::from_secs(2);
