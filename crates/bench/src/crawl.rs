//! The cost of a page: CPU seconds per thousand pages of a crawl of one host, with everything on.
//!
//! The host is the lab's yardstick: pages of 8.5 kB with 20 links, served over loopback without delay. We write gzipped
//! WARC with digests, links, the page table and a durable frontier. `wget --warc-file` does the nearest to that; wget2
//! only fetches and follows, so it shows how far there is to go. CPU time of the client alone counts, which is
//! comparable on a busy machine.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use lab::{AuditPolicy, FakeWeb, LabConfig, LabServer};
use page::thousands;

use crate::process::{Usage, is_installed, measure};
use crate::{Error, Row, Surroundings, Yardstick};

/// CPU time per page of a whole crawl.
#[derive(Debug)]
pub struct CrawlBench {
    /// Pages of the site.
    pub pages: u32,
    /// How often each program runs; the best run counts.
    pub rounds: u32,
}

impl Yardstick for CrawlBench {
    /// Runs us and the peers in turn.
    fn measure(&self, surroundings: &Surroundings<'_>) -> Result<Vec<Row>, Error> {
        let web = Arc::new(FakeWeb::new(LabConfig::yardstick(self.pages)));
        let server = LabServer::start(web, 0, AuditPolicy::default())?;
        let address = server.hosts_tsv().split('\t').next().unwrap_or("127.0.0.1").to_owned();
        let url = format!("http://{address}:{}/", server.port());
        let site = Site { url, server: &server, pages: self.pages, program: surroundings.program };
        let folder = tempfile::Builder::new().prefix("crivello-bench-").tempdir()?;
        let mut best: [Option<Result<Cost, String>>; 5] = Default::default();
        for round in 1..=self.rounds {
            let programs =
                [Program::Ours, Program::OursUnkept, Program::WgetWarc, Program::Wget, Program::Wget2];
            for (program, best) in programs.into_iter().zip(&mut best) {
                surroundings.say(&format!("round {round}: {}", program.name()));
                keep_best(best, site.cost_per_thousand(program, folder.path()));
            }
        }
        let [ours, unkept, peers @ ..] = best.map(|cost| cost.unwrap_or(Err("not run".into())));
        Ok(self.rows(ours.map_err(Error::OurProgram)?, unkept.map_err(Error::OurProgram)?, peers))
    }
}

impl CrawlBench {
    fn rows(&self, ours: Cost, unkept: Cost, peers: [Result<Cost, String>; 3]) -> Vec<Row> {
        let name = format!("crawl of {} pages, everything on", thousands(self.pages.into()));
        let names = [
            ("wget --warc-file", Some(0.2)),
            ("wget (fetch and follow only)", None),
            ("wget2 (fetch and follow only)", None),
        ];
        let bare =
            format!("crawl of {} pages, fetched, parsed and sieved only", thousands(self.pages.into()));
        let wget2 = peers[2].clone();
        let cpu = wget2.clone().map(|cost| cost.cpu_seconds);
        let wall = wget2.map(|cost| cost.wall_seconds);
        let mut rows = vec![
            Row::new(bare.clone(), "CPU s per 1000 pages", unkept.cpu_seconds, names[2].0, cpu, Some(1.0)),
            Row::new(bare, "wall s per 1000 pages", unkept.wall_seconds, names[2].0, wall, None),
        ];
        for ((peer_name, goal), peer) in names.into_iter().zip(peers) {
            let cpu = peer.clone().map(|cost| cost.cpu_seconds);
            rows.push(Row::new(name.clone(), "CPU s per 1000 pages", ours.cpu_seconds, peer_name, cpu, goal));
            let wall = peer.map(|cost| cost.wall_seconds);
            rows.push(Row::new(
                name.clone(),
                "wall s per 1000 pages",
                ours.wall_seconds,
                peer_name,
                wall,
                None,
            ));
        }
        rows
    }
}

/// What a thousand pages cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    cpu_seconds: f64,
    wall_seconds: f64,
}

fn keep_best(best: &mut Option<Result<Cost, String>>, new: Result<Cost, String>) {
    let is_better = match (&best, &new) {
        (None | Some(Err(_)), _) => true,
        (Some(Ok(old)), Ok(new)) => new.cpu_seconds < old.cpu_seconds,
        (Some(Ok(_)), Err(_)) => false,
    };
    if is_better {
        *best = Some(new);
    }
}

/// Who crawls.
#[derive(Debug, Clone, Copy)]
enum Program {
    Ours,
    OursUnkept,
    WgetWarc,
    Wget,
    Wget2,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "crivello",
            Self::OursUnkept => "crivello --store none",
            Self::WgetWarc => "wget --warc-file",
            Self::Wget => "wget",
            Self::Wget2 => "wget2",
        }
    }

    fn command(self, ours: &Path, url: &str, folder: &Path) -> Command {
        let mut command = match self {
            Self::Ours | Self::OursUnkept => Command::new(ours),
            Self::WgetWarc | Self::Wget => Command::new("wget"),
            Self::Wget2 => Command::new("wget2"),
        };
        command.current_dir(folder);
        match self {
            Self::Ours | Self::OursUnkept => {
                let store = if matches!(self, Self::Ours) { "all" } else { "none" };
                command.args([
                    "crawl",
                    "--store",
                    store,
                    "bench.crivello",
                    url,
                    "--delay",
                    "0",
                    "--allow-net",
                    "127.0.0.0/8",
                    "-q",
                ]);
            }
            Self::WgetWarc => {
                command.args(["-q", "-r", "-l", "inf", "-e", "robots=off", "--delete-after", "--warc-cdx"]);
                command.args(["--warc-file=bench", url]);
            }
            Self::Wget => {
                command.args(["-q", "-r", "-l", "inf", "-e", "robots=off", "--delete-after", url]);
            }
            Self::Wget2 => {
                command.args([
                    "-q",
                    "-r",
                    "-l",
                    "inf",
                    "--no-robots",
                    "--max-threads=32",
                    "--delete-after",
                    url,
                ]);
            }
        }
        command
    }
}

struct Site<'a> {
    url: String,
    server: &'a LabServer,
    pages: u32,
    /// Our own.
    program: &'a Path,
}

impl Site<'_> {
    /// What a thousand pages cost, or why that is not known.
    fn cost_per_thousand(&self, program: Program, folder: &Path) -> Result<Cost, String> {
        let executable = program.name().split(' ').next().expect("names are not empty");
        if !matches!(program, Program::Ours | Program::OursUnkept) && !is_installed(executable) {
            return Err(format!("not installed: apt-get install {executable}"));
        }
        let folder = tempfile::tempdir_in(folder).map_err(|error| error.to_string())?;
        let before = self.server.requests();
        let mut command = program.command(self.program, &self.url, folder.path());
        let Usage { cpu_seconds, wall_seconds, exit_code } =
            measure(&mut command).map_err(|error| error.to_string())?;
        let requests = self.server.requests() - before;
        if requests < u64::from(self.pages) * 95 / 100 {
            return Err(format!(
                "it fetched {requests} of {} pages and ended with {exit_code:?}",
                self.pages
            ));
        }
        let thousands = requests as f64 / 1000.0;
        Ok(Cost { cpu_seconds: cpu_seconds / thousands, wall_seconds: wall_seconds / thousands })
    }
}
