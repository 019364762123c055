//! Which pages of a mapped file are asked for, and keeping some of them in memory.
//!
//! The system keeps in memory what was read last, of whatever file, and takes it away when others need the room. Pages that are
//! kept here are copies that belong to this process: it may only write them to where it swaps. A map that is private and
//! could be written gets such copies by a fault of writing ([`Advice::PopulateWrite`]), without a byte being written, and they
//! go when the map is told that it does not need them; then the file is read again. Whoever reads the map sees the same bytes
//! all the time.
//!
//! Cost: eight bytes for each page that is counted; an addition for each page of what is asked for.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use memmap2::{Mmap, MmapMut};

use crate::Error;

/// The pages of which copies are kept; on machines with larger ones, whole pages are kept all the same.
pub const PAGE_BYTES: usize = 4 << 10;

/// How often each page of a file was asked for, and which are kept in memory.
#[derive(Debug)]
pub struct PageUses {
    pages: Box<[Page]>,
    are_counted: bool,
    kept: AtomicUsize,
    asked: AtomicU64,
    found_kept: AtomicU64,
}

#[derive(Debug, Default)]
struct Page {
    uses: AtomicU32,
    is_kept: AtomicBool,
}

impl PageUses {
    pub(crate) fn of(bytes: usize, are_counted: bool) -> Self {
        let pages = (0..bytes.div_ceil(PAGE_BYTES)).map(|_| Page::default()).collect();
        let [asked, found_kept] = [0; 2].map(AtomicU64::new);
        Self { pages, are_counted, kept: AtomicUsize::new(0), asked, found_kept }
    }

    /// Counts that some bytes of the map are asked for.
    #[inline]
    pub(crate) fn count(&self, bytes: Range<usize>) {
        if !self.are_counted {
            return;
        }
        let pages = &self.pages[bytes.start / PAGE_BYTES..bytes.end.div_ceil(PAGE_BYTES)];
        let mut kept = 0;
        for page in pages {
            page.uses.fetch_add(1, Ordering::Relaxed);
            kept += u64::from(page.is_kept.load(Ordering::Relaxed));
        }
        self.asked.fetch_add(pages.len() as u64, Ordering::Relaxed);
        self.found_kept.fetch_add(kept, Ordering::Relaxed);
    }

    /// Tells how many pages there are.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Tells how often a page was asked for; what is long ago counts less.
    pub fn uses(&self, page: usize) -> u32 {
        self.pages[page].uses.load(Ordering::Relaxed)
    }

    /// Tells whether a page is kept in memory.
    pub fn is_kept(&self, page: usize) -> bool {
        self.pages[page].is_kept.load(Ordering::Relaxed)
    }

    /// Tells how many pages are kept in memory.
    pub fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// Tells how many pages were asked for so far, and how many of them were kept then.
    pub fn asked_and_kept(&self) -> (u64, u64) {
        (self.asked.load(Ordering::Relaxed), self.found_kept.load(Ordering::Relaxed))
    }

    /// Forgets half of all uses.
    pub fn fade(&self) {
        for page in &self.pages {
            // Uses that come meanwhile may be lost: nobody needs to know it so well.
            page.uses.store(page.uses.load(Ordering::Relaxed) / 2, Ordering::Relaxed);
        }
    }

    /// Takes over how often pages of another map of the same file were asked for.
    pub(crate) fn take_over(&self, other: &Self) {
        for (page, before) in self.pages.iter().zip(&other.pages) {
            page.uses.store(before.uses.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    /// Lets go of pages of a map that are not kept.
    pub(crate) fn let_go(&self, map: &Map) -> io::Result<()> {
        let Map::Private(map) = map else { return Ok(()) };
        let mut first = 0;
        for run in self.pages.chunk_by(|one, other| {
            let [one, other] = [one, other].map(|page| page.is_kept.load(Ordering::Relaxed));
            one == other
        }) {
            let bytes = first * PAGE_BYTES..map.len().min((first + run.len()) * PAGE_BYTES);
            if !self.is_kept(first) {
                drop_copies(map, bytes)?;
            }
            first += run.len();
        }
        Ok(())
    }

    /// Keeps those pages of a map that are wanted, and no others.
    pub(crate) fn keep(&self, map: &Map, is_wanted: impl Fn(usize) -> bool) -> io::Result<()> {
        let Map::Private(map) = map else { return Ok(()) };
        let mut page = 0;
        while page < self.pages.len() {
            let change = |page: usize| (is_wanted(page) != self.is_kept(page)).then(|| is_wanted(page));
            let Some(is_kept) = change(page) else {
                page += 1;
                continue;
            };
            let end = (page..self.pages.len()).find(|&page| change(page) != Some(is_kept));
            let run = page..end.unwrap_or(self.pages.len());
            let bytes = run.start * PAGE_BYTES..map.len().min(run.end * PAGE_BYTES);
            if is_kept {
                copy_pages(map, bytes)?
            } else {
                drop_copies(map, bytes)?
            }
            self.pages[run.clone()].iter().for_each(|page| page.is_kept.store(is_kept, Ordering::Relaxed));
            let kept = self.kept();
            let kept = if is_kept { kept + run.len() } else { kept - run.len() };
            self.kept.store(kept, Ordering::Relaxed);
            page = run.end;
        }
        Ok(())
    }
}

/// A file in the address space.
#[derive(Debug)]
pub(crate) enum Map {
    /// Pages are those that the system has of the file.
    Shared(Mmap),
    /// Some may be copies that only this process has. Nobody writes to them.
    Private(MmapMut),
}

impl std::ops::Deref for Map {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Shared(map) => map,
            Self::Private(map) => map,
        }
    }
}

impl Map {
    /// Lets go of all pages of a file that the system has anyway; of copies, whoever keeps them knows which go.
    pub(crate) fn let_go(&self) -> io::Result<()> {
        match self {
            Self::Shared(map) => drop_pages(map),
            Self::Private(_) => Ok(()),
        }
    }

    /// The same map, which cannot be written.
    pub(crate) fn into_read_only(self) -> Result<Mmap, Error> {
        match self {
            Self::Shared(map) => Ok(map),
            Self::Private(map) => Ok(map.make_read_only()?),
        }
    }
}

#[cfg(target_os = "linux")]
fn copy_pages(map: &MmapMut, bytes: Range<usize>) -> io::Result<()> {
    map.advise_range(memmap2::Advice::PopulateWrite, bytes.start, bytes.len())
}

#[cfg(target_os = "linux")]
fn drop_copies(map: &MmapMut, bytes: Range<usize>) -> io::Result<()> {
    // SAFETY: pages that are dropped are read again from the file when somebody looks at them, and it has the same bytes as
    // their copies: nobody changes it, and nobody writes to the map.
    unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, bytes.start, bytes.len()) }
}

#[cfg(target_os = "linux")]
fn drop_pages(map: &Mmap) -> io::Result<()> {
    // SAFETY: as above, but for copies, of which a shared map has none.
    unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) }
}

#[cfg(not(target_os = "linux"))]
fn drop_pages(_map: &Mmap) -> io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn copy_pages(_map: &MmapMut, _bytes: Range<usize>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn drop_copies(_map: &MmapMut, _bytes: Range<usize>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
