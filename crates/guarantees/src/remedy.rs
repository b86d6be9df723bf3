//! Remedies for a refused request: a smaller request, fewer siblings, or a larger guarantee above.
//!
//! Each answer is found by asking the parent's conversion again with changed params, so it is true of every scheduler,
//! whatever its admission is. Conversions are monotone (C2), so bisection finds the border to the nanosecond, and the
//! largest share with a denominator of at most [`FINEST`]. No period, and no error, above [`LONGEST`] is suggested,
//! unless a longer one was asked for. Requests that were granted stay granted in every answer, except in the one that
//! names the siblings in the way.

use crate::check::{Findings, Tree};
use crate::conversion::{ChildParam, ChildParams, Supply};
use crate::guarantee::Guarantee;
use crate::length::Length;
use crate::rewrite::rewrite;
use crate::ways::{Held, supplied, ways};
use alloc::vec;
use alloc::vec::Vec;
use windfall_time::{Ratio, Span};

/// Remedies for a refused request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Remedy {
    /// As asked but for the amount, or the share: the largest that this place could promise.
    pub largest: Option<Guarantee>,
    /// As asked but for the period, or the error: the shortest that this place could promise.
    pub shortest: Option<Guarantee>,
    /// Without these others the request could be granted as it is; indices of virtual processors.
    pub in_the_way: Vec<usize>,
    /// The smallest change above, from the parent upwards, that would admit it.
    pub above: Vec<Change>,
}

/// A guarantee that would have to be another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The virtual processor, by index.
    pub vp: usize,
    /// Its guarantee at present.
    pub now: Guarantee,
    /// The least that it would have to be.
    pub needs: Guarantee,
    /// Whether its own parent could give that as things are.
    pub possible: bool,
}

/// The largest denominator of a share that is suggested.
const FINEST: i128 = 10_000;

/// The longest period that is suggested instead of a shorter one: a second.
const LONGEST: u64 = 1_000_000_000;

/// How many siblings are tried, the largest first, to name who stands in the way.
const TRIED: usize = 16;

/// Finds remedies for `vp`, whose request was refused.
#[must_use]
pub fn remedy(tree: &Tree, findings: &Findings, vp: usize) -> Remedy {
    let (Some(requested), Some(parent)) = (tree.vps[vp].requested, tree.vps[vp].parent) else {
        return Remedy::default();
    };
    let place = Place::of(tree, findings, parent, vp);
    let (largest, shortest) = place.nearest(&requested);
    Remedy {
        largest,
        shortest,
        in_the_way: place.in_the_way(&requested),
        above: above(tree, findings, &place, &requested),
    }
}

/// A place below a scheduler, and what the scheduler may count on.
struct Place<'t> {
    tree: &'t Tree,
    node: usize,
    on_one: bool,
    vp: usize,
    /// For each own virtual processor, what it may count on.
    own: Vec<Vec<Held>>,
    /// The children whose requests were granted.
    kept: Vec<usize>,
}

