//! Files that somebody else wrote: they are journals or errors, and never a panic.

use std::path::Path;

use journal::{Error, Format, HEADER_BYTES, JournalReader, JournalWriter};
use proptest::prelude::*;

const FORMAT: Format = Format { magic: *b"TESTTEST", version: 1 };

fn read_all(path: &Path) -> Result<Vec<Vec<u8>>, Error> {
    let mut reader = JournalReader::open(path, FORMAT)?;
    let mut records = Vec::new();
    while let Some(record) = reader.next_record()? {
        records.push(record.payload.to_vec());
    }
    Ok(records)
}

/// Whole records, broken ones, zeros, and bytes that mean nothing.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let record = |payload: &[u8]| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut writer = JournalWriter::create(&path, FORMAT).unwrap();
        writer.append(payload);
        writer.flush().unwrap();
        std::fs::read(&path).unwrap()[HEADER_BYTES as usize..].to_vec()
    };
    let (whole, empty) = (record(b"a record"), record(b""));
    let torn = whole[..whole.len() - 1].to_vec();
    prop_oneof![
        4 => Just(whole),
        2 => Just(empty),
        1 => Just(torn),
        1 => Just(vec![0; 30]),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_file_of_any_bytes_is_a_journal_or_an_error(pieces in prop::collection::vec(piece(), 0..6), has_header in prop::bool::weighted(0.9)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        drop(JournalWriter::create(&path, FORMAT).unwrap());
        let header = if has_header { std::fs::read(&path).unwrap() } else { Vec::new() };
        let bytes = [header, pieces.concat()].concat();
        std::fs::write(&path, &bytes).unwrap();
        match read_all(&path) {
            Ok(mut records) => {
                let mut writer = JournalWriter::open(&path, FORMAT).unwrap();
                writer.append(b"more");
                writer.flush().unwrap();
                records.push(b"more".to_vec());
                prop_assert_eq!(read_all(&path).unwrap(), records, "what can be read can be gone on with");
            }
            Err(error) => {
                prop_assert!(error.to_string().contains("journal"), "{} does not name the file", error);
                prop_assert_eq!(std::fs::read(&path).unwrap(), bytes, "reading changes nothing");
            }
        }
    }

    #[test]
    fn any_place_of_a_journal_is_a_record_or_an_error(offset in prop_oneof![0u64..200, any::<u64>()]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut writer = JournalWriter::create(&path, FORMAT).unwrap();
        let places: Vec<u64> = (0..5u8).map(|number| writer.append(&[number; 20])).collect();
        writer.flush().unwrap();
        let mut reader = JournalReader::open(&path, FORMAT).unwrap();
        prop_assert_eq!(reader.read_at(offset).is_ok(), places.contains(&offset));
    }
}
