//! An index in the Common Index File Format, read back by the smallest reader of it.

use std::collections::BTreeMap;

use index::Index;
use journal::varint;
use page::DocId;

use crate::{Page, build_segments, model};

/// The fields of a message: numbers, and bytes that are read further by whoever knows what they are.
#[derive(Debug, Default)]
struct Read {
    numbers: BTreeMap<u64, u64>,
    bytes: Vec<(u64, Vec<u8>)>,
}

fn fields(mut bytes: &[u8]) -> Read {
    let mut read = Read::default();
    while !bytes.is_empty() {
        let key = varint::take(&mut bytes).unwrap();
        let length = match key & 7 {
            0 => {
                read.numbers.insert(key >> 3, varint::take(&mut bytes).unwrap());
                continue;
            }
            1 => 8,
            2 => varint::take(&mut bytes).unwrap() as usize,
            other => panic!("no field is of kind {other}"),
        };
        read.bytes.push((key >> 3, bytes[..length].to_vec()));
        bytes = &bytes[length..];
    }
    read
}

fn next<'b>(bytes: &mut &'b [u8]) -> &'b [u8] {
    let length = varint::take(bytes).unwrap() as usize;
    let (message, rest) = bytes.split_at(length);
    *bytes = rest;
    message
}

#[test]
fn another_engine_reads_every_list_and_document() {
    let folder = tempfile::tempdir().unwrap();
    let text = |number: usize| format!("common word{} {}", number % 11, "again ".repeat(number % 3));
    let pages: Vec<Page> = (0..300).map(|number| (format!("title {}", number % 4), text(number))).collect();
    build_segments(folder.path(), &[&pages[..200], &pages[200..]], 1 << 20);
    let index = Index::open(folder.path()).unwrap();
    let mut file = Vec::new();
    let name = |doc: DocId| Ok::<_, index::Error>(format!("page-{}", doc.get()));
    let lists = index.write_ciff("a test", &mut file, name).unwrap();

    let mut bytes = file.as_slice();
    let header = fields(next(&mut bytes));
    let model = model(&pages);
    let words: usize = model.values().flat_map(|postings| postings.values()).map(|(_, at)| at.len()).sum();
    let told = [1, 2, 3, 4, 5, 6].map(|field| header.numbers[&field]);
    assert_eq!(told, [1, lists, 300, lists, 300, words as u64]);
    assert_eq!(header.bytes[0], (7, (words as f64 / 300.0).to_le_bytes().to_vec()));
    assert_eq!(header.bytes[1], (8, b"a test".to_vec()));
    assert_eq!(lists, model.len() as u64);
    for (term, postings) in &model {
        let list = fields(next(&mut bytes));
        assert_eq!(list.bytes[0], (1, term.as_bytes().to_vec()));
        let mut doc = 0;
        let read = list.bytes[1..].iter().map(|(_, posting)| {
            let posting = fields(posting);
            doc += posting.numbers.get(&1).copied().unwrap_or(0);
            (doc as u32, posting.numbers[&2] as usize)
        });
        let expected: Vec<(u32, usize)> =
            postings.iter().map(|(doc, (_, at))| (doc.get(), at.len())).collect();
        assert_eq!(read.collect::<Vec<_>>(), expected, "{term}");
        let (documents, words) =
            (expected.len() as u64, expected.iter().map(|(_, count)| *count as u64).sum());
        assert_eq!([2, 3].map(|field| list.numbers[&field]), [documents, words]);
    }
    for document in 0..300u64 {
        let record = fields(next(&mut bytes));
        assert_eq!(record.numbers.get(&1).copied().unwrap_or(0), document);
        assert_eq!(record.bytes, [(2, format!("page-{document}").into_bytes())]);
        assert!(record.numbers[&3] >= 3);
    }
    assert!(bytes.is_empty());
}
