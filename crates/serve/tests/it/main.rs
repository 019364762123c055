//! The server over a real socket, with a backend that says what a test wants.

mod api;
mod connections;
mod page;
mod safety;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::page::PageKey;
use serve::{
    Answer, CollectionInfo, ConnectionLimits, Fragment, Note, PageText, QueryProblem, ReaderLanguages,
    SearchBackend, SearchRequest, SearchResult, SearchServer, ServeLimits, Snippet,
};

/// Answers every query with `total` results that all look like `result`, but for queries that are commands.
struct Fake {
    total: u64,
    result: SearchResult,
    name: String,
    with_all_words: u64,
    notes: Vec<Note>,
    /// What is taken to be meant; the query `corrected` is answered so.
    meant: Option<String>,
    /// The query `hold` tells that it has started and waits to be released.
    hold: Option<Mutex<(Sender<()>, Receiver<()>)>>,
    /// Whether pages that speak of the same can be asked for.
    has_related: bool,
    /// Searches that run, and the most of them that ran together.
    running: AtomicUsize,
    most_at_once: Arc<AtomicUsize>,
}

/// Nobody is held for longer: a test that waits in vain for an answer fails instead.
const HELD_MAX: Duration = Duration::from_secs(5);

impl Default for Fake {
    fn default() -> Self {
        Self {
            total: 35,
            result: result("A title", "http://example.org/page", "some words"),
            name: "Test".into(),
            with_all_words: u64::MAX,
            notes: Vec::new(),
            meant: None,
            hold: None,
            has_related: false,
            running: AtomicUsize::new(0),
            most_at_once: Arc::default(),
        }
    }
}

fn result(title: &str, url: &str, snippet: &str) -> SearchResult {
    let fragment = |marked| Fragment { text: snippet.into(), marked };
    let plain = |text: &str| vec![Fragment { text: text.into(), marked: false }];
    let snippet = Snippet { fragments: vec![fragment(false), fragment(true)] };
    SearchResult {
        rank: 1,
        url: url.into(),
        collection: None,
        title: title.into(),
        title_fragments: plain(title),
        breadcrumb: plain(url),
        date: None,
        snippet,
        score: 1.5,
        key: ::page::PageKey::new(77),
        similar: 0,
        more_from_site: None,
        missing_words: Vec::new(),
        explanation: None,
    }
}

impl Fake {
    fn wait_for_release(&self) {
        let hold = self.hold.as_ref().expect("only a test that can release holds").lock().unwrap();
        hold.0.send(()).unwrap();
        hold.1.recv_timeout(HELD_MAX).unwrap();
    }

    fn kept(&self, key: PageKey) -> Option<PageText> {
        let (url, title) = ("http://example.org/page".into(), "<b>Kept</b>".into());
        let text = "menu\nfirst <script>alert(1)</script> line\n\n  second\u{202e} line\nfooter".to_owned();
        let (from, to) = (text.find("first")?, text.find("footer")?);
        let page =
            PageText { url, title, main: std::iter::once(from..to).collect(), text, ..PageText::default() };
        match key.get() {
            77 => Some(page),
            78 => Some(PageText { text: "word ".repeat(300_000), main: Vec::new(), ..page }),
            79 => Some(PageText { url: "http://import.invalid/a".into(), title: String::new(), ..page }),
            80 => Some(PageText { text: String::new(), main: Vec::new(), ..page }),
            _ => None,
        }
    }

    fn answer(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        let (query, from, count) = (request.query.as_str(), request.from, request.count);
        if query == "view" {
            // The view comes back as a title.
            let title = match request.related_to {
                Some(key) => format!("{key:?}"),
                None if request.reader == ReaderLanguages::default() => format!("{:?}", request.copies),
                None => format!("{:?}", request.reader),
            };
            let title_fragments = vec![Fragment { text: title.clone(), marked: false }];
            let results = vec![SearchResult { title, title_fragments, ..self.result.clone() }];
            return Ok(Answer {
                total: 100,
                with_all_words: 100,
                results,
                query: query.into(),
                ..Answer::default()
            });
        }
        match query {
            "bad" => return Err(QueryProblem::Bad("the query <b>only</b> excludes".into())),
            "broken" => return Err(QueryProblem::Internal("secret path /var/x".into())),
            "panic" => panic!("the backend panics when asked to"),
            "hold" => self.wait_for_release(),
            _ => {}
        }
        let total = match query {
            "nothing" => 0,
            "one" => 1,
            _ => self.total,
        };
        let last = ((from + count) as u64).min(total) as usize;
        let results =
            (from..last).map(|index| SearchResult { rank: index + 1, ..self.result.clone() }).collect();
        Ok(Answer {
            total,
            total_is: if query == "partial" { search::TotalIs::AtLeast } else { search::TotalIs::Exact },
            with_all_words: total.min(self.with_all_words),
            notes: self.notes.clone(),
            unknown_words: Vec::new(),
            took_us: 1234,
            query: query.into(),
            from,
            partial: query == "partial",
            results,
            did_you_mean: self.meant.clone(),
            corrected: query == "corrected",
            ..Answer::default()
        })
    }
}

impl SearchBackend for Fake {
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        self.most_at_once.fetch_max(self.running.fetch_add(1, SeqCst) + 1, SeqCst);
        let answer = self.answer(request);
        self.running.fetch_sub(1, SeqCst);
        answer
    }

    fn suggest(&self, typed: &str, count: usize) -> Result<Vec<String>, QueryProblem> {
        Ok((0..count).map(|number| format!("{typed}{number}")).collect())
    }

    fn page(&self, key: PageKey) -> Option<PageText> {
        self.kept(key)
    }

    fn collection(&self) -> CollectionInfo {
        CollectionInfo {
            name: self.name.clone(),
            documents: 12_345,
            hosts: 7,
            index_bytes: 3 << 20,
            has_related: self.has_related,
            hot: Some(serve::HotInfo {
                budget_bytes: 8192,
                kept_bytes: 4096,
                pages_asked: 10,
                pages_kept: 3,
            }),
        }
    }
}

/// A server on a free port of loopback, until it is dropped.
struct Running {
    address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start(backend: Fake) -> Self {
        Self::start_with(backend, ServeLimits::default())
    }

    fn start_with(backend: Fake, limits: ServeLimits) -> Self {
        Self::start_with_all(backend, limits, ConnectionLimits::default())
    }

    fn start_with_all(backend: Fake, limits: ServeLimits, connection_limits: ConnectionLimits) -> Self {
        let server = SearchServer::bind("127.0.0.1:0".parse().unwrap())
            .unwrap()
            .with_limits(limits)
            .with_connection_limits(connection_limits)
            .with_host_names(vec!["search.test".into()]);
        let address = server.local_addr();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let shutdown = async {
                let _ = stopped.await;
            };
            runtime.block_on(server.serve(Arc::new(backend), shutdown)).unwrap();
        });
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    fn get(&self, path: &str) -> Reply {
        self.request("GET", path)
    }

    fn request(&self, method: &str, path: &str) -> Reply {
        self.say(&format!("{method} {path} HTTP/1.1\r\nHost: search.test:80\r\nConnection: close\r\n\r\n"))
    }

    /// The answer to a request as it is written.
    fn say(&self, head: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Reply::parse(&bytes)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends when it is told to");
        }
    }
}

/// An answer as it came.
#[derive(Debug)]
struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).expect("answers are UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status line");
        let headers = lines.filter_map(|line| line.split_once(": "));
        Self {
            status: status.parse().expect("a status code"),
            headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect(),
            body: body.to_owned(),
        }
    }

    fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }
}

/// Every byte as `%XX`.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
