//! What is said instead of numbers where the rivals were not compiled.

use std::path::Path;

use super::{HINT, Planted};
use crate::filter::subjects::Subject;

/// None of fastbloom and sbbf-rs-safe.
pub fn filters(_keys: usize) -> Vec<Box<dyn Subject>> {
    Vec::new()
}

/// No sketches of gaoya.
pub fn gaoya_minhash(_documents: &[String]) -> Result<f64, String> {
    Err(HINT.into())
}

/// No fingerprints of gaoya.
pub fn gaoya_simhash(_documents: &[String]) -> Result<f64, String> {
    Err(HINT.into())
}

/// No index of gaoya.
pub fn gaoya_near(_stored: &[u64], _planted: &[Planted], _distance: u32) -> Result<(f64, f64), String> {
    Err(HINT.into())
}

/// No static function of sux.
pub fn sux_function(_hashes: &[u64], _number: &dyn Fn(usize) -> u64, _asked: &[u64]) -> Result<f64, String> {
    Err(HINT.into())
}

/// No ranks and distances of webgraph-algo.
pub fn webgraph_algo(_graph: &Path, _transpose: &Path) -> Result<[f64; 2], String> {
    Err(HINT.into())
}
