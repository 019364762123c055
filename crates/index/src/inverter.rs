//! Inverting documents, in one thread or in several.
//!
//! With several threads documents travel in batches: whoever is free takes the next one, so that the lists of each thread have
//! documents from here and there; the merge brings them in order again ([`crate::merge`]). Lengths of documents come back in
//! the order of the documents.
//!
//! Cost: each thread has its part of the memory, and there are at most twice as many batches on their way as there are threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::accumulator::Accumulator;
use crate::field::{FIELD_COUNT, Field};
use crate::list_sink::{ListHead, ListSink};
use crate::merge::Inverted;
use crate::run::RunWriter;
use crate::sorted_lists::SortedLists;
use crate::stems::Language;
use crate::{Analyzer, Error, Piece};

/// How many words each field of a document has.
pub(crate) type FieldLengths = [u32; FIELD_COUNT];

/// Takes documents, gives their lengths and their lists.
pub(crate) struct Inverter {
    hands: Hands,
    /// Lengths that nobody has taken yet, in the order of the documents.
    lengths: Vec<FieldLengths>,
}

enum Hands {
    One(Hand),
    Several(Threads),
}

impl Inverter {
    /// Scratch files go into `folder`.
    pub(crate) fn new(folder: &Path, memory_bytes: usize, threads: usize) -> Self {
        let hand = |number: usize| Hand {
            run_path: folder.join(format!("run-{number}")),
            memory_bytes: memory_bytes / threads,
            accumulator: Accumulator::default(),
            inverted: Inverted::default(),
        };
        let hands = match threads {
            1 => Hands::One(hand(0)),
            _ => Hands::Several(Threads::start((0..threads).map(hand))),
        };
        Self { hands, lengths: Vec::new() }
    }

    /// Adds a document, whose number is larger than those before.
    pub(crate) fn add(
        &mut self,
        document: u32,
        pieces: &[Piece<'_>],
        analyzer: Analyzer,
        language: Option<Language>,
    ) -> Result<(), Error> {
        match &mut self.hands {
            Hands::One(hand) => self.lengths.push(hand.add(document, pieces, analyzer, language)?),
            Hands::Several(threads) => {
                threads.add(document, pieces, analyzer, language, &mut self.lengths)?;
            }
        }
        Ok(())
    }

    /// The lengths that have become known of the next documents.
    pub(crate) fn lengths(&mut self) -> std::vec::Drain<'_, FieldLengths> {
        self.lengths.drain(..)
    }

    /// The lists, and the lengths of the last documents.
    pub(crate) fn finish(self) -> Result<(Inverted, Vec<FieldLengths>), Error> {
        let Self { hands, mut lengths } = self;
        let inverted = match hands {
            Hands::One(hand) => hand.finish(),
            Hands::Several(threads) => threads.finish(&mut lengths)?,
        };
        Ok((inverted, lengths))
    }
}

/// Inverts documents in its part of the memory; when that is full their lists become a run.
struct Hand {
    run_path: PathBuf,
    memory_bytes: usize,
    accumulator: Accumulator,
    inverted: Inverted,
}

const RUN_BUFFER_BYTES: usize = 256 << 10;

