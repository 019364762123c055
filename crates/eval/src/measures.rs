//! The measures, as trec_eval computes them.
//!
//! ```text
//! map         mean over all answers of: answers up to it / its place        (0 for those that were not found)
//! ndcg_10     Σ gain / log2(1 + place) over the first ten, as a share of that of the best possible order
//! p_10        answers among the first ten / 10
//! mrr         1 / place of the first answer
//! recall_100  answers among the first hundred / all answers
//! ```
//!
//! A document is an answer if its gain is at least 1. Means are over all questions that were judged, whether anything was
//! found for them or not (trec_eval's option `-c`); [`Scores::answered`] are those of its default, which passes over
//! questions that the run does not have.

use std::collections::HashMap;

use serde::Serialize;

use crate::run::Ranked;
use crate::{Judgements, Run};

/// What a ranking is worth, from 0 to 1 each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Measures {
    /// Average precision; in the mean, MAP.
    pub map: f64,
    /// Discounted cumulative gain of the first ten.
    pub ndcg_10: f64,
    /// Precision of the first ten.
    pub p_10: f64,
    /// Reciprocal of the place of the first answer.
    pub mrr: f64,
    /// Recall of the first hundred.
    pub recall_100: f64,
}

/// By what share measures are higher than others; `None` where the others are nothing, and no share of nothing is enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rise {
    /// Of nDCG@10.
    pub ndcg_10: Option<f64>,
    /// Of MAP.
    pub map: Option<f64>,
}

impl Rise {
    /// The mean of some.
    pub(crate) fn mean(rises: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> Option<f64>| {
            let sum: Option<f64> = rises.iter().map(of).sum();
            sum.map(|sum| sum / rises.len().max(1) as f64)
        };
        Self { ndcg_10: mean(|rise| rise.ndcg_10), map: mean(|rise| rise.map) }
    }
}

/// What a run is worth, question by question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// Each question that was judged, with the measures of what was found for it.
    pub queries: Vec<(String, Measures)>,
    /// How many of them the run has.
    pub answered: usize,
}

impl Scores {
    /// Measures a run.
    pub fn of(run: &Run, judgements: &Judgements) -> Self {
        let mut scores = Self::default();
        for (question, judged) in judgements.questions() {
            let found = run.found(question);
            scores.answered += usize::from(found.is_some());
            let measures = Measures::of(found.unwrap_or_default(), judged);
            scores.queries.push((question.to_owned(), measures));
        }
        scores
    }

    /// The mean over all questions that were judged.
    pub fn mean(&self) -> Measures {
        self.sum().map(|sum| sum / self.queries.len().max(1) as f64)
    }

    /// The mean over those of them that the run has.
    pub fn mean_of_answered(&self) -> Measures {
        self.sum().map(|sum| sum / self.answered.max(1) as f64)
    }

    fn sum(&self) -> Measures {
        self.queries.iter().fold(Measures::default(), |sum, (_, measures)| sum.plus(*measures))
    }
}

impl Measures {
    /// What a ranking is worth by these judgements.
    pub fn of(found: &[Ranked], judged: &HashMap<String, i32>) -> Self {
        let gain = |found: &Ranked| judged.get(&found.document).copied().unwrap_or(0);
        let gains: Vec<i32> = found.iter().map(gain).collect();
        let answers = judged.values().filter(|gain| **gain > 0).count();
        if answers == 0 {
            return Self::default();
        }
        let (mut met, mut precisions, mut first) = (0usize, 0.0, None);
        for (_, place) in gains.iter().zip(1usize..).filter(|(gain, _)| **gain > 0) {
            met += 1;
            precisions += met as f64 / place as f64;
            first = first.or(Some(place));
        }
        let within = |depth: usize| gains.iter().take(depth).filter(|gain| **gain > 0).count() as f64;
        let mut ideal: Vec<i32> = judged.values().copied().collect();
        ideal.sort_unstable_by(|a, b| b.cmp(a));
        Self {
            map: precisions / answers as f64,
            ndcg_10: dcg_10(&gains) / dcg_10(&ideal),
            p_10: within(10) / 10.0,
            mrr: first.map_or(0.0, |place| 1.0 / place as f64),
            recall_100: within(100) / answers as f64,
        }
    }

