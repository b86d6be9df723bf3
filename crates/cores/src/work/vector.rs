//! Vector work: 16 integers of 32 bits and 8 floating-point values of 64 bits, lane by lane, with lanes that change places.
//!
//! The loops are over arrays of a fixed length, which the compiler makes instructions of the given width of.

use super::float::unit;
use super::fold;
use windfall_os::vector::{Width, Work};

/// Steps of one digest.
pub(super) const STEPS: usize = 4_096;

/// The lanes.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    pub(super) a: [u32; 16],
    pub(super) b: [u32; 16],
    /// Fractions of values from 1 to 2.
    pub(super) x: [u64; 8],
    pub(super) y: [u64; 8],
    /// The result so far, lane by lane.
    pub(super) found: [u64; 8],
}

impl Lanes {
    /// To begin with.
    pub(super) fn begin(seed: u64) -> Lanes {
        let mut word = seed;
        let mut next = || {
            word = fold(word, 0x1234_5678_9ABC_DEF1);
            word
        };
        #[expect(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
        let (a, b) =
            (core::array::from_fn(|_| next() as u32), core::array::from_fn(|_| next() as u32));
        let (x, y) = (core::array::from_fn(|_| next()), core::array::from_fn(|_| next()));
        Lanes { a, b, x, y, found: [seed; 8] }
    }

    /// All of it.
    pub(super) fn digest(&self) -> u64 {
        let mut digest = 0;
        for place in 0..16 {
            digest = fold(digest, u64::from(self.a[place]) << 32 | u64::from(self.b[place]));
        }
        for place in 0..8 {
            digest = fold(digest, self.x[place] ^ self.y[place].rotate_left(7));
            digest = fold(digest, self.found[place]);
        }
        digest
    }

    #[inline(always)]
    fn step(&mut self) {
        let Lanes { a, b, x, y, found } = *self;
        (self.a, self.b) = integers(a, b);
        for lane in 0..8 {
            let (first, second) = (unit(x[lane]), unit(y[lane]));
            let product = first * second;
            let lost = first.mul_add(second, -product);
            let quotient = first / second;
            let root = second.sqrt();
            let sum = product + root;
            self.x[lane] = quotient.to_bits() ^ (sum.to_bits() << 9) ^ lost.to_bits();
            self.y[lane] = root.to_bits().wrapping_add(x[(lane + 3) % 8]);
            self.found[lane] = found[lane].rotate_left(5) ^ sum.to_bits() ^ lost.to_bits();
        }
    }
}

/// One operation after the other over all lanes: so each becomes an instruction.
#[inline(always)]
fn integers(a: [u32; 16], b: [u32; 16]) -> ([u32; 16], [u32; 16]) {
    use core::array::from_fn as lanes;
    let product: [u32; 16] = lanes(|lane| a[lane].wrapping_mul(b[lane] | 1));
    let sum: [u32; 16] = lanes(|lane| a[lane].wrapping_add(b[lane]));
    let turned: [u32; 16] = lanes(|lane| sum[lane].rotate_left(7));
    let least: [u32; 16] = lanes(|lane| product[lane].min(turned[lane]));
    let mixed: [u32; 16] = lanes(|lane| product[lane] ^ sum[lane]);
    let chosen: [u32; 16] =
        lanes(|lane| if a[lane] > b[lane] { mixed[lane] } else { turned[lane] });
    let moved: [u32; 16] = lanes(|lane| a[(lane + 5) % 16]);
    (
        lanes(|lane| least[lane] ^ (sum[lane] >> 5)),
        lanes(|lane| chosen[lane].wrapping_sub(moved[lane])),
    )
}

/// Half of the steps.
struct Half(Lanes);

impl Work for Half {
    type Output = Lanes;

    #[inline(always)]
    fn work(mut self) -> Lanes {
        for _ in 0..STEPS / 2 {
            self.0.step();
        }
        self.0
    }
}

/// 0 where the machine has no such width.
pub(super) fn digest(width: Width, seed: u64, wrong: u64) -> u64 {
    let begun = Lanes::begin(seed);
    let whole = width.run(Half(begun)).and_then(|mut lanes| {
        lanes.x[0] ^= wrong;
        width.run(Half(lanes))
    });
    whole.map_or(0, |lanes| lanes.digest())
}
