//! Whatever is sent to the search page is answered or closed: a request line and headers of any bytes.
#![no_main]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use serve::{Answer, CollectionInfo, QueryProblem, SearchBackend, SearchRequest, SearchServer};

struct Echo;

impl SearchBackend for Echo {
    fn search(&self, request: &SearchRequest) -> Result<Answer, QueryProblem> {
        Err(QueryProblem::Bad(format!("{request:?}")))
    }

    fn suggest(&self, typed: &str, count: usize) -> Result<Vec<String>, QueryProblem> {
        Ok(vec![typed.to_owned(); count.min(3)])
    }

    fn collection(&self) -> CollectionInfo {
        CollectionInfo { name: "fuzz".into(), ..CollectionInfo::default() }
    }
}

fn address() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let server = SearchServer::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let address = server.local_addr();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(server.serve(Arc::new(Echo), std::future::pending())).unwrap();
        });
        address
    })
}

fuzz_target!(|data: &[u8]| {
    let mut stream = TcpStream::connect(address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    // Half of the inputs are the target of a sound request.
    let request = match data {
        [b'/', ..] => [b"GET ", data, b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"].concat(),
        _ => data.to_vec(),
    };
    let (mut answer, is_sent) = (Vec::new(), stream.write_all(&request).is_ok());
    if is_sent && stream.shutdown(Shutdown::Write).is_ok() && stream.read_to_end(&mut answer).is_ok() {
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{}", answer.escape_ascii());
        assert!(!answer.starts_with(b"HTTP/1.1 500"), "{}", answer.escape_ascii());
    }
});
