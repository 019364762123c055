//! A sitemap of any bytes gives addresses within its limits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use page::PageUrl;

fuzz_target!(|data: &[u8]| {
    let url = PageUrl::parse("http://example.org/sitemap.xml").unwrap();
    let sitemap = parse::parse_sitemap(&url, data);
    assert!(sitemap.pages.len() + sitemap.sitemaps.len() <= parse::SITEMAP_ENTRIES_MAX);
});
