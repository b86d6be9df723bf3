//! The promise of borrowed virtual time: shares in the long run, whatever the warps.

use crate::parts::affinity::Affinity;
use crate::parts::long_run::{self, Shared};
use alloc::vec::Vec;
use windfall_guarantees::{
    Allowance, ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type,
};
use windfall_time::Span;

/// The line of table 5.1, with an allowance: `PS+ -> PS+`.
pub(super) struct LongRun {
    pub(super) allowance: Span,
    pub(super) affinity: Affinity,
}

impl LongRun {
    /// On several own VPs, affinity lets a child run some allowances ahead.
    fn shared<'a>(&self, own: Supply<'_>, children: &'a [ChildParams]) -> Shared<'a> {
        let coarse = if own.guarantees.len() > 1 { self.affinity.quanta() } else { 1 };
        Shared { coarse, ..Shared::new(children, self.allowance, own.on_one) }
    }
}

const BY: &str = "BVT: weights, in the long run";

impl Conversion for LongRun {
    fn takes(&self) -> &'static [Type] {
        &[Type::Ps]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        long_run::parameter_for(requested)
    }

    /// With ticks, an allowance ends at the next tick; time is charged as it was received.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.allowance = self.allowance.saturating_add(tick);
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        self.shared(own, children).offers(own.guarantees, BY)
    }

    fn behind(
        &self,
        own: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        self.shared(own, children).behind(own.guarantees, behind)
    }
}
