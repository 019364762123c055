//! Merging neighbouring segments into one, without reading a page again.
//!
//! The dictionaries are sorted, so their terms are walked side by side; the lists of a term become one
//! ([`crate::merge_postings`]), with the documents that live ([`crate::merge_documents`]). Terms that only dead ones had go.
//! Where the index is split ([`crate::partition`]) each range of documents is written by itself, and its dictionary is cut
//! where a part has its share of the postings.
//!
//! A stem that has no list of its own in one segment and has one in another gets one: for the first, that of the word.
//!
//! What comes out has the bytes that one build of the living documents would have made, but for the maxima of blocks where
//! documents died: how many words the others have is then known as well as the bytes of lengths tell.
//!
//! Cost: linear in what is read and written, and the dictionaries are walked for each range of documents; memory for a block,
//! the table of one list, what the documents need, and eight bytes for each in another order than that of keys.

use std::ops::Range;
use std::path::Path;

use journal::Generation;

use crate::impact::ImpactModel;
use crate::keys::KeysWriter;
use crate::lengths::LengthsWriter;
use crate::list_sink::{ListHead, ListSink};
use crate::manifest::{Codecs, Manifest, SegmentEntry, averages};
use crate::merge_documents::{MergeDocuments, Source};
use crate::merge_postings::{WithLists, give_lists};
use crate::partition::TermCuts;
use crate::prints::PrintsWriter;
use crate::segment_writer::{FinalLists, SegmentWriter};
use crate::{Analysis, Error, places};

/// Puts one segment in the place of neighbours of a manifest, or as many as documents are split into, and commits that.
/// Without a living document there is none, unless it would be the last.
pub(crate) fn merge_segments(
    dir: &Path,
    mut manifest: Manifest,
    mut generation: Generation,
    range: Range<usize>,
) -> Result<Manifest, Error> {
    let documents = open(dir, &manifest, &range)?;
    let is_alone = range.len() == manifest.segments.len();
    if documents.living() == 0 && !is_alone {
        let was_last = range.end == manifest.segments.len();
        let source_stamp = manifest.segments[range.end - 1].source_stamp.clone();
        manifest.segments.drain(range);
        // How far the index goes is said by its last segment.
        if let Some(last) = manifest.segments.last_mut().filter(|_| was_last) {
            last.source_stamp = source_stamp;
        }
    } else {
        let merged = write_all(&manifest, &mut generation, &range, &documents)?;
        manifest.segments.splice(range, merged);
    }
    let used: Vec<&str> = manifest.segments.iter().map(|segment| &*segment.folder).collect();
    generation.commit(&manifest.to_json(), &used)?;
    Ok(manifest)
}

/// Divides the last segment of a manifest, which was written just now, as the manifest says. It is not committed.
pub(crate) fn divide_last(
    dir: &Path,
    manifest: &mut Manifest,
    generation: &mut Generation,
) -> Result<(), Error> {
    let range = manifest.segments.len() - 1..manifest.segments.len();
    if manifest.split.is_whole() {
        return Ok(());
    }
    generation.begin_another()?;
    let documents = open(dir, manifest, &range)?;
    let divided = write_all(manifest, generation, &range, &documents)?;
    manifest.segments.splice(range, divided);
    Ok(())
}

fn open(dir: &Path, manifest: &Manifest, range: &Range<usize>) -> Result<MergeDocuments, Error> {
    // Documents that are in no order of keys stay beside those that they were with.
    MergeDocuments::open(dir, &manifest.segments[range.clone()], manifest.order.is_arrival())
}

/// Writes what some segments become.
fn write_all(
    manifest: &Manifest,
    generation: &mut Generation,
    range: &Range<usize>,
    documents: &MergeDocuments,
) -> Result<Vec<SegmentEntry>, Error> {
    let merged = &manifest.segments[range.clone()];
    let all = documents.counts(merged, &(0..documents.living()));
    let others = (0..manifest.segments.len()).filter(|number| !range.contains(number));
    let counts = others.map(|number| &manifest.segments[number].counts).chain([&all]);
    let impacts = ImpactModel::default().with_averages(averages(counts));
    let merge = Merge { manifest, merged, documents, impacts };
    let (borders, mut entries) = (manifest.split.borders(documents.living()), Vec::new());
    for (number, borders) in borders.windows(2).enumerate() {
        if number > 0 {
            generation.begin_another()?;
        }
        let entry = merge.write(generation, &(borders[0]..borders[1]))?;
        entries.push(SegmentEntry { goes_on: number > 0, ..entry });
    }
    Ok(entries)
}

/// A merge that is under way.
struct Merge<'m> {
    manifest: &'m Manifest,
    merged: &'m [SegmentEntry],
    documents: &'m MergeDocuments,
    impacts: ImpactModel,
}

