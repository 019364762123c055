//! The checkpoint: the [past](crate::past) in a file, `frontier/checkpoint`.
//!
//! ```text
//! rules, store: records pages links (0 | 1 file offset bytes), ready: part byte,
//! parts: count (ordinal held)*, pages_stored, copies_exact, copies_near,
//! done: words_before count word*, sites: count (key pages)*, domains: the same,
//! entries: count (key ordinal depth)*, starts: count fingerprint*, start_sites: count name*, hops: count (ordinal hops)*
//! ```
//!
//! Numbers of [`journal::FieldWriter`]; keys, words and fingerprints have eight bytes. It is a sealed file that is replaced by
//! a rename.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

use frontier::{CHECKPOINT_FORMAT, ReadyPlace};
use journal::{FieldReader, FieldWriter, Kind, Malformed, SealedFile};
use page::{Fingerprint, Ordinal, PageKey};
use store::{StorePoint, WarcPlace};

use crate::Error;
use crate::past::{Done, Past};

/// Which of the files that begin so.
const KIND: Kind = *b"past";

/// The name of the file in the folder of the frontier.
pub(crate) const NAME: &str = "checkpoint";

impl Past {
    /// Replaces the checkpoint in a folder by this one.
    pub(crate) fn save(&self, folder: &Path) -> Result<(), Error> {
        let sealed = journal::replace_sealed(&folder.join(NAME), CHECKPOINT_FORMAT, KIND, &self.encode());
        sealed.map_err(frontier::Error::from)?;
        Ok(())
    }

    /// Reads the checkpoint in a folder. One that is missing, damaged or of another version is none: all it costs is time.
    pub(crate) fn load(folder: &Path) -> Option<Self> {
        let path = folder.join(NAME);
        let read = || {
            let file = SealedFile::open(&path, CHECKPOINT_FORMAT, KIND).ok()?;
            Self::decode(file.all_bytes().ok()?).ok()
        };
        let past = read();
        if past.is_none() && path.exists() {
            tracing::warn!(path = %path.display(), "the checkpoint cannot be read: the whole page table is");
        }
        past
    }

    fn encode(&self) -> Vec<u8> {
        let mut fields = FieldWriter::new();
        let StorePoint { records, pages, links, warc } = self.store;
        fields.fixed(&self.rules.to_le_bytes()).number(records).number(pages.get()).number(links);
        match warc {
            Some(place) => {
                fields.number(1).number(place.file.into()).number(place.offset).number(place.bytes)
            }
            None => fields.number(0),
        };
        fields.number(self.ready.part.get()).number(self.ready.byte);
        put_all(&mut fields, &self.parts, |fields, (part, held)| {
            fields.number(part.get()).number(*held);
        });
        fields.number(self.pages_stored).number(self.copies_exact).number(self.copies_near);
        fields.number(self.done.words_before as u64);
        put_all(&mut fields, &self.done.words, |fields, word| _ = fields.fixed(&word.to_le_bytes()));
        for counts in [&self.sites, &self.domains] {
            put_all(&mut fields, counts, |fields, (key, pages)| {
                fields.fixed(&key.to_le_bytes()).number(*pages);
            });
        }
        put_all(&mut fields, &self.entries, |fields, (key, (ordinal, depth))| {
            fields.fixed(&key.to_le_bytes()).number(ordinal.get()).number(u64::from(*depth));
        });
        put_all(&mut fields, &self.starts, |fields, start| _ = fields.fixed(&start.get().to_le_bytes()));
        put_all(&mut fields, &self.start_sites, |fields, site| _ = fields.text(site));
        put_all(&mut fields, &self.hops, |fields, (ordinal, hops)| {
            fields.number(ordinal.get()).number(u64::from(*hops));
        });
        fields.into_bytes()
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let fields = &mut FieldReader::new(bytes);
        let rules = key(fields)?;
        let (records, pages, links) = (fields.number()?, PageKey::new(fields.number()?), fields.number()?);
        let warc = match fields.number()? {
            0 => None,
            _ => Some(WarcPlace { file: fields.small()?, offset: fields.number()?, bytes: fields.number()? }),
        };
        Ok(Self {
            rules,
            store: StorePoint { records, pages, links, warc },
            ready: ReadyPlace { part: Ordinal::new(fields.number()?), byte: fields.number()? },
            parts: take_all(fields, |fields| Ok((Ordinal::new(fields.number()?), fields.number()?)))?,
            pages_stored: fields.number()?,
            copies_exact: fields.number()?,
            copies_near: fields.number()?,
            done: Done { words_before: fields.small()?, words: take_all(fields, key)? },
            sites: counts(fields)?,
            domains: counts(fields)?,
            entries: take_all(fields, |fields| {
                Ok((key(fields)?, (Ordinal::new(fields.number()?), fields.small()?)))
            })?,
            starts: take_all(fields, |fields| Ok(Fingerprint::new(key(fields)?)))?,
            start_sites: take_all(fields, |fields| Ok(fields.text()?.into()))?,
            hops: take_all(fields, |fields| Ok((Ordinal::new(fields.number()?), fields.small()?)))?,
            ..Self::default()
        })
    }
}

fn put_all<T, I>(fields: &mut FieldWriter, all: I, mut put: impl FnMut(&mut FieldWriter, T))
where
    I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
{
    let all = all.into_iter();
    fields.number(all.len() as u64);
    all.for_each(|one| put(fields, one));
}

fn take_all<'a, T, C: FromIterator<T>>(
    fields: &mut FieldReader<'a>,
    mut take: impl FnMut(&mut FieldReader<'a>) -> Result<T, Malformed>,
) -> Result<C, Malformed> {
    let count = fields.number()?;
    (0..count).map(|_| take(fields)).collect()
}

fn key(fields: &mut FieldReader<'_>) -> Result<u64, Malformed> {
    Ok(u64::from_le_bytes(fields.fixed()?))
}

fn counts<K: Hash + Eq + From<u64>>(fields: &mut FieldReader<'_>) -> Result<HashMap<K, u64>, Malformed> {
    take_all(fields, |fields| Ok((key(fields)?.into(), fields.number()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_past() -> Past {
        let warc = Some(WarcPlace { file: 3, offset: 700, bytes: 20 });
        Past {
            rules: u64::MAX,
            store: StorePoint { records: 9, pages: PageKey::new(800), links: 77, warc },
            ready: ReadyPlace { part: Ordinal::new(64), byte: 99 },
            parts: [(Ordinal::new(0), 7), (Ordinal::new(32), 5)].into(),
            pages_stored: 8,
            copies_exact: 1,
            copies_near: 2,
            done: Done { words_before: 1, words: vec![5, u64::MAX] },
            sites: [(1 << 60, 4), (2, 9)].into(),
            domains: [(3, 1)].into(),
            entries: [(7, (Ordinal::new(2), 3))].into(),
            starts: [Fingerprint::new(17)].into(),
            start_sites: ["http://a.test".into()].into(),
            hops: [(Ordinal::new(5), 2)].into(),
            ..Past::default()
        }
    }

    #[test]
    fn what_is_saved_is_loaded_and_whatever_is_damaged_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Past::load(dir.path()), None);
        some_past().save(dir.path()).unwrap();
        assert_eq!(Past::load(dir.path()), Some(some_past()));
        let path = dir.path().join(NAME);
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            std::fs::write(&path, &changed).unwrap();
            assert!(Past::load(dir.path()).is_none(), "byte {at} was changed");
            std::fs::write(&path, &bytes[..at]).unwrap();
            assert!(Past::load(dir.path()).is_none(), "only {at} bytes are left");
        }
    }
}
