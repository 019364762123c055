//! The print of a text as the page table keeps it.

use page::TextPrint;

use crate::PagePrinter;

/// After a text that is longer the buffers are given back: a single word of megabytes would blow them up for good.
const KEPT_FOR_BYTES: usize = 1 << 20;

/// Makes prints. One per thread: it keeps its buffers from text to text.
#[derive(Debug, Default)]
pub struct TextPrinter(PagePrinter);

impl TextPrinter {
    /// What a page says, for finding copies of it. None if it says nothing. Texts of fewer than [`crate::WORDS_MIN`] words
    /// are compared exactly only: a menu and a date are similar to any other menu and date.
    pub fn print(&mut self, text: &str) -> Option<TextPrint> {
        let print = self.0.print(text.as_bytes());
        if text.len() > KEPT_FOR_BYTES {
            *self = Self::default();
        }
        (print.words > 0).then_some(TextPrint { digest: print.digest, near: print.near() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_compared_exactly_only_and_empty_ones_have_no_print() {
        let mut printer = TextPrinter::default();
        assert_eq!(printer.print(" - "), None);
        assert_eq!(printer.print(&"word ".repeat(19)).unwrap().near, None);
        assert!(printer.print(&"word ".repeat(20)).unwrap().near.is_some());
    }
}
