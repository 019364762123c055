//! The one binary: a web search engine that one person can own.
//!
//! Each subcommand is a file in `commands/`. What they share: [`cli`] (their words), [`crawl_options`], [`lab_args`], [`listen`] and [`weight_args`] (options that several take), [`remembered`] (what a crawl was told),
//! [`output`] (how results and errors are shown), [`hints`] (what to do about an error), [`bars`] and [`build_watch`] (progress), [`process`]
//! (what this process has used).

// A line that nobody reads must not be a panic: `outln!` and `errln!` print.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bars;
mod build_watch;
mod cli;
mod commands;
mod crawl_options;
mod gate_args;
mod hints;
mod lab_args;
mod listen;
mod output;
mod process;
mod remembered;
mod semantic_args;
mod sieve_args;
mod signals;
mod weight_args;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The allocator of the system keeps what its threads have freed, so that each part of a build had what the parts before it left
/// lying beside its own budget. This one gives it back.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::read(semantic_args::joined(std::env::args_os()));
    output::start_logging(cli.verbose);
    let dir = cli.command.dir().map(ToOwned::to_owned);
    process::raise_open_files();
    match cli.run() {
        Ok(ending) => ending.into(),
        Err(error) => output::show_error(&error, dir.as_deref()),
    }
}
