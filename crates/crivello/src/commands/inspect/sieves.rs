//! What a sieve keeps: lists and runs of fingerprints, and what is known of one address.

use std::path::Path;

use page::{PageUrl, Timestamp};
use serde_json::json;
use sieve::Known;

use super::ends::Ends;
use super::{Inspection, ShownRecord};
use crate::commands::Context;
use crate::output::{Ending, hinted, outln, print_json};

/// Reads the list of fingerprints of all addresses that were seen.
pub fn inspect_seen(path: &Path, count: usize) -> anyhow::Result<Inspection> {
    let (mut records, mut last) = (Ends::new(count), 0);
    let scanned = sieve::scan_seen(path, |byte, fingerprint| {
        records.push(|| ShownRecord { byte, text: format!("{fingerprint:016x}") });
        last = byte;
    });
    scanned.map_err(|error| anyhow::anyhow!("{error} (it was read up to byte {last})"))?;
    let kind = "fingerprints of the addresses that were seen, sorted";
    Ok(Inspection { kind, version: Some(1), facts: Vec::new(), records: Some(records) })
}

/// Reads one run of fingerprints.
pub fn inspect_run(path: &Path, count: usize) -> anyhow::Result<Inspection> {
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

/// Tells what the sieve whose state this is knows of an address.
pub fn look_up(context: Context, state: &Path, address: &str) -> anyhow::Result<Ending> {
    let url = PageUrl::parse(address)
        .map_err(|error| hinted(format!("`{address}`: {error}"), "give an address as http://name/path"))?;
    let dir = state.parent().filter(|_| state.ends_with("state")).ok_or_else(|| {
        let what = format!("`{}` is no state of a sieve", state.display());
        hinted(what, "give a file such as docs.crivello/sieve/state")
    })?;
    let known = sieve::look_up(dir, url.fingerprint(), url.as_str())?.ok_or_else(|| {
        let what = format!("the sieve in `{}` cannot be asked for one address", dir.display());
        hinted(what, "sieves of the kinds tiered, mercator and offline can")
    })?;
    let (is_seen, visit) = match known {
        Known::Unseen => (false, None),
        Known::Seen => (true, None),
        Known::Visited(visit) => (true, Some(visit)),
    };
    let at = visit.map(|visit| Timestamp(visit.at_seconds * 1000).to_string());
    if context.json {
        let visit = visit.map(|visit| json!({ "at": at, "outcome": visit.outcome, "digest": visit.digest }));
        print_json(&json!({ "address": url.as_str(), "seen": is_seen, "visit": visit }))?;
        return Ok(Ending::Done);
    }
    match (is_seen, visit, at) {
        (_, Some(visit), Some(at)) => {
            outln!("{url} was visited at {at}, outcome {}, digest {:08x}", visit.outcome, visit.digest);
        }
        (true, ..) => outln!("{url} has passed the sieve and was not visited yet"),
        (false, ..) => outln!("{url} has not passed the sieve"),
    }
    Ok(Ending::Done)
}
