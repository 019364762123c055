//! Servers that send too much, too slowly or without end.

use std::time::{Duration, Instant};

use fetch::FetchLimits;
use page::{FetchFailure, Truncation};

use crate::codings::gzip;
use crate::scripted::{ScriptedServer, Step, answer_and_stay, ask, failure, fetcher, response};

fn small() -> FetchLimits {
    FetchLimits { body_bytes_max: 1000, head_bytes_max: 2000, headers_max: 20, ..FetchLimits::default() }
}

fn hasty() -> FetchLimits {
    let milliseconds = Duration::from_millis;
    FetchLimits {
        head_timeout: milliseconds(100),
        total_timeout: milliseconds(400),
        slow_start: milliseconds(100),
        bytes_per_second_min: 10_000,
        ..FetchLimits::default()
    }
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let cases = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", 1000, None),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", 1001, Some(Truncation::Length)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n", 1000, Some(Truncation::Length)),
        ("HTTP/1.1 200 OK\r\n\r\n", 1001, Some(Truncation::Length)),
        ("HTTP/1.1 200 OK\r\n\r\n", 100_000, Some(Truncation::Length)),
    ];
    for (head, sent, truncated) in cases {
        let bytes = [head.as_bytes(), &vec![b'x'; sent]].concat();
        let (fetched, kept) = ask(answer_and_stay(bytes), small()).await;
        let response = response(&fetched);
        assert_eq!((response.raw_body.len(), response.truncated), (1000, truncated), "{head} {sent}");
        assert_eq!(kept, truncated.is_none(), "{head} {sent}");
    }
}

#[tokio::test]
async fn endless_bodies_end() {
    let cases = [
        ("no length", "HTTP/1.1 200 OK\r\n\r\n", "x"),
        ("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nxxxx\r\n"),
        ("one chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", "x"),
    ];
    for (name, head, piece) in cases {
        let script = vec![Step::Hear, Step::Send(head.into()), Step::Repeat(piece.repeat(1000).into())];
        let (fetched, kept) = ask(script, small()).await;
        let response = response(&fetched);
        assert_eq!((response.truncated, kept), (Some(Truncation::Length), false), "{name}");
        assert!(response.body().iter().all(|byte| *byte == b'x') && response.body().len() <= 1000, "{name}");
    }
}

#[tokio::test]
async fn endless_extensions_and_trailers_are_broken_chunks() {
    let cases = [
        ("a size without end", "", "0"),
        ("an extension without end", "5;", "x"),
        ("extensions without end", "", "1;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\nx\r\n"),
        ("a trailer without end", "0\r\nA: ", "x"),
        ("trailers without end", "0\r\n", "A: b\r\n"),
    ];
    for (name, front, piece) in cases {
        let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{front}");
        let script = vec![Step::Hear, Step::Send(head.into()), Step::Repeat(piece.repeat(100).into())];
        let (fetched, kept) = ask(script, FetchLimits::default()).await;
        assert_eq!((response(&fetched).truncated, kept), (Some(Truncation::Unspecified), false), "{name}");
        assert!(response(&fetched).raw_body.len() < 200_000, "{name}");
    }
}

