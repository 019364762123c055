//! The search page as a browser shows it. The judge is Chromium, if it is installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::command::{crivello, skipped, succeeds};

/// A running `crivello serve`; it ends with the test.
pub struct Server {
    child: Child,
    url: String,
}

impl Server {
    pub fn start(collection: &str) -> Self {
        Self::start_with(collection, &["--addr", "127.0.0.1:0"])
    }

    pub fn start_with(collection: &str, options: &[&str]) -> Self {
        let mut command = crivello();
        command.args(["serve", collection]).args(options).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url =
            line.split_whitespace().find(|word| word.starts_with("http://")).expect("it says where it is");
        Self { url: url.to_owned(), child }
    }

    /// The answer to a request for JSON.
    pub fn get_json(&self, path: &str) -> Value {
        let (head, body) = self.get(path, self.address());
        assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
        serde_json::from_str(&body).unwrap()
    }

    fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    /// Head and body of the answer to a request for a host.
    fn get(&self, path: &str, host: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs Chromium with options and a page; what it writes to standard output.
fn chromium(options: &[&str], url: &str) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(options)
        .arg(url)
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The page after the browser has read it, as the browser writes it out.
fn rendered(url: &str) -> Option<String> {
    chromium(&["--virtual-time-budget=2000", "--dump-dom"], url)
}

/// A page that shows others in frames of some widths and writes down how wide their contents are. The pages are read
/// into the frames here, since ours refuse to be framed.
fn measuring_page(pages: &[String], style: &str, widths: &[u32]) -> String {
    let frames: Vec<(u32, String)> =
        widths.iter().flat_map(|width| pages.iter().map(|page| (*width, page.clone()))).collect();
    let frames = serde_json::to_string(&frames).unwrap().replace("</", "<\\/");
    let style = serde_json::to_string(style).unwrap().replace("</", "<\\/");
    format!(
        "<!DOCTYPE html><body><pre id=out></pre><script>
        const out = [];
        for (const [width, page] of {frames}) {{
            const frame = document.createElement('iframe');
            frame.style = `border: 0; height: 600px; width: ${{width}}px`;
            document.body.append(frame);
            const inside = frame.contentDocument;
            inside.open(); inside.write(page); inside.close();
            inside.querySelectorAll('link[rel=stylesheet]').forEach(link => link.remove());
            const style = inside.createElement('style');
            style.textContent = {style};
            inside.head.append(style);
            const root = inside.documentElement;
            const button = inside.querySelector('button').getBoundingClientRect();
            out.push([width, root.clientWidth, root.scrollWidth, Math.ceil(button.right), Math.floor(button.width)]);
        }}
        document.getElementById('out').textContent = JSON.stringify(out);
        </script>"
    )
}

#[test]
fn on_narrow_screens_nothing_is_cut_off_and_nothing_scrolls_sideways() {
    let dir = tempfile::tempdir().unwrap();
    let (collection, file) = (dir.path().join("narrow.crivello"), dir.path().join("pages.jsonl"));
    let collection = collection.to_str().unwrap();
    let long = "Donaudampfschifffahrtsgesellschaft".repeat(4);
    let line = |number: u32| {
        format!(
            "{{\"url\":\"http://a.test/{long}/{number}?q={long}\",\"title\":\"{long}{number}\",\"text\":\"harbour {long}{number} page {number}\"}}\n"
        )
    };
    std::fs::write(&file, (0..60).map(line).collect::<String>()).unwrap();
    succeeds(&["import", collection, file.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    let server = Server::start(collection);
    let queries =
        ["", "search?q=harbour", "search?q=harbour+absent+filetype:pdf&from=30&copies=1", "search?q=absent"];
    let long_query = format!("search?q=harbour+{long}{long}");
    let pages: Vec<String> = queries
        .iter()
        .chain([&long_query.as_str(), &"search?q=-harbour"])
        .map(|path| server.get(path, server.address()).1)
        .collect();
    let style = server.get("style.css", server.address()).1;
    let widths = [320, 360, 768, 1200];
    let measuring = dir.path().join("measure.html");
    std::fs::write(&measuring, measuring_page(&pages, &style, &widths)).unwrap();
    let url = format!("file://{}", measuring.display());
    let Some(measured) = chromium(&["--dump-dom", "--allow-file-access-from-files"], &url) else {
        skipped("chromium is not installed (apt-get install chromium)");
        return;
    };
    let json =
        measured.split("<pre id=\"out\">").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap();
    let rows: Vec<[i64; 5]> =
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {measured}"));
    assert_eq!(rows.len(), pages.len() * widths.len());
    for (row, number) in rows.iter().zip(0..) {
        let [width, client, scroll, button_right, button_width] = *row;
        let page = number % pages.len();
        assert!(client > width - 30 && scroll <= client, "page {page} at {width}: {row:?}");
        assert!(button_right <= client && button_width > 60, "the button of page {page} at {width}: {row:?}");
    }
}

#[test]
fn a_server_answers_to_its_address_to_localhost_and_to_names_that_it_was_given() {
    let dir = tempfile::tempdir().unwrap();
    let (collection, file) = (dir.path().join("c.crivello"), dir.path().join("a.txt"));
    let collection = collection.to_str().unwrap();
    std::fs::write(&file, "a sieve").unwrap();
    succeeds(&["import", collection, file.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    let options = ["--addr", "localhost:0", "--host-name", "search.test", "--host-name", "other.test"];
    let server = Server::start_with(collection, &options);
    let address = server.address().to_owned();
    for host in [&address, "localhost", "search.test", "other.test:81"] {
        let (head, body) = server.get("api/search?q=sieve", host);
        assert!(head.starts_with("HTTP/1.1 200") && body.contains("\"total\":1"), "{host}: {head}");
    }
    let (head, body) = server.get("api/search?q=sieve", "rebound.test");
    assert!(head.starts_with("HTTP/1.1 421") && body.contains("--host-name rebound.test"), "{head} {body}");
    assert!(!body.contains("total"));
}

#[test]
fn a_browser_shows_results_and_runs_nothing_that_a_page_says() {
    let dir = tempfile::tempdir().unwrap();
    let collection = dir.path().join("c.crivello");
    let collection = collection.to_str().unwrap();
    let file = dir.path().join("pages.jsonl");
    let hostile = r#"{"url":"http://a.test/","title":"<script>document.title='run'</script>","text":"a crivello <img src=x onerror=\"document.title='run'\">"}"#;
    std::fs::write(&file, format!("{hostile}\n")).unwrap();
    succeeds(&["import", collection, file.to_str().unwrap()]);
    succeeds(&["build", collection]);
    let server = Server::start(collection);
    let Some(home) = rendered(&server.url) else {
        return skipped("chromium is not installed, so the search page is not looked at in a browser");
    };
    assert!(home.contains("<form") && home.contains("name=\"q\""), "{home}");
    let results = rendered(&format!("{}search?q=crivello", server.url)).unwrap();
    assert!(results.contains("<mark>crivello</mark>"), "{results}");
    assert!(results.contains("href=\"http://a.test/\""));
    assert!(!results.contains("<title>run") && !results.contains("<img src=\"x\""), "{results}");
}

#[test]
fn a_server_keeps_what_is_asked_for_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let (lines, collection) = (dir.path().join("pages.jsonl"), dir.path().join("hot.crivello"));
    let page = |number| {
        format!(
            "{{\"url\":\"http://a.test/{number}\",\"title\":\"{number}\",\"text\":\"a sieve of brass {number}\"}}\n"
        )
    };
    std::fs::write(&lines, (0..300).map(page).collect::<String>()).unwrap();
    let collection = collection.to_str().unwrap();
    succeeds(&["import", collection, lines.to_str().unwrap(), "--quiet"]);
    succeeds(&["build", collection, "--quiet"]);
    let without = Server::start(collection).get_json("api/stats");
    assert_eq!(without["collection"]["hot"], Value::Null);
    let server = Server::start_with(collection, &["--addr", "127.0.0.1:0", "--hot", "1MiB"]);
    let begun = std::time::Instant::now();
    // What is asked for is kept within a second or two, and then found there.
    loop {
        assert!(!server.get_json("api/search?q=sieve")["results"].as_array().unwrap().is_empty());
        let stats = server.get_json("api/stats");
        let hot = &stats["collection"]["hot"];
        assert_eq!(hot["budget_bytes"], 1 << 20);
        let number = |name: &str| hot[name].as_u64().unwrap();
        assert!(number("kept_bytes") <= 1 << 20 && number("pages_kept") <= number("pages_asked"), "{hot}");
        if number("pages_kept") > 0 {
            break;
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{hot}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
