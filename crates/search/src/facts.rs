//! What is known of documents beside their words: language, kind and date, as plain values. This crate does not know where they
//! are from.
//!
//! Cost: a byte each for language and kind, two for the date, and each name once.

use page::{DocId, Timestamp};

use crate::columns::{Column, PartsReader, PartsWriter};

/// Languages, kinds and dates of the documents of an index.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub(crate) languages: Labels,
    pub(crate) kinds: Labels,
    /// Days since 1970, from 1 on; 0: not known.
    days: Column<2>,
    /// How many documents say themselves when they were written.
    dated: u64,
}

impl Facts {
    /// Of so many documents, nothing known yet.
    pub fn new(documents: u32) -> Self {
        let labels = || Labels { names: Vec::new(), of: Column::of([0], documents) };
        Self { languages: labels(), kinds: labels(), days: Column::of([0; 2], documents), dated: 0 }
    }

    pub(crate) fn write(&self, parts: &mut PartsWriter) {
        for labels in [&self.languages, &self.kinds] {
            parts.names(&labels.names);
            parts.column(&labels.of);
        }
        parts.column(&self.days);
        parts.bytes(&self.dated.to_le_bytes());
    }

    pub(crate) fn read(parts: &mut PartsReader, documents: u32) -> Option<Self> {
        let mut labels = || Some(Labels { names: parts.names()?, of: parts.column(documents as usize)? });
        let (languages, kinds) = (labels()?, labels()?);
        let days = parts.column(documents as usize)?;
        let dated = u64::from_le_bytes(parts.bytes()?.as_array().copied()?);
        Some(Self { languages, kinds, days, dated })
    }

    /// A document is in this language: a tag such as `de` or `pt-BR`, of which the first part counts.
    pub fn set_language(&mut self, doc: DocId, tag: &str) {
        self.languages.set(doc, &primary(tag));
    }

    /// A document has this media type, such as `text/html; charset=utf-8`.
    pub fn set_media_type(&mut self, doc: DocId, media_type: &str) {
        self.kinds.set(doc, &kind_of(media_type));
    }

    /// A document was fetched then, which is its date if it says none itself.
    pub fn set_fetched(&mut self, doc: DocId, at: Timestamp) {
        let day = self.days.rows_mut().get_mut(doc.index());
        if let Some(day) = day.filter(|day| **day == [0; 2]) {
            *day = day_of(at).to_le_bytes();
        }
    }

    /// A document says that it was written or changed then.
    pub fn set_written(&mut self, doc: DocId, at: Timestamp) {
        if let Some(day) = self.days.rows_mut().get_mut(doc.index()) {
            *day = day_of(at).to_le_bytes();
            self.dated += 1;
        }
    }

    /// The day of a document, if it has one.
    pub(crate) fn day(&self, doc: DocId) -> Option<u16> {
        self.days.get(doc.index()).map(u16::from_le_bytes).filter(|day| *day != 0)
    }

    /// How many days each of so many documents is older than the newest; no number where its day is not known.
    pub fn ages(&self, documents: u32) -> impl Iterator<Item = f32> {
        let newest = self.days.rows().iter().copied().map(u16::from_le_bytes).max().unwrap_or_default();
        let age = move |day: Option<u16>| day.map_or(f32::NAN, |day| f32::from(newest - day));
        (0..documents).map(DocId::new).map(move |doc| age(self.day(doc)))
    }

    /// How many documents say themselves when they were written.
    pub(crate) fn dated(&self) -> u64 {
        self.dated
    }
}

/// The number of a day, as documents have it.
pub(crate) fn day_of(at: Timestamp) -> u16 {
    (at.0 / 86_400_000).saturating_add(1).min(u64::from(u16::MAX)) as u16
}

/// The part of a tag that names the language.
pub(crate) fn primary(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What people call a media type: `html`, `text`, or the second part of it.
pub(crate) fn kind_of(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" | "htm" | "xhtml" => "html".to_owned(),
        "text/plain" | "txt" => "text".to_owned(),
        essence => essence.rsplit('/').next().unwrap_or_default().to_owned(),
    }
}

/// A name for each document, of not too many.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    names: Vec<String>,
    /// For each document one more than the number of its name; 0: none.
    of: Column<1>,
}

impl Labels {
    /// Names behind the 255th are not kept: such documents have none.
    fn set(&mut self, doc: DocId, name: &str) {
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        if let Some(place) = self.of.rows_mut().get_mut(doc.index()).filter(|_| !name.is_empty()) {
            *place = [u8::try_from(number + 1).unwrap_or(0)];
        }
    }

    /// The number by which documents have a name, if any has.
    pub(crate) fn number(&self, name: &str) -> Option<u8> {
        self.number_of(name).filter(|number| self.of.rows().contains(&[*number]))
    }

    /// The same, whether any document has it or not.
    pub(crate) fn number_of(&self, name: &str) -> Option<u8> {
        let place = self.names.iter().position(|known| known == name)?;
        u8::try_from(place + 1).ok()
    }

    /// The number of the name of a document; 0: it has none.
    #[inline]
    pub(crate) fn label(&self, doc: DocId) -> u8 {
        self.of.get(doc.index()).map_or(0, |[number]| number)
    }

    pub(crate) fn has(&self, doc: DocId, number: Option<u8>) -> bool {
        number.is_some() && self.of.get(doc.index()).map(|[number]| number) == number
    }

    /// The names that some document has, in their order.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.retain(|name| self.number(name).is_some());
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_days_are_those_that_were_given() {
        let (one, other, third) = (DocId::new(0), DocId::new(1), DocId::new(2));
        let mut facts = Facts::new(3);
        facts.set_language(one, "pt-BR");
        facts.set_language(other, "PT");
        facts.set_media_type(one, "text/html; charset=utf-8");
        facts.set_media_type(third, "text/markdown");
        facts.set_language(DocId::new(99), "de");
        assert_eq!((facts.languages.names(), facts.kinds.names()), (vec!["pt"], vec!["html", "markdown"]));
        let pt = facts.languages.number("pt");
        assert_eq!([one, other, third].map(|doc| facts.languages.has(doc, pt)), [true, true, false]);
        assert!(facts.languages.number("de").is_none() && !facts.languages.has(third, None));
        facts.set_written(one, Timestamp(5 * 86_400_000 + 7));
        facts.set_fetched(one, Timestamp(9 * 86_400_000));
        facts.set_fetched(other, Timestamp(9 * 86_400_000));
        assert_eq!([one, other, third].map(|doc| facts.day(doc)), [Some(6), Some(10), None]);
        assert_eq!(facts.dated(), 1);
    }

    #[test]
    fn more_names_than_a_byte_holds_are_not_mistaken_for_others() {
        let mut facts = Facts::new(300);
        (0..300).for_each(|doc| facts.set_language(DocId::new(doc), &format!("l{doc}")));
        let found = |name: &str| {
            let number = facts.languages.number(name);
            (0..300).filter(|doc| facts.languages.has(DocId::new(*doc), number)).collect::<Vec<_>>()
        };
        assert_eq!(
            (found("l7"), found("l254"), found("l255"), found("l299")),
            (vec![7], vec![254], vec![], vec![])
        );
    }
}
