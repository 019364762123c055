//! The adaptive index: whichever structure is the cheapest now.
//!
//! The rule. For each structure [`Traits::cost_ns`] estimates a search and an update from the number of filters, their
//! size, probes and fill, and for the tree the fill of an OR of similar filters (the nodes just above the leaves), which
//! is where clustering shows. The costs are weighted with the searches and updates (deletes count as updates) of late.
//! There are two occasions to change over to the cheapest structure:
//!
//! * growth: when the number of filters has grown by a quarter, if that saves a seventh. The work is paid by the inserts.
//! * drift of the mix: what the present structure has cost more than the cheapest one would have is summed up, and when
//!   it reaches the work of changing over, that is done. So no mix of operations costs more than about twice what it
//!   would have cost with the right structure from the start, and a mix that swings to and fro changes nothing.
//!
//! A search cannot change the structure; who only searches calls [`AdaptiveBloofi::adapt`] when it suits.
//!
//! The constants were fitted to `crivello bench filter --plots` (AMD EPYC of family 25, one core, CPU time, November 2026), N
//! from 10 to 100,000, fills of 1, 10 and 50 %, clustered and random, structures measured in turns and the best of eight.
//! What it says there: for searches alone, columns of 64 below some 150 filters and rows above, always; the list and the
//! tree are only ever best if there are updates: the list from about ten of them per search on, the tree for sparse or
//! clustered filters with as many updates as searches. The structure that was chosen took at most 1.11 times what the
//! best one took, and counting searches adds about 3 % to a search. (The same structure built twice differs by up to 1.8
//! times at N = 100,000 on that machine, which is shared and has 4 KiB pages: more cannot be told there.)
//!
//! The thesis proposes such an index as future work (chapter 6.3).

use std::sync::atomic::{AtomicU64, Ordering};

use super::{BloofiTree, FilterIndex, FlatBloofi, IndexError, NaiveIndex, SlicedBloofi};
use crate::{BloomFilter, FilterShape, KeyHash};

/// The order of a tree that is chosen: wider ones are lower, narrower ones have emptier nodes.
const TREE_ORDER: usize = 8;

/// Children of an inner node, between d and 2d.
const TREE_CHILDREN: f64 = 11.0;

/// Another structure must cost less than this share of the present one.
const COST_SHARE_MAX: f64 = 0.86;

/// Changes between two looks at the mix, at least.
const LOOK_CHANGES_MIN: u64 = 16;

/// Searches that are taken for granted before there were any: who builds an index will ask it.
const SEARCHES_EXPECTED: f64 = 64.0;

/// Filters that are read to see whether sets cluster.
const SAMPLE_FILTERS: usize = 96;

/// What an adaptive index can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// [`NaiveIndex`].
    Naive,
    /// [`BloofiTree`].
    Tree,
    /// [`FlatBloofi`].
    Flat,
    /// [`SlicedBloofi`].
    Sliced,
}

impl Structure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Naive, Self::Tree, Self::Flat, Self::Sliced];
}

/// What the choice depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traits {
    /// The number of filters.
    pub sets: usize,
    /// Their shape.
    pub shape: FilterShape,
    /// The share of set bits in a filter.
    pub fill: f64,
    /// The share of set bits in the OR of about eleven similar filters.
    pub group_fill: f64,
}

