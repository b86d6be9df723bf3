//! What the epoch scheduler makes of guarantees: RESBS need epoch, while needs fit into the epoch.
//!
//! Why it is true. Be E the epoch and N the need of a child. While the child is ready and has need left, nobody
//! runs from a low queue, and the processor does not idle. What others are owed in an epoch, slices included, is
//! at most E - N: at its beginning, as needs fit; later, as lending looks at what is owed already. So in
//! what is left of an epoch, e long, the child has at least e - (E - N), whenever it wakes, and N in each whole
//! one. That is the least supply of RESBS N E in windows of any length, though an epoch in which the child
//! wakes after the start of the critical scheduling period may hold nothing for it (Chrysalis 3.4).
//! Why no more. N may come first in one epoch and last in the next, so RESCS N E does not follow. Below less than
//! a whole processor nothing does: what is lent may be time that the parent then gives to others.

use crate::parts::reserved::in_order;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{
    ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type, rewrite,
};
use windfall_time::{Ratio, Span};

const BY: &str = "need in each epoch";

/// `ALL -> RESBS+`.
pub(crate) struct Needs {
    pub(crate) epoch: Span,
    /// Whether more is admitted than can be met.
    pub(crate) overcommit: bool,
}

impl Needs {
    fn promise(&self, need: Span) -> Guarantee {
        Guarantee::BasicSoft(Length::from(need), Length::from(self.epoch))
    }

    /// Whether the needs of all together fit, where that is not decided for one after the other.
    fn sum(children: &[ChildParams]) -> Option<Span> {
        let needs = children.iter().filter_map(|terms| Some(terms.reserve?.0));
        needs.into_iter().try_fold(Span::ZERO, Span::checked_add)
    }
}

impl Conversion for Needs {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    /// The least need from which what is asked follows.
    fn parameter_for(&self, asked: &Guarantee) -> Result<ChildParam, &'static str> {
        if *asked == Guarantee::Null {
            return Ok(ChildParam::Nothing);
        }
        let enough = |need: u64| rewrite(&self.promise(Span::from_nanos(need)), asked).is_ok();
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
