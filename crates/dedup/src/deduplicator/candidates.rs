//! Pairs: first all candidates, sorted and each once, then those that are copies.
//!
//! Candidates come from the runs of all columns, every pair of a run. That is as many as there are pairs in the runs,
//! whichever way one looks for them; the sketches refuse most of those that are no copies before they are written.
//! Where keys are counted, they are written once per common key: that is the method of the MinHash report (1.3), whose
//! triples (document, document, 1) are our sorted words and their repeats.
//!
//! Counting is quadratic in the size of a family, and here nothing bounds it: pages that share a tenth of their words
//! share a key, and a family of n writes up to n² / 2 words for each slot. It is quadratic also where only groups are
//! wanted: whether a pair is a copy is known only after its keys are counted, and by then all pairs are written. For
//! large families there is banded clustering.
//!
//! Then candidates are verified in their order, so that the set of the first document of many pairs is at hand.

use std::sync::Mutex;

use journal::{ByComparison, ExternalSort, Sorted};

use super::Work;
use super::config::{Clustering, Verification};
use super::exhaustive::exhaustive_copies;
use super::files::SlotReader;
use super::pair::Pair;
use super::reports::{Checks, Stage, UnreadableNow, Watcher};
use crate::execution::in_order;
use crate::verify::{Sketch, Verdict, Verifier};
use crate::{Documents, Error};

/// Candidates that a thread gathers before it hands them on.
const GATHERED: usize = 1 << 14;

/// Candidates that a thread verifies at a time.
const BATCH: usize = 256;

/// Shows all copies among documents that are the first of their kind, in any order of the pairs.
pub(crate) fn copies(
    work: &Work<'_>,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
    see: &mut dyn FnMut(Pair, f64) -> Result<(), Error>,
) -> Result<Checks, Error> {
    if work.config.clustering == Clustering::Exhaustive {
        return exhaustive_copies(work, documents, watcher, see);
    }
    let (sorted, mut checks) = sorted_candidates(work, documents, watcher)?;
    let mut counted = Counted { sorted, next: None, common_min: common_keys_min(work) };
    let mut unreadable = UnreadableNow::new(watcher);
    let (_, total) = counted.sorted.progress();
    watcher.progress(Stage::Verifying, 0, total);
    let batches = std::iter::from_fn(|| counted.batch().transpose());
    in_order(
        work.threads(),
        batches,
        || (work.verifier(documents), work.files.slot_reader()),
        |(verifier, reader), batch| {
            let (batch, done) = batch?;
            Ok((verify_batch(work, verifier, reader, &batch)?, verifier.take_unreadable(), done))
        },
        |verified: Result<_, Error>| {
            let ((found, work_done), unreadable_now, done) = verified?;
            checks += work_done;
            unreadable_now.iter().for_each(|(document, why)| unreadable.tell(*document, why));
            watcher.progress(Stage::Verifying, done, total);
            found.into_iter().try_for_each(|(pair, similarity)| see(pair, similarity))
        },
    )?;
    watcher.progress(Stage::Verifying, total, total);
    checks.unreadable += unreadable.take_count();
    Ok(checks)
}

/// The keys that a candidate has in common, at least.
fn common_keys_min(work: &Work<'_>) -> u32 {
    match (work.config.clustering, work.config.verification) {
        (Clustering::Features { .. }, _) => 2,
        (Clustering::SortedPairs, Verification::Exact) => work.criterion.agreements_min(1).max(1),
        (Clustering::SortedPairs, Verification::Estimate) => {
            let slots = work.config.slots as u32;
            let enough = |common: &u32| f64::from(*common) / f64::from(slots) >= work.config.threshold;
            (1..=slots).find(enough).unwrap_or(slots)
        }
        (Clustering::Banded | Clustering::Exhaustive, _) => 1,
    }
}

/// All pairs of all runs, sorted; those of bands after a look at their sketches.
fn sorted_candidates(
    work: &Work<'_>,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
) -> Result<(Sorted<u64>, Checks), Error> {
    let is_banded = work.config.clustering == Clustering::Banded;
    let memory = usize::try_from(work.config.memory_bytes / 4).unwrap_or(usize::MAX);
    let sorter = Mutex::new(ExternalSort::with(work.folder, memory, is_banded, ByComparison));
    let mut checks = Checks::default();
    let columns = work.layout.columns;
    // Keys that count anywhere are sorted all together.
    let step = if work.layout.anywhere { columns } else { 1 };
    let total = columns as u64 * u64::from(work.files.documents());
    for first in (0..columns).step_by(step.max(1)) {
        watcher.progress(Stage::Sorting, first as u64 * u64::from(work.files.documents()), total);
        work.key_sorter(0).runs(
            first..first + step,
            || PairsOfRuns { work, verifier: work.verifier(documents), reader: work.files.slot_reader() },
            |pairs, runs| {
                let mut gathered = Vec::with_capacity(GATHERED);
                runs.for_each(|run| pairs.gather(run, is_banded, &mut gathered, &sorter))?;
                hand_on(&mut gathered, &sorter)?;
                Ok(std::mem::take(&mut pairs.verifier.checks))
            },
            |done: Result<_, Error>| {
                checks += done?;
                Ok(())
            },
        )?;
    }
    watcher.progress(Stage::Sorting, total, total);
    let sorter = sorter.into_inner().expect("no thread panicked, or we would have");
    Ok((sorter.finish()?, checks))
}

