//! Which pairs of a run are checked, when only groups are wanted.
//!
//! A run are the documents that share a key. Members that are in one class already need no check. A short run tries all
//! pairs of different classes. A long run, such as a family of thousands of pages of one template, must not go
//! quadratic: each member is compared, by its sketch, with a few leaders of each class in the run, the latest classes
//! first, and with a bounded number of them. Documents are only read for the likeliest of these. So a run of n members
//! costs O(n) checks, whatever is in it, and a page finds its twin also among thousands that are merely alike.
//!
//! What a run finds depends on the classes before the band and on the run alone. So all runs of a band can be checked
//! at the same time, and the outcome does not depend on how.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::files::SlotReader;
use super::key_runs::SortedRuns;
use super::pair::Pair;
use super::reports::Checks;
use crate::union_find::UnionFind;
use crate::verify::{Sketch, Verdict, Verifier};
use crate::{Error, Unreadable};

/// A run of so many members tries all pairs.
const ALL_PAIRS_MEMBERS: usize = 64;
/// In a longer run, a class is known by so many members.
const LEADERS_OF_CLASS: usize = 4;
/// In a longer run, so many classes are remembered.
const CLASSES: usize = 256;
/// In a longer run, a member may be compared in vain with so many leaders by reading documents.
const SETS_TRIED: usize = 8;

/// What is known before a band.
pub(crate) struct Known<'a> {
    /// Flat.
    pub classes: &'a UnionFind,
    pub different: &'a DifferentPairs,
}

/// What some runs found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub unions: Vec<Pair>,
    pub different: Vec<Pair>,
    pub unreadable: Vec<(u32, Unreadable)>,
}

/// Pairs whose sets were compared in vain, so that they are not compared again in the next band. A table of fixed size
/// in which the newer takes the place of the older.
#[derive(Debug)]
pub(crate) struct DifferentPairs {
    table: Vec<u64>,
}

impl DifferentPairs {
    /// With room for so many.
    pub fn new(capacity: usize) -> Self {
        Self { table: vec![0; capacity.max(1).next_power_of_two()] }
    }

    fn place(&self, pair: Pair) -> usize {
        let mixed = pair.packed().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    /// Remembers a pair.
    pub fn insert(&mut self, pair: Pair) {
        let place = self.place(pair);
        self.table[place] = pair.packed();
    }

    fn contains(&self, pair: Pair) -> bool {
        // A place that was never used holds the pair (0, 0), which nobody asks for.
        self.table[self.place(pair)] == pair.packed()
    }
}

/// Checks runs, for one thread.
pub(crate) struct RunChecker<'a> {
    verifier: Verifier<'a>,
    reader: SlotReader<'a>,
}

/// A document of a run whose slots are at hand.
#[derive(Debug)]
struct Member {
    document: u32,
    shingles: u32,
    slots: Box<[u8]>,
}

/// Classes of a long run that are one by now.
#[derive(Debug)]
struct Cluster {
    /// The place in the run of any member.
    place: u32,
    leaders: Vec<Member>,
}

impl<'a> RunChecker<'a> {
    /// With all that a thread needs.
    pub fn new(verifier: Verifier<'a>, reader: SlotReader<'a>) -> Self {
        Self { verifier, reader }
    }

    /// The work since the last call.
    pub fn take_checks(&mut self) -> Checks {
        std::mem::take(&mut self.verifier.checks)
    }

    /// Looks for copies among the members of each run.
    pub fn check(&mut self, runs: SortedRuns<'_>, known: &Known<'_>) -> Result<Found, Error> {
        let mut members = Vec::new();
        let mut ends = Vec::new();
        runs.for_each(|run| {
            members.extend_from_slice(run);
            ends.push(members.len());
            Ok(())
        })?;
        // The classes lie here and there in memory: all at once, they are waited for together.
        let classes: Vec<u32> = members.iter().map(|member| known.classes.find_flat(*member)).collect();
        let mut found = Found::default();
        let mut start = 0;
        for end in ends {
            let (run, classes) = (&members[start..end], &classes[start..end]);
            start = end;
            if classes.iter().all(|class| *class == classes[0]) {
                continue;
            }
            if run.len() <= ALL_PAIRS_MEMBERS {
                self.check_all_pairs(run, classes, known, &mut found)?;
            } else {
                self.check_leaders(run, classes, known, &mut found)?;
            }
        }
        found.unreadable = self.verifier.take_unreadable();
        Ok(found)
    }

