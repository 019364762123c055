//! A process that is killed, again and again, in the middle of offers, flushes and merges.
//!
//! The process is this test itself, told by a variable to be the one that works. It offers a sequence that anybody can
//! compute, from where the sieve's note says, and writes what passes to a file that the note gives the length of.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sieve::{Candidate, Outlet, Sieve, SieveKind};

use crate::worlds::{Sort, all_sorts, offer, open};

const FOLDER: &str = "CRIVELLO_SIEVE_TO_BE_KILLED";
const OFFERS: u64 = 30_000;
const KILLS: u64 = 12;
/// What the process says when it may be killed.
const READY: &str = "ready to be killed";

/// The number that is offered at a place of the sequence: most of them were offered before.
fn number_at(place: u64) -> u64 {
    let random = place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    if random.is_multiple_of(4) { place } else { random % (place + 1) }
}

/// What passes, in a file; the note has its length and the place of the next offer.
struct Log {
    file: std::fs::File,
    buffer: Vec<u8>,
    bytes: u64,
    place: u64,
}

impl Outlet for Log {
    fn pass(&mut self, candidate: Candidate<'_>) -> io::Result<()> {
        self.buffer.extend_from_slice(candidate.url.as_bytes());
        self.buffer.push(b'\n');
        Ok(())
    }

    fn seal(&mut self) -> io::Result<Vec<u8>> {
        self.file.write_all(&self.buffer)?;
        self.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok([self.bytes.to_le_bytes(), self.place.to_le_bytes()].concat())
    }
}

fn numbers_in(path: &Path, bytes: u64) -> Vec<u64> {
    let text = std::fs::read(path).unwrap_or_default();
    let text = std::str::from_utf8(&text[..bytes as usize]).unwrap();
    text.lines()
        .map(|line| line.trim_start_matches("http://").split('.').next().unwrap().parse().unwrap())
        .collect()
}

fn committed(sieve: &dyn Sieve) -> (u64, u64) {
    match sieve.note() {
        [] => (0, 0),
        note => {
            let number = |place: usize| u64::from_le_bytes(note[place..place + 8].try_into().unwrap());
            (number(0), number(8))
        }
    }
}

/// Goes on from where the note says, to the end; after so many offers it says that it may be killed, and does not stop.
fn work(sort: Sort, dir: &Path, ready_after: u64) {
    let (sieve_dir, passed) = (dir.join("sieve"), dir.join("passed"));
    // A Bloom filter must be so large that it does not err here; the others so small that they have much to do.
    let memory_bytes = if sort.0 == SieveKind::Bloom { 16 << 20 } else { 128 << 10 };
    let (bytes, _) = committed(&*open(sort, &sieve_dir, memory_bytes, &[]).unwrap());
    let mut sieve = open(sort, &sieve_dir, memory_bytes, &numbers_in(&passed, bytes)).unwrap();
    let (bytes, place) = committed(&*sieve);
    let mut file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(passed).unwrap();
    file.set_len(bytes).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    let mut log = Log { file, buffer: Vec::new(), bytes, place };
    let ready_at = log.place.saturating_add(ready_after);
    while log.place < OFFERS {
        if log.place == ready_at {
            println!("{READY}");
        }
        offer(&mut *sieve, number_at(log.place), 0, 0);
        log.place += 1;
        if sieve.is_full() || log.place.is_multiple_of(701) {
            sieve.flush(&mut log).unwrap();
        }
    }
    sieve.flush(&mut log).unwrap();
    // One that is to be killed waits for it, and does not outrun it.
    if ready_after != u64::MAX {
        println!("{READY}");
        std::thread::sleep(Duration::from_secs(600));
    }
}

#[test]
fn the_process_that_is_killed() {
    // Without the variable it is nobody's child and has nothing to do.
    let Some(told) = std::env::var_os(FOLDER) else { return };
    let told = told.into_string().unwrap();
    let [name, bits, ready_after, dir] = told.splitn(4, ':').collect::<Vec<_>>().try_into().unwrap();
    work(
        (SieveKind::named(name).unwrap(), bits.parse().unwrap()),
        Path::new(dir),
        ready_after.parse().unwrap(),
    );
}

/// A process that works in the folder, and says after so many offers that it may be killed.
fn worker(sort: Sort, dir: &Path, ready_after: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "killed::the_process_that_is_killed", "--nocapture"]);
    command.env(FOLDER, format!("{}:{}:{ready_after}:{}", sort.0.name(), sort.1, dir.display()));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Kills it often, each time a little after it said that it may be: what it has done tells the moment, not a clock.
fn run_and_kill(sort: Sort, dir: &Path) {
    let mut random: u64 = 0x2545_f491_4f6c_dd1d;
    for kill in 0..KILLS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = worker(sort, dir, (random >> 40) % (OFFERS / KILLS));
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        if !said.any(|line| line == READY) {
            let mut error = String::new();
            child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
            panic!("{sort:?}, kill {kill}: it ended by itself: {error}");
        }
        std::thread::sleep(Duration::from_micros((random >> 20) % 300));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = worker(sort, dir, u64::MAX).wait_with_output().unwrap();
    assert!(output.status.success(), "{sort:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_process_that_is_killed_again_and_again_loses_nothing_and_repeats_nothing() {
    let mut seen = std::collections::HashSet::new();
    let expected: Vec<u64> = (0..OFFERS).map(number_at).filter(|number| seen.insert(*number)).collect();
    for sort in all_sorts() {
        // On a disk and not in memory, where a flush takes its time.
        let dir: PathBuf = tempfile::tempdir().unwrap().keep();
        run_and_kill(sort, &dir);
        let bytes = std::fs::metadata(dir.join("passed")).unwrap().len();
        assert_eq!(numbers_in(&dir.join("passed"), bytes), expected, "{sort:?}");
        std::fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_database_whose_making_was_killed_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (lsm, btree) = (dir.path().join("lsm.new"), dir.path().join("btree.redb.new"));
    std::fs::create_dir_all(&lsm).unwrap();
    std::fs::write(lsm.join("0.jnl"), "").unwrap();
    std::fs::write(&btree, "half").unwrap();
    for (kind, half) in [(SieveKind::Lsm, lsm), (SieveKind::Btree, btree)] {
        let mut log = Log { file: tempfile::tempfile().unwrap(), buffer: Vec::new(), bytes: 0, place: 0 };
        let mut sieve = open((kind, 64), dir.path(), 128 << 10, &[]).unwrap();
        offer(&mut *sieve, 7, 0, 0);
        sieve.flush(&mut log).unwrap();
        assert!(log.bytes > 0 && !half.exists(), "{kind:?}");
        drop(sieve);
        std::fs::remove_file(dir.path().join("state")).ok();
    }
}
