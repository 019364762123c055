//! `crivello dedup`: which documents are copies of each other, in files or in a collection.

mod collection;
mod kept;
mod left_out;
mod names;
pub mod settings;
mod show;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ::build::CopySteps;
use ::build::copies::sketch;
use anyhow::Context as _;
use clap::Args;
use dedup::{Deduplicator, Documents};
use input::{FieldNames, FileCounts, InputFiles, Reading, TextSources, is_same};
use store::Collection;

use self::left_out::LeftOut;
use self::settings::CopySettings;
use self::show::{Named, Report};
use super::Context;
use crate::bars::{Bar, Showing};
use crate::build_watch::BuildWatch;
use crate::output::{Ending, errln, hinted};
use crate::signals;

/// Find copies and near copies, in a collection or in any files
///
/// Texts are cut into shingles (five words in a row, by default); the similarity of two texts is the share of shingles
/// that they have in common. Sketches bring together what may reach the threshold (they miss little, --exact nothing);
/// what they bring together is then verified exactly.
/// A group is made of documents that are copies of each other, directly or by way of others.
///
/// A folder means all files below it, except hidden ones and symbolic links; a path that is given is followed. A file counts
/// once, under however many names. It is one document, named by its path; each line of a .jsonl, .ndjson or .json file and
/// each row of a .parquet file is one too, named by its field `id` (FILE:LINE without). Files may be compressed (.gz).
///
/// HTML is read as its readers see it: a file that is called .html, .htm or .xhtml, or that begins so. What is no text is
/// left out and counted: what begins as images, PDF, fonts, archives or programs do, or has a zero byte early on. All other
/// bytes are text and need not be UTF-8. --raw compares every file byte for byte instead. A document that cannot be read,
/// and a file or folder that cannot, is told and counted, and the exit code is 1.
///
/// Letters are lower-cased but not folded otherwise: é as one code point and as two are different letters.
///
/// In lines of output a tab, a line feed, a carriage return and a backslash in a name are written \t, \n, \r and \\, and
/// bytes of other control characters, and those that are not UTF-8, \xNN.
///
/// Memory: the budget of --memory, about 20 bytes per document, and for each thread about three times the largest
/// document, or eleven times with --shingle chars:N (with --execution producer-consumer, 256 documents at a time). Disk, in the work folder: about 0.4 KB per document, and the plain texts of compressed and Parquet files.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DedupArgs {
    /// A collection, or folders and files
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Print every pair of copies: two names and their similarity, separated by tabs
    #[arg(long, conflicts_with = "groups")]
    pub pairs: bool,
    /// Print every group of copies: the names on one line, separated by tabs, the first one to be kept
    #[arg(long)]
    pub groups: bool,
    /// Write what is left without copies, as lines of JSON: the first document of each group, and all others. Lines
    /// stay as they are; other files become `id` and `text`, and so do rows of Parquet files: their other columns are
    /// left out. `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The field, or column, that holds the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// The field, or column, that holds the name of a document
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Take files as they are: the tags of HTML are words, and what is no text is compared too
    #[arg(long)]
    pub raw: bool,
    /// Keep the sketches in this folder: after an end at any moment the same command goes on there
    #[arg(long, value_name = "DIR")]
    pub work: Option<PathBuf>,
    #[command(flatten)]
    pub settings: CopySettings,
}

const EXAMPLES: &str = "\
Examples:
  crivello dedup articles/                                a summary, and the largest groups
  crivello dedup /usr/share/doc/python3/html              a manual: the texts of its pages are compared
  crivello dedup crawl.jsonl.gz -o clean.jsonl            the same lines without copies
  crivello dedup --pairs --threshold 0.5 a.jsonl b.jsonl  every pair, with its similarity
  crivello dedup --pairs --exact letters/                 the same for certain, without sketches
  crivello dedup *.parquet --text-field content --groups --work /data/sketches
  crivello dedup --scheme seed --pairs letters/           MinHash by XOR masks, to compare
  crivello dedup docs.crivello                            the copies of a collection, folded in its searches";

