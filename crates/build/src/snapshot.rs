//! What searches open: the index with its copies, ranks, sites and facts, all of one moment.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use index::{HotReport, Index};
use page::{DocId, PageKey, PageUrl};
use search::{
    Answer, AnswerRequest, PageReader, PageText, Query, Scheme, Searcher, Spaces, Synonyms, Titles, Weights,
};

use crate::copies::groups_path;
use crate::graphs::for_search;
use crate::known::{self, known_path, state_of_index, words_path};
use crate::shelf_pages::ShelfPages;
use crate::spaces::{self, space_path};
use crate::standing::Standing;
use crate::{Covered, Error, Notice, Shelf, ShelfEntry, Watcher};

/// How a snapshot is searched.
#[derive(Debug, Clone, Default)]
pub struct SnapshotSettings {
    /// What each signal of a score counts.
    pub weights: Weights,
    /// By which formula words count.
    pub scheme: Scheme,
    /// Whether what pages say of themselves can be asked for, `lang:` and dates, also if a build has not gathered it: reading
    /// it of every page takes a while.
    pub with_facts: bool,
    /// Whether somebody will ask what pages speak of. Reading that takes a while, too.
    pub with_spaces: bool,
    /// How many bytes of the index are kept in memory, those that are asked for most often.
    pub hot_bytes: Option<u64>,
    /// Words that mean the same.
    pub synonyms: Arc<Synonyms>,
    /// Whether signals that count nothing now will be given weights later.
    pub with_all_signals: bool,
}

impl SnapshotSettings {
    /// The defaults, with all that is known of pages.
    pub fn of_all() -> Self {
        Self { with_facts: true, with_spaces: true, ..Self::default() }
    }
}

/// An index with its copies, ranks and sites, and the pages that it leads to.
pub struct Snapshot {
    searcher: Searcher,
    pages: ShelfPages,
    index_bytes: u64,
    documents: u64,
    hosts: u64,
    stamp: SnapshotStamp,
    hot: Option<Hot>,
}

/// What of the index is kept in memory.
struct Hot {
    budget_bytes: u64,
    /// What had been asked for when that was chosen.
    pages_asked: AtomicU64,
}

impl Snapshot {
    /// Opens the newest of everything.
    pub fn open(
        shelf: Shelf,
        settings: &SnapshotSettings,
        watcher: Arc<dyn Watcher + Send>,
    ) -> Result<Self, Error> {
        Self::open_after(None, shelf, settings, watcher)
    }

    /// Opens what is newer than this one, which stays as it was; what both have of the index is shared.
    pub fn reopen(
        &self,
        shelf: Shelf,
        settings: &SnapshotSettings,
        watcher: Arc<dyn Watcher + Send>,
    ) -> Result<Self, Error> {
        Self::open_after(Some(self.searcher.index()), shelf, settings, watcher)
    }

    fn open_after(
        before: Option<&Index>,
        shelf: Shelf,
        settings: &SnapshotSettings,
        watcher: Arc<dyn Watcher + Send>,
    ) -> Result<Self, Error> {
        let stamp = SnapshotStamp::of(&shelf);
        let (index, entries) = open_index(before, shelf, settings.hot_bytes, &*watcher)?;
        let known = known::of(&entries, &index, settings.with_facts, &*watcher)?;
        let standing = Standing {
            entries: &entries,
            index: &index,
            weights: &settings.weights,
            all: settings.with_all_signals,
            watcher: &*watcher,
        };
        let ranks = standing.read(&known)?;
        let (index_bytes, documents) = (index.report().bytes, u64::from(index.documents()));
        let hosts = known.sites.hosts();
        let spaces = read_spaces(&entries, &index, settings, &*watcher);
        let words = match entries.as_slice() {
            [entry] => Some((words_path(entry.collection.dir()), state_of_index(&entry.collection)?)),
            _ => None,
        };
        let pages = ShelfPages::open(entries, Arc::clone(&index), watcher)?;
        let searcher = Searcher::new(index).with_weights(settings.weights).with_scheme(settings.scheme);
        let searcher =
            searcher.with_copies(Arc::new(known.copies)).with_ranks(ranks).with_sites(Arc::new(known.sites));
        let searcher = searcher.with_facts(Arc::new(known.facts)).with_names(Arc::new(known.names));
        let mut searcher = searcher.with_spaces(spaces).with_synonyms(&settings.synonyms);
        if let Some((path, state)) = words {
            searcher = searcher.with_kept_words(path, state);
        }
        let hot = |budget_bytes| Hot { budget_bytes, pages_asked: AtomicU64::new(0) };
        let hot = settings.hot_bytes.map(hot);
        Ok(Self { searcher, pages, index_bytes, documents, hosts, stamp, hot })
    }

