//! A collection with questions that people have judged: what is found for them, as a run.

use std::collections::HashMap;

use eval::{Judgements, Names, Questions, Run};
use page::PageKey;
use search::CopiesView;

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

impl Snapshot {
    /// Asks every question that was judged, as it stands. Copies are shown unless `view` says otherwise: judgements know
    /// nothing of copies. `by_meaning`: what pages mean counts beside their words.
    pub fn run(
        &self,
        questions: &Questions,
        judgements: &Judgements,
        view: CopiesView,
        by_meaning: bool,
    ) -> Result<JudgedRun, Error> {
        let (names, mut known) = (Names::new(judgements), HashMap::<PageKey, String>::new());
        let mut judged = JudgedRun { run: Run::default(), not_asked: 0 };
        for (id, text) in questions.0.iter().filter(|(id, _)| judgements.has(id)) {
            let hits = match self.best(text, DEPTH, view, by_meaning) {
                Ok(hits) => hits,
                Err(search::Error::Query(_)) => {
                    judged.not_asked += 1;
                    Vec::new()
                }
                Err(error) => return Err(error.into()),
            };
            let mut name = |key: PageKey| {
                known.entry(key).or_insert_with(|| names.of(&self.url(key).unwrap_or_default())).clone()
            };
            judged.run.add(id, hits.into_iter().map(|(key, score)| (name(key), score)));
        }
        if judged.run.is_empty() {
            return Err(eval::Error::NothingJudged.into());
        }
        Ok(judged)
    }
}
