//! Hosts that do what a test tells them: redirect for ever, ask for pauses, lose their robots.txt.
//!
//! Where the fake web is large and made by rules, this one is small and written by hand: each host is a function from a
//! path, and how often it was asked for, to a reply. The same audit watches it, and every request is kept.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::audit::{Asked, AuditPolicy, AuditReport, AuditedHost, PolitenessAudit};

const REQUEST_BYTES_MAX: usize = 32 << 10;
const PORT_TRIES: u32 = 20;

/// What a host answers.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Lines such as `Retry-After: 1`.
    pub headers: Vec<String>,
    /// The body.
    pub body: String,
    /// How long it thinks before.
    pub thinks: Duration,
}

impl Reply {
    /// A page.
    pub fn page(body: impl Into<String>) -> Self {
        Self { status: 200, body: body.into(), ..Self::default() }.with("Content-Type: text/html")
    }

    /// A page that links to these addresses.
    pub fn links<'l>(targets: impl IntoIterator<Item = &'l str>) -> Self {
        Self::page(
            targets.into_iter().map(|target| format!("<a href=\"{target}\">x</a>\n")).collect::<String>(),
        )
    }

    /// A text, such as a robots.txt.
    pub fn text(body: impl Into<String>) -> Self {
        Self { status: 200, body: body.into(), ..Self::default() }.with("Content-Type: text/plain")
    }

    /// Nothing but a status.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// A redirect.
    pub fn moved(target: impl AsRef<str>) -> Self {
        Self::status(302).with(format!("Location: {}", target.as_ref()))
    }

    /// The same with one more header.
    #[must_use]
    pub fn with(mut self, header: impl Into<String>) -> Self {
        self.headers.push(header.into());
        self
    }

    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers.iter().find_map(|header| header.strip_prefix("Retry-After: "))?;
        seconds.parse().ok().map(Duration::from_secs)
    }

    fn bytes(&self) -> Vec<u8> {
        let headers: String = self.headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = self.body.len();
        format!("HTTP/1.1 {} Scripted\r\n{headers}Content-Length: {length}\r\n\r\n{}", self.status, self.body)
            .into_bytes()
    }
}

/// What a host does with a request for a path and query that it hears for the n-th time, from 1.
pub type Script = Box<dyn Fn(&str, u32) -> Reply + Send + Sync>;

/// One host.
pub struct ScriptedHost {
    /// Its name, under `.test`.
    pub name: String,
    /// The number of its IP address; hosts can share one.
    pub address: u32,
    /// What its robots.txt says, for the audit.
    pub crawl_delay: Duration,
    /// What it answers. Paths that begin with `/forbidden` count as forbidden, those that end with `robots.txt` as that.
    pub script: Script,
}

impl ScriptedHost {
    /// A host at an address of its own or shared, without a `Crawl-delay`.
    pub fn new(
        name: impl Into<String>,
        address: u32,
        script: impl Fn(&str, u32) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), address, crawl_delay: Duration::ZERO, script: Box::new(script) }
    }
}

/// A request that was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The host.
    pub host: String,
    /// Path and query.
    pub path: String,
    /// What was answered.
    pub status: u16,
    /// The number of the IP address where it came.
    pub address: u32,
}

/// The hosts being served, on threads that end with the process.
pub struct ScriptedWeb {
    shared: Arc<Shared>,
    is_over: Arc<AtomicBool>,
    sockets: Vec<SocketAddr>,
}

struct Shared {
    hosts: Vec<ScriptedHost>,
    audit: PolitenessAudit,
    heard: Mutex<Vec<Heard>>,
    /// How often each was asked for.
    counts: Mutex<HashMap<Place, u32>>,
}

/// A path of a host.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Place {
    host: usize,
    path: String,
}

impl ScriptedWeb {
    /// Listens on all addresses of the hosts, at one port. The port is given to who makes the hosts, for their links.
    pub fn start(policy: AuditPolicy, hosts: impl FnOnce(u16) -> Vec<ScriptedHost>) -> io::Result<Self> {
        // Hosts are not known before the port is: so many addresses are enough for any test.
        const ADDRESSES: u32 = 40;
        let (listeners, sockets) = bind_all(ADDRESSES)?;
        let hosts = hosts(sockets[0].port());
        let audited =
            hosts.iter().map(|host| AuditedHost { name: host.name.clone(), crawl_delay: host.crawl_delay });
        let audit = PolitenessAudit::new(policy, audited.collect(), ADDRESSES, 0);
        let shared = Arc::new(Shared { hosts, audit, heard: Mutex::default(), counts: Mutex::default() });
        let is_over = Arc::new(AtomicBool::new(false));
        for (address, listener) in (0..).zip(listeners) {
            let (shared, is_over) = (shared.clone(), is_over.clone());
            thread::spawn(move || accept(&shared, &listener, address, &is_over));
        }
        Ok(Self { shared, is_over, sockets })
    }

