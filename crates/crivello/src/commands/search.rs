//! `crivello search`: the best results of a query, on the terminal.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::build::{Shelf, Snapshot};
use ::search::{
    Answer, AnswerRequest, CopiesView, Feedback, Limits, Query, ReaderLanguages, SearchResult, TotalIs,
    TotalWish, Weights,
};
use clap::Args;

use super::Context;
use crate::build_watch::BuildWatch;
use crate::output::{Ending, counted, one_line, outln, print_marked_line, thousands};
use crate::semantic_args::SemanticArgs;
use crate::weight_args::{WeightArgs, parse_number};

/// Search, and print the best results
///
/// Pages with all words come first, then the best of the others; of more than 32 words the rarest are looked for.
/// "Exact phrases", "with * gaps", +word, word AND word, OR between words, -word or NOT word, (parentheses), begin*,
/// a NEAR/3 b (at most three words apart), a < b (in this order), a WITHIN (b < c), title:word, url:word, heading:word,
/// anchor:word, title:(a NEAR/3 b), site:example.org/docs, lang:de, type:html, after:2024-01-31 and before:2025 work as
/// expected; what other engines have beside these is left out, which is said. The date of a page is the one that it gives,
/// or else the day on which it was fetched.
/// Put the query in single quotes, so that the shell leaves its signs alone.
/// Of pages that are copies of each other one is shown, and counted, with the number of the others that match.
/// Of the first ten at most two are from one host, if others have good ones too; `site:` and --copies show all.
///
/// Several folders are searched as one: each is a collection, or a shelf, which is a folder of collections. Scores are those
/// of one index of all. Words are folders as long as they are collections or shelves; the last word is always the query's.
/// A page that two collections have, by its address or by its words, is shown once.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "crivello search [OPTIONS] <DIR>... <QUERY>...")]
pub struct SearchArgs {
    /// The collection's folder, or a shelf; more of them may follow
    pub dir: PathBuf,
    /// What to look for, for example: harbour "old bridge" -ferry
    #[arg(required = true, value_name = "QUERY")]
    pub words: Vec<String>,
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
    /// Take no word for a misspelling
    #[arg(long)]
    pub as_typed: bool,
    /// What you read, the best first, for example: it,en. Pages in these languages gain a little, and of editions in
    /// several languages that one is shown
    #[arg(long, value_name = "LANGUAGES", default_value = "")]
    pub lang: String,
    #[command(flatten)]
    pub semantic: SemanticArgs,
    /// Count all results, however long it takes; otherwise "at least" so many, where there are very many
    #[arg(long)]
    pub exact_total: bool,
    /// Be quicker, and perhaps leave out pages that are better than the last one by this share of its score: 0.1 is a tenth
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = |text: &str| parse_number(text, 1))]
    pub slack: f64,
    /// How quickly more occurrences of a word stop to matter (BM25F) [default: 1.75]
    #[arg(long, value_parser = |text: &str| parse_number(text, 1000))]
    pub k1: Option<f64>,
    /// How much the length of each part of a page matters, 0 to 1 (BM25F); that of words of links a third as much [default: 0.75]
    #[arg(long, value_parser = |text: &str| parse_number(text, 1))]
    pub b: Option<f64>,
    #[command(flatten)]
    pub weights: WeightArgs,
}

const EXAMPLES: &str = "\
Examples:
  crivello search docs.crivello 'install \"quick start\" -windows'
  crivello search docs.crivello 'harbour OR port' --explain -n 3  why the first three are there
  crivello search docs.crivello 'title:(ferry NEAR/3 time*) after:2024'
  crivello search docs.crivello harbour --json            for another program
  crivello search docs.crivello 'how are boats built' --semantic --explain  by what pages mean, too
  crivello search manuals/ docs.crivello 'install -windows'  all collections in manuals/, and another one";

impl SearchArgs {
    /// Tells folders and query apart.
    pub fn folders_and_query(&self) -> (Vec<PathBuf>, String) {
        let (mut folders, mut words) = (vec![self.dir.clone()], self.words.as_slice());
        while let [word, rest @ ..] = words
            && !rest.is_empty()
            && Shelf::is_searchable(Path::new(word))
        {
            folders.push(word.into());
            words = rest;
        }
        (folders, words.join(" "))
    }
}

