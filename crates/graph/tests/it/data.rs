//! Where the shared collections are, if they are there.

use std::path::PathBuf;

/// A folder or file of the shared data; without it, says so and the test passes.
pub fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CRIVELLO_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    // Not by `println!`, which a passing test keeps to itself.
    let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", found.display());
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
        .expect("standard error can be written to");
    None
}
