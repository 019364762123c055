//! Where in a text wanted words may stand, found without reading it.
//!
//! To cut a text into words and to ask each whether it is wanted takes a hundred times as long as to look at how its words
//! begin. A wanted word begins as its term or its stem does: with the same three bytes, or all there are. So the text is
//! divided into cells, each of which gets a bit for every term of which a beginning was sighted in it. Worth reading are
//! the windows of cells with the most terms, and for each term that these lack the best window that may have it.
//!
//! Parts of a word begin at capitals, digits and behind them: `getElementById` is sighted for `element`. What does not
//! begin in ASCII may be any term, as accents are folded; texts in which much does not are better read.
//!
//! Cost: about a nanosecond for each byte.

use std::ops::Range;

/// A cell has so many bytes, and then ends with its word.
const CELL_BYTES: usize = 256;

/// A window of cells: what is shown at once, with white space that is not.
const WINDOW_BYTES: usize = 512;

/// So many bytes are read on both sides of a window, as far as there are.
const AROUND_BYTES: usize = 256;

/// So many windows are read for all terms together, beside those of single terms.
const BEST_WINDOWS: usize = 4;

/// So much is looked at, and more only as long as some term has not been sighted.
pub(crate) const ENOUGH_BYTES: usize = 64 << 10;

/// Where one byte of so many is not ASCII, a text is read.
const ASCII_FOR_EACH_OTHER: usize = 32;

/// A piece of a text.
#[derive(Debug)]
pub(crate) struct Cell<'t> {
    pub(crate) text: &'t str,
    /// The terms that may begin in it, a bit for each as [`Beginnings`] has them.
    terms: u64,
    pub(crate) is_worth_reading: bool,
}

/// A text in cells, some of which are worth reading.
pub(crate) struct Sighted<'t> {
    pub(crate) cells: Vec<Cell<'t>>,
    /// The terms that were sighted in any of them.
    pub(crate) terms: u64,
    /// Whether nothing of the text comes behind them.
    pub(crate) is_all: bool,
}

/// Looks through the pieces of a text; `None` if all of it is worth reading.
pub(crate) fn sight<'t>(
    pieces: impl Iterator<Item = &'t str> + Clone,
    beginnings: &Beginnings,
) -> Option<Sighted<'t>> {
    let foreign_in = |piece: &str| piece.as_bytes().iter().filter(|byte| !byte.is_ascii()).count();
    let length: usize = pieces.clone().map(str::len).sum();
    let foreign: usize = pieces.clone().map(foreign_in).sum();
    if length < 2 * WINDOW_BYTES || foreign * ASCII_FOR_EACH_OTHER > length {
        return None;
    }
    let (mut cells, all) = (Vec::with_capacity(length / CELL_BYTES + 2), beginnings.all);
    let (mut bytes, mut sighted, mut full) = (0, 0, FullWindows::default());
    for mut rest in pieces {
        while !rest.is_empty() && !full.are_enough() && (bytes < ENOUGH_BYTES || sighted != all) {
            let text = step(&mut rest, CELL_BYTES);
            let terms = beginnings.sighted_in(text.as_bytes());
            cells.push(Cell { text, terms, is_worth_reading: false });
            (bytes, sighted) = (bytes + text.len(), sighted | terms & all);
            full.look_behind(&cells, all);
        }
    }
    choose(&mut cells);
    Some(Sighted { cells, terms: sighted, is_all: bytes == length })
}

/// Counts windows in which all terms may be. When there are enough, no others would be read, whatever comes behind.
#[derive(Debug, Default)]
struct FullWindows {
    count: usize,
    /// No window that begins before this cell counts: what is around the last one is read with it.
    next: usize,
}

impl FullWindows {
    /// Cells of a window, and those that are read behind it.
    const CELLS: usize = (WINDOW_BYTES + AROUND_BYTES) / CELL_BYTES;

    /// One more than are read, as where the last one ends is not known.
    fn are_enough(&self) -> bool {
        self.count > BEST_WINDOWS
    }

