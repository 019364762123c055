//! What is in a file that Crivello wrote? Told by its first bytes and not by its name.
//!
//! Every byte is read and every checksum compared, so a file that can be inspected is sound. One file at a time is
//! looked at, by itself; only `links.log` needs `pages.tbl` beside it, for addresses are kept as what differs from the
//! page's own, the two files of documents each other, and columns of sketches, which have neither a head nor checksums, need the
//! journal beside them. What the bytes mean is asked of the crate that writes them.

#![forbid(unsafe_code)]

mod copies;
mod documents;
mod ends;
mod error;
mod filters;
mod foreign;
mod graphs;
mod index_files;
mod journals;
mod segments;
mod sieves;
mod warc;

use std::io::Read;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};
use store::Told;

pub use ends::Ends;
pub use error::Error;
pub use segments::inspect as inspect_segment;

/// What was found.
#[derive(Debug)]
pub struct Inspection {
    /// What the file is, in words.
    pub kind: &'static str,
    /// The version of its format, if it has one of its own.
    pub version: Option<u32>,
    /// What else is known, in the order in which it is shown.
    pub facts: Facts,
    /// Its records, if it has any.
    pub records: Option<Shown>,
}

/// Names and values.
pub type Facts = Vec<(&'static str, Value)>;

/// Both ends of the records.
pub type Shown = Ends<ShownRecord>;

/// A record as text.
#[derive(Debug, Serialize)]
pub struct ShownRecord {
    /// Where it starts.
    pub byte: u64,
    /// What it says.
    pub text: String,
}

impl Inspection {
    /// All of it as one object.
    pub fn as_json(&self, path: &Path, length: u64) -> Value {
        let mut object = Map::new();
        let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
        put("file", path.display().to_string().into());
        put("kind", self.kind.into());
        put("version", self.version.into());
        put("bytes", length.into());
        for (name, value) in &self.facts {
            put(name, value.clone());
        }
        if let Some(records) = &self.records {
            put("records", records.count().into());
            put("first", json!(records.first()));
            put("last", json!(records.last().collect::<Vec<_>>()));
        }
        Value::Object(object)
    }
}

/// Asks the file's first bytes who can read it.
pub fn inspect(path: &Path, count: usize) -> Result<Inspection, Error> {
    let mut start = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, error))?;
    file.take(8).read_to_end(&mut start).map_err(|error| Error::io(path, error))?;
    // Columns of sketches have no first bytes of their own, nor have graphs in BV format, which are three files.
    if let Some(column) = copies::inspect_column(path)? {
        return Ok(column);
    }
    if let Some(found) = graphs::inspect_bv(path)? {
        return Ok(found);
    }
    // A table of slots, most of them free, begins with nothing either.
    if path.ends_with("frontier/under-way") {
        let visits = frontier::UnderWay::left_in(path)?.len();
        let kind = "visits that were under way, for the rests after a kill";
        return Ok(Inspection { kind, version: None, facts: vec![("visits", visits.into())], records: None });
    }
    match start.as_slice() {
        [] => Ok(Inspection {
            kind: "nothing: an empty file, such as a lock or an overflow that was not needed",
            version: None,
            facts: Vec::new(),
            records: None,
        }),
        [0x1f, 0x8b, ..] => warc::inspect(path, count),
        [b'{', ..] if path.ends_with("crawl.json") => inspect_told(path),
        [b'{', ..] => index_files::inspect_manifest(path),
        [b'0'..=b'9', ..] if path.ends_with("frontier/status") => inspect_status(path),
        [b'0'..=b'9', ..] => inspect_numbers(path, &start),
        magic if *magic == filter::bytes::MAGIC => filters::inspect_filter(path),
        magic if magic == filter::index::SLICED_MAGIC => filters::inspect_sliced(path, count),
        magic if *magic == dedup::GROUPS_MAGIC => copies::inspect_groups(path, count),
        magic if *magic == graph::GRAPH_FORMAT.magic => graphs::inspect_sealed(path),
        b"<!doctyp" if is_report(path)? => Ok(Inspection {
            kind: "a report, to be looked at in a browser",
            version: None,
            facts: Vec::new(),
            records: None,
        }),
        magic if *magic == index::INDEX_FORMAT.magic => index_files::inspect_sealed(path),
        magic if *magic == latent::LATENT_FORMAT.magic => inspect_space(path),
        magic if *magic == search::KNOWN_FORMAT.magic => inspect_known(path),
        magic if *magic == build::documents::BLOCKS.magic => {
            documents::inspect(path, "what was read of pages, in compressed blocks")
        }
        magic if *magic == build::documents::KEYS.magic => {
            documents::inspect(path, "where the documents of pages are, and what they were made from")
        }
        magic if *magic == build::documents::PLACES.magic => documents::inspect_places(path),
        magic if *magic == frontier::CHECKPOINT_FORMAT.magic => inspect_checkpoint(path),
        magic if *magic == sieve::SEEN_MAGIC => sieves::inspect_seen(path, count),
        magic if *magic == sieve::RUN_FORMAT.magic => sieves::inspect_run(path, count),
        magic => match journals::kind_of(magic) {
            Some(kind) => journals::inspect(path, kind, count),
            None => Err(foreign::not_ours(path, magic)),
        },
    }
}

