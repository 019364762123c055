//! Prints of texts in memory, and the nearest similar one at a cost that does not grow with their number.
//!
//! The SimHashes of pages are far from random: a short page consists mostly of what the other pages of its language and
//! of its template have, too. Of a million pages of the fake web (`crivello lab`, about 70 words) most bits are the
//! same in nine of ten, halves in three hundred pages on average, and 350 pages are within three bits of one. Whoever
//! looks for neighbours by the SimHash alone, as the textbook does, looks at a number of pages that grows with the
//! collection. The check of the same pages is nearly random: of 64 bits one page has what another has by chance alone.
//!
//! Method: so a print stands in four hash tables, under a key of both: a quarter of its check, 16 bits, and ten of the
//! 16 bits of that quarter of its SimHash. A search asks each table for its own key and for the 16 that differ in one
//! bit of the check: 68 questions. Two prints whose SimHashes differ in s bits and whose checks in d meet for sure if d
//! < 2 · (4 - s): s bits spoil s quarters at most, and of those that remain one has at most one bit of d. Others meet
//! by luck: of near copies in the fake web (d is up to 8, s up to 3) 98 of 100 do. What meets counts if the SimHashes
//! are near and the [checks](crate::row_bits::are_similar) agree.
//!
//! A key names a line of a table, one cache line with room for eight prints, the newest: so a question is one look at
//! memory, however many there are, and all 68 are asked for before the first answer is read. Beside the number of a
//! print stand a mark of its key and 24 other bits of its SimHash, so that few prints are looked at that are not near.
//! A new print takes the place of the eighth of its line. It is gone when that has happened in all four tables; of ten
//! thousand pages of a calendar each is compared with the newest, as good as any. And there are only as many prints as
//! fit into the budget: a new one takes the place of the oldest. What both cost is counted ([`NearWindow::forgotten`]),
//! for whoever compares all pages later.
//!
//! Cost: 1 µs for a search and an insert while all lines fit into a cache, and 3 µs when they do not, among a million
//! pages or among ten (`examples/watch.rs`). A print takes 61 bytes: 21 for itself, and 40 in the tables, whose lines
//! are four fifths full.
//!
//! After Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling" (2007), section 3, who sort a table by
//! each of several blocks of the SimHash and look at n / 2^b prints; that form is [`crate::hamming`]. Tables by both
//! halves of the SimHash, asked for one bit more, with up to 64 prints under one half, cost 2 µs a page among a hundred
//! thousand pages of the fake web and 23 µs among a million, and found 92 of 100. To ask for neighbours of a key
//! instead of keeping the print under more keys is the idea of Lv et al., "Multi-Probe LSH" (VLDB 2007); lines that
//! forget are those of a cache with eight ways.

use page::NearPrint;

use crate::hamming::{Near, prefetch};
use crate::mix::scramble;
use crate::row_bits::are_similar;

/// SimHashes of near copies differ in at most so many bits of 64 (Manku, Jain, Das Sarma 2007).
pub const COPY_DISTANCE_MAX: u32 = 3;

/// A window is at least so long, whatever the budget.
const ENTRIES_MIN: usize = 4096;

/// What a print takes: itself, its number, in how many tables it stands, and its part of their lines.
const ENTRY_BYTES: usize = size_of::<NearPrint>()
    + size_of::<u32>()
    + size_of::<u8>()
    + QUARTERS * size_of::<Line>() * LINES_PER_ENTRIES.0 / LINES_PER_ENTRIES.1;

/// So many lines of a table for so many entries: four fifths of the places are taken when the window is full.
const LINES_PER_ENTRIES: (usize, usize) = (5, 32);

/// The newest prints.
#[derive(Debug)]
pub(crate) struct NearWindow {
    entries_max: usize,
    /// A ring: entry e is the newest of those whose number of arrival is e modulo the length.
    prints: Vec<NearPrint>,
    /// What each was inserted with.
    ids: Vec<u32>,
    /// In how many tables each stands.
    stands: Vec<u8>,
    arrived: u64,
    crowded_out: u64,
    /// By each quarter.
    tables: [LineTable; QUARTERS],
    /// Room for what a search finds.
    candidates: Vec<u32>,
}

impl NearWindow {
    /// An empty window that takes about so much memory once it is full.
    pub(crate) fn new(memory_bytes_max: usize) -> Self {
        Self::of_entries((memory_bytes_max / ENTRY_BYTES).max(ENTRIES_MIN))
    }

    fn of_entries(entries_max: usize) -> Self {
        Self {
            entries_max: entries_max.min(u32::MAX as usize),
            prints: Vec::new(),
            ids: Vec::new(),
            stands: Vec::new(),
            arrived: 0,
            crowded_out: 0,
            tables: Default::default(),
            candidates: Vec::new(),
        }
    }

