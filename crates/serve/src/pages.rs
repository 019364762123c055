//! For people: the pages, filled into templates that escape everything.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use page::{PageKey, counted, format_bytes, thousands};
use search::TotalIs;
use tracing::error;

use crate::backend::{
    Answer, CollectionInfo, CopiesView, Feedback, Fragment, Meanings, SearchRequest, SearchResult,
};
use crate::display::{duration, leads_nowhere, safe_href, visible};
use crate::failure::Failure;
use crate::paging::Paging;
use crate::parameters::{Extracted, Parameters};
use crate::service::Service;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    name: String,
    size: String,
}

#[derive(Template)]
#[template(path = "results.html")]
struct ResultsPage {
    name: String,
    query: String,
    summary: String,
    notes: Vec<String>,
    is_partial: bool,
    results: Vec<ResultView>,
    paging: Paging,
    /// What pages of the same list add to their address.
    view: String,
    /// These are the copies of one page.
    is_group: bool,
    /// Pages are not shown because they are copies of others.
    has_folded: bool,
    /// The query as it was probably meant, if a word seems to be misspelled.
    meant: Option<String>,
    /// The results are those of what was probably meant.
    is_corrected: bool,
    /// The address of the page that these speak of the same as.
    related_to: Option<String>,
    /// Pages that speak of the same can be asked for.
    has_related: bool,
}

#[derive(Template)]
#[template(path = "message.html")]
struct MessagePage {
    name: String,
    query: String,
    heading: &'static str,
    message: String,
    notes: Vec<String>,
    /// The query as it was probably meant.
    meant: Option<String>,
    shows_help: bool,
}

#[derive(Template)]
#[template(path = "opensearch.xml", escape = "html")]
struct OpenSearch {
    name: String,
    host: String,
}

/// A result as the template shows it.
struct ResultView {
    title: Vec<FragmentView>,
    /// `None` for what is not the address of a page: then it is text.
    href: Option<String>,
    crumb: Vec<FragmentView>,
    /// The day on which it was changed; empty if it is not known.
    date: String,
    fragments: Vec<FragmentView>,
    /// Words of the query that it does not have; empty for none.
    missing: String,
    /// Nobody can go there: the link is to its text as it is kept.
    leads_nowhere: bool,
    key: PageKey,
    /// How many copies are not shown; empty for none.
    similar: String,
    /// A host that has more, and the query that asks for it alone.
    more: Option<MoreFromSite>,
}

struct MoreFromSite {
    host: String,
    query: String,
}

struct FragmentView {
    text: String,
    is_marked: bool,
}

impl ResultView {
    fn new(result: &SearchResult, query: &str) -> Self {
        let has_title = !visible(&result.title).trim().is_empty();
        let href = safe_href(&result.url);
        Self {
            title: shown(if has_title { &result.title_fragments } else { &result.breadcrumb }),
            leads_nowhere: href.as_deref().is_some_and(leads_nowhere),
            href,
            crumb: shown(&result.breadcrumb),
            date: result.date.clone().unwrap_or_default(),
            missing: visible(&result.missing_words.join(", ")),
            key: result.key,
            similar: if result.similar > 0 { counted(result.similar, "similar page") } else { String::new() },
            more: result
                .more_from_site
                .as_ref()
                .map(|host| MoreFromSite { host: visible(host), query: format!("site:{host} ({query})") }),
            fragments: shown(&result.snippet.fragments),
        }
    }
}

fn shown(fragments: &[Fragment]) -> Vec<FragmentView> {
    let view = |part: &Fragment| FragmentView { text: visible(&part.text), is_marked: part.marked };
    fragments.iter().map(view).collect()
}

/// `/`, where a query is meant for the search.
pub(crate) async fn home(State(service): State<Arc<Service>>, RawQuery(typed): RawQuery) -> Response {
    let asks = |typed: &String| typed.split('&').any(|pair| pair.starts_with("q=") && pair != "q=");
    match typed.filter(asks) {
        Some(typed) => Redirect::temporary(&format!("/search?{typed}")).into_response(),
        None => home_page(service.gate.backend().collection()),
    }
}

fn home_page(collection: CollectionInfo) -> Response {
    let CollectionInfo { name, documents, hosts, index_bytes, .. } = collection;
    let size = format!(
        "{} from {} · index of {}",
        counted(documents, "page"),
        counted(hosts, "site"),
        format_bytes(index_bytes)
    );
    rendered(&HomePage { name: visible(&name), size })
}

/// `/search`
pub(crate) async fn search(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    extracted: Extracted,
) -> Response {
    let collection = service.gate.backend().collection();
    let parameters = match Parameters::for_page(extracted, &headers) {
        Ok(parameters) if parameters.query.is_empty() && parameters.related_to.is_none() => {
            return home_page(collection);
        }
        Ok(parameters) => parameters,
        Err(message) => return failure_page(collection.name, String::new(), Failure::bad(message)),
    };
    match service.search(&parameters).await {
        Ok(answer) if answer.results.is_empty() => nothing_page(collection.name, parameters, &answer),
        Ok(answer) => results_page(collection, parameters, &answer),
        Err(failure) => failure_page(collection.name, parameters.query, failure),
    }
}

