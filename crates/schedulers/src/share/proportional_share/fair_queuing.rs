//! The promise of proportional share: equation 5.2 (HLS 5.3.1.4), or shares in the long run.

use crate::parts::affinity::Affinity;
use crate::parts::long_run::{self, Shared};
use crate::share::proportional_share::priority::weighed;
use alloc::vec::Vec;
use windfall_guarantees::{
    Allowance, ChildParam, ChildParams, Conversion, Guarantee, Length, Offer, Supply, Type,
};
use windfall_time::{Ratio, Span};

/// The line of table 5.1: `PSBE -> PSBE+` by equation 5.2, on one processor and without warp; otherwise `PS+ ->
/// PS+`.
#[derive(Clone)]
pub(super) struct FairQueuing {
    pub(super) quantum: Span,
    pub(super) affinity: Affinity,
    pub(super) dedicate: bool,
}

impl FairQueuing {
    /// On several own VPs, affinity lets a child run some quanta before others are considered.
    pub(super) fn shared<'a>(&self, own: Supply<'_>, children: &'a [ChildParams]) -> Shared<'a> {
        let coarse = if own.guarantees.len() > 1 { self.affinity.quanta() } else { 1 };
        Shared {
            coarse,
            dedicate: self.dedicate,
            ..Shared::new(children, self.quantum, own.on_one)
        }
    }

    /// Applies equation 5.2: from `PSBE s d`, for a child with the part `r` of the weights of `count` children.
    pub(super) fn bounded(
        &self,
        (s, d): (Ratio, Length),
        r: Ratio,
        count: u64,
    ) -> Option<Guarantee> {
        let quantum = Length::from(self.quantum);
        let all = quantum.checked_mul(Ratio::whole(count))?.checked_add(d)?;
        let error = all.checked_mul(r)?.checked_div(s)?.checked_add(quantum)?;
        Some(Guarantee::BoundedShare(s.checked_mul(r)?, error))
    }
}

impl Conversion for FairQueuing {
    fn takes(&self) -> &'static [Type] {
        &[Type::Ps, Type::Psbe]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        match *requested {
            Guarantee::Share(share) | Guarantee::BoundedShare(share, _) => {
                Ok(ChildParam::Share(share))
            }
            // In the background, because a weight would reduce the promises of the others.
            Guarantee::Null => Ok(ChildParam::Share(Ratio::ZERO)),
            _ => Err("it gives `PS share`, `PSBE share time` or `NULL`"),
        }
    }

    /// With ticks, a quantum ends at the next tick.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.quantum = self.quantum.saturating_add(tick);
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let children = &weighed(children);
        // Equation 5.2 applies to a bounded share on one processor without warps; otherwise shares hold in the long
        // run.
        let unwarped = children.iter().all(|child| child.warp.is_zero());
        let (&[Guarantee::BoundedShare(s, d)], true) = (own.guarantees, unwarped) else {
            let shared = self.shared(own, children);
            return shared.offers(own.guarantees, "weights, in the long run");
        };
        let shared = children.iter().filter(|child| !child.weight.is_zero());
        let (count, total) = (shared.count() as u64, long_run::total(children));
        let given = |child: &ChildParams| {
            let part = child.weight.checked_div(total?)?;
            self.bounded((s, d), part, count)
        };
        let offer = |child: &ChildParams| match child.weight.is_zero() {
            true => Offer::nothing(),
            false => Offer::exact(given(child), "equation 5.2"),
        };
        children.iter().map(offer).collect()
    }

    fn behind(
        &self,
        own: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        self.shared(own, &weighed(children)).behind(own.guarantees, behind)
    }
}
