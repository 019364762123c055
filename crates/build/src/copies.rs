//! Copies in a collection: made from its pages, kept in `dedup/`, and given to the search.
//!
//! The documents are the pages of the table in its order, so new ones come behind the others: only they are sketched, and
//! only they are compared with all, since what is known of the others stays true. A page is named by its place in the table, which is also its key in the index.
//!
//! One page stands for each group: one that may be found, with the best PageRank, with the shortest address, with the
//! smallest address, in this order. The ranks are those of the graph of the collection, if there is one. The choice needs
//! ranks, and a graph that folds copies needs the choice; so ranks are asked only of a graph that does not fold copies,
//! as it is unless somebody wants it. `build` makes that graph first. With a graph that folds copies, or none, the
//! shortest address decides. When only the ranks have changed, the groups stay and the choice is made anew.

pub(crate) mod groups;

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use dedup::minhash::Scheme;
use dedup::{
    DedupConfig, Deduplicator, DocumentReader, Documents, DuplicateGroups, GroupsFile, GroupsSource,
    SketchReport, Unreadable,
};
use index::{Index, IndexMember};
use page::{DocId, PageKey, PageUrl};
use serde::Serialize;
use store::{Collection, PageRecord, StoreReader};

pub use self::groups::{groups_path, read_groups};
use crate::documents::{DocumentStore, DocumentsError};
use crate::gone::Gone;
use crate::graphs::folds_copies;
use crate::graphs::fronts::Standings;
use crate::graphs::ranks::page_ranks;
use crate::short_texts::ShortTexts;
use crate::watcher::CopySteps;
use crate::{Covered, Error, Notice, Watcher};

/// The documents of a collection as texts to compare.
pub struct StoredTexts<'d> {
    store: StoreReader,
    documents: &'d DocumentStore,
    keys: Vec<PageKey>,
    covered: Covered,
    /// What was damaged, if something was.
    damage: Mutex<Option<DocumentsError>>,
}

impl<'d> StoredTexts<'d> {
    /// All documents.
    pub fn new(collection: &Collection, documents: &'d DocumentStore) -> Result<Self, Error> {
        Ok(Self {
            store: StoreReader::open(collection)?,
            documents,
            keys: documents.keys().collect(),
            covered: Covered::of(collection, documents.covered()),
            damage: Mutex::default(),
        })
    }

    /// What of the table they are.
    pub fn covered(&self) -> Covered {
        self.covered
    }

    /// The place of a page in the table.
    pub fn key(&self, document: u32) -> PageKey {
        self.keys[document as usize]
    }

    /// The page at a place of the table.
    fn document(&self, key: PageKey) -> u32 {
        self.keys.binary_search(&key).expect("it is the place of a page") as u32
    }

    /// The address of a page.
    pub fn address(&self, document: u32) -> String {
        let record = self.store.page_at(self.key(document));
        record.map_or_else(|error| error.to_string(), |record| record.url.as_str().to_owned())
    }
}

impl Documents for StoredTexts<'_> {
    fn count(&self) -> u32 {
        self.keys.len() as u32
    }

    fn reader(&self) -> Box<dyn DocumentReader + '_> {
        Box::new(TextReader(self))
    }
}

struct TextReader<'t>(&'t StoredTexts<'t>);

impl DocumentReader for TextReader<'_> {
    fn read(&mut self, document: u32, text: &mut Vec<u8>) -> Result<(), Unreadable> {
        let found = self.0.documents.get(self.0.key(document));
        let found = found.map_err(|error| {
            let unreadable = Unreadable(error.to_string());
            *self.0.damage.lock().expect("nobody panics with it") = Some(error);
            unreadable
        })?;
        *text = found.unwrap_or_default().text.into_bytes();
        Ok(())
    }
}

/// What looking for copies in a collection came to.
#[derive(Debug, Serialize)]
pub struct CopiesSummary {
    /// Nothing had to be done.
    pub up_to_date: bool,
    /// Pages that were looked at.
    pub documents: u64,
    /// Pages without enough words to be compared.
    pub too_short: u64,
    /// Pages that could not be read.
    pub unreadable: u64,
    /// Pages that say exactly what an earlier one says.
    pub exact_copies: u64,
    /// Groups of copies.
    pub groups: u64,
    /// Pages that another one stands for.
    pub copies: u64,
    /// Pages are copies when their similarity is at least this.
    pub threshold: f64,
    /// How long it took.
    pub elapsed_seconds: f64,
}

