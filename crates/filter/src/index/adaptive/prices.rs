//! What searches, changes and moves cost, in nanoseconds of the machine where they were measured.
//!
//! Only their ratios matter, and these not much: a rule of rents is wrong by as much as its prices, but the cost of the best
//! batch grows with the square root of the price, so that one which is wrong by a factor of two costs 6 %.
//!
//! They were read off loops of one operation each, over filters of 256 to 16,384 bits, 8 to 16,384 of them, 3 % and 50 %
//! full, with four and eight probes. What is far takes longer where other operations come in between, so that the prices of
//! that, and of what is found, were set after a look at some drawn runs.

use crate::FilterShape;

/// So many searches after a change are made before it is computed when a move will be paid.
pub(super) const SETTLE_FIRST: u64 = 16;

/// A look at a filter of the list, when its first two bits tell enough, and what is added where these are set.
const LOOK: f64 = 0.9;
const LOOK_FURTHER: f64 = 3.5;
/// What is added for a filter that is found: always, and for each probe, which is a line of memory of its own. Blocks give
/// the same ids for next to nothing.
const FOUND: (f64, f64) = (3.0, 1.0);
/// To begin with the list.
const LIST_START: f64 = 8.0;

/// A look at a block: always, and for each probe.
const BLOCK: (f64, f64) = (1.0, 0.6);
/// What is added for each probe where blocks do not lie near: with each doubling of the memory that holds all of them, first
/// beyond the caches of a core, then beyond what all cores share and what is known of addresses.
const BLOCK_FAR: (f64, f64) = (0.2, 2.0);
/// What a look at a word of long rows saves beside one at a block, for each probe above some; and all that is added for those
/// that are far. Blocks also lose where they find something in every second, which cannot be foreseen.
const WIDE_PROBE: f64 = 1.0;
const WIDE_PROBES_MIN: f64 = 3.3;
const WIDE_HIT: f64 = 4.0;
/// What each hit costs more there, which tells where there are several in a word.
const WIDE_COLLECT: f64 = 0.4;
/// To begin with long rows.
const WIDE_START: f64 = 30.0;
/// A look at a word of long rows.
const DEAD_WORD: f64 = 2.0;

/// To copy a filter to the list: always, and for each bit.
const COPY: (f64, f64) = (12.0, 0.005);
/// To write a filter to a block: always, and for each bit of a column that is overwritten.
const WRITE: (f64, f64) = (12.0, 0.11);
/// To write a sparse one: always, for each bit that is set, and for each bit of columns that are made clean.
const WRITE_SPARSE: (f64, f64, f64) = (25.0, 1.5, 0.01);
/// Filters with fewer bits than this share are written bit by bit.
const SPARSE: f64 = 1.0 / 16.0;

/// To move up to 64 filters to a block: for each row, and for each filter.
const SQUARE_ROW: f64 = 1.25;
/// How much more it is with each doubling of the filters that move together, from so many bytes on: they are read from far,
/// and the memory of blocks comes from the system, page by page.
const SQUARE_FAR: f64 = 1.0;
const SQUARE_FAR_BYTES: f64 = (1 << 22) as f64;
const MOVE: f64 = 20.0;
const MOVE_WIDE: f64 = 12.0;
/// To move a filter out of a block or a row, which is paid only by those that are moved back.
const DETOUR: f64 = 60.0;
/// To lay a block into long rows, for each row, where these lie near.
const LAY_ROW: f64 = 2.0;
/// To press dead filters out of a word of long rows, for each row.
const PRESS_ROW: f64 = 5.0;

/// A look at where changes should go, times fifty.
const REVIEW: f64 = 5_000.0;

/// So many searches for each filter are expected by who expects searches.
const SEARCHES_EACH: usize = 40;

/// What was better before stays while something else is not better by this factor.
const PATIENCE: f64 = 1.2;

/// So many times as many searches for each change as where it pays to write to the blocks at once leave no doubt. As they come
/// by chance, now many and now few, counting fewer would count too few.
const SURELY: f64 = 4.0;

/// Bytes that are near enough to be looked at without waiting: one after the other, and here and there.
const LISTED_NEAR_BYTES: f64 = (1 << 16) as f64;
const NEAR_BYTES: f64 = (1 << 19) as f64;
/// Bytes from which on it takes much longer.
const FAR_BYTES: f64 = (1 << 23) as f64;
/// How much longer a look at a filter of the list takes with each doubling, and beyond what is far, where filters have
/// `SPREAD_BITS`; small ones are read in passing.
const LISTED_FAR: (f64, f64) = (0.25, 2.7);
const SPREAD_BITS: f64 = 4_096.0;
/// How much longer a write or a copy of blocks takes with each doubling.
const COPIED_FAR: f64 = 0.25;

