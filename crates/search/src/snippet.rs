//! What a page says about a query: the piece of its text where most of the words stand close together.
//!
//! The text is cleaned (white space collapsed, control and direction characters dropped), cut into the same tokens as
//! when it was indexed, and the tokens that are wanted are found. A window of about 220 characters slides from one
//! wanted token to the next; the best has the most different words, then the most of them side by side, then the most
//! occurrences, then comes first. If two half windows show words that one whole window cannot, they are taken instead.
//!
//! Of a page whose main text is known only that is shown: a menu has the words of all its entries close together and
//! would win each time. Where the main text has none of the words and the rest has, the rest speaks for the page.
//!
//! Words are marked by position, never by markup: whoever shows a snippet escapes the text and draws the marks.
//!
//! Cost: of long texts only what is worth it is read ([`crate::sightings`]), some KiB. Where that cannot be told, one pass
//! over the main text, 16 KiB at a time, until some window has all the words; or to 64 KiB if any has been found, or to
//! 256 KiB; and one over as much of the rest where that is needed.

use std::ops::Range;

use index::{Token, TokenKind};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use unicode_segmentation::GraphemeCursor;

use crate::Wanted;
use crate::sightings::{Sighted, sight, step};

/// About how long a snippet is.
pub const SNIPPET_CHARS: usize = 220;

/// No more of a text is looked at.
pub(crate) const TEXT_BYTES_MAX: usize = 256 << 10;

/// So much is read to find all words near each other, where some have been found.
const SEARCHED_BYTES: usize = 64 << 10;

/// So many bytes are read before it is asked whether more have to be.
const STEP_BYTES: usize = 16 << 10;

/// So many are read behind what is enough, so that a window at its end can be filled up.
const BEHIND_BYTES: usize = 1 << 10;

/// A piece of text in which some words are marked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// Marked and unmarked text, in order.
    pub fragments: Vec<Fragment>,
}

/// A run of text that is marked as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fragment {
    /// The text, not escaped.
    pub text: String,
    /// Whether it is a word that was looked for.
    pub marked: bool,
}

impl Snippet {
    /// The best piece of the main text for what is wanted; of the rest if only that has any of them; the beginning of the main
    /// text when none of them occurs.
    ///
    /// `main` says where in `text` the main text lies, in order; a range that does not fit the text or those before is
    /// passed over, and where none is left, all is main text.
    pub fn of_page(text: &str, main: &[Range<usize>], wanted: &Wanted) -> Self {
        Self::with_seen(text, main, wanted).0
    }

    /// The same, with the terms that the main text has or seems to have.
    pub(crate) fn with_seen(text: &str, main: &[Range<usize>], wanted: &Wanted) -> (Self, Terms) {
        let (main, rest) = divided(text, main);
        let main = Passages::read(&main, wanted);
        if main.words.wanted.is_empty() {
            let rest = Passages::read(&rest, wanted);
            if main.text.is_empty() || !rest.words.wanted.is_empty() {
                return (Self::of(&rest), main.seen);
            }
        }
        (Self::of(&main), main.seen)
    }

    fn of(passages: &Passages) -> Self {
        let mut snippet = Self::default();
        for window in passages.words.best_windows() {
            snippet.push_window(passages, window);
        }
        snippet
    }

    /// A line, such as a title or an address, with its words marked; what is very long is cut.
    pub fn of_line(text: &str, wanted: &Wanted) -> Self {
        let (passages, mut snippet) = (Passages::read(&[text], wanted), Self::default());
        snippet.push_window(&passages, 0..passages.words.words.len());
        snippet
    }

    /// The snippet without its marks.
    pub fn text(&self) -> String {
        self.fragments.iter().map(|fragment| fragment.text.as_str()).collect()
    }

