//! Segments of an index: what they hold, the list of a term, a block of it.

use std::path::Path;

use index::{BlockFacts, Field, PeakFacts, PostingFacts, SegmentView};
use page::counted;
use serde_json::{Value, json};

use crate::ends::Ends;
use crate::{Error, Facts, Inspection, ShownRecord};

/// Looks into a segment; at the list of a term, if one is given, and at one of its blocks.
pub fn inspect(
    folder: &Path,
    term: Option<&str>,
    block: Option<u64>,
    count: usize,
) -> Result<Inspection, Error> {
    let segment = SegmentView::open(folder)?;
    let version = Some(index::FORMAT_VERSION);
    let Some(term) = term else {
        let kind = "a segment of an inverted index";
        return Ok(Inspection { kind, version, facts: facts_of(&json!(segment.facts())), records: None });
    };
    let Some(list) = segment.list(term)? else {
        return Err(Error::NoList { path: folder.to_owned(), term: term.to_owned() });
    };
    let mut facts = facts_of(&json!(list));
    facts.extend(list.peaks.as_ref().map(|peaks| ("peaks", peaks_text(peaks).into())));
    facts.push(("blocks", list.blocks.len().into()));
    let mut records = Ends::new(count);
    let Some(number) = block else {
        for (number, block) in list.blocks.iter().enumerate() {
            records.push(|| ShownRecord { byte: block.byte, text: block_text(number, block) });
        }
        return Ok(Inspection { kind: "the list of a term", version, facts, records: Some(records) });
    };
    let Some(block) = usize::try_from(number).ok().and_then(|number| list.blocks.get(number)) else {
        return Err(Error::NoBlock { term: term.to_owned(), number, blocks: list.blocks.len() });
    };
    for posting in segment.block(term, number)? {
        records.push(|| ShownRecord { byte: block.byte, text: posting_text(&posting) });
    }
    facts.push(("block", block_text(number as usize, block).into()));
    Ok(Inspection { kind: "a block of the list of a term", version, facts, records: Some(records) })
}

fn facts_of(facts: &Value) -> Facts {
    const NAMES: [&str; 13] = [
        "codecs",
        "analysis",
        "documents",
        "dead",
        "terms",
        "stems",
        "postings",
        "occurrences",
        "postings_bits",
        "positions_bits",
        "skips_bytes",
        "dictionaries",
        "goes_on",
    ];
    NAMES.into_iter().filter_map(|name| Some((name, facts.get(name)?.clone()))).collect()
}

fn block_text(number: usize, block: &BlockFacts) -> String {
    let BlockFacts { documents, first, last, occurrences, greatest_impact, .. } = block;
    let impact = greatest_impact.map_or(String::new(), |impact| format!(", impacts up to {impact:.3}"));
    let (documents, words) = (counted(*documents, "document"), counted(*occurrences, "word"));
    format!("block {number}: {documents} from {first} to {last}, {words}{impact}")
}

/// Of each level that some stretches have: what they do not exceed, and how many they are.
fn peaks_text(peaks: &PeakFacts) -> String {
    let PeakFacts { stretch, stretches, levels, impacts } = peaks;
    let levels_above = levels.iter().zip(impacts).skip(1).filter(|(count, _)| **count > 0);
    let shown: Vec<String> = levels_above.map(|(count, impact)| format!("{impact:.3} in {count}")).collect();
    let (none, shown) = (levels[0], shown.join(", "));
    let stretches = counted(*stretches, "stretch");
    format!("{stretches} of {stretch} documents, {none} without it; impacts up to {shown}")
}

fn posting_text(posting: &PostingFacts) -> String {
    let PostingFacts { document, key, is_dead, counts, positions } = posting;
    let of_field = |field: &Field| {
        let count = counts.of(*field);
        (count > 0).then(|| format!("{count} in {}", field.name()))
    };
    let counts: Vec<String> = Field::ALL.iter().filter_map(of_field).collect();
    let places: Vec<String> = positions
        .iter()
        .map(|(field, position)| {
            field.map_or_else(|| position.to_string(), |field| format!("{}:{position}", field.name()))
        })
        .collect();
    let dead = if *is_dead { ", dead" } else { "" };
    let places = if places.is_empty() { String::new() } else { format!("; at {}", places.join(" ")) };
    format!("document {document} (page {}{dead}): {}{places}", key.get(), counts.join(", "))
}
