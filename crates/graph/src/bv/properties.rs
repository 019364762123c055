//! The `.properties` file of a BV graph: how many nodes and arcs, and with which parameters and codes it was written.
//!
//! It is a Java properties file; the graphs that exist use none of its escapes. Only what decides how bits are read is
//! looked at, and everything of that is checked, because a wrong code reads nonsense without noticing.

use std::collections::HashMap;
use std::path::Path;

use super::bit_reader::Code;
use super::compress::{BvOptions, BvStats};
use crate::Error;

/// What the bits of a graph mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Properties {
    pub(crate) nodes: usize,
    pub(crate) arcs: u64,
    /// How many nodes back a reference may reach; with zero there are no references.
    pub(crate) window: usize,
    /// Runs of at least this many consecutive targets are intervals; with zero there are none.
    pub(crate) min_interval: usize,
    pub(crate) outdegrees: Code,
    pub(crate) references: Code,
    pub(crate) blocks: Code,
    pub(crate) intervals: Code,
    pub(crate) residuals: Code,
}

impl Properties {
    /// Reads and checks the file; gives its bytes too, for a checksum.
    pub(crate) fn read(path: &Path) -> Result<(Self, Vec<u8>), Error> {
        let bytes = fs_err::read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok((Self::parse(&text, path)?, bytes))
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Error> {
        let found = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '!']));
        let found: HashMap<&str, &str> = found
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        match found.get("graphclass") {
            Some(class) if class.ends_with("BVGraph") => {}
            Some(class) => {
                let reason = format!("it is a `{class}`, and only BVGraph is read");
                return Err(Error::Unsupported { path: path.to_owned(), reason });
            }
            None => {
                let expected = "the properties of a BV graph";
                return Err(Error::Foreign { path: path.to_owned(), expected });
            }
        }
        let unsupported = |reason: String| Error::Unsupported { path: path.to_owned(), reason };
        if found.get("endianness").is_some_and(|order| *order != "big") {
            return Err(unsupported("its bits are not big-endian".into()));
        }
        let number = |key: &str, default: Option<u64>| match found.get(key) {
            Some(value) => value
                .parse::<u64>()
                .map_err(|_| Error::damaged(path, format!("`{key}={value}` is not a number"))),
            None => default.ok_or_else(|| Error::damaged(path, format!("`{key}` is missing"))),
        };
        if number("version", Some(0))? > 1 {
            return Err(unsupported(format!("its version is {}", found["version"])));
        }
        let zeta_k = number("zetak", Some(3))?;
        let nodes = number("nodes", None)?;
        if nodes > u64::from(u32::MAX) {
            return Err(Error::TooMany { what: "nodes", limit: u64::from(u32::MAX) });
        }
        // A small number of arcs cannot exceed every pair of nodes.
        let arcs = number("arcs", None)?;
        if u128::from(arcs) > u128::from(nodes) * u128::from(nodes) {
            return Err(Error::damaged(path, format!("{nodes} nodes cannot have {arcs} arcs")));
        }
        let mut properties = Self {
            nodes: nodes as usize,
            arcs,
            window: number("windowsize", Some(7))?.min(nodes.max(1)) as usize,
            min_interval: number("minintervallength", Some(4))?.min(u64::from(u32::MAX)) as usize,
            outdegrees: Code::Gamma,
            references: Code::Unary,
            blocks: Code::Gamma,
            intervals: Code::Gamma,
            residuals: Code::Zeta(
                k_of(zeta_k).ok_or_else(|| unsupported(format!("its ζ code has k = {zeta_k}")))?,
            ),
        };
        let flags = found.get("compressionflags").copied().unwrap_or_default();
        for flag in flags.split('|').filter(|flag| !flag.trim().is_empty()) {
            let (kind, code) =
                flag.trim().split_once('_').ok_or_else(|| unsupported(format!("unknown flag `{flag}`")))?;
            let code = code_of(code, zeta_k).ok_or_else(|| unsupported(format!("unknown code `{flag}`")))?;
            match kind {
                "OUTDEGREES" => properties.outdegrees = code,
                "REFERENCES" => properties.references = code,
                "BLOCKS" => properties.blocks = code,
                "INTERVALS" => properties.intervals = code,
                "RESIDUALS" => properties.residuals = code,
                // We never read the offsets: they follow from the graph.
                "OFFSETS" => {}
                _ => return Err(unsupported(format!("unknown flag `{flag}`"))),
            }
        }
        Ok(properties)
    }
}

