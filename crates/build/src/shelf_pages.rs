//! The texts of results, from the collections that they are in.
//!
//! Of a thousand collections most have no result to show, and each that is open takes files and memory: they are opened when
//! they are first asked, and only the [`OPEN_MAX`] that were asked last stay open.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use index::Index;
use page::{PageKey, PageUrl};
use search::{Note, PageReader, PageText};
use store::{Collection, StoreReader};

use crate::documents::{DocumentBeginning, DocumentStore};
use crate::newer::Newer;
use crate::reading::open_documents;
use crate::{Error, Notice, ShelfEntry, Watcher, read_document};

/// So many collections have their texts open.
const OPEN_MAX: usize = 32;

/// Gives a search the texts of its results.
pub(crate) struct ShelfPages {
    entries: Vec<ShelfEntry>,
    index: Arc<Index>,
    /// Those that are open, by their numbers; who was asked last comes last.
    open: Mutex<Vec<(usize, Arc<CollectionPages>)>>,
    newer: Newer,
    watcher: Arc<dyn Watcher + Send>,
}

impl ShelfPages {
    /// The pages that an index of these collections leads to. A few collections are opened at once, so that what cannot be
    /// read is told before anybody asks.
    pub(crate) fn open(
        entries: Vec<ShelfEntry>,
        index: Arc<Index>,
        watcher: Arc<dyn Watcher + Send>,
    ) -> Result<Self, Error> {
        let pages = Self { entries, index, open: Mutex::default(), newer: Newer::default(), watcher };
        if pages.entries.len() <= OPEN_MAX {
            for number in 0..pages.entries.len() {
                pages.pages_of(number)?;
            }
        }
        Ok(pages)
    }

    fn pages_of(&self, number: usize) -> Result<Arc<CollectionPages>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = match open.iter().position(|(other, _)| *other == number) {
            Some(place) => open.remove(place).1,
            None => Arc::new(CollectionPages::open(&self.entries[number].collection, &*self.watcher)?),
        };
        open.push((number, Arc::clone(&pages)));
        if open.len() > OPEN_MAX {
            open.remove(0);
        }
        Ok(pages)
    }

    /// The key of the page in the index that is stored under this address, if there is one; of several collections, in the
    /// first that has it. Cost: a scan of the page tables.
    pub(crate) fn find(&self, url: &PageUrl) -> Result<Option<PageKey>, Error> {
        for (entry, member) in self.entries.iter().zip(self.index.members()) {
            let (mut pages, mut found) = (StoreReader::open(&entry.collection)?.pages()?, None);
            while let Some((key, record)) = pages.next()? {
                if record.url == *url && self.index.find_key(member.key(key)).is_some() {
                    found = Some(member.key(key));
                }
            }
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// What somebody who searches should know of pages that came after the index.
    pub(crate) fn note_on_newer(&self) -> Option<Note> {
        self.newer.note(&self.entries, &self.index)
    }

    /// The folder of the collection that a key is of.
    pub(crate) fn dir_of(&self, key: PageKey) -> &Path {
        let number = self.index.split_key(key).map_or(0, |(member, _)| member.number());
        self.entries[number].collection.dir()
    }

    /// The title of a page, if it can be read.
    pub(crate) fn title(&self, key: PageKey) -> Option<String> {
        let (member, key_there) = self.index.split_key(key)?;
        let pages = self.pages_of(member.number()).ok()?;
        match pages.documents.as_ref().map(|documents| documents.title(key_there)) {
            Some(Ok(Some(title))) => Some(title),
            _ => Some(self.read_beginning(key, 0)?.title),
        }
    }

    fn read_page(&self, number: usize, key: PageKey, text_bytes: usize) -> Result<PageText, Error> {
        let mut page = self.pages_of(number)?.read(key, text_bytes, &*self.watcher)?;
        page.collection = Some(self.entries[number].name.clone());
        Ok(page)
    }
}

impl PageReader for ShelfPages {
    fn read(&self, key: PageKey) -> Option<PageText> {
        self.read_beginning(key, usize::MAX)
    }

    fn read_beginning(&self, key: PageKey, text_bytes: usize) -> Option<PageText> {
        let (member, key) = self.index.split_key(key)?;
        let page = self.read_page(member.number(), key, text_bytes);
        page.map_err(|error| {
            self.watcher.tell(Notice::Unreadable { what: "a result cannot be shown", why: &error })
        })
        .ok()
    }
}

/// The texts of a collection: from the documents, and from the archive where these do not go so far.
struct CollectionPages {
    documents: Option<DocumentStore>,
    store: StoreReader,
}

impl CollectionPages {
    fn open(collection: &Collection, watcher: &dyn Watcher) -> Result<Self, Error> {
        let documents = open_documents(collection).unwrap_or_else(|error| {
            watcher.tell(Notice::Failed(&error));
            None
        });
        Ok(Self { documents, store: StoreReader::open(collection)? })
    }

    fn read(&self, key: PageKey, text_bytes: usize, watcher: &dyn Watcher) -> Result<PageText, Error> {
        let documents = self.documents.as_ref();
        let read = documents.map(|documents| documents.beginning(key, text_bytes)).transpose();
        // Damage is told, and the archive has the page as well.
        let read = read.unwrap_or_else(|error| {
            watcher.tell(Notice::Failed(&error.into()));
            None
        });
        let DocumentBeginning { document, is_whole } = match read.flatten() {
            Some(beginning) => beginning,
            None => {
                let document = read_document(&self.store, key, &self.store.page_at(key)?)?;
                DocumentBeginning { document, is_whole: true }
            }
        };
        let main = document.outline().main_ranges();
        let date = document.modified.or(document.published);
        let (url, title, text) = (document.url, document.title, document.text);
        Ok(PageText { url, collection: None, title, text, main, date, is_cut: !is_whole })
    }
}
