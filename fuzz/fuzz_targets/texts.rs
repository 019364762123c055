//! Files of pages and texts of any kind and any bytes are read, or told; what can be read is read again as the same.
#![no_main]

use dedup::{DocumentReader, Documents};
use input::pages::format_of;
use input::{InputFile, InputFiles, Reading, TextSources};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 8] =
    ["a.jsonl", "a.jsonl.gz", "a.parquet", "a.txt", "a.html", "a.txt.gz", "a.ndjson", "a.xhtml"];

fn read_texts(files: Vec<InputFile>, work: &std::path::Path) {
    let Ok(texts) = TextSources::open(files, &Reading::default(), work, &mut |_| {}, &mut |_| {}) else {
        return;
    };
    let (mut reader, mut text) = (texts.reader(), Vec::new());
    for document in 0..texts.count().min(1000) {
        texts.name(document);
        let _ = reader.read(document, &mut text);
    }
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAMES[usize::from(*rule) % NAMES.len()]);
    std::fs::write(&path, input).unwrap();
    if let Some(format) = format_of(&path) {
        let _ = format.read(&path, &mut |_| {});
    }
    let work = tempfile::tempdir().unwrap();
    let found = InputFiles::find(&[path], |_| false, |_| {}).unwrap();
    read_texts(found.files, work.path());
});