    /// The port, the same on all addresses.
    pub fn port(&self) -> u16 {
        self.sockets[0].port()
    }

    /// Which host lives where: lines of address, tab, host.
    pub fn hosts_tsv(&self) -> String {
        let line =
            |host: &ScriptedHost| format!("{}\t{}\n", self.sockets[host.address as usize].ip(), host.name);
        self.shared.hosts.iter().map(line).collect()
    }

    /// The address of a path of a host.
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port())
    }

    /// How the visitors behaved so far.
    pub fn audit(&self) -> AuditReport {
        self.shared.audit.report()
    }

    /// All that was heard so far, in order.
    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.shared.heard).clone()
    }

    /// How often a path of a host was asked for.
    pub fn count(&self, host: &str, path: &str) -> usize {
        self.heard().iter().filter(|heard| heard.host == host && heard.path == path).count()
    }
}

impl Drop for ScriptedWeb {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        for socket in &self.sockets {
            // Whoever waits for a visitor gets one, and sees that it is over.
            let _ = TcpStream::connect_timeout(socket, Duration::from_millis(100));
        }
    }
}

fn bind_all(count: u32) -> io::Result<(Vec<TcpListener>, Vec<SocketAddr>)> {
    let ip = |address: u32| Ipv4Addr::new(127, 40, 0, 1 + address as u8);
    let mut failure = io::Error::from(io::ErrorKind::AddrInUse);
    for _ in 0..PORT_TRIES {
        let first = TcpListener::bind((ip(0), 0))?;
        let port = first.local_addr()?.port();
        let others = (1..count).map(|address| TcpListener::bind((ip(address), port)));
        match std::iter::once(Ok(first)).chain(others).collect::<io::Result<Vec<_>>>() {
            Ok(listeners) => {
                return Ok((listeners, (0..count).map(|address| (ip(address), port).into()).collect()));
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener, address: u32, is_over: &AtomicBool) {
    while let Ok((stream, _)) = listener.accept() {
        if is_over.load(Relaxed) {
            return;
        }
        let shared = shared.clone();
        // An error is a visitor that went away.
        thread::spawn(move || converse(&shared, stream, address));
    }
}

fn converse(shared: &Shared, mut stream: TcpStream, address: u32) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(&received).map_err(io::Error::other)? {
            httparse::Status::Complete(length) => {
                answer(shared, &parsed, &mut stream, address)?;
                received.drain(..length);
            }
            httparse::Status::Partial => {
                let mut bytes = [0; 4 << 10];
                let count = stream.read(&mut bytes)?;
                if count == 0 || received.len() > REQUEST_BYTES_MAX {
                    return Ok(());
                }
                received.extend_from_slice(&bytes[..count]);
            }
        }
    }
}

fn answer(
    shared: &Shared,
    parsed: &httparse::Request<'_, '_>,
    stream: &mut TcpStream,
    address: u32,
) -> io::Result<()> {
    let arrival = Instant::now();
    let path = parsed.path.unwrap_or("/");
    let header = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"));
    let authority = header.and_then(|header| std::str::from_utf8(header.value).ok()).unwrap_or("");
    let name = authority.split(':').next().unwrap_or("");
    let Some(index) = shared.hosts.iter().position(|host| host.name == name) else {
        return stream.write_all(&Reply::status(421).bytes());
    };
    let asked = match path {
        path if path.ends_with("robots.txt") => Asked::Robots,
        path if path.starts_with("/forbidden") => Asked::Forbidden,
        _ => Asked::Allowed,
    };
    let mut visit = shared.audit.begin(index as u32, address, path, asked, arrival);
    let times = {
        let mut counts = lock(&shared.counts);
        let count = counts.entry(Place { host: index, path: path.to_owned() }).or_default();
        *count += 1;
        *count
    };
    let reply = (shared.hosts[index].script)(path, times);
    thread::sleep(reply.thinks);
    visit.answered(reply.status, reply.retry_after());
    lock(&shared.heard).push(Heard {
        host: name.to_owned(),
        path: path.to_owned(),
        status: reply.status,
        address,
    });
    // Before the bytes go out, not after: the client may have them, and ask for more, before we are told.
    visit.end();
    stream.write_all(&reply.bytes())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
