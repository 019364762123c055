//! The log of addresses that passed the sieve, in that order: what a crawl is restarted from.
//!
//! Each address has its *ordinal*, its place in the order. The page table of the store names the ordinals that are
//! done, so what is left to fetch after a crash is this log without those. The log grows only when the sieve is
//! flushed, and the sieve's state says up to where it is valid ([`ReadyLog::open_at`]).
//!
//! It lies in several files, its [parts](crate::ready_parts), so that what is long done can be let go.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use journal::{FieldReader, JournalReader, JournalWriter, Malformed};
use page::Ordinal;

use crate::Error;
use crate::ready_parts::{ReadyPlace, close_part, is_closing, list_parts, part_path, remove_parts};
use crate::ready_record::{READY, READY_OLDEST, ReadyUrl, RecordWriter, decode_ready};

/// A part that is so long is followed by another.
pub const PART_BYTES: u64 = 32 << 20;

/// The end of the log, where addresses are added.
#[derive(Debug)]
pub struct ReadyLog {
    folder: PathBuf,
    part: Ordinal,
    part_bytes: u64,
    records: RecordWriter,
    next_ordinal: Ordinal,
}

impl ReadyLog {
    /// Starts an empty log in a folder.
    pub fn create(folder: &Path) -> Result<Self, Error> {
        remove_parts(folder, |part| part == ReadyPlace::START.part)?;
        let journal = JournalWriter::create(&part_path(folder, ReadyPlace::START.part), READY)?;
        Ok(Self::of(folder, ReadyPlace::START.part, journal, Ordinal::new(0)))
    }

    /// Goes on with a log that is valid up to this place and has had `count` addresses there.
    pub fn open_at(folder: &Path, end: ReadyPlace, count: u64) -> Result<Self, Error> {
        remove_parts(folder, |part| part <= end.part)?;
        let path = part_path(folder, end.part);
        JournalWriter::raise_version(&path, READY, READY_OLDEST)?;
        let journal = JournalWriter::open_at(&path, READY, end.byte)?;
        Ok(Self::of(folder, end.part, journal, Ordinal::new(count)))
    }

    fn of(folder: &Path, part: Ordinal, journal: JournalWriter, next_ordinal: Ordinal) -> Self {
        let records = RecordWriter::new(journal);
        Self { folder: folder.to_owned(), part, part_bytes: PART_BYTES, records, next_ordinal }
    }

    /// The same with parts of another length.
    #[must_use]
    pub fn with_parts_of(self, part_bytes: u64) -> Self {
        Self { part_bytes, ..self }
    }

    /// Where a log ends, without a torn end, and how many addresses it has had: for when nothing else knows.
    pub fn measure(folder: &Path) -> Result<(ReadyPlace, u64), Error> {
        let part = list_parts(folder)?.last().copied().unwrap_or_default();
        let path = part_path(folder, part);
        JournalWriter::raise_version(&path, READY, READY_OLDEST)?;
        let byte = JournalWriter::open(&path, READY)?.position();
        let mut reader = JournalReader::open(&path, READY)?;
        let mut next = part.get();
        while let Some(record) = reader.next_record()? {
            next = end_of(record.payload)
                .map_err(|_| Error::Malformed { path: path.clone(), offset: record.offset })?;
        }
        Ok((ReadyPlace { part, byte }, next))
    }

    /// Begins another part if this one is long. To be called before addresses are added that are sealed together.
    pub fn begin_part_if_long(&mut self) -> Result<(), Error> {
        let journal = self.records.finish_record();
        if journal.position() < self.part_bytes {
            return Ok(());
        }
        close_part(journal, self.next_ordinal)?;
        let next = JournalWriter::create(&part_path(&self.folder, self.next_ordinal), READY)?;
        journal::sync_folder(&self.folder)?;
        (self.part, self.records) = (self.next_ordinal, RecordWriter::new(next));
        Ok(())
    }

    /// Adds an address and returns its ordinal.
    pub fn append(&mut self, depth: u16, hops: u8, url: &str) -> Ordinal {
        let ordinal = self.next_ordinal;
        self.records.add(ReadyUrl { ordinal, depth, hops, url });
        self.next_ordinal = ordinal.next();
        ordinal
    }

    /// Makes everything durable. Returns where the log ends and how many addresses it has had: what
    /// [`open_at`](Self::open_at) wants.
    pub fn sync(&mut self) -> Result<(ReadyPlace, u64), Error> {
        let journal = self.records.finish_record();
        journal.sync()?;
        Ok((ReadyPlace { part: self.part, byte: journal.position() }, self.next_ordinal.get()))
    }
}

/// The ordinal behind those of a record; one follows it.
fn end_of(record: &[u8]) -> Result<u64, Malformed> {
    let mut fields = FieldReader::new(record);
    let end = fields.number()?.checked_add(fields.number()?);
    end.filter(|end| *end < u64::MAX).ok_or(Malformed)
}

