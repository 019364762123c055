//! The order of documents by recursive graph bisection: documents that have many words in common get numbers that are near.
//!
//! Documents and terms are a bipartite graph. The documents are cut into two halves, and pairs of them are exchanged as long
//! as that lowers what the gaps of all lists would take: a term with d of the n documents of a half takes d·log₂(n/(d+1))
//! bits there. Then each half is cut likewise, down to a few documents, which stay in the order in which they came.
//!
//! How much moving a document lowers the sum is added up from its terms; what moving one that has a term is worth is
//! computed once for each term and round, as there are far fewer of them than postings. Lists of a few documents, and of
//! more than half of them, say little and are left out; where documents are long, so are the next longer ones.
//!
//! Cost: twenty rounds over the postings for each of log₂(documents/16) levels at most, far fewer where little moves. Memory
//! is 4 bytes for each posting that is made use of, half a kilobyte for each document at most, and 16 bytes for each of their
//! terms and each thread; it is not taken from the budget of a build, so that what comes out depends neither on that nor on
//! the threads.
//!
//! After Dhulipala, Kabiljo, Karrer, Ottaviano, Pupyrev, Shalita, "Compressing Graphs and Indexes with Recursive Graph
//! Bisection" (2016); that gains are computed by terms is ours.

use std::ops::Range;

use crate::Error;
use crate::list_sink::{ListHead, ListSink};
use crate::merge::Inverted;
use crate::postings::Posting;
use crate::stems::is_stem_key;

/// So many documents are not cut any further.
const LEAF: usize = 16;

/// So often documents of two halves are exchanged at most.
const ROUNDS: u32 = 20;

/// Shorter lists have nothing to gain.
const LIST_MIN: u64 = 4;

/// So many terms of a document are made use of in the mean; beyond that the shortest lists are left out.
const TERMS_MAX: u64 = 128;

/// The order of so many documents whose lists these are.
pub(crate) fn order(
    inverted: &Inverted,
    documents: usize,
    threads: usize,
    buffer_bytes: usize,
) -> Result<Vec<u32>, Error> {
    let forward = Forward::of(inverted, documents, buffer_bytes)?;
    let mut order: Vec<u32> = (0..documents as u32).collect();
    forward.bisect(&mut order, threads);
    Ok(order)
}

/// The terms of each document.
struct Forward {
    /// Where the terms of each document begin, and where those of the last end.
    starts: Vec<usize>,
    terms: Vec<u32>,
    term_count: usize,
}

impl Forward {
    fn of(inverted: &Inverted, documents: usize, buffer_bytes: usize) -> Result<Self, Error> {
        let lengths = |min: u64| min..(documents as u64 / 2).max(min) + 1;
        let mut postings = PostingsByLength::default();
        inverted.merge(&[], None, buffer_bytes, &mut postings)?;
        let mut min = LIST_MIN;
        while postings.of(lengths(min)) > documents as u64 * TERMS_MAX {
            min *= 2;
        }
        let mut counted = Counted { lengths: lengths(min), starts: vec![0; documents + 1] };
        inverted.merge(&[], None, buffer_bytes, &mut counted)?;
        let mut filled = Filled::new(counted);
        inverted.merge(&[], None, buffer_bytes, &mut filled)?;
        Ok(filled.forward)
    }

    fn terms(&self, document: u32) -> &[u32] {
        &self.terms[self.starts[document as usize]..self.starts[document as usize + 1]]
    }

    /// Brings documents into their order, with so many threads.
    fn bisect(&self, documents: &mut [u32], threads: usize) {
        let mut halves = Halves::new(self.term_count);
        self.bisect_with(documents, threads, &mut halves);
    }

    fn bisect_with(&self, documents: &mut [u32], threads: usize, halves: &mut Halves) {
        if documents.len() <= LEAF {
            documents.sort_unstable();
            return;
        }
        halves.exchange(self, documents);
        let (left, right) = documents.split_at_mut(documents.len() / 2);
        if threads < 2 {
            self.bisect_with(left, 1, halves);
            return self.bisect_with(right, 1, halves);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| self.bisect(left, threads / 2));
            self.bisect_with(right, threads - threads / 2, halves);
        });
    }
}

/// How many postings lists have whose lengths are between powers of two.
#[derive(Default)]
struct PostingsByLength([u64; 32]);

impl PostingsByLength {
    /// Those of lists of these lengths, and perhaps of some more.
    fn of(&self, lengths: Range<u64>) -> u64 {
        let bin = |length: u64| length.max(1).ilog2().min(31) as usize;
        self.0[bin(lengths.start)..=bin(lengths.end)].iter().sum()
    }
}

impl ListSink for PostingsByLength {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        if !is_stem_key(head.term) {
            self.0[head.documents.max(1).ilog2().min(31) as usize] += head.documents;
        }
        Ok(false)
    }

    fn add(&mut self, _posting: &Posting) -> Result<(), Error> {
        Ok(())
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

/// How many of the terms that are made use of each document has.
struct Counted {
    lengths: Range<u64>,
    /// In the place behind the document's own.
    starts: Vec<usize>,
}

/// Whether a list is made use of. Stems say what their words say.
fn is_of_use(head: &ListHead<'_>, lengths: &Range<u64>) -> bool {
    !is_stem_key(head.term) && lengths.contains(&head.documents)
}

impl ListSink for Counted {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        Ok(is_of_use(head, &self.lengths))
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        self.starts[posting.document as usize + 1] += 1;
        Ok(())
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        Ok(())
    }
}