/// Makes the groups anew if pages came since, or if another threshold is wanted.
pub fn bring_up_to_date(
    collection: &Collection,
    documents: &DocumentStore,
    threshold: Option<f64>,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<CopiesSummary, Error> {
    let texts = StoredTexts::new(collection, documents)?;
    // Groups that cannot be read are made anew.
    let old = GroupsFile::read(&groups_path(collection.dir())).ok().flatten();
    let known_threshold = old.as_ref().map_or(DedupConfig::default().threshold, |old| old.source.threshold);
    let threshold = threshold.unwrap_or(known_threshold);
    if let Some(old) = old
        && old.source.stamp == texts.covered().to_string()
        && old.source.threshold == threshold
    {
        return choose_anew(collection, &texts.store, old);
    }
    let config = DedupConfig { threshold, memory_bytes, ..DedupConfig::default() };
    let started = Instant::now();
    let found = find_copies(collection, &texts, &config, &collection.part("dedup")?, watcher)?;
    let mut summary = keep_groups(collection, &texts, &config, &found)?;
    summary.elapsed_seconds = started.elapsed().as_secs_f64();
    Ok(summary)
}

/// Copies that were just found.
pub struct FoundCopies {
    /// What became of the texts.
    pub sketched: SketchReport,
    /// To ask for more.
    pub deduplicator: Deduplicator,
    /// Pages that are copies of each other.
    pub groups: DuplicateGroups,
}

/// Sketches the pages that are not sketched yet in a work folder, and makes the groups.
pub fn find_copies(
    collection: &Collection,
    texts: &StoredTexts<'_>,
    config: &DedupConfig,
    folder: &Path,
    watcher: &dyn Watcher,
) -> Result<FoundCopies, Error> {
    let steps = CopySteps { watcher, name: &|document| texts.address(document) };
    let mut deduplicator = open_sketches(folder, collection, config, texts.count())?;
    let sketched = sketch(&mut deduplicator, config, texts, &steps, watcher)?;
    let groups = deduplicator.groups(texts, &steps)?;
    if let Some(damage) = texts.damage.lock().expect("nobody panics with it").take() {
        return Err(damage.into());
    }
    Ok(FoundCopies { sketched, deduplicator, groups })
}

/// Makes the sketches, and tells of texts that the scheme does not suit.
pub fn sketch(
    deduplicator: &mut Deduplicator,
    config: &DedupConfig,
    documents: &dyn Documents,
    steps: &dyn dedup::Watcher,
    watcher: &dyn Watcher,
) -> Result<SketchReport, Error> {
    if config.scheme != Scheme::Seed {
        return Ok(deduplicator.sketch(documents, steps)?);
    }
    let texts = ShortTexts::new(documents, config);
    let sketched = deduplicator.sketch(&texts, steps)?;
    if texts.count() > 0 {
        let (short, documents) = (texts.count(), sketched.documents);
        watcher.tell(Notice::ShortTexts { short, documents, slots: config.slots });
    }
    Ok(sketched)
}

/// From now on, searches fold these copies.
pub fn keep_groups(
    collection: &Collection,
    texts: &StoredTexts<'_>,
    config: &DedupConfig,
    found: &FoundCopies,
) -> Result<CopiesSummary, Error> {
    let FoundCopies { sketched, groups, .. } = found;
    let source = GroupsSource {
        stamp: texts.covered().to_string(),
        settings: settings(config),
        threshold: config.threshold,
        documents: sketched.documents,
        exact_copies: groups.exact_copies,
    };
    let gone = Gone::now(collection)?;
    let keys = |group: Vec<u32>| -> Vec<PageKey> {
        group.into_iter().map(|document| texts.key(document)).filter(|key| !gone.has(*key)).collect()
    };
    let ordered = canonical_order(collection, texts, groups)?.into_iter().map(keys);
    let file = GroupsFile::new(source, ordered.filter(|group| group.len() > 1));
    file.write(&groups_path(collection.dir()))?;
    let mut summary = CopiesSummary::new(&file, false);
    (summary.too_short, summary.unreadable) = (sketched.too_short, sketched.unreadable);
    Ok(summary)
}

/// The groups, in each the page first that searches show for it.
pub fn canonical_order(
    collection: &Collection,
    texts: &StoredTexts<'_>,
    groups: &DuplicateGroups,
) -> Result<Vec<Vec<u32>>, Error> {
    let keys = groups.iter().map(|group| group.iter().map(|document| texts.key(*document)).collect());
    let ordered = canonical_first(&texts.store, keys, &Ranks::of(collection))?;
    Ok(ordered.iter().map(|group| group.iter().map(|key| texts.document(*key)).collect()).collect())
}

/// Were the groups that searches fold found in this way?
pub fn are_kept(dir: &Path, config: &DedupConfig) -> bool {
    let kept = GroupsFile::read(&groups_path(dir)).ok().flatten();
    kept.is_some_and(|kept| {
        kept.source.threshold == config.threshold && kept.source.settings == settings(config)
    })
}

/// What groups depend on, beside the threshold.
fn settings(config: &DedupConfig) -> String {
    format!("{:?}, {:?}, {} slots", config.shingling, config.scheme, config.slots)
}

/// Keeps groups that are up to date, but lets the ranks of today decide who stands for them.
fn choose_anew(
    collection: &Collection,
    store: &StoreReader,
    old: GroupsFile,
) -> Result<CopiesSummary, Error> {
    let gone = Gone::now(collection)?;
    let living =
        |group: &[PageKey]| -> Vec<PageKey> { group.iter().copied().filter(|key| !gone.has(*key)).collect() };
    // One page alone is no group.
    let groups = old.iter().map(living).filter(|group| group.len() > 1);
    let ordered = canonical_first(store, groups, &Ranks::of(collection))?;
    let is_same = old.iter().eq(ordered.iter().map(Vec::as_slice));
    if is_same {
        return Ok(CopiesSummary::new(&old, true));
    }
    let file = GroupsFile::new(old.source, ordered);
    file.write(&groups_path(collection.dir()))?;
    Ok(CopiesSummary::new(&file, false))
}

/// Takes pages that are gone out of the groups.
pub(crate) fn take_out(collection: &Collection) -> Result<(), Error> {
    if let Some(groups) = read_groups(collection.dir())?
        && !Covered::is_of_another(&groups.source.stamp, collection)
    {
        choose_anew(collection, &StoreReader::open(collection)?, groups)?;
    }
    Ok(())
}

/// Takes up the sketches of a collection. Those of a table that has become shorter, and damaged ones, are thrown away.
fn open_sketches(
    folder: &Path,
    collection: &Collection,
    config: &DedupConfig,
    pages: u32,
) -> Result<Deduplicator, Error> {
    // Another parser may have read other texts.
    let stamp = format!("collection {}, parser {}", collection.manifest().created_at, parse::VERSION);
    match Deduplicator::open(folder, config.clone(), &stamp) {
        Ok(deduplicator) if deduplicator.documents() <= pages => Ok(deduplicator),
        Err(error @ (dedup::Error::Settings(_) | dedup::Error::InUse(_) | dedup::Error::Io(_))) => {
            Err(error.into())
        }
        _ => {
            remove_files(folder)?;
            Ok(Deduplicator::open(folder, config.clone(), &stamp)?)
        }
    }
}

/// Removes what lies in a folder, but not what lies in folders within: a crawl that goes on has one there.
fn remove_files(folder: &Path) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// About so many members of groups are looked up together, in the order of the table.
const MEMBERS_AT_ONCE: usize = 1 << 16;

/// The groups, in each the page first that stands for it.
fn canonical_first(
    store: &StoreReader,
    groups: impl Iterator<Item = Vec<PageKey>>,
    ranks: &Ranks,
) -> Result<Vec<Vec<PageKey>>, Error> {
    let (mut groups, mut ordered) = (groups.enumerate().peekable(), Vec::new());
    while groups.peek().is_some() {
        let mut keys = Vec::new();
        while keys.len() < MEMBERS_AT_ONCE
            && let Some((number, group)) = groups.next()
        {
            keys.extend(group.into_iter().map(|key| (key, number)));
        }
        keys.sort_unstable();
        let (mut records, mut members) = (store.records()?, Vec::with_capacity(keys.len()));
        for (key, number) in keys {
            members.push((number, Member::of(key, &records.at(key)?, ranks)));
        }
        members.sort_by(|(group, one), (next, other)| group.cmp(next).then_with(|| one.compare(other)));
        let of_one = members.chunk_by(|(group, _), (next, _)| group == next);
        ordered.extend(of_one.map(|group| group.iter().map(|(_, member)| member.key).collect()));
    }
    Ok(ordered)
}

/// What the graph knows of pages, if it can tell copies apart.
struct Ranks(Option<Standings>);

impl Ranks {
    fn of(collection: &Collection) -> Self {
        Self(if folds_copies(collection) {
            None
        } else {
            page_ranks(collection).ok().flatten().map(Standings::of)
        })
    }

    fn of_page(&self, url: &PageUrl) -> f64 {
        self.0.as_ref().map_or(0.0, |ranks| ranks.standing(url))
    }
}

/// What decides who stands for a group.
#[derive(Debug, Clone)]
struct Member {
    is_hidden: bool,
    rank: f64,
    url: String,
    key: PageKey,
}

impl Member {
    fn of(key: PageKey, record: &PageRecord, ranks: &Ranks) -> Self {
        let (is_hidden, rank) = (record.flags.noindex, ranks.of_page(&record.url));
        Self { is_hidden, rank, url: record.url.as_str().to_owned(), key }
    }

    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        self.is_hidden
            .cmp(&other.is_hidden)
            .then_with(|| other.rank.total_cmp(&self.rank))
            .then_with(|| self.url.len().cmp(&other.url.len()))
            .then_with(|| self.url.cmp(&other.url))
    }
}

