//! A latent space with a right checksum and any contents is refused, or gives any answers but no panic.
#![no_main]

use std::path::Path;
use std::sync::OnceLock;

use latent::{LATENT_FORMAT, LatentSpace, Matrix, Meaning, SpaceTerms, SpaceWriter, decompose};
use libfuzzer_sys::fuzz_target;
use page::SetId;

/// The kind and the payload of a small space.
fn written() -> &'static ([u8; 4], Vec<u8>) {
    static WRITTEN: OnceLock<([u8; 4], Vec<u8>)> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("space");
        let rows: [&[(u32, f32)]; 3] = [&[(0, 1.0), (1, 1.0)], &[(1, 1.0), (2, 2.0)], &[(0, 1.0), (3, 1.0)]];
        let matrix = Matrix::of_rows(4, &rows);
        let names = ["a", "b", "cé", "d"].map(str::to_owned).to_vec();
        let terms = SpaceTerms::new(names, vec![1.0; 4], &matrix, &decompose(&matrix, 2, 1), 3);
        let mut writer = SpaceWriter::create(&path, &terms, SetId::of(b"fuzz"), 3).unwrap();
        writer.fold_in(&matrix, 1).unwrap();
        writer.finish().unwrap();
        let file = journal::SealedFile::open_any(&path, LATENT_FORMAT).unwrap();
        (file.kind(), file.all_bytes().unwrap().to_vec())
    })
}

fn read(path: &Path) {
    let Ok(space) = LatentSpace::open(path) else { return };
    for term in 0..space.terms() {
        space.weight(term);
        assert!(space.term(space.name(term)).is_none_or(|found| found < space.terms()));
    }
    let documents = 0..space.documents().min(1000);
    let meanings: Vec<(Meaning, f32)> =
        documents.clone().filter_map(|document| Some((space.meaning_of_document(document)?, 1.0))).collect();
    for (meaning, _) in &meanings {
        space.cosines(meaning, documents.clone()).for_each(drop);
    }
    Meaning::together(&meanings);
    space.singular_values();
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let (kind, written) = written();
    let mut payload = if rule & 1 == 0 { Vec::new() } else { written.clone() };
    if payload.is_empty() {
        payload.extend_from_slice(input);
    } else {
        for change in input.chunks_exact(3) {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % payload.len();
            payload[place] ^= change[2];
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("space");
    journal::write_sealed(&path, LATENT_FORMAT, *kind, &payload).unwrap();
    read(&path);
});