    /// Of all prints of similar texts that it meets that with the nearest SimHash, and of these the one with the
    /// smallest id.
    pub(crate) fn nearest(&mut self, print: NearPrint) -> Option<Near> {
        if self.prints.is_empty() {
            return None;
        }
        self.find_candidates(print);
        let mut nearest = None::<Near>;
        for entry in &self.candidates {
            let other = self.prints[*entry as usize];
            let distance = (other.simhash ^ print.simhash).count_ones();
            if distance <= COPY_DISTANCE_MAX && are_similar(print.check, other.check) {
                let found = Near { distance, id: self.ids[*entry as usize] };
                nearest = Some(nearest.map_or(found, |nearest| nearest.min(found)));
            }
        }
        nearest
    }

    /// Notes all entries that may be near; some more than once.
    fn find_candidates(&mut self, print: NearPrint) {
        let Self { tables, candidates, prints, .. } = self;
        candidates.clear();
        // All lines are asked for before the first is looked at, and so are all prints: they are far apart in memory,
        // and so come together.
        let places: [[Place; ASKED]; QUARTERS] = std::array::from_fn(|quarter| {
            let (key, table) = (Key::of(print, quarter), &tables[quarter]);
            std::array::from_fn(|number| {
                let place = table.place(key.neighbour(number));
                prefetch(&table.lines[place.line..=place.line]);
                place
            })
        });
        for (table, places) in tables.iter().zip(&places) {
            for place in places {
                table.lines[place.line].see_near(place.tag, |entry| {
                    prefetch(&prints[entry as usize..=entry as usize]);
                    candidates.push(entry);
                });
            }
        }
    }

    /// Adds a print. If the window is full, the oldest goes.
    pub(crate) fn insert(&mut self, print: NearPrint, id: u32) {
        let entry = (self.arrived % self.entries_max as u64) as u32;
        self.arrived += 1;
        if let Some(place) = self.prints.get_mut(entry as usize) {
            let oldest = std::mem::replace(place, print);
            self.ids[entry as usize] = id;
            self.crowded_out -= u64::from(self.stands[entry as usize] == 0);
            for (quarter, table) in self.tables.iter_mut().enumerate() {
                table.remove(Key::of(oldest, quarter), entry);
            }
        } else {
            self.make_room();
            self.prints.push(print);
            self.ids.push(id);
            self.stands.push(0);
        }
        self.put(print, entry);
    }

    /// Puts an entry into all tables.
    fn put(&mut self, print: NearPrint, entry: u32) {
        self.stands[entry as usize] = QUARTERS as u8;
        for (quarter, table) in self.tables.iter_mut().enumerate() {
            if let Some(eighth) = table.insert(Key::of(print, quarter), entry) {
                self.stands[eighth as usize] -= 1;
                self.crowded_out += u64::from(self.stands[eighth as usize] == 0);
            }
        }
    }

    /// Makes everything longer before more than four fifths of the places are taken. Nobody has left yet, so whoever
    /// was crowded out comes back.
    fn make_room(&mut self) {
        let count = self.prints.len();
        if self.tables[0].lines.len() >= lines_for(count + 1) {
            return;
        }
        let entries = (count * 2).clamp(1024.min(self.entries_max), self.entries_max);
        self.prints.reserve_exact(entries - count);
        self.ids.reserve_exact(entries - count);
        self.stands.reserve_exact(entries - count);
        for table in &mut self.tables {
            // The old ones first: both would be more than the budget.
            table.lines = Vec::new();
            table.lines.resize(lines_for(entries), Line::default());
        }
        self.crowded_out = 0;
        for entry in 0..count {
            self.put(self.prints[entry], entry as u32);
        }
    }

    /// Prints that later ones are not compared with any more.
    pub(crate) fn forgotten(&self) -> u64 {
        self.arrived - self.prints.len() as u64 + self.crowded_out
    }

    /// The memory in use.
    pub(crate) fn memory_bytes(&self) -> usize {
        let lines: usize = self.tables.iter().map(|table| table.lines.capacity()).sum();
        self.prints.capacity() * (size_of::<NearPrint>() + size_of::<u32>() + size_of::<u8>())
            + lines * size_of::<Line>()
    }
}

/// How many lines a table of so many entries has.
fn lines_for(entries: usize) -> usize {
    (entries * LINES_PER_ENTRIES.0).div_ceil(LINES_PER_ENTRIES.1)
}

/// A print is cut into so many parts.
const QUARTERS: usize = 4;

