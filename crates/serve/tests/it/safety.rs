//! What a page, a visitor or a site may say without harm.

use html5gum::{Token, Tokenizer};

use crate::{Fake, Running, encoded, result};

/// Texts that run code where something forgets to escape.
const POLYGLOTS: [&str; 44] = [
    "<script>alert(1)</script>",
    "\"><script>alert(1)</script>",
    "'><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</mark></p><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" onmouseover=\"alert(1)",
    "\" autofocus onfocus=alert(1) x=\"",
    "` onmouseover=`alert(1)",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg/onload=alert(1)//",
    "<math><mi xlink:href=javascript:alert(1)>x</mi></math>",
    "<iframe src=javascript:alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "javascript://example.org/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "http://example.org/\"onmouseover=\"alert(1)",
    "http://example.org/'><script>alert(1)</script>",
    "http://example.org/</a><script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "{{7*7}}${7*7}<%= 7*7 %>",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "<!--<img src=\"--><img src=x onerror=alert(1)//\">",
    "jaVasCript:/*-/*`/*\\`/*'/*\"/**/(/* */oNcliCk=alert() )//%0D%0A//</stYle/</titLe/</teXtarEa/</scRipt/--!>\\x3csVg/<sVg/oNloAd=alert()//>\\x3e",
];

/// The elements that our own templates use.
const ELEMENTS: &str = "html head meta title link body header a img span form label input button main h1 h2 p bdi ol li \
                        article mark nav section dl dt dd code footer datalist time strong script";

#[track_caller]
fn check_is_harmless(html: &str, case: &str) {
    for token in Tokenizer::new(html) {
        let Ok(token) = token;
        let Token::StartTag(tag) = token else { continue };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        assert!(ELEMENTS.split_whitespace().any(|known| known == name), "<{name}> for {case:?}");
        let is_src = |key: &[u8], value: &[u8]| key == b"src" && value == b"/suggest.js";
        let is_ours = tag.attributes.iter().any(|(key, value)| is_src(&key[..], &value[..]));
        assert!(name != "script" || is_ours, "a script for {case:?}");
        for (key, value) in &tag.attributes {
            let key = String::from_utf8_lossy(key).into_owned();
            let value = String::from_utf8_lossy(value).trim().to_ascii_lowercase();
            assert!(!key.starts_with("on") && key != "style" && key != "srcdoc", "{key} for {case:?}");
            if matches!(key.as_str(), "href" | "src" | "action") {
                let is_ours = value.starts_with('/') && !value.starts_with("//");
                let is_web = value.starts_with("http://") || value.starts_with("https://");
                assert!(is_ours || (is_web && name == "a"), "{key}={value} for {case:?}");
            }
            let is_refresh = key == "http-equiv";
            assert!(!is_refresh, "a refresh for {case:?}");
        }
    }
}

#[test]
fn what_a_page_says_is_shown_and_never_run() {
    // An address that is one makes the title a link, which is another place of the page.
    let addresses = |case: &&'static str| [(*case, *case), (*case, "http://a.test/x")];
    for (case, url) in POLYGLOTS.iter().flat_map(addresses) {
        let mut result = result(case, url, case);
        result.more_from_site = Some(case.into());
        let (name, meant) = (case.into(), Some(case.into()));
        let backend = Fake { result, name, meant, ..Fake::default() };
        let server = Running::start(backend);
        for path in ["/", "/search?q=x", "/search?q=corrected", "/search?q=nothing", "/no/such/page"] {
            check_is_harmless(&server.get(path).body, case);
        }
    }
}

#[test]
fn what_a_visitor_types_is_shown_and_never_run() {
    let server = Running::start(Fake::default());
    for case in POLYGLOTS {
        for path in
            ["/search?q=", "/search?from=30&q=nothing", "/search?q=x&from=", "/search?from=20&q=", "/"]
        {
            check_is_harmless(&server.get(&format!("{path}{}", encoded(case))).body, case);
        }
    }
}

#[test]
fn the_check_for_harm_finds_harm() {
    for harm in [
        "<script>",
        "<script src=/x.js>",
        "<p onclick=x>",
        "<a href=javascript:x>",
        "<img src=//x>",
        "<meta http-equiv=refresh>",
    ] {
        let check = std::panic::catch_unwind(|| check_is_harmless(harm, harm));
        assert!(check.is_err(), "{harm} passes");
    }
}

