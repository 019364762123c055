//! `crivello dedup DIR` on a collection: the same, with addresses as names.
//!
//! The groups are kept for its searches. But whoever only asks for pairs or groups found in another way does not change
//! what searches show: that is answered in a temporary folder. In either case the page that stands for a group in searches
//! comes first.

use std::path::Path;
use std::time::Instant;

use build::copies::{self, StoredTexts};
use build::{CopySteps, reading};
use store::Collection;

use super::DedupArgs;
use super::show::{self, Named, Report};
use crate::build_watch::BuildWatch;
use crate::commands::Context;
use crate::output::{Ending, hinted};

/// Runs the command.
pub fn run(context: Context, args: &DedupArgs, dir: &Path) -> anyhow::Result<Ending> {
    if args.work.is_some() || args.output.is_some() {
        return Err(hinted(
            format!(
                "`{}` is a collection: its sketches are kept in it, and its pages are not rewritten",
                dir.display()
            ),
            "leave out --work and --output; for the texts, dedup what `crivello export DIR pages` writes",
        ));
    }
    if args.raw {
        return Err(hinted(
            format!("`{}` is a collection: it has texts of pages, not files", dir.display()),
            "leave out --raw",
        ));
    }
    let started = Instant::now();
    let collection = Collection::open_to_build(dir)?;
    let config = args.settings.config();
    let watch = BuildWatch::new(context.showing);
    let (documents, read) = reading::bring_up_to_date(&collection, config.memory_bytes, &watch)?;
    let texts = StoredTexts::new(&collection, &documents)?;
    let is_question = (args.pairs || args.groups) && !copies::are_kept(dir, &config);
    let scratch = tempfile::tempdir()?;
    let folder = if is_question { scratch.path().to_owned() } else { collection.part("dedup")? };
    let mut found = copies::find_copies(&collection, &texts, &config, &folder, &watch)?;
    watch.finish();
    if is_question {
        context.showing.say("searches are not changed by this: only `dedup` without --pairs and --groups, or `build`, does that");
    } else {
        copies::keep_groups(&collection, &texts, &config, &found)?;
    }
    let ordered = copies::canonical_order(&collection, &texts, &found.groups)?;
    let unreadable = read.unreadable + found.sketched.unreadable;
    let mut report = Report::new(found.sketched);
    if args.pairs {
        let steps = CopySteps { watcher: &watch, name: &|document| texts.address(document) };
        let mut lines = show::PairLines::new(&texts, context.json);
        let outcome = found.deduplicator.pairs(&texts, &steps, &mut |pair| lines.see(&pair));
        watch.finish();
        report.pairs = Some(lines.finish(outcome)?);
    }
    (report.groups, report.ordered) = (Some(found.groups), Some(ordered));
    show::show(context, args, &report, &texts, started)?;
    Ok(Ending::from_failures(unreadable))
}

impl Named for StoredTexts<'_> {
    fn name(&self, document: u32) -> Vec<u8> {
        self.address(document).into_bytes()
    }
}
