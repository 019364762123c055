//! Prints the truth about a fake web as JSON, and on stderr how long it took to find:
//! `cargo run --release -p lab --example truth -- 8080 '{"pages": 100000}'`.

use std::time::Instant;

use lab::{FakeWeb, LabConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().map_or(Ok(80), |port| port.parse())?;
    let config: LabConfig =
        arguments.next().map_or(Ok(LabConfig::default()), |json| serde_json::from_str(&json))?;
    let start = Instant::now();
    let truth = FakeWeb::new(config).truth(port);
    eprintln!("{} pages, {} arcs in {:?}", truth.pages.len(), truth.arcs().count(), start.elapsed());
    serde_json::to_writer(std::io::stdout().lock(), &truth)?;
    println!();
    Ok(())
}
