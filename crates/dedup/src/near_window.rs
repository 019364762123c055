//! Prints of texts in memory, and the nearest similar one at a cost that does not grow with their number.
//!
//! Method: if two SimHashes differ in at most three bits, then in at most one bit of their upper or of their lower half.
//! So a print stands in two hash tables, under either half, and a search asks each table for its own half and for the 32
//! that differ from it in one bit: 66 questions. Each place of a table has a mark of one byte, and eight of them are looked at
//! in one go, so that most questions end without a look at the table itself, and the marks of a million prints fit into a
//! cache. Beside a half stands the other one, so that only
//! those are looked at that are near as a whole; they count if the [checks](crate::row_bits::are_similar) agree.
//!
//! The SimHashes of pages are far from random: a short page consists mostly of what the other pages of its language and of
//! its template have, too. Of a million pages of forty words (`crivello lab`) most bits are the same in nine of ten, the blocks
//! of 16 bits of the textbook are the same in fourteen thousand pages on average, and halves in two hundred. Two bounds make
//! the cost constant nevertheless. Under one half stand at most [`CROWD`] prints, the first ones: of ten thousand pages
//! of a calendar each is compared with the first sixty-four, as good as any. And there are only as many prints as fit into the
//! budget: a new one takes the place of the oldest. What both cost is counted ([`NearWindow::forgotten`]), for whoever
//! compares all pages later.
//!
//! Cost: 1 to 2 µs for a search and an insert where halves are different, and up to 10 µs in a crowd, among a thousand pages
//! or among ten million (`examples/watch.rs`). A print takes 59 bytes: 20 for itself, and 39 in the tables, which are two
//! thirds full.
//!
//! After Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling" (2007), section 3, who sort a table by each of
//! several blocks and look at n / 2^b prints; that form is [`crate::hamming`]. To ask for neighbours of a key
//! instead of keeping the print under more keys is the idea of Lv et al., "Multi-Probe LSH" (VLDB 2007), and marks are those of
//! the "Swiss tables" of Abseil (Kulukundis, CppCon 2017), without their tombstones.

use page::NearPrint;

use crate::hamming::Near;
use crate::mix::GOLDEN;
use crate::row_bits::are_similar;

/// SimHashes of near copies differ in at most so many bits of 64 (Manku, Jain, Das Sarma 2007).
pub const COPY_DISTANCE_MAX: u32 = 3;

/// At most so many prints stand under one half.
const CROWD: usize = 64;

/// Those that stand under one half stand together in groups of so many: each is a jump in memory and then a walk.
const GROUP: usize = 32;

/// A window is at least so long, whatever the budget.
const ENTRIES_MIN: usize = 4096;

/// What a print takes: itself, its number, and two places in tables that are two thirds full.
const ENTRY_BYTES: usize = size_of::<NearPrint>() + size_of::<u32>() + 3 * (size_of::<Place>() + 1);

/// The newest prints.
#[derive(Debug)]
pub(crate) struct NearWindow {
    entries_max: usize,
    /// A ring: entry e is the newest of those whose number of arrival is e modulo the length.
    prints: Vec<NearPrint>,
    /// What each was inserted with.
    ids: Vec<u32>,
    arrived: u64,
    crowded_out: u64,
    /// By the upper half, and by the lower.
    tables: [HalfTable; 2],
}

impl NearWindow {
    /// An empty window that takes about so much memory once it is full.
    pub(crate) fn new(memory_bytes_max: usize) -> Self {
        Self::of_entries((memory_bytes_max / ENTRY_BYTES).max(ENTRIES_MIN), CROWD)
    }

    fn of_entries(entries_max: usize, crowd: usize) -> Self {
        let table = || HalfTable { groups_max: (crowd / GROUP) as u32, ..HalfTable::default() };
        Self {
            entries_max: entries_max.min(u32::MAX as usize),
            prints: Vec::new(),
            ids: Vec::new(),
            arrived: 0,
            crowded_out: 0,
            tables: [table(), table()],
        }
    }

