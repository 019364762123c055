//! What became of the files that were met.

use page::{counted, thousands};
use serde::Serialize;

/// How many files were read, by what they hold, and how many were not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct FileCounts {
    /// Pages, read as text.
    pub html: u64,
    /// One document each, as it is.
    pub text: u64,
    /// Files of lines with a document each.
    pub json_lines: u64,
    /// Tables with a document in each row.
    pub parquet: u64,
    /// Images, fonts, archives and the like.
    pub no_text: u64,
    /// Symbolic links in folders.
    pub links: u64,
    /// Files that were met again.
    pub repeated: u64,
}

impl FileCounts {
    /// Tells people: `read 12 files: 10 HTML, 2 text; left out 3 that are no text and 5 links`.
    pub fn sentence(&self) -> String {
        let read = self.html + self.text + self.json_lines + self.parquet;
        let kinds = named(&[
            (self.html, "HTML"),
            (self.text, "text"),
            (self.json_lines, "JSON lines"),
            (self.parquet, "Parquet"),
        ]);
        let left_out = named(&[
            (self.no_text, if self.no_text == 1 { "that is no text" } else { "that are no text" }),
            (self.links, if self.links == 1 { "symbolic link" } else { "symbolic links" }),
            (self.repeated, "met twice"),
        ]);
        let mut text = format!("read {}", counted(read, "file"));
        if read > 0 {
            text += &format!(": {kinds}");
        }
        if !left_out.is_empty() {
            text += &format!("; left out {left_out}");
        }
        text
    }
}

/// The counts that are not zero, with their names.
fn named(counts: &[(u64, &str)]) -> String {
    let there = counts.iter().filter(|(count, _)| *count > 0);
    there.map(|(count, name)| format!("{} {name}", thousands(*count))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_there_is_is_said() {
        let none = FileCounts::default();
        let rows = [
            (none, "read 0 files"),
            (FileCounts { text: 1, ..none }, "read 1 file: 1 text"),
            (
                FileCounts { html: 1180, text: 24, no_text: 310, links: 1870, ..none },
                "read 1,204 files: 1,180 HTML, 24 text; left out 310 that are no text, 1,870 symbolic links",
            ),
            (
                FileCounts { json_lines: 2, parquet: 1, no_text: 1, links: 1, repeated: 3, ..none },
                "read 3 files: 2 JSON lines, 1 Parquet; left out 1 that is no text, 1 symbolic link, 3 met twice",
            ),
        ];
        for (counts, expected) in rows {
            assert_eq!(counts.sentence(), expected);
        }
    }
}
