//! What is known of the documents of an index beside their words, on disk: gathered once, then mapped by whoever searches.
//!
//! ```text
//! payload (of a sealed file, kind "know"):
//!   of           u64    identity of the set whose documents these are
//!   documents    u32
//!   parts, each with its length before it (u64):
//!     made from         what it was gathered from, in the words of who did
//!     sites             of each host and folder: where it is, its host, where its name ends (u32 each); the numbers of the
//!                       hosts (u32 each); the folder of each document (u32 each); the names
//!     facts             ends of the names of languages (u32 each), the names, that of each document (u8 each); kinds alike;
//!                       the day of each document (u16 each); how many say themselves when they were written (u64)
//!     copies            the group of each document, the members of all groups, where each group ends (u32 each); editions
//!                       whose language is known (u32 each), their languages (two letters each)
//!     ranks             of each document, in multiples of the average (f32 each); nothing if there are none
//!     address lengths   of each document, in bytes (u16 each)
//!     names             where each ends (u32 each), the names of sites, the front page of each (u32 each)
//! ```
//!
//! The file is written under another name and renamed, so that readers see the old or the new one.
//!
//! Cost: 22 bytes per document, and what copies and folders take. Opening verifies every byte, and copies ranks and members of
//! groups; the rest stays where it is.

use std::path::Path;
use std::sync::Arc;

use journal::{Format, Kind, SealedFile, u32_at, u64_at};
use page::{DocId, SetId};

use crate::columns::{Column, PartsReader, PartsWriter};
use crate::copies::Copies;
use crate::facts::Facts;
use crate::site_names::SiteNames;
use crate::sites::Sites;

/// How it is written.
pub const KNOWN_FORMAT: Format = Format { magic: *b"CRVKNOWN", version: 2 };

const KIND: Kind = *b"know";
const HEAD_BYTES: usize = 12;

/// What is known of the documents of an index beside their words.
#[derive(Debug, Clone)]
pub struct Known {
    /// Whose documents these are.
    pub of: SetId,
    /// What it was gathered from, in the words of who did.
    pub made_from: String,
    /// Where they are from.
    pub sites: Sites,
    /// Their languages, kinds and dates.
    pub facts: Facts,
    /// Which of them are copies.
    pub copies: Copies,
    /// What the web thinks of them, in multiples of the average; `None` if that is not known.
    pub ranks: Option<Arc<[f32]>>,
    /// How long their addresses are.
    pub address_lengths: AddressLengths,
    /// What sites are called that hosts do not tell apart.
    pub names: SiteNames,
}

impl Known {
    /// Puts it at `path`, whatever was there before.
    pub fn write(&self, path: &Path) -> Result<(), journal::Error> {
        let mut parts = PartsWriter::default();
        parts.bytes.extend(self.of.get().to_le_bytes());
        parts.bytes.extend(self.address_lengths.documents().to_le_bytes());
        parts.bytes(self.made_from.as_bytes());
        self.sites.write(&mut parts);
        self.facts.write(&mut parts);
        self.copies.write(&mut parts);
        parts.numbers(self.ranks.iter().flat_map(|ranks| ranks.iter().map(|rank| rank.to_bits())));
        parts.column(&self.address_lengths.0);
        self.names.write(&mut parts);
        journal::replace_sealed(path, KNOWN_FORMAT, KIND, &parts.bytes)?;
        Ok(())
    }

    /// Opens and verifies a file.
    pub fn open(path: &Path) -> Result<Self, journal::Error> {
        let payload = SealedFile::open(path, KNOWN_FORMAT, KIND)?.into_payload()?;
        let lie = || journal::Error::Damaged {
            path: path.to_owned(),
            offset: 0,
            what: "it does not have what it should have of each document",
        };
        let head = payload.get(..HEAD_BYTES).ok_or_else(lie)?;
        let (of, documents) = (SetId::new(u64_at(head, 0)), u32_at(head, 8));
        let parts = payload.cut(HEAD_BYTES..payload.len()).map(PartsReader::new);
        parts.and_then(|parts| Self::read(parts, of, documents)).ok_or_else(lie)
    }

    fn read(mut parts: PartsReader, of: SetId, documents: u32) -> Option<Self> {
        let made_from = parts.text()?;
        let (sites, facts) = (Sites::read(&mut parts, documents)?, Facts::read(&mut parts, documents)?);
        let copies = Copies::read(&mut parts, documents)?;
        let ranks: Arc<[f32]> = parts.any_column()?.numbers().map(f32::from_bits).collect();
        let ranks = match ranks.len() as u32 {
            0 => None,
            count => (count == documents).then_some(Some(ranks))?,
        };
        let address_lengths = AddressLengths(parts.column(documents as usize)?);
        let names = SiteNames::read(&mut parts, documents)?;
        let known = Self { of, made_from, sites, facts, copies, ranks, address_lengths, names };
        parts.is_empty().then_some(known)
    }
}

/// How long the addresses of documents are.
#[derive(Debug, Clone, Default)]
pub struct AddressLengths(Column<2>);

impl AddressLengths {
    /// Of so many documents, none known yet.
    pub fn new(documents: u32) -> Self {
        Self(Column::of([0; 2], documents))
    }

    /// The address of a document has so many bytes.
    pub fn set(&mut self, doc: DocId, bytes: usize) {
        if let Some(length) = self.0.rows_mut().get_mut(doc.index()) {
            *length = u16::try_from(bytes).unwrap_or(u16::MAX).to_le_bytes();
        }
    }

    /// How many documents there are.
    pub fn documents(&self) -> u32 {
        self.0.len() as u32
    }

