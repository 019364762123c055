//! A server on this machine that answers each path as a test says.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// What is sent: status, further lines of the head, and the body of an HTML page.
pub struct Answer(pub u16, pub String, pub String);

/// Serves until the test ends.
pub struct Scripted {
    pub home: String,
}

impl Scripted {
    pub fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let home = format!("http://{}/", listener.local_addr().unwrap());
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer = answer.clone();
                std::thread::spawn(move || serve(stream, &*answer));
            }
        });
        Self { home }
    }
}

/// One answer; whoever goes away early gets none.
fn serve(mut stream: TcpStream, answer: &dyn Fn(&str) -> Answer) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    while !lines.next()?.ok()?.is_empty() {}
    let Answer(status, head, body) = answer(&path);
    let head =
        format!("HTTP/1.1 {status} x\r\n{head}Content-Type: text/html\r\nContent-Length: {}\r\n", body.len());
    stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).ok()
}
