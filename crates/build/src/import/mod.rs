//! Pages that come from files: each is stored like one that was fetched.

mod file_content;
mod input_files;

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use dedup::{CopyMarks, TextPrinter};
use page::{Clock, ContentType, PageUrl};
use serde::{Deserialize, Serialize};
use store::{Collection, NewPage, PageRecord, RecordKind, StoreReader, StoreWriter, WarcRecordBuilder};

pub use self::file_content::{FileContent, SNIFFED_BYTES};
pub use self::input_files::{InputFile, InputFiles, cannot_read, is_same};
use crate::{Error, Notice, Progress, Watcher, Work};

/// A page larger than this is not taken in.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Memory for recognising copies; what does not fit goes to disk.
const COPIES_BYTES: usize = 32 << 20;

/// What an import came to.
#[derive(Debug, Default, Serialize)]
pub struct ImportSummary {
    /// Pages that were stored.
    pub imported: u64,
    /// Pages whose address the collection has already.
    pub already_there: u64,
    /// Files, lines and folders that could not be read.
    pub failed: u64,
    /// Files that are called pages and hold no text.
    pub no_text: u64,
    /// Symbolic links in folders.
    pub links: u64,
    /// Files that were met again.
    pub repeated: u64,
}

/// Finds the files that some paths mean, for a collection in `dir`, which may lie among them.
pub fn find_files(dir: &Path, paths: &[PathBuf], watcher: &dyn Watcher) -> Result<InputFiles, Error> {
    let ours = dir.canonicalize().ok();
    let is_ours = |path: &Path| ours.as_ref().is_some_and(|ours| is_same(path, ours));
    InputFiles::find(paths, is_ours, |error| watcher.tell(Notice::Failed(&error)))
}

/// Takes in the files that were found below these paths.
pub fn import(
    collection: &Collection,
    found: &InputFiles,
    paths: &[PathBuf],
    base: PageUrl,
    clock: &dyn Clock,
    watcher: &dyn Watcher,
) -> Result<ImportSummary, Error> {
    let mut importer = Importer::new(collection, base, clock, watcher)?;
    for file in &found.files {
        importer.take(file, &paths[file.root]);
    }
    let summary = importer.finish()?;
    let failed = summary.failed + found.unreadable;
    Ok(ImportSummary { failed, links: found.links, repeated: found.repeated, ..summary })
}

/// Why a file or a line is not taken in. The others are.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("nobody knows how to read it: .html, .htm, .xhtml, .txt, .md or .jsonl is expected")]
    Kind,
    #[error("larger than {}", page::format_bytes(FILE_BYTES_MAX))]
    FileTooLarge,
    #[error("longer than {}", page::format_bytes(FILE_BYTES_MAX))]
    LineTooLong,
    #[error("not a JSON object with `text` or `html`: {0}")]
    Json(serde_json::Error),
    #[error("neither `text` nor `html`")]
    Empty,
    #[error("`{text}`: {error}")]
    Address { text: String, error: page::UrlError },
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Marks(#[from] dedup::hamming::Error),
}

struct Importer<'w> {
    clock: &'w dyn Clock,
    watcher: &'w dyn Watcher,
    base: PageUrl,
    store: StoreWriter,
    known: HashSet<u64>,
    copies: CopyMarks,
    printer: TextPrinter,
    warc: WarcRecordBuilder,
    summary: ImportSummary,
}

/// A line of a JSON-lines file.
#[derive(Debug, Deserialize)]
struct JsonPage {
    url: Option<String>,
    id: Option<serde_json::Value>,
    title: Option<String>,
    text: Option<String>,
    html: Option<String>,
}

impl<'w> Importer<'w> {
    fn new(
        collection: &Collection,
        base: PageUrl,
        clock: &'w dyn Clock,
        watcher: &'w dyn Watcher,
    ) -> Result<Self, Error> {
        let (store, _) = StoreWriter::open(collection)?;
        let mut known = HashSet::new();
        let folder = collection.part("dedup")?.join("watch");
        let (mut copies, mut count) = (CopyMarks::new(&folder, COPIES_BYTES)?, 0);
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((_, record)) = pages.next()? {
            copies.see(count, &record.url, record.print)?;
            count += 1;
            if record.is_page() {
                known.insert(record.url.fingerprint());
            }
        }
        let (warc, summary) = (WarcRecordBuilder::new(6), ImportSummary::default());
        Ok(Self {
            clock,
            watcher,
            base,
            store,
            known,
            copies,
            printer: TextPrinter::default(),
            warc,
            summary,
        })
    }

    /// Takes a file; its address is relative to `root`.
    fn take(&mut self, file: &InputFile, root: &Path) {
        let path = &file.path;
        let taken = match FileKind::of(path) {
            Some(FileKind::JsonLines) => self.take_json_lines(path),
            Some(FileKind::Page(content_type)) => self.take_file(path, root, content_type),
            None if file.is_named => Err(Refused::Kind),
            None => Ok(()),
        };
        // One bad file does not stop the others.
        if let Err(error) = taken {
            self.tell(&path.display().to_string(), &error);
        }
        self.show();
    }

    fn tell(&mut self, what: &str, why: &Refused) {
        self.watcher.tell(Notice::Unreadable { what, why });
        self.summary.failed += 1;
    }

    fn show(&self) {
        let counted = self.summary.imported;
        self.watcher.progress(Progress { work: Work::Importing, done: 0, total: None, counted, detail: "" });
    }

    fn take_file(&mut self, path: &Path, root: &Path, content_type: &str) -> Result<(), Refused> {
        if path.metadata()?.len() > FILE_BYTES_MAX {
            return Err(Refused::FileTooLarge);
        }
        let url = self.address(&name_within(path, root)?)?;
        let content = std::fs::read(path)?;
        if FileContent::of(path, &content[..content.len().min(SNIFFED_BYTES)]) == FileContent::NoText {
            self.summary.no_text += 1;
            return Ok(());
        }
        self.add(url, content_type, &content)
    }

