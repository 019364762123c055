//! Groups of copies on disk, by the keys of their pages.
//!
//! ```text
//! magic "CRVCOPYS", version (u32), four zero bytes
//! fields: stamp, settings (texts), threshold (the eight bytes of a double), documents, exact copies, number of groups
//! per group: number of members, then their keys, each as a number
//! checksum of everything before (u64, XXH3)
//! ```
//!
//! Numbers without a width have seven bits a byte, low ones first. The file is replaced whole by a rename, and read whole:
//! 24 bytes of memory per member. A flipped or missing byte anywhere is an error.

use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Malformed};
use page::PageKey;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

/// The first bytes of the file.
pub const GROUPS_MAGIC: [u8; 8] = *b"CRVCOPYS";
/// The version that this build writes, and the only one that it reads.
pub const GROUPS_VERSION: u32 = 1;

const HEAD_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 8;

/// What the groups were made from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupsSource {
    /// What was covered, in the words of whoever made the groups.
    pub stamp: String,
    /// How copies were looked for, in words.
    pub settings: String,
    /// Two documents were copies when their similarity was at least this.
    pub threshold: f64,
    /// Documents that were looked at.
    pub documents: u64,
    /// Those that equal an earlier one, shingle for shingle.
    pub exact_copies: u64,
}

/// Groups of two or more pages. The first key of each stands for the group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupsFile {
    /// What they were made from.
    pub source: GroupsSource,
    members: Vec<PageKey>,
    /// Where each group ends in `members`.
    ends: Vec<usize>,
    /// All members, sorted by key.
    by_key: Vec<Member>,
}

/// A page and the number of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    key: PageKey,
    group: u32,
}

impl GroupsFile {
    /// Puts groups together. Groups of fewer than two are left out.
    pub fn new(source: GroupsSource, groups: impl IntoIterator<Item = Vec<PageKey>>) -> Self {
        let mut file = Self { source, ..Self::default() };
        groups.into_iter().filter(|group| group.len() > 1).for_each(|group| file.push(&group));
        file.by_key.sort_unstable();
        file
    }

    fn push(&mut self, group: &[PageKey]) {
        let number = self.ends.len() as u32;
        self.members.extend_from_slice(group);
        self.ends.push(self.members.len());
        self.by_key.extend(group.iter().map(|key| Member { key: *key, group: number }));
    }

