//! Words that mean the same, as somebody wrote them into a file.
//!
//! ```text
//! # what stands behind this sign is for people
//! car, automobile, motor car        each finds the others
//! tyre => tire, wheel               whoever asks for the first finds the others, not the other way
//! ```
//!
//! A synonym counts as much as another form of a word does, however rare it is, and its other forms are found too. The words of a phrase count
//! one by one, its share divided among them; a phrase of the file is known in a query by its words in a row.

use std::collections::HashMap;
use std::sync::Arc;

use index::Analyzer;

use crate::more::MoreWord;
use crate::spellings::{Analysed, Spellings};

/// A file of synonyms that was read.
#[derive(Debug, Default)]
pub struct Synonyms {
    /// A word or phrase, and those that are found for it.
    lines: Vec<(String, Vec<String>)>,
}

/// Synonyms, as the analyzer of an index takes them.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// By the first term of the words that others may be found for, or a stem of it.
    by_first: HashMap<String, Vec<Arc<Rule>>>,
}

/// Words that others may be found for.
#[derive(Debug)]
struct Rule {
    /// Each term, and its stems.
    terms: Vec<Vec<String>>,
    others: Vec<Analysed>,
}

/// A line of a file that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct SynonymsError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// A synonym has no more words.
const PHRASE_WORDS_MAX: usize = 8;

impl Synonyms {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, SynonymsError> {
        let mut synonyms = Self::default();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.split('#').next().unwrap_or_default().trim();
            if !content.is_empty() {
                synonyms.add_line(content).map_err(|reason| SynonymsError { line, reason })?;
            }
        }
        Ok(synonyms)
    }

    fn add_line(&mut self, content: &str) -> Result<(), String> {
        let sides: Vec<&str> = content.split("=>").collect();
        match sides.as_slice() {
            [all] => {
                let words = words_of(all)?;
                if words.len() < 2 {
                    return Err(format!("`{content}` is one word: `a, b` or `a => b` is needed"));
                }
                words.iter().for_each(|word| self.add(word, &words));
                Ok(())
            }
            [from, to] => {
                let (from, to) = (words_of(from)?, words_of(to)?);
                from.iter().for_each(|word| self.add(word, &to));
                Ok(())
            }
            _ => Err("`=>` is there twice".to_owned()),
        }
    }

    fn add(&mut self, word: &str, others: &[String]) {
        let others = others.iter().filter(|other| *other != word).cloned().collect();
        self.lines.push((word.to_owned(), others));
    }
}

impl Rules {
    /// Those of a file, for an index.
    pub(crate) fn new(synonyms: &Synonyms, analyzer: Analyzer) -> Self {
        let mut rules = Self::default();
        for (word, others) in &synonyms.lines {
            let word = Analysed::new(word, analyzer);
            let terms: Vec<Vec<String>> = word.spelled().map(|(term, stems)| known_by(term, stems)).collect();
            let others = others.iter().map(|other| Analysed::new(other, analyzer)).collect();
            let keys = terms.first().cloned().unwrap_or_default();
            let rule = Arc::new(Rule { terms, others });
            for key in keys {
                rules.by_first.entry(key).or_default().push(Arc::clone(&rule));
            }
        }
        rules
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_first.is_empty()
    }

    /// What is looked for beside the plain terms of a query, `share` being what another form of a word counts.
    pub(crate) fn widen(
        &self,
        terms: &[String],
        spellings: &Spellings,
        share: f64,
    ) -> Vec<(MoreWord, Vec<String>)> {
        let typed: Vec<Vec<String>> =
            terms.iter().map(|term| known_by(term, spellings.stems(term))).collect();
        let mut more: Vec<(MoreWord, Vec<String>)> = Vec::new();
        for place in 0..typed.len() {
            let rules = typed[place].iter().flat_map(|key| self.by_first.get(key)).flatten();
            for rule in rules.filter(|rule| rule.stands_in(&typed[place..])) {
                let of = terms[place..place + rule.terms.len()].join(" ");
                for (word, stems) in rule.others.iter().flat_map(|other| words_for(other, &of, share)) {
                    let is_known =
                        more.iter().any(|(known, _)| known.term == word.term && known.of == word.of);
                    if !is_known && !terms.contains(&word.term) {
                        more.push((word, stems));
                    }
                }
            }
        }
        more
    }
}

impl Rule {
    /// Whether the words that were typed begin with its own.
    fn stands_in(&self, typed: &[Vec<String>]) -> bool {
        let are_same = |(one, other): (&Vec<String>, &Vec<String>)| one.iter().any(|key| other.contains(key));
        self.terms.len() <= typed.len() && self.terms.iter().zip(typed).all(are_same)
    }
}

