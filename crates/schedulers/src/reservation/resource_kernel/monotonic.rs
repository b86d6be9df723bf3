//! The promise of a resource kernel: reserves that fit under rate monotonic priorities (HLS 5.3.1.7).

use crate::parts::reserved;
use crate::reservation::resource_kernel::deferrable::fits;
use crate::reservation::resource_kernel::reserves::Class;
use alloc::format;
use alloc::vec::Vec;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};

#[derive(Clone)]
pub(super) struct Monotonic;

impl Conversion for Monotonic {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        reserved::Form::Hard.parameter_for(requested)
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let whole = own.guarantees.first() == Some(&Guarantee::All);
        let mut before = Vec::new();
        let mut all_fit = whole;
        let give = |params: &ChildParams| {
            let Some((amount, period)) = params.reserve else {
                return Offer::nothing();
            };
            if amount.is_zero() {
                return Offer::lacking("it asks for nothing; ask for more".into());
            }
            before.push((amount, period));
            // After the first reserve that does not fit, none fits, so that a child that sets less takes nothing
            // from others.
            all_fit = all_fit && amount <= period && fits(&before);
            if !all_fit {
                return Offer::lacking(match whole {
                    true => format!(
                        "beside the {} before it, a reserve of {amount} in {period} would make one \
                         too late, the shortest period first; ask for less, or for a period that \
                         divides theirs or is a multiple",
                        before.len() - 1
                    ),
                    false => "rate monotonic priorities need a whole processor; give its parent \
                              `ALL`"
                        .into(),
                });
            }
            let form = match Class::of(params.priority.unwrap_or(0)) {
                Class::Hard => reserved::Form::Hard,
                Class::Soft | Class::Firm => reserved::Form::Soft,
            };
            Offer::one(form.of(amount, period), "budgets by rate monotonic priorities")
        };
        children.iter().map(give).collect()
    }
}