/// Reads the log.
#[derive(Debug)]
pub struct ReadyScan {
    folder: PathBuf,
    parts: VecDeque<Ordinal>,
    journal: Option<JournalReader>,
    path: PathBuf,
    from: ReadyPlace,
    end: Option<ReadyPlace>,
}

impl ReadyScan {
    /// Reads what is between two places where records start, or up to the end of the last part.
    pub fn open(folder: &Path, from: ReadyPlace, end: Option<ReadyPlace>) -> Result<Self, Error> {
        let mut parts = VecDeque::from(list_parts(folder)?);
        parts.retain(|part| *part >= from.part && end.is_none_or(|end| *part <= end.part));
        if let Some(end) = end.filter(|end| !parts.contains(&end.part)) {
            let (path, what) = (part_path(folder, end.part), "the end is missing");
            return Err(journal::Error::Damaged { path, offset: 0, what }.into());
        }
        Ok(Self { folder: folder.to_owned(), parts, journal: None, path: PathBuf::new(), from, end })
    }

    /// Shows the addresses of one record, in order. False at the end.
    pub fn next_record(&mut self, see: impl FnMut(ReadyUrl<'_>)) -> Result<bool, Error> {
        loop {
            if self.journal.is_none() && !self.open_part()? {
                return Ok(false);
            }
            let is_last = self.parts.is_empty();
            let journal = self.journal.as_mut().expect("a part is open");
            let offset = journal.position();
            if is_last && self.end.is_some_and(|end| offset >= end.byte) {
                return Ok(false);
            }
            let Some(record) = journal.next_record()? else {
                // A crawl that goes on may have been writing the last one.
                if is_last && self.end.is_none() {
                    return Ok(false);
                }
                let (path, what) = (self.path.clone(), "the end is missing");
                return Err(journal::Error::Damaged { path, offset, what }.into());
            };
            let malformed = |_| Error::Malformed { path: self.path.clone(), offset };
            if is_closing(record.payload).map_err(malformed)? {
                self.journal = None;
                continue;
            }
            decode_ready(record.payload, see).map_err(malformed)?;
            return Ok(true);
        }
    }

    /// Opens the next part. One that was deleted meanwhile had nothing left.
    fn open_part(&mut self) -> Result<bool, Error> {
        while let Some(part) = self.parts.pop_front() {
            self.path = part_path(&self.folder, part);
            match JournalReader::open_since(&self.path, READY, READY_OLDEST) {
                Err(journal::Error::Io(error)) if error.kind() == ErrorKind::NotFound => continue,
                opened => self.journal = Some(opened?),
            }
            if let Some(journal) = self.journal.as_mut().filter(|_| part == self.from.part) {
                journal.seek(self.from.byte);
            }
            return Ok(true);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ready_parts::trim_part;
    use journal::{FieldWriter, Format};

    fn read(folder: &Path, end: ReadyPlace) -> Vec<(u64, u16, u8, String)> {
        let mut found = Vec::new();
        let mut scan = ReadyScan::open(folder, ReadyPlace::START, Some(end)).unwrap();
        while scan
            .next_record(|ready| {
                found.push((ready.ordinal.get(), ready.depth, ready.hops, ready.url.to_owned()))
            })
            .unwrap()
        {}
        found
    }

    #[test]
    fn what_was_not_sealed_is_cut_off_and_numbers_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = ReadyLog::create(dir.path()).unwrap();
        for number in 0..5000 {
            assert_eq!(
                log.append(number as u16, 0, &format!("http://a.test/a-rather-long-path/{number}")),
                Ordinal::new(number)
            );
        }
        let (end, count) = log.sync().unwrap();
        log.append(0, 0, "http://lost.test/");
        log.sync().unwrap();
        drop(log);
        assert_eq!(ReadyLog::measure(dir.path()).unwrap().1, count + 1);

        let mut log = ReadyLog::open_at(dir.path(), end, count).unwrap();
        assert_eq!(log.append(7, 3, "http://b.test/"), Ordinal::new(5000));
        let (end, _) = log.sync().unwrap();
        let all = read(dir.path(), end);
        assert_eq!(all.len(), 5001);
        assert_eq!(all[4999].3, "http://a.test/a-rather-long-path/4999");
        assert_eq!(all[5000], (5000, 7, 3, "http://b.test/".into()));
    }

    /// A log of three parts with ten addresses each. Returns where the last but one and the last flush ended.
    fn three_parts(folder: &Path) -> [(ReadyPlace, u64); 2] {
        let mut log = ReadyLog::create(folder).unwrap().with_parts_of(100);
        let mut ends = [Default::default(); 2];
        for number in 0..30u64 {
            if number % 10 == 0 {
                log.begin_part_if_long().unwrap();
            }
            log.append(1, u8::from(number == 13), &format!("http://a.test/{number}"));
            if number % 10 == 9 {
                ends = [ends[1], log.sync().unwrap()];
            }
        }
        ends
    }

    fn ordinals(folder: &Path, end: ReadyPlace) -> Vec<u64> {
        read(folder, end).into_iter().map(|address| address.0).collect()
    }

    #[test]
    fn parts_follow_each_other_and_one_that_was_not_sealed_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let [(before, count_before), (end, count)] = three_parts(dir.path());
        assert_eq!((before.part.get(), count_before, end.part.get(), count), (10, 20, 20, 30));
        assert_eq!(ordinals(dir.path(), end), Vec::from_iter(0..30));
        assert_eq!(ReadyLog::measure(dir.path()).unwrap(), (end, 30));

        // As if the sieve had been killed before it knew of the third part.
        let mut log = ReadyLog::open_at(dir.path(), before, count_before).unwrap();
        assert_eq!(list_parts(dir.path()).unwrap(), [0, 10].map(Ordinal::new));
        assert_eq!(log.append(0, 0, "http://a.test/other"), Ordinal::new(20));
        let (end, _) = log.sync().unwrap();
        assert_eq!(read(dir.path(), end)[20].3, "http://a.test/other");
    }

    #[test]
    fn of_a_part_what_waits_is_left_with_its_numbers_and_of_one_that_is_done_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [_, (end, _)] = three_parts(dir.path());
        let waits = |ordinal: Ordinal, hops| [2, 3, 7].contains(&ordinal.get()) || hops > 0;
        assert_eq!(trim_part(dir.path(), Ordinal::new(0), waits).unwrap(), 3);
        assert_eq!(trim_part(dir.path(), Ordinal::new(10), waits).unwrap(), 1);
        let all: Vec<u64> = [2, 3, 7, 13].into_iter().chain(20..30).collect();
        assert_eq!(ordinals(dir.path(), end), all);
        assert_eq!(read(dir.path(), end)[3], (13, 1, 1, "http://a.test/13".into()));

        for part in [0, 10] {
            assert_eq!(trim_part(dir.path(), Ordinal::new(part), |_, _| false).unwrap(), 0);
        }
        assert_eq!(list_parts(dir.path()).unwrap(), [0, 20].map(Ordinal::new), "the first stays, empty");
        assert_eq!(ordinals(dir.path(), end), Vec::from_iter(20..30));
    }

