//! Suites that others wrote, read from the shared data where that is present.

use std::collections::HashMap;
use std::path::PathBuf;

use fetch::{FetchLimits, RobotsRules, decode_stored};
use page::{PageUrl, Truncation};
use serde_json::Value;

/// A folder of the shared data; says so when it is not there.
pub fn shared_data(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CRIVELLO_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = root.join("conformance").join(folder);
    if !path.exists() {
        // Not by `println!`, which a passing test keeps to itself.
        let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", path.display());
        std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
            .expect("standard error can be written to");
        return None;
    }
    Some(path)
}

#[test]
fn the_cases_of_googles_parser() {
    let Some(folder) = shared_data("robots-google") else { return };
    let text = std::fs::read_to_string(folder.join("cases.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    let cases = cases["allowed"].as_array().unwrap();
    for case in cases {
        let field = |name: &str| case[name].as_str().unwrap();
        let rules = RobotsRules::parse(field("robots").as_bytes(), field("agent"));
        assert_eq!(rules.allows(path_as_written(field("url"))), case["allowed"].as_bool().unwrap(), "{case}");
    }
    println!("robots-google: {} of {} cases", cases.len(), cases.len());
    assert!(cases.len() >= 140);
}

/// The suite also asks about paths that no address of ours has: not escaped, or empty.
fn path_as_written(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |slash| &rest[slash..])
}

/// The two parsers that gave the verdicts take a byte order mark for a part of the first line and so lose that line;
/// the RFC skips the mark. On files with a mark we must therefore agree if the mark is made a part of the line.
#[test]
fn verdicts_on_real_files() {
    let Some(folder) = shared_data("robots-real") else { return };
    let mut rules: HashMap<(String, String), (RobotsRules, RobotsRules)> = HashMap::new();
    let (mut verdict_count, mut agreed_count) = (0, 0);
    for line in std::fs::read_to_string(folder.join("verdicts.tsv")).unwrap().lines() {
        let [host, agent, url, verdict] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (rules, rules_as_theirs) =
            rules.entry((host.to_owned(), agent.to_owned())).or_insert_with(|| {
                let file = std::fs::read(folder.join("files").join(host)).unwrap();
                let marked =
                    if file.starts_with(b"\xEF\xBB\xBF") { [b"?", &file[..]].concat() } else { file.clone() };
                (RobotsRules::parse(&file, agent), RobotsRules::parse(&marked, agent))
            });
        let url = PageUrl::parse(url).unwrap();
        verdict_count += 1;
        agreed_count += usize::from(rules.allows(url.path_and_query()) == (verdict == "1"));
        assert_eq!(rules_as_theirs.allows(url.path_and_query()), verdict == "1", "{line}");
    }
    println!(
        "robots-real: {agreed_count} of {verdict_count} verdicts, all of them without the byte order marks"
    );
    assert!(verdict_count >= 23_569 && agreed_count >= 23_455);
}

#[test]
fn content_encodings_of_other_tools() {
    let Some(folder) = shared_data("content-encoding-samples") else { return };
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let decode = |coding: &str, name: &str| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n");
        decode_stored(head.as_bytes(), &read(name), &FetchLimits::default()).unwrap()
    };
    let page = decode("gzip", "html-gzip.bin").body().to_vec();
    assert!(page.starts_with(b"<!DOCTYPE HTML"), "{}", String::from_utf8_lossy(&page[..40]));
    for (coding, name) in [
        ("deflate", "html-zlibdeflate.bin"),
        ("deflate", "html-rawdeflate.bin"),
        ("gzip, deflate", "html-gzip-deflate.bin"),
    ] {
        let response = decode(coding, name);
        // The samples say in one line how they were encoded, so they are not equal to the byte.
        let text = String::from_utf8_lossy(response.body()).replace("deflate", "gzip");
        assert!(text == String::from_utf8_lossy(&page) && response.truncated.is_none(), "{name}");
    }
    assert!(decode("gzip", "feed-sample1.xml.gz").body() == read("feed-sample1.xml"));
    let left_alone = [
        ("gzip, deflate, gzip", "html-gzip-deflate-gzip.bin"),
        ("br", "html-br.bin"),
        ("zstd", "bomb-zstd.bin"),
    ];
    for (coding, name) in left_alone {
        assert!(decode(coding, name).body() == read(name), "{name}");
    }
    for (coding, name) in [("gzip", "bomb-gzip.bin"), ("deflate", "bomb-deflate.bin")] {
        let response = decode(coding, name);
        assert_eq!(response.truncated, Some(Truncation::Length), "{name}");
        assert_eq!(response.body().len(), 100 * response.raw_body.len(), "{name}");
    }
    // Its expected text was written as if each byte were a character.
    let early = decode("gzip", "unexpected-eof.gz");
    let as_characters: String = early.body().iter().map(|&byte| char::from(byte)).collect();
    assert!(as_characters.as_bytes() == read("unexpected-eof-output.txt"));
    assert_eq!(early.truncated, Some(Truncation::Unspecified));
    for name in ["truncated-crc-error.gz", "truncated-crc-error-short.gz"] {
        let response = decode("gzip", name);
        let text = String::from_utf8_lossy(response.body());
        assert!(text.trim_end_matches('>').ends_with("</body>\n</html"), "{name}");
        assert_eq!(response.truncated, Some(Truncation::Unspecified), "{name}");
    }
}
