//! How long does a page take to make? `cargo run --release -p lab --example render`.

use std::time::Instant;

use lab::{FakeWeb, LabConfig};

fn main() {
    for (name, config) in [("yardstick", LabConfig::yardstick(20_000)), ("default", LabConfig::default())] {
        let web = FakeWeb::new(config);
        let start = Instant::now();
        let pages = web.config().pages;
        let bytes: usize = (0..pages).map(|id| web.page_html(id, 8080).len()).sum();
        let per_page = start.elapsed() / pages;
        println!("{name}: {per_page:?} for a page of {} bytes", bytes / pages as usize);
    }
}
