//! The conversion of schedulers that guarantee nothing: `NULL` to each child, whatever the scheduler has.

use alloc::vec::Vec;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_time::Span;

/// The conversion `any -> NULL+`.
#[derive(Clone)]
pub(crate) struct BestEffort;

impl Conversion for BestEffort {
    fn at_ticks(&mut self, _: Span) -> bool {
        true
    }

    fn takes(&self) -> &'static [Type] {
        &[]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        match requested {
            Guarantee::Null => Ok(ChildParam::Nothing),
            _ => Err("it gives `NULL`"),
        }
    }

    fn give(&self, _: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        children.iter().map(|_| Offer::nothing()).collect()
    }
}
