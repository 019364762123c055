//! Many queues in one scratch file: the parts of site queues that do not fit in memory.
//!
//! Addresses of a queue are gathered into blocks; a full block is appended to the file, and the queue remembers where
//! its blocks are. Reading takes the oldest block back whole. When less than a quarter of a large file is still
//! wanted, the file is written anew. Nothing here needs to survive a crash: the ready log has it all.
//!
//! When the disk is full, blocks that are gathered stay in memory until there is room, and [`DiskQueues::take_refusal`] tells:
//! no address is lost, and whoever asks brings no more of them.
//!
//! Cost: 24 bytes of memory per block of up to 4 KiB, plus the blocks that are being gathered, which are written out
//! early when together they exceed the budget.

use std::collections::VecDeque;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fs_err as fs;
use journal::{FieldReader, FieldWriter, Malformed};
use page::Ordinal;

use crate::{Error, QueuedUrl};

const BLOCK_BYTES: usize = 4 << 10;
const COMPACT_BYTES_MIN: u64 = 64 << 20;

/// The file that all queues share.
#[derive(Debug)]
pub struct DiskQueues {
    file: fs::File,
    end: u64,
    live_bytes: u64,
    gathered_bytes: usize,
    gathered_bytes_max: usize,
    /// The disk had no room.
    refusal: Option<std::io::Error>,
}

/// One queue: handed to [`DiskQueues`] for every operation.
#[derive(Debug, Default)]
pub struct DiskQueue {
    blocks: VecDeque<Block>,
    gathering: FieldWriter,
    gathered: u32,
    len: u64,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    offset: u64,
    bytes: u32,
    count: u32,
}

impl DiskQueue {
    /// How many addresses it has.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl DiskQueues {
    /// Starts empty; a file of that name is overwritten.
    pub fn create(path: &Path, gathered_bytes_max: usize) -> Result<Self, Error> {
        let file = fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Self { file, end: 0, live_bytes: 0, gathered_bytes: 0, gathered_bytes_max, refusal: None })
    }

    /// Adds an address at the end of a queue.
    pub fn push(&mut self, queue: &mut DiskQueue, url: &QueuedUrl) -> Result<(), Error> {
        let before = queue.gathering.as_bytes().len();
        let fields = queue.gathering.number(url.ordinal.get()).number(u64::from(url.depth));
        fields.number(u64::from(url.hops)).number(u64::from(url.tries)).text(&url.path);
        self.gathered_bytes += queue.gathering.as_bytes().len() - before;
        queue.gathered += 1;
        queue.len += 1;
        let must_shrink = self.gathered_bytes > self.gathered_bytes_max;
        if queue.gathering.as_bytes().len() >= BLOCK_BYTES || must_shrink {
            match self.write_block(queue) {
                // What is gathered stays so; the next address of the queue tries again.
                Err(Error::Io(error)) if journal::is_full_disk(&error) => self.refusal = Some(error),
                outcome => outcome?,
            }
        }
        Ok(())
    }

    /// The last time that the disk had no room, since this was asked before.
    pub fn take_refusal(&mut self) -> Option<std::io::Error> {
        self.refusal.take()
    }

    fn write_block(&mut self, queue: &mut DiskQueue) -> Result<(), Error> {
        let bytes = queue.gathering.as_bytes();
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        queue.blocks.push_back(Block { offset: self.end, bytes: bytes.len() as u32, count: queue.gathered });
        self.end += bytes.len() as u64;
        self.live_bytes += bytes.len() as u64;
        self.gathered_bytes -= bytes.len();
        queue.gathering.clear();
        queue.gathered = 0;
        Ok(())
    }

    /// Moves the oldest block of a queue into memory.
    pub fn pop_block(&mut self, queue: &mut DiskQueue, into: &mut VecDeque<QueuedUrl>) -> Result<(), Error> {
        let malformed = |offset| move |Malformed| Error::Malformed { path: "overflow".into(), offset };
        let Some(block) = queue.blocks.front().copied() else {
            decode_block(queue.gathering.as_bytes(), queue.gathered, into).map_err(malformed(0))?;
            self.gathered_bytes -= queue.gathering.as_bytes().len();
            queue.len -= u64::from(queue.gathered);
            queue.gathering.clear();
            queue.gathered = 0;
            return Ok(());
        };
        let mut bytes = vec![0; block.bytes as usize];
        self.file.file().read_exact_at(&mut bytes, block.offset)?;
        decode_block(&bytes, block.count, into).map_err(malformed(block.offset))?;
        queue.blocks.pop_front();
        queue.len -= u64::from(block.count);
        self.live_bytes -= u64::from(block.bytes);
        if self.live_bytes == 0 {
            self.file.set_len(0)?;
            self.end = 0;
        }
        Ok(())
    }

    /// True when most of the file is no longer wanted: time to [`compact`](Self::compact).
    pub fn wants_compaction(&self) -> bool {
        self.end > COMPACT_BYTES_MIN && self.live_bytes < self.end / 4
    }

    /// Moves all blocks of all queues to the front of the file and cuts off the rest.
    pub fn compact<'q>(&mut self, queues: impl Iterator<Item = &'q mut DiskQueue>) -> Result<(), Error> {
        let mut blocks: Vec<&mut Block> = queues.flat_map(|queue| queue.blocks.iter_mut()).collect();
        blocks.sort_unstable_by_key(|block| block.offset);
        let mut end = 0;
        for block in blocks {
            // Blocks only move towards the front, past nothing that is still wanted.
            let mut bytes = vec![0; block.bytes as usize];
            self.file.file().read_exact_at(&mut bytes, block.offset)?;
            self.file.file().write_all_at(&bytes, end)?;
            block.offset = end;
            end += u64::from(block.bytes);
        }
        self.file.set_len(end)?;
        self.end = end;
        Ok(())
    }
}

