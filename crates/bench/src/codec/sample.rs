//! The lists that codecs are tried on, and what each codec makes of them.

use std::hint::black_box;

use ::index::{CodecName, CodedList};

use super::Entropy;
use crate::clock::timed;
use crate::index::Inverted;

/// Longer inputs tell nothing more: every so many-th list is left out.
const POSTINGS_MAX: u64 = 4_000_000;
/// Lists whose skips are measured have at least so many documents.
const LONG: usize = 2048;
const SKIPS: usize = 200;
const PASSES: usize = 3;

/// Documents, counts and positions of words.
#[derive(Debug)]
pub struct Sample {
    documents_all: u32,
    documents: Vec<Vec<u32>>,
    counts: Vec<Vec<u32>>,
    steps: Vec<Vec<u32>>,
    /// How many postings there are.
    pub postings: u64,
    /// How many positions there are.
    pub positions: u64,
    /// Of the gaps between documents.
    pub document_entropy: Entropy,
    /// Of counts − 1.
    pub count_entropy: Entropy,
    /// Of the gaps between positions.
    pub position_entropy: Entropy,
    /// What counts would take in unary.
    pub unary_count_bits: f64,
}

/// What a codec makes of it.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Bits for each document.
    pub document_bits: f64,
    /// Bits for each count.
    pub count_bits: f64,
    /// Bits for each position.
    pub position_bits: f64,
    /// CPU nanoseconds to read a document, of whole lists.
    pub document_ns: f64,
    /// CPU nanoseconds to find a document somewhere in a long list, if there is one.
    pub skip_ns: Option<f64>,
}

impl Sample {
    /// Takes lists of words, all of them or evenly so many that they stay within the limit.
    pub fn of(inverted: &Inverted<'_>) -> Self {
        let every = inverted.postings().div_ceil(POSTINGS_MAX).max(1) as usize;
        let (mut documents, mut counts, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        for word in (0..inverted.words.len()).step_by(every) {
            let list = inverted.list(word).chunk_by(|a, b| a.document == b.document);
            documents.push(list.clone().map(|document| document[0].document).collect::<Vec<u32>>());
            counts.push(list.clone().map(|document| document.len() as u32 - 1).collect::<Vec<u32>>());
            steps.push(
                list.flat_map(|document| gaps(document.iter().map(|at| at.position))).collect::<Vec<u32>>(),
            );
        }
        let all = |lists: &[Vec<u32>]| lists.iter().map(|list| list.len() as u64).sum::<u64>();
        let (postings, positions) = (all(&documents), all(&steps));
        let unary: u64 = counts.iter().flatten().map(|&count| u64::from(count) + 1).sum();
        Self {
            documents_all: inverted.documents,
            document_entropy: Entropy::of(documents.iter().flat_map(|list| gaps(list.iter().copied()))),
            count_entropy: Entropy::of(counts.iter().flatten().copied()),
            position_entropy: Entropy::of(steps.iter().flatten().copied()),
            unary_count_bits: unary as f64 / postings as f64,
            documents,
            counts,
            steps,
            postings,
            positions,
        }
    }

    /// How many lists there are.
    pub fn lists(&self) -> usize {
        self.documents.len()
    }

    /// Writes and reads everything with a codec.
    pub fn measure(&self, codec: CodecName) -> Measured {
        let per = |lists: &[CodedList], count: u64| {
            lists.iter().map(CodedList::bits).sum::<u64>() as f64 / count as f64
        };
        let numbers = |lists: &[Vec<u32>]| -> Vec<CodedList> {
            lists.iter().map(|list| CodedList::of_numbers(codec, list)).collect()
        };
        let documents: Vec<CodedList> = self
            .documents
            .iter()
            .map(|list| CodedList::of_documents(codec, list, self.documents_all))
            .collect();
        Measured {
            document_bits: per(&documents, self.postings),
            count_bits: per(&numbers(&self.counts), self.postings),
            position_bits: per(&numbers(&self.steps), self.positions),
            document_ns: best(|| documents.iter().for_each(|list| list.read(|block| _ = black_box(block))))
                / self.postings as f64,
            skip_ns: self.skip_ns(&documents),
        }
    }

    fn skip_ns(&self, lists: &[CodedList]) -> Option<f64> {
        let is_long = |(list, _): &(&Vec<u32>, &CodedList)| list.len() >= LONG;
        let long: Vec<&CodedList> =
            self.documents.iter().zip(lists).filter(is_long).map(|(_, coded)| coded).collect();
        // Targets all over the list, in an order that no processor foresees.
        let target = |skip: usize| (skip as u64 * 2_654_435_761 % u64::from(self.documents_all)) as u32;
        let all = || {
            for list in &long {
                (0..SKIPS).for_each(|skip| _ = black_box(list.find(target(skip))));
            }
        };
        (!long.is_empty()).then(|| best(all) / (SKIPS * long.len()) as f64)
    }
}

fn best(mut work: impl FnMut()) -> f64 {
    (0..PASSES).map(|_| timed(&mut work).1).fold(f64::INFINITY, f64::min)
}

/// How far each value is from the first that was possible.
fn gaps(values: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut next_possible = 0;
    values.map(move |value| {
        let gap = value - next_possible;
        next_possible = value + 1;
        gap
    })
}
