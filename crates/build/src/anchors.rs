//! The words of links as a field of the page that they lead to.
//!
//! Whoever links to a page says in a few words what it is, often better than the page itself: a front page rarely tells its
//! own name in its text. The words come from the graph, so redirects are followed and pages that are folded into another
//! speak for that one ([`crate::graphs`]); pages that are gone are not in it.
//!
//! - A text counts once for each host that uses it: a menu on a thousand pages is one voice. What `n` hosts say stands
//!   1 + log₂ n times in the field, four times at most.
//! - Links of a page to itself and links that ask not to be followed do not count.
//! - What leads from one host to more than [`PAGES_OF_A_TEXT_MAX`] pages ("next", "source") says nothing of any of them, in
//!   whatever language; nor do texts without a letter, addresses, and the commonest calls to click ([`CALLS`]).
//! - A page has at most [`TEXTS_MAX`] texts: those of most hosts, then those that most arcs carry.
//!
//! A site is looked for by its name, so its front page ([`crate::graphs::fronts`]) is also called by that, as if everybody did
//! ([`crate::site_names`]): as often as can be, and half as often where the name is more than that of something.
//!
//! The texts of a page, in the order of the alphabet, have a print of 32 bits. The index keeps the one that a document was
//! indexed with, and where it is another now, the document is replaced ([`crate::indexing`]). What is counted moves
//! in steps, so that few prints change when pages are added.
//!
//! They are gathered when a page that the graph knows is asked for, so that a build whose pages are all new to the graph
//! does not pay for them.
//!
//! Cost: a scan of all arcs with their labels, two external sorts of 16 bytes an arc within the budget, each text once
//! inflated; twelve bytes a node in memory, and the texts in a scratch file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use graph::{GraphFolder, WordReader};
use journal::{ExternalSort, Sorted};
use page::{NodeId, PageUrl, SetId};
use store::Collection;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::Error;
use crate::graphs::fronts::fronts;
use crate::graphs::{graph_dir, open_graph};
use crate::site_names::{SiteName, names_of};

/// A page has at most so many texts.
pub const TEXTS_MAX: usize = 64;
/// What leads from one host to more pages says nothing of them.
pub const PAGES_OF_A_TEXT_MAX: usize = 8;
/// A text stands in the field at most so many times.
pub(crate) const TIMES_MAX: u32 = 4;
/// Goes up when the same links would give other texts than before.
pub const RULES: u64 = 3;

/// Calls to click that say nothing of where they lead. Others are found by their frequency; these are so common that they
/// are met once or twice on hosts of few pages too.
const CALLS: [&str; 17] = [
    "back",
    "click here",
    "continue",
    "edit",
    "here",
    "home",
    "learn more",
    "link",
    "more",
    "next",
    "previous",
    "prev",
    "read more",
    "source",
    "this",
    "top",
    "up",
];

/// A text of links to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorText {
    /// Its words.
    pub text: String,
    /// How often it stands in the field.
    pub times: u32,
}

/// The texts of the links to all pages of a collection.
pub struct AnchorTexts {
    graph: GraphFolder,
    scratch: PathBuf,
    memory_bytes: u64,
    gathered: Option<Gathered>,
}

/// The texts of all nodes.
struct Gathered {
    /// Where the texts of each node start in the file, and where the last ends.
    starts: Vec<u64>,
    prints: Vec<u32>,
    file: File,
}

impl AnchorTexts {
    /// Those of the graph of a collection; none if it has no graph.
    pub fn of(collection: &Collection, memory_bytes: u64) -> Result<Option<Self>, Error> {
        let graph = match open_graph(collection) {
            Err(graph::Error::Missing { .. }) => return Ok(None),
            graph => graph?,
        };
        Ok(Some(Self { graph, scratch: graph_dir(collection.dir()), memory_bytes, gathered: None }))
    }

    /// Which graph they are from.
    pub fn graph_id(&self) -> SetId {
        self.graph.set_id()
    }

