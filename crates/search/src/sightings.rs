//! Where in a text wanted words may stand, found without reading it.
//!
//! To cut a text into words and to ask each whether it is wanted takes a hundred times as long as to look at how its words
//! begin. A wanted word begins as its term or its stem does: with the same three bytes, or all there are. So the text is
//! divided into cells, each of which gets a bit for every term of which a beginning was sighted in it. Worth reading are
//! the windows of cells with the most terms, and for each term that these lack the best window that may have it.
//!
//! How beginnings are found: [`crate::beginnings`]. Texts in which much is not ASCII are better read.
//!
//! Cost: about a nanosecond for each byte.

use std::ops::Range;

use crate::beginnings::Beginnings;

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
    let length: usize = pieces.clone().map(str::len).sum();
    let foreign: usize = pieces.clone().map(foreign_bytes).sum();
    if length < 2 * WINDOW_BYTES || foreign * ASCII_FOR_EACH_OTHER > length {
        return None;
    }
    let (mut cells, all) = (Vec::with_capacity(length / CELL_BYTES + 2), beginnings.all());
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

/// How many bytes are not ASCII.
fn foreign_bytes(text: &str) -> usize {
    let foreign = text.as_bytes().chunks(CELL_BYTES).filter(|cell| !cell.is_ascii());
    foreign.map(|cell| cell.iter().filter(|byte| !byte.is_ascii()).count()).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn beginnings(terms: &[&str]) -> Beginnings {
        let mut beginnings = Beginnings::none();
        terms.iter().enumerate().for_each(|(number, term)| beginnings.add(term, number, true));
        beginnings
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
}