    /// Adds the text of a window, given as a range of words.
    fn push_window(&mut self, passages: &Passages, window: Range<usize>) {
        let (text, words) = (passages.text.as_str(), &passages.words);
        let bytes = words.byte_range(text, &window);
        if !self.fragments.is_empty() {
            self.push(" ", false);
        } else if bytes.start > 0 || !passages.is_beginning {
            self.push("… ", false);
        }
        let mut at = bytes.start;
        for word in &words.words[window] {
            if word.term.is_some() && word.end <= bytes.end {
                let start = boundary_before(text, word.start).max(at);
                let end = boundary_behind(text, word.end).clamp(start, bytes.end);
                self.push(&text[at..start], false);
                self.push(&text[start..end], true);
                at = end;
            }
        }
        self.push(&text[at..bytes.end], false);
        if bytes.end < text.len() || !passages.is_all {
            self.push(" …", false);
        }
    }

    fn push(&mut self, text: &str, marked: bool) {
        match self.fragments.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.marked == marked && !marked => last.text.push_str(text),
            _ => self.fragments.push(Fragment { text: text.to_owned(), marked }),
        }
    }
}

/// Two keys, `snippet` with the plain text and `snippet_fragments`, meant to be flattened into a result.
impl Serialize for Snippet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Snippet", 2)?;
        fields.serialize_field("snippet", &self.text())?;
        fields.serialize_field("snippet_fragments", &self.fragments)?;
        fields.end()
    }
}

/// The last place up to `at` where a character, as a person sees it, begins: not between a letter and its accents, nor
/// inside of a flag or a family.
fn boundary_before(text: &str, at: usize) -> usize {
    if is_plain_boundary(text, at) {
        return at;
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        _ => at,
    }
}

/// The first place from `at` on where a character, as a person sees it, begins.
fn boundary_behind(text: &str, at: usize) -> usize {
    if is_plain_boundary(text, at) {
        return at;
    }
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
        _ => at,
    }
}

/// Nothing visible in ASCII changes the character before it.
fn is_plain_boundary(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes().get(at).is_none_or(u8::is_ascii)
}

/// The pieces of the main text, and those between them.
fn divided<'t>(text: &'t str, main: &[Range<usize>]) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut inside, mut between, mut at) = (Vec::new(), Vec::new(), 0);
    for range in main.iter().filter(|range| !range.is_empty()) {
        // `at` is 0 or the end of a piece, so the gap can be cut out if the piece can.
        if let (Some(gap), Some(piece)) = (text.get(at..range.start), text.get(range.clone())) {
            between.push(gap);
            inside.push(piece);
            at = range.end;
        }
    }
    let behind = &text[at..];
    if inside.is_empty() {
        return (vec![behind], between);
    }
    between.push(behind);
    (inside, between)
}

