//! From documents to sketches, on any number of threads.
//!
//! Documents are taken in blocks. A thread turns a block into the bytes of its columns; blocks are written in order by
//! the caller. All memory of a block is used again.

use std::ops::Range;
use std::sync::Mutex;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::config::DedupConfig;
use super::files::{Block, SketchFiles, checksum};
use super::reports::{Stage, Watcher};
use crate::execution::{in_order, produce_and_consume};
use crate::features::{KeyLayout, byte_slots, bytes_of};
use crate::minhash::MinHasher;
use crate::set_cache::forget_huge;
use crate::{DocumentReader, Documents, Error, Execution, Shingler, Unreadable};

/// The documents of a block: few enough that a block of texts is small, many enough that writing one is cheap.
const BLOCK_DOCUMENTS: u32 = 256;

/// So many hashes become bytes at once.
const DIGEST_AT_ONCE: usize = 1 << 14;

/// The digest of a document without shingles.
pub(crate) const NO_DIGEST: u128 = 0;

/// Sketches the documents behind those that are in the files already.
pub(crate) fn sketch_new(
    config: &DedupConfig,
    files: &mut SketchFiles,
    documents: &dyn Documents,
    watcher: &dyn Watcher,
) -> Result<(), Error> {
    let count = documents.count();
    let start = files.documents();
    let blocks = (start..count)
        .step_by(BLOCK_DOCUMENTS as usize)
        .map(|first| first..first.saturating_add(BLOCK_DOCUMENTS).min(count));
    let sketcher = BlockSketcher {
        config,
        layout: KeyLayout::new(config),
        hasher: config.scheme.hasher(config.slots, config.seed),
        spare: Mutex::new(Vec::new()),
    };
    watcher.progress(Stage::Sketching, start.into(), count.into());
    let mut done = start;
    let finish = |sketched: Sketched| {
        for (document, why) in &sketched.unreadable {
            watcher.unreadable(*document, why);
        }
        files.append(&sketched.block)?;
        done += sketched.block.documents;
        watcher.progress(Stage::Sketching, done.into(), count.into());
        sketcher.spare.lock().expect("nobody panics with this lock").push(sketched.block);
        Ok(())
    };
    let threads = config.execution.threads();
    match config.execution {
        Execution::Serial | Execution::Threads(_) => in_order(
            threads,
            blocks,
            || (sketcher.desk(), documents.reader()),
            |(desk, reader), block| {
                sketcher.sketch(desk, block, |document, text| reader.read(document, text))
            },
            finish,
        ),
        Execution::ProducerConsumer(_) => produce_and_consume(
            threads,
            |give| {
                let mut reader = documents.reader();
                for block in blocks {
                    if !give(Texts::read(block, reader.as_mut())) {
                        return;
                    }
                }
            },
            |texts| {
                in_order(
                    threads,
                    texts,
                    || sketcher.desk(),
                    |desk, texts| {
                        let mut texts_left = texts.texts.into_iter();
                        sketcher.sketch(desk, texts.block, |_, text| {
                            *text = texts_left.next().expect("a text was read for each document")?;
                            Ok(())
                        })
                    },
                    finish,
                )
            },
        ),
    }
}

/// Texts that one thread read for another.
struct Texts {
    block: Range<u32>,
    texts: Vec<Result<Vec<u8>, Unreadable>>,
}

impl Texts {
    fn read(block: Range<u32>, reader: &mut dyn DocumentReader) -> Self {
        let texts = block
            .clone()
            .map(|document| {
                let mut text = Vec::new();
                reader.read(document, &mut text).map(|()| text)
            })
            .collect();
        Self { block, texts }
    }
}

/// What comes of a block.
struct Sketched {
    block: Block,
    unreadable: Vec<(u32, Unreadable)>,
}

/// What a thread keeps from block to block.
struct Desk {
    shingler: Shingler,
    text: Vec<u8>,
    hashes: Vec<u64>,
    bytes: Vec<u8>,
    slots: Vec<u64>,
}

