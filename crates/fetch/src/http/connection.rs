//! A connection to one server, plain or encrypted. It stays with the worker that opened it.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use page::{FetchFailure, PageUrl};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// An open connection over which the next request to the same site can go.
#[derive(Debug)]
pub struct Connection {
    peer: SocketAddr,
    /// The name in the certificate that was checked.
    tls_host: Option<Box<str>>,
    stream: Stream,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection {
    /// The machine at the other end.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Connects, and for `https` shakes hands in the name of the URL's host.
    pub(crate) async fn open(
        url: &PageUrl,
        address: SocketAddr,
        tls: &Arc<ClientConfig>,
    ) -> Result<Self, FetchFailure> {
        let tcp = TcpStream::connect(address).await.map_err(|error| failure_to_connect(&error))?;
        // A request is one small write: nothing is gained by holding it back. If the option is refused, it is only slower.
        let _ = tcp.set_nodelay(true);
        if !url.is_https() {
            return Ok(Self { peer: address, tls_host: None, stream: Stream::Plain(tcp) });
        }
        let name = url.host().trim_start_matches('[').trim_end_matches(']');
        let server_name = ServerName::try_from(name.to_owned()).map_err(|_| FetchFailure::Tls)?;
        let stream = TlsConnector::from(Arc::clone(tls)).connect(server_name, tcp).await;
        let stream = Stream::Tls(Box::new(stream.map_err(|_| FetchFailure::Tls)?));
        Ok(Self { peer: address, tls_host: Some(url.host().into()), stream })
    }

    /// May a request for this URL at this address go over it?
    pub(crate) fn leads_to(&self, url: &PageUrl, address: SocketAddr) -> bool {
        self.peer == address && self.tls_host.as_deref() == url.is_https().then(|| url.host())
    }

    /// Nothing came while nothing was asked. Bytes that nobody asked for would be taken for the next answer, and the
    /// end of the stream means that the server has hung up. The socket is only touched if the event loop has already
    /// seen something, so for a good connection this costs no system call. TLS tells such bytes apart by itself.
    pub(crate) fn is_quiet(&self) -> bool {
        match &self.stream {
            Stream::Plain(tcp) => {
                tcp.try_read(&mut [0]).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
            }
            Stream::Tls(_) => true,
        }
    }

    /// Sends a whole request, in one write where the socket takes it.
    pub(crate) async fn send(&mut self, request: &[u8]) -> io::Result<()> {
        match &mut self.stream {
            Stream::Plain(tcp) => tcp.write_all(request).await,
            Stream::Tls(tls) => {
                tls.write_all(request).await?;
                tls.flush().await
            }
        }
    }

    /// Reads what is there into the spare room of `buffer`; zero bytes mean that the other side has finished.
    pub(crate) async fn read_into(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        match &mut self.stream {
            Stream::Plain(tcp) => tcp.read_buf(buffer).await,
            Stream::Tls(tls) => tls.read_buf(buffer).await,
        }
    }
}

fn failure_to_connect(error: &io::Error) -> FetchFailure {
    match error.kind() {
        io::ErrorKind::TimedOut => FetchFailure::TimedOut,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => FetchFailure::Disconnected,
        io::ErrorKind::ConnectionRefused => FetchFailure::ConnectionRefused,
        // No route leads there, or we are out of sockets: both may pass.
        _ => FetchFailure::Unreachable,
    }
}

/// The one timer of a fetch. Each phase sets it to its own deadline; it is looked at only while a socket is not ready.
pub(crate) struct Alarm<'a> {
    sleep: Pin<&'a mut Sleep>,
}

impl<'a> Alarm<'a> {
    pub fn new(sleep: Pin<&'a mut Sleep>) -> Self {
        Self { sleep }
    }

    pub fn set(&mut self, deadline: Instant) {
        self.sleep.as_mut().reset(deadline);
    }

    /// The result of `work`, or `None` when the alarm goes off first.
    pub async fn unless_late<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            result = work => Some(result),
            () = self.sleep.as_mut() => None,
        }
    }
}