impl Traits {
    /// The estimated nanoseconds of a search and of an update.
    pub fn cost_ns(&self, structure: Structure) -> (f64, f64) {
        let (sets, probes, bits) =
            (self.sets as f64, f64::from(self.shape.probes()), self.shape.bits() as f64);
        let words = bits / 64.0;
        let found = sets * self.fill.powf(probes);
        // How much slower memory is than L2, for accesses far apart.
        let far = |bytes: f64| -> f64 {
            if bytes < 1e6 {
                1.0
            } else if bytes < 16e6 {
                1.4
            } else {
                6.0
            }
        };
        let index_bytes = sets * bits / 8.0;
        // A filter costs little if its first bits are surely 0, and a mispredicted branch if they may be.
        let look = far(index_bytes).min(3.0) * (1.0 + 18.0 * self.fill);
        match structure {
            Structure::Naive => (10.0 + sets * look, 30.0 + 0.3 * words),
            Structure::Tree => {
                (20.0 + (4.0 + look) * self.tree_visits(), 100.0 + 1.6 * words * sets.max(2.0).log10() * 2.0)
            }
            Structure::Flat => {
                let blocks = (sets / 64.0).ceil();
                (9.0 + blocks * probes * 0.8 * far(index_bytes) + 8.0 * found, 50.0 + 0.37 * bits)
            }
            Structure::Sliced => {
                let words = (sets / 64.0).ceil();
                let row = if words <= 4.0 { words * 0.8 } else { 1.5 + words * 0.12 };
                (
                    16.0 + probes * row * far(index_bytes).min(2.0) + 6.0 * found,
                    50.0 + 0.8 * bits * far(index_bytes),
                )
            }
        }
    }

    /// How many nodes of a tree a search looks at: level by level, the children of those that match.
    fn tree_visits(&self) -> f64 {
        let probes = f64::from(self.shape.probes());
        let mut nodes = self.sets as f64;
        let mut fill = self.group_fill;
        let mut visits = 1.0;
        while nodes > 1.0 {
            visits += (nodes * fill.powf(probes)).max(TREE_CHILDREN.min(nodes));
            nodes /= TREE_CHILDREN;
            fill = 1.0 - (1.0 - fill).powf(TREE_CHILDREN);
        }
        visits
    }

    /// The structure with the least cost for this many searches and updates, and every cost.
    fn cheapest(&self, searches: f64, updates: f64) -> (Structure, [f64; 4]) {
        let costs = Structure::ALL.map(|structure| {
            let (search, update) = self.cost_ns(structure);
            searches * search + updates * update
        });
        let best = (0..costs.len()).min_by(|left, right| costs[*left].total_cmp(&costs[*right]));
        (Structure::ALL[best.expect("there are four")], costs)
    }
}

/// An index that changes its structure with its content and use, see the module.
#[derive(Debug)]
pub struct AdaptiveBloofi {
    inner: Inner,
    /// Of filters that came lately.
    fill: f64,
    /// Since the last look; counted without a lock, so a few are lost when threads search together.
    searches: AtomicU64,
    updates: u64,
    changes: u64,
    /// Before the last look, fading.
    past_searches: f64,
    past_updates: f64,
    /// The number of filters at which growth was last looked at.
    grown_to: usize,
    /// What the present structure has cost too much since it was chosen, in nanoseconds.
    regret_ns: f64,
    /// The last [`Traits::group_fill`] that was measured, and how many changes ago.
    group_fill: Option<(f64, u64)>,
}

#[derive(Debug)]
enum Inner {
    Naive(NaiveIndex),
    Tree(BloofiTree),
    Flat(FlatBloofi),
    Sliced(SlicedBloofi),
}

impl Inner {
    fn new(structure: Structure, shape: FilterShape, sets: usize) -> Self {
        match structure {
            Structure::Naive => Self::Naive(NaiveIndex::new(shape)),
            Structure::Tree => Self::Tree(BloofiTree::new(shape, TREE_ORDER)),
            Structure::Flat => Self::Flat(FlatBloofi::new(shape)),
            Structure::Sliced => Self::Sliced(SlicedBloofi::with_capacity(shape, sets)),
        }
    }

    #[inline]
    fn as_index(&self) -> &dyn FilterIndex {
        match self {
            Self::Naive(index) => index,
            Self::Tree(index) => index,
            Self::Flat(index) => index,
            Self::Sliced(index) => index,
        }
    }

    fn as_index_mut(&mut self) -> &mut dyn FilterIndex {
        match self {
            Self::Naive(index) => index,
            Self::Tree(index) => index,
            Self::Flat(index) => index,
            Self::Sliced(index) => index,
        }
    }
}