#[test]
fn addresses_that_are_no_pages_are_text() {
    let server =
        Running::start(Fake { result: result("title", "javascript:alert(1)", ""), ..Fake::default() });
    let page = server.get("/search?q=x").body;
    assert!(page.contains("<h2 dir=\"auto\">title</h2>"), "{page}");
    assert!(!page.contains("noopener"), "{page}");
}

#[test]
fn direction_controls_are_taken_out() {
    let backend = Fake {
        result: result("a\u{202e}b", "http://example.org/%E2%80%AEc", "\u{2066}d"),
        ..Fake::default()
    };
    let server = Running::start(backend);
    let page = server.get(&format!("/search?q={}", encoded("e\u{200f}f"))).body;
    assert!(!page.contains(['\u{202e}', '\u{2066}', '\u{200f}']), "{page}");
    assert!(page.contains(">ab</a>") && page.contains("value=\"ef\""), "{page}");
}

#[test]
fn every_answer_carries_the_headers_that_keep_it_harmless() {
    let server = Running::start(Fake::default());
    let policy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; \
                  form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    let paths = [
        "/",
        "/search?q=x",
        "/search?q=bad",
        "/search?q=broken",
        "/search?q=nothing",
        "/api/search?q=x",
        "/api/search",
        "/api/suggest?q=x",
        "/suggest.js",
        "/api/stats",
        "/metrics",
        "/opensearch.xml",
        "/style.css",
        "/favicon.svg",
        "/favicon.ico",
        "/healthz",
        "/none",
    ];
    for method in ["GET", "HEAD", "POST", "DELETE"] {
        for path in paths {
            let reply = server.request(method, path);
            assert_eq!(reply.header("content-security-policy"), policy, "{method} {path}");
            assert_eq!(reply.header("x-content-type-options"), "nosniff", "{method} {path}");
            assert_eq!(reply.header("referrer-policy"), "no-referrer", "{method} {path}");
            let is_read = matches!(method, "GET" | "HEAD");
            let is_refused = reply.status == 405;
            assert_eq!(is_read, !is_refused, "{method} {path} gave {}", reply.status);
        }
    }
}

#[test]
fn a_query_of_any_length_is_answered_and_a_request_larger_than_any_is_refused() {
    let server = Running::start(Fake::default());
    assert_eq!(server.get(&format!("/search?q={}", "x".repeat(60_000))).status, 200);
    assert_eq!(server.get(&format!("/api/search?q={}", "x+".repeat(30_000))).status, 200);
    let huge = server.get(&format!("/search?q={}", "x".repeat(80_000)));
    assert!(matches!(huge.status, 400 | 414 | 431), "{huge:?}");
}

#[test]
fn a_request_for_a_name_that_is_not_ours_is_refused() {
    let server = Running::start(Fake::default());
    let own = server.address.to_string();
    let port = server.address.port();
    let rows = [
        (own.as_str(), 200),
        ("search.test", 200),
        (&format!("localhost:{port}"), 200),
        ("evil.example", 421),
        (&format!("evil.example:{port}"), 421),
        ("\"><script>alert(1)</script>", 421),
    ];
    for (host, status) in rows {
        for path in ["/", "/search?q=x", "/api/search?q=x", "/style.css", "/metrics", "/none"] {
            let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let reply = server.say(&request);
            let expected = if status == 200 && path == "/none" { 404 } else { status };
            assert_eq!(reply.status, expected, "{path} for {host}");
            assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path} for {host}");
            if status == 421 {
                assert!(
                    reply.body.contains("--host-name") && !reply.body.contains("12,345"),
                    "{}",
                    reply.body
                );
                assert!(!reply.header("content-type").contains("html"), "{}", reply.header("content-type"));
            }
        }
    }
    // The form for proxies names a host too, and only the last of two headers would be a way around.
    let proxy = format!("GET http://evil.example/ HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n");
    assert_eq!(server.say(&proxy).status, 421);
    let two = format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(matches!(server.say(&two).status, 400 | 421));
    assert_eq!(server.say("GET /healthz HTTP/1.0\r\n\r\n").status, 200);
}
