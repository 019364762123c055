//! Texts in files, each readable by its number.
//!
//! A file is one document, or, as lines of JSON, many. A file of one document is looked into first: a page is read as text,
//! and what is no text is left out ([`FileContent`]), unless everything is to be compared as it is. One scan finds where lines begin; then a document is a place of
//! eight bytes, and its length is the way to the next. Which file a document is in is found by halving the list of files.
//! Blank lines are no documents.
//!
//! Cost: one pass over files of lines, a look at the beginning of others; in memory the paths, and eight bytes per document.

mod file_counts;
mod file_kind;
mod json_line;
mod lines_file;
mod spool;
mod stamp;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use dedup::{DocumentReader, Documents, Unreadable};
use flate2::bufread::MultiGzDecoder;

pub use self::file_counts::FileCounts;
use self::file_kind::FileKind;
pub use self::json_line::FieldNames;
use self::json_line::{Line, read_line};
use self::lines_file::LinesFile;
use self::spool::{spool_gzip, spool_parquet};
use self::stamp::Stamp;
use crate::{Error, FileContent, InputFile, SNIFFED_BYTES};

/// All documents of some files.
#[derive(Debug)]
pub struct TextSources {
    parts: Vec<Part>,
    /// Where each document begins in its file.
    places: Vec<u64>,
    /// Changes when a file does.
    stamp: String,
    /// What the files hold.
    counts: FileCounts,
}

/// How files are read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The fields of JSON lines and columns of Parquet files.
    pub names: FieldNames,
    /// Files of one document are taken byte for byte, whatever they hold.
    pub is_raw: bool,
}

/// The documents of one file.
#[derive(Debug)]
struct Part {
    /// The file that the user gave.
    path: PathBuf,
    first: u32,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// One document.
    Whole {
        is_gzip: bool,
        content: FileContent,
    },
    Lines(LinesFile),
}

/// Why the documents of a file are not there.
#[derive(Debug)]
enum Failure {
    /// The file cannot be opened.
    NotOpened(Error),
    /// What is in it is not what its name says.
    Broken(Error),
    /// The work folder cannot be written: nothing to do with the file.
    Work(Error),
}

impl Failure {
    fn open(path: &Path) -> Result<File, Self> {
        File::open(path).map_err(|error| Self::NotOpened(Error::unreadable(path, error)))
    }
}

impl TextSources {
    /// Finds the documents of files. Compressed and Parquet files are written out plainly in `work`. A file that cannot be
    /// read is given to `left_out`, unless the user named it and it cannot even be opened; how many documents there are
    /// is told to `see` after each file.
    pub fn open(
        files: Vec<InputFile>,
        reading: &Reading,
        work: &Path,
        left_out: &mut dyn FnMut(Error),
        see: &mut dyn FnMut(u64),
    ) -> Result<Self, Error> {
        let counts = FileCounts::default();
        let mut sources = Self { parts: Vec::new(), places: Vec::new(), stamp: String::new(), counts };
        let mut stamp = Stamp::new(reading);
        for (number, InputFile { path, is_named, .. }) in files.into_iter().enumerate() {
            stamp.add(&path);
            let first = sources.documents_so_far()?;
            let spooled = work.join(format!("spool-{number:06}"));
            let content = match sources.content_of(&path, reading, &spooled) {
                Ok(Content::Whole { content: FileContent::NoText, .. }) => {
                    sources.counts.no_text += 1;
                    continue;
                }
                Ok(content) => content,
                Err(Failure::Work(error)) => return Err(error),
                Err(Failure::NotOpened(error)) if is_named => return Err(error),
                Err(Failure::NotOpened(error) | Failure::Broken(error)) => {
                    left_out(error);
                    // When it can be read one day, the documents are others, though the file is the same.
                    stamp.leave_out();
                    sources.places.truncate(first as usize);
                    continue;
                }
            };
            sources.add(Part { path, first, content });
            see(sources.places.len() as u64);
        }
        sources.documents_so_far()?;
        sources.stamp = stamp.text();
        Ok(sources)
    }

    /// Reads what a file holds; the places of lines are added to ours.
    fn content_of(
        &mut self,
        path: &Path,
        Reading { names, is_raw }: &Reading,
        spooled: &Path,
    ) -> Result<Content, Failure> {
        let whole = |is_gzip| -> Result<Content, Failure> {
            let content = if *is_raw { FileContent::Text } else { look_into(path, is_gzip)? };
            Ok(Content::Whole { is_gzip, content })
        };
        let places = &mut self.places;
        Ok(Content::Lines(match FileKind::of(path) {
            FileKind::Whole => return whole(false),
            FileKind::WholeGzip => return whole(true),
            FileKind::JsonLines => LinesFile::scan(path, names.clone(), false, places)?,
            FileKind::GzipJsonLines => {
                spool_gzip(path, spooled)?;
                LinesFile::scan(spooled, names.clone(), false, places)?
            }
            FileKind::Parquet => {
                spool_parquet(path, names, spooled)?;
                LinesFile::scan(spooled, FieldNames::default(), true, places)?
            }
        }))
    }