    /// The print of the texts of a page; 0 if it has none.
    pub fn print(&mut self, page: &PageUrl) -> Result<u32, Error> {
        let Some(node) = self.graph.addresses().node(page) else { return Ok(0) };
        Ok(self.gathered()?.prints[node as usize])
    }

    /// The texts of a page, and their print.
    pub fn texts(&mut self, page: &PageUrl) -> Result<(Vec<AnchorText>, u32), Error> {
        // What an alias is called is told by the page that stands for it.
        let Some(node) = self.graph.addresses().node(page) else { return Ok((Vec::new(), 0)) };
        let Gathered { starts, prints, file } = self.gathered()?;
        let (start, end) = (starts[node as usize], starts[node as usize + 1]);
        let mut bytes = vec![0; (end - start) as usize];
        if start < end {
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes)?;
        }
        Ok((decode(&bytes), prints[node as usize]))
    }

    fn gathered(&mut self) -> Result<&mut Gathered, Error> {
        let gathered = match self.gathered.take() {
            Some(gathered) => gathered,
            None => Gathered::of(&self.graph, &self.scratch, self.memory_bytes)?,
        };
        Ok(self.gathered.insert(gathered))
    }
}

impl Gathered {
    fn of(graph: &GraphFolder, scratch: &Path, memory_bytes: u64) -> Result<Self, Error> {
        let voices = voices(graph, scratch, memory_bytes as usize / 2)?;
        let (mut starts, mut prints) = (vec![0], Vec::new());
        let mut file = BufWriter::new(tempfile::tempfile_in(scratch)?);
        let mut groups = TargetGroups { voices, next: None, is_begun: false };
        let names = names_of_fronts(graph);
        let (mut words, mut group, mut end) = (graph.anchor_reader(), Vec::new(), 0);
        for node in 0..graph.manifest().nodes as u32 {
            groups.of(node, &mut group)?;
            let mut texts = texts_of(graph, &mut words, node, &group);
            texts.extend(names.get(&node).into_iter().flatten().cloned());
            let bytes = encode(&texts);
            file.write_all(&bytes)?;
            end += bytes.len() as u64;
            starts.push(end);
            prints.push(print(&bytes));
        }
        let file = file.into_inner().map_err(|error| Error::Io(error.into_error()))?;
        Ok(Self { starts, prints, file })
    }
}

/// Which graph there is, without opening it.
pub fn present_graph(collection: &Collection) -> Option<SetId> {
    let manifest = graph_dir(collection.dir()).join("manifest.json");
    graph::Manifest::check(&manifest).ok().map(|manifest| manifest.set_id())
}

/// The names of sites, by the nodes of their front pages.
fn names_of_fronts(graph: &GraphFolder) -> BTreeMap<u32, Vec<AnchorText>> {
    let (fronts, mut names) = (fronts(graph), BTreeMap::<u32, Vec<AnchorText>>::new());
    for (front, name) in fronts.iter().zip(names_of(&fronts)) {
        let times = |name: &SiteName| if name.is_whole { TIMES_MAX } else { TIMES_MAX / 2 };
        let said = name.map(|name| AnchorText { times: times(&name), text: name.text });
        names.entry(front.node.get()).or_default().extend(said);
    }
    names
}

/// A host that calls a target by some words: three numbers, of which the first are the more significant ones.
fn record(first: u32, second: u32, third: u32) -> u128 {
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(third)
}

fn parts(record: u128) -> (u32, u32, u32) {
    ((record >> 64) as u32, (record >> 32) as u32, record as u32)
}

