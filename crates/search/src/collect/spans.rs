//! Where to look first.
//!
//! A walk can pass over more the sooner it knows good documents, and good documents are likely where the rarest word is
//! strongest, which the index knows. So a long walk begins with the strongest blocks of that word, and then goes through what
//! is left, in order. What is found does not depend on it: every span is walked once, and ties are decided by the documents.

use std::ops::Range;

use page::DocId;

use crate::operators::Term;

/// So many blocks come first; of fewer than four times as many none does.
const FIRST_BLOCKS: usize = 4;

/// Documents from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: DocId,
    pub(crate) last: DocId,
}

/// Where a word is strongest, in the order of the documents, as far as that is among these; nowhere if it is in few.
pub(crate) fn strongest(word: &Term<'_>, among: &Range<DocId>) -> Vec<Span> {
    let blocks = word.strongest_blocks(FIRST_BLOCKS);
    let spans = blocks.into_iter().map(|(first, last)| Span { first, last });
    let mut spans: Vec<Span> =
        spans.filter(|span| among.start <= span.first && span.last < among.end).collect();
    spans.sort_by_key(|span| span.first);
    spans
}

/// All of these documents that are in none of some spans of them, which are in order and have nothing in common.
pub(crate) fn all_but(spans: &[Span], among: &Range<DocId>) -> Vec<Span> {
    let (mut left, mut first) = (Vec::with_capacity(spans.len() + 1), among.start.get());
    let behind_all = Span { first: among.end, last: among.end };
    for span in spans.iter().chain([&behind_all]) {
        if span.first.get() > first {
            left.push(Span { first: DocId::new(first), last: DocId::new(span.first.get() - 1) });
        }
        first = span.last.get().saturating_add(1);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span((first, last): (u32, u32)) -> Span {
        Span { first: DocId::new(first), last: DocId::new(last) }
    }

    #[test]
    fn what_is_left_of_all_documents() {
        type Spans = &'static [(u32, u32)];
        let rows: [(Spans, Range<u32>, Spans); 7] = [
            (&[], 0..10, &[(0, 9)]),
            (&[], 0..0, &[]),
            (&[], 4..10, &[(4, 9)]),
            (&[(0, 9)], 0..10, &[]),
            (&[(0, 2), (3, 4), (7, 8)], 0..10, &[(5, 6), (9, 9)]),
            (&[(2, 9)], 0..10, &[(0, 1)]),
            (&[(5, 6)], 4..10, &[(4, 4), (7, 9)]),
        ];
        for (spans, among, left) in rows {
            let among = DocId::new(among.start)..DocId::new(among.end);
            let spans: Vec<Span> = spans.iter().copied().map(span).collect();
            let left: Vec<Span> = left.iter().copied().map(span).collect();
            assert_eq!(all_but(&spans, &among), left);
        }
    }
}
