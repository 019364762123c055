//! `crivello forget`: pages that shall not be found any more.

use std::path::PathBuf;

use ::build::forget::{forget, purge};
use clap::Args;
use page::{Clock, PageUrl, SystemClock, format_bytes};
use store::{Collection, StoreReader};

use super::{Context, address_of};
use crate::build_watch::BuildWatch;
use crate::crawl_options::parse_pattern;
use crate::output::{Ending, counted, hinted, outln, print_json};

/// Take pages out of results, graph and copies
///
/// They stay in the archive unless --purge is given, and later builds and exports leave them out. A page that is stored later under the same
/// address can be found again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ForgetArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// The address of a page, or a host, of which all pages are forgotten
    #[arg(value_name = "URL|HOST", required_unless_present = "pattern", conflicts_with = "pattern")]
    pub what: Option<String>,
    /// All pages whose address matches this pattern
    #[arg(long = "match", value_name = "RE", value_parser = parse_pattern)]
    pub pattern: Option<regex::Regex>,
    /// Remove them from the archive and the documents too: in the WARC files other records take their places. Nobody may
    /// crawl meanwhile. What stays known: that the addresses were asked for and when, where they led, with the words of these
    /// links, and fingerprints of their texts
    #[arg(long)]
    pub purge: bool,
    /// Let later crawls fetch them again, when they are given or a new page links to them: their addresses become unseen.
    /// Nobody may crawl meanwhile
    #[arg(long)]
    pub again: bool,
    /// Memory to use when the graph is made anew
    #[arg(long, value_name = "BYTES", default_value = "256MiB", value_parser = page::parse_memory)]
    pub memory: u64,
}

const EXAMPLES: &str = "\
Examples:
  crivello forget docs.crivello https://docs.example.org/private.html
  crivello forget docs.crivello old.example.org           all pages of a host
  crivello forget docs.crivello --match '/drafts/'        all pages whose address matches
  crivello forget docs.crivello old.example.org --purge   and their bytes in the archive
  crivello forget docs.crivello https://docs.example.org/news.html --again   a later crawl may fetch it anew";

/// Runs the command.
pub fn run(context: Context, args: &ForgetArgs) -> anyhow::Result<Ending> {
    let (rule, matches) = rule(args)?;
    let archive = if args.purge || args.again { Some(Collection::open_to_write(&args.dir)?) } else { None };
    let collection = Collection::open_to_build(&args.dir)?;
    let watch = BuildWatch::new(context.showing);
    let mut summary = forget(&collection, &rule, &*matches, SystemClock.now(), args.memory, &watch)?;
    let is_found = summary.pages + summary.already_forgotten > 0;
    let unseen = match &archive {
        Some(archive) if args.again && is_found => unsee(archive, &*matches)?,
        _ => 0,
    };
    if let Some(archive) = archive.filter(|_| is_found && args.purge) {
        let now = SystemClock.now();
        summary.purged = Some(purge(&archive, &collection, &*matches, now, args.memory, &watch)?);
    }
    watch.finish();
    if !is_found {
        let hint = format!("`crivello export {} pages` lists what is stored", args.dir.display());
        return Err(hinted(format!("no stored page is {rule}"), hint));
    }
    if context.json {
        let mut told = serde_json::to_value(&summary)?;
        told["unseen"] = unseen.into();
        print_json(&told)?;
    } else {
        let again = match summary.already_forgotten {
            0 => String::new(),
            count => format!(", {} before", counted(count, "page")),
        };
        outln!(
            "forgot {}{again}; {} taken out of the index, in {:.1} s",
            counted(summary.pages, "page"),
            counted(summary.documents, "document"),
            summary.elapsed_seconds
        );
        if args.again {
            outln!("{} may be fetched again", counted(unseen, "address"));
        }
        if let Some(purged) = summary.purged {
            outln!(
                "removed {} of {} from {}, {} before",
                counted(purged.records, "answer"),
                format_bytes(purged.bytes),
                counted(purged.files, "WARC file"),
                counted(purged.already, "answer")
            );
        }
    }
    Ok(Ending::Done)
}

/// Makes the addresses of these pages unseen, and says how many.
fn unsee(collection: &Collection, matches: &dyn Fn(&PageUrl) -> bool) -> anyhow::Result<u64> {
    let mut forgetting = sieve::Forgetting::open(&collection.part("sieve")?)?;
    let mut pages = StoreReader::open(collection)?.pages()?;
    while let Some((_, record)) = pages.next()? {
        if record.ordinal.is_some() && matches(&record.url) {
            forgetting.forget(record.url.fingerprint(), record.url.as_str())?;
        }
    }
    Ok(forgetting.finish()?)
}

type Matches = Box<dyn Fn(&PageUrl) -> bool>;

/// What is asked for, in words, and which pages that is.
fn rule(args: &ForgetArgs) -> anyhow::Result<(String, Matches)> {
    if let Some(pattern) = args.pattern.clone() {
        let rule = format!("matched by `{pattern}`");
        return Ok((rule, Box::new(move |url| pattern.is_match(url.as_str()))));
    }
    let what = args.what.clone().unwrap_or_default();
    if !what.contains("://") {
        let host = what.to_ascii_lowercase();
        return Ok((format!("of the host `{host}`"), Box::new(move |url| url.host() == host)));
    }
    let wanted = address_of(&what)?;
    Ok((format!("at `{wanted}`"), Box::new(move |url| *url == wanted)))
}
