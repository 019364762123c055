//! robots.txt: the rules of RFC 9309 case by case, hostile files, and what an answer means.

use std::time::{Duration, Instant};

use fetch::{ROBOTS_BYTES_MAX, RobotsRules, RobotsVerdict, robots_from};
use page::{FetchFailure, Fetched, Outcome, PageUrl, Response, Timestamp, Truncation};

#[test]
fn the_longest_rule_decides() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("", &["/", "/a"], &[]),
        ("Disallow: /a", &["/", "/b", "/A"], &["/a", "/a/b", "/abc", "/a?b"]),
        ("Disallow: /a\nAllow: /a/b", &["/", "/a/b", "/a/b/c"], &["/a", "/a/c"]),
        ("Allow: /a\nDisallow: /a/b", &["/a", "/a/c"], &["/a/b", "/a/b/c"]),
        ("Disallow: /a/b\nAllow: /a", &["/a", "/a/c"], &["/a/b", "/a/b/c"]),
        ("Allow: /\nDisallow: /a\nAllow: /a/b", &["/", "/a/b"], &["/a", "/a/c"]),
        ("Allow: /a\nDisallow: /a", &["/a"], &[]),
        ("Disallow:", &["/", "/a"], &[]),
        ("Disallow: /", &[], &["/", "/a"]),
        ("Disallow: /*.gif$", &["/a.gif?x", "/a.gifs"], &["/a.gif", "/x/y.gif.gif"]),
        ("Disallow: /a*b*c", &["/acb", "/ab"], &["/abc", "/axxbyyc", "/a/b/c/d"]),
        ("Disallow: /a*$", &["/b"], &["/a", "/ab"]),
        ("Disallow: /a$b", &["/ab", "/a"], &["/a$b"]),
        ("Disallow: *b", &["/a"], &["/ab", "/a/b/c"]),
        ("Disallow: /**a", &["/b"], &["/a", "/ba"]),
        ("Disallow: /aa*aa$", &["/aa", "/aaa", "/aab"], &["/aaaa", "/aabaa"]),
        ("Disallow: a", &["/a", "/"], &[]),
        ("disallow : /a # not this\ndisAllow:\t/b", &["/c"], &["/a", "/b"]),
        ("Disallow: /%7Euser", &[], &["/~user", "/%7euser", "/%7Euser"]),
        ("Disallow: /~user", &[], &["/~user", "/%7euser", "/%7Euser"]),
        ("Disallow: /a%2fb", &["/a/b"], &["/a%2fb", "/a%2Fb"]),
        ("Disallow: /ü", &["/u"], &["/%C3%BC", "/%c3%bc"]),
        ("Disallow: /100%", &["/100"], &["/100%", "/100%25x"]),
        ("Disallow: /\nAllow: /%7Euser", &["/%7Euser", "/%7euser"], &["/a", "/~user"]),
        ("Disallow: /\nAllow: /a/index.html", &["/a/", "/a/index.html"], &["/a", "/a/b"]),
    ];
    for (rules, allowed, forbidden) in cases {
        let rules_of_all = RobotsRules::parse(format!("User-agent: *\n{rules}").as_bytes(), "crivello");
        for (paths, expected) in [(allowed, true), (forbidden, false)] {
            for path in paths.iter() {
                assert_eq!(rules_of_all.allows(path), expected, "{path} under {rules:?}");
            }
        }
    }
}

