//! The head of a WARC record of any bytes is read or refused, and its block lies within the record.
#![no_main]

use libfuzzer_sys::fuzz_target;
use store::WarcHead;

fuzz_target!(|data: &[u8]| {
    if let Some(head) = WarcHead::parse(data) {
        let _ = &data[head.block_start..][..head.block_bytes];
        assert!(head.header("Content-Length").is_some());
    }
});
