//! What counts as a copy, and how copies are looked for: the options, and what they come to.

use std::thread::available_parallelism;

use clap::{Args, ValueEnum};
use dedup::minhash::{SLOTS, Scheme};
use dedup::{Clustering, DedupConfig, Execution, Shingling, TextOptions, Verification};

/// The options that say what a copy is and how it is found.
#[derive(Debug, Clone, Args)]
pub struct CopySettings {
    /// Documents are copies when their similarity (Jaccard, of their sets of shingles) is at least this
    #[arg(long, value_name = "T", default_value_t = THRESHOLD, value_parser = parse_threshold, help_heading = "What is a copy")]
    pub threshold: f64,
    /// What texts are cut into: `words:N` or `chars:N` [default: words:5; chars:54 with --scheme seed]
    #[arg(long, value_name = "KIND:N", value_parser = str::parse::<Shingling>, help_heading = "What is a copy")]
    pub shingle: Option<Shingling>,
    /// Leave out <tags> before comparing
    #[arg(long, help_heading = "What is a copy")]
    pub without_markup: bool,
    /// Leave out numbers and dates before comparing: words with a digit in them
    #[arg(long, help_heading = "What is a copy")]
    pub without_numbers: bool,
    /// Use no sketches: find every pair that reaches the threshold, for certain. Holds all shingles in memory
    #[arg(long, conflicts_with_all = ["estimate", "method"], help_heading = "Method")]
    pub exact: bool,
    /// Believe the sketches: do not read candidates again to compute their similarity exactly
    #[arg(long, help_heading = "Method")]
    pub estimate: bool,
    /// How sketches are made [default: fast-similarity]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Method")]
    pub scheme: Option<SchemeName>,
    /// How documents that may be copies are brought together [default: bands; sorted with --scheme seed]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Method")]
    pub method: Option<Method>,
    /// Values in a sketch: more are more exact and slower
    #[arg(long, value_name = "K", default_value_t = SLOTS, value_parser = parse_slots, help_heading = "Method")]
    pub slots: usize,
    /// What the randomness of sketches grows from
    #[arg(long, value_name = "S", default_value_t = DedupConfig::default().seed, help_heading = "Method")]
    pub seed: u64,
    /// How the work is shared. The results are the same
    #[arg(long, value_enum, default_value_t = ExecutionForm::Threads, value_name = "FORM", help_heading = "Resources")]
    pub execution: ExecutionForm,
    /// How many threads compute [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "Resources")]
    pub threads: Option<u16>,
    /// Memory for sorting and comparing. The results are the same
    #[arg(long, value_name = "BYTES", default_value = "512MiB", value_parser = page::parse_memory, help_heading = "Resources")]
    pub memory: u64,
}

/// Copies share so much unless somebody says otherwise.
pub const THRESHOLD: f64 = 0.8;

/// See [`Scheme`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemeName {
    /// XOR masks, simple and less exact on short texts; as it was first described, with chars:54 of ASCII, --method
    /// sorted and --estimate
    Seed,
    /// A multiplication and an addition per value: the textbook's MinHash
    MultiplyAdd,
    /// One pass, empty values filled from others
    OnePermutation,
    /// One pass, with the smallest error, also for short texts
    FastSimilarity,
}

/// See [`Clustering`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Documents that agree in a band of their sketches
    Bands,
    /// Sort all values and count the common ones: misses nothing that the sketches tell, but takes more time
    Sorted,
    /// Six features of fourteen values each; two in common. Finds only very similar texts: meant for thresholds of 0.95
    /// and more, where it finds nearly all; of licence texts at 0.8 it finds one pair in four
    Features,
}

/// See [`Execution`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExecutionForm {
    /// One after the other
    Serial,
    /// Each thread reads and sketches
    Threads,
    /// One thread reads, the others sketch
    ProducerConsumer,
}

/// The features of the report, and of AltaVista.
const FEATURES: Clustering = Clustering::Features { groups: 6, size: 14 };

