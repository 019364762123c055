//! `crivello inspect`: what is in a file, told by its first bytes and not by its name.
//!
//! Every byte is read and every checksum compared, so a file that can be inspected is sound. One file at a time is
//! looked at, by itself; only `links.log` needs `pages.tbl` beside it, for addresses are kept as what differs from the
//! page's own, the two files of documents each other, and columns of sketches, which have neither a head nor checksums, need the journal beside them.

mod copies;
mod documents;
mod ends;
mod filters;
mod foreign;
mod graphs;
mod index_files;
mod journals;
mod segments;
mod sieves;
mod warc;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::ends::Ends;
use super::Context;
use crate::output::{Ending, counted, hinted, one_line, outln, print_json, thousands};
use crate::remembered::Told;

/// Look inside any file that Crivello writes
///
/// Tables and logs of a collection, its WARC files, its documents, the files and segments of its index, of its graph and of its copies, its manifests, and stored filters. The whole
/// file is read and checked; damage is told with the byte where it is.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InspectArgs {
    /// The file, or the folder of a segment of an index
    pub file: PathBuf,
    /// Of a segment: the list of this word, block by block
    #[arg(long, value_name = "WORD")]
    pub term: Option<String>,
    /// Of the list of a word: the documents of this block, counted from 0
    #[arg(long, value_name = "N", requires = "term")]
    pub block: Option<u64>,
    /// Of the state of a sieve: what is known of this address
    #[arg(long, value_name = "URL", conflicts_with = "term")]
    pub address: Option<String>,
    /// How many records to show from its beginning and from its end
    #[arg(short = 'n', long = "records", value_name = "N", default_value_t = 3, value_parser = parse_count)]
    pub records: usize,
}

const EXAMPLES: &str = "\
Examples:
  crivello inspect docs.crivello/store/pages.tbl -n 10
  crivello inspect docs.crivello/store/warc/crivello-00000.warc.gz
  crivello inspect docs.crivello/sieve/state --address https://docs.example.org/   seen? visited when, with what outcome?
  crivello inspect docs.crivello/index/segment-1                        what a segment holds
  crivello inspect docs.crivello/index/segment-1 --term sieve           the blocks of a list and their maxima
  crivello inspect docs.crivello/index/segment-1 --term sieve --block 0  its documents, counts and positions";

/// Records are kept in memory until they are shown.
const RECORDS_SHOWN_MAX: usize = 100_000;

fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count <= RECORDS_SHOWN_MAX => Ok(count),
        _ => Err(format!("a number between 0 and {RECORDS_SHOWN_MAX} is needed")),
    }
}

/// What was found.
#[derive(Debug)]
struct Inspection {
    /// What the file is, in words.
    kind: &'static str,
    /// The version of its format, if it has one of its own.
    version: Option<u32>,
    /// What else is known, in the order in which it is shown.
    facts: Facts,
    /// Its records, if it has any.
    records: Option<Shown>,
}

/// Names and values.
type Facts = Vec<(&'static str, Value)>;

/// Both ends of the records.
type Shown = Ends<ShownRecord>;

/// A record as text.
#[derive(Debug, Serialize)]
struct ShownRecord {
    /// Where it starts.
    byte: u64,
    text: String,
}

/// Runs the command.
pub fn run(context: Context, args: &InspectArgs) -> anyhow::Result<Ending> {
    let path = &args.file;
    if let Some(address) = &args.address {
        return sieves::look_up(context, path, address);
    }
    let is_segment = path.is_dir()
        && path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"segment-"));
    if let (false, Some(_)) = (is_segment, &args.term) {
        let hint = "give the folder of a segment, such as docs.crivello/index/segment-1";
        return Err(hinted(format!("`{}` is no segment of an index", path.display()), hint));
    }
    if path.is_dir() && !is_segment {
        let hint = format!("give a file in it; `crivello stats {}` looks at a collection", path.display());
        return Err(hinted(format!("`{}` is a folder", path.display()), hint));
    }
    let (length, found) = if is_segment {
        let found = segments::inspect(path, args.term.as_deref(), args.block, args.records)?;
        (folder_bytes(path)?, found)
    } else {
        let length = std::fs::metadata(path).with_context(|| path.display().to_string())?.len();
        (length, inspect(path, args.records)?)
    };
    if context.json {
        print_json(&found.as_json(path, length))?;
    } else {
        found.print(path, length);
    }
    Ok(Ending::Done)
}