/// The words of a synonym of some typed words, which share what it counts.
fn words_for(synonym: &Analysed, of: &str, share: f64) -> Vec<(MoreWord, Vec<String>)> {
    let weight = share / synonym.terms.len() as f64;
    let word = |(term, stems): (&String, &[String])| {
        (MoreWord { term: term.clone(), weight, of: Some(of.to_owned()) }, stems.to_vec())
    };
    synonym.spelled().map(word).collect()
}

/// The words and phrases of one side of a line.
fn words_of(side: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for word in side.split(',').map(str::trim) {
        match Analysed::new(word, Analyzer::default()).terms.len() {
            0 if word.is_empty() => {
                return Err("a word is missing before or behind a comma or `=>`".to_owned());
            }
            0 => return Err(format!("`{word}` has nothing that can be looked for")),
            1..=PHRASE_WORDS_MAX => words.push(word.to_lowercase()),
            _ => return Err(format!("`{word}` has more than {PHRASE_WORDS_MAX} words")),
        }
    }
    words.dedup();
    Ok(words)
}

/// By what a term is known, itself first.
fn known_by(term: &str, stems: &[String]) -> Vec<String> {
    std::iter::once(term.to_owned()).chain(stems.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "# cars and cities\ncar, automobile, Motor Car\n\ntyre => tire # one way\nNYC => New York City\n";

    fn widened(query: &str) -> Vec<(String, String)> {
        let synonyms = Synonyms::parse(FILE).unwrap();
        let rules = Rules::new(&synonyms, Analyzer::default());
        let query = crate::Query::parse(query).unwrap();
        let more = rules.widen(&query.plain_terms(), query.spellings(), 0.8);
        let shown = |(word, _): &(MoreWord, Vec<String>)| {
            (format!("{} {:.2}", word.term, word.weight), word.of.clone().unwrap_or_default())
        };
        more.iter().map(shown).collect()
    }

    #[test]
    fn words_bring_their_synonyms_and_phrases_are_known_by_their_words_in_a_row() {
        let rows: [(&str, &[(&str, &str)]); 9] = [
            ("car insurance", &[("automobile 0.80", "car"), ("motor 0.40", "car")]),
            ("car site:a.org -old", &[("automobile 0.80", "car"), ("motor 0.40", "car")]),
            ("the automobile", &[("car 0.80", "automobile"), ("motor 0.40", "automobile")]),
            ("old motor car", &[("automobile 0.80", "motor car")]),
            ("motor", &[]),
            ("tyre", &[("tire 0.80", "tyre")]),
            ("tire", &[]),
            ("nyc", &[("new 0.27", "nyc"), ("york 0.27", "nyc"), ("city 0.27", "nyc")]),
            ("+car \"automobile\" -tyre", &[]),
        ];
        for (query, expected) in rows {
            let found = widened(query);
            let expected: Vec<(String, String)> =
                expected.iter().map(|(word, of)| ((*word).to_owned(), (*of).to_owned())).collect();
            for row in &expected {
                assert!(found.contains(row), "{query}: {found:?}");
            }
            assert_eq!(found.is_empty(), expected.is_empty(), "{query}: {found:?}");
        }
    }

    #[test]
    fn lines_that_cannot_be_meant_are_refused_with_their_number() {
        let rows = [
            ("a, b\ncar\n", 2, "`car` is one word: `a, b` or `a => b` is needed"),
            ("a, , b", 1, "a word is missing before or behind a comma or `=>`"),
            ("\n\na => ", 3, "a word is missing before or behind a comma or `=>`"),
            ("a => b => c", 1, "`=>` is there twice"),
            ("a, !!!", 1, "`!!!` has nothing that can be looked for"),
            (
                "a, one two three four five six seven eight nine",
                1,
                "`one two three four five six seven eight nine` has more than 8 words",
            ),
        ];
        for (text, line, reason) in rows {
            assert_eq!(
                Synonyms::parse(text).unwrap_err(),
                SynonymsError { line, reason: reason.to_owned() },
                "{text}"
            );
        }
        assert!(Synonyms::parse("# nothing\n\n").unwrap().lines.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_file_is_read_or_refused(text in "([abc]|,|=>|#| |\\n|\\PC){0,60}", query in "([abc] ?){1,6}") {
            if let (Ok(synonyms), Ok(query)) = (Synonyms::parse(&text), crate::Query::parse(&query)) {
                let rules = Rules::new(&synonyms, Analyzer::default());
                for (word, _) in rules.widen(&query.plain_terms(), query.spellings(), 0.8) {
                    assert!(word.weight > 0.0 && word.weight <= 0.8 && !query.terms().contains(&word.term));
                }
            }
        }
    }
}
