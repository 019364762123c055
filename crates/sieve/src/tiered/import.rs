//! The list of a Mercator or an offline sieve becomes runs: so a collection of an earlier version is gone on with.
//!
//! The list is sorted, so that it is read once and written once. The state that names the runs takes the place of the one
//! that names the list in one rename; then the list is removed. A process that ends before that begins anew.

use std::path::Path;

use super::code::Entry;
use super::signature::{SHARDS, Signature, shard_of};
use super::tiers::level_of;
use super::work::{Part, Workplace, create, finish};
use crate::manifest::{Manifest, RunFacts};
use crate::seen_file::{SeenReader, seen_path};
use crate::state::State;
use crate::{Error, SieveKind};

/// Makes runs of the list that is there, if there is one of 64 bits and nothing else.
pub(super) fn import_list<S: Signature>(workplace: &Workplace, spilled: u64) -> Result<(), Error> {
    let dir = &workplace.dir;
    let Some(state) = State::of(dir)? else { return Ok(()) };
    let has_list = matches!(state.kind, SieveKind::Mercator | SieveKind::Offline);
    if !has_list || S::LOW_BITS > 0 || workplace.signature_bits != 64 {
        return Ok(());
    }
    let runs = if state.generation > 0 { write_runs::<S>(workplace, &state, spilled)? } else { Vec::new() };
    journal::sync_folder(dir)?;
    let next_number = runs.len() as u64 + 1;
    let parts = Manifest { signature_bits: 64, next_number, logs: Vec::new(), runs }.encode();
    tracing::info!(addresses = state.seen, "the sieve's list becomes runs");
    let list = seen_path(dir, state.generation);
    State { kind: SieveKind::Tiered, generation: 0, parts, ..state }.write(dir)?;
    remove_if_there(&list)
}

fn write_runs<S: Signature>(
    workplace: &Workplace,
    state: &State,
    spilled: u64,
) -> Result<Vec<RunFacts>, Error> {
    let mut list = SeenReader::open(&seen_path(&workplace.dir, state.generation), state.seen)?;
    let mut next = list.next()?;
    let mut runs: Vec<RunFacts> = Vec::new();
    // Signatures are hashes, so that shards are about equally full.
    let count = state.seen.div_ceil(SHARDS as u64);
    while let Some(first) = next {
        let (shard, number) = (shard_of(first), runs.len() as u64 + 1);
        let facts = RunFacts { shard, number, level: level_of(count, spilled), count, identity: 0 };
        let mut writer = create::<S>(workplace, facts, false, 0.0)?;
        while let Some(high) = next.filter(|high| shard_of(*high) == shard) {
            writer.push(&Entry { key: S::from_parts(high, 0), remark: None })?;
            next = list.next()?;
        }
        let Part { facts, .. } = finish(writer, facts)?;
        runs.push(facts);
    }
    Ok(runs)
}

fn remove_if_there(path: &Path) -> Result<(), Error> {
    if path.exists() {
        fs_err::remove_file(path)?;
    }
    Ok(())
}
