//! `crivello graph`: who links to whom in a collection, or in any graph, and who matters.

mod broken;
mod foreign;
mod linked;
mod look;
mod show;
mod shown;

use std::path::{Path, PathBuf};

use ::build::graphs::report::{self, Summary};
use ::build::graphs::{self, GraphOptions, RankSettings, arcs::RankedArcs, ranks};
use ::build::{Covered, GraphSteps};
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use store::Collection;

use super::Context;
use crate::build_watch::BuildWatch;
use crate::output::{Ending, hinted};

/// Look at the graph of links: its shape, and which pages and hosts matter
///
/// For a collection, the graph is made or brought up to date, a summary is printed, and a report with plots is written.
/// Ranks are computed on declared links: by default without those that ask not to be followed, those of a page to itself, and
/// navigation, that is links that the markup calls so, links whose target and words are on more than half of a host's pages,
/// and links whose words (`next`) are on nearly all of them.
/// The ranks that were computed last are those that searches use: with --filter or --damping they are others, until they
/// are computed anew without; `build` keeps such settings.
///
/// With --from, any graph: BASENAME of BASENAME.graph and BASENAME.properties (BV format), or a file with an arc a line, in
/// any order, plain or gzipped (- for standard input): `source<TAB>target`, or separated by spaces or a comma. Nodes that are
/// numbers keep them, counted from 0. If any is not, all are names, in alphabetical order; so are numbers that are negative
/// or far larger than there are arcs, in their own order. A header, empty lines and lines that start with # or % are
/// skipped; further columns do not count.
///
/// --broken lists the addresses that answered 404, 410 or nothing, and the pages that link there, also through redirects; the
/// most linked come first. Addresses that were never asked, because of scope or robots.txt, are not among them. It reads the
/// stored pages and needs no graph. It ends with 1 if there are any, and with 0 if there are none.
///
/// --links, --backlinks, --linked, --path and --near read the graph that is there, also while a crawl goes on; pages that came after
/// it was made are not in it (`crivello stats DIR` says so). Only if there is none yet, it is made.
///
/// --ranks writes a line for each node, without a header, of five columns separated by tabs: node, PageRank, harmonic
/// centrality, in-degree, component. PageRank is within 1e-9 of the true one (L1, all nodes together). Harmonic centrality
/// is the sum of 1/d over all nodes that can reach this one; it is exact for up to 20,000 nodes or with --exact, and
/// estimated by HyperBall otherwise, with its error told on standard error. Components are strongly connected and numbered
/// from the largest, 0.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct GraphArgs {
    /// The collection's folder
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    pub dir: Option<PathBuf>,
    /// A graph that is no collection: BASENAME of BV files, or a file of arcs (- for standard input)
    #[arg(long, value_name = "BASENAME|FILE")]
    pub from: Option<PathBuf>,
    /// With --from BASENAME: keep only every J-th place where a list starts. Less memory, slower access to single lists
    #[arg(long, value_name = "J", requires = "from")]
    pub jump: Option<std::num::NonZeroUsize>,
    /// With --from: write the ranks of all nodes to this file (- for standard output)
    #[arg(long, value_name = "OUT.tsv")]
    pub ranks: Option<PathBuf>,
    /// Print the links of a page, with their words
    #[arg(long, value_name = "URL", group = "look", conflicts_with = "from")]
    pub links: Option<String>,
    /// Print the links to a page, with their words
    #[arg(long, value_name = "URL", group = "look", conflicts_with = "from")]
    pub backlinks: Option<String>,
    /// Say whether one page links to another, and with which words: at once if the graph is there with --format ef
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], group = "look", conflicts_with = "from")]
    pub linked: Option<Vec<String>>,
    /// Print the dead links: addresses that answered 404, 410 or nothing, each with the pages and words that link there
    #[arg(long, group = "look", conflicts_with = "from")]
    pub broken: bool,
    /// With --broken: only so many addresses, those that most pages link to
    #[arg(short = 'n', long, value_name = "N", requires = "broken")]
    pub count: Option<usize>,
    /// Print a shortest path from one page to another
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], group = "look", conflicts_with = "from")]
    pub path: Option<Vec<String>>,
    /// Print the pages that matter most to a reader who always begins on this one (personalised PageRank); repeat it for
    /// several. With --from, nodes: the PageRank of --ranks is that of such a reader
    #[arg(long, value_name = "URL|NODE", group = "look")]
    pub near: Vec<String>,
    /// Where the report goes [default: DIR/graph/report.html; none with --from]
    #[arg(short = 'o', long, value_name = "FILE.html", conflicts_with_all = RANKS_NOTHING)]
    pub report: Option<PathBuf>,
    /// How lists of links are kept; `ef` is kept beside `bv` and answers at once whether there is a link
    #[arg(long, value_enum, default_value_t = Format::Bv, conflicts_with_all = MAKES_NO_GRAPH, help_heading = "The graph")]
    pub format: Format,
    /// Look for better references: some 4 % smaller if there are many links, in thrice the time, not for WebGraph in Java
    #[arg(long, conflicts_with_all = MAKES_NO_GRAPH, help_heading = "The graph")]
    pub optimise: bool,
    /// Fold copies into the page that stands for them (see `dedup`)
    #[arg(long, conflicts_with_all = MAKES_NO_GRAPH, help_heading = "The graph")]
    pub fold_copies: bool,
    /// Keep pages that name another page of their domain as canonical
    #[arg(long, conflicts_with_all = MAKES_NO_GRAPH, help_heading = "The graph")]
    pub keep_canonicals: bool,
    /// Leave out links that ask not to be followed altogether
    #[arg(long, conflicts_with_all = MAKES_NO_GRAPH, help_heading = "The graph")]
    pub drop_nofollow: bool,
    /// Also addresses that were linked but never fetched
    #[arg(long, conflicts_with_all = MAKES_NO_GRAPH, help_heading = "The graph")]
    pub off_crawl: bool,
    /// Links that do not count for ranks, separated by commas
    #[arg(
        long,
        value_enum,
        value_name = "KINDS",
        value_delimiter = ',',
        default_value = "nofollow,navigation,itself",
        conflicts_with_all = ["from", "links", "backlinks", "linked", "broken", "path"],
        help_heading = "Ranks"
    )]
    pub filter: Vec<LeftOut>,
    /// The probability that a reader follows a link
    #[arg(long, value_name = "A", default_value_t = 0.85, value_parser = parse_damping, conflicts_with_all = RANKS_NOTHING, help_heading = "Ranks")]
    pub damping: f64,
    /// Counters of HyperBall have 2^N registers
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(4..=12), conflicts_with_all = RANKS_NOTHING, help_heading = "Ranks")]
    pub registers: u32,
    /// Runs of HyperBall that are averaged
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with_all = RANKS_NOTHING, help_heading = "Ranks")]
    pub runs: u16,
    /// Decides the hash functions of HyperBall
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = RANKS_NOTHING, help_heading = "Ranks")]
    pub seed: u64,
    /// Exact distances however large the graph is: a search from every node
    #[arg(long, conflicts_with_all = RANKS_NOTHING, help_heading = "Ranks")]
    pub exact: bool,
    /// Memory for sorting links and for ranks; with less than they like, they read the arcs compressed. What a rank keeps of
    /// each node (about 100 bytes for distances) and of each distance is needed in any case
    #[arg(long, value_name = "BYTES", default_value = "1GiB", value_parser = page::parse_bytes)]
    pub memory: u64,
}

