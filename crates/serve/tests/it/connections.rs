//! Visitors who say nothing, or half a sentence, and what becomes of the others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serve::{ConnectionLimits, ServeLimits};

use crate::{Fake, Running};

const HEAD_TIME: Duration = Duration::from_millis(300);

fn server(limits: ConnectionLimits) -> Running {
    Running::start_with_all(Fake::default(), ServeLimits::default(), limits)
}

/// A connection on which `text` was said, and how long the server took to close it after that.
fn time_to_close(mut stream: TcpStream, text: &str) -> (Duration, String) {
    let begun = Instant::now();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut said = Vec::new();
    // A reset is an end too.
    let _ = stream.read_to_end(&mut said);
    (begun.elapsed(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn a_head_that_does_not_come_to_its_end_is_closed() {
    let server = server(ConnectionLimits { head_time: HEAD_TIME, ..ConnectionLimits::default() });
    let idle_after_one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for said in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", idle_after_one] {
        let (elapsed, answer) = time_to_close(TcpStream::connect(server.address).unwrap(), said);
        assert!((HEAD_TIME..HEAD_TIME * 20).contains(&elapsed), "{said:?} took {elapsed:?}");
        assert_eq!(answer.contains("200 OK"), said == idle_after_one, "{said:?}: {answer}");
    }
}

#[test]
fn a_head_that_comes_in_drops_is_closed_too() {
    let server = server(ConnectionLimits { head_time: HEAD_TIME, ..ConnectionLimits::default() });
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").unwrap();
    let begun = Instant::now();
    // Each drop would start the clock anew if it measured silence.
    while stream.write_all(b"x").is_ok() {
        assert!(begun.elapsed() < HEAD_TIME * 20, "it is still open");
        std::thread::sleep(HEAD_TIME / 10);
    }
}

#[test]
fn a_body_is_not_waited_for() {
    let server = server(ConnectionLimits { head_time: HEAD_TIME, ..ConnectionLimits::default() });
    for (method, status) in [("GET", "200 OK"), ("POST", "405 Method Not Allowed")] {
        let head =
            format!("{method} /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx");
        let (elapsed, answer) = time_to_close(TcpStream::connect(server.address).unwrap(), &head);
        assert!(answer.contains(status) && elapsed < HEAD_TIME * 20, "{method} took {elapsed:?}: {answer}");
    }
}

#[test]
fn beyond_the_limit_connections_wait_until_others_end() {
    let limits = ConnectionLimits { connections_max: 2, head_time: HEAD_TIME, ..ConnectionLimits::default() };
    let server = server(limits);
    let mut idle: Vec<TcpStream> = (0..2).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    idle.iter_mut().for_each(|stream| stream.write_all(b"GET /").unwrap());
    std::thread::sleep(HEAD_TIME / 3);
    let begun = Instant::now();
    assert_eq!(server.get("/healthz").status, 200);
    assert!(begun.elapsed() > HEAD_TIME / 4, "it did not wait: {:?}", begun.elapsed());
    // And many more than there are places are all answered.
    std::thread::scope(|scope| {
        let visits: Vec<_> = (0..20).map(|_| scope.spawn(|| server.get("/search?q=x").status)).collect();
        assert!(visits.into_iter().all(|visit| visit.join().unwrap() == 200));
    });
}

#[test]
fn a_connection_ends_after_its_time_and_not_within_an_answer() {
    let limits = ConnectionLimits { connection_time: HEAD_TIME, ..ConnectionLimits::default() };
    let server = server(limits);
    let begun = Instant::now();
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut answers = 0;
    // Busy all the time, so it is never idle; each answer that begins is whole.
    while stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").is_ok() {
        let mut answer = Vec::new();
        let mut byte = [0];
        while !answer.ends_with(b"ok\n") && matches!(stream.read(&mut byte), Ok(1)) {
            answer.push(byte[0]);
        }
        if answer.is_empty() {
            break;
        }
        assert!(answer.ends_with(b"ok\n"), "{}", String::from_utf8_lossy(&answer));
        answers += 1;
        assert!(begun.elapsed() < HEAD_TIME * 20, "it is still open after {answers} answers");
    }
    assert!(answers > 0);
}
