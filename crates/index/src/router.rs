//! Which segments may hold this term? One question to the filters of all of them.
//!
//! Filters of one shape stand together ([`crate::term_filter`] says which shapes there are), in an [`AdaptiveBloofi`] that
//! is told how many they are, that it will mostly be searched, and that it may take twice the bytes of the filters. So a
//! few are a list, and more than 32 are rows: these take whole words of 64 filters, and with the few segments of a usual
//! index they would hold up to 64 times the bytes of the filters, to save some nanoseconds.
//!
//! Large segments have no filter: whoever opens the index says by their numbers which of them may have a term
//! ([`crate::term_numbers`]).
//!
//! Filters outlive the index that read them. An index that is opened in the place of another shares its [`SharedFilters`]:
//! the filter of a segment that stayed is there already and not read again, that of a new one is inserted, or takes by an
//! update the place of one that nobody uses any more, and what is then left of those is deleted. Whoever still reads the
//! older index finds its own segments among the answers and passes over the others. What nobody uses goes when the next
//! index is opened, and not with the last search that held it, which should not have to wait for that.
//!
//! Every filter is verified when it is read, whoever reads it, and a filter that is shared has been: a file that is damaged
//! later cannot change what is in memory, and [`crate::Index::check`] reads the files again.
//!
//! Cost: four probes for each segment of a list, four rows for all of many; a dictionary search, which is some twenty
//! cache misses and may have to read from disk, for each segment that has the term; for one in twenty or more of the others
//! the function that leads to the number of the term is asked in vain.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};

use filter::index::{AdaptiveBloofi, Expected, FilterIndex, Structure};
use filter::{BloomFilter, FilterShape};
use journal::SealedFile;
use serde::Serialize;

use crate::{Error, term_filter};

/// What an index holds for an id beside the filter, at most.
const ID_BYTES: usize = 256;

/// What routing has saved since the index was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RoutingReport {
    /// Terms that were looked up.
    pub lookups: u64,
    /// Dictionaries that were searched for them.
    pub segments_asked: u64,
    /// Dictionaries that were not, because a filter said no.
    pub segments_skipped: u64,
    /// Dictionaries that were searched and did not have the term.
    pub false_positives: u64,
}

impl RoutingReport {
    /// What came to it since an earlier report.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            lookups: self.lookups - before.lookups,
            segments_asked: self.segments_asked - before.segments_asked,
            segments_skipped: self.segments_skipped.saturating_sub(before.segments_skipped),
            false_positives: self.false_positives - before.false_positives,
        }
    }
}

/// What terms are routed with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RoutingFilters {
    /// How many filters there are, each of a segment; segments of the same terms share one.
    pub filters: u64,
    /// What they take in memory.
    pub memory_bytes: u64,
    /// How the filters of each shape are laid, most of them: as a list or as rows.
    pub structures: Vec<&'static str>,
    /// Filters that were added, by this index and by those before it that it shares them with.
    pub inserted: u64,
    /// Filters that took the place of others.
    pub updated: u64,
    /// Filters that were taken out.
    pub deleted: u64,
}

/// The filters of the segments of an index.
#[derive(Debug)]
pub(crate) struct Router {
    shared: Arc<SharedFilters>,
    /// What each segment's filter is known by, in the order of the segments.
    identities: Vec<u64>,
    /// The id of each filter with a segment that has it, sorted.
    segment_of: Vec<(u64, usize)>,
    /// The places of the segments that have none.
    without: Vec<usize>,
    lookups: AtomicU64,
    segments_asked: AtomicU64,
    false_positives: AtomicU64,
}

impl Router {
    /// The filter of segment i is `files[i]`; those that `before` has are shared with it.
    pub(crate) fn open(files: &[&SealedFile], before: Option<&Self>) -> Result<Self, Error> {
        let shared = before.map_or_else(Arc::default, |before| Arc::clone(&before.shared));
        let mut router = Self {
            identities: Vec::with_capacity(files.len()),
            shared,
            segment_of: Vec::new(),
            without: Vec::new(),
            lookups: AtomicU64::new(0),
            segments_asked: AtomicU64::new(0),
            false_positives: AtomicU64::new(0),
        };
        let places = (0..).zip(files.iter().copied());
        let (with, without): (Vec<_>, Vec<_>) = places.partition(|(_, file)| term_filter::is_there(file));
        router.without = without.into_iter().map(|(place, _)| place).collect();
        // Those that are there are held first, so that nobody takes them out while the others are read.
        let unknown = router.shared.hold_known(&with, &mut router.identities);
        let mut read = Vec::with_capacity(unknown.len());
        for file in unknown {
            read.push((file.identity(), term_filter::read(file)?));
        }
        router.shared.take_up(&read, &mut router.identities);
        router.segment_of = router.shared.ids_of(&with);
        Ok(router)
    }