/// The beginning of a text, as far as it is looked at.
fn beginning(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// As much of a text as is looked at.
struct Passages {
    /// One space for any white space and between pieces; nothing that could move the cursor or turn the direction of what
    /// follows.
    text: String,
    words: Words,
    /// The terms that were found, or seemed to be there.
    seen: Terms,
    /// Whether nothing comes before.
    is_beginning: bool,
    /// Whether nothing comes behind.
    is_all: bool,
}

impl Passages {
    fn none(wanted: &Wanted) -> Self {
        let (text, words) = (String::new(), Words::none(wanted));
        Self { text, words, seen: Terms::NONE, is_beginning: true, is_all: true }
    }

    fn read(pieces: &[&str], wanted: &Wanted) -> Self {
        let bytes_before =
            pieces.iter().scan(0, |sum, piece| Some(std::mem::replace(sum, *sum + piece.len())));
        let looked_at = pieces
            .iter()
            .zip(bytes_before)
            .map(|(piece, before): (_, usize)| beginning(piece, TEXT_BYTES_MAX.saturating_sub(before)));
        match sight(looked_at, &wanted.beginnings_of_words) {
            Some(sighted) => Self::read_cells(&sighted, wanted),
            None => {
                let mut passages = Self::read_on(pieces, wanted);
                passages.seen = passages.words.terms_of(0..passages.words.words.len());
                passages
            }
        }
    }

    /// Reads what is worth it.
    fn read_cells(Sighted { cells, terms, is_all }: &Sighted<'_>, wanted: &Wanted) -> Self {
        let (mut passages, mut unread) = (Self::none(wanted), 0);
        passages.seen = Terms(*terms);
        passages.is_beginning = cells.first().is_none_or(|cell| cell.is_worth_reading);
        passages.is_all = *is_all && cells.last().is_none_or(|cell| cell.is_worth_reading);
        for cell in cells {
            if cell.is_worth_reading {
                clean_into(&mut passages.text, cell.text);
            } else if unread < passages.text.len() {
                passages.words.read(&passages.text[unread..], unread, wanted);
                passages.words.pass_over();
                unread = passages.text.len();
            }
        }
        passages.words.read(&passages.text[unread..], unread, wanted);
        passages
    }

    /// Reads until some window has all that is wanted, and a little further.
    fn read_on(pieces: &[&str], wanted: &Wanted) -> Self {
        let mut passages = Self::none(wanted);
        let (mut bytes_left, mut unread) = (TEXT_BYTES_MAX, 0);
        let mut is_enough = false;
        for (number, piece) in pieces.iter().enumerate() {
            let mut rest = beginning(piece, bytes_left);
            bytes_left -= rest.len();
            while !rest.is_empty() {
                if is_enough {
                    clean_into(&mut passages.text, step(&mut rest, BEHIND_BYTES));
                    passages.words.read(&passages.text[unread..], unread, wanted);
                    passages.is_all = rest.is_empty() && number + 1 == pieces.len();
                    return passages;
                }
                clean_into(&mut passages.text, step(&mut rest, STEP_BYTES));
                if passages.text.len() - unread >= STEP_BYTES / 2 {
                    passages.words.read(&passages.text[unread..], unread, wanted);
                    unread = passages.text.len();
                    is_enough = passages.words.has_window_of_all()
                        || unread >= SEARCHED_BYTES && !passages.words.wanted.is_empty();
                }
            }
        }
        passages.words.read(&passages.text[unread..], unread, wanted);
        passages
    }
}

fn clean_into(cleaned: &mut String, piece: &str) {
    let (mut space, mut rest) = (true, piece);
    // Visible ASCII with a space between words, which is nearly everything, is taken as it is; all else character by
    // character.
    while let Some(c) = rest.chars().next() {
        let run = plain_bytes(rest.as_bytes());
        let (shown, behind) = rest.split_at(if run > 0 { run } else { c.len_utf8() });
        rest = behind;
        if c.is_whitespace() || c.is_control() {
            space = true;
        } else if !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        {
            if space && !cleaned.is_empty() {
                cleaned.push(' ');
            }
            space = false;
            cleaned.push_str(shown);
        }
    }
}

/// How many bytes from the first on are visible ASCII, with no more than a space between two of them.
fn plain_bytes(bytes: &[u8]) -> usize {
    let mut before = b' ';
    let mut is_plain = |&byte: &u8| {
        let is_plain = byte.is_ascii_graphic() || byte == b' ' && before != b' ';
        before = byte;
        is_plain
    };
    let length = bytes.iter().position(|byte| !is_plain(byte)).unwrap_or(bytes.len());
    if length > 0 && bytes[length - 1] == b' ' { length - 1 } else { length }
}

/// A word of the text.
struct Word {
    /// In bytes.
    start: usize,
    end: usize,
    /// In characters, from the beginning of the text.
    first_char: usize,
    end_char: usize,
    /// Which of the wanted terms it is.
    term: Option<usize>,
}

/// The words of a text, and which of them are wanted.
struct Words {
    words: Vec<Word>,
    /// Indices of the wanted words.
    wanted: Vec<usize>,
    term_count: usize,
    /// Characters of the text.
    chars: usize,
}

/// Makes words of tokens: where pairs of letters overlap, each letter is a word.
struct WordReader<'t> {
    text: &'t str,
    /// Where in the whole text it begins, and the character there.
    base: usize,
    base_char: usize,
    is_ascii: bool,
    words: &'t mut Vec<Word>,
}

