//! Building an index in bounded memory.
//!
//! Documents are inverted in memory ([`crate::accumulator`]), by one thread or by several ([`crate::inverter`]); when the budget
//! is reached the lists are written as a sorted run ([`crate::run`]); at the end the runs and what is still in memory are merged
//! into the final form ([`crate::merge`]), each thread a range of the terms ([`crate::list_ranges`]). That is made
//! as a generation of its folder ([`journal::Generation`]) and committed by the manifest ([`crate::manifest`]), alone or
//! after the segments that were there before. A crash at any moment leaves the old index as it was.
//!
//! Cost: memory is the budget plus what one document of each thread needs (16 bytes per word) and two batches for each thread;
//! disk is the old index, the new one, with several threads its lists once more, and runs of about three bytes per word. The
//! bytes of a segment depend neither on the budget nor on the threads. Where documents are not numbered as they come, 16
//! bytes for each document more, and each list is sorted once more ([`crate::reorder`]).

use std::path::{Path, PathBuf};

use journal::Generation;
use page::{DocId, PageKey};

use crate::analyzer::Analysis;
use crate::bury::{bury_in, remove_others_of};
use crate::impact::ImpactModel;
use crate::inverter::{FieldLengths, Inverter};
use crate::keys::KeysWriter;
use crate::lengths::{LengthsWriter, encode_length};
use crate::list_ranges::{ListsWork, NewOrder};
use crate::manifest::{Codecs, IndexReport, Manifest, SEGMENT, SegmentCounts, SegmentEntry, averages};
use crate::merge::run_buffer_bytes;
use crate::order::{Order, inverse};
use crate::partition::Split;
use crate::prints::PrintsWriter;
use crate::segment_merge::divide_last;
use crate::segment_writer::SegmentWriter;
use crate::stems::Language;
use crate::{Analyzer, Error, IndexDocument, bisection, places};

/// Takes documents, gives an index.
pub struct IndexBuilder {
    /// The first to be dropped: its threads end before the folder in which they write is removed.
    inverter: Inverter,
    generation: Generation,
    /// The segments that stay.
    earlier: Vec<SegmentEntry>,
    codecs: Codecs,
    analysis: Analysis,
    earlier_documents: u64,
    memory_budget_bytes: usize,
    threads: usize,
    keys: KeysWriter,
    lengths: LengthsWriter,
    prints: PrintsWriter,
    order: Order,
    split: Split,
    /// Keys and prints, if documents are not in the order in which they came.
    rows: Vec<(PageKey, u32)>,
    /// Documents in their order, if the caller has said it.
    arranged: Option<Vec<u32>>,
    counts: SegmentCounts,
    dir: PathBuf,
    buried: Vec<PageKey>,
    dead_stamp: String,
}

impl IndexBuilder {
    /// Begins to make the index anew in `dir`, the index folder of a collection, which is made if it is not there.
    ///
    /// An index that is already there stays in use until [`IndexBuilder::finish`].
    pub fn create(dir: &Path, memory_budget_bytes: u64) -> Result<Self, Error> {
        let (analysis, order, split) = (Analysis::default(), Order::default(), Split::default());
        let nothing = Manifest { analysis, order, split, segments: Vec::new(), dead_stamp: String::new() };
        Self::begin(dir, memory_budget_bytes, Generation::begin(dir, SEGMENT)?, nothing)
    }

    /// Begins to add a segment to the index in `dir`: its documents come after those that are there.
    ///
    /// Readers see all of the new documents or none, as of [`IndexBuilder::finish`].
    pub fn append(dir: &Path, memory_budget_bytes: u64) -> Result<Self, Error> {
        // Before anything is locked, since locking makes the folder.
        Manifest::read(dir)?;
        let generation = Generation::begin(dir, SEGMENT)?;
        // Once more under the lock, as another build may have just ended.
        let earlier = Manifest::read(dir)?;
        Self::begin(dir, memory_budget_bytes, generation, earlier)
    }

    fn begin(
        dir: &Path,
        memory_budget_bytes: u64,
        generation: Generation,
        Manifest { analysis, order, split, segments: earlier, .. }: Manifest,
    ) -> Result<Self, Error> {
        let memory_budget_bytes = memory_budget_bytes.min(RUN_BYTES_MAX) as usize;
        Ok(Self {
            analysis,
            // Those of the segments before, if nothing else is said.
            codecs: earlier.last().map_or_else(Codecs::default, |segment| segment.codecs),
            earlier_documents: earlier.iter().map(|segment| segment.counts.documents).sum(),
            earlier,
            keys: KeysWriter::create(generation.building())?,
            lengths: LengthsWriter::create(generation.building())?,
            prints: PrintsWriter::new(generation.building()),
            inverter: Inverter::new(generation.building(), memory_budget_bytes, 1),
            order,
            split,
            rows: Vec::new(),
            arranged: None,
            generation,
            memory_budget_bytes,
            threads: 1,
            counts: SegmentCounts { runs: 1, ..SegmentCounts::default() },
            dir: dir.to_owned(),
            buried: Vec::new(),
            dead_stamp: String::new(),
        })
    }

