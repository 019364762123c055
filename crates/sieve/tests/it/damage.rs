//! Every byte of every file flipped, every file cut at every byte: it is told, or it has no effect.

use std::path::{Path, PathBuf};

use sieve::{SieveKind, Visit};

use crate::worlds::{Passed, Sort, all_sorts, fingerprint, folder, offer, open, url};

/// Numbers that have passed.
const SEEN: u64 = 320;
const TINY: u64 = 8 << 10;

/// A sieve of the kind with everything that it can have on disk: for the tiered one runs of several levels with remarks
/// and without, and a log.
fn build(sort: Sort, dir: &Path) {
    let mut sieve = open(sort, dir, TINY, &[]).unwrap();
    for number in 0..SEEN {
        offer(&mut *sieve, number, 1, 0);
        if number % 64 == 63 {
            sieve.flush(&mut Passed::default()).unwrap();
            sieve.settle().unwrap();
        }
        if number == 200 {
            let visit = Visit { at_seconds: 1, outcome: 200, digest: 3 };
            (0..40).for_each(|seen| sieve.note_visit(fingerprint(seen), &url(seen), visit).unwrap());
        }
    }
    sieve.flush(&mut Passed::default()).unwrap();
    sieve.settle().unwrap();
    sieve.flush(&mut Passed::default()).unwrap();
    sieve.settle().unwrap();
    for number in SEEN..SEEN + 20 {
        offer(&mut *sieve, number, 1, 0);
    }
    sieve.flush(&mut Passed::default()).unwrap();
}

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
    found.sort();
}

/// True if the sieve says that something is wrong. Otherwise it must do what it would have done.
fn is_told(sort: Sort, dir: &Path) -> bool {
    let passed: Vec<u64> = (0..SEEN + 20).collect();
    let Ok(mut sieve) = open(sort, dir, TINY, &passed) else { return true };
    let all = (0..SEEN + 40).map(|number| {
        let url = url(number);
        sieve.offer(sieve::Candidate { fingerprint: fingerprint(number), depth: 1, hops: 0, url: &url })
    });
    if all.collect::<Result<Vec<()>, _>>().is_err() {
        return true;
    }
    let mut passed = Passed::default();
    if sieve.flush(&mut passed).is_err() {
        return true;
    }
    assert_eq!(passed.numbers(), (SEEN + 20..SEEN + 40).collect::<Vec<_>>());
    false
}

/// There are dozens of runs; of all but a few some bytes are enough.
const RUNS_LOOKED_AT_CLOSELY: usize = 3;

fn check(sort: Sort, step: usize) {
    let (whole, work) = (folder(), folder());
    build(sort, whole.path());
    assert!(!is_told(sort, &copied(whole.path(), work.path())), "{sort:?}: nothing is wrong");
    let mut all = Vec::new();
    files(whole.path(), &mut all);
    let (mut told, mut tries, mut runs) = (0, 0, 0);
    for path in &all {
        let good = std::fs::read(path).unwrap();
        let name = path.strip_prefix(whole.path()).unwrap();
        runs += usize::from(is_run(path));
        let step = if is_run(path) && runs > RUNS_LOOKED_AT_CLOSELY { 37 } else { step };
        let mut attempt = |bytes: &[u8], what: &str| {
            let dir = copied(whole.path(), work.path());
            std::fs::remove_file(dir.join(name)).unwrap();
            std::fs::write(dir.join(name), bytes).unwrap();
            let attempted = std::panic::catch_unwind(|| is_told(sort, &dir));
            tries += 1;
            told += usize::from(attempted.unwrap_or_else(|_| panic!("{sort:?}: {} {what}", name.display())));
        };
        for place in (0..good.len()).step_by(step) {
            let mut bad = good.clone();
            bad[place] ^= 0x10;
            attempt(&bad, &format!("flipped at {place}"));
            attempt(&good[..place], &format!("cut at {place}"));
        }
    }
    // Padding, and what stands behind the end of a log, may change.
    assert!(told * 2 > tries, "{sort:?}: of {tries} damages {told} were told");
}

/// Runs are never changed, so that a second name for them is as good as a copy.
fn copied(from: &Path, to: &Path) -> PathBuf {
    std::fs::remove_dir_all(to).unwrap();
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        match is_run(&path) {
            true => std::fs::hard_link(&path, to.join(name)).unwrap(),
            false => drop(std::fs::copy(&path, to.join(name)).unwrap()),
        }
    }
    to.to_owned()
}

fn is_run(path: &Path) -> bool {
    path.file_name().unwrap().to_str().unwrap().starts_with("run-")
}

#[test]
fn every_flipped_byte_and_every_cut_of_small_files_is_told_or_has_no_effect() {
    let ours = |(kind, _): &Sort| !matches!(kind, SieveKind::Lsm | SieveKind::Btree);
    for sort in all_sorts().into_iter().filter(ours) {
        check(sort, if sort.1 == 64 { 1 } else { 11 });
    }
}