    /// Each measure with its name.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        let Self { map, ndcg_10, p_10, mrr, recall_100 } = *self;
        [("map", map), ("ndcg_10", ndcg_10), ("p_10", p_10), ("mrr", mrr), ("recall_100", recall_100)]
    }

    /// By what share nDCG@10 and MAP are above those of `then`.
    pub(crate) fn rise_from(self, then: Self) -> Rise {
        let rise = |now: f64, then: f64| match then {
            0.0 => (now == 0.0).then_some(0.0),
            then => Some(now / then - 1.0),
        };
        Rise { ndcg_10: rise(self.ndcg_10, then.ndcg_10), map: rise(self.map, then.map) }
    }

    /// The sums of all measures.
    pub(crate) fn plus(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    fn map(self, each: impl Fn(f64) -> f64) -> Self {
        self.zip(self, |value, _| each(value))
    }

    fn zip(self, other: Self, each: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            map: each(self.map, other.map),
            ndcg_10: each(self.ndcg_10, other.ndcg_10),
            p_10: each(self.p_10, other.p_10),
            mrr: each(self.mrr, other.mrr),
            recall_100: each(self.recall_100, other.recall_100),
        }
    }
}

/// Discounted cumulative gain of the first ten; judgements below zero gain nothing.
fn dcg_10(gains: &[i32]) -> f64 {
    gains
        .iter()
        .take(10)
        .zip(2..)
        .map(|(gain, place)| f64::from((*gain).max(0)) / f64::from(place).log2())
        // Not by `sum`, which makes -0 of nothing.
        .fold(0.0, |sum, gain| sum + gain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_that_was_computed_by_hand() {
        // Answers at places 2 and 4 of four found, of three: (1/2 + 2/4) / 3; gains 1 and 3, at best 3, 2, 1.
        let judged =
            [("a", 0), ("b", 1), ("c", -1), ("d", 3), ("e", 2)].map(|(name, gain)| (name.to_owned(), gain));
        let found = ["a", "b", "c", "d"].map(|name| Ranked { document: name.to_owned(), score: 0.0 });
        let measures = Measures::of(&found, &judged.into());
        let dcg = 1.0 / 3f64.log2() + 3.0 / 5f64.log2();
        let best = 3.0 + 2.0 / 3f64.log2() + 1.0 / 4f64.log2();
        let expected =
            Measures { map: 1.0 / 3.0, ndcg_10: dcg / best, p_10: 0.2, mrr: 0.5, recall_100: 2.0 / 3.0 };
        for ((name, value), (_, expected)) in measures.named().into_iter().zip(expected.named()) {
            assert!((value - expected).abs() < 1e-12, "{name}: {value}, {expected}");
        }
    }

    #[test]
    fn what_found_nothing_is_worth_nothing_and_not_less() {
        let measures = Measures::of(&[], &[("a".to_owned(), 1)].into());
        for (name, value) in measures.named() {
            assert_eq!(format!("{value:.4}"), "0.0000", "{name}");
        }
    }

    #[test]
    fn questions_without_answers_or_results_count_as_nothing() {
        let judgements = Judgements::parse("1 a 1\n2 a 0\n3 a 1").unwrap();
        let run = Run::parse("1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n4 Q0 a 1 1 t").unwrap();
        let scores = Scores::of(&run, &judgements);
        assert_eq!((scores.queries.len(), scores.answered), (3, 2));
        assert_eq!((scores.mean().map, scores.mean_of_answered().map), (1.0 / 3.0, 0.5));
    }
}
