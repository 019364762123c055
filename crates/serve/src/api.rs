//! For programs: JSON, metrics and a sign of life.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::backend::CollectionInfo;
use crate::failure::{ErrorBody, Failure};
use crate::metrics::QueryCounts;
use crate::parameters::{Extracted, Parameters, none_expected, typed};
use crate::service::Service;

/// `/api/search`
pub(crate) async fn search(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    extracted: Extracted,
) -> Response {
    let answer = match Parameters::for_api(extracted, &headers).map_err(Failure::bad) {
        Ok(parameters) => service.search(&parameters).await,
        Err(failure) => Err(failure),
    };
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(failure) => failure.respond(Json(ErrorBody { error: &failure.message })),
    }
}

/// `/api/suggest`, as OpenSearch wants it: what was typed, and how it may go on.
pub(crate) async fn suggest(State(service): State<Arc<Service>>, extracted: Extracted) -> Response {
    let typed = match typed(extracted).map_err(Failure::bad) {
        Ok(typed) => typed,
        Err(failure) => return failure.respond(Json(ErrorBody { error: &failure.message })),
    };
    match service.suggest(typed.clone()).await {
        Ok(suggestions) => {
            let headers = [(header::CONTENT_TYPE, "application/x-suggestions+json; charset=utf-8")];
            (headers, Json((typed, suggestions)).into_response().into_body()).into_response()
        }
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