/// What all threads share.
struct BlockSketcher<'a> {
    config: &'a DedupConfig,
    layout: KeyLayout,
    hasher: Box<dyn MinHasher>,
    spare: Mutex<Vec<Block>>,
}

impl BlockSketcher<'_> {
    fn desk(&self) -> Desk {
        Desk {
            shingler: Shingler::new(self.config.shingling, self.config.text),
            text: Vec::new(),
            hashes: Vec::new(),
            bytes: Vec::new(),
            slots: vec![0; self.layout.stored_slots(self.config.slots)],
        }
    }

    fn empty_block(&self) -> Block {
        let mut block = self.spare.lock().expect("nobody panics with this lock").pop().unwrap_or_default();
        block.keys.resize_with(self.layout.columns, Vec::new);
        block.keys.iter_mut().chain([&mut block.digests, &mut block.slots]).for_each(Vec::clear);
        Block { documents: 0, too_short: 0, unreadable: 0, bytes_read: 0, ..block }
    }

    fn sketch(
        &self,
        desk: &mut Desk,
        documents: Range<u32>,
        mut read: impl FnMut(u32, &mut Vec<u8>) -> Result<(), Unreadable>,
    ) -> Sketched {
        let mut block = self.empty_block();
        let mut unreadable = Vec::new();
        for document in documents {
            if let Err(why) = read(document, &mut desk.text) {
                desk.text.clear();
                unreadable.push((document, why));
                block.unreadable += 1;
            }
            block.bytes_read += desk.text.len() as u64;
            self.sketch_text(desk, &mut block);
        }
        Sketched { block, unreadable }
    }

    /// Adds the sketch of the text on the desk.
    fn sketch_text(&self, desk: &mut Desk, block: &mut Block) {
        desk.shingler.shingle(&desk.text, &mut desk.hashes);
        forget_huge(&mut desk.text);
        block.documents += 1;
        block.too_short += u32::from(desk.hashes.is_empty());
        block.digests.extend_from_slice(&digest(&desk.hashes, &mut desk.bytes).to_le_bytes());

        let start = block.slots.len();
        block.slots.extend_from_slice(&u32::try_from(desk.hashes.len()).unwrap_or(u32::MAX).to_le_bytes());
        if !desk.slots.is_empty() {
            self.hasher.sketch(&desk.hashes, &mut desk.slots);
            bytes_of(&desk.slots, &mut desk.bytes);
            for (column, keys) in block.keys.iter_mut().enumerate() {
                keys.extend_from_slice(&self.layout.key(&desk.bytes, column).to_le_bytes());
            }
        }
        let slots_start = block.slots.len();
        block.slots.resize(slots_start + desk.slots.len(), 0);
        byte_slots(&desk.slots, &mut block.slots[slots_start..]);
        let sum = checksum(&block.slots[start..]);
        block.slots.extend_from_slice(&sum.to_le_bytes());
        forget_huge(&mut desk.hashes);
    }
}

/// A digest of the shingles of a text in their order. Texts of equal words have equal digests.
fn digest(hashes: &[u64], bytes: &mut Vec<u8>) -> u128 {
    if hashes.is_empty() {
        return NO_DIGEST;
    }
    if hashes.len() <= DIGEST_AT_ONCE {
        bytes_of(hashes, bytes);
        return xxh3_128(bytes).max(NO_DIGEST + 1);
    }
    // The same digest, without the bytes of all hashes at a time.
    let mut hasher = Xxh3::new();
    for part in hashes.chunks(DIGEST_AT_ONCE) {
        bytes_of(part, bytes);
        hasher.update(bytes);
    }
    hasher.digest128().max(NO_DIGEST + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_does_not_depend_on_how_it_is_made() {
        let hashes: Vec<u64> = (0..100_000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for length in [1, DIGEST_AT_ONCE, DIGEST_AT_ONCE + 1, 2 * DIGEST_AT_ONCE, hashes.len()] {
            let mut bytes = Vec::new();
            bytes_of(&hashes[..length], &mut bytes);
            assert_eq!(digest(&hashes[..length], &mut Vec::new()), xxh3_128(&bytes));
        }
    }
}
