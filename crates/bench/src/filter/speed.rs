//! How fast is one filter, how large, and how often wrong? Beside fastbloom and a Parquet split-block filter.
//!
//! The rounds of the filters are interleaved, so that a slow minute hits all of them.

use ::filter::KeyHash;

use page::thousands;

use super::subjects::{FASTBLOOM, LARGE_KEYS, SPLIT_BLOCK, Subject, subjects};
use crate::clock::timed;
use crate::{Row, peers};

const SEED: u64 = 2026;
/// Keys asked for in a round, also of a small filter: from fewer that come again and again the processor learns by heart
/// which probe of which key fails, and a miss in a classic filter looks six times as fast as it is.
const QUERIES: usize = 2_000_000;
/// Keys are inserted in runs of this many, made outside of the measured time.
const RUN: usize = 1 << 16;
/// Foreign keys by which the true rate is measured, in millions.
const FOREIGN_MILLIONS: u64 = 10;

/// A query takes at most half as long as the peer's.
const QUERY_RATIO_MAX: f64 = 0.5;
/// In percent.
const TRUE_RATE_MAX: f64 = 1.0;
const BITS_PER_KEY_MAX: f64 = 10.2;

/// What was measured of one filter; times in nanoseconds a key.
#[derive(Debug, Clone, PartialEq)]
struct Measured {
    name: &'static str,
    bits_per_key: f64,
    rate: f64,
    insert_ns: f64,
    hit_ns: f64,
    miss_ns: f64,
}

/// Measures filters of one size.
pub fn rows(keys: usize) -> Vec<Row> {
    let rounds = if keys >= LARGE_KEYS { 5 } else { 15 };
    rows_of(keys, &measure(keys, rounds))
}