    /// Chooses anew what of the index is kept in memory, if anything was asked for since it was done last.
    pub fn keep_hot(&self) -> Result<(), Error> {
        let Some((hot, report)) = self.hot.as_ref().zip(self.hot_report()) else { return Ok(()) };
        if hot.pages_asked.swap(report.pages_asked, Ordering::Relaxed) == report.pages_asked {
            return Ok(());
        }
        Ok(self.searcher.index().keep_hot(hot.budget_bytes)?)
    }

    /// What of the index is kept in memory, if anything may be.
    pub fn hot_report(&self) -> Option<HotReport> {
        self.hot.as_ref().map(|hot| self.searcher.index().hot_report(hot.budget_bytes))
    }

    /// Scores by other weights from now on.
    pub fn reweigh(&mut self, weights: Weights) {
        self.searcher = self.searcher.clone().with_weights(weights);
    }

    /// Answers a query, with the texts of its results.
    pub fn answer(&self, query: &str, request: &AnswerRequest) -> Result<Answer, search::Error> {
        let mut answer = self.searcher.answer_request(query, request, &self.pages)?;
        answer.notes.extend(self.pages.note_on_newer());
        Ok(answer)
    }

    /// The keys and scores of the best documents: those that [`Snapshot::answer`] shows, without their texts.
    pub fn best(&self, query: &str, request: &AnswerRequest) -> Result<Vec<(PageKey, f64)>, search::Error> {
        let query = Query::parse_for(query, self.searcher.index().analyzer())?;
        let found = self.searcher.search_request(&query, request, &self.pages)?;
        Ok(found.hits.into_iter().map(|hit| (hit.key, hit.score)).collect())
    }

    /// The address of a document; `None` if it cannot be read, which the watcher is told.
    pub fn url(&self, key: PageKey) -> Option<String> {
        self.pages.read_beginning(key, 0).map(|page| page.url)
    }

    /// Completes what somebody is typing, in at most so many ways.
    pub fn complete(&self, typed: &str, count: usize) -> Result<Vec<String>, search::Error> {
        self.searcher.complete(typed, count)
    }

    /// Reads the words and titles by which queries are corrected and completed, if that has not been done. Whoever does not
    /// ask for that has corrections all the same, the first of which takes longer.
    pub fn prepare_words(&self) -> Result<(), search::Error> {
        self.searcher.vocabulary()?;
        self.searcher.complete_with(|| titles(&self.searcher, &self.pages));
        Ok(())
    }

    /// The pages that speak of the same as one that is stored under this address.
    pub fn related(&self, url: &PageUrl, count: usize) -> Result<Answer, Error> {
        let key = self.pages.find(url)?.ok_or_else(|| Error::NotIndexed(url.to_string()))?;
        match self.searcher.related(key, count, &self.pages) {
            Some(answer) => Ok(answer),
            None if self.searcher.has_space(key) => Err(Error::NoMeaning(url.to_string())),
            None => Err(Error::NoSpace(self.pages.dir_of(key).to_owned())),
        }
    }

    /// The pages that speak of the same as the one with this key, if anything is known of it.
    pub fn related_to(&self, key: PageKey, count: usize) -> Option<Answer> {
        self.searcher.related(key, count, &self.pages)
    }

    /// The page with this key as it is kept, if it can be found.
    pub fn page(&self, key: PageKey) -> Option<PageText> {
        self.searcher.index().find_key(key)?;
        self.pages.read(key)
    }

    /// Whether it knows what pages speak of.
    pub fn has_spaces(&self) -> bool {
        self.searcher.has_spaces()
    }

    /// The bytes of the index on disk.
    pub fn index_bytes(&self) -> u64 {
        self.index_bytes
    }