fn k_of(k: u64) -> Option<u32> {
    (1..=7).contains(&k).then_some(k as u32)
}

fn code_of(name: &str, zeta_k: u64) -> Option<Code> {
    let parameter = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.parse::<u64>().ok());
    match name {
        "UNARY" => Some(Code::Unary),
        "GAMMA" => Some(Code::Gamma),
        "DELTA" => Some(Code::Delta),
        "ZETA" => k_of(zeta_k).map(Code::Zeta),
        _ => match (parameter("ZETA"), parameter("PI")) {
            (Some(k), _) => k_of(k).map(Code::Zeta),
            (_, Some(k @ 1..=4)) => Some(Code::Pi(k as u32)),
            _ => None,
        },
    }
}

/// What is written beside a graph, for us and for other tools. Version 1 has codes that the first one had not.
pub(super) fn properties_text(options: &BvOptions, stats: &BvStats) -> String {
    let (version, flags) = if options.use_pi_codes { (1, "RESIDUALS_PI2") } else { (0, "") };
    let mut text = format!(
        "#BVGraph properties\ngraphclass=it.unimi.dsi.webgraph.BVGraph\nversion={version}\nendianness=big\n\
         nodes={}\narcs={}\nminintervallength={}\nmaxrefcount={}\nwindowsize={}\nlength={}\n\
         compressionflags={flags}\n",
        stats.nodes,
        stats.arcs,
        options.min_interval,
        options.reference_chain_max,
        options.window,
        stats.bits
    );
    if version == 0 {
        text += "zetak=3\n";
    }
    let nodes = stats.nodes as f64;
    if stats.nodes > 0 {
        text += &format!("avgref={:.3}\n", stats.chains as f64 / nodes);
        text += &format!("avgdist={:.3}\n", stats.distances as f64 / nodes);
        text += &format!("bitspernode={}\n", stats.bits as f64 / nodes);
    }
    if stats.arcs > 0 {
        text += &format!("bitsperlink={}\n", stats.bits as f64 / stats.arcs as f64);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "#BVGraph properties\ngraphclass=it.unimi.dsi.webgraph.BVGraph\nnodes=3\narcs=4\n";

    #[test]
    fn what_is_not_said_is_the_standard() {
        let properties = Properties::parse(PLAIN, Path::new("x")).unwrap();
        assert_eq!((properties.nodes, properties.arcs), (3, 4));
        assert_eq!((properties.window, properties.min_interval), (3, 4));
        assert_eq!(properties.residuals, Code::Zeta(3));
    }

    #[test]
    fn codes_are_read_by_their_names() {
        for (flags, expected) in [
            ("RESIDUALS_DELTA", Code::Delta),
            ("RESIDUALS_PI2", Code::Pi(2)),
            ("OUTDEGREES_DELTA | RESIDUALS_ZETA5", Code::Zeta(5)),
            ("RESIDUALS_ZETA", Code::Zeta(3)),
        ] {
            let text = format!("{PLAIN}compressionflags={flags}\n");
            assert_eq!(Properties::parse(&text, Path::new("x")).unwrap().residuals, expected, "{flags}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        for (extra, word) in [
            ("endianness=little", "big-endian"),
            ("version=2", "version"),
            ("zetak=9", "k = 9"),
            ("compressionflags=RESIDUALS_OMEGA", "OMEGA"),
            ("compressionflags=WEIGHTS_GAMMA", "WEIGHTS"),
            ("nodes=many", "not a number"),
            ("nodes=9999999999", "too many nodes"),
            ("arcs=10", "cannot have"),
            ("graphclass=it.unimi.dsi.webgraph.EFGraph", "EFGraph"),
        ] {
            let error = Properties::parse(&format!("{PLAIN}{extra}\n"), Path::new("x")).unwrap_err();
            assert!(error.to_string().contains(word), "{extra}: {error}");
        }
        assert!(matches!(Properties::parse("hello", Path::new("x")), Err(Error::Foreign { .. })));
    }
}