fn results_page(collection: CollectionInfo, parameters: SearchRequest, answer: &Answer) -> Response {
    let CollectionInfo { name, has_related, .. } = collection;
    let related_to = parameters.related_to.map(|_| visible(&answer.query));
    let first = parameters.from + 1;
    let last = parameters.from + answer.results.len();
    let (total, took) = (counted(answer.total, "result"), duration(answer.took_us));
    let summary = match answer.total_is {
        _ if related_to.is_some() => format!("{} in {took}", counted(answer.total, "page")),
        TotalIs::Exact if answer.total <= answer.results.len() as u64 => format!("{total} in {took}"),
        TotalIs::Exact => format!("{first}–{last} of {total} in {took}"),
        TotalIs::AtLeast => format!("{first}–{last} of at least {total} in {took}"),
    };
    rendered(&ResultsPage {
        name: visible(&name),
        query: visible(&parameters.query),
        summary: format!("{summary}{}", answer.with_all_words_told()),
        notes: notes(answer),
        is_partial: answer.partial,
        results: answer.results.iter().map(|result| ResultView::new(result, &parameters.query)).collect(),
        paging: Paging::new(parameters.from, if related_to.is_some() { 0 } else { answer.total }),
        view: view(&parameters),
        is_group: matches!(parameters.copies, CopiesView::Only(_)),
        has_folded: related_to.is_none() && answer.results.iter().any(|result| result.similar > 0),
        meant: meant(answer),
        is_corrected: answer.corrected,
        related_to,
        has_related,
    })
}

/// What pages of the same list add to their address.
fn view(parameters: &SearchRequest) -> String {
    let copies = match parameters.copies {
        CopiesView::Folded => String::new(),
        CopiesView::Shown => "&copies=1".to_owned(),
        CopiesView::Only(key) => format!("&similar_to={key}"),
    };
    let as_typed = if parameters.as_typed { "&as_typed=1" } else { "" };
    let semantic = match parameters.meanings {
        Meanings::Auto => String::new(),
        meanings => format!("&semantic={}", meanings.name()),
    };
    let feedback = match parameters.feedback {
        Feedback::Off => String::new(),
        feedback => format!("&feedback={}", feedback.name()),
    };
    format!("{copies}{as_typed}{semantic}{feedback}")
}

/// What was probably meant.
fn meant(answer: &Answer) -> Option<String> {
    answer.did_you_mean.as_deref().map(visible)
}

fn notes(answer: &Answer) -> Vec<String> {
    answer.notes.iter().map(|note| visible(&note.to_string())).collect()
}

fn nothing_page(name: String, parameters: SearchRequest, answer: &Answer) -> Response {
    let message = match answer.total {
        0 if parameters.related_to.is_some() => "No page is known that speaks of the same.".to_owned(),
        0 => {
            format!("No page was found for “{}” ({}).", visible(&parameters.query), duration(answer.took_us))
        }
        _ if answer.unreadable > 0 => "The pages that were found cannot be read at the moment.".to_owned(),
        1 => "There is only 1 result.".to_owned(),
        total => format!("There are only {} results.", thousands(total)),
    };
    rendered(&MessagePage {
        name: visible(&name),
        query: visible(&parameters.query),
        heading: "No results",
        message,
        notes: notes(answer),
        meant: meant(answer),
        shows_help: true,
    })
}

pub(crate) fn failure_page(name: String, query: String, failure: Failure) -> Response {
    let heading = match failure.status {
        StatusCode::BAD_REQUEST => "This query cannot be understood",
        StatusCode::NOT_FOUND => "There is nothing here",
        _ => "No answer",
    };
    let shows_help = failure.status == StatusCode::BAD_REQUEST;
    failure_told(name, query, failure, heading, shows_help)
}

/// An address that names no page.
pub(crate) fn no_page(name: String, message: String) -> Response {
    failure_told(name, String::new(), Failure::bad(message), "There is no such page", false)
}

fn failure_told(
    name: String,
    query: String,
    failure: Failure,
    heading: &'static str,
    shows_help: bool,
) -> Response {
    let page = MessagePage {
        name: visible(&name),
        query: visible(&query),
        heading,
        message: visible(&failure.message),
        notes: Vec::new(),
        meant: None,
        shows_help,
    };
    failure.respond(rendered(&page))
}

/// Every other address.
pub(crate) async fn not_found(State(service): State<Arc<Service>>) -> Response {
    let message = "Search from the box above, or go back to the start.".to_owned();
    let failure = Failure { status: StatusCode::NOT_FOUND, message };
    failure_page(service.gate.backend().collection().name, String::new(), failure)
}

/// `/opensearch.xml`
pub(crate) async fn opensearch(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).filter(|host| is_host(host));
    let Some(host) = host else { return StatusCode::BAD_REQUEST.into_response() };
    let name = visible(&service.gate.backend().collection().name);
    match (OpenSearch { name, host: host.to_owned() }).render() {
        Ok(xml) => ([(header::CONTENT_TYPE, "application/opensearchdescription+xml; charset=utf-8")], xml)
            .into_response(),
        Err(reason) => unrendered(&reason),
    }
}

fn is_host(host: &str) -> bool {
    !host.is_empty()
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':' | b'[' | b']'))
}

/// `/style.css`
pub(crate) async fn style() -> Response {
    asset("text/css; charset=utf-8", include_str!("../assets/style.css"))
}

/// `/suggest.js`
pub(crate) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", include_str!("../assets/suggest.js"))
}

/// `/favicon.svg`
pub(crate) async fn favicon() -> Response {
    asset("image/svg+xml", include_str!("../assets/favicon.svg"))
}

fn asset(content_type: &'static str, content: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "public, max-age=3600")];
    (headers, content).into_response()
}

pub(crate) fn rendered(page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => Html(html).into_response(),
        Err(reason) => unrendered(&reason),
    }
}

fn unrendered(reason: &askama::Error) -> Response {
    error!(%reason, "a page could not be rendered");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}
