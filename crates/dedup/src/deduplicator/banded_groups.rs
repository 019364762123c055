//! Groups, band by band: each band is sorted, its runs are checked, and what they find joins classes before the next
//! band begins. Later bands find most of their runs in one class already and cost little more than the sort.
//!
//! After each band the unions that it found are added to a journal. There are fewer of them than documents, so that the
//! journal stays small; after a kill the finished bands are replayed from it.

use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Format, JournalReader, JournalWriter};

use super::Work;
use super::pair::Pair;
use super::reports::{Checks, Stage, Watcher};
use super::run_checks::{DifferentPairs, Known, RunChecker};
use crate::union_find::UnionFind;
use crate::{Documents, Error};

pub(super) const FORMAT: Format = Format { magic: *b"CRVGROUP", version: 1 };

/// Joins the classes of all documents that are copies.
pub(crate) fn banded_groups(
    work: &Work<'_>,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
) -> Result<(UnionFind, Checks), Error> {
    let count = work.files.documents();
    let bands = work.layout.columns;
    let mut finished = FinishedBands::open(&work.folder.join("groups.log"), &work.groups_name(), count)?;
    let mut different =
        DifferentPairs::new((work.config.memory_bytes / 32 / 8).clamp(1 << 10, 1 << 20) as usize);
    for band in finished.bands..bands {
        watcher.progress(Stage::Sorting, band as u64 * u64::from(count), bands as u64 * u64::from(count));
        let mut unions = Vec::new();
        let mut newly_different = Vec::new();
        let mut checks = Checks::default();
        finished.classes.flatten();
        let known = Known { classes: &finished.classes, different: &different };
        work.key_sorter().runs(
            band..band + 1,
            || RunChecker::new(work.verifier(documents), work.files.slot_reader()),
            |checker, runs| Ok((checker.check(runs, &known)?, checker.take_checks())),
            |done: Result<_, Error>| {
                let (found, work_done) = done?;
                unions.extend(found.unions);
                newly_different.extend(found.different);
                checks += work_done;
                Ok(())
            },
        )?;
        newly_different.into_iter().for_each(|pair| different.insert(pair));
        finished.add(&unions, checks)?;
    }
    watcher.progress(Stage::Sorting, bands as u64 * u64::from(count), bands as u64 * u64::from(count));
    Ok((finished.classes, finished.checks))
}

/// The bands that are done, and what they found.
struct FinishedBands {
    journal: JournalWriter,
    classes: UnionFind,
    bands: usize,
    checks: Checks,
}

impl FinishedBands {
    /// Replays what was found under the same name, or begins anew.
    fn open(path: &Path, name: &str, documents: u32) -> Result<Self, Error> {
        let mut classes = UnionFind::new(documents);
        let (mut bands, mut checks) = (0, Checks::default());
        if let Some(mut reader) = reader_of(path, name)? {
            while let Some(record) = reader.next_record()? {
                let offset = record.offset;
                let damaged =
                    |_| Error::Damaged { path: path.to_owned(), offset, what: "a record cannot be read" };
                checks += replay(record.payload, &mut classes).map_err(damaged)?;
                bands += 1;
            }
            let journal = JournalWriter::open_at(path, FORMAT, reader.position())?;
            return Ok(Self { journal, classes, bands, checks });
        }
        let mut journal = JournalWriter::create(path, FORMAT)?;
        journal.append(FieldWriter::new().text(name).as_bytes());
        journal.flush()?;
        Ok(Self { journal, classes, bands, checks })
    }

    fn add(&mut self, unions: &[Pair], checks: Checks) -> Result<(), Error> {
        let mut fields = FieldWriter::new();
        fields.number(checks.candidates).number(checks.verified).number(checks.copies);
        for pair in unions {
            if self.classes.union(pair.first(), pair.second()) {
                fields.number(pair.first().into()).number(pair.second().into());
            }
        }
        self.journal.append(fields.as_bytes());
        self.journal.flush()?;
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

fn replay(payload: &[u8], classes: &mut UnionFind) -> Result<Checks, journal::Malformed> {
    let mut fields = FieldReader::new(payload);
    let checks =
        Checks { candidates: fields.number()?, verified: fields.number()?, copies: fields.number()? };
    while !fields.is_empty() {
        let (first, second) = (fields.small::<u32>()?, fields.small::<u32>()?);
        if first.max(second) >= classes.members() {
            return Err(journal::Malformed);
        }
        classes.union(first, second);
    }
    Ok(checks)
}