/// A key, and those that differ from it in one bit of the check.
const ASKED: usize = 1 + QUARTER_BITS as usize;

const QUARTER_BITS: u32 = u64::BITS / QUARTERS as u32;

/// The bits of a quarter of the SimHash that are in a key: ten, as far from each other as they can be. With fewer of
/// them more prints meet, and more are pushed out of their lines: 12 bits find 0.3 % more copies than these among a
/// million pages of the fake web, and 0.6 % fewer among a quarter of a million; 8 bits find most while there is room.
const SIMHASH_BITS: u32 = 0x5757;

/// What a print is found by in one table.
#[derive(Debug, Clone, Copy)]
struct Key {
    /// A quarter of the check, and above it what counts of that of the SimHash.
    bits: u32,
    /// Bits of the SimHash that are in no key of this table.
    others: u32,
}

impl Key {
    #[inline(always)]
    fn of(print: NearPrint, quarter: usize) -> Self {
        let at = quarter as u32 * QUARTER_BITS;
        let check = (print.check >> at) as u32 & 0xffff;
        let simhash = (print.simhash >> at) as u32 & SIMHASH_BITS;
        let others = print.simhash.rotate_right(at + QUARTER_BITS) as u32 & OTHERS;
        Self { bits: simhash << QUARTER_BITS | check, others }
    }

    /// Itself, or the one that differs in some bit of the check.
    #[inline(always)]
    fn neighbour(self, number: usize) -> Self {
        Self { bits: self.bits ^ (1 << number >> 1), ..self }
    }
}

/// The bits of a tag that are not its mark.
const OTHERS: u32 = 0x00ff_ffff;

/// The highest bit of a mark. It is set where a place is taken.
const TAKEN: u32 = 0x8000_0000;

/// Entries by one key, in lines.
#[derive(Debug, Default)]
struct LineTable {
    lines: Vec<Line>,
}

/// Which line a key has, and what stands there of a print with it.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    tag: u32,
}

impl LineTable {
    /// Keys are not random, what is scrambled is.
    #[inline(always)]
    fn place(&self, key: Key) -> Place {
        let mixed = scramble(key.bits.into());
        let line = (((mixed >> 32) * self.lines.len() as u64) >> 32) as usize;
        Place { line, tag: TAKEN | (mixed as u32) << 24 | key.others }
    }

    /// Adds an entry. Returns the one that has to give way to it.
    fn insert(&mut self, key: Key, entry: u32) -> Option<u32> {
        let Place { line, tag } = self.place(key);
        self.lines[line].insert(tag, entry)
    }

    /// Removes an entry if it is there.
    fn remove(&mut self, key: Key, entry: u32) {
        let Place { line, .. } = self.place(key);
        self.lines[line].remove(entry);
    }
}

/// So many entries fit into a line.
const WAYS: usize = 8;

/// The newest entries of some keys, the newest first, and free places behind them.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    /// Of each: a mark of its key, and some bits of its SimHash. Zero if the place is free.
    tags: [u32; WAYS],
    entries: [u32; WAYS],
}

impl Line {
    /// Shows the entries that have the mark of a tag and are near by what else it has.
    #[inline(always)]
    fn see_near(&self, tag: u32, mut see: impl FnMut(u32)) {
        let mut alike = 0u32;
        for (place, other) in self.tags.iter().enumerate() {
            alike |= u32::from((other ^ tag) & !OTHERS == 0) << place;
        }
        while alike != 0 {
            let place = alike.trailing_zeros() as usize;
            if has_ones_up_to(COPY_DISTANCE_MAX, self.tags[place] ^ tag) {
                see(self.entries[place]);
            }
            alike &= alike - 1;
        }
    }

    fn insert(&mut self, tag: u32, entry: u32) -> Option<u32> {
        let eighth = (self.tags[WAYS - 1] != 0).then_some(self.entries[WAYS - 1]);
        self.tags.copy_within(..WAYS - 1, 1);
        self.entries.copy_within(..WAYS - 1, 1);
        (self.tags[0], self.entries[0]) = (tag, entry);
        eighth
    }

    fn remove(&mut self, entry: u32) {
        let stands_at = |place: &usize| self.tags[*place] != 0 && self.entries[*place] == entry;
        let Some(place) = (0..WAYS).find(stands_at) else { return };
        self.tags.copy_within(place + 1.., place);
        self.entries.copy_within(place + 1.., place);
        self.tags[WAYS - 1] = 0;
    }
}

