//! How many searches run at once.
//!
//! A search is computation, so it runs on a blocking thread, and more of them at once than there are cores only make
//! each other slower. So many run; so many wait; whoever comes then is told to come back. A visitor who leaves while
//! waiting frees the place.

use std::sync::Arc;

use page::PageKey;
use tokio::sync::Semaphore;

use crate::backend::{Answer, PageText, QueryProblem, SearchBackend, SearchRequest};

/// How much work is taken on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// Searches that run at the same time.
    pub searches_at_once: usize,
    /// Searches that may wait for a place; further ones are refused.
    pub searches_waiting_max: usize,
}

impl Default for ServeLimits {
    /// Two searches per core, and a queue of sixteen times as many.
    fn default() -> Self {
        let searches_at_once = 2 * std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Self { searches_at_once, searches_waiting_max: 16 * searches_at_once }
    }
}

/// Why a search was not answered.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The queue is full.
    Busy,
    /// The backend had a problem.
    Problem(QueryProblem),
}

/// Lets searches through to the backend.
pub(crate) struct SearchGate {
    backend: Arc<dyn SearchBackend>,
    admitted: Arc<Semaphore>,
    running: Arc<Semaphore>,
}

impl SearchGate {
    pub(crate) fn new(backend: Arc<dyn SearchBackend>, limits: ServeLimits) -> Self {
        let places = limits.searches_at_once + limits.searches_waiting_max;
        Self {
            backend,
            admitted: Arc::new(Semaphore::new(places)),
            running: Arc::new(Semaphore::new(limits.searches_at_once)),
        }
    }

    pub(crate) fn backend(&self) -> &dyn SearchBackend {
        &*self.backend
    }

    pub(crate) async fn search(&self, request: SearchRequest) -> Result<Answer, Refusal> {
        self.run(move |backend| backend.search(&request)).await
    }

    pub(crate) async fn suggest(&self, typed: String, count: usize) -> Result<Vec<String>, Refusal> {
        self.run(move |backend| backend.suggest(&typed, count)).await
    }

    pub(crate) async fn page(&self, key: PageKey) -> Result<Option<PageText>, Refusal> {
        self.run(move |backend| Ok(backend.page(key))).await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SearchBackend) -> Result<T, QueryProblem> + Send + 'static,
    ) -> Result<T, Refusal> {
        let admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| Refusal::Busy)?;
        let running = Arc::clone(&self.running).acquire_owned().await.map_err(|_| Refusal::Busy)?;
        let backend = Arc::clone(&self.backend);
        let work = tokio::task::spawn_blocking(move || {
            let done = work(&*backend);
            // The places are given back by the thread that used them, also when the visitor has left.
            drop((running, admitted));
            done
        });
        work.await
            .unwrap_or_else(|_| Err(QueryProblem::Internal("the search panicked".into())))
            .map_err(Refusal::Problem)
    }
}