#[test]
fn a_group_is_for_whom_it_names() {
    let cases: &[(&str, bool)] = &[
        ("User-agent: crivello\nDisallow: /", false),
        ("User-agent: CRIVELLO/2.0 (a crawler)\nDisallow: /", false),
        ("User-agent: crivellobot\nDisallow: /", true),
        ("User-agent: other\nDisallow: /", true),
        ("User-agent: *\nDisallow: /", false),
        ("User-agent: *\nDisallow: /\nUser-agent: crivello\nDisallow: /x", true),
        ("User-agent: crivello\nUser-agent: other\nDisallow: /", false),
        ("User-agent: crivello\n\nUser-agent: other\n\nDisallow: /", false),
        ("User-agent: crivello\nDisallow: /x\nUser-agent: other\nDisallow: /", true),
        // Groups for the same agent are one group.
        (
            "User-agent: crivello\nAllow: /x\nUser-agent: other\nAllow: /\nUser-agent: crivello\nDisallow: /",
            false,
        ),
        // Other records do not end a list of agents.
        ("User-agent: crivello\nCrawl-delay: 1\nUser-agent: other\nDisallow: /", false),
        ("User-agent: crivello\nSitemap: http://x/\nUser-agent: other\nDisallow: /", false),
        // Rules that stand before any agent are for nobody.
        ("Disallow: /\nUser-agent: crivello\nAllow: /", true),
        // A group without rules allows everything.
        ("User-agent: *\nDisallow: /\nUser-agent: crivello\n", true),
        ("\u{feff}User-agent: crivello\rDisallow: /", false),
        ("User-agent: crivello\r\n\r\nDisallow: /", false),
        ("User-agent crivello\nDisallow /", false),
        ("\0\u{1}binary\nUser-agent: crivello\nDisallow: /", false),
    ];
    for (text, allowed) in cases {
        assert_eq!(RobotsRules::parse(text.as_bytes(), "crivello").allows("/a"), *allowed, "{text:?}");
    }
}

#[test]
fn delays_and_sitemaps() {
    let text = "Sitemap: http://a/1.xml\nUser-agent: other\nCrawl-delay: 99\nDisallow: /\n\
                User-agent: *\nCrawl-delay: 30\nDisallow:\nUser-agent: crivello\nCrawl-delay: 2.5\nDisallow: /x\n\
                SITEMAP:http://a/2.xml # two";
    let rules = RobotsRules::parse(text.as_bytes(), "crivello");
    assert_eq!(rules.crawl_delay(), Some(Duration::from_millis(2500)));
    assert_eq!(rules.sitemaps(), ["http://a/1.xml", "http://a/2.xml"]);
    assert_eq!(RobotsRules::parse(text.as_bytes(), "unnamed").crawl_delay(), Some(Duration::from_secs(30)));
    let cases =
        [("10", Some(10.0)), ("0", Some(0.0)), (".5", Some(0.5)), ("5 seconds", Some(5.0)), ("-1", None)];
    for (value, seconds) in cases.into_iter().chain([("soon", None), ("", None), ("1.2.3", None)]) {
        let rules = RobotsRules::parse(format!("User-agent: *\nCrawl-delay: {value}").as_bytes(), "crivello");
        assert_eq!(rules.crawl_delay(), seconds.map(Duration::from_secs_f64), "{value:?}");
    }
}

#[test]
fn only_the_first_500_kib_count_and_no_line_is_cut() {
    // The limit is behind `Disallow: /out`.
    let filler = "#".repeat(ROBOTS_BYTES_MAX - 47);
    let inside = format!("User-agent: *\nDisallow: /inside\n{filler}\nDisallow: /outside");
    assert!(inside.len() > ROBOTS_BYTES_MAX);
    let rules = RobotsRules::parse(inside.as_bytes(), "crivello");
    assert!(!rules.allows("/inside") && rules.allows("/out") && rules.allows("/outside"));
}

#[test]
fn extreme_rules() {
    assert!(RobotsRules::allow_all().allows("/"));
    assert!(!RobotsRules::disallow_all().allows("/"));
    assert!(RobotsRules::disallow_all().memory_bytes() < 500);
}

