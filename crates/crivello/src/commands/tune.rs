//! `crivello tune`: the weights of scores, learned on judged collections.

use std::path::PathBuf;

use ::build::{Judged, SnapshotSettings, tune_weights};
use ::eval::{Folds, TuningSettings};
use ::search::KNOBS;
use clap::Args;
use serde_json::json;

use super::Context;
use super::eval::open_judged;
use crate::bars::Bar;
use crate::output::{Ending, hinted, outln, print_json};
use crate::weight_args::WeightArgs;

/// Learn what each signal of a score should count, on judged collections
///
/// Collections, questions and judgements are those of `eval`; several may follow each other. Each weight is moved up and down
/// in its turn, and kept where nDCG@10 and MAP are best, in the mean of all collections. Whether that holds for other questions
/// is seen by those that were held out: each is also measured by weights that were learned without it. At the end it is told
/// what each signal gains, against being turned off; of one without which nothing is right that is `all`. Words count alone, as
/// with `eval --semantic off`. --out writes the weights, for --weights of `search`, `eval` and `serve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "crivello tune [OPTIONS] <DIR> <QUERIES> <QRELS>...\n       \
    crivello tune --show")]
pub struct TuneArgs {
    /// A collection's folder, its questions, its judgements; and so on
    #[arg(value_name = "DIR QUERIES QRELS", required_unless_present = "show")]
    pub paths: Vec<PathBuf>,
    /// Print the weights from which it would begin, as a file, and learn nothing
    #[arg(long)]
    pub show: bool,
    /// Write the weights that were learned
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How often each weight has its turn, at most; 0: only measure what each signal gains
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// Into how many parts questions are divided, each held out once; 0: none is
    #[arg(long, default_value_t = 5)]
    pub folds: usize,
    /// Hold out whole collections, one after the other, instead of questions
    #[arg(long)]
    pub by_collection: bool,
    #[command(flatten)]
    pub weights: WeightArgs,
}

const EXAMPLES: &str = "\
Examples:
  crivello tune --show > my.weights                       the defaults, with what each says
  crivello tune cranfield.crivello queries.tsv qrels.tsv --out my.weights
  crivello tune a.crivello aq.tsv ar.tsv b.crivello bq.tsv br.tsv --by-collection
  crivello search docs.crivello harbour --weights my.weights --explain";

/// Runs the command.
pub fn run(context: Context, args: &TuneArgs) -> anyhow::Result<Ending> {
    if args.show {
        outln!("{}", args.weights.settings()?.weights);
        return Ok(Ending::Done);
    }
    let (collections, rest) = args.paths.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(hinted(
            "each collection needs its questions and its judgements",
            "say `crivello tune DIR QUERIES QRELS`, and three more for each other collection",
        ));
    }
    let settings =
        SnapshotSettings { with_spaces: false, with_all_signals: true, ..args.weights.settings()? };
    let open = |paths: &[PathBuf; 3]| open_judged(context, paths.each_ref().map(PathBuf::as_path), &settings);
    let mut judged = collections.iter().map(open).collect::<anyhow::Result<Vec<Judged>>>()?;
    let folds = if args.by_collection { Folds::Collections } else { Folds::Questions(args.folds) };
    let tuning = TuningSettings { rounds: args.rounds, folds };
    let (mut bar, mut measured) = (Bar::new(context.showing, "tune", 0).counting("measurement"), 0);
    let (weights, tuned) = tune_weights(&mut judged, settings.weights, tuning, &mut || {
        bar.set(measured, measured, String::new);
        measured += 1;
    })?;
    bar.finish();
    if let Some(path) = &args.out {
        std::fs::write(path, weights.to_string()).map_err(|error| {
            hinted(format!("`{}`: {error}", path.display()), "choose another file for --out")
        })?;
    }
    let name = |paths: &[PathBuf; 3]| paths[0].file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if context.json {
        let values: serde_json::Map<_, _> =
            KNOBS.iter().map(|knob| (knob.name.to_owned(), knob.get(&weights).into())).collect();
        print_json(&json!({ "weights": values, "tuned": tuned }))?;
    } else {
        let table = tuned.table(&collections.iter().map(name).collect::<Vec<_>>());
        outln!("by words alone, as with `eval --semantic off`\n{table}");
    }
    Ok(Ending::Done)
}
