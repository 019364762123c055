//! Which 64 bits tell best whether two texts with near SimHashes are similar?
//!
//! `cargo run --release -p crawl --example copy_check`
//!
//! Candidates are all pairs of different texts whose SimHashes differ in at most 3 bits, among licences and among pages of
//! fake webs. Of each sort one half sets the limit: the least distance that keeps 95 of 100 pairs of similarity 0.8 and
//! more. With it the other half tells how many of these are kept, and how many of similarity below 0.5 pass.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dedup::{Shingler, Shingling, SimHash64, TextOptions, hamming, jaccard, make_set, page_print};
use lab::{FakeWeb, LabConfig};
use page::{ContentType, PageUrl};

const PAGES: u32 = 3000;

fn main() {
    let data = std::env::var_os("CRIVELLO_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let licences = std::fs::read_to_string(data.join("neardup/licensedcode-dev/texts.tsv"));
    let licences = licences.expect("texts of licences are there (set CRIVELLO_DATA)");
    let licences = licences.lines().filter_map(|line| line.splitn(3, '\t').nth(2)).enumerate();
    let (even, odd): (Vec<_>, Vec<_>) = licences.partition(|(number, _)| number % 2 == 0);
    let texts = |half: Vec<(usize, &str)>| half.into_iter().map(|(_, text)| text.to_owned()).collect();
    let [first, second] = [(even, [1, 2]), (odd, [3, 4])].map(|(licences, seeds)| {
        let webs = seeds.map(|seed| Candidates::among(web_texts(seed)));
        let mut all = Candidates::among(texts(licences));
        for web in webs {
            all.right.extend(web.right);
            all.wrong.extend(web.wrong);
        }
        all
    });
    println!("right and wrong: {} {}", first.right.len(), first.wrong.len());
    println!("held out:        {} {}", second.right.len(), second.wrong.len());
    for rows in [1, 2, 3, 5] {
        let simhash = |text: &str| SimHash64::of(shingles(text, rows).into_iter().map(|hash| (hash, 1))).0;
        let distance = |left: u64, right: u64| f64::from(hamming(left, right));
        report(&format!("SimHash, rows of {rows}"), &first, &second, &simhash, &distance);
        report(&format!("MinHash, rows of {rows}"), &first, &second, &|text| minhash(text, rows), &distance);
        let share = |left: u64, right: u64| distance(left, right) / f64::from((left | right).count_ones());
        report(&format!("the same, of ones {rows}"), &first, &second, &|text| minhash(text, rows), &share);
    }
}

/// Pairs of texts.
struct Candidates {
    right: Vec<(String, String)>,
    wrong: Vec<(String, String)>,
}

impl Candidates {
    fn among(mut texts: Vec<String>) -> Self {
        let mut seen = HashSet::new();
        texts.retain(|text| {
            let print = page_print(text.as_bytes());
            print.near().is_some() && seen.insert(print.digest)
        });
        let simhashes: Vec<u64> = texts.iter().map(|text| page_print(text.as_bytes()).simhash).collect();
        let mut found = Self { right: Vec::new(), wrong: Vec::new() };
        for (i, left) in texts.iter().enumerate() {
            for (j, right) in texts.iter().enumerate().take(i) {
                if hamming(simhashes[i], simhashes[j]) > dedup::COPY_DISTANCE_MAX {
                    continue;
                }
                let [left_set, right_set] = [left, right].map(|text| {
                    let mut set = shingles(text, 5);
                    make_set(&mut set);
                    set
                });
                match jaccard(&left_set, &right_set) {
                    0.8.. => found.right.push((left.clone(), right.clone())),
                    ..0.5 => found.wrong.push((left.clone(), right.clone())),
                    _ => {}
                }
            }
        }
        found
    }
}

fn web_texts(seed: u64) -> Vec<String> {
    let web = FakeWeb::new(LabConfig { seed, pages: PAGES, ..LabConfig::default() });
    let url = PageUrl::parse("http://a.test/").expect("an address");
    let html = ContentType("text/html; charset=utf-8");
    (0..PAGES).map(|page| parse::parse_page(&url, html, web.page_html(page, 80).as_bytes()).text).collect()
}

fn shingles(text: &str, words: usize) -> Vec<u64> {
    let mut hashes = Vec::new();
    Shingler::new(Shingling::Words(words), TextOptions::default()).shingle(text.as_bytes(), &mut hashes);
    hashes
}

/// As `PagePrint::check`, for rows of any length.
fn minhash(text: &str, rows: usize) -> u64 {
    let mut least = [u64::MAX; 64];
    for hash in shingles(text, rows) {
        let slot = &mut least[(hash >> 58) as usize];
        *slot = (*slot).min(hash);
    }
    least.iter().rev().fold(0, |bits, least| bits << 1 | (!least & 1))
}

fn report(
    name: &str,
    first: &Candidates,
    second: &Candidates,
    print: &dyn Fn(&str) -> u64,
    distance: &dyn Fn(u64, u64) -> f64,
) {
    let distances = |pairs: &[(String, String)]| {
        let of_pair = |(left, right): &(String, String)| distance(print(left), print(right));
        let mut distances: Vec<f64> = pairs.iter().map(of_pair).collect();
        distances.sort_by(f64::total_cmp);
        distances
    };
    let calibration = distances(&first.right);
    let limit = calibration[calibration.len() * 95 / 100];
    let within = |pairs: &[(String, String)]| {
        distances(pairs).iter().take_while(|distance| **distance <= limit).count()
    };
    println!(
        "{name:<22} limit {limit:>6.3}, kept {:.3}, wrong {} and held out: kept {:.3}, wrong {}",
        within(&first.right) as f64 / first.right.len() as f64,
        within(&first.wrong),
        within(&second.right) as f64 / second.right.len() as f64,
        within(&second.wrong),
    );
}