impl CopySettings {
    /// Makes of the options what the deduplicator is told.
    pub fn config(&self) -> DedupConfig {
        // The report's own way to cut, count and tell, so that its own results come out.
        let is_report = self.scheme == Some(SchemeName::Seed)
            && !self.exact
            && !matches!(self.shingle, Some(Shingling::Words(_)));
        let shingling = match self.shingle {
            None if is_report => Shingling::SeedChars(54),
            Some(Shingling::Chars(length)) if is_report => Shingling::SeedChars(length),
            other => other.unwrap_or(Shingling::Words(5)),
        };
        let clustering = match self.method {
            _ if self.exact => Clustering::Exhaustive,
            Some(Method::Bands) => Clustering::Banded,
            Some(Method::Sorted) => Clustering::SortedPairs,
            Some(Method::Features) => FEATURES,
            None if is_report => Clustering::SortedPairs,
            None => Clustering::Banded,
        };
        let threads =
            self.threads.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
        DedupConfig {
            shingling,
            text: TextOptions { without_markup: self.without_markup, without_numbers: self.without_numbers },
            scheme: match self.scheme {
                Some(SchemeName::Seed) => Scheme::Seed,
                Some(SchemeName::MultiplyAdd) => Scheme::MultiplyAdd,
                Some(SchemeName::OnePermutation) => Scheme::OnePermutation,
                Some(SchemeName::FastSimilarity) | None => Scheme::FastSimilarity,
            },
            slots: self.slots,
            seed: self.seed,
            threshold: self.threshold,
            clustering,
            verification: if self.estimate || is_report {
                Verification::Estimate
            } else {
                Verification::Exact
            },
            execution: match self.execution {
                ExecutionForm::Serial => Execution::Serial,
                ExecutionForm::Threads => Execution::Threads(threads),
                ExecutionForm::ProducerConsumer => Execution::ProducerConsumer(threads),
            },
            memory_bytes: self.memory,
        }
    }
}

/// Reads a threshold.
pub fn parse_threshold(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(threshold) if threshold > 0.0 && threshold <= 1.0 => Ok(threshold),
        // From here on a percentage is more likely than a slip.
        Ok(percent) if (2.0..=100.0).contains(&percent) => {
            Err(format!("a number above 0 and at most 1 is needed: {percent} % is {}", percent / 100.0))
        }
        _ => Err("a number above 0 and at most 1 is needed, for example 0.8".into()),
    }
}

fn parse_slots(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(slots) if (1..=dedup::SLOTS_MAX).contains(&slots) => Ok(slots),
        _ => Err(format!("a number from 1 to {} is needed", dedup::SLOTS_MAX)),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: CopySettings,
    }

    fn config(options: &[&str]) -> DedupConfig {
        Line::try_parse_from([&["x"], options].concat()).unwrap().settings.config()
    }

    #[test]
    fn without_options_the_defaults_of_the_library_hold() {
        assert_eq!(config(&[]), DedupConfig::default());
    }

    #[test]
    fn the_scheme_of_the_report_brings_its_method_along() {
        let seed = config(&["--scheme", "seed"]);
        assert_eq!((seed.shingling, seed.scheme), (Shingling::SeedChars(54), Scheme::Seed));
        assert_eq!((seed.clustering, seed.verification), (Clustering::SortedPairs, Verification::Estimate));
        assert_eq!(config(&["--scheme", "seed", "--shingle", "chars:9"]).shingling, Shingling::SeedChars(9));
    }

    #[test]
    fn of_words_the_masks_are_a_scheme_like_the_others() {
        let words = config(&["--scheme", "seed", "--shingle", "words:3"]);
        assert_eq!(
            words,
            DedupConfig { scheme: Scheme::Seed, shingling: Shingling::Words(3), ..config(&[]) }
        );
        let features = config(&["--scheme", "seed", "--shingle", "words:3", "--method", "features"]);
        assert_eq!((features.shingling, features.clustering), (Shingling::Words(3), FEATURES));
        let exact = config(&["--scheme", "seed", "--exact"]);
        assert_eq!((exact.shingling, exact.clustering), (Shingling::Words(5), Clustering::Exhaustive));
    }

    #[test]
    fn only_what_looks_like_a_percentage_is_called_one() {
        assert!(parse_threshold("80").unwrap_err().contains("80 % is 0.8"));
        assert!(!parse_threshold("1.5").unwrap_err().contains('%'));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for options in [
            ["--threshold", "0"],
            ["--threshold", "80"],
            ["--threshold", "NaN"],
            ["--shingle", "pages:5"],
            ["--shingle", "words:0"],
            ["--slots", "0"],
            ["--threads", "0"],
            ["--memory", "1000"],
        ] {
            assert!(Line::try_parse_from([&["x"], &options[..]].concat()).is_err(), "{options:?}");
        }
        assert!(Line::try_parse_from(["x", "--exact", "--estimate"]).is_err());
    }
}
