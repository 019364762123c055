//! Texts in files, each readable by its number.
//!
//! A file is one document, or, as lines of JSON, many. A file of one document is looked into first: a page is read as text,
//! and what is no text is left out ([`FileContent`]), unless everything is to be compared as it is. One scan finds where lines begin; then a document is a place of
//! eight bytes, and its length is the way to the next. Which file a document is in is found by halving the list of files.
//! Blank lines are no documents.
//!
//! Cost: one pass over files of lines, a look at the beginning of others; in memory the paths, and eight bytes per document.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use build::import::{FileContent, InputFile, SNIFFED_BYTES, cannot_read};
use dedup::{DocumentReader, Documents, Unreadable};
use flate2::bufread::MultiGzDecoder;

use super::file_counts::FileCounts;
use super::file_kind::FileKind;
use super::json_line::{FieldNames, Line, read_line};
use super::left_out::{LeftOut, SourceError};
use super::spool::{spool_gzip, spool_parquet};
use crate::output::hinted;

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
#[derive(Debug, Clone)]
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

#[derive(Debug)]
struct LinesFile {
    /// The user's file, or its plain copy in the work folder. It is opened when it is read: there may be more files
    /// than may be open at once.
    path: PathBuf,
    bytes: u64,
    documents: u32,
    names: FieldNames,
    /// For each blank line, how many documents of this file stand before it.
    blanks: Vec<u32>,
    /// The lines are ours, not the user's.
    is_made_of_rows: bool,
}

