//! The steps by which an intersection becomes quick (notes, section 5.1), one after the other, and a union by a heap.
//!
//! Lists are walked document by document, nothing is scored, and everything is found; what the walks of a search add, bounds
//! above all, comes on top. All of an intersection find the same:
//!
//! - *heap*: a queue has the list that is on the first document on top, a variable knows the last; where both are the same all
//!   lists are on it. The top goes on to the next document.
//! - *aligning*: the same, and the top jumps to the last document instead.
//! - *cascade*: no queue; the first list goes on, every other one in turn is aligned with it, and the first that jumps beyond
//!   sends the first list there.
//! - *rarest first*: the same, with the lists in order of how many documents they have.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use ::index::{Index, PostingsCursor, TermEntry};
use page::DocId;

use crate::index::{Corpus, Queries};
use crate::{Error, Row};

/// Walks lists to their end, and says how many documents it has found.
type Walk = fn(Vec<PostingsCursor<'_>>) -> u64;

const INTERSECTIONS: [(&str, Walk); 4] =
    [("heap", by_heap), ("aligning", by_aligning), ("cascade", by_cascade), ("rarest first", rarest_first)];

/// What each step takes beside the one before, and a union by a heap.
pub(super) fn rows(
    corpus: &Corpus,
    queries: &Queries,
    index: &Index,
    passes: u32,
) -> Result<Vec<Row>, Error> {
    let mut asked: Vec<Vec<TermEntry>> = Vec::with_capacity(queries.words.len());
    for words in &queries.words {
        let entries = words.iter().map(|word| index.term(word)).collect::<Result<Option<Vec<_>>, _>>()?;
        asked.extend(entries);
    }
    let name = |what: &str| format!("{}: {what}, all documents, mean", corpus.name);
    let mut rows = Vec::new();
    let mut before: Option<(&'static str, f64)> = None;
    for (step, walk) in INTERSECTIONS {
        let mean = mean(&asked, index, passes, walk);
        let name = name(&format!("all words by {step}"));
        rows.push(match before {
            Some((of, taken)) => Row::new(name, "µs", mean, of, Ok(taken), None),
            None => Row::informative(name, "µs", mean),
        });
        before = Some((step, mean));
    }
    let union = mean(&asked, index, passes, union_by_heap);
    rows.push(Row::informative(name("any word by heap"), "µs", union));
    Ok(rows)
}

/// Microseconds of a query in the mean, each by its best pass.
fn mean(asked: &[Vec<TermEntry>], index: &Index, passes: u32, walk: Walk) -> f64 {
    let once = |entries: &Vec<TermEntry>| {
        let started = Instant::now();
        std::hint::black_box(walk(entries.iter().map(|entry| index.cursor(entry)).collect()));
        started.elapsed().as_secs_f64() * 1e6
    };
    let best = |entries| (0..passes.max(1)).map(|_| once(entries)).fold(f64::INFINITY, f64::min);
    asked.iter().map(best).sum::<f64>() / asked.len().max(1) as f64
}

/// The lists by the documents on which they are, the first on top.
fn queue(lists: &[PostingsCursor<'_>]) -> BinaryHeap<Reverse<(DocId, usize)>> {
    lists.iter().enumerate().map(|(number, list)| Reverse((list.doc(), number))).collect()
}

fn by_heap(lists: Vec<PostingsCursor<'_>>) -> u64 {
    intersect_by_queue(lists, |list, _| list.next())
}

fn by_aligning(lists: Vec<PostingsCursor<'_>>) -> u64 {
    intersect_by_queue(lists, |list, last| if list.doc() < last { list.advance(last) } else { list.next() })
}

/// `go_on` moves a list that is on the first document, where this is the last.
fn intersect_by_queue(
    mut lists: Vec<PostingsCursor<'_>>,
    go_on: impl Fn(&mut PostingsCursor<'_>, DocId) -> DocId,
) -> u64 {
    let (mut queue, mut found) = (queue(&lists), 0);
    let mut last = lists.iter().map(PostingsCursor::doc).max().unwrap_or(DocId::END);
    while let Some(mut top) = queue.peek_mut().filter(|_| last != DocId::END) {
        let Reverse((first, number)) = *top;
        found += u64::from(first == last);
        let doc = go_on(&mut lists[number], last);
        last = last.max(doc);
        *top = Reverse((doc, number));
    }
    found
}

fn by_cascade(mut lists: Vec<PostingsCursor<'_>>) -> u64 {
    let Some((first, others)) = lists.split_first_mut() else { return 0 };
    let (mut doc, mut found) = (first.doc(), 0);
    while doc != DocId::END {
        let beyond = others.iter_mut().map(|list| list.advance(doc)).find(|&on| on > doc);
        found += u64::from(beyond.is_none());
        doc = match beyond {
            Some(beyond) => first.advance(beyond),
            None => first.next(),
        };
    }
    found
}

fn rarest_first(mut lists: Vec<PostingsCursor<'_>>) -> u64 {
    lists.sort_by_key(PostingsCursor::document_frequency);
    by_cascade(lists)
}

fn union_by_heap(mut lists: Vec<PostingsCursor<'_>>) -> u64 {
    let (mut queue, mut found, mut before) = (queue(&lists), 0, None);
    while let Some(mut top) = queue.peek_mut() {
        let Reverse((doc, number)) = *top;
        if doc == DocId::END {
            break;
        }
        found += u64::from(before.replace(doc) != Some(doc));
        *top = Reverse((lists[number].next(), number));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ::index::Codecs;

    use super::*;
    use crate::index::build_index;

    #[test]
    fn every_step_finds_what_sets_do() {
        let words = ["a", "b", "c", "d"];
        let has = |number: u32, word: usize| number.is_multiple_of([2, 3, 5, 1][word]) && number > 0;
        let text =
            |number| (0..4).filter(|word| has(number, *word)).map(|word| words[word]).collect::<Vec<_>>();
        let texts = (1..3000).map(|number| text(number).join(" "));
        let folder = tempfile::tempdir().unwrap();
        build_index(&Corpus::of_texts("steps", texts), folder.path(), Codecs::default()).unwrap();
        let index = Index::open(folder.path()).unwrap();
        for asked in [&[0, 1][..], &[1, 0, 2], &[3, 2], &[2, 2], &[0, 1, 2, 3], &[1]] {
            let sets = asked.iter().map(|&word| (1..3000).filter(|&number| has(number, word)).collect());
            let sets: Vec<BTreeSet<u32>> = sets.collect();
            let all = sets.iter().skip(1).fold(sets[0].clone(), |all, set| &all & set).len() as u64;
            let any = sets.iter().fold(BTreeSet::new(), |any, set| &any | set).len() as u64;
            let lists = || {
                asked.iter().map(|&word| index.cursor(&index.term(words[word]).unwrap().unwrap())).collect()
            };
            for (step, walk) in INTERSECTIONS {
                assert_eq!(walk(lists()), all, "{step} of {asked:?}");
            }
            assert_eq!(union_by_heap(lists()), any, "{asked:?}");
        }
    }
}
