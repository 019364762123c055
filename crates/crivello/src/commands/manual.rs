//! `crivello completions` and `crivello man`: what the command line knows about itself, for shells and for `man`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::Context;
use crate::output::{Ending, counted, print_json};

/// Print the words that a shell completes after `crivello`
///
/// Bash:  crivello completions bash > ~/.local/share/bash-completion/completions/crivello
/// Zsh:   crivello completions zsh > ~/.zfunc/_crivello   (a folder that is in $fpath)
/// Fish:  crivello completions fish > ~/.config/fish/completions/crivello.fish
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print the manual page, or write one for each command
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crivello man | man -l -                                read it
  crivello man -o ~/.local/share/man/man1 && man crivello-crawl")]
pub struct ManArgs {
    /// Write crivello.1, crivello-crawl.1 and so on into this folder, which is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Prints the completions of our command line.
pub fn completions(args: &CompletionsArgs, mut ours: clap::Command) -> anyhow::Result<Ending> {
    // In memory first: the generator panics when nobody reads any more.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut ours, "crivello", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(Ending::Done)
}

/// Prints or writes the manual of our command line.
pub fn man(context: Context, args: &ManArgs, ours: clap::Command) -> anyhow::Result<Ending> {
    let mut command = ours.disable_help_subcommand(true);
    command.build();
    let Some(dir) = &args.output else {
        io::stdout().lock().write_all(&page(&command)?)?;
        return Ok(Ending::Done);
    };
    std::fs::create_dir_all(dir).with_context(|| cannot_write(dir))?;
    let mut written = 0;
    write_pages(&command, dir, &mut written)?;
    if context.json {
        print_json(&serde_json::json!({ "folder": dir.display().to_string(), "pages": written }))?;
    }
    context.showing.say(&format!("{} written to {}", counted(written, "manual page"), dir.display()));
    Ok(Ending::Done)
}

/// Writes a page for a command, and for each command below it.
fn write_pages(command: &clap::Command, dir: &Path, written: &mut u64) -> anyhow::Result<()> {
    let path = dir.join(Man::new(command.clone()).get_filename());
    std::fs::write(&path, page(command)?).with_context(|| cannot_write(&path))?;
    *written += 1;
    command.get_subcommands().try_for_each(|below| write_pages(below, dir, written))
}

/// Renders the sections of a page. The examples are ours: `Man` would fill them like prose.
fn page(command: &clap::Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone()).manual("Crivello");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    if let Some(text) = command.get_after_help() {
        let text = text.to_string();
        let mut examples = Roff::new();
        examples.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in text.lines().filter(|line| *line != "Examples:") {
            examples.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        examples.control("fi", []).to_writer(&mut out)?;
    }
    Ok(out)
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write `{}`", path.display())
}