    /// The places of the segments that may have the term, in order; all that do are among them. `may_have` says it of those
    /// without a filter.
    pub(crate) fn places_for(&self, term: &str, may_have: impl Fn(usize) -> bool) -> Vec<usize> {
        let (mut segments, mut found) = (Vec::new(), Vec::new());
        for filters in &self.shared.read().classes {
            filters.search(&filters.shape().hash(term.as_bytes()), &mut found);
            for &id in &found {
                let first = self.segment_of.partition_point(|&(other, _)| other < id);
                let mine = self.segment_of[first..].iter().take_while(|&&(other, _)| other == id);
                segments.extend(mine.map(|&(_, segment)| segment));
            }
        }
        segments.extend(self.without.iter().copied().filter(|&place| may_have(place)));
        segments.sort_unstable();
        self.lookups.fetch_add(1, Ordering::Relaxed);
        self.segments_asked.fetch_add(segments.len() as u64, Ordering::Relaxed);
        segments
    }

    /// A segment that was asked did not have the term.
    pub(crate) fn count_false_positive(&self) {
        self.false_positives.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn report(&self) -> RoutingReport {
        let lookups = self.lookups.load(Ordering::Relaxed);
        let segments_asked = self.segments_asked.load(Ordering::Relaxed);
        RoutingReport {
            lookups,
            segments_asked,
            // Another thread may be between its two counts.
            segments_skipped: (lookups * self.segment_count()).saturating_sub(segments_asked),
            false_positives: self.false_positives.load(Ordering::Relaxed),
        }
    }

    fn segment_count(&self) -> u64 {
        (self.segment_of.len() + self.without.len()) as u64
    }

    pub(crate) fn filters(&self) -> RoutingFilters {
        self.shared.read().facts()
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let mut state = self.shared.write();
        for identity in &self.identities {
            if let Some(held) = state.held.get_mut(identity) {
                held.users -= 1;
            }
        }
    }
}

/// The file of a filter, and the place of the segment that has it.
type Placed<'f> = (usize, &'f SealedFile);

/// The filters of indexes that were opened one in the place of the other.
#[derive(Debug, Default)]
struct SharedFilters {
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// One index for each shape.
    classes: Vec<AdaptiveBloofi>,
    /// By the identity of the file.
    held: HashMap<u64, Held>,
    next_id: u64,
    inserted: u64,
    updated: u64,
    deleted: u64,
}

/// A filter that is in its class.
#[derive(Debug)]
struct Held {
    id: u64,
    shape: FilterShape,
    /// How many segments of open indexes have it.
    users: usize,
}

impl SharedFilters {
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().expect("nobody panics with it")
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().expect("nobody panics with it")
    }

    /// Holds the filters that are there, whose identities it adds, and gives the files of the others.
    fn hold_known<'f>(&self, files: &[Placed<'f>], identities: &mut Vec<u64>) -> Vec<&'f SealedFile> {
        let (mut state, mut unknown) = (self.write(), Vec::new());
        for &(_, file) in files {
            match state.held.get_mut(&file.identity()) {
                Some(held) => {
                    held.users += 1;
                    identities.push(file.identity());
                }
                None => unknown.push(file),
            }
        }
        unknown
    }

    /// Adds filters under their identities, which it adds too, and takes out what nobody uses.
    fn take_up(&self, filters: &[(u64, BloomFilter)], identities: &mut Vec<u64>) {
        let mut state = self.write();
        let mut new: Vec<(u64, &BloomFilter)> = Vec::new();
        for (identity, filter) in filters {
            identities.push(*identity);
            match state.held.get_mut(identity) {
                Some(held) => held.users += 1,
                None => {
                    let id = state.place_for(filter, &mut new);
                    state.held.insert(*identity, Held { id, shape: *filter.shape(), users: 1 });
                }
            }
        }
        state.insert_all(new);
        state.drop_unused();
    }

    /// The ids of the filters, each with the segment whose file it was.
    fn ids_of(&self, files: &[Placed<'_>]) -> Vec<(u64, usize)> {
        let state = self.read();
        let id = |file: &SealedFile| state.held.get(&file.identity()).map(|held| held.id);
        let ids = files.iter().map(|&(place, file)| (id(file).expect("all of them are held"), place));
        let mut ids: Vec<(u64, usize)> = ids.collect();
        ids.sort_unstable();
        ids
    }
}

impl State {
    /// The id of a filter that comes: that of one of its shape which nobody uses and which it replaces, or a new one under
    /// which it is to be inserted.
    fn place_for<'f>(&mut self, filter: &'f BloomFilter, new: &mut Vec<(u64, &'f BloomFilter)>) -> u64 {
        let unused = self.held.iter().find(|(_, held)| held.users == 0 && held.shape == *filter.shape());
        if let Some((&identity, _)) = unused {
            let held = self.held.remove(&identity).expect("it was found there");
            let class = self.classes.iter_mut().find(|class| class.shape() == filter.shape());
            let class = class.expect("a filter that is held is in a class");
            class.update(held.id, filter).expect("it is there, and of this shape");
            self.updated += 1;
            return held.id;
        }
        self.next_id += 1;
        new.push((self.next_id, filter));
        self.next_id
    }

