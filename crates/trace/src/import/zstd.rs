//! Text compressed by zstd: frame after frame, as a reader.
//!
//! Invariant: memory is that of a window, 128 MiB at most. A frame whose checksum does not fit what came out of it, or that is cut,
//! is an error.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, ErrorKind, Read};

/// The first bytes of a frame.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Frames of a source that is read on as they are.
pub(super) struct Frames<R: BufRead> {
    source: R,
    decoder: FrameDecoder,
    /// Whether a frame has begun that has not ended.
    open: bool,
}

impl<R: BufRead> Frames<R> {
    pub(super) fn new(source: R) -> Frames<R> {
        Frames { source, decoder: FrameDecoder::new(), open: false }
    }

    /// Begins the next frame; none is left at the source's end.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.open {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.init(&mut self.source) {
                Ok(()) => self.open = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = (&mut self.source).take(length.into());
                    io::copy(&mut { skipped }, &mut io::sink())?;
                }
                Err(error) => return Err(damaged(&error)),
            }
        }
        Ok(true)
    }

    /// The frame has ended, and is what was packed.
    fn close(&mut self) -> io::Result<()> {
        self.open = false;
        let (told, found) =
            (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if told.is_some() && told != found {
            return Err(damaged(&"its checksum is wrong"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while self.begin()? {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder
                    .decode_blocks(&mut self.source, one)
                    .map_err(|error| damaged(&error))?;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.close()?;
        }
        Ok(0)
    }
}

fn damaged(why: &dyn std::fmt::Display) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("damaged zstd: {why}"))
}
