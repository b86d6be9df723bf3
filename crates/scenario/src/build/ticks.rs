//! The promises of schedulers on a machine whose timers tick: those that they can state for it, or none.
//!
//! A timer that is set for a moment between two ticks expires at the later one. A scheduler that knows the
//! effect on its promises states it ([`Conversion::at_ticks`]); its promises may then be short, or exceeded, by less
//! than a tick. Any other scheduler promises nothing.

use crate::model::Timer;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_schedulers::kinds::REZ;
use windfall_time::Span;

/// The conversion of an instance on a machine with that timer.
pub(super) fn on(timer: Timer, mut conversion: Box<dyn Conversion>) -> Box<dyn Conversion> {
    match timer.resolution() {
        Some(tick) if !conversion.at_ticks(tick) => Box::new(GivesNothing { conversion, tick }),
        _ => conversion,
    }
}

/// A scheduler that cannot state its guarantees.
struct GivesNothing {
    conversion: Box<dyn Conversion>,
    tick: Span,
}

impl Conversion for GivesNothing {
    fn takes(&self) -> &'static [Type] {
        self.conversion.takes()
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        self.conversion.parameter_for(requested)
    }

    fn give(&self, _: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        let why = || {
            format!(
                "it keeps its promises by timers, and this machine's go off up to {} late; set \
                 `timer = \"precise\"`, or use `{REZ}`",
                self.tick
            )
        };
        children.iter().map(|_| Offer::lacking(why())).collect()
    }

    fn serves_reserved_alone(&self) -> bool {
        self.conversion.serves_reserved_alone()
    }

    fn makes_up(&self) -> bool {
        self.conversion.makes_up()
    }
}