impl AdaptiveBloofi {
    /// An index without filters.
    pub fn new(shape: FilterShape) -> Self {
        Self {
            inner: Inner::new(Structure::Naive, shape, 0),
            fill: 0.0,
            searches: AtomicU64::new(0),
            updates: 0,
            changes: 0,
            past_searches: 0.0,
            past_updates: 0.0,
            grown_to: 0,
            regret_ns: 0.0,
            group_fill: None,
        }
    }

    /// What it is made of now.
    pub fn structure(&self) -> Structure {
        match self.inner {
            Inner::Naive(_) => Structure::Naive,
            Inner::Tree(_) => Structure::Tree,
            Inner::Flat(_) => Structure::Flat,
            Inner::Sliced(_) => Structure::Sliced,
        }
    }

    /// What the choice would depend on now. Reads some filters to see whether sets cluster.
    pub fn traits(&self) -> Traits {
        Traits { group_fill: self.measured_group_fill(), ..self.quick_traits() }
    }

    /// Becomes the structure that is the cheapest for the operations of late, if it is clearly cheaper.
    pub fn adapt(&mut self) {
        self.close_window();
        self.group_fill = None;
        let (best, costs) = self.cheapest();
        if costs[best as usize] < costs[self.structure() as usize] * COST_SHARE_MAX {
            self.become_structure(best);
        }
    }

    /// Growth: the old structure may no longer fit.
    fn look_at_growth(&mut self) {
        self.grown_to = self.len();
        let (best, costs) = self.cheapest();
        if costs[best as usize] < costs[self.structure() as usize] * COST_SHARE_MAX {
            self.become_structure(best);
        }
    }

    /// Drift: sums up what another structure would have saved, and changes over when that pays for the work.
    fn look_at_mix(&mut self) {
        let (searches, updates) = self.close_window();
        let (best, costs) = self.cheapest();
        let traits = self.quick_traits();
        if costs[best as usize] >= costs[self.structure() as usize] * COST_SHARE_MAX {
            self.regret_ns /= 2.0;
            return;
        }
        let cost = |structure| {
            let (search, update) = traits.cost_ns(structure);
            searches * search + updates * update
        };
        self.regret_ns += (cost(self.structure()) - cost(best)).max(0.0);
        // To read a filter out costs about as much as to put it in.
        let work_each = traits.cost_ns(self.structure()).1 + traits.cost_ns(best).1;
        if self.regret_ns >= work_each * self.len() as f64 {
            self.become_structure(best);
        }
    }

    /// Moves the operations since the last look to the past, and returns them.
    fn close_window(&mut self) -> (f64, f64) {
        let searches = std::mem::take(self.searches.get_mut()) as f64;
        let updates = std::mem::take(&mut self.updates) as f64;
        self.past_searches = self.past_searches / 2.0 + searches;
        self.past_updates = self.past_updates / 2.0 + updates;
        if let Some((_, age)) = &mut self.group_fill {
            *age += self.changes;
        }
        self.changes = 0;
        (searches, updates)
    }

    /// The cheapest structure for the operations of late, and what each would cost.
    fn cheapest(&mut self) -> (Structure, [f64; 4]) {
        let (mut searches, updates) = (self.past_searches, self.past_updates + self.updates as f64);
        // What is expected gives way to what was seen.
        searches += SEARCHES_EXPECTED * SEARCHES_EXPECTED / (SEARCHES_EXPECTED + searches + updates);
        let mut traits = self.quick_traits();
        // Filters are read only if the tree would be best of all were they as similar as can be, and rarely.
        let at_best = Traits { group_fill: self.fill, ..traits };
        if at_best.cheapest(searches, updates).0 == Structure::Tree {
            if self.group_fill.is_none_or(|(_, age)| age > self.len() as u64) {
                self.group_fill = Some((self.measured_group_fill(), 0));
            }
            traits.group_fill = self.group_fill.map_or(traits.group_fill, |(fill, _)| fill);
        }
        traits.cheapest(searches, updates)
    }

    /// Changes over to a structure, with the same filters.
    pub fn become_structure(&mut self, structure: Structure) {
        if structure == self.structure() {
            return;
        }
        let old = self.inner.as_index();
        let mut new = Inner::new(structure, *old.shape(), old.len());
        for id in old.ids() {
            let filter = old.filter(id).expect("it lists this id");
            new.as_index_mut().insert(id, &filter).expect("ids differ and filters have one shape");
        }
        self.inner = new;
        self.regret_ns = 0.0;
    }