/// Where changes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// To the list, and they stay there.
    Listed,
    /// To the list, and from there to the blocks together with others.
    Staged,
    /// To the blocks at once.
    InPlace,
}

/// The prices for filters of one shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices {
    bits: f64,
    probes: f64,
    /// Share of set bits, of late; nothing before the first filter.
    fill: f64,
    has_looked: bool,
    /// Share of the filters that a search finds, of late.
    found: f64,
    /// How far filters of the list lie apart.
    spread: f64,
    /// A look at a filter of the list, a square, and how many filters of a word a search finds by chance, which are asked for
    /// often.
    look: f64,
    square: f64,
    chance: f64,
}

impl Prices {
    pub(super) fn new(shape: &FilterShape) -> Self {
        let bits = shape.bits() as f64;
        let mut prices = Self {
            bits,
            probes: f64::from(shape.probes()),
            fill: 0.5,
            has_looked: false,
            found: 0.0,
            spread: (bits / SPREAD_BITS).sqrt(),
            look: 0.0,
            square: bits * SQUARE_ROW,
            chance: 0.0,
        };
        prices.renew();
        prices
    }

    /// Looks at a filter that comes.
    pub(super) fn look_at(&mut self, words: &[u64]) {
        let sample = &words[..words.len().min(16)];
        let ones: u32 = sample.iter().map(|word| word.count_ones()).sum();
        let weight = if self.has_looked { 0.25 } else { 1.0 };
        self.fill += (f64::from(ones) / (sample.len() * 64) as f64 - self.fill) * weight;
        self.has_looked = true;
        self.renew();
    }

    /// The same prices where searches find this share of the filters: as a search costs what it finds, bits alone do not tell.
    pub(super) fn finding(mut self, share: f64) -> Self {
        self.found = share;
        self.look = self.look();
        self
    }

    fn look(&self) -> f64 {
        let found = FOUND.0 + FOUND.1 * self.probes;
        LOOK + LOOK_FURTHER * self.fill * self.fill + found * self.found
    }

    fn renew(&mut self) {
        (self.look, self.chance) = (self.look(), 64.0 * self.fill.powi(self.probes as i32));
    }

    /// After how many changes it is looked where they should go, so that the look itself takes little time beside them.
    pub(super) fn changes_per_review(&self, form: Form) -> u32 {
        let change = if form == Form::InPlace { self.write(0) } else { COPY.0 + COPY.1 * self.bits };
        (REVIEW / change).max(1.0) as u32
    }

    fn bytes(&self, filters: usize) -> f64 {
        filters as f64 * self.bits / 8.0
    }

    /// What a search pays for so many filters in the list.
    pub(super) fn list_search(&self, filters: usize) -> f64 {
        if filters == 0 {
            return 0.0;
        }
        let bytes = self.bytes(filters);
        let far =
            LISTED_FAR.0 * doublings(bytes, LISTED_NEAR_BYTES) + LISTED_FAR.1 * doublings(bytes, FAR_BYTES);
        LIST_START + filters as f64 * self.look * (1.0 + self.spread * far)
    }

    /// What is added to a look at a block among so many filters, for each probe.
    fn far(&self, filters: usize) -> f64 {
        let bytes = self.bytes(filters);
        BLOCK_FAR.0 * doublings(bytes, NEAR_BYTES) + BLOCK_FAR.1 * doublings(bytes, FAR_BYTES)
    }

    /// A look at a block, among so many filters.
    fn block(&self, filters: usize) -> f64 {
        BLOCK.0 + self.probes * (BLOCK.1 + self.far(filters))
    }

    /// What a search would save if so many filters of the list were in blocks of their own.
    pub(super) fn list_gain(&self, filters: usize) -> f64 {
        self.list_search(filters) - filters.div_ceil(64) as f64 * self.block(filters)
    }

    /// What a search would save if there were so many blocks less.
    pub(super) fn blocks_gain(&self, blocks: usize) -> f64 {
        blocks as f64 * self.block(blocks * 64)
    }

    /// What it costs to make blocks without free columns of so many blocks with so many filters.
    pub(super) fn blocks_press_price(&self, blocks: usize, filters: usize) -> f64 {
        blocks as f64 * self.square + self.list_price(filters)
    }

    /// What a search would save if so many slabs were one, and so many words of dead filters were pressed out.
    pub(super) fn merge_gain(&self, slabs: usize, dead_words: usize) -> f64 {
        slabs.saturating_sub(1) as f64 * WIDE_START + dead_words as f64 * DEAD_WORD
    }

    /// What it costs to press dead filters out of so many words.
    pub(super) fn press_price(&self, words: usize) -> f64 {
        words as f64 * self.bits * PRESS_ROW
    }

