//! Ranking quality on the Cranfield collection: 1400 abstracts, 225 questions, judged by people.

use std::collections::HashMap;
use std::path::PathBuf;

use search::{Bm25Parameters, Query};

use crate::fixture;

/// The collection's folder; tests that need it say so when it is absent.
fn cranfield() -> Option<PathBuf> {
    let data = match std::env::var_os("CRIVELLO_DATA") {
        Some(data) => PathBuf::from(data),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let folder = data.join("ir/cranfield");
    if folder.join("docs.jsonl").exists() {
        return Some(folder);
    }
    // Not by `println!`, which a passing test keeps to itself.
    let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", folder.display());
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
        .expect("standard error can be written to");
    None
}

#[derive(serde::Deserialize)]
struct Abstract {
    id: String,
    title: String,
    text: String,
}

/// Gains of the judged documents of each question.
fn judgements(text: &str) -> HashMap<String, HashMap<String, f64>> {
    let mut judgements = HashMap::<String, HashMap<String, f64>>::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let gain = fields[2].parse::<f64>().unwrap().max(0.0);
        judgements.entry(fields[0].to_owned()).or_default().insert(fields[1].to_owned(), gain);
    }
    judgements
}

/// Discounted cumulative gain of the first ten, as a share of the best possible.
fn ndcg_at_10(ranked: &[f64], judged: &HashMap<String, f64>) -> f64 {
    let dcg = |gains: &[f64]| -> f64 {
        gains.iter().take(10).zip(2..).map(|(gain, place)| gain / f64::from(place).log2()).sum()
    };
    let mut ideal: Vec<f64> = judged.values().copied().collect();
    ideal.sort_by(|a, b| b.total_cmp(a));
    dcg(ranked) / dcg(&ideal)
}

#[test]
fn cranfield_is_ranked_about_as_well_as_by_a_reference_with_stemming() {
    let Some(folder) = cranfield() else { return };
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
    let abstracts: Vec<Abstract> =
        read("docs.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pages: Vec<(&str, &str)> =
        abstracts.iter().map(|page| (page.title.as_str(), page.text.as_str())).collect();
    let fixture = fixture(&pages, Bm25Parameters::default());
    let judgements = judgements(&read("qrels.tsv"));
    let mut scores = Vec::new();
    for line in read("queries.tsv").lines() {
        let (id, text) = line.split_once('\t').unwrap();
        let Some(judged) = judgements.get(id).filter(|judged| judged.values().any(|&gain| gain > 0.0)) else {
            continue;
        };
        let mut words: Vec<String> = Vec::new();
        index::Analyzer.tokens(text, &mut |token| words.push(token.term.to_owned()));
        words.truncate(search::QUERY_TERMS_MAX);
        let hits = fixture.searcher.search(&Query::parse(&words.join(" OR ")).unwrap(), 0, 10).unwrap();
        let gain = |doc: u32| judged.get(&abstracts[doc as usize].id).copied().unwrap_or(0.0);
        let ranked: Vec<f64> = hits.hits.iter().map(|hit| gain(hit.doc)).collect();
        scores.push(ndcg_at_10(&ranked, judged));
    }
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    println!("cranfield: nDCG@10 {mean:.4} over {} questions", scores.len());
    // A reference BM25 with stemming and stop words reaches 0.4237 on these judgements.
    assert!(mean >= 0.41, "nDCG@10 is {mean:.4}");
}
