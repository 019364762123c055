//! Whatever somebody types is a query or is refused with a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;
use search::{QUERY_BYTES_MAX, Query};

fuzz_target!(|text: &str| {
    match Query::parse(text) {
        Ok(query) => {
            assert!(query.terms().len() <= QUERY_BYTES_MAX);
            assert!(!query.terms().is_empty() || !query.sites().is_empty());
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
