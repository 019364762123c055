//! `crivello inspect`: what is in a file, as the crate of this name reads it.

mod address;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use inspect::{Inspection, ShownRecord};
use serde_json::Value;

use super::Context;
use crate::output::{Ending, counted, hinted, one_line, outln, thousands};

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

/// Runs the command.
pub fn run(context: Context, args: &InspectArgs) -> anyhow::Result<Ending> {
    let path = &args.file;
    if let Some(address) = &args.address {
        return address::look_up(context, path, address);
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
        let found = inspect::inspect_segment(path, args.term.as_deref(), args.block, args.records)?;
        (journal::folder_bytes(path)?, found)
    } else {
        let length = std::fs::metadata(path).with_context(|| path.display().to_string())?.len();
        (length, inspect::inspect(path, args.records)?)
    };
    context.print(&found.as_json(path, length), || print(&found, path, length))?;
    Ok(Ending::Done)
}

fn print(found: &Inspection, path: &Path, length: u64) {
    let version = found.version.map(|version| format!(", format {version}")).unwrap_or_default();
    outln!("{}: {}{version}, {}", path.display(), found.kind, counted(length, "byte"));
    for (name, value) in &found.facts {
        match value {
            Value::Number(number) if number.is_u64() => {
                outln!("{name}: {}", thousands(number.as_u64().unwrap_or(0)));
            }
            Value::String(text) => outln!("{name}: {}", one_line(text)),
            other => outln!("{name}: {other}"),
        }
    }
    if let Some(records) = &found.records {
        outln!("records: {}", thousands(records.count()));
        let print = |record: &ShownRecord| outln!("  byte {}: {}", record.byte, one_line(&record.text));
        records.first().iter().for_each(print);
        if records.left_out() > 0 {
            outln!("  … {} more …", thousands(records.left_out()));
        }
        records.last().for_each(print);
    }
}
