//! What a page says to readers who run no scripts and show no frames: `<noscript>`, `<noframes>` and `<noembed>`.
//!
//! That is us, so the links inside are links of the page. Their text is what a browser would not show: it counts only
//! where the page says little else, and a plea to turn on JavaScript or to get another browser never does. What speaks
//! of the page as a whole (title, base, canonical address, refresh) is not believed there, for the page that everybody
//! sees does not have it; only a wish not to be indexed or followed is heeded, since it is addressed to us.
//!
//! Where such an element ends is decided as in a browser that does run scripts, which is how its author saw it: at its
//! end tag, whatever is open inside. So its content comes as raw text, is kept, and read as markup at the end tag; all
//! that it left open ends there. Elements of this kind inside of one are read as ordinary ones, so that there are never
//! more than two tokenizers on the stack.

use crate::TEXT_BYTES_MAX;
use crate::text_writer::TextWriter;

/// A page with so much text of its own does not need that of its fallbacks.
const LITTLE_TEXT_BYTES: usize = 200;

/// A line that is longer says more than that something is missing.
const PLEA_BYTES_MAX: usize = 400;

/// What pleas speak of, in lower case and in the languages of most pages.
const PLEA_WORDS: [&str; 16] = [
    "javascript",
    "java script",
    "java-script",
    "scripting",
    "browser",
    "navigateur",
    "navegador",
    "przegląd",
    "браузер",
    "浏览器",
    "瀏覽器",
    "ブラウザ",
    "브라우저",
    "frame alert",
    "frames feature",
    "non-frame",
];

/// The fallbacks of one page.
#[derive(Debug)]
pub(crate) struct Fallback {
    markup: Vec<u8>,
    pub(crate) text: TextWriter,
}

impl Fallback {
    pub(crate) fn new() -> Self {
        Self { markup: Vec::new(), text: TextWriter::new(TEXT_BYTES_MAX) }
    }

    /// A piece of the element that is open, as it is written.
    pub(crate) fn push_markup(&mut self, piece: &[u8]) {
        self.markup.extend_from_slice(piece);
    }

    /// The content of an element that has ended and was not read yet.
    pub(crate) fn take_markup(&mut self) -> Option<Vec<u8>> {
        (!self.markup.is_empty()).then(|| std::mem::take(&mut self.markup))
    }

    /// The text of a page, given what it says itself.
    pub(crate) fn completed(self, mut text: String) -> String {
        if text.len() >= LITTLE_TEXT_BYTES {
            return text;
        }
        let fallback = self.text.finish();
        for line in fallback.lines().filter(|line| !is_plea(line)) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
        text
    }
}

/// Does a line only ask for a browser that can do more?
fn is_plea(line: &str) -> bool {
    let lower_case = if line.len() <= PLEA_BYTES_MAX { line.to_lowercase() } else { String::new() };
    PLEA_WORDS.iter().any(|word| lower_case.contains(word))
}
