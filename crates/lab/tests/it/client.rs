//! A blocking HTTP client, as small as can be: one kept connection per IP address.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use page::PageUrl;

pub struct Answer {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: String,
}

pub struct Client {
    ip_of_host: HashMap<String, String>,
    connections: HashMap<String, BufReader<TcpStream>>,
}

impl Client {
    pub fn new(hosts_tsv: &str) -> Self {
        let pair = |line: &str| {
            let (ip, host) = line.split_once('\t').expect("a tab");
            (host.to_owned(), ip.to_owned())
        };
        Self { ip_of_host: hosts_tsv.lines().map(pair).collect(), connections: HashMap::new() }
    }

    pub fn get(&mut self, url: &PageUrl) -> Answer {
        self.request("GET", url, "Accept-Encoding: gzip\r\n")
    }

    pub fn request(&mut self, method: &str, url: &PageUrl, headers: &str) -> Answer {
        let ip = self.ip_of_host.get(url.host()).map_or(url.host(), String::as_str);
        let socket = format!("{ip}:{}", url.port());
        let connection = self
            .connections
            .entry(socket.clone())
            .or_insert_with(|| BufReader::new(TcpStream::connect(socket).expect("the lab listens")));
        let (path, authority) = (url.path_and_query(), url.authority());
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\n{headers}\r\n");
        connection.get_mut().write_all(head.as_bytes()).expect("the lab reads");
        read_answer(connection, method == "HEAD")
    }
}

fn read_answer(connection: &mut BufReader<TcpStream>, head_only: bool) -> Answer {
    let status_line = read_line(connection);
    let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect(&status_line);
    let mut headers = HashMap::new();
    loop {
        let line = read_line(connection);
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut bytes = Vec::new();
    if !head_only && status != 304 {
        read_body(connection, &headers, &mut bytes);
    }
    let mut body = String::new();
    if headers.get("content-encoding").is_some_and(|coding| coding == "gzip") && !head_only {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut body).expect("sound gzip");
    } else {
        body = String::from_utf8(bytes).expect("UTF-8");
    }
    Answer { status, headers, body }
}

fn read_body(connection: &mut BufReader<TcpStream>, headers: &HashMap<String, String>, out: &mut Vec<u8>) {
    let mut take = |length: usize, connection: &mut BufReader<TcpStream>| {
        let start = out.len();
        out.resize(start + length, 0);
        connection.read_exact(&mut out[start..]).expect("as many bytes as promised");
    };
    if let Some(length) = headers.get("content-length") {
        return take(length.parse().expect("a number"), connection);
    }
    assert_eq!(headers["transfer-encoding"], "chunked");
    loop {
        let length = usize::from_str_radix(&read_line(connection), 16).expect("a hexadecimal number");
        take(length, connection);
        assert_eq!(read_line(connection), "");
        if length == 0 {
            return;
        }
    }
}

fn read_line(connection: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    connection.read_line(&mut line).expect("the lab answers");
    line.trim_end().to_owned()
}
