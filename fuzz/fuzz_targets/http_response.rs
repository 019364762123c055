//! Any stored answer is read or refused, and never grows beyond its limits.
#![no_main]

use fetch::{FetchLimits, decode_stored};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let head_end = data.windows(4).position(|window| window == b"\r\n\r\n").map_or(data.len(), |at| at + 4);
    let (head, body) = data.split_at(head_end);
    let limits = FetchLimits { decoded_bytes_max: 64 << 10, ..FetchLimits::default() };
    if let Some(response) = decode_stored(head, body, &limits) {
        assert!((100..=999).contains(&response.status));
        assert_eq!(response.raw_head, head);
        assert!(response.body().len() <= response.raw_body.len().max(64 << 10));
    }
});
