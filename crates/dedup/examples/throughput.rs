//! How fast are texts sketched? Processor time of one thread, the best of several runs, for each shingling and scheme.
//!
//! `cargo run --release -p dedup --example throughput`
//!
//! The texts are the licences of the test data, joined to documents of about 8 kB; 12 MB in all.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use dedup::minhash::{BBit, SLOTS, Scheme};
use dedup::{PagePrinter, Shingler, Shingling, TextOptions};

const DOCUMENT_BYTES: usize = 8 << 10;
const CORPUS_BYTES: usize = 12 << 20;
const RUNS: usize = 5;

fn main() {
    let data = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let path = data.join("neardup/licensedcode-dev/texts.tsv");
    let Ok(texts) = fs::read_to_string(&path) else {
        println!("skipped: {} is absent (set CRIVELLO_DATA)", path.display());
        return;
    };
    let documents = documents(&texts);
    let bytes: usize = documents.iter().map(Vec::len).sum();
    println!("{} documents, {:.1} MB, {SLOTS} slots", documents.len(), bytes as f64 / 1e6);
    let report = |name: &str, seconds: f64| {
        let per_second = documents.len() as f64 / seconds;
        println!("{name:<48} {:>7.0} MB/s  {per_second:>8.0} documents/s", bytes as f64 / seconds / 1e6);
    };
    let only = std::env::args().nth(1).unwrap_or_default();
    let mut hashes = Vec::new();
    for shingling in [Shingling::Words(5), Shingling::Chars(54), Shingling::SeedChars(54)] {
        let mut shingler = Shingler::new(shingling, TextOptions::default());
        let name = format!("{shingling}, shingles only");
        if name.contains(&only) {
            let seconds = best_seconds(|| {
                for document in &documents {
                    shingler.shingle(document, &mut hashes);
                    black_box(&hashes);
                }
            });
            report(&name, seconds);
        }
        for scheme in Scheme::ALL {
            let name = format!("{shingling}, {scheme}");
            if !name.contains(&only) {
                continue;
            }
            let hasher = scheme.hasher(SLOTS, 0);
            let mut slots = vec![0; SLOTS];
            let seconds = best_seconds(|| {
                for document in &documents {
                    shingler.shingle(document, &mut hashes);
                    hasher.sketch(&hashes, &mut slots);
                    black_box(&slots);
                }
            });
            report(&name, seconds);
        }
    }
    let (plain, numbers, markup) = (
        TextOptions::default(),
        TextOptions { without_numbers: true, ..Default::default() },
        TextOptions { without_markup: true, ..Default::default() },
    );
    let (accented, cyrillic) = (translated(&documents, accent), translated(&documents, to_cyrillic));
    for (name, shingling, options, documents) in [
        ("words:5, fast-similarity, without numbers", Shingling::Words(5), numbers, &documents),
        ("words:5, fast-similarity, without markup", Shingling::Words(5), markup, &documents),
        ("words:5, fast-similarity, accents", Shingling::Words(5), plain, &accented),
        ("words:5, fast-similarity, Cyrillic", Shingling::Words(5), plain, &cyrillic),
        ("chars:54, fast-similarity, accents", Shingling::Chars(54), plain, &accented),
        ("chars:54, fast-similarity, Cyrillic", Shingling::Chars(54), plain, &cyrillic),
    ] {
        if !name.contains(&only) {
            continue;
        }
        let mut shingler = Shingler::new(shingling, options);
        let hasher = Scheme::FastSimilarity.hasher(SLOTS, 0);
        let mut slots = vec![0; SLOTS];
        let seconds = best_seconds(|| {
            for document in documents {
                shingler.shingle(document, &mut hashes);
                hasher.sketch(&hashes, &mut slots);
                black_box(&slots);
            }
        });
        let bytes: usize = documents.iter().map(Vec::len).sum();
        println!("{name:<48} {:>7.0} MB/s", bytes as f64 / seconds / 1e6);
    }
    let mut printer = PagePrinter::new();
    let mut measure = |name: &str, print: &mut dyn FnMut(&mut PagePrinter, &[u8])| {
        if name.contains(&only) {
            report(
                name,
                best_seconds(|| documents.iter().for_each(|document| print(&mut printer, document))),
            );
        }
    };
    measure("text digest", &mut |printer, document| _ = black_box(printer.digest(document)));
    measure("simhash", &mut |printer, document| _ = black_box(printer.simhash64(document)));
    measure("page print: both", &mut |printer, document| _ = black_box(printer.print(document)));
    for bits in BBit::ALL {
        let packed: Vec<Vec<u8>> = (0..64u64)
            .map(|document| {
                let mut packed = Vec::new();
                bits.pack(&[document; SLOTS], &mut packed);
                packed
            })
            .collect();
        let seconds = best_seconds(|| {
            for left in &packed {
                for right in &packed {
                    black_box(bits.agreeing(black_box(left), right, SLOTS));
                }
            }
        });
        println!("compare {SLOTS} slots of {} bits: {:.1} ns", bits.bits(), seconds / 4096.0 * 1e9);
    }
}

/// The licences one after the other, again and again, cut into documents.
fn documents(texts: &str) -> Vec<Vec<u8>> {
    let mut documents = Vec::new();
    let (mut document, mut bytes) = (Vec::new(), 0);
    for line in texts.lines().cycle() {
        document.extend_from_slice(line.splitn(3, '\t').nth(2).unwrap_or_default().as_bytes());
        document.push(b'\n');
        while document.len() >= DOCUMENT_BYTES {
            let rest = document.split_off(DOCUMENT_BYTES);
            bytes += document.len();
            documents.push(std::mem::replace(&mut document, rest));
        }
        if bytes >= CORPUS_BYTES {
            return documents;
        }
    }
    documents
}

/// The documents with other letters.
fn translated(documents: &[Vec<u8>], letter: fn(char) -> char) -> Vec<Vec<u8>> {
    let translate = |document: &Vec<u8>| {
        String::from_utf8_lossy(document).chars().map(letter).collect::<String>().into_bytes()
    };
    documents.iter().map(translate).collect()
}

/// As in French, more or less: one letter in thirty.
fn accent(c: char) -> char {
    match c {
        'c' => 'é',
        'C' => 'É',
        _ => c,
    }
}

/// Every letter of another script.
fn to_cyrillic(c: char) -> char {
    let shifted = |from: char, to: char| char::from_u32(c as u32 - from as u32 + to as u32).unwrap_or(c);
    match c {
        'a'..='z' => shifted('a', 'а'),
        'A'..='Z' => shifted('A', 'А'),
        _ => c,
    }
}

/// The least processor time of several runs.
fn best_seconds(mut run: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let start = thread_seconds();
        run();
        best = best.min(thread_seconds() - start);
    }
    best
}

fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
