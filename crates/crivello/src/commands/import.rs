//! `crivello import`: pages that come from files.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use ::crawl::{CopyMarks, TextPrinter};
use anyhow::Context as _;
use clap::Args;
use page::{Clock, ContentType, PageUrl, SystemClock, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Collection, NewPage, PageRecord, RecordKind, StoreReader, StoreWriter, WarcRecordBuilder};

use super::Context;
use crate::bars::Bar;
use crate::file_content::{FileContent, SNIFFED_BYTES};
use crate::input_files::{InputFile, InputFiles, is_same};
use crate::output::{Ending, counted, errln, hinted, outln, print_json, thousands};

/// Take in pages from folders of HTML or text, or from JSON lines
///
/// Folders are searched for .html, .htm, .xhtml, .txt and .md files; each becomes a page whose address is --base, the
/// name of the folder, and the path within. Files that end in .jsonl or .ndjson hold a JSON object a line, with `text` or `html`, and
/// optionally `url` or `id`, and `title`. Hidden files are passed over. Symbolic links in folders are not followed, a file counts once, and one that is called
/// so but is no text (it begins as an image or an archive does, or has a zero byte early on) is left out; they are counted.
/// A page whose address the collection already has is left out, so an import can be repeated.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportArgs {
    /// The collection's folder; it is made if it does not exist
    pub dir: PathBuf,
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What the addresses of files begin with
    #[arg(long, value_name = "URL", default_value = "http://import.invalid/")]
    pub base: String,
}

const EXAMPLES: &str = "\
Examples:
  crivello import docs.crivello public/ --base https://docs.example.org/  a site as it lies on the disk
  crivello import docs.crivello pages.jsonl               lines with url, title and text";

/// A page larger than this is not taken in.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Memory for recognising copies; what does not fit goes to disk.
const COPIES_BYTES: usize = 32 << 20;

/// What an import came to.
#[derive(Debug, Default, Serialize)]
struct ImportSummary {
    imported: u64,
    already_there: u64,
    failed: u64,
    /// Files that are called pages and hold no text.
    no_text: u64,
    /// Symbolic links in folders.
    links: u64,
    /// Files that were met again.
    repeated: u64,
}

/// Runs the command.
pub fn run(context: Context, args: &ImportArgs) -> anyhow::Result<Ending> {
    let base = PageUrl::parse(&args.base)
        .map_err(|error| hinted(format!("`{}`: {error}", args.base), "give --base as http://name/"))?;
    let (found, unreadable) = find_files(args)?;
    let collection = Collection::open_or_create(&args.dir, SystemClock.now())?;
    let mut importer = Importer::new(&collection, base)?;
    let mut bar = Bar::new(context.showing, "importing", 0);
    for file in &found.files {
        let root = &args.paths[file.root];
        importer.take(file, root, &mut |summary| bar.set(0, summary.imported, String::new));
    }
    bar.finish();
    let mut summary = importer.finish()?;
    (summary.links, summary.repeated) = (found.links, found.repeated);
    summary.failed += unreadable;
    if context.json {
        print_json(&summary)?;
    } else {
        outln!(
            "{} imported, {} already there, {} failed",
            counted(summary.imported, "page"),
            thousands(summary.already_there),
            thousands(summary.failed)
        );
        let left_out = summary.no_text + summary.links + summary.repeated;
        if left_out > 0 {
            outln!(
                "left out: {} that are no text, {} symbolic links, {} met twice",
                thousands(summary.no_text),
                thousands(summary.links),
                thousands(summary.repeated)
            );
        }
    }
    Ok(Ending::from_failures(summary.failed))
}

/// The files, and how many folders could not be read. The collection itself may lie among them.
fn find_files(args: &ImportArgs) -> anyhow::Result<(InputFiles, u64)> {
    let collection = args.dir.canonicalize().ok();
    let is_collection = |path: &Path| collection.as_ref().is_some_and(|ours| is_same(path, ours));
    let mut unreadable = 0;
    let found = InputFiles::find(&args.paths, is_collection, |error| {
        errln!("{error}");
        unreadable += 1;
    })?;
    Ok((found, unreadable))
}

struct Importer {
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

impl Importer {
    fn new(collection: &Collection, base: PageUrl) -> anyhow::Result<Self> {
        let (store, _) = StoreWriter::open(collection)?;
        let mut known = HashSet::new();
        let folder = collection.part("dedup")?.join("watch");
        let (mut copies, mut count) = (CopyMarks::new(&folder, COPIES_BYTES)?, 0);
        let mut pages = StoreReader::open(collection)?.pages()?;
        while let Some((_, record)) = pages.next()? {
            copies.see(count, &record)?;
            count += 1;
            if record.is_page() {
                known.insert(record.url.fingerprint());
            }
        }
        let (warc, summary) = (WarcRecordBuilder::new(6), ImportSummary::default());
        Ok(Self { base, store, known, copies, printer: TextPrinter::default(), warc, summary })
    }

