//! Groups, band by band: each band is sorted, its runs are checked, and what they find joins classes before the next
//! band begins. Later bands find most of their runs in one class already and cost little more than the sort.
//!
//! After each band the unions that it found are added to a journal. There are fewer of them than documents, so that the
//! journal stays small; after a kill the finished bands are replayed from it.
//!
//! When documents were added since all bands were done, the bands are gone through once more, and only pairs with a new
//! document are compared: what was found among the others is in the journal. So groups cost one pass over the keys and
//! what the new documents have in common with others, and are the same as if all had been there from the beginning.
//!
//! ```text
//! record 0   the name: all that the groups depend on, beside how many documents there are
//! record n   1 if this is the last record of its band, else 0; how many documents there were;
//!            candidates, verified, copies, unreadable, left out; pairs
//! ```
//!
//! A band has several records only if it found millions of unions: a record of a journal has a largest size.

use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter};

use super::Work;
use super::different_pairs::DifferentPairs;
use super::pair::Pair;
use super::reports::{Checks, Stage, UnreadableNow, Watcher};
use super::run_checks::{Known, RunChecker};
use crate::union_find::UnionFind;
use crate::{Documents, Error};

/// Unions in a record: at most ten bytes each, so that a record stays far below what a journal takes.
const RECORD_UNIONS_MAX: usize = 1 << 20;

pub(super) const FORMAT: Format = Format { magic: *b"CRVGROUP", version: 4 };

/// Joins the classes of all documents that are copies.
pub(crate) fn banded_groups(
    work: &Work<'_>,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
) -> Result<(UnionFind, Checks), Error> {
    let count = work.files.documents();
    let bands = work.layout.columns;
    let size = Size { documents: count, bands };
    let mut finished = FinishedBands::open(&work.folder.join("groups.log"), &work.groups_name(), size)?;
    let first_new = finished.compared;
    let mut different = DifferentPairs::new(work.config.memory_bytes / 4);
    let mut in_vain = vec![0u16; count as usize];
    let mut unreadable = UnreadableNow::new(watcher);
    for band in finished.bands..bands {
        watcher.progress(Stage::Sorting, band as u64 * u64::from(count), bands as u64 * u64::from(count));
        let mut unions = Vec::new();
        let mut newly_different = Vec::new();
        let mut newly_in_vain = Vec::new();
        let mut checks = Checks::default();
        finished.classes.flatten();
        let known = Known { classes: &finished.classes, different: &different, in_vain: &in_vain, first_new };
        work.key_sorter(first_new).runs(
            band..band + 1,
            || RunChecker::new(work.verifier(documents), work.files.slot_reader()),
            |checker, runs| Ok((checker.check(runs, &known)?, checker.take_checks())),
            |done: Result<_, Error>| {
                let (found, work_done) = done?;
                found.unreadable.iter().for_each(|(document, why)| unreadable.tell(*document, why));
                unions.extend(found.unions);
                let room = known.different.at_once_max() - newly_different.len();
                newly_different.extend(found.different.into_iter().take(room));
                newly_in_vain.extend(found.in_vain);
                checks += work_done;
                Ok(())
            },
        )?;
        checks.unreadable = unreadable.take_count();
        newly_different.into_iter().for_each(|pair| different.insert(pair));
        newly_in_vain.into_iter().for_each(|found| in_vain[found.document as usize] += found.more);
        finished.add(&unions, checks)?;
    }
    watcher.progress(Stage::Sorting, bands as u64 * u64::from(count), bands as u64 * u64::from(count));
    Ok((finished.classes, finished.checks))
}

/// How much there is to compare.
#[derive(Debug, Clone, Copy)]
struct Size {
    documents: u32,
    bands: usize,
}

/// The bands that are done, and what they found.
struct FinishedBands {
    journal: JournalWriter,
    classes: UnionFind,
    size: Size,
    /// How many are done with all documents that there are now.
    bands: usize,
    /// The documents before this one were compared with each other in all bands.
    compared: u32,
    checks: Checks,
}

impl FinishedBands {
    /// Replays what was found under the same name, or begins anew.
    fn open(path: &Path, name: &str, size: Size) -> Result<Self, Error> {
        if let Some(reader) = reader_of(path, name)?
            && let Some(replayed) = Self::replay(path, reader, size)?
        {
            return Ok(replayed);
        }
        let mut journal = JournalWriter::create(path, FORMAT)?;
        journal.append(FieldWriter::new().text(name).as_bytes());
        journal.flush()?;
        let classes = UnionFind::new(size.documents);
        Ok(Self { journal, classes, size, bands: 0, compared: 0, checks: Checks::default() })
    }

