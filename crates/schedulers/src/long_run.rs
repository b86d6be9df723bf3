//! What every proportional-share scheduler gives in the long run: `PS+ -> PS+` (HLS table 5.1).
//!
//! Each child's share is its part of the weights times the sum of what the own virtual processors
//! have. A child runs on one processor at a time, so on several this holds only where the shares can be
//! served at all: the k largest children together ask for no more than the k largest supplies have,
//! for each k. Where that fails, a scheduler without weight readjustment promises nothing.

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
    if own.len() > 1 && feasible(own, &shares) != Some(true) {
        let why = "the largest shares together are more than so many processors give, and a child \
                   runs on one at a time; use smaller shares, or `sfs`, which readjusts them";
        return children.iter().map(|_| Offer::lacking(why.into())).collect();
    }
    shares.into_iter().map(|share| Offer::one(Guarantee::Share(share), by)).collect()
}

/// Each child's part of what there is.
fn shares(own: &[Guarantee], children: &[Terms]) -> Option<Vec<Ratio>> {
    let supply = own.iter().try_fold(Ratio::ZERO, |sum, own| sum.checked_add(own.share()?))?;
    let unit = supply.checked_div(total(children)?)?;
    children.iter().map(|child| child.weight.checked_mul(unit)).collect()
}

/// Whether the k largest shares are at most the k largest supplies, for each k.
pub(crate) fn feasible(own: &[Guarantee], shares: &[Ratio]) -> Option<bool> {
    let mut supplies = own.iter().map(Guarantee::share).collect::<Option<Vec<_>>>()?;
    let mut shares = shares.to_vec();
    supplies.sort_by_key(|supply| Reverse(*supply));
    shares.sort_by_key(|share| Reverse(*share));
    let (mut asked, mut given) = (Ratio::ZERO, Ratio::ZERO);
    for (share, supply) in shares.into_iter().zip(supplies) {
        asked = asked.checked_add(share)?;
        given = given.checked_add(supply)?;
        if asked > given {
            return Some(false);
        }
    }
    Some(true)
}
