//! The known answers, computed slowly: integers bit by bit, floating point in software (`rustc_apfloat`, the compiler's own), square roots of whole numbers. Of the processor's arithmetic it uses what indices, shifts and digests take.

use super::super::{atomic, float, fold, integer, shared, vector};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert};

/// The sum by a chain of full adders, and the carry out of it.
fn add(a: u64, b: u64, mut carry: bool) -> (u64, bool) {
    let mut sum = 0;
    for bit in 0..64 {
        let (x, y) = (a >> bit & 1 == 1, b >> bit & 1 == 1);
        if x ^ y ^ carry {
            sum |= 1 << bit;
        }
        carry = x & y | carry & (x | y);
    }
    (sum, carry)
}

/// The difference, and whether it borrows.
fn subtract(a: u64, b: u64) -> (u64, bool) {
    let (difference, carry) = add(a, !b, true);
    (difference, !carry)
}

/// The low and the high half of a times b plus c, by shifts and sums.
fn multiply(a: u64, b: u64, c: u64) -> (u64, u64) {
    let (mut low, mut high) = (c, 0);
    for bit in 0..64 {
        if b >> bit & 1 == 1 {
            let (shifted, over) = (a << bit, if bit == 0 { 0 } else { a >> (64 - bit) });
            let (sum, carry) = add(low, shifted, false);
            (low, high) = (sum, add(high, over, carry).0);
        }
    }
    (low, high)
}

/// Quotient and rest of the long division.
fn divide(a: u64, b: u64) -> (u64, u64) {
    let (mut quotient, mut rest) = (0, 0);
    for bit in (0..64).rev() {
        rest = rest << 1 | a >> bit & 1;
        if rest >= b {
            (rest, quotient) = (subtract(rest, b).0, quotient | 1 << bit);
        }
    }
    (quotient, rest)
}

fn bits_of(word: u64) -> impl DoubleEndedIterator<Item = bool> {
    (0..64).map(move |bit| word >> bit & 1 == 1)
}

#[expect(clippy::manual_rotate, reason = "rotations of the processor are what is tested")]
fn turn(word: u64, by: u64) -> u64 {
    let by = by % 64;
    if by == 0 { word } else { word << by | word >> (64 - by) }
}

fn count(bits: impl Iterator<Item = bool>) -> u64 {
    bits.fold(0, |count, _| count + 1)
}

pub(super) fn integer(seed: u64) -> u64 {
    let (mut words, mut digest) = (integer::begin(seed), seed);
    for _ in 0..integer::STEPS {
        let [a, b, c, d] = words;
        let sum = add(a, b, false).0;
        let (difference, borrows) = subtract(c, d);
        let (low, high) = multiply(a, c | 1, d);
        let (quotient, rest) = divide(sum, d >> 32 | 1);
        let turned = turn(difference, count(bits_of(b).filter(|bit| *bit)));
        let ones = count(bits_of(low).filter(|bit| *bit));
        let leading = count(bits_of(high).rev().take_while(|bit| !bit));
        let trailing = count(bits_of(sum | 1 << 63).take_while(|bit| !bit));
        let chosen = if borrows { high } else { high ^ turned };
        words = [
            sum ^ turn(quotient, 17),
            add(low, rest, false).0,
            add(chosen, ones + leading + trailing, false).0,
            subtract(turned, a).0 ^ d >> 3,
        ];
        let found = add(words[0], words[3], false).0 ^ subtract(words[1], words[2]).0;
        digest = fold(digest, found);
    }
    digest
}

fn double(bits: u64) -> Double {
    Double::from_bits(bits.into())
}

fn unit(bits: u64) -> Double {
    double(float::ONE | bits & float::FRACTION)
}

fn bits(value: Double) -> u64 {
    u64::try_from(value.to_bits()).unwrap()
}

/// The root of a value from 1 to 2. Twice the root of its fraction as a whole number says how to round; it never lies in the middle, since no odd number's square is four times another number.
fn root(value: Double) -> Double {
    let whole = u128::from(bits(value) & float::FRACTION | 1 << 52);
    let twice = (whole << 54).isqrt();
    assert!(twice * twice <= whole << 54 && (twice + 1) * (twice + 1) > whole << 54);
    double(float::ONE.wrapping_add(u64::try_from((twice + 1) >> 1).unwrap() - (1 << 52)))
}