    /// What a journal found; nothing if it cannot be gone on with: it knows more documents than there are, or some that
    /// have come since are to be compared with one that could not be read then.
    fn replay(path: &Path, mut reader: JournalReader, size: Size) -> Result<Option<Self>, Error> {
        let mut classes = UnionFind::new(size.documents);
        let (mut checks, mut end) = (Checks::default(), reader.position());
        // Of how many documents the last bands are, how many bands, and of how many all are done.
        let (mut documents, mut bands, mut compared) = (0, 0, 0);
        // The unions of a band that is not finished count for nothing.
        let mut part = BandPart::default();
        while let Some(record) = reader.next_record()? {
            let offset = record.offset;
            let damaged =
                |_| Error::Damaged { path: path.to_owned(), offset, what: "a record cannot be read" };
            if part.read(record.payload).map_err(damaged)? {
                let BandPart { unions, checks: of_band, documents: of_documents } = std::mem::take(&mut part);
                if of_documents > size.documents {
                    return Ok(None);
                }
                unions.iter().for_each(|pair| _ = classes.union(pair.first(), pair.second()));
                checks += of_band;
                bands = if of_documents == documents { bands + 1 } else { 1 };
                documents = of_documents;
                compared = if bands == size.bands { documents } else { compared };
                end = reader.position();
            }
        }
        let has_grown = documents < size.documents;
        if has_grown && checks.unreadable > 0 {
            return Ok(None);
        }
        let bands = if has_grown { 0 } else { bands };
        let journal = JournalWriter::open_at(path, FORMAT, end)?;
        Ok(Some(Self { journal, classes, size, bands, compared, checks }))
    }

    fn add(&mut self, unions: &[Pair], checks: Checks) -> Result<(), Error> {
        let joined: Vec<Pair> =
            (unions.iter().copied()).filter(|pair| self.classes.union(pair.first(), pair.second())).collect();
        let mut parts = joined.chunks(RECORD_UNIONS_MAX).peekable();
        loop {
            let part = parts.next().unwrap_or_default();
            let is_last = parts.peek().is_none();
            let checks = if is_last { checks } else { Checks::default() };
            self.journal.append(&record_of(is_last, self.size.documents, checks, part));
            self.journal.flush()?;
            if is_last {
                break;
            }
        }
        self.bands += 1;
        self.checks += checks;
        Ok(())
    }
}

/// A reader behind the name of a journal, if it is the wanted one.
fn reader_of(path: &Path, name: &str) -> Result<Option<JournalReader>, Error> {
    if !path.exists() || fs::metadata(path)?.len() < journal::HEADER_BYTES {
        return Ok(None);
    }
    let mut reader = match JournalReader::open(path, FORMAT) {
        Err(journal::Error::Version { .. }) => return Ok(None),
        reader => reader?,
    };
    let is_same = match reader.next_record()? {
        Some(record) => FieldReader::new(record.payload).text() == Ok(name),
        None => false,
    };
    Ok(is_same.then_some(reader))
}

fn record_of(is_last: bool, documents: u32, checks: Checks, unions: &[Pair]) -> Vec<u8> {
    let mut fields = FieldWriter::new();
    fields.number(is_last.into()).number(documents.into());
    fields.number(checks.candidates).number(checks.verified).number(checks.copies).number(checks.unreadable);
    fields.number(checks.left_out);
    for pair in unions {
        fields.number(pair.first().into()).number(pair.second().into());
    }
    fields.as_bytes().to_vec()
}

/// What was read so far of a band.
#[derive(Debug, Default)]
struct BandPart {
    unions: Vec<Pair>,
    checks: Checks,
    documents: u32,
}

impl BandPart {
    /// Adds a record; true if it is the last one of the band.
    fn read(&mut self, payload: &[u8]) -> Result<bool, journal::Malformed> {
        let mut fields = FieldReader::new(payload);
        let is_last = fields.number()? != 0;
        self.documents = fields.small()?;
        self.checks += Checks {
            candidates: fields.number()?,
            verified: fields.number()?,
            copies: fields.number()?,
            unreadable: fields.number()?,
            left_out: fields.number()?,
        };
        while !fields.is_empty() {
            let (first, second) = (fields.small::<u32>()?, fields.small::<u32>()?);
            if first.max(second) >= self.documents {
                return Err(journal::Malformed);
            }
            self.unions.push(Pair::new(first, second));
        }
        Ok(is_last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_of_any_number_of_unions_is_replayed_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("groups.log");
        let documents = 2 * RECORD_UNIONS_MAX as u32 + 10;
        let chain = |from: u32, to: u32| (from..to).map(|n| Pair::new(n, n + 1)).collect::<Vec<_>>();
        let checks = Checks { candidates: 5, verified: 4, copies: 3, unreadable: 2, left_out: 1 };
        let size = Size { documents, bands: 3 };
        let mut bands = FinishedBands::open(&path, "test", size).unwrap();
        bands.add(&chain(0, 2), checks).unwrap();
        let one_band = fs::metadata(&path).unwrap().len();
        bands.add(&chain(3, documents - 1), checks).unwrap();
        let names = bands.classes.into_names();
        let mut twice = checks;
        twice += checks;

        let again = FinishedBands::open(&path, "test", size).unwrap();
        assert_eq!((again.bands, again.checks), (2, twice));
        assert_eq!(again.classes.into_names(), names);
        drop(again.journal);

        // Without its last record the second band is as good as never begun.
        let length = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
        let mut cut = FinishedBands::open(&path, "test", size).unwrap();
        assert_eq!((cut.bands, cut.checks), (1, checks));
        assert_eq!(cut.classes.find(4), 4);
        assert_eq!(fs::metadata(&path).unwrap().len(), one_band);
    }
}
