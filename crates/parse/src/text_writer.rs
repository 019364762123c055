//! Words out of pieces of text: white space collapsed, one line per block, no blank lines.
//!
//! Text comes in pieces, cut by tags and entities, and white space is decided between them: a piece leaves behind
//! what gap the next word will need, and the gap is written only when that word comes. So nothing is ever trimmed
//! afterwards. Runs without surplus space are copied whole. Most of a text is such a run, so it is looked at by strides, and
//! bytes are looked up one by one only where a stride is not plain.

use std::ops::Range;

use memchr::memchr;

/// What has to stand between the last word and the next one; the larger gap wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
}

/// Collects collapsed text up to a limit.
#[derive(Debug)]
pub(crate) struct TextWriter {
    bytes: Vec<u8>,
    gap: Gap,
    bytes_max: usize,
}

/// How a byte is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    /// Tab, newline and the like: white space that cannot be copied as it is.
    OtherSpace,
    /// 0xC2, which may begin a no-break space.
    NoBreakLead,
    /// NUL has no place in text.
    Nul,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Word; 256];
    classes[b' ' as usize] = Class::Space;
    classes[b'\t' as usize] = Class::OtherSpace;
    classes[b'\n' as usize] = Class::OtherSpace;
    classes[0x0b] = Class::OtherSpace;
    classes[0x0c] = Class::OtherSpace;
    classes[b'\r' as usize] = Class::OtherSpace;
    classes[0xc2] = Class::NoBreakLead;
    classes[0] = Class::Nul;
    classes
};

impl TextWriter {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes: Vec::new(), gap: Gap::None, bytes_max }
    }

    /// Makes room for text of about this size.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes.min(self.bytes_max));
    }

    /// Appends a piece. With `keep_lines`, as in `<pre>`, its newlines end lines.
    pub(crate) fn push(&mut self, mut piece: &[u8], keep_lines: bool) {
        while !piece.is_empty() {
            let (gap, used) = leading_gap(piece, keep_lines);
            self.widen(gap);
            piece = &piece[used..];
            let run = run_of_words(piece);
            if run > 0 {
                self.write_words(&piece[..run]);
            }
            piece = &piece[run..];
        }
    }

    /// The next word starts a new line.
    pub(crate) fn end_line(&mut self) {
        self.widen(Gap::Line);
    }

    /// The next word is another word.
    pub(crate) fn end_word(&mut self) {
        self.widen(Gap::Space);
    }

    /// How much was written.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Where the words stand that were written since `start`, without the gap in front of them; `None` if there are none.
    pub(crate) fn words_since(&self, start: usize) -> Option<Range<usize>> {
        let gap = usize::from(self.bytes.get(start)?.is_ascii_whitespace());
        Some(start + gap..self.bytes.len()).filter(|words| !words.is_empty())
    }

    /// What was written since `start`, on one line and cut to `bytes_max`.
    pub(crate) fn line_since(&self, start: usize, bytes_max: usize) -> String {
        let written = self.bytes.get(start..).unwrap_or_default().trim_ascii_start();
        let cut = cut_at_char(written, bytes_max).trim_ascii_end();
        let line = match std::str::from_utf8(cut) {
            Ok(sound) => sound.to_owned(),
            Err(_) => String::from_utf8_lossy(cut).into_owned(),
        };
        if memchr(b'\n', cut).is_some() { line.replace('\n', " ") } else { line }
    }

    /// The text.
    pub(crate) fn finish(self) -> String {
        // The tokenizer may cut between the bytes of a character but hands over all of them, so this is UTF-8.
        String::from_utf8(self.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into())
    }

    fn widen(&mut self, gap: Gap) {
        if !self.bytes.is_empty() {
            self.gap = self.gap.max(gap);
        }
    }

    fn write_words(&mut self, words: &[u8]) {
        let room = self.bytes_max.saturating_sub(self.bytes.len());
        let gap: &[u8] = match self.gap {
            Gap::None => b"",
            Gap::Space => b" ",
            Gap::Line => b"\n",
        };
        if gap.len() + words.len() <= room {
            self.bytes.extend_from_slice(gap);
            self.bytes.extend_from_slice(words);
        } else if room > gap.len() {
            self.bytes.extend_from_slice(gap);
            self.bytes.extend_from_slice(cut_at_char(words, room - gap.len()));
            self.bytes.truncate(self.bytes.trim_ascii_end().len());
            self.bytes_max = self.bytes.len();
        } else {
            self.bytes_max = self.bytes.len();
        }
        self.gap = Gap::None;
    }
}

/// The gap that the white space at the front of `piece` makes, and its length.
fn leading_gap(piece: &[u8], keep_lines: bool) -> (Gap, usize) {
    let (mut gap, mut at) = (Gap::None, 0);
    while let Some(&byte) = piece.get(at) {
        match CLASSES[byte as usize] {
            Class::Nul => {}
            Class::OtherSpace if keep_lines && byte != b'\t' => gap = Gap::Line,
            Class::Space | Class::OtherSpace => gap = gap.max(Gap::Space),
            Class::NoBreakLead if piece.get(at + 1) == Some(&0xa0) => {
                gap = gap.max(Gap::Space);
                at += 1;
            }
            Class::Word | Class::NoBreakLead => break,
        }
        at += 1;
    }
    (gap, at)
}

