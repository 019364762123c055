//! What is measured on: real texts where they are there, else the pages of the fake web.

use std::path::Path;

use lab::{FakeWeb, LabConfig};
use page::{ContentType, PageUrl};

/// About the mean of real pages.
const DOCUMENT_BYTES: usize = 8 << 10;
/// Enough that a round takes tens of milliseconds, and more than the caches hold.
const CORPUS_BYTES: usize = 24 << 20;

/// The collection of licence texts, each with its name.
pub struct Licences {
    /// Names, in the order of the texts.
    pub names: Vec<String>,
    /// The texts.
    pub texts: Vec<String>,
    /// Pairs of names with their exact similarity, from 0.5 on.
    pub pairs: Vec<(String, String, f64)>,
}

impl Licences {
    /// Reads them, if they are there.
    pub fn read(data: &Path) -> Result<Self, String> {
        let folder = data.join("neardup/licensedcode-dev");
        let read = |name: &str| {
            std::fs::read_to_string(folder.join(name))
                .map_err(|_| format!("no `{}`: give the folder of collections with --data", folder.display()))
        };
        let (texts, pairs) = (read("texts.tsv")?, read("pairs_k5_0.5.tsv")?);
        let (mut names, mut bodies) = (Vec::new(), Vec::new());
        for line in texts.lines() {
            let mut fields = line.splitn(3, '\t');
            names.push(fields.next().unwrap_or("").to_owned());
            bodies.push(fields.nth(1).unwrap_or("").to_owned());
        }
        let pair = |line: &str| {
            let mut fields = line.split('\t');
            let (first, second) = (fields.next()?.to_owned(), fields.next()?.to_owned());
            Some((first, second, fields.next()?.parse().ok()?))
        };
        Ok(Self { names, texts: bodies, pairs: pairs.lines().filter_map(pair).collect() })
    }
}

/// Documents of about eight kilobytes, cut out of running text at spaces. It is gone through as often as it takes; since
/// the documents do not divide it evenly, none comes twice.
pub fn corpus(licences: Result<&Licences, &String>) -> Vec<String> {
    let running = match licences {
        Ok(licences) => licences.texts.join("\n"),
        Err(_) => fake_text(),
    };
    let (mut documents, mut document, mut bytes) = (Vec::new(), String::new(), 0);
    for word in running.split_inclusive(' ').cycle() {
        document.push_str(word);
        if document.len() >= DOCUMENT_BYTES {
            bytes += document.len();
            documents.push(std::mem::take(&mut document));
            if bytes >= CORPUS_BYTES {
                break;
            }
        }
    }
    documents
}

/// What readers see on the pages of a fake web.
fn fake_text() -> String {
    let web = FakeWeb::new(LabConfig { pages: 2_000, ..LabConfig::clean() });
    (0..2_000).map(|page| page_text(&web, page) + "\n").collect()
}

/// The text of one page of a fake web, as the parser finds it.
pub fn page_text(web: &FakeWeb, page: u32) -> String {
    let url = PageUrl::parse("http://a.test/").expect("it is an address");
    parse::parse_page(&url, ContentType("text/html; charset=utf-8"), web.page_html(page, 80).as_bytes()).text
}

/// Writes documents, one a line, for a peer that is another program.
pub fn write_lines(path: &Path, documents: &[String]) -> std::io::Result<()> {
    let lines: Vec<String> = documents.iter().map(|text| text.replace(['\n', '\r'], " ")).collect();
    fs_err::write(path, lines.join("\n"))
}