/// The worst files that we could think of, each asked about the longest path that a URL can have.
#[test]
fn a_hostile_file_costs_milliseconds() {
    let line = |rule: &str| format!("User-agent: *\n{}", rule.repeat(ROBOTS_BYTES_MAX / rule.len()));
    let files = [
        line(&format!("Disallow: /{}b\n", "*a".repeat(1000))),
        format!("User-agent: *\nDisallow: /{}b", "*a".repeat(ROBOTS_BYTES_MAX / 2 - 20)),
        line("Disallow: /*a*a*a*a*a*a*a*b\n"),
        line("Disallow: /*ab$\n"),
        line("Disallow: /*aaaaaaaab\n"),
        line("Disallow: /*ba*ca*d\n"),
        line("Allow: /index.htm\n"),
        line("Disallow: /%61%62\n"),
    ];
    let paths = ["a".repeat(2000), "ab".repeat(1000), "aaaaaaaac".repeat(220), "%61".repeat(660)];
    for file in &files {
        let front = &file[..file.len().min(60)];
        let started = Instant::now();
        let rules = RobotsRules::parse(file.as_bytes(), "crivello");
        let parsing = started.elapsed();
        assert!(parsing < time_limit(), "{front}: read in {parsing:?}");
        assert!(rules.memory_bytes() < 4 * ROBOTS_BYTES_MAX, "{front}: {} bytes", rules.memory_bytes());
        for path in &paths {
            let started = Instant::now();
            std::hint::black_box(rules.allows(&format!("/{path}")));
            let asking = started.elapsed();
            assert!(asking < time_limit(), "{front}: answered in {asking:?}");
        }
    }
}

/// 50 ms is the promise; a machine that is busy with other things gets four times as much before the test fails.
fn time_limit() -> Duration {
    Duration::from_millis(200)
}

#[test]
fn what_an_answer_to_a_request_for_robots_means() {
    let rules = b"User-agent: *\nDisallow: /a".to_vec();
    let cut = |truncated| Response { status: 200, raw_body: rules.clone(), truncated, ..Response::default() };
    let status = |status| Response { status, ..cut(None) };
    let moved = |location: &str| Response {
        status: 301,
        headers: vec![("location".to_owned(), location.to_owned())],
        ..Response::default()
    };
    let cases = [
        (Outcome::Response(status(200)), "rules"),
        (Outcome::Response(status(206)), "rules"),
        (Outcome::Response(cut(Some(Truncation::Length))), "rules"),
        (Outcome::Response(cut(Some(Truncation::Disconnect))), "unreachable"),
        (Outcome::Response(cut(Some(Truncation::Time))), "unreachable"),
        (Outcome::Response(status(401)), "unavailable"),
        (Outcome::Response(status(403)), "unavailable"),
        (Outcome::Response(status(404)), "unavailable"),
        (Outcome::Response(status(410)), "unavailable"),
        (Outcome::Response(status(429)), "unreachable"),
        (Outcome::Response(status(500)), "unreachable"),
        (Outcome::Response(status(503)), "unreachable"),
        (Outcome::Response(status(999)), "unreachable"),
        (Outcome::Response(status(302)), "unavailable"),
        (Outcome::Response(moved("https://b.test/r")), "https://b.test/r"),
        (Outcome::Response(moved("/other.txt")), "http://a.test/other.txt"),
        (Outcome::Response(moved("file:///etc/passwd")), "unavailable"),
        (Outcome::Failed(FetchFailure::TimedOut), "unreachable"),
        (Outcome::Failed(FetchFailure::NameNotFound), "unreachable"),
    ];
    for (outcome, expected) in cases {
        let fetched = fetched(outcome);
        let found = match robots_from(&fetched, "crivello") {
            RobotsVerdict::Rules(rules) => {
                assert!(!rules.allows("/a"));
                "rules".to_owned()
            }
            RobotsVerdict::Redirect(url) => url.to_string(),
            RobotsVerdict::Unavailable => "unavailable".to_owned(),
            RobotsVerdict::Unreachable => "unreachable".to_owned(),
        };
        assert_eq!(found, expected, "{:?}", fetched.outcome);
    }
}

fn fetched(outcome: Outcome) -> Fetched {
    Fetched {
        url: PageUrl::parse("http://a.test/robots.txt").unwrap(),
        address: None,
        at: Timestamp(0),
        elapsed: Duration::ZERO,
        request_head: Vec::new(),
        outcome,
    }
}
