//! A record of the page table from any bytes; what can be read is written and read again as the same.
#![no_main]

use journal::FieldWriter;
use libfuzzer_sys::fuzz_target;
use store::PageRecord;

fuzz_target!(|data: &[u8]| {
    // Half of the inputs stand behind a good front, since the address in it is hard to guess.
    let mut bytes = Vec::new();
    if data.first().is_some_and(|byte| byte % 2 == 0) {
        let mut front = FieldWriter::new();
        front.number(0).number(0).number(1).text("http://example.org/");
        bytes.extend_from_slice(front.as_bytes());
    }
    bytes.extend_from_slice(data);
    let Ok(record) = PageRecord::decode(&bytes) else { return };
    let mut fields = FieldWriter::new();
    record.encode(&mut fields);
    assert_eq!(PageRecord::decode(fields.as_bytes()), Ok(record));
});
