//! WARC files: a gzip member for each record, so that one can be read alone.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context as _;
use flate2::bufread::GzDecoder;
use serde_json::json;
use store::WarcHead;

use super::ends::Ends;
use super::foreign::not_ours;
use super::{Inspection, damaged};
use crate::output::counted;

/// No record is read that is larger: what we write is bounded by the fetch limits.
const RECORD_BYTES_MAX: u64 = 1 << 30;

/// Reads all records.
pub fn inspect(path: &Path, count: usize) -> anyhow::Result<Inspection> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut file = Counting { inner: BufReader::with_capacity(256 << 10, file), at: 0 };
    let mut records = Ends::new(count);
    let mut types: BTreeMap<String, u64> = BTreeMap::new();
    let mut plain_bytes = 0u64;
    let mut record = Vec::new();
    while !file.fill_buf()?.is_empty() {
        let start = file.at;
        record.clear();
        GzDecoder::new(&mut file)
            .take(RECORD_BYTES_MAX + 1)
            .read_to_end(&mut record)
            .map_err(|error| damaged(path, start, format!("the compressed bytes are wrong ({error})")))?;
        if record.len() as u64 > RECORD_BYTES_MAX {
            return Err(damaged(path, start, "the record is larger than any that we write"));
        }
        if start == 0 && !record.starts_with(b"WARC/") {
            return Err(not_ours(path, &[0x1f, 0x8b]));
        }
        let head = WarcHead::parse(&record).ok_or_else(|| damaged(path, start, "it is no WARC record"))?;
        plain_bytes += record.len() as u64;
        *types.entry(head.header("warc-type").unwrap_or("unknown").to_owned()).or_default() += 1;
        records.push(|| (start, describe(&head)));
    }
    let facts = vec![("types", json!(types)), ("plain_bytes", plain_bytes.into())];
    Ok(Inspection { kind: "WARC file, compressed by record", version: None, facts, records: Some(records) })
}

fn describe(head: &WarcHead) -> String {
    let of = |name| head.header(name).unwrap_or("");
    let target = head.header("warc-target-uri").or(head.header("warc-filename")).unwrap_or("");
    let bytes = counted(head.block_bytes as u64, "byte");
    format!("{} {} {target} ({bytes})", of("warc-date"), of("warc-type"))
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