/// Are at most so many bits set? Most often not: to take them away one by one is faster than to count them all, on
/// machines that have no instruction for that and on those of which that is not known.
#[inline(always)]
fn has_ones_up_to(ones_max: u32, bits: u32) -> bool {
    (0..ones_max).fold(bits, |bits, _| bits & bits.wrapping_sub(1)) == 0
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// The same window as lists: of all that came, and of what stands in each line of each table, the newest last.
    #[derive(Default)]
    struct Model {
        entries_max: usize,
        came: Vec<(NearPrint, u32)>,
        /// By the quarter and the number of the line.
        lines: HashMap<(usize, usize), Vec<usize>>,
        lines_per_table: usize,
    }

    /// The line of a key in a table of so many, and its mark.
    fn line_and_mark(lines: usize, key: Key) -> (usize, u32) {
        let table = LineTable { lines: vec![Line::default(); lines] };
        let Place { line, tag } = table.place(key);
        (line, tag & !OTHERS)
    }

    impl Model {
        fn insert(&mut self, window: &NearWindow, print: NearPrint, id: u32) {
            self.came.push((print, id));
            let lines = window.tables[0].lines.len();
            if std::mem::replace(&mut self.lines_per_table, lines) != lines {
                self.lines.clear();
                (0..self.came.len()).for_each(|number| self.stand(number));
                return;
            }
            let oldest = self.came.len().checked_sub(self.entries_max + 1);
            self.lines.values_mut().for_each(|line| line.retain(|number| Some(*number) != oldest));
            self.stand(self.came.len() - 1);
        }

        fn stand(&mut self, number: usize) {
            for quarter in 0..QUARTERS {
                let (line, _) = line_and_mark(self.lines_per_table, Key::of(self.came[number].0, quarter));
                let line = self.lines.entry((quarter, line)).or_default();
                line.push(number);
                if line.len() > WAYS {
                    line.remove(0);
                }
            }
        }

        fn forgotten(&self) -> u64 {
            let stands = |number: &usize| self.lines.values().any(|line| line.contains(number));
            (0..self.came.len()).filter(|number| !stands(number)).count() as u64
        }

        fn nearest(&self, print: NearPrint) -> Option<Near> {
            let mut met = Vec::<usize>::new();
            for quarter in 0..QUARTERS {
                for number in 0..ASKED {
                    let asked = Key::of(print, quarter).neighbour(number);
                    let place = line_and_mark(self.lines_per_table, asked);
                    let is_alike = |number: &&usize| {
                        let key = Key::of(self.came[**number].0, quarter);
                        line_and_mark(self.lines_per_table, key) == place
                    };
                    met.extend(self.lines.get(&(quarter, place.0)).into_iter().flatten().filter(is_alike));
                }
            }
            let near = met.into_iter().filter_map(|number| {
                let (other, id) = self.came[number];
                let distance = (other.simhash ^ print.simhash).count_ones();
                let is_near = distance <= COPY_DISTANCE_MAX && are_similar(other.check, print.check);
                is_near.then_some(Near { distance, id })
            });
            near.min()
        }
    }

    fn print(centre: u64, flips: &[u32], check: u64) -> NearPrint {
        let simhash = flips.iter().fold(scramble(centre), |bits, flip| bits ^ 1 << flip);
        NearPrint { simhash, check }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn a_window_answers_as_a_list_of_the_newest(
            entries_max in 1usize..200,
            texts in prop::collection::vec(
                (0u64..4, prop::collection::vec(0u32..64, 0..6), 0u64..32), 1..300
            ),
        ) {
            let mut window = NearWindow::of_entries(entries_max);
            let mut model = Model { entries_max, ..Model::default() };
            for ((centre, flips, check), id) in texts.iter().zip(0u32..) {
                // Ids need not grow.
                let (print, id) = (print(*centre, flips, *check), id ^ 5);
                if id > 5 {
                    prop_assert_eq!(window.nearest(print), model.nearest(print));
                }
                window.insert(print, id);
                model.insert(&window, print, id);
                prop_assert_eq!(window.forgotten(), model.forgotten());
            }
        }

        /// The bound of the module's head.
        #[test]
        fn prints_meet_for_sure_if_few_bits_differ(
            centre: u64,
            check: u64,
            simhash_flips in prop::collection::hash_set(0u32..64, 0..=4),
            check_flips in prop::collection::hash_set(0u32..64, 0..8),
        ) {
            let mut window = NearWindow::of_entries(1);
            window.insert(print(centre, &[], check), 7);
            let flips: Vec<u32> = simhash_flips.into_iter().collect();
            let other = check_flips.iter().fold(check, |bits, flip| bits ^ 1 << flip);
            let found = window.nearest(print(centre, &flips, other));
            let (far, farther) = (flips.len(), check_flips.len());
            let expected = Near { distance: far as u32, id: 7 };
            if far > 3 || !are_similar(check, other) {
                prop_assert_eq!(found, None);
            } else if farther < 2 * (4 - far) {
                prop_assert_eq!(found, Some(expected));
            } else {
                prop_assert!(found.is_none_or(|found| found == expected));
            }
        }
    }

    #[test]
    fn any_bit_of_the_only_quarter_that_is_alike_may_differ() {
        let check = scramble(3);
        for (quarter, bit) in (0..64).map(|bit| (bit / QUARTER_BITS, bit)) {
            let mut window = NearWindow::of_entries(1);
            window.insert(print(9, &[], check), 7);
            // The lowest bit of each other quarter of the SimHash is in its key.
            let others = (0..QUARTERS as u32).filter(|other| *other != quarter);
            let flips: Vec<u32> = others.map(|other| other * QUARTER_BITS).collect();
            let found = window.nearest(print(9, &flips, check ^ 1 << bit));
            assert_eq!(found, Some(Near { distance: 3, id: 7 }), "{bit}");
        }
    }

    #[test]
    fn whatever_differs_in_three_bits_is_found_among_many_and_in_four_is_not() {
        let mut window = NearWindow::new(8 << 20);
        for id in 0..100_000u32 {
            window.insert(print(u64::from(id), &[], scramble(!u64::from(id))), id);
        }
        assert!(window.forgotten() < 20, "{}", window.forgotten());
        let (mut asked, mut missed) = (0, 0);
        for id in (0..100_000u32).step_by(37) {
            let mut flips = [0, 17, 34, 51].map(|step| (id * 7 + step * 5) % 64);
            flips.rotate_left(id as usize % 4);
            for distance in 0..=4 {
                // A bit of the check may differ as well.
                let check = scramble(!u64::from(id)) ^ 1 << (id % 64);
                let found = window.nearest(print(u64::from(id), &flips[..distance], check));
                let expected = Near { distance: distance as u32, id };
                assert!(found.is_none_or(|found| found == expected && distance <= 3), "{flips:?}");
                asked += u32::from(distance <= 3);
                missed += u32::from(distance <= 3 && found.is_none());
            }
        }
        // Some of these meet in one table only, and there the older may have been pushed out.
        assert!(missed * 100 < asked, "{missed} of {asked}");
        // Whichever bit it is that differs.
        for bit in 0..64 {
            let id = 99_900 + bit;
            let check = scramble(!u64::from(id)) ^ 1 << bit;
            let found = window.nearest(print(id.into(), &[bit], check));
            assert_eq!(found, Some(Near { distance: 1, id }), "bit {bit}");
        }
    }

    #[test]
    fn a_window_keeps_to_its_budget_and_to_the_newest_prints() {
        let budget = 1 << 20;
        let mut window = NearWindow::new(budget);
        let print = |id: u32| print(u64::from(id), &[], scramble(!u64::from(id)));
        for id in 0..100_000u32 {
            window.insert(print(id), id);
            assert!(window.memory_bytes() <= budget + budget / 50, "{} bytes", window.memory_bytes());
        }
        let kept = (budget / ENTRY_BYTES) as u32;
        let crowded_out = window.forgotten() - u64::from(100_000 - kept);
        assert!(crowded_out < u64::from(kept) / 100, "{crowded_out} of {kept}");
        let mut is_found = |id: u32| window.nearest(print(id)).is_some();
        let missed = (100_000 - kept..100_000).filter(|id| !is_found(*id)).count() as u64;
        assert_eq!(missed, crowded_out);
        assert!(!(0..100_000 - kept).any(is_found));
    }

    #[test]
    fn of_a_crowd_the_newest_are_kept_and_others_are_found_beside_them() {
        let mut window = NearWindow::new(1 << 20);
        window.insert(print(1, &[], 0b1111), 10_000);
        // A calendar: all the same but for a few bits.
        for day in 0..10_000u32 {
            window.insert(NearPrint { simhash: 7 << 32 | u64::from(day % 8), check: 0b1111 }, day);
        }
        // Six of the eight bits differ where no key looks.
        let forgotten = window.forgotten();
        assert!(forgotten > 9_900 && forgotten < 10_000, "{forgotten}");
        // The newest eight days whose lowest bits are these; the first of them.
        let nearest = window.nearest(NearPrint { simhash: 7 << 32 | 7, check: 0b1111 });
        assert_eq!(nearest, Some(Near { distance: 0, id: 9_999 - 7 * 8 }));
        assert_eq!(window.nearest(print(1, &[3], 0b1111)), Some(Near { distance: 1, id: 10_000 }));
    }
}