    fn take_json_lines(&mut self, path: &Path) -> Result<(), Refused> {
        let mut file = BufReader::new(std::fs::File::open(path)?);
        let name = path.file_stem().unwrap_or_default().to_owned();
        let (mut line, mut number) = (Vec::new(), 0);
        while read_line(&mut file, &mut line)? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            if let Err(error) = self.take_json_line(&line, &Path::new(&name).join(format!("line-{number}"))) {
                self.tell(&format!("{}:{number}", path.display()), &error);
            }
            self.show();
        }
        Ok(())
    }

    /// Takes one line; `name` is what it is called if it does not say so itself.
    fn take_json_line(&mut self, line: &[u8], name: &Path) -> Result<(), Refused> {
        if line.len() as u64 > FILE_BYTES_MAX {
            return Err(Refused::LineTooLong);
        }
        let page: JsonPage = serde_json::from_slice(line).map_err(Refused::Json)?;
        let url = match (&page.url, &page.id) {
            (Some(url), _) => {
                PageUrl::parse(url).map_err(|error| Refused::Address { text: url.clone(), error })?
            }
            (None, Some(serde_json::Value::String(id))) => self.address(Path::new(id))?,
            (None, Some(id)) => self.address(Path::new(&id.to_string()))?,
            (None, None) => self.address(name)?,
        };
        match (&page.html, &page.text) {
            (Some(html), _) => self.add(url, "text/html; charset=utf-8", html.as_bytes()),
            (None, Some(text)) => {
                self.add(url, "text/html; charset=utf-8", as_html(page.title.as_deref(), text).as_bytes())
            }
            (None, None) => Err(Refused::Empty),
        }
    }

    /// The address of what is called so.
    fn address(&self, name: &Path) -> Result<PageUrl, Refused> {
        let text = escape_path(name);
        self.base.join(&text).map_err(|error| Refused::Address { text, error })
    }

    fn add(&mut self, url: PageUrl, content_type: &str, body: &[u8]) -> Result<(), Refused> {
        if !self.known.insert(url.fingerprint()) {
            self.summary.already_there += 1;
            return Ok(());
        }
        let now = self.clock.now();
        let document = parse::parse_page(&url, ContentType(content_type), body);
        let mut record = PageRecord::new(RecordKind::Imported, url, now);
        record.flags.noindex = document.noindex;
        record.print = self.printer.print(&document.text);
        let mut page = NewPage::imported(record, content_type, body, &document.links, &mut self.warc);
        if let Some(copy) =
            self.copies.see(self.store.record_count(), &page.record().url, page.record().print)?
        {
            page.mark_copy(copy);
        }
        self.store.append(page, now)?;
        if self.store.buffered_bytes() > 4 << 20 {
            self.store.flush()?;
        }
        self.summary.imported += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<ImportSummary, Error> {
        self.store.flush_for_sync()?.sync()?;
        Ok(self.summary)
    }
}

/// Reads the next line. Of one that is too long so much is kept that it can be told. `false` at the end of the file.
fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let taken = file.by_ref().take(FILE_BYTES_MAX + 1).read_until(b'\n', line)? as u64;
    if taken > FILE_BYTES_MAX && line.last() != Some(&b'\n') {
        file.skip_until(b'\n')?;
    }
    Ok(taken > 0)
}

enum FileKind {
    JsonLines,
    Page(&'static str),
}

impl FileKind {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Self::Page("text/html")),
            "xhtml" => Some(Self::Page("application/xhtml+xml")),
            "txt" => Some(Self::Page("text/plain")),
            "md" => Some(Self::Page("text/markdown")),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// What a file is called: the name of the folder that the user gave, and the path within.
fn name_within(path: &Path, root: &Path) -> std::io::Result<PathBuf> {
    let name = root.canonicalize()?.file_name().map(PathBuf::from).unwrap_or_default();
    Ok(if path == root { name } else { name.join(path.strip_prefix(root).unwrap_or(path)) })
}

/// A path as a relative reference: what has a meaning in addresses is escaped, slashes stay.
fn escape_path(path: &Path) -> String {
    let mut text = String::from("./");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                text.push(*byte as char)
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

/// Title and text as a page, so that what was imported can be read like everything else.
fn as_html(title: Option<&str>, text: &str) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let paragraphs: String = text.lines().map(|line| format!("<p>{}</p>\n", escape(line))).collect();
    format!("<!DOCTYPE html><title>{}</title>\n{paragraphs}", escape(title.unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_addresses_that_lead_back() {
        let base = PageUrl::parse("http://import.invalid/docs/").unwrap();
        let cases = [
            ("a/b.html", "http://import.invalid/docs/a/b.html"),
            ("what? 100%.txt", "http://import.invalid/docs/what%3F%20100%25.txt"),
            ("c:d#e.txt", "http://import.invalid/docs/c%3Ad%23e.txt"),
            ("più.txt", "http://import.invalid/docs/pi%C3%B9.txt"),
        ];
        for (path, expected) in cases {
            assert_eq!(base.join(&escape_path(Path::new(path))).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn texts_survive_as_html() {
        let html = as_html(Some("a < b & c"), "one <b>\ntwo &amp;");
        let url = PageUrl::parse("http://a.test/").unwrap();
        let document = parse::parse_page(&url, ContentType("text/html; charset=utf-8"), html.as_bytes());
        assert_eq!((document.title.as_str(), document.text.as_str()), ("a < b & c", "one <b>\ntwo &amp;"));
    }
}