    fn check_all_pairs(
        &mut self,
        run: &[u32],
        known_classes: &[u32],
        known: &Known<'_>,
        found: &mut Found,
    ) -> Result<(), Error> {
        let members = run.iter().map(|document| self.load(*document)).collect::<Result<Vec<_>, _>>()?;
        let mut classes = UnionFind::new(run.len() as u32);
        for right in 1..run.len() {
            if let Some(left) = (0..right).find(|left| known_classes[*left] == known_classes[right]) {
                classes.union(left as u32, right as u32);
            }
        }
        for right in 1..run.len() {
            for left in 0..right {
                if classes.find(left as u32) != classes.find(right as u32)
                    && self.are_copies(&members[left], &members[right], known, found)
                {
                    classes.union(left as u32, right as u32);
                }
            }
        }
        Ok(())
    }

    fn check_leaders(
        &mut self,
        run: &[u32],
        known_classes: &[u32],
        known: &Known<'_>,
        found: &mut Found,
    ) -> Result<(), Error> {
        // Where each class was first met, and which of these places are joined by now.
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut joined = UnionFind::new(run.len() as u32);
        // The latest cluster stands last.
        let mut clusters: Vec<Cluster> = Vec::new();
        for (place, (&document, &class)) in (0..).zip(run.iter().zip(known_classes)) {
            let first_place = *places.entry(class).or_insert(place);
            joined.union(first_place, place);
            let name = joined.find(place);
            if let Some(cluster) = clusters.iter_mut().find(|cluster| joined.find(cluster.place) == name) {
                if cluster.leaders.len() < LEADERS_OF_CLASS {
                    cluster.leaders.push(self.load(document)?);
                }
                continue;
            }
            let member = self.load(document)?;
            let mut leaders = Vec::new();
            for index in self.clusters_to_join(&member, &clusters, known, found) {
                let other = clusters.remove(index);
                joined.union(place, other.place);
                leaders.extend(other.leaders);
            }
            leaders.truncate(LEADERS_OF_CLASS - 1);
            leaders.push(member);
            clusters.push(Cluster { place, leaders });
            if clusters.len() > CLASSES {
                clusters.remove(0);
            }
        }
        Ok(())
    }

    /// The clusters with a leader that the member is a copy of, the last first.
    fn clusters_to_join(
        &mut self,
        member: &Member,
        clusters: &[Cluster],
        known: &Known<'_>,
        found: &mut Found,
    ) -> Vec<usize> {
        let mut likely = Vec::new();
        for (index, cluster) in clusters.iter().enumerate() {
            for leader in &cluster.leaders {
                if let Some(agreements) = self.verifier.may_be_copy(leader.sketch(), member.sketch())
                    && !known.different.contains(Pair::new(leader.document, member.document))
                {
                    likely.push((Reverse(agreements), leader.document, index));
                }
            }
        }
        likely.sort_unstable();
        let mut to_join = Vec::new();
        let mut in_vain = 0;
        for (Reverse(agreements), leader, index) in likely {
            if in_vain == SETS_TRIED {
                break;
            }
            if to_join.contains(&index) {
                continue;
            }
            let pair = Pair::new(leader, member.document);
            match self.verifier.judge_likely(agreements, pair.first(), pair.second()) {
                Verdict::Copy(_) => {
                    found.unions.push(pair);
                    to_join.push(index);
                }
                Verdict::Different => {
                    found.different.push(pair);
                    in_vain += 1;
                }
                Verdict::Unlike => {}
            }
        }
        to_join.sort_unstable_by_key(|index| Reverse(*index));
        to_join
    }

    fn are_copies(&mut self, left: &Member, right: &Member, known: &Known<'_>, found: &mut Found) -> bool {
        let pair = Pair::new(left.document, right.document);
        if known.different.contains(pair) {
            return false;
        }
        match self.verifier.judge(left.sketch(), right.sketch()) {
            Verdict::Copy(_) => {
                found.unions.push(pair);
                return true;
            }
            Verdict::Different => found.different.push(pair),
            Verdict::Unlike => {}
        }
        false
    }

    fn load(&mut self, document: u32) -> Result<Member, Error> {
        let (shingles, slots) = self.reader.read(document)?;
        Ok(Member { document, shingles, slots: slots.into() })
    }
}

impl Member {
    fn sketch(&self) -> Sketch<'_> {
        Sketch { document: self.document, shingles: self.shingles, slots: &self.slots }
    }
}
