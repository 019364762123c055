//! Files of lines that are a JSON object each: a page, with its address and its title if they are known.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::{Address, FilePage, Found, PAGE_BYTES_MAX, PageFormat, Refused, as_html};

/// Reads JSON lines.
pub(super) struct JsonLines;

/// What a line may say; all but one of `html` and `text` may be missing.
#[derive(Debug, Deserialize)]
struct JsonPage {
    url: Option<String>,
    id: Option<Value>,
    title: Option<String>,
    text: Option<String>,
    html: Option<String>,
    /// Anything but `true` says nothing.
    noindex: Option<Value>,
}

impl PageFormat for JsonLines {
    fn endings(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn about(&self) -> &'static str {
        "a JSON object a line, with `text` or `html`, and optionally `url` or `id`, `title` and `noindex`"
    }

    fn read(&self, path: &Path, each: &mut dyn FnMut(Found<'_>)) -> Result<(), Refused> {
        let mut file = BufReader::new(File::open(path)?);
        let name = PathBuf::from(path.file_stem().unwrap_or_default());
        let (mut line, mut number) = (Vec::new(), 0);
        while read_line(&mut file, &mut line)? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match page_of(&line) {
                Err(why) => each(Found::Refused { line: number, why }),
                Ok((address, body, noindex)) => each(Found::Page(FilePage {
                    line: Some(number),
                    address: address.unwrap_or_else(|| Address::Named(name.join(format!("line-{number}")))),
                    content_type: "text/html; charset=utf-8",
                    body: body.as_bytes(),
                    noindex,
                })),
            }
        }
        Ok(())
    }
}

/// Takes a line apart: the address, if it says one, the page as HTML, and whether it is not to be found.
fn page_of(line: &[u8]) -> Result<(Option<Address>, String, bool), Refused> {
    if line.len() as u64 > PAGE_BYTES_MAX {
        return Err(Refused::LineTooLong);
    }
    let page: JsonPage = serde_json::from_slice(line).map_err(|error| Refused::Malformed {
        expected: "a JSON object with `text` or `html`",
        reason: error.to_string(),
    })?;
    let address = match (page.url, page.id) {
        (Some(url), _) => Some(Address::Url(url)),
        (None, Some(Value::String(id))) => Some(Address::Named(id.into())),
        (None, Some(id)) => Some(Address::Named(id.to_string().into())),
        (None, None) => None,
    };
    let noindex = page.noindex == Some(Value::Bool(true));
    match (page.html, page.text) {
        (Some(html), _) => Ok((address, html, noindex)),
        (None, Some(text)) => Ok((address, as_html(page.title.as_deref(), &text), noindex)),
        (None, None) => Err(Refused::Empty("`text` nor `html`")),
    }
}

/// Reads the next line. Of one that is too long so much is kept that it can be told. `false` at the end of the file.
fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let taken = file.by_ref().take(PAGE_BYTES_MAX + 1).read_until(b'\n', line)? as u64;
    if taken > PAGE_BYTES_MAX && line.last() != Some(&b'\n') {
        file.skip_until(b'\n')?;
    }
    Ok(taken > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_page_under_the_name_that_it_gives_itself_or_that_of_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pages.jsonl");
        let lines = [
            r#"{"url":"http://a.test/","id":1,"html":"<p>one"}"#,
            "",
            r#"{"id":"two","text":"x"}"#,
            r#"{"id":3,"text":"x"}"#,
            r#"{"text":"x"}"#,
            r#"{"title":"x"}"#,
            "[1]",
            r#"{"id":"hidden","text":"x","noindex":true}"#,
            r#"{"id":"shown","html":"x","noindex":null}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let (mut pages, mut refused) = (Vec::new(), Vec::new());
        let taken = JsonLines.read(&path, &mut |found| match found {
            Found::Page(page) => pages.push((page.line.unwrap(), page.address, page.noindex)),
            Found::Refused { line, why } => refused.push(format!("{line} {why}")),
            Found::NoText => panic!("there is text"),
        });
        taken.unwrap();
        let named = |name: &str| Address::Named(name.into());
        let expected = [
            (1, Address::Url("http://a.test/".into()), false),
            (3, named("two"), false),
            (4, named("3"), false),
            (5, named("pages/line-5"), false),
            (8, named("hidden"), true),
            (9, named("shown"), false),
        ];
        assert_eq!(pages, expected);
        assert_eq!(refused[0], "6 neither `text` nor `html`");
        assert!(refused[1].starts_with("7 not a JSON object with `text` or `html`: "), "{}", refused[1]);
    }
}