/// The goals are those of the blocked filter; our others stand beside the peer without one.
fn rows_of(keys: usize, measured: &[Measured]) -> Vec<Row> {
    let size = format!("{} keys", thousands(keys as u64));
    let peer_called = |name| measured.iter().find(|peer| peer.name == name).ok_or(peers::HINT);
    let is_ours = |of: &&Measured| of.name != FASTBLOOM && of.name != SPLIT_BLOCK;
    let mut rows = Vec::new();
    for (place, ours) in measured.iter().filter(is_ours).enumerate() {
        let is_blocked = place == 0;
        let peers: &[&'static str] = if is_blocked { &[FASTBLOOM, SPLIT_BLOCK] } else { &[FASTBLOOM] };
        for &peer_name in peers {
            let goal = (is_blocked && peer_name == FASTBLOOM).then_some(QUERY_RATIO_MAX);
            let peer = peer_called(peer_name);
            let mut compare = |what: &str, unit, of: fn(&Measured) -> f64, goal| {
                let name = format!("{}, {size}: {what}", ours.name);
                let theirs = peer.map(of).map_err(str::to_owned);
                rows.push(Row::new(name, unit, of(ours), peer_name, theirs, goal));
            };
            compare("hit", "ns", |of| of.hit_ns, goal);
            compare("miss", "ns", |of| of.miss_ns, goal);
            compare("insert", "ns", |of| of.insert_ns, None);
            // A filter can be fast by being wrong more often.
            compare("true rate", "%", |of| of.rate * 100.0, None);
            compare("size", "bits a key", |of| of.bits_per_key, None);
        }
        if is_blocked {
            let name = |what: &str| format!("{}, {size}: {what}", ours.name);
            rows.push(Row::absolute(name("true rate"), "%", ours.rate * 100.0, TRUE_RATE_MAX));
            rows.push(Row::absolute(name("size"), "bits a key", ours.bits_per_key, BITS_PER_KEY_MAX));
        }
    }
    rows
}

fn measure(keys: usize, rounds: usize) -> Vec<Measured> {
    let mut filters = subjects(keys, QUERIES);
    let hits: Vec<u64> = sample(keys, QUERIES).map(hash).collect();
    let misses: Vec<u64> = (keys as u64..).take(QUERIES).map(hash).collect();
    let mut measured = Vec::new();
    for subject in &mut filters {
        let insert_ns = fill(subject.as_mut(), keys) / keys as f64;
        measured.push(Measured {
            name: subject.name(),
            bits_per_key: subject.bits() as f64 / keys as f64,
            rate: true_rate(subject.as_mut(), keys),
            insert_ns,
            hit_ns: f64::MAX,
            miss_ns: f64::MAX,
        });
    }
    for _ in 0..rounds {
        for (subject, best) in filters.iter_mut().zip(&mut measured) {
            let (found, hit_ns) = timed(|| subject.count_found(&hits));
            assert_eq!(found, hits.len(), "{} lost keys", best.name);
            best.hit_ns = best.hit_ns.min(hit_ns / QUERIES as f64);
            best.miss_ns = best.miss_ns.min(timed(|| subject.count_found(&misses)).1 / QUERIES as f64);
        }
    }
    if keys < LARGE_KEYS {
        for _ in 0..rounds {
            for (mut subject, best) in subjects(keys, QUERIES).into_iter().zip(&mut measured) {
                best.insert_ns = best.insert_ns.min(fill(subject.as_mut(), keys) / keys as f64);
            }
        }
    }
    measured
}

/// Inserts all keys and gives the nanoseconds that this took.
fn fill(subject: &mut dyn Subject, keys: usize) -> f64 {
    let mut took = 0.0;
    let mut hashes = Vec::with_capacity(RUN);
    for start in (0..keys).step_by(RUN) {
        hashes.clear();
        hashes.extend((start..keys.min(start + RUN)).map(|key| hash(key as u64)));
        took += timed(|| subject.insert(&hashes)).1;
    }
    took + timed(|| subject.seal()).1
}

/// The share of foreign keys that are found.
fn true_rate(subject: &mut dyn Subject, keys: usize) -> f64 {
    let mut found = 0;
    for million in 0..FOREIGN_MILLIONS {
        let first = (1 << 40) + million * 1_000_000 + keys as u64;
        let hashes: Vec<u64> = (first..first + 1_000_000).map(hash).collect();
        found += subject.count_found(&hashes);
    }
    found as f64 / (FOREIGN_MILLIONS as f64 * 1e6)
}

fn hash(key: u64) -> u64 {
    KeyHash::of_u64(key, SEED).as_u64()
}

/// Keys that were inserted, in no order.
fn sample(keys: usize, count: usize) -> impl Iterator<Item = u64> {
    (0..count as u64).map(move |index| ((u128::from(hash(!index)) * keys as u128) >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &'static str, ns: f64) -> Measured {
        Measured { name, bits_per_key: 10.14, rate: 0.0098, insert_ns: ns, hit_ns: ns, miss_ns: ns }
    }

    #[test]
    fn the_blocked_filter_alone_has_goals() {
        let all = [
            measured("ours", 2.0),
            measured("our other", 9.0),
            measured(FASTBLOOM, 5.0),
            measured(SPLIT_BLOCK, 2.0),
        ];
        let rows = rows_of(20_000, &all);
        let with_goal: Vec<(&str, Option<bool>)> = rows
            .iter()
            .filter(|row| row.goal.is_some())
            .map(|row| (row.name.rsplit(": ").next().unwrap(), row.holds))
            .collect();
        let holds = Some(true);
        assert_eq!(with_goal, [("hit", holds), ("miss", holds), ("true rate", holds), ("size", holds)]);
        assert_eq!(rows[0].ratio, Some(0.4));
        assert_eq!(rows.len(), 5 + 5 + 2 + 5);
    }

    #[test]
    fn without_peers_our_numbers_are_there_and_a_hint_how_to_get_theirs() {
        let rows = rows_of(20_000, &[measured("ours", 2.0)]);
        let (with_peer, alone): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| !row.peer_name.is_empty());
        assert_eq!((with_peer.len(), alone.len()), (5 + 5, 2));
        for row in with_peer {
            assert!(row.ours > 0.0 && row.peer.is_none() && row.holds.is_none(), "{row:?}");
            assert!(row.hint.as_ref().is_some_and(|hint| hint.contains("--features peers")), "{row:?}");
        }
    }
}
