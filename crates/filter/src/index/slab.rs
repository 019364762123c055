//! A slab: the rows of up to 16,384 filters.
//!
//! Row p holds bit p of every filter of the slab, contiguous, `stride` words long. Slots are given out from the front;
//! a delete clears a bit of the live mask. A slab starts with rows of one word, which double to 512 slots and then grow
//! by a half, from 4,096 on by a quarter, in whole cache lines of 512. When it is full another one is begun, so that a growing index never copies
//! more than one slab.
//!
//! The upper rows are the second level: bit w of upper row p is the OR of word w of row p, that is of 64 filters. A
//! search looks there first and reads only the words that may match. They are kept while they are selective (sparse
//! filters, or similar ones side by side) and dropped when they are not. Deletes and replacements leave bits behind in
//! them; that costs time, never an answer, and they are made anew when half of the slots were replaced.

use super::bits::Compress;
use super::kernel::{Isa, Rows, UPPER_STRIDE_MAX};
use super::{SCRUB_DEAD_MIN, SPARSE_SHARE, SPARSE_SHARE_OF_ROWS, is_sparse};
use crate::BloomFilter;

/// The slots of a slab: rows of 2 KiB, and upper rows of half a cache line.
pub(super) const SLAB_SLOTS: usize = 64 * 64 * UPPER_STRIDE_MAX;

/// Fewer slots are scanned faster than looked up in two levels.
pub(super) const UPPER_SLOTS_MIN: usize = 1_024;

/// From this many slots on, searches of sorted filters save more than their updates cost.
pub(super) const SORTED_SLOTS_MIN: usize = 4_096;

/// Upper rows are of use while less than this share of words survives them.
pub(super) const UPPER_RATE_MAX: f64 = 0.06;

/// 64 filters of a slab or a block: one word of each of its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns<'a> {
    /// Row p is `rows[p * stride + at]`.
    pub rows: &'a [u64],
    pub stride: usize,
    pub at: usize,
    pub live: u64,
    pub ids: &'a [u64],
}

/// Rows that tell whether upper rows would be of use.
const SAMPLED_ROWS: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Slab {
    /// The number of rows: bits of a filter.
    pub bits: usize,
    pub probes: u32,
    pub stride: usize,
    pub rows: Vec<u64>,
    pub live: Vec<u64>,
    /// The ids of the slots that were ever used.
    pub ids: Vec<u64>,
    pub live_count: usize,
    pub upper: Option<Upper>,
    scrubbed: Scrubbed,
}

/// The word that was scrubbed last, and its slots that are zero in every row and not taken since.
#[derive(Debug, Clone, Copy, Default)]
struct Scrubbed {
    word: usize,
    clean: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Upper {
    pub stride: usize,
    pub rows: Vec<u64>,
    /// How many bits are set.
    ones: usize,
    /// How many filters left bits behind.
    stale: usize,
}

impl Slab {
    pub(super) fn new(bits: usize, probes: u32) -> Self {
        Self {
            bits,
            probes,
            stride: 0,
            rows: Vec::new(),
            live: Vec::new(),
            ids: Vec::new(),
            live_count: 0,
            upper: None,
            scrubbed: Scrubbed::default(),
        }
    }

    pub(super) fn rows(&self) -> Rows<'_, u64> {
        let (upper, upper_stride) =
            self.upper.as_ref().map_or((&[][..], 0), |upper| (&upper.rows, upper.stride));
        Rows { words: &self.rows, stride: self.stride, live: &self.live, ids: &self.ids, upper, upper_stride }
    }

    /// Appends the ids of the filters that have all bits at these positions, where rows are one word long.
    #[inline]
    pub(super) fn collect_word(&self, positions: &[usize], ids: &mut Vec<u64>) {
        let mut found = positions.iter().fold(self.live[0], |word, row| word & self.rows[*row]);
        while found != 0 {
            ids.push(self.ids[found.trailing_zeros() as usize]);
            found &= found - 1;
        }
    }

    /// The words of a row that were ever used.
    #[inline]
    pub(super) fn used_words(&self) -> usize {
        self.ids.len().div_ceil(64)
    }

