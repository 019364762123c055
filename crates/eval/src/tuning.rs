//! Learning weights on judged collections, and what is to be believed of it.
//!
//! What is raised is nDCG@10 and MAP, each in multiples of what it was at the start, in the mean of both and of all
//! collections: so a small collection counts as much as a large one, and an easy one as much as a hard one. Weights that are
//! learned on some questions are good for these; whether they are good for others is seen by others. So questions are divided
//! into folds, and each is measured once more by weights that were learned without its fold. A fold is one question in so many
//! of every collection, or a whole collection: then what one learns about one kind of text is measured on another kind.
//!
//! What each signal gains is measured by turning it off, all others as they are.

use std::collections::HashMap;
use std::ops::Range;

use crate::ascent::{Dial, ascend};
use crate::measures::{Measures, Rise, Scores};
use crate::tuned::{Gain, Tuned, TunedCollection};

/// What questions are divided into to see whether what was learned holds for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folds {
    /// So many parts of the questions of every collection; fewer than two: none.
    Questions(usize),
    /// The collections, one after the other.
    Collections,
}

/// How weights are learned.
#[derive(Debug, Clone, Copy)]
pub struct TuningSettings {
    /// How often each number has its turn, at most; 0: only what is there is measured.
    pub rounds: usize,
    /// How it is seen whether what was learned holds for others.
    pub folds: Folds,
}

/// Gives what questions of each collection are worth by some values.
pub type Measure<'m, E> = dyn FnMut(&[f64]) -> Result<Vec<Scores>, E> + 'm;

/// Learns the best values for `dials`. `measure` gives what questions of each collection are worth by some values; in the same
/// order each time.
pub fn tune<E>(
    dials: &[Dial],
    start: &[f64],
    settings: TuningSettings,
    measure: &mut Measure<'_, E>,
) -> Result<Tuned, E> {
    let mut memory = Memory { measure, known: HashMap::new() };
    let before = memory.scores(start)?;
    let all = Part { is_in: &|_, _| true };
    let values = memory.learn(dials, start, settings.rounds, &before, &all)?;
    let after = memory.scores(&values)?;
    let mut held_out: Vec<Scores> = before.iter().map(|_| Scores::default()).collect();
    let folds = fold_count(settings, before.len());
    for fold in folds.clone() {
        let is_held_out = |collection: usize, question: usize| match settings.folds {
            Folds::Questions(count) => question % count == fold,
            Folds::Collections => collection == fold,
        };
        let training = Part { is_in: &|collection, question| !is_held_out(collection, question) };
        let of_fold = memory.learn(dials, start, settings.rounds, &before, &training)?;
        let of_fold = memory.scores(&of_fold)?;
        for (collection, (scores, kept)) in of_fold.into_iter().zip(&mut held_out).enumerate() {
            let questions = scores.queries.into_iter().enumerate();
            let held_out = questions.filter(|(question, _)| is_held_out(collection, *question));
            kept.queries.extend(held_out.map(|(_, measures)| measures));
        }
    }
    let collection = |((before, after), held_out): ((&Scores, &Scores), &Scores)| TunedCollection {
        before: before.mean(),
        after: after.mean(),
        held_out: (!folds.is_empty()).then(|| held_out.mean()),
    };
    let collections = before.iter().zip(&after).zip(&held_out).map(collection).collect();
    let gains = memory.gains(dials, &values, &after)?;
    Ok(Tuned { values, collections, gains, measured: memory.known.len() })
}

fn fold_count(settings: TuningSettings, collections: usize) -> Range<usize> {
    let count = match settings.folds {
        Folds::Questions(count) => count,
        Folds::Collections => collections,
    };
    if settings.rounds == 0 || count < 2 { 0..0 } else { 0..count }
}

/// Some of the questions, by collection and place.
struct Part<'p> {
    is_in: &'p dyn Fn(usize, usize) -> bool,
}

impl Part<'_> {
    /// The sum over its questions of a collection.
    fn sum(&self, collection: usize, scores: &Scores) -> Measures {
        let questions = scores.queries.iter().enumerate();
        let mine = questions.filter(|(question, _)| (self.is_in)(collection, *question));
        mine.fold(Measures::default(), |sum, (_, (_, measures))| sum.plus(*measures))
    }

    /// What some scores are worth in multiples of those of the start: nDCG@10 and MAP, in the mean of the collections.
    fn multiples(&self, scores: &[Scores], start: &[Scores]) -> (f64, f64) {
        let (mut sum, mut count) = ((0.0, 0.0), 0);
        for (collection, (scores, start)) in scores.iter().zip(start).enumerate() {
            let (now, then) = (self.sum(collection, scores), self.sum(collection, start));
            if then.ndcg_10 > 0.0 && then.map > 0.0 {
                sum = (sum.0 + now.ndcg_10 / then.ndcg_10, sum.1 + now.map / then.map);
                count += 1;
            }
        }
        let count = f64::from(count.max(1));
        (sum.0 / count, sum.1 / count)
    }
}

/// Measures each values once.
struct Memory<'m, E> {
    measure: &'m mut Measure<'m, E>,
    known: HashMap<Vec<u64>, Vec<Scores>>,
}

