//! Any file is looked into or refused with a reason: of any bytes, or of records and contents with right checksums.
#![no_main]

use std::path::Path;

use journal::{Format, JournalWriter, Kind};
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const JOURNALS: [Format; 10] = [
    store::PAGES_FORMAT,
    store::LINKS_FORMAT,
    frontier::READY_FORMAT,
    frontier::HOSTS_FORMAT,
    sieve::STATE_FORMAT,
    sieve::RECENT_FORMAT,
    dedup::SKETCHES_FORMAT,
    dedup::BANDS_FORMAT,
    build::documents::KEYS,
    build::documents::BLOCKS,
];

const SEALED: [(Format, Kind); 4] = [
    (search::KNOWN_FORMAT, *b"know"),
    (search::KNOWN_FORMAT, *b"word"),
    (sieve::RUN_FORMAT, *b"keys"),
    (frontier::CHECKPOINT_FORMAT, *b"past"),
];

/// Records, each up to a byte that no number begins with.
fn write_journal(path: &Path, format: Format, input: &[u8]) {
    let mut journal = JournalWriter::create(path, format).unwrap();
    for record in input.split(|byte| *byte == 0xfe) {
        journal.append(record);
    }
    journal.flush().unwrap();
}

/// A filter whose numbers are those of the input and whose checksum is right.
fn write_filter(path: &Path, input: &[u8]) {
    let mut bytes = [&filter::bytes::MAGIC[..], &1u32.to_le_bytes(), input].concat();
    bytes.resize(bytes.len().max(64), 0);
    let length = bytes.len() as u64 - 64;
    bytes[48..56].copy_from_slice(&length.to_le_bytes());
    let checksum = xxh3_64_with_seed(&bytes[64..], xxh3_64(&bytes[..56]));
    bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(path, bytes).unwrap();
}

/// The same for an index of many filters.
fn write_sliced(path: &Path, input: &[u8]) {
    let mut bytes = [&filter::index::SLICED_MAGIC[..], &1u32.to_le_bytes(), input].concat();
    bytes.resize(bytes.len().max(64), 0);
    let length = bytes.len() as u64 + 8;
    bytes[40..48].copy_from_slice(&length.to_le_bytes());
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    std::fs::write(path, bytes).unwrap();
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    match usize::from(*rule) % 20 {
        which if which < JOURNALS.len() => write_journal(&path, JOURNALS[which], input),
        which if which < JOURNALS.len() + SEALED.len() => {
            let (format, kind) = SEALED[which - JOURNALS.len()];
            journal::write_sealed(&path, format, kind, input).unwrap();
        }
        14 => write_filter(&path, input),
        15 => write_sliced(&path, input),
        _ => std::fs::write(&path, input).unwrap(),
    }
    if let Ok(found) = inspect::inspect(&path, 2) {
        let _ = found.as_json(&path, input.len() as u64).to_string();
    }
});
