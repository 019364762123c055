//! The web on real sockets: one for each loopback address, or one for many, HTTP/1.1 with keep-alive, and an audit of it all.
//!
//! The server has a thread of its own that runs a runtime with two workers, so it can be started and stopped from
//! anywhere, also from inside another runtime. It answers one request of a connection after the other.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::FakeWeb;
use crate::audit::{AuditPolicy, AuditReport, AuditedHost, PolitenessAudit};
use crate::hosts::ip_address;
use crate::listeners::{Listener, listen_on_all};
use crate::respond::{Method, Request, Responder};

const WORKERS: usize = 2;
const REQUEST_BYTES_MAX: usize = 32 << 10;
const HEADERS_MAX: usize = 64;
/// The last bytes of an answer, which fit into a socket's buffer: when they are handed over the answer counts as out.
const LAST_BYTES: usize = 64 << 10;

/// A fake web being served. Dropping it stops it.
#[derive(Debug)]
pub struct LabServer {
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    web: Arc<FakeWeb>,
    audit: PolitenessAudit,
    port: u16,
}

impl LabServer {
    /// Listens on all addresses of the web; port 0 takes one that is free on all of them.
    pub fn start(web: Arc<FakeWeb>, port: u16, policy: AuditPolicy) -> io::Result<LabServer> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("lab-worker")
            .enable_all()
            .build()?;
        let (listeners, port) = {
            let _inside = runtime.enter();
            listen_on_all(web.address_count(), port)?
        };
        let audit = audit_of(&web, policy);
        let shared = Arc::new(Shared { web, audit, port });
        let (stop, stopped) = oneshot::channel();
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("lab".to_owned()).spawn(move || {
            runtime.block_on(async move {
                for listener in listeners {
                    tokio::spawn(accept(Arc::clone(&for_thread), listener));
                }
                // Both an order to stop and a lost owner end it.
                let _ = stopped.await;
            });
        })?;
        Ok(LabServer { shared, stop: Some(stop), thread: Some(thread) })
    }

    /// The port, the same on all addresses.
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// Where a crawl should start.
    pub fn seeds(&self) -> Vec<String> {
        self.shared.web.seeds(self.port())
    }

    /// Which host lives where: lines of address, tab, host.
    pub fn hosts_tsv(&self) -> String {
        let web = &self.shared.web;
        let hosts = (0..web.host_count()).map(|host| web.host(host));
        hosts.map(|host| format!("{}\t{}\n", ip_address(host.address), host.name)).collect()
    }

    /// How the visitors behaved so far.
    pub fn audit(&self) -> AuditReport {
        self.shared.audit.report()
    }

    /// Whether every request that has come was answered.
    pub fn is_idle(&self) -> bool {
        self.shared.audit.is_idle()
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.audit().requests
    }

    /// Stops serving and waits until all threads have ended.
    pub fn stop(self) {}
}

impl Drop for LabServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn audit_of(web: &FakeWeb, policy: AuditPolicy) -> PolitenessAudit {
    let hosts = (0..web.host_count()).map(|host| {
        let host = web.host(host);
        let seconds = if host.robots.has_crawl_delay { web.config().crawl_delay_s } else { 0.0 };
        let crawl_delay = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        AuditedHost { name: host.name.to_string(), crawl_delay }
    });
    PolitenessAudit::new(policy, hosts.collect(), web.address_count(), web.config().pages)
}

async fn accept(shared: Arc<Shared>, listener: Listener) {
    loop {
        match listener.socket.accept().await {
            Ok((stream, _)) => {
                let _ = stream.set_nodelay(true);
                if let Some(address) = listener.address_of(stream.local_addr()) {
                    tokio::spawn(converse(Arc::clone(&shared), stream, address));
                }
            }
            // Out of file descriptors, most likely: others will be closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

/// One connection, from the first request to the last.
async fn converse(shared: Arc<Shared>, mut stream: TcpStream, address: u32) {
    let mut received = Vec::with_capacity(4 << 10);
    let mut responder = Responder::new(&shared.web, shared.port);
    loop {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&received) {
            Ok(httparse::Status::Complete(length)) => {
                let keep_alive = answer(&shared, &parsed, &mut responder, &mut stream, address).await;
                if !keep_alive {
                    return;
                }
                received.drain(..length);
            }
            Ok(httparse::Status::Partial) if received.len() < REQUEST_BYTES_MAX => {
                if !matches!(stream.read_buf(&mut received).await, Ok(1..)) {
                    return;
                }
            }
            _ => {
                let refusal = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(refusal).await;
                return;
            }
        }
    }
}

/// Answers one request; gives whether the connection can be used again.
async fn answer(
    shared: &Shared,
    parsed: &httparse::Request<'_, '_>,
    responder: &mut Responder<'_>,
    stream: &mut TcpStream,
    address: u32,
) -> bool {
    let arrival = Instant::now();
    let web = &shared.web;
    let request = read_request(web, parsed, address);
    let (resource, asked) = web.resource(request.host, request.path);
    let mut visit = shared.audit.begin(request.host, address, request.path, asked, arrival);
    if web.host(request.host).slow {
        tokio::time::sleep(Duration::from_millis(web.config().slow_ms)).await;
    }
    let (status, page) = responder.respond(&request, resource);
    visit.answered(status, None);
    if let Some(page) = page {
        visit.answered_page(page);
    }
    let (front, last) = responder.answer.split_at(responder.answer.len().saturating_sub(LAST_BYTES));
    if !front.is_empty() && stream.write_all(front).await.is_err() {
        return false;
    }
    // Before the last bytes go out, not after: the client may have them, and ask for more, before we are told.
    visit.end();
    stream.write_all(last).await.is_ok() && request.keep_alive
}

fn read_request<'a>(web: &'a FakeWeb, parsed: &'a httparse::Request<'_, '_>, address: u32) -> Request<'a> {
    let header = |name: &str| {
        let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok()
    };
    let authority = header("host").unwrap_or(&web.host(address).name);
    let has =
        |name: &str, word: &str| header(name).is_some_and(|value| value.to_ascii_lowercase().contains(word));
    let is_http_1_1 = parsed.version == Some(1);
    let method = match parsed.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        _ => Method::Other,
    };
    Request {
        // The first host of an address has the address's number.
        host: host_in(web, authority).unwrap_or(address),
        authority,
        path: path_in(parsed.path.unwrap_or("/")),
        method,
        accepts_gzip: has("accept-encoding", "gzip"),
        accepts_chunks: is_http_1_1,
        if_none_match: header("if-none-match"),
        // A body, which we do not read, would be taken for the next request.
        keep_alive: is_http_1_1 && !has("connection", "close") && method != Method::Other,
    }
}

fn host_in(web: &FakeWeb, authority: &str) -> Option<u32> {
    let name = authority.split(':').next().unwrap_or("");
    web.host_named(name).or_else(|| web.host_named(&name.to_ascii_lowercase()))
}

/// Path and query, also when the client writes the whole address as if we were a proxy.
fn path_in(target: &str) -> &str {
    match target.strip_prefix("http://") {
        Some(rest) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    }
}
