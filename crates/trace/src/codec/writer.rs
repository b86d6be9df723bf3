//! Writes a trace while it happens.
//!
//! Invariant: `block` holds whole records, `first` counts those before it, `memo` knows the ones in
//! it. Errors are kept; after one of the destination nothing more is written, records still count.

use super::bytes::{checksum, put, put_text};
use super::encode::encode;
use super::memo::Memo;
use super::{BLOCK, LONGEST_TEXT, MAGIC, WriteError};
use crate::{Event, Header, Sink};
use std::io::{self, Write};
use windfall_time::Instant;

/// A [`Sink`] that writes a trace file. Without [`Writer::finish`] the file counts as cut off.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    block: Vec<u8>,
    memo: Memo,
    records: u64,
    in_block: u64,
    out_of_order: u64,
    too_long: u64,
    failed: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Begins a trace. `out` needs no buffer of its own: it is handed 32 KiB at a time.
    pub fn new(out: W, header: &Header) -> Writer<W> {
        let mut writer = Writer {
            out,
            block: Vec::with_capacity(BLOCK + 1024),
            memo: Memo::new(),
            records: 0,
            in_block: 0,
            out_of_order: 0,
            too_long: 0,
            failed: None,
        };
        writer.failed = writer.out.write_all(&MAGIC).err();
        put_text(&mut writer.block, cut(&header.source));
        put_text(&mut writer.block, cut(&header.clock));
        put(&mut writer.block, u64::from(header.cpus));
        writer.flush();
        writer
    }

    /// How many records it was given.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Where it writes to.
    pub fn destination(&self) -> &W {
        &self.out
    }

    /// Writes the rest and the end of the trace, and gives the destination back.
    ///
    /// # Errors
    /// The first thing that was not written as it was given; see [`WriteError`].
    pub fn finish(mut self) -> Result<W, WriteError> {
        if !self.block.is_empty() {
            self.flush();
        }
        let end = self.records.to_le_bytes();
        self.send(0, checksum(&end), &end);
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
        match (self.failed, self.out_of_order, self.too_long) {
            (Some(error), _, _) => Err(WriteError::Io(error)),
            (None, 0, 0) => Ok(self.out),
            (None, 0, records) => Err(WriteError::TooLong { records }),
            (None, records, _) => Err(WriteError::OutOfOrder { records }),
        }
    }

    fn flush(&mut self) {
        let length =
            u32::try_from(self.block.len()).expect("a block is sent long before it has 4 GiB");
        let block = std::mem::take(&mut self.block);
        self.send(length, checksum(&block), &block);
        self.block = block;
        self.block.clear();
        self.block.shrink_to(2 * BLOCK);
        self.in_block = 0;
    }

    fn send(&mut self, length: u32, sum: u32, content: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        let mut head = [0; 8];
        head[..4].copy_from_slice(&length.to_le_bytes());
        head[4..].copy_from_slice(&sum.to_le_bytes());
        self.failed = self.out.write_all(&head).and_then(|()| self.out.write_all(content)).err();
    }
}

impl<W: Write> Sink for Writer<W> {
    #[inline]
    fn record(&mut self, at: Instant, event: &Event) {
        let mut now = at.as_nanos();
        if now < self.memo.now {
            self.out_of_order += 1;
            now = self.memo.now;
        }
        if self.block.is_empty() {
            self.memo.restart(now);
            put(&mut self.block, self.records);
            put(&mut self.block, now);
        }
        let missing = Event::Lost { cpu: None, count: Some(1) };
        let event = if longest_text(event) <= LONGEST_TEXT {
            event
        } else {
            self.too_long += 1;
            &missing
        };
        encode(&mut self.block, &self.memo, now, event);
        self.memo.after(now, event);
        self.records += 1;
        if self.block.len() >= BLOCK {
            self.flush();
        }
    }

    fn is_broken(&self) -> bool {
        self.failed.is_some()
    }
}

#[inline]
fn longest_text(event: &Event) -> usize {
    match event {
        Event::Thread { name, .. } => name.len(),
        Event::Node { name, kind, .. } => name.len().max(kind.len()),
        Event::Promise { guarantee, .. } => guarantee.as_ref().map_or(0, String::len),
        Event::Control { text }
        | Event::Mark { text, .. }
        | Event::ActivityBegins { text, .. }
        | Event::Figure { name: text, .. } => text.len(),
        Event::Quarantine { reason, .. } => reason.len(),
        _ => 0,
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}