    /// Looks whether the cells that came last are another one.
    fn look_behind(&mut self, cells: &[Cell<'_>], all: u64) {
        let Some(first) = cells.len().checked_sub(Self::CELLS).filter(|first| *first >= self.next) else {
            return;
        };
        let (window, terms) = window(cells, first);
        if all != 0 && terms & all == all {
            (self.count, self.next) = (self.count + 1, window.end + Self::CELLS);
        }
    }
}

/// Takes about so many bytes off, up to the end of a word that spaces show.
pub(crate) fn step<'t>(rest: &mut &'t str, bytes: usize) -> &'t str {
    let behind = rest.as_bytes().get(bytes..).unwrap_or_default();
    let end = behind.iter().position(u8::is_ascii_whitespace).map_or(rest.len(), |space| bytes + space);
    let (taken, left) = rest.split_at(end);
    *rest = left;
    taken
}

/// Marks the cells that are worth reading.
fn choose(cells: &mut [Cell<'_>]) {
    let windows: Vec<(Range<usize>, u64)> = (0..cells.len()).map(|first| window(cells, first)).collect();
    let mut order: Vec<usize> = (0..windows.len()).filter(|&window| windows[window].1 != 0).collect();
    order.sort_by_key(|&window| std::cmp::Reverse(windows[window].1.count_ones()));
    let (mut chosen, mut shown) = (0, 0);
    for &number in &order {
        let (window, terms) = &windows[number];
        let is_best = chosen < BEST_WINDOWS && !cells[window.start].is_worth_reading;
        if is_best || terms & !shown != 0 {
            read_around(cells, window);
            chosen += 1;
            shown |= terms;
        }
    }
    if order.is_empty() && !cells.is_empty() {
        read_around(cells, &(0..1));
    }
}

/// The cells from this one on that are a window, and the terms that may be in it.
fn window(cells: &[Cell<'_>], first: usize) -> (Range<usize>, u64) {
    let (mut bytes, mut terms, mut end) = (0, 0, first);
    while end < cells.len() && bytes < WINDOW_BYTES {
        bytes += cells[end].text.len();
        terms |= cells[end].terms;
        end += 1;
    }
    // One that begins with nothing is as good from its next cell on.
    (first..end, if cells[first].terms == 0 { 0 } else { terms })
}

/// Marks the cells of a window and some on both sides.
fn read_around(cells: &mut [Cell<'_>], window: &Range<usize>) {
    let (mut first, mut end) = (window.start, window.end);
    let (mut before, mut behind) = (0, 0);
    while first > 0 && before < AROUND_BYTES {
        first -= 1;
        before += cells[first].text.len();
    }
    while end < cells.len() && behind < AROUND_BYTES {
        behind += cells[end].text.len();
        end += 1;
    }
    cells[first..end].iter_mut().for_each(|cell| cell.is_worth_reading = true);
}

/// How wanted words begin: for each beginning the terms that have it, a bit for each; those beyond 64 share bits.
#[derive(Debug)]
pub(crate) struct Beginnings {
    /// All terms.
    all: u64,
    /// By three bytes. Some beginnings share a place.
    of_three: Box<[u64; Self::PLACES]>,
    /// Shorter ones.
    short: Vec<Short>,
    /// With which bytes these begin.
    short_bytes: Box<[bool; 256]>,
}

/// A beginning of one or two bytes.
#[derive(Debug)]
struct Short {
    bytes: Vec<u8>,
    /// Whether it is a whole word.
    is_whole: bool,
    terms: u64,
}

impl Beginnings {
    const PLACES: usize = 1024;

    pub(crate) fn none() -> Self {
        let (of_three, short_bytes) = (Box::new([0; Self::PLACES]), Box::new([false; 256]));
        Self { all: 0, of_three, short: Vec::new(), short_bytes }
    }

    /// Adds a term, or one of its stems, which need not be a whole word.
    pub(crate) fn add(&mut self, word: &str, number: usize, is_whole: bool) {
        // Words that are sighted begin with a letter or digit; what is typed may not.
        let word = word.trim_start_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        let (bytes, terms) = (word.as_bytes(), 1 << (number % 64));
        self.all |= terms;
        match bytes.first_chunk::<3>() {
            Some(&[a, b, c]) => self.of_three[place(u32::from_le_bytes([a, b, c, 0]))] |= terms,
            None if bytes.is_empty() => {}
            None => {
                self.short_bytes[usize::from(bytes[0])] = true;
                self.short.push(Short { bytes: bytes.to_vec(), is_whole, terms });
            }
        }
    }

    /// The terms of which a beginning is in a text. Where words begin nobody can foresee, so the table is read for every
    /// byte.
    fn sighted_in(&self, text: &[u8]) -> u64 {
        let (mut terms, mut before) = (0, Kind::Other);
        let lower = |at: usize| u32::from(text.get(at).map_or(0, u8::to_ascii_lowercase));
        let mut three = lower(0) << 8 | lower(1) << 16;
        for (at, &byte) in text.iter().enumerate() {
            three = three >> 8 | lower(at + 2) << 16;
            let kind = KINDS[usize::from(byte)];
            let begins = BEGINS[before as usize][kind as usize];
            terms |= self.of_three[place(three)] & begins;
            if begins != 0 && (three & 0x80_80_80 != 0 || self.short_bytes[(three & 0xff) as usize]) {
                terms |= self.unusual_terms_at(&text[at..], three);
            }
            before = kind;
        }
        terms
    }

    /// The terms that may begin with fewer than three bytes, or with what is not ASCII.
    fn unusual_terms_at(&self, word: &[u8], three: u32) -> u64 {
        if three & 0x80_80_80 != 0 {
            return u64::MAX;
        }
        let kind = |at: usize| word.get(at).map_or(Kind::Other, |&byte| KINDS[usize::from(byte)]);
        let begins = |short: &&Short| three.to_le_bytes().starts_with(&short.bytes);
        let short = self.short.iter().filter(begins);
        let may_be = |short: &&Short| !short.is_whole || kind(short.bytes.len()) != Kind::Lower;
        short.filter(may_be).fold(0, |terms, short| terms | short.terms)
    }
}

/// Where the terms are that begin with three bytes.
#[inline]
fn place(three: u32) -> usize {
    (three.wrapping_mul(0x9e37_79b1) >> 22) as usize
}

/// What a byte is in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Other,
    Lower,
    Upper,
    Digit,
    Foreign,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => Kind::Lower,
            b'A'..=b'Z' => Kind::Upper,
            b'0'..=b'9' => Kind::Digit,
            0x80.. => Kind::Foreign,
            _ => Kind::Other,
        };
        byte += 1;
    }
    kinds
};

