//! What every proportional-share scheduler gives in the long run: `PS+ -> PS+` (HLS table 5.1).
//!
//! Each child's share is its part of the weights times the sum of what the own virtual processors
//! have; but a child runs on one processor at a time, so no k children get more together than the k
//! largest supplies have. What a child cannot use for that reason falls to the others.

use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_guarantees::{Guarantee, Offer, Terms};
use windfall_time::Ratio;

/// The sum of the children's weights; `None` when it is too fine.
pub(crate) fn total(children: &[Terms]) -> Option<Ratio> {
    children.iter().try_fold(Ratio::ZERO, |sum, child| sum.checked_add(child.weight))
}

/// A `PS` for each child, in the long run.
pub(crate) fn offers(own: &[Guarantee], children: &[Terms], by: &'static str) -> Vec<Offer> {
    let Some(shares) = shares(own, children) else {
        return children.iter().map(|_| Offer::exact(None, by)).collect();
    };
    let Some(shares) = served(own, &shares) else {
        return children.iter().map(|_| Offer::exact(None, by)).collect();
    };
    let offer = |share: Ratio| match share.is_zero() {
        true => Offer::nothing(),
        false => Offer::one(Guarantee::Share(share), by),
    };
    shares.into_iter().map(offer).collect()
}

/// Each child's part of what there is.
fn shares(own: &[Guarantee], children: &[Terms]) -> Option<Vec<Ratio>> {
    let supply = own.iter().try_fold(Ratio::ZERO, |sum, own| sum.checked_add(own.share()?))?;
    let unit = supply.checked_div(total(children)?)?;
    children.iter().map(|child| child.weight.checked_mul(unit)).collect()
}

/// What of these shares can be served, by children that each run on one processor at a time.
pub(crate) fn served(own: &[Guarantee], shares: &[Ratio]) -> Option<Vec<Ratio>> {
    let mut supplies = own.iter().map(Guarantee::share).collect::<Option<Vec<_>>>()?;
    supplies.sort_by_key(|supply| Reverse(*supply));
    let mut largest: Vec<usize> = (0..shares.len()).collect();
    largest.sort_by_key(|child| Reverse(shares[*child]));
    let mut served = shares.to_vec();
    let mut left = Ratio::ZERO;
    for (at, child) in largest.into_iter().enumerate() {
        left = left.checked_add(supplies.get(at).copied().unwrap_or(Ratio::ZERO))?;
        served[child] = served[child].min(left);
        left = left.checked_sub(served[child])?;
    }
    Some(served)
}
