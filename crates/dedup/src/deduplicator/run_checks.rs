//! Which pairs of a run are checked, when only groups are wanted.
//!
//! A run are the documents that share a key. Members that are in one class already need no check; any two others do, or
//! a copy could be missed. A short run just tries them all. A long run, such as a family of thousands of pages of one
//! template, is gone through member by member. A member first meets a few leaders of each cluster: if all of the family
//! are copies, it joins at the first one, and the run costs O(n). Then it meets all members of the clusters that it did
//! not join. It is compared with them by sketches; documents are read for those that pass, the likeliest first, and a
//! pair that was read in vain is remembered, so that the next band does not read it again.
//!
//! So groups are the connected components of the pairs that share a key, as long as two bounds hold that keep the work
//! linear: a member meets [`KEPT_MEMBERS`] others in a run, and is read in vain with [`IN_VAIN_MAX`] in all bands. A
//! family beyond them, thousands of pages that are all nearly copies and are none, may lose some; how many pairs were
//! left out is counted ([`Checks::left_out`]).
//!
//! Documents are only ever added at the end. Where those before some document were compared with each other already, a
//! pair of two of them is not compared again: what they have in common is in the classes that are known.
//!
//! What a run finds depends on what is known before the band and on the run alone. So all runs of a band can be checked
//! at the same time, and the outcome does not depend on how. Only which pairs the second bound leaves out depends on how
//! many pairs there was memory to remember, and on whether the work was interrupted.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use super::different_pairs::DifferentPairs;
use super::files::SlotReader;
use super::key_runs::SortedRuns;
use super::pair::Pair;
use super::reports::Checks;
use crate::union_find::UnionFind;
use crate::verify::{Sketch, Verdict, Verifier};
use crate::{Error, Unreadable};

/// A run of so many members tries all pairs.
const ALL_PAIRS_MEMBERS: usize = 64;
/// In a longer run, a member first meets so many of each cluster.
const LEADERS: usize = 4;
/// In a longer run, so many members are kept at hand for those that come after them.
const KEPT_MEMBERS: usize = 4096;
/// A document is compared in vain with so many before it by reading, over all bands.
const IN_VAIN_MAX: u16 = 4096;

/// What is known before a band.
pub(crate) struct Known<'a> {
    /// Flat.
    pub classes: &'a UnionFind,
    pub different: &'a DifferentPairs,
    /// Of each document, with how many others it was compared in vain by reading.
    pub in_vain: &'a [u16],
    /// The documents before this one were compared with each other.
    pub first_new: u32,
}

/// A document of a long run.
#[derive(Debug)]
pub(crate) struct InVain {
    pub document: u32,
    /// How often it was compared in vain by reading.
    pub more: u16,
}

/// What some runs found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub unions: Vec<Pair>,
    /// Compared in vain by reading: as many as can be remembered.
    pub different: Vec<Pair>,
    pub in_vain: Vec<InVain>,
    pub unreadable: Vec<(u32, Unreadable)>,
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

/// Members of a long run that are in one class by now.
#[derive(Debug, Default)]
struct Cluster {
    /// The place in the run of any member.
    place: u32,
    /// Those at hand, the latest last.
    kept: VecDeque<Member>,
}

