//! Which segments are merged, and when: tiers.
//!
//! A segment of n living documents is in tier ⌊log₄ n⌋. Documents keep the order in which they came, so only neighbours are merged; one
//! that lies before a larger one counts as if it were as large, as no merge can go around it. Four neighbours of one tier
//! become one, which is of a higher tier, or nearer to it by a fourth of that tier's least size at least. So a document is
//! written at most a few times for each tier: n additions cost O(n log n), whatever their sizes, and leave at most three
//! segments of each tier, 39 if there are less than 4¹³ documents (67 million).
//!
//! A segment of which more than a third is dead is written anew, alone; one without a living document goes.
//!
//! Where documents are split ([`crate::partition`]) the parts of what was made at once count as one segment, and what they
//! become is split alike: three of each tier are as many times more.

use std::ops::Range;
use std::path::Path;

use journal::Generation;

use crate::Error;
use crate::manifest::{IndexReport, Manifest, SEGMENT, SegmentEntry};
use crate::segment_merge::merge_segments;

/// So many neighbours of a tier become one segment, and so many times larger are segments of the next tier.
const TIER: u64 = 4;

/// What merging came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// How many segments were made of others.
    pub merges: u64,
    /// How many documents they have: the work that it was.
    pub documents: u64,
    /// How many documents were dropped because they were dead.
    pub dropped: u64,
    /// What is in the index now.
    pub index: IndexReport,
}

/// Merges segments of the index in `dir` until there are few of each tier. Each merge is committed by itself: whoever reads
/// has the segments before or those after, and a merge that is killed leaves the last that was committed.
pub fn merge_tiers(dir: &Path) -> Result<MergeReport, Error> {
    let mut report = MergeReport::default();
    let mut manifest = Manifest::read(dir)?;
    while next_merge(&manifest.segments).is_some() {
        let generation = Generation::begin(dir, SEGMENT)?;
        // Once more under the lock, as somebody else may have merged.
        manifest = Manifest::read(dir)?;
        let Some(range) = next_merge(&manifest.segments) else { break };
        report.merges += 1;
        for segment in &manifest.segments[range.clone()] {
            report.documents += segment.living_documents();
            report.dropped += segment.dead_documents();
        }
        manifest = merge_segments(dir, manifest, generation, range)?;
    }
    report.index = manifest.report();
    Ok(report)
}

/// Merges all segments of the index in `dir` into one, and drops what is dead.
pub fn merge_all(dir: &Path) -> Result<IndexReport, Error> {
    // Before anything is locked, since locking makes the folder.
    Manifest::read(dir)?;
    let generation = Generation::begin(dir, SEGMENT)?;
    let manifest = Manifest::read(dir)?;
    let (range, segments) = (0..manifest.segments.len(), &manifest.segments);
    if groups(segments).len() == 1 && segments.iter().all(|segment| segment.dead.is_none()) {
        return Ok(manifest.report());
    }
    Ok(merge_segments(dir, manifest, generation, range)?.report())
}

/// The neighbours that should be merged next, if any should.
fn next_merge(segments: &[SegmentEntry]) -> Option<Range<usize>> {
    let groups = groups(segments);
    let size = |group: &Range<usize>| {
        let segments = &segments[group.clone()];
        Size {
            living: segments.iter().map(SegmentEntry::living_documents).sum(),
            dead: segments.iter().map(SegmentEntry::dead_documents).sum(),
        }
    };
    let sizes: Vec<Size> = groups.iter().map(size).collect();
    next_range(&sizes).map(|range| groups[range.start].start..groups[range.end - 1].end)
}

/// The segments that were made at once, each group as one.
fn groups(segments: &[SegmentEntry]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        match groups.last_mut().filter(|_| segment.goes_on) {
            Some(group) => group.end = number + 1,
            None => groups.push(number..number + 1),
        }
    }
    groups
}

/// How many documents a segment has.
#[derive(Debug, Clone, Copy)]
struct Size {
    living: u64,
    dead: u64,
}

fn next_range(sizes: &[Size]) -> Option<Range<usize>> {
    let must_go = |size: &Size| (size.living == 0 && sizes.len() > 1) || size.dead * 2 > size.living;
    if let Some(place) = sizes.iter().position(must_go) {
        return Some(place..place + 1);
    }
    let mut tiers: Vec<u32> = sizes.iter().map(|size| size.living.max(1).ilog(TIER)).collect();
    for place in (1..tiers.len()).rev() {
        tiers[place - 1] = tiers[place - 1].max(tiers[place]);
    }
    // Small ones first, which stand at the end.
    let mut end = tiers.len();
    while end > 0 {
        let start = tiers.partition_point(|&tier| tier > tiers[end - 1]);
        if (end - start) as u64 >= TIER {
            return Some(start..end);
        }
        end = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn living(sizes: &[u64]) -> Vec<Size> {
        sizes.iter().map(|&living| Size { living, dead: 0 }).collect()
    }

    #[test]
    fn neighbours_of_a_tier_are_merged_and_what_is_mostly_dead_is_made_anew() {
        let rows: [(&[u64], Option<Range<usize>>); 8] = [
            (&[], None),
            (&[1000], None),
            (&[1000, 1, 1, 1], None),
            (&[1000, 1, 1, 1, 1], Some(1..5)),
            (&[1000, 4, 5, 6, 7, 1, 1, 1], Some(1..5)),
            // What lies before a large one is as large.
            (&[1, 2, 100, 70], Some(0..4)),
            (&[1, 2, 100, 2, 2], None),
            (&[5, 0, 1], Some(1..2)),
        ];
        for (sizes, range) in rows {
            assert_eq!(next_range(&living(sizes)), range, "{sizes:?}");
        }
        let dying = |dead| [Size { living: 1000, dead: 0 }, Size { living: 20, dead }];
        assert_eq!(next_range(&dying(10)), None);
        assert_eq!(next_range(&dying(11)), Some(1..2));
        assert_eq!(next_range(&[Size { living: 0, dead: 0 }]), None);
    }

    /// Adds segments of these sizes one after the other: how many there are at most, and how many documents are written.
    fn grow(sizes: impl Iterator<Item = u64>) -> (usize, u64) {
        let (mut segments, mut most, mut written) = (Vec::new(), 0, 0);
        for size in sizes {
            segments.push(Size { living: size, dead: 0 });
            while let Some(range) = next_range(&segments) {
                let sum = segments[range.clone()].iter().map(|size| size.living).sum();
                written += sum;
                segments.splice(range, [Size { living: sum, dead: 0 }]);
            }
            most = most.max(segments.len());
        }
        (most, written)
    }

    #[test]
    fn ten_thousand_additions_leave_few_segments_and_cost_little() {
        let (most, written) = grow(std::iter::repeat_n(1, 10_000));
        assert!(most <= 3 * 7 && written <= 7 * 10_000, "{most} segments, {written} documents written");
        let (most, written) = grow((1..=10_000).map(|number| number % 97 + 1));
        assert!(most <= 40 && written <= 49 * 10_000 * 20, "{most} segments, {written} documents written");
    }

    proptest! {
        #[test]
        fn additions_of_any_sizes_leave_three_segments_of_a_tier(sizes in prop::collection::vec(prop_oneof![1u64..10, 1u64..100_000], 1..300)) {
            let all: u64 = sizes.iter().sum();
            let tiers = u64::from(all.ilog(TIER)) + 1;
            let (most, written) = grow(sizes.into_iter());
            prop_assert!(most as u64 <= 3 * tiers, "{} segments of {} documents", most, all);
            prop_assert!(written <= all * TIER * tiers, "{} written of {}", written, all);
        }
    }
}
