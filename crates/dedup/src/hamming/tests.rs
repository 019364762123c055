//! The index against a linear scan, and its files against damage.

use std::path::Path;

use fs_err::os::unix::fs::FileExt;
use proptest::prelude::*;

use super::*;

/// An index whose tail and budget are so small that a hundred entries make many runs.
fn small<F: Fingerprint>(distance: u32, folder: Option<&Path>) -> HammingIndex<F> {
    let mut index = match folder {
        Some(folder) => HammingIndex::with_budget(distance, folder, 0).unwrap(),
        None => HammingIndex::new(distance),
    };
    index.tail_entries_max = 4;
    if let Some(disk) = &mut index.disk {
        disk.room_bytes_min = 1500;
    }
    index
}

fn found<F: Fingerprint>(index: &HammingIndex<F>, query: F) -> Vec<Near> {
    let mut found = Vec::new();
    index.find(query, |id, distance| found.push(Near { distance, id })).unwrap();
    found.sort();
    found
}

fn scanned<F: Fingerprint>(entries: &[(F, u32)], query: F, distance: u32) -> Vec<Near> {
    let mut found: Vec<_> = entries
        .iter()
        .map(|(fingerprint, id)| Near { distance: fingerprint.distance(query), id: *id })
        .filter(|near| near.distance <= distance)
        .collect();
    found.sort();
    found
}

fn flip(fingerprint: u128, bits: &[u32]) -> u128 {
    bits.iter().fold(fingerprint, |fingerprint, bit| fingerprint ^ 1 << bit)
}

#[derive(Debug, Clone)]
enum Step {
    /// A fingerprint near one of few centres; with many flips it is near nothing.
    Insert(usize, Vec<u32>),
    Find(usize, Vec<u32>),
    Compact,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let flips = || prop::collection::vec(0u32..128, 0..14);
    prop::collection::vec(
        prop_oneof![
            8 => (0usize..6, flips()).prop_map(|(centre, bits)| Step::Insert(centre, bits)),
            3 => (0usize..6, flips()).prop_map(|(centre, bits)| Step::Find(centre, bits)),
            1 => Just(Step::Compact),
        ],
        1..250,
    )
}