    /// Of all prints of similar texts that with the nearest SimHash, and of these the one with the smallest id.
    pub(crate) fn nearest(&self, print: NearPrint) -> Option<Near> {
        let mut nearest = None::<Near>;
        for (table, (half, other)) in self.tables.iter().zip(halves(print)) {
            let mut see = |entry: u32, distance: u32| {
                let found = Near { distance, id: self.ids[entry as usize] };
                if nearest.is_none_or(|nearest| found < nearest)
                    && are_similar(print.check, self.prints[entry as usize].check)
                {
                    nearest = Some(found);
                }
            };
            table.find_around(half, other, &mut see);
        }
        nearest
    }

    /// Adds a print. If the window is full, the oldest goes.
    pub(crate) fn insert(&mut self, print: NearPrint, id: u32) {
        let entry = (self.arrived % self.entries_max as u64) as u32;
        self.arrived += 1;
        if let Some(place) = self.prints.get_mut(entry as usize) {
            let oldest = std::mem::replace(place, print);
            self.ids[entry as usize] = id;
            for (table, (half, _)) in self.tables.iter_mut().zip(halves(oldest)) {
                table.remove(half, entry);
            }
        } else {
            self.make_room();
            self.prints.push(print);
            self.ids.push(id);
        }
        let mut is_found = false;
        for (table, (half, other)) in self.tables.iter_mut().zip(halves(print)) {
            is_found |= table.insert(half, other, entry);
        }
        self.crowded_out += u64::from(!is_found);
    }

    /// Makes everything longer before the tables are more than two thirds full. Nobody has left yet, so whoever came first is
    /// again the first of a crowd.
    fn make_room(&mut self) {
        if self.tables[0].places.len() * 2 >= (self.prints.len() + 1) * 3 {
            return;
        }
        let entries = (self.prints.len() * 2).clamp(1024.min(self.entries_max), self.entries_max);
        let more = entries - self.prints.len();
        self.prints.reserve_exact(more);
        self.ids.reserve_exact(more);
        for (side, table) in self.tables.iter_mut().enumerate() {
            table.empty(entries * 3 / 2 + 1);
            for (print, entry) in self.prints.iter().zip(0..) {
                let (half, other) = halves(*print)[side];
                table.insert(half, other, entry);
            }
        }
    }

    /// Prints that later ones are not compared with any more, or never were.
    pub(crate) fn forgotten(&self) -> u64 {
        self.arrived - self.prints.len() as u64 + self.crowded_out
    }

    /// The memory in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        let tables: usize = self.tables.iter().map(HalfTable::memory_bytes).sum();
        self.prints.capacity() * (size_of::<NearPrint>() + size_of::<u32>()) + tables
    }
}

/// The upper half of a SimHash and the lower, each with the other one.
fn halves(print: NearPrint) -> [(u32, u32); 2] {
    let (upper, lower) = ((print.simhash >> 32) as u32, print.simhash as u32);
    [(upper, lower), (lower, upper)]
}

/// A half, and those that differ from it in one bit.
const ASKED: usize = 1 + u32::BITS as usize;

/// So many marks are looked at in one go.
const MARKS: usize = size_of::<u64>();

/// The highest bit of each of so many marks. It is set where a place is taken.
const TAKEN: u64 = 0x8080_8080_8080_8080;

/// The lowest bit of each.
const LOWEST: u64 = 0x0101_0101_0101_0101;

/// Entries by one half of their SimHash, in a table with open addressing: the first free place from the one on that the
/// tag names. What is removed is filled by what stands behind it, so that a search may end at an empty place.
///
/// A half that many have would make a long row in which others get lost. So they stand in groups, each with a tag and a place of
/// its own, and all groups but the last are full.
#[derive(Debug, Default)]
struct HalfTable {
    places: Vec<Place>,
    /// One for each place: nothing if it is free, else seven bits of its tag's hash. Behind the last the first ones stand again,
    /// so that some can be read from any place on.
    marks: Vec<u8>,
    groups_max: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The half and the number of the group, in one.
    tag: u32,
    other: u32,
    entry: u32,
}

