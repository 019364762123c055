//! Every way to delimit a body, over a real socket.

use std::time::Duration;

use fetch::{FetchLimits, decode_stored};
use page::{FetchFailure, Outcome, Truncation};

use crate::codings::{chunked, gzip};
use crate::scripted::{Step, answer, answer_and_stay, ask, failure, response};

/// An answer, and what is to be made of it.
struct Case {
    name: &'static str,
    head: &'static str,
    raw_body: &'static str,
    /// Bytes behind the body, which belong to nobody.
    excess: &'static str,
    body: &'static str,
    truncated: Option<Truncation>,
    kept: bool,
}

const PLAIN: Case =
    Case { name: "", head: "", raw_body: "", excess: "", body: "", truncated: None, kept: true };

/// Cases whose end is known without the connection being closed.
const SELF_DELIMITED: &[Case] = &[
    Case {
        name: "content-length",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
    Case { name: "empty body", head: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ..PLAIN },
    Case { name: "no reason phrase", head: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", ..PLAIN },
    Case {
        name: "bare line feeds",
        head: "HTTP/1.1 200 OK\nContent-Length: 5\n\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
    Case {
        name: "the same length twice, once in a list",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
    Case {
        name: "connection: close",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: foo, Close\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "HTTP/1.0",
        head: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "chunks of an HTTP/1.0 server are not believed",
        head: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "more bytes than announced",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        excess: "HTTP/1.1 200 OK\r\n",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case { name: "204 has no body", head: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", ..PLAIN },
    Case {
        name: "304 has no body",
        head: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
        ..PLAIN
    },
    Case {
        name: "chunks",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
        body: "hello world",
        ..PLAIN
    },
    Case {
        name: "chunks with extensions, spaces, leading zeros, upper case and trailers",
        head: "HTTP/1.1 200 OK\r\ntransfer-encoding:CHUNKED\r\n\r\n",
        raw_body: "0005 ;name=\"value\"\r\nhello\r\nB;x\r\n wide world\r\n000\r\nExpires: never\r\nX: y\r\n\r\n",
        body: "hello wide world",
        ..PLAIN
    },
    Case {
        name: "chunks with bare line feeds",
        head: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n",
        raw_body: "5\nhello\n0\n\n",
        body: "hello",
        ..PLAIN
    },
    Case {
        name: "no chunks",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "0\r\n\r\n",
        ..PLAIN
    },
    Case {
        name: "chunks win over a length, and the connection is not trusted",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhello\r\n0\r\n\r\n",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "identity is no coding",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: identity\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
    Case {
        name: "a chunk size that is none",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhello\r\nxyz\r\n",
        body: "hello",
        truncated: Some(Truncation::Unspecified),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "good chunks behind a bad one",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "2 hello\r\n5\r\nhello\r\n0\r\n\r\n",
        truncated: Some(Truncation::Unspecified),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "a chunk that is longer than it says",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhello!\r\n0\r\n\r\n",
        body: "hello",
        truncated: Some(Truncation::Unspecified),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "a chunk size beyond 64 bits",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "10000000000000000\r\nhello",
        truncated: Some(Truncation::Unspecified),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "an empty chunk size",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "\r\nhello",
        truncated: Some(Truncation::Unspecified),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "an unknown coding stays",
        head: "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
    Case {
        name: "deflate in name only stays",
        head: "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 15\r\n\r\n",
        raw_body: "<!DOCTYPE html>",
        body: "<!DOCTYPE html>",
        ..PLAIN
    },
    Case {
        name: "no bytes of gzip",
        head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, deflate\r\nContent-Length: 0\r\n\r\n",
        ..PLAIN
    },
    Case {
        name: "gzip in name only stays",
        head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
    Case {
        name: "a header line without a colon, a space before a colon, a folded line",
        head: "HTTP/1.1  200  OK\r\nnonsense\r\nContent-Length : 5\r\nX-Folded: one\r\n two\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        ..PLAIN
    },
];

/// Cases that end with the connection.
const ENDED_BY_CLOSE: &[Case] = &[
    Case {
        name: "until the end",
        head: "HTTP/1.1 200 OK\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "a length that is no number is ignored",
        head: "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "a transfer coding other than chunked ends with the connection",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: something\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "chunked, but not as the last coding",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        kept: false,
        ..PLAIN
    },
    Case {
        name: "fewer bytes than announced",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        truncated: Some(Truncation::Disconnect),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "a length beyond 64 bits",
        head: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        raw_body: "hello",
        body: "hello",
        truncated: Some(Truncation::Disconnect),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "the last chunk is missing",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhello\r\n",
        body: "hello",
        truncated: Some(Truncation::Disconnect),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "a chunk is cut off",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhel",
        body: "hel",
        truncated: Some(Truncation::Disconnect),
        kept: false,
        ..PLAIN
    },
    Case {
        name: "the empty line behind the trailers is missing",
        head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        raw_body: "5\r\nhello\r\n0\r\n",
        body: "hello",
        truncated: Some(Truncation::Disconnect),
        kept: false,
        ..PLAIN
    },
];

#[tokio::test]
async fn bodies_end_where_their_framing_says() {
    for (cases, stays) in [(SELF_DELIMITED, true), (ENDED_BY_CLOSE, false)] {
        for case in cases {
            let bytes = [case.head, case.raw_body, case.excess].concat();
            let script = if stays { answer_and_stay(&bytes) } else { answer(&bytes) };
            let (fetched, kept) = ask(script, FetchLimits::default()).await;
            let response = response(&fetched);
            assert_eq!(String::from_utf8_lossy(&response.raw_head), case.head, "{}", case.name);
            assert_eq!(String::from_utf8_lossy(response.body()), case.body, "{}", case.name);
            assert_eq!(response.truncated, case.truncated, "{}", case.name);
            assert_eq!(kept, case.kept, "{}: kept", case.name);
            if case.truncated != Some(Truncation::Unspecified) {
                assert_eq!(String::from_utf8_lossy(&response.raw_body), case.raw_body, "{}", case.name);
            }
        }
    }
}

#[tokio::test]
async fn what_was_stored_reads_as_what_was_fetched() {
    for case in SELF_DELIMITED.iter().chain(ENDED_BY_CLOSE) {
        let limits = FetchLimits::default();
        let stored = decode_stored(case.head.as_bytes(), case.raw_body.as_bytes(), &limits).unwrap();
        // Only from the network is it an error if no chunk comes at all: archives keep decoded bodies under such heads.
        let no_chunk_at_all = case.truncated == Some(Truncation::Unspecified) && case.body.is_empty();
        if !no_chunk_at_all {
            assert_eq!(String::from_utf8_lossy(stored.body()), case.body, "{}", case.name);
            assert_eq!(stored.truncated, case.truncated, "{}", case.name);
        }
    }
    assert!(decode_stored(b"SSH-2.0-OpenSSH\r\n\r\n", b"", &FetchLimits::default()).is_none());
}

#[tokio::test]
async fn headers_are_read_as_browsers_read_them() {
    let head = "HTTP/1.1 200 OK\r\nX-Folded: one\r\n\t two\r\nX-Latin: caf\u{e9}\r\nX-Empty:\r\nSeT-Cookie: a\r\n\
                Set-Cookie : b\r\nContent-Length: 0\r\n\r\n";
    let latin: Vec<u8> = head.chars().map(|c| c as u8).collect();
    let (fetched, _) = ask(answer_and_stay(latin), FetchLimits::default()).await;
    let expected = [
        ("x-folded", "one two"),
        ("x-latin", "café"),
        ("x-empty", ""),
        ("set-cookie", "a"),
        ("set-cookie", "b"),
        ("content-length", "0"),
    ];
    let headers = &response(&fetched).headers;
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn interim_answers_are_skipped() {
    let bytes = "\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n\
                 HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno";
    let (fetched, kept) = ask(answer_and_stay(bytes), FetchLimits::default()).await;
    let response = response(&fetched);
    assert_eq!((response.status, response.body(), kept), (404, &b"no"[..], true));
    assert_eq!(response.raw_head, b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n");
}

#[tokio::test]
async fn what_is_not_http_is_told_at_once() {
    let cases: &[(&str, &str)] = &[
        ("another protocol", "SSH-2.0-OpenSSH_9.2p1\r\n"),
        ("HTTP without a head", "<html>hello</html>"),
        ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        ("two lengths in a list", "HTTP/1.1 200 OK\r\nContent-Length: 5,6\r\n\r\nhello!"),
        ("a status that is no number", "HTTP/1.1 OK 200\r\n\r\n"),
        ("another version", "HTTP/3.0 200 OK\r\n\r\n"),
        ("another protocol behind 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
    ];
    for (name, bytes) in cases {
        let (fetched, kept) = ask(answer_and_stay(bytes), FetchLimits::default()).await;
        assert_eq!((failure(&fetched), kept), (FetchFailure::NotHttp, false), "{name}");
    }
}

/// The pieces in which bytes arrive are the network's affair and nobody else's.
#[tokio::test]
async fn the_pieces_do_not_matter() {
    let chunked_gzip = chunked(&gzip("words and words ".repeat(20).as_bytes()), 9);
    let answers: [Vec<u8>; 3] = [
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_vec(),
        [&b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: gzip\n\n"[..], &chunked_gzip]
            .concat(),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\nzz\r\n".to_vec(),
    ];
    for bytes in answers {
        let (whole, whole_kept) = ask(answer_and_stay(&bytes), FetchLimits::default()).await;
        let pause = Duration::from_millis(2);
        let mut scripts =
            vec![vec![Step::Hear, Step::Drip(bytes.clone(), Duration::from_micros(100)), Step::Stay]];
        for cut in 1..bytes.len() {
            let (front, back) = bytes.split_at(cut);
            let (front, back) = (Step::Send(front.to_vec()), Step::Send(back.to_vec()));
            scripts.push(vec![Step::Hear, front, Step::Pause(pause), back, Step::Stay]);
        }
        let asking: Vec<_> =
            scripts.into_iter().map(|script| tokio::spawn(ask(script, FetchLimits::default()))).collect();
        for (index, one) in asking.into_iter().enumerate() {
            let (fetched, kept) = one.await.unwrap();
            assert_eq!(kept, whole_kept, "cut at {index}");
            assert_same_answer(&fetched.outcome, &whole.outcome, index);
        }
    }
}

fn assert_same_answer(one: &Outcome, other: &Outcome, index: usize) {
    let (Outcome::Response(one), Outcome::Response(other)) = (one, other) else { panic!("no answer") };
    assert_eq!((one.status, &one.raw_head, &one.headers), (other.status, &other.raw_head, &other.headers));
    assert_eq!((one.body(), one.truncated), (other.body(), other.truncated), "cut at {index}");
    // Of a broken body, the archive keeps what was read until it was seen to be broken.
    if one.truncated.is_none() {
        assert_eq!(one.raw_body, other.raw_body, "cut at {index}");
    }
}
