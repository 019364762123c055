//! Any text is the address of a page or is refused; an address has one normal form, also as a link on a page.
#![no_main]

use libfuzzer_sys::fuzz_target;
use page::PageUrl;

fuzz_target!(|text: &str| {
    let base = PageUrl::parse("http://example.org/dir/page.html?query").unwrap();
    for url in [PageUrl::parse(text), base.join(text)].into_iter().flatten() {
        assert_eq!(PageUrl::parse(url.as_str()).as_ref(), Ok(&url));
        let back = PageUrl::from_normalised(url.as_str()).unwrap();
        assert_eq!((back.host(), back.port()), (url.host(), url.port()));
        assert_eq!((back.authority(), back.path_and_query()), (url.authority(), url.path_and_query()));
        assert_eq!(back.site().robots_url().host(), url.host());
    }
});
