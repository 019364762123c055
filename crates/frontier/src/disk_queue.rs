//! The part of a queue that does not fit into memory: blocks of addresses in the [scratch file](crate::scratch_log).
//!
//! Addresses are gathered into blocks; a full block is written, and the queue remembers where its blocks are. They come back in
//! order, a whole block or as many of it as are wanted: the rest stays where it is.
//!
//! Cost: 16 bytes of memory per block of up to 4 KiB, and the block that is being gathered.

use std::collections::VecDeque;

use journal::{FieldReader, FieldWriter, Malformed};

use crate::scratch_log::{Kind, Place, ScratchLog, malformed_at};
use crate::{Error, QueuedUrl};

/// A block is written when it has so many bytes.
const BLOCK_BYTES: usize = 4 << 10;

/// A host that goes to disk takes what is gathered with it, unless that is so much that it had better be a block.
const GATHERED_BYTES_TO_TAKE: usize = 512;

/// A queue on disk.
#[derive(Debug, Default)]
pub(crate) struct DiskQueue {
    blocks: VecDeque<Block>,
    gathering: FieldWriter,
    gathered: u32,
    len: u64,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    place: Place,
    bytes: u32,
    count: u32,
}

impl DiskQueue {
    /// How many addresses it has.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// True if it has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What it takes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        // Behind what is gathered there is room for up to as much again.
        self.blocks.capacity() * size_of::<Block>() + self.gathering.as_bytes().len() * 3 / 2
    }

    /// Adds an address at the end.
    pub(crate) fn push(&mut self, url: &QueuedUrl, owner: u32, log: &mut ScratchLog) -> Result<(), Error> {
        url.encode(&mut self.gathering);
        self.gathered += 1;
        self.len += 1;
        if self.gathering.as_bytes().len() >= BLOCK_BYTES {
            self.write_gathered(owner, log)?;
        }
        Ok(())
    }

    fn write_gathered(&mut self, owner: u32, log: &mut ScratchLog) -> Result<(), Error> {
        let block = write_block(&self.gathering, self.gathered, owner, log)?;
        self.blocks.push_back(block);
        self.gathering = FieldWriter::new();
        self.gathered = 0;
        Ok(())
    }

    /// Puts addresses, in their order, before all others.
    pub(crate) fn push_front(
        &mut self,
        urls: &[QueuedUrl],
        owner: u32,
        log: &mut ScratchLog,
    ) -> Result<(), Error> {
        let (mut blocks, mut fields, mut count) = (Vec::new(), FieldWriter::new(), 0);
        for (index, url) in urls.iter().enumerate() {
            url.encode(&mut fields);
            count += 1;
            if fields.as_bytes().len() >= BLOCK_BYTES || index + 1 == urls.len() {
                blocks.push(write_block(&fields, count, owner, log)?);
                fields.clear();
                count = 0;
            }
        }
        self.len += urls.len() as u64;
        blocks.into_iter().rev().for_each(|block| self.blocks.push_front(block));
        Ok(())
    }

    /// Moves the first addresses into memory: those of one block, and at most so many.
    pub(crate) fn pop(
        &mut self,
        urls_max: usize,
        log: &mut ScratchLog,
        into: &mut VecDeque<QueuedUrl>,
    ) -> Result<(), Error> {
        let Some(block) = self.blocks.front_mut() else { return self.pop_gathered(urls_max, into) };
        let (place, mut bytes) = (block.place, vec![0; block.bytes as usize]);
        log.read_exact(place, &mut bytes)?;
        let count = block.count.min(u32::try_from(urls_max).unwrap_or(u32::MAX));
        let rest = decode(&bytes, count, into).map_err(|Malformed| malformed_at(place))?.len();
        let taken = bytes.len() - rest;
        log.forget(place, taken);
        *block =
            Block { place: Place(place.0 + taken as u64), bytes: rest as u32, count: block.count - count };
        if block.count == 0 {
            self.blocks.pop_front();
        }
        self.len -= u64::from(count);
        Ok(())
    }

    fn pop_gathered(&mut self, urls_max: usize, into: &mut VecDeque<QueuedUrl>) -> Result<(), Error> {
        let bytes = std::mem::take(&mut self.gathering).into_bytes();
        let count = self.gathered.min(u32::try_from(urls_max).unwrap_or(u32::MAX));
        let rest = decode(&bytes, count, into).map_err(|Malformed| malformed_at(Place(0)))?;
        self.gathering.fixed(rest);
        self.gathered -= count;
        self.len -= u64::from(count);
        Ok(())
    }

    /// Are there blocks of it in the file?
    pub(crate) fn has_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Are there any in that segment?
    pub(crate) fn has_in(&self, segment: u32, log: &ScratchLog) -> bool {
        self.blocks.iter().any(|block| log.is_in(block.place, segment))
    }

    /// Writes its blocks of one segment anew.
    pub(crate) fn leave(&mut self, segment: u32, owner: u32, log: &mut ScratchLog) -> Result<(), Error> {
        for block in &mut self.blocks {
            if !log.is_in(block.place, segment) {
                continue;
            }
            let mut bytes = vec![0; block.bytes as usize];
            log.read_exact(block.place, &mut bytes)?;
            log.forget(block.place, bytes.len());
            block.place = log.append(owner, Kind::Block, None, &bytes)?;
        }
        Ok(())
    }

    /// Writes down where everything is, for a host that goes to disk.
    pub(crate) fn encode(
        &mut self,
        owner: u32,
        log: &mut ScratchLog,
        fields: &mut FieldWriter,
    ) -> Result<(), Error> {
        if self.gathering.as_bytes().len() > GATHERED_BYTES_TO_TAKE {
            self.write_gathered(owner, log)?;
        }
        fields.number(self.blocks.len() as u64);
        for Block { place, bytes, count } in &self.blocks {
            fields.number(place.0).number(u64::from(*bytes)).number(u64::from(*count));
        }
        fields.number(u64::from(self.gathered)).bytes(self.gathering.as_bytes());
        Ok(())
    }

    /// Reads what was written.
    pub(crate) fn decode(fields: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let mut queue = Self::default();
        for _ in 0..fields.number()? {
            let block =
                Block { place: Place(fields.number()?), bytes: fields.small()?, count: fields.small()? };
            queue.len += u64::from(block.count);
            queue.blocks.push_back(block);
        }
        queue.gathered = fields.small()?;
        queue.len += u64::from(queue.gathered);
        let gathered = fields.bytes()?;
        if !gathered.is_empty() {
            queue.gathering.fixed(gathered);
        }
        Ok(queue)
    }
}

