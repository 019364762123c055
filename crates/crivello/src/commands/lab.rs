//! `crivello lab`: the fake web on its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::lab::{AuditPolicy, FakeWeb, LabServer};
use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::Context;
use crate::lab_args::LabArgs;
use crate::output::{Ending, counted, errln, hinted, outln, print_json};
use crate::signals;

/// The fake web on its own: serve it, or print its truth
///
/// The same parameters give the same web, byte for byte, so a test that fails on it can be repeated.
#[derive(Debug, Args)]
pub struct LabCommand {
    #[command(subcommand)]
    pub action: LabAction,
}

/// What to do with it.
#[derive(Debug, Subcommand)]
pub enum LabAction {
    /// Serve it on loopback addresses until Ctrl-C, then print what the audit of all requests says
    Serve(LabServeArgs),
    /// Print what a correct crawl of it finds: pages, arcs, copies, forbidden addresses
    Truth(LabTruthArgs),
}

/// Serve a fake web.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct LabServeArgs {
    #[command(flatten)]
    pub web: LabArgs,
    /// The port on all of its addresses; 0 picks a free one
    #[arg(long, default_value_t = 8800)]
    pub port: u16,
    /// Where to write the table of hosts, for `crawl --resolve`
    #[arg(long, value_name = "FILE", default_value = "hosts.tsv")]
    pub hosts_file: PathBuf,
    /// The delay per host that the audit expects
    #[arg(long, value_name = "T", default_value = "0", value_parser = page::parse_duration)]
    pub audit_delay: Duration,
    /// Where to write what the audit says at the end, as JSON
    #[arg(long, value_name = "FILE")]
    pub audit_file: Option<PathBuf>,
    /// The delay per IP address that the audit expects [default: the value of --audit-delay]
    #[arg(long, value_name = "T", value_parser = page::parse_duration)]
    pub audit_ip_delay: Option<Duration>,
    /// How many times the length of a visit the audit expects a site to rest
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    pub audit_rest_ratio: f64,
    /// For how long the audit lets requests follow each other in one visit; 0: a visit is one request
    #[arg(long, value_name = "T", default_value = "0", value_parser = page::parse_duration)]
    pub audit_visit_time: Duration,
    /// The rest that the audit expects after an answer that speaks of trouble (429, 5xx); a crawl keeps at least 1s
    #[arg(long, value_name = "T", default_value = "0", value_parser = page::parse_duration)]
    pub audit_error_rest: Duration,
}

const EXAMPLES: &str = "\
Examples:
  crivello lab serve --pages 1000 --hosts 20              says how to crawl it
  crivello lab serve --seed 7 --port 0 --audit-delay 200ms --audit-file audit.json";

/// Print the truth about a fake web.
#[derive(Debug, Args)]
#[command(after_help = TRUTH_EXAMPLES)]
pub struct LabTruthArgs {
    #[command(flatten)]
    pub web: LabArgs,
    /// The port in its addresses
    #[arg(long, default_value_t = 8800)]
    pub port: u16,
}

const TRUTH_EXAMPLES: &str = "\
Examples:
  crivello lab truth --pages 1000 --hosts 20
  crivello lab truth --seed 7 --json";

/// Runs the command.
pub fn run(context: Context, command: &LabCommand) -> anyhow::Result<Ending> {
    match &command.action {
        LabAction::Serve(args) => serve(context, args),
        LabAction::Truth(args) => truth(context, args),
    }
}

fn serve(context: Context, args: &LabServeArgs) -> anyhow::Result<Ending> {
    let web = Arc::new(FakeWeb::new(args.web.config()?));
    let policy = AuditPolicy {
        host_delay: args.audit_delay,
        address_delay: args.audit_ip_delay.unwrap_or(args.audit_delay),
        rest_ratio: args.audit_rest_ratio,
        visit_time: args.audit_visit_time,
        error_rest: args.audit_error_rest,
    };
    let server = LabServer::start(web, args.port, policy).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AddrInUse => "choose another port with --port",
            _ => "fewer --hosts or more open files (ulimit -n) may help",
        };
        hinted(format!("cannot serve the fake web on port {}: {error}", args.port), hint)
    })?;
    std::fs::write(&args.hosts_file, server.hosts_tsv())
        .with_context(|| format!("cannot write `{}`", args.hosts_file.display()))?;
    announce(context, args, &server)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(signals::interrupted());
    let audit = server.audit();
    if let Some(path) = &args.audit_file {
        let json = serde_json::to_vec_pretty(&audit)?;
        std::fs::write(path, json).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    // Standard output has had its one object, or the seeds.
    errln!(
        "{}, {} of politeness",
        counted(audit.requests, "request"),
        counted(audit.violations, "violation")
    );
    for example in &audit.examples {
        errln!("  {example}");
    }
    Ok(Ending::from_failures(audit.violations))
}

fn announce(context: Context, args: &LabServeArgs, server: &LabServer) -> anyhow::Result<()> {
    let hosts_file = args.hosts_file.display();
    if context.json {
        let (seeds, port) = (server.seeds(), server.port());
        let line = serde_json::json!({ "seeds": seeds, "port": port, "hosts_file": hosts_file.to_string() });
        outln!("{line}");
        return Ok(());
    }
    for seed in server.seeds() {
        outln!("{seed}");
    }
    context
        .showing
        .say(&format!("serving until Ctrl-C; the table of hosts is in {hosts_file}. To crawl it:"));
    context.showing.say(&format!(
        "  crivello crawl lab.crivello {} --resolve {hosts_file} --allow-net 127.0.0.0/8 --scope all --delay 0",
        server.seeds().join(" ")
    ));
    Ok(())
}

fn truth(context: Context, args: &LabTruthArgs) -> anyhow::Result<Ending> {
    let truth = FakeWeb::new(args.web.config()?).truth(args.port);
    if context.json {
        print_json(&truth)?;
    } else {
        outln!(
            "{}, {}, {}",
            counted(truth.seeds.len() as u64, "seed"),
            counted(truth.pages.len() as u64, "page"),
            counted(truth.arc_positions.len() as u64, "arc")
        );
        let (groups, forbidden) = (truth.copies.len() as u64, truth.forbidden.len() as u64);
        outln!("{} of copies, {}", counted(groups, "group"), counted(forbidden, "forbidden address"));
        let (redirects, missing) = (truth.redirects.len() as u64, truth.missing.len() as u64);
        outln!("{}, {}", counted(redirects, "redirect"), counted(missing, "missing address"));
        context.showing.say("everything with --json");
    }
    Ok(Ending::Done)
}
