//! The index as its users see it: what goes in comes out, and damage is noticed.

mod ciff;
mod damage;
mod fixture;
mod hot;
mod life;
mod merging;
mod model;
mod order;
mod precision;
mod rebuild;
mod segments;
mod split;
mod stems;
mod terms;
mod threads;
mod windows;

use std::collections::BTreeMap;
use std::path::Path;

use index::{Analyzer, Error, Index, IndexBuilder, IndexDocument, IndexReport, Piece, TokenKind};
use page::{DocId, PageKey};

/// A title and a text.
type Page = (String, String);

fn pages(pages: &[(&str, &str)]) -> Vec<Page> {
    pages.iter().map(|&(title, text)| (title.to_owned(), text.to_owned())).collect()
}

fn add(builder: &mut IndexBuilder, key: u64, (title, text): &Page) {
    let pieces = Piece::title_and_text(title, text);
    builder.add(&IndexDocument { key: PageKey::new(key), language: None, pieces: &pieces }).unwrap();
}

fn build(dir: &Path, pages: &[Page], memory_budget_bytes: u64) -> IndexReport {
    let mut builder = IndexBuilder::create(dir, memory_budget_bytes).unwrap();
    for (page, key) in pages.iter().zip(100..) {
        add(&mut builder, key, page);
    }
    builder.finish("test").unwrap()
}

/// Builds an index of one segment for each of `parts`, which follow each other.
fn build_segments(dir: &Path, parts: &[&[Page]], memory_budget_bytes: u64) -> IndexReport {
    let mut report = build(dir, parts[0], memory_budget_bytes);
    for part in &parts[1..] {
        let mut builder = IndexBuilder::append(dir, memory_budget_bytes).unwrap();
        for (page, key) in part.iter().zip(100 + report.documents..) {
            add(&mut builder, key, page);
        }
        report = builder.finish("test").unwrap();
    }
    report
}

/// For each document of a term: is it in the title, and where is it?
type Postings = BTreeMap<DocId, (bool, Vec<u32>)>;

/// The index that a reader of the promises would write with maps.
fn model(pages: &[Page]) -> BTreeMap<String, Postings> {
    let mut model = BTreeMap::<String, Postings>::new();
    for ((title, text), document) in pages.iter().zip((0..).map(DocId::new)) {
        let mut add = |term: &str, position, in_title| {
            let entry =
                model.entry(term.to_owned()).or_default().entry(document).or_insert((in_title, Vec::new()));
            entry.1.push(position);
        };
        for (text, space, in_title) in [(title, 0, true), (text, 1 << 28, false)] {
            Analyzer::default().tokens(text, &mut |token| {
                if token.kind != TokenKind::Letter {
                    add(token.term, space + token.position, in_title);
                }
            });
        }
    }
    model
}

/// All postings of `term`, read to the end.
fn read_postings(index: &Index, term: &str) -> Result<Postings, Error> {
    let mut postings = Postings::new();
    let Some(entry) = index.term(term)? else { return Ok(postings) };
    let mut cursor = index.cursor(&entry);
    let (mut positions, mut shallow, impacts) = (Vec::new(), index.cursor(&entry), index.impact_model());
    let (table, list_bound) = (impacts.table(), shallow.list_bound());
    let (mut windows, worth) = (vec![0; index.documents() as usize / 8 + 1], |impact: f32| impact.to_bits());
    cursor.raise_windows(3, &mut windows, &table, worth);
    let (mut numbers, mut room) = (Vec::new(), Vec::new());
    while cursor.doc() != DocId::END {
        cursor.positions(&mut positions)?;
        assert_eq!(cursor.frequency() as usize, positions.len());
        postings.insert(cursor.doc(), (cursor.in_title(), positions.clone()));
        // What a cursor that decodes nothing says of a document is true.
        let impact = table.impact(&cursor.counts(), &index.length_codes(cursor.doc()));
        let bound = shallow.bound_at(cursor.doc());
        assert!(impact <= bound.impact.min(list_bound) && cursor.doc() <= bound.last, "{impact}, {bound:?}");
        let window = f32::from_bits(windows[cursor.doc().index() / 8]);
        assert!(impact <= window && cursor.weighs(table.least_weight(impact), &table), "{impact}, {window}");
        // Of what comes three before a word, or two, the former is kept.
        numbers.clear();
        numbers.extend(positions.iter().flat_map(|at| [at.wrapping_sub(3), at.wrapping_sub(2)]));
        numbers.retain(|&number| number < u32::MAX - 3);
        numbers.sort_unstable();
        numbers.dedup();
        let kept: Vec<u32> = numbers.iter().copied().filter(|at| positions.contains(&(at + 3))).collect();
        cursor.retain_before(3, 1, &mut numbers, &mut room)?;
        assert_eq!(numbers, kept);
        cursor.next();
    }
    cursor.rewind();
    assert_eq!(cursor.doc(), *postings.keys().next().expect("a term is in a document"));
    assert_eq!(postings.len(), entry.document_frequency() as usize);
    Ok(postings)
}

fn assert_equals_model(index: &Index, pages: &[Page]) {
    let model = model(pages);
    for (term, postings) in &model {
        assert_eq!(&read_postings(index, term).unwrap(), postings, "{term}");
    }
    let report = index.report();
    if report.segments == 1 {
        assert_eq!(report.terms, model.len() as u64);
    }
    assert_eq!(report.postings, model.values().map(|postings| postings.len() as u64).sum::<u64>());
    let mut occurrences = 0;
    for text in pages.iter().flat_map(|(title, text)| [title, text]) {
        Analyzer::default()
            .tokens(text, &mut |token| occurrences += u64::from(token.kind == TokenKind::Word));
    }
    assert_eq!(report.occurrences, occurrences);
    for absent in ["", "\0", "absent", "zzzzzz", "\u{10ffff}"] {
        assert_eq!(index.term(absent).unwrap().is_some(), model.contains_key(absent), "{absent:?}");
    }
}
