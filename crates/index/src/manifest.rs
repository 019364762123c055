//! The manifest: which segments are the index that counts, and what they hold.
//!
//! The folder of an index is one of generations ([`journal::Generation`]), which are called segments. They stand in the
//! order of their documents. A build either replaces all of them or adds one; a merge puts one in the place of neighbours.
//! Where documents are in the order in which they came, the keys of a segment increase ([`crate::order`]); a document that
//! was replaced under its key is in a later segment, dead in the earlier. Where documents are split ([`crate::partition`]),
//! the segments of one build or merge stand together: all but the first say that they go on with the one before.
//!
//! The manifest is JSON, for people and scripts. `xxh3` is the checksum of `index` as `serde_json` writes it without
//! spaces: reformatting does not hurt, changing a value does.

use std::collections::BTreeMap;
use std::path::Path;

use fs_err as fs;
use journal::SealedFile;
use page::SetId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::analyzer::{ANALYSIS_VERSION, Analysis};
use crate::codec::{Codec, CodecName};
use crate::dead::DeadEntry;
use crate::field::FIELD_COUNT;
use crate::file::{self, FILES, KEYS_FILE};
use crate::impact::ImpactModel;
use crate::order::Order;
use crate::partition::Split;
use crate::precision::Precision;
use crate::stems::{Language, Languages};
use crate::term_numbers::TermFunction;
use crate::{Error, FORMAT_VERSION};

/// What the folders of segments are called, before their number.
pub(crate) const SEGMENT: &str = "segment";

/// Words of a query are not stemmed in languages of less than one document in so many.
const LANGUAGE_SHARE_MIN: u64 = 20;

const FORMAT: &str = "crivello-index";

/// What is in an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexReport {
    /// How much it knows of words.
    pub analysis: Analysis,
    /// What it keeps of each word.
    pub precision: Precision,
    /// How its documents are numbered.
    pub order: Order,
    /// Into how many parts what a build or a merge makes is divided.
    pub split: Split,
    /// How many documents can be found.
    pub documents: u64,
    /// How many beside them are dead, and take space until their segments are merged.
    pub dead: u64,
    /// Distinct terms of each segment, summed: a term of two segments counts twice.
    pub terms: u64,
    /// Stems that have a list of their own, summed likewise.
    pub stems: u64,
    /// Pairs of a term and a document in which it occurs.
    pub postings: u64,
    /// Words in all documents.
    pub occurrences: u64,
    /// Size of the index on disk.
    pub bytes: u64,
    /// Sorted runs that had to be merged, if it was made just now; an index does not remember how it was made.
    pub runs: u64,
    /// How many segments a search has to look into.
    pub segments: u64,
    /// How many dictionaries they have: one each, or as many as there are parts of their terms.
    pub dictionaries: u64,
}

/// What is in a segment; the fields are those of [`IndexReport`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentCounts {
    pub(crate) documents: u64,
    pub(crate) terms: u64,
    pub(crate) stems: u64,
    pub(crate) postings: u64,
    pub(crate) occurrences: u64,
    /// Of each field.
    pub(crate) field_occurrences: [u64; FIELD_COUNT],
    pub(crate) bytes: u64,
    /// 1 in what is written now, as the same documents make the same index in whatever memory.
    pub(crate) runs: u64,
    /// How many documents are in each language that has a stemmer.
    pub(crate) languages: BTreeMap<String, u64>,
}

/// Which components the lists have, and which codec each is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codecs {
    /// The documents.
    pub documents: CodecName,
    /// How often a term occurs in them.
    pub counts: CodecName,
    /// Where.
    pub positions: CodecName,
    /// From terms to lists.
    pub terms: TermFunction,
    /// Which of them are kept.
    #[serde(default, skip_serializing_if = "Precision::has_positions")]
    pub precision: Precision,
}

impl Default for Codecs {
    fn default() -> Self {
        Self::all(CodecName::Packed)
    }
}

impl Codecs {
    /// One codec for all lists.
    pub fn all(name: CodecName) -> Self {
        let (terms, precision) = (TermFunction::default(), Precision::default());
        Self { documents: name, counts: name, positions: name, terms, precision }
    }

    /// Reads what people write: one name for all lists, or `documents=NAME,counts=NAME,positions=NAME`, of which those that
    /// are not named are packed; with these, `terms=NAME` says how terms are found. Otherwise it says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = |wanted: &str| {
            let found = CodecName::ALL.into_iter().find(|codec| codec.name() == wanted);
            let all = CodecName::ALL.map(CodecName::name).join(", ");
            found.ok_or_else(|| format!("there is no codec `{wanted}`; there are {all}"))
        };
        if !text.contains('=') {
            return name(text).map(Self::all);
        }
        let mut codecs = Self::default();
        for part in text.split(',') {
            let (component, codec) = part.split_once('=').unwrap_or((part, ""));
            if component == "terms" {
                codecs.terms = term_function(codec)?;
                continue;
            }
            *match component {
                "documents" => &mut codecs.documents,
                "counts" => &mut codecs.counts,
                "positions" => &mut codecs.positions,
                _ => return Err(format!("`{component}` is none of documents, counts, positions, terms")),
            } = name(codec)?;
        }
        Ok(codecs)
    }

    pub(crate) fn documents(&self) -> &'static dyn Codec {
        self.documents.codec()
    }

    pub(crate) fn counts(&self) -> &'static dyn Codec {
        self.counts.codec()
    }

    pub(crate) fn positions(&self) -> &'static dyn Codec {
        self.positions.codec()
    }
}

