//! The guarantees of the epoch scheduler: RESBS need epoch, while all needs fit into the epoch.
//!
//! Proof. Let E be the epoch and N the need of a child. While the child is ready and has need left, no child runs
//! from a low queue, and the processor does not idle. In one epoch the others are owed at most E - N, slices
//! included: at its beginning because needs fit, later because lending considers what is already owed. So when the
//! child wakes with e left of an epoch, it receives at least e - (E - N) in it, and N in each whole one. That is
//! the least supply of RESBS N E in windows of any length, although an epoch in which the child wakes after the
//! start of the critical scheduling period may hold nothing for it (Chrysalis 3.4).
//!
//! Nothing stronger holds. N may come first in one epoch and last in the next, so RESCS N E does not follow. With
//! less than a whole processor no guarantee follows: the time that is lent may be time that the parent then gives
//! to others.

use crate::parts::reserved::in_order;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type, rewrite,
};
use windfall_time::{Ratio, Span};

const BY: &str = "need in each epoch";

/// The conversion `ALL -> RESBS+`.
#[derive(Clone)]
pub(crate) struct Needs {
    pub(crate) epoch: Span,
    /// Whether more is admitted than the epoch holds.
    pub(crate) overcommit: bool,
}

impl Needs {
    fn promise(&self, need: Span) -> Guarantee {
        Guarantee::BasicSoft(Length::from(need), Length::from(self.epoch))
    }

    /// The sum of all needs; `None` if it overflows. An instance that overcommits does not admit children one by one.
    fn sum(children: &[ChildParams]) -> Option<Span> {
        let needs = children.iter().filter_map(|params| Some(params.reserve?.0));
        needs.into_iter().try_fold(Span::ZERO, Span::checked_add)
    }
}

impl Conversion for Needs {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    /// The least need that implies the requested guarantee.
    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        if *requested == Guarantee::Null {
            return Ok(ChildParam::Nothing);
        }
        let enough = |need: u64| rewrite(&self.promise(Span::from_nanos(need)), requested).is_ok();
        let mut most = self.epoch.as_nanos();
        if !enough(most) {
            return Err("it gives `RESBS need epoch`, as `RESBS 20ms 100ms`, with its own `epoch`");
        }
        let mut least = 1;
        while least < most {
            let middle = least + (most - least) / 2;
            match enough(middle) {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        Ok(ChildParam::Reserve { amount: Span::from_nanos(most), period: self.epoch })
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let whole = match own.guarantees.first() {
            Some(Guarantee::All) => Ratio::ONE,
            _ => Ratio::ZERO,
        };
        let sum = Needs::sum(children);
        let overcommitted = self.overcommit && sum.is_none_or(|sum| sum > self.epoch);
        let most = if overcommitted { Ratio::whole(u64::MAX) } else { whole };
        in_order(most, Span::ZERO, children, |need, period| {
            if period != self.epoch {
                return Offer::lacking(format!(
                    "it asks for {need} in {period}, and needs are for each epoch; ask for so much in \
                     {}, or set `epoch`",
                    self.epoch
                ));
            }
            if overcommitted {
                let sum = sum.unwrap_or(Span::MAX);
                return Offer::lacking(format!(
                    "the processor is overcommitted: needs of {sum} in an epoch of {}; make them \
                     smaller, or the epoch longer, or nobody is promised anything",
                    self.epoch
                ));
            }
            Offer::one(self.promise(need), BY)
        })
    }
}
