//! Two fields of a line of JSON, without building the rest of it.
//!
//! Strings are taken as bytes: half a surrogate pair or a byte that is not UTF-8 is common in scraped text, and no reason
//! to lose a document. Everything else of the line is skipped, but must be JSON.
//!
//! Cost: one pass over the line and one copy of the text.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Which fields are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldNames {
    /// The field that holds the text.
    pub text: String,
    /// The field that holds the name of the document.
    pub id: String,
}

/// The names that most files use.
impl Default for FieldNames {
    fn default() -> Self {
        Self { text: "text".into(), id: "id".into() }
    }
}

/// What a line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The text, if the field is there.
    pub text: Option<Vec<u8>>,
    /// The name: a string as it is, a number as it is written.
    pub id: Option<Vec<u8>>,
}

/// Reads a line. `text` lends its memory for the text. A field that is not what it should be is as good as none; only
/// what is no JSON object at all is an error.
pub fn read_line(line: &[u8], names: &FieldNames, text: Vec<u8>) -> Result<Line, serde_json::Error> {
    let (text_name, id_name) = (Some(names.text.as_str()), Some(names.id.as_str()));
    let error = match read_fields(line, text_name, id_name, text) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    // Rare, so it may cost another pass: which field is it that cannot be taken?
    for (text_name, id_name) in [(text_name, None), (None, None)] {
        if let Ok(found) = read_fields(line, text_name, id_name, Vec::new()) {
            return Ok(found);
        }
    }
    Err(error)
}

fn read_fields(
    line: &[u8],
    text_name: Option<&str>,
    id_name: Option<&str>,
    buffer: Vec<u8>,
) -> Result<Line, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let found = deserializer.deserialize_map(Object { text_name, id_name, buffer: Some(buffer) })?;
    deserializer.end()?;
    Ok(found)
}

struct Object<'n> {
    text_name: Option<&'n str>,
    id_name: Option<&'n str>,
    buffer: Option<Vec<u8>>,
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Line, A::Error> {
        let mut line = Line::default();
        while let Some(Bytes(key)) = map.next_key_seed(Into(Vec::new(), Takes::Key))? {
            // A field that stands twice has its last value, as in most readers of JSON.
            if key.is_some() && key.as_deref() == self.text_name.map(str::as_bytes) {
                let buffer = line.text.take().or(self.buffer.take()).unwrap_or_default();
                line.text = map.next_value_seed(Into(buffer, Takes::Text))?.0;
            } else if key.is_some() && key.as_deref() == self.id_name.map(str::as_bytes) {
                line.id = name_of(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(line)
    }
}

/// The name that a value is: a string's bytes, or a number as it is written (a large one would not come out of a
/// floating point value as it went in). Anything else is no name.
fn name_of(value: &RawValue) -> Option<Vec<u8>> {
    match value.get().as_bytes()[0] {
        b'"' => {
            let mut string = serde_json::Deserializer::from_str(value.get());
            string.deserialize_bytes(Into(Vec::new(), Takes::Key)).ok()?.0
        }
        b'-' | b'0'..=b'9' => Some(value.get().as_bytes().to_vec()),
        _ => None,
    }
}

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// A string.
    Key,
    /// A string, or nothing.
    Text,
}

/// Reads a string into a buffer.
struct Into(Vec<u8>, Takes);

/// A string, or `None` for `null`.
struct Bytes(Option<Vec<u8>>);

impl<'de> DeserializeSeed<'de> for Into {
    type Value = Bytes;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Bytes, D::Error> {
        match self.1 {
            Takes::Key => deserializer.deserialize_bytes(self),
            Takes::Text => deserializer.deserialize_option(self),
        }
    }
}

impl<'de> Visitor<'de> for Into {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: Error>(mut self, bytes: &[u8]) -> Result<Bytes, E> {
        self.0.clear();
        self.0.extend_from_slice(bytes);
        Ok(Bytes(Some(self.0)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
        self.visit_bytes(text.as_bytes())
    }

    fn visit_unit<E: Error>(self) -> Result<Bytes, E> {
        Ok(Bytes(None))
    }

    fn visit_none<E: Error>(self) -> Result<Bytes, E> {
        Ok(Bytes(None))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Bytes, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fields_are_found_among_anything() {
        let names = FieldNames::default();
        let line = |text: &[u8], id: &[u8]| Line { text: Some(text.into()), id: Some(id.into()) };
        let nameless = |text: &[u8]| Line { text: Some(text.into()), id: None };
        let rows: [(&[u8], Line); 20] = [
            (br#"{"id":"a","text":"b"}"#, line(b"b", b"a")),
            (
                br#" {"text" : "b\n\u00e8", "x": {"text": [1, "}"]}, "id": 17} "#,
                line("b\nè".as_bytes(), b"17"),
            ),
            (br#"{"id":-2,"text":""}"#, line(b"", b"-2")),
            (br#"{"id":1.5,"text":"b"}"#, line(b"b", b"1.5")),
            (b"{\"id\":\"a\",\"text\":\"\xff\",\"\xfe\":1}", line(b"\xff", b"a")),
            (br#"{"text":"\ud800 half","id":"a"}"#, line(b"\xed\xa0\x80 half", b"a")),
            (br#"{"text":"first","text":"last","id":"a"}"#, line(b"last", b"a")),
            (br#"{"text":"b","id":null}"#, Line { text: Some(b"b".into()), id: None }),
            (
                br#"{"id":123456789012345678901234567890,"text":"b"}"#,
                line(b"b", b"123456789012345678901234567890"),
            ),
            (br#"{"x":"\"id\": 1","y":{"id":2.5},"id" : 1.50 ,"text":"b"}"#, line(b"b", b"1.50")),
            (br#"{"text":"b","id":1e3}"#, line(b"b", b"1e3")),
            (br#"{"text":"b","id":true}"#, nameless(b"b")),
            (br#"{"text":"b","id":[1,[2]]}"#, nameless(b"b")),
            (br#"{"text":"b","id":{"id":1}}"#, nameless(b"b")),
            (b"{\"text\":\"b\",\"id\":\"\xff\"}", nameless(b"b")),
            (br#"{"text":1}"#, Line::default()),
            (br#"{"text":[1]}"#, Line::default()),
            (br#"{"text":{"text":"b"}}"#, Line::default()),
            (br#"{"text":null}"#, Line::default()),
            (br#"{}"#, Line::default()),
        ];
        for (json, expected) in rows {
            let found = read_line(json, &names, b"old".to_vec()).unwrap();
            assert_eq!(found, expected, "{}", json.escape_ascii());
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let names = FieldNames::default();
        for json in ["", "words", "[1]", "\"text\"", "{} {}", "{\"text\":\"", "{\"id\":{}"] {
            assert!(read_line(json.as_bytes(), &names, Vec::new()).is_err(), "{json}");
        }
    }
}