impl Hand {
    fn add(
        &mut self,
        document: u32,
        pieces: &[Piece<'_>],
        analyzer: Analyzer,
        language: Option<Language>,
    ) -> Result<FieldLengths, Error> {
        let lengths = self.accumulator.add(document, pieces, analyzer, language);
        if self.accumulator.bytes() >= self.memory_bytes {
            let path = self.run_path.with_added_extension(self.inverted.runs.len().to_string());
            let mut run = RunWriter::create(&path, RUN_BUFFER_BYTES)?;
            write_run(self.accumulator.sort(), &mut run)?;
            self.inverted.runs.push(run.finish()?);
        }
        Ok(lengths)
    }

    /// What is in memory stays there.
    fn finish(mut self) -> Inverted {
        if !self.accumulator.is_empty() {
            self.inverted.in_memory.push(self.accumulator.sort());
        }
        self.inverted
    }
}

fn write_run(lists: SortedLists, run: &mut RunWriter) -> Result<(), Error> {
    let mut posting = crate::postings::Posting::default();
    let mut lists = lists.from(&[]);
    while lists.next_list() {
        let head =
            ListHead { term: lists.term(), documents: lists.documents(), is_needed: lists.is_needed() };
        run.start_list(&head)?;
        while lists.document().is_some() {
            lists.take(&mut posting);
            run.add(&posting)?;
        }
    }
    Ok(())
}

/// A batch has so many bytes of text, or one document.
const BATCH_BYTES: usize = 256 << 10;

/// Documents on their way to a thread.
#[derive(Default)]
struct Batch {
    number: u64,
    text: String,
    /// The field of each piece, and where it ends in the text.
    pieces: Vec<(Field, usize)>,
    /// Each document with its language and where its pieces end.
    documents: Vec<(u32, Option<Language>, usize)>,
    analyzer: Analyzer,
}

impl Batch {
    fn invert(&self, hand: &mut Hand) -> Result<Vec<FieldLengths>, Error> {
        let (mut lengths, mut first, mut at) = (Vec::new(), 0, 0);
        for &(document, language, end) in &self.documents {
            let pieces = self.pieces[first..end].iter().map(|&(field, text_end)| {
                let text = &self.text[at..text_end];
                at = text_end;
                Piece { field, text }
            });
            let pieces: Vec<Piece<'_>> = pieces.collect();
            first = end;
            lengths.push(hand.add(document, &pieces, self.analyzer, language)?);
        }
        Ok(lengths)
    }
}

/// A batch that is inverted, with the lengths of its documents.
type Done = (u64, Result<Vec<FieldLengths>, Error>);

/// Threads that invert batches.
struct Threads {
    batch: Batch,
    /// None when there are no more.
    sender: Option<SyncSender<Batch>>,
    done: Receiver<Done>,
    /// Batches whose predecessors are not done yet.
    waiting: BTreeMap<u64, Vec<FieldLengths>>,
    next_done: u64,
    threads: Vec<JoinHandle<Inverted>>,
}

impl Threads {
    fn start(hands: impl ExactSizeIterator<Item = Hand>) -> Self {
        let (sender, batches) = sync_channel(hands.len());
        let (batches, (done_sender, done)) = (Arc::new(Mutex::new(batches)), channel());
        let start = |hand| {
            let (batches, done) = (Arc::clone(&batches), done_sender.clone());
            std::thread::spawn(move || work(hand, &batches, &done))
        };
        Self {
            batch: Batch::default(),
            sender: Some(sender),
            threads: hands.map(start).collect(),
            done,
            waiting: BTreeMap::new(),
            next_done: 0,
        }
    }

    fn add(
        &mut self,
        document: u32,
        pieces: &[Piece<'_>],
        analyzer: Analyzer,
        language: Option<Language>,
        lengths: &mut Vec<FieldLengths>,
    ) -> Result<(), Error> {
        let batch = &mut self.batch;
        batch.analyzer = analyzer;
        for piece in pieces {
            batch.text.push_str(piece.text);
            batch.pieces.push((piece.field, batch.text.len()));
        }
        batch.documents.push((document, language, batch.pieces.len()));
        if batch.text.len() >= BATCH_BYTES {
            self.send();
            while let Ok(done) = self.done.try_recv() {
                self.take(done, lengths)?;
            }
        }
        Ok(())
    }

    fn send(&mut self) {
        let next = Batch { number: self.batch.number + 1, ..Batch::default() };
        let batch = std::mem::replace(&mut self.batch, next);
        if let Some(sender) = &self.sender {
            // Threads take what comes for as long as there is a sender.
            let _ = sender.send(batch);
        }
    }

    fn take(&mut self, (number, done): Done, lengths: &mut Vec<FieldLengths>) -> Result<(), Error> {
        self.waiting.insert(number, done?);
        while let Some(next) = self.waiting.remove(&self.next_done) {
            lengths.extend(next);
            self.next_done += 1;
        }
        Ok(())
    }

    fn finish(mut self, lengths: &mut Vec<FieldLengths>) -> Result<Inverted, Error> {
        self.send();
        self.sender = None;
        // Until all of them have put theirs down.
        while let Ok(done) = self.done.recv() {
            self.take(done, lengths)?;
        }
        let mut all = Inverted::default();
        for thread in std::mem::take(&mut self.threads) {
            let inverted = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all.runs.extend(inverted.runs);
            all.in_memory.extend(inverted.in_memory);
        }
        Ok(all)
    }
}

impl Drop for Threads {
    /// Waits for the threads of a build that is given up, since they write into its folder.
    fn drop(&mut self) {
        self.sender = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn work(mut hand: Hand, batches: &Mutex<Receiver<Batch>>, done: &Sender<Done>) -> Inverted {
    loop {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(batch) = batch else { return hand.finish() };
        // Whoever gave the build up does not listen, and ends it.
        let _ = done.send((batch.number, batch.invert(&mut hand)));
    }
}
