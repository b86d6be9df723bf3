//! Numbers and texts as bytes: little-endian base 128, the high bit says that more follows.

use super::LONGEST_TEXT;

/// Appends `value` in 1 to 10 bytes.
#[inline]
pub(super) fn put(out: &mut Vec<u8>, value: u64) {
    let (mut rest, mut buffer, mut used) = (value, [0_u8; 10], 0);
    while rest >= 0x80 {
        buffer[used] = (rest & 0x7f) as u8 | 0x80;
        rest >>= 7;
        used += 1;
    }
    buffer[used] = (rest & 0x7f) as u8;
    out.extend_from_slice(&buffer[..=used]);
}

/// Appends a text with its length.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Takes bytes off the front of a block. `None` means that they end too early or mean nothing.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return None;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length: usize = self.small()?;
        if length > LONGEST_TEXT {
            return None;
        }
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }
}

/// A 32-bit checksum: eight bytes at a time, each bit of the input reaches every bit of the sum.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, tail) = bytes.as_chunks::<8>();
    let mut sum = ODD ^ bytes.len() as u64;
    let mut last = [0; 8];
    last[..tail.len()].copy_from_slice(tail);
    for word in words.iter().chain(std::iter::once(&last)) {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(ODD);
        sum ^= sum >> 29;
    }
    sum = (sum ^ (sum >> 32)).wrapping_mul(ODD);
    (sum >> 32) as u32
}
