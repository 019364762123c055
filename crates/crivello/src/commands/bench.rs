//! `crivello bench`: the yardsticks of the crate `bench`, with their options and their table.

use std::path::{Path, PathBuf};

use ::bench::{
    BuildBench, CodecBench, CrawlBench, DedupBench, FilterBench, FrontierBench, GraphBench, GraphBuilding,
    IndexBench, OneSieve, Report, SearchBench, SearchPart, SieveBench, Surroundings, Yardstick,
};
use clap::{Args, Subcommand};
use index::Codecs;

use super::Context;
use crate::output::{Ending, outln};

/// Measure ourselves, beside others where they are installed
///
/// Claims of speed are ratios within one run on one machine. The tables are Markdown and can be kept. Peers that are
/// libraries of Rust are measured by a program that was built with `cargo build --release --features peers`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    pub name: BenchName,
}

/// The yardsticks.
#[derive(Debug, Subcommand)]
pub enum BenchName {
    /// Building again with a hundredth more pages, beside the build of all others
    Build(BuildBenchArgs),
    /// Bits and nanoseconds of a posting in each codec, beside the entropy
    Codec(CodecBenchArgs),
    /// CPU time per page of a whole crawl, beside wget and wget2
    Crawl(CrawlBenchArgs),
    /// Shingles, sketches, clusters and fingerprints, beside gaoya and rensa
    Dedup(DedupBenchArgs),
    /// Bloom filters and the index of many filters, beside fastbloom and a Parquet split-block filter
    Filter(FilterBenchArgs),
    /// Who may be asked next, with a fetcher that answers at once: visits a second, and memory
    Frontier(FrontierBenchArgs),
    /// Compression, building, ranks and distances of a link graph, beside igraph, networkit and webgraph-algo
    Graph(GraphBenchArgs),
    /// Bytes, building and reading of an index, beside tantivy
    Index(IndexBenchArgs),
    /// Results of words and phrases, beside tantivy
    Search(SearchBenchArgs),
    /// Recognising addresses that were seen before: all kinds of sieves, beside one on a database
    Sieve(SieveBenchArgs),
}

/// Building again with a hundredth more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  crivello bench build /usr/share/doc/rust-doc/html")]
pub struct BuildBenchArgs {
    /// A folder with files that end in .html
    pub pages: PathBuf,
    /// How often everything is done; the best counts
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,
}

/// CPU time per page of a whole crawl.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  crivello bench crawl\n  crivello bench crawl --json")]
pub struct CrawlBenchArgs {
    /// Pages of the site
    #[arg(long, default_value_t = 20_000)]
    pub pages: u32,
    /// How often each program runs; the best run counts
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,
}

/// Shingles, sketches, clusters and fingerprints.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  crivello bench dedup")]
pub struct DedupBenchArgs {
    /// The folder of real collections, with neardup/licensedcode-dev [default: CRIVELLO_DATA or ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A Python in which rensa is installed
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: String,
    /// Short documents of the last measurement; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub documents: u32,
    /// Nothing that takes minutes: a hundredth of the documents and fingerprints
    #[arg(long)]
    pub quick: bool,
}

/// The frontier alone.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  crivello bench frontier\n  crivello bench frontier --hosts 100000 --addresses 1000000"
)]
pub struct FrontierBenchArgs {
    /// Hosts, four on a machine
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(8..=10_000_000))]
    pub hosts: u32,
    /// Addresses that wait at the beginning
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub addresses: u64,
    /// Visits that are made
    #[arg(long, value_name = "N", default_value_t = 4_000_000)]
    pub visits: u64,
    /// What queues may use; the rest of them is on disk
    #[arg(long, value_name = "BYTES", default_value = "64MiB", value_parser = page::parse_bytes)]
    pub memory: u64,
}

/// All kinds of sieves.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  crivello bench sieve --quick\n  crivello bench sieve --kinds tiered,lsm --offers 20000000"
)]
pub struct SieveBenchArgs {
    /// Which kinds [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = crate::sieve_args::kind_parser())]
    pub kinds: Vec<sieve::SieveKind>,
    /// Offers, of which four in five repeat an earlier one [default: 100000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..=10_000_000_000))]
    pub offers: Option<u64>,
    /// Offers at most to the sieves on databases, which are slow
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub offers_to_databases: u64,
    /// What each sieve may use
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = page::parse_bytes)]
    pub memory: u64,
    /// By how many bits the tiered sieve knows an address
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub signature_bits: u32,
    /// Nothing that takes minutes: two million offers
    #[arg(long, conflicts_with = "offers")]
    pub quick: bool,
    /// For internal use: measures one kind in this process
    #[arg(long, hide = true, requires = "kinds")]
    pub alone: bool,
}