/// The groups as the search takes them: by documents of the index that `member` is of the collection. Pages that are not in
/// the index are left out. Groups that were made from other pages are not used, and that is told.
pub fn for_search(
    collection: &Collection,
    index: &Index,
    member: &IndexMember,
    watcher: &dyn Watcher,
) -> Result<Vec<Vec<DocId>>, Error> {
    let Some(groups) = read_groups(collection.dir())? else { return Ok(Vec::new()) };
    if Covered::is_of_another(&groups.source.stamp, collection) {
        watcher.tell(Notice::Failed(&Error::OtherPages(groups_path(collection.dir()))));
        return Ok(Vec::new());
    }
    let documents = |group: &[PageKey]| -> Vec<DocId> {
        group.iter().filter_map(|key| index.find_key(member.key(*key))).collect()
    };
    Ok(groups.iter().map(documents).filter(|group| !group.is_empty()).collect())
}

impl CopiesSummary {
    fn new(file: &GroupsFile, up_to_date: bool) -> Self {
        Self {
            up_to_date,
            documents: file.source.documents,
            too_short: 0,
            unreadable: 0,
            exact_copies: file.source.exact_copies,
            groups: file.len() as u64,
            copies: file.copies(),
            threshold: file.source.threshold,
            elapsed_seconds: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_may_be_found_then_the_best_then_the_shortest_stands_for_its_group() {
        let member =
            |is_hidden, rank, url: &str| Member { is_hidden, rank, url: url.into(), key: PageKey::START };
        let mut members = [
            member(true, 9.0, "http://a/"),
            member(false, 0.0, "http://bb/"),
            member(false, 0.0, "http://ab/"),
            member(false, 0.0, "http://c/"),
            member(false, 1.0, "http://long.example/"),
        ];
        members.sort_by(Member::compare);
        let urls: Vec<&str> = members.iter().map(|member| member.url.as_str()).collect();
        assert_eq!(urls, ["http://long.example/", "http://c/", "http://ab/", "http://bb/", "http://a/"]);
    }
}
