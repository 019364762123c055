//! What a visitor is told when there is no answer.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why there is no answer, for the visitor.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn bad(message: String) -> Self {
        Self { status: StatusCode::BAD_REQUEST, message }
    }

    /// An answer of this status; one that is busy says when to come back.
    pub(crate) fn respond(&self, body: impl IntoResponse) -> Response {
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            return (self.status, [(header::RETRY_AFTER, "1")], body).into_response();
        }
        (self.status, body).into_response()
    }
}

/// What an error looks like to programs.
#[derive(Serialize)]
pub(crate) struct ErrorBody<'a> {
    pub(crate) error: &'a str,
}