impl SieveBenchArgs {
    fn yardstick(&self) -> Box<dyn Yardstick> {
        let offers = self.offers.unwrap_or(if self.quick { 2_000_000 } else { 100_000_000 });
        let (memory_bytes, signature_bits) = (self.memory, self.signature_bits);
        if self.alone {
            return Box::new(OneSieve { kind: self.kinds[0], offers, memory_bytes, signature_bits });
        }
        let all = || sieve::SieveKind::ALL.into_iter().filter(|kind| kind.is_available()).collect();
        let kinds = if self.kinds.is_empty() { all() } else { self.kinds.clone() };
        let offers_to_databases = self.offers_to_databases;
        Box::new(SieveBench { kinds, offers, offers_to_databases, memory_bytes, signature_bits })
    }
}

/// Three filters of so many keys take four gigabytes.
const KEYS_MAX: u64 = 1_000_000_000;

/// Bloom filters and the index of many filters.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  crivello bench filter")]
pub struct FilterBenchArgs {
    /// Keys of the filters: from ten million on they are asked in batches [default: 20000 100000000]
    #[arg(long, value_name = "N", num_args = 1.., value_parser = clap::value_parser!(u64).range(1..=KEYS_MAX))]
    pub keys: Vec<u64>,
    /// Compare all index structures (search, insert, update, delete, memory) and write the tables and plots into this
    /// folder, as Markdown and SVG
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
    /// Draw other runs of mixed operations for the adaptive index than those that we report
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Nothing that takes minutes: small filters, at most a thousand in an index, and few of the runs that are drawn
    #[arg(long)]
    pub quick: bool,
}

/// Compression, building, ranks and distances.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  crivello bench graph")]
pub struct GraphBenchArgs {
    /// The folder of real collections, with graphs/cnr-2000 [default: CRIVELLO_DATA or ../shared/data]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// A Python in which igraph and networkit are installed
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: String,
    /// Measure the addresses and the words of links of this collection, too (may be repeated)
    #[arg(long, value_name = "DIR")]
    pub collection: Vec<PathBuf>,
    /// Addresses that are made up and looked up, in thousands; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 2500)]
    pub addresses: u64,
    /// Raw arcs that are sorted and compressed, in millions; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub arcs: u64,
    /// For internal use: builds so many million arcs and prints what it took
    #[arg(long, hide = true)]
    pub build_only: bool,
    /// For internal use: the arcs of --build-only are pairs of addresses in a file
    #[arg(long, hide = true)]
    pub named: bool,
}

/// Bits and nanoseconds of a posting in each codec.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  crivello bench codec docs.crivello --plots codecs")]
pub struct CodecBenchArgs {
    /// A collection that was built, or a file with a document on each line [default: pages of a fake web alone]
    pub documents: Option<PathBuf>,
    /// Write the tables and plots into this folder, as Markdown and SVG
    #[arg(long, value_name = "DIR")]
    pub plots: Option<PathBuf>,
}

/// The options of `index` and `search`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  crivello bench index docs.crivello\n  crivello bench search docs.jsonl --tantivy ./tantivy-peer"
)]
pub struct ListBenchArgs {
    /// A collection that was built, or a file with a document on each line: text, or JSON with `text` and `title`
    pub documents: PathBuf,
    /// How lists are written, as in `crivello index`
    #[arg(long, value_name = "CODEC", default_value = "packed", value_parser = Codecs::parse)]
    pub codec: Codecs,
    /// A program that does the same with tantivy: it is given a file of documents, a folder, a file of queries and how
    /// often to ask them, and prints a JSON object
    #[arg(long, value_name = "PROGRAM")]
    pub tantivy: Option<PathBuf>,
    /// How often an index is built and queries are asked; the best counts
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,
}

/// The options of `index`.
#[derive(Debug, Args)]
pub struct IndexBenchArgs {
    #[command(flatten)]
    pub lists: ListBenchArgs,
    /// Terms that are made up and looked up, in thousands; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(..=TERMS_MAX))]
    pub terms: u64,
}