    /// A slab of columns side by side; they have room in one.
    ///
    /// A few rows at a time, so that a cache line of a block is read once and rows are written from end to end.
    pub(super) fn of_columns(bits: usize, probes: u32, columns: &[Columns<'_>]) -> Self {
        const ROWS: usize = 8;
        let mut slab = Self::new(bits, probes);
        slab.grow_to(columns.len() * 64);
        let stride = slab.stride.max(1);
        for (tile, rows) in slab.rows.chunks_exact_mut(ROWS * stride).enumerate() {
            for (at, from) in columns.iter().enumerate() {
                let words = &from.rows[tile * ROWS * from.stride..][..(ROWS - 1) * from.stride + from.at + 1];
                (0..ROWS)
                    .for_each(|row| rows[row * stride + at] = words[row * from.stride + from.at] & from.live);
            }
        }
        for (at, from) in columns.iter().enumerate() {
            slab.ids.extend_from_slice(from.ids);
            slab.ids.resize((at + 1) * 64, 0);
            slab.live[at] = from.live;
            slab.live_count += from.live.count_ones() as usize;
        }
        slab.renew_upper();
        slab
    }

    /// The filters of every word of the rows that has any.
    pub(super) fn columns(&self) -> impl Iterator<Item = Columns<'_>> {
        let columns = move |(at, ids)| {
            let live = self.live[at];
            Columns { rows: &self.rows, stride: self.stride, at, live, ids }
        };
        self.ids.chunks(64).enumerate().map(columns).filter(|columns| columns.live != 0)
    }

    /// Calls `act` with the ids and slots of all filters.
    pub(super) fn each_live(&self, mut act: impl FnMut(u64, usize)) {
        for (slot, id) in self.ids.iter().enumerate() {
            if self.live[slot / 64] >> (slot % 64) & 1 == 1 {
                act(*id, slot);
            }
        }
    }

    pub(super) fn dead_count(&self) -> usize {
        self.ids.len() - self.live_count
    }

    /// Whether half of the slots that were used are dead.
    pub(super) fn is_worn(&self) -> bool {
        self.dead_count() * 2 >= self.ids.len().max(1)
    }

    /// Whether the rows cannot become longer.
    pub(super) fn is_full_length(&self) -> bool {
        self.stride * 64 == SLAB_SLOTS
    }

    /// A slot that is zero in every row: one that was never used while the rows reach that far, then one that was
    /// scrubbed. The word with the most dead slots is scrubbed when there is none and it is worth it.
    pub(super) fn clean_slot(&mut self) -> Option<usize> {
        if self.ids.len() < self.stride * 64 {
            return Some(self.ids.len());
        }
        if self.scrubbed.clean == 0 {
            let (at, live) = self.live.iter().enumerate().min_by_key(|(_, live)| live.count_ones())?;
            if live.count_zeros() < SCRUB_DEAD_MIN {
                return None;
            }
            self.scrub(at, *live);
        }
        Some(self.scrubbed.word * 64 + self.scrubbed.clean.trailing_zeros() as usize)
    }

    /// The first word with the most slots that hold no filter, and how many these are.
    pub(super) fn roomiest(&self) -> Option<(usize, u32)> {
        let free = self.live.iter().map(|live| live.count_zeros()).enumerate();
        free.reduce(|most, word| if word.1 > most.1 { word } else { most })
    }

    fn scrub(&mut self, at: usize, live: u64) {
        self.rows.chunks_exact_mut(self.stride).for_each(|row| row[at] &= live);
        self.scrubbed = Scrubbed { word: at, clean: !live };
    }

    /// Whether it is cheaper to set the bits of a filter in a clean column than to overwrite a column.
    pub(super) fn is_sparse(&self, filter: &BloomFilter) -> bool {
        is_sparse(filter.words(), if self.stride == 1 { SPARSE_SHARE } else { SPARSE_SHARE_OF_ROWS })
    }

    /// Whether a filter should stay where it is because its neighbours are like it: the upper rows of many filters are
    /// selective only thanks to that. With filters as sparse as this one they would be so in any order.
    pub(super) fn is_sorted_by_likeness(&self, filter: &BloomFilter) -> bool {
        let is_large = self.upper.is_some() && self.ids.len() >= SORTED_SLOTS_MIN;
        is_large && unsorted_rate(filter.fill(), self.probes as i32) >= UPPER_RATE_MAX
    }

    /// Makes the rows long enough for `slots`, with room to grow.
    pub(super) fn grow_to(&mut self, slots: usize) {
        let words = slots.div_ceil(64);
        if words <= self.stride {
            return;
        }
        self.set_stride(rows_words(self.stride, words).min(SLAB_SLOTS / 64));
        self.renew_upper();
    }

    fn set_stride(&mut self, stride: usize) {
        let mut rows = vec![0; self.bits * stride];
        if self.stride > 0 {
            let kept = self.stride.min(stride);
            for (new, old) in rows.chunks_exact_mut(stride).zip(self.rows.chunks_exact(self.stride)) {
                new[..kept].copy_from_slice(&old[..kept]);
            }
        }
        self.rows = rows;
        self.live.resize(stride, 0);
        self.live.shrink_to_fit();
        self.ids.reserve_exact(stride * 64 - self.ids.len());
        self.stride = stride;
    }

