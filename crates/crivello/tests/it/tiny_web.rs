//! A web in which the order of a crawl makes all the difference: on each host, what all pages link to is named last.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

/// Pages that nobody but the home page links to, and that link to all good ones.
pub const LEAVES: usize = 300;
/// Pages that all leaves link to.
pub const GOOD: usize = 50;

/// Serves the same pages on every address of this machine, until the test ends.
pub struct TinyWeb {
    port: u16,
}

impl TinyWeb {
    pub fn start() -> Self {
        Self::serving(page)
    }

    /// Gives what `page` has for a path, or 404.
    pub fn serving(page: fn(&str) -> Option<String>) -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || answer(stream, page));
            }
        });
        Self { port }
    }

    /// The home page of one of its hosts.
    pub fn home(&self, host: u8) -> String {
        format!("http://127.0.0.{host}:{}/", self.port)
    }
}

/// One answer; whoever goes away early gets none.
fn answer(mut stream: TcpStream, page: fn(&str) -> Option<String>) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    while !lines.next()?.ok()?.is_empty() {}
    let body = page(&path);
    let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
    let body = body.unwrap_or_default();
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).ok()
}

fn page(path: &str) -> Option<String> {
    let links = |name: &str, count: usize| -> String {
        (0..count).map(|number| format!("<a href='/{name}/{number}'>{name}</a> ")).collect()
    };
    let links = match path.split('/').nth(1)? {
        "" => links("leaf", LEAVES) + &links("good", GOOD),
        "leaf" => links("good", GOOD),
        "good" => String::new(),
        _ => return None,
    };
    Some(format!("<title>{path}</title><p>This is the page {path} and no other.</p>{links}"))
}
