//! Two fields of a line of JSON, without building the rest of it.
//!
//! Strings are taken as bytes: half a surrogate pair or a byte that is not UTF-8 is common in scraped text, and no reason
//! to lose a document. Everything else of the line is skipped, but must be JSON.
//!
//! Cost: one pass over the line and one copy of the text.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};

/// Which fields are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldNames {
    /// The field that holds the text.
    pub text: String,
    /// The field that holds the name of the document.
    pub id: String,
}

/// What a line says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The text, if the field is there.
    pub text: Option<Vec<u8>>,
    /// The name: a string as it is, a number as it is written.
    pub id: Option<Vec<u8>>,
}

/// Reads a line. `text` lends its memory for the text.
pub fn read_line(line: &[u8], names: &FieldNames, text: Vec<u8>) -> Result<Line, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let found = deserializer.deserialize_map(Object { names, buffer: Some(text) })?;
    deserializer.end()?;
    Ok(found)
}

struct Object<'n> {
    names: &'n FieldNames,
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
            if key.as_deref() == Some(self.names.text.as_bytes()) {
                let buffer = line.text.take().or(self.buffer.take()).unwrap_or_default();
                line.text = map.next_value_seed(Into(buffer, Takes::Text))?.0;
            } else if key.as_deref() == Some(self.names.id.as_bytes()) {
                line.id = map.next_value_seed(Into(Vec::new(), Takes::TextOrNumber))?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(line)
    }
}

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// A string.
    Key,
    /// A string, or nothing.
    Text,
    TextOrNumber,
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
            // Nothing else than `any` takes numbers too; names are UTF-8 then, or the line is refused.
            Takes::TextOrNumber => deserializer.deserialize_any(self),
        }
    }
}

impl Into {
    fn number(self, number: impl fmt::Display) -> Bytes {
        Bytes(Some(number.to_string().into_bytes()))
    }
}

impl<'de> Visitor<'de> for Into {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.1 == Takes::TextOrNumber { "a string or a number" } else { "a string" })
    }

    fn visit_bytes<E: Error>(mut self, bytes: &[u8]) -> Result<Bytes, E> {
        self.0.clear();
        self.0.extend_from_slice(bytes);
        Ok(Bytes(Some(self.0)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
        self.visit_bytes(text.as_bytes())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Bytes, E> {
        Ok(self.number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Bytes, E> {
        Ok(self.number(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Bytes, E> {
        Ok(self.number(number))
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
        let names = FieldNames { text: "text".into(), id: "id".into() };
        let line = |text: &[u8], id: &[u8]| Line { text: Some(text.into()), id: Some(id.into()) };
        let rows: [(&[u8], Line); 10] = [
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
            (br#"{"text":null}"#, Line::default()),
            (br#"{}"#, Line::default()),
        ];
        for (json, expected) in rows {
            let found = read_line(json, &names, b"old".to_vec()).unwrap();
            assert_eq!(found, expected, "{}", json.escape_ascii());
        }
    }

    #[test]
    fn what_is_no_object_with_a_text_is_refused() {
        let names = FieldNames { text: "text".into(), id: "id".into() };
        for json in [
            "",
            "words",
            "[1]",
            "\"text\"",
            "{\"text\":1}",
            "{\"text\":[1]}",
            "{} {}",
            "{\"text\":\"",
            "{\"id\":{}}",
        ] {
            assert!(read_line(json.as_bytes(), &names, Vec::new()).is_err(), "{json}");
        }
    }
}
