//! Real graphs with known answers, in the folder of shared data.

use std::path::PathBuf;
use std::sync::LazyLock;

use graph::Csr;

use crate::plain_bv::read_bv;

/// A graph and the folder of its truths.
pub struct KnownGraph {
    pub name: &'static str,
    pub folder: PathBuf,
    pub graph: Csr,
}

impl KnownGraph {
    /// One number per node, as the truth's program wrote them.
    pub fn truth(&self, name: &str) -> Vec<f64> {
        let bytes = std::fs::read(self.folder.join("truth").join(name)).expect("the truth is there");
        bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
    }

    /// A number of `stats.tsv`.
    pub fn number(&self, name: &str) -> f64 {
        let text = std::fs::read_to_string(self.folder.join("truth/stats.tsv")).expect("the truth is there");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
        line.and_then(|number| number.parse().ok()).expect("the number is there")
    }

    /// The exact neighbourhood function.
    pub fn neighbourhood(&self) -> Vec<f64> {
        let text = std::fs::read_to_string(self.folder.join("truth/nf.tsv")).expect("the truth is there");
        text.lines()
            .map(|line| line.split('\t').nth(1).expect("two columns").parse().expect("a number"))
            .collect()
    }
}

fn folder(name: &str) -> Option<PathBuf> {
    let data = match std::env::var_os("CRIVELLO_DATA") {
        Some(data) => PathBuf::from(data),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let folder = data.join("graphs").join(name);
    if folder.exists() {
        return Some(folder);
    }
    // Not by `println!`, which a passing test keeps to itself.
    let line = format!("skipped: {} is absent (set CRIVELLO_DATA)\n", folder.display());
    std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes())
        .expect("standard error can be written to");
    None
}

/// 325,557 pages of an Italian crawl of the year 2000.
pub fn cnr_2000() -> Option<&'static KnownGraph> {
    static GRAPH: LazyLock<Option<KnownGraph>> = LazyLock::new(|| {
        let folder = folder("cnr-2000")?;
        Some(KnownGraph { name: "cnr-2000", graph: read_bv(&folder.join("cnr-2000")), folder })
    });
    GRAPH.as_ref()
}

/// 6,012 pages of a university; node 0 is not used.
pub fn hollins() -> Option<&'static KnownGraph> {
    static GRAPH: LazyLock<Option<KnownGraph>> = LazyLock::new(|| {
        let folder = folder("hollins")?;
        let text = std::fs::read_to_string(folder.join("hollins.txt")).expect("the graph is there");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let arcs = lines.filter_map(|line| {
            let (source, target) = line.trim().split_once(char::is_whitespace)?;
            Some((source.trim().parse().ok()?, target.trim().parse().ok()?))
        });
        Some(KnownGraph { name: "hollins", graph: Csr::from_arcs(6013, arcs), folder })
    });
    GRAPH.as_ref()
}

/// Those that are there.
pub fn all() -> impl Iterator<Item = &'static KnownGraph> {
    [hollins(), cnr_2000()].into_iter().flatten()
}
