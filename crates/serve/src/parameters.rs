//! What a visitor asks for, read from the query of the address.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use search::QUERY_BYTES_MAX;
use serde::Deserialize;

use crate::backend::{CopiesView, SearchRequest};
use crate::paging::{RESULTS_PER_PAGE, RESULTS_REACHABLE_MAX};

/// Results in one answer of the JSON interface.
const API_RESULTS_MAX: usize = 100;

/// The parameters as they came; absent ones are empty.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct RawParameters {
    #[serde(default)]
    q: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    n: String,
    #[serde(default)]
    copies: String,
    #[serde(default)]
    similar_to: String,
}

/// As the extractor hands them over.
pub(crate) type Extracted = Result<Query<RawParameters>, QueryRejection>;

/// Reads requests.
pub(crate) struct Parameters;

impl Parameters {
    /// For people: a `from` that makes no sense is the beginning, one too large the last page.
    pub(crate) fn for_page(extracted: Extracted) -> Result<SearchRequest, String> {
        let raw = raw(extracted)?;
        let from = raw.from.trim().parse().unwrap_or(0usize).min(RESULTS_REACHABLE_MAX - RESULTS_PER_PAGE);
        let copies = match raw.similar_to.parse() {
            Ok(key) => CopiesView::Only(key),
            Err(_) if raw.copies == "1" => CopiesView::Shown,
            Err(_) => CopiesView::Folded,
        };
        Ok(SearchRequest { query: checked_query(raw.q)?, from, count: RESULTS_PER_PAGE, copies })
    }

    /// For programs: whatever makes no sense is an error.
    pub(crate) fn for_api(extracted: Extracted) -> Result<SearchRequest, String> {
        let raw = raw(extracted)?;
        let query = checked_query(raw.q)?;
        if query.is_empty() {
            return Err("the parameter q is missing: /api/search?q=words".into());
        }
        let count = number(&raw.n, "n", RESULTS_PER_PAGE, 1..=API_RESULTS_MAX)?;
        let from = number(&raw.from, "from", 0, 0..=RESULTS_REACHABLE_MAX - count)?;
        let shown = number(&raw.copies, "copies", 0, 0..=1)? == 1;
        let copies = match raw.similar_to.as_str() {
            "" if shown => CopiesView::Shown,
            "" => CopiesView::Folded,
            key => CopiesView::Only(
                key.parse().map_err(|_| "the parameter similar_to must be the key of a result")?,
            ),
        };
        Ok(SearchRequest { query, from, count, copies })
    }
}

fn raw(extracted: Extracted) -> Result<RawParameters, String> {
    let Query(raw) = extracted.map_err(|_| "The address of this page cannot be read.".to_owned())?;
    Ok(raw)
}

fn checked_query(query: String) -> Result<String, String> {
    let trimmed = query.trim();
    if trimmed.len() > QUERY_BYTES_MAX {
        return Err(format!("The query is longer than {QUERY_BYTES_MAX} bytes: please use fewer words."));
    }
    Ok(trimmed.to_owned())
}

fn number(
    text: &str,
    name: &str,
    default: usize,
    allowed: std::ops::RangeInclusive<usize>,
) -> Result<usize, String> {
    if text.is_empty() {
        return Ok(default);
    }
    text.parse().ok().filter(|number| allowed.contains(number)).ok_or_else(|| {
        format!("the parameter {name} must be a number from {} to {}", allowed.start(), allowed.end())
    })
}
