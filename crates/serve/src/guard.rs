//! What holds for every request, whatever the route: it is for us, it only reads, and its answer carries the headers that
//! keep a browser from doing more than showing it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::display::visible;
use crate::failure::ErrorBody;
use crate::host_names::host_of;
use crate::service::Service;

/// Nothing is loaded but our own style and pictures, nothing runs but our own file of completions, nothing frames us.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; \
                                       connect-src 'self'; form-action 'self'; base-uri 'none'; \
                                       frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 3] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Counts the request as under way, refuses it if it is for another name or wants more than to read, and adds the headers
/// to its answer.
pub(crate) async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let _in_flight = service.metrics.request();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let mut response = match service.host_names.foreign_name(&request) {
        Some(name) => refusal(&name, request.uri().path()),
        None if is_read => next.run(request).await,
        None => not_allowed(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn not_allowed() -> Response {
    (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "GET, HEAD")]).into_response()
}

/// What a request for another name is told.
fn refusal(name: &str, path: &str) -> Response {
    let name = visible(name);
    let message = format!(
        "This server does not answer to the name “{name}”. If it is one of its names, start it with --host-name {}.",
        host_of(&name)
    );
    if path.starts_with("/api/") {
        return (StatusCode::MISDIRECTED_REQUEST, Json(ErrorBody { error: &message })).into_response();
    }
    (StatusCode::MISDIRECTED_REQUEST, format!("{message}\n")).into_response()
}
