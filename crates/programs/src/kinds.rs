//! The kinds of programs that this crate has, and the bodies that experiments build them from.

pub mod bsat;
pub mod memo;
pub mod monitor;

use crate::catalogue::Kind;
use windfall_settings::Listed;

/// All kinds, in alphabetical order.
pub static ALL: &[&Kind] = &[
    &bsat::DELIVERY,
    &bsat::GENERATOR,
    &bsat::INPUT,
    &bsat::SINK,
    &memo::NOTIFIER,
    &memo::RUN_OUT,
    &memo::SCRIPT,
    &monitor::KIND,
];

impl Listed for Kind {
    fn name(&self) -> &'static str {
        self.name
    }

    fn known() -> &'static [&'static Kind] {
        ALL
    }
}