/// Reads what a crawl was told.
fn inspect_told(path: &Path) -> Result<Inspection, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let told = Told::from_bytes(&bytes).map_err(|reason| Error::damaged(path, 0, reason))?;
    let facts = vec![("seeds", told.seeds.len().into()), ("options", json!(told.options))];
    Ok(Inspection { kind: "what a crawl was told", version: Some(Told::VERSION), facts, records: None })
}

/// Reads a latent space.
fn inspect_space(path: &Path) -> Result<Inspection, Error> {
    let numbers = latent::check_file(path)?.map(Value::from);
    let facts = ["documents", "terms", "dimensions"].into_iter().zip(numbers).collect();
    let version = Some(latent::LATENT_FORMAT.version);
    Ok(Inspection { kind: "where words and documents are in a latent space", version, facts, records: None })
}

/// Reads a checkpoint of a crawl, as far as its checksums.
fn inspect_checkpoint(path: &Path) -> Result<Inspection, Error> {
    let file = journal::SealedFile::open_any(path, frontier::CHECKPOINT_FORMAT)?;
    file.check()?;
    let (version, facts) =
        (Some(frontier::CHECKPOINT_FORMAT.version), vec![("bytes", file.payload_bytes().into())]);
    let kind = "a checkpoint: what a crawl had come to, so that a restart need not read everything";
    Ok(Inspection { kind, version, facts, records: None })
}

/// Reads what is known of documents, or of words.
fn inspect_known(path: &Path) -> Result<Inspection, Error> {
    let version = Some(search::KNOWN_FORMAT.version);
    if let Some(words) = search::Vocabulary::check(path)? {
        let kind = "the more frequent words of an index";
        return Ok(Inspection { kind, version, facts: vec![("words", words.into())], records: None });
    }
    let known = search::Known::open(path)?;
    let facts = vec![
        ("documents", known.address_lengths.documents().into()),
        ("hosts", known.sites.hosts().into()),
        ("gathered from", known.made_from.into()),
    ];
    Ok(Inspection { kind: "what is known of documents beside their words", version, facts, records: None })
}

/// Recognises a page of HTML that is a report of ours: its title says so.
fn is_report(path: &Path) -> Result<bool, Error> {
    let mut start = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, error))?;
    file.take(HEAD_BYTES).read_to_end(&mut start).map_err(|error| Error::io(path, error))?;
    Ok(memchr::memmem::find(&start, b"<title>The graph of ").is_some())
}

/// The title of a report is among its first bytes.
const HEAD_BYTES: u64 = 512;

/// Reads how a crawl says that its frontier looks: numbers in digits, each with its meaning.
fn inspect_status(path: &Path) -> Result<Inspection, Error> {
    const NAMES: [&str; 9] = [
        "written_at_ms",
        "hosts_ready",
        "hosts_resting",
        "hosts_in_flight",
        "hosts_full",
        "hosts_idle",
        "addresses_in_memory",
        "addresses_on_disk",
        "seconds_left",
    ];
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let numbers: Option<Vec<u64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    let Some((version, numbers)) = numbers.as_deref().and_then(<[u64]>::split_first) else {
        return Err(Error::damaged(path, 0, "only numbers are expected"));
    };
    if numbers.len() != NAMES.len() {
        return Err(Error::damaged(path, 0, "there are too few numbers, or too many"));
    }
    let facts = NAMES.into_iter().zip(numbers.iter().map(|number| Value::from(*number))).collect();
    let kind = "how the frontier of a crawl looked when it wrote this last";
    Ok(Inspection { kind, version: u32::try_from(*version).ok(), facts, records: None })
}

/// Reads the store's `safe`: one or two numbers in digits, for people.
fn inspect_numbers(path: &Path, start: &[u8]) -> Result<Inspection, Error> {
    let text = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let digits = text.trim_ascii_end();
    let is_expected = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
    if let Some(place) = digits.iter().position(|byte| !is_expected(byte)) {
        if path.file_name().is_none_or(|name| name != "safe") {
            return Err(foreign::not_ours(path, start));
        }
        return Err(Error::damaged(path, place as u64, "only digits are expected"));
    }
    let mut facts = Vec::new();
    for (name, digits) in ["safe", "safe_bytes"].into_iter().zip(digits.split(|byte| *byte == b' ')) {
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok());
        let number = number.ok_or_else(|| Error::damaged(path, 0, "a number is missing or too large"))?;
        facts.push((name, number.into()));
    }
    let kind = "how many records, and bytes, of the page table are certainly on the disk";
    Ok(Inspection { kind, version: None, facts, records: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_crawl_leaves_when_it_is_killed_can_be_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("frontier");
        std::fs::create_dir(&folder).unwrap();
        let mut visits = frontier::UnderWay::create(&folder.join("under-way"), 4).unwrap();
        visits.begin([127, 0, 0, 1].into(), page::Timestamp(7)).unwrap();
        let found = inspect(&folder.join("under-way"), 3).unwrap();
        assert_eq!(found.facts, [("visits", json!(1))]);
        let status = folder.join("status");
        std::fs::write(&status, "1 1700000000000 1 2 3 4 5 6 7 8").unwrap();
        let found = inspect(&status, 3).unwrap();
        assert_eq!((found.version, &found.facts[1]), (Some(1), &("hosts_ready", json!(1))));
        for wrong in ["1 2", "1 1700000000000 1 2 3 4 5 6 7 x"] {
            std::fs::write(&status, wrong).unwrap();
            assert!(inspect(&status, 3).is_err(), "{wrong}");
        }
    }
}
