//! What is sent, and over which connection.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use fetch::{AddressGuard, FetchLimits};
use page::FetchFailure;

use crate::scripted::{ScriptedServer, Step, answer, answer_and_stay, failure, fetcher, response};

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

#[tokio::test]
async fn a_request_says_what_it_must_and_nothing_more() {
    let server = ScriptedServer::start(vec![answer(HELLO)]).await;
    let fetched = server.fetch(FetchLimits::default(), &mut None).await;
    let expected = format!(
        "GET /page?x=1 HTTP/1.1\r\nHost: {}\r\nUser-Agent: crivello-test/1.0\r\n\
         Accept: text/html,application/xhtml+xml,*/*;q=0.5\r\nAccept-Encoding: gzip\r\nConnection: keep-alive\r\n\r\n",
        server.address
    );
    assert_eq!(server.requests(), std::slice::from_ref(&expected));
    assert_eq!(fetched.request_head, expected.as_bytes());
    assert_eq!(fetched.address, Some(server.address));
}

#[tokio::test]
async fn an_address_from_a_damaged_file_cannot_add_a_header() {
    let server = ScriptedServer::start(vec![answer(HELLO)]).await;
    let text = format!("http://{}/a b\r\nCookie: x\r\n\r\n", server.address);
    let url = page::PageUrl::from_normalised(&text).unwrap();
    let _ = fetcher(FetchLimits::default()).fetch(&url, server.address, &mut None).await;
    assert!(server.requests()[0].starts_with("GET /a%20b%0D%0ACookie:%20x%0D%0A%0D%0A HTTP/1.1\r\nHost"));
}

#[tokio::test]
async fn a_connection_carries_many_requests() {
    let script = [answer(HELLO), answer(HELLO), answer_and_stay(HELLO)].concat();
    let server = ScriptedServer::start(vec![script]).await;
    let mut connection = None;
    for _ in 0..3 {
        let fetched = server.fetch(FetchLimits::default(), &mut connection).await;
        assert_eq!(response(&fetched).body(), b"hello");
        assert_eq!(connection.as_ref().map(|connection| connection.peer()), Some(server.address));
    }
}

/// It closes after its answer; whether the client notices before or after it has sent its request is chance.
#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_replaced() {
    for pause in [0, 5] {
        let server = ScriptedServer::start(vec![answer(HELLO), answer_and_stay(HELLO)]).await;
        let mut connection = None;
        let _ = server.fetch(FetchLimits::default(), &mut connection).await;
        assert!(connection.is_some());
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let fetched = server.fetch(FetchLimits::default(), &mut connection).await;
        assert_eq!(response(&fetched).body(), b"hello");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_connection_that_closes_on_the_second_request_is_replaced_once() {
    for ending in [vec![Step::Hear], vec![Step::Hear, Step::Reset]] {
        let first = [answer(HELLO), ending].concat();
        let server = ScriptedServer::start(vec![first, answer_and_stay(HELLO)]).await;
        let mut connection = None;
        let _ = server.fetch(FetchLimits::default(), &mut connection).await;
        let fetched = server.fetch(FetchLimits::default(), &mut connection).await;
        assert_eq!(response(&fetched).body(), b"hello");
        assert_eq!(server.requests().len(), 3);
    }
}

#[tokio::test]
async fn a_new_connection_is_not_tried_twice() {
    let server = ScriptedServer::start(vec![vec![Step::Hear], answer(HELLO)]).await;
    let fetched = server.fetch(FetchLimits::default(), &mut None).await;
    assert_eq!(failure(&fetched), FetchFailure::Disconnected);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_that_broke_off_is_not_asked_for_again() {
    let first = [answer(HELLO), answer("HTTP/1.1 200 OK\r\nCont")].concat();
    let server = ScriptedServer::start(vec![first, answer(HELLO)]).await;
    let mut connection = None;
    let _ = server.fetch(FetchLimits::default(), &mut connection).await;
    let fetched = server.fetch(FetchLimits::default(), &mut connection).await;
    assert_eq!(failure(&fetched), FetchFailure::Disconnected);
    assert_eq!((server.requests().len(), connection.is_none()), (2, true));
}

#[tokio::test]
async fn bytes_that_nobody_asked_for_are_not_taken_for_an_answer() {
    let late = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n".to_vec();
    let first =
        [answer(HELLO), vec![Step::Pause(Duration::from_millis(10)), Step::Send(late), Step::Stay]].concat();
    let server = ScriptedServer::start(vec![first, answer_and_stay(HELLO)]).await;
    let mut connection = None;
    let _ = server.fetch(FetchLimits::default(), &mut connection).await;
    tokio::time::sleep(Duration::from_millis(40)).await;
    let fetched = server.fetch(FetchLimits::default(), &mut connection).await;
    assert_eq!(response(&fetched).status, 200);
}

#[tokio::test]
async fn a_connection_to_another_address_is_not_used() {
    let one = ScriptedServer::start(vec![[answer(HELLO), answer_and_stay(HELLO)].concat()]).await;
    let other = ScriptedServer::start(vec![answer_and_stay(HELLO)]).await;
    let mut connection = None;
    let _ = one.fetch(FetchLimits::default(), &mut connection).await;
    let _ = other.fetch(FetchLimits::default(), &mut connection).await;
    assert_eq!((one.requests().len(), other.requests().len()), (1, 1));
    assert_eq!(connection.unwrap().peer(), other.address);
}

#[tokio::test]
async fn a_guarded_fetcher_does_not_connect_to_private_addresses() {
    let server = ScriptedServer::start(vec![answer(HELLO)]).await;
    let url = server.url("/");
    let mapped: IpAddr = "::ffff:127.0.0.1".parse().unwrap();
    for address in [server.address, SocketAddr::new(mapped, server.address.port())] {
        let guarded = fetcher(FetchLimits::default()).guarded_by(AddressGuard::default());
        let fetched = guarded.fetch(&url, address, &mut None).await;
        assert_eq!(failure(&fetched), FetchFailure::AddressNotAllowed);
    }
    assert!(server.requests().is_empty());
    let open = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]);
    let fetched =
        fetcher(FetchLimits::default()).guarded_by(open).fetch(&url, server.address, &mut None).await;
    assert_eq!(response(&fetched).status, 200);
}