#[tokio::test]
async fn endless_heads_are_not_http() {
    let cases = [
        ("a header without end", "HTTP/1.1 200 OK\r\nX: ", "x"),
        ("headers without end", "HTTP/1.1 200 OK\r\n", "X: y\r\n"),
        ("early hints without end", "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
        ("empty lines without end", "", "\r\n"),
    ];
    for (name, front, piece) in cases {
        let script = vec![Step::Hear, Step::Send(front.into()), Step::Repeat(piece.into())];
        let (fetched, _) = ask(script, FetchLimits::default()).await;
        assert_eq!(failure(&fetched), FetchFailure::NotHttp, "{name}");
    }
}

#[tokio::test]
async fn too_many_headers_and_too_long_heads_are_not_http() {
    let head = |count, value: usize| {
        format!(
            "HTTP/1.1 200 OK\r\n{}Content-Length: 0\r\n\r\n",
            format!("X: {}\r\n", "y".repeat(value)).repeat(count)
        )
    };
    assert_eq!(response(&ask(answer_and_stay(head(19, 1)), small()).await.0).status, 200);
    assert_eq!(failure(&ask(answer_and_stay(head(20, 1)), small()).await.0), FetchFailure::NotHttp);
    assert_eq!(response(&ask(answer_and_stay(head(1, 1800)), small()).await.0).status, 200);
    assert_eq!(failure(&ask(answer_and_stay(head(1, 2000)), small()).await.0), FetchFailure::NotHttp);
}

#[tokio::test]
async fn a_bomb_goes_off_within_bounds() {
    let bomb = gzip(&vec![0; 50 << 20]);
    let twice = gzip(&bomb);
    let ratio = |limit| FetchLimits { decoded_ratio_max: limit, ..FetchLimits::default() };
    let cases = [
        ("gzip", &bomb, ratio(100_000), 10 << 20),
        ("gzip", &bomb, ratio(100), 100 * bomb.len()),
        ("gzip", &bomb, ratio(1), 1 << 20),
        ("gzip, gzip", &twice, FetchLimits::default(), 1 << 20),
    ];
    for (coding, body, limits, expected) in cases {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let (fetched, kept) = ask(answer_and_stay([head.as_bytes(), body].concat()), limits).await;
        let response = response(&fetched);
        assert_eq!(
            (response.body().len(), response.truncated),
            (expected, Some(Truncation::Length)),
            "{coding}"
        );
        assert!(response.decoded_body.as_ref().unwrap().capacity() <= 2 * expected);
        assert!(kept, "the bytes on the wire were in order");
    }
}

#[tokio::test]
async fn a_small_page_may_be_compressed_as_well_as_it_can() {
    let body = gzip(&vec![b' '; 1 << 20]);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    let (fetched, _) = ask(answer_and_stay([head.as_bytes(), &body].concat()), FetchLimits::default()).await;
    assert_eq!((response(&fetched).body().len(), response(&fetched).truncated), (1 << 20, None));
}

#[tokio::test]
async fn gzip_members_without_end_end() {
    let body = [gzip(b"hello"), gzip(b"").repeat(100_000)].concat();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    let (fetched, _) = ask(answer_and_stay([head.as_bytes(), &body].concat()), FetchLimits::default()).await;
    let response = response(&fetched);
    assert_eq!((response.body(), response.truncated), (&b"hello"[..], Some(Truncation::Unspecified)));
}

#[tokio::test]
async fn three_layers_are_left_alone() {
    let body = gzip(&gzip(&gzip(b"hello")));
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let (fetched, _) = ask(answer_and_stay([head.as_bytes(), &body].concat()), FetchLimits::default()).await;
    assert!(response(&fetched).decoded_body.is_none());
}

#[tokio::test]
async fn silence_times_out() {
    let pause = Duration::from_millis(5);
    let drip_of_headers = "HTTP/1.1 200 OK\r\n".to_owned() + &"X: y\r\n".repeat(1000);
    let empty_body = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".to_vec();
    let cases = [
        ("no answer", vec![Step::Hear, Step::Stay]),
        ("headers drop by drop", vec![Step::Hear, Step::Drip(drip_of_headers.into(), pause)]),
        ("no body", vec![Step::Hear, Step::Send(empty_body), Step::Stay]),
    ];
    for (name, script) in cases {
        let started = Instant::now();
        // Heads have a time of their own, however much the whole may take.
        let total_timeout = Duration::from_secs(if name == "no body" { 1 } else { 20 });
        let (fetched, kept) = ask(script, FetchLimits { total_timeout, ..hasty() }).await;
        assert_eq!((failure(&fetched), kept), (FetchFailure::TimedOut, false), "{name}");
        assert!(started.elapsed() < Duration::from_secs(3), "{name}");
    }
}

#[tokio::test]
async fn a_slow_body_is_cut_off_with_what_came() {
    let limits = FetchLimits { total_timeout: Duration::from_secs(60), ..hasty() };
    let head = Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".to_vec());
    let pause = Duration::from_millis(5);
    let enough = Step::Send(vec![b'x'; 8000]);
    let cases = [
        ("drop by drop", vec![Step::Hear, head.clone(), Step::Drip(vec![b'x'; 10_000], pause)]),
        ("a good start and then nothing", vec![Step::Hear, head.clone(), enough, Step::Stay]),
    ];
    for (name, script) in cases {
        let started = Instant::now();
        let (fetched, kept) = ask(script, limits.clone()).await;
        let response = response(&fetched);
        assert_eq!((response.truncated, kept), (Some(Truncation::Time), false), "{name}");
        assert!(!response.raw_body.is_empty() && response.raw_body.len() < 10_000, "{name}");
        assert!(started.elapsed() < Duration::from_secs(20), "{name}");
    }
}

#[tokio::test]
async fn a_steady_body_may_take_until_the_total_limit() {
    let head = Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n".to_vec());
    let mut script = vec![Step::Hear, head];
    for _ in 0..1000 {
        script.extend([Step::Send(vec![b'x'; 500]), Step::Pause(Duration::from_millis(1))]);
    }
    let limits = FetchLimits { bytes_per_second_min: 100, ..hasty() };
    let (fetched, _) = ask(script, limits).await;
    assert_eq!(response(&fetched).truncated, Some(Truncation::Time));
    assert!(fetched.elapsed >= Duration::from_millis(400));
}

#[tokio::test]
async fn limits_without_bounds_are_no_error() {
    let limits = FetchLimits {
        body_bytes_max: usize::MAX,
        decoded_bytes_max: usize::MAX,
        decoded_ratio_max: usize::MAX,
        head_bytes_max: usize::MAX,
        headers_max: usize::MAX,
        connect_timeout: Duration::MAX,
        head_timeout: Duration::MAX,
        total_timeout: Duration::MAX,
        bytes_per_second_min: 0,
        slow_start: Duration::MAX,
    };
    let body = gzip(&vec![0; 2 << 20]);
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
    let script =
        vec![Step::Hear, Step::Send(head.into()), Step::Pause(Duration::from_millis(1)), Step::Send(body)];
    let (fetched, _) = ask(script, limits).await;
    assert_eq!((response(&fetched).body().len(), response(&fetched).truncated), (2 << 20, None));
}

#[tokio::test]
async fn a_large_body_is_let_in_when_the_one_before_is_dropped() {
    let large = vec![b'x'; 2 * fetch::LARGE_BODY_BYTES];
    let as_it_is = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", large.len()).into_bytes();
    let packed = gzip(&large);
    let encoded = format!("Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len());
    let cases = [
        ("as it is", [as_it_is, large.clone()].concat()),
        ("when it is decoded", [b"HTTP/1.1 200 OK\r\n", encoded.as_bytes(), &packed].concat()),
    ];
    for (name, answer) in cases {
        let server = ScriptedServer::start(vec![answer_and_stay(&answer); 2]).await;
        // Waiting for the permit takes longer than a server may take.
        let limits = FetchLimits { total_timeout: Duration::from_secs(1), ..hasty() };
        let fetcher = fetcher(limits).with_large_bodies_at_once(1);
        let url = server.url("/");
        let (first, permit) = fetcher.fetch_held(&url, server.address, &mut None).await;
        assert!(permit.is_some() && response(&first).body() == large, "{name}");
        let mut connection = None;
        let mut second = std::pin::pin!(fetcher.fetch_held(&url, server.address, &mut connection));
        let early = tokio::time::timeout(Duration::from_millis(1100), &mut second).await;
        assert!(early.is_err(), "{name}: two were held at once");
        drop(permit);
        let (second, permit) = second.await;
        assert!(permit.is_some() && response(&second).body() == large, "{name}");
        assert_eq!(response(&second).truncated, None, "{name}");
    }
}