/// By two kinds that follow each other: all bits where a word, or a part of one, begins with the second.
const BEGINS: [[u64; 5]; 5] = {
    const ALL: u64 = u64::MAX;
    // The second: other, small letter, capital, digit, not ASCII; a row for each of the first.
    [
        [0, ALL, ALL, ALL, ALL], // other
        [0, 0, ALL, ALL, 0],     // a small letter
        [0, 0, ALL, ALL, 0],     // a capital
        [0, ALL, ALL, 0, 0],     // a digit
        [0, 0, ALL, ALL, 0],     // what is not ASCII
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn beginnings(terms: &[&str]) -> Beginnings {
        let mut beginnings = Beginnings::none();
        terms.iter().enumerate().for_each(|(number, term)| beginnings.add(term, number, true));
        beginnings
    }

    #[test]
    fn beginnings_of_words_are_sighted() {
        let rows: &[(&str, &[&str], u64)] = &[
            ("the Romeo of", &["romeo"], 1),
            ("the rom of", &["romeo"], 1),
            ("a promeo", &["romeo"], 0),
            ("getElementById", &["element", "by", "id", "get", "ment"], 0b1111),
            ("std::vec utf8", &["vec", "8", "std::vec"], 0b111),
            ("the inside", &["in", "i"], 0),
            ("in I", &["in", "i"], 0b11),
            ("-v --max-pages", &["--max-pages", "v"], 0b11),
            ("un été", &["ete"], 1),
            ("", &["a"], 0),
        ];
        for (text, terms, sighted) in rows {
            let found = beginnings(terms).sighted_in(text.as_bytes());
            let all = (1 << terms.len()) - 1;
            assert_eq!(found & all, *sighted, "{text:?} {terms:?}");
        }
    }

    #[test]
    fn windows_with_most_terms_are_read_and_one_for_each_other_term() {
        let filler = "filler words go on ".repeat(60);
        let text = format!("{filler}romeo {filler}romeo juliet {filler}tybalt {filler}");
        let Sighted { cells, is_all, .. } =
            sight([text.as_str()].into_iter(), &beginnings(&["romeo", "juliet", "tybalt"])).unwrap();
        assert!(is_all);
        let read: String = cells.iter().filter(|cell| cell.is_worth_reading).map(|cell| cell.text).collect();
        assert!(read.contains("romeo juliet") && read.contains("tybalt"), "{read}");
        assert!(read.len() < text.len() * 4 / 5, "{} of {}", read.len(), text.len());
        let all: String = cells.iter().map(|cell| cell.text).collect();
        assert_eq!(all, text);
        // Where nothing is sighted the beginning is.
        let Sighted { cells, .. } = sight([text.as_str()].into_iter(), &beginnings(&["absent"])).unwrap();
        assert!(cells[0].is_worth_reading && !cells[cells.len() - 1].is_worth_reading);
    }

    #[test]
    fn no_more_is_looked_at_than_is_needed() {
        let text = format!("romeo {}juliet", "filler words go on ".repeat(ENOUGH_BYTES / 19 + 100));
        for (terms, is_all) in [(&["romeo"] as &[&str], false), (&["romeo", "juliet"], true)] {
            let sighted = sight([text.as_str()].into_iter(), &beginnings(terms)).unwrap();
            assert_eq!(sighted.is_all, is_all, "{terms:?}");
        }
    }

    #[test]
    fn nothing_is_looked_at_behind_as_many_windows_with_all_terms_as_are_read() {
        let filler = "filler words go on ".repeat(70);
        let line = format!("romeo juliet {filler}");
        for (lines, terms) in
            [(40, &["romeo", "juliet"] as &[&str]), (40, &["romeo", "tybalt"]), (3, &["romeo"])]
        {
            let text = line.repeat(lines);
            let sighted = sight([text.as_str()].into_iter(), &beginnings(terms)).unwrap();
            let has_enough = lines > BEST_WINDOWS && !terms.contains(&"tybalt");
            let looked_at: usize = sighted.cells.iter().map(|cell| cell.text.len()).sum();
            assert_eq!(looked_at < 7 * line.len(), has_enough || lines < 7, "{lines} {terms:?}: {looked_at}");
            // What is read is what would be read of all.
            let mut all: Vec<Cell<'_>> = Vec::new();
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let text = step(&mut rest, CELL_BYTES);
                all.push(Cell {
                    text,
                    terms: beginnings(terms).sighted_in(text.as_bytes()),
                    is_worth_reading: false,
                });
            }
            choose(&mut all);
            let read = |cells: &[Cell<'_>]| {
                let places = cells.iter().enumerate().filter(|(_, cell)| cell.is_worth_reading);
                places.map(|(place, _)| place).collect::<Vec<_>>()
            };
            assert_eq!(read(&sighted.cells), read(&all), "{lines} {terms:?}");
        }
    }

    #[test]
    fn texts_that_are_short_or_foreign_are_read() {
        for text in ["short", &"ночь ".repeat(500), &"nuit été ".repeat(500)] {
            assert!(sight([text].into_iter(), &beginnings(&["nuit"])).is_none());
        }
    }

    proptest! {
        /// What reading finds in a cell has been sighted in it.
        #[test]
        fn no_wanted_word_is_overlooked(
            text in "([a-c]{1,4}[ .:_-]|[A-C][a-c]{0,3}|[0-9]{1,2}|é){0,120}",
            terms in proptest::collection::vec("[a-c0-9]{1,4}", 1..6),
        ) {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let sighted = beginnings(&terms).sighted_in(text.as_bytes());
            index::Analyzer::default().tokens(&text, &mut |token| {
                if let Some(number) = terms.iter().position(|term| *term == token.term) {
                    assert!(sighted >> number & 1 == 1, "{text:?} {terms:?} {}", token.term);
                }
            });
        }
    }
}
