//! Pages like one that is known: the nearest in the space, whatever words they share.
//!
//! Every document is looked at, a product of two hundred small numbers each: 200,000 documents take some ten milliseconds.
//! Of copies one is shown, and none of the page itself.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::time::Instant;

use page::{DocId, PageKey};

use crate::answer::{Answer, PageReader, SearchResult};
use crate::count::TotalIs;
use crate::reader::ReaderLanguages;
use crate::reading::InText;

use crate::{Searcher, Wanted};

/// A page whose cosine is smaller is about something else.
pub const RELATED_LEAST: f32 = 0.3;

/// A document and how near it is; greater is nearer, then the smaller number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Near {
    cosine: f32,
    doc: DocId,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.cosine.total_cmp(&other.cosine).then(other.doc.cmp(&self.doc))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Searcher {
    /// The pages that speak of the same as the one with this key, the nearest first; `None` if nothing is known of it: it is
    /// not in the index, its collection has no space, or its words say nothing.
    pub fn related(&self, key: PageKey, count: usize, pages: &dyn PageReader) -> Option<Answer> {
        let started = Instant::now();
        let of = self.index.find_key(key)?;
        let near = self.nearest(of, count)?;
        let query = pages.read_beginning(key, 0)?.url;
        let nothing = Wanted::of_terms(Vec::new(), self.index.analyzer());
        let mut results = Vec::new();
        for (rank, Near { cosine, doc }) in (1..).zip(&near) {
            let key = self.index.doc_key(*doc);
            let Some(shown) = SearchResult::read(pages, key, &nothing, InText::NOTHING, rank) else {
                continue;
            };
            let group = self.copies.group_of(*doc).map(|group| self.copies.members(group).len() as u64);
            results.push(SearchResult {
                score: f64::from(*cosine),
                similar: group.unwrap_or(1) - 1,
                ..shown
            });
        }
        Some(Answer {
            query,
            total: near.len() as u64,
            total_is: TotalIs::AtLeast,
            with_all_words: near.len() as u64,
            took_us: started.elapsed().as_micros().try_into().unwrap_or(u64::MAX),
            unreadable: (near.len() - results.len()) as u64,
            results,
            ..Answer::default()
        })
    }

    /// The documents nearest to one, of each group of copies the one that stands for it.
    fn nearest(&self, of: DocId, count: usize) -> Option<Vec<Near>> {
        let (space, start) = self.spaces.with_start(of)?;
        let meaning = space.meaning_of_document(of.get() - start.get())?;
        let own = self.copies.group_of(of);
        // Of a group all members are near: enough are kept that others are left when one stands for each.
        let kept = (count + 1).saturating_mul(COPIES_PASSED);
        let mut heap = BinaryHeap::with_capacity(kept + 1);
        for (number, cosine) in space.cosines(&meaning, 0..space.documents()) {
            let near = Near { cosine, doc: DocId::new(start.get() + number) };
            if cosine < RELATED_LEAST
                || heap.len() == kept && heap.peek().is_some_and(|least: &Reverse<Near>| near < least.0)
            {
                continue;
            }
            if near.doc != of && !self.index.is_dead(near.doc) {
                heap.push(Reverse(near));
                if heap.len() > kept {
                    heap.pop();
                }
            }
        }
        let mut groups = HashSet::new();
        let sorted = heap.into_sorted_vec().into_iter().map(|Reverse(near)| near);
        let shown = sorted.filter_map(|near| match self.copies.group_of(near.doc) {
            None => Some(near),
            group if group == own || !groups.insert(group) => None,
            Some(group) => {
                Some(Near { doc: self.copies.canonical(group, &ReaderLanguages::default()), ..near })
            }
        });
        Some(shown.take(count).collect())
    }
}

/// So many times as many as are wanted are looked at, as some are copies.
const COPIES_PASSED: usize = 20;
