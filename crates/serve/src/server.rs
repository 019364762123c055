//! The server: a bound address and the routes.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::routing::get;
use axum::{Router, middleware};

use crate::backend::SearchBackend;
use crate::connections::{self, ConnectionLimits};
use crate::gate::ServeLimits;
use crate::host_names::HostNames;
use crate::service::Service;
use crate::{api, guard, kept, pages};

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

fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/", get(pages::home))
        .route("/search", get(pages::search))
        .route("/page", get(kept::page))
        .route("/opensearch.xml", get(pages::opensearch))
        .route("/style.css", get(pages::style))
        .route("/favicon.svg", get(pages::favicon))
        .route("/favicon.ico", get(pages::favicon))
        .route("/api/search", get(api::search))
        .route("/api/suggest", get(api::suggest))
        .route("/suggest.js", get(pages::script))
        .route("/api/stats", get(api::stats))
        .route("/metrics", get(api::metrics))
        .route("/healthz", get(api::health))
        .fallback(pages::not_found)
        .layer(middleware::from_fn_with_state(Arc::clone(&service), guard::guard))
        .with_state(service)
}
