//! `crivello search`: the best results of a query, on the terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::search::{Answer, AnswerRequest, Bm25Parameters, CopiesView, RANK_WEIGHT, Searcher};
use clap::Args;
use index::Index;
use store::Collection;

use super::Context;
use crate::copies;
use crate::documents::ArchivePages;
use crate::graphs::for_search;
use crate::output::{Ending, counted, hinted, one_line, outln, print_json, print_marked_line};

/// Search, and print the best results
///
/// Words must all occur; OR between words, -word or NOT word, "exact phrases" and (parentheses) work as expected.
/// Put the query in single quotes, so that the shell leaves its signs alone.
/// Of pages that are copies of each other one is shown, and counted, with the number of the others that match.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SearchArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// What to look for, for example: harbour "old bridge" -ferry
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// How many results
    #[arg(short = 'n', long, default_value_t = 10)]
    pub count: usize,
    /// How many results to pass over
    #[arg(long, default_value_t = 0)]
    pub from: usize,
    /// Show copies too: each page that matches, not one of each group of copies
    #[arg(long)]
    pub copies: bool,
    /// Say why each result is where it is
    #[arg(long)]
    pub explain: bool,
    /// How quickly more occurrences of a word stop to matter (BM25)
    #[arg(long, default_value_t = Bm25Parameters::default().k1)]
    pub k1: f64,
    /// How much the length of a page matters, 0 to 1 (BM25)
    #[arg(long, default_value_t = Bm25Parameters::default().b)]
    pub b: f64,
    /// The most that a page can gain by being linked to; 0: links do not count
    #[arg(long, value_name = "W", default_value_t = RANK_WEIGHT, value_parser = parse_rank_weight)]
    pub rank_weight: f64,
}

const EXAMPLES: &str = "\
Examples:
  crivello search docs.crivello 'install \"quick start\" -windows'
  crivello search docs.crivello 'harbour OR port' --explain -n 3  why the first three are there
  crivello search docs.crivello harbour --json            for another program";

/// A weight of ranks that makes sense.
pub fn parse_rank_weight(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(weight) if (0.0..=1000.0).contains(&weight) => Ok(weight),
        _ => Err("a number between 0 and 1000 is needed".into()),
    }
}

/// Runs the command.
pub fn run(context: Context, args: &SearchArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open(&args.dir)?;
    let parameters = Bm25Parameters { k1: args.k1, b: args.b, ..Bm25Parameters::default() };
    let index = Arc::new(open_index(&collection)?);
    let copies = copies::for_search(&collection, &index)?;
    let ranks = for_search::link_ranks(&collection, &index, args.rank_weight)?;
    let searcher = Searcher::new(index, parameters).with_copies(copies).with_ranks(ranks);
    let request = AnswerRequest {
        from: args.from,
        count: args.count,
        explain: args.explain,
        copies: if args.copies { CopiesView::Shown } else { CopiesView::Folded },
        ..AnswerRequest::default()
    };
    let answer =
        searcher.answer_request(&args.query.join(" "), &request, &ArchivePages::new(&collection)?)?;
    if context.json {
        print_json(&answer)?;
    } else {
        print_answer(&answer);
    }
    Ok(Ending::from_failures(answer.unreadable))
}

/// Opens the index of a collection, or says how to get one.
pub fn open_index(collection: &Collection) -> anyhow::Result<Index> {
    Index::open(&index_dir(collection.dir())).map_err(|error| match error {
        index::Error::Missing { .. } => hinted(
            format!("`{}` has no index yet", collection.dir().display()),
            "make it with `crivello build DIR`",
        ),
        other => other.into(),
    })
}

fn index_dir(dir: &Path) -> PathBuf {
    dir.join("index")
}

fn print_answer(answer: &Answer) {
    let at_least = if answer.partial { "at least " } else { "" };
    outln!("{at_least}{} in {:.1} ms", counted(answer.total, "result"), answer.took_us as f64 / 1000.0);
    for result in &answer.results {
        let title = if result.title.is_empty() { &result.url } else { &result.title };
        outln!("\n{:>3}. {}", result.rank, one_line(title));
        outln!("     {}", one_line(&result.url));
        let fragments = result.snippet.fragments.iter().map(|fragment| (&*fragment.text, fragment.marked));
        print_marked_line(std::iter::once(("     ", false)).chain(fragments));
        if result.similar > 0 {
            outln!("     and {} (shown with --copies)", counted(result.similar, "similar page"));
        }
        if let Some(explanation) = &result.explanation {
            for line in explanation.to_string().lines() {
                outln!("       {line}");
            }
        }
    }
}
