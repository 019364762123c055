//! From a request to the bytes of its answer. No sockets here.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use crate::FakeWeb;
use crate::address::Address;
use crate::anchor::PHANTOM_PREFIX;
use crate::audit::Asked;
use crate::rng::Purpose;

/// Bytes to a chunk, for hosts that send chunks.
const CHUNK_BYTES: usize = 3000;

/// A request, read.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub host: u32,
    /// Host and port as the client wrote them.
    pub authority: &'a str,
    /// Path and query.
    pub path: &'a str,
    pub method: Method,
    pub accepts_gzip: bool,
    /// HTTP/1.1: can read chunks.
    pub accepts_chunks: bool,
    pub if_none_match: Option<&'a str>,
    pub keep_alive: bool,
}

/// What the client wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Other,
}

/// What a path of a host stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Robots,
    Sitemap,
    Known(Address),
    Nothing,
}

impl FakeWeb {
    /// What a request asks for, and what the audit should think of it.
    pub(crate) fn resource(&self, host: u32, path: &str) -> (Resource, Asked) {
        if path == "/robots.txt" {
            return (Resource::Robots, Asked::Robots);
        }
        if path.starts_with("/sitemap") && path.ends_with(".xml") {
            return (Resource::Sitemap, Asked::Allowed);
        }
        match self.resolve(host, path) {
            Some(address) if self.is_forbidden_address(address) => {
                (Resource::Known(address), Asked::Forbidden)
            }
            Some(address) => (Resource::Known(address), Asked::Allowed),
            None if path.starts_with(PHANTOM_PREFIX) => (Resource::Nothing, Asked::Phantom),
            None => (Resource::Nothing, Asked::Allowed),
        }
    }
}

/// Makes answers, with buffers that are used again and again.
pub(crate) struct Responder<'a> {
    web: &'a FakeWeb,
    port: u16,
    body: String,
    extra_head: String,
    /// The last answer: head and body as they go over the wire.
    pub answer: Vec<u8>,
}

impl<'a> Responder<'a> {
    pub fn new(web: &'a FakeWeb, port: u16) -> Self {
        let (body, extra_head) = (String::with_capacity(16 << 10), String::new());
        Self { web, port, body, extra_head, answer: Vec::with_capacity(20 << 10) }
    }

    /// Makes the answer to a request; gives its status, and the page if it was answered with a page.
    pub fn respond(&mut self, request: &Request, resource: Resource) -> (u16, Option<u32>) {
        self.body.clear();
        self.extra_head.clear();
        let (status, content_type) = match resource {
            _ if request.method == Method::Other => ("405 Method Not Allowed", PLAIN),
            Resource::Robots if self.write_robots(request) => ("200 OK", PLAIN),
            Resource::Sitemap if self.write_sitemap(request) => ("200 OK", "application/xml"),
            Resource::Known(address) => self.respond_known(request, address),
            Resource::Robots | Resource::Sitemap | Resource::Nothing => self.nothing(request.path),
        };
        self.assemble(request, status, content_type);
        let page = match resource {
            Resource::Known(Address::Page(page)) if status == OK && request.method == Method::Get => {
                Some(page)
            }
            _ => None,
        };
        (status[..3].parse().expect("every status begins with three digits"), page)
    }

    fn write_robots(&mut self, request: &Request) -> bool {
        self.web.host(request.host).robots.write(self.web.config(), request.authority, &mut self.body)
    }

    fn write_sitemap(&mut self, request: &Request) -> bool {
        self.web.write_sitemap(request.host, request.path, request.authority, &mut self.body)
    }

