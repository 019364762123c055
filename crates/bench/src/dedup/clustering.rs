//! From sketches to groups: what is found, what it costs per record, and whether the forms of execution agree.

use std::collections::BTreeSet;
use std::time::Instant;

use ::dedup::{
    CopyPair, DedupConfig, Deduplicator, DocumentReader, Documents, DuplicateGroups, Execution, Unreadable,
    Watcher, WorkFolder, banding::Banding,
};

use page::thousands;

use super::texts::Licences;
use crate::clock::timed;
use crate::{Error, Row};

const THRESHOLDS: [f64; 5] = [0.5, 0.7, 0.8, 0.9, 0.95];
/// Of the documents that have a copy.
const MISSED_SHARE_MAX: f64 = 0.001;
const RECORD_NS_MAX: f64 = 40.0;

struct Nobody;

impl Watcher for Nobody {}

/// Documents of which a copy exists and none was found, and pairs that are none, at several thresholds.
pub fn quality_rows(licences: &Licences) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for threshold in THRESHOLDS {
        let config = DedupConfig { threshold, ..DedupConfig::default() };
        let found: BTreeSet<(String, String)> = pairs(licences, config)?
            .iter()
            .map(|pair| {
                (licences.names[pair.first as usize].clone(), licences.names[pair.second as usize].clone())
            })
            .collect();
        let truth: BTreeSet<(String, String)> = licences
            .pairs
            .iter()
            .filter(|(.., similarity)| *similarity >= threshold)
            .map(|(first, second, _)| (first.clone(), second.clone()))
            .collect();
        let members = |pairs: &mut dyn Iterator<Item = &(String, String)>| -> BTreeSet<String> {
            pairs.flat_map(|(first, second)| [first.clone(), second.clone()]).collect()
        };
        let (known, met) = (members(&mut truth.iter()), members(&mut truth.intersection(&found)));
        let missed = 1.0 - met.len() as f64 / known.len() as f64;
        let invented = found.difference(&truth).count() as f64;
        rows.push(Row::absolute(
            format!("similarity {threshold}: documents whose copies were missed, of {}", known.len()),
            "share",
            missed,
            MISSED_SHARE_MAX,
        ));
        rows.push(Row::absolute(format!("similarity {threshold}: pairs invented"), "pairs", invented, 0.0));
    }
    Ok(rows)
}

fn pairs(licences: &Licences, config: DedupConfig) -> Result<Vec<CopyPair>, Error> {
    let (folder, texts) = (tempfile::tempdir()?, licences.texts.as_slice());
    let mut deduplicator = Deduplicator::open_in(WorkFolder::temporary(folder.path())?, config, "")?;
    deduplicator.sketch(&texts, &Nobody)?;
    let mut pairs = Vec::new();
    deduplicator.pairs(&texts, &Nobody, &mut |pair| {
        pairs.push(pair);
        Ok(())
    })?;
    Ok(pairs)
}

/// Real time from texts to groups in each form of execution, beside the serial one.
pub fn execution_rows(texts: &[String]) -> Result<Vec<Row>, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let forms = [
        ("serial", Execution::Serial),
        ("threads", Execution::Threads(cores)),
        ("producer-consumer", Execution::ProducerConsumer(cores)),
    ];
    let mut best = [f64::INFINITY; 3];
    let mut groups: Vec<DuplicateGroups> = Vec::new();
    for _ in 0..3 {
        for ((_, execution), best) in forms.iter().zip(&mut best) {
            let folder = tempfile::tempdir()?;
            let started = Instant::now();
            let config = DedupConfig { execution: *execution, ..DedupConfig::default() };
            let mut deduplicator = Deduplicator::open_in(WorkFolder::temporary(folder.path())?, config, "")?;
            deduplicator.sketch(&texts, &Nobody)?;
            groups.push(deduplicator.groups(&texts, &Nobody)?);
            *best = best.min(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    let all = |groups: &DuplicateGroups| groups.iter().map(<[u32]>::to_vec).collect::<Vec<_>>();
    let differing = groups.iter().filter(|other| all(other) != all(&groups[0])).count();
    let mut rows: Vec<Row> = forms
        .iter()
        .zip(best)
        .map(|((name, _), time)| {
            let name = format!("{name}, {cores} cores, texts to groups");
            Row::new(name, "ms", time, "serial", Ok(best[0]), None)
        })
        .collect();
    rows.push(Row::absolute("forms of execution whose groups differ".into(), "runs", differing as f64, 0.0));
    Ok(rows)
}

/// CPU time from sorting to groups, per band and document, verification by exact similarity included.
pub fn record_row(documents: u32) -> Result<Row, Error> {
    let (folder, documents) = (tempfile::tempdir()?, Made(documents));
    let config = DedupConfig { execution: Execution::Serial, ..DedupConfig::default() };
    let bands = Banding::for_threshold(config.slots, config.threshold).bands;
    let sketching = DedupConfig { execution: Execution::Threads(2), ..config.clone() };
    Deduplicator::open_in(WorkFolder::temporary(folder.path())?, sketching, "")?
        .sketch(&documents, &Nobody)?;
    let mut deduplicator = Deduplicator::open_in(WorkFolder::temporary(folder.path())?, config, "")?;
    let (groups, nanoseconds) = timed(|| deduplicator.groups(&documents, &Nobody));
    let copies = groups?.copies();
    let name = format!(
        "{} documents in {bands} bands, {} copies: sort to groups",
        thousands(documents.0.into()),
        thousands(copies as u64)
    );
    let records = f64::from(documents.0) * bands as f64;
    Ok(Row::absolute(name, "CPU ns per record", nanoseconds / records, RECORD_NS_MAX))
}

/// Texts of forty words made from their number; one in twenty is nearly its predecessor.
struct Made(u32);

impl Documents for Made {
    fn count(&self) -> u32 {
        self.0
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(Maker)
    }
}

struct Maker;

impl DocumentReader for Maker {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        use std::io::Write as _;
        text.clear();
        let is_copy = document % 20 == 19;
        let mut state = u64::from(if is_copy { document - 1 } else { document });
        for word in 0..40 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            // Only the last word of a copy is another one.
            let word = if is_copy && word == 39 { 0 } else { state >> 48 };
            write!(text, "w{word:x} ").expect("memory can be written to");
        }
        Ok(())
    }
}
