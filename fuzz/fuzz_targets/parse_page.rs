//! Whatever a server sends, a page comes of it, within its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use page::{ContentType, PageUrl};

const TYPES: [&str; 6] = [
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=shift_jis",
    "application/xhtml+xml",
    "text/plain",
    "",
];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, body)) = data.split_first() else { return };
    let url = PageUrl::parse("http://example.org/dir/page.html").unwrap();
    let content_type = ContentType(TYPES[usize::from(choice) % TYPES.len()]);
    let document = parse::parse_page(&url, content_type, body);
    assert!(document.text.len() <= parse::TEXT_BYTES_MAX);
    assert!(document.title.len() <= parse::TITLE_BYTES_MAX);
    assert!(document.links.len() <= parse::LINKS_MAX);
    assert!(document.links.iter().all(|link| link.anchor.len() <= parse::ANCHOR_BYTES_MAX));
    let sitemap = parse::parse_sitemap(&url, body);
    assert!(sitemap.pages.len() + sitemap.sitemaps.len() <= parse::SITEMAP_ENTRIES_MAX);
});
