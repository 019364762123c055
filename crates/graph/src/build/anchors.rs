//! Which words an arc carries, and the tables of targets.
//!
//! Of several links between two pages the arc carries words rather than none, for a picture often leads where the text beside
//! it does; words that stand in the text rather than those of navigation; and of these the words that most pages use for
//! the target. It has a flag only if all links have it. Words that no arc carries are not kept.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use journal::StringSort;

use super::nodes::TemporaryList;
use super::stage::Stage;
use crate::labels::{TableWriter, WordWriter};
use crate::sort::{ArcSorter, LabelledArcs};
use crate::{Error, LinkFlags, folder};

/// The number of the empty text, which is before all others.
pub(super) const NO_WORDS: u32 = 0;

/// Sorts all words that links have, to number them while the graph is built.
pub(super) fn sort_words(
    building: &Path,
    mut words: StringSort,
    mut stage: Stage,
) -> Result<TemporaryList, Error> {
    // It has its number also where all links have words.
    words.push(b"")?;
    let mut sorted = words.finish()?;
    TemporaryList::write(&building.join("words.tmp"), |writer| {
        while let Some(word) = sorted.next()? {
            writer.push(word)?;
            stage.at(writer.len() as u64);
        }
        Ok(())
    })
}

/// Writes the words that arcs carry, in the order of their numbers. Returns the bytes they take.
pub(super) fn write_words(building: &Path, sorted: &TemporaryList, order: &[u32]) -> Result<u64, Error> {
    let mut writer = WordWriter::create(&building.join(folder::ANCHORS))?;
    let mut word = Vec::new();
    for number in order {
        sorted.key(*number, &mut word);
        writer.push(&word)?;
    }
    writer.finish()
}

/// An arc to the target at hand.
struct Incoming {
    source: u32,
    word: u32,
    flags: u8,
}

/// Makes the table of each target, and sorts the arcs by source, each with the rank of its words.
pub(super) fn rank_words(
    building: &Path,
    nodes: usize,
    mut links: LabelledArcs,
    memory_bytes: usize,
    mut stage: Stage,
) -> Result<(LabelledArcs, TableWriter), Error> {
    let mut sorter = ArcSorter::<(u64, u64)>::with_items(nodes, memory_bytes, building)?;
    let mut tables = TableWriter::default();
    let mut next = links.next()?;
    let (mut group, mut counts) = (Vec::new(), HashMap::new());
    for node in 0..nodes as u32 {
        stage.at(node.into());
        group.clear();
        while let Some((_, source, carried)) = next.filter(|(target, ..)| *target == node) {
            group.push((source, carried));
            next = links.next()?;
        }
        let arcs = one_arc_each(&group, &mut counts);
        let table = table_of(&arcs, &mut counts);
        // What was a count becomes a rank.
        table.iter().zip(0..).for_each(|(word, rank)| _ = counts.insert(*word, rank));
        for arc in &arcs {
            let rank = counts[&arc.word];
            sorter.push_item(arc.source, node, u64::from(rank) << 2 | u64::from(arc.flags))?;
        }
        tables.push(table.into_iter(), usual_flags(&arcs));
    }
    Ok((sorter.finish()?, tables))
}

/// The arcs that links of one target are, given by source and by what they carry, and sorted so.
fn one_arc_each(links: &[(u32, u64)], counts: &mut HashMap<u32, u32>) -> Vec<Incoming> {
    counts.clear();
    // Links of one page with the same words are one, whatever their flags; sorted, they stand together.
    for same in links.chunk_by(|one, next| (one.0, word_of(one.1)) == (next.0, word_of(next.1))) {
        *counts.entry(word_of(same[0].1)).or_default() += 1;
    }
    let arc = |links: &[(u32, u64)]| {
        let best = links.iter().map(|(_, carried)| *carried).min_by_key(|carried| rank_of(*carried, counts));
        let flags = links.iter().fold(3, |flags, (_, carried)| flags & carried);
        Incoming {
            source: links[0].0,
            word: word_of(best.expect("there is a link in each group")),
            flags: flags as u8,
        }
    };
    links.chunk_by(|one, next| one.0 == next.0).map(arc).collect()
}

fn word_of(carried: u64) -> u32 {
    (carried >> 2) as u32
}

/// Of several links between two pages, that which is the least has the words of the arc.
fn rank_of(carried: u64, counts: &HashMap<u32, u32>) -> (bool, bool, Reverse<u32>, u32) {
    let (word, flags) = (word_of(carried), LinkFlags::from_stored(carried as u8 & 3));
    (word == NO_WORDS, flags.is_navigation, Reverse(counts[&word]), word)
}

/// The words that arcs carry, the most frequent first.
fn table_of(arcs: &[Incoming], counts: &mut HashMap<u32, u32>) -> Vec<u32> {
    counts.clear();
    arcs.iter().for_each(|arc| *counts.entry(arc.word).or_default() += 1);
    let mut table: Vec<u32> = counts.keys().copied().collect();
    table.sort_unstable_by_key(|word| (Reverse(counts[word]), *word));
    table
}

/// The flags that most arcs have.
fn usual_flags(arcs: &[Incoming]) -> u8 {
    let mut counts = [0; 4];
    arcs.iter().for_each(|arc| counts[usize::from(arc.flags)] += 1);
    (0..4).max_by_key(|flags| (counts[usize::from(*flags)], Reverse(*flags))).expect("there are four")
}
