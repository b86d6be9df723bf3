//! The promise of fair queuing in the long run: `PS+ -> PS+` (HLS table 5.1), and how far a child may be behind it.
//!
//! Let a child of weight w, of the sum of weights W, be runnable all the time and receive x. While it is ready, all
//! own virtual processors are requested, and those that run serve others, each no more than its weight makes of x:
//! (W - w) x / w in all. While it runs, others wait (nap), or run beside it and are behind it when they wake; so in
//! that time up to h of any h own virtual processors come to nothing. With S for the supply of these h,
//! S <= (W - w) x / w + h x, and so x >= S w / (W + (h - 1) w) for every h; the best of these bounds counts. On one
//! processor no two own virtual processors ever run at once, and x >= S w / W.
//!
//! Among n children none waits while n own virtual processors run: x >= (S - (n - 1)) / (h - n + 1). A child that
//! is set apart (`dedicate`) runs whenever any own virtual processor does; the others have the supply of the own
//! virtual processors, less one processor for each child set apart.
//!
//! A child that is bound to some own virtual processors breaks the order from which this follows: nothing is promised then.
//!
//! Assumes that waiting costs an own virtual processor nothing of its share: if there are several, one that no
//! child needs is not requested. If more than a whole processor's time is at stake, no bound follows (`lots`).

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_guarantees::{Allowance, ChildParam, ChildParams, Guarantee, Length, Offer};
use windfall_time::{Ratio, Span};

/// Why nothing is promised if a child is bound to some own virtual processors: the other virtual processors serve any child.
const BOUND: &str = "a child of it is bound to some of its processors, so weights no longer decide alone who runs; bind none \
                     there, or put what is bound below a scheduler of its own with these processors";

/// The parameter for a share in the long run. A child without a promise is put in the background, because a weight
/// would reduce the promises of the others.
pub(crate) fn parameter_for(requested: &Guarantee) -> Result<ChildParam, &'static str> {
    match *requested {
        Guarantee::Share(share) => Ok(ChildParam::Share(share)),
        Guarantee::Null => Ok(ChildParam::Share(Ratio::ZERO)),
        _ => Err("it gives `PS share` or `NULL`"),
    }
}

/// The sum of the own guarantees' shares; `None` if the numbers are too fine.
pub(crate) fn supply(own: &[Guarantee]) -> Option<Ratio> {
    sum(own.iter().map(Guarantee::share).collect::<Option<Vec<_>>>()?)
}

/// The sum of the children's weights; `None` if the numbers are too fine.
pub(crate) fn total(children: &[ChildParams]) -> Option<Ratio> {
    sum(children.iter().map(|child| child.weight))
}

fn sum(parts: impl IntoIterator<Item = Ratio>) -> Option<Ratio> {
    parts.into_iter().try_fold(Ratio::ZERO, Ratio::checked_add)
}

/// How many of the given weights, the largest first, amount to a whole processor each. Zero unless there are more
/// children than processors.
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

/// An instance's parameters, as far as shares depend on them.
#[derive(Clone)]
pub(crate) struct Shared<'a> {
    /// The weight with which each child counts; zero in the background.
    pub(crate) weights: Vec<Ratio>,
    pub(crate) children: &'a [ChildParams],
    pub(crate) quantum: Span,
    /// Number of quanta that a child may run beyond its fair share before others are considered.
    pub(crate) coarse: u64,
    pub(crate) dedicate: bool,
    /// Whether all own virtual processors come from one processor.
    pub(crate) on_one: bool,
}

/// The share that a child is certain to get, and how it follows.
#[derive(Clone, Copy)]
struct Sure {
    share: Ratio,
    way: Way,
}

#[derive(Clone, Copy)]
enum Way {
    Nothing,
    /// In competition: number of own virtual processors that count, W - w, and W + (h - 1) w.
    Beside {
        owns: usize,
        rest: Ratio,
        total: Ratio,
    },
    /// It runs whenever enough of this many own virtual processors run; `part` of their errors falls to it.
    Runs {
        owns: usize,
        part: Ratio,
    },
}

