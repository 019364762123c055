//! One request and its answer: the order of events, and who is waited for how long.
//!
//! There is one timer per fetch. It stands at the deadline of the present phase (connecting, head, body) and is only
//! looked at while the socket has nothing. For the body that deadline is the moment at which the bytes that have come
//! would fall below the least rate: when it goes off and more has come meanwhile, it is set anew.
//!
//! A body that turns out to be large, on the wire or when its codings are undone, waits there for a permit. All
//! deadlines are moved by as long as that takes, since it is us who keep the server waiting.

use std::net::SocketAddr;
use std::time::Duration;

use page::{FetchFailure, PageUrl, Response, Timestamp, Truncation};
use tokio::time::Instant;

use super::answer::{HeadReader, assemble, finish};
use super::body::BodyReader;
use super::chunks::Progress;
use super::connection::{Alarm, Connection};
use super::head::{Head, NotHttp};
use super::{HttpFetcher, LARGE_BODY_BYTES, LargeBodyPermit};
use crate::coding;
use crate::limits::FetchLimits;

/// One GET under way.
pub(super) struct Exchange<'a> {
    fetcher: &'a HttpFetcher,
    url: &'a PageUrl,
    address: SocketAddr,
    /// The head of the request; it has no body.
    pub request: Vec<u8>,
    /// When it was sent, the last time.
    pub sent_at: Timestamp,
    /// That of the answer, once it is known to be large.
    pub large_permit: Option<LargeBodyPermit>,
    /// How long it waited for the permit.
    pub held_up: Duration,
    total_deadline: Instant,
}

/// Why an exchange over one connection gave no answer.
struct NoAnswer {
    failure: FetchFailure,
    /// The connection was found closed before any byte of an answer came.
    unheard: bool,
}

impl From<FetchFailure> for NoAnswer {
    fn from(failure: FetchFailure) -> Self {
        Self { failure, unheard: false }
    }
}

impl<'a> Exchange<'a> {
    pub fn new(
        fetcher: &'a HttpFetcher,
        url: &'a PageUrl,
        address: SocketAddr,
        request: Vec<u8>,
        started: Instant,
    ) -> Self {
        let total_deadline = later(started, fetcher.limits.total_timeout);
        let sent_at = fetcher.clock.now();
        let (large_permit, held_up) = (None, Duration::ZERO);
        Self { fetcher, url, address, request, sent_at, large_permit, held_up, total_deadline }
    }

    /// The whole of it: over the kept connection if that still works, over a new one otherwise.
    pub async fn run(
        &mut self,
        kept: &mut Option<Connection>,
        started: Instant,
    ) -> Result<Response, FetchFailure> {
        let reused = kept.take().filter(|connection| connection.leads_to(self.url, self.address));
        if self.fetcher.guard.as_ref().is_some_and(|guard| !guard.permits(self.address.ip())) {
            return Err(FetchFailure::AddressNotAllowed);
        }
        let connect_deadline = self.deadline(started, self.limits().connect_timeout);
        let sleep = std::pin::pin!(tokio::time::sleep_until(connect_deadline));
        let mut alarm = Alarm::new(sleep);
        if let Some(connection) = reused.filter(Connection::is_quiet) {
            match self.over(connection, &mut alarm, kept).await {
                Err(NoAnswer { unheard: true, .. }) => {}
                other => return other.map_err(|none| none.failure),
            }
            alarm.set(self.deadline(Instant::now(), self.limits().connect_timeout));
        }
        let opening = Connection::open(self.url, self.address, &self.fetcher.tls);
        let connection = alarm.unless_late(opening).await.ok_or(FetchFailure::TimedOut)??;
        self.over(connection, &mut alarm, kept).await.map_err(|none| none.failure)
    }

    fn limits(&self) -> &FetchLimits {
        &self.fetcher.limits
    }

    fn deadline(&self, from: Instant, timeout: Duration) -> Instant {
        later(from, timeout).min(self.total_deadline)
    }

    /// Request and answer over one connection, which is kept if it can carry another.
    async fn over(
        &mut self,
        mut connection: Connection,
        alarm: &mut Alarm<'_>,
        kept: &mut Option<Connection>,
    ) -> Result<Response, NoAnswer> {
        self.sent_at = self.fetcher.clock.now();
        alarm.set(self.deadline(Instant::now(), self.limits().head_timeout));
        let sending = alarm.unless_late(connection.send(&self.request)).await;
        // A refused write is no reason to give up: the server may have answered first (413, 503) and then closed.
        let sent = sending.ok_or(FetchFailure::TimedOut)?.is_ok();
        let mut heads = HeadReader::new(self.limits());
        let head = read_head(&mut connection, &mut heads, alarm).await?;
        let raw_head = heads.raw_head().to_vec();
        let mut body = BodyReader::new(head.framing, self.limits().body_bytes_max, heads.body_bytes());
        drop(heads);
        let ending = self.read_body(&mut connection, &mut body, alarm).await;
        if ending == Some(Truncation::Time) && body.raw.is_empty() {
            return Err(FetchFailure::TimedOut.into());
        }
        let is_in_step = ending.is_none() && body.cut_at_end();
        if is_in_step && sent && head.reusable {
            *kept = Some(connection);
        }
        Ok(self.finish(head, raw_head, body, ending).await)
    }

