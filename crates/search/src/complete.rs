//! What somebody is about to type: titles of pages, and frequent words.
//!
//! Of the words that begin as the last one does, those count most that are on many pages but not on most: each page says
//! `the`. With words before it, those that share pages with them come first. Titles are known once somebody has given them
//! ([`Searcher::complete_with`]).
//!
//! Cost: a look at each word with the prefix, a nanosecond or two each, and a few short walks through lists: well below a
//! millisecond.

use crate::correct::together;
use crate::lists::Lists;
use crate::spellings::Spellings;
use crate::vocabulary::Vocabulary;
use crate::{Error, Limits, Searcher};

/// Longer texts are not completed.
const TYPED_BYTES_MAX: usize = 200;

/// So many of the most frequent words are compared by the word before them.
const COMPARED: usize = 12;

impl Searcher {
    /// Completes what was typed in at most so many ways.
    pub fn complete(&self, typed: &str, count: usize) -> Result<Vec<String>, Error> {
        let typed = typed.trim_start();
        if typed.is_empty() || typed.len() > TYPED_BYTES_MAX {
            return Ok(Vec::new());
        }
        let (before, last) = typed.split_at(typed.rfind(char::is_whitespace).map_or(0, |space| space + 1));
        let mut completions: Vec<String> = Vec::new();
        let mut add = |completion: String| {
            let is_new = |other: &String| other.to_lowercase() != completion.to_lowercase();
            if completions.len() < count && completions.iter().all(is_new) {
                completions.push(completion);
            }
        };
        // One word is a beginning of many things; several are most likely those of a title.
        let of_words = if before.trim().is_empty() { count.div_ceil(2) } else { count };
        let words = self.complete_word(before, last, of_words)?;
        let mut titles = self.titles.get().map_or_else(Vec::new, |known| known.complete(typed, count));
        if !before.trim().is_empty() {
            titles.drain(..).for_each(|title| add(title.to_owned()));
        }
        words.into_iter().for_each(|word| add(format!("{before}{word}")));
        titles.into_iter().for_each(|title| add(title.to_owned()));
        Ok(completions)
    }

    /// Words that begin so, behind what was typed before them.
    fn complete_word(&self, before: &str, last: &str, count: usize) -> Result<Vec<String>, Error> {
        let prefix = last.trim_start_matches(|c: char| !c.is_alphanumeric());
        let signs = &last[..last.len() - prefix.len()];
        if prefix.is_empty() {
            return Ok(Vec::new());
        }
        let prefix = prefix.to_lowercase();
        let mut words = frequent(self.vocabulary()?, &prefix, self.index.documents());
        let mut previous = None;
        self.index.analyzer().tokens(before, &mut |token| previous = Some(token.term.to_owned()));
        if let Some(previous) = previous {
            let spellings = Spellings::default();
            let lists = Lists::new(self, &spellings, Limits::default());
            words.truncate(COMPARED);
            for (worth, word) in &mut words {
                *worth *= 1.0 + f64::from(together(&lists, word, &previous)?);
            }
            words.sort_by(|one, other| other.0.total_cmp(&one.0));
        }
        words.truncate(count);
        Ok(words.into_iter().map(|(_, word)| format!("{signs}{word}")).collect())
    }
}

/// The words with a prefix, those that tell most first.
fn frequent<'v>(vocabulary: &'v Vocabulary, prefix: &'v str, documents: u32) -> Vec<(f64, &'v str)> {
    let worth = |count: u32| f64::from(count) * (f64::from(documents.max(count)) / f64::from(count)).ln();
    let entries = vocabulary.with_prefix(prefix);
    let mut words: Vec<(f64, &str)> = entries.map(|entry| (worth(entry.documents), entry.word)).collect();
    let by_worth =
        |one: &(f64, &str), other: &(f64, &str)| other.0.total_cmp(&one.0).then(one.1.cmp(other.1));
    if words.len() > COMPARED {
        words.select_nth_unstable_by(COMPARED, by_worth);
        words.truncate(COMPARED);
    }
    words.sort_by(by_worth);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_on_every_page_come_after_those_that_tell_something() {
        let vocabulary =
            Vocabulary::of(&[("tab", 30), ("table", 400), ("task", 1), ("the", 1000), ("zoo", 9)]);
        let words: Vec<&str> = frequent(&vocabulary, "t", 1000).into_iter().map(|(_, word)| word).collect();
        assert_eq!(words, ["table", "tab", "task", "the"]);
    }
}
