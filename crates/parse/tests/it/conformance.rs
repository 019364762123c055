//! What other people's collections say. They live beside the project; without them these tests say so and pass.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use page::{ContentType, LinkKind, PageUrl};

use crate::{link_lines, read, read_as};

/// A folder or file of the test data, or a visible word that it is absent.
fn data(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = root.join("conformance").join(path);
    if path.exists() {
        return Some(path);
    }
    // Not by `println!`, which a passing test keeps to itself.
    let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", path.display());
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
        .expect("standard error can be written to");
    None
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder exists");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn the_samples_of_scrapy_give_their_links() {
    let Some(folder) = data("link-extractor-samples") else { return };
    let page = |name: &str| link_lines(&read_as("text/html", &fs::read(folder.join(name)).unwrap()));
    assert_eq!(
        page("linkextractor.html"),
        [
            "a http://example.com/sample1.html [sample1]",
            "a http://example.com/sample2.html [sample 2]",
            "a http://example.com/sample3.html [sample 3 text]",
            "a http://example.com/sample3.html [sample 3 repetition]",
            "a http://example.com/sample3.html [sample 3 repetition]",
            "a http://example.com/sample3.html [sample 3 repetition with fragment]",
            "a http://www.google.com/something []",
            "a http://example.com/innertag.html [inner tag]",
            "a http://example.com/page%204.html [href with whitespaces]",
        ]
    );
    assert_eq!(
        page("linkextractor_no_href.html"),
        [
            "a http://example.com/author/Albert-Einstein [(about)]",
            "a http://example.com/page/1/ [Page 1]",
            "a http://example.com/page/3/ [Page 3]",
            "a http://example.com/page/4/ [Page 4]",
        ]
    );
    let queries_in_utf8 = [
        "a http://example.com/sample_%C3%B1.html [sample2]",
        "a http://example.com/sample_%C3%A1.html [sample á text]",
        "a http://example.com/sample_%C3%B6.html?price=%C2%A332&%C2%B5=unit [sample3]",
    ];
    // It declares a charset that does not exist, and is UTF-8.
    assert_eq!(page("linkextractor_latin1.html"), queries_in_utf8);
    let of_two = [
        "a http://example.com/sample_%C3%B1.html [sample2]",
        "a http://example.com/sample_%E2%82%AC.html [sample € text]",
    ];
    assert_eq!(page("linkextractor_noenc.html"), of_two);
}

#[test]
fn refreshes_are_read_as_the_web_platform_tests_ask() {
    let folder = "wpt/html/semantics/document-metadata/the-meta-element/pragma-directives";
    let Some(file) = data(&format!("{folder}/attr-meta-http-equiv-refresh/parsing.html")) else { return };
    let script = fs::read_to_string(file).unwrap();
    let url = PageUrl::parse("http://example.org/dir/page.html").unwrap();
    let mut case_count = 0;
    for line in script.lines().filter_map(|line| line.trim().strip_prefix("{input: '")) {
        let (input, expected) = line.split_once("', expected: [").expect("one case per line");
        let input = unescaped(input);
        let expected =
            expected.split_once(", '").map(|(_, address)| unescaped(address.trim_end_matches("']},")));
        let expected =
            expected.filter(|address| address != "__filename__").map(|address| url.join(&address).unwrap());
        let attribute = input.replace('&', "&amp;").replace('"', "&quot;");
        let document = read(&format!("<meta http-equiv=refresh content=\"{attribute}\">"));
        let found = document.links.first().map(|link| link.target.clone());
        assert_eq!(found, expected, "for {input:?}");
        assert!(document.links.iter().all(|link| link.kind == LinkKind::Refresh));
        case_count += 1;
    }
    assert!(case_count >= 70, "only {case_count} cases were found");
}

