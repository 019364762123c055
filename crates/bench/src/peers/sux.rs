//! sux: static functions by equations of three variables.

use dsi_progress_logger::no_logging;
use sux::bits::BitFieldVec;
use sux::func::VFunc;

use crate::clock::look_up_ns;

/// Nanoseconds of a look-up in a function from these hashes to these numbers.
pub fn sux_function(hashes: &[u64], number: &dyn Fn(usize) -> u64, asked: &[u64]) -> Result<f64, String> {
    let numbers: Vec<usize> = (0..hashes.len()).map(|key| number(key) as usize).collect();
    let function = <VFunc<u64, BitFieldVec<Box<[usize]>>>>::try_par_new(hashes, &numbers, no_logging![])
        .map_err(|error| error.to_string())?;
    Ok(look_up_ns(asked, |hash| function.get(hash)))
}
