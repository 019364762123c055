//! A file of an index with a right checksum and any contents is refused, or gives any answers but no panic.
#![no_main]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use index::{INDEX_FORMAT, Index, IndexBuilder, IndexDocument, Piece};
use libfuzzer_sys::fuzz_target;
use page::{DocId, PageKey};
use xxhash_rust::xxh3::xxh3_64;

const FILES: [&str; 9] =
    ["terms", "blocks", "postings", "positions", "skips", "keys", "lengths", "filter", "numbers"];
const PAGES: u64 = 400;

struct Sample {
    folder: tempfile::TempDir,
    segment: PathBuf,
    manifest: String,
    /// The kinds, identities and payloads of the files as they were written.
    files: Vec<([u8; 4], u64, Vec<u8>)>,
}

fn text(page: u64) -> String {
    let words = (0..page % 30).map(|word| format!("w{} ", (page * 7 + word * word) % 1500));
    words.chain(["the the of ".to_owned()]).collect()
}

fn sample() -> &'static Sample {
    static SAMPLE: OnceLock<Sample> = OnceLock::new();
    SAMPLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
        for page in 0..PAGES {
            let (title, text) = (format!("w{}", page % 9), text(page));
            let pieces = Piece::title_and_text(&title, &text);
            let key = PageKey::new(100 * page);
            builder.add(&IndexDocument { key, language: Some("en"), pieces: &pieces }).unwrap();
        }
        builder.finish("fuzz").unwrap();
        let segment = folder.path().join("segment-1");
        let files = FILES.map(|name| {
            let file = index::check_file(&segment.join(name)).unwrap();
            (file.kind(), file.identity(), file.all_bytes().unwrap().to_vec())
        });
        let manifest = std::fs::read_to_string(folder.path().join("manifest.json")).unwrap();
        Sample { folder, segment, manifest, files: files.to_vec() }
    })
}

/// The manifest of an index of which one file has another identity.
fn manifest(written: &str, old: u64, new: u64) -> String {
    let (head, rest) = written.split_once("\"index\": ").expect("the index is told");
    let (told, _) = rest.rsplit_once(",\n  \"xxh3\"").expect("the checksum is the last");
    let told = told.replacen(&old.to_string(), &new.to_string(), 1);
    // The checksum is that of the text without what makes it pretty; no string of it has a space or a line.
    let plain: String = told.chars().filter(|letter| !letter.is_whitespace()).collect();
    let checksum = xxh3_64(plain.as_bytes());
    format!("{head}\"index\": {told},\n  \"xxh3\": \"{checksum:016x}\"\n}}")
}

/// What the input says the file holds: any bytes, or what was written with some bytes changed.
fn payload(written: &[u8], rule: u8, input: &[u8]) -> Vec<u8> {
    if rule & 0x80 == 0 || written.is_empty() {
        return input.to_vec();
    }
    let mut payload = written.to_vec();
    for change in input.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % payload.len();
        payload[place] ^= change[2];
    }
    payload
}

fn read(dir: &Path) {
    let Ok(index) = Index::open(dir) else { return };
    let _ = index.check();
    let table = index.impact_model().table();
    let mut positions = Vec::new();
    for word in (0..1500).step_by(13).map(|word| format!("w{word}")).chain(["the".into(), "of".into()]) {
        let Ok(Some(term)) = index.term(&word) else { continue };
        let mut cursor = index.cursor(&term);
        let mut steps = 0;
        while cursor.doc() != DocId::END && steps < 1000 {
            cursor.impact(&table);
            cursor.counts();
            if cursor.positions(&mut positions).is_err() {
                break;
            }
            let next = DocId::new(cursor.doc().get().saturating_add(1 + steps % 5));
            cursor.advance(next);
            steps += 1;
        }
    }
    for doc in (0..index.documents().min(1000)).map(DocId::new) {
        index.find_key(index.doc_key(doc));
        index.doc_length(doc);
    }
    if let Ok(mut terms) = index.terms_from("w1") {
        for _ in 0..1000 {
            if !matches!(terms.next_term(), Ok(Some(_))) {
                break;
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let sample = sample();
    let which = usize::from(rule & 0x7f) % FILES.len();
    let (kind, identity, written) = &sample.files[which];
    let (path, told) = (sample.segment.join(FILES[which]), sample.folder.path().join("manifest.json"));
    let sealed = journal::write_sealed(&path, INDEX_FORMAT, *kind, &payload(written, *rule, input)).unwrap();
    std::fs::write(&told, manifest(&sample.manifest, *identity, sealed.identity)).unwrap();
    read(sample.folder.path());
    journal::write_sealed(&path, INDEX_FORMAT, *kind, written).unwrap();
    std::fs::write(&told, &sample.manifest).unwrap();
});
