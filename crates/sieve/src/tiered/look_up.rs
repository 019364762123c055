//! What a sieve knows of one address, asked without opening the sieve: somebody may be crawling with it.

use std::path::Path;

use page::Fingerprint;

use super::code::Entry;
use super::log::{self, log_path};
use super::remark::{Known, Remark};
use super::run::{Run, run_path};
use super::signature::{Signature, shard_of};
use crate::manifest::Manifest;
use crate::seen_file::{SeenReader, seen_path};
use crate::state::State;
use crate::{Error, SieveKind};

/// Files that are named may be gone when they are opened, if a crawl goes on; then the state names others.
const ATTEMPTS: usize = 5;

/// What the sieve in a folder knows of an address; nothing if there is no sieve, or one of a kind that cannot be asked
/// without opening it. Nothing is changed. It costs a pass over what is recent, or over the list of a Mercator sieve.
pub fn look_up(dir: &Path, fingerprint: Fingerprint, url: &str) -> Result<Option<Known>, Error> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        match look_up_once(dir, fingerprint, url) {
            Err(Error::Io(error) | Error::Journal(journal::Error::Io(error)))
                if error.kind() == std::io::ErrorKind::NotFound && attempts < ATTEMPTS => {}
            outcome => return outcome,
        }
    }
}

fn look_up_once(dir: &Path, fingerprint: Fingerprint, url: &str) -> Result<Option<Known>, Error> {
    let Some(state) = State::of(dir)? else { return Ok(None) };
    match state.kind {
        SieveKind::Mercator | SieveKind::Offline => in_list(dir, &state, fingerprint.get()).map(Some),
        SieveKind::Tiered if state.parts.is_empty() => Ok(Some(Known::Unseen)),
        SieveKind::Tiered => {
            let (path, what) = (dir.join("state"), "its list of parts cannot be read");
            let manifest = Manifest::decode(&state.parts).map_err(|_| Error::Damaged { path, what })?;
            let high = fingerprint.get() & u64::MAX << (64 - manifest.signature_bits.min(64));
            let remark = match manifest.signature_bits {
                128 => in_parts(dir, &manifest, u128::of(high, url))?,
                _ => in_parts(dir, &manifest, high)?,
            };
            Ok(Some(match remark {
                None | Some(Some(Remark::Forgotten)) => Known::Unseen,
                Some(None) => Known::Seen,
                Some(Some(Remark::Visited(visit))) => Known::Visited(visit),
            }))
        }
        _ => Ok(None),
    }
}

fn in_parts<S: Signature>(dir: &Path, manifest: &Manifest, key: S) -> Result<Option<Option<Remark>>, Error> {
    let mut newest = None;
    for &(number, end) in &manifest.logs {
        let see = |entry: Entry<S>| {
            if entry.key == key {
                newest = Some(entry.remark);
            }
        };
        log::read(&log_path(dir, number), end, see)?;
    }
    let runs = manifest.runs.iter().rev().filter(|run| run.shard == shard_of(key.high()));
    for facts in runs {
        if newest.is_none() {
            newest = Run::<S>::open(&run_path(dir, facts.number), facts.identity, facts.count)?.find(key)?;
        }
    }
    Ok(newest)
}

fn in_list(dir: &Path, state: &State, signature: u64) -> Result<Known, Error> {
    let mut found = Known::Unseen;
    if state.generation > 0 {
        let mut list = SeenReader::open(&seen_path(dir, state.generation), state.seen)?;
        while let Some(seen) = list.next()? {
            if seen == signature {
                found = Known::Seen;
            }
        }
    }
    Ok(found)
}