fn term_function(wanted: &str) -> Result<TermFunction, String> {
    let found = TermFunction::ALL.into_iter().find(|function| function.name() == wanted);
    let all = TermFunction::ALL.map(TermFunction::name).join(", ");
    found.ok_or_else(|| format!("there is no function of terms `{wanted}`; there are {all}"))
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SegmentEntry {
    pub(crate) folder: String,
    /// How far the segments up to this one cover the source, in the words of whoever built it.
    pub(crate) source_stamp: String,
    pub(crate) counts: SegmentCounts,
    pub(crate) codecs: Codecs,
    pub(crate) impacts: ImpactModel,
    pub(crate) header_checksums: [u64; FILES.len()],
    /// Those of each further part of its terms; keys and lengths are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) more_terms: Vec<[u64; FILES.len()]>,
    /// Whether it goes on with the documents of the segment before, as a part of what was made with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) goes_on: bool,
    /// None if all documents are alive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dead: Option<DeadEntry>,
    /// The identity of the file of prints; none if all prints are 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prints: Option<u64>,
    /// The identity of the file that leads from keys to documents; none if keys ascend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) places: Option<u64>,
}

impl SegmentEntry {
    /// How many of its documents are dead.
    pub(crate) fn dead_documents(&self) -> u64 {
        self.dead.as_ref().map_or(0, |dead| dead.documents)
    }

    /// How many are not.
    pub(crate) fn living_documents(&self) -> u64 {
        self.counts.documents.saturating_sub(self.dead_documents())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) analysis: Analysis,
    /// Of the documents of each segment.
    #[serde(default, skip_serializing_if = "Order::is_arrival")]
    pub(crate) order: Order,
    /// How what is added or merged is divided.
    #[serde(default, skip_serializing_if = "Split::is_whole")]
    pub(crate) split: Split,
    /// At least one.
    pub(crate) segments: Vec<SegmentEntry>,
    /// What is dead, in the words of whoever buried it; empty: nobody has looked since documents were added.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) dead_stamp: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed<M> {
    format: String,
    version: u32,
    /// The version of what terms are made of a text.
    analysis_version: u32,
    index: M,
    xxh3: String,
}

/// Only what tells another version from damage.
#[derive(Deserialize)]
struct VersionOnly {
    format: String,
    version: u32,
    #[serde(default)]
    analysis_version: u32,
}

impl Manifest {
    /// What all segments hold together.
    pub(crate) fn report(&self) -> IndexReport {
        let segments = self.segments.len() as u64;
        let (analysis, order, split) = (self.analysis, self.order, self.split);
        let precision = self.precision();
        let mut report =
            IndexReport { analysis, precision, order, split, segments, ..IndexReport::default() };
        for segment in &self.segments {
            let counts = &segment.counts;
            report.documents += segment.living_documents();
            report.dead += segment.dead_documents();
            report.terms += counts.terms;
            report.stems += counts.stems;
            report.postings += counts.postings;
            report.occurrences += counts.occurrences;
            report.bytes += counts.bytes;
            report.runs += counts.runs;
            report.dictionaries += 1 + segment.more_terms.len() as u64;
        }
        report
    }

    /// What all segments keep of each word.
    pub(crate) fn precision(&self) -> Precision {
        self.segments.iter().map(|segment| segment.codecs.precision).min().unwrap_or_default()
    }

    /// Which pages have which numbers: told by the files of keys, in their order.
    pub(crate) fn set_id(&self) -> SetId {
        set_id(&self.segments)
    }

    /// What [`Manifest::set_id`] would be if there were only the segments up to each, and how many documents they have.
    pub(crate) fn beginnings(&self) -> Vec<(u64, SetId)> {
        let mut documents = 0;
        let up_to = |(last, segment): (usize, &SegmentEntry)| {
            documents += segment.counts.documents;
            (documents, set_id(&self.segments[..=last]))
        };
        self.segments.iter().enumerate().map(up_to).collect()
    }

    /// The languages in which a query is understood: those of a share of the documents that is worth looking for.
    pub(crate) fn languages(&self) -> Languages {
        let mut languages = Languages::default();
        let documents: u64 = self.segments.iter().map(|segment| segment.counts.documents).sum();
        let mut sums = BTreeMap::<&str, u64>::new();
        for (code, count) in self.segments.iter().flat_map(|segment| &segment.counts.languages) {
            *sums.entry(code).or_default() += count;
        }
        let known = sums.into_iter().filter(|(_, count)| count * LANGUAGE_SHARE_MIN >= documents);
        known.filter_map(|(code, _)| Language::of_tag(code)).for_each(|language| languages.insert(language));
        languages
    }

    /// Words of each field in the mean of documents.
    pub(crate) fn averages(&self) -> [f32; FIELD_COUNT] {
        averages(self.segments.iter().map(|segment| &segment.counts))
    }

    /// How far the index covers its source.
    pub(crate) fn source_stamp(&self) -> &str {
        self.segments.last().map_or("", |segment| &segment.source_stamp)
    }

    /// Reads the manifest of the index folder `dir`.
    pub(crate) fn read(dir: &Path) -> Result<Self, Error> {
        match Self::read_file(&dir.join("manifest.json")) {
            Err(Error::File(journal::Error::Io(error))) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::Missing { path: dir.to_owned() })
            }
            manifest => manifest,
        }
    }

    fn read_file(path: &Path) -> Result<Self, Error> {
        let text = fs::read(path)?;
        let unreadable = |error: serde_json::Error| Error::damaged(path, error.to_string());
        let VersionOnly { format, version, analysis_version } =
            serde_json::from_slice(&text).map_err(unreadable)?;
        if format != FORMAT {
            return Err(journal::Error::Foreign { path: path.to_owned() }.into());
        }
        if version != FORMAT_VERSION {
            let (path, found, expected) = (path.to_owned(), version, FORMAT_VERSION);
            return Err(journal::Error::Version { path, found, expected }.into());
        }
        if analysis_version != ANALYSIS_VERSION {
            let (path, found, expected) = (path.to_owned(), analysis_version, ANALYSIS_VERSION);
            return Err(Error::Analysis { path, found, expected });
        }
        let sealed: Sealed<Manifest> = serde_json::from_slice(&text).map_err(unreadable)?;
        if sealed.xxh3 != sealed.index.checksum() {
            return Err(Error::damaged(path, "a value is not the one that was written"));
        }
        if sealed.index.segments.is_empty() {
            return Err(Error::damaged(path, "it names no segment"));
        }
        Ok(sealed.index)
    }

    /// The text of the file.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let (format, xxh3) = (FORMAT.to_owned(), self.checksum());
        let (version, analysis_version) = (FORMAT_VERSION, ANALYSIS_VERSION);
        let sealed = Sealed { format, version, analysis_version, index: self, xxh3 };
        serde_json::to_vec_pretty(&sealed).expect("numbers and strings are always JSON")
    }

    fn checksum(&self) -> String {
        let text = serde_json::to_vec(self).expect("numbers and strings are always JSON");
        format!("{:016x}", xxh3_64(&text))
    }
}