impl TextSources {
    /// Finds the documents of files. Compressed and Parquet files are written out plainly in `work`.
    pub fn open(
        files: Vec<InputFile>,
        reading: &Reading,
        work: &Path,
        left_out: &mut LeftOut,
        mut see: impl FnMut(u64),
    ) -> anyhow::Result<Self> {
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
                Err(SourceError::Work(error)) => return Err(error),
                Err(SourceError::NotOpened(error)) if is_named => return Err(error),
                Err(SourceError::NotOpened(error) | SourceError::Broken(error)) => {
                    left_out.add(error);
                    // When it can be read one day, the documents are others, though the file is the same.
                    stamp.leave_out();
                    sources.places.truncate(first as usize);
                    continue;
                }
            };
            sources.count_file(&content);
            if !matches!(content, Content::Lines(_)) {
                sources.places.push(0);
            }
            sources.parts.push(Part { path, first, content });
            see(sources.places.len() as u64);
        }
        sources.documents_so_far()?;
        sources.stamp = stamp.text();
        Ok(sources)
    }

    fn content_of(
        &mut self,
        path: &Path,
        Reading { names, is_raw }: &Reading,
        spooled: &Path,
    ) -> Result<Content, SourceError> {
        let whole = |is_gzip| -> Result<Content, SourceError> {
            let content = if *is_raw { FileContent::Text } else { look_into(path, is_gzip)? };
            Ok(Content::Whole { is_gzip, content })
        };
        Ok(Content::Lines(match FileKind::of(path) {
            FileKind::Whole => return whole(false),
            FileKind::WholeGzip => return whole(true),
            FileKind::JsonLines => self.scan(path, names.clone(), false)?,
            FileKind::GzipJsonLines => {
                spool_gzip(path, spooled)?;
                self.scan(spooled, names.clone(), false)?
            }
            FileKind::Parquet => {
                spool_parquet(path, names, spooled)?;
                self.scan(spooled, FieldNames { text: "text".into(), id: "id".into() }, true)?
            }
        }))
    }

    fn count_file(&mut self, content: &Content) {
        let count = match content {
            Content::Whole { content: FileContent::Html | FileContent::Xhtml, .. } => &mut self.counts.html,
            Content::Whole { .. } => &mut self.counts.text,
            Content::Lines(LinesFile { is_made_of_rows: true, .. }) => &mut self.counts.parquet,
            Content::Lines(_) => &mut self.counts.json_lines,
        };
        *count += 1;
    }

    /// How many files hold what.
    pub fn file_counts(&self) -> FileCounts {
        self.counts
    }

    /// Some documents are rows of a table, of which only two columns are taken.
    pub fn have_rows(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(&part.content, Content::Lines(LinesFile { is_made_of_rows: true, .. })))
    }

    /// Changes when a file does: its path, length or date.
    pub fn stamp(&self) -> &str {
        &self.stamp
    }

    fn documents_so_far(&self) -> anyhow::Result<u32> {
        u32::try_from(self.places.len()).map_err(|_| {
            hinted(
                "there are more than 4,294,967,295 documents",
                "divide them into several runs, by their source",
            )
        })
    }

    /// Adds the places of all lines of a file.
    fn scan(
        &mut self,
        path: &Path,
        names: FieldNames,
        is_made_of_rows: bool,
    ) -> Result<LinesFile, SourceError> {
        let file =
            File::open(path).map_err(|error| SourceError::NotOpened(cannot_read(path, error).into()))?;
        let broken = |error: io::Error| SourceError::Broken(cannot_read(path, error).into());
        let (mut place, mut documents, mut blanks) = (0u64, 0u32, Vec::new());
        let mut lines = BufReader::with_capacity(1 << 18, file);
        if lines.fill_buf().map_err(broken)?.starts_with(BYTE_ORDER_MARK) {
            lines.consume(BYTE_ORDER_MARK.len());
            place += BYTE_ORDER_MARK.len() as u64;
        }
        loop {
            let (bytes, is_blank) = measure_line(&mut lines).map_err(broken)?;
            if bytes == 0 {
                break;
            }
            if is_blank {
                blanks.push(documents);
            } else {
                self.places.push(place);
                documents = documents.saturating_add(1);
            }
            place += bytes;
        }
        Ok(LinesFile { path: path.to_owned(), bytes: place, documents, names, blanks, is_made_of_rows })
    }

    fn part_of(&self, document: u32) -> &Part {
        // Files without a line begin where the next one does; the last that begins there has the document.
        let after = self.parts.partition_point(|part| part.first <= document);
        &self.parts[after - 1]
    }

    /// Reads a line from its file, without its end and the blank lines behind it.
    fn read_bytes(
        &self,
        document: u32,
        part: &Part,
        lines: &LinesFile,
        file: &File,
        line: &mut Vec<u8>,
    ) -> io::Result<()> {
        let start = self.places[document as usize];
        let is_last = document - part.first + 1 == lines.documents;
        let end = if is_last { lines.bytes } else { self.places[document as usize + 1] };
        line.clear();
        line.resize((end - start) as usize, 0);
        file.read_exact_at(line, start)?;
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        line.truncate(end);
        Ok(())
    }

    /// `FILE:LINE`
    fn place_name(&self, document: u32, part: &Part, lines: &LinesFile) -> Vec<u8> {
        let index = document - part.first;
        let blanks = lines.blanks.partition_point(|before| *before <= index);
        let mut name = part.path.as_os_str().as_encoded_bytes().to_vec();
        name.extend_from_slice(format!(":{}", u64::from(index) + blanks as u64 + 1).as_bytes());
        name
    }

    /// What a document is called.
    pub fn name(&self, document: u32) -> Vec<u8> {
        let part = self.part_of(document);
        let Content::Lines(lines) = &part.content else {
            return part.path.as_os_str().as_encoded_bytes().to_vec();
        };
        let mut line = Vec::new();
        let read =
            File::open(&lines.path).and_then(|file| self.read_bytes(document, part, lines, &file, &mut line));
        let id = read.ok().and_then(|()| read_line(&line, &lines.names, Vec::new()).ok()?.id);
        id.unwrap_or_else(|| self.place_name(document, part, lines))
    }

    /// Where a document stands: its file, and the line in it.
    pub fn place(&self, document: u32) -> Vec<u8> {
        let part = self.part_of(document);
        match &part.content {
            Content::Lines(lines) => self.place_name(document, part, lines),
            _ => part.path.as_os_str().as_encoded_bytes().to_vec(),
        }
    }

    /// The line that a document is, if it is one: the user's own, byte for byte, or the one that was made of a row.
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
fn look_into(path: &Path, is_gzip: bool) -> Result<FileContent, SourceError> {
    let file = File::open(path).map_err(|error| SourceError::NotOpened(cannot_read(path, error).into()))?;
    let mut start = Vec::with_capacity(SNIFFED_BYTES);
    if is_gzip {
        // Where it is damaged is told when it is read as a whole.
        let _ = MultiGzDecoder::new(BufReader::new(file)).take(SNIFFED_BYTES as u64).read_to_end(&mut start);
        return Ok(FileContent::of(&path.with_extension(""), &start));
    }
    let read = file.take(SNIFFED_BYTES as u64).read_to_end(&mut start);
    read.map_err(|error| SourceError::Broken(cannot_read(path, error).into()))?;
    Ok(FileContent::of(path, &start))
}