    fn add(&mut self, part: Part) {
        let count = match &part.content {
            Content::Whole { content: FileContent::Html | FileContent::Xhtml, .. } => &mut self.counts.html,
            Content::Whole { .. } => &mut self.counts.text,
            Content::Lines(lines) if lines.is_made_of_rows => &mut self.counts.parquet,
            Content::Lines(_) => &mut self.counts.json_lines,
        };
        *count += 1;
        if matches!(part.content, Content::Whole { .. }) {
            self.places.push(0);
        }
        self.parts.push(part);
    }

    /// Counts files by what they hold.
    pub fn file_counts(&self) -> FileCounts {
        self.counts
    }

    /// Says whether some documents are rows of a table, of which only two columns are taken.
    pub fn have_rows(&self) -> bool {
        self.parts.iter().any(|part| matches!(&part.content, Content::Lines(lines) if lines.is_made_of_rows))
    }

    /// Gives what changes when a file does: its path, length or date.
    pub fn stamp(&self) -> &str {
        &self.stamp
    }

    fn documents_so_far(&self) -> Result<u32, Error> {
        u32::try_from(self.places.len()).map_err(|_| Error::TooMany)
    }

    fn part_of(&self, document: u32) -> &Part {
        // Files without a line begin where the next one does; the last that begins there has the document.
        let after = self.parts.partition_point(|part| part.first <= document);
        &self.parts[after - 1]
    }

    /// Reads the line of a document from its file.
    fn read_bytes(
        &self,
        document: u32,
        part: &Part,
        lines: &LinesFile,
        file: &File,
        line: &mut Vec<u8>,
    ) -> io::Result<()> {
        lines.read(document - part.first, &self.places[part.first as usize..], file, line)
    }

    /// Says what a document is called.
    pub fn name(&self, document: u32) -> Vec<u8> {
        let part = self.part_of(document);
        let Content::Lines(lines) = &part.content else {
            return self.place(document);
        };
        let mut line = Vec::new();
        let read =
            File::open(&lines.path).and_then(|file| self.read_bytes(document, part, lines, &file, &mut line));
        let id = read.ok().and_then(|()| read_line(&line, &lines.names, Vec::new()).ok()?.id);
        id.unwrap_or_else(|| self.place(document))
    }

    /// Says where a document stands: its file, and the line in it (`FILE:LINE`).
    pub fn place(&self, document: u32) -> Vec<u8> {
        let part = self.part_of(document);
        let mut name = part.path.as_os_str().as_encoded_bytes().to_vec();
        if let Content::Lines(lines) = &part.content {
            let number = lines.line_number(document - part.first);
            name.extend_from_slice(format!(":{number}").as_bytes());
        }
        name
    }

