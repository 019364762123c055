//! Many sites that send large pages at the same time, to a crawl that has little memory.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crawl::{Agent, CrawlConfig};
use fetch::{AddressGuard, NameResolver};
use page::{Clock, PageUrl, SystemClock};
use store::Collection;

use crate::policies::NO_REST;

const SITES: usize = 40;
const PAGE_BYTES: usize = 500 << 10;
const MEMORY_BYTES: u64 = 16 << 20;

/// One site with an address of its own. Whatever is asked for is large: robots.txt, the page, and a first answer that
/// asks to come again.
struct LargeSite {
    listener: TcpListener,
    was_busy: Arc<AtomicBool>,
}

impl LargeSite {
    fn serve(self) {
        for socket in self.listener.incoming() {
            let (socket, was_busy) = (socket.unwrap(), self.was_busy.clone());
            std::thread::spawn(move || answer_all(socket, &was_busy));
        }
    }
}

fn answer_all(mut socket: TcpStream, was_busy: &AtomicBool) -> Option<()> {
    let mut lines = BufReader::new(socket.try_clone().ok()?).lines();
    loop {
        let request = lines.next()?.ok()?;
        while !lines.next()?.ok()?.is_empty() {}
        let (status, body) = if request.contains("robots.txt") {
            ("200 OK", vec![b'\n'; PAGE_BYTES])
        } else if was_busy.swap(true, Relaxed) {
            ("200 OK", b"<p>soup ".repeat(PAGE_BYTES / 8))
        } else {
            ("503 Busy\r\nRetry-After: 0", vec![b'x'; PAGE_BYTES])
        };
        let length = body.len();
        write!(socket, "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n")
            .ok()?;
        socket.write_all(&body).ok()?;
    }
}

fn start_sites() -> Vec<LargeSite> {
    let port = TcpListener::bind("127.77.0.1:0").unwrap().local_addr().unwrap().port();
    (0..SITES)
        .map(|index| LargeSite {
            listener: TcpListener::bind(("127.77.0.".to_owned() + &(index + 1).to_string(), port)).unwrap(),
            // Every fourth site is busy at first.
            was_busy: Arc::new(AtomicBool::new(index % 4 != 0)),
        })
        .collect()
}

#[test]
fn only_so_many_large_pages_are_held_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut seeds = Vec::new();
    for site in start_sites() {
        let address = site.listener.local_addr().unwrap();
        seeds.push(PageUrl::parse(&format!("http://{address}/")).unwrap());
        std::thread::spawn(|| site.serve());
    }
    let config =
        CrawlConfig { policy: NO_REST, memory_bytes: MEMORY_BYTES, workers: 2, ..CrawlConfig::default() };
    let collection =
        Collection::open_or_create(&dir.path().join("test.crivello"), SystemClock.now()).unwrap();
    let resolver = NameResolver::new(AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]));
    let agent = Agent::open(&collection, config, resolver, Arc::new(SystemClock)).unwrap();
    let progress = agent.progress();
    let report = agent.run(seeds).unwrap();
    assert_eq!((report.pages_stored, report.failed), (SITES as u64, 0));
    let (peak, left) = (progress.unread_bytes_peak.load(Relaxed), progress.unread_bytes.load(Relaxed));
    // A quarter of the memory is for large pages, raw and decoded; these need no decoding.
    assert!(peak >= PAGE_BYTES as u64 && peak <= MEMORY_BYTES / 8, "{peak} bytes were held at once");
    assert_eq!(left, 0);
}
