//! All pairs, exactly, with no sketch in between.
//!
//! Problem: all pairs of n sets whose Jaccard similarity is at least t. Method: a prefix filter. The shingles of each
//! set are put in one order for all, the rarest first. If two sets are similar enough, they have a shingle in common
//! among their first |A| - ceil(t |A|) + 1 ones: otherwise too few are left. So only these are indexed, and they are
//! rare. Sets are taken from the smallest to the largest, and one that is smaller than t times the other is passed
//! over. What is left is compared in full.
//!
//! With a threshold of 0 these are the pairs with any shingle in common. Memory: all sets, eight bytes per shingle,
//! and about as much again for counting and for the index.
//!
//! After Bayardo, Ma, Srikant, "Scaling Up All Pairs Similarity Search", 2007, and Chaudhuri, Ganti, Kaushik, "A
//! Primitive Operator for Similarity Joins in Data Cleaning", 2006.

use std::collections::HashMap;

use super::Work;
use super::pair::Pair;
use super::reports::{Checks, Stage, Watcher};
use crate::execution::in_order;
use crate::{Documents, Error, Shingler, jaccard, make_set};

/// Sets that a thread takes at a time.
const BATCH: usize = 64;

/// Shows all copies among documents that are the first of their kind.
pub(crate) fn exhaustive_copies(
    work: &Work<'_>,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
    see: &mut dyn FnMut(Pair, f64) -> Result<(), Error>,
) -> Result<Checks, Error> {
    let mut checks = Checks::default();
    let sets = read_sets(work, documents, watcher, &mut checks)?;
    let threshold = work.config.threshold;
    let prefixes = Prefixes::new(&sets, threshold);
    let total = sets.len() as u64;
    let mut done = 0;
    in_order(
        work.threads(),
        (0..sets.len()).step_by(BATCH).map(|first| first..sets.len().min(first + BATCH)),
        || Seen { last: vec![usize::MAX; sets.len()] },
        |seen, batch| {
            let mut found = Vec::new();
            let mut checks = Checks::default();
            for right in batch.clone() {
                prefixes.candidates(right, &sets, threshold, seen, |left| {
                    checks.candidates += 1;
                    checks.verified += 1;
                    let similarity = jaccard(&sets[left].1, &sets[right].1);
                    if similarity >= threshold {
                        checks.copies += 1;
                        found.push((Pair::new(sets[left].0, sets[right].0), similarity));
                    }
                });
            }
            (found, checks, batch.len())
        },
        |(found, batch_checks, sets_done)| {
            checks += batch_checks;
            done += sets_done as u64;
            watcher.progress(Stage::Verifying, done, total);
            found.into_iter().try_for_each(|(pair, similarity)| see(pair, similarity))
        },
    )?;
    Ok(checks)
}

/// All sets with their documents, the smallest first.
fn read_sets(
    work: &Work<'_>,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
    checks: &mut Checks,
) -> Result<Vec<(u32, Vec<u64>)>, Error> {
    let firsts: Vec<u32> =
        (0..documents.count()).filter(|document| work.copies.is_first(*document)).collect();
    let mut sets: Vec<(u32, Vec<u64>)> = Vec::with_capacity(firsts.len());
    in_order(
        work.threads(),
        firsts.chunks(BATCH),
        || (documents.reader(), Shingler::new(work.config.shingling, work.config.text), Vec::new()),
        |(reader, shingler, text), batch| {
            let mut unreadable = Vec::new();
            let read = |&document: &u32| {
                // It was readable when it was sketched. If it is no longer, it is a copy of nothing.
                if let Err(why) = reader.read(document, text) {
                    text.clear();
                    unreadable.push((document, why));
                }
                let mut set = Vec::new();
                shingler.shingle(text, &mut set);
                make_set(&mut set);
                set.shrink_to_fit();
                (document, set)
            };
            let sets = batch.iter().map(read).collect::<Vec<_>>();
            (sets, unreadable)
        },
        |(batch, unreadable)| {
            sets.extend(batch);
            checks.unreadable += unreadable.len() as u64;
            unreadable.iter().for_each(|(document, why)| watcher.unreadable(*document, why));
            watcher.progress(Stage::Sorting, sets.len() as u64, firsts.len() as u64);
            Ok::<(), Error>(())
        },
    )?;
    sets.sort_by_key(|(document, set)| (set.len(), *document));
    Ok(sets)
}

/// Which candidates a set has met already.
struct Seen {
    last: Vec<usize>,
}

/// The rarest shingles of each set, and the sets that have them among their rarest.
struct Prefixes {
    prefixes: Vec<Vec<u64>>,
    sets_of: HashMap<u64, Vec<u32>>,
}

impl Prefixes {
    fn new(sets: &[(u32, Vec<u64>)], threshold: f64) -> Self {
        let mut counts: HashMap<u64, u32> = HashMap::new();
        for (_, set) in sets {
            for shingle in set {
                *counts.entry(*shingle).or_default() += 1;
            }
        }
        let mut sets_of: HashMap<u64, Vec<u32>> = HashMap::new();
        let prefixes = (0..)
            .zip(sets)
            .map(|(number, (_, set))| {
                let mut rarest: Vec<(u32, u64)> =
                    set.iter().map(|shingle| (counts[shingle], *shingle)).collect();
                rarest.sort_unstable();
                rarest.truncate(prefix_length(set.len(), threshold));
                // What only one set has, no other can share.
                rarest.retain(|(count, _)| *count > 1);
                for (_, shingle) in &rarest {
                    sets_of.entry(*shingle).or_default().push(number);
                }
                rarest.into_iter().map(|(_, shingle)| shingle).collect()
            })
            .collect();
        Self { prefixes, sets_of }
    }

    /// Shows each smaller set that may be similar enough, once.
    fn candidates(
        &self,
        right: usize,
        sets: &[(u32, Vec<u64>)],
        threshold: f64,
        seen: &mut Seen,
        mut see: impl FnMut(usize),
    ) {
        let size = sets[right].1.len();
        for shingle in &self.prefixes[right] {
            let others = &self.sets_of[shingle];
            // The sets ascend by size, so those that are large enough stand together, before this one.
            let large_enough = |left: &u32| (sets[*left as usize].1.len() as f64 / size as f64) < threshold;
            let start = others.partition_point(large_enough);
            for &left in others[start..].iter().take_while(|left| (**left as usize) < right) {
                if std::mem::replace(&mut seen.last[left as usize], right) != right {
                    see(left as usize);
                }
            }
        }
    }
}

/// How many of the rarest shingles of a set must be looked at.
fn prefix_length(size: usize, threshold: f64) -> usize {
    // A hair less, so that rounding up an integer that came out a hair too large does not lose a shingle.
    let needed = (threshold * size as f64 - 1e-9 * size as f64).ceil().max(1.0) as usize;
    size - needed.min(size) + usize::from(size > 0)
}