/// The terms of each document, as far as they have come.
struct Filled {
    lengths: Range<u64>,
    forward: Forward,
    /// Where the next term of each document belongs.
    next: Vec<usize>,
}

impl Filled {
    fn new(Counted { lengths, mut starts }: Counted) -> Self {
        for document in 1..starts.len() {
            starts[document] += starts[document - 1];
        }
        let terms = vec![0; starts.last().copied().unwrap_or(0)];
        Self { lengths, next: starts.clone(), forward: Forward { starts, terms, term_count: 0 } }
    }
}

impl ListSink for Filled {
    fn start_list(&mut self, head: &ListHead<'_>) -> Result<bool, Error> {
        Ok(is_of_use(head, &self.lengths))
    }

    fn add(&mut self, posting: &Posting) -> Result<(), Error> {
        let next = &mut self.next[posting.document as usize];
        self.forward.terms[*next] = self.forward.term_count as u32;
        *next += 1;
        Ok(())
    }

    fn end_list(&mut self, _term: &[u8]) -> Result<(), Error> {
        self.forward.term_count += 1;
        Ok(())
    }
}

/// What is known of a term in two halves.
#[derive(Clone, Copy, Default)]
struct InHalves {
    left: u32,
    right: u32,
    /// What it is worth to move a document that has it from the left to the right, and back.
    from_left: f32,
    from_right: f32,
}

/// Two halves of some documents; used for one pair after the other.
struct Halves {
    terms: Vec<InHalves>,
    /// The terms that some of the documents have.
    met: Vec<u32>,
    gains: Vec<(f32, u32)>,
}

impl Halves {
    fn new(terms: usize) -> Self {
        Self { terms: vec![InHalves::default(); terms], met: Vec::new(), gains: Vec::new() }
    }

    /// Exchanges documents between the halves of these as long as that is worth it.
    fn exchange(&mut self, forward: &Forward, documents: &mut [u32]) {
        let (left, right) = documents.split_at_mut(documents.len() / 2);
        self.count(forward, left, right);
        for _ in 0..ROUNDS {
            self.value_terms(left.len(), right.len());
            self.sort_by_gain(forward, left, |term| term.from_left);
            let gains: Vec<f32> = self.gains.iter().map(|&(gain, _)| gain).collect();
            self.sort_by_gain(forward, right, |term| term.from_right);
            let pairs = gains.iter().zip(&self.gains);
            let worth = pairs.take_while(|(left, (right, _))| **left + right > 0.0).count();
            for (one, other) in left[..worth].iter_mut().zip(&mut right[..worth]) {
                self.cross(forward, *one, *other);
                std::mem::swap(one, other);
            }
            // What so few would still bring is not worth the rounds.
            if worth * 1000 <= left.len() {
                break;
            }
        }
        for term in self.met.drain(..) {
            self.terms[term as usize] = InHalves::default();
        }
    }

    fn count(&mut self, forward: &Forward, left: &[u32], right: &[u32]) {
        for (half, is_left) in [(left, true), (right, false)] {
            for &term in half.iter().flat_map(|&document| forward.terms(document)) {
                let counts = &mut self.terms[term as usize];
                if counts.left + counts.right == 0 {
                    self.met.push(term);
                }
                *(if is_left { &mut counts.left } else { &mut counts.right }) += 1;
            }
        }
    }

    fn value_terms(&mut self, left: usize, right: usize) {
        let bits = |documents: u32, half: f32| documents as f32 * (half / (documents + 1) as f32).log2();
        let (of_left, of_right) = (left as f32, right as f32);
        for &term in &self.met {
            let counts = &mut self.terms[term as usize];
            let (left, right) = (counts.left, counts.right);
            let now = bits(left, of_left) + bits(right, of_right);
            let moved = |left: u32, right: u32| now - bits(left, of_left) - bits(right, of_right);
            counts.from_left = if left > 0 { moved(left - 1, right + 1) } else { 0.0 };
            counts.from_right = if right > 0 { moved(left + 1, right - 1) } else { 0.0 };
        }
    }

    /// Sorts documents such that those come first which it is worth most to move; how much is in `gains` then.
    fn sort_by_gain(&mut self, forward: &Forward, half: &mut [u32], gain: impl Fn(&InHalves) -> f32) {
        let Self { terms, gains, .. } = self;
        let of = |document: u32| {
            forward.terms(document).iter().map(|&term| gain(&terms[term as usize])).sum::<f32>()
        };
        gains.clear();
        gains.extend(half.iter().map(|&document| (of(document), document)));
        gains.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        for (place, &(_, document)) in half.iter_mut().zip(&*gains) {
            *place = document;
        }
    }

    /// A document goes from the left to the right and another one back.
    fn cross(&mut self, forward: &Forward, from_left: u32, from_right: u32) {
        for &term in forward.terms(from_left) {
            let counts = &mut self.terms[term as usize];
            counts.left -= 1;
            counts.right += 1;
        }
        for &term in forward.terms(from_right) {
            let counts = &mut self.terms[term as usize];
            counts.left += 1;
            counts.right -= 1;
        }
    }
}
