//! What searches open: the index with its copies, ranks and sites, all of one moment.

use std::sync::Arc;
use std::time::SystemTime;

use index::{ImpactModel, Index};
use page::PageKey;
use search::{Answer, AnswerRequest, PageReader, PageText, Searcher, Sites};
use store::{Collection, StoreReader};

use crate::copies::{self, groups_path};
use crate::documents::DocumentStore;
use crate::graphs::for_search;
use crate::reading::open_documents;
use crate::{Covered, Error, Notice, Watcher, read_document};

/// How a snapshot is searched.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotSettings {
    /// How words are weighed, if not as the index is made for: averages are those of the index.
    pub impacts: Option<ImpactModel>,
    /// The most that a page can gain by being linked to; 0: links do not count.
    pub rank_weight: f64,
    /// Whether `site:` is asked for. Reading where every page is from takes a while.
    pub with_sites: bool,
}

/// An index with its copies, ranks and sites, and the pages that it leads to.
pub struct Snapshot {
    searcher: Searcher,
    pages: SnapshotPages,
    index_bytes: u64,
    documents: u64,
    hosts: u64,
    stamp: SnapshotStamp,
}

impl Snapshot {
    /// Opens the newest of everything.
    pub fn open(
        collection: &Collection,
        settings: &SnapshotSettings,
        watcher: Arc<dyn Watcher + Send>,
    ) -> Result<Self, Error> {
        let stamp = SnapshotStamp::of(collection);
        let index = Arc::new(open_index(collection)?);
        let sites = if settings.with_sites { sites_of(collection, &index)? } else { Sites::default() };
        let (index_bytes, documents, hosts) =
            (index.report().bytes, u64::from(index.documents()), sites.hosts());
        let copies = copies::for_search(collection, &index, &*watcher)?;
        let ranks = for_search::link_ranks(collection, &index, settings.rank_weight, &*watcher)?;
        let averages = index.impact_model().averages;
        let mut searcher = Searcher::new(index);
        if let Some(impacts) = settings.impacts {
            searcher = searcher.with_impacts(impacts.with_averages(averages));
        }
        let searcher = searcher.with_copies(copies).with_ranks(ranks).with_sites(Arc::new(sites));
        let pages = SnapshotPages::open(collection, watcher)?;
        Ok(Self { searcher, pages, index_bytes, documents, hosts, stamp })
    }

    /// Answers a query, with the texts of its results.
    pub fn answer(&self, query: &str, request: &AnswerRequest) -> Result<Answer, search::Error> {
        self.searcher.answer_request(query, request, &self.pages)
    }

    /// The bytes of the index on disk.
    pub fn index_bytes(&self) -> u64 {
        self.index_bytes
    }

    /// How many pages can be found.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// From how many hosts they are; 0 if nobody asked for sites.
    pub fn hosts(&self) -> u64 {
        self.hosts
    }

    /// When its files were written.
    pub fn stamp(&self) -> SnapshotStamp {
        self.stamp
    }
}

/// When the files of a snapshot were written: another stamp means that there is something newer to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotStamp([Option<SystemTime>; 5]);

impl SnapshotStamp {
    /// That of the files as they are now.
    pub fn of(collection: &Collection) -> Self {
        let [graph, ranks, documents] = for_search::watched_files(collection);
        let index = collection.dir().join("index/manifest.json");
        let files = [index, groups_path(collection.dir()), graph, ranks, documents];
        Self(files.map(|path| path.metadata().ok()?.modified().ok()))
    }
}

/// Opens the index. One that was made from other pages would lead to whatever lies in their places.
fn open_index(collection: &Collection) -> Result<Index, Error> {
    let dir = collection.dir().join("index");
    let index = Index::open(&dir).map_err(|error| match error {
        index::Error::Missing { .. } => Error::NoIndex(collection.dir().to_owned()),
        other => other.into(),
    })?;
    match Covered::is_of_another(index.source_stamp(), collection) {
        true => Err(Error::OtherPages(dir)),
        false => Ok(index),
    }
}

/// The hosts of all documents of an index.
fn sites_of(collection: &Collection, index: &Index) -> Result<Sites, Error> {
    let mut pages = StoreReader::open(collection)?.pages()?;
    let mut sites = Sites::new(index.documents());
    while let Some((key, record)) = pages.next()? {
        if record.is_page() {
            sites.add(record.url.host(), index.find_key(key));
        }
    }
    Ok(sites)
}

/// Gives a search the text of its results: from the documents, and from the archive where these do not go so far.
pub struct SnapshotPages {
    documents: Option<DocumentStore>,
    store: StoreReader,
    watcher: Arc<dyn Watcher + Send>,
}

impl SnapshotPages {
    /// The pages of a collection. Whoever watches is told of those that cannot be read.
    pub fn open(collection: &Collection, watcher: Arc<dyn Watcher + Send>) -> Result<Self, Error> {
        let documents = open_documents(collection).unwrap_or_else(|error| {
            watcher.tell(Notice::Failed(&error));
            None
        });
        Ok(Self { documents, store: StoreReader::open(collection)?, watcher })
    }

    fn read_page(&self, key: PageKey) -> Result<PageText, Error> {
        let read = self.documents.as_ref().map(|documents| documents.get(key)).transpose();
        // Damage is told, and the archive has the page as well.
        let read = read.unwrap_or_else(|error| {
            self.watcher.tell(Notice::Failed(&error.into()));
            None
        });
        let document = match read.flatten() {
            Some(document) => document,
            None => read_document(&self.store, key, &self.store.page_at(key)?)?,
        };
        let main = document.outline().main_ranges();
        Ok(PageText { url: document.url, title: document.title, text: document.text, main })
    }
}

impl PageReader for SnapshotPages {
    fn read(&self, key: PageKey) -> Option<PageText> {
        let page = self.read_page(key);
        page.map_err(|error| {
            self.watcher.tell(Notice::Unreadable { what: "a result cannot be shown", why: &error })
        })
        .ok()
    }
}