impl Merge<'_> {
    /// Writes a segment of the documents that get these numbers.
    fn write(&self, generation: &Generation, wanted: &Range<u32>) -> Result<SegmentEntry, Error> {
        let Self { manifest, merged, documents, impacts } = *self;
        let folder = generation.building();
        let (mut keys, mut lengths) = (KeysWriter::create(folder)?, LengthsWriter::create(folder)?);
        let (mut prints, mut all_keys) = (PrintsWriter::new(folder), Vec::new());
        documents.for_each(wanted, |segment, doc| {
            let key = segment.doc_key(doc);
            if !manifest.order.is_arrival() {
                all_keys.push(key);
            }
            keys.put(key)?;
            lengths.put(segment.length_codes(doc));
            prints.push(segment.print(doc))
        })?;
        let (prints, places) = (prints.finish()?, places::write(folder, &all_keys)?);
        let mut counts = documents.counts(merged, wanted);
        counts.bytes += [prints, places].into_iter().flatten().map(|(_, bytes)| bytes).sum::<u64>();
        let mut codecs = merged[merged.len() - 1].codecs;
        codecs.precision = merged.iter().map(|entry| entry.codecs.precision).min().unwrap_or_default();
        let writer = SegmentWriter { folder, codecs, impacts: &impacts, keys, lengths, counts };
        let mut written = writer.write(|lists| self.merge_lists(wanted, &codecs, lists))?;
        let is_plain = manifest.analysis == Analysis::Plain;
        // Without positions lists do not tell how many words there are.
        if codecs.precision.has_positions() && (is_plain || documents.are_renumbered()) {
            // Now it is known: all words that were read, or more, as the parts of words of code are listed too.
            let (read, listed) = (written.counts.occurrences, written.listed);
            written.counts.occurrences = if is_plain { listed } else { read.min(listed) };
        }
        let [prints, places] = [prints, places].map(|file| file.map(|(identity, _)| identity));
        Ok(SegmentEntry {
            folder: generation.settle()?,
            source_stamp: merged[merged.len() - 1].source_stamp.clone(),
            counts: written.counts,
            codecs,
            impacts,
            header_checksums: written.header_checksums,
            more_terms: written.more_terms,
            goes_on: false,
            dead: None,
            prints,
            places,
        })
    }

    fn merge_lists(&self, wanted: &Range<u32>, codecs: &Codecs, lists: &mut FinalLists) -> Result<(), Error> {
        let sources = self.documents.sources(wanted);
        let mut cuts = self.cuts(&sources)?;
        let mut scans: Vec<_> = sources.iter().map(|source| source.segment().terms()).collect();
        let mut entries = Vec::new();
        for scan in &mut scans {
            entries.push(scan.next()?);
        }
        let (mut term, mut with_term, mut with_lists) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let present = || (0..sources.len()).filter(|&source| entries[source].is_some());
            let Some(least) = present().map(|source| scans[source].term()).min() else { return Ok(()) };
            term.clear();
            term.extend_from_slice(least);
            with_term.clear();
            with_term.extend(present().filter(|&source| scans[source].term() == term));
            with_lists.clear();
            for (number, source) in sources.iter().enumerate() {
                let is_here = with_term.contains(&number);
                let entry = if is_here { entries[number].clone() } else { source.stem_word(&term)? };
                with_lists.extend(entry.map(|entry| (source, entry)));
            }
            self.merge_list(&term, &with_lists, codecs, &mut cuts, lists)?;
            for &source in &with_term {
                entries[source] = scans[source].next()?;
            }
        }
    }

    /// Where the terms are cut, if they are.
    fn cuts(&self, sources: &[Source<'_>]) -> Result<TermCuts, Error> {
        let (terms, mut weight) = (self.manifest.split.terms, 0);
        if terms > 1 {
            for source in sources {
                let mut scan = source.segment().terms();
                while let Some(entry) = scan.next()? {
                    source.segment().verify(&entry)?;
                    weight += source.count(&entry);
                }
            }
        }
        Ok(TermCuts::new(terms, weight))
    }

    fn merge_list(
        &self,
        term: &[u8],
        with_lists: &WithLists<'_, '_>,
        codecs: &Codecs,
        cuts: &mut TermCuts,
        lists: &mut FinalLists,
    ) -> Result<(), Error> {
        let mut documents = 0;
        for (source, entry) in with_lists {
            source.segment().verify(entry)?;
            documents += source.count(entry);
        }
        if documents == 0 {
            return Ok(());
        }
        if cuts.cuts_before(documents) {
            lists.begin_part()?;
        }
        if let [(source, entry)] = with_lists
            && let Some(list) = source.short_list(entry, codecs, lists.form().lengths.documents())?
        {
            return lists.add_short_list(term, list);
        }
        lists.start_list(&ListHead { term, documents, is_needed: true })?;
        give_lists(with_lists, self.documents.are_in_turn(), codecs, documents, lists.postings())?;
        lists.end_list(term)
    }
}
