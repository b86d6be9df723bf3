//! Pixels as a PNG file: no time, no version, nothing that differs from run to run.
//!
//! Source: PNG, second edition, sections 5, 9 and 12; the deflate stream is miniz_oxide's.

use crate::raster::Pixels;

/// The file, in 8-bit red, green and blue.
pub(crate) fn png(pixels: &Pixels) -> Vec<u8> {
    let side =
        |pixels: usize| u32::try_from(pixels).expect("a picture fits in memory").to_be_bytes();
    let mut file = vec![0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a];
    let mut head = Vec::new();
    head.extend(side(pixels.wide));
    head.extend(side(pixels.high));
    head.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, *b"IHDR", &head);
    let row = pixels.wide * 3;
    let mut rows = Vec::with_capacity((row + 1) * pixels.high);
    let mut above: &[u8] = &[];
    for line in pixels.data.chunks_exact(row.max(1)) {
        // Filter 2, "up": rows of bars are equal to the row above.
        rows.push(2);
        rows.extend(
            line.iter()
                .enumerate()
                .map(|(at, byte)| byte.wrapping_sub(above.get(at).copied().unwrap_or(0))),
        );
        above = line;
    }
    chunk(&mut file, *b"IDAT", &miniz_oxide::deflate::compress_to_vec_zlib(&rows, 8));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    file.extend(
        u32::try_from(data.len()).expect("a chunk of a picture has less than 4 GiB").to_be_bytes(),
    );
    let from = file.len();
    file.extend(kind);
    file.extend(data);
    let sum = crc(&file[from..]);
    file.extend(sum.to_be_bytes());
}

/// CRC-32 as in PNG's annex D, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_of_an_empty_end_chunk() {
        assert_eq!(crc(b"IEND"), 0xae42_6082);
    }
}
