//! Pages by what they speak of.

use std::path::PathBuf;
use std::sync::Arc;

use index::{Index, IndexBuilder, IndexDocument, Piece};
use latent::{LatentSpace, Matrix, SpaceTerms, SpaceWriter};
use page::{DocId, PageKey};
use search::{
    AnswerRequest, Copies, Meanings, PageReader, PageText, Searcher, SpaceSettings, Spaces, fold_into_space,
    is_due, make_space,
};
use tempfile::TempDir;

/// The documents of the notes, chapter 9, each twice so that every word is in two, and some that speak of something else.
const TEXTS: [&str; 9] = [
    "io parlo di cani",
    "cani e gatti",
    "io parlo di gatti",
    "io parlo di cani",
    "cani e gatti",
    "io parlo di gatti",
    "barche nel porto",
    "barche e vele nel porto",
    "vele nel vento",
];

struct Texts;

impl PageReader for Texts {
    fn read(&self, key: PageKey) -> Option<PageText> {
        let text = TEXTS.get(key.get() as usize)?;
        Some(PageText {
            url: format!("http://a.test/{key}"),
            text: (*text).to_owned(),
            ..PageText::default()
        })
    }
}

fn index_of(texts: &[&str]) -> (TempDir, Arc<Index>) {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = IndexBuilder::create(folder.path(), 1 << 20).unwrap();
    for (text, key) in texts.iter().zip((0..).map(PageKey::new)) {
        let pieces = Piece::title_and_text("", text);
        builder.add(&IndexDocument { key, language: None, pieces: &pieces }).unwrap();
    }
    builder.finish("test").unwrap();
    let index = Arc::new(Index::open(folder.path()).unwrap());
    (folder, index)
}

fn settings(threads: usize) -> SpaceSettings {
    SpaceSettings { dimensions: 2, threads, ..SpaceSettings::default() }
}

fn space_in(folder: &TempDir, index: &Index) -> (PathBuf, LatentSpace) {
    let path = folder.path().join("space");
    make_space(index, &path, settings(1)).unwrap();
    let space = LatentSpace::open(&path).unwrap();
    (path, space)
}

fn searcher(index: Arc<Index>, space: LatentSpace) -> Searcher {
    let mut spaces = Spaces::new();
    spaces.add(DocId::new(0)..DocId::new(index.documents()), space);
    Searcher::new(index).with_spaces(spaces)
}

#[test]
fn a_page_about_dogs_is_related_to_one_about_cats_and_not_to_one_about_boats() {
    let (folder, index) = index_of(&TEXTS);
    let (_, space) = space_in(&folder, &index);
    let searcher = searcher(index, space);
    let answer = searcher.related(PageKey::new(0), 10, &Texts).unwrap();
    assert_eq!(answer.query, "http://a.test/0");
    let keys: Vec<u64> = answer.results.iter().map(|result| result.key.get()).collect();
    // Between those that say the same, those about cats, and those that have both: all about animals.
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3, 4, 5], "{keys:?}");
    assert!(answer.results.iter().all(|result| result.score > 0.6 && !result.snippet.text().is_empty()));
    assert!(searcher.related(PageKey::new(99), 10, &Texts).is_none());
}

#[test]
fn what_a_meaning_adds_is_explained_and_that_nothing_is_known_of_it_is_said() {
    let (folder, index) = index_of(&TEXTS);
    let (_, space) = space_in(&folder, &index);
    let request =
        AnswerRequest { count: 10, explain: true, meanings: Meanings::On, ..AnswerRequest::default() };
    let by_words = Searcher::new(Arc::clone(&index));
    let told = by_words.answer_request("gatti OR vele", &request, &Texts).unwrap();
    assert!(told.notes.iter().any(|note| note.to_string().contains("only words count")), "{:?}", told.notes);
    assert!(told.results.iter().all(|result| result.explanation.as_ref().unwrap().meaning.is_none()));
    let answer = searcher(index, space).answer_request("gatti OR vele", &request, &Texts).unwrap();
    assert_eq!((answer.notes.len(), answer.total, answer.results.len()), (0, told.total, told.results.len()));
    for result in &answer.results {
        let explanation = result.explanation.as_ref().unwrap();
        let meaning = explanation.meaning.as_ref().expect("all have a place");
        assert!((explanation.score.max(0.0) - result.score).abs() < 1e-4, "{explanation}");
        let words = told.results.iter().find(|other| other.key == result.key).unwrap().score;
        assert!((words + meaning.contribution - explanation.score).abs() < 1e-4, "{explanation}");
        assert!(explanation.to_string().contains("meaning: cosine"), "{explanation}");
    }
    assert!(answer.results.is_sorted_by(|one, other| one.score >= other.score));
    assert_ne!(answer.results[0].score, told.results[0].score);
}

