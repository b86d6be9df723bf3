//! Weights of children, in which every share of a scenario is a whole number.

use windfall_time::Ratio;

/// Weights for shares: a weight of 1 (`share = 1`, or none written) is a thousandth of a processor, as
/// long as it is beside guarantees; all are multiplied by the one number by which every `PS` share
/// of a scenario becomes whole. So the share of one child never changes the meaning of others' weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights(u64);

/// The largest multiplier.
pub(super) const FINEST: u64 = 1 << 16;
/// How many weights of 1 are a processor.
pub(super) const PROCESSOR: u64 = 1_000;

impl Weights {
    /// The weights for all shares; those that need more than [`FINEST`] are refused one by one.
    pub(super) fn of(shares: impl Iterator<Item = Ratio>) -> Weights {
        let mut common = 1;
        for share in shares.filter_map(|share| share.checked_mul(Ratio::whole(PROCESSOR))) {
            if let Ok(below) = u64::try_from(share.denominator())
                && let Some(next) = least_common_multiple(common, below)
            {
                common = next;
            }
        }
        Weights(common)
    }

    pub(super) fn weight(self, share: Ratio) -> Option<u32> {
        let weight = share.checked_mul(Ratio::whole(self.whole()))?;
        let whole = weight.denominator() == 1;
        u32::try_from(weight.numerator()).ok().filter(|_| whole)
    }

    pub(super) fn multiple(self, share: u32) -> Option<u32> {
        u32::try_from(u64::from(share) * self.0).ok()
    }

    /// The weight of a share of a whole processor.
    pub(super) fn whole(self) -> u64 {
        self.0 * PROCESSOR
    }
}

fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.checked_div(x)?.checked_mul(b).filter(|product| *product <= FINEST)
}
