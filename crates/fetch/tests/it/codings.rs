//! Compressed bodies, over a real socket.

use std::io::Write;

use fetch::FetchLimits;
use page::Truncation;

use crate::scripted::{answer_and_stay, ask, response};

#[tokio::test]
async fn compressed_bodies_are_kept_as_they_came_and_read_as_they_are_meant() {
    let text = "a page of some words ".repeat(400);
    let (zipped, zlib, bare) = (gzip(text.as_bytes()), zlib(text.as_bytes()), bare_deflate(text.as_bytes()));
    let cases = [
        ("gzip", zipped.clone()),
        ("X-GZip", zipped.clone()),
        ("identity, gzip", zipped.clone()),
        ("gzip", [gzip(b"a page of some words "), gzip(&text.as_bytes()[21..])].concat()),
        ("gzip", [&zipped[..], b"rubbish behind"].concat()),
        ("deflate", zlib.clone()),
        ("deflate", bare),
        ("deflate, gzip", gzip(&zlib)),
    ];
    for (coding, body) in cases {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let (fetched, kept) =
            ask(answer_and_stay([head.as_bytes(), &body].concat()), FetchLimits::default()).await;
        let response = response(&fetched);
        assert!(response.raw_body == body && kept, "{coding}");
        assert!(response.body() == text.as_bytes(), "{coding}");
        assert_eq!(response.truncated, None, "{coding}");
    }
}

#[tokio::test]
async fn chunked_and_compressed_bodies_lose_both() {
    let zipped = gzip("words ".repeat(100).as_bytes());
    for head in [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    ] {
        let bytes = [head.as_bytes(), &chunked(&zipped, 7)].concat();
        let (fetched, kept) = ask(answer_and_stay(bytes), FetchLimits::default()).await;
        assert!(response(&fetched).body() == "words ".repeat(100).as_bytes() && kept, "{head}");
        assert_eq!(response(&fetched).raw_body, chunked(&zipped, 7));
    }
}

#[tokio::test]
async fn damaged_compression_gives_what_came_before_the_damage() {
    let text: Vec<u8> = (0..40_000u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_be_bytes()).collect();
    let zipped = gzip(&text);
    let mut flipped = zipped.clone();
    let last = flipped.len() - 6;
    flipped[last] ^= 1;
    for (name, body) in [("cut off", &zipped[..zipped.len() / 2]), ("wrong checksum", &flipped)] {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
        let (fetched, kept) =
            ask(answer_and_stay([head.as_bytes(), body].concat()), FetchLimits::default()).await;
        let response = response(&fetched);
        assert_eq!((response.truncated, kept), (Some(Truncation::Unspecified), true), "{name}");
        assert!(text.starts_with(response.body()) && response.body().len() > text.len() / 3, "{name}");
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn chunked(bytes: &[u8], chunk_bytes: usize) -> Vec<u8> {
    let mut body = Vec::new();
    for chunk in bytes.chunks(chunk_bytes) {
        body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        body.extend_from_slice(chunk);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"0\r\n\r\n");
    body
}
