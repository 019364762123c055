//! From what a crawl recorded to the graph of its pages, in bounded memory.
//!
//! 1. Addresses are sorted by their keys; each distinct one gets a number, and a function that leads there.
//! 2. Redirects and canonical pages are followed to their ends; whatever is not the end of such a chain is folded into it and is
//!    no node.
//! 3. Links, which were set aside on disk meanwhile, are turned into numbers and sorted by target. For each target, the words of
//!    its links are counted: that decides which of them an arc carries, and gives its table.
//! 4. Sorted again, now by source, they are compressed, their labels are written, and links between hosts are counted.
//! 5. The transpose is made, everything is synced, and the manifest is replaced: only now is the new graph in use.
//!
//! Memory: the budget for sorting; beside it 13 bytes for each address, 4 for each text of a link and each text of each target, and what
//! [`crate::BvWriter`] needs.

mod aliases;
mod anchors;
mod link_log;
mod links;
mod nodes;
mod options;
mod stage;

use std::path::{Path, PathBuf};

use journal::{Generation, StringSort};
use page::PageUrl;

use crate::folder::{self, Manifest};
use crate::{Error, FORMAT_VERSION, GraphFolder, Watcher, key_of};
use link_log::{LastSaid, LinkLog};
use links::LinkCounts;
use nodes::Nodes;
pub use options::{BuildOptions, LinkRecord};
use stage::Stage;

/// Takes pages, links and aliases in any order.
pub struct GraphBuilder<'a> {
    folder: PathBuf,
    generation: Generation,
    options: BuildOptions<'a>,
    keys: StringSort,
    words: StringSort,
    links: LinkLog,
    aliases: LinkLog,
    /// What came again and again is not sorted again and again.
    last_keys: LastSaid,
    /// The last page whose links came, and its key.
    source: Option<(PageUrl, String)>,
    /// How many of each are sorted.
    key_count: u64,
    word_count: u64,
}

impl<'a> GraphBuilder<'a> {
    /// Begins a graph in a folder; the one that is there stays in use until [`GraphBuilder::finish`].
    pub fn create(folder: &Path, options: BuildOptions<'a>) -> Result<Self, Error> {
        let generation = Generation::begin(folder, folder::BUILD)?;
        folder::remove_scratch(folder)?;
        let building = generation.building();
        // Two sorts run at the same time, and addresses are numbered while the words wait.
        let [of_keys, of_words] = [options.memory_bytes / 2, options.memory_bytes / 4];
        Ok(Self {
            folder: folder.to_owned(),
            keys: StringSort::new(building, of_keys),
            words: StringSort::new(building, of_words),
            links: LinkLog::create(&building.join("links.tmp"))?,
            aliases: LinkLog::create(&building.join("aliases.tmp"))?,
            last_keys: LastSaid::default(),
            source: None,
            key_count: 0,
            word_count: 0,
            generation,
            options,
        })
    }

    /// Adds a page that was fetched.
    pub fn add_page(&mut self, address: &PageUrl) -> Result<(), Error> {
        self.add_key(&key_of(address), nodes::PAGE)
    }

    /// Adds a link of a page.
    pub fn add_link(&mut self, link: &LinkRecord) -> Result<(), Error> {
        if link.is_nofollow && !self.options.keep_nofollow {
            return Ok(());
        }
        let place = self.links.targets.place(link.target.as_str().as_bytes());
        let mut target = String::new();
        // What is in its place already has its key there, in the log.
        if place.is_new {
            target = key_of(link.target);
            if self.options.keep_off_crawl {
                self.add_key(&target, nodes::TARGET)?;
            }
        }
        let words = self.links.words.place(link.anchor.as_bytes());
        if words.is_new {
            self.word_count += 1;
            self.words.push(link.anchor.as_bytes())?;
        }
        if self.source.as_ref().is_none_or(|(page, _)| page != link.source) {
            self.source = Some((link.source.clone(), key_of(link.source)));
        }
        let (_, source) = self.source.as_ref().expect("it was just set");
        self.links.push(source, (place, &target), link.stored_flags(), (words, link.anchor))
    }

    /// Says that one address stands for another: it redirects there, or names it as canonical.
    pub fn add_alias(&mut self, from: &PageUrl, to: &PageUrl) -> Result<(), Error> {
        let (from, to) = (key_of(from), key_of(to));
        self.add_key(&from, nodes::ALIAS)?;
        if self.options.keep_off_crawl {
            self.add_key(&to, nodes::TARGET)?;
        }
        let (place, no_words) = (self.aliases.targets.place(to.as_bytes()), self.aliases.words.place(b""));
        self.aliases.push(&from, (place, &to), 0, (no_words, ""))
    }

    fn add_key(&mut self, key: &str, kind: u8) -> Result<(), Error> {
        // The kind stands behind the key: it is less than any byte of a key, so the order is that of the keys.
        let mut record = key.as_bytes().to_vec();
        record.push(kind);
        if self.last_keys.place(&record).is_new {
            self.key_count += 1;
            self.keys.push(&record)?;
        }
        Ok(())
    }

    /// Makes the graph and puts it in use. The stamp says what it was built from.
    pub fn finish(self, stamp: &str) -> Result<GraphFolder, Error> {
        self.finish_watched(stamp, &())
    }

    /// The same, while somebody looks.
    pub fn finish_watched(self, stamp: &str, watcher: &dyn Watcher) -> Result<GraphFolder, Error> {
        let Self { folder, generation, options, keys, words, links, aliases, .. } = self;
        let building = generation.building();
        let sorting = Stage::new(watcher, "sorting addresses", self.key_count);
        let nodes = nodes::number(building, keys, aliases.finish()?, &options, sorting)?;
        let sorting = Stage::new(watcher, "sorting the words of links", self.word_count);
        let words = anchors::sort_words(building, words, sorting)?;
        let counts = links::compress(building, &nodes, &words, links.finish()?, &options, watcher)?;
        let manifest = manifest(stamp, &options, &nodes, &counts);
        drop((nodes, words));
        folder::commit(generation, manifest)?;
        GraphFolder::open(&folder)
    }
}

/// What the folder says of the graph; the name of its build is not known yet.
fn manifest(stamp: &str, options: &BuildOptions, nodes: &Nodes, counts: &LinkCounts) -> Manifest {
    Manifest {
        format: FORMAT_VERSION,
        build: String::new(),
        stamp: stamp.to_owned(),
        has_nofollow: options.keep_nofollow,
        has_off_crawl: options.keep_off_crawl,
        nodes: nodes.count,
        arcs: counts.graph.arcs,
        aliases: nodes.aliases,
        links: counts.links,
        links_dropped: counts.dropped,
        anchors: counts.anchors,
        graph_bits: counts.graph.bits,
        transpose_bits: counts.transpose.bits,
        label_bits: counts.label_bits,
        table_bits: counts.table_bits,
        anchor_bits: counts.anchor_bits,
    }
}