const EXAMPLES: &str = "\
Examples:
  crivello graph docs.crivello                                        a summary, and docs.crivello/graph/report.html
  crivello graph docs.crivello --backlinks https://docs.example.org/  who links there, and with which words
  crivello graph docs.crivello --broken -n 20                         the dead links that most pages have
  crivello graph docs.crivello --near https://docs.example.org/faq    what else a reader of that page may want
  crivello graph docs.crivello --filter none                          ranks on all links
  crivello graph --from cnr-2000 --ranks ranks.tsv                    ranks of a graph in BV format
  crivello graph --from arcs.tsv --ranks - | sort -t$'\\t' -k2,2gr | head";

/// With these, the graph is the one that is there.
const MAKES_NO_GRAPH: [&str; 7] = ["from", "links", "backlinks", "linked", "broken", "path", "near"];
/// With these, no ranks are computed.
const RANKS_NOTHING: [&str; 5] = ["links", "backlinks", "linked", "broken", "path"];

/// How lists are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Gaps, references and intervals: the smallest
    Bv,
    /// Elias–Fano: larger, with an immediate test for a link
    Ef,
}

/// Links that do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LeftOut {
    /// All links count
    None,
    /// Links that ask not to be followed
    Nofollow,
    /// Links in the navigation, header or footer of a page, or that repeat on most pages of a host
    Navigation,
    /// Links of a page to itself, such as those to its chapters
    Itself,
    /// Links between pages of one host
    SameHost,
}

