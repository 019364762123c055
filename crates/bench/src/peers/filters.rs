//! fastbloom, and the split-block filter of Parquet.

use fastbloom::BloomFilter as FastBloom;
use sbbf_rs_safe::Filter as SplitBlock;

use crate::filter::subjects::{FASTBLOOM, One, RATE, SPLIT_BLOCK, Subject, one_by_one};

/// Empty filters for so many keys.
pub fn filters(keys: usize) -> Vec<Box<dyn Subject>> {
    let fastbloom = FastBloom::with_false_pos(RATE).seed(&1).expected_items(keys);
    vec![Box::new(One(fastbloom)), Box::new(One(SplitBlock::new(10, keys)))]
}

one_by_one!(FastBloom, FASTBLOOM, FastBloom::num_bits, FastBloom::insert_hash, FastBloom::contains_hash);
one_by_one!(
    SplitBlock,
    SPLIT_BLOCK,
    |filter: &SplitBlock| filter.as_bytes().len() * 8,
    SplitBlock::insert_hash,
    SplitBlock::contains_hash
);
