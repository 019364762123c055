//! The way from a request to the backend, and what all requests share.

use std::sync::Arc;
use std::time::Instant;

use axum::http::StatusCode;
use page::PageKey;
use tracing::error;

use crate::backend::{Answer, PageText, QueryProblem, SearchBackend, SearchRequest};
use crate::failure::Failure;
use crate::gate::{Refusal, SearchGate, ServeLimits};
use crate::host_names::HostNames;
use crate::metrics::{Metrics, QueryOutcome};

/// So many completions are offered.
const SUGGESTIONS: usize = 8;

/// What all requests share.
pub(crate) struct Service {
    pub(crate) gate: SearchGate,
    pub(crate) metrics: Metrics,
    pub(crate) host_names: HostNames,
}

impl Service {
    pub(crate) fn new(
        backend: Arc<dyn SearchBackend>,
        limits: ServeLimits,
        host_names: HostNames,
    ) -> Arc<Self> {
        Arc::new(Self { gate: SearchGate::new(backend, limits), metrics: Metrics::default(), host_names })
    }

    /// Completes what somebody is typing. On a thread for work that takes a while: the first time, words are read.
    pub(crate) async fn suggest(&self, typed: String) -> Result<Vec<String>, Failure> {
        let suggested = self.gate.suggest(typed, SUGGESTIONS).await;
        suggested.map_err(|refusal| explained(refusal).1)
    }

    /// Reads a page.
    pub(crate) async fn page(&self, key: PageKey) -> Result<Option<PageText>, Failure> {
        self.gate.page(key).await.map_err(|refusal| explained(refusal).1)
    }

    /// Runs a query and counts it.
    pub(crate) async fn search(&self, request: &SearchRequest) -> Result<Answer, Failure> {
        let start = Instant::now();
        let result = self.gate.search(request.clone()).await;
        let (outcome, result) = match result {
            Ok(answer) if answer.total == 0 => (QueryOutcome::NotFound, Ok(answer)),
            Ok(answer) => (QueryOutcome::Found, Ok(answer)),
            Err(refusal) => {
                let (outcome, failure) = explained(refusal);
                (outcome, Err(failure))
            }
        };
        self.metrics.query(outcome, start.elapsed());
        result
    }
}

fn explained(refusal: Refusal) -> (QueryOutcome, Failure) {
    match refusal {
        Refusal::Problem(QueryProblem::Bad(message)) => (QueryOutcome::Bad, Failure::bad(message)),
        Refusal::Problem(QueryProblem::Internal(reason)) => {
            error!(%reason, "a search failed");
            let message = "Something went wrong on this side. Please try again.".to_owned();
            (QueryOutcome::Failed, Failure { status: StatusCode::INTERNAL_SERVER_ERROR, message })
        }
        Refusal::Busy => {
            let message = "Too many searches at the moment. Please try again in a second.".to_owned();
            (QueryOutcome::Busy, Failure { status: StatusCode::SERVICE_UNAVAILABLE, message })
        }
    }
}
