//! What fair queuing gives in the long run: `PS+ -> PS+` (HLS table 5.1).
//!
//! On one processor each child's share is its part of the weights. On k, a child that is runnable all
//! the time may lose to lighter ones that nap: while it runs they run beside it, and are behind it when
//! they wake. Of n lighter ones that is as much again as it gets itself, min(k - 1, n) times. So of what
//! the own virtual processors have, S, it gets at least S w / (W + min(k - 1, n) w).
//!
//! A child that is set apart (`dedicate`) runs whenever any own virtual processor does; the others have
//! what one processor fewer gives.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_guarantees::{Guarantee, Offer, Tell, Terms};
use windfall_time::Ratio;

/// What a child is to tell for a share in the long run. Nothing promised puts it in the background: a
/// weight would take from what the others are promised.
pub(crate) fn tell(asked: &Guarantee) -> Result<Tell, &'static str> {
    match *asked {
        Guarantee::Share(share) => Ok(Tell::Share(share)),
        Guarantee::Null => Ok(Tell::Share(Ratio::ZERO)),
        _ => Err("it gives `PS share` or `NULL`"),
    }
}

/// The sum of what the own virtual processors have; `None` when it is too fine.
pub(crate) fn supply(own: &[Guarantee]) -> Option<Ratio> {
    own.iter().try_fold(Ratio::ZERO, |sum, own| sum.checked_add(own.share()?))
}

/// The sum of the children's weights; `None` when it is too fine.
pub(crate) fn total(children: &[Terms]) -> Option<Ratio> {
    sum(children.iter().map(|child| child.weight))
}

fn sum(parts: impl Iterator<Item = Ratio>) -> Option<Ratio> {
    parts.into_iter().try_fold(Ratio::ZERO, Ratio::checked_add)
}

/// How many of so many weights, the largest first, come to a whole one of so many processors, where
/// there are more children than processors.
pub(crate) fn apart<W: Copy>(
    largest: &[W],
    owns: usize,
    whole: impl Fn(W, usize, &[W]) -> bool,
) -> usize {
    let mut count = 0;
    while largest.len() > owns && owns - count >= 2 {
        let rest = &largest[count..];
        match rest.first() {
            Some(first) if whole(*first, owns - count, rest) => count += 1,
            _ => break,
        }
    }
    count
}

/// A `PS` for each child, in the long run.
pub(crate) fn offers(own: &[Guarantee], children: &[Terms], dedicate: bool) -> Vec<Offer> {
    match shares(own, children, dedicate) {
        Some(shares) => shares.into_iter().map(offer).collect(),
        None => children.iter().map(|_| Offer::exact(None, "")).collect(),
    }
}

fn offer(share: Ratio) -> Offer {
    match share.is_zero() {
        true => Offer::nothing(),
        false => Offer::one(Guarantee::Share(share), "weights, in the long run"),
    }
}

fn shares(own: &[Guarantee], children: &[Terms], dedicate: bool) -> Option<Vec<Ratio>> {
    let mut supplies = own.iter().map(Guarantee::share).collect::<Option<Vec<_>>>()?;
    supplies.sort_by_key(|supply| Reverse(*supply));
    let mut largest: Vec<usize> =
        (0..children.len()).filter(|child| !children[*child].weight.is_zero()).collect();
    largest.sort_by_key(|child| Reverse(children[*child].weight));
    let weights = |of: &[usize]| sum(of.iter().map(|child| children[*child].weight));
    let whole = |child: usize, owns: usize, rest: &[usize]| {
        let part = children[child].weight.checked_mul(Ratio::whole(owns as u64));
        part.zip(weights(rest)).is_some_and(|(part, all)| part >= all)
    };
    let apart = if dedicate { apart(&largest, own.len(), whole) } else { 0 };

    let mut shares = vec![Ratio::ZERO; children.len()];
    // At times when that many of the own virtual processors run, each of those set apart does.
    let together = sum(supplies.iter().take(apart).copied())?;
    let all_run = together.checked_sub(Ratio::whole(apart.saturating_sub(1) as u64))?;
    for child in &largest[..apart] {
        shares[*child] = all_run.max(Ratio::ZERO);
    }
    let supply = supply(own)?.checked_sub(Ratio::whole(apart as u64))?;
    let rest = &largest[apart..];
    let all = weights(rest)?;
    for child in rest {
        let weight = children[*child].weight;
        let lighter = rest.iter().filter(|other| children[**other].weight < weight).count();
        let beside = (own.len() - apart - 1).min(lighter);
        let rivals = weight.checked_mul(Ratio::whole(beside as u64))?.checked_add(all)?;
        let share = supply.max(Ratio::ZERO).checked_mul(weight)?.checked_div(rivals)?;
        shares[*child] = share;
    }
    Some(shares)
}