    /// How many bytes the address of a document has; 0 if that is not known.
    pub fn get(&self, doc: DocId) -> u16 {
        self.0.get(doc.index()).map_or(0, u16::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use page::Timestamp;

    use super::*;
    use crate::reader::ReaderLanguages;

    fn known() -> Known {
        let (mut sites, mut facts) = (Sites::new(4), Facts::new(4));
        let pages = [("a.org", "/docs/x"), ("b.org", "/"), ("a.org", "/docs/de/y"), ("a.org", "/")];
        for ((host, path), doc) in pages.into_iter().zip((0..).map(DocId::new)) {
            sites.add(host, path, Some(doc));
            facts.set_media_type(doc, if doc.get() == 1 { "text/plain" } else { "" });
            facts.set_fetched(doc, Timestamp(86_400_000 * u64::from(doc.get())));
        }
        facts.set_language(DocId::new(2), "two\nlines");
        facts.set_language(DocId::new(3), "de");
        facts.set_written(DocId::new(3), Timestamp(86_400_000 * 9));
        let mut address_lengths = AddressLengths::new(4);
        address_lengths.set(DocId::new(2), 17);
        address_lengths.set(DocId::new(3), 1 << 20);
        let copies = Copies::new(4, [&[3, 0].map(DocId::new)[..]]).with_languages([(DocId::new(0), *b"de")]);
        let ranks = Some([0.5, 0.0, 2.0, f32::MIN_POSITIVE].into());
        let mut names = SiteNames::default();
        names.add("docs x", DocId::new(2));
        names.add("docs", DocId::new(3));
        let made_from = "this".into();
        Known { of: SetId::new(7), made_from, sites, facts, copies, ranks, address_lengths, names }
    }

    #[test]
    fn what_is_known_is_the_same_when_it_comes_from_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("documents");
        for ranks in [known().ranks, None] {
            let known = Known { ranks, ..known() };
            known.write(&path).unwrap();
            let read = Known::open(&path).unwrap();
            assert_eq!((read.of, &*read.made_from, read.ranks), (known.of, "this", known.ranks));
            assert_eq!(read.copies, known.copies);
            for words in [&["docs"][..], &["x"], &["y"]] {
                assert_eq!(read.names.called(words), known.names.called(words));
            }
            assert_eq!(read.names.called(&["x", "docs"]).fronts, [DocId::new(2)]);
            assert_eq!(read.copies.canonical(0, &ReaderLanguages::parse("de")).get(), 0);
            let docs = || (0..5).map(DocId::new);
            for doc in docs() {
                assert_eq!(read.sites.host(doc), known.sites.host(doc));
                assert_eq!(read.sites.depth(doc), known.sites.depth(doc));
                assert_eq!(read.facts.day(doc), known.facts.day(doc));
                assert_eq!(read.address_lengths.get(doc), known.address_lengths.get(doc));
            }
            let of_folder = |sites: &Sites| {
                let wanted = sites.below("org", "/docs");
                docs().map(|doc| sites.is_from(doc, &wanted)).collect::<Vec<_>>()
            };
            assert_eq!(of_folder(&read.sites), [true, false, true, false, false]);
            assert_eq!(of_folder(&read.sites), of_folder(&known.sites));
            assert_eq!(read.facts.languages.names(), ["de", "two\nlines"]);
            assert_eq!(read.facts.kinds.names(), ["text"]);
            let text = read.facts.kinds.number("text");
            assert!(read.facts.kinds.has(DocId::new(1), text) && !read.facts.kinds.has(DocId::new(0), text));
            assert_eq!((read.facts.dated(), read.sites.hosts()), (1, 2));
        }
    }

    #[test]
    fn a_flipped_or_missing_byte_of_what_is_known_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("documents");
        known().write(&path).unwrap();
        let good = std::fs::read(&path).unwrap();
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 1;
            for bytes in [&bad[..], &good[..place]] {
                std::fs::write(&path, bytes).unwrap();
                let error = Known::open(&path).unwrap_err().to_string();
                assert!(error.contains(path.to_str().unwrap()), "{error}");
            }
        }
    }

    /// Asks for everything that a search asks for.
    fn use_it(known: &Known) {
        let documents = known.address_lengths.documents();
        let reader = ReaderLanguages::parse("de,en");
        for doc in (0..documents).map(DocId::new) {
            let _ = (known.sites.host(doc), known.sites.depth(doc), known.facts.day(doc));
            if let Some(group) = known.copies.group_of(doc) {
                assert!(known.copies.canonical(group, &reader).get() < documents);
                assert!(known.copies.members(group).iter().all(|doc| doc.get() < documents));
            }
        }
        known.sites.sums(&[1.0; 4]);
        assert!(known.names.called(&["docs"]).fronts.iter().all(|doc| doc.get() < documents));
        known.sites.below("org", "/docs/de");
        known.facts.ages(documents).for_each(drop);
        let _ = (known.facts.languages.names(), known.facts.kinds.names());
    }

    #[test]
    fn numbers_that_do_not_fit_together_are_refused_or_harmless_whatever_the_checksum() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("documents");
        known().write(&path).unwrap();
        let good = SealedFile::open(&path, KNOWN_FORMAT, KIND).unwrap().into_payload().unwrap().to_vec();
        let mut refused = 0;
        for place in 0..good.len() {
            for number in [0u32, 1, 3, 5, u32::MAX - 1, u32::MAX] {
                let mut bad = good.clone();
                let end = (place + 4).min(bad.len());
                bad[place..end].copy_from_slice(&number.to_le_bytes()[..end - place]);
                journal::write_sealed(&path, KNOWN_FORMAT, KIND, &bad).unwrap();
                match Known::open(&path) {
                    Ok(known) => use_it(&known),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > good.len(), "{refused} of {}", 6 * good.len());
    }
}
