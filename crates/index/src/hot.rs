//! Lists by popularity: what is asked for most often is kept in memory, and the rest is read when it is needed.
//!
//! The files of lists count how often each of their pages is asked for ([`journal::PageUses`]). Whoever looks a term up asks
//! for the block of the dictionary that has it, for the skips of its list and for all of its postings; whoever compares
//! positions, for the chunks that it reads. [`Index::keep_hot`] keeps the pages that were asked for most often, within a
//! budget. It is called from time to time; when there are very many uses half of them is forgotten, so that what was popular
//! once makes room. What every look-up goes through comes first: the functions from terms to blocks, where blocks are, and lengths.
//!
//! Cost: a counter for each page; to choose, all pages that were asked for are sorted.

use std::collections::{HashMap, HashSet};

use journal::{PAGE_BYTES, PageUses, SealedFile};
use serde::Serialize;

use crate::segment::Segment;
use crate::{Error, Index};

/// What of an index is kept in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HotReport {
    /// How much may be.
    pub budget_bytes: u64,
    /// How much is.
    pub kept_bytes: u64,
    /// Pages of lists that were asked for since the index was opened.
    pub pages_asked: u64,
    /// Those of them that were kept when they were asked for.
    pub pages_kept: u64,
}

/// A page that may be kept.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Whether every look-up goes through its file.
    is_first: bool,
    uses: u64,
    file: usize,
    page: usize,
}

impl Index {
    /// Begins to count what is asked for, so that [`Index::keep_hot`] knows what to keep. What is known of the files that
    /// both have is taken over from an index that was open `before`.
    pub fn count_uses(&mut self, before: Option<&Self>) -> Result<(), Error> {
        let known = before.into_iter().flat_map(Self::hot_files);
        let known: HashMap<u64, &SealedFile> = known.map(|(_, file)| (file.identity(), file)).collect();
        for (is_first, file) in self.segments_mut().iter_mut().flat_map(Segment::files_mut) {
            if is_first {
                file.allow_keeping()?;
            } else {
                file.count_uses(known.get(&file.identity()).copied())?;
            }
        }
        Ok(())
    }

    /// Keeps in memory what is asked for most often, up to so many bytes, and lets go of what no longer is. Does nothing if uses
    /// are not counted. One thread at a time may ask for it.
    pub fn keep_hot(&self, budget_bytes: u64) -> Result<(), Error> {
        let files: Vec<(bool, &SealedFile)> = self.hot_files().collect();
        let each = files.iter().enumerate();
        let mut candidates: Vec<Candidate> =
            each.flat_map(|(number, &(is_first, file))| candidates_of(file, number, is_first)).collect();
        let uses_all: u64 = candidates.iter().map(|candidate| candidate.uses).sum();
        candidates.sort_unstable_by(|one, other| other.cmp(one));
        candidates.truncate((budget_bytes / PAGE_BYTES as u64) as usize);
        let mut wanted: Vec<HashSet<usize>> = vec![HashSet::new(); files.len()];
        for candidate in candidates {
            wanted[candidate.file].insert(candidate.page);
        }
        // What goes makes room for what comes.
        for ((_, file), wanted) in files.iter().zip(&wanted) {
            let is_kept = |page| file.uses().is_some_and(|uses| uses.is_kept(page));
            file.keep_pages(|page| is_kept(page) && wanted.contains(&page))?;
        }
        for ((_, file), wanted) in files.iter().zip(&wanted) {
            file.keep_pages(|page| wanted.contains(&page))?;
        }
        if uses_all > USES_MAX {
            files.iter().filter_map(|(_, file)| file.uses()).for_each(PageUses::fade);
        }
        Ok(())
    }

    /// Lets go of all pages that are not kept, so that the system may take them away.
    pub fn let_go(&self) -> Result<(), Error> {
        self.hot_files().try_for_each(|(_, file)| Ok(file.let_go()?))
    }

    /// What is kept within a budget of so many bytes, and what came of it.
    pub fn hot_report(&self, budget_bytes: u64) -> HotReport {
        let mut report = HotReport { budget_bytes, ..HotReport::default() };
        for uses in self.hot_files().filter_map(|(_, file)| file.uses()) {
            let (asked, kept) = uses.asked_and_kept();
            report.kept_bytes += (uses.kept() * PAGE_BYTES) as u64;
            report.pages_asked += asked;
            report.pages_kept += kept;
        }
        report
    }

    /// The files of all segments of which something may be kept, and whether every look-up goes through them.
    fn hot_files(&self) -> impl Iterator<Item = (bool, &SealedFile)> {
        self.segments().iter().flat_map(Segment::files)
    }
}

/// When all uses together are more, half of them is forgotten.
const USES_MAX: u64 = 1 << 24;

/// The pages of a file that were asked for, or all of one that every look-up goes through.
fn candidates_of(
    file: &SealedFile,
    number: usize,
    is_first: bool,
) -> impl Iterator<Item = Candidate> + use<'_> {
    file.uses().into_iter().flat_map(move |uses| {
        let pages = (0..uses.pages()).filter(move |&page| is_first || uses.uses(page) > 0);
        pages.map(move |page| {
            // Of pages that are asked for as often, those stay that are there.
            let weight = 2 * u64::from(uses.uses(page)) + u64::from(uses.is_kept(page));
            Candidate { is_first, uses: weight, file: number, page }
        })
    })
}
