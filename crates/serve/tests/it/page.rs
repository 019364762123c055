//! What people see.

use crate::{Fake, Running};

#[track_caller]
fn check_contains(page: &str, parts: &[&str]) {
    for part in parts {
        assert!(page.contains(part), "{part:?} is not in {page}");
    }
}

#[test]
fn the_home_page_has_a_box_and_the_size_of_the_collection() {
    let server = Running::start(Fake::default());
    for path in ["/", "/search", "/search?q=", "/search?q=+%20"] {
        let reply = server.get(path);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, "text/html; charset=utf-8"),
            "for {path}"
        );
        check_contains(
            &reply.body,
            &[
                "<html lang=\"en\">",
                "<h1>Test</h1>",
                "<label class=\"unseen\" for=\"q\">Search Test</label>",
                "12,345 pages from 7 sites · index of 3.0 MiB",
            ],
        );
        // No script but the file that completes what is typed.
        assert_eq!(reply.body.matches("<script").count(), 1);
        assert!(reply.body.contains("<script src=\"/suggest.js\" defer></script>"));
    }
}

#[test]
fn a_query_behind_the_address_of_the_start_page_is_searched() {
    let server = Running::start(Fake::default());
    for (path, place) in [
        ("/?q=a%26b", Some("/search?q=a%26b")),
        ("/?from=10&q=a+b", Some("/search?from=10&q=a+b")),
        ("/?q=", None),
        ("/?query=a", None),
        ("/?q=//evil.test/", Some("/search?q=//evil.test/")),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, if place.is_some() { 307 } else { 200 }, "{path}");
        assert_eq!(reply.header("location"), place.unwrap_or_default(), "{path}");
    }
}

#[test]
fn results_have_title_address_snippet_and_paging() {
    let server = Running::start(Fake::default());
    let reply = server.get("/search?q=a%26b&from=10");
    assert_eq!(reply.status, 200);
    check_contains(
        &reply.body,
        &[
            "<title>a&#38;b – Crivello</title>",
            "value=\"a&#38;b\"",
            "11–20 of 35 results in 1.2 ms",
            "<a href=\"http://example.org/page\" rel=\"noopener noreferrer\">A title</a>",
            "<bdi>http://example.org/page</bdi>",
            "some words<mark>some words</mark>",
            "rel=\"prev\" href=\"/search?q=a%26b&amp;from=0\"",
            "<span aria-current=\"page\">2</span>",
            "href=\"/search?q=a%26b&amp;from=30\">4</a>",
            "rel=\"next\" href=\"/search?q=a%26b&amp;from=20\"",
        ],
    );
    assert_eq!(reply.body.matches("<article>").count(), 10);
}

#[test]
fn the_first_and_the_last_page_have_no_way_beyond() {
    let server = Running::start(Fake { total: 5000, ..Fake::default() });
    let first = server.get("/search?q=x").body;
    assert!(!first.contains("rel=\"prev\"") && first.contains("from=10"), "{first}");
    for from in ["990", "999999", "99999999999999999999999"] {
        let last = server.get(&format!("/search?q=x&from={from}")).body;
        let is_beginning = from.len() > 20;
        assert_eq!(last.contains("991–1000 of 5,000 results"), !is_beginning, "from {from}: {last}");
        assert!(!last.contains("from=1000"), "from {from}");
    }
}

#[test]
fn a_from_that_makes_no_sense_is_the_beginning() {
    let server = Running::start(Fake::default());
    for from in ["", "-1", "abc", "1e3", "%00", "10%20OR%201=1"] {
        let reply = server.get(&format!("/search?q=x&from={from}"));
        assert_eq!(reply.status, 200, "from {from}");
        check_contains(&reply.body, &["1–10 of 35 results"]);
    }
}

#[test]
fn without_results_there_is_help() {
    let server = Running::start(Fake::default());
    let reply = server.get("/search?q=nothing");
    assert_eq!(reply.status, 200);
    check_contains(&reply.body, &["No results", "“nothing”", "What a query can say"]);
    let beyond = server.get("/search?q=x&from=500");
    check_contains(&beyond.body, &["There are only 35 results."]);
    check_contains(&server.get("/search?q=one").body, &["1 result in 1.2 ms"]);
    check_contains(&server.get("/search?q=one&from=10").body, &["There is only 1 result."]);
    check_contains(&server.get("/search?q=partial").body, &["may not be complete"]);
}

