//! Pages that come from files: each is stored like one that was fetched.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dedup::{CopyMarks, TextPrinter};
use input::pages::{Address, FilePage, Found, Refused, format_of};
use input::{InputFile, InputFiles, is_same};
use page::{Clock, ContentType, Fingerprint, PageKey, PageUrl, RecordNumber};
use serde::Serialize;
use store::{Collection, NewPage, PageRecord, RecordKind, StoreReader, StoreWriter, WarcRecordBuilder};

use crate::gone::forgotten;
use crate::{Error, Notice, Progress, Watcher, Work};

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
    Ok(InputFiles::find(paths, is_ours, |error| watcher.tell(Notice::Failed(&error.into())))?)
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
enum NotTaken {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("`{text}`: {error}")]
    Address { text: String, error: page::UrlError },
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Marks(#[from] dedup::Error),
}

struct Importer<'w> {
    clock: &'w dyn Clock,
    watcher: &'w dyn Watcher,
    base: PageUrl,
    store: StoreWriter,
    known: HashSet<Fingerprint>,
    copies: CopyMarks,
    printer: TextPrinter,
    warc: WarcRecordBuilder,
    summary: ImportSummary,
}

impl<'w> Importer<'w> {
    fn new(
        collection: &Collection,
        base: PageUrl,
        clock: &'w dyn Clock,
        watcher: &'w dyn Watcher,
    ) -> Result<Self, Error> {
        let (store, _) = StoreWriter::open(collection)?;
        let (mut known, forgotten) = (HashSet::new(), HashSet::<PageKey>::from_iter(forgotten(collection)?));
        let folder = collection.part("dedup")?.join("watch");
        let (mut copies, mut count) = (CopyMarks::new(&folder, COPIES_BYTES)?, RecordNumber::new(0));
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((key, record)) = pages.next()? {
            copies.see(count, &record.url, record.print)?;
            count = count.next();
            // Who brings in what was forgotten wants it back.
            if record.is_page() && !forgotten.contains(&key) {
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
        let read = match format_of(path) {
            Some(format) => format.read(path, &mut |found| self.take_found(path, root, found)),
            None if file.is_named => Err(Refused::UnknownKind),
            None => Ok(()),
        };
        // One bad file does not stop the others.
        if let Err(why) = read {
            self.tell(path, None, &why.into());
        }
        self.show();
    }

    fn take_found(&mut self, path: &Path, root: &Path, found: Found<'_>) {
        match found {
            Found::NoText => self.summary.no_text += 1,
            Found::Refused { line, why } => self.tell(path, Some(line), &why.into()),
            Found::Page(page) => {
                if let Err(why) = self.take_page(path, root, &page) {
                    self.tell(path, page.line, &why);
                }
            }
        }
        self.show();
    }

    fn tell(&mut self, path: &Path, line: Option<u64>, why: &NotTaken) {
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        self.watcher.tell(Notice::Unreadable { what: &format!("{}{line}", path.display()), why });
        self.summary.failed += 1;
    }

    fn show(&self) {
        let counted = self.summary.imported;
        self.watcher.progress(Progress { work: Work::Importing, done: 0, total: None, counted, detail: "" });
    }

    fn take_page(&mut self, path: &Path, root: &Path, page: &FilePage<'_>) -> Result<(), NotTaken> {
        let url = match &page.address {
            Address::Url(text) => {
                PageUrl::parse(text).map_err(|error| NotTaken::Address { text: text.clone(), error })?
            }
            Address::Named(name) => self.address(name)?,
            Address::OfFile => self.address(&name_within(path, root)?)?,
        };
        self.add(url, page)
    }

    /// The address of what is called so.
    fn address(&self, name: &Path) -> Result<PageUrl, NotTaken> {
        let text = escape_path(name);
        self.base.join(&text).map_err(|error| NotTaken::Address { text, error })
    }

    fn add(&mut self, url: PageUrl, page: &FilePage<'_>) -> Result<(), NotTaken> {
        let FilePage { content_type, body, .. } = *page;
        if !self.known.insert(url.fingerprint()) {
            self.summary.already_there += 1;
            return Ok(());
        }
        let now = self.clock.now();
        let document = parse::parse_page(&url, ContentType(content_type), body);
        let mut record = PageRecord::new(RecordKind::Imported, url, now);
        record.flags.noindex = document.noindex || page.noindex;
        record.print = self.printer.print(&document.text);
        let mut page = NewPage::imported(record, content_type, body, &document.links, &mut self.warc);
        if let Some(copy) =
            self.copies.see(self.store.next_record(), &page.record().url, page.record().print)?
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
}
