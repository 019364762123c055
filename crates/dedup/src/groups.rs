//! The answer: groups of documents that are copies of each other, directly or by way of others.

use crate::deduplicator::Checks;

/// Groups of two or more documents. Each has its members in ascending order; the groups ascend by their first member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DuplicateGroups {
    /// For each document the first of its group, which may be itself.
    firsts: Vec<u32>,
    /// The members of all groups, one group behind the other.
    members: Vec<u32>,
    /// Where each group starts in `members`, and the end of the last.
    starts: Vec<usize>,
    /// Documents that equal an earlier one, shingle for shingle.
    pub exact_copies: u64,
    /// The work that it took, not counting exact copies.
    pub checks: Checks,
}

impl DuplicateGroups {
    /// From the first of the group of each document.
    pub(crate) fn new(firsts: Vec<u32>) -> Self {
        const NONE: u32 = u32::MAX;
        let mut sizes = vec![0u32; firsts.len()];
        for &first in &firsts {
            sizes[first as usize] += 1;
        }
        // From here on, `places` tells for the first of a group where its next member goes.
        let mut starts = vec![0];
        let mut places = sizes;
        let mut total = 0usize;
        for place in &mut places {
            let size = std::mem::replace(place, NONE);
            if size > 1 {
                *place = u32::try_from(total).expect("members are documents, which have 32 bits");
                total += size as usize;
                starts.push(total);
            }
        }
        let mut members = vec![0; total];
        for (document, &first) in firsts.iter().enumerate() {
            let place = &mut places[first as usize];
            if *place != NONE {
                members[*place as usize] = document as u32;
                *place += 1;
            }
        }
        Self { firsts, members, starts, exact_copies: 0, checks: Checks::default() }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True when nothing is a copy of anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The documents of a group.
    pub fn get(&self, group: usize) -> &[u32] {
        &self.members[self.starts[group]..self.starts[group + 1]]
    }

    /// All groups.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.get(group))
    }

    /// The number of the group that a document is in.
    pub fn group_of(&self, document: u32) -> Option<usize> {
        let first = *self.firsts.get(document as usize)?;
        let starts = &self.starts[..self.len()];
        starts.binary_search_by_key(&first, |&start| self.members[start]).ok()
    }

    /// The document that stands for this one: the first of its group, or itself.
    pub fn first_of(&self, document: u32) -> u32 {
        self.firsts[document as usize]
    }

    /// The documents that could go: all but the first of each group.
    pub fn copies(&self) -> usize {
        self.members.len() - self.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_ascend_and_know_their_members() {
        //                                     0  1  2  3  4  5  6
        let groups = DuplicateGroups::new(vec![0, 1, 0, 3, 1, 1, 6]);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[0, 2][..], &[1, 4, 5]]);
        assert_eq!(groups.copies(), 3);
        let numbers: Vec<_> = (0..8).map(|document| groups.group_of(document)).collect();
        assert_eq!(numbers, [Some(0), Some(1), Some(0), None, Some(1), Some(1), None, None]);
        assert_eq!(groups.first_of(5), 1);
    }

    #[test]
    fn no_documents_have_no_groups() {
        for groups in [DuplicateGroups::new(Vec::new()), DuplicateGroups::default()] {
            assert!(groups.is_empty());
            assert_eq!((groups.len(), groups.copies(), groups.group_of(0)), (0, 0, None));
        }
    }
}
