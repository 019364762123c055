//! Encrypted sites: whom to believe.

use std::sync::Arc;

use fetch::FetchLimits;
use page::{FetchFailure, PageUrl};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::scripted::{ScriptedServer, answer_and_stay, failure, fetcher, response};

/// A certificate for `site.test` and 127.0.0.1, good for a hundred years, and the root that signed it.
const ROOT: &[u8] = include_bytes!("../fixtures/tls/root.der");
const CERTIFICATE: &[u8] = include_bytes!("../fixtures/tls/site.der");
const KEY: &[u8] = include_bytes!("../fixtures/tls/site-key.der");

/// Answers every request on every connection with `hello`, and says which protocol was agreed on.
async fn start_tls_server() -> std::net::SocketAddr {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY.to_vec()));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE.to_vec())], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (socket, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(socket).await else { return };
                let protocol = stream.get_ref().1.alpn_protocol().unwrap_or_default().to_vec();
                let protocol = String::from_utf8(protocol).unwrap();
                let answer =
                    format!("HTTP/1.1 200 OK\r\nX-Protocol: {protocol}\r\nContent-Length: 5\r\n\r\nhello");
                while stream.read(&mut [0; 4096]).await.is_ok_and(|count| count > 0) {
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    stream.flush().await.unwrap();
                }
            });
        }
    });
    address
}

#[tokio::test]
async fn a_trusted_site_is_read_over_one_connection() {
    let address = start_tls_server().await;
    let fetcher = fetcher(FetchLimits::default()).trusting(ROOT).unwrap();
    for host in ["site.test", "127.0.0.1"] {
        let url = PageUrl::parse(&format!("https://{host}:{}/", address.port())).unwrap();
        let mut connection = None;
        for _ in 0..3 {
            let fetched = fetcher.fetch(&url, address, &mut connection).await;
            let response = response(&fetched);
            assert_eq!((response.body(), response.header("x-protocol")), (&b"hello"[..], Some("http/1.1")));
            assert!(connection.is_some());
        }
    }
}

#[tokio::test]
async fn a_connection_to_one_name_is_not_used_for_another() {
    let address = start_tls_server().await;
    let fetcher = fetcher(FetchLimits::default()).trusting(ROOT).unwrap();
    let mut connection = None;
    let site = PageUrl::parse(&format!("https://site.test:{}/", address.port())).unwrap();
    let _ = fetcher.fetch(&site, address, &mut connection).await;
    assert!(connection.is_some());
    let other = PageUrl::parse(&format!("https://other.test:{}/", address.port())).unwrap();
    let fetched = fetcher.fetch(&other, address, &mut connection).await;
    assert_eq!(failure(&fetched), FetchFailure::Tls, "the certificate is not for that name");
}

#[tokio::test]
async fn an_unknown_root_is_not_believed() {
    let address = start_tls_server().await;
    let url = PageUrl::parse(&format!("https://site.test:{}/", address.port())).unwrap();
    let fetched = fetcher(FetchLimits::default()).fetch(&url, address, &mut None).await;
    assert_eq!(failure(&fetched), FetchFailure::Tls);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_a_tls_failure() {
    let server = ScriptedServer::start(vec![vec![
        crate::scripted::Step::Send(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()),
        crate::scripted::Step::Stay,
    ]])
    .await;
    let url = PageUrl::parse(&format!("https://site.test:{}/", server.address.port())).unwrap();
    let fetched = fetcher(FetchLimits::default()).fetch(&url, server.address, &mut None).await;
    assert_eq!(failure(&fetched), FetchFailure::Tls);
}

#[tokio::test]
async fn a_handshake_that_never_ends_times_out() {
    let server = ScriptedServer::start(vec![answer_and_stay("")]).await;
    let url = PageUrl::parse(&format!("https://site.test:{}/", server.address.port())).unwrap();
    let limits =
        FetchLimits { connect_timeout: std::time::Duration::from_millis(50), ..FetchLimits::default() };
    let fetched = fetcher(limits).fetch(&url, server.address, &mut None).await;
    assert_eq!(failure(&fetched), FetchFailure::TimedOut);
}

#[test]
fn rubbish_is_no_root_certificate() {
    assert!(fetcher(FetchLimits::default()).trusting(b"rubbish").is_err());
}