impl WordReader<'_> {
    fn chars(&self, range: Range<usize>) -> usize {
        let range = range.start - self.base..range.end - self.base;
        if self.is_ascii { range.len() } else { self.text[range].chars().count() }
    }

    #[inline]
    fn word(&mut self, token: &Token<'_>, term: Option<usize>) {
        let mut start = token.start;
        if let Some(last) = self.words.last().filter(|last| token.start < last.end) {
            // The pair before ends inside of this one: what they share is marked if either is wanted.
            let (border, term_before) = (last.end, last.term);
            self.cut_last(token.start);
            if term.is_none() && term_before.is_some() {
                self.push(token.start..border, term_before);
                start = border;
            }
        }
        self.push(start..token.end, term);
    }

    /// Marks the words that a compound, or another name of a word, covers.
    fn mark(&mut self, token: &Token<'_>, term: Option<usize>) {
        if term.is_some() {
            let covered = self.words.iter_mut().rev().take_while(|word| word.start >= token.start);
            covered.for_each(|word| word.term = word.term.or(term));
        }
    }

    /// Marks a letter of the last word.
    fn mark_letter(&mut self, token: &Token<'_>, term: Option<usize>) {
        let Some(end) = self.words.last().filter(|last| last.term.is_none()).map(|last| last.end) else {
            return;
        };
        if term.is_some() && token.end <= end {
            self.cut_last(token.start);
            self.push(token.start..token.end, term);
            self.push(token.end..end, None);
        }
    }

    /// Lets the last word end here.
    fn cut_last(&mut self, end: usize) {
        if let Some(last) = self.words.pop() {
            self.push(last.start..end, last.term);
        }
    }

    #[inline]
    fn push(&mut self, range: Range<usize>, term: Option<usize>) {
        if range.is_empty() {
            return;
        }
        let last = self.words.last().filter(|last| last.end > self.base);
        let (byte, char) = last.map_or((self.base, self.base_char), |last| (last.end, last.end_char));
        let first_char = char + self.chars(byte..range.start);
        let end_char = first_char + self.chars(range.clone());
        self.words.push(Word { start: range.start, end: range.end, first_char, end_char, term });
    }
}

/// Some of the wanted terms, a bit for each. More than 64 are never looked for; if they were, some would share a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms(pub(crate) u64);

impl Terms {
    pub(crate) const NONE: Self = Self(0);

    /// The term of this number alone.
    pub(crate) fn of(number: usize) -> Self {
        Self(1 << (number % 64))
    }

    /// Whether all of these are among them.
    pub(crate) fn have(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}

/// Different terms, terms side by side, occurrences: compared in this order.
type Worth = (usize, usize, usize);

impl Words {
    fn none(wanted: &Wanted) -> Self {
        Self { words: Vec::new(), wanted: Vec::new(), term_count: wanted.len(), chars: 0 }
    }

    /// Adds the words of the next piece of text, which begins at the byte `base` of all.
    fn read(&mut self, text: &str, base: usize, wanted: &Wanted) {
        let before = self.words.len();
        let is_ascii = text.is_ascii();
        let mut reader = WordReader { text, base, base_char: self.chars, is_ascii, words: &mut self.words };
        wanted.analyzer.tokens(text, &mut |token| {
            let term = match token.kind {
                TokenKind::Word => wanted.word(token.term, &text[token.start..token.end]),
                TokenKind::Extra | TokenKind::Letter => wanted.term(token.term),
            };
            let token = Token { start: base + token.start, end: base + token.end, ..token };
            match token.kind {
                TokenKind::Word => reader.word(&token, term),
                TokenKind::Extra => reader.mark(&token, term),
                TokenKind::Letter => reader.mark_letter(&token, term),
            }
        });
        self.chars += if is_ascii { text.len() } else { text.chars().count() };
        let words = &self.words;
        self.wanted.extend((before..words.len()).filter(|&index| words[index].term.is_some()));
    }

    /// Leaves out some text, so much that no window reaches over it.
    fn pass_over(&mut self) {
        self.chars += 4 * SNIPPET_CHARS;
    }

    /// Whether one window shows every term.
    fn has_window_of_all(&self) -> bool {
        let best = self.best_core(SNIPPET_CHARS, Terms::NONE);
        best.is_some_and(|(_, shown)| shown.count() >= self.term_count)
    }