/// Which words (second) from which hosts (third) lead to each target (first), without those that lead everywhere.
fn voices(graph: &GraphFolder, scratch: &Path, memory_bytes: usize) -> Result<Sorted<u128>, Error> {
    let mut by_words = ExternalSort::<u128>::once(scratch, memory_bytes);
    let (host_starts, mut host) = (graph.host_starts(), 0);
    for source in 0..graph.manifest().nodes as u32 {
        host += usize::from(host_starts.get(host + 1) == Some(&source));
        for (target, flags, word) in graph.numbered_labels(NodeId::new(source)) {
            if target.get() != source && !flags.is_nofollow {
                by_words.push(record(host as u32, word, target.get()))?;
            }
        }
    }
    let mut by_words = by_words.finish()?;
    let mut by_target = ExternalSort::<u128>::once(scratch, memory_bytes);
    let (mut next, mut group) = (by_words.next()?, Vec::new());
    while let Some(first) = next {
        group.clear();
        while let Some(voice) = next.filter(|voice| voice >> 32 == first >> 32) {
            // One more than are wanted tells that they are too many.
            if group.len() <= PAGES_OF_A_TEXT_MAX {
                group.push(voice);
            }
            next = by_words.next()?;
        }
        if group.len() <= PAGES_OF_A_TEXT_MAX {
            for (host, word, target) in group.iter().map(|voice| parts(*voice)) {
                by_target.push(record(target, word, host))?;
            }
        }
    }
    Ok(by_target.finish()?)
}

/// Gives the voices of one target after the other.
struct TargetGroups {
    voices: Sorted<u128>,
    next: Option<u128>,
    is_begun: bool,
}

impl TargetGroups {
    /// Replaces `group` by the words and hosts of a target. Targets are asked for in increasing order.
    fn of(&mut self, target: u32, group: &mut Vec<(u32, u32)>) -> Result<(), Error> {
        group.clear();
        if !self.is_begun {
            self.is_begun = true;
            self.next = self.voices.next()?;
        }
        while let Some((_, word, host)) = self.next.map(parts).filter(|voice| voice.0 == target) {
            group.push((word, host));
            self.next = self.voices.next()?;
        }
        Ok(())
    }
}

/// What is said of a target by hosts, each with its words.
fn texts_of(
    graph: &GraphFolder,
    words: &mut WordReader<'_>,
    target: u32,
    voices: &[(u32, u32)],
) -> Vec<AnchorText> {
    let mut said = Vec::new();
    for voices in voices.chunk_by(|one, next| one.0 == next.0) {
        let word = voices[0].0;
        said.push((word, words.get(word), voices.iter().map(|(_, host)| *host).collect()));
    }
    if said.len() > TEXTS_MAX {
        let ranks: BTreeMap<u32, u32> = graph.anchor_numbers(NodeId::new(target)).zip(0..).collect();
        said.sort_by_key(|(word, ..)| ranks.get(word).copied());
    }
    choose(said.into_iter().map(|(_, text, hosts)| (text, hosts)))
}

/// The texts that stand for all that is said, given with the hosts that say it, what most arcs carry first.
fn choose(said: impl Iterator<Item = (String, Vec<u32>)>) -> Vec<AnchorText> {
    let mut by_fold = BTreeMap::<String, (usize, String, Vec<u32>)>::new();
    for (rank, (text, hosts)) in said.enumerate() {
        let Some(fold) = fold(&text) else { continue };
        let (_, known, known_hosts) = by_fold.entry(fold).or_insert_with(|| (rank, text.clone(), Vec::new()));
        // Of several spellings always the same, whoever was met first.
        if text < *known {
            *known = text;
        }
        known_hosts.extend(hosts);
    }
    let mut chosen: Vec<(u32, usize, String)> = by_fold
        .into_values()
        .map(|(rank, text, mut hosts)| {
            hosts.sort_unstable();
            hosts.dedup();
            ((1 + hosts.len().ilog2()).min(TIMES_MAX), rank, text)
        })
        .collect();
    if chosen.len() > TEXTS_MAX {
        chosen.sort_by_key(|(times, rank, _)| (std::cmp::Reverse(*times), *rank));
        chosen.truncate(TEXTS_MAX);
    }
    let mut texts: Vec<AnchorText> =
        chosen.into_iter().map(|(times, _, text)| AnchorText { text, times }).collect();
    texts.sort_unstable_by(|one, other| one.text.cmp(&other.text));
    texts
}

