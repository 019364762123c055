//! Documents whose records have right checksums and any contents are refused, or read without a panic.
#![no_main]

use std::path::Path;

use build::documents::{
    BLOCKS, DocumentStore, DocumentWriter, KEYS, MadeFrom, StoredDocument, WriterOptions,
};
use journal::JournalWriter;
use libfuzzer_sys::fuzz_target;
use page::PageKey;

/// A store of a few documents in a folder.
fn write(dir: &Path) {
    let made_from = MadeFrom { created_at: "now".into(), parser_version: 1 };
    let mut writer = DocumentWriter::create(dir, &made_from, WriterOptions::default()).unwrap();
    for key in 0..4 {
        let text = "some words of a page ".repeat(key as usize);
        let (key, url, title) = (PageKey::new(10 * key), format!("http://a.test/{key}"), "A page".to_owned());
        let document = StoredDocument {
            key,
            url,
            title,
            text,
            spans: Vec::new(),
            language: None,
            language_is_declared: false,
            published: None,
            modified: None,
            canonical: None,
            noindex: false,
        };
        writer.append(&document).unwrap();
    }
    writer.commit(40).unwrap();
}

fn read(dir: &Path) {
    let Ok(store) = DocumentStore::open(dir) else { return };
    for key in store.keys().take(1000) {
        let _ = store.get(key);
    }
    store.read_from(PageKey::START).take(1000).for_each(drop);
    let _ = store.for_each_about(drop);
    let _ = store.check();
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let (name, format) = if rule & 1 == 0 { ("keys.log", KEYS) } else { ("blocks.log", BLOCKS) };
    let path = folder.path().join(name);
    // Behind what is there, or in its place.
    let journal = match rule & 2 {
        0 => JournalWriter::open(&path, format),
        _ => std::fs::remove_file(&path)
            .map_err(Into::into)
            .and_then(|()| JournalWriter::create(&path, format)),
    };
    let mut journal = journal.unwrap();
    for record in input.split(|byte| *byte == 0xfe) {
        journal.append(record);
    }
    journal.flush().unwrap();
    drop(journal);
    read(folder.path());
});