fn single(value: Double) -> Single {
    let mut loses = false;
    value.convert(&mut loses).value
}

pub(super) fn float(seed: u64) -> u64 {
    let (mut words, mut digest) = (float::begin(seed), seed);
    let scale = double((1023 + 60) << 52);
    for _ in 0..float::STEPS {
        let [a, b, c, d] = words.map(unit);
        let (sum, difference, product) = ((a + b).value, (a - b).value, (c * d).value);
        let (quotient, root) = ((a / d).value, root(b));
        let lost = c.mul_add(d, -product).value;
        let below = bits((product * double(float::TINY)).value);
        let short = (single(quotient) * single(root)).value;
        let whole = (product * scale).value.to_i128(64).value;
        words = [
            bits(sum) ^ turn(bits(root), 9),
            add(bits(product), turn(bits(difference), 64 - 20), false).0,
            bits(quotient) ^ turn(u64::try_from(short.to_bits()).unwrap(), 16),
            u64::try_from(whole).unwrap() ^ turn(bits(lost), 12),
        ];
        digest = fold(digest, words[0] ^ turn(words[1], 3));
        digest = fold(digest, words[2] ^ turn(words[3], 5) ^ below);
    }
    digest
}

/// The low half of a word.
fn low(word: u64) -> u32 {
    u32::try_from(word & 0xFFFF_FFFF).unwrap()
}

#[expect(clippy::manual_rotate, reason = "rotations of the processor are what is tested")]
pub(super) fn vector(seed: u64) -> u64 {
    let mut lanes = vector::Lanes::begin(seed);
    for _ in 0..vector::STEPS {
        let vector::Lanes { a, b, x, y, found } = lanes;
        for lane in 0..16 {
            let (one, other) = (u64::from(a[lane]), u64::from(b[lane]));
            let product = low(multiply(one, other | 1, 0).0);
            let sum = low(add(one, other, false).0);
            let turned = sum << 7 | sum >> 25;
            let least = if subtract(product.into(), turned.into()).1 { product } else { turned };
            let is_more = subtract(other, one).1;
            let chosen = if is_more { product ^ sum } else { turned };
            lanes.a[lane] = least ^ sum >> 5;
            lanes.b[lane] = low(subtract(chosen.into(), a[(lane + 5) % 16].into()).0);
        }
        for lane in 0..8 {
            let (first, second) = (unit(x[lane]), unit(y[lane]));
            let product = (first * second).value;
            let lost = bits(first.mul_add(second, -product).value);
            let quotient = bits((first / second).value);
            let root = root(second);
            let sum = bits((product + root).value);
            lanes.x[lane] = quotient ^ sum << 9 ^ lost;
            lanes.y[lane] = add(bits(root), x[(lane + 3) % 8], false).0;
            lanes.found[lane] = turn(found[lane], 5) ^ sum ^ lost;
        }
    }
    lanes.digest()
}

pub(super) fn atomic(seed: u64) -> u64 {
    let (mut word, mut digest) = (seed, seed);
    for step in 0..atomic::STEPS {
        let value = fold(digest, step);
        let operations: [&dyn Fn(u64) -> u64; 9] = [
            &|word| add(word, value, false).0,
            &|word| word ^ turn(value, 11),
            &|word| word | step,
            &|word| subtract(word, step << 20).0,
            &|word| word & !(step << 7),
            &|word| if subtract(word, value >> 1).1 { value >> 1 } else { word },
            &|word| if subtract(value | 1 << 63, word).1 { value | 1 << 63 } else { word },
            // The exchange that succeeds, and the one that fails.
            &|_| value,
            &|word| word,
        ];
        for operation in operations {
            (digest, word) = (fold(digest, word), operation(word));
        }
        let next = digest;
        (digest, word) = (fold(digest, word), next);
    }
    digest
}

pub(super) fn shared(seed: u64) -> u64 {
    let counts = (0..shared::TURNS).flat_map(|_| 0..shared::ADDS);
    counts.fold(seed, fold)
}