/// Two halves may have groups of the same tag: then a few more are looked at, or a few fewer kept.
#[inline(always)]
fn tag(half: u32, group: u32) -> u32 {
    half.wrapping_add(group.wrapping_mul(0x9e37_79b9))
}

/// Are at most so many bits set? Most often not: to take them away one by one is faster than to count them all, on machines
/// that have no instruction for that and on those of which that is not known.
#[inline(always)]
fn has_ones_up_to(ones_max: u32, bits: u32) -> bool {
    (0..ones_max).fold(bits, |bits, _| bits & bits.wrapping_sub(1)) == 0
}

/// The highest bits of those marks that are of free places.
#[inline(always)]
fn free(marks: u64) -> u64 {
    !marks & TAKEN
}

/// The highest bits of those that are the same as one, up to the first free place: what is behind it is of others. Above one that
/// is the same another may be told that is not, so tags decide.
#[inline(always)]
fn alike(marks: u64, mark: u8) -> u64 {
    let differences = marks ^ (LOWEST * u64::from(mark));
    let equal = differences.wrapping_sub(LOWEST) & !differences & TAKEN;
    let first_free = free(marks) & free(marks).wrapping_neg();
    equal & first_free.wrapping_sub(1)
}

/// Of which mark the lowest bit is.
#[inline(always)]
fn first(bits: u64) -> usize {
    bits.trailing_zeros() as usize / 8
}

/// Where a tag would stand if all places were free, and its mark.
#[derive(Debug, Clone, Copy)]
struct Home {
    place: usize,
    mark: u8,
}

impl HalfTable {
    /// Makes room for so many, all free.
    fn empty(&mut self, places: usize) {
        // With fewer the same mark would be read twice in one go.
        let places = places.max(MARKS);
        (self.places, self.marks) = (Vec::new(), Vec::new());
        self.places.resize(places, Place::default());
        self.marks.resize(places + MARKS - 1, 0);
    }

    fn memory_bytes(&self) -> usize {
        self.places.capacity() * size_of::<Place>() + self.marks.capacity()
    }

    /// Halves are not random, their products are.
    #[inline(always)]
    fn home(&self, tag: u32) -> Home {
        let mixed = u64::from(tag).wrapping_add(1).wrapping_mul(GOLDEN) >> 32;
        let place = ((mixed * self.places.len() as u64) >> 32) as usize;
        Home { place, mark: 0x80 | mixed as u8 }
    }

    /// The place so many behind another; fewer than there are.
    #[inline(always)]
    fn behind(&self, place: usize, steps: usize) -> usize {
        let place = place + steps;
        if place >= self.places.len() { place - self.places.len() } else { place }
    }

    /// The marks from a place on, the first in the lowest byte.
    #[inline(always)]
    fn marks_from(&self, place: usize) -> u64 {
        let marks = &self.marks[place..place + MARKS];
        u64::from_le_bytes(marks.try_into().expect("as many as a number has bytes"))
    }

    fn set_mark(&mut self, place: usize, mark: u8) {
        self.marks[place] = mark;
        if place < MARKS - 1 {
            let again = self.places.len() + place;
            self.marks[again] = mark;
        }
    }

    fn put(&mut self, at: usize, place: Place) {
        let mark = self.home(place.tag).mark;
        self.places[at] = place;
        self.set_mark(at, mark);
    }

    /// Shows the places of a group. Returns how many there are, and the free place behind them.
    #[inline(always)]
    fn walk(&self, tag: u32, mut see: impl FnMut(usize, Place)) -> (usize, usize) {
        let home = self.home(tag);
        let (mut at, mut count) = (home.place, 0);
        loop {
            let marks = self.marks_from(at);
            let mut alike = alike(marks, home.mark);
            while alike != 0 {
                let place = self.behind(at, first(alike));
                if self.places[place].tag == tag {
                    see(place, self.places[place]);
                    count += 1;
                }
                alike &= alike - 1;
            }
            if free(marks) != 0 {
                return (count, self.behind(at, first(free(marks))));
            }
            at = self.behind(at, MARKS);
        }
    }

