//! The best documents in which words follow each other: an intersection that reads positions last.
//!
//! Like [`super::all_words`], with the least instead of the sum: a phrase says no more in a document than any one of its
//! words does. So as soon as it is known what the best have, every word of its own has to reach it. The rarest word leads:
//! windows of documents in which some word does not reach it are passed over, and of the others only the documents in which
//! the leader reaches it are looked up in the other lists, where the same is asked of their counts. Positions are read of
//! what remains.
//!
//! Cost: a nanosecond for each document of the rarest word, and positions of the few that may be among the best.

use page::DocId;

use super::Collector;
use super::windows::{Together, Walk, Windows};
use crate::Error;
use crate::operators::{Phrase, PhraseLead};
use crate::points::Points;
use crate::top::Scored;

/// Offers every document that has the phrase and may come among the best; its rarest word is given apart.
pub(crate) fn walk(
    lead: PhraseLead<'_>,
    phrase: Phrase<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let windows = Windows::new(phrase.words(), Together::Least, collector, |word, shift, windows| {
        phrase.raise_windows(word, shift, windows);
    });
    windows.walk(&mut Alone { lead, phrase, collector, candidates: Vec::new() }, true)
}

/// A phrase, and where what is found goes.
struct Alone<'w, 'i, 'c> {
    lead: PhraseLead<'i>,
    phrase: Phrase<'i>,
    collector: &'w mut Collector<'c>,
    candidates: Vec<DocId>,
}

impl Walk for Alone<'_, '_, '_> {
    fn must_stop(&self) -> bool {
        self.collector.must_stop()
    }

    fn least(&self, from: DocId) -> Option<Points> {
        self.collector.least(true, from)
    }

    fn reach(&mut self, from: DocId) -> DocId {
        self.lead.block_end(from)
    }

    fn look_into(&mut self, windows: &Windows, first: DocId, last: DocId) -> Result<(), Error> {
        let Some(least) = self.least(first) else { return Ok(()) };
        let of_rank = self.collector.rank_bound(first, last);
        let candidates = &mut self.candidates;
        candidates.clear();
        self.lead.give_to(first, last, of_rank.missing_to(least), |doc| candidates.push(doc));
        for place in 0..self.candidates.len() {
            let doc = self.candidates[place];
            let worth = windows.worth(windows.window_of(doc));
            let Some(least) = self.least(doc).filter(|_| !self.must_stop()) else { break };
            let of_rank = self.collector.rank(doc);
            if worth > Points::ZERO
                && worth >= least
                && let Some(points) = self.phrase.look_at(doc, of_rank.missing_to(least))?
            {
                self.collector.offer(Scored { has_all: true, points: points + of_rank, doc })?;
            }
        }
        Ok(())
    }

    fn rewind(&mut self) {
        self.lead.rewind();
        self.phrase.rewind();
    }
}
