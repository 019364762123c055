//! For programs: JSON, metrics and a sign of life.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::backend::CollectionInfo;
use crate::failure::{ErrorBody, Failure};
use crate::metrics::QueryCounts;
use crate::parameters::{Extracted, Parameters, none_expected};
use crate::service::Service;

/// `/api/search`
pub(crate) async fn search(State(service): State<Arc<Service>>, extracted: Extracted) -> Response {
    let answer = match Parameters::for_api(extracted).map_err(Failure::bad) {
        Ok(parameters) => service.search(&parameters).await,
        Err(failure) => Err(failure),
    };
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(failure) => failure.respond(Json(ErrorBody { error: &failure.message })),
    }
}

#[derive(Serialize)]
struct Stats {
    collection: CollectionInfo,
    queries: QueryCounts,
}

/// `/api/stats`
pub(crate) async fn stats(State(service): State<Arc<Service>>, extracted: Extracted) -> Response {
    if let Err(failure) = none_expected(extracted).map_err(Failure::bad) {
        return failure.respond(Json(ErrorBody { error: &failure.message }));
    }
    let collection = service.gate.backend().collection();
    Json(Stats { collection, queries: service.metrics.query_counts() }).into_response()
}

/// `/metrics`
pub(crate) async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let text = service.metrics.render(&service.gate.backend().collection());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// `/healthz`
pub(crate) async fn health() -> &'static str {
    "ok\n"
}
