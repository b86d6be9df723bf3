//! Lines of a source, compressed or not, in flat memory.
//!
//! A line ends with a line feed; carriage returns before it are dropped. Bytes that are no UTF-8 become U+FFFD.
//! A line longer than [`LONGEST`] is cut there and marked. Input that unpacks to more
//! than the limits ends with an error, as does a line that does not end.

use super::limits;
use super::zstd::{self, Frames};
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};

/// No line of a kernel is longer than a page or two.
const LONGEST: usize = 64 << 10;

type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// Reads line by line.
pub(super) struct Lines<R: BufRead> {
    source: Source<R>,
    buffer: Vec<u8>,
    number: u64,
    /// How many bytes have been taken, unpacked.
    taken: u64,
}

enum Source<R: BufRead> {
    Unopened(Option<R>),
    Plain(Whole<R>),
    Gzip(Box<BufReader<MultiGzDecoder<Whole<R>>>>),
    Zstd(Box<BufReader<Frames<Whole<R>>>>),
}

/// One line.
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    pub(super) text: String,
    /// Whether something is missing at its end.
    pub(super) cut: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Lines<R> {
        Lines { source: Source::Unopened(Some(reader)), buffer: Vec::new(), number: 0, taken: 0 }
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        if let Source::Unopened(reader) = &mut self.source {
            let Some(reader) = reader.take() else { return Ok(None) };
            self.source = sniff(reader)?;
        }
        self.buffer.clear();
        let (mut some, mut cut) = (false, false);
        let from = self.taken;
        loop {
            if self.taken > limits::BYTES {
                return Err(too_much(format!("more than {} bytes, unpacked", limits::BYTES)));
            }
            if self.taken - from > limits::LINE as u64 {
                let line = self.number + 1;
                return Err(too_much(format!(
                    "line {line} has more than {} bytes; this is no text",
                    limits::LINE
                )));
            }
            let available = match self.source.fill() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            some = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let room = LONGEST.saturating_sub(self.buffer.len());
            cut |= part.len() > room;
            self.buffer.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            self.taken += used as u64;
            if end.is_some() {
                break;
            }
        }
        if !some {
            return Ok(None);
        }
        if self.number == 0 && self.buffer.starts_with(b"WFTRACE") {
            let why = "it is a recording in Windfall's own format; decompress it first";
            return Err(too_much(why.to_owned()));
        }
        if self.number == limits::LINES {
            return Err(too_much(format!("more than {} lines", limits::LINES)));
        }
        self.number += 1;
        let text = String::from_utf8_lossy(&self.buffer);
        let text = text.trim_end_matches('\r').to_owned();
        Ok(Some(Line { number: self.number, text, cut }))
    }
}

/// A limit is passed, or this is no text.
pub(super) fn too_much(why: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

impl<R: BufRead> Source<R> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        match self {
            Source::Unopened(_) => Ok(&[]),
            Source::Plain(reader) => reader.fill_buf(),
            Source::Gzip(reader) => reader.fill_buf(),
            Source::Zstd(reader) => reader.fill_buf(),
        }
    }

    fn consume(&mut self, used: usize) {
        match self {
            Source::Unopened(_) => {}
            Source::Plain(reader) => reader.consume(used),
            Source::Gzip(reader) => reader.consume(used),
            Source::Zstd(reader) => reader.consume(used),
        }
    }
}

/// Looks at the first four bytes: gzip's magic number, zstd's, or text.
fn sniff<R: BufRead>(mut reader: R) -> io::Result<Source<R>> {
    let mut first = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut first)?;
    let (gzip, zstd) = (first.starts_with(&[0x1f, 0x8b]), first == zstd::MAGIC);
    let whole = Cursor::new(first).chain(reader);
    Ok(match (gzip, zstd) {
        (true, _) => Source::Gzip(Box::new(BufReader::new(MultiGzDecoder::new(whole)))),
        (_, true) => Source::Zstd(Box::new(BufReader::new(Frames::new(whole)))),
        _ => Source::Plain(whole),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a text, of which one has been read.
    fn begun(text: &str) -> Lines<&[u8]> {
        let mut lines = Lines::new(text.as_bytes());
        assert!(lines.next().is_ok_and(|line| line.is_some_and(|line| line.number == 1)));
        lines
    }

    #[test]
    fn limit_as_many_lines_are_read_as_a_text_may_have() {
        let mut lines = begun("a\nb\nc\n");
        lines.number = limits::LINES - 1;
        assert!(lines.next().is_ok_and(|line| line.is_some_and(|line| line.text == "b")));
        let why = lines.next().err().map(|error| error.to_string());
        assert_eq!(why.as_deref(), Some("more than 20000000 lines"));
        let mut lines = begun("a\nb\n");
        lines.number = limits::LINES - 1;
        assert!(lines.next().is_ok() && lines.next().is_ok_and(|line| line.is_none()));
    }

    #[test]
    fn limit_as_many_bytes_are_read_as_a_text_may_have() {
        let mut lines = begun("a\nb\nc\n");
        lines.taken = limits::BYTES - 2;
        assert!(lines.next().is_ok_and(|line| line.is_some_and(|line| line.text == "b")));
        assert_eq!(lines.taken, limits::BYTES);
        let _ = lines.next(); // it begins within the limit
        let why = lines.next().err().map(|error| error.to_string());
        assert_eq!(why.as_deref(), Some("more than 4294967296 bytes, unpacked"));
    }
}
