//! Bytes written to hurt: nothing panics, and time stays linear.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::{read, read_as};

/// A linear reader needs far less than a second for each of these, a quadratic one needs minutes.
const TIME_MAX: Duration = Duration::from_secs(10);

#[test]
fn markup_written_to_hurt_is_read_in_linear_time() {
    let cases = [
        ("nested blocks", "<div>".repeat(400_000)),
        ("blocks that end nothing", format!("{}{}", "<div>".repeat(400_000), "</nav></ul>".repeat(200_000))),
        ("blocks that end all others", "<nav><div><ul></nav>".repeat(100_000)),
        ("nested tables", "<table><td><nav></nav>".repeat(100_000)),
        ("a megabyte of roles", format!("<div role='{}'>", "navigatio ".repeat(100_000))),
        ("nested drawings", "<svg><foreignObject>".repeat(100_000)),
        ("nested templates", "<template>".repeat(200_000)),
        ("nested links", "<a href=x>a".repeat(200_000)),
        ("a million attributes", format!("<p {}>", "a=b ".repeat(1_000_000))),
        ("a million equal links", format!("<a {}>", "href=x ".repeat(1_000_000))),
        ("one long text", "word ".repeat(400_000)),
        ("one long word", "x".repeat(4 << 20)),
        ("an open quote", format!("<a href=\"{}", "x".repeat(2 << 20))),
        ("an open comment", format!("<!--{}", "-".repeat(2 << 20))),
        ("open tags", "<".repeat(2 << 20)),
        ("open end tags", "</".repeat(1 << 20)),
        ("entities", "&amp".repeat(500_000)),
        ("ampersands", "&".repeat(2 << 20)),
        ("a long name", format!("<{}>", "x".repeat(2 << 20))),
        ("an open script", format!("<script>{}", "</scrip".repeat(300_000))),
        ("a link around all", format!("<a href=x>{}", "<b>w </b>".repeat(200_000))),
        ("pictures in a link", format!("<a href=x>{}", "<img alt=''>".repeat(200_000))),
        ("a megabyte base", format!("<base href=/{}>{}", "x/".repeat(500_000), "<a href=y>".repeat(9_000))),
        ("control bytes", "\0".repeat(2 << 20)),
    ];
    for (name, html) in cases {
        let start = Instant::now();
        let document = read(&html);
        assert!(start.elapsed() < TIME_MAX, "{name} took {:?}", start.elapsed());
        assert!(document.text.len() <= parse::TEXT_BYTES_MAX, "{name} breaks the limit of text");
        assert!(document.links.len() <= parse::LINKS_MAX, "{name} breaks the limit of links");
    }
}

/// Pieces of markup, whole and broken, to be thrown together.
const SOUP: [&str; 51] = [
    "<a href=x>",
    "</a>",
    "<a href='",
    "'>",
    "<p>",
    "</p>",
    "<title>",
    "</title>",
    "<svg>",
    "</svg>",
    "<foreignObject>",
    "</foreignObject>",
    "<template>",
    "</template>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<base href=//b>",
    "<meta http-equiv=refresh content='0;url=é'>",
    "<iframe src=y>",
    "</iframe>",
    "<pre>",
    "</pre>",
    "<img alt=z>",
    "<area href=x alt=è>",
    "<td>",
    "<br/>",
    "&nbsp;",
    "&#x;",
    "&amp",
    "\u{a0}",
    "é",
    "中",
    "\r\n",
    " ",
    "word",
    "<",
    "</",
    "<é",
    "<plaintext>",
    "<nav>",
    "</nav>",
    "<div role=navigation>",
    "</div>",
    "<footer>",
    "</section>",
    "<table>",
    "</table>",
];

proptest! {
    #[test]
    fn random_bytes_never_panic(body in proptest::collection::vec(any::<u8>(), 0..2000)) {
        for content_type in ["text/html", "application/xhtml+xml", "text/plain", "text/html;charset=gb18030", ""] {
            read_as(content_type, &body);
        }
        let url = page::PageUrl::parse("http://example.org/").unwrap();
        parse::parse_sitemap(&url, &body);
    }

    #[test]
    fn tag_soup_gives_clean_text_within_limits(pieces in proptest::collection::vec(0..SOUP.len(), 0..60)) {
        let html: String = pieces.iter().map(|piece| SOUP[*piece]).collect();
        for content_type in ["text/html;charset=utf-8", "application/xhtml+xml;charset=utf-8"] {
            let document = read_as(content_type, html.as_bytes());
            prop_assert!(!document.text.contains('\u{fffd}'), "a character was cut in {:?}", html);
            for text in [&document.title, &document.text].into_iter().chain(document.links.iter().map(|link| &link.anchor)) {
                prop_assert!(!text.contains("  ") && !text.contains("\n\n"), "gaps in {:?} of {:?}", text, html);
                prop_assert_eq!(text.trim_matches([' ', '\n']), text, "ends of {:?}", html);
            }
        }
    }

    #[test]
    fn sitemap_soup_never_panics(pieces in proptest::collection::vec(0..8usize, 0..40)) {
        let soup = ["<urlset>", "<loc>", "</loc>", "http://x.org/", "<![CDATA[", "]]>", "&#x41;", "<!DOCTYPE ["];
        let body: String = pieces.iter().map(|piece| soup[*piece]).collect();
        let url = page::PageUrl::parse("http://example.org/").unwrap();
        parse::parse_sitemap(&url, body.as_bytes());
    }
}
