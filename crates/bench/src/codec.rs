//! Codecs: how many bits does a posting take, beside the least there can be, and how long to read it?
//!
//! Real lists (of a collection or a file) and those of a fake web, with documents in the order in which they come and in a
//! random one, in which neighbours have nothing in common. Bits stand beside the entropy of the numbers that are written: the
//! mean, over all gaps, counts and gaps of positions, of how surprising each is. A codec that knows more of a list than its
//! numbers (its frequency, its other documents) may go below. Unary takes as many bits as the numbers add up to; it is shown
//! on the counts alone.

mod entropy;
mod sample;

use std::fmt::Write as _;
use std::path::PathBuf;

use ::index::CodecName;
use lab::{FakeWeb, LabConfig};

use self::entropy::Entropy;
use self::sample::{Measured, Sample};
use crate::dedup::page_text;
use crate::index::{Corpus, Inverted};
use crate::plot::Plot;
use crate::{Error, Row, Surroundings, Yardstick};

/// Bits and nanoseconds of each codec.
#[derive(Debug)]
pub struct CodecBench {
    /// A collection, or a file with a document on each line; without, the lists of a fake web alone.
    pub documents: Option<PathBuf>,
    /// Where the table and the plots are written.
    pub plots: Option<PathBuf>,
}

const LAB_PAGES: u32 = 4_000;

impl Yardstick for CodecBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let mut corpora = vec![lab_corpus()];
        if let Some(path) = &self.documents {
            corpora.push(Corpus::read(path)?);
        }
        let (mut rows, mut text) = (Vec::new(), String::from("# Codecs\n"));
        for corpus in &corpora {
            for order in ["as they come", "shuffled"] {
                surroundings.say(&format!("{}, {order}", corpus.name));
                let shuffled = (order == "shuffled").then(|| corpus.shuffled());
                let sample = Sample::of(&Inverted::new(shuffled.as_ref().unwrap_or(corpus)));
                let title = format!("{}, {order}", corpus.name);
                let measured = CodecName::ALL.map(|codec| (codec, sample.measure(codec)));
                write_table(&mut text, &title, &sample, &measured);
                if let Some(folder) = &self.plots {
                    let plot = plot(&title, &measured);
                    fs_err::create_dir_all(folder)?;
                    fs_err::write(folder.join(plot.file_name()), plot.svg())?;
                }
                rows.extend(
                    measured.iter().flat_map(|(codec, measured)| rows_of(&title, *codec, &sample, measured)),
                );
                rows.push(unary_row(&title, &sample));
            }
        }
        if let Some(folder) = &self.plots {
            fs_err::write(folder.join("README.md"), text)?;
        }
        Ok(rows)
    }
}

fn lab_corpus() -> Corpus {
    let web = FakeWeb::new(LabConfig { pages: LAB_PAGES, ..LabConfig::clean() });
    let texts = (0..LAB_PAGES).map(|page| page_text(&web, page));
    Corpus::of_texts("lab", texts)
}

fn rows_of(title: &str, codec: CodecName, sample: &Sample, measured: &Measured) -> Vec<Row> {
    let name = |what: &str| format!("{title}: {}, {what}", codec.name());
    let bits = |what: &str, unit, ours, entropy: Entropy| {
        Row::new(name(what), unit, ours, "entropy", Ok(entropy.bits), None)
    };
    let mut rows = vec![
        bits("documents", "bits per posting", measured.document_bits, sample.document_entropy),
        bits("counts", "bits per posting", measured.count_bits, sample.count_entropy),
        bits("positions", "bits per position", measured.position_bits, sample.position_entropy),
        Row::informative(name("documents"), "ns per posting", measured.document_ns),
    ];
    rows.extend(measured.skip_ns.map(|ns| Row::informative(name("a skip"), "ns", ns)));
    rows
}

fn unary_row(title: &str, sample: &Sample) -> Row {
    let name = format!("{title}: unary, counts");
    Row::new(
        name,
        "bits per posting",
        sample.unary_count_bits,
        "entropy",
        Ok(sample.count_entropy.bits),
        None,
    )
}

fn write_table(text: &mut String, title: &str, sample: &Sample, measured: &[(CodecName, Measured)]) {
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        text.write_fmt(arguments).and_then(|()| text.write_char('\n')).expect("a string takes all");
    };
    line(format_args!("\n## {title}\n"));
    line(format_args!(
        "{} lists, {} postings, {} positions.\n",
        sample.lists(),
        sample.postings,
        sample.positions
    ));
    line(format_args!(
        "| codec | documents, bits | counts, bits | positions, bits | documents, ns | a skip, ns |\n|---|---|---|---|---|---|"
    ));
    line(format_args!(
        "| entropy | {:.3} | {:.3} | {:.3} | | |",
        sample.document_entropy.bits, sample.count_entropy.bits, sample.position_entropy.bits
    ));
    for (codec, measured) in measured {
        line(format_args!(
            "| {} | {:.3} | {:.3} | {:.3} | {:.2} | {} |",
            codec.name(),
            measured.document_bits,
            measured.count_bits,
            measured.position_bits,
            measured.document_ns,
            measured.skip_ns.map_or("–".into(), |ns| format!("{ns:.0}"))
        ));
    }
}

/// Bits against nanoseconds: the best are below on the left.
fn plot(title: &str, measured: &[(CodecName, Measured)]) -> Plot {
    let mut plot = Plot::new(&format!("Documents, {title}"), "bits per posting", "ns per posting");
    for (codec, measured) in measured {
        plot.add(codec.name(), measured.document_bits, measured.document_ns);
    }
    plot
}