#[test]
fn what_goes_wrong_is_said_in_words() {
    let server = Running::start(Fake::default());
    let cases = [
        ("/search?q=bad", 400, "the query &#60;b&#62;only&#60;/b&#62; excludes"),
        ("/search?q=broken", 500, "Something went wrong"),
        ("/search?q=panic", 500, "Something went wrong"),
        ("/search?q=a&q=b", 400, "cannot be read"),
        ("/no/such/page", 404, "There is nothing here"),
    ];
    for (path, status, words) in cases {
        let reply = server.get(path);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (status, "text/html; charset=utf-8"),
            "for {path}"
        );
        check_contains(&reply.body, &[words]);
        assert!(!reply.body.contains("/var/x"), "{path} tells too much");
    }
}

#[test]
fn a_browser_can_add_the_engine_and_draw_its_page() {
    let server = Running::start(Fake::default());
    let cases = [
        (
            "/opensearch.xml",
            "application/opensearchdescription+xml; charset=utf-8",
            "http://search.test:80/search?q={searchTerms}",
        ),
        (
            "/opensearch.xml",
            "application/opensearchdescription+xml; charset=utf-8",
            "<Url type=\"application/x-suggestions+json\" template=\"http://search.test:80/api/suggest?q={searchTerms}\"/>",
        ),
        ("/suggest.js", "text/javascript; charset=utf-8", "/api/suggest?q="),
        ("/style.css", "text/css; charset=utf-8", "prefers-color-scheme: dark"),
        ("/favicon.svg", "image/svg+xml", "<svg"),
    ];
    for (path, content_type, part) in cases {
        let reply = server.get(path);
        assert_eq!((reply.status, reply.header("content-type")), (200, content_type), "for {path}");
        check_contains(&reply.body, &[part]);
    }
}

#[test]
fn what_was_meant_is_offered_or_shown_with_a_way_back() {
    let server = Running::start(Fake { meant: Some("a <server>".into()), ..Fake::default() });
    let meant = "<a href=\"/search?q=a%20%3Cserver%3E\"><strong>a &#60;server&#62;</strong></a>";
    for path in ["/search?q=sevrer", "/search?q=nothing"] {
        let page = server.get(path).body;
        check_contains(&page, &[&format!("Did you mean {meant}?")]);
        assert!(!page.contains("Search instead"), "{page}");
    }
    let page = server.get("/search?q=corrected").body;
    let back = "Search instead for <a href=\"/search?q=corrected&amp;as_typed=1\">corrected</a>";
    check_contains(&page, &[&format!("Showing results for {meant}."), back]);
    assert!(!page.contains("Did you mean"), "{page}");
    // Whoever goes back stays there on the next page of results too.
    check_contains(&server.get("/search?q=x&as_typed=1").body, &["q=x&#38;as_typed=1&amp;from=10"]);
}

#[test]
fn a_host_that_has_more_is_a_link_to_all_of_it() {
    let mut backend = Fake::default();
    backend.result.more_from_site = Some("example.org".into());
    backend.result.date = Some("2026-11-17".into());
    let page = Running::start(backend).get("/search?q=one").body;
    let more = "<a href=\"/search?q=site%3Aexample.org%20%28one%29\">More from example.org</a>";
    check_contains(&page, &[more, "<time datetime=\"2026-11-17\">2026-11-17</time>"]);
}

#[test]
fn copies_are_a_link_below_the_result_that_stands_for_them() {
    let mut backend = Fake::default();
    backend.result.similar = 3;
    let server = Running::start(backend);
    let reply = server.get("/search?q=a%26b&from=10");
    check_contains(
        &reply.body,
        &[
            "<a href=\"/search?q=a%26b&amp;similar_to=77\">3 similar pages</a>",
            "<a href=\"/search?q=a%26b&amp;copies=1\">Show all of them</a>",
        ],
    );
    let plain = Running::start(Fake::default()).get("/search?q=a").body;
    assert!(!plain.contains("similar") && !plain.contains("copies=1"), "{plain}");
}

