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
        let mut command = crivello();
        command.args(["serve", collection, "--addr", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url =
            line.split_whitespace().find(|word| word.starts_with("http://")).expect("it says where it is");
        Self { url: url.to_owned(), child }
    }

    /// The answer to a request for JSON.
    pub fn get_json(&self, path: &str) -> Value {
        let host = self.url.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(body).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The page after the browser has read it, as the browser writes it out.
fn rendered(url: &str) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--virtual-time-budget=2000", "--dump-dom", url])
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
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