    /// What a search would save if so many blocks were in long rows.
    pub(super) fn wide_gain(&self, blocks: usize, has_wide: bool) -> f64 {
        let hits = self.chance;
        let word = WIDE_PROBE * (self.probes - WIDE_PROBES_MIN)
            + self.far(blocks * 64) * self.probes
            + WIDE_HIT * hits.min(1.0 / (hits * hits))
            - WIDE_COLLECT * (hits - 1.0).max(0.0);
        let start = if has_wide { 0.0 } else { WIDE_START };
        blocks as f64 * word - start
    }

    /// What it costs to move so many filters from the list to blocks.
    pub(super) fn list_price(&self, filters: usize) -> f64 {
        let far = 1.0 + SQUARE_FAR * doublings(self.bytes(filters), SQUARE_FAR_BYTES);
        filters.div_ceil(64) as f64 * self.square * far + filters as f64 * MOVE
    }

    /// What it costs to move so many blocks to long rows.
    pub(super) fn blocks_price(&self, blocks: usize) -> f64 {
        let far = 1.0 + COPIED_FAR * doublings(self.bytes(blocks * 64), NEAR_BYTES / 2.0);
        blocks as f64 * self.bits * LAY_ROW * far + (blocks * 64) as f64 * MOVE_WIDE
    }

    /// To write a filter to a block, among so many filters.
    fn write(&self, filters: usize) -> f64 {
        if self.fill < SPARSE {
            let (start, set, cleaned) = WRITE_SPARSE;
            start + self.bits * (self.fill * set + cleaned)
        } else {
            let far = 1.0 + COPIED_FAR * doublings(self.bytes(filters), FAR_BYTES / 2.0);
            WRITE.0 + WRITE.1 * self.bits * far
        }
    }

    /// What a change costs that is copied to the list and moves to the blocks together with others.
    fn stage(&self, searches: f64) -> f64 {
        let square = self.square;
        let alone = COPY.0 + COPY.1 * self.bits + DETOUR + MOVE + square / 64.0;
        // In batches that make the searches pay as much for the list as the changes for the blocks.
        alone + (2.0 * searches * self.list_search(64) / 64.0 * square).sqrt()
    }

    /// With how many searches for each change it is certainly written to the blocks at once, among so many filters.
    pub(super) fn searches_max(&self, filters: usize) -> f64 {
        let more = (PATIENCE * self.write(filters) - self.stage(0.0)).max(0.0);
        let staged = more * more / (2.0 * self.list_search(64) / 64.0 * self.square);
        let listed = PATIENCE * self.write(filters) / self.list_search(filters.max(1));
        SURELY * staged.max(listed).max(1.0)
    }

    /// Where a change should go, with so many searches for each, among so many filters.
    pub(super) fn form(&self, searches: f64, filters: usize, now: Form) -> Form {
        let price = |form: Form| {
            let price = match form {
                Form::Listed => COPY.0 + COPY.1 * self.bits + searches * self.list_search(filters),
                Form::Staged => self.stage(searches) + searches * (LIST_START + self.block(filters)),
                Form::InPlace => self.write(filters) + searches * self.block(filters),
            };
            if form == now { price } else { price * PATIENCE }
        };
        let forms = [Form::Listed, Form::Staged, Form::InPlace];
        forms
            .into_iter()
            .min_by(|left, right| price(*left).total_cmp(&price(*right)))
            .expect("there are forms")
    }

    /// Whether filters that are searched and changed like that should be in long rows: what searches save is clearly more
    /// than what it costs to take them out and back again.
    pub(super) fn wide_is_kept(&self, searches: f64, gain: f64) -> bool {
        let there_and_back = DETOUR + MOVE + self.bits * LAY_ROW / 64.0;
        searches * gain > 2.0 * there_and_back
    }

    /// Whether that is so, and searches pay for the move before every filter was searched for some times.
    pub(super) fn wide_pays(&self, searches: f64, filters: usize) -> bool {
        let blocks = filters.div_ceil(64);
        let gain = self.wide_gain(blocks, false);
        let gain_of_all = gain * (SEARCHES_EACH * filters) as f64;
        self.wide_is_kept(searches, gain) && gain_of_all > self.blocks_price(blocks)
    }
}

/// How often so many bytes are twice as many as those that are near, up to eight times. Between two powers of two the
/// logarithm is a line: this is asked with every change.
#[inline]
fn doublings(bytes: f64, near: f64) -> f64 {
    let factor = bytes / near;
    if factor <= 1.0 {
        return 0.0;
    }
    let whole = (factor as u64).ilog2().min(8);
    (f64::from(whole) + factor / (1u64 << whole) as f64 - 1.0).min(8.0)
}
