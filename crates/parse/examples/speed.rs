//! How fast are pages read? Real pages if the test data is there, and generated ones of a usual size.
//!
//! `cargo run --release -p parse --example speed`

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use page::{ContentType, PageUrl};

const MEASURE_FOR: Duration = Duration::from_secs(2);

fn main() {
    let data = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = data.join("conformance/article-extraction-benchmark/html");
    match real_pages(&folder) {
        pages if pages.is_empty() => println!("skipped: no pages in {}", folder.display()),
        pages => report("real pages", &pages),
    }
    report("generated pages", &(0..100).map(generated_page).collect::<Vec<_>>());
}

fn report(name: &str, pages: &[Vec<u8>]) {
    let url = PageUrl::parse("http://example.org/dir/page.html").expect("a constant address");
    let (mut bytes, mut pages_read, mut links) = (0, 0, 0);
    let start = Instant::now();
    while start.elapsed() < MEASURE_FOR {
        for page in pages {
            links += parse::parse_page(&url, ContentType("text/html"), page).links.len();
            bytes += page.len();
            pages_read += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {:.0} MB/s, {:.1} µs a page of {:.1} kB with {} links",
        bytes as f64 / seconds / 1e6,
        seconds / pages_read as f64 * 1e6,
        bytes as f64 / pages_read as f64 / 1e3,
        links / pages_read,
    );
}

fn real_pages(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let mut page = Vec::new();
        let file = std::fs::File::open(path).ok()?;
        flate2::read::GzDecoder::new(file).read_to_end(&mut page).ok().map(|_| page)
    };
    paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .filter_map(read)
        .collect()
}

/// About 8.5 kB of text and markup with 20 links.
fn generated_page(seed: usize) -> Vec<u8> {
    let words =
        ["sieve", "frontier", "grain", "stone", "river", "perch&eacute;", "caffè", "and", "the", "of"];
    let mut page = format!("<!DOCTYPE html><html lang=en><head><title>Page {seed}</title></head>\n<body>\n");
    for paragraph in 0..20 {
        page.push_str("<div class=\"block main\">\n  <p>");
        for word in 0..50 {
            page.push_str(words[(seed + paragraph * 7 + word * word) % words.len()]);
            page.push(' ');
        }
        page.push_str(&format!(
            "<a href=\"/site/{seed}/page-{paragraph}.html\">a <b>link</b></a></p>\n</div>\n"
        ));
    }
    page.into_bytes()
}
