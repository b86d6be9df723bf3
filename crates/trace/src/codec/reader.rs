//! Reads a trace, one block at a time.
//!
//! Invariant: only records of a block that agrees with its checksum are given, but for the last
//! block of a file that was cut off, which has none. `given` counts records that the file holds,
//! not the losses that the reader itself reports.

use super::bytes::{Bytes, checksum};
use super::decode::{Decoded, decode};
use super::memo::Memo;
use super::{LONGEST_BLOCK, MAGIC, ReadError};
use crate::{Event, Header, Record};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use windfall_time::Instant;

/// An iterator over the records of a trace file.
///
/// Where records are missing it gives an [`Event::Lost`] and then the error that says why; after
/// [`ReadError::Damaged`] more records may follow, any other error is the last thing it gives. Records of kinds that only later
/// versions know are left out; [`ReadError::LaterKinds`] says how many before the last thing.
// Fields: the state of one pass over a file, between two records.
#[derive(Debug)]
pub struct Reader<R: Read> {
    source: R,
    header: Header,
    block: Vec<u8>,
    /// How much of `block` has been read.
    used: usize,
    blocks: u64,
    memo: Memo,
    given: u64,
    /// How many records were of kinds that only later versions know.
    later: u64,
    /// A damaged block whose number of lost records a later block will give.
    damaged: Option<u64>,
    pending: VecDeque<Result<Record, ReadError>>,
    state: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    Reading,
    /// The block is the last one and its tail is missing.
    Cut,
    Over,
}

/// A block as it stands in the file.
enum Block {
    Whole,
    Damaged,
    Cut,
    End(u64),
}

impl<R: Read> Reader<R> {
    /// Reads the header. `source` needs no buffer of its own: it is asked for a block at a time.
    ///
    /// # Errors
    /// When the source fails, is not a trace or of another version, or its header is damaged.
    pub fn new(mut source: R) -> Result<Reader<R>, ReadError> {
        let mut magic = [0; MAGIC.len()];
        let read = fill(&mut source, &mut magic)?;
        let name = MAGIC.len() - 1;
        if read < MAGIC.len() || magic[..name] != MAGIC[..name] {
            return Err(ReadError::NotATrace);
        }
        if magic[name] != MAGIC[name] {
            return Err(ReadError::Version(magic[name]));
        }
        let mut reader = Reader {
            source,
            header: Header::default(),
            block: Vec::new(),
            used: 0,
            blocks: 0,
            memo: Memo::new(),
            given: 0,
            later: 0,
            damaged: None,
            pending: VecDeque::new(),
            state: Progress::Reading,
        };
        match reader.next_block()? {
            Block::Whole => {}
            Block::Damaged | Block::End(_) => {
                return Err(ReadError::Damaged { block: 0, lost: None });
            }
            Block::Cut => return Err(ReadError::Truncated { records: 0 }),
        }
        let mut bytes = Bytes(&reader.block);
        let header = || -> Option<Header> {
            let (source, clock) = (bytes.text()?, bytes.text()?);
            Some(Header { source, clock, cpus: bytes.small()? })
        }();
        reader.header = header.ok_or(ReadError::Damaged { block: 0, lost: None })?;
        reader.block.clear();
        Ok(reader)
    }

