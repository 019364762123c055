//! One search on several threads.

use super::SlicedBloofi;
use crate::KeyHash;
use crate::index::Positions;
use crate::index::kernel::{Isa, Rows, Word};
use crate::index::slab::Slab;

/// The least work that is worth a thread, in words of a row.
const THREAD_WORDS_MIN: usize = 64;

impl SlicedBloofi {
    /// Like `search_all`, with the rows cut into pieces for up to `threads` threads. It pays for indexes that read a
    /// megabyte per search: a thread costs some ten microseconds to start.
    pub fn search_all_threads(&self, keys: &[KeyHash], threads: usize, ids: &mut Vec<u64>) {
        let positions = Positions::of(keys, &self.shape);
        let slabs: Vec<_> = self.slabs.iter().map(Slab::rows).collect();
        search_pieces(self.isa, &slabs, positions.as_slice(), threads, ids);
    }
}

/// Searches pieces of the rows on up to `threads` threads, this one among them.
pub(super) fn search_pieces<W: Word>(
    isa: Isa,
    slabs: &[Rows<'_, W>],
    positions: &[usize],
    threads: usize,
    ids: &mut Vec<u64>,
) {
    ids.clear();
    let pieces: Vec<_> = slabs
        .iter()
        .flat_map(|rows| {
            (0..rows.stride)
                .step_by(THREAD_WORDS_MIN)
                .map(move |start| (*rows, start..(start + THREAD_WORDS_MIN).min(rows.stride)))
        })
        .collect();
    let mut shares = pieces.chunks(pieces.len().div_ceil(threads.max(1)).max(1));
    let Some(mine) = shares.next() else { return };
    let search = |share: &[(Rows<'_, W>, std::ops::Range<usize>)], ids: &mut Vec<u64>| {
        share.iter().for_each(|(rows, range)| isa.collect(*rows, positions, range.clone(), ids));
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = shares
            .map(|share| {
                scope.spawn(move || {
                    let mut ids = Vec::new();
                    search(share, &mut ids);
                    ids
                })
            })
            .collect();
        search(mine, ids);
        for other in others {
            ids.extend(other.join().expect("a search does not panic"));
        }
    });
}
