//! What a sieve knows of one address.

use std::path::Path;

use page::Timestamp;
use serde_json::json;
use sieve::Known;

use crate::commands::{Context, address_of};
use crate::output::{Ending, hinted, outln, print_json};

/// Tells what the sieve whose state this is knows of an address.
pub fn look_up(context: Context, state: &Path, address: &str) -> anyhow::Result<Ending> {
    let url = address_of(address)?;
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