/// Runs the command.
pub fn run(context: Context, args: &SearchArgs) -> anyhow::Result<Ending> {
    let (folders, text) = args.folders_and_query();
    let mut settings = args.weights.settings()?;
    let weights = Weights { k1: args.k1.unwrap_or(settings.weights.k1), ..settings.weights };
    settings.weights = args.b.map_or(weights, |b| weights.with_b(b));
    let query = Query::parse(&text);
    settings.with_facts = query.as_ref().is_ok_and(Query::asks_for_facts);
    let SemanticArgs { semantic, feedback } = args.semantic;
    settings.with_spaces =
        feedback == Feedback::Auto || query.is_ok_and(|query| semantic.may_count_for(&query));
    let watch = Arc::new(BuildWatch::new(context.showing));
    let snapshot = Snapshot::open(Shelf::open(&folders)?, &settings, watch)?;
    let total = if args.exact_total { TotalWish::Exact } else { TotalWish::Quick };
    let request = AnswerRequest {
        from: args.from,
        count: args.count,
        explain: args.explain,
        meanings: semantic,
        feedback,
        copies: if args.copies { CopiesView::Shown } else { CopiesView::Folded },
        limits: Limits { total, slack: args.slack as f32, ..Limits::default() },
        as_typed: args.as_typed,
        reader: ReaderLanguages::parse(&args.lang),
    };
    let answer = snapshot.answer(&text, &request)?;
    context.print(&answer, || print_answer(&answer, snapshot.collections() > 1))?;
    Ok(Ending::from_failures(answer.unreadable))
}

fn print_answer(answer: &Answer, names_collections: bool) {
    let at_least = if answer.total_is == TotalIs::AtLeast { "at least " } else { "" };
    let with_all_words = answer.with_all_words_told();
    let took_ms = answer.took_us as f64 / 1000.0;
    outln!("{at_least}{} in {took_ms:.1} ms{with_all_words}", counted(answer.total, "result"));
    match &answer.did_you_mean {
        Some(meant) if answer.corrected => {
            outln!("showing results for: {} (with --as-typed: as it was typed)", one_line(meant));
        }
        Some(meant) => outln!("did you mean: {}", one_line(meant)),
        None => {}
    }
    for note in &answer.notes {
        outln!("note: {}", one_line(&note.to_string()));
    }
    if let Some(routing) = &answer.routing {
        let (asked, skipped) =
            (counted(routing.segments_asked, "dictionary"), thousands(routing.segments_skipped));
        let lookups = counted(routing.lookups, "look-up");
        outln!(
            "routing: {lookups}, {asked} asked, {skipped} not, {} in vain",
            thousands(routing.false_positives)
        );
    }
    for result in &answer.results {
        print_result(result, names_collections);
    }
}

/// Prints one result.
pub fn print_result(result: &SearchResult, names_collections: bool) {
    let title = if result.title.is_empty() { &result.url } else { &result.title };
    outln!("\n{:>3}. {}", result.rank, one_line(title));
    match result.collection.as_ref().filter(|_| names_collections) {
        Some(collection) => outln!("     {}  ({})", one_line(&result.url), one_line(collection)),
        None => outln!("     {}", one_line(&result.url)),
    }
    let fragments = result.snippet.fragments.iter().map(|fragment| (&*fragment.text, fragment.marked));
    print_marked_line(std::iter::once(("     ", false)).chain(fragments));
    if !result.missing_words.is_empty() {
        outln!("     without: {}", one_line(&result.missing_words.join(", ")));
    }
    if result.similar > 0 {
        outln!("     and {} (shown with --copies)", counted(result.similar, "similar page"));
    }
    if let Some(host) = &result.more_from_site {
        outln!("     more from this site: add site:{}", one_line(host));
    }
    if let Some(explanation) = &result.explanation {
        for line in explanation.to_string().lines() {
            outln!("       {line}");
        }
    }
}