    /// The same builder, which writes lists with these codecs.
    #[must_use]
    pub fn with_codecs(mut self, codecs: Codecs) -> Self {
        self.codecs = codecs;
        self
    }

    /// The same builder, of an index that is made anew, which knows this much of words.
    #[must_use]
    pub fn with_analysis(mut self, analysis: Analysis) -> Self {
        assert!(self.earlier.is_empty(), "all segments of an index are analysed alike");
        self.analysis = analysis;
        self
    }

    /// The same builder, of an index that is made anew, which numbers documents in this order. Where that is one by
    /// addresses or ranks the caller knows it: [`IndexBuilder::arrange`] is then called before the end, or they stay as they came.
    #[must_use]
    pub fn with_order(mut self, order: Order) -> Self {
        assert!(self.earlier.is_empty(), "all segments of an index are ordered alike");
        self.order = order;
        self
    }

    /// The same builder, of an index that is made anew, which divides what it makes into these parts.
    #[must_use]
    pub fn with_split(mut self, split: Split) -> Self {
        assert!(self.earlier.is_empty(), "all segments of an index are split alike");
        self.split = split;
        self
    }

    /// The order in which it numbers documents: of an index that is added to, that of those that are there.
    pub fn order(&self) -> Order {
        self.order
    }

    /// A folder for scratch files, which goes with the build.
    pub fn scratch(&self) -> &Path {
        self.generation.building()
    }

    /// Says in which order the documents are numbered that were added: the n-th of them becomes the one with the number n.
    /// Each is named once, by how many came before it.
    pub fn arrange(&mut self, documents: Vec<u32>) {
        assert!(!self.order.is_arrival(), "documents that stay as they came have their numbers");
        assert_eq!(documents.len() as u64, self.counts.documents, "each document has a number");
        self.arranged = Some(documents);
    }