#[test]
fn pages_that_speak_of_the_same_are_a_link_below_each_result() {
    let server = Running::start(Fake { has_related: true, ..Fake::default() });
    let link = "<a href=\"/search?q=a%26b&amp;related_to=77\" rel=\"nofollow\">Pages like this one</a>";
    check_contains(&server.get("/search?q=a%26b").body, &[link]);
    let related = server.get("/search?q=view&related_to=16").body;
    check_contains(
        &related,
        &["PageKey(16)", "speak of the same as", "href=\"/search?q=view\">Back to all results"],
    );
    assert!(!related.contains("class=\"paging\""), "{related}");
    let plain = Running::start(Fake::default()).get("/search?q=a").body;
    assert!(!plain.contains("Pages like this one"), "{plain}");
}

#[test]
fn what_is_done_with_copies_holds_from_page_to_page() {
    let server = Running::start(Fake::default());
    let rows = [
        ("", "Folded", ""),
        ("&copies=1", "Shown", "&#38;copies=1"),
        ("&copies=yes", "Folded", ""),
        ("&similar_to=16", "Only(PageKey(16))", "&#38;similar_to=16"),
        ("&similar_to=%22%3E&copies=0", "Folded", ""),
    ];
    for (asked, view, kept) in rows {
        let reply = server.get(&format!("/search?q=view{asked}"));
        assert_eq!(reply.status, 200);
        check_contains(
            &reply.body,
            &[&format!(">{view}</a>"), &format!("href=\"/search?q=view{kept}&amp;from=10\"")],
        );
        assert_eq!(reply.body.contains("Back to all results"), view.starts_with("Only"), "{asked}");
    }
}

#[test]
fn the_kept_text_of_a_page_is_shown_and_never_run() {
    let server = Running::start(Fake::default());
    let reply = server.get("/page?key=77&q=a%26b");
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/html; charset=utf-8"));
    check_contains(
        &reply.body,
        &[
            "<h1 dir=\"auto\">&#60;b&#62;Kept&#60;/b&#62;</h1>",
            "<p dir=\"auto\">first &#60;script&#62;alert(1)&#60;/script&#62; line</p>",
            "<p dir=\"auto\">second line</p>",
            "<a href=\"http://example.org/page\" rel=\"noopener noreferrer\">",
            "<a href=\"/search?q=a%26b\">Back to all results</a>",
            "content=\"noindex, nofollow\"",
        ],
    );
    // Of what is not main text nothing is shown.
    assert!(
        !reply.body.contains("menu") && !reply.body.contains("footer") && !reply.body.contains("not shown")
    );
    let long = server.get("/page?key=78");
    assert!(long.body.contains("The rest is not shown.") && long.body.len() < 1_100_000);
    assert!(server.get("/page?key=80").body.contains("It has no text."));
    for (path, status, heading) in [
        ("/page?key=5", 404, "There is nothing here"),
        ("/page?key=x", 400, "There is no such page"),
        ("/page?key=-1", 400, "There is no such page"),
        ("/page", 400, "There is no such page"),
        ("/page?q=a", 400, "There is no such page"),
    ] {
        let reply = server.get(path);
        assert_eq!(reply.status, status, "{path}");
        check_contains(&reply.body, &[heading]);
        assert!(!reply.body.contains("This query") && !reply.body.contains("site:"), "{path}");
    }
}

#[test]
fn a_result_that_has_no_place_in_the_web_leads_to_its_kept_text() {
    let result = crate::result("A title", "http://import.invalid/a.html", "some words");
    let server = Running::start(Fake { result, ..Fake::default() });
    let body = server.get("/search?q=a%26b").body;
    check_contains(&body, &["<a href=\"/page?key=77&amp;q=a%26b\">A title</a>"]);
    assert!(!body.contains("href=\"http://import.invalid") && !body.contains("Kept text"));
    let elsewhere = Running::start(Fake::default()).get("/search?q=a%26b").body;
    check_contains(&elsewhere, &["<a href=\"/page?key=77&amp;q=a%26b\" rel=\"nofollow\">Kept text</a>"]);
    let kept = server.get("/page?key=79").body;
    check_contains(
        &kept,
        &["<bdi>http://import.invalid/a</bdi>", "<h1 dir=\"auto\">http://import.invalid/a</h1>"],
    );
}
