//! An index of another engine, in the Common Index File Format: each of its documents becomes a page.
//!
//! ```text
//! header       1 version, 2 lists, 3 documents, and what is not needed here
//! list*        1 term, 2 documents, 3 words, 4 for each document: 1 its gap from the one before, 2 how often
//! document*    1 its number, 2 its name, 3 its words
//! ```
//!
//! Each is a message of protocol buffers behind its length. The format has neither texts nor positions, so the text of a page
//! is its words, each as often as it was counted, in the order of the lists. Words and lengths are those of the other engine;
//! what stands beside what means nothing.
//!
//! Lists go by terms and pages by documents. So the file is read once to learn how many postings each document has, and to
//! check it from end to end before any page is given; then once more for each range of documents whose postings are held in
//! memory together.
//!
//! Cost: [`POSTINGS_AT_ONCE`] postings of 12 bytes, their terms, 8 bytes for each document, and one list.
//!
//! After Lin and others, "Supporting Interoperability Between Open-Source Search Engines with the Common Index File Format".

use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use journal::varint;

use super::{Address, FilePage, Found, PAGE_BYTES_MAX, PageFormat, Refused};

/// Reads indexes of other engines.
pub(super) struct Ciff;

/// So many postings are held in memory, or those of one document.
const POSTINGS_AT_ONCE: u64 = 8 << 20;

/// A list is not longer, whatever the file says.
const MESSAGE_BYTES_MAX: u64 = 1 << 30;

impl PageFormat for Ciff {
    fn endings(&self) -> &'static [&'static str] {
        &["ciff"]
    }

    fn about(&self) -> &'static str {
        "an index of another engine (Common Index File Format); each document is a page of its words, in no order, as the \
         file has no texts; `crivello index DIR --analysis plain` takes them as they are"
    }

    fn read(&self, path: &Path, each: &mut dyn FnMut(Found<'_>)) -> Result<(), Refused> {
        read_at_once(path, POSTINGS_AT_ONCE, each)
    }
}

