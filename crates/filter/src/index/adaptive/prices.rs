//! What searches, changes and moves cost, in nanoseconds of the machine where they were measured.
//!
//! Only their ratios matter, and these not much: a rule of rents is wrong by as much as its prices, but the cost of the best
//! batch grows with the square root of the price, so that one which is wrong by a factor of two costs 6 %.

use crate::FilterShape;

/// So many searches after a change are made before it is computed when a move will be paid.
pub(super) const SETTLE_FIRST: u64 = 16;

/// A look at a filter of the list, when its first two bits tell enough, and what is added where these are set.
const LOOK: f64 = 1.2;
const LOOK_FURTHER: f64 = 13.0;
/// To begin with the list.
const LIST_START: f64 = 10.0;

/// A look at a block: always, and for each probe.
const BLOCK: (f64, f64) = (2.0, 0.75);
/// What a look at a word of long rows saves beside one at a block, for each probe above some, and how much more where they do
/// not lie near. Blocks also lose where they find something in every second, which cannot be foreseen.
const WIDE_PROBE: (f64, f64) = (0.6, 0.35);
const WIDE_PROBES_MIN: f64 = 2.5;
const WIDE_HIT: f64 = 4.0;
/// What each hit costs more there, which tells where there are several in a word.
const WIDE_COLLECT: f64 = 1.2;
/// To begin with long rows.
const WIDE_START: f64 = 55.0;
/// A look at a word of long rows.
const DEAD_WORD: f64 = 2.0;

/// To copy a filter to the list: always, and for each bit.
const COPY: (f64, f64) = (12.0, 0.005);
/// To write a filter to a block: always, and for each bit of a column that is overwritten.
const WRITE: (f64, f64) = (20.0, 0.165);
/// To write a sparse one: always, for each bit that is set, and for each bit of columns that are made clean.
const WRITE_SPARSE: (f64, f64, f64) = (30.0, 2.0, 0.01);
/// Filters with fewer bits than this share are written bit by bit.
const SPARSE: f64 = 1.0 / 16.0;

/// To move up to 64 filters to a block: for each row, and for each filter.
const SQUARE_ROW: f64 = 1.0;
/// What is added where a block is so large that its memory comes from the system, page by page.
const SQUARE_ROW_PAGED: f64 = 1.0;
const PAGED_BITS_MIN: f64 = (1 << 14) as f64;
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

/// Bytes that are near enough to be looked at without waiting.
const NEAR_BYTES: f64 = (1 << 18) as f64;

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
    /// A look at a filter of the list, and a square, which are asked for often.
    look: f64,
    square: f64,
}

impl Prices {
    pub(super) fn new(shape: &FilterShape) -> Self {
        let bits = shape.bits() as f64;
        let paged = if bits > PAGED_BITS_MIN { SQUARE_ROW_PAGED } else { 0.0 };
        let (look, square) = (look(0.5), bits * (SQUARE_ROW + paged));
        Self { bits, probes: f64::from(shape.probes()), fill: 0.5, has_looked: false, look, square }
    }

    /// Looks at a filter that comes.
    pub(super) fn look_at(&mut self, words: &[u64]) {
        let sample = &words[..words.len().min(16)];
        let ones: u32 = sample.iter().map(|word| word.count_ones()).sum();
        let weight = if self.has_looked { 0.25 } else { 1.0 };
        self.fill += (f64::from(ones) / (sample.len() * 64) as f64 - self.fill) * weight;
        self.has_looked = true;
        self.look = look(self.fill);
    }

    /// After how many changes it is looked where they should go, so that the look itself takes little time beside them.
    pub(super) fn changes_per_review(&self, form: Form) -> u32 {
        let change = if form == Form::InPlace { self.write() } else { COPY.0 + COPY.1 * self.bits };
        (REVIEW / change).max(1.0) as u32
    }

    /// How many times as long it takes to look at what does not lie near.
    fn distance(&self, filters: usize) -> f64 {
        let bytes = filters as f64 * self.bits / 8.0;
        if bytes <= NEAR_BYTES { 1.0 } else { 1.0 + 0.25 * (bytes / NEAR_BYTES).log2().min(8.0) }
    }

    /// What a search pays for so many filters in the list.
    pub(super) fn list_search(&self, filters: usize) -> f64 {
        if filters == 0 { 0.0 } else { LIST_START + filters as f64 * self.look * self.distance(filters) }
    }

    /// A look at a block.
    fn block(&self) -> f64 {
        BLOCK.0 + BLOCK.1 * self.probes
    }

    /// What a search would save if so many filters of the list were in blocks of their own.
    pub(super) fn list_gain(&self, filters: usize) -> f64 {
        self.list_search(filters) - filters.div_ceil(64) as f64 * self.block()
    }

    /// What a search would save if there were so many blocks less.
    pub(super) fn blocks_gain(&self, blocks: usize) -> f64 {
        blocks as f64 * self.block()
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
        let bytes = (blocks * 64) as f64 * self.bits / 8.0;
        let far = WIDE_PROBE.1 * (bytes / (2.0 * NEAR_BYTES)).max(1.0).log2().min(6.0);
        let hits = 64.0 * self.fill.powf(self.probes);
        let word = WIDE_PROBE.0 * (self.probes - WIDE_PROBES_MIN)
            + far * self.probes
            + WIDE_HIT * hits.min(1.0 / (hits * hits))
            - WIDE_COLLECT * (hits - 1.0).max(0.0);
        let start = if has_wide { 0.0 } else { WIDE_START };
        blocks as f64 * word - start
    }

    /// What it costs to move so many filters from the list to blocks.
    pub(super) fn list_price(&self, filters: usize) -> f64 {
        filters.div_ceil(64) as f64 * self.square + filters as f64 * MOVE
    }

    /// What it costs to move so many blocks to long rows.
    pub(super) fn blocks_price(&self, blocks: usize) -> f64 {
        blocks as f64 * self.bits * LAY_ROW * self.distance(blocks * 64) + (blocks * 64) as f64 * MOVE_WIDE
    }

    fn write(&self) -> f64 {
        if self.fill < SPARSE {
            let (start, set, cleaned) = WRITE_SPARSE;
            start + self.bits * (self.fill * set + cleaned)
        } else {
            WRITE.0 + WRITE.1 * self.bits
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
        let more = (PATIENCE * self.write() - self.stage(0.0)).max(0.0);
        let staged = more * more / (2.0 * self.list_search(64) / 64.0 * self.square);
        let listed = PATIENCE * self.write() / self.list_search(filters.max(1));
        2.0 * staged.max(listed).max(1.0)
    }

    /// Where a change should go, with so many searches for each, among so many filters.
    pub(super) fn form(&self, searches: f64, filters: usize, now: Form) -> Form {
        let price = |form: Form| {
            let price = match form {
                Form::Listed => COPY.0 + COPY.1 * self.bits + searches * self.list_search(filters),
                Form::Staged => self.stage(searches) + searches * (LIST_START + self.block()),
                Form::InPlace => self.write() + searches * self.block(),
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

/// A look at a filter of the list with this share of its bits set.
fn look(fill: f64) -> f64 {
    LOOK + LOOK_FURTHER * fill * fill
}