    /// The same builder, to which nothing was added, with so many threads that share the memory. What it makes does not depend
    /// on how many there are.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        assert_eq!(self.counts.documents, 0, "threads start before documents come");
        self.threads = threads.max(1);
        self.inverter = Inverter::new(self.generation.building(), self.memory_budget_bytes, self.threads);
        self
    }

    /// Adds the next document; documents are numbered in the order in which they come, from 0 or from where the index
    /// that is added to ends.
    pub fn add(&mut self, document: &IndexDocument<'_>) -> Result<(), Error> {
        self.add_with_print(document, 0)
    }

    /// Adds the next document with a print that [`crate::Index::print`] gives back: what the caller wants to know it by.
    pub fn add_with_print(&mut self, document: &IndexDocument<'_>, print: u32) -> Result<(), Error> {
        let limit = u64::from(DocId::END.get() - 1);
        if self.earlier_documents + self.counts.documents >= limit {
            return Err(Error::TooMany { what: "documents", limit });
        }
        let language = document.language.and_then(Language::of_tag);
        let language = language.filter(|_| self.analysis == Analysis::Full);
        let (number, analyzer) = (self.counts.documents as u32, Analyzer::new(self.analysis));
        self.inverter.add(number, document.pieces, analyzer, language)?;
        if let Some(language) = language {
            *self.counts.languages.entry(language.code().to_owned()).or_default() += 1;
        }
        if self.order.is_arrival() {
            self.keys.put(document.key)?;
            self.prints.push(print)?;
        } else {
            self.rows.push((document.key, print));
        }
        self.counts.documents += 1;
        put_lengths(self.inverter.lengths(), &mut self.lengths, &mut self.counts);
        Ok(())
    }

    /// Declares the documents with these keys dead among those that were there before, from the commit on: with what was
    /// added under the same keys they are replaced at once. `stamp` is that of [`crate::bury`].
    pub fn bury(&mut self, keys: &[PageKey], stamp: &str) {
        self.buried.extend_from_slice(keys);
        stamp.clone_into(&mut self.dead_stamp);
    }

    /// Merges what was added and makes it the index of the folder, alone or after what was there. `source_stamp`
    /// describes what is then indexed, in the caller's own words; [`crate::Index::source_stamp`] gives it back.
    ///
    /// Where nothing was added to an index, it only gets the new stamp.
    pub fn finish(mut self, source_stamp: &str) -> Result<IndexReport, Error> {
        let segments = std::mem::take(&mut self.earlier);
        let dead_stamp = std::mem::take(&mut self.dead_stamp);
        let (analysis, order, split) = (self.analysis, self.order, self.split);
        let mut manifest = Manifest { analysis, order, split, segments, dead_stamp };
        let (dir, earlier) = (std::mem::take(&mut self.dir), manifest.segments.len());
        let touched = if earlier == 0 { Vec::new() } else { bury_in(&dir, &mut manifest, &self.buried)? };
        let source_stamp = source_stamp.to_owned();
        let mut runs = None;
        let generation = match manifest.segments.last_mut() {
            Some(last) if self.counts.documents == 0 => {
                last.source_stamp = source_stamp;
                self.generation
            }
            _ => {
                let written = self.write_segment(&manifest.segments, source_stamp)?;
                manifest.segments.push(written.entry);
                runs = Some(written.runs);
                let mut generation = written.generation;
                divide_last(&dir, &mut manifest, &mut generation)?;
                generation
            }
        };
        let used: Vec<&str> = manifest.segments.iter().map(|segment| &*segment.folder).collect();
        generation.commit(&manifest.to_json(), &used)?;
        remove_others_of(&dir, &manifest, &touched);
        let report = manifest.report();
        Ok(IndexReport { runs: runs.unwrap_or(report.runs), ..report })
    }

    /// Writes the final files and gives their folder its name.
    fn write_segment(self, earlier: &[SegmentEntry], source_stamp: String) -> Result<Written, Error> {
        let Self {
            generation, threads, codecs, inverter, mut keys, mut lengths, mut prints, mut counts, ..
        } = self;
        let building = generation.building();
        let (inverted, last_lengths) = inverter.finish()?;
        put_lengths(last_lengths.into_iter(), &mut lengths, &mut counts);
        let runs = (inverted.runs.len() + inverted.in_memory.len()) as u64;
        let buffer_bytes = run_buffer_bytes(self.memory_budget_bytes, threads);
        let inverted = inverted.with_few_runs(building, buffer_bytes)?;
        let documents = match (self.order, self.arranged) {
            (Order::Bisection, _) => bisection::order(&inverted, self.rows.len(), threads, buffer_bytes)?,
            (_, arranged) => arranged.unwrap_or_else(|| (0..self.rows.len() as u32).collect()),
        };
        let numbers = (!documents.is_sorted()).then(|| inverse(&documents));
        if numbers.is_some() {
            lengths.reorder(&documents);
        }
        let mut all_keys = Vec::with_capacity(documents.len());
        for &document in &documents {
            let (key, print) = self.rows[document as usize];
            all_keys.push(key);
            keys.put(key)?;
            prints.push(print)?;
        }
        let (prints, places) = (prints.finish()?, places::write(building, &all_keys)?);
        counts.bytes += [prints, places].into_iter().flatten().map(|(_, bytes)| bytes).sum::<u64>();
        let all = earlier.iter().map(|segment| &segment.counts).chain([&counts]);
        let impacts = ImpactModel::default().with_averages(averages(all));
        let memory_bytes = self.memory_budget_bytes / (4 * threads);
        let new_order = numbers.as_deref().map(|numbers| NewOrder { numbers, memory_bytes });
        let work = ListsWork { inverted: &inverted, folder: building, buffer_bytes, new_order };
        let writer = SegmentWriter { folder: building, codecs, impacts: &impacts, keys, lengths, counts };
        let written = writer.write(|lists| work.write_lists(threads, lists))?;
        inverted.delete()?;
        let folder = generation.settle()?;
        let ([prints, places], dead) =
            ([prints, places].map(|file| file.map(|(identity, _)| identity)), None);
        let entry = SegmentEntry {
            folder,
            source_stamp,
            counts: written.counts,
            codecs,
            impacts,
            header_checksums: written.header_checksums,
            more_terms: written.more_terms,
            goes_on: false,
            dead,
            prints,
            places,
        };
        Ok(Written { generation, entry, runs })
    }
}

/// A segment that is written and not committed.
struct Written {
    generation: Generation,
    entry: SegmentEntry,
    runs: u64,
}

fn put_lengths(
    lengths: impl Iterator<Item = FieldLengths>,
    file: &mut LengthsWriter,
    counts: &mut SegmentCounts,
) {
    for lengths in lengths {
        file.put(lengths.map(encode_length));
        for (sum, length) in counts.field_occurrences.iter_mut().zip(lengths) {
            *sum += u64::from(length);
            counts.occurrences += u64::from(length);
        }
    }
}

/// A larger budget is not made use of: the terms of a run are addressed with 32 bits, with room for a last document.
const RUN_BYTES_MAX: u64 = 3 << 30;