/// The options of `search`.
#[derive(Debug, Args)]
pub struct SearchBenchArgs {
    #[command(flatten)]
    pub lists: ListBenchArgs,
    /// Measure one part alone: queries, steps, meanings, cold, orders, splits or hostile
    #[arg(long, value_name = "PART", value_parser = SearchPart::parse)]
    pub only: Option<SearchPart>,
}

/// In thousands: the functions of so many terms take eight gigabytes to be made.
const TERMS_MAX: u64 = 200_000;

impl BenchName {
    fn yardstick(&self) -> Box<dyn Yardstick> {
        match self {
            Self::Build(args) => Box::new(BuildBench { pages: args.pages.clone(), rounds: args.rounds }),
            Self::Codec(args) => {
                Box::new(CodecBench { documents: args.documents.clone(), plots: args.plots.clone() })
            }
            Self::Crawl(args) => Box::new(CrawlBench { pages: args.pages, rounds: args.rounds }),
            Self::Dedup(args) => Box::new(DedupBench {
                data: data_folder(args.data.as_deref()),
                python: args.python.clone(),
                documents: args.documents,
                is_quick: args.quick,
            }),
            Self::Filter(args) => Box::new(FilterBench {
                keys: args.keys.clone(),
                plots: args.plots.clone(),
                seed: args.seed,
                is_quick: args.quick,
            }),
            Self::Graph(args) if args.build_only => {
                Box::new(GraphBuilding { million_arcs: args.arcs, is_named: args.named })
            }
            Self::Graph(args) => Box::new(GraphBench {
                data: data_folder(args.data.as_deref()),
                python: args.python.clone(),
                collections: args.collection.clone(),
                addresses: args.addresses * 1000,
                million_arcs: args.arcs,
            }),
            Self::Index(IndexBenchArgs { lists: args, terms }) => Box::new(IndexBench {
                documents: args.documents.clone(),
                codecs: args.codec,
                tantivy: args.tantivy.clone(),
                rounds: args.rounds,
                terms: terms * 1000,
            }),
            Self::Frontier(args) => Box::new(FrontierBench {
                hosts: args.hosts,
                addresses: args.addresses,
                visits: args.visits,
                queue_bytes: args.memory,
            }),
            Self::Sieve(args) => args.yardstick(),
            Self::Search(SearchBenchArgs { lists: args, only }) => Box::new(SearchBench {
                documents: args.documents.clone(),
                codecs: args.codec,
                tantivy: args.tantivy.clone(),
                passes: args.rounds,
                only: *only,
            }),
        }
    }
}

/// Finds the folder of real collections.
fn data_folder(given: Option<&Path>) -> PathBuf {
    match (given, std::env::var_os("CRIVELLO_DATA")) {
        (Some(path), _) => path.to_owned(),
        (None, Some(path)) => path.into(),
        (None, None) => "../shared/data".into(),
    }
}

/// Runs the command.
pub fn run(context: Context, args: &BenchArgs) -> anyhow::Result<Ending> {
    let program = std::env::current_exe()?;
    let surroundings = Surroundings { program: &program, say: &|text| context.showing.say(text) };
    let report = ::bench::run(&*args.name.yardstick(), &surroundings)?;
    context.print(&report, || print_table(&report))?;
    let lost = report.rows.iter().filter(|row| row.holds == Some(false)).count();
    Ok(Ending::from_failures(lost as u64))
}

/// As Markdown, so that it can be kept in `benches/runs/`.
fn print_table(report: &Report) {
    outln!("{}\n", report.machine);
    outln!("| what | unit | Crivello | peer | | ratio | goal | |");
    outln!("|---|---|---|---|---|---|---|---|");
    let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.3}"));
    for row in &report.rows {
        let verdict = match row.holds {
            Some(true) => "holds",
            Some(false) => "missed",
            None => row.hint.as_deref().unwrap_or(""),
        };
        outln!(
            "| {} | {} | {:.3} | {} | {} | {} | {} | {verdict} |",
            row.name,
            row.unit,
            row.ours,
            number(row.peer),
            row.peer_name,
            number(row.ratio),
            row.goal.map_or("–".into(), goal_text),
        );
    }
}

/// Writes a goal without digits that say nothing: a third is 0.3333.
fn goal_text(goal: f64) -> String {
    let rounded = (goal * 10_000.0).round() / 10_000.0;
    let is_small = goal != 0.0 && rounded == 0.0;
    format!("≤ {}", if is_small { goal } else { rounded })
}
