//! What a crawl is restarted from, with right checksums and any contents, is read or refused.
#![no_main]

use std::path::Path;

use frontier::{HostLog, ReadyLog, ReadyPlace, ReadyScan, UnderWay, trim_ready_part};
use journal::{Format, JournalWriter};
use libfuzzer_sys::fuzz_target;
use page::Ordinal;

fn write(path: &Path, format: Format, input: &[u8]) {
    let mut journal = JournalWriter::create(path, format).unwrap();
    for record in input.split(|byte| *byte == 0xfe) {
        journal.append(record);
    }
    journal.flush().unwrap();
}

fn read_ready(folder: &Path, end: Option<ReadyPlace>) -> Result<u64, frontier::Error> {
    let mut scan = ReadyScan::open(folder, ReadyPlace::START, end)?;
    let mut count = 0;
    while scan.next_record(|_| count += 1)? {}
    Ok(count)
}

fuzz_target!(|data: &[u8]| {
    let [rule, input @ ..] = data else { return };
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    match rule % 3 {
        0 => {
            write(&dir.join("ready.log"), frontier::READY_FORMAT, input);
            if rule & 4 != 0 {
                std::fs::copy(dir.join("ready.log"), dir.join("ready-000000000007.log")).unwrap();
            }
            let _ = read_ready(dir, None);
            let _ = trim_ready_part(dir, Ordinal::new(0), |ordinal, _| ordinal.get() % 2 == 0);
            let Ok((end, count)) = ReadyLog::measure(dir) else { return };
            let Ok(mut log) = ReadyLog::open_at(dir, end, count) else { return };
            log.append(1, 0, "http://a.test/");
            let (end, _) = log.sync().unwrap();
            let _ = read_ready(dir, Some(end));
        }
        1 => {
            let path = dir.join("hosts.log");
            write(&path, frontier::HOSTS_FORMAT, input);
            let mut places = Vec::new();
            let read = HostLog::open(&path, |_, at, fact, place| places.push((at, fact, place)));
            for (at, fact, place) in places {
                let _ = fact.to_string();
                assert_eq!(HostLog::read_fact(&path, place).unwrap(), (fact, at));
            }
            drop(read);
        }
        _ => {
            let path = dir.join("under-way");
            std::fs::write(&path, input).unwrap();
            UnderWay::left_in(&path).unwrap();
        }
    }
});
