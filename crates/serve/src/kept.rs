//! A page as the collection keeps it: its text, for whoever cannot or need not go where it came from.
//!
//! What was imported from files has no place in the web; other pages go away, or change. What is shown is words and nothing
//! else: no markup, no pictures, no scripts of the page.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::backend::PageText;
use crate::display::{leads_nowhere, safe_href, visible};
use crate::failure::Failure;
use crate::pages::{failure_page, no_page, rendered};
use crate::parameters::{Extracted, wanted_page};
use crate::service::Service;

/// Of longer texts so much is shown.
const SHOWN_BYTES_MAX: usize = 1 << 20;

#[derive(Template)]
#[template(path = "kept.html")]
struct KeptPage {
    name: String,
    /// What was searched for before.
    query: String,
    title: String,
    address: String,
    /// Where the page came from; `None` if that leads nowhere.
    href: Option<String>,
    /// The day on which it was changed; empty if it is not known.
    date: String,
    paragraphs: Vec<String>,
    is_cut: bool,
}

/// `/page`
pub(crate) async fn page(State(service): State<Arc<Service>>, extracted: Extracted) -> Response {
    let name = service.gate.backend().collection().name;
    let (key, query) = match wanted_page(extracted) {
        Ok(wanted) => wanted,
        Err(message) => return no_page(name, message),
    };
    match service.page(key).await {
        Ok(Some(page)) => rendered(&KeptPage::new(name, query, &page)),
        Ok(None) => {
            let message = "The collection does not have this page any more.".to_owned();
            failure_page(name, query, Failure { status: StatusCode::NOT_FOUND, message })
        }
        Err(failure) => failure_page(name, query, failure),
    }
}

impl KeptPage {
    fn new(name: String, query: String, page: &PageText) -> Self {
        let (mut paragraphs, mut bytes, mut is_cut) = (Vec::new(), 0, page.is_cut);
        for line in page.main_parts().flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()) {
            let shown = &line[..line.floor_char_boundary(SHOWN_BYTES_MAX - bytes)];
            paragraphs.push(visible(shown));
            bytes += shown.len();
            if bytes == SHOWN_BYTES_MAX || shown.len() < line.len() {
                is_cut = true;
                break;
            }
        }
        let title = visible(&page.title);
        let address = visible(&page.url);
        Self {
            name: visible(&name),
            query: visible(&query),
            title: if title.trim().is_empty() { address.clone() } else { title },
            address,
            href: safe_href(&page.url).filter(|href| !leads_nowhere(href)),
            date: page.day().unwrap_or_default(),
            paragraphs,
            is_cut,
        }
    }
}