impl<'t> Place<'t> {
    fn of(tree: &'t Tree, findings: &Findings, node: usize, vp: usize) -> Place<'t> {
        let own = tree.nodes[node].own.iter().map(|own| findings.held(*own)).collect();
        let granted = |child: &&usize| findings.vps[**child].granted.is_some() && **child != vp;
        let kept = tree.nodes[node].children.iter().filter(granted).copied().collect();
        Place { tree, node, on_one: findings.on_one[node], vp, own, kept }
    }

    /// The parameters with which `asked` would be requested; all others stay as they are.
    fn params(&self, requested: &Guarantee) -> Option<ChildParams> {
        let mut params = self.tree.vps[self.vp].params;
        if self.tree.vps[self.vp].outright {
            return Some(params);
        }
        match self.tree.nodes[self.node].conversion.parameter_for(requested).ok()? {
            ChildParam::Nothing => {}
            ChildParam::Reserve { amount, period } => params.reserve = Some((amount, period)),
            ChildParam::Block { amount, period, at } => {
                (params.reserve, params.at) = (Some((amount, period)), at);
            }
            ChildParam::Share(share) => params.weight = share.checked_mul(self.tree.scale)?,
        }
        Some(params)
    }

    /// Whether `requested` could be granted here, with what is counted on, without some children.
    fn would(&self, requested: &Guarantee, own: &[Vec<Held>], without: &[usize]) -> bool {
        let Some(params) = self.params(requested) else { return false };
        let node = &self.tree.nodes[self.node];
        let children: Vec<usize> =
            node.children.iter().copied().filter(|child| !without.contains(child)).collect();
        let params_of =
            |child: &usize| if *child == self.vp { params } else { self.tree.vps[*child].params };
        let all_params: Vec<ChildParams> = children.iter().map(params_of).collect();
        let mut open: Vec<(usize, Guarantee)> = Vec::new();
        for (at, child) in children.iter().enumerate() {
            let kept =
                self.kept.contains(child).then_some(self.tree.vps[*child].requested).flatten();
            let wants = if *child == self.vp { Some(*requested) } else { kept };
            open.extend(wants.filter(|wants| *wants != Guarantee::Null).map(|wants| (at, wants)));
        }
        for way in ways(node.conversion.takes(), own) {
            let (gives, since) = supplied(&way, own);
            let (on_one, declared) = (self.on_one, self.tree.is_declared(node));
            let supply = Supply { guarantees: &gives, since: &since, on_one, declared };
            let offers = node.conversion.give(supply, &all_params);
            open.retain(|(at, wants)| {
                let gives = &offers[*at].gives;
                !gives.iter().any(|given| rewrite(&given.guarantee, wants).is_ok())
            });
        }
        open.is_empty()
    }

    fn fits(&self, requested: &Guarantee) -> bool {
        self.would(requested, &self.own, &[])
    }

    /// As asked, with the largest amount or share; and as asked, with the shortest period or error.
    fn nearest(&self, requested: &Guarantee) -> (Option<Guarantee>, Option<Guarantee>) {
        let Some((x, y)) = requested.reservation() else {
            return self.nearest_share(requested);
        };
        let (Some(most), Some(least)) = (y.floor(), x.ceil()) else { return (None, None) };
        let sized = |amount: u64| with(requested, Span::from_nanos(amount).into(), y);
        let amount = last(1, most.as_nanos(), |amount| self.fits(&sized(amount)));
        let paced = |period: u64| with(requested, x, Span::from_nanos(period).into());
        let longest = LONGEST.max(y.ceil().map_or(0, Span::as_nanos));
        let mut end = least.as_nanos().max(1);
        while !self.fits(&paced(end)) {
            match end.checked_mul(2).filter(|_| end < longest) {
                Some(longer) => end = longer.min(longest),
                None => return (amount.map(sized), None),
            }
        }
        let period = first(least.as_nanos().max(1), end, |period| self.fits(&paced(period)));
        (amount.map(sized), period.map(paced))
    }

    fn nearest_share(&self, requested: &Guarantee) -> (Option<Guarantee>, Option<Guarantee>) {
        let share = |share: Ratio| match *requested {
            Guarantee::BoundedShare(_, d) => Guarantee::BoundedShare(share, d),
            Guarantee::Slower(_) => Guarantee::Slower(share),
            _ => Guarantee::Share(share),
        };
        if !matches!(
            requested,
            Guarantee::BoundedShare(..) | Guarantee::Slower(_) | Guarantee::Share(_)
        ) {
            return (None, None);
        }
        let largest = largest_share(|part| self.fits(&share(part))).map(share);
        let Guarantee::BoundedShare(s, d) = *requested else { return (largest, None) };
        let error = |n: u64| Guarantee::BoundedShare(s, Span::from_nanos(n).into());
        let Some(begin) = d.ceil() else { return (largest, None) };
        let end = begin.as_nanos().max(LONGEST);
        let least = first(begin.as_nanos(), end, |n| self.fits(&error(n))).map(error);
        (largest, least)
    }

    /// Siblings without which the request could be granted: one alone, where one is enough, else the
    /// largest together.
    fn in_the_way(&self, requested: &Guarantee) -> Vec<usize> {
        let size = |child: usize| {
            let vp = &self.tree.vps[child];
            let reserved = vp.params.reserve.and_then(|(x, y)| x.over(y));
            reserved.or_else(|| vp.requested.and_then(|wants| wants.share())).unwrap_or(Ratio::ZERO)
        };
        let children = &self.tree.nodes[self.node].children;
        let mut others: Vec<usize> =
            children.iter().copied().filter(|child| *child != self.vp).collect();
        others.sort_by_key(|child| core::cmp::Reverse(size(*child)));
        others.truncate(TRIED);
        // The smallest that is enough alone takes the least from the others.
        if let Some(one) =
            others.iter().rev().find(|one| self.would(requested, &self.own, &[**one]))
        {
            return vec![*one];
        }
        for count in 2..=others.len() {
            if self.would(requested, &self.own, &others[..count]) {
                return others[..count].to_vec();
            }
        }
        Vec::new()
    }

    /// The least that one own virtual processor would have to have, where more of the same helps.
    fn needs(&self, requested: &Guarantee) -> Option<(usize, Guarantee, Guarantee)> {
        let node = &self.tree.nodes[self.node];
        for (at, own) in node.own.iter().enumerate() {
            for (now, since) in &self.own[at] {
                let more = |needs: &Guarantee| {
                    let mut own = self.own.clone();
                    own[at] = vec![(*needs, *since)];
                    self.would(requested, &own, &[])
                };
                if let Some(needs) = strengthen(now, more) {
                    return Some((*own, *now, needs));
                }
            }
        }
        None
    }
}

/// The changes above: at the parent, and further up as long as one is not possible as things are.
fn above(
    tree: &Tree,
    findings: &Findings,
    place: &Place<'_>,
    requested: &Guarantee,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut next = place.needs(requested);
    while let Some((vp, now, needs)) = next.take() {
        let Some(parent) = tree.vps[vp].parent else { break };
        let place = Place::of(tree, findings, parent, vp);
        let possible = place.fits(&needs);
        changes.push(Change { vp, now, needs, possible });
        if !possible {
            next = place.needs(&needs);
        }
    }
    changes
}

/// The least guarantee of the same form, above `now`, for which `enough` holds.
fn strengthen(now: &Guarantee, enough: impl Fn(&Guarantee) -> bool) -> Option<Guarantee> {
    if let Some((x, y)) = now.reservation() {
        let sized = |amount: u64| with(now, Span::from_nanos(amount).into(), y);
        let (begin, end) = (x.ceil()?.as_nanos(), y.floor()?.as_nanos());
        return first(begin, end, |amount| enough(&sized(amount))).map(sized);
    }
    let share = |n: u64| {
        let share = Ratio::new(i128::from(n), 1_000).unwrap_or(Ratio::ZERO);
        match *now {
            Guarantee::BoundedShare(_, d) => Some(Guarantee::BoundedShare(share, d)),
            Guarantee::Slower(_) => Some(Guarantee::Slower(share)),
            Guarantee::Share(_) => Some(Guarantee::Share(share)),
            _ => None,
        }
    };
    let begin = now.share()?.checked_mul(Ratio::whole(1_000))?;
    let begin = u64::try_from(begin.numerator().div_euclid(begin.denominator())).ok()? + 1;
    first(begin, 1_000, |n| share(n).is_some_and(|needs| enough(&needs))).and_then(share)
}

/// The same reservation with another amount and period.
fn with(guarantee: &Guarantee, x: Length, y: Length) -> Guarantee {
    match *guarantee {
        Guarantee::BasicHard(..) => Guarantee::BasicHard(x, y),
        Guarantee::BasicSoft(..) => Guarantee::BasicSoft(x, y),
        Guarantee::ContinuousHard(..) => Guarantee::ContinuousHard(x, y),
        Guarantee::ContinuousSoft(..) => Guarantee::ContinuousSoft(x, y),
        Guarantee::Probabilistic(_, _, z) => Guarantee::Probabilistic(x, y, z.min(y)),
        Guarantee::NonPreemptive(..) => Guarantee::NonPreemptive(x, y),
        Guarantee::Synchronized(_, _, z) => Guarantee::Synchronized(x, y, z),
        other => other,
    }
}

/// The first number in `begin..=end` for which `holds`, which holds for all after it.
fn first(begin: u64, end: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (begin, end);
    if low > high || !holds(high) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// The last number in `begin..=end` for which `holds`, which holds for all before it.
fn last(begin: u64, end: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if begin > end || !holds(begin) {
        return None;
    }
    let beyond = first(begin, end, |n| !holds(n));
    Some(beyond.map_or(end, |beyond| beyond - 1))
}

/// The largest share, with a denominator of at most [`FINEST`], for which `holds`, which holds for all below it.
///
/// By the tree of Stern and Brocot: between two neighbours of it lies nothing with a smaller denominator than that of
/// their mediant, so that the lower one is the largest as soon as that is too fine.
fn largest_share(holds: impl Fn(Ratio) -> bool) -> Option<Ratio> {
    if holds(Ratio::ONE) {
        return Some(Ratio::ONE);
    }
    let (mut low, mut high) = ((0_i128, 1_i128), (1_i128, 1_i128));
    // So many steps from `from` towards `to`.
    let toward = |from: (i128, i128), to: (i128, i128), steps: u64| {
        let steps = i128::from(steps);
        (from.0 + steps * to.0, from.1 + steps * to.1)
    };
    let is_held = |(above, below): (i128, i128)| Ratio::new(above, below).is_some_and(&holds);
    loop {
        let room = |from: (i128, i128), to: (i128, i128)| {
            u64::try_from((FINEST - from.1).div_euclid(to.1)).unwrap_or(0)
        };
        let up = last(1, room(low, high), |steps| is_held(toward(low, high, steps))).unwrap_or(0);
        low = toward(low, high, up);
        let down =
            last(1, room(high, low), |steps| !is_held(toward(high, low, steps))).unwrap_or(0);
        high = toward(high, low, down);
        if up == 0 && down == 0 {
            return Ratio::new(low.0, low.1).filter(|share| !share.is_zero());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_the_largest_share_is_that_of_all_that_are_not_too_fine() {
        for below in [1_i128, 2, 3, 7, 22, 997, 9_999] {
            for above in [1, below / 3, below / 2, below - 1, below] {
                let Some(border) = Ratio::new(above, below).filter(|b| !b.is_zero()) else {
                    continue;
                };
                assert_eq!(largest_share(|share| share <= border), Some(border));
            }
        }
        assert_eq!(largest_share(|_| false), None);
        // Finer than what is told: the nearest below.
        let border =
            Ratio::new(1, 3).unwrap().checked_sub(Ratio::new(1, 1 << 40).unwrap()).unwrap();
        let found = largest_share(|share| share <= border).unwrap();
        assert_eq!(found, Ratio::new(3_333, 10_000).unwrap());
    }
}