fn decode_block(bytes: &[u8], count: u32, into: &mut VecDeque<QueuedUrl>) -> Result<(), Malformed> {
    let mut fields = FieldReader::new(bytes);
    for _ in 0..count {
        into.push_back(QueuedUrl {
            ordinal: Ordinal::new(fields.number()?),
            depth: fields.small()?,
            hops: fields.small()?,
            tries: fields.small()?,
            path: fields.text()?.into(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_refuses_blocks_and_loses_no_address() {
        let dir = tempfile::tempdir().unwrap();
        let mut disk = DiskQueues::create(&dir.path().join("q"), 100).unwrap();
        let mut queue = DiskQueue::default();
        let full = fs::OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        let sound = std::mem::replace(&mut disk.file, full);
        for ordinal in 0..50 {
            disk.push(&mut queue, &url(ordinal)).unwrap();
        }
        let refusal = disk.take_refusal().unwrap();
        assert!(journal::is_full_disk(&refusal) && disk.take_refusal().is_none());
        disk.file = sound;
        disk.push(&mut queue, &url(50)).unwrap();
        assert!(disk.take_refusal().is_none());
        let mut taken = VecDeque::new();
        while !queue.is_empty() {
            disk.pop_block(&mut queue, &mut taken).unwrap();
        }
        assert!(taken.into_iter().eq((0..=50).map(url)));
    }

    fn url(ordinal: u64) -> QueuedUrl {
        QueuedUrl {
            ordinal: Ordinal::new(ordinal),
            depth: 1,
            hops: 2,
            tries: 0,
            path: format!("/a/fairly/long/path/{ordinal}").into(),
        }
    }

    proptest::proptest! {
        #[test]
        fn many_queues_behave_as_many_vecdeques(steps in proptest::collection::vec((0usize..5, proptest::bool::weighted(0.7)), 1..2000), budget in 64usize..9000) {
            let dir = tempfile::tempdir().unwrap();
            let mut disk = DiskQueues::create(&dir.path().join("q"), budget).unwrap();
            let mut queues: Vec<(DiskQueue, VecDeque<u64>)> = (0..5).map(|_| Default::default()).collect();
            for (step, (which, is_push)) in steps.into_iter().enumerate() {
                if step % 97 == 0 {
                    disk.compact(queues.iter_mut().map(|(queue, _)| queue)).unwrap();
                }
                let (queue, model) = &mut queues[which];
                if is_push {
                    disk.push(queue, &url(step as u64)).unwrap();
                    model.push_back(step as u64);
                } else {
                    let mut taken = VecDeque::new();
                    disk.pop_block(queue, &mut taken).unwrap();
                    proptest::prop_assert!(model.is_empty() || !taken.is_empty());
                    for taken in taken {
                        proptest::prop_assert_eq!(&taken, &url(model.pop_front().unwrap()));
                    }
                }
                proptest::prop_assert_eq!(queue.len(), model.len() as u64);
            }
        }
    }
}
