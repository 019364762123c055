//! The response cases of llhttp, the parser of Node.js: the same statuses and the same bodies.

use std::path::Path;

use fetch::FetchLimits;
use page::Outcome;

use crate::conformance::shared_data;
use crate::scripted::{answer, ask};

/// An answer and what llhttp made of it.
struct Case {
    name: String,
    bytes: Vec<u8>,
    /// Status and body; `None` when llhttp refused the head.
    expected: Option<(u16, Vec<u8>)>,
}

/// Where we differ, and why.
const DIFFERENT: [(&str, &str); 9] = [
    ("HTTP 101 response with Upgrade and Content-Length header", "we never ask for another protocol"),
    ("HTTP 101 response with Upgrade and Transfer-Encoding header", "we never ask for another protocol"),
    ("RTSP response", "another protocol"),
    ("ICE response", "another protocol"),
    ("HTTP version 0.9", "another protocol"),
    ("No carriage ret", "browsers read bare line feeds"),
    ("Trailing space on chunked body", "browsers read it"),
    ("No extension after semicolon", "extensions are skipped unread"),
    ("Unbalanced chunk extensions quoting", "extensions are skipped unread"),
];

#[tokio::test]
async fn the_response_cases_of_llhttp() {
    let Some(folder) = shared_data("llhttp/test/response") else { return };
    let (mut agreed_count, mut case_count) = (0, 0);
    for case in cases_of(&folder) {
        let (fetched, _) = ask(answer(&case.bytes), FetchLimits::default()).await;
        let found = match fetched.outcome {
            Outcome::Response(response) => Some((response.status, response.body().to_vec())),
            Outcome::Failed(_) => None,
        };
        case_count += 1;
        agreed_count += usize::from(found == case.expected);
        let may_differ = DIFFERENT.iter().any(|(name, _)| *name == case.name);
        assert_eq!(found == case.expected, !may_differ, "{}: {found:?}, not {:?}", case.name, case.expected);
    }
    println!("llhttp: {agreed_count} of {case_count} cases, the others on purpose");
    assert!(agreed_count >= 38);
}

fn cases_of(folder: &Path) -> Vec<Case> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for section in text.split("\n## ").skip(1) {
            let is_plain =
                section.contains(r#"{"type": "response"}"#) || section.contains(r#"{"type": "response" }"#);
            let blocks = (block(section, "```http\n"), block(section, "```log\n"));
            if let (true, (Some(input), Some(log))) = (is_plain, blocks) {
                let bytes = unescape(input);
                let expected = read_log(log, &bytes);
                cases.push(Case { name: section.lines().next().unwrap().to_owned(), bytes, expected });
            }
        }
    }
    cases
}

fn block<'a>(section: &'a str, opening: &str) -> Option<&'a str> {
    let start = section.find(opening)? + opening.len();
    let end = section[start..].find("```")?;
    Some(section[start..start + end].strip_suffix('\n').unwrap_or(&section[start..start + end]))
}

/// A backslash at the end of a line joins it with the next; other lines end with CRLF; `\n`, `\r` and the like are
/// the characters that they stand for.
fn unescape(input: &str) -> Vec<u8> {
    let joined = input.replace("\\\n", "").replace('\n', "\r\n");
    let mut bytes = joined
        .replace("\\r", "\r")
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\f", "\x0c")
        .into_bytes();
    while let Some(place) = bytes.windows(2).position(|pair| pair == b"\\x") {
        let digits = std::str::from_utf8(&bytes[place + 2..place + 4]).unwrap();
        let byte = u8::from_str_radix(digits, 16).unwrap();
        bytes.splice(place..place + 4, [byte]);
    }
    bytes
}

/// Status and body of the first answer that is not an interim one.
fn read_log(log: &str, bytes: &[u8]) -> Option<(u16, Vec<u8>)> {
    let number = |line: &str, name: &str| -> Option<usize> {
        let start = line.find(name)? + name.len();
        line[start..].split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let mut found: Option<(u16, Vec<u8>)> = None;
    for line in log.lines() {
        if let Some(status) = number(line, "headers complete status=")
            && !(status == 100 || status == 103)
        {
            found = Some((status as u16, Vec::new()));
        }
        let Some((_, body)) = &mut found else { continue };
        if line.contains("span[body]") {
            let (start, length) = (number(line, "off=")?, number(line, "len=")?);
            body.extend_from_slice(&bytes[start..start + length]);
        }
        if line.contains("message complete") || line.contains("error code") {
            break;
        }
    }
    found
}
