//! Files of lines: each is a record, and whoever cannot be understood is named by its number.

use std::path::Path;

use crate::Error;

/// So much of a line is shown when it is wrong.
const SHOWN_CHARS_MAX: usize = 80;

/// Reads a file and what it holds; an error names the file.
pub(crate) fn read<T>(path: &Path, parse: impl FnOnce(&str) -> Result<T, Error>) -> Result<T, Error> {
    // Names of documents are compared byte by byte, and what is not UTF-8 stays different from what is.
    let text = String::from_utf8_lossy(&fs_err::read(path)?).into_owned();
    parse(&text).map_err(|error| Error::File { path: path.to_owned(), error: Box::new(error) })
}

/// Gives each line that is not empty, with its number, until one is refused.
pub(crate) fn each<'t>(
    text: &'t str,
    expected: &'static str,
    mut take: impl FnMut(usize, &'t str) -> Option<()>,
) -> Result<(), Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut is_empty = true;
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        is_empty = false;
        take(number, line).ok_or_else(|| Error::Line {
            line: number,
            expected,
            text: line.chars().take(SHOWN_CHARS_MAX).collect(),
        })?;
    }
    if is_empty { Err(Error::Empty) } else { Ok(()) }
}
