//! Searching as its users see it: the right documents, in the right order, with reasons and snippets.

mod answers;
mod best;
mod bonus;
mod boolean;
mod copies;
mod corrections;
mod facts;
mod fields;
mod hostile;
mod link_rank;
mod many;
mod meanings;
mod more;
mod quality;
mod readers;
mod related;
mod segments;
mod shelf;
mod spread;
mod stems;
mod textbook;
mod words;

use std::sync::Arc;

use index::{Field, Index, IndexBuilder, IndexDocument, Piece};
use page::PageKey;
use search::Searcher;
use tempfile::TempDir;

/// A searcher over an index of titles and texts; the key of a document is 100 more than its number.
struct Fixture {
    searcher: Searcher,
    _folder: TempDir,
}

fn fixture<T: AsRef<str>>(pages: &[(T, T)]) -> Fixture {
    let pieces = |(title, text): &(T, T)| -> Vec<(Field, String)> {
        let pieces = Piece::title_and_text(title.as_ref(), text.as_ref());
        pieces.map(|piece| (piece.field, piece.text.to_owned())).to_vec()
    };
    fixture_of(&pages.iter().map(pieces).collect::<Vec<_>>())
}

/// A searcher over documents of which more is known than a title and a text.
fn fixture_of<T: AsRef<str>>(documents: &[Vec<(Field, T)>]) -> Fixture {
    fixture_in(None, documents)
}

/// A searcher over documents in one language.
fn fixture_in<T: AsRef<str>>(language: Option<&str>, documents: &[Vec<(Field, T)>]) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
    for (pieces, key) in documents.iter().zip((100..).map(PageKey::new)) {
        let pieces: Vec<Piece<'_>> =
            pieces.iter().map(|(field, text)| Piece { field: *field, text: text.as_ref() }).collect();
        builder.add(&IndexDocument { key, language, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
    let index = Arc::new(Index::open(folder.path()).unwrap());
    Fixture { searcher: Searcher::new(index), _folder: folder }
}