/// What texts that say the same have in common; none of those that say nothing.
fn fold(text: &str) -> Option<String> {
    let is_around = |c: char| c.is_whitespace() || ".,:;!?…«»‹›←→↑↓|•·\"'“”„‘’()[]{}<>".contains(c);
    let words: Vec<&str> = text.trim_matches(is_around).split_whitespace().collect();
    let fold = words.join(" ").to_lowercase();
    let is_address = ["http://", "https://", "www."].iter().any(|start| fold.starts_with(start));
    let says_something = fold.contains(char::is_alphabetic) && !is_address && !CALLS.contains(&fold.as_str());
    says_something.then_some(fold)
}

/// `times length text` of each, the numbers in one and two bytes.
pub(crate) fn encode(texts: &[AnchorText]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for AnchorText { text, times } in texts {
        bytes.push(*times as u8);
        bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

fn decode(mut bytes: &[u8]) -> Vec<AnchorText> {
    let mut texts = Vec::new();
    while let [times, low, high, rest @ ..] = bytes {
        let (text, rest) = rest.split_at(usize::from(u16::from_le_bytes([*low, *high])).min(rest.len()));
        let (text, times) = (String::from_utf8_lossy(text).into_owned(), u32::from(*times));
        texts.push(AnchorText { text, times });
        bytes = rest;
    }
    texts
}

fn print(bytes: &[u8]) -> u32 {
    if bytes.is_empty() { 0 } else { (xxh3_64_with_seed(bytes, RULES) as u32).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said by which hosts, and what comes of it.
    type Row<'r> = (&'r [(&'r str, &'r [u32])], &'r [(&'r str, u32)]);

    #[test]
    fn texts_that_say_the_same_are_one_and_those_that_say_nothing_are_none() {
        let rows: [Row<'_>; 9] = [
            (&[], &[]),
            (&[("The Sieve", &[1])], &[("The Sieve", 1)]),
            (&[("sieve", &[1]), ("Sieve", &[1, 2]), ("«Sieve…»", &[2])], &[("Sieve", 2)]),
            (&[("C", &[1]), ("C++", &[1]), ("C#", &[1])], &[("C", 1), ("C#", 1), ("C++", 1)]),
            (&[("here", &[1]), ("Click here!", &[2]), ("Next →", &[3]), ("¶", &[1]), ("", &[1])], &[]),
            (&[("[12]", &[1]), ("2.0", &[1]), ("https://a.test/b", &[4]), ("www.a.test", &[4])], &[]),
            (&[("b", &[1, 2, 3, 4]), ("a", &[5])], &[("a", 1), ("b", 3)]),
            (&[("a", &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])], &[("a", 4)]),
            (&[("東京", &[1]), ("Здравствуй", &[1])], &[("Здравствуй", 1), ("東京", 1)]),
        ];
        for (said, expected) in rows {
            let said: Vec<_> =
                said.iter().map(|(text, hosts)| ((*text).to_owned(), hosts.to_vec())).collect();
            let chosen = choose(said.clone().into_iter());
            let expected: Vec<_> =
                expected.iter().map(|&(text, times)| AnchorText { text: text.into(), times }).collect();
            assert_eq!(chosen, expected, "{said:?}");
            assert_eq!(choose(said.into_iter().rev()), expected);
            assert_eq!(decode(&encode(&chosen)), chosen);
        }
    }

    #[test]
    fn of_many_texts_those_of_most_hosts_and_then_the_most_frequent_are_kept() {
        let said = (0..100).map(|n| (format!("text {n:03}"), if n == 99 { vec![1, 2] } else { vec![1] }));
        let chosen = choose(said);
        assert_eq!(chosen.len(), TEXTS_MAX);
        assert_eq!(chosen[TEXTS_MAX - 1], AnchorText { text: "text 099".into(), times: 2 });
        assert_eq!(chosen[TEXTS_MAX - 2].text, format!("text {:03}", TEXTS_MAX - 2));
    }
}
