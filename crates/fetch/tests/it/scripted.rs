//! A server that does what it is told: each connection it accepts follows the next script, byte for byte.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch::{Connection, FetchLimits, HttpFetcher};
use page::{FetchFailure, Fetched, Outcome, PageUrl, Response, SystemClock};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a server does next.
#[derive(Clone)]
pub enum Step {
    /// Reads a request.
    Hear,
    Send(Vec<u8>),
    /// Sends the bytes again and again, until the client has had enough.
    Repeat(Vec<u8>),
    /// Sends one byte at a time, with pauses in between.
    Drip(Vec<u8>, Duration),
    Pause(Duration),
    /// Ends the connection with a reset instead of an orderly end.
    Reset,
    /// Keeps the connection open until the client closes it. Without it, a script ends with closing.
    Stay,
}

/// The usual answer: after a request, these bytes.
pub fn answer(bytes: impl AsRef<[u8]>) -> Vec<Step> {
    vec![Step::Hear, Step::Send(bytes.as_ref().to_vec())]
}

/// The same, with the connection left open.
pub fn answer_and_stay(bytes: impl AsRef<[u8]>) -> Vec<Step> {
    vec![Step::Hear, Step::Send(bytes.as_ref().to_vec()), Step::Stay]
}

pub struct ScriptedServer {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl ScriptedServer {
    /// Listens; the n-th connection follows the n-th script.
    pub async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&requests);
        tokio::spawn(async move {
            for script in scripts {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(follow(script, socket, Arc::clone(&heard)));
            }
        });
        Self { address, requests }
    }

    pub fn url(&self, path: &str) -> PageUrl {
        PageUrl::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    /// The request heads so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub async fn fetch(&self, limits: FetchLimits, connection: &mut Option<Connection>) -> Fetched {
        fetcher(limits).fetch(&self.url("/page?x=1"), self.address, connection).await
    }
}

pub fn fetcher(limits: FetchLimits) -> HttpFetcher {
    HttpFetcher::new(limits, "crivello-test/1.0", Arc::new(SystemClock))
}

async fn follow(script: Vec<Step>, mut socket: TcpStream, requests: Arc<Mutex<Vec<String>>>) {
    socket.set_nodelay(true).unwrap();
    for step in script {
        // The client may hang up whenever it likes: that ends the script.
        let went_well = match step {
            Step::Hear => match hear(&mut socket).await {
                Some(request) => {
                    requests.lock().unwrap().push(request);
                    true
                }
                None => false,
            },
            Step::Send(bytes) => socket.write_all(&bytes).await.is_ok(),
            Step::Repeat(bytes) => {
                while socket.write_all(&bytes).await.is_ok() {}
                false
            }
            Step::Drip(bytes, pause) => drip(&mut socket, &bytes, pause).await,
            Step::Pause(duration) => {
                tokio::time::sleep(duration).await;
                true
            }
            Step::Reset => {
                socket.set_zero_linger().unwrap();
                false
            }
            Step::Stay => {
                let _ = socket.read(&mut [0; 1]).await;
                false
            }
        };
        if !went_well {
            break;
        }
    }
}

async fn hear(socket: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if !socket.read(&mut byte).await.is_ok_and(|count| count == 1) {
            return None;
        }
        request.push(byte[0]);
    }
    Some(String::from_utf8(request).unwrap())
}

async fn drip(socket: &mut TcpStream, bytes: &[u8], pause: Duration) -> bool {
    for byte in bytes {
        if socket.write_all(&[*byte]).await.is_err() {
            return false;
        }
        tokio::time::sleep(pause).await;
    }
    true
}

/// Asks a server that follows one script; returns the result and whether the connection was kept.
pub async fn ask(script: Vec<Step>, limits: FetchLimits) -> (Fetched, bool) {
    let server = ScriptedServer::start(vec![script]).await;
    let mut connection = None;
    let fetched = server.fetch(limits, &mut connection).await;
    (fetched, connection.is_some())
}

pub fn response(fetched: &Fetched) -> &Response {
    match &fetched.outcome {
        Outcome::Response(response) => response,
        Outcome::Failed(failure) => panic!("no answer: {}", failure.as_str()),
    }
}

pub fn failure(fetched: &Fetched) -> FetchFailure {
    match &fetched.outcome {
        Outcome::Failed(failure) => *failure,
        Outcome::Response(response) => panic!("an answer with status {}", response.status),
    }
}
