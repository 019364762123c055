//! Who judged what: how well documents answer questions.
//!
//! Two forms are read: `question document gain`, and TREC's `question iteration document gain`, whose second column nobody
//! uses. Columns end at a tab, or at any white space where there is none. A first line without a number in its last column
//! is a heading.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::error::JUDGEMENT;
use crate::{Error, lines};

/// The gains of the documents that were judged, question by question. A gain above zero is an answer; of zero and less, it
/// is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judgements(BTreeMap<String, HashMap<String, i32>>);

impl Judgements {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        lines::read(path, Self::parse)
    }

    /// Reads lines.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut judgements = Self::default();
        lines::each(text, JUDGEMENT, |number, line| {
            let columns: Vec<&str> = match line.contains('\t') {
                true => line.split('\t').map(str::trim).collect(),
                false => line.split_whitespace().collect(),
            };
            let (&question, &document, gain) = match columns.as_slice() {
                [question, document, gain] | [question, _, document, gain] => (question, document, gain),
                _ => return None,
            };
            match gain.parse() {
                Ok(gain) => judgements.add(question, document, gain),
                Err(_) if number == 1 => {}
                Err(_) => return None,
            }
            Some(())
        })?;
        Ok(judgements)
    }

    /// Notes how well a document answers a question.
    pub fn add(&mut self, question: &str, document: &str, gain: i32) {
        self.0.entry(question.to_owned()).or_default().insert(document.to_owned(), gain);
    }

    /// Whether anything was judged for a question.
    pub fn has(&self, question: &str) -> bool {
        self.0.contains_key(question)
    }

    /// The judged documents of each question, questions in alphabetical order.
    pub fn questions(&self) -> impl Iterator<Item = (&str, &HashMap<String, i32>)> {
        self.0.iter().map(|(question, judged)| (question.as_str(), judged))
    }

    /// All names of documents.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.0.values().flat_map(|judged| judged.keys().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_with_and_without_a_heading() {
        let expected = Judgements::parse("1\ta b\t2\n1\tc\t0\n").unwrap();
        let rows = [
            "query-id\tcorpus-id\tscore\n1\ta b\t2\n1\tc\t0",
            "1\t0\ta b\t2\r\n\r\n1\t0\tc\t0\r\n",
            "\u{feff}1\t0\ta b\t2\n1\t0\tc\t0\n",
        ];
        for text in rows {
            assert_eq!(Judgements::parse(text).unwrap(), expected, "{text}");
        }
        let spaces = Judgements::parse("1 0 c 0\n1 Q0 d -1\n").unwrap();
        assert_eq!(spaces, Judgements::parse("1\tc\t0\n1\td\t-1").unwrap());
    }

    #[test]
    fn a_line_that_is_no_judgement_is_named() {
        for (text, line) in [("1 a 1\n1 a\n", 2), ("1 a 1\n1 a b\n", 2), ("1\n", 1), ("1 2 3 4 5", 1)] {
            let error = Judgements::parse(text).unwrap_err();
            assert!(matches!(error, Error::Line { line: named, .. } if named == line), "{text}: {error}");
            assert!(error.hint().is_some_and(|hint| hint.starts_with("judgements")));
        }
        assert!(matches!(Judgements::parse("\n"), Err(Error::Empty)));
    }
}
