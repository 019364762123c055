//! Any robots.txt gives rules, and any rules an answer. The first line is the path that is asked for.
#![no_main]

use fetch::RobotsRules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (line, body) = data.split_at(end);
    let path = format!("/{}", String::from_utf8_lossy(line));
    let rules = RobotsRules::parse(body, "crivello");
    let _ = (rules.allows(&path), rules.crawl_delay(), rules.sitemaps().len());
    // The same bytes as rules that are surely read.
    let rules =
        RobotsRules::parse(&[b"User-agent: *\nDisallow: ", line, b"\nAllow: ", line].concat(), "crivello");
    let _ = rules.allows(&path);
});
