//! A sieve whose files have right checksums and any contents is refused, or gone on with without a panic.
#![no_main]

use std::path::Path;

use journal::{FieldWriter, JournalWriter};
use libfuzzer_sys::fuzz_target;
use page::Fingerprint;
use sieve::{Candidate, Collected, SieveOptions};

/// What `state` says: a tiered sieve with these parts.
fn write_state(dir: &Path, parts: &[u8]) {
    let mut fields = FieldWriter::new();
    fields.number(2).number(0).number(3).bytes(b"note").bytes(parts);
    write_journal(&dir.join("state"), sieve::STATE_FORMAT, fields.as_bytes());
}

fn write_journal(path: &Path, format: journal::Format, record: &[u8]) -> u64 {
    let mut journal = JournalWriter::create(path, format).unwrap();
    journal.append(record);
    journal.sync().unwrap();
    journal.position()
}

/// The parts of a sieve of one log and one run.
fn parts(bits: u64, log_end: u64, run: Option<(u64, u64, u64)>) -> Vec<u8> {
    let mut fields = FieldWriter::new();
    fields.number(bits).number(9).number(1).number(1).number(log_end);
    fields.number(u64::from(run.is_some()));
    if let Some((shard, count, identity)) = run {
        fields.number(shard).number(2).number(1).number(count).fixed(&identity.to_le_bytes());
    }
    fields.as_bytes().to_vec()
}

fn use_it(dir: &Path) {
    for fingerprint in [0, 1 << 60, u64::MAX] {
        let _ = sieve::look_up(dir, Fingerprint::new(fingerprint), "http://a.test/");
    }
    let Ok(mut sieve) = sieve::open(dir, None, SieveOptions::new(1 << 20)) else { return };
    for number in 0..20u64 {
        let fingerprint = Fingerprint::new(number << 58 | number);
        let candidate = Candidate { fingerprint, depth: 0, hops: 0, url: "http://a.test/" };
        if sieve.offer(candidate).is_err() {
            return;
        }
    }
    if sieve.flush(&mut Collected::default()).is_ok() {
        let _ = sieve.settle();
    }
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let bits = if rule & 8 == 0 { 64 } else { 128 };
    let empty = [0, 0, if bits == 128 { 2 } else { 0 }];
    let log = dir.join("recent-1");
    match rule % 5 {
        0 => {
            write_journal(&dir.join("state"), sieve::STATE_FORMAT, input);
        }
        1 => {
            write_journal(&log, sieve::RECENT_FORMAT, &empty);
            write_state(dir, input);
        }
        2 => {
            let end = write_journal(&log, sieve::RECENT_FORMAT, input);
            let _ = sieve::show_record(input, |_| ());
            write_state(dir, &parts(bits, end, None));
        }
        3 => {
            let end = write_journal(&log, sieve::RECENT_FORMAT, &empty);
            let path = dir.join("run-2");
            let run = journal::write_sealed(&path, sieve::RUN_FORMAT, *b"keys", input).unwrap();
            let count = input.len().checked_sub(16).map_or(0, |at| journal::u64_at(input, at));
            let _ = sieve::scan_run(&path, |_| ());
            write_state(dir, &parts(bits, end, Some((u64::from(rule >> 4), count, run.identity))));
        }
        _ => {
            let path = dir.join("seen-1");
            std::fs::write(&path, input).unwrap();
            let _ = sieve::scan_seen(&path, |_, _| ());
            return;
        }
    }
    use_it(dir);
});