fn check<F: Fingerprint>(
    mut index: HammingIndex<F>,
    centres: &[u128],
    steps: &[Step],
    narrow: impl Fn(u128) -> F,
) -> Result<(), TestCaseError> {
    let mut entries = Vec::new();
    for step in steps {
        match step {
            Step::Insert(centre, bits) => {
                // Ids come back as they were given, also those that come twice.
                let id = entries.len() as u32 / 2;
                let fingerprint = narrow(flip(centres[*centre], bits));
                index.insert(fingerprint, id).unwrap();
                entries.push((fingerprint, id));
            }
            Step::Find(centre, bits) => {
                let query = narrow(flip(centres[*centre], bits));
                let expected = scanned(&entries, query, index.distance());
                prop_assert_eq!(index.nearest(query).unwrap(), expected.first().copied());
                prop_assert_eq!(found(&index, query), expected);
            }
            Step::Compact => index.compact().unwrap(),
        }
        prop_assert_eq!(index.len(), entries.len() as u64);
    }
    for (query, _) in &entries {
        prop_assert_eq!(found(&index, *query), scanned(&entries, *query, index.distance()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn it_finds_what_a_scan_finds(
        distance in 0..=DISTANCE_MAX,
        centres in prop::collection::vec(any::<u128>(), 6),
        steps in steps(),
    ) {
        check(small::<u64>(distance, None), &centres, &steps, |bits| bits as u64)?;
        check(small::<u128>(distance, None), &centres, &steps, |bits| bits)?;
        let folder = tempfile::tempdir().unwrap();
        check(small::<u64>(distance, Some(folder.path())), &centres, &steps, |bits| bits as u64)?;
        check(small::<u128>(distance, Some(folder.path())), &centres, &steps, |bits| bits)?;
    }
}

/// Numbers without pattern, the same each time.
fn numbers() -> impl FnMut() -> u64 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        xxhash_rust::xxh3::xxh3_64(&state.to_le_bytes())
    }
}

#[test]
fn planted_distances_up_to_the_limit_are_found_and_one_more_is_not() {
    let mut next = numbers();
    let folder = tempfile::tempdir().unwrap();
    for distance in 0..=DISTANCE_MAX {
        let mut near = HammingIndex::<u64>::new(distance);
        let mut far = HammingIndex::<u64>::with_budget(distance, folder.path(), 0).unwrap();
        let stored: Vec<u64> = (0..20_000).map(|_| next()).collect();
        for (fingerprint, id) in stored.iter().zip(0..) {
            near.insert(*fingerprint, id).unwrap();
            far.insert(*fingerprint, id).unwrap();
        }
        assert!(far.run_counts().1 > 0, "the budget was too large for this test");
        for (fingerprint, id) in stored.iter().zip(0..).step_by(97) {
            for planted in 0..=distance + 1 {
                let mut query = *fingerprint;
                while query.distance(*fingerprint) < planted {
                    query ^= 1 << (next() % 64);
                }
                for index in [&near, &far] {
                    let mut hit = None;
                    let see = |found, at| hit = if found == id { Some(at) } else { hit };
                    index.find(query, see).unwrap();
                    assert_eq!(hit, (planted <= distance).then_some(planted), "k = {distance}");
                }
            }
        }
    }
}

#[test]
fn runs_are_few_and_one_after_compaction() {
    let mut next = numbers();
    let mut index = HammingIndex::<u64>::new(3);
    for id in 0..300_000 {
        index.insert(next(), id).unwrap();
        // log4(300,000 / 512) is 4.6.
        assert!(index.run_counts().0 <= 6, "{:?} runs at {id}", index.run_counts());
    }
    let before = index.memory_bytes();
    index.compact().unwrap();
    assert_eq!((index.run_counts(), index.len()), ((1, 0), 300_000));
    assert!(before.abs_diff(index.memory_bytes()) < before / 10);
    assert!(index.memory_bytes() < 300_000 * 52, "{} bytes", index.memory_bytes());
}

#[test]
fn the_budget_holds_and_files_go_with_the_index() {
    let mut next = numbers();
    let folder = tempfile::tempdir().unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    fs::write(folder.path().join("hamming-9.run"), b"left by a crash").unwrap();
    fs::write(folder.path().join("notes.txt"), b"not ours").unwrap();
    let budget = 1 << 20;
    let mut index = HammingIndex::<u64>::with_budget(3, folder.path(), budget).unwrap();
    assert_eq!(files(), 1);
    for id in 0..200_000 {
        index.insert(next(), id).unwrap();
        assert!(index.memory_bytes() <= budget, "{} bytes at {id}", index.memory_bytes());
    }
    let (in_memory, on_disk) = index.run_counts();
    assert!(on_disk > 0 && in_memory + on_disk < 16, "{in_memory} runs in memory, {on_disk} on disk");
    index.compact().unwrap();
    assert_eq!((index.run_counts(), index.len(), files()), ((0, 1), 200_000, 2));
    drop(index);
    assert_eq!(files(), 1);
}

#[test]
fn a_bucket_of_many_pages_is_read_in_pieces_and_complete() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = HammingIndex::<u64>::with_budget(3, folder.path(), 0).unwrap();
    for id in 0..20_000 {
        index.insert(u64::from(id % 2), id).unwrap();
    }
    index.compact().unwrap();
    let found = found(&index, 0);
    assert_eq!(found.len(), 20_000);
    assert_eq!(index.nearest(0b111).unwrap(), Some(Near { distance: 2, id: 1 }));
    assert!(found.iter().all(|near| near.distance == near.id % 2));
}

