//! The inner loops over rows, compiled twice: for AVX2 where the processor has it, and for any.
//!
//! Both are the same Rust code, so they cannot differ in their results; with AVX2 (and BMI, POPCNT) switched on, the
//! compiler takes 256-bit registers for blocks of 16 words. The only unsafe code is the call across that border.
//!
//! Rows come from memory of ours as `u64`, or from mapped bytes as `[u8; 8]` of any alignment: see [`Word`].

use super::bits::transpose;

/// Eight bytes of a row.
pub(super) trait Word: Copy + Send + Sync {
    fn get(self) -> u64;
}

impl Word for u64 {
    #[inline(always)]
    fn get(self) -> u64 {
        self
    }
}

impl Word for [u8; 8] {
    #[inline(always)]
    fn get(self) -> u64 {
        u64::from_le_bytes(self)
    }
}

/// The rows of up to 16,384 filters, for reading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a, W> {
    /// Row p is `words[p * stride..][..stride]`: bit s of it says whether the filter in slot s has bit p.
    pub words: &'a [W],
    pub stride: usize,
    /// Which slots hold a filter; one row.
    pub live: &'a [W],
    /// The ids of the slots that were ever used.
    pub ids: &'a [W],
    /// Rows of a 64th: bit w of row p is the OR of word w of row p. Empty if there are none or they are not selective.
    pub upper: &'a [W],
    pub upper_stride: usize,
}

impl<W: Word> Rows<'_, W> {
    /// The filters and words that a search for these bits looks at, see [`super::visits`].
    pub(super) fn looked_at(&self, positions: &[usize]) -> (usize, usize) {
        let filters_at = |at: usize| self.live[at].get().count_ones() as usize;
        let upper_filters = if self.upper.is_empty() { 0 } else { self.stride };
        let (mut filters, mut words) = (upper_filters, self.upper_stride * positions.len());
        let mut look = |at: usize| {
            filters += filters_at(at);
            words += positions.len();
        };
        match candidates(*self, positions, 0..self.stride) {
            Some(candidates) => each_candidate(&candidates, look),
            None => (0..self.stride).for_each(&mut look),
        }
        (filters, words)
    }
}

/// More words than this never are in an upper row.
pub(super) const UPPER_STRIDE_MAX: usize = 4;

/// Words that are ANDed and searched for bits at a time: two cache lines of each row.
pub(super) const BLOCK_WORDS: usize = 16;

/// Rows up to this many words are not worth the call of code for AVX2, which cannot be inlined.
const SHORT_WORDS: usize = 4;

/// With more hits in each word than that they are taken word by word.
const MANY_HITS: usize = 1;

/// Hits of a word that are taken without asking in between whether they are there.
const HITS_TOGETHER: usize = 4;

/// Ids that [`Hits`] holds: those of a word, and some more. To make it larger takes longer than it saves.
const HITS_ROOM: usize = 128;

/// The rows are scanned whole if more than this share of the words may match (one in ...): single words far apart cost
/// a cache line each.
const SCATTERED_SHARE_MAX: usize = 8;

/// Squares that are filled together: the words of a filter that lie in one cache line.
const SQUARES: usize = 8;

/// Which instructions may be used; only [`Isa::detect`] makes one that has AVX2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Isa {
    avx2: bool,
}

