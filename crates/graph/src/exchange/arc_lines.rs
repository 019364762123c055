//! Lists of arcs as people have them: an arc a line, plain or gzipped.
//!
//! The ends of an arc are separated by tabs; in a line without a tab by spaces, or by a comma or semicolon. So names may
//! contain spaces if there are tabs. Spaces around an end, carriage returns and a byte order mark do not count; empty lines
//! and lines that start with `#` or `%` are skipped.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use fs_err::File;

use crate::Error;

/// A longer line is no arc.
const LINE_BYTES_MAX: usize = 1 << 20;

const SEPARATORS: [char; 2] = [',', ';'];

/// One arc.
pub(super) struct ArcLine<'a> {
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    /// There are more columns.
    pub(super) has_more: bool,
    /// The number of the line, from one.
    pub(super) line: u64,
}

/// Shows all arcs of a file.
pub(super) fn for_each_arc(
    path: &Path,
    mut see: impl FnMut(ArcLine) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut lines = open(path)?;
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let mut limited = (&mut lines).take(LINE_BYTES_MAX as u64);
        if limited.read_until(b'\n', &mut text).map_err(named(path))? == 0 {
            break;
        }
        let wrong = |reason: &str| Error::Line { path: path.to_owned(), line, reason: reason.to_owned() };
        if text.len() == LINE_BYTES_MAX {
            return Err(wrong("it has a megabyte or more, and an arc is short"));
        }
        let text = std::str::from_utf8(&text).map_err(|_| wrong("it is not text"))?;
        let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text }.trim();
        if line == 1 && text.starts_with("%%MatrixMarket") {
            return Err(wrong("a MatrixMarket file has a line of sizes, which would be taken for an arc"));
        }
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let (source, target, has_more) = ends(text).ok_or_else(|| wrong("an arc has two ends"))?;
        see(ArcLine { source, target, has_more, line })?;
    }
    Ok(())
}

/// What a decompressor says does not name the file.
fn named(path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("cannot read `{}`: {error}", path.display()))
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let is_gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    if is_gzip { Ok(Box::new(BufReader::new(MultiGzDecoder::new(file)))) } else { Ok(Box::new(file)) }
}

/// The ends of an arc, and whether something follows them.
fn ends(text: &str) -> Option<(&str, &str, bool)> {
    if text.contains('\t') {
        return first_two(text.split('\t').map(str::trim));
    }
    let is_separated = text.contains(SEPARATORS) && {
        // Addresses contain commas too, but none stands at their ends.
        let mut words = text.split_whitespace();
        words.clone().count() == 1
            || words.any(|word| word.starts_with(SEPARATORS) || word.ends_with(SEPARATORS))
    };
    if is_separated {
        first_two(text.split(SEPARATORS).map(str::trim))
    } else {
        first_two(text.split_whitespace())
    }
}

fn first_two<'a>(columns: impl Iterator<Item = &'a str>) -> Option<(&'a str, &'a str, bool)> {
    let mut columns = columns.filter(|column| !column.is_empty());
    Some((columns.next()?, columns.next()?, columns.next().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_apart_by_tabs_spaces_or_commas() {
        for (line, expected) in [
            ("1\t2", Some(("1", "2", false))),
            ("1 2", Some(("1", "2", false))),
            ("1   2   0.5", Some(("1", "2", true))),
            ("New York\tLos Angeles", Some(("New York", "Los Angeles", false))),
            ("1\t\t2", Some(("1", "2", false))),
            ("1,2", Some(("1", "2", false))),
            ("1, 2", Some(("1", "2", false))),
            ("1 ,2,7", Some(("1", "2", true))),
            ("1;2", Some(("1", "2", false))),
            ("New York, Boston", Some(("New York", "Boston", false))),
            ("http://a/x,y http://b/", Some(("http://a/x,y", "http://b/", false))),
            ("é ü", Some(("é", "ü", false))),
            ("1", None),
            ("1,", None),
            (",", None),
        ] {
            assert_eq!(ends(line), expected, "{line}");
        }
    }
}