    fn respond_known(&mut self, request: &Request, address: Address) -> (&'static str, &'static str) {
        if let Address::Page(page) = address {
            let tag = format!("\"{:x}-{page:x}\"", self.web.config().seed);
            let unchanged = request.if_none_match == Some(tag.as_str());
            self.extra_head.push_str("ETag: ");
            self.extra_head.push_str(&tag);
            self.extra_head.push_str("\r\n");
            if unchanged {
                return (NOT_MODIFIED, HTML);
            }
            self.web.write_page(page, self.port, &mut self.body);
            return (OK, HTML);
        }
        match self.web.redirect_of(address) {
            Some(target) => (self.redirect(request, address, target), HTML),
            None => self.nothing(request.path),
        }
    }

    fn redirect(&mut self, request: &Request, address: Address, target: Address) -> &'static str {
        let key = match address {
            Address::Moved { page, hops } => page.wrapping_mul(4).wrapping_add(u32::from(hops)),
            Address::Out { page, .. } => page,
            _ => 0,
        };
        let mut rng = self.web.rng(Purpose::Redirect, key);
        self.extra_head.push_str("Location: ");
        if self.web.host_of(target) == request.host && (self.web.host_count() == 1 || rng.below(2) == 0) {
            self.web.write_path(target, &mut self.extra_head);
        } else {
            self.web.write_address(target, self.port, &mut self.extra_head);
        }
        self.extra_head.push_str("\r\n");
        self.body.push_str("<!DOCTYPE html><title>Moved</title><p>This page lives elsewhere.</p>\n");
        rng.pick(&[
            "301 Moved Permanently",
            "302 Found",
            "301 Moved Permanently",
            "303 See Other",
            "307 Temporary Redirect",
            "308 Permanent Redirect",
        ])
    }

    fn nothing(&mut self, path: &str) -> (&'static str, &'static str) {
        self.body.push_str("<!DOCTYPE html><title>Not here</title><p>There is no such page.</p>\n");
        // Some holes say that they are for ever.
        (if path.contains("/gone-") && path.ends_with('0') { "410 Gone" } else { "404 Not Found" }, HTML)
    }

    /// Puts head and body together, in the coding that the host likes.
    fn assemble(&mut self, request: &Request, status: &str, content_type: &str) {
        let host = self.web.host(request.host);
        let gzip = host.gzip && request.accepts_gzip && status == OK;
        let chunked = host.chunked && request.accepts_chunks && status == OK;
        let compressed = gzip.then(|| compress(self.body.as_bytes()));
        let body = compressed.as_deref().unwrap_or(self.body.as_bytes());
        let out = &mut self.answer;
        out.clear();
        for piece in ["HTTP/1.1 ", status, "\r\nServer: lab\r\nContent-Type: ", content_type, "\r\n"] {
            out.extend_from_slice(piece.as_bytes());
        }
        out.extend_from_slice(self.extra_head.as_bytes());
        if gzip {
            out.extend_from_slice(b"Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n");
        }
        if !request.keep_alive {
            out.extend_from_slice(b"Connection: close\r\n");
        }
        if status == NOT_MODIFIED {
            out.extend_from_slice(b"\r\n");
        } else {
            push_body(body, chunked, request.method != Method::Head, out);
        }
    }
}

/// The end of the head, which says how long the body is, and the body unless only the head was asked for.
fn push_body(body: &[u8], chunked: bool, with_body: bool, out: &mut Vec<u8>) {
    if chunked {
        out.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
    } else {
        write!(out, "Content-Length: {}\r\n\r\n", body.len()).expect("a vector takes all");
    }
    match (with_body, chunked) {
        (false, _) => {}
        (true, true) => push_chunks(body, out),
        (true, false) => out.extend_from_slice(body),
    }
}

const OK: &str = "200 OK";
const NOT_MODIFIED: &str = "304 Not Modified";
const HTML: &str = "text/html; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

fn compress(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 2), Compression::fast());
    encoder.write_all(body).and_then(|()| encoder.finish()).expect("a vector takes all")
}

fn push_chunks(body: &[u8], out: &mut Vec<u8>) {
    for chunk in body.chunks(CHUNK_BYTES) {
        write!(out, "{:x}\r\n", chunk.len()).expect("a vector takes all");
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
}
