//! The print of a text as the page table keeps it.

use store::TextPrint;

/// What a page says, for finding copies of it. None if it says nothing. Texts of fewer than [`dedup::WORDS_MIN`] words are
/// compared exactly only: a menu and a date are similar to any other menu and date.
pub fn text_print(text: &str) -> Option<TextPrint> {
    let print = dedup::page_print(text.as_bytes());
    let simhash = (print.words >= dedup::WORDS_MIN).then_some(print.simhash);
    (print.words > 0).then_some(TextPrint { digest: print.digest, simhash })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_have_no_simhash_and_empty_ones_no_print() {
        assert_eq!(text_print(" - "), None);
        assert_eq!(text_print(&"word ".repeat(19)).unwrap().simhash, None);
        assert!(text_print(&"word ".repeat(20)).unwrap().simhash.is_some());
    }
}
