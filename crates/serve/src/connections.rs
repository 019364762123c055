//! Connections: how many, and for how long.
//!
//! Whoever opens connections and says nothing, or half a sentence, must not keep others out. So a request has a time in
//! which its head must be complete, which is also how long a connection may be idle; bodies are not read at all; a
//! connection that has lasted long enough is closed after the request under way. Only so many are open at a time; the
//! next ones wait in the queue of the system until a place is free.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tracing::{debug, warn};

/// The longest head of a request that is read: more than any address that a browser makes of a query.
const HEAD_BYTES_MAX: usize = 96 << 10;

/// How long the last answers may take when the server or a connection ends.
const GRACE: Duration = Duration::from_secs(5);

/// How many connections there may be, and how long they may last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Open at the same time; further ones wait.
    pub connections_max: usize,
    /// From the first moment of a request to the end of its head; also the longest time between two requests.
    pub head_time: Duration,
    /// How long a connection may last in all; a request under way is still answered.
    pub connection_time: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        let (head_time, connection_time) = (Duration::from_secs(10), Duration::from_secs(120));
        Self { connections_max: 256, head_time, connection_time }
    }
}

/// Serves until `shutdown` is done, then finishes the requests under way.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections_max));
    let (stop, stopped) = watch::channel(());
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await.expect("it is never closed");
            (accept(&listener).await, place)
        };
        let (stream, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        let (router, stopped) = (router.clone(), stopped.clone());
        tokio::spawn(async move {
            converse(stream, router, limits, stopped).await;
            drop(place);
        });
    }
    drop((listener, stop));
    // All places free: everybody has been answered. Whoever does not read answers is not waited for.
    let everybody = places.acquire_many(u32::try_from(limits.connections_max).unwrap_or(u32::MAX));
    let _ = tokio::time::timeout(GRACE + GRACE, everybody).await;
    Ok(())
}

/// The next connection, however long it takes: a visitor who left is none, and too many open files pass.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if is_about_the_visitor(&error) => {}
            Err(error) => {
                warn!(%error, "connections cannot be taken");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

fn is_about_the_visitor(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Answers the requests of one connection.
async fn converse(
    stream: TcpStream,
    router: Router,
    limits: ConnectionLimits,
    mut stopped: watch::Receiver<()>,
) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(HEAD_BYTES_MAX);
    let service = TowerToHyperService::new(router);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        () = tokio::time::sleep(limits.connection_time) => None,
        // Its sender is dropped when the server stops.
        _ = stopped.changed() => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        debug!(%error, "a connection ended early");
    }
}