    fn insert_all(&mut self, mut filters: Vec<(u64, &BloomFilter)>) {
        self.inserted += filters.len() as u64;
        while let Some(shape) = filters.last().map(|(_, filter)| *filter.shape()) {
            let (of_shape, others) = filters.into_iter().partition(|(_, filter)| *filter.shape() == shape);
            filters = others;
            let of_shape: Vec<(u64, &BloomFilter)> = of_shape;
            if !self.classes.iter().any(|class| *class.shape() == shape) {
                self.classes.push(AdaptiveBloofi::expecting(shape, expected(shape, of_shape.len())));
            }
            let class = self.classes.iter_mut().find(|class| *class.shape() == shape);
            let class = class.expect("it was just added");
            class.expect_anew(expected(shape, class.len() + of_shape.len()));
            class.insert_all(&of_shape).expect("all have this shape, and each its own id");
        }
    }

    fn drop_unused(&mut self) {
        let unused: Vec<u64> =
            self.held.iter().filter(|(_, held)| held.users == 0).map(|(&identity, _)| identity).collect();
        for identity in unused {
            let held = self.held.remove(&identity).expect("it was found there");
            for class in self.classes.iter_mut().filter(|class| *class.shape() == held.shape) {
                class.delete(held.id).expect("a filter that is held is in its class");
            }
            self.deleted += 1;
        }
        self.classes.retain(|class| !class.is_empty());
    }

    fn facts(&self) -> RoutingFilters {
        let name = |class: &AdaptiveBloofi| match class.structure() {
            Structure::Naive => "list",
            Structure::Sliced => "rows",
        };
        RoutingFilters {
            filters: self.held.len() as u64,
            memory_bytes: self.classes.iter().map(|class| class.memory_bytes() as u64).sum(),
            structures: self.classes.iter().map(name).collect(),
            inserted: self.inserted,
            updated: self.updated,
            deleted: self.deleted,
        }
    }
}

/// What a class of so many filters is to expect.
fn expected(shape: FilterShape, filters: usize) -> Expected {
    let bytes = filters * shape.bits() as usize / 8;
    Expected { sets: filters, memory_bytes_max: 2 * bytes + ID_BYTES * filters, ..Expected::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_segments_are_a_list_and_many_are_none() {
        let shape = FilterShape::new(1 << 16, 4, 0);
        let filters: Vec<(u64, BloomFilter)> = (0..80).map(|id| (id, BloomFilter::new(shape))).collect();
        // At once, or one by one.
        for step in [80, 1] {
            let shared = SharedFilters::default();
            let mut count = 0;
            for (end, is_list) in [(1, true), (8, true), (30, true), (45, false), (80, false)] {
                for filters in filters[count..end].chunks(step) {
                    shared.take_up(filters, &mut Vec::new());
                    // An index is searched far more often than it changes.
                    let (state, mut found) = (shared.read(), Vec::new());
                    (0..100).for_each(|_| state.classes[0].search(&shape.hash(b"word"), &mut found));
                }
                count = end;
                let facts = shared.read().facts();
                assert_eq!(
                    (facts.filters, facts.structures == ["list"]),
                    (count as u64, is_list),
                    "{facts:?}"
                );
                let bytes = count * shape.bits() as usize / 8;
                assert!(facts.memory_bytes as usize <= 2 * bytes + ID_BYTES * count, "{count}: {facts:?}");
            }
        }
    }

    #[test]
    fn what_nobody_uses_is_replaced_by_its_shape_and_else_deleted() {
        let (small, large) = (FilterShape::new(1 << 12, 4, 0), FilterShape::new(1 << 14, 4, 0));
        let filter = |shape: FilterShape, key: &[u8]| {
            let mut filter = BloomFilter::new(shape);
            filter.insert(&shape.hash(key));
            filter
        };
        let shared = SharedFilters::default();
        let with = |filters: &[(u64, BloomFilter)]| shared.take_up(filters, &mut Vec::new());
        let release = |identity: u64| shared.write().held.get_mut(&identity).expect("it is held").users -= 1;
        let changes = || {
            let facts = shared.read().facts();
            (facts.filters, facts.inserted, facts.updated, facts.deleted)
        };
        with(&[(1, filter(small, b"a")), (2, filter(small, b"b")), (3, filter(large, b"c"))]);
        assert_eq!(changes(), (3, 3, 0, 0));
        release(1);
        release(3);
        // Until somebody opens an index they stay.
        assert_eq!(changes(), (3, 3, 0, 0));
        with(&[(4, filter(small, b"d"))]);
        assert_eq!(changes(), (2, 3, 1, 1));
        let state = shared.read();
        let (mut found, class) = (Vec::new(), &state.classes[0]);
        for (key, identity) in [(&b"a"[..], None), (b"b", Some(2)), (b"d", Some(4))] {
            class.search(&small.hash(key), &mut found);
            let expected: Vec<u64> =
                identity.map(|identity: u64| state.held[&identity].id).into_iter().collect();
            assert_eq!(found, expected, "{key:?}");
        }
    }
}