/// Makes pairs of runs, for one thread.
struct PairsOfRuns<'a> {
    work: &'a Work<'a>,
    verifier: Verifier<'a>,
    reader: SlotReader<'a>,
}

impl PairsOfRuns<'_> {
    fn gather(
        &mut self,
        run: &[u32],
        by_sketches: bool,
        gathered: &mut Vec<u64>,
        sorter: &Mutex<ExternalSort<u64>>,
    ) -> Result<(), Error> {
        let width = self.work.config.slots;
        let (mut slots, mut shingles) = (Vec::new(), Vec::new());
        if by_sketches {
            for &document in run {
                let (count, read) = self.reader.read(document)?;
                shingles.push(count);
                slots.extend_from_slice(read);
            }
        }
        let sketch = |place: usize| Sketch {
            document: run[place],
            shingles: shingles[place],
            slots: &slots[place * width..(place + 1) * width],
        };
        for right in 1..run.len() {
            for left in 0..right {
                if !by_sketches || self.verifier.may_be_copy(sketch(left), sketch(right)).is_some() {
                    gathered.push(Pair::new(run[left], run[right]).packed());
                }
            }
            if gathered.len() >= GATHERED {
                hand_on(gathered, sorter)?;
            }
        }
        Ok(())
    }
}

fn hand_on(gathered: &mut Vec<u64>, sorter: &Mutex<ExternalSort<u64>>) -> Result<(), Error> {
    let mut sorter = sorter.lock().expect("no thread panics with this lock");
    Ok(gathered.drain(..).try_for_each(|pair| sorter.push(pair))?)
}

/// Candidates and how many keys they have in common.
struct Counted {
    sorted: Sorted<u64>,
    next: Option<u64>,
    common_min: u32,
}

impl Counted {
    /// Some candidates with enough in common, and how many numbers were taken so far; none at the end.
    fn batch(&mut self) -> Result<Option<Batch>, Error> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            let Some(pair) = self.next.take().map_or_else(|| self.sorted.next(), |next| Ok(Some(next)))?
            else {
                break;
            };
            let mut common = 1;
            loop {
                self.next = self.sorted.next()?;
                if self.next != Some(pair) {
                    break;
                }
                common += 1;
            }
            if common >= self.common_min {
                batch.push((Pair::from_packed(pair), common));
            }
        }
        let (done, _) = self.sorted.progress();
        Ok((!batch.is_empty()).then_some((batch, done)))
    }
}

type Batch = (Vec<(Pair, u32)>, u64);
type Verified = (Vec<(Pair, f64)>, Checks);

fn verify_batch(
    work: &Work<'_>,
    verifier: &mut Verifier<'_>,
    reader: &mut SlotReader<'_>,
    batch: &[(Pair, u32)],
) -> Result<Verified, Error> {
    let mut found = Vec::new();
    for &(pair, common) in batch {
        let verdict = match (work.config.clustering, work.config.verification) {
            (Clustering::SortedPairs, Verification::Estimate) => {
                verifier.checks.candidates += 1;
                verifier.judge_estimate(f64::from(common) / work.config.slots as f64)
            }
            (Clustering::SortedPairs, Verification::Exact) => {
                verifier.checks.candidates += 1;
                let shingles = reader.read(pair.first())?.0.min(reader.read(pair.second())?.0);
                if common < work.criterion.agreements_min(shingles) {
                    continue;
                }
                verifier.judge_sets(pair.first(), pair.second())
            }
            // Their sketches were looked at before they were sorted.
            (Clustering::Banded, Verification::Exact) => verifier.judge_sets(pair.first(), pair.second()),
            _ => {
                let (shingles, slots) = reader.read(pair.first())?;
                let first = (shingles, slots.to_vec());
                let (shingles, slots) = reader.read(pair.second())?;
                verifier.judge(
                    Sketch { document: pair.first(), shingles: first.0, slots: &first.1 },
                    Sketch { document: pair.second(), shingles, slots },
                )
            }
        };
        if let Verdict::Copy(similarity) = verdict {
            found.push((pair, similarity));
        }
    }
    Ok((found, std::mem::take(&mut verifier.checks)))
}
