//! `documents/` follows the stored pages: what is new is decoded and parsed once, by several threads.
//!
//! A store that is damaged, of another version, or made from another collection or by another reader of pages is made
//! anew. What was read is committed now and then, so that a build that is killed goes on where it was.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;
use store::Collection;

use crate::archived::for_each_page_from;
use crate::documents::{
    DocumentStore, DocumentWriter, DocumentsError, MadeFrom, WriterOptions, remove_store,
};
use crate::{Covered, Error, Notice, Progress, Watcher, Work};

/// After so many bytes of text what was read is committed.
const COMMIT_TEXT_BYTES: usize = 256 << 20;

/// What waits to be squeezed takes at most this share of the memory.
const WAITING_SHARE: u64 = 8;

/// What reading pages came to.
#[derive(Debug, Clone, Serialize)]
pub struct DocumentsSummary {
    /// Nothing had to be read.
    pub up_to_date: bool,
    /// Documents that are there now.
    pub documents: u64,
    /// Those that were read now.
    pub added: u64,
    /// Pages that could not be read.
    pub unreadable: u64,
    /// The bytes of all texts.
    pub text_bytes: u64,
    /// The bytes that the documents take on disk.
    pub bytes: u64,
    /// How long it took.
    pub elapsed_seconds: f64,
}

/// The folder of the documents of a collection.
pub fn documents_dir(collection: &Collection) -> PathBuf {
    collection.dir().join("documents")
}

/// Opens the documents of a collection, if there are any that fit it.
pub fn open_documents(collection: &Collection) -> Result<Option<DocumentStore>, Error> {
    match DocumentStore::open(&documents_dir(collection)) {
        Ok(store) if *store.made_from() == made_from(collection) => Ok(Some(store)),
        Ok(_) | Err(DocumentsError::Missing(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What the documents of a collection must be made from.
fn made_from(collection: &Collection) -> MadeFrom {
    MadeFrom { created_at: collection.manifest().created_at.clone(), parser_version: parse::VERSION }
}

/// Reads the pages that were not read yet.
pub fn bring_up_to_date(
    collection: &Collection,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<(DocumentStore, DocumentsSummary), Error> {
    let started = Instant::now();
    let mut writer = open_writer(collection, memory_bytes, watcher)?;
    let (before, first) = (writer.len(), Covered::of(collection, writer.covered()));
    let total = Some(collection.table_bytes()?);
    let (mut unreadable, mut text_bytes, mut pages) = (0, 0, 0);
    let covered = for_each_page_from(collection, first, |page| {
        pages += 1;
        watcher.progress(Progress {
            work: Work::Reading,
            done: page.key.get(),
            total,
            counted: pages,
            detail: "",
        });
        match page.document {
            Ok(document) => {
                if text_bytes >= COMMIT_TEXT_BYTES {
                    writer.commit(page.key.get())?;
                    text_bytes = 0;
                }
                text_bytes += document.text.len();
                writer.append(&document)?;
            }
            Err(error) => {
                watcher.tell(Notice::Unreadable { what: page.record.url.as_str(), why: &error });
                unreadable += 1;
            }
        }
        Ok::<_, Error>(())
    })?;
    let added = writer.len() - before;
    if covered != first {
        writer.commit(covered.table_bytes)?;
    }
    drop(writer);
    let documents = DocumentStore::open(&documents_dir(collection))?;
    let sizes = documents.summary();
    let summary = DocumentsSummary {
        up_to_date: covered == first,
        documents: sizes.documents,
        added,
        unreadable,
        text_bytes: sizes.text_bytes,
        bytes: sizes.file_bytes,
        elapsed_seconds: started.elapsed().as_secs_f64(),
    };
    Ok((documents, summary))
}

/// Removes the documents: they are read again by the next build.
pub(crate) fn remove(collection: &Collection) -> Result<(), Error> {
    Ok(remove_store(&documents_dir(collection))?)
}

/// Goes on with the documents that are there, or begins anew where they do not fit.
fn open_writer(
    collection: &Collection,
    memory_bytes: u64,
    watcher: &dyn Watcher,
) -> Result<DocumentWriter, Error> {
    let (dir, made_from) = (collection.part("documents")?, made_from(collection));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = WriterOptions { threads, memory_bytes_max: (memory_bytes / WAITING_SHARE) as usize };
    let table_bytes = collection.table_bytes()?;
    match DocumentStore::open(&dir).and_then(|documents| documents.check_bytes()) {
        Ok(()) => {}
        Err(DocumentsError::Missing(_)) => return Ok(DocumentWriter::create(&dir, &made_from, options)?),
        Err(error) if !error.is_helped_by_making_anew() => return Err(error.into()),
        Err(error) => {
            watcher.tell(Notice::MadeAnew { what: "the documents are", why: &error });
            return Ok(DocumentWriter::create(&dir, &made_from, options)?);
        }
    }
    match DocumentWriter::open(&dir, &made_from, options) {
        // A table that has become shorter is another one.
        Ok(writer) if writer.covered() <= table_bytes => return Ok(writer),
        Ok(_) | Err(DocumentsError::Missing(_)) => {}
        Err(error) if !error.is_helped_by_making_anew() => return Err(error.into()),
        Err(error) => watcher.tell(Notice::MadeAnew { what: "the documents are", why: &error }),
    }
    Ok(DocumentWriter::create(&dir, &made_from, options)?)
}
