//! A collection with questions that people have judged: what is found for them, as a run.

use std::collections::HashMap;
use std::sync::Mutex;

use eval::{Dial, Judgements, Names, Questions, Run, Scores, Tuned, TuningSettings};
use page::PageKey;
use search::{AnswerRequest, CopiesView, KNOBS, Limits, Meanings, TotalWish, Weights};

use crate::{Error, Snapshot};

/// So many results are judged, as trec_eval does.
pub const DEPTH: usize = 1000;

/// What was found for the questions of a judged collection.
#[derive(Debug)]
pub struct JudgedRun {
    /// What was found.
    pub run: Run,
    /// How many questions have nothing that can be looked for.
    pub not_asked: u64,
}

/// A collection, what is asked of it, and which of its pages answer.
pub struct Judged {
    snapshot: Snapshot,
    questions: Questions,
    judgements: Judgements,
    /// What judgements call pages that were found before.
    known: Mutex<HashMap<PageKey, String>>,
}

impl Judged {
    /// A collection with its questions; those are asked that were judged.
    pub fn new(snapshot: Snapshot, questions: Questions, judgements: Judgements) -> Self {
        Self { snapshot, questions, judgements, known: Mutex::default() }
    }

    /// The judgements.
    pub fn judgements(&self) -> &Judgements {
        &self.judgements
    }

    /// Whether anything is known of what its pages mean.
    pub fn has_spaces(&self) -> bool {
        self.snapshot.has_spaces()
    }

    /// Asks every question that was judged, as it stands, for so many results as are judged. Judgements know nothing of copies,
    /// so whoever asks should show them.
    pub fn run(&self, request: &AnswerRequest) -> Result<JudgedRun, Error> {
        let names = Names::new(&self.judgements);
        let mut known = self.known.lock().expect("nobody panics with it");
        let limits = Limits { total: TotalWish::Free, ..request.limits };
        let request = AnswerRequest { count: DEPTH, limits, ..*request };
        let mut judged = JudgedRun { run: Run::default(), not_asked: 0 };
        for (id, text) in self.questions.0.iter().filter(|(id, _)| self.judgements.has(id)) {
            let hits = match self.snapshot.best(text, &request) {
                Ok(hits) => hits,
                Err(search::Error::Query(_)) => {
                    judged.not_asked += 1;
                    Vec::new()
                }
                Err(error) => return Err(error.into()),
            };
            let mut name = |key: PageKey| {
                let name = || names.of(&self.snapshot.url(key).unwrap_or_default());
                known.entry(key).or_insert_with(name).clone()
            };
            judged.run.add(id, hits.into_iter().map(|(key, score)| (name(key), score)));
        }
        if judged.run.is_empty() {
            return Err(eval::Error::NothingJudged.into());
        }
        Ok(judged)
    }

    /// What the answers are worth by some weights.
    fn scores(&mut self, weights: Weights) -> Result<Scores, Error> {
        self.snapshot.reweigh(weights);
        let (copies, meanings) = (CopiesView::Shown, Meanings::Off);
        let request = AnswerRequest { copies, meanings, ..AnswerRequest::default() };
        Ok(Scores::of(&self.run(&request)?.run, &self.judgements))
    }
}

/// Learns weights on judged collections, from some on; `each` is told of each weights that are measured.
pub fn tune_weights(
    collections: &mut [Judged],
    start: Weights,
    settings: TuningSettings,
    each: &mut dyn FnMut(),
) -> Result<(Weights, Tuned), Error> {
    let dial = |knob: &search::Knob| {
        let search::Knob { name, least, most, off, .. } = *knob;
        Dial { name, least, most, off }
    };
    let dials: Vec<Dial> = KNOBS.iter().map(dial).collect();
    let values: Vec<f64> = KNOBS.iter().map(|knob| knob.get(&start)).collect();
    let weights = |values: &[f64]| {
        KNOBS.iter().zip(values).fold(start, |weights, (knob, value)| knob.set(weights, *value))
    };
    let tuned = eval::tune(&dials, &values, settings, &mut |values| {
        each();
        measure_all(collections, weights(values))
    })?;
    Ok((weights(&tuned.values), tuned))
}

/// All collections at once.
fn measure_all(collections: &mut [Judged], weights: Weights) -> Result<Vec<Scores>, Error> {
    std::thread::scope(|scope| {
        let measuring: Vec<_> = collections
            .iter_mut()
            .map(|collection| scope.spawn(move || collection.scores(weights)))
            .collect();
        measuring.into_iter().map(|thread| thread.join().expect("a search does not panic")).collect()
    })
}