fn read_at_once(path: &Path, postings_at_once: u64, each: &mut dyn FnMut(Found<'_>)) -> Result<(), Refused> {
    let counts = count_postings(path)?;
    let (mut start, name) = (0, PathBuf::from(path.file_stem().unwrap_or_default()));
    while start < counts.len() {
        let (mut end, mut postings) = (start, 0);
        while end < counts.len() && (end == start || postings + u64::from(counts[end]) <= postings_at_once) {
            postings += u64::from(counts[end]);
            end += 1;
        }
        give_pages(path, &name, &counts, start..end, each)?;
        start = end;
    }
    Ok(())
}

/// Reads all of a file: how many postings each document has.
fn count_postings(path: &Path) -> Result<Vec<u32>, Refused> {
    let mut file = CiffFile::open(path)?;
    let mut counts = Vec::new();
    for _ in 0..file.lists {
        file.next_list(|_, document, _| {
            if counts.len() <= document as usize {
                counts.resize(document as usize + 1, 0u32);
            }
            counts[document as usize] += 1;
        })?;
    }
    for number in 0..file.documents {
        if file.next_document()?.0 != number {
            return Err(file.malformed("its documents are not in order"));
        }
        if counts.len() as u64 <= number {
            counts.push(0);
        }
    }
    if counts.len() as u64 > file.documents {
        return Err(file.malformed("a list has a document that is not there"));
    }
    file.expect_end()?;
    Ok(counts)
}

/// The words of some documents.
struct Words {
    terms: Vec<String>,
    /// Term and count, those of a document together.
    postings: Vec<(u32, u32)>,
    /// Where those of each document end.
    ends: Vec<usize>,
}

impl Words {
    /// Reads the lists of a file, of which every document's postings are counted.
    fn read(file: &mut CiffFile, counts: &[u32], range: &Range<usize>) -> Result<Self, Refused> {
        let mut starts: Vec<usize> = Vec::with_capacity(range.len());
        let mut sum = 0;
        for &count in &counts[range.clone()] {
            starts.push(sum);
            sum += count as usize;
        }
        let (mut terms, mut postings) = (Vec::<String>::new(), vec![(0, 0); sum]);
        for _ in 0..file.lists {
            let mut is_new = true;
            file.next_list(|term, document, count| {
                let Some(place) = (document as usize).checked_sub(range.start) else { return };
                let Some(start) = starts.get_mut(place) else { return };
                if std::mem::take(&mut is_new) {
                    terms.push(String::from_utf8_lossy(term).into_owned());
                }
                if let Some(posting) = postings.get_mut(*start) {
                    *posting = (terms.len() as u32 - 1, count);
                    *start += 1;
                }
            })?;
        }
        // Each start has moved to the end.
        Ok(Self { terms, postings, ends: starts })
    }

    /// The text of a document; nothing if it is longer than any page may be.
    fn text(&self, document: usize) -> Option<String> {
        let start = document.checked_sub(1).map_or(0, |before| self.ends[before]);
        let words = || {
            self.postings[start..self.ends[document]]
                .iter()
                .map(|&(term, count)| (&self.terms[term as usize], count))
        };
        let bytes = words().map(|(term, count)| (term.len() as u64 + 1).saturating_mul(count.into()));
        if bytes.fold(0, u64::saturating_add) > PAGE_BYTES_MAX {
            return None;
        }
        let mut text = String::new();
        for (term, count) in words() {
            (0..count).for_each(|_| text.extend([term, " "]));
            text.push('\n');
        }
        Some(text)
    }
}

fn give_pages(
    path: &Path,
    stem: &Path,
    counts: &[u32],
    range: Range<usize>,
    each: &mut dyn FnMut(Found<'_>),
) -> Result<(), Refused> {
    let mut file = CiffFile::open(path)?;
    let words = Words::read(&mut file, counts, &range)?;
    for number in 0..range.end {
        let (_, name) = file.next_document()?;
        let Some(place) = number.checked_sub(range.start) else { continue };
        let line = number as u64 + 1;
        let Some(text) = words.text(place) else {
            each(Found::Refused { line, why: Refused::LineTooLong });
            continue;
        };
        let address = match &*name {
            "" => Address::Named(stem.join(format!("document-{number}"))),
            name if name.starts_with("http://") || name.starts_with("https://") => {
                Address::Url(name.to_owned())
            }
            name => Address::Named(name.into()),
        };
        let content_type = "text/plain; charset=utf-8";
        each(Found::Page(FilePage {
            line: Some(line),
            address,
            content_type,
            body: text.as_bytes(),
            noindex: false,
        }));
    }
    Ok(())
}

/// A file that is read message by message.
struct CiffFile {
    file: BufReader<File>,
    lists: u64,
    documents: u64,
    message: Vec<u8>,
    messages: u64,
}

impl CiffFile {
    /// Opens a file and reads its header.
    fn open(path: &Path) -> Result<Self, Refused> {
        let file = File::open(path)?;
        let file_bytes = file.metadata()?.len();
        let file = BufReader::with_capacity(1 << 20, file);
        let mut file = Self { file, lists: 0, documents: 0, message: Vec::new(), messages: 0 };
        file.next_message()?;
        let [mut version, mut lists, mut documents] = [0; 3];
        let is_header = for_each_field(&file.message, |field, value| match (field, value) {
            (1, Value::Number(number)) => version = number,
            (2, Value::Number(number)) => lists = number,
            (3, Value::Number(number)) => documents = number,
            _ => {}
        });
        if !is_header || version != 1 {
            return Err(file.malformed("its header is not one of version 1"));
        }
        // Each takes a byte at least; numbers of documents have 31 bits.
        if lists > file_bytes || documents > file_bytes.min(i32::MAX as u64) {
            return Err(file.malformed("its header tells of more than there is room for"));
        }
        (file.lists, file.documents) = (lists, documents);
        Ok(file)
    }

    /// Shows the postings of the next list: term, document, count.
    fn next_list(&mut self, mut see: impl FnMut(&[u8], u32, u32)) -> Result<(), Refused> {
        self.next_message()?;
        let mut term: &[u8] = &[];
        // The term stands before its postings in every file that we have seen; but nothing says that it has to.
        let mut is_sound = for_each_field(&self.message, |field, value| {
            if let (1, Value::Bytes(bytes)) = (field, value) {
                term = bytes;
            }
        });
        let (mut document, mut is_first, documents) = (0u64, true, self.documents);
        let mut are_documents = true;
        is_sound &= for_each_field(&self.message, |field, value| {
            let (4, Value::Bytes(posting)) = (field, value) else { return };
            let (mut gap, mut count) = (0, 0);
            are_documents &= for_each_field(posting, |field, value| match (field, value) {
                (1, Value::Number(number)) => gap = number,
                (2, Value::Number(number)) => count = number,
                _ => {}
            });
            document = document.saturating_add(gap);
            are_documents &= document < documents && (is_first || gap > 0) && count <= i32::MAX as u64;
            is_first = false;
            if are_documents {
                see(term, document as u32, count as u32);
            }
        });
        match (is_sound, are_documents) {
            (false, _) => Err(self.malformed("it is no list")),
            (true, false) => {
                Err(self.malformed("a list has a document that is not there, or twice, or a wrong count"))
            }
            (true, true) => Ok(()),
        }
    }

    /// The number and the name of the next document.
    fn next_document(&mut self) -> Result<(u64, String), Refused> {
        self.next_message()?;
        let (mut number, mut name) = (0, String::new());
        let is_sound = for_each_field(&self.message, |field, value| match (field, value) {
            (1, Value::Number(found)) => number = found,
            (2, Value::Bytes(bytes)) => name = String::from_utf8_lossy(bytes).into_owned(),
            _ => {}
        });
        if is_sound { Ok((number, name)) } else { Err(self.malformed("it is no document")) }
    }

    fn next_message(&mut self) -> Result<(), Refused> {
        self.messages += 1;
        let ends_early = "the file ends before it";
        let length = varint::read(&mut self.file).map_err(|_| self.malformed(ends_early))?;
        if length > MESSAGE_BYTES_MAX {
            return Err(self.malformed("it is longer than any list"));
        }
        self.message.clear();
        let read = self.file.by_ref().take(length).read_to_end(&mut self.message)?;
        if read as u64 == length { Ok(()) } else { Err(self.malformed(ends_early)) }
    }

    fn expect_end(&mut self) -> Result<(), Refused> {
        self.messages += 1;
        match self.file.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(self.malformed("there is more than the header tells of")),
        }
    }

    fn malformed(&self, reason: &str) -> Refused {
        let reason = format!("message {}: {reason}", self.messages);
        Refused::Malformed { expected: "an index in the Common Index File Format", reason }
    }
}

/// A value of a message.
enum Value<'m> {
    Number(u64),
    Bytes(&'m [u8]),
    /// Of a kind that is not needed here.
    Other,
}

/// Shows the fields of a message; false if it is none.
fn for_each_field<'m>(mut message: &'m [u8], mut see: impl FnMut(u64, Value<'m>)) -> bool {
    while !message.is_empty() {
        let Some(tag) = varint::take(&mut message) else { return false };
        let value = match tag & 7 {
            0 => varint::take(&mut message).map(Value::Number),
            1 => take_bytes(&mut message, 8).map(|_| Value::Other),
            2 => varint::take(&mut message)
                .and_then(|length| take_bytes(&mut message, length))
                .map(Value::Bytes),
            5 => take_bytes(&mut message, 4).map(|_| Value::Other),
            _ => None,
        };
        let Some(value) = value else { return false };
        see(tag >> 3, value);
    }
    true
}

fn take_bytes<'m>(message: &mut &'m [u8], length: u64) -> Option<&'m [u8]> {
    let (bytes, rest) = message.split_at_checked(usize::try_from(length).ok()?)?;
    *message = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field that is a number, or bytes.
    fn number(field: u64, number: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        varint::put(&mut bytes, field << 3);
        varint::put(&mut bytes, number);
        bytes
    }

    fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        varint::put(&mut bytes, field << 3 | 2);
        varint::put(&mut bytes, value.len() as u64);
        [bytes, value.to_vec()].concat()
    }

    fn message(fields: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        varint::put(&mut bytes, fields.concat().len() as u64);
        [bytes, fields.concat()].concat()
    }

    /// Three documents; `sieve` twice in the first and once in the last, `web` in the last two.
    fn example() -> Vec<u8> {
        let posting = |gap, count| bytes(4, &[number(1, gap), number(2, count)].concat());
        let average = [vec![7 << 3 | 1], 2.0f64.to_le_bytes().to_vec()].concat();
        let header = [
            number(1, 1),
            number(2, 2),
            number(3, 3),
            number(4, 2),
            number(5, 3),
            number(6, 5),
            average,
            bytes(8, b"of a test"),
        ];
        let sieve = [bytes(1, b"sieve"), number(2, 2), number(3, 3), posting(0, 2), posting(2, 1)];
        // Its name comes last: nothing forbids that.
        let web = [number(2, 2), number(3, 2), posting(1, 1), posting(1, 1), bytes(1, b"web")];
        let document = |place, name: &[u8]| message(&[number(1, place), bytes(2, name), number(3, 2)]);
        let documents = [document(0, b"http://a.test/"), document(1, b"WSJ 7"), document(2, b"")].concat();
        [message(&header), message(&sieve), message(&web), documents].concat()
    }

    fn read(file: &[u8], at_once: u64) -> Result<Vec<(Address, String)>, Refused> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("foreign.ciff");
        std::fs::write(&path, file).unwrap();
        let mut pages = Vec::new();
        read_at_once(&path, at_once, &mut |found| match found {
            Found::Page(page) => pages.push((page.address, String::from_utf8(page.body.to_vec()).unwrap())),
            Found::Refused { .. } => pages.push((Address::OfFile, String::new())),
            Found::NoText => panic!("no such thing is found here"),
        })?;
        Ok(pages)
    }

    #[test]
    fn each_document_is_a_page_of_its_words_however_few_fit_into_memory() {
        let expected = [
            (Address::Url("http://a.test/".into()), "sieve sieve \n"),
            (Address::Named("WSJ 7".into()), "web \n"),
            (Address::Named("foreign/document-2".into()), "sieve \nweb \n"),
        ]
        .map(|(address, text)| (address, text.to_owned()));
        for at_once in [0, 2, 100] {
            assert_eq!(read(&example(), at_once).unwrap(), expected, "{at_once}");
        }
    }

    #[test]
    fn a_file_that_is_cut_or_goes_on_is_refused_before_any_page_is_given() {
        let whole = example();
        for cut in 0..whole.len() {
            let why = read(&whole[..cut], 100).unwrap_err().to_string();
            assert!(
                why.starts_with("not an index in the Common Index File Format: message "),
                "{cut}: {why}"
            );
        }
        assert!(read(&[&whole[..], b"x"].concat(), 100).unwrap_err().to_string().contains("more than"));
    }

    #[test]
    fn whatever_the_bytes_are_reading_ends_with_pages_or_a_reason() {
        let (whole, mut refused) = (example(), 0);
        for place in 0..whole.len() {
            for change in [0x01, 0x80, 0xff, 0x7f] {
                let mut changed = whole.clone();
                changed[place] ^= change;
                match read(&changed, 100) {
                    // A count may have become large, a name another one, but there are as many documents.
                    Ok(pages) => assert_eq!(pages.len(), 3, "byte {place}"),
                    Err(Refused::Malformed { .. }) => refused += 1,
                    Err(other) => panic!("byte {place}: {other}"),
                }
            }
        }
        assert!(refused > whole.len(), "{refused}");
    }

    #[test]
    fn a_header_that_tells_of_more_than_there_is_room_for_takes_no_memory() {
        for (lists, documents) in [(1, i32::MAX as u64), (u64::MAX, 1), (1, u64::MAX)] {
            let posting = bytes(4, &[number(1, i32::MAX as u64 - 1), number(2, 1)].concat());
            let header = message(&[number(1, 1), number(2, lists), number(3, documents)]);
            let file = [header, message(&[bytes(1, b"x"), posting])].concat();
            assert!(read(&file, 100).unwrap_err().to_string().contains("than there is room for"));
        }
    }

    #[test]
    fn a_count_that_no_page_has_room_for_is_told() {
        let posting = bytes(4, &[number(1, 0), number(2, i32::MAX as u64)].concat());
        let header = message(&[number(1, 1), number(2, 1), number(3, 1)]);
        let list = message(&[bytes(1, b"x"), posting]);
        let file = [header, list, message(&[bytes(2, b"n")])].concat();
        assert_eq!(read(&file, 100).unwrap(), [(Address::OfFile, String::new())]);
    }
}
