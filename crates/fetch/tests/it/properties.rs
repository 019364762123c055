//! What holds for any bytes.

use fetch::{FetchLimits, RobotsRules, decode_stored};
use proptest::prelude::*;

/// A slow and obvious matcher: every way to place the stars is tried.
fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|skipped| matches_slowly(rest, &path[skipped..])),
        [byte, rest @ ..] => path.first() == Some(byte) && matches_slowly(rest, &path[1..]),
    }
}

/// Pieces of answers, most of them well-formed, so that random sequences of them get far.
fn answer_piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.0 404\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: deflate, gzip\r\n",
        "\r\n",
        "\n",
        " folded\r\n",
        "5\r\nhello\r\n",
        "0\r\n\r\n",
        "ffffffffffffffff\r\n",
        "\x1f\u{8b}\x08\x1f",
        "\0",
        ":",
        ";",
        "x",
    ];
    prop_oneof![
        8 => prop::sample::select(pieces.to_vec()).prop_map(|piece| piece.chars().map(|c| c as u8).collect()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #[test]
    fn no_answer_is_too_strange(head in prop::collection::vec(answer_piece(), 0..8), body in prop::collection::vec(answer_piece(), 0..8)) {
        let limits = FetchLimits { decoded_bytes_max: 1000, ..FetchLimits::default() };
        if let Some(response) = decode_stored(&head.concat(), &body.concat(), &limits) {
            prop_assert!((100..=999).contains(&response.status));
            prop_assert!(response.body().len() <= response.raw_body.len().max(1000));
        }
    }

    #[test]
    fn patterns_match_what_they_say(pattern in "/[ab*$]{0,8}\\$?", path in "/[ab$]{0,10}") {
        let rules = RobotsRules::parse(format!("User-agent: *\nDisallow: {pattern}").as_bytes(), "crivello");
        prop_assert_eq!(rules.allows(&path), !matches_slowly(pattern.as_bytes(), path.as_bytes()));
    }

    #[test]
    fn no_robots_file_is_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..300), path in "/[ -~]{0,30}") {
        let rules = RobotsRules::parse(&bytes, "crivello");
        let _ = rules.allows(&path);
        let text = [&b"User-agent: *\nDisallow: "[..], &bytes, b"\nAllow: ", &bytes].concat();
        let _ = RobotsRules::parse(&text, "crivello").allows(&path);
    }
}