/// Some editors put it before the first line; it is no part of it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many bytes the next line has, its end included, and whether all of them are blank. The line is not kept: it may
/// be larger than the memory.
fn measure_line(lines: &mut impl BufRead) -> io::Result<(u64, bool)> {
    let (mut bytes, mut is_blank) = (0, true);
    loop {
        let buffer = match lines.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        let end = memchr::memchr(b'\n', buffer);
        let length = end.map_or(buffer.len(), |end| end + 1);
        // The first byte tells of nearly all lines that they are not blank.
        is_blank = is_blank && buffer[..length].iter().all(u8::is_ascii_whitespace);
        bytes += length as u64;
        lines.consume(length);
        if end.is_some() || length == 0 {
            return Ok((bytes, is_blank));
        }
    }
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
    /// The file of lines that was read last, and the number of its first document.
    open: Option<(u32, File)>,
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
            Some((first, file)) if first == part.first => Ok(file),
            _ => File::open(&lines.path),
        };
        let read = file.and_then(|file| {
            self.sources.read_bytes(document, part, lines, &file, &mut self.line)?;
            self.open = Some((part.first, file));
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

/// What tells one set of files from another, without reading them.
struct Stamp(xxhash_rust::xxh3::Xxh3);

impl Stamp {
    fn new(reading: &Reading) -> Self {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        hasher.update(format!("{reading:?}").as_bytes());
        Self(hasher)
    }

    fn add(&mut self, path: &Path) {
        let metadata = path.metadata().ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let nanoseconds =
            modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map(|since| since.as_nanos());
        let bytes = metadata.map(|metadata| metadata.len());
        self.0.update(path.as_os_str().as_encoded_bytes());
        self.0.update(format!("\0{bytes:?} {nanoseconds:?}\n").as_bytes());
    }

    fn leave_out(&mut self) {
        self.0.update(b"left out\n");
    }

    fn text(&self) -> String {
        format!("files {:032x}", self.0.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use build::import::InputFiles;

    /// The documents below a folder.
    fn open(folder: &Path, work: &Path, is_raw: bool) -> TextSources {
        let names = FieldNames { text: "text".into(), id: "id".into() };
        let found = InputFiles::find(&[folder.to_owned()], |_| false, |error| panic!("{error}")).unwrap();
        let reading = Reading { names, is_raw };
        TextSources::open(found.files, &reading, work, &mut LeftOut::default(), |_| {}).unwrap()
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
    fn a_line_is_measured_whatever_the_buffer() {
        let text = b"\n  \nab\n c";
        for capacity in 1..12 {
            let mut lines = BufReader::with_capacity(capacity, &text[..]);
            let measured: Vec<_> =
                std::iter::from_fn(|| Some(measure_line(&mut lines).unwrap())).take(5).collect();
            assert_eq!(measured, [(1, true), (3, true), (3, false), (2, false), (0, true)]);
        }
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