    /// One window or two, as ranges of words, in the order of the text.
    fn best_windows(&self) -> Vec<Range<usize>> {
        let Some((whole, shown)) = self.best_core(SNIPPET_CHARS, Terms::NONE) else {
            return vec![self.widen(0..0, SNIPPET_CHARS)];
        };
        let occurring = self.terms_of(0..self.words.len());
        if shown != occurring {
            let half = SNIPPET_CHARS / 2;
            let (first, shown_first) = self.best_core(half, Terms::NONE).expect("a wanted word occurs");
            if let Some((second, shown_second)) = self.best_core(half, shown_first) {
                let both = Terms(shown_first.0 | shown_second.0);
                let mut windows = [self.widen(first, half), self.widen(second, half)];
                windows.sort_by_key(|window| window.start);
                if both.count() > shown.count() && windows[0].end <= windows[1].start {
                    return windows.to_vec();
                }
            }
        }
        vec![self.widen(whole, SNIPPET_CHARS)]
    }

    /// The best range of words from a wanted one to a wanted one within `chars`, counting only terms not yet `shown`;
    /// and the terms in it. `None` when there is nothing to gain.
    fn best_core(&self, chars: usize, shown: Terms) -> Option<(Range<usize>, Terms)> {
        let mut best: Option<(Worth, Range<usize>)> = None;
        for (index, &first) in self.wanted.iter().enumerate() {
            let limit = self.words[first].first_char + chars;
            let inside = self.wanted[index..].iter().take_while(|&&word| self.words[word].end_char <= limit);
            let last = inside.last().copied().unwrap_or(first);
            let worth = self.worth(first..last + 1, shown);
            if worth.0 > 0 && best.as_ref().is_none_or(|(best_worth, _)| worth > *best_worth) {
                best = Some((worth, first..last + 1));
            }
        }
        best.map(|(_, window)| (window.clone(), self.terms_of(window)))
    }

    fn worth(&self, window: Range<usize>, shown: Terms) -> Worth {
        let words = &self.words[window.clone()];
        let new = Terms(self.terms_of(window).0 & !shown.0).count();
        let side_by_side =
            words.windows(2).filter(|pair| pair[0].term.is_some() && pair[1].term.is_some()).count();
        (new, side_by_side, words.iter().filter(|word| word.term.is_some()).count())
    }

    fn terms_of(&self, window: Range<usize>) -> Terms {
        let terms = self.words[window].iter().filter_map(|word| word.term);
        Terms(terms.fold(0, |terms, term| terms | Terms::of(term).0))
    }

    /// Adds words on both sides until the window has about `chars` characters; a third of them before.
    fn widen(&self, core: Range<usize>, chars: usize) -> Range<usize> {
        if self.words.is_empty() {
            return 0..0;
        }
        let core_start = self.words[core.start].first_char;
        let core_end = if core.is_empty() { core_start } else { self.words[core.end - 1].end_char };
        let before = chars.saturating_sub(core_end - core_start) / 3;
        let text_end = self.words.last().map_or(0, |word| word.end_char);
        // Near the end of the text what cannot come after comes before.
        let start_char = core_start.saturating_sub(before).min(text_end.saturating_sub(chars));
        let start = self.words.partition_point(|word| word.first_char < start_char).min(core.start);
        let end_char = self.words[start].first_char + chars;
        let end = self.words.partition_point(|word| word.end_char <= end_char);
        start..end.max(core.end).max(start + 1)
    }

