//! Searching as its users see it: the right documents, in the right order, with reasons and snippets.

mod answers;
mod boolean;
mod copies;
mod link_rank;
mod quality;
mod segments;
mod words;

use std::sync::Arc;

use index::{Index, IndexBuilder, IndexDocument, Piece};
use page::PageKey;
use search::{Bm25Parameters, Searcher};
use tempfile::TempDir;

/// A searcher over an index of titles and texts; the key of a document is 100 more than its number.
struct Fixture {
    searcher: Searcher,
    _folder: TempDir,
}

fn fixture<T: AsRef<str>>(pages: &[(T, T)], parameters: Bm25Parameters) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
    for ((title, text), key) in pages.iter().zip(100..) {
        builder
            .add(&IndexDocument { key: PageKey::new(key), pieces: &Piece::title_and_text(title.as_ref(), text.as_ref()) })
            .unwrap();
    }
    builder.finish("test").unwrap();
    let index = Arc::new(Index::open(folder.path()).unwrap());
    Fixture { searcher: Searcher::new(index, parameters), _folder: folder }
}