    /// Takes a slot whose column holds the filter now (or will, before anyone looks).
    pub(super) fn occupy(&mut self, slot: usize, id: u64) {
        if slot >= self.ids.len() {
            self.ids.resize(slot + 1, 0);
        }
        self.ids[slot] = id;
        self.live[slot / 64] |= 1 << (slot % 64);
        self.live_count += 1;
        if slot / 64 == self.scrubbed.word {
            self.scrubbed.clean &= !(1 << (slot % 64));
        }
    }

    /// Frees a slot; its column stays. The memory goes with the last filter.
    pub(super) fn free(&mut self, slot: usize) {
        self.live[slot / 64] &= !(1 << (slot % 64));
        self.live_count -= 1;
        if self.live_count == 0 {
            *self = Self::new(self.bits, self.probes);
        }
    }

    /// ORs a filter into a column: all there is to do for a fresh one, or one that only grew.
    pub(super) fn or_column(&mut self, slot: usize, filter: &[u64]) {
        let (at, mask) = (slot / 64, 1 << (slot % 64));
        for (rows, &word) in self.rows.chunks_exact_mut(64 * self.stride).zip(filter) {
            let mut rest = word;
            while rest != 0 {
                rows[rest.trailing_zeros() as usize * self.stride + at] |= mask;
                rest &= rest - 1;
            }
        }
        self.add_to_upper(slot, filter);
    }

    /// Tells the upper rows that a column has these bits now. They are dropped once they are full.
    pub(super) fn add_to_upper(&mut self, slot: usize, filter: &[u64]) {
        if let Some(upper) = &mut self.upper {
            upper.add(slot, filter);
            self.drop_useless_upper();
        }
    }

    /// The same for all filters of a word of the rows: one pass, however many they are and however full.
    pub(super) fn add_word_to_upper(&mut self, at: usize) {
        if let Some(upper) = &mut self.upper {
            upper.add_word(&self.rows, self.stride, at);
            self.drop_useless_upper();
        }
    }

    fn drop_useless_upper(&mut self) {
        let words = self.ids.len().div_ceil(64);
        self.upper.take_if(|upper| !upper.is_selective(self.bits, words, self.probes));
    }

    /// Makes a column equal to a filter.
    pub(super) fn replace_column(&mut self, isa: Isa, slot: usize, filter: &[u64]) {
        isa.replace_column(&mut self.rows, self.stride, slot, filter);
        self.add_to_upper(slot, filter);
        self.count_stale(1);
    }

    /// Counts filters that left bits behind in the upper rows.
    pub(super) fn count_stale(&mut self, filter_count: usize) {
        if let Some(upper) = &mut self.upper {
            upper.stale += filter_count;
            if upper.stale > self.ids.len() / 2 {
                self.renew_upper();
            }
        }
    }

    /// The first words of the filter in a column.
    pub(super) fn column(&self, slot: usize, word_count: usize) -> Vec<u64> {
        let (at, shift) = (slot / 64, slot % 64);
        let gather = |rows: &[u64]| {
            rows.chunks_exact(self.stride).rev().fold(0, |word, row| word << 1 | row[at] >> shift & 1)
        };
        self.rows.chunks_exact(64 * self.stride).take(word_count).map(gather).collect()
    }

    /// Presses the dead slots out of every row. The order stays; every slot may have moved.
    pub(super) fn compact(&mut self) {
        if self.dead_count() == 0 {
            return;
        }
        let presses: Vec<Compress> = self.live.iter().map(|live| Compress::new(*live)).collect();
        let words = self.live_count.div_ceil(64);
        let stride = if words > 4 { words.next_multiple_of(8) } else { words.next_power_of_two() };
        let mut rows = vec![0; self.bits * stride];
        let mut pressed = vec![0; self.stride];
        for (new, old) in rows.chunks_exact_mut(stride).zip(self.rows.chunks_exact(self.stride)) {
            for ((out, word), press) in pressed.iter_mut().zip(old).zip(&presses) {
                *out = press.apply(*word);
            }
            let mut end = 0;
            for (word, press) in pressed.iter().zip(&presses) {
                new[(end / 64).min(stride - 1)] |= word << (end % 64);
                if end % 64 + press.kept() > 64 {
                    new[end / 64 + 1] |= word >> (64 - end % 64);
                }
                end += press.kept();
            }
        }
        let live = std::mem::take(&mut self.live);
        let mut slot = 0;
        self.ids.retain(|_| {
            slot += 1;
            live[(slot - 1) / 64] >> ((slot - 1) % 64) & 1 == 1
        });
        self.live = (0..stride).map(|index| ones_below(self.live_count.saturating_sub(index * 64))).collect();
        self.rows = rows;
        self.stride = stride;
        self.scrubbed = Scrubbed::default();
        self.ids.shrink_to(stride * 64);
        self.renew_upper();
    }