fn write_block(fields: &FieldWriter, count: u32, owner: u32, log: &mut ScratchLog) -> Result<Block, Error> {
    let bytes = fields.as_bytes();
    let place = log.append(owner, Kind::Block, None, bytes)?;
    Ok(Block { place, bytes: bytes.len() as u32, count })
}

/// Reads so many addresses. Returns what is behind them.
fn decode<'b>(bytes: &'b [u8], count: u32, into: &mut VecDeque<QueuedUrl>) -> Result<&'b [u8], Malformed> {
    let mut fields = FieldReader::new(bytes);
    for _ in 0..count {
        into.push_back(QueuedUrl::decode(&mut fields)?);
    }
    Ok(&bytes[bytes.len() - fields.remaining()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs_err as fs;
    use page::Ordinal;

    #[test]
    fn a_full_disk_refuses_blocks_and_loses_no_address() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = ScratchLog::create(&dir.path().join("q"), 100).unwrap();
        let mut queue = DiskQueue::default();
        let full = fs::OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        let sound = std::mem::replace(&mut log.file, full);
        for ordinal in 0..5000 {
            queue.push(&url(ordinal), 0, &mut log).unwrap();
        }
        let refusal = log.take_refusal().unwrap();
        assert!(journal::is_full_disk(&refusal) && log.take_refusal().is_none());
        let mut taken = VecDeque::new();
        queue.pop(16, &mut log, &mut taken).unwrap();
        assert_eq!(taken[15], url(15), "what could not be written can be read");
        log.file = sound;
        for ordinal in 5000..6000 {
            queue.push(&url(ordinal), 0, &mut log).unwrap();
        }
        assert!(log.take_refusal().is_none() && !log.is_refused());
        while !queue.is_empty() {
            queue.pop(usize::MAX, &mut log, &mut taken).unwrap();
        }
        assert!(taken.into_iter().eq((0..6000).map(url)));
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

    /// What is done with a queue.
    #[derive(Debug, Clone, Copy)]
    enum Step {
        Push,
        PushFront,
        Pop(usize),
        /// It goes to disk and comes back.
        Leave,
        Clean,
    }

    fn steps() -> impl proptest::strategy::Strategy<Value = Vec<(usize, Step)>> {
        use proptest::prelude::*;
        let step = prop_oneof![
            20 => Just(Step::Push),
            1 => Just(Step::PushFront),
            4 => (1usize..40).prop_map(Step::Pop),
            1 => Just(Step::Leave),
            1 => Just(Step::Clean),
        ];
        proptest::collection::vec((0usize..5, step), 1..3000)
    }

    proptest::proptest! {
        #[test]
        fn many_queues_behave_as_many_vecdeques(steps in steps()) {
            let dir = tempfile::tempdir().unwrap();
            let mut log = ScratchLog::create(&dir.path().join("q"), 0).unwrap();
            let mut queues: Vec<(DiskQueue, VecDeque<u64>)> = (0..5).map(|_| Default::default()).collect();
            for (number, (which, step)) in steps.into_iter().enumerate() {
                let (queue, model) = &mut queues[which];
                let (owner, first) = (which as u32, number as u64 * 300);
                match step {
                    // Many at once, so that there are many segments.
                    Step::Push => for ordinal in first..first + 20 {
                        queue.push(&url(ordinal), owner, &mut log).unwrap();
                        model.push_back(ordinal);
                    }
                    Step::PushFront => {
                        let urls: Vec<QueuedUrl> = (first..first + 300).map(url).collect();
                        queue.push_front(&urls, owner, &mut log).unwrap();
                        (first..first + 300).rev().for_each(|ordinal| model.push_front(ordinal));
                    }
                    Step::Pop(urls_max) => {
                        let mut taken = VecDeque::new();
                        queue.pop(urls_max, &mut log, &mut taken).unwrap();
                        proptest::prop_assert!(taken.len() <= urls_max && (model.is_empty() || !taken.is_empty()));
                        for taken in taken {
                            proptest::prop_assert_eq!(&taken, &url(model.pop_front().unwrap()));
                        }
                    }
                    Step::Leave => {
                        let mut fields = FieldWriter::new();
                        queue.encode(owner, &mut log, &mut fields).unwrap();
                        *queue = DiskQueue::decode(&mut FieldReader::new(fields.as_bytes())).unwrap();
                    }
                    Step::Clean => if let Some(victim) = log.victim() {
                        for owner in log.owners_in(victim).unwrap() {
                            queues[owner as usize].0.leave(victim, owner, &mut log).unwrap();
                        }
                        proptest::prop_assert_ne!(log.victim(), Some(victim));
                    }
                }
                let (queue, model) = &queues[which];
                proptest::prop_assert_eq!(queue.len(), model.len() as u64);
            }
        }
    }
}
