//! Rivals that are libraries of Rust. They are compiled with the feature `peers` only; without it each of them says how to
//! get it.

#[cfg(not(feature = "peers"))]
mod absent;
#[cfg(feature = "peers")]
mod filters;
#[cfg(feature = "peers")]
mod gaoya;
#[cfg(feature = "peers")]
mod sux;
#[cfg(feature = "peers")]
mod webgraph_algo;

#[cfg(not(feature = "peers"))]
pub use self::absent::{filters, gaoya_minhash, gaoya_near, gaoya_simhash, sux_function, webgraph_algo};
#[cfg(feature = "peers")]
pub use self::{
    filters::filters,
    gaoya::{gaoya_minhash, gaoya_near, gaoya_simhash},
    sux::sux_function,
    webgraph_algo::webgraph_algo,
};

/// How to get them.
pub const HINT: &str = "build with `cargo build --release --features peers`";

/// A fingerprint that is asked for, the number of what it was made from, and its distance from that.
pub type Planted = (u64, u32, u32);
