//! The server: a bound address, the routes, and the way from a request to the backend.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use tracing::error;

use crate::backend::{Answer, QueryProblem, SearchBackend, SearchRequest};
use crate::connections::{self, ConnectionLimits};
use crate::gate::{Refusal, SearchGate, ServeLimits};
use crate::host_names::HostNames;
use crate::metrics::{Metrics, QueryOutcome};
use crate::{api, guard, pages};

/// An HTTP server that has its address but does not serve yet.
#[derive(Debug)]
pub struct SearchServer {
    listener: TcpListener,
    address: SocketAddr,
    limits: ServeLimits,
    connection_limits: ConnectionLimits,
    host_names: Vec<String>,
}

impl SearchServer {
    /// Takes an address; port 0 takes any free port.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            limits: ServeLimits::default(),
            connection_limits: ConnectionLimits::default(),
            host_names: Vec::new(),
        })
    }

    /// The same server with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: ServeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same server with other limits for connections.
    #[must_use]
    pub fn with_connection_limits(mut self, limits: ConnectionLimits) -> Self {
        self.connection_limits = limits;
        self
    }

    /// The same server, which also answers to these names; otherwise to its address and to `localhost` only.
    #[must_use]
    pub fn with_host_names(mut self, names: Vec<String>) -> Self {
        self.host_names = names;
        self
    }

    /// The address that was taken.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is done, then finishes the requests under way.
    pub async fn serve(
        self,
        backend: Arc<dyn SearchBackend>,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let host_names = HostNames::new(self.address.ip(), &self.host_names);
        let router = router(Service::new(backend, self.limits, host_names));
        connections::serve(listener, router, self.connection_limits, shutdown).await
    }
}

/// What all requests share.
pub(crate) struct Service {
    pub(crate) gate: SearchGate,
    pub(crate) metrics: Metrics,
    pub(crate) host_names: HostNames,
}

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

impl Service {
    fn new(backend: Arc<dyn SearchBackend>, limits: ServeLimits, host_names: HostNames) -> Arc<Self> {
        Arc::new(Self { gate: SearchGate::new(backend, limits), metrics: Metrics::default(), host_names })
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

fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/search", get(pages::search))
        .route("/opensearch.xml", get(pages::opensearch))
        .route("/style.css", get(pages::style))
        .route("/favicon.svg", get(pages::favicon))
        .route("/favicon.ico", get(pages::favicon))
        .route("/api/search", get(api::search))
        .route("/api/stats", get(api::stats))
        .route("/metrics", get(api::metrics))
        .route("/healthz", get(api::health))
        .fallback(pages::not_found)
        .layer(middleware::from_fn_with_state(Arc::clone(&service), guard::guard))
        .with_state(service)
}