    /// Reads the line that a document is, if it is one: the user's own, byte for byte, or the one that was made of a row.
    pub fn whole_line(&self, document: u32, line: &mut Vec<u8>) -> io::Result<bool> {
        let part = self.part_of(document);
        match &part.content {
            Content::Lines(lines) => {
                self.read_bytes(document, part, lines, &File::open(&lines.path)?, line)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// What the one document of a file is.
fn look_into(path: &Path, is_gzip: bool) -> Result<FileContent, Failure> {
    let file = Failure::open(path)?;
    let mut start = Vec::with_capacity(SNIFFED_BYTES);
    if is_gzip {
        // Where it is damaged is told when it is read as a whole.
        let _ = MultiGzDecoder::new(BufReader::new(file)).take(SNIFFED_BYTES as u64).read_to_end(&mut start);
        return Ok(FileContent::of(&path.with_extension(""), &start));
    }
    let read = file.take(SNIFFED_BYTES as u64).read_to_end(&mut start);
    read.map_err(|error| Failure::Broken(Error::unreadable(path, error)))?;
    Ok(FileContent::of(path, &start))
}

impl Documents for TextSources {
    fn count(&self) -> u32 {
        self.places.len() as u32
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(SourceReader { sources: self, line: Vec::new(), open: None })
    }
}

struct SourceReader<'s> {
    sources: &'s TextSources,
    line: Vec<u8>,
    open: Option<OpenFile>,
}

/// The file of lines that was read last.
struct OpenFile {
    /// The number of its first document.
    first: u32,
    file: File,
}

/// A buffer that one huge document has blown up is given back.
const KEPT_BYTES_MAX: usize = 16 << 20;

impl DocumentReader for SourceReader<'_> {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        let part = self.sources.part_of(document);
        text.clear();
        let (is_gzip, content) = match &part.content {
            Content::Whole { is_gzip, content } => (*is_gzip, *content),
            Content::Lines(lines) => return self.read_line(document, part, lines, text),
        };
        let read = File::open(&part.path).and_then(|mut file| match is_gzip {
            true => MultiGzDecoder::new(BufReader::new(file)).read_to_end(text),
            false => file.read_to_end(text),
        });
        read.map_err(|error| Unreadable(error.to_string()))?;
        content.make_text(text);
        Ok(())
    }
}

impl SourceReader<'_> {
    fn read_line(
        &mut self,
        document: u32,
        part: &Part,
        lines: &LinesFile,
        text: &mut Vec<u8>,
    ) -> Result<(), Unreadable> {
        let file = match self.open.take() {
            Some(open) if open.first == part.first => Ok(open.file),
            _ => File::open(&lines.path),
        };
        let read = file.and_then(|file| {
            self.sources.read_bytes(document, part, lines, &file, &mut self.line)?;
            self.open = Some(OpenFile { first: part.first, file });
            Ok(())
        });
        read.map_err(|error| Unreadable(error.to_string()))?;
        let parsed = read_line(&self.line, &lines.names, std::mem::take(text));
        if self.line.capacity() > KEPT_BYTES_MAX {
            self.line = Vec::new();
        }
        match parsed {
            Ok(Line { text: Some(found), .. }) => {
                *text = found;
                Ok(())
            }
            Ok(_) => Err(Unreadable(format!("there is no text in the field `{}`", lines.names.text))),
            Err(error) => Err(Unreadable(format!("not a line of JSON: {error}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputFiles;

    /// The documents below a folder.
    fn open(folder: &Path, work: &Path, is_raw: bool) -> TextSources {
        let found = InputFiles::find(&[folder.to_owned()], |_| false, |error| panic!("{error}")).unwrap();
        let reading = Reading { is_raw, ..Reading::default() };
        TextSources::open(found.files, &reading, work, &mut |error| panic!("{error}"), &mut |_| {}).unwrap()
    }

    /// Names and texts of all documents, read from the last to the first.
    fn all(sources: &TextSources) -> Vec<(String, String)> {
        let mut reader = sources.reader();
        let mut found: Vec<_> = (0..sources.count())
            .rev()
            .map(|document| {
                let mut text = b"left over".to_vec();
                let read = reader.read(document, &mut text);
                let text =
                    read.map_or_else(|why| format!("error: {why}"), |()| String::from_utf8(text).unwrap());
                (String::from_utf8(sources.name(document)).unwrap(), text)
            })
            .collect();
        found.reverse();
        found
    }

    #[test]
    fn documents_are_found_wherever_they_stand() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("a.txt", "one\n");
        write("b.jsonl", "\n  \n{\"id\":\"x\",\"text\":\"two\"}\n\n{\"text\":\"three\"}\r\n\n");
        write("c.jsonl", "");
        write("d.jsonl", "\n{\"text\":\"four\",\"id\":4}");
        write("e.json", "{\"text\":5}\nwords\n{\"id\":1}");
        write("f", "");
        let work = tempfile::tempdir().unwrap();
        let sources = open(dir.path(), work.path(), false);
        let found = all(&sources);
        let place = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
        let expected_names = [
            place("a.txt"),
            "x".into(),
            place("b.jsonl:5"),
            "4".into(),
            place("e.json:1"),
            place("e.json:2"),
            "1".into(),
            place("f"),
        ];
        assert_eq!(found.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), expected_names);
        let texts: Vec<_> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts[..4], ["one\n", "two", "three", "four"]);
        assert_eq!(texts[4], "error: there is no text in the field `text`");
        assert!(texts[5].starts_with("error: not a line of JSON"), "{}", texts[5]);
        assert_eq!(texts[6..], ["error: there is no text in the field `text`", ""]);
        let mut line = Vec::new();
        assert!(!sources.whole_line(0, &mut line).unwrap());
        assert!(sources.whole_line(2, &mut line).unwrap());
        assert_eq!(line, b"{\"text\":\"three\"}\r", "byte for byte");
    }

    #[test]
    fn another_file_is_another_stamp() {
        let dir = tempfile::tempdir().unwrap();
        let work = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.txt");
        let stamp = |is_raw| open(dir.path(), work.path(), is_raw).stamp().to_owned();
        std::fs::write(&file, "one").unwrap();
        let first = stamp(false);
        assert_eq!(first, stamp(false));
        assert_ne!(first, stamp(true), "the same file read otherwise");
        std::fs::write(&file, "three").unwrap();
        assert_ne!(first, stamp(false));
    }
}