/// Runs the command.
pub fn run(context: Context, args: &DedupArgs) -> anyhow::Result<Ending> {
    if let Some(dir) = args.paths.iter().find(|path| is_collection(path)) {
        if args.paths.len() > 1 {
            return Err(hinted(
                format!("`{}` is a collection and cannot be mixed with other texts", dir.display()),
                "write its texts out with `crivello export DIR pages -o pages.jsonl` and give that file",
            ));
        }
        return collection::run(context, args, dir);
    }
    if args.output.as_deref().is_some_and(kept::is_stdout) && (args.pairs || args.groups || context.json) {
        return Err(hinted(
            "standard output cannot take both the documents that are left and what was found",
            "give --output the name of a file, or leave out --pairs, --groups and --json",
        ));
    }
    let work = WorkFolder::new(args.work.as_deref())?;
    run_on_files(context, args, &work).map_err(|error| work.with_hint(error))
}

fn run_on_files(context: Context, args: &DedupArgs, work: &WorkFolder) -> anyhow::Result<Ending> {
    let config = args.settings.config();
    let started = Instant::now();
    let locked = work.lock()?;
    let Opened { sources, files, left_out } = open_sources(context.showing, args, work.path())?;
    let (watch, name) =
        (BuildWatch::new(context.showing), |document| names::for_line(&sources.place(document)));
    let steps = CopySteps { watcher: &watch, name: &name };
    let mut deduplicator = Deduplicator::open_in(locked, config.clone(), sources.stamp())?;
    let sketched = sketch(&mut deduplicator, &config, &sources, &steps, &watch)?;
    let mut report = Report { left_out, files: Some(files), ..Report::new(sketched) };
    // Pairs alone are printed as they are found; whatever else is asked for needs the groups.
    if context.json || args.output.is_some() || !args.pairs {
        report.groups = Some(deduplicator.groups(&sources, &steps)?);
    }
    if let (Some(path), Some(groups)) = (&args.output, &report.groups) {
        if sources.have_rows() {
            watch.finish();
            errln!("of rows of Parquet files `id` and `text` are written; other columns are left out");
        }
        report.written =
            Some(kept::write_kept(path, &sources, |document| groups.first_of(document) == document)?);
    }
    if args.pairs {
        let mut lines = show::PairLines::new(&sources, context.json);
        let outcome = deduplicator.pairs(&sources, &steps, &mut |pair| lines.see(&pair));
        watch.finish();
        report.pairs = Some(lines.finish(outcome)?);
    }
    watch.finish();
    show::show(context, args, &report, &sources, started)?;
    // Those of earlier runs that stand in the work folder, or what this run was told, also while it compared.
    Ok(Ending::from_failures(left_out + sketched.unreadable.max(watch.unreadable())))
}

/// Recognises a collection, also one that is damaged: its files must not be taken for texts.
fn is_collection(path: &Path) -> bool {
    Collection::open(path).is_ok() || (path.join("manifest.json").is_file() && path.join("store").is_dir())
}

impl Named for TextSources {
    fn name(&self, document: u32) -> Vec<u8> {
        Self::name(self, document)
    }
}

/// The documents that were found.
struct Opened {
    sources: TextSources,
    /// What became of the files.
    files: FileCounts,
    /// How many files and folders could not be read.
    left_out: u64,
}

/// Finds the documents of files and folders.
fn open_sources(showing: Showing, args: &DedupArgs, work: &Path) -> anyhow::Result<Opened> {
    let mut left_out = LeftOut::default();
    let ours = Ours::new(work, args.output.as_deref())?;
    ours.refuse(&args.paths)?;
    let found = InputFiles::find(&args.paths, |path| ours.has(path), |error| left_out.add(error))?;
    let names = FieldNames { text: args.text_field.clone(), id: args.id_field.clone() };
    let reading = Reading { names, is_raw: args.raw };
    let mut bar = Bar::new(showing, "looking", found.files.len() as u64).counting("document");
    let mut seen = 0;
    let mut see = |documents| {
        seen += 1;
        bar.set(seen, documents, String::new);
    };
    let sources = TextSources::open(found.files, &reading, work, &mut |error| left_out.add(error), &mut see)?;
    bar.finish();
    let files = FileCounts { links: found.links, repeated: found.repeated, ..sources.file_counts() };
    let count = left_out.count();
    if sources.count() > 0 {
        return Ok(Opened { sources, files, left_out: count });
    }
    if let Some(error) = left_out.into_first() {
        return Err(error.into());
    }
    let paths: Vec<String> = args.paths.iter().map(|path| format!("`{}`", path.display())).collect();
    let hint = match files {
        FileCounts { no_text: 1.., .. } => {
            "what begins as an image, an archive or a program, or has a zero byte early on, is no text: --raw compares it nevertheless"
        }
        FileCounts { links: 1.., .. } => {
            "symbolic links in a folder are not followed: give the folder that they lead to"
        }
        _ => "hidden files and empty lines are passed over; is it the right folder?",
    };
    Err(hinted(format!("there is no document in {}: {}", paths.join(" and "), files.sentence()), hint))
}

