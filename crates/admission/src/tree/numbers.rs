//! Loops over columns of numbers, in a form that compilers make vector instructions of.
//!
//! All sums are within 64 bits signed, since deadlines end at the horizon (decision 0028); a check of each would keep the loops from being vectors.

/// Larger than every laxity: for no slot.
pub(super) const FAR: i64 = 1 << 62;

#[inline]
pub(super) fn least(values: &[i64]) -> i64 {
    values.iter().fold(FAR, |least, value| least.min(*value))
}

#[inline]
pub(super) fn add(values: &mut [i64], by: i64) {
    for value in values {
        *value = value.wrapping_add(by);
    }
}

#[inline]
pub(super) fn sub(values: &mut [i64], by: i64) {
    for value in values {
        *value = value.wrapping_sub(by);
    }
}

/// How many of a sorted column are at most this, and the least of another column behind them; what is not in use must be later than any value, and [`FAR`].
///
/// One pass answers both, so that the second does not wait for the first.
#[inline]
pub(super) fn up_to_and_least<const N: usize>(
    sorted: &[i64; N],
    values: &[i64; N],
    value: i64,
) -> (usize, i64) {
    if !cfg!(target_feature = "avx2") {
        let place = up_to(sorted, value);
        return (place, least(&values[place..]));
    }
    let (mut count, mut found) = (0_u64, FAR);
    for (one, behind) in sorted.iter().zip(values) {
        let is_before = *one <= value;
        count = count.wrapping_add(u64::from(is_before));
        found = found.min(if is_before { FAR } else { *behind });
    }
    (usize::try_from(count).unwrap_or(0), found)
}

/// Adds to a part of a column.
#[inline]
pub(super) fn add_within<const N: usize>(values: &mut [i64; N], place: usize, end: usize, by: i64) {
    if !cfg!(target_feature = "avx2") {
        return add(&mut values[place..end], by);
    }
    let (place, end) = (place.cast_signed() as i64, end.cast_signed() as i64);
    let mut index = 0_i64;
    for value in values {
        *value = value.wrapping_add(if index >= place && index < end { by } else { 0 });
        index = index.wrapping_add(1);
    }
}

/// How many of a sorted column are at most this.
#[inline]
pub(super) fn up_to<const N: usize>(sorted: &[i64; N], value: i64) -> usize {
    if cfg!(target_feature = "avx2") {
        let count = |count: u64, one: &i64| count.wrapping_add(u64::from(*one <= value));
        usize::try_from(sorted.iter().fold(0, count)).unwrap_or(0)
    } else {
        sorted.partition_point(|one| *one <= value)
    }
}

/// Whether a number of arrival was given after another one; numbers wrap.
pub(super) fn is_later(number: u32, than: u32) -> bool {
    number.wrapping_sub(than).cast_signed() > 0
}
