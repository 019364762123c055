//! What a sieve keeps: lists and runs of fingerprints.

use std::path::Path;

use crate::ends::Ends;
use crate::{Error, Inspection, ShownRecord};

/// Reads the list of fingerprints of all addresses that were seen.
pub(crate) fn inspect_seen(path: &Path, count: usize) -> Result<Inspection, Error> {
    let (mut records, mut last) = (Ends::new(count), 0);
    let scanned = sieve::scan_seen(path, |byte, fingerprint| {
        records.push(|| ShownRecord { byte, text: format!("{fingerprint:016x}") });
        last = byte;
    });
    scanned.map_err(|error| Error::damaged(path, last, error))?;
    let kind = "fingerprints of the addresses that were seen, sorted";
    Ok(Inspection { kind, version: Some(1), facts: Vec::new(), records: Some(records) })
}

/// Reads one run of fingerprints.
pub(crate) fn inspect_run(path: &Path, count: usize) -> Result<Inspection, Error> {
    let (mut records, mut place) = (Ends::new(count), 0);
    let bits = sieve::scan_run(path, |fingerprint| {
        // Where a key stands is a bit, not a byte: its number says more.
        records.push(|| ShownRecord { byte: place, text: format!("{fingerprint:016x}") });
        place += 1;
    })?;
    let facts = vec![("signature_bits", bits.into())];
    let kind = "fingerprints of addresses that were seen, a sorted run of one shard";
    Ok(Inspection { kind, version: Some(sieve::RUN_FORMAT.version), facts, records: Some(records) })
}