    /// Takes a file; its address is relative to `root`.
    fn take(&mut self, file: &InputFile, root: &Path, see: &mut impl FnMut(&ImportSummary)) {
        let path = &file.path;
        let taken = match FileKind::of(path) {
            Some(FileKind::JsonLines) => self.take_json_lines(path, see),
            Some(FileKind::Page(content_type)) => self.take_file(path, root, content_type),
            None if file.is_named => Err(anyhow::anyhow!(
                "nobody knows how to read it: .html, .htm, .xhtml, .txt, .md or .jsonl is expected"
            )),
            None => Ok(()),
        };
        // One bad file does not stop the others.
        if let Err(error) = taken {
            errln!("{}: {error:#}", path.display());
            self.summary.failed += 1;
        }
        see(&self.summary);
    }

    fn take_file(&mut self, path: &Path, root: &Path, content_type: &str) -> anyhow::Result<()> {
        let bytes = path.metadata()?.len();
        anyhow::ensure!(bytes <= FILE_BYTES_MAX, "larger than {}", page::format_bytes(FILE_BYTES_MAX));
        let url = self.base.join(&escape_path(&name_within(path, root)?))?;
        let content = std::fs::read(path)?;
        if FileContent::of(path, &content[..content.len().min(SNIFFED_BYTES)]) == FileContent::NoText {
            self.summary.no_text += 1;
            return Ok(());
        }
        self.add(url, content_type, &content)
    }

    fn take_json_lines(&mut self, path: &Path, see: &mut impl FnMut(&ImportSummary)) -> anyhow::Result<()> {
        let mut file = BufReader::new(std::fs::File::open(path)?);
        let name = path.file_stem().unwrap_or_default().to_owned();
        let (mut line, mut number) = (Vec::new(), 0);
        while read_line(&mut file, &mut line)? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            if let Err(error) = self.take_json_line(&line, &Path::new(&name).join(format!("line-{number}"))) {
                errln!("{}:{number}: {error:#}", path.display());
                self.summary.failed += 1;
            }
            see(&self.summary);
        }
        Ok(())
    }

    /// Takes one line; `name` is what it is called if it does not say so itself.
    fn take_json_line(&mut self, line: &[u8], name: &Path) -> anyhow::Result<()> {
        let is_too_long = line.len() as u64 > FILE_BYTES_MAX;
        anyhow::ensure!(!is_too_long, "longer than {}", page::format_bytes(FILE_BYTES_MAX));
        let page: JsonPage =
            serde_json::from_slice(line).context("not a JSON object with `text` or `html`")?;
        let url = match (&page.url, &page.id) {
            (Some(url), _) => PageUrl::parse(url).with_context(|| format!("`{url}`"))?,
            (None, Some(serde_json::Value::String(id))) => self.base.join(&escape_path(Path::new(id)))?,
            (None, Some(id)) => self.base.join(&escape_path(Path::new(&id.to_string())))?,
            (None, None) => self.base.join(&escape_path(name))?,
        };
        match (&page.html, &page.text) {
            (Some(html), _) => self.add(url, "text/html; charset=utf-8", html.as_bytes()),
            (None, Some(text)) => {
                self.add(url, "text/html; charset=utf-8", as_html(page.title.as_deref(), text).as_bytes())
            }
            (None, None) => anyhow::bail!("neither `text` nor `html`"),
        }
    }

    fn add(&mut self, url: PageUrl, content_type: &str, body: &[u8]) -> anyhow::Result<()> {
        if !self.known.insert(url.fingerprint()) {
            self.summary.already_there += 1;
            return Ok(());
        }
        let now: Timestamp = SystemClock.now();
        let document = parse::parse_page(&url, ContentType(content_type), body);
        let mut record = PageRecord::new(RecordKind::Imported, url, now);
        record.flags.noindex = document.noindex;
        record.print = self.printer.print(&document.text);
        let mut page = NewPage::imported(record, content_type, body, &document.links, &mut self.warc);
        if let Some(copy) = self.copies.see(self.store.record_count(), page.record())? {
            page.mark_copy(copy);
        }
        self.store.append(page, now)?;
        if self.store.buffered_bytes() > 4 << 20 {
            self.store.flush()?;
        }
        self.summary.imported += 1;
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<ImportSummary> {
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
fn name_within(path: &Path, root: &Path) -> anyhow::Result<PathBuf> {
    let name = root.canonicalize()?.file_name().map(PathBuf::from).unwrap_or_default();
    Ok(if path == root { name } else { name.join(path.strip_prefix(root)?) })
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
