//! SimHash and the index that finds all fingerprints within a few bits, on kind fingerprints and on such as pages have.

use ::dedup::hamming::HammingIndex;

use page::thousands;

use super::sketching::{ROUNDS, least, per_gigabyte};
use crate::clock::timed;
use crate::{Error, Row, peers};

const DISTANCE: u32 = 3;
const QUERIES: usize = 20_000;
/// 250 MB/s.
const SECONDS_PER_GB_MAX: f64 = 4.0;
const QUERY_NS_MAX: f64 = 2_000.0;
/// Beyond so many the peer takes minutes to build.
const PEER_ENTRIES_MAX: u32 = 1_000_000;

/// From text to fingerprint, digest included, beside gaoya.
pub fn print_rows(documents: &[String]) -> Vec<Row> {
    let (mut ours, mut theirs) = (f64::INFINITY, Ok(f64::INFINITY));
    for _ in 0..ROUNDS {
        ours = ours.min(print_all(documents));
        theirs = least(theirs, peers::gaoya_simhash(documents));
    }
    let per_gb = |nanoseconds| per_gigabyte(nanoseconds, documents);
    let (ours, theirs) = (per_gb(ours), theirs.map(per_gb));
    let name = || "SimHash of 64 bits and exact digest".to_owned();
    vec![
        Row::absolute(name(), "CPU s per GB", ours, SECONDS_PER_GB_MAX),
        Row::new(name(), "CPU s per GB", ours, "gaoya, SimHash alone", theirs, None),
    ]
}

fn print_all(documents: &[String]) -> f64 {
    timed(|| {
        for document in documents {
            std::hint::black_box(::dedup::page_print(document.as_bytes()));
        }
    })
    .1
}

/// How the stored fingerprints lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// Anywhere: kind, since a bit tells as much as it can.
    Uniform,
    /// Sixteen around each of many centres, up to twelve bits away: pages of one template.
    Clustered,
    /// Each bit is the same in eleven of sixteen: pages in one language.
    Biased,
    /// Made of those of real texts, each bit from one of two, and clustered.
    Real,
}

impl Spread {
    const ALL: [Self; 4] = [Self::Uniform, Self::Clustered, Self::Biased, Self::Real];

    fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Biased => "biased",
            Self::Real => "real-like",
        }
    }

    fn fingerprints(self, count: u32, real: &[u64], next: &mut impl FnMut() -> u64) -> Vec<u64> {
        let centres: Vec<u64> = match self {
            Self::Uniform => return (0..count).map(|_| next()).collect(),
            // a & (b | (c & d)) has bits that are set in 5 of 16.
            Self::Biased => return (0..count).map(|_| next() & (next() | (next() & next()))).collect(),
            Self::Clustered => (0..count / 16).map(|_| next()).collect(),
            Self::Real => (0..count / 16)
                .map(|_| {
                    let mut any = || real[(next() % real.len() as u64) as usize];
                    let (left, right, mask) = (any(), any(), next());
                    left & mask | right & !mask
                })
                .collect(),
        };
        let mut near = |centre: u64| (0..next() % 13).fold(centre, |bits, _| bits ^ 1 << (next() % 64));
        (0..count as usize).map(|number| near(centres[number % centres.len()])).collect()
    }
}

/// Queries among so many fingerprints, from kind ones to such as real pages have.
pub fn index_rows(entries: u32, texts: &[String]) -> Result<Vec<Row>, Error> {
    let real: Vec<u64> = texts.iter().map(|text| ::dedup::simhash64(text.as_bytes())).collect();
    let mut rows = Vec::new();
    for spread in Spread::ALL {
        let case = Case::new(entries, spread, &real);
        let kind = spread.name();
        let mut index = HammingIndex::<u64>::new(DISTANCE);
        for (fingerprint, id) in case.stored.iter().zip(0..) {
            index.insert(*fingerprint, id)?;
        }
        index.compact()?;
        let mut missed = 0;
        for (query, id, distance) in &case.planted {
            let mut is_there = false;
            index.find(*query, |found, at| is_there |= (found, at) == (*id, *distance))?;
            missed += u32::from(!is_there);
        }
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let round = timed(|| {
                let mut count = 0u64;
                for (query, ..) in &case.planted {
                    index.find(*query, |_, _| count += 1).expect("everything is in memory");
                }
                count
            });
            best = best.min(round.1 / QUERIES as f64);
        }
        let name = format!("{} {kind} fingerprints, distance {DISTANCE}", thousands(entries.into()));
        rows.push(Row::absolute(format!("{name}: query"), "CPU ns", best, QUERY_NS_MAX));
        rows.push(Row::absolute(format!("{name}: planted matches missed"), "of 20,000", missed.into(), 0.0));
        let is_compared = matches!(spread, Spread::Uniform | Spread::Real);
        if is_compared && entries <= PEER_ENTRIES_MAX {
            let theirs = peers::gaoya_near(&case.stored, &case.planted, DISTANCE);
            rows.push(Row::new(
                format!("{name}: query"),
                "CPU ns",
                best,
                "gaoya",
                theirs.clone().map(|theirs| theirs.0),
                None,
            ));
            rows.push(Row::new(
                format!("{name}: planted matches missed"),
                "of 20,000",
                missed.into(),
                "gaoya",
                theirs.map(|theirs| theirs.1),
                None,
            ));
        }
    }
    Ok(rows)
}

/// Fingerprints, and queries at a known distance from some of them.
struct Case {
    stored: Vec<u64>,
    /// Query, the id of what it was made from, and its distance from that.
    planted: Vec<(u64, u32, u32)>,
}

impl Case {
    fn new(entries: u32, spread: Spread, real: &[u64]) -> Self {
        let mut state = 2026u64;
        let mut next = move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            xxhash_rust::xxh3::xxh3_64(&state.to_le_bytes())
        };
        let stored = spread.fingerprints(entries, real, &mut next);
        let planted = (0..QUERIES as u32)
            .map(|number| {
                let id = (next() % u64::from(entries)) as u32;
                let (original, distance) = (stored[id as usize], number % (DISTANCE + 1));
                let mut query = original;
                while (query ^ original).count_ones() < distance {
                    query ^= 1 << (next() % 64);
                }
                (query, id, distance)
            })
            .collect();
        Self { stored, planted }
    }
}
