//! Text from the web as it may be shown: without characters that change how their neighbours look; numbers for people.
//!
//! Escaping is not done here: the templates do it, always.

use page::PageUrl;

/// Text without control characters and without those that turn the direction of writing: with them a page could
/// make the address of another appear below its title.
pub(crate) fn visible(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || *c == ' ').filter(|c| !is_direction_control(*c)).collect()
}

fn is_direction_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The address as a link may carry it: only `http` and `https`, in normal form. Anything else is no link.
pub(crate) fn safe_href(address: &str) -> Option<String> {
    PageUrl::parse(address).ok().map(|url| url.as_str().to_owned())
}

/// Whether nobody can go to an address: a name below `invalid` is no host's, and is what pages have that were imported from
/// files without a place in the web.
pub(crate) fn leads_nowhere(href: &str) -> bool {
    PageUrl::parse(href).is_ok_and(|url| url.host() == "invalid" || url.host().ends_with(".invalid"))
}

/// A duration in the unit that reads best.
pub(crate) fn duration(microseconds: u64) -> String {
    match microseconds {
        0..1_000 => format!("{microseconds} µs"),
        1_000..1_000_000 => format!("{:.1} ms", microseconds as f64 / 1e3),
        _ => format!("{:.2} s", microseconds as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_pages_become_links() {
        assert_eq!(safe_href("HTTP://A.org/\"x").as_deref(), Some("http://a.org/%22x"));
        for address in
            ["javascript:alert(1)", " data:text/html,x", "//a.org/", "java\nscript:x", "", "ftp://a/"]
        {
            assert_eq!(safe_href(address), None, "for {address:?}");
        }
    }

    #[test]
    fn names_that_are_no_hosts_lead_nowhere() {
        for (href, expected) in [
            ("http://import.invalid/a", true),
            ("http://invalid/", true),
            ("http://invalid.org/", false),
            ("http://a.org/import.invalid/", false),
        ] {
            assert_eq!(leads_nowhere(href), expected, "{href}");
        }
    }

    #[test]
    fn text_that_turns_its_neighbours_is_tamed() {
        assert_eq!(visible("a\u{202e}b\u{2066}c\u{200f}d\0e\nf"), "abcdef");
        assert_eq!(visible("שלום"), "שלום");
    }

    #[test]
    fn durations_have_the_unit_that_reads_best() {
        assert_eq!([850, 1_250, 2_500_000].map(duration), ["850 µs", "1.2 ms", "2.50 s"]);
    }
}