    /// Undoes the codings. What they blow up beyond the size of a large body is decoded again with a permit.
    async fn finish(
        &mut self,
        head: Head,
        raw_head: Vec<u8>,
        body: BodyReader,
        ending: Option<Truncation>,
    ) -> Response {
        if self.must_wait_for_permit() && !head.codings.is_empty() {
            let payload = body.chunks.as_ref().map_or(&body.raw, |chunks| &chunks.payload);
            let bytes_max = self.limits().decoded_bytes_max.min(LARGE_BODY_BYTES);
            let small = FetchLimits { decoded_bytes_max: bytes_max, ..self.limits().clone() };
            match coding::decode(&head.codings, payload, &small) {
                Some((_, Some(Truncation::Length))) => self.wait_for_permit().await,
                decoded => return assemble(head, raw_head, body, ending, decoded),
            }
        }
        finish(head, raw_head, body, ending, self.limits())
    }

    fn must_wait_for_permit(&self) -> bool {
        self.large_permit.is_none() && self.fetcher.large_bodies.is_some()
    }

    async fn wait_for_permit(&mut self) {
        let since = Instant::now();
        self.large_permit = self.fetcher.large_permit().await;
        let waited = since.elapsed();
        self.held_up += waited;
        self.total_deadline = later(self.total_deadline, waited);
    }

    /// Reads to the end of the body; returns why it is not the whole body, if it is not.
    async fn read_body(
        &mut self,
        connection: &mut Connection,
        body: &mut BodyReader,
        alarm: &mut Alarm<'_>,
    ) -> Option<Truncation> {
        let mut body_started = None;
        loop {
            match body.advance() {
                Progress::Complete(_) => return None,
                Progress::TooLong => {
                    body.raw.truncate(self.limits().body_bytes_max);
                    return Some(Truncation::Length);
                }
                Progress::Broken => return Some(Truncation::Unspecified),
                Progress::More => {}
            }
            let begin = *body_started.get_or_insert_with(|| {
                let begin = Instant::now();
                alarm.set(self.too_slow_at(begin, body.raw.len()));
                begin
            });
            if body.raw.len() > LARGE_BODY_BYTES && self.must_wait_for_permit() {
                let held_up_before = self.held_up;
                self.wait_for_permit().await;
                let begin = begin + (self.held_up - held_up_before);
                body_started = Some(begin);
                alarm.set(self.too_slow_at(begin, body.raw.len()));
                continue;
            }
            body.make_room();
            match alarm.unless_late(connection.read_into(&mut body.raw)).await {
                Some(Ok(1..)) => {}
                Some(end) => return body.ended_by(end.err()),
                None => {
                    let due = self.too_slow_at(begin, body.raw.len());
                    if due <= Instant::now() {
                        return Some(Truncation::Time);
                    }
                    alarm.set(due);
                }
            }
        }
    }

    /// When a body that has `bytes_come` so far counts as too slow, unless more comes until then.
    fn too_slow_at(&self, begin: Instant, bytes_come: usize) -> Instant {
        let rate_min = self.limits().bytes_per_second_min.max(1) as f64;
        let earned = Duration::from_secs_f64(bytes_come as f64 / rate_min);
        self.deadline(begin, earned.max(self.limits().slow_start))
    }
}

async fn read_head(
    connection: &mut Connection,
    heads: &mut HeadReader<'_>,
    alarm: &mut Alarm<'_>,
) -> Result<Head, NoAnswer> {
    loop {
        match alarm.unless_late(connection.read_into(&mut heads.buffer)).await {
            None => return Err(FetchFailure::TimedOut.into()),
            Some(Ok(1..)) => {}
            Some(_) => {
                let unheard = heads.buffer.is_empty();
                return Err(NoAnswer { failure: FetchFailure::Disconnected, unheard });
            }
        }
        match heads.advance() {
            Ok(Some(head)) => return Ok(head),
            Ok(None) => {}
            Err(NotHttp) => return Err(FetchFailure::NotHttp.into()),
        }
    }
}

/// `timeout` after `from`; a year after it when that is more than the clock can count.
fn later(from: Instant, timeout: Duration) -> Instant {
    from.checked_add(timeout).unwrap_or_else(|| from + Duration::from_secs(365 * 86_400))
}