/// Runs the command.
pub fn run(context: Context, args: &GraphArgs) -> anyhow::Result<Ending> {
    args.refuse_what_does_not_count()?;
    if args.filter.contains(&LeftOut::None) && args.filter.len() > 1 {
        return Err(hinted(
            "`--filter none` leaves nothing out",
            "give `none` alone, or the others without it",
        ));
    }
    match (&args.dir, &args.from) {
        (_, Some(from)) => foreign::run(context, args, from),
        (Some(dir), None) if args.broken => broken::run(context, args.count, dir),
        (Some(dir), None) if args.looks_at_pages() => look::run(context, args, dir),
        (Some(dir), None) => summarise(context, args, dir),
        (None, None) => unreachable!("the command line asks for one of them"),
    }
}

fn summarise(context: Context, args: &GraphArgs, dir: &Path) -> anyhow::Result<Ending> {
    let collection = Collection::open_to_build(dir)?;
    let (options, settings) = (args.options(), args.settings());
    let watch = BuildWatch::new(context.showing);
    let covered = Covered::now(&collection)?;
    let made = graphs::make_if_needed(&collection, covered, Some(options), args.memory, &watch)?;
    let folder = &made.folder;
    let arcs = RankedArcs::of_folder(folder, &settings, args.memory, &graphs::graph_dir(dir))?;
    let ranks = ranks::NodeRanks::of(&arcs, &settings, args.exact, &GraphSteps(&watch));
    watch.finish();
    if !args.exact && ranks::settings_of(&collection, folder) != Some(settings) {
        ranks::tell_if_damaged(&collection, &watch);
        ranks::write(&collection, folder, &settings, &ranks)?;
    }
    let mut summary = Summary::new(&arcs, &ranks, settings.filter_text(), args.damping);
    summary.describe_folder(dir, folder, &arcs, args.damping)?;
    let report = args.report.clone().unwrap_or_else(|| graphs::graph_dir(dir).join("report.html"));
    write_report(&report, &summary, &dir.display().to_string())?;
    summary.report = Some(report);
    summary.up_to_date = Some(made.was_there);
    context.print(&summary, || show::print(&summary))?;
    Ok(Ending::Done)
}

fn write_report(path: &Path, summary: &Summary, name: &str) -> anyhow::Result<()> {
    let page = report::html_page(summary, name);
    std::fs::write(path, page).with_context(|| format!("cannot write `{}`", path.display()))
}

impl GraphArgs {
    fn looks_at_pages(&self) -> bool {
        let asked = [&self.links, &self.backlinks].into_iter().any(Option::is_some);
        asked || self.linked.is_some() || self.path.is_some() || !self.near.is_empty()
    }

    /// Refuses what the command line cannot say of itself: some options go with --near only for a graph of --from.
    fn refuse_what_does_not_count(&self) -> anyhow::Result<()> {
        let Some(dir) = &self.dir else { return Ok(()) };
        if let Some(ranks) = &self.ranks {
            let (dir, ranks) = (dir.display(), ranks.display());
            return Err(hinted(
                "--ranks is for a graph of --from",
                format!("the ranks of a collection are written by `crivello export {dir} ranks -o {ranks}`"),
            ));
        }
        let usual = RankSettings::default();
        let given = [
            (self.report.is_some(), "--report"),
            (self.exact, "--exact"),
            (self.registers != usual.log2_registers, "--registers"),
            (usize::from(self.runs) != usual.runs, "--runs"),
            (self.seed != usual.seed, "--seed"),
        ];
        match given.iter().find(|(is_given, _)| *is_given && !self.near.is_empty()) {
            Some((_, option)) => Err(hinted(
                format!("{option} does not count with --near of a collection"),
                "leave one of them out: --near computes PageRank only, and writes no report",
            )),
            None => Ok(()),
        }
    }

    fn options(&self) -> GraphOptions {
        GraphOptions {
            fold_canonicals: !self.keep_canonicals,
            fold_copies: self.fold_copies,
            keep_nofollow: !self.drop_nofollow,
            keep_off_crawl: self.off_crawl,
            optimise: self.optimise,
            with_ef: self.format == Format::Ef,
        }
    }

    fn settings(&self) -> RankSettings {
        let leaves_out = |kind| self.filter.contains(&kind);
        RankSettings {
            without_same_host: leaves_out(LeftOut::SameHost),
            without_navigation: leaves_out(LeftOut::Navigation),
            without_nofollow: leaves_out(LeftOut::Nofollow),
            without_loops: leaves_out(LeftOut::Itself),
            damping: self.damping,
            log2_registers: self.registers,
            runs: self.runs.into(),
            seed: self.seed,
        }
    }
}

fn parse_damping(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(damping) if (0.0..=0.999).contains(&damping) => Ok(damping),
        _ => Err("a number between 0 and 0.999 is needed".into()),
    }
}
