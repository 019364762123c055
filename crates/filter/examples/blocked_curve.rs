//! Measures the share of wrong answers of a blocked filter against its bits per key, beside the formula by which it is
//! sized. The table in the header of `src/blocked/mod.rs` is this output.
//!
//! ```text
//! cargo run --release -p filter --example blocked_curve
//! ```

use filter::{BLOCK_BITS, BlockedBloomFilter, BlockedShape, KeyHash};

const KEYS: u64 = 4_000_000;
const FOREIGN: u64 = 40_000_000;

fn main() {
    println!("| bits a key | measured | formula |\n|---|---|---|");
    for tenths in [60, 80, 90, 100, 101, 102, 105, 110, 120, 140, 160, 200] {
        let shape = BlockedShape::new(KEYS * tenths / 10 / BLOCK_BITS, 0);
        let mut filter = BlockedBloomFilter::new(shape);
        let hash = |key| KeyHash::of_u64(key, 0).as_u64();
        (0..KEYS).for_each(|key| {
            filter.insert(hash(key));
        });
        let found = (KEYS..KEYS + FOREIGN).filter(|key| filter.contains(hash(*key))).count();
        println!(
            "| {:.1} | {:.4} % | {:.4} % |",
            tenths as f64 / 10.0,
            100.0 * found as f64 / FOREIGN as f64,
            100.0 * shape.rate_at(KEYS)
        );
    }
}