/// What we write ourselves, and therefore do not read.
struct Ours {
    work: PathBuf,
    output: Option<PathBuf>,
}

impl Ours {
    /// Takes the work folder, and the file of `--output` if it is there already.
    fn new(work: &Path, output: Option<&Path>) -> anyhow::Result<Self> {
        let work = work.canonicalize().with_context(|| work.display().to_string())?;
        let output = output.filter(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
        Ok(Self { work, output })
    }

    fn has(&self, path: &Path) -> bool {
        [Some(&self.work), self.output.as_ref()].into_iter().flatten().any(|ours| is_same(path, ours))
    }

    /// Refuses to write what the user names to be read.
    fn refuse(&self, given: &[PathBuf]) -> anyhow::Result<()> {
        let is_output = |path: &&PathBuf| self.output.is_some() && path.canonicalize().ok() == self.output;
        given.iter().find(is_output).map_or(Ok(()), |path| {
            Err(hinted(
                format!("`{}` cannot be read and be replaced by --output at once", path.display()),
                "write to another file, then rename it",
            ))
        })
    }
}

/// Where sketches are kept: the user's folder, or one that goes away.
struct WorkFolder {
    path: PathBuf,
    temporary: Option<Temporary>,
}

/// A folder that goes away, held until the end.
struct Temporary {
    _folder: tempfile::TempDir,
    _interrupt: signals::InterruptWatch,
}

impl WorkFolder {
    fn new(given: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(path) = given {
            std::fs::create_dir_all(path).with_context(|| path.display().to_string())?;
            return Ok(Self { path: path.to_owned(), temporary: None });
        }
        let folder = tempfile::Builder::new().prefix("crivello-dedup-").tempdir()?;
        let path = folder.path().to_owned();
        let to_remove = path.clone();
        // Nobody could go on in a folder without a name: whoever interrupts wants it gone.
        let interrupt = signals::on_interrupt(move || {
            let _ = std::fs::remove_dir_all(&to_remove);
            std::process::exit(130);
        });
        Ok(Self { path, temporary: Some(Temporary { _folder: folder, _interrupt: interrupt }) })
    }

    /// Keeps others out. In a folder that goes away nobody waits for the disk.
    fn lock(&self) -> Result<dedup::WorkFolder, dedup::Error> {
        match self.temporary {
            None => dedup::WorkFolder::lasting(&self.path),
            Some(_) => dedup::WorkFolder::temporary(&self.path),
        }
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// Gives a hint of ours: of a folder that goes away nobody can be told that the work goes on in it.
    fn with_hint(&self, error: anyhow::Error) -> anyhow::Error {
        let is_full =
            |cause| matches!(kind_of(cause), Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded));
        if self.temporary.is_none() || !error.chain().any(is_full) {
            return error;
        }
        let hint = "make room on the disk and begin again, or give a folder on another disk with --work: there the same \
                    command goes on where it stopped";
        hinted(format!("{error:#}"), hint)
    }
}

/// Finds what the system said, if that is what went wrong.
fn kind_of(cause: &(dyn std::error::Error + 'static)) -> Option<ErrorKind> {
    match cause.downcast_ref() {
        Some(dedup::Error::Io(error) | dedup::Error::Journal(journal::Error::Io(error))) => {
            Some(error.kind())
        }
        _ => cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_in_a_folder_that_stays_does_work_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let full = || dedup::Error::Io(ErrorKind::StorageFull.into()).into();
        let hint = |work: &WorkFolder, error: anyhow::Error| {
            crate::hints::hint_for(&work.with_hint(error), None).unwrap_or_default()
        };
        let temporary = WorkFolder::new(None).unwrap();
        assert!(hint(&temporary, full()).contains("--work"));
        assert_eq!(hint(&temporary, dedup::Error::Io(ErrorKind::NotFound.into()).into()), "");
        let kept = WorkFolder::new(Some(dir.path())).unwrap();
        assert!(!hint(&kept, full()).contains("--work"), "the library has its own");
    }
}
