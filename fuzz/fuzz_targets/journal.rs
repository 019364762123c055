//! A file of any bytes is a journal or an error, and what can be read can be gone on with.
#![no_main]

use journal::{Error, Format, JournalReader, JournalWriter};
use libfuzzer_sys::fuzz_target;

const FORMAT: Format = Format { magic: *b"FUZZFUZZ", version: 1 };

fn read_all(path: &std::path::Path) -> Result<Vec<Vec<u8>>, Error> {
    let mut reader = JournalReader::open(path, FORMAT)?;
    let mut records = Vec::new();
    while let Some(record) = reader.next_record()? {
        records.push(record.payload.to_vec());
    }
    Ok(records)
}

fuzz_target!(|data: &[u8]| {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal");
    // Half of the inputs have a good header, which is hard to guess.
    let header: &[u8] =
        if data.first().is_some_and(|byte| byte % 2 == 0) { b"FUZZFUZZ\x01\0\0\0\0\0\0\0" } else { b"" };
    std::fs::write(&path, [header, data].concat()).unwrap();
    let Ok(mut records) = read_all(&path) else { return };
    let mut writer = JournalWriter::open(&path, FORMAT).expect("what can be read can be gone on with");
    writer.append(b"more");
    writer.flush().unwrap();
    records.push(b"more".to_vec());
    assert_eq!(read_all(&path).unwrap(), records);
});