    /// The trace's header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn next_block(&mut self) -> Result<Block, ReadError> {
        let mut head = [0; 8];
        let read = fill(&mut self.source, &mut head)?;
        self.block.clear();
        self.used = 0;
        if read < head.len() {
            return Ok(Block::Cut);
        }
        let [a, b, c, d, e, f, g, h] = head;
        let (length, sum) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        if length == 0 {
            let mut end = [0; 8];
            let read = fill(&mut self.source, &mut end)?;
            if read < end.len() {
                return Ok(Block::Cut);
            }
            let sound = checksum(&end) == sum;
            return Ok(if sound { Block::End(u64::from_le_bytes(end)) } else { Block::Damaged });
        }
        let length = length as usize;
        if length > LONGEST_BLOCK {
            // The length itself is damaged: where the next block starts cannot be known.
            self.state = Progress::Over;
            return Ok(Block::Damaged);
        }
        self.source
            .by_ref()
            .take(length as u64)
            .read_to_end(&mut self.block)
            .map_err(ReadError::Io)?;
        if self.block.len() < length {
            return Ok(Block::Cut);
        }
        let sound = checksum(&self.block) == sum;
        Ok(if sound { Block::Whole } else { Block::Damaged })
    }

    /// Reads the next block and prepares what it means; `Err` is the last thing to give.
    fn advance(&mut self) -> Result<(), ReadError> {
        let block = self.next_block()?;
        self.blocks += 1;
        match block {
            Block::Whole => self.enter(),
            Block::Cut => {
                self.state = Progress::Cut;
                if !self.block.is_empty() {
                    self.enter();
                }
            }
            Block::Damaged => {
                self.damage();
                if self.state == Progress::Over {
                    self.settle(None);
                }
            }
            Block::End(records) => {
                self.settle(Some(records));
                self.state = Progress::Over;
                let mut more = [0];
                let trailing = fill(&mut self.source, &mut more)? > 0;
                self.end(trailing.then_some(ReadError::Trailing));
            }
        }
        Ok(())
    }

    /// Reads a block's first record number and time.
    fn enter(&mut self) {
        let mut bytes = Bytes(&self.block);
        if let (Some(first), Some(now)) = (bytes.number(), bytes.number())
            && now >= self.memo.now
        {
            self.used = self.block.len() - bytes.0.len();
            self.settle(Some(first));
            self.memo.restart(now);
        } else if self.state == Progress::Cut {
            self.used = self.block.len();
        } else {
            self.damage();
        }
    }

    /// The block is of no use.
    fn damage(&mut self) {
        self.used = self.block.len();
        self.damaged.get_or_insert(self.blocks);
    }

    /// Reports what a damaged block cost, now that the number of the next record is known or never
    /// will be.
    fn settle(&mut self, next: Option<u64>) {
        let missing = next.and_then(|next| next.checked_sub(self.given));
        if self.damaged.is_some() || missing != Some(0) {
            let block = self.damaged.take().unwrap_or(self.blocks);
            self.lose(missing);
            self.pending.push_back(Err(ReadError::Damaged { block, lost: missing }));
        }
        self.given = next.unwrap_or(self.given);
    }

    /// The last words: how many records were left out, then why nothing follows.
    fn end(&mut self, why: Option<ReadError>) {
        let records = std::mem::take(&mut self.later);
        let later = (records > 0).then_some(ReadError::LaterKinds { records });
        self.pending.extend(later.into_iter().chain(why).map(Err));
    }

    fn lose(&mut self, count: Option<u64>) {
        let event = Event::Lost { cpu: None, count };
        self.pending.push_back(Ok(Record { at: Instant::from_nanos(self.memo.now), event }));
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Result<Record, ReadError>> {
        loop {
            if let Some(item) = self.pending.pop_front() {
                return Some(item);
            }
            let mut bytes = Bytes(self.block.get(self.used..).unwrap_or_default());
            if !bytes.0.is_empty() {
                if let Some(decoded) = decode(&mut bytes, &self.memo) {
                    self.used = self.block.len() - bytes.0.len();
                    self.given += 1;
                    match decoded {
                        Decoded::Record(record) => {
                            self.memo.after(record.at.as_nanos(), &record.event);
                            return Some(Ok(record));
                        }
                        Decoded::Later(now) => (self.memo.now, self.later) = (now, self.later + 1),
                    }
                    continue;
                }
                if self.state == Progress::Reading {
                    self.damage();
                    continue;
                }
            }
            match self.state {
                Progress::Over => return None,
                Progress::Cut => {
                    if self.damaged.is_some() {
                        self.settle(None);
                    }
                    self.lose(None);
                    self.end(Some(ReadError::Truncated { records: self.given }));
                    self.state = Progress::Over;
                    self.block.clear();
                }
                Progress::Reading => {
                    if let Err(error) = self.advance() {
                        self.lose(None);
                        self.end(Some(error));
                        self.state = Progress::Over;
                        self.block.clear();
                    }
                }
            }
        }
    }
}

/// Reads until `buffer` is full or the source ends; how much was read.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ReadError> {
    let mut read = 0;
    while read < buffer.len() {
        match source.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::Io(error)),
        }
    }
    Ok(read)
}