impl<'a> Shared<'a> {
    pub(crate) fn new(children: &'a [ChildParams], quantum: Span, on_one: bool) -> Shared<'a> {
        let weights = children.iter().map(|child| child.weight).collect();
        Shared { weights, children, quantum, coarse: 1, dedicate: false, on_one }
    }

    /// The offer of a `PS` to each child.
    pub(crate) fn offers(&self, own: &[Guarantee], by: &'static str) -> Vec<Offer> {
        if self.children.iter().any(|child| child.bound) {
            return self.children.iter().map(|_| Offer::lacking(BOUND.to_owned())).collect();
        }
        let offer = |sure: Sure| match sure.share.is_zero() {
            true => Offer::nothing(),
            false => Offer::one(Guarantee::Share(sure.share), by),
        };
        match self.sure(own) {
            Some((_, sure)) => sure.into_iter().map(offer).collect(),
            None => self.weights.iter().map(|_| Offer::exact(None, "")).collect(),
        }
    }

    /// By how much each child's `PS` may be behind.
    pub(crate) fn behind(&self, own: &[Guarantee], behind: &[Allowance]) -> Option<Vec<Allowance>> {
        let (order, sure) = self.sure(own)?;
        let whole = |at: &usize| {
            let share = own[*at].share();
            share == Some(Ratio::ONE) && behind[*at].fixed.is_zero() && behind[*at].lots.is_zero()
        };
        // Own virtual processors that are not whole processors may wait at times, if there are several.
        let vague = own.len() > 1 && !order.iter().all(whole);
        let above = |owns: usize, part: Ratio| {
            let all = order[..owns].iter().map(|own| behind[*own]);
            let all = all.into_iter().try_fold(Allowance::ZERO, Allowance::checked_add)?;
            let mut naps = Allowance::ZERO;
            let lots = all.fixed.checked_add(self.quantum.into())?;
            if vague {
                naps.lots = lots;
            }
            all.part(part)?.checked_add(naps)
        };
        let turn = self.turn()?;
        let all = self.all_turns(turn)?;
        let one = |(child, sure): (usize, &Sure)| match sure.way {
            Way::Nothing => Some(Allowance::ZERO),
            Way::Runs { owns, part } => above(owns, part),
            Way::Beside { owns, rest, total } => {
                let weight = self.weights[child];
                let part = weight.checked_div(total)?;
                let fixed = self.turns(child, rest, (own.len(), turn, all))?.checked_mul(part)?;
                let ahead = own.len() > 1 && !self.on_one;
                let mut turns = Allowance::fixed(fixed);
                if ahead {
                    turns.before = rest.checked_div(total)?;
                }
                above(owns, part)?.checked_add(turns)
            }
        };
        // Children of equal weight and warp have the same bound.
        let mut known: BTreeMap<(Ratio, Span), Allowance> = BTreeMap::new();
        let each = |(child, sure): (usize, &Sure)| {
            let like = (self.weights[child], self.children[child].warp);
            if let Some(known) = known.get(&like) {
                return Some(*known);
            }
            let behind = one((child, sure))?;
            known.insert(like, behind);
            Some(behind)
        };
        sure.iter().enumerate().map(each).collect()
    }

    /// The longest turn: the quanta during which others are not considered.
    fn turn(&self) -> Option<Length> {
        Length::from(self.quantum).checked_mul(Ratio::whole(self.coarse))
    }

    /// The length of a child's turn plus its warp; zero in the background.
    fn turn_of(&self, child: usize, turn: Length) -> Option<Length> {
        match (self.weights[child], self.children[child].warp) {
            (weight, _) if weight.is_zero() => Some(Length::ZERO),
            (_, Span::ZERO) => Some(turn),
            (weight, warp) => turn.checked_add(Length::from(warp).checked_mul(weight)?),
        }
    }

    /// The sum of the turns of all children.
    fn all_turns(&self, turn: Length) -> Option<Length> {
        let add = |sum: Length, child| sum.checked_add(self.turn_of(child, turn)?);
        (0..self.weights.len()).try_fold(Length::ZERO, add)
    }

    /// The time that others may have beyond their fair shares: each its turn and its warp, all of them together the
    /// time by which the child was ahead (a turn and its warp), and each processor a turn.
    fn turns(
        &self,
        child: usize,
        rest: Ratio,
        (owns, turn, all): (usize, Length, Length),
    ) -> Option<Length> {
        let warp = Length::from(self.children[child].warp);
        let ahead = turn.checked_div(self.weights[child])?.checked_add(warp)?;
        let start = turn.checked_mul(Ratio::whole(owns as u64))?;
        let others = all.checked_sub(self.turn_of(child, turn)?)?;
        start.checked_add(ahead.checked_mul(rest)?)?.checked_add(others)
    }

    /// The own virtual processors in descending order of supply, and the share that each child is certain to get.
    fn sure(&self, own: &[Guarantee]) -> Option<(Vec<usize>, Vec<Sure>)> {
        let supplies = own.iter().map(Guarantee::share).collect::<Option<Vec<_>>>()?;
        let mut order: Vec<usize> = (0..own.len()).collect();
        order.sort_by_key(|own| Reverse(supplies[*own]));
        let supplies: Vec<Ratio> = order.iter().map(|own| supplies[*own]).collect();
        let of = |owns: usize| sum(supplies[..owns].iter().copied());

        let weight = |child: &usize| self.weights[*child];
        let mut largest: Vec<usize> = (0..self.weights.len()).collect();
        largest.retain(|child| !weight(child).is_zero());
        largest.sort_by_key(|child| Reverse(weight(child)));
        let whole = |child: usize, owns: usize, rest: &[usize]| {
            let part = weight(&child).checked_mul(Ratio::whole(owns as u64));
            part.zip(sum(rest.iter().map(weight))).is_some_and(|(part, all)| part >= all)
        };
        let apart = if self.dedicate { apart(&largest, own.len(), whole) } else { 0 };

        let none = Sure { share: Ratio::ZERO, way: Way::Nothing };
        let mut sure = vec![none; self.weights.len()];
        let less = |supply: Ratio, by: usize| {
            Some(supply.checked_sub(Ratio::whole(by as u64))?.max(Ratio::ZERO))
        };
        for child in &largest[..apart] {
            // While as many own virtual processors run as children are set apart, each of these children runs.
            let share = less(of(apart)?, apart - 1)?;
            sure[*child] = Sure { share, way: Way::Runs { owns: apart, part: Ratio::ONE } };
        }
        let rest = &largest[apart..];
        let all = sum(rest.iter().map(weight))?;
        for (at, child) in rest.iter().enumerate() {
            if let Some(before) = at.checked_sub(1).map(|before| rest[before])
                && weight(&before) == weight(child)
            {
                sure[*child] = sure[before];
                continue;
            }
            let mut best = none;
            for owns in apart + 1..=own.len() {
                let supply = less(of(owns)?, apart)?;
                let beside = if self.on_one { 0 } else { owns - apart - 1 };
                let rivals = weight(child).checked_mul(Ratio::whole(beside as u64))?;
                let rivals = rivals.checked_add(all)?;
                let share = supply.checked_mul(weight(child))?.checked_div(rivals)?;
                let others = all.checked_sub(weight(child))?;
                let way = Way::Beside { owns, rest: others, total: rivals };
                best = if share > best.share { Sure { share, way } } else { best };
                if apart == 0 && owns >= rest.len() {
                    let part = Ratio::new(1, (owns - rest.len() + 1) as i128)?;
                    let share = less(supply, rest.len() - 1)?.checked_mul(part)?;
                    let way = Way::Runs { owns, part };
                    best = if share > best.share { Sure { share, way } } else { best };
                }
            }
            sure[*child] = best;
        }
        Some((order, sure))
    }
}