impl Isa {
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt");
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = false;
        Self { avx2 }
    }

    pub(super) fn portable() -> Self {
        Self { avx2: false }
    }

    /// Writes the slots that have all bits at `positions` to `found`, one bit per slot.
    #[inline]
    pub(super) fn and_rows<W: Word>(self, rows: Rows<'_, W>, positions: &[usize], found: &mut [u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is true only if `detect` saw these features on this processor.
            return unsafe { and_rows_avx2(rows, positions, found) };
        }
        and_rows_body(rows, positions, found);
    }

    /// Appends the ids of the slots in words `range` that have all bits at `positions`.
    #[inline]
    pub(super) fn collect<W: Word>(
        self,
        rows: Rows<'_, W>,
        positions: &[usize],
        range: std::ops::Range<usize>,
        ids: &mut Vec<u64>,
    ) {
        if rows.stride <= SHORT_WORDS {
            return collect_short(rows, positions, range, ids);
        }
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is true only if `detect` saw these features on this processor.
            return unsafe { collect_avx2(rows, positions, range, ids) };
        }
        collect_body(rows, positions, range, ids);
    }

    /// The set bits of the left, of the right and of both together.
    #[inline]
    pub(super) fn count_ones(self, left: &[u64], right: &[u64]) -> [u64; 3] {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is true only if `detect` saw these features on this processor.
            return unsafe { count_ones_avx2(left, right) };
        }
        count_ones_body(left, right)
    }

    /// Replaces `filters` by those in word `word_index` of the rows, 64 of them one after the other.
    #[inline]
    pub(super) fn get_columns(self, rows: &[u64], stride: usize, word_index: usize, filters: &mut Vec<u64>) {
        filters.clear();
        filters.resize(rows.len() / stride, 0);
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is true only if `detect` saw these features on this processor.
            return unsafe { get_columns_avx2(rows, stride, word_index, filters) };
        }
        get_columns_body(rows, stride, word_index, filters);
    }

    /// Makes the column of a slot equal to a filter.
    #[inline]
    pub(super) fn replace_column(self, rows: &mut [u64], stride: usize, slot: usize, filter: &[u64]) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is true only if `detect` saw these features on this processor.
            return unsafe { replace_column_avx2(rows, stride, slot, filter) };
        }
        replace_column_body(rows, stride, slot, filter);
    }

    /// Writes filters into columns of word `word_index` of every row, see [`put_columns_body`].
    #[inline]
    pub(super) fn put_columns(
        self,
        columns: &[(usize, &[u64])],
        rows: &mut [u64],
        stride: usize,
        word_index: usize,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.avx2 {
            // SAFETY: `avx2` is true only if `detect` saw these features on this processor.
            return unsafe { put_columns_avx2(columns, rows, stride, word_index) };
        }
        put_columns_body(columns, rows, stride, word_index);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn and_rows_avx2<W: Word>(rows: Rows<'_, W>, positions: &[usize], found: &mut [u64]) {
    and_rows_body(rows, positions, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn collect_avx2<W: Word>(
    rows: Rows<'_, W>,
    positions: &[usize],
    range: std::ops::Range<usize>,
    ids: &mut Vec<u64>,
) {
    collect_body(rows, positions, range, ids);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn put_columns_avx2(columns: &[(usize, &[u64])], rows: &mut [u64], stride: usize, word_index: usize) {
    put_columns_body(columns, rows, stride, word_index);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn replace_column_avx2(rows: &mut [u64], stride: usize, slot: usize, filter: &[u64]) {
    replace_column_body(rows, stride, slot, filter);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn get_columns_avx2(rows: &[u64], stride: usize, word_index: usize, filters: &mut [u64]) {
    get_columns_body(rows, stride, word_index, filters);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn count_ones_avx2(left: &[u64], right: &[u64]) -> [u64; 3] {
    count_ones_body(left, right)
}

#[inline(always)]
fn count_ones_body(left: &[u64], right: &[u64]) -> [u64; 3] {
    let mut counts = [0; 3];
    for (left, right) in left.iter().zip(right) {
        counts[0] += u64::from(left.count_ones());
        counts[1] += u64::from(right.count_ones());
        counts[2] += u64::from((left & right).count_ones());
    }
    counts
}

#[inline(always)]
fn and_rows_body<W: Word>(rows: Rows<'_, W>, positions: &[usize], found: &mut [u64]) {
    if let Some(candidates) = candidates(rows, positions, 0..rows.stride) {
        found.fill(0);
        each_candidate(&candidates, |at| found[at] = and_block::<1, W>(rows, positions, at)[0]);
    } else {
        each_block(rows, positions, 0..rows.stride, |at, block| {
            found[at..at + block.len()].copy_from_slice(block)
        });
    }
}

/// Rows of a few words, which have no upper rows.
#[inline]
fn collect_short<W: Word>(
    rows: Rows<'_, W>,
    positions: &[usize],
    range: std::ops::Range<usize>,
    ids: &mut Vec<u64>,
) {
    for at in range {
        let live = rows.live[at].get();
        let mut rest =
            positions.iter().fold(live, |word, row| word & rows.words[row * rows.stride + at].get());
        while rest != 0 {
            ids.push(rows.ids[at * 64 + rest.trailing_zeros() as usize].get());
            rest &= rest - 1;
        }
    }
}

#[inline(always)]
fn collect_body<W: Word>(
    rows: Rows<'_, W>,
    positions: &[usize],
    range: std::ops::Range<usize>,
    ids: &mut Vec<u64>,
) {
    if let Some(candidates) = candidates(rows, positions, range.clone()) {
        each_candidate(&candidates, |at| {
            push_ids(rows.ids, at, &and_block::<1, W>(rows, positions, at), ids)
        });
    } else {
        each_block(rows, positions, range, |at, block| push_ids(rows.ids, at, block, ids));
    }
}

/// Appends the ids of the slots whose bits are set; `at` is the index of the first word.
///
/// At 1 % there is a bit in about every second word, so a branch on "is this word zero" is a coin toss that costs more
/// than the id. Words with bits are therefore first moved together, and then one loop runs over all bits, stepping to
/// the next word by arithmetic: one branch is mispredicted per block, not one per word.
#[inline(always)]
pub(super) fn push_ids<W: Word>(slot_ids: &[W], at: usize, block: &[u64], ids: &mut Vec<u64>) {
    let mut words = [0; BLOCK_WORDS + 1];
    let mut slots = [0; BLOCK_WORDS + 1];
    let (mut filled, mut count) = (0, 0);
    for (index, &word) in block.iter().enumerate().take(BLOCK_WORDS) {
        words[filled] = word;
        slots[filled] = (at + index) * 64;
        filled += usize::from(word != 0);
        count += word.count_ones() as usize;
    }
    if count == 0 {
        return;
    }
    let start = ids.len();
    if count > MANY_HITS * block.len() {
        ids.resize(start + count + HITS_TOGETHER, 0);
        put_many(slot_ids, at, block, &mut ids[start..]);
        return ids.truncate(start + count);
    }
    ids.resize(start + count, 0);
    let (mut current, mut rest) = (0, words[0]);
    for id in &mut ids[start..] {
        *id = slot_ids[slots[current] + rest.trailing_zeros() as usize].get();
        rest &= rest - 1;
        current += usize::from(rest == 0);
        rest = if rest == 0 { words[current] } else { rest };
    }
}

/// The same word by word, into a place with room for all of them and some more.
#[inline(always)]
fn put_many<W: Word>(slot_ids: &[W], at: usize, block: &[u64], ids: &mut [u64]) {
    let mut end = 0;
    for (index, &word) in block.iter().enumerate().filter(|(_, word)| **word != 0) {
        put_hits(&slot_ids[(at + index) * 64..], word, &mut ids[end..]);
        end += word.count_ones() as usize;
    }
}

/// Writes the ids of the slots whose bits are set in one word, of which there is one, some at a time: how many there are is
/// asked for once for some of them. What is written behind the last means nothing.
///
/// After Lemire and Langdale, who take the places of quotes out of words like that ("Parsing gigabytes of JSON per second",
/// 2019).
#[inline(always)]
fn put_hits<W: Word>(slot_ids: &[W], found: u64, ids: &mut [u64]) {
    let (mut rest, mut places) = (found, ids.chunks_exact_mut(HITS_TOGETHER));
    while rest != 0
        && let Some(some) = places.next()
    {
        for id in some {
            // Where nothing is left this is the first slot, which is there.
            *id = slot_ids[rest.trailing_zeros() as usize % 64].get();
            rest &= rest.wrapping_sub(1);
        }
    }
}

/// Ids of hits on their way to the vector, so that it is not asked for each whether there is room.
pub(super) struct Hits {
    ids: [u64; HITS_ROOM],
    len: usize,
}

impl Hits {
    #[inline]
    pub(super) fn new() -> Self {
        Self { ids: [0; HITS_ROOM], len: 0 }
    }

    /// Adds those of one word, which has some.
    #[inline(always)]
    pub(super) fn add(&mut self, slot_ids: &[u64; 64], found: u64, ids: &mut Vec<u64>) {
        if self.len + 64 + HITS_TOGETHER > HITS_ROOM {
            self.flush(ids);
        }
        put_hits(slot_ids, found, &mut self.ids[self.len..]);
        self.len += found.count_ones() as usize;
    }

    /// Gives all of them.
    #[inline]
    pub(super) fn flush(&mut self, ids: &mut Vec<u64>) {
        ids.extend_from_slice(&self.ids[..self.len]);
        self.len = 0;
    }
}

/// The words of `range` that may hold a match, as bits, if the upper rows leave few.
#[inline(always)]
fn candidates<W: Word>(
    rows: Rows<'_, W>,
    positions: &[usize],
    range: std::ops::Range<usize>,
) -> Option<[u64; UPPER_STRIDE_MAX]> {
    if rows.upper.is_empty() {
        return None;
    }
    let mut candidates = [0; UPPER_STRIDE_MAX];
    for (index, word) in candidates.iter_mut().enumerate().take(rows.upper_stride) {
        let below = |end: usize| match end.saturating_sub(index * 64) {
            bits @ 0..64 => (1u64 << bits) - 1,
            _ => u64::MAX,
        };
        *word = below(range.end) & !below(range.start);
    }
    for &position in positions {
        let row = &rows.upper[position * rows.upper_stride..][..rows.upper_stride];
        candidates.iter_mut().zip(row).for_each(|(word, upper)| *word &= upper.get());
    }
    let count: u32 = candidates.iter().map(|word| word.count_ones()).sum();
    (count as usize * SCATTERED_SHARE_MAX <= range.len()).then_some(candidates)
}

#[inline(always)]
fn each_candidate(candidates: &[u64; UPPER_STRIDE_MAX], mut act: impl FnMut(usize)) {
    for (index, &word) in candidates.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            act(index * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Calls `act` with the AND of the rows, block by block. Blocks are 16 words (two cache lines of each row), the rest of
/// a row goes in smaller ones.
#[inline(always)]
fn each_block<W: Word>(
    rows: Rows<'_, W>,
    positions: &[usize],
    range: std::ops::Range<usize>,
    mut act: impl FnMut(usize, &[u64]),
) {
    let mut at = range.start;
    while at + BLOCK_WORDS <= range.end {
        act(at, &and_block::<BLOCK_WORDS, W>(rows, positions, at));
        at += BLOCK_WORDS;
    }
    if at + 8 <= range.end {
        act(at, &and_block::<8, W>(rows, positions, at));
        at += 8;
    }
    if at + 4 <= range.end {
        act(at, &and_block::<4, W>(rows, positions, at));
        at += 4;
    }
    while at < range.end {
        act(at, &and_block::<1, W>(rows, positions, at));
        at += 1;
    }
}

/// The AND of some words of the rows. Every fourth row it looks whether anything is left: sparse filters are done then.
#[inline(always)]
fn and_block<const WORDS: usize, W: Word>(rows: Rows<'_, W>, positions: &[usize], at: usize) -> [u64; WORDS] {
    let mut block = [0; WORDS];
    block.iter_mut().zip(&rows.live[at..at + WORDS]).for_each(|(word, live)| *word = live.get());
    for four in positions.chunks(4) {
        for position in four {
            let row = &rows.words[position * rows.stride + at..][..WORDS];
            block.iter_mut().zip(row).for_each(|(word, row)| *word &= row.get());
        }
        if block.iter().fold(0, |any, word| any | word) == 0 {
            break;
        }
    }
    block
}

/// Every word is written, changed or not: whether a bit changes cannot be predicted, and the missed branches cost five
/// times as much as the writes.
#[inline(always)]
fn replace_column_body(rows: &mut [u64], stride: usize, slot: usize, filter: &[u64]) {
    let (at, shift) = (slot / 64, slot % 64);
    let renewed = |row: u64, bit: u64| row & !(1 << shift) | bit << shift;
    if stride == 1 {
        // Without strides the compiler makes vectors of it.
        for (rows, &word) in rows.as_chunks_mut::<64>().0.iter_mut().zip(filter) {
            for (bit, row) in rows.iter_mut().enumerate() {
                *row = renewed(*row, word >> bit & 1);
            }
        }
        return;
    }
    for (rows, &word) in rows.chunks_exact_mut(64 * stride).zip(filter) {
        for (bit, row) in rows.chunks_exact_mut(stride).enumerate() {
            row[at] = renewed(row[at], word >> bit & 1);
        }
    }
}

/// Overwrites columns of word `word_index` of every row, as squares of 64 × 64 bits, a few squares at a time.
#[inline(always)]
fn put_columns_body(columns: &[(usize, &[u64])], rows: &mut [u64], stride: usize, word_index: usize) {
    let mask = columns.iter().fold(0, |mask, (column, _)| mask | 1u64 << column);
    let mut squares = [[0u64; 64]; SQUARES];
    for (index, rows) in rows.chunks_mut(SQUARES * 64 * stride).enumerate() {
        for (column, filter) in columns {
            let words = &filter[index * SQUARES..];
            if let Some(words) = words.first_chunk::<SQUARES>() {
                (0..SQUARES).for_each(|at| squares[at][column % 64] = words[at]);
            } else {
                squares.iter_mut().zip(words).for_each(|(square, word)| square[column % 64] = *word);
            }
        }
        for (rows, square) in rows.chunks_exact_mut(64 * stride).zip(&squares) {
            let mut square = *square;
            transpose(&mut square);
            if stride == 1 {
                // Without strides the compiler makes vectors of it.
                rows.iter_mut().zip(square).for_each(|(row, new)| *row = *row & !mask | new);
                continue;
            }
            let words = &mut rows[word_index..word_index + 63 * stride + 1];
            for (at, new) in square.into_iter().enumerate() {
                let row = &mut words[at * stride];
                *row = *row & !mask | new;
            }
        }
    }
}

/// The way back from [`put_columns_body`]: squares of 64 × 64 bits become words of filters.
#[inline(always)]
fn get_columns_body(rows: &[u64], stride: usize, word_index: usize, filters: &mut [u64]) {
    let word_count = filters.len() / 64;
    let mut square = [0u64; 64];
    for (index, rows) in rows.chunks_exact(64 * stride).enumerate() {
        for (word, row) in square.iter_mut().zip(rows.chunks_exact(stride)) {
            *word = row[word_index];
        }
        transpose(&mut square);
        for (filter, word) in filters.chunks_exact_mut(word_count).zip(square) {
            filter[index] = word;
        }
    }
}
