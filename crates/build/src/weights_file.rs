//! The file of weights: what each signal of a score counts.

use std::path::Path;

use search::Weights;

use crate::Error;

/// Reads a file of weights; without one, the defaults.
pub fn read_weights(path: Option<&Path>) -> Result<Weights, Error> {
    let Some(path) = path else { return Ok(Weights::default()) };
    let unreadable = |error| Error::WeightsFile { path: path.to_owned(), error };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    Weights::parse(&text).map_err(|error| Error::Weights { path: path.to_owned(), error })
}
