//! The files of the user that change what is found: weights, which say what each signal of a score counts, and synonyms.

use std::path::Path;

use search::{Synonyms, Weights};

use crate::Error;

/// Reads a file of weights; without one, the defaults.
pub fn read_weights(path: Option<&Path>) -> Result<Weights, Error> {
    let Some(path) = path else { return Ok(Weights::default()) };
    let unreadable = |error| Error::WeightsFile { path: path.to_owned(), error };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    Weights::parse(&text).map_err(|error| Error::Weights { path: path.to_owned(), error })
}

/// Reads a file of synonyms; without one, there are none.
pub fn read_synonyms(path: Option<&Path>) -> Result<Synonyms, Error> {
    let Some(path) = path else { return Ok(Synonyms::default()) };
    let unreadable = |error| Error::SynonymsFile { path: path.to_owned(), error };
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    Synonyms::parse(&text).map_err(|error| Error::Synonyms { path: path.to_owned(), error })
}