    /// The bytes of a window with the punctuation that touches it, cut if a monstrous word makes it too long.
    fn byte_range(&self, text: &str, window: &Range<usize>) -> Range<usize> {
        let gap_end = |index: usize| self.words.get(index).map_or(text.len(), |word| word.start);
        let (mut start, mut end) = (0, text.len());
        if window.start > 0 {
            let (gap, word) = (self.words[window.start - 1].end, self.words[window.start].start);
            start = text[gap..word].rfind(' ').map_or(word, |space| gap + space + 1);
        }
        if window.end < self.words.len() {
            let word_end = self.words[window.end - 1].end;
            let gap = &text[word_end..gap_end(window.end)];
            end = word_end + gap.find(' ').unwrap_or(0);
        }
        let longest =
            text[start..end].char_indices().nth(2 * SNIPPET_CHARS).map_or(end, |(at, _)| start + at);
        boundary_before(text, start)..boundary_before(text, end.min(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marked words in brackets.
    fn show(text: &str, terms: &[&str]) -> String {
        show_page(text, &[], terms)
    }

    /// `main` has starts and ends.
    fn show_page(text: &str, main: &[(usize, usize)], terms: &[&str]) -> String {
        let main: Vec<Range<usize>> = main.iter().map(|&(start, end)| start..end).collect();
        let wanted = wanted(terms);
        let mark = |fragment: &Fragment| match fragment.marked {
            true => format!("[{}]", fragment.text),
            false => fragment.text.clone(),
        };
        Snippet::of_page(text, &main, &wanted).fragments.iter().map(mark).collect()
    }

    fn wanted(terms: &[&str]) -> Wanted {
        let terms = terms.iter().map(|&term| term.to_owned()).collect();
        Wanted::of_terms(terms, index::Analyzer::default())
    }

    #[test]
    fn short_texts_are_shown_whole_and_marked() {
        let rows: &[(&str, &[&str], &str)] = &[
            ("", &["a"], ""),
            ("   ", &["a"], ""),
            ("Romeo, o Romeo!", &["romeo"], "[Romeo], o [Romeo]!"),
            ("  a\n\n\tb  c ", &["b"], "a [b] c"),
            ("L'été à Nîmes.", &["ete", "nimes"], "L'[été] à [Nîmes]."),
            ("<b>x</b> & y", &["x"], "<b>[x]</b> & y"),
            ("東京大学", &["京", "大"], "東[京][大]学"),
            ("東京大学へ", &["京大"], "東[京][大]学へ"),
            ("東京大学へ", &["学へ", "東京"], "[東][京]大[学へ]"),
            (
                "use std::vec; getElement c++",
                &["std::vec", "element", "c"],
                "use [std]::[vec]; [getElement] [c++]",
            ),
            ("say \u{202e}evil\u{202c} now\u{0}!", &["evil"], "say [evil] now !"),
            ("(quoted) text", &["absent"], "(quoted) text"),
            ("👍 👍", &["a"], "👍 👍"),
            // Accents that stand behind their letters are marked with them.
            ("un cafe\u{301} noir", &["cafe"], "un [cafe\u{301}] noir"),
        ];
        for (text, terms, expected) in rows {
            assert_eq!(show(text, terms), *expected, "{text:?}");
        }
    }

    #[test]
    fn the_main_text_speaks_before_the_menu() {
        // A line each: menu, main text, aside, main text, foot.
        let text = "cat dog é\nthe dog.\nant \nfox!\nend";
        let menu = text.find('\n').unwrap();
        let at = |word: &str| text[menu..].find(word).unwrap() + menu;
        let piece = |first: &str, last: &str| (at(first), at(last) + last.len());
        let main = &[piece("the", "dog."), piece("fox", "!")];
        type Row<'a> = (&'a [(usize, usize)], &'a [&'a str], &'a str);
        let rows: &[Row<'_>] = &[
            (main, &["dog"], "the [dog]. fox!"),
            (main, &["dog", "cat"], "the [dog]. fox!"),
            (main, &["fox", "the"], "[the] dog. [fox]!"),
            // Only the rest has it.
            (main, &["cat"], "[cat] dog é ant end"),
            (main, &["ant", "end"], "cat dog é [ant] [end]"),
            (main, &["absent"], "the dog. fox!"),
            (main, &[], "the dog. fox!"),
            // Nothing is known of the main text, or all is.
            (&[], &["dog"], "cat [dog] é the [dog]. ant fox! end"),
            (&[(0, text.len())], &["ant"], "cat dog é the dog. [ant] fox! end"),
            // There is none to show.
            (&[(menu, menu + 1)], &["absent"], "cat dog é the dog. ant fox! end"),
            // Ranges that do not fit are passed over: inside of é, beyond the end, empty, back to front, overlapping.
            (&[(0, 9)], &["dog"], "cat [dog] é the [dog]. ant fox! end"),
            (&[(9, text.len())], &["dog"], "cat [dog] é the [dog]. ant fox! end"),
            (&[(0, 3), (4, text.len() + 1)], &["cat"], "[cat]"),
            (&[(3, 3), (4, 7)], &["absent"], "dog"),
            (&[(7, 4), (4, 7)], &["absent"], "dog"),
            (&[(4, 7), (0, 3), (6, 8)], &["absent"], "dog"),
        ];
        for (main, terms, expected) in rows {
            assert_eq!(show_page(text, main, terms), *expected, "{main:?} {terms:?}");
        }
    }

    #[test]
    fn a_long_menu_leaves_the_main_text_its_bytes() {
        let menu = "entry ".repeat(TEXT_BYTES_MAX / 6 + 1);
        let text = format!("{menu}the entry of the sieve");
        assert_eq!(show_page(&text, &[(menu.len(), text.len())], &["sieve"]), "the entry of the [sieve]");
    }

    #[test]
    fn the_window_is_where_most_words_are() {
        let filler = "filler words go on and on, ".repeat(30);
        let text = format!("romeo alone here. {filler}Then \"Romeo met Juliet\" at last. {filler}juliet");
        let shown = show(&text, &["romeo", "juliet"]);
        assert!(shown.starts_with("… ") && shown.ends_with(" …"), "{shown}");
        assert!(shown.contains("\"[Romeo] met [Juliet]\" at last."), "{shown}");
        assert!((150..300).contains(&shown.chars().count()), "{shown}");
    }

    #[test]
    fn of_a_long_text_the_best_window_is_shown_wherever_it_is() {
        let filler = "filler words go on and on, ".repeat(STEP_BYTES / 27 + 1);
        let shown = show(&format!("romeo {filler}{filler}romeo juliet {filler}"), &["romeo", "juliet"]);
        assert!(shown.starts_with("… ") && shown.ends_with(" …"), "{shown}");
        assert!(shown.contains("filler words go on and on, [romeo] [juliet] filler words"), "{shown}");
        assert!((200..260).contains(&shown.chars().count()), "{shown}");
        // At the beginning and at the end nothing is left out.
        let shown = show(&format!("romeo sees juliet {filler}{filler}"), &["romeo", "juliet"]);
        assert!(shown.starts_with("[romeo] sees [juliet] filler") && shown.ends_with(" …"), "{shown}");
        let shown = show(&format!("{filler}{filler}romeo juliet end"), &["romeo", "juliet"]);
        assert!(shown.starts_with("… ") && shown.ends_with("[romeo] [juliet] end"), "{shown}");
        // Two places far apart.
        let shown = show(&format!("{filler}romeo {filler}juliet {filler}"), &["romeo", "juliet"]);
        assert!(shown.contains("[romeo]") && shown.contains("[juliet]"), "{shown}");
        assert!(shown.chars().count() < 300, "{shown}");
    }

    #[test]
    fn words_that_only_begin_alike_and_signs_hide_no_word() {
        for odd in ["the possible position of a post, ", "See Section\u{a0}2 or “here” – or → Álvaro, "]
        {
            let filler = (odd.to_owned() + &"so we go on and on. ".repeat(60)).repeat(6);
            let shown = show(&format!("{filler}the postgres of {filler}"), &["postgres"]);
            assert!(shown.contains("the [postgres] of"), "{shown}");
        }
    }

    #[test]
    fn once_a_window_of_a_foreign_text_has_all_words_no_more_is_read() {
        let filler = "мимо идут слова, ".repeat(STEP_BYTES / 30 + 1);
        let late = "ромео джульетта ромео джульетта";
        let shown = show(&format!("ромео и джульетта {filler}{filler}{late}"), &["ромео", "джульетта"]);
        assert!(shown.starts_with("[ромео] и [джульетта] мимо") && shown.ends_with(" …"), "{shown}");
        // Until then all is.
        let shown = show(&format!("ромео {filler}{filler}{late} конец"), &["ромео", "джульетта"]);
        assert!(shown.ends_with("[ромео] [джульетта] [ромео] [джульетта] конец"), "{shown}");
    }

    #[test]
    fn words_far_apart_get_a_window_each() {
        let filler = "filler words go on and on ".repeat(30);
        let shown = show(&format!("{filler}verona {filler}mantua {filler}"), &["verona", "mantua"]);
        assert!(shown.contains("[verona]") && shown.contains("[mantua]"), "{shown}");
        assert!(shown.chars().count() < 300, "{shown}");
    }

    #[test]
    fn without_a_match_it_is_the_beginning_cut_between_words() {
        let shown = show(&"seven letters ".repeat(100), &["absent"]);
        assert!(shown.starts_with("seven letters") && shown.ends_with("seven …"), "{shown}");
        assert!((200..240).contains(&shown.chars().count()), "{shown}");
    }

    #[test]
    fn at_the_end_of_the_text_the_window_is_filled_from_before() {
        let shown = show(&format!("{}end", "word ".repeat(200)), &["end"]);
        assert!(shown.ends_with("word [end]") && shown.chars().count() > 200, "{shown}");
    }

    #[test]
    fn monstrous_words_do_not_make_monstrous_snippets() {
        for text in
            ["x".repeat(100_000), format!("{} a", "=".repeat(100_000)), format!("a {}", "é".repeat(100_000))]
        {
            assert!(show(&text, &["a"]).chars().count() <= 2 * SNIPPET_CHARS + 10);
        }
        // The cut may fall into a term that the analyzer has shortened to a wanted one.
        let long = "x".repeat(1000);
        assert!(show(&long, &[&"x".repeat(64)]).chars().count() <= 2 * SNIPPET_CHARS + 10);
    }

    #[test]
    fn lines_are_marked_as_a_whole() {
        let wanted = wanted(&["rust", "book"]);
        let marked = |text: &str| {
            let fragments = Snippet::of_line(text, &wanted).fragments;
            fragments.into_iter().map(|Fragment { text, marked }| (text, marked)).collect::<Vec<_>>()
        };
        let part = |text: &str, marked| (text.to_owned(), marked);
        assert_eq!(
            marked("The Rust Book!"),
            [part("The ", false), part("Rust", true), part(" ", false), part("Book", true), part("!", false)]
        );
        assert_eq!(marked("Nothing"), [part("Nothing", false)]);
        assert_eq!(marked(""), []);
    }

    proptest::proptest! {
        #[test]
        fn no_character_is_broken(text in "([ab] ?|e\u{301}|👨\u{200d}👩\u{200d}👧|🇮🇹|กำ|क्षि|東){0,300}", term in "[ab]") {
            use unicode_segmentation::UnicodeSegmentation as _;
            let snippet = Snippet::of_page(&text, &[], &wanted(&[&term, "東", "e", "ก"]));
            let shown = snippet.text();
            let clusters: std::collections::HashSet<&str> = text.graphemes(true).chain(["…", " "]).collect();
            assert!(shown.graphemes(true).all(|cluster| clusters.contains(cluster)), "{shown:?}");
        }

        #[test]
        fn any_text_gives_a_snippet_of_bounded_length(text in "(\\PC|[ab] |[東京]|\n){0,400}", term in "[ab]") {
            let snippet = Snippet::of_page(&text, &[], &wanted(&[&term, "東", "東京"]));
            assert!(snippet.text().chars().count() <= 4 * SNIPPET_CHARS);
            assert!(snippet.fragments.iter().all(|fragment| !fragment.text.is_empty()));
        }

        #[test]
        fn any_ranges_divide_a_text_into_all_its_bytes(
            text in "([éa東]|\\PC){0,20}",
            bounds in proptest::collection::vec((0..70_usize, 0..70_usize), 0..5),
        ) {
            let main: Vec<Range<usize>> = bounds.into_iter().map(|(start, end)| start..end).collect();
            let (inside, between) = divided(&text, &main);
            let bytes = inside.iter().chain(&between).map(|piece| piece.len()).sum::<usize>();
            assert_eq!(bytes, text.len());
            Snippet::of_page(&text, &main, &wanted(&["a"]));
        }
    }
}
