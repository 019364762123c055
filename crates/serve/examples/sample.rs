//! The search page over a made-up collection, to look at it: `cargo run -p serve --example sample [ADDRESS]`.

use std::sync::Arc;

use serve::{
    Answer, CollectionInfo, Fragment, QueryProblem, SearchBackend, SearchRequest, SearchResult, SearchServer,
    Snippet,
};

struct Sample;

impl SearchBackend for Sample {
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        let (query, from, count) = (request.query.as_str(), request.from, request.count);
        let total = match query {
            "nothing" => 0,
            "-nothing" => return Err(QueryProblem::Bad("the query only says what not to find".into())),
            "broken" => return Err(QueryProblem::Internal("a torn file".into())),
            _ => 2_345,
        };
        let last = (from + count).min(total);
        let results = (from..last).map(|index| sample_result(query, index)).collect();
        let partial = query == "partial";
        Ok(Answer {
            total: total as u64,
            total_is: if partial { search::TotalIs::AtLeast } else { search::TotalIs::Exact },
            with_all_words: total as u64 / 3,
            notes: Vec::new(),
            unknown_words: Vec::new(),
            took_us: 1_840,
            query: query.into(),
            from,
            partial,
            results,
            ..Answer::default()
        })
    }

    fn collection(&self) -> CollectionInfo {
        let name = "Documentation of small machines".into();
        CollectionInfo {
            name,
            documents: 48_213,
            hosts: 27,
            index_bytes: 91_234_567,
            has_related: true,
            hot: None,
        }
    }
}

fn sample_result(query: &str, index: usize) -> SearchResult {
    let titles = [
        "Sieves and frontiers",
        "How water finds its way",
        "",
        "قائمة المراجع",
        "A <b>bold</b> title & more",
    ];
    let plain = |text: &str| Fragment { text: text.into(), marked: false };
    let fragments = vec![
        plain("A page about "),
        Fragment { text: query.into(), marked: true },
        plain(
            ", written to be found. It goes on for a while, so that the snippet takes about two lines and says ",
        ),
        Fragment { text: query.into(), marked: true },
        plain(" once more before it ends …"),
    ];
    let title = titles[index % titles.len()];
    SearchResult {
        rank: index + 1,
        url: format!("https://docs{}.example.org/guide/part-{}/caff%C3%A8.html", index % 7, index),
        breadcrumb: vec![plain(&format!(
            "docs{}.example.org › guide › part-{index} › caffè.html",
            index % 7
        ))],
        collection: None,
        title: title.into(),
        title_fragments: vec![plain(title)],
        date: (index % 4 == 1).then(|| "2026-03-14".into()),
        snippet: Snippet { fragments },
        score: 20.0 - index as f64 / 10.0,
        key: page::PageKey::new(index as u64),
        similar: if index % 3 == 1 { index as u64 } else { 0 },
        more_from_site: (index % 5 == 2).then(|| format!("docs{}.example.org", index % 7)),
        missing_words: if index > 4 { vec!["small".into()] } else { Vec::new() },
        explanation: None,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".into());
    let address = address.parse().map_err(|_| std::io::Error::other("the address is not IP:PORT"))?;
    let server = SearchServer::bind(address)?;
    println!("http://{}/", server.local_addr());
    server.serve(Arc::new(Sample), std::future::pending()).await
}
