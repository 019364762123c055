//! Sets that are wrong in one direction only, and many of them at once: speed, size and true rate.
//!
//! One thread, CPU time, the best of several rounds. The claims: a query of the blocked filter takes at most half as long
//! as fastbloom's, at a true rate of at most 1.00 % and 10.2 bits a key; the sliced index answers for a thousand filters
//! of 500 elements within fixed times; and the adaptive index is at most a fifth slower than the structure that is best for
//! searches, and at most 1.3 times as slow as the best one for runs of mixed operations that its constants never saw. Such
//! runs are also drawn by a seed.
//!
//! `--plots` makes the figures and tables by which Bloofi and Flat Bloofi were compared, for all structures.

mod adaptive;
mod chapter5;
mod drawn;
mod held_out;
mod sets;
mod speed;
pub mod subjects;
mod tables;
mod thousand;

use std::path::{Path, PathBuf};

use page::thousands;

use crate::process::machine;
use crate::{Error, Row, Surroundings, Yardstick};

/// Bloom filters and the index of many filters.
#[derive(Debug)]
pub struct FilterBench {
    /// Keys of the filters: from ten million on they are asked in batches. Without any, those that we report.
    pub keys: Vec<u64>,
    /// Where tables and plots of all index structures go, if they are wanted.
    pub plots: Option<PathBuf>,
    /// Which runs of mixed operations are drawn for the adaptive index; without any, those that we report.
    pub seed: Option<u64>,
    /// Nothing that takes minutes: small filters, at most a thousand in an index, and few of the runs that are drawn.
    pub is_quick: bool,
}

impl Yardstick for FilterBench {
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        if let Some(folder) = &self.plots {
            fs_err::create_dir_all(folder)?;
        }
        let mut rows = Vec::new();
        for keys in self.sizes() {
            surroundings.say(&format!("filters of {} keys", thousands(keys)));
            rows.extend(speed::rows(keys as usize));
        }
        surroundings.say("a thousand filters of 500 elements");
        rows.extend(thousand::rows());
        surroundings.say("the adaptive index");
        let (row, grid) = adaptive::grid(self.counts());
        rows.push(row);
        surroundings.say("the adaptive index in mixed runs");
        let (held_out_rows, runs) = held_out::measure(self.is_quick);
        rows.extend(held_out_rows);
        surroundings.say("the adaptive index in runs that are drawn");
        let (drawn_rows, drawn_runs) = drawn::measure(self.seed.unwrap_or(drawn::SEED), self.is_quick);
        rows.extend(drawn_rows);
        if let Some(folder) = &self.plots {
            surroundings.say("tables and plots of all structures");
            let adaptive = format!("{grid}\n{}\n{runs}\n{drawn_runs}", adaptive::mix());
            write_chapter(folder, self.counts(), &adaptive)?;
        }
        Ok(rows)
    }
}

impl FilterBench {
    fn sizes(&self) -> Vec<u64> {
        match (self.keys.is_empty(), self.is_quick) {
            (false, _) => self.keys.clone(),
            (true, true) => vec![20_000],
            (true, false) => vec![20_000, 100_000_000],
        }
    }

    /// Numbers of filters in an index.
    fn counts(&self) -> &'static [usize] {
        if self.is_quick { &[10, 100, 1_000] } else { &[10, 100, 1_000, 10_000, 100_000] }
    }
}

/// Writes the tables and the plots.
fn write_chapter(folder: &Path, counts: &[usize], adaptive: &str) -> Result<(), Error> {
    let mut text = format!(
        "# Indexes of many filters\n\n{}\n\n\
         Figures and tables have the numbers of those in chapters 4 and 5 of the thesis by which Bloofi (tree) and Flat\n\
         Bloofi (flat) were compared, with the other structures beside.\n\n",
        machine()
    );
    let write = |name: &str, content: &str| fs_err::write(folder.join(name), content);
    text += &tables::cases();
    for plot in chapter5::against_count(counts).into_iter().chain(chapter5::against_shape()) {
        let name = plot.file_name();
        text += &format!("\n{}\n![the same as a plot]({name})\n", plot.table());
        write(&name, &plot.svg())?;
    }
    text += &tables::spread();
    text += &tables::distances();
    text += &tables::threads(counts.iter().copied().max().unwrap_or(1_000));
    text += &format!("\n{adaptive}");
    Ok(write("README.md", &text)?)
}
