//! Serves a fake web until it is killed: `cargo run --release -p lab --example serve -- 8080 '{"pages": 1000}'`.
//!
//! The second argument is a `LabConfig` as JSON, or `yardstick` for the web that speed is measured on, for example
//! with `wrk -t1 -c16 http://127.20.0.1:8080/`. Hosts go to stdout, as `address<TAB>host`.

use std::sync::Arc;

use lab::{AuditPolicy, FakeWeb, LabConfig, LabServer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let config = match arguments.next().as_deref() {
        None => LabConfig::default(),
        Some("yardstick") => LabConfig::yardstick(1_000_000),
        Some(json) => serde_json::from_str(json)?,
    };
    let server = LabServer::start(Arc::new(FakeWeb::new(config)), port, AuditPolicy::default())?;
    print!("{}", server.hosts_tsv());
    eprintln!("seeds: {}", server.seeds().join(" "));
    loop {
        std::thread::park();
    }
}