/// A small index on disk, one run, and what it answers.
fn on_disk(folder: &Path) -> (HammingIndex<u64>, Vec<(u64, u32)>) {
    let mut next = numbers();
    let mut index = small::<u64>(3, Some(folder));
    let entries: Vec<_> = (0..40).map(|id| (if id % 2 == 0 { next() } else { u64::from(id) }, id)).collect();
    for (fingerprint, id) in &entries {
        index.insert(*fingerprint, *id).unwrap();
    }
    index.disk.as_mut().unwrap().room_bytes_min = 0;
    index.freeze().unwrap();
    index.spill(true).unwrap();
    assert_eq!(index.run_counts(), (0, 1));
    (index, entries)
}

fn the_file(folder: &Path) -> PathBuf {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).next().unwrap()
}

/// Asks for everything; the answer is right or an error that names the file and says what to do.
fn is_noticed_or_harmless(index: &HammingIndex<u64>, entries: &[(u64, u32)], path: &Path) -> bool {
    let mut was_noticed = false;
    // Each query reads a page of every table, and there is but one.
    for (query, _) in entries.iter().step_by(13) {
        let mut found = Vec::new();
        match index.find(*query, |id, distance| found.push(Near { distance, id })) {
            Ok(()) => {
                found.sort();
                assert_eq!(found, scanned(entries, *query, 3));
            }
            Err(error) => {
                assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
                assert!(error.hint().is_some());
                was_noticed = true;
            }
        }
    }
    was_noticed
}

#[test]
fn a_flipped_byte_is_noticed_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let (index, entries) = on_disk(folder.path());
    let path = the_file(folder.path());
    let sound = fs::read(&path).unwrap();
    let link = folder.path().join("link");
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut noticed = (0, 0);
    for (at, byte) in sound.iter().enumerate() {
        file.write_all_at(&[byte ^ 1 << (at % 8)], at as u64).unwrap();
        // Below an index that has the file open.
        noticed.0 += usize::from(is_noticed_or_harmless(&index, &entries, &path));
        // And before it is opened. The run takes the link with it.
        fs::hard_link(&path, &link).unwrap();
        let opened = DiskRun::<u64>::open(&link, &index.shape);
        if let Err(error) = &opened {
            assert!(error.to_string().contains(&*link.to_string_lossy()), "{error}");
            assert!(error.hint().is_some(), "{error}");
            fs::remove_file(&link).unwrap();
        }
        noticed.1 += usize::from(opened.is_err());
        file.write_all_at(&[*byte], at as u64).unwrap();
    }
    // The pages of four tables, and the header and the index with their checksums.
    assert_eq!(noticed, (4 * 4096, 64 + 4 * 12));
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (index, entries) = on_disk(folder.path());
    let path = the_file(folder.path());
    let sound = fs::read(&path).unwrap();
    for length in (0..sound.len()).step_by(61) {
        fs::write(&path, &sound[..length]).unwrap();
        let error = DiskRun::<u64>::open(&path, &index.shape).unwrap_err();
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
        let pages_are_there = length >= 5 * 4096;
        assert_eq!(is_noticed_or_harmless(&index, &entries, &path), !pages_are_there);
    }
    fs::write(&path, [&sound[..], &[0]].concat()).unwrap();
    assert!(DiskRun::<u64>::open(&path, &index.shape).is_err());
}

#[test]
fn a_run_of_another_index_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (index, _) = on_disk(folder.path());
    let path = the_file(folder.path());
    assert!(DiskRun::<u128>::open(&path, &index.shape).is_err());
    assert!(DiskRun::<u64>::open(&path, &Shape::new::<u64>(2)).is_err());
}

#[test]
fn a_disk_that_refuses_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path().join("scratch");
    let mut index = small::<u64>(3, Some(&scratch));
    fs::remove_dir(&scratch).unwrap();
    let mut next = numbers();
    let entries: Vec<_> = (0..400).map(|id| (next(), id)).collect();
    let mut refused = 0;
    for (fingerprint, id) in &entries {
        refused += usize::from(index.insert(*fingerprint, *id).is_err());
    }
    assert!(refused > 0);
    fs::create_dir(&scratch).unwrap();
    index.freeze().unwrap();
    assert_eq!(index.run_counts(), (0, 1));
    for (query, _) in &entries {
        assert_eq!(found(&index, *query), scanned(&entries, *query, 3));
    }
}
