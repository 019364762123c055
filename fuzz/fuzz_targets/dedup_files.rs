//! Groups of copies with a right checksum and any contents, and a work folder of any contents, are read or refused.
#![no_main]

use std::path::Path;

use dedup::{
    DedupConfig, Deduplicator, Execution, GROUPS_MAGIC, GROUPS_VERSION, GroupsFile, SKETCHES_FORMAT,
};
use journal::JournalWriter;
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

fn read_groups(path: &Path, input: &[u8]) {
    let mut file = [&GROUPS_MAGIC[..], &GROUPS_VERSION.to_le_bytes(), &[0; 4], input].concat();
    file.extend(xxh3_64(&file).to_le_bytes());
    std::fs::write(path, file).unwrap();
    let Ok(Some(groups)) = GroupsFile::read(path) else { return };
    for group in groups.iter() {
        assert!(group.len() > 1 && group.iter().all(|key| groups.group_of(*key).is_some()));
    }
    groups.write(path).unwrap();
    let again = GroupsFile::read(path).unwrap().unwrap();
    assert!(again.iter().eq(groups.iter()));
}

const TEXTS: [&str; 4] =
    ["one two three four five six", "one two three four five six", "seven eight nine", ""];

/// A folder that knows of documents which the input tells about, and a column that the input fills.
fn read_work(folder: &Path, input: &[u8]) {
    let config = || DedupConfig {
        slots: 8,
        execution: Execution::Threads(1),
        memory_bytes: 1 << 20,
        ..DedupConfig::default()
    };
    drop(Deduplicator::open(folder, config(), "fuzz").unwrap());
    let records: Vec<&[u8]> = input.split(|byte| *byte == 0xfe).collect();
    let mut journal = JournalWriter::open(&folder.join("blocks.log"), SKETCHES_FORMAT).unwrap();
    for record in &records[1..] {
        journal.append(record);
    }
    journal.flush().unwrap();
    drop(journal);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "col" || extension == "rec") {
            std::fs::write(path, records[0]).unwrap();
        }
    }
    let Ok(mut work) = Deduplicator::open(folder, config(), "fuzz") else { return };
    let texts = &TEXTS[..];
    if work.sketch(&texts, &()).is_ok() {
        let _ = work.groups(&texts, &());
    }
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let dir = tempfile::tempdir().unwrap();
    if rule % 2 == 0 {
        read_groups(&dir.path().join("groups"), input);
    } else {
        read_work(dir.path(), input);
    }
});
