//! What a visitor asks for, read from the query of the address.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::{HeaderMap, header};

use page::PageKey;

use crate::backend::{CopiesView, Feedback, Meanings, ReaderLanguages, SearchRequest};
use crate::paging::{RESULTS_PER_PAGE, RESULTS_REACHABLE_MAX};

/// Results in one answer of the JSON interface.
const API_RESULTS_MAX: usize = 100;

/// The parameters of a search, as they came; absent ones are empty.
#[derive(Debug, Default)]
struct RawParameters {
    q: String,
    from: String,
    n: String,
    copies: String,
    similar_to: String,
    as_typed: String,
    lang: String,
    related_to: String,
    semantic: String,
    feedback: String,
    /// The first that is none of these.
    unknown: Option<String>,
}

/// The parameters that there are.
const KNOWN: &str = "q, from, n, copies, similar_to, as_typed, lang, related_to, semantic, \
                     feedback";

/// As the extractor hands them over.
pub(crate) type Extracted = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// Reads requests.
pub(crate) struct Parameters;

impl Parameters {
    /// For people: a `from` that makes no sense is the beginning, one too large the last page.
    pub(crate) fn for_page(extracted: Extracted, headers: &HeaderMap) -> Result<SearchRequest, String> {
        let raw = raw(extracted)?;
        let from = raw.from.trim().parse().unwrap_or(0usize).min(RESULTS_REACHABLE_MAX - RESULTS_PER_PAGE);
        let copies = match raw.similar_to.parse() {
            Ok(key) => CopiesView::Only(PageKey::new(key)),
            Err(_) if raw.copies == "1" => CopiesView::Shown,
            Err(_) => CopiesView::Folded,
        };
        let (query, as_typed) = (raw.q.trim().to_owned(), raw.as_typed == "1");
        let (reader, meanings) = (reader(&raw.lang, headers), meanings(&raw.semantic).unwrap_or_default());
        let feedback = feedback(&raw.feedback).unwrap_or_default();
        let related_to = raw.related_to.parse().ok().map(PageKey::new);
        let count = RESULTS_PER_PAGE;
        Ok(SearchRequest { query, from, count, copies, as_typed, reader, meanings, feedback, related_to })
    }

    /// For programs: whatever makes no sense is an error.
    pub(crate) fn for_api(extracted: Extracted, headers: &HeaderMap) -> Result<SearchRequest, String> {
        let raw = raw(extracted)?;
        if let Some(name) = raw.unknown {
            return Err(format!("there is no parameter “{name}”: those of a search are {KNOWN}"));
        }
        let related_to = key(&raw.related_to, "related_to")?;
        let query = raw.q.trim().to_owned();
        if query.is_empty() && related_to.is_none() {
            return Err("the parameter q is missing: /api/search?q=words".into());
        }
        let count = number(&raw.n, "n", RESULTS_PER_PAGE, 1..=API_RESULTS_MAX)?;
        let from = number(&raw.from, "from", 0, 0..=RESULTS_REACHABLE_MAX - count)?;
        let shown = number(&raw.copies, "copies", 0, 0..=1)? == 1;
        let as_typed = number(&raw.as_typed, "as_typed", 0, 0..=1)? == 1;
        let copies = match key(&raw.similar_to, "similar_to")? {
            None if shown => CopiesView::Shown,
            None => CopiesView::Folded,
            Some(key) => CopiesView::Only(key),
        };
        let reader = reader(&raw.lang, headers);
        let (meanings, feedback) = (meanings(&raw.semantic)?, feedback(&raw.feedback)?);
        Ok(SearchRequest { query, from, count, copies, as_typed, reader, meanings, feedback, related_to })
    }
}

fn raw(extracted: Extracted) -> Result<RawParameters, String> {
    let unreadable = || "The address of this page cannot be read.".to_owned();
    let Query(pairs) = extracted.map_err(|_| unreadable())?;
    let (mut raw, mut seen) = (RawParameters::default(), Vec::new());
    for (name, value) in pairs {
        let place = match name.as_str() {
            "q" => &mut raw.q,
            "from" => &mut raw.from,
            "n" => &mut raw.n,
            "copies" => &mut raw.copies,
            "similar_to" => &mut raw.similar_to,
            "as_typed" => &mut raw.as_typed,
            "lang" => &mut raw.lang,
            "related_to" => &mut raw.related_to,
            "semantic" => &mut raw.semantic,
            "feedback" => &mut raw.feedback,
            _ => {
                raw.unknown.get_or_insert(name);
                continue;
            }
        };
        *place = value;
        if seen.contains(&name) {
            return Err(unreadable());
        }
        seen.push(name);
    }
    Ok(raw)
}

/// The languages that are asked for, or else those that the browser names.
fn reader(asked: &str, headers: &HeaderMap) -> ReaderLanguages {
    let browser = || headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    ReaderLanguages::parse(if asked.is_empty() { browser().unwrap_or_default() } else { asked })
}

/// Whether meanings count: `auto`, `on` or `off`, and 1 or 0.
fn meanings(text: &str) -> Result<Meanings, String> {
    switch(text, "semantic", Meanings::default(), Meanings::named)
}

/// The same for words of the first pages.
fn feedback(text: &str) -> Result<Feedback, String> {
    switch(text, "feedback", Feedback::default(), Feedback::named)
}

fn switch<T>(text: &str, name: &str, default: T, named: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let written = match text {
        "" => return Ok(default),
        "1" => "on",
        "0" => "off",
        text => text,
    };
    named(written).ok_or_else(|| format!("the parameter {name} must be auto, on or off"))
}

/// What was typed so far, for completions.
pub(crate) fn typed(extracted: Extracted) -> Result<String, String> {
    if let Ok(Query(pairs)) = &extracted
        && let Some((name, _)) = pairs.iter().find(|(name, _)| name != "q")
    {
        return Err(format!("there is no parameter “{name}”: that of a completion is q"));
    }
    Ok(raw(extracted)?.q)
}

fn key(text: &str, name: &str) -> Result<Option<PageKey>, String> {
    match text {
        "" => Ok(None),
        text => {
            let key =
                text.parse().map_err(|_| format!("the parameter {name} must be the key of a result"))?;
            Ok(Some(PageKey::new(key)))
        }
    }
}

/// The key of a page that is to be shown, and what was searched for before.
pub(crate) fn wanted_page(extracted: Extracted) -> Result<(PageKey, String), String> {
    let Query(pairs) = extracted.unwrap_or_default();
    let value = |wanted: &str| pairs.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let key = value("key").and_then(|key| key.parse().ok()).map(PageKey::new);
    let key = key.ok_or("The key of a page is a number.")?;
    Ok((key, value("q").unwrap_or_default().trim().to_owned()))
}

/// For what takes no parameters.
pub(crate) fn none_expected(extracted: Extracted) -> Result<(), String> {
    match raw_names(extracted).first() {
        Some(name) => Err(format!("there is no parameter “{name}”: this takes none")),
        None => Ok(()),
    }
}

fn raw_names(extracted: Extracted) -> Vec<String> {
    extracted.map_or_else(|_| Vec::new(), |Query(pairs)| pairs.into_iter().map(|(name, _)| name).collect())
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