fn folder_bytes(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Asks the file's first bytes who can read it.
fn inspect(path: &Path, count: usize) -> anyhow::Result<Inspection> {
    let mut start = Vec::new();
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    file.take(8).read_to_end(&mut start).with_context(|| path.display().to_string())?;
    // Columns of sketches have no first bytes of their own, nor have graphs in BV format, which are three files.
    if let Some(column) = copies::inspect_column(path)? {
        return Ok(column);
    }
    if let Some(found) = graphs::inspect_bv(path)? {
        return Ok(found);
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
        magic if *magic == sieve::SEEN_MAGIC => sieves::inspect_seen(path, count),
        magic if *magic == sieve::RUN_FORMAT.magic => sieves::inspect_run(path, count),
        magic => match journals::kind_of(magic) {
            Some(kind) => journals::inspect(path, kind, count),
            None => Err(foreign::not_ours(path, magic)),
        },
    }
}

/// Reads what a crawl was told.
fn inspect_told(path: &Path) -> anyhow::Result<Inspection> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    let told = Told::from_bytes(&bytes).map_err(|reason| damaged(path, 0, reason))?;
    let facts = vec![("seeds", told.seeds.len().into()), ("options", json!(told.options))];
    Ok(Inspection { kind: "what a crawl was told", version: Some(Told::VERSION), facts, records: None })
}

/// Reads a latent space.
fn inspect_space(path: &Path) -> anyhow::Result<Inspection> {
    let numbers = latent::check_file(path)?.map(Value::from);
    let facts = ["documents", "terms", "dimensions"].into_iter().zip(numbers).collect();
    let version = Some(latent::LATENT_FORMAT.version);
    Ok(Inspection { kind: "where words and documents are in a latent space", version, facts, records: None })
}

/// Reads what is known of documents, or of words.
fn inspect_known(path: &Path) -> anyhow::Result<Inspection> {
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
fn is_report(path: &Path) -> anyhow::Result<bool> {
    let mut start = Vec::new();
    std::fs::File::open(path)?.take(HEAD_BYTES).read_to_end(&mut start)?;
    Ok(memchr::memmem::find(&start, b"<title>The graph of ").is_some())
}

/// The title of a report is among its first bytes.
const HEAD_BYTES: u64 = 512;

/// Reads the store's `safe`: one or two numbers in digits, for people.
fn inspect_numbers(path: &Path, start: &[u8]) -> anyhow::Result<Inspection> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    let digits = text.trim_ascii_end();
    let is_expected = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
    if let Some(place) = digits.iter().position(|byte| !is_expected(byte)) {
        if path.file_name().is_none_or(|name| name != "safe") {
            return Err(foreign::not_ours(path, start));
        }
        return Err(damaged(path, place as u64, "only digits are expected"));
    }
    let mut facts = Vec::new();
    for (name, digits) in ["safe", "safe_bytes"].into_iter().zip(digits.split(|byte| *byte == b' ')) {
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok());
        let number = number.ok_or_else(|| damaged(path, 0, "a number is missing or too large"))?;
        facts.push((name, number.into()));
    }
    let kind = "how many records, and bytes, of the page table are certainly on the disk";
    Ok(Inspection { kind, version: None, facts, records: None })
}

/// Tells damage like the libraries tell it.
fn damaged(path: &Path, byte: u64, what: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("`{}` is damaged at byte {byte}: {what}", path.display())
}

impl Inspection {
    fn as_json(&self, path: &Path, length: u64) -> Value {
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

    fn print(&self, path: &Path, length: u64) {
        let version = self.version.map(|version| format!(", format {version}")).unwrap_or_default();
        outln!("{}: {}{version}, {}", path.display(), self.kind, counted(length, "byte"));
        for (name, value) in &self.facts {
            match value {
                Value::Number(number) if number.is_u64() => {
                    outln!("{name}: {}", thousands(number.as_u64().unwrap_or(0)));
                }
                Value::String(text) => outln!("{name}: {}", one_line(text)),
                other => outln!("{name}: {other}"),
            }
        }
        if let Some(records) = &self.records {
            outln!("records: {}", thousands(records.count()));
            let print = |record: &ShownRecord| outln!("  byte {}: {}", record.byte, one_line(&record.text));
            records.first().iter().for_each(print);
            if records.left_out() > 0 {
                outln!("  … {} more …", thousands(records.left_out()));
            }
            records.last().for_each(print);
        }
    }
}
