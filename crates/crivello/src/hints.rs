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

/// Makes an error that says what to do.
pub fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Hinted { message: message.into(), hint: hint.into() }.into()
}

/// Says what to do about an error of a command that was given this folder; `None` if nobody knows.
pub fn hint_for(error: &anyhow::Error, dir: Option<&Path>) -> Option<String> {
    let hint = error.chain().find_map(hint_of)?;
    Some(match dir {
        Some(dir) => with_dir(&hint, dir),
        None => hint,
    })
}

/// Makes a hint fit this folder, so that it can be pasted.
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
        eval::Error,
        fetch::Error,
        frontier::Error,
        graph::Error,
        index::Error,
        input::Error,
        inspect::Error,
        journal::Error,
        latent::Error,
        search::Error,
        sieve::Error,
        store::Error
    );
    let of_system = || cause.downcast_ref::<io::Error>().and_then(journal::hint_for_io);
    of_library.or_else(of_system).map(str::to_owned)
}

/// Writes a path as a shell reads it.
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
    use std::path::PathBuf;

    use clap::Parser;

    use super::*;
    use crate::cli::Cli;
    use crate::output::error_text;

    fn path() -> PathBuf {
        PathBuf::from("c.crivello/part")
    }

    fn full() -> io::Error {
        io::ErrorKind::StorageFull.into()
    }

    fn journals() -> Vec<journal::Error> {
        vec![
            journal::Error::Io(full()),
            journal::Error::Foreign { path: path() },
            journal::Error::Version { path: path(), found: 9, expected: 1 },
            journal::Error::Damaged { path: path(), offset: 1, what: "a checksum is wrong" },
            journal::Error::Busy { path: path() },
        ]
    }

    fn stores() -> Vec<store::Error> {
        let own = [
            store::Error::Io(full()),
            store::Error::Missing(path()),
            store::Error::NotACollection(path()),
            store::Error::Manifest { path: path(), reason: "it ends early".into() },
            store::Error::Told { path: path(), reason: "it ends early".into() },
            store::Error::InUse(path()),
            store::Error::Lost { path: path(), safe: 2, found: 1 },
            store::Error::DamagedWarc { path: path(), offset: 1, what: "it is cut off" },
            store::Error::Malformed { path: path(), offset: 1 },
        ];
        with_journals(own)
    }

    fn sieves() -> Vec<sieve::Error> {
        with_journals([
            sieve::Error::Io(full()),
            sieve::Error::OtherKind { path: path(), kind: "bloom" },
            sieve::Error::OtherSignatures { path: path(), found: 64, asked: 128 },
            sieve::Error::SignatureBits { kind: "bloom" },
            sieve::Error::NoSuchSignature { asked: 3 },
            sieve::Error::NotInThisBuild { kind: "lsm" },
            sieve::Error::CannotForget { kind: "bloom" },
            sieve::Error::Database { path: path(), what: "it is cut off".into() },
            sieve::Error::Damaged { path: path(), what: "it is cut off" },
        ])
    }

    fn frontiers() -> Vec<frontier::Error> {
        with_journals([frontier::Error::Io(full()), frontier::Error::Malformed { path: path(), offset: 1 }])
    }

    fn prints() -> Vec<dedup::hamming::Error> {
        with_journals([dedup::hamming::Error::Io(full())])
    }

    fn copies() -> Vec<dedup::Error> {
        let own = [
            dedup::Error::Io(full()),
            dedup::Error::Damaged { path: path(), offset: 1, what: "it is cut off" },
            dedup::Error::InUse(path()),
            dedup::Error::OtherDocuments { sketched: 2, given: 1 },
        ];
        with_journals(own.into_iter().chain(prints().into_iter().map(dedup::Error::from)))
    }

    fn graphs() -> Vec<graph::Error> {
        with_journals([
            graph::Error::Missing { path: path() },
            graph::Error::Foreign { path: path(), expected: "a graph" },
            graph::Error::Damaged { path: path(), reason: "it is cut off".into() },
            graph::Error::Unsupported { path: path(), reason: "an unknown code".into() },
            graph::Error::Line { path: path(), line: 1, reason: "no arc".into() },
        ])
    }

    fn benches() -> Vec<bench::Error> {
        let graph = || graph::Error::Missing { path: path() };
        vec![
            bench::Error::NoGraph(graph()),
            bench::Error::NoGraphOf { path: path(), source: graph() },
            bench::Error::Graph(graph()),
            bench::Error::Io(full()),
        ]
    }

    fn spaces() -> Vec<latent::Error> {
        with_journals([latent::Error::Damaged { path: path(), reason: "it is cut off" }])
    }

    fn indexes() -> Vec<index::Error> {
        with_journals([
            index::Error::Missing { path: path() },
            index::Error::Damaged { path: path(), reason: "it is cut off".into() },
            index::Error::Analyses { one: path(), other: path() },
        ])
    }

    fn inputs() -> Vec<input::Error> {
        vec![
            input::Error::NoInput(path()),
            input::Error::NoFile(path()),
            input::Error::Unreadable { path: path(), source: full() },
            input::Error::NotGzip { path: path(), source: full() },
            input::Error::NotParquet { path: path(), reason: "it ends early".into() },
            input::Error::NoColumn { path: path(), column: "text".into(), there: Vec::new() },
            input::Error::NotWritten { path: path(), source: full() },
            input::Error::TooMany,
        ]
    }

    fn inspections() -> Vec<inspect::Error> {
        with_journals([
            inspect::Error::Io { path: path(), source: full() },
            inspect::Error::NotOurs { path: path(), seems: "it seems to be text".into() },
            inspect::Error::NoList { path: path(), term: "absent".into() },
            inspect::Error::NoBlock { term: "word".into(), number: 2, blocks: 2 },
            inspect::Error::Sketches(dedup::Error::Damaged {
                path: path(),
                offset: 1,
                what: "it is cut off",
            }),
        ])
    }

    fn with_journals<E: From<journal::Error>>(own: impl IntoIterator<Item = E>) -> Vec<E> {
        own.into_iter().chain(journals().into_iter().map(E::from)).collect()
    }

    /// Passes errors of one library on as those of another.
    fn through<I: Into<O>, O: Error + Send + Sync + 'static>(inner: Vec<I>) -> Vec<anyhow::Error> {
        inner.into_iter().map(|error| anyhow::Error::from(error.into())).collect()
    }

    /// Makes an error of each kind that a library has and that must say what to do.
    fn with_a_hint() -> Vec<anyhow::Error> {
        let line = fetch::Error::TableLine { path: path(), line_number: 1, line: "no address in it".into() };
        let groups = dedup::Error::Damaged { path: path(), offset: 1, what: "it is cut off" };
        let line_of_weights = search::WeightsError { line: 1, reason: "there is no weight `k2`".into() };
        let single: [anyhow::Error; 9] = [
            line.into(),
            crawl::Error::NoSeeds.into(),
            build::Error::NoIndex(path()).into(),
            build::Error::OtherPages(path()).into(),
            build::Error::NoSpace(path()).into(),
            build::Error::NotIndexed("http://a.test/".into()).into(),
            build::Error::Groups(groups).into(),
            build::Error::Weights { path: path(), error: line_of_weights }.into(),
            build::Error::WeightsFile { path: path(), error: full() }.into(),
        ];
        let many = [
            through::<_, journal::Error>(journals()),
            through::<_, crawl::Error>(journals()),
            through::<_, store::Error>(stores()),
            through::<_, crawl::Error>(stores()),
            through::<_, build::Error>(stores()),
            through::<_, sieve::Error>(sieves()),
            through::<_, crawl::Error>(sieves()),
            through::<_, frontier::Error>(frontiers()),
            through::<_, crawl::Error>(frontiers()),
            through::<_, dedup::hamming::Error>(prints()),
            through::<_, crawl::Error>(copies()),
            through::<_, dedup::Error>(copies()),
            through::<_, build::Error>(copies()),
            through::<_, graph::Error>(graphs()),
            through::<_, build::Error>(graphs()),
            through::<_, bench::Error>(benches()),
            through::<_, latent::Error>(spaces()),
            through::<_, build::Error>(spaces()),
            through::<_, index::Error>(indexes()),
            through::<_, search::Error>(indexes()),
            through::<_, build::Error>(indexes()),
            through::<_, input::Error>(inputs()),
            through::<_, build::Error>(inputs()),
            through::<_, inspect::Error>(inspections()),
            through::<_, inspect::Error>(stores()),
            through::<_, inspect::Error>(sieves()),
            through::<_, inspect::Error>(indexes()),
        ];
        single.into_iter().chain(many.into_iter().flatten()).collect()
    }

    /// Makes errors whose text says all that there is to say.
    fn without_a_hint() -> Vec<anyhow::Error> {
        vec![
            bench::Error::OurProgram("it was killed".into()).into(),
            dedup::hamming::Error::Full.into(),
            dedup::Error::Settings("too many bands".into()).into(),
            graph::Error::TooMany { what: "nodes", limit: 1 }.into(),
            index::Error::TooMany { what: "documents", limit: 1 }.into(),
            build::Error::NoMeaning("http://a.test/".into()).into(),
            search::Error::from(search::QueryError::Empty).into(),
            search::Error::TooFar { from: 1, to: 2, limit: 1 }.into(),
            fetch::Error::RootCertificate { reason: "it ends early".into() }.into(),
            inspect::Error::damaged(&path(), 1, "it is cut off").into(),
            inspect::Error::Version { path: path(), found: 9, expected: 1 }.into(),
        ]
    }

    #[test]
    fn every_error_of_a_library_has_one_hint_whose_commands_exist() {
        for (errors, hints) in [(with_a_hint(), 1), (without_a_hint(), 0)] {
            for error in errors.into_iter().map(|error| error.context("while something was done")) {
                let text = error_text(&error, Some(Path::new("my c.crivello")));
                assert_eq!(text.matches("hint: ").count(), hints, "{text}");
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