    /// Looks whether upper rows would be of use now that there are twice as many filters: rows that were made long
    /// enough beforehand do not grow, which is when they are made otherwise.
    pub(super) fn look_at_growth(&mut self, used_before: usize) {
        if self.upper.is_none() && used_before.max(1).ilog2() < self.ids.len().max(1).ilog2() {
            self.renew_upper();
        }
    }

    /// Makes the upper rows from the rows, if they would be of use.
    pub(super) fn renew_upper(&mut self) {
        self.upper = None;
        if self.ids.len() < UPPER_SLOTS_MIN || self.is_clearly_full() {
            return;
        }
        let upper = Upper::of(&self.rows, self.stride);
        if upper.is_selective(self.bits, self.ids.len().div_ceil(64), self.probes) {
            self.upper = Some(upper);
        }
    }

    /// Whether some rows tell that upper rows would be full: to make them takes a pass over all.
    fn is_clearly_full(&self) -> bool {
        let used = self.used_words();
        let rows = self.rows.chunks_exact(self.stride).step_by((self.bits / SAMPLED_ROWS).max(1));
        let count = |(set, all): (usize, usize), row: &[u64]| {
            (set + row[..used].iter().filter(|word| **word != 0).count(), all + used)
        };
        let (set, all) = rows.fold((0, 0), count);
        (set as f64 / all as f64).powi(self.probes as i32) > 4.0 * UPPER_RATE_MAX
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let upper = self.upper.as_ref().map_or(0, |upper| upper.rows.capacity());
        (self.rows.capacity() + self.live.capacity() + self.ids.capacity() + upper) * 8
    }
}

impl Upper {
    fn of(rows: &[u64], stride: usize) -> Self {
        let upper_stride = stride.div_ceil(64);
        let mut upper = Vec::with_capacity(rows.len() / stride * upper_stride);
        for row in rows.chunks_exact(stride) {
            for words in row.chunks(64) {
                upper.push(words.iter().rev().fold(0, |bits, word| bits << 1 | u64::from(*word != 0)));
            }
        }
        let ones = upper.iter().map(|word: &u64| word.count_ones() as usize).sum();
        Self { stride: upper_stride, rows: upper, ones, stale: 0 }
    }

    fn add(&mut self, slot: usize, filter: &[u64]) {
        let (at, shift) = (slot / 64 / 64, slot / 64 % 64);
        for (rows, &word) in self.rows.chunks_exact_mut(64 * self.stride).zip(filter) {
            let mut rest = word;
            while rest != 0 {
                let row = &mut rows[rest.trailing_zeros() as usize * self.stride + at];
                self.ones += (*row >> shift & 1 == 0) as usize;
                *row |= 1 << shift;
                rest &= rest - 1;
            }
        }
    }

    fn add_word(&mut self, rows: &[u64], stride: usize, at: usize) {
        let (upper_at, shift) = (at / 64, at % 64);
        for (upper, row) in self.rows.chunks_exact_mut(self.stride).zip(rows.chunks_exact(stride)) {
            let bit = u64::from(row[at] != 0) << shift;
            self.ones += usize::from(bit & !upper[upper_at] != 0);
            upper[upper_at] |= bit;
        }
    }

    /// Whether so few words pass all probes of a foreign key that two levels are faster than one.
    fn is_selective(&self, bits: usize, words: usize, probes: u32) -> bool {
        let fill = self.ones as f64 / (bits * words) as f64;
        fill.powi(probes as i32) < UPPER_RATE_MAX
    }
}

/// How long rows of `now` words become when they need more.
fn rows_words(now: usize, needed: usize) -> usize {
    let with_room = match now {
        0..8 => (now * 2).max(1),
        8..64 => (now + now / 2).next_multiple_of(8),
        _ => (now + now / 4).next_multiple_of(8),
    };
    let whole_lines = if needed > 4 { needed.next_multiple_of(8) } else { needed.next_power_of_two() };
    with_room.max(whole_lines)
}

/// The share of words that survives upper rows of unrelated filters with this share of their bits set.
pub(super) fn unsorted_rate(fill: f64, probes: i32) -> f64 {
    (1.0 - (1.0 - fill).powi(64)).powi(probes)
}

pub(super) fn ones_below(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
