//! Runs: what a system found for each question, in TREC's form `question Q0 document rank score tag`.
//!
//! trec_eval does not look at ranks: it sorts by score, and of equal scores the document comes first whose name is greater.
//! A run that is read is sorted so, and a document that stands there twice counts once, where it is best: trec_eval refuses such
//! a run, and otherwise an answer would be found twice. A run that is written has scores that fall from document to document as 32-bit floats,
//! so that whoever reads it has the order in which the documents were found.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use crate::error::RESULT;
use crate::{Error, lines};

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// What judgements call it.
    pub document: String,
    /// Its score.
    pub score: f32,
}

/// What was found for each question, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run(BTreeMap<String, Vec<Ranked>>);

impl Run {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        lines::read(path, Self::parse)
    }

    /// Reads lines.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut run = Self::default();
        lines::each(text, RESULT, |_, line| {
            let mut columns = line.split_whitespace();
            let (question, document) = (columns.next()?, columns.nth(1)?);
            let score: f32 = columns.nth(1)?.parse().ok().filter(|score: &f32| !score.is_nan())?;
            let found = run.0.entry(question.to_owned()).or_default();
            found.push(Ranked { document: document.to_owned(), score });
            Some(())
        })?;
        for found in run.0.values_mut() {
            found.sort_by(before);
            let mut seen = HashSet::new();
            found.retain(|ranked| seen.insert(ranked.document.clone()));
        }
        Ok(run)
    }

    /// Adds what was found for a question, in its order; scores that do not fall are made to.
    pub fn add(&mut self, question: &str, found: impl IntoIterator<Item = (String, f64)>) {
        let mut last = f32::INFINITY;
        let ranked = found.into_iter().map(|(document, score)| {
            last = (score as f32).min(last.next_down());
            Ranked { document, score: last }
        });
        self.0.insert(question.to_owned(), ranked.collect());
    }

    /// Writes it as TREC does; `tag` names the system.
    pub fn write(&self, tag: &str, out: &mut impl Write) -> io::Result<()> {
        for (question, found) in &self.0 {
            for (Ranked { document, score }, rank) in found.iter().zip(1..) {
                // A name with spaces would be taken for two columns.
                let document = document.replace(char::is_whitespace, "%20");
                writeln!(out, "{question} Q0 {document} {rank} {score:?} {tag}")?;
            }
        }
        Ok(())
    }

    /// What was found for a question.
    pub fn found(&self, question: &str) -> Option<&[Ranked]> {
        self.0.get(question).map(Vec::as_slice)
    }

    /// How many questions were asked.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// trec_eval's order.
fn before(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| b.document.cmp(&a.document))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_scores_are_in_the_order_of_trec_eval_whatever_the_ranks_say() {
        let run = Run::parse("q Q0 a 1 1.0 t\nq Q0 c 2 1.0 t\nq Q0 b 3 2.0 t\n").unwrap();
        let names: Vec<&str> = run.found("q").unwrap().iter().map(|found| &*found.document).collect();
        assert_eq!(names, ["b", "c", "a"]);
        for text in ["q Q0 a 1", "q Q0 a 1 x t", "q Q0 a 1 NaN t"] {
            assert!(matches!(Run::parse(text), Err(Error::Line { line: 1, .. })), "{text}");
        }
    }

    #[test]
    fn a_document_counts_once_where_it_is_best() {
        let run = Run::parse("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\nq Q0 a 3 3.0 t\np Q0 a 1 1.0 t\n").unwrap();
        let found: Vec<(&str, f32)> =
            run.found("q").unwrap().iter().map(|found| (&*found.document, found.score)).collect();
        assert_eq!(found, [("a", 3.0), ("b", 2.0)]);
        let judgements = crate::Judgements::parse("q\ta\t1\n").unwrap();
        assert_eq!(crate::Scores::of(&run, &judgements).mean().map, 1.0);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_in_the_same_order(scores in prop::collection::vec(-1e3..1e9f64, 1..50)) {
            let mut run = Run::default();
            run.add("q", scores.iter().zip(0..).map(|(score, number)| (format!("d{number}"), *score)));
            let mut bytes = Vec::new();
            run.write("tag", &mut bytes).unwrap();
            prop_assert_eq!(Run::parse(std::str::from_utf8(&bytes).unwrap()).unwrap(), run);
        }
    }
}
