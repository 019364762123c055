//! Whatever somebody types is a query or is refused with a reason.
#![no_main]

use libfuzzer_sys::fuzz_target;
use search::{QUERY_TERMS_MAX, Query};

fuzz_target!(|text: &str| {
    match Query::parse(text) {
        Ok(query) => assert!((1..=QUERY_TERMS_MAX).contains(&query.terms().len())),
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
});