/// A JavaScript string.
fn unescaped(text: &str) -> String {
    [("\\t", "\t"), ("\\r", "\r"), ("\\n", "\n"), ("\\f", "\x0c"), ("\\'", "'")]
        .iter()
        .fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

#[test]
fn encodings_are_recognised_in_real_pages() {
    let Some(folder) = data("chardet/tests") else { return };
    let url = PageUrl::parse("http://example.org/").unwrap();
    let (mut right, mut total) = (0, 0);
    for group in files_in(&folder) {
        let name = group.file_name().unwrap().to_string_lossy().into_owned();
        let Some(truth) = encoding_of_folder(&name) else { continue };
        for file in files_in(&group) {
            let body = fs::read(&file).unwrap();
            let is_right = parse::decode(&url, None, &body).text == truth.decode(&body).0;
            right += usize::from(is_right);
            total += 1;
            if !is_right {
                eprintln!(
                    "{name} taken for {}: {}",
                    parse::decode(&url, None, &body).encoding.name(),
                    file.display()
                );
            }
        }
    }
    eprintln!("{right} of {total} files are read in their encoding");
    assert!(right * 100 >= total * ENCODINGS_RIGHT_PERCENT, "only {right} of {total}");
}

/// Measured, less one.
const ENCODINGS_RIGHT_PERCENT: usize = 95;

/// `iso-8859-2-czech` is ISO-8859-2. Those that browsers do not know (IBM855, UTF-32) give `None`.
fn encoding_of_folder(name: &str) -> Option<&'static Encoding> {
    let label = match name {
        "CP932" => "shift_jis",
        "MacCyrillic" => "x-mac-cyrillic",
        name => name,
    };
    let languages = label.rmatch_indices('-').map(|(at, _)| &label[..at]);
    std::iter::once(label).chain(languages).find_map(|label| Encoding::for_label(label.as_bytes()))
}

#[test]
fn declared_encodings_are_found_as_html5lib_asks() {
    let Some(folder) = data("html5lib-tests/encoding") else { return };
    let url = PageUrl::parse("http://example.org/").unwrap();
    let (mut right, mut total) = (0, 0);
    for name in ["tests1.dat", "tests2.dat"] {
        let file = fs::read(folder.join(name)).unwrap();
        let file = encoding_rs::mem::decode_latin1(&file);
        for case in file.split("#data\n").skip(1) {
            let (page, label) = case.split_once("\n#encoding\n").expect("data and encoding");
            let body = encoding_rs::mem::encode_latin1_lossy(page);
            if body.len() > 1024 {
                // Further down a declaration makes a browser start again, which is not asked of us.
                continue;
            }
            let truth = Encoding::for_label(label.trim().as_bytes()).expect("a known label");
            let found = parse::decode(&url, None, &body).encoding;
            // Their default is windows-1252; ours for a page without declaration is what its bytes are.
            let is_right =
                found == truth || (truth == encoding_rs::WINDOWS_1252 && found == encoding_rs::UTF_8);
            right += usize::from(is_right);
            total += 1;
            if !is_right {
                eprintln!(
                    "{name}: {} instead of {} for {}",
                    found.name(),
                    truth.name(),
                    page.chars().take(60).collect::<String>()
                );
            }
        }
    }
    eprintln!("{right} of {total} declarations are found");
    assert!(total >= 60 && right >= total - 1, "only {right} of {total}");
}

#[test]
fn the_words_of_real_articles_are_in_the_text() {
    let Some(folder) = data("article-extraction-benchmark") else { return };
    let truth: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("ground-truth.json")).unwrap()).unwrap();
    let (mut found, mut total) = (0, 0);
    for (name, article) in truth.as_object().unwrap() {
        let Ok(file) = fs::File::open(folder.join("html").join(format!("{name}.html.gz"))) else { continue };
        let mut page = Vec::new();
        flate2::read::GzDecoder::new(file).read_to_end(&mut page).unwrap();
        let url = PageUrl::parse(article["url"].as_str().unwrap()).unwrap();
        let document = parse::parse_page(&url, ContentType("text/html"), &page);
        let words: std::collections::HashSet<&str> = document.text.split_whitespace().collect();
        for word in article["articleBody"].as_str().unwrap().split_whitespace() {
            found += usize::from(words.contains(word));
            total += 1;
        }
    }
    eprintln!("{found} of {total} words of the articles are in the texts");
    assert!(total > 10_000 && found * 1000 >= total * 985, "only {found} of {total}");
}