/// The length of the words at the front of `piece` that can be copied as they are: single spaces between them.
fn run_of_words(piece: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += plain_strides(&piece[at..]);
        // What is not plain in the next stride is found one by one, and ends the run or does not.
        for _ in 0..STRIDE {
            let Some(&byte) = piece.get(at) else { return at };
            match CLASSES[byte as usize] {
                Class::Word => at += 1,
                Class::Space => match piece.get(at + 1) {
                    Some(&next) if CLASSES[next as usize] == Class::Word => at += 2,
                    _ => return at,
                },
                Class::NoBreakLead if piece.get(at + 1) != Some(&0xa0) => at += 1,
                _ => return at,
            }
        }
    }
}

/// So many bytes are looked at together.
const STRIDE: usize = 32;

/// The length of those whole strides at the front of `piece` that are words with single spaces between them and nothing else.
fn plain_strides(piece: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&bytes) = piece[at..].first_chunk::<{ STRIDE + 1 }>() {
        if !is_plain(bytes) {
            break;
        }
        at += STRIDE;
    }
    at
}

/// No byte of a stride needs a look of its own: none is white space but spaces, and behind each of these comes a word. One byte
/// more is given than is asked about. All are looked at whatever they are: so the compiler takes sixteen at a time.
#[inline(always)]
fn is_plain(bytes: [u8; STRIDE + 1]) -> bool {
    let is_odd = |byte: u8| (byte == 0) | (byte.wrapping_sub(b'\t') < 5) | (byte == 0xc2);
    let is_space = |byte: u8| byte == b' ';
    let mut found = false;
    for (&byte, &next) in bytes[..STRIDE].iter().zip(&bytes[1..]) {
        found |= is_odd(byte) | (is_space(byte) & (is_odd(next) | is_space(next)));
    }
    !found
}

/// At most `bytes_max` bytes, not ending inside a character.
pub(crate) fn cut_at_char(text: &[u8], bytes_max: usize) -> &[u8] {
    if text.len() <= bytes_max {
        return text;
    }
    let is_inside = |at: usize| text[at] & 0xc0 == 0x80;
    let mut end = bytes_max;
    while end > 0 && is_inside(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(pieces: &[&str], keep_lines: bool, bytes_max: usize) -> String {
        let mut writer = TextWriter::new(bytes_max);
        for piece in pieces {
            writer.push(piece.as_bytes(), keep_lines);
        }
        writer.finish()
    }

    #[test]
    fn white_space_is_decided_between_words() {
        let cases: [(&[&str], &str, &str); 8] = [
            (&["  a  b\n\tc  "], "a b c", "a b\nc"),
            (&["a", "b", " ", " c"], "ab c", "ab c"),
            (&["a\u{a0}\u{a0}b", "\u{a0}", "c"], "a b c", "a b c"),
            (&["\u{a9}\u{a0}x"], "\u{a9} x", "\u{a9} x"),
            (&["a\0b"], "ab", "ab"),
            (&["\n\n", "a\n\n\nb", "\n"], "a b", "a\nb"),
            (&["a ", "\n"], "a", "a"),
            (&[], "", ""),
        ];
        for (pieces, flowing, with_lines) in cases {
            assert_eq!(collapsed(pieces, false, 100), flowing, "for {pieces:?}");
            assert_eq!(collapsed(pieces, true, 100), with_lines, "for {pieces:?} with lines kept");
        }
    }

    #[test]
    fn what_stands_anywhere_in_a_long_text_is_found_as_in_a_short_one() {
        let text = "la zuppa di ceci e lo zafferano, con un filo d'olio: ne basta poco. E poi il pane, raffermo, a cubetti";
        for odd in [
            "\n", "  ", " \t", "\u{a0}", "\u{a0} ", "\u{a9}", " \u{a9}", "\0", " \0", "\r\n", "\u{b}",
            "\u{c}", "\u{1}",
        ] {
            for at in 0..=text.len() {
                let given = format!("{}{odd}{}", &text[..at], &text[at..]);
                // One character at a time there is no stride.
                let letters: Vec<String> = given.chars().map(String::from).collect();
                let one_by_one: Vec<&str> = letters.iter().map(String::as_str).collect();
                for keep_lines in [false, true] {
                    let expected = collapsed(&one_by_one, keep_lines, 200);
                    assert_eq!(collapsed(&[&given], keep_lines, 200), expected, "{odd:?} at {at}");
                }
            }
        }
    }

    #[test]
    fn the_limit_cuts_between_characters_and_for_good() {
        assert_eq!(collapsed(&["aaa bbb"], false, 5), "aaa b");
        assert_eq!(collapsed(&["aaa bbb"], false, 4), "aaa");
        assert_eq!(collapsed(&["àààà"], false, 5), "àà");
        assert_eq!(collapsed(&["àààà", "b"], false, 5), "àà");
        assert_eq!(collapsed(&["aa", " ", "b", "c"], false, 2), "aa");
    }

    #[test]
    fn lines_are_not_doubled() {
        let mut writer = TextWriter::new(100);
        writer.end_line();
        writer.push(b" a ", false);
        writer.end_line();
        writer.end_word();
        writer.end_line();
        writer.push(b"b", false);
        assert_eq!(writer.line_since(0, 100), "a b");
        assert_eq!(writer.line_since(1, 2), "b");
        assert_eq!(writer.finish(), "a\nb");
    }
}
