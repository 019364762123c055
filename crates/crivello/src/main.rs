//! The one binary: a web search engine that one person can own.
//!
//! Each subcommand is a file in `commands/`. What they share: [`cli`] (options that several commands take),
//! [`copies`] and [`graphs`] (those of a collection), [`input_files`] and [`file_content`] (what is read from elsewhere),
//! [`output`] (how results and errors are shown), [`hints`] (what to do about an error), [`bars`] (progress), [`process`]
//! (what this process has used).

// A line that nobody reads must not be a panic: `outln!` and `errln!` print.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bars;
mod cli;
mod commands;
mod copies;
mod documents;
mod file_content;
mod graphs;
mod hints;
mod input_files;
mod lab_args;
mod listen;
mod newest;
mod output;
mod process;
mod signals;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    output::start_logging(cli.verbose);
    let dir = cli.command.dir().map(ToOwned::to_owned);
    process::raise_open_files();
    match commands::run(cli) {
        Ok(ending) => ending.into(),
        Err(error) => output::show_error(&error, dir.as_deref()),
    }
}
