//! What counts beside the words that were typed, as the user says it.

use std::ffi::OsString;

use ::search::{Feedback, Meanings};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Options that say when meanings, and words of the first pages, count.
#[derive(Debug, Clone, Copy, Args)]
pub struct SemanticArgs {
    /// Weigh what pages mean together with their words: the best two hundred by words are put into a new order. By default that
    /// is done for questions whose first results have something in common; `--semantic` alone is `--semantic on`. `off` leaves the
    /// order that words alone give, without what words in titles add to the best of them
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, conflicts_with = "scoring")]
    #[arg(default_value = Meanings::default().name(), default_missing_value = Meanings::On.name(), value_parser = meanings())]
    pub semantic: Meanings,
    /// Look for telling words of the first ten pages too; `auto` does it for questions of medium length whose first results
    /// have something in common, and `--feedback` alone is `--feedback on`
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true)]
    #[arg(default_value = Feedback::default().name(), default_missing_value = Feedback::On.name(), value_parser = feedback())]
    pub feedback: Feedback,
}

fn meanings() -> impl TypedValueParser<Value = Meanings> {
    PossibleValuesParser::new(Meanings::ALL.map(Meanings::name))
        .map(|name| Meanings::named(&name).unwrap_or_default())
}

fn feedback() -> impl TypedValueParser<Value = Feedback> {
    PossibleValuesParser::new(Feedback::ALL.map(Feedback::name))
        .map(|name| Feedback::named(&name).unwrap_or_default())
}

/// Arguments with `--semantic off` written as `--semantic=off`. The value may be left out, so the parser would take the word
/// behind it for one of the query; whoever asks for the word `off` writes `--semantic=on off`.
pub fn joined(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for arg in args {
        let is_value = arg.to_str().is_some_and(|arg| Meanings::named(arg).is_some());
        match joined.last_mut() {
            Some(option) if is_value && (option == "--semantic" || option == "--feedback") => {
                option.push("=");
                option.push(&arg);
            }
            _ => joined.push(arg),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_behind_the_option_is_its_own() {
        let rows = [
            ("search d --semantic off boats", "search d --semantic=off boats"),
            (
                "search d --feedback auto --semantic boats off",
                "search d --feedback=auto --semantic boats off",
            ),
            ("search d boats --semantic", "search d boats --semantic"),
            ("search d --semantic=on off", "search d --semantic=on off"),
        ];
        for (typed, expected) in rows {
            assert_eq!(joined(typed.split(' ').map(OsString::from)).join(" ".as_ref()), expected);
        }
    }
}