#[test]
fn of_copies_one_is_related_and_none_to_itself() {
    let (folder, index) = index_of(&TEXTS);
    let (_, space) = space_in(&folder, &index);
    let groups = [[0, 3], [4, 1], [2, 5]].map(|group| group.map(DocId::new).to_vec());
    let copies = Copies::new(index.documents(), groups.iter().map(Vec::as_slice));
    let searcher = searcher(index, space).with_copies(Arc::new(copies));
    let answer = searcher.related(PageKey::new(3), 10, &Texts).unwrap();
    let mut found: Vec<(u64, u64)> =
        answer.results.iter().map(|result| (result.key.get(), result.similar)).collect();
    found.sort_unstable();
    assert_eq!(found, [(2, 1), (4, 1)], "those that stand for their groups, and nothing of its own");
}

#[test]
fn a_space_has_the_same_bytes_with_any_number_of_threads() {
    let (folder, index) = index_of(&TEXTS);
    let bytes = |threads| {
        let path = folder.path().join(format!("space-{threads}"));
        make_space(&index, &path, settings(threads)).unwrap();
        std::fs::read(path).unwrap()
    };
    let one = bytes(1);
    assert!(bytes(2) == one && bytes(5) == one);
}

#[test]
fn later_documents_are_put_where_their_words_are() {
    let (folder, index) = index_of(&TEXTS);
    let (path, space) = space_in(&folder, &index);
    let longer: Vec<&str> = TEXTS.into_iter().chain(["gatti gatti", "parole mai viste"]).collect();
    let (_folder, grown) = index_of(&longer);
    fold_into_space(&grown, &space, &path, settings(2)).unwrap();
    let folded = LatentSpace::open(&path).unwrap();
    assert_eq!((folded.of(), folded.documents(), folded.decomposed()), (grown.set_id(), 11, 9));
    for document in 0..9 {
        assert_eq!(folded.meaning_of_document(document), space.meaning_of_document(document), "{document}");
    }
    let cats = folded.meaning_of_document(9).expect("it has a word that is known");
    let near = [1, 8].map(|document| folded.cosine(&cats, document));
    assert!(near[0] > 0.6 && near[0] > near[1] + 0.4, "{near:?}");
    assert_eq!(folded.meaning_of_document(10), None, "no word of it was there before");
    let due: Vec<bool> = [6, 7, 9, 11, 12].map(|documents| is_due(&folded, documents)).to_vec();
    assert_eq!(due, [true, false, false, false, true]);
}

#[test]
fn documents_that_keep_their_numbers_keep_their_places_and_are_not_read_again() {
    let (folder, index) = index_of(&TEXTS);
    let (path, space) = space_in(&folder, &index);
    // A space in which all documents are where the first is not, so that it can be seen who was read.
    let terms = SpaceTerms::of(&space);
    let elsewhere: Vec<&[(u32, f32)]> = vec![&[(4, 1.0)]; TEXTS.len()];
    let mut writer = SpaceWriter::create(&path, &terms, index.set_id(), index.documents()).unwrap();
    writer.fold_in(&Matrix::of_rows(space.terms(), &elsewhere), 1).unwrap();
    writer.finish().unwrap();
    let before = LatentSpace::open(&path).unwrap();
    assert_ne!(before.meaning_of_document(6), space.meaning_of_document(6));

    let mut builder = IndexBuilder::append(folder.path(), 1 << 20).unwrap();
    let pieces = Piece::title_and_text("", TEXTS[6]);
    builder.add(&IndexDocument { key: PageKey::new(9), language: None, pieces: &pieces }).unwrap();
    builder.finish("test").unwrap();
    let grown = Index::open(folder.path()).unwrap();
    let (_folder, made_anew) = index_of(&TEXTS.into_iter().chain([TEXTS[6]]).collect::<Vec<_>>());
    for (later, old) in [(&grown, &before), (&*made_anew, &space)] {
        fold_into_space(later, &before, &path, settings(2)).unwrap();
        let folded = LatentSpace::open(&path).unwrap();
        assert_eq!((folded.of(), folded.documents()), (later.set_id(), 10));
        for document in 0..9 {
            assert_eq!(folded.meaning_of_document(document), old.meaning_of_document(document), "{document}");
        }
        assert_eq!(folded.meaning_of_document(9), space.meaning_of_document(6), "the new one is read");
    }
}