    /// All groups.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[PageKey]> {
        (0..self.ends.len()).map(|group| self.get(group))
    }

    /// The keys of a group.
    pub fn get(&self, group: usize) -> &[PageKey] {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[group]]
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when nothing is a copy of anything.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many documents are copies of the one that stands for their group.
    pub fn copies(&self) -> u64 {
        (self.members.len() - self.ends.len()) as u64
    }

    /// The group that a key is in.
    pub fn group_of(&self, key: PageKey) -> Option<usize> {
        let place = self.by_key.binary_search_by_key(&key, |member| member.key).ok()?;
        Some(self.by_key[place].group as usize)
    }

    /// Puts the file at `path`, in one rename.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let mut fields = FieldWriter::new();
        fields.fixed(&GROUPS_MAGIC).fixed(&GROUPS_VERSION.to_le_bytes()).fixed(&[0; 4]);
        let source = &self.source;
        fields.text(&source.stamp).text(&source.settings).fixed(&source.threshold.to_le_bytes());
        fields.number(source.documents).number(source.exact_copies).number(self.ends.len() as u64);
        for group in self.iter() {
            fields.number(group.len() as u64);
            for key in group {
                fields.number(key.get());
            }
        }
        let checksum = xxh3_64(fields.as_bytes());
        fields.fixed(&checksum.to_le_bytes());
        Ok(journal::replace_file(path, fields.as_bytes())?)
    }

    /// What tells a file from every other: its checksum, which is not compared with its bytes. `None` if there is no such file.
    pub fn identity(path: &Path) -> Result<Option<u64>, Error> {
        let mut file = match fs::File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut checksum = [0; CHECKSUM_BYTES];
        if file.metadata()?.len() >= CHECKSUM_BYTES as u64 {
            file.seek(SeekFrom::End(-(CHECKSUM_BYTES as i64)))?;
            file.read_exact(&mut checksum)?;
        }
        Ok(Some(u64::from_le_bytes(checksum)))
    }

    /// Reads the file; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Self>, Error> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let damaged =
            |offset: usize, what| Error::Damaged { path: PathBuf::from(path), offset: offset as u64, what };
        let Some((body, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(damaged(0, "the file is too short"));
        };
        if body.len() < HEAD_BYTES || !body.starts_with(&GROUPS_MAGIC) {
            return Err(journal::Error::Foreign { path: path.to_owned() }.into());
        }
        let version = u32::from_le_bytes(body[8..12].try_into().expect("four bytes are four bytes"));
        if version != GROUPS_VERSION {
            return Err(journal::Error::Version {
                path: path.to_owned(),
                found: version,
                expected: GROUPS_VERSION,
            }
            .into());
        }
        if xxh3_64(body) != u64::from_le_bytes(*checksum) {
            return Err(damaged(body.len(), "a checksum is wrong"));
        }
        let decoded = Self::decode(&body[HEAD_BYTES..]);
        decoded.map(Some).map_err(|Malformed| damaged(HEAD_BYTES, "the groups cannot be read"))
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut fields = FieldReader::new(bytes);
        let source = GroupsSource {
            stamp: fields.text()?.to_owned(),
            settings: fields.text()?.to_owned(),
            threshold: f64::from_le_bytes(fields.fixed()?),
            documents: fields.number()?,
            exact_copies: fields.number()?,
        };
        let mut file = Self { source, ..Self::default() };
        let mut group = Vec::new();
        for _ in 0..fields.number()? {
            group.clear();
            for _ in 0..fields.number()? {
                group.push(PageKey::new(fields.number()?));
            }
            if group.len() < 2 {
                return Err(Malformed);
            }
            file.push(&group);
        }
        file.by_key.sort_unstable();
        if fields.is_empty() { Ok(file) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(numbers: &[u64]) -> Vec<PageKey> {
        numbers.iter().map(|number| PageKey::new(*number)).collect()
    }

    fn example() -> GroupsFile {
        let source = GroupsSource {
            stamp: "pages.tbl 812".into(),
            settings: "words:5".into(),
            threshold: 0.8,
            documents: 9,
            exact_copies: 1,
        };
        GroupsFile::new(source, [keys(&[700, 3, u64::MAX]), keys(&[5]), vec![], keys(&[16, 90])])
    }

    #[test]
    fn groups_come_back_as_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("groups");
        assert_eq!(GroupsFile::read(&path).unwrap(), None);
        for groups in [GroupsFile::default(), example()] {
            groups.write(&path).unwrap();
            assert_eq!(GroupsFile::read(&path).unwrap(), Some(groups));
        }
        let groups = example();
        assert_eq!(groups.iter().collect::<Vec<_>>(), [keys(&[700, 3, u64::MAX]), keys(&[16, 90])]);
        assert_eq!((groups.len(), groups.copies()), (2, 3));
        assert_eq!(
            [3, 90, 5, 4].map(|key| groups.group_of(PageKey::new(key))),
            [Some(0), Some(1), None, None]
        );
    }

    #[test]
    fn a_flipped_or_missing_byte_of_the_groups_is_an_error_that_names_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("groups");
        example().write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let expect_error = |bytes: &[u8], what: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = GroupsFile::read(&path).expect_err(what).to_string();
            assert!(error.contains(path.to_str().unwrap()), "{error}");
        };
        for position in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[position] ^= 1;
            expect_error(&flipped, &format!("byte {position} was flipped"));
            expect_error(&bytes[..position], &format!("only {position} bytes were left"));
        }
    }

    #[test]
    fn groups_of_fewer_than_two_are_refused_though_the_checksum_is_right() {
        for members in [&[][..], &[7]] {
            let mut fields = FieldWriter::new();
            fields.text("").text("").fixed(&0.8f64.to_le_bytes()).number(1).number(0).number(1);
            fields.number(members.len() as u64);
            members.iter().for_each(|key| _ = fields.number(*key));
            assert!(GroupsFile::decode(fields.as_bytes()).is_err(), "{members:?}");
        }
    }
}