fn set_id(segments: &[SegmentEntry]) -> SetId {
    let keys = |segment: &SegmentEntry| segment.header_checksums[KEYS_FILE].to_le_bytes();
    SetId::of(&segments.iter().flat_map(keys).collect::<Vec<u8>>())
}

/// Words of each field in the mean of the documents of some segments.
pub(crate) fn averages<'c>(segments: impl Iterator<Item = &'c SegmentCounts>) -> [f32; FIELD_COUNT] {
    let (mut documents, mut occurrences) = (0, [0u64; FIELD_COUNT]);
    for counts in segments {
        documents += counts.documents;
        for (sum, count) in occurrences.iter_mut().zip(counts.field_occurrences) {
            *sum += count;
        }
    }
    occurrences.map(|occurrences| (occurrences as f64 / documents.max(1) as f64) as f32)
}

/// Opens the file of this place in [`FILES`], of a segment whose identities these are.
pub(crate) fn open_file(
    segment: &Path,
    number: usize,
    identities: &[u64; FILES.len()],
) -> Result<SealedFile, Error> {
    let (name, kind) = FILES[number];
    file::open(&segment.join(name), kind, identities[number])
}

/// Checks the manifest of an index by itself and tells what it says, without the checksums.
pub fn check_manifest(path: &Path) -> Result<Value, Error> {
    let Manifest { analysis, order, split, segments, .. } = Manifest::read_file(path)?;
    let told = segments.iter().map(|segment| {
        let SegmentEntry { folder, source_stamp, counts, codecs, goes_on, more_terms, .. } = segment;
        let (dead, dictionaries) = (segment.dead_documents(), 1 + more_terms.len());
        json!({
            "folder": folder, "source_stamp": source_stamp, "counts": counts, "codecs": codecs, "dead": dead,
            "goes_on": goes_on, "dictionaries": dictionaries,
        })
    });
    Ok(json!({ "analysis": analysis, "order": order, "split": split, "segments": told.collect::<Vec<_>>() }))
}
