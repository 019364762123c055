//! Words that were not typed and are welcome beside those that were: synonyms, and words of the first pages.
//!
//! They bring pages that have none of the typed words, and add to the score of any page that has them, as much as if they had
//! been typed, times their weight. They are lists like others to the walk that finds the best, so that what it finds is
//! exact. Since a page may answer without a typed word then, pages with all typed words do not come first.

use crate::limits::QUERY_TERMS_MAX;

/// A word that was not typed.
#[derive(Debug, Clone, PartialEq)]
pub struct MoreWord {
    /// As the analyzer takes it.
    pub term: String,
    /// What it counts, where a typed word counts 1.
    pub weight: f64,
    /// The typed words that it stands for; nothing, if the first pages say it.
    pub of: Option<String>,
}

impl MoreWord {
    /// Where it comes from, for who reads an explanation.
    pub(crate) fn origin(&self) -> String {
        match &self.of {
            Some(of) => format!("synonym of {of}"),
            None => "of the first pages".to_owned(),
        }
    }
}

/// As many of these as can be looked for beside so many typed terms: together they add no more than a full query may.
pub(crate) fn fitting(more: Vec<MoreWord>, typed: usize) -> Vec<MoreWord> {
    let mut room = QUERY_TERMS_MAX.saturating_sub(typed) as f64;
    let fits = |word: &MoreWord| {
        let fits = word.weight <= room;
        room -= if fits { word.weight } else { 0.0 };
        fits
    };
    more.into_iter().take(MORE_MAX).filter(fits).collect()
}

/// So many words are looked for that were not typed.
const MORE_MAX: usize = 64;
