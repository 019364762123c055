//! Have we seen this key? Sets that take ten bits a key and are wrong in one direction only.
//!
//! What was inserted is always found; what was not is found now and then, at a rate that is chosen beforehand. Four
//! filters, for the four lives of a set:
//!
//! | filter | for | bits a key at 1 % | cache lines a query |
//! |---|---|---|---|
//! | [`BlockedBloomFilter`], [`AtomicBlockedBloomFilter`] | sets that grow; the default | 10.14 | 1 |
//! | [`BloomFilter`] | sets that are joined and compared bit by bit, as [`index`] does | 9.59 | up to 7 |
//! | [`CountingBloomFilter`] | sets from which keys are removed | 38.3 | up to 7 |
//! | [`FuseFilter`] | sets that are complete | 9.0 (at 0.39 %) | 3 |
//!
//! All of them become versioned, checksummed bytes ([`bytes`]), and the first two answer from such bytes in place.
//! Keys come as hashes ([`KeyHash`]); whoever shares a filter shares its seed. [`index`] asks many filters at once.
//!
//! ```
//! use filter::{BlockedBloomFilter, BlockedShape, BlockedView, KeyHash};
//!
//! let seen = |url: &str| KeyHash::of(url.as_bytes(), 0).as_u64();
//! let mut filter = BlockedBloomFilter::new(BlockedShape::for_rate(1_000_000, 0.01));
//! assert!(filter.insert(seen("https://example.org/")));
//! assert!(filter.contains(seen("https://example.org/")));
//!
//! let bytes = filter.to_bytes();
//! let view = BlockedView::open(&bytes)?;
//! assert!(view.contains(seen("https://example.org/")) && !view.contains(seen("https://example.com/")));
//! # Ok::<(), filter::DecodeError>(())
//! ```
//!
//! [`function`] has what leads from keys to numbers and keeps no keys.
//!
//! Nothing here reads files or starts threads. Unsafe code is confined to the kernels that use AVX2 and prefetching;
//! each has a plain twin with the same answers.
#![deny(unsafe_code)]

mod blocked;
mod bloom;
pub mod bytes;
mod counting;
pub mod function;
mod fuse;
#[allow(unsafe_code)] // its kernel
pub mod index;
mod shape;

pub use blocked::{
    AtomicBlockedBloomFilter, BLOCK_BITS, BlockedBloomFilter, BlockedShape, LANES, prefetch_line,
};
pub use bloom::{BloomFilter, ShapeMismatch};
pub use bytes::{BlockedView, BloomView, DecodeError, FilterKind};
pub use counting::CountingBloomFilter;
pub use fuse::{FUSE_KEYS_MAX, FuseBuildError, FuseFilter};
pub use shape::{BITS_MAX, FilterShape, KeyHash, PROBES_MAX, Probes};
