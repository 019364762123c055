//! The cost of a page: CPU seconds per thousand pages of a crawl of one host, with everything on.
//!
//! The host is the lab's yardstick: pages of 8.5 kB with 20 links, served over loopback without delay. We write gzipped
//! WARC with digests, links, the page table and a durable frontier. `wget --warc-file` does the nearest to that; wget2
//! only fetches and follows, so it shows how far there is to go. CPU time of the client alone counts, which is
//! comparable on a busy machine.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use ::lab::{AuditPolicy, FakeWeb, LabConfig, LabServer};
use clap::Args;

use super::peer::{Usage, is_installed, measure};
use super::{Report, Row, machine};
use crate::commands::Context;
use crate::output::thousands;

/// CPU time per page of a whole crawl.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CrawlBenchArgs {
    /// Pages of the site
    #[arg(long, default_value_t = 20_000)]
    pub pages: u32,
    /// How often each program runs; the best run counts
    #[arg(long, default_value_t = 3)]
    pub rounds: u32,
}

const EXAMPLES: &str = "\
Examples:
  crivello bench crawl
  crivello bench crawl --json";

/// Runs us and the peers in turn.
pub fn run(context: Context, args: &CrawlBenchArgs) -> anyhow::Result<Report> {
    let web = Arc::new(FakeWeb::new(LabConfig::yardstick(args.pages)));
    let server = LabServer::start(web.clone(), 0, AuditPolicy::default())?;
    let address = server.hosts_tsv().split('\t').next().unwrap_or("127.0.0.1").to_owned();
    let site =
        Site { url: format!("http://{address}:{}/", server.port()), server: &server, pages: args.pages };
    let folder = tempfile::Builder::new().prefix("crivello-bench-").tempdir()?;

    let mut best: [Option<Result<Cost, String>>; 4] = Default::default();
    for round in 1..=args.rounds {
        let programs = [Program::Ours, Program::WgetWarc, Program::Wget, Program::Wget2];
        for (program, best) in programs.into_iter().zip(&mut best) {
            context.showing.say(&format!("round {round}: {}", program.name()));
            keep_best(best, site.cost_per_thousand(program, folder.path()));
        }
    }
    let [ours, wget_warc, wget, wget2] = best.map(|cost| cost.unwrap_or(Err("not run".into())));
    let ours = ours.map_err(|problem| anyhow::anyhow!("our own crawl: {problem}"))?;
    let name = format!("crawl of {} pages, everything on", thousands(args.pages.into()));
    let mut rows = Vec::new();
    for (peer_name, peer, goal) in [
        ("wget --warc-file", wget_warc, Some(1.0)),
        ("wget (fetch and follow only)", wget, None),
        ("wget2 (fetch and follow only)", wget2, None),
    ] {
        let cpu = peer.clone().map(|cost| cost.cpu_seconds);
        rows.push(Row::new(name.clone(), "CPU s per 1000 pages", ours.cpu_seconds, peer_name, cpu, goal));
        let wall = peer.map(|cost| cost.wall_seconds);
        rows.push(Row::new(name.clone(), "wall s per 1000 pages", ours.wall_seconds, peer_name, wall, None));
    }
    Ok(Report { machine: machine(), rows })
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
    WgetWarc,
    Wget,
    Wget2,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "crivello",
            Self::WgetWarc => "wget --warc-file",
            Self::Wget => "wget",
            Self::Wget2 => "wget2",
        }
    }

    fn command(self, url: &str, folder: &Path) -> anyhow::Result<Command> {
        let mut command = match self {
            Self::Ours => Command::new(std::env::current_exe()?),
            Self::WgetWarc | Self::Wget => Command::new("wget"),
            Self::Wget2 => Command::new("wget2"),
        };
        command.current_dir(folder);
        match self {
            Self::Ours => {
                command.args([
                    "crawl",
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
        Ok(command)
    }
}

struct Site<'a> {
    url: String,
    server: &'a LabServer,
    pages: u32,
}

impl Site<'_> {
    /// What a thousand pages cost, or why that is not known.
    fn cost_per_thousand(&self, program: Program, folder: &Path) -> Result<Cost, String> {
        let executable = program.name().split(' ').next().expect("names are not empty");
        if !matches!(program, Program::Ours) && !is_installed(executable) {
            return Err(format!("not installed: apt-get install {executable}"));
        }
        let folder = tempfile::tempdir_in(folder).map_err(|error| error.to_string())?;
        let before = self.server.requests();
        let mut command = program.command(&self.url, folder.path()).map_err(|error| error.to_string())?;
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
