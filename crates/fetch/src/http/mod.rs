//! One GET over HTTP/1.1: the request, the answer, and whether the connection can be used again.
//!
//! The archive keeps answers byte for byte, so the framing is our own, on tokio and `httparse` (the head parser of
//! hyper). hyper itself normalises heads and hands out bodies without their chunks; neither could be put back.
//!
//! A fetch is told in order: take the kept connection or open one, send, read the head, read the body, undo the
//! codings. A kept connection that turns out to have been closed before a byte of the answer came is replaced once:
//! the server never saw that request, so it does not count as a second one.
//!
//! What can go wrong is data. Before the head is complete it makes a [`FetchFailure`]; after that the answer is kept
//! with what came of its body and the reason why that is not all.
//!
//! Cost: for a page that fits the first read, one write, one read and one timer; a copy of the body out of the read
//! buffer. Longer bodies are read in place. Nothing is spawned and nothing is locked.

mod answer;
mod body;
mod chunks;
mod connection;
mod exchange;
mod head;

use std::net::SocketAddr;
use std::sync::Arc;

use page::{Clock, Fetched, Outcome, PageUrl};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

pub use answer::decode_stored;
pub use connection::Connection;
use exchange::Exchange;

use crate::Error;
use crate::guard::AddressGuard;
use crate::limits::FetchLimits;

/// Fetches pages, one request at a time per connection. Cheap to clone.
#[derive(Clone)]
pub struct HttpFetcher {
    limits: FetchLimits,
    /// The headers that are the same in every request, from `User-Agent` to the empty line.
    constant_headers: Arc<[u8]>,
    clock: Arc<dyn Clock>,
    roots: RootCertStore,
    tls: Arc<ClientConfig>,
    guard: Option<AddressGuard>,
    large_bodies: Option<Arc<Semaphore>>,
}

/// A body beyond this, as it comes or decoded, is large: only so many of them are held at a time, if the caller wants
/// that.
pub const LARGE_BODY_BYTES: usize = 256 << 10;

/// The right to hold one large body. Whoever keeps the answer keeps this with it: another large body is let in when it
/// is dropped, wherever that happens.
#[derive(Debug)]
pub struct LargeBodyPermit(#[expect(dead_code, reason = "it is there to be dropped")] OwnedSemaphorePermit);

impl HttpFetcher {
    /// A fetcher that names itself `user_agent` in every request.
    pub fn new(limits: FetchLimits, user_agent: &str, clock: Arc<dyn Clock>) -> Self {
        let user_agent: String = user_agent.chars().filter(|c| !c.is_control()).collect();
        let constant_headers = format!(
            "User-Agent: {user_agent}\r\n\
             Accept: text/html,application/xhtml+xml,*/*;q=0.5\r\n\
             Accept-Encoding: gzip\r\n\
             Connection: keep-alive\r\n\r\n"
        );
        let constant_headers = constant_headers.into_bytes().into();
        let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let tls = tls_trusting(roots.clone());
        Self { limits, constant_headers, clock, roots, tls, guard: None, large_bodies: None }
    }

    /// Also trusts the sites that this root certificate (DER) vouches for, such as those of a company.
    pub fn trusting(mut self, root_certificate: &[u8]) -> Result<Self, Error> {
        let certificate = CertificateDer::from(root_certificate.to_vec());
        self.roots
            .add(certificate)
            .map_err(|source| Error::RootCertificate { reason: source.to_string() })?;
        self.tls = tls_trusting(self.roots.clone());
        Ok(self)
    }

    /// Also refuses to connect to what `guard` does not permit, whoever resolved the address.
    pub fn guarded_by(mut self, guard: AddressGuard) -> Self {
        self.guard = Some(guard);
        self
    }

    /// Lets at most `count` large bodies exist at a time, on all threads together; the others wait at 256 KiB, and the
    /// time that they wait is not held against their server. A caller of [`fetch_held`](Self::fetch_held) must drop
    /// permits without waiting for another fetch to end: those that wait for a permit end only then.
    pub fn with_large_bodies_at_once(mut self, count: usize) -> Self {
        self.large_bodies = Some(Arc::new(Semaphore::new(count.max(1))));
        self
    }

    /// The bounds of each fetch.
    pub fn limits(&self) -> &FetchLimits {
        &self.limits
    }

    /// One GET. `connection` is the kept connection to this site, if any; afterwards it holds the connection if it
    /// can be used again.
    pub async fn fetch(
        &self,
        url: &PageUrl,
        address: SocketAddr,
        connection: &mut Option<Connection>,
    ) -> Fetched {
        self.fetch_held(url, address, connection).await.0
    }

    /// The same, with the permit of a large answer, to be dropped when the answer is.
    pub async fn fetch_held(
        &self,
        url: &PageUrl,
        address: SocketAddr,
        connection: &mut Option<Connection>,
    ) -> (Fetched, Option<LargeBodyPermit>) {
        let started = Instant::now();
        let mut exchange = Exchange::new(self, url, address, self.request_head(url), started);
        let outcome = match exchange.run(connection, started).await {
            Ok(response) => Outcome::Response(response),
            Err(failure) => Outcome::Failed(failure),
        };
        let fetched = Fetched {
            url: url.clone(),
            address: Some(address),
            at: exchange.sent_at,
            elapsed: started.elapsed().saturating_sub(exchange.held_up),
            request_head: exchange.request,
            outcome,
        };
        (fetched, exchange.large_permit)
    }

    /// Waits until another large body may be held.
    async fn large_permit(&self) -> Option<LargeBodyPermit> {
        // It is never closed, so there is always a permit in the end.
        self.large_bodies.clone()?.acquire_owned().await.ok().map(LargeBodyPermit)
    }

    fn request_head(&self, url: &PageUrl) -> Vec<u8> {
        let (target, authority) = (url.path_and_query(), url.authority());
        let length = target.len() + authority.len() + self.constant_headers.len() + 32;
        let mut head = Vec::with_capacity(length);
        head.extend_from_slice(b"GET ");
        push_safe(&mut head, target);
        head.extend_from_slice(b" HTTP/1.1\r\nHost: ");
        push_safe(&mut head, authority);
        head.extend_from_slice(b"\r\n");
        head.extend_from_slice(&self.constant_headers);
        head
    }
}

/// A normal URL has no byte that could end a line early. One out of a damaged file might: it is encoded then.
fn push_safe(head: &mut Vec<u8>, text: &str) {
    for &byte in text.as_bytes() {
        if matches!(byte, b'!'..=b'~') {
            head.push(byte);
        } else {
            head.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}

fn tls_trusting(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring offers the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}
