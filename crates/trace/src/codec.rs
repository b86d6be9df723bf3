//! Windfall's own trace file: every record exactly, in about six bytes, written while it happens.
//!
//! A file is a magic number with a version, a block with the [`Header`](crate::Header), blocks of
//! records, and an end block with their number. A block is its length, a checksum and its content;
//! it starts from nothing (absolute time, the number of its first record), so a damaged block costs
//! that block only, and the next one gives the number of records lost.
//!
//! Invariant: a file without its end block, or with a block that does not agree with its checksum,
//! never reads as a calm end: the reader gives [`Event::Lost`](crate::Event::Lost) and then an error.
//! Both sides use memory for one block, whatever the length of the trace.
//!
//! Why this form: docs/decisions/0002-trace-format.md. Read next: `codec/memo.rs`, then `encode.rs`
//! and `decode.rs` side by side.

mod bytes;
mod decode;
mod encode;
mod error;
mod memo;
mod reader;
mod task;
mod writer;

pub use error::{ReadError, WriteError};
pub use reader::Reader;
pub use writer::Writer;

/// The first eight bytes: a name, and the version of all that follows.
const MAGIC: [u8; 8] = *b"WFTRACE\x01";
/// A block is closed when it holds this many bytes.
const BLOCK: usize = 32 << 10;
/// The longest text that a record may carry.
const LONGEST_TEXT: usize = 1 << 20;
/// No writer makes a longer block: the last record of a full block may carry four texts.
const LONGEST_BLOCK: usize = BLOCK + 5 * LONGEST_TEXT;

#[cfg(test)]
mod tests;
