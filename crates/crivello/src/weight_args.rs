//! What each signal of a score counts, as the user says it.

use std::path::PathBuf;
use std::sync::Arc;

use ::search::{Scheme, Weights};
use build::{SnapshotSettings, read_synonyms, read_weights};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

/// Options that change what signals count.
#[derive(Debug, Args)]
pub struct WeightArgs {
    /// A file that says what each signal of a score counts; `crivello tune --show` prints one
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// A file of words that mean the same: lines of `car, automobile`, or of `tyre => tire` for one way
    #[arg(long, value_name = "FILE")]
    pub synonyms: Option<PathBuf>,
    /// The most that a page can gain by being linked to; 0: links do not count [default: 0.5]
    #[arg(long, value_name = "W", value_parser = |text: &str| parse_number(text, 1000))]
    pub rank_weight: Option<f64>,
    /// By which formula words count; those beside bm25f are as in textbooks, and look at every page
    #[arg(long, value_name = "FORMULA", default_value = "bm25f", value_parser = schemes())]
    pub scoring: Scheme,
}

fn schemes() -> impl clap::builder::TypedValueParser<Value = Scheme> {
    let named =
        |name: String| Scheme::ALL.into_iter().find(|scheme| scheme.name() == name).unwrap_or_default();
    PossibleValuesParser::new(Scheme::ALL.map(Scheme::name)).map(named)
}

impl WeightArgs {
    /// Reads the file, if there is one; options of their own go before it. All that is known of pages is read.
    pub fn settings(&self) -> anyhow::Result<SnapshotSettings> {
        let mut weights = read_weights(self.weights.as_deref())?;
        weights.page_rank = self.rank_weight.unwrap_or(weights.page_rank);
        if self.rank_weight == Some(0.0) {
            weights = Weights { harmonic: 0.0, host_rank: 0.0, ..weights };
        }
        let synonyms = Arc::new(read_synonyms(self.synonyms.as_deref())?);
        Ok(SnapshotSettings { weights, scheme: self.scoring, synonyms, ..SnapshotSettings::of_all() })
    }
}

/// Reads a number from 0 on.
pub fn parse_number(text: &str, most: u16) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=f64::from(most)).contains(&number) => Ok(number),
        _ => Err(format!("a number between 0 and {most} is needed")),
    }
}