    /// Tells all entries under a half, and under those that differ from it in one bit, that are near as a whole, with their
    /// distance.
    #[inline(always)]
    fn find_around(&self, half: u32, other: u32, see: &mut impl FnMut(u32, u32)) {
        if self.places.is_empty() {
            return;
        }
        // All are asked for before the first answer is looked at: they are far apart in memory, and so come together.
        let halves: [u32; ASKED] =
            std::array::from_fn(|number| if number == 0 { half } else { half ^ 1 << (number - 1) });
        let may_be_there = halves.map(|half| {
            let home = self.home(tag(half, 0));
            let marks = self.marks_from(home.place);
            // Where there is no free place the row goes on.
            alike(marks, home.mark) != 0 || free(marks) == 0
        });
        for (number, (half, may_be_there)) in halves.into_iter().zip(may_be_there).enumerate() {
            if may_be_there {
                self.find(half, other, u32::from(number > 0), see);
            }
        }
    }

    /// The same for one half; `flips` is how far it is from that of the question.
    #[inline(always)]
    fn find(&self, half: u32, other: u32, flips: u32, see: &mut impl FnMut(u32, u32)) {
        for group in 0..self.groups_max {
            let (count, _) = self.walk(tag(half, group), |_, place| {
                let difference = place.other ^ other;
                if has_ones_up_to(COPY_DISTANCE_MAX - flips, difference) {
                    see(place.entry, difference.count_ones() + flips);
                }
            });
            if count < GROUP {
                break;
            }
        }
    }

    /// Adds an entry, unless there is a crowd. There must be a free place.
    fn insert(&mut self, half: u32, other: u32, entry: u32) -> bool {
        for group in 0..self.groups_max {
            let tag = tag(half, group);
            let (count, free) = self.walk(tag, |_, _| {});
            if count < GROUP {
                self.put(free, Place { tag, other, entry });
                return true;
            }
        }
        false
    }

    /// Removes an entry if it is there. The last one under its half takes its place.
    fn remove(&mut self, half: u32, entry: u32) {
        let (mut hole, mut last) = (None, None);
        for group in 0..self.groups_max {
            let (count, _) = self.walk(tag(half, group), |at, place| {
                last = Some(at);
                hole = if place.entry == entry { Some(at) } else { hole };
            });
            if count < GROUP {
                break;
            }
        }
        let (Some(hole), Some(last)) = (hole, last) else { return };
        let Place { other, entry, .. } = self.places[last];
        self.places[hole] = Place { other, entry, ..self.places[hole] };
        self.free(last);
    }

