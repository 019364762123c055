//! The next step after an error: one for each error, however many crates it came through.
//!
//! The `Error` of each library has `hint()`, and a command that knows better says so by [`hinted`]. The chain of an error
//! is asked from the outside in, for whoever is further out knows more about what the user wanted; the first answer is
//! shown and no other. `DIR` in a hint stands for the folder that the command was given.

use std::error::Error;
use std::io;
use std::path::Path;

/// An error with the way out that only the command knows.
#[derive(Debug)]
pub struct Hinted {
    message: String,
    hint: String,
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Hinted {}

/// An error that says what to do.
pub fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Hinted { message: message.into(), hint: hint.into() }.into()
}

/// What to do about an error of a command that was given this folder; `None` if nobody knows.
pub fn hint_for(error: &anyhow::Error, dir: Option<&Path>) -> Option<String> {
    let hint = error.chain().find_map(hint_of)?;
    Some(match dir {
        Some(dir) => with_dir(&hint, dir),
        None => hint,
    })
}

/// A hint for this folder: it can be pasted.
pub fn with_dir(hint: &str, dir: &Path) -> String {
    hint.replace(" DIR", &format!(" {}", quoted(dir)))
}

/// Asks one error, whoever's it is. Each library with an `Error` is named here (`arrows.rs` sees to it).
fn hint_of(cause: &(dyn Error + 'static)) -> Option<String> {
    macro_rules! ask {
        ($($error:ty),*) => {
            None$(.or_else(|| cause.downcast_ref::<$error>().and_then(<$error>::hint)))*
        };
    }
    if let Some(hinted) = cause.downcast_ref::<Hinted>() {
        return Some(hinted.hint.clone());
    }
    let of_library = ask!(
        bench::Error,
        build::Error,
        crawl::Error,
        dedup::Error,
        dedup::hamming::Error,
        fetch::Error,
        frontier::Error,
        graph::Error,
        index::Error,
        input::Error,
        journal::Error,
        search::Error,
        sieve::Error,
        store::Error
    );
    let of_system = || cause.downcast_ref::<io::Error>().and_then(journal::hint_for_io);
    of_library.or_else(of_system).map(str::to_owned)
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;
    use crate::output::error_text;

    /// An error of each kind that a library has; and whether it must say what to do.
    fn all() -> Vec<(anyhow::Error, bool)> {
        let path = || Path::new("c.crivello/part").to_owned();
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let journals = || {
            [
                journal::Error::Io(full()),
                journal::Error::Foreign { path: path() },
                journal::Error::Version { path: path(), found: 9, expected: 1 },
                journal::Error::Damaged { path: path(), offset: 1, what: "a checksum is wrong" },
                journal::Error::Busy { path: path() },
            ]
        };
        let stores = || {
            let own = [
                store::Error::Io(full()),
                store::Error::Missing(path()),
                store::Error::NotACollection(path()),
                store::Error::Manifest { path: path(), reason: "it ends early".into() },
                store::Error::InUse(path()),
                store::Error::Lost { path: path(), safe: 2, found: 1 },
                store::Error::DamagedWarc { path: path(), offset: 1, what: "it is cut off" },
                store::Error::Malformed { path: path(), offset: 1 },
            ];
            own.into_iter().chain(journals().map(store::Error::from))
        };
        let sieves = || {
            let own = [
                sieve::Error::Io(full()),
                sieve::Error::OtherKind { path: path() },
                sieve::Error::Damaged { path: path(), what: "it is cut off" },
            ];
            own.into_iter().chain(journals().map(sieve::Error::from))
        };
        let frontiers = || {
            let own = [frontier::Error::Io(full()), frontier::Error::Malformed { path: path(), offset: 1 }];
            own.into_iter().chain(journals().map(frontier::Error::from))
        };
        let prints = || {
            let own = [dedup::hamming::Error::Io(full())];
            own.into_iter().chain(journals().map(dedup::hamming::Error::from))
        };
        let copies = [
            dedup::Error::Io(full()),
            dedup::Error::Damaged { path: path(), offset: 1, what: "it is cut off" },
            dedup::Error::InUse(path()),
            dedup::Error::OtherDocuments { sketched: 2, given: 1 },
        ];
        let graphs = [
            graph::Error::Missing { path: path() },
            graph::Error::Foreign { path: path(), expected: "a graph" },
            graph::Error::Damaged { path: path(), reason: "it is cut off".into() },
            graph::Error::Unsupported { path: path(), reason: "an unknown code".into() },
            graph::Error::Line { path: path(), line: 1, reason: "no arc".into() },
        ];
        let bench_graph = || graph::Error::Missing { path: path() };
        let benches = [
            bench::Error::NoGraph(bench_graph()),
            bench::Error::NoGraphOf { path: path(), source: bench_graph() },
            bench::Error::Graph(bench_graph()),
            bench::Error::Io(full()),
        ];
        let indexes = || {
            let own = [
                index::Error::Missing { path: path() },
                index::Error::Damaged { path: path(), reason: "it is cut off".into() },
            ];
            own.into_iter().chain(journals().map(index::Error::from))
        };
        let inputs = [
            build::Error::NoIndex(path()),
            build::Error::OtherPages(path()),
            build::Error::Input(input::Error::NoInput(path())),
            build::Error::Groups(dedup::Error::Damaged { path: path(), offset: 1, what: "it is cut off" }),
        ];
        let files = [
            input::Error::NoInput(path()),
            input::Error::NoFile(path()),
            input::Error::Unreadable { path: path(), source: full() },
            input::Error::NotGzip { path: path(), source: full() },
            input::Error::NotParquet { path: path(), reason: "it ends early".into() },
            input::Error::NoColumn { path: path(), column: "text".into(), there: Vec::new() },
            input::Error::NotWritten { path: path(), source: full() },
            input::Error::TooMany,
        ];
        let lines = fetch::Error::TableLine { path: path(), line_number: 1, line: "no address in it".into() };
        let mut must: Vec<anyhow::Error> = vec![lines.into(), crawl::Error::NoSeeds.into()];
        must.extend(journals().map(anyhow::Error::from));
        must.extend(journals().map(|error| crawl::Error::from(error).into()));
        must.extend(journals().map(|error| dedup::Error::from(error).into()));
        must.extend(stores().map(anyhow::Error::from));
        must.extend(stores().map(|error| crawl::Error::from(error).into()));
        must.extend(sieves().map(anyhow::Error::from));
        must.extend(sieves().map(|error| crawl::Error::from(error).into()));
        must.extend(frontiers().map(anyhow::Error::from));
        must.extend(frontiers().map(|error| crawl::Error::from(error).into()));
        must.extend(prints().map(anyhow::Error::from));
        must.extend(prints().map(|error| crawl::Error::from(error).into()));
        must.extend(copies.map(anyhow::Error::from));
        must.extend(graphs.map(anyhow::Error::from));
        must.extend(benches.map(anyhow::Error::from));
        must.extend(journals().map(|error| graph::Error::from(error).into()));
        must.extend(indexes().map(anyhow::Error::from));
        must.extend(indexes().map(|error| search::Error::from(error).into()));
        must.extend(stores().map(|error| build::Error::from(error).into()));
        must.extend(indexes().map(|error| build::Error::from(error).into()));
        must.extend(inputs.map(anyhow::Error::from));
        must.extend(files.map(anyhow::Error::from));
        // The text says all that there is to say.
        let may: [anyhow::Error; 8] = [
            bench::Error::OurProgram("it was killed".into()).into(),
            dedup::hamming::Error::Full.into(),
            dedup::Error::Settings("too many bands".into()).into(),
            graph::Error::TooMany { what: "nodes", limit: 1 }.into(),
            index::Error::TooMany { what: "documents", limit: 1 }.into(),
            search::Error::from(search::QueryError::Empty).into(),
            search::Error::TooFar { from: 1, to: 2, limit: 1 }.into(),
            fetch::Error::RootCertificate { reason: "it ends early".into() }.into(),
        ];
        must.into_iter().map(|error| (error, true)).chain(may.map(|error| (error, false))).collect()
    }

    #[test]
    fn every_error_of_a_library_has_one_hint_whose_commands_exist() {
        for (error, must) in all() {
            for error in [error.context("while something was done")] {
                let text = error_text(&error, Some(Path::new("my c.crivello")));
                assert_eq!(text.matches("hint: ").count(), usize::from(must), "{text}");
                assert!(!text.contains("DIR"), "{text}");
                for command in
                    text.split('`').skip(1).step_by(2).filter(|words| words.starts_with("crivello "))
                {
                    let words = command.replace("'my c.crivello'", "c.crivello");
                    let words = words.replace("URL…", "http://a.test/").replace("PATH…", "texts");
                    let parsed = Cli::try_parse_from(words.split(' '));
                    let is_prefix = words == "crivello crawl";
                    assert!(parsed.is_ok() || is_prefix, "`{command}` cannot be run: {text}");
                }
            }
        }
    }

    #[test]
    fn folders_are_named_as_a_shell_reads_them() {
        let cases = [("docs.crivello", "docs.crivello"), ("my docs", "'my docs'"), ("it's", r"'it'\''s'")];
        for (path, text) in cases {
            assert_eq!(quoted(Path::new(path)), text);
        }
    }
}
