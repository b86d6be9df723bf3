//! The promise of surplus fair scheduling: shares by readjusted weights, none above what a child can use.

use crate::parts::long_run::{self, Shared};
use alloc::vec::Vec;
use core::cmp::Reverse;
use windfall_guarantees::{
    Allowance, ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type,
};
use windfall_time::{Ratio, Span};

/// The line of table 5.1, with a quantum: `PS+ -> PS+`.
#[derive(Clone)]
pub(super) struct Readjusted(pub(super) Span);

pub(super) const BY: &str = "SFS: readjusted weights, in the long run";

impl Readjusted {
    /// Readjusts the weights of all children, like `Sfs::readjust`.
    pub(super) fn shared<'a>(
        &self,
        children: &'a [ChildParams],
        owns: usize,
        on_one: bool,
    ) -> Option<Shared<'a>> {
        let mut shared = Shared::new(children, self.0, on_one);
        let mut rest = long_run::total(children)?;
        let mut heaviest: Vec<usize> = (0..children.len()).collect();
        heaviest.sort_by_key(|child| Reverse(children[*child].weight));
        let (mut held, mut processors) = (0, owns as u64);
        for child in &heaviest {
            let weight = children[*child].weight;
            let many = weight.checked_mul(Ratio::whole(processors))?;
            if processors < 2 || many <= rest {
                break;
            }
            rest = rest.checked_sub(weight)?;
            (held, processors) = (held + 1, processors - 1);
        }
        let most = rest.checked_div(Ratio::whole(processors))?;
        for child in &heaviest[..held] {
            // If only these children are left, all count alike.
            shared.weights[*child] = if most.is_zero() { Ratio::ONE } else { most };
        }
        // A turn is not cut short when a child wakes; surpluses are compared only at its end.
        shared.coarse = 3;
        Some(shared)
    }
}

impl Conversion for Readjusted {
    fn takes(&self) -> &'static [Type] {
        &[Type::Ps]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        long_run::parameter_for(requested)
    }

    /// With ticks, a quantum ends at the next tick; time is charged as it was received.
    fn at_ticks(&mut self, tick: Span) -> bool {
        self.0 = self.0.saturating_add(tick);
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        match self.shared(children, own.guarantees.len(), own.on_one) {
            Some(shared) => shared.offers(own.guarantees, BY),
            None => children.iter().map(|_| Offer::exact(None, BY)).collect(),
        }
    }

    fn behind(
        &self,
        own: Supply<'_>,
        behind: &[Allowance],
        children: &[ChildParams],
    ) -> Option<Vec<Allowance>> {
        self.shared(children, own.guarantees.len(), own.on_one)?.behind(own.guarantees, behind)
    }
}