impl Cluster {
    /// Takes all members of another one. Only the smaller part moves.
    fn absorb(&mut self, mut other: Self) {
        if other.kept.len() > self.kept.len() {
            std::mem::swap(&mut self.kept, &mut other.kept);
        }
        self.kept.extend(other.kept);
    }
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
            // Members ascend.
            if run.last().is_none_or(|last| *last < known.first_new) {
                return Ok(());
            }
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
                self.check_long_run(run, classes, known, &mut found)?;
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
        let first_new = run.partition_point(|document| *document < known.first_new);
        for right in first_new.max(1)..run.len() {
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

    fn check_long_run(
        &mut self,
        run: &[u32],
        known_classes: &[u32],
        known: &Known<'_>,
        found: &mut Found,
    ) -> Result<(), Error> {
        // Where each class was first met, and which of these places are joined by now.
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut joined = Joined::new(run.len());
        // The latest cluster stands last.
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut kept = 0;
        for (place, (&document, &class)) in (0..).zip(run.iter().zip(known_classes)) {
            let first_place = *places.entry(class).or_insert(place);
            joined.union(first_place, place);
            let name = joined.classes.find(place);
            let own = clusters.iter().position(|cluster| joined.classes.find(cluster.place) == name);
            let mut own = own.map_or_else(Cluster::default, |own| clusters.remove(own));
            own.place = place;

            let member = self.load(document)?;
            if document >= known.first_new {
                let mut in_vain = known.in_vain[document as usize];
                for meets in [Meets::Leaders, Meets::TheOthers] {
                    for index in self.clusters_to_join(&member, &clusters, meets, &mut in_vain, known, found)
                    {
                        let other = clusters.remove(index);
                        joined.union(place, other.place);
                        own.absorb(other);
                    }
                }
                let more_in_vain = in_vain - known.in_vain[document as usize];
                if more_in_vain > 0 {
                    found.in_vain.push(InVain { document, more: more_in_vain });
                }
                // Of those before it that are in other clusters, it has met the kept ones.
                let met = kept - own.kept.len();
                self.verifier.checks.left_out += (place as usize + 1 - joined.size(place) - met) as u64;
            }

            own.kept.push_back(member);
            kept += 1;
            clusters.push(own);
            if kept > KEPT_MEMBERS {
                forget_one(&mut clusters);
                kept -= 1;
            }
        }
        Ok(())
    }

    /// The clusters with a member that this one is a copy of, the last first.
    fn clusters_to_join(
        &mut self,
        member: &Member,
        clusters: &[Cluster],
        meets: Meets,
        in_vain: &mut u16,
        known: &Known<'_>,
        found: &mut Found,
    ) -> Vec<usize> {
        let mut likely = Vec::new();
        for (index, cluster) in clusters.iter().enumerate() {
            let latest_first = cluster.kept.iter().rev();
            let (from, count) = match meets {
                Meets::Leaders => (0, LEADERS),
                Meets::TheOthers => (LEADERS, usize::MAX),
            };
            for other in latest_first.skip(from).take(count) {
                if let Some(agreements) = self.verifier.may_be_copy(other.sketch(), member.sketch())
                    && !known.different.contains(Pair::new(other.document, member.document))
                {
                    likely.push((Reverse(agreements), other.document, index));
                }
            }
        }
        likely.sort_unstable();
        let mut joins = vec![false; clusters.len()];
        for (Reverse(agreements), other, index) in likely {
            if joins[index] {
                continue;
            }
            if *in_vain == IN_VAIN_MAX {
                self.verifier.checks.left_out += 1;
                continue;
            }
            let pair = Pair::new(other, member.document);
            match self.verifier.judge_likely(agreements, pair.first(), pair.second()) {
                Verdict::Copy(_) => {
                    found.unions.push(pair);
                    joins[index] = true;
                }
                Verdict::Different => {
                    found.remember(pair, known);
                    *in_vain += 1;
                }
                Verdict::Unlike => {}
            }
        }
        (0..clusters.len()).rev().filter(|index| joins[*index]).collect()
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
            Verdict::Different => found.remember(pair, known),
            Verdict::Unlike => {}
        }
        false
    }

    fn load(&mut self, document: u32) -> Result<Member, Error> {
        let (shingles, slots) = self.reader.read(document)?;
        Ok(Member { document, shingles, slots: slots.into() })
    }
}

/// Whom of a cluster a member meets.
#[derive(Debug, Clone, Copy)]
enum Meets {
    Leaders,
    TheOthers,
}

/// Lets go of one member: the oldest of the latest cluster, unless that has nothing but leaders; then the oldest of the
/// oldest cluster.
fn forget_one(clusters: &mut Vec<Cluster>) {
    let latest = clusters.last_mut().expect("a member was just kept");
    if latest.kept.len() > LEADERS {
        latest.kept.pop_front();
        return;
    }
    clusters[0].kept.pop_front();
    if clusters[0].kept.is_empty() {
        clusters.remove(0);
    }
}

/// Which places of a run are in one class by now, and how many.
struct Joined {
    classes: UnionFind,
    /// Right for the names of classes.
    sizes: Vec<u32>,
}

impl Joined {
    fn new(places: usize) -> Self {
        Self { classes: UnionFind::new(places as u32), sizes: vec![1; places] }
    }

    fn union(&mut self, left: u32, right: u32) {
        let both = self.size(left) + self.size(right);
        if self.classes.union(left, right) {
            self.sizes[self.classes.find(left) as usize] = both as u32;
        }
    }

    fn size(&mut self, place: u32) -> usize {
        self.sizes[self.classes.find(place) as usize] as usize
    }
}

impl Found {
    fn remember(&mut self, pair: Pair, known: &Known<'_>) {
        if self.different.len() < known.different.at_once_max() {
            self.different.push(pair);
        }
    }
}

impl Member {
    fn sketch(&self) -> Sketch<'_> {
        Sketch { document: self.document, shingles: self.shingles, slots: &self.slots }
    }
}
