//! The links of a page from any bytes; what can be read is written and read again as the same.
#![no_main]

use journal::FieldWriter;
use libfuzzer_sys::fuzz_target;
use page::PageUrl;
use store::{decode_links, encode_links};

fuzz_target!(|data: &[u8]| {
    let page = PageUrl::parse("http://example.org/dir/page.html").unwrap();
    let Ok(links) = decode_links(&page, data) else { return };
    let mut fields = FieldWriter::new();
    encode_links(&page, &links, &mut fields);
    assert_eq!(decode_links(&page, fields.as_bytes()), Ok(links));
});
