//! A WARC file from front to back: every record is decompressed and its head read, whoever wrote the file.
//!
//! Each record is a gzip member of its own, and where one ends is known only when it is decompressed: so the bytes are
//! counted while they are taken.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use fs_err as fs;

use crate::{Error, WarcHead};

/// No record is read that is larger: what we write is bounded by the fetch limits.
const RECORD_BYTES_MAX: u64 = 1 << 30;

/// A record of a WARC file.
#[derive(Debug)]
pub struct ScannedRecord {
    /// The byte of the file at which it starts.
    pub offset: u64,
    /// What it says of itself.
    pub head: WarcHead,
    /// How many bytes it has without compression.
    pub plain_bytes: u64,
}

/// Shows all records of a file. False, if it is compressed and holds something else.
pub fn scan_warc(path: &Path, mut see: impl FnMut(ScannedRecord)) -> Result<bool, Error> {
    let damaged = |offset, what| Error::DamagedWarc { path: path.to_owned(), offset, what };
    let mut file = Counting { inner: BufReader::with_capacity(256 << 10, fs::File::open(path)?), at: 0 };
    let mut record = Vec::new();
    while !file.fill_buf()?.is_empty() {
        let offset = file.at;
        record.clear();
        let read = GzDecoder::new(&mut file).take(RECORD_BYTES_MAX + 1).read_to_end(&mut record);
        read.map_err(|_| damaged(offset, "the compressed bytes are wrong"))?;
        if record.len() as u64 > RECORD_BYTES_MAX {
            return Err(damaged(offset, "the record is larger than any that we write"));
        }
        if offset == 0 && !record.starts_with(b"WARC/") {
            return Ok(false);
        }
        let head = WarcHead::parse(&record).ok_or_else(|| damaged(offset, "it is no WARC record"))?;
        see(ScannedRecord { offset, head, plain_bytes: record.len() as u64 });
    }
    Ok(true)
}

/// Knows how many bytes were taken: where a member starts.
struct Counting<R> {
    inner: R,
    at: u64,
}

impl<R: BufRead> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Counting<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.at += count as u64;
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn member(text: &str) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(text.as_bytes()).unwrap();
        out.finish().unwrap()
    }

    fn scan(bytes: &[u8]) -> (Result<bool, Error>, Vec<(u64, u64)>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut seen = Vec::new();
        let outcome = scan_warc(file.path(), |record| seen.push((record.offset, record.plain_bytes)));
        (outcome, seen)
    }

    #[test]
    fn records_are_found_where_they_start_and_what_is_none_is_told() {
        let record = "WARC/1.1\r\nContent-Length: 2\r\n\r\nok\r\n\r\n";
        let (one, bytes) = (member(record), record.len() as u64);
        let both = [one.clone(), one.clone()].concat();
        let (outcome, seen) = scan(&both);
        assert_eq!((outcome.unwrap(), seen), (true, vec![(0, bytes), (one.len() as u64, bytes)]));
        assert!(!scan(&member("words")).0.unwrap());
        for damaged in [both[..both.len() - 3].to_vec(), [one.clone(), member("words")].concat()] {
            let (outcome, seen) = scan(&damaged);
            let place = one.len() as u64;
            assert!(matches!(outcome, Err(Error::DamagedWarc { offset, .. }) if offset == place));
            assert_eq!(seen.len(), 1);
        }
    }
}
