//! Languages of other people's sentences. They live beside the project; without them this test says so and passes.

use std::path::{Path, PathBuf};

use build::documents::detect_language;

#[test]
fn ten_sentences_have_their_language() {
    let root = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = root.join("conformance/lingua");
    if !folder.exists() {
        // Not by `println!`, which a passing test keeps to itself.
        let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", folder.display());
        return std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
            .expect("standard error can be written to");
    }
    let languages = [
        ("arabic", "ar"),
        ("chinese", "zh"),
        ("english", "en"),
        ("french", "fr"),
        ("german", "de"),
        ("greek", "el"),
        ("italian", "it"),
        ("japanese", "ja"),
        ("russian", "ru"),
        ("spanish", "es"),
    ];
    for (name, expected) in languages {
        let text = std::fs::read_to_string(folder.join(name).join("sentences.txt")).unwrap();
        let sentences: Vec<&str> = text.lines().collect();
        let (mut right, mut wrong, mut silent) = (0, 0, 0);
        for ten in sentences.chunks_exact(10) {
            match detect_language(ten.iter().copied()) {
                Some(found) if found == expected => right += 1,
                Some(_) => wrong += 1,
                None => silent += 1,
            }
        }
        eprintln!("{name}: {right} right, {wrong} wrong, {silent} without");
        assert!(wrong == 0, "{name}: {wrong} of {} are taken for another language", right + wrong + silent);
        assert!(right >= 19 * silent, "{name}: {silent} of {} have none", right + silent);
    }
}
