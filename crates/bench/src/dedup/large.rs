//! Ten million short documents, the beginnings of pages of the fake web, in a process of its own, whose memory the system counts.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

use lab::{FakeWeb, LabConfig};
use page::thousands;

use super::texts::page_text;
use crate::process::json_of;
use crate::{Error, Row};

const MEMORY_MAX_MIB: f64 = 1024.0;
/// Of a page's text, cut at a space.
const DOCUMENT_BYTES_MAX: usize = 400;
/// Pages that one thread makes before it writes them.
const BLOCK: u32 = 1024;

/// Makes the documents, has our program deduplicate them with the default options, and compares memory and groups with what is right.
pub fn rows(documents: u32, program: &Path) -> Result<Vec<Row>, Error> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("documents.jsonl");
    write_documents(&path, documents)?;
    let bytes = path.metadata()?.len();
    let mut command = Command::new(program);
    command.args(["--json", "--quiet", "dedup"]).arg(&path).env("TMPDIR", folder.path());
    let report = json_of(&mut command)?;
    let number = |key: &str| report[key].as_f64().unwrap_or(f64::NAN);
    let name = format!("{} short documents", thousands(documents.into()));
    Ok(vec![
        Row::absolute(
            format!("{name}: peak memory"),
            "MiB",
            number("peak_memory_bytes") / f64::from(1 << 20),
            MEMORY_MAX_MIB,
        ),
        Row::informative(
            format!("{name}: all stages"),
            "CPU s per GB",
            number("cpu_seconds") / (bytes as f64 / 1e9),
        ),
        Row::informative(format!("{name}: copies found"), "documents", number("copies")),
    ])
}

/// One page a line, made by all cores.
fn write_documents(path: &Path, documents: u32) -> Result<(), Error> {
    let web = FakeWeb::new(LabConfig {
        pages: documents,
        hosts: (documents / 1000).max(1),
        ..LabConfig::default()
    });
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    for first in (0..documents).step_by((BLOCK * threads) as usize) {
        let block = |thread: u32| {
            let start = (first + thread * BLOCK).min(documents);
            (start..(start + BLOCK).min(documents)).map(|page| line(&web, page)).collect::<String>()
        };
        std::thread::scope(|scope| {
            let blocks: Vec<_> = (0..threads).map(|thread| scope.spawn(move || block(thread))).collect();
            blocks
                .into_iter()
                .try_for_each(|block| file.write_all(block.join().expect("pages can be made").as_bytes()))
        })?;
    }
    Ok(file.flush()?)
}

fn line(web: &FakeWeb, page: u32) -> String {
    let text = page_text(web, page);
    let end = text.floor_char_boundary(DOCUMENT_BYTES_MAX);
    let end = if end < text.len() { text[..end].rfind(' ').unwrap_or(end) } else { end };
    format!("{}\n", serde_json::json!({ "id": page, "text": &text[..end] }))
}
