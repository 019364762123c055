//! `crivello why`: why an address is not fetched now, or was not.

use std::path::PathBuf;

use ::crawl::{Reason, Subject};
use clap::Args;
use page::{Clock, PageUrl, SystemClock};
use serde::Serialize;
use store::Collection;

use super::Context;
use crate::output::{Ending, hinted, outln};
use crate::remembered::News;

/// Say why an address is not being fetched now, or was not
///
/// It reads what the collection has, and may be asked while a crawl goes on: what became of the address, whether it
/// waits and behind how many, what its site wants, which rule of the crawl leaves it out, and who links to it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct WhyArgs {
    /// The collection's folder
    pub dir: PathBuf,
    /// The address, or the name of a host
    #[arg(value_name = "URL|HOST")]
    pub subject: String,
}

const EXAMPLES: &str = "\
Examples:
  crivello why docs.crivello https://docs.example.org/guide/
  crivello why docs.crivello docs.example.org --json";

/// What is said of an address.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    subject: &'a str,
    reasons: Vec<Reason>,
}

/// Runs the command.
pub fn run(context: Context, args: &WhyArgs) -> anyhow::Result<Ending> {
    let collection = Collection::open(&args.dir)?;
    let told = News::new(&args.dir, &[], Default::default(), &[])?;
    let config = told.options(&args.dir)?.config();
    let seeds: Vec<PageUrl> = told.now.seeds.iter().filter_map(|seed| PageUrl::parse(seed).ok()).collect();
    let subject = subject(&args.subject)?;
    let forgotten = ::build::gone::forgotten(&collection)?;
    let mut reasons = ::crawl::why(&collection, &config, &seeds, &subject, &forgotten, SystemClock.now())?;
    if let Subject::Address(url) = &subject {
        let folded = ::build::stand_ins(&collection, url)?;
        reasons.extend(folded.into_iter().map(|text| Reason { code: "folded", text }));
    }
    let answer = Answer { subject: &args.subject, reasons };
    let line = |reason: &Reason| outln!("{:>10}  {}", reason.code, reason.text);
    context.print(&answer, || answer.reasons.iter().for_each(line))?;
    Ok(Ending::Done)
}

fn subject(text: &str) -> anyhow::Result<Subject> {
    if let Ok(url) = PageUrl::parse(text) {
        return Ok(Subject::Address(url));
    }
    match PageUrl::parse(&format!("http://{text}/")) {
        Ok(url) if url.path_and_query() == "/" => Ok(Subject::Host(url.host().to_owned())),
        _ => Err(hinted(
            format!("`{text}` is neither an address nor the name of a host"),
            "write the whole address, such as https://example.org/a, or a name, such as example.org",
        )),
    }
}