    /// Empties a place, and moves up whoever would be cut off from its home by that.
    fn free(&mut self, mut hole: usize) {
        let length = self.places.len();
        let mut at = self.behind(hole, 1);
        while self.marks[at] != 0 {
            let from_home = (at + length - self.home(self.places[at].tag).place) % length;
            let from_hole = (at + length - hole) % length;
            if from_home >= from_hole {
                self.put(hole, self.places[at]);
                hole = at;
            }
            at = self.behind(at, 1);
        }
        self.set_mark(hole, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// A crowd that is soon there.
    const CROWD_HERE: usize = 64;

    /// The same window as a list.
    #[derive(Default)]
    struct Model {
        entries_max: usize,
        entries: VecDeque<Entry>,
        forgotten: u64,
    }

    struct Entry {
        print: NearPrint,
        id: u32,
        /// Under which halves it is found.
        stands: [bool; 2],
    }

    impl Model {
        fn insert(&mut self, print: NearPrint, id: u32) {
            if self.entries.len() == self.entries_max {
                self.entries.pop_front();
                self.forgotten += 1;
            }
            let stands = [0, 1].map(|side| {
                let stands_there = |entry: &&Entry| {
                    entry.stands[side] && halves(entry.print)[side].0 == halves(print)[side].0
                };
                self.entries.iter().filter(stands_there).count() < CROWD_HERE
            });
            self.forgotten += u64::from(stands == [false, false]);
            self.entries.push_back(Entry { print, id, stands });
        }

        fn nearest(&self, print: NearPrint) -> Option<Near> {
            let near = self.entries.iter().filter_map(|entry| {
                let is_asked = |side: usize| {
                    let difference = halves(entry.print)[side].0 ^ halves(print)[side].0;
                    entry.stands[side] && difference.count_ones() <= 1
                };
                let distance = (entry.print.simhash ^ print.simhash).count_ones();
                let is_near = distance <= COPY_DISTANCE_MAX && are_similar(entry.print.check, print.check);
                (is_near && (is_asked(0) || is_asked(1))).then_some(Near { distance, id: entry.id })
            });
            near.min()
        }
    }

    fn print(centre: u64, flips: &[u32], check: u64) -> NearPrint {
        let simhash = flips.iter().fold(crate::mix::scramble(centre), |bits, flip| bits ^ 1 << flip);
        NearPrint { simhash, check }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_window_answers_as_a_list_of_the_newest(
            entries_max in 1usize..300,
            texts in prop::collection::vec(
                (0u64..2, prop::collection::vec(0u32..64, 0..6), 0u64..32), 1..600
            ),
        ) {
            let mut window = NearWindow::of_entries(entries_max, CROWD_HERE);
            let mut model = Model { entries_max, ..Model::default() };
            for ((centre, flips, check), id) in texts.iter().zip(0u32..) {
                // Ids need not grow.
                let (print, id) = (print(*centre, flips, *check), id ^ 5);
                prop_assert_eq!(window.nearest(print), model.nearest(print));
                window.insert(print, id);
                model.insert(print, id);
                prop_assert_eq!(window.forgotten(), model.forgotten);
            }
        }
    }

    #[test]
    fn whatever_differs_in_three_bits_is_found_among_many_and_in_four_is_not() {
        let mut window = NearWindow::new(8 << 20);
        for id in 0..100_000u32 {
            window.insert(print(u64::from(id), &[], u64::MAX), id);
        }
        assert_eq!(window.forgotten(), 0);
        for id in (0..100_000u32).step_by(37) {
            let mut flips = [0, 17, 34, 51].map(|step| (id * 7 + step * 5) % 64);
            flips.rotate_left(id as usize % 4);
            for distance in 0..=4 {
                let found = window.nearest(print(u64::from(id), &flips[..distance], u64::MAX));
                let expected = Near { distance: distance as u32, id };
                assert_eq!(found, (distance <= 3).then_some(expected), "{flips:?}");
            }
        }
        // Whichever bit it is in which one of the halves differs.
        for bit in 0..64 {
            let flips = [bit, (bit + 32) % 64, (bit & 32 ^ 32) + (bit + 9) % 32];
            let found = window.nearest(print(u64::from(bit), &flips, u64::MAX));
            assert_eq!(found, Some(Near { distance: 3, id: bit }), "{flips:?}");
        }
    }

    #[test]
    fn a_window_keeps_to_its_budget_and_to_the_newest_prints() {
        let budget = 1 << 20;
        let mut window = NearWindow::new(budget);
        for id in 0..100_000u32 {
            window.insert(print(u64::from(id), &[], 0), id);
            assert!(window.memory_bytes() <= budget + budget / 50, "{} bytes", window.memory_bytes());
        }
        let kept = (budget / ENTRY_BYTES) as u32;
        assert_eq!(window.forgotten(), u64::from(100_000 - kept));
        let is_found = |id: u32| window.nearest(print(u64::from(id), &[], 0)).is_some();
        assert!((100_000 - kept..100_000).all(is_found));
        assert!(!(0..100_000 - kept).any(is_found));
    }

    #[test]
    fn of_a_crowd_the_first_are_kept_and_others_are_found_beside_them() {
        let mut window = NearWindow::new(1 << 20);
        // A calendar: all the same but for a few bits of the lower half.
        for day in 0..10_000u32 {
            window.insert(NearPrint { simhash: 7 << 32 | u64::from(day % 8), check: 0b1111 }, day);
        }
        // Each of the eight lower halves has its crowd.
        assert_eq!(window.forgotten(), 10_000 - 8 * CROWD as u64);
        let nearest = window.nearest(NearPrint { simhash: 7 << 32, check: 0b1111 });
        assert_eq!(nearest, Some(Near { distance: 0, id: 0 }));
    }
}