    #[test]
    fn a_part_that_lost_its_end_is_told_wherever_it_was_cut() {
        let dir = tempfile::tempdir().unwrap();
        let [_, (end, _)] = three_parts(dir.path());
        for part in [0, 10, 20] {
            let path = part_path(dir.path(), Ordinal::new(part));
            let bytes = std::fs::read(&path).unwrap();
            for length in 0..bytes.len() {
                std::fs::write(&path, &bytes[..length]).unwrap();
                let mut scan = ReadyScan::open(dir.path(), ReadyPlace::START, Some(end)).unwrap();
                let told = loop {
                    match scan.next_record(|_| {}) {
                        Ok(true) => {}
                        outcome => break outcome,
                    }
                };
                assert!(told.is_err(), "part {part} of {length} bytes");
                let trimmed = trim_part(dir.path(), Ordinal::new(part), |_, _| false);
                assert!(trimmed.is_err(), "part {part} of {length} bytes");
            }
            std::fs::write(&path, &bytes).unwrap();
        }
    }

    #[test]
    fn ordinals_beyond_all_numbers_are_told() {
        let dir = tempfile::tempdir().unwrap();
        for (first, count) in [(u64::MAX, 1), (u64::MAX, 0), (1, u64::MAX)] {
            let mut record = FieldWriter::new();
            record.number(first).number(count).number(0).text("http://a.test/");
            let mut log = JournalWriter::create(&dir.path().join("ready.log"), READY).unwrap();
            log.append(record.as_bytes());
            log.sync().unwrap();
            let told = ReadyLog::measure(dir.path());
            assert!(matches!(told, Err(Error::Malformed { .. })), "{first} {count}: {told:?}");
        }
    }

    #[test]
    fn a_log_of_version_1_is_gone_on_with() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ready.log");
        let mut record = FieldWriter::new();
        record.number(0).number(2).number(0).text("http://a.test/").number(65_535).text("http://a.test/x");
        let mut old = JournalWriter::create(&path, Format { version: 1, ..READY }).unwrap();
        old.append(record.as_bytes());
        old.sync().unwrap();
        let end = ReadyPlace { byte: old.position(), ..ReadyPlace::START };
        let before = [(0, 0, 0, "http://a.test/".to_owned()), (1, 65_535, 0, "http://a.test/x".to_owned())];
        assert_eq!(read(dir.path(), end), before, "who only reads it");

        let mut log = ReadyLog::open_at(dir.path(), end, 2).unwrap();
        assert_eq!(log.append(65_535, 10, "http://b.test/"), Ordinal::new(2));
        let (end, _) = log.sync().unwrap();
        assert_eq!(read(dir.path(), end)[..2], before, "who has written to it");
        assert_eq!(read(dir.path(), end)[2], (2, 65_535, 10, "http://b.test/".into()));
        assert!(
            JournalReader::open(&path, Format { version: 1, ..READY }).is_err(),
            "an old build refuses it"
        );
    }
}
