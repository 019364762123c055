//! `crivello stats --failed`: which addresses failed, and why.

use std::collections::BTreeMap;

use serde::Serialize;
use store::{Collection, FailedAddress, StoreReader};

use crate::commands::Context;
use crate::output::{Ending, counted, outln, print_json};

#[derive(Debug, Serialize)]
struct FailedList {
    failed: u64,
    by_reason: BTreeMap<String, u64>,
    addresses: Vec<FailedLine>,
}

#[derive(Debug, Serialize)]
struct FailedLine {
    url: String,
    reason: String,
    at: String,
    /// How many runs gave it up.
    tries: u64,
}

impl FailedLine {
    fn new(address: FailedAddress) -> Self {
        let FailedAddress { url, why, at, tries } = address;
        Self { url: url.as_str().to_owned(), reason: why.to_string(), at: at.to_string(), tries }
    }
}

/// Prints them, in the order in which they failed first.
pub fn list(context: Context, collection: &Collection) -> anyhow::Result<Ending> {
    let failed = StoreReader::open(collection)?.failed()?;
    let addresses: Vec<FailedLine> = failed.into_iter().map(FailedLine::new).collect();
    let mut by_reason = BTreeMap::new();
    for line in &addresses {
        *by_reason.entry(line.reason.clone()).or_default() += 1;
    }
    let list = FailedList { failed: addresses.len() as u64, by_reason, addresses };
    if context.json {
        print_json(&list)?;
        return Ok(Ending::Done);
    }
    for FailedLine { url, reason, at, tries } in &list.addresses {
        outln!("{url}: {reason} ({at}, given up by {})", counted(*tries, "run"));
    }
    for (reason, count) in &list.by_reason {
        outln!("{:>12}  {reason}", counted(*count, "time"));
    }
    if list.failed == 0 {
        outln!("nothing failed");
    }
    Ok(Ending::Done)
}