    fn quick_traits(&self) -> Traits {
        let independent = 1.0 - (1.0 - self.fill).powf(TREE_CHILDREN);
        Traits { sets: self.len(), shape: *self.shape(), fill: self.fill, group_fill: independent }
    }

    /// The fill of the OR of similar filters: in a tree, of the nodes above the leaves; else of some filters with those
    /// that are most similar in a sample. A sample misses the neighbours of small clusters among many and then says
    /// random, which is the careful answer.
    fn measured_group_fill(&self) -> f64 {
        if let Inner::Tree(tree) = &self.inner {
            return tree.level_one_fill();
        }
        let index = self.inner.as_index();
        let ids = index.ids();
        let spread = ids.iter().step_by((ids.len() / SAMPLE_FILTERS).max(1)).take(SAMPLE_FILTERS);
        let mut sample: Vec<BloomFilter> = spread.filter_map(|id| index.filter(*id)).collect();
        let centre_count = 4.min(sample.len());
        let mut fills = 0.0;
        for centre in 0..centre_count {
            sample.swap(0, centre);
            let (first, others) = sample.split_first_mut().expect("there is a centre");
            others.sort_by_cached_key(|other| first.distance(other).expect("filters of one shape"));
            let mut group = first.clone();
            for other in others.iter().take(TREE_CHILDREN as usize - 1) {
                group.union_with(other).expect("filters of one shape");
            }
            fills += group.fill();
        }
        fills / centre_count.max(1) as f64
    }

    fn count_change(&mut self, is_update: bool) {
        self.updates += u64::from(is_update);
        self.changes += 1;
        if self.len() > self.grown_to + self.grown_to / 4 {
            self.look_at_growth();
        }
        if self.changes >= LOOK_CHANGES_MIN.max(self.len() as u64 / 4) {
            self.look_at_mix();
            self.grown_to = self.grown_to.min(self.len());
            if let Inner::Sliced(index) = &mut self.inner {
                index.compact_worn();
            }
        }
    }

    #[inline]
    fn count_search(&self) {
        // Not `fetch_add`: a locked instruction would be a fifth of a search.
        self.searches.store(self.searches.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

impl FilterIndex for AdaptiveBloofi {
    fn shape(&self) -> &FilterShape {
        self.inner.as_index().shape()
    }

    fn insert(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        self.inner.as_index_mut().insert(id, filter)?;
        let weight = 1.0 / (self.len() as f64).min(64.0);
        self.fill += (filter.fill() - self.fill) * weight;
        self.count_change(false);
        Ok(())
    }

    fn delete(&mut self, id: u64) -> Result<(), IndexError> {
        self.inner.as_index_mut().delete(id)?;
        self.count_change(true);
        Ok(())
    }

    fn update(&mut self, id: u64, filter: &BloomFilter) -> Result<(), IndexError> {
        self.inner.as_index_mut().update(id, filter)?;
        self.count_change(true);
        Ok(())
    }

    #[inline]
    fn search_all(&self, keys: &[KeyHash], ids: &mut Vec<u64>) {
        self.count_search();
        match &self.inner {
            Inner::Naive(index) => index.search_all(keys, ids),
            Inner::Tree(index) => index.search_all(keys, ids),
            Inner::Flat(index) => index.search_all(keys, ids),
            Inner::Sliced(index) => index.search_all(keys, ids),
        }
    }

    fn filter(&self, id: u64) -> Option<BloomFilter> {
        self.inner.as_index().filter(id)
    }

    fn contains_id(&self, id: u64) -> bool {
        self.inner.as_index().contains_id(id)
    }

    fn len(&self) -> usize {
        self.inner.as_index().len()
    }

    fn memory_bytes(&self) -> usize {
        self.inner.as_index().memory_bytes()
    }

    fn ids(&self) -> Vec<u64> {
        self.inner.as_index().ids()
    }
}