    /// How many pages can be found.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// How many collections are searched.
    pub fn collections(&self) -> usize {
        self.searcher.index().members().len()
    }

    /// From how many hosts they are; 0 if nobody asked for facts.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }

    /// When its files were written.
    pub fn stamp(&self) -> &SnapshotStamp {
        &self.stamp
    }
}

/// So many titles complete what is typed.
const TITLES_MAX: usize = 20_000;

/// The titles of the pages that rank best.
fn titles(searcher: &Searcher, pages: &ShelfPages) -> Titles {
    let index = searcher.index();
    let mut docs: Vec<DocId> =
        (0..index.documents()).map(DocId::new).filter(|doc| !index.is_dead(*doc)).collect();
    let by_rank = |one: &DocId, other: &DocId| {
        searcher.rank(*other).total_cmp(&searcher.rank(*one)).then(one.cmp(other))
    };
    if docs.len() > TITLES_MAX {
        docs.select_nth_unstable_by(TITLES_MAX, by_rank);
        docs.truncate(TITLES_MAX);
    }
    // In the order in which they lie on disk.
    docs.sort_unstable();
    let title = |doc: DocId| Some((pages.title(index.doc_key(doc))?, searcher.rank(doc) as f32));
    Titles::new(docs.into_iter().filter_map(title))
}

/// When the files of a snapshot were written: another stamp means that there is something newer to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotStamp(Vec<(PathBuf, [Option<SystemTime>; 7])>);

impl SnapshotStamp {
    /// That of the files as they are now.
    pub fn of(shelf: &Shelf) -> Self {
        let stamp = |entry: &ShelfEntry| {
            let collection = &entry.collection;
            let [graph, ranks, documents] = for_search::watched_files(collection);
            let index = collection.dir().join("index/manifest.json");
            let space = space_path(collection.dir());
            let known = known_path(collection.dir());
            let files = [index, groups_path(collection.dir()), graph, ranks, documents, known, space];
            let times = files.map(|path| path.metadata().ok()?.modified().ok());
            (collection.dir().to_owned(), times)
        };
        Self(shelf.entries().iter().map(stamp).collect())
    }
}

/// Opens the indexes of all collections as one, and tells whose they are.
fn open_index(
    before: Option<&Index>,
    shelf: Shelf,
    hot_bytes: Option<u64>,
    watcher: &dyn Watcher,
) -> Result<(Arc<Index>, Vec<ShelfEntry>), Error> {
    let (mut entries, mut missing) = (Vec::new(), None);
    for entry in shelf.into_entries() {
        if index_dir(&entry).join("manifest.json").exists() {
            entries.push(entry);
            continue;
        }
        let error = Error::NoIndex(entry.collection.dir().to_owned());
        if !entry.may_lack_index {
            return Err(error);
        }
        watcher.tell(Notice::Failed(&error));
        missing = Some(error);
    }
    if let (true, Some(error)) = (entries.is_empty(), missing) {
        return Err(error);
    }
    let dirs: Vec<PathBuf> = entries.iter().map(index_dir).collect();
    let mut index = before.map_or_else(|| Index::open_all(&dirs), |before| before.reopen_all(&dirs))?;
    if let Some(hot_bytes) = hot_bytes {
        index.count_uses(before)?;
        index.keep_hot(hot_bytes)?;
    }
    // One that was made from other pages would lead to whatever lies in their places.
    for (entry, member) in entries.iter().zip(index.members()) {
        if Covered::is_of_another(member.source_stamp(), &entry.collection) {
            return Err(Error::OtherPages(member.dir().to_owned()));
        }
    }
    Ok((Arc::new(index), entries))
}

fn index_dir(entry: &ShelfEntry) -> PathBuf {
    entry.collection.dir().join("index")
}

/// The latent spaces of the collections that have one, if somebody wants to know.
fn read_spaces(
    entries: &[ShelfEntry],
    index: &Index,
    settings: &SnapshotSettings,
    watcher: &dyn Watcher,
) -> Spaces {
    let mut spaces = Spaces::new();
    for (entry, member) in entries.iter().zip(index.members()).filter(|_| settings.with_spaces) {
        if let Some(space) = spaces::for_search(&entry.collection, member, watcher) {
            spaces.add(member.documents(), space);
        }
    }
    spaces
}
