//! Connections that fail.

use fetch::FetchLimits;
use page::{FetchFailure, PageUrl, Truncation};
use tokio::net::TcpListener;

use crate::scripted::{Step, ask, failure, fetcher, response};

#[tokio::test]
async fn a_closed_port_is_a_refused_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = PageUrl::parse(&format!("http://{address}/")).unwrap();
    let fetched = fetcher(FetchLimits::default()).fetch(&url, address, &mut None).await;
    assert_eq!(failure(&fetched), FetchFailure::ConnectionRefused);
}

#[tokio::test]
async fn what_no_way_leads_to_is_not_called_refused() {
    // Nobody may connect to the address of everybody.
    let url = PageUrl::parse("http://255.255.255.255/").unwrap();
    let address = "255.255.255.255:80".parse().unwrap();
    let fetched = fetcher(FetchLimits::default()).fetch(&url, address, &mut None).await;
    assert_eq!(failure(&fetched), FetchFailure::Unreachable);
}

#[tokio::test]
async fn a_connection_that_ends_before_the_headers_do_is_no_answer() {
    let half_a_head = Step::Send(b"HTTP/1.1 200 OK\r\nContent-".to_vec());
    let cases = [
        vec![],
        vec![Step::Hear],
        vec![Step::Hear, Step::Reset],
        vec![Step::Hear, half_a_head.clone()],
        vec![Step::Hear, half_a_head, Step::Reset],
    ];
    for script in cases {
        let (fetched, kept) = ask(script, FetchLimits::default()).await;
        assert_eq!((failure(&fetched), kept), (FetchFailure::Disconnected, false));
    }
}

#[tokio::test]
async fn a_body_that_ends_in_a_reset_is_kept_as_far_as_it_came() {
    let bytes = b"HTTP/1.1 200 OK\r\n\r\nhello".to_vec();
    let pause = Step::Pause(std::time::Duration::from_millis(20));
    let (fetched, kept) =
        ask(vec![Step::Hear, Step::Send(bytes), pause, Step::Reset], FetchLimits::default()).await;
    let response = response(&fetched);
    assert_eq!(
        (response.body(), response.truncated, kept),
        (&b"hello"[..], Some(Truncation::Disconnect), false)
    );
}
