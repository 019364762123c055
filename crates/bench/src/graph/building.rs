//! From raw arcs in any order to a compressed graph, in a process of its own, whose memory the system counts.

use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use ::graph::{BvOptions, import_arcs, write_bv_from_arcs};

use super::addresses::made_address;
use crate::clock::process_seconds;
use crate::process::{json_of, peak_memory_bytes};
use crate::{Error, Row, Surroundings, Yardstick};

const BUDGET_MIB: usize = 256;
const ARC_NS_MAX: f64 = 130.0;
/// Beside the budget.
const MORE_MIB_MAX: f64 = 64.0;

/// Pairs of addresses, for each pair of numbers: a file of them is as long as forty files of numbers in memory.
const NAMED_PART: u64 = 25;

/// Has it measured by another process: pairs of numbers, and pairs of addresses in a file, which is what people have.
pub fn rows(millions: u64, program: &Path) -> Result<Vec<Row>, Error> {
    let mut rows = rows_of(program, millions, "raw arcs", &[])?;
    rows.extend(rows_of(program, (millions / NAMED_PART).max(1), "arcs as addresses", &["--named"])?);
    Ok(rows)
}

fn rows_of(program: &Path, millions: u64, what: &str, options: &[&str]) -> Result<Vec<Row>, Error> {
    let mut command = Command::new(program);
    command.args(["--json", "--quiet", "bench", "graph", "--build-only", "--arcs", &millions.to_string()]);
    let report = json_of(command.args(options))?;
    let number = |row: usize| report["rows"][row]["ours"].as_f64().unwrap_or(f64::NAN);
    let name = format!("{millions} million {what}, budget {BUDGET_MIB} MiB");
    Ok(vec![
        Row::absolute(format!("{name}: sorted and compressed"), "CPU ns per arc", number(0), ARC_NS_MAX),
        Row::absolute(format!("{name}: peak memory"), "MiB", number(1), BUDGET_MIB as f64 + MORE_MIB_MAX),
    ])
}

/// From raw arcs to a graph in this very process: nanoseconds per arc, and the most memory that was held.
#[derive(Debug)]
pub struct GraphBuilding {
    /// Arcs, in millions.
    pub million_arcs: u64,
    /// Whether they are pairs of addresses in a file.
    pub is_named: bool,
}

impl Yardstick for GraphBuilding {
    fn measure(&self, _: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        measure(self.million_arcs, self.is_named)
    }
}

fn measure(millions: u64, is_named: bool) -> Result<Vec<Row>, Error> {
    let (arcs, nodes) = (millions * 1_000_000, millions * 30_000);
    let made = (0..arcs).map(|number| arc(number, arcs, nodes));
    let scratch = tempfile::tempdir()?;
    if is_named {
        return measure_named(made, arcs, scratch.path());
    }
    let start = process_seconds();
    // What it costs to make the arcs up is not the graph's.
    std::hint::black_box(made.clone().fold(0, |sum, (source, target)| sum ^ source ^ target));
    let idle = process_seconds() - start;
    let start = process_seconds();
    write_bv_from_arcs(
        nodes as usize,
        made,
        &scratch.path().join("graph"),
        &BvOptions::standard(),
        BUDGET_MIB << 20,
    )?;
    Ok(measured((process_seconds() - start - idle) * 1e9 / arcs as f64))
}

fn measure_named(
    made: impl Iterator<Item = (u32, u32)>,
    arcs: u64,
    scratch: &Path,
) -> Result<Vec<Row>, Error> {
    let path = scratch.join("arcs.tsv");
    let mut out = BufWriter::new(std::fs::File::create(&path)?);
    for (source, target) in made {
        writeln!(out, "{}\t{}", made_address(source.into()), made_address(target.into()))?;
    }
    out.flush()?;
    let start = process_seconds();
    import_arcs(&path, &scratch.join("graph"), &BvOptions::standard(), BUDGET_MIB << 20)?;
    Ok(measured((process_seconds() - start) * 1e9 / arcs as f64))
}

fn measured(nanoseconds: f64) -> Vec<Row> {
    let peak = peak_memory_bytes() as f64 / f64::from(1 << 20);
    vec![
        Row::informative("sorted and compressed".into(), "CPU ns per arc", nanoseconds),
        Row::informative("peak memory".into(), "MiB", peak),
    ]
}

/// Like links of pages, mixed up: most go near, some anywhere, and one in four comes twice.
fn arc(number: u64, arcs: u64, nodes: u64) -> (u32, u32) {
    let mix = |number: u64| xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes());
    let random = mix(number % (arcs * 3 / 4).max(1));
    let source = (random >> 32) % nodes;
    let near = (source / 64 * 64 + mix(random) % 64).min(nodes - 1);
    let target = if random.is_multiple_of(10) { mix(random + 1) % nodes } else { near };
    (source as u32, target as u32)
}
