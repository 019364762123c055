//! `crivello eval`: how good the results of a judged collection are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::build::{Judged, Shelf, Snapshot, SnapshotSettings};
use ::eval::{Comparison, Judgements, Measures, Questions, Run, Scores};
use ::search::{AnswerRequest, CopiesView, Feedback, Meanings};
use clap::Args;
use serde_json::json;

use super::Context;
use crate::build_watch::BuildWatch;
use crate::output::{Ending, counted, errln, hinted, one_line, outln};
use crate::semantic_args::SemanticArgs;
use crate::weight_args::WeightArgs;

/// Measure how good results are, by questions that people have judged
///
/// QUERIES has lines of `id<TAB>question`, QRELS lines of `id document gain` or of TREC's `id 0 document gain`. Documents are
/// called by their addresses, or by the ids under which they were imported. Each question is asked as it stands, and its first
/// thousand results are measured as trec_eval does: MAP, nDCG@10, P@10, MRR, recall@100, in the mean of all questions that
/// were judged.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "crivello eval [OPTIONS] <DIR> <QUERIES> <QRELS>\n       \
    crivello eval [OPTIONS] --from-run <RUN> <QRELS>")]
pub struct EvalArgs {
    /// The collection's folder, or a shelf; the questions; the judgements
    #[arg(required = true, num_args = 1..=3, value_names = ["DIR", "QUERIES", "QRELS"])]
    pub paths: Vec<PathBuf>,
    /// Measure a run of any system, in TREC's form, instead of asking
    #[arg(long, value_name = "RUN")]
    pub from_run: Option<PathBuf>,
    /// Write what was found, in TREC's form
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Compare with another run: differences, and how likely they are luck
    #[arg(long, value_name = "RUN")]
    pub compare: Option<PathBuf>,
    /// Print the measures of each question too
    #[arg(long)]
    pub per_query: bool,
    /// Fold copies, as searches do; judgements know nothing of copies, so they are shown otherwise
    #[arg(long)]
    pub fold_copies: bool,
    #[command(flatten)]
    pub semantic: SemanticArgs,
    #[command(flatten)]
    pub weights: WeightArgs,
}

const EXAMPLES: &str = "\
Examples:
  crivello eval cranfield.crivello queries.tsv qrels.tsv
  crivello eval cranfield.crivello queries.tsv qrels.tsv --run new.run --compare old.run
  crivello eval --from-run lucene.run qrels.tsv --json    any system's run";

impl EvalArgs {
    /// The collection that is asked, if any.
    pub fn dir(&self) -> Option<&Path> {
        self.paths
            .first()
            .map(PathBuf::as_path)
            .filter(|dir| self.from_run.is_none() && !Shelf::is_shelf(dir))
    }
}

/// Runs the command.
pub fn run(context: Context, args: &EvalArgs) -> anyhow::Result<Ending> {
    let (judgements, run, not_asked) = match (&args.from_run, args.paths.as_slice()) {
        (Some(run), [.., qrels]) => (Judgements::read(qrels)?, Run::read(run)?, 0),
        (None, [dir, queries, qrels]) => {
            let SemanticArgs { semantic: meanings, feedback } = args.semantic;
            let with_spaces = meanings != Meanings::Off || feedback == Feedback::Auto;
            let settings = SnapshotSettings { with_spaces, ..args.weights.settings()? };
            let judged = open_judged(context, [dir, queries, qrels], &settings)?;
            if meanings == Meanings::On && !judged.has_spaces() {
                return Err(::build::Error::NoSpace(dir.to_owned()).into());
            }
            let copies = if args.fold_copies { CopiesView::Folded } else { CopiesView::Shown };
            let found =
                judged.run(&AnswerRequest { copies, meanings, feedback, ..AnswerRequest::default() })?;
            (judged.judgements().clone(), found.run, found.not_asked)
        }
        _ => {
            let hint = "say `crivello eval DIR QUERIES QRELS`, or `crivello eval --from-run RUN QRELS`";
            return Err(hinted("a collection, its questions and its judgements are needed", hint));
        }
    };
    if let Some(path) = &args.run {
        let mut bytes = Vec::new();
        run.write("crivello", &mut bytes)?;
        std::fs::File::create(path).and_then(|mut file| file.write_all(&bytes)).map_err(|error| {
            hinted(format!("`{}`: {error}", path.display()), "choose another file for --run")
        })?;
    }
    let scores = Scores::of(&run, &judgements);
    if scores.answered == 0 {
        return Err(::eval::Error::NothingJudged.into());
    }
    let baseline = args.compare.as_deref().map(Run::read).transpose()?;
    let comparison = baseline.map(|baseline| Comparison::new(&scores, &Scores::of(&baseline, &judgements)));
    let comparison = comparison.as_ref();
    context.print(&as_json(args, &scores, comparison), || print_scores(args, &scores, comparison))?;
    if not_asked > 0 {
        errln!("{} could not be asked: nothing in them can be looked for", counted(not_asked, "question"));
    }
    Ok(Ending::from_failures(not_asked))
}

/// Opens a collection with its questions and judgements.
pub fn open_judged(
    context: Context,
    [dir, queries, qrels]: [&Path; 3],
    settings: &SnapshotSettings,
) -> anyhow::Result<Judged> {
    let (questions, judgements) = (Questions::read(queries)?, Judgements::read(qrels)?);
    let watch = Arc::new(BuildWatch::new(context.showing));
    let snapshot = Snapshot::open(Shelf::open(&[dir.to_owned()])?, settings, watch)?;
    Ok(Judged::new(snapshot, questions, judgements))
}

fn as_json(args: &EvalArgs, scores: &Scores, comparison: Option<&Comparison>) -> serde_json::Value {
    let mut object = json!(scores.mean());
    object["queries"] = scores.queries.len().into();
    object["answered"] = scores.answered.into();
    if args.per_query {
        let rows = scores.queries.iter().map(|(id, of_query)| {
            let mut row = json!(of_query);
            row["query"] = id.as_str().into();
            row
        });
        object["per_query"] = rows.collect();
    }
    if let Some(comparison) = comparison {
        object["compared"] = json!(comparison.differences);
    }
    object
}

fn print_scores(args: &EvalArgs, scores: &Scores, comparison: Option<&Comparison>) {
    let row = |measures: &Measures| -> String {
        measures.named().iter().map(|(_, value)| format!("{value:>11.4}")).collect()
    };
    let heads: String = Measures::default().named().iter().map(|(name, _)| format!("{name:>11}")).collect();
    outln!("{:<12}{heads}", "query");
    if args.per_query {
        for (id, measures) in &scores.queries {
            outln!("{:<12}{}", one_line(id), row(measures));
        }
    }
    outln!("{:<12}{}", "mean", row(&scores.mean()));
    let unanswered = scores.queries.len() - scores.answered;
    let without =
        if unanswered > 0 { format!(", {unanswered} of them without results") } else { String::new() };
    outln!("{} judged{without}", counted(scores.queries.len() as u64, "query"));
    let Some(comparison) = comparison else { return };
    outln!(
        "\n{:<12}{:>11}{:>11}{:>9}{:>9}{:>9}",
        "compared",
        "baseline",
        "difference",
        "better",
        "worse",
        "p"
    );
    for of in &comparison.differences {
        let (measure, p) = (of.measure, of.p);
        outln!(
            "{measure:<12}{:>11.4}{:>+11.4}{:>9}{:>9}{p:>9.4}",
            of.baseline,
            of.difference,
            of.better,
            of.worse
        );
    }
}
