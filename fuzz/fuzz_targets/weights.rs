//! A file of weights is read or refused with a reason, and what was read is written so that it reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use search::Weights;

fuzz_target!(|text: &str| {
    match Weights::parse(text) {
        Ok(weights) => assert_eq!(Weights::parse(&weights.to_string()).ok(), Some(weights)),
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
