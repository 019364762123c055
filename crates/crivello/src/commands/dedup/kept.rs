//! Writes what is left when copies go: a line of JSON per document.
//!
//! The user's own lines are written as they are, byte for byte; other documents, also rows of Parquet files, as
//! `{"id":…,"text":…}`. The file appears
//! under its name when it is complete.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use dedup::Documents;
use input::TextSources;
use serde_json::json;

use super::names;
use crate::output::json_for_terminal;

/// Recognises `-`, which means standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes the documents for which `is_kept` holds. Says how many were written; files that cannot be read are left out.
pub fn write_kept(path: &Path, sources: &TextSources, is_kept: impl Fn(u32) -> bool) -> anyhow::Result<u64> {
    let name = || path.display().to_string();
    if is_stdout(path) {
        let mut out = BufWriter::new(std::io::stdout().lock());
        return write_lines(&mut out, sources, is_kept);
    }
    if path.exists() && !path.is_file() {
        // A pipe or a device cannot be replaced.
        let mut out = BufWriter::new(File::create(path).with_context(name)?);
        return write_lines(&mut out, sources, is_kept).with_context(name);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = tempfile::Builder::new()
        .prefix(".crivello-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .tempfile_in(folder)
        .with_context(name)?;
    let mut out = BufWriter::new(temporary);
    let written = write_lines(&mut out, sources, is_kept).with_context(name)?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.persist(path).with_context(name)?;
    Ok(written)
}

fn write_lines(
    out: &mut impl Write,
    sources: &TextSources,
    is_kept: impl Fn(u32) -> bool,
) -> anyhow::Result<u64> {
    let mut reader = sources.reader();
    let (mut line, mut written) = (Vec::new(), 0);
    for document in (0..sources.count()).filter(|document| is_kept(*document)) {
        if sources.whole_line(document, &mut line)? {
            out.write_all(&line)?;
        } else if reader.read(document, &mut line).is_ok() {
            let id = names::for_json(&sources.name(document));
            let object = json!({ "id": id, "text": String::from_utf8_lossy(&line) }).to_string();
            out.write_all(json_for_terminal(&object).as_bytes())?;
        } else {
            continue;
        }
        out.write_all(b"\n")?;
        written += 1;
    }
    out.flush()?;
    Ok(written)
}