impl<E> Memory<'_, E> {
    fn scores(&mut self, values: &[f64]) -> Result<Vec<Scores>, E> {
        let key: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        if let Some(scores) = self.known.get(&key) {
            return Ok(scores.clone());
        }
        let scores = (self.measure)(values)?;
        self.known.insert(key, scores.clone());
        Ok(scores)
    }

    fn learn(
        &mut self,
        dials: &[Dial],
        start: &[f64],
        rounds: usize,
        before: &[Scores],
        part: &Part<'_>,
    ) -> Result<Vec<f64>, E> {
        ascend(dials, start.to_vec(), rounds, &mut |values| {
            let (ndcg_10, map) = part.multiples(&self.scores(values)?, before);
            Ok((ndcg_10 + map) / 2.0)
        })
    }

    /// What each dial gains against being off; those that make no difference are left out.
    fn gains(&mut self, dials: &[Dial], values: &[f64], scores: &[Scores]) -> Result<Vec<Gain>, E> {
        let mut gains = Vec::new();
        for (place, dial) in dials.iter().enumerate() {
            let mut without = values.to_vec();
            without[place] = dial.off;
            let without = self.scores(&without)?;
            if without != scores {
                let Dial { name, off, .. } = *dial;
                let rise = |(with, without): (&Scores, &Scores)| with.mean().rise_from(without.mean());
                let rises: Vec<Rise> = scores.iter().zip(&without).map(rise).collect();
                gains.push(Gain { name, off, value: values[place], rise: Rise::mean(&rises) });
            }
        }
        Ok(gains)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const DIALS: [Dial; 2] = [
        Dial { name: "slope", least: 0.0, most: 1.0, off: 0.0 },
        Dial { name: "unused", least: 0.0, most: 1.0, off: 0.0 },
    ];

    /// Two collections; of one, each third question is luck: it is best where no other is.
    fn scores(values: &[f64]) -> Result<Vec<Scores>, Infallible> {
        let question = |collection: usize, place: usize| {
            let best = if collection == 1 && place.is_multiple_of(3) { 0.0 } else { 0.6 };
            let worth = 0.9 - (values[0] - best).abs();
            (place.to_string(), Measures { map: worth, ndcg_10: worth, ..Measures::default() })
        };
        let collection = |collection: usize| Scores {
            queries: (0..12).map(|place| question(collection, place)).collect(),
            answered: 12,
        };
        Ok(vec![collection(0), collection(1)])
    }

    #[test]
    fn what_is_learned_is_measured_by_questions_that_were_not_there() {
        for folds in [Folds::Questions(4), Folds::Collections] {
            let settings = TuningSettings { rounds: 10, folds };
            let Ok(tuned) = tune(&DIALS, &[0.1, 0.5], settings, &mut scores);
            assert!((tuned.values[0] - 0.6).abs() < 0.03 && tuned.values[1] == 0.5, "{:?}", tuned.values);
            let [first, second] = tuned.collections[..] else { panic!("two collections") };
            assert!(first.after.map > first.before.map && second.after.map > second.before.map);
            assert!((first.held_out.unwrap().map - first.after.map).abs() < 0.03);
            let names: Vec<&str> = tuned.gains.iter().map(|gain| gain.name).collect();
            assert_eq!(names, ["slope"], "what makes no difference is left out");
            let Rise { ndcg_10, map } = tuned.gains[0].rise;
            assert!(map.unwrap() > 0.1 && ndcg_10.unwrap() > 0.1);
        }
    }

    #[test]
    fn what_is_luck_is_not_there_when_it_is_held_out() {
        // Question 0 of each fold of two wants the opposite of question 1.
        let mut luck = |values: &[f64]| {
            let question = |place: usize| {
                let best = if place.is_multiple_of(2) { 1.0 } else { 0.0 };
                let map = 1.1 - (values[0] - best).abs();
                (place.to_string(), Measures { map, ndcg_10: map, ..Measures::default() })
            };
            Ok::<_, Infallible>(vec![Scores { queries: (0..4).map(question).collect(), answered: 4 }])
        };
        let settings = TuningSettings { rounds: 10, folds: Folds::Questions(2) };
        let Ok(tuned) = tune(&DIALS[..1], &[0.5], settings, &mut luck);
        let held_out = tuned.collections[0].held_out.unwrap();
        assert!(held_out.map < 0.2, "{held_out:?}");
    }

    #[test]
    fn without_a_signal_that_is_worth_everything_nothing_is_a_share() {
        let mut words = |values: &[f64]| {
            let measures = Measures { map: values[0], ndcg_10: values[0], ..Measures::default() };
            Ok::<_, Infallible>(vec![Scores { queries: vec![("1".to_owned(), measures)], answered: 1 }])
        };
        let settings = TuningSettings { rounds: 0, folds: Folds::Questions(0) };
        let Ok(tuned) = tune(&DIALS[..1], &[0.5], settings, &mut words);
        assert_eq!(tuned.gains[0].rise, Rise { ndcg_10: None, map: None });
        assert!(!tuned.table(&["small".to_owned()]).contains("-100"), "{}", tuned.table(&[]));
    }

    #[test]
    fn without_rounds_what_is_there_is_measured() {
        let settings = TuningSettings { rounds: 0, folds: Folds::Questions(5) };
        let Ok(tuned) = tune(&DIALS, &[0.6, 0.0], settings, &mut scores);
        assert_eq!((tuned.values, tuned.measured), (vec![0.6, 0.0], 2));
        assert!(tuned.collections[0].held_out.is_none());
    }
}
