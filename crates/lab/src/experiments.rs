//! One file an experiment, in the order of the papers.

mod chrysalis_global;
mod chrysalis_phases;
mod chrysalis_table_1;
mod chrysalis_table_2;
mod clock_11;
mod clock_12_to_15;
mod clock_1_to_3;
mod clock_4_to_7;
mod clock_routines;
mod common;
mod figure_10_3;
mod figure_10_4;
mod figure_11_1;
mod figure_11_3;
mod figure_11_4;
mod figure_11_5;
mod figure_11_6;
mod messages;
mod multics;
mod nmr_conclusions;
mod nmr_oscillating;
mod nmr_recovering;
mod nmr_slower;
mod overhead_11_6_8;
mod phold;
mod ports_collection;
mod ports_figure_1;
mod ports_processors;
mod ports_table_1;
mod ports_table_2;
mod robot;
mod table_10_1;
mod table_10_2;
mod table_10_3;
pub mod table_10_4;
pub mod table_10_5;
mod table_11_1;
mod validate_planted;

pub(crate) use common::{SERIES, dashed, solid};

use crate::Experiment;
use common::{APART, CLOSE, PAPER, REAL_STREAM, apart, digits, modelled, with_confidence};
use windfall_settings::Listed;

/// All experiments.
pub(crate) const EXPERIMENTS: &[&Experiment] = &[
    &table_10_1::EXPERIMENT,
    &table_10_2::EXPERIMENT,
    &figure_10_3::EXPERIMENT,
    &figure_10_4::EXPERIMENT,
    &table_10_3::EXPERIMENT,
    &table_10_4::EXPERIMENT,
    &table_10_5::EXPERIMENT,
    &figure_11_1::EXPERIMENT,
    &figure_11_3::EXPERIMENT,
    &figure_11_4::EXPERIMENT,
    &figure_11_5::EXPERIMENT,
    &figure_11_6::EXPERIMENT,
    &overhead_11_6_8::EXPERIMENT,
    &table_11_1::EXPERIMENT,
    &multics::EXPERIMENT,
    &chrysalis_table_1::EXPERIMENT,
    &chrysalis_table_2::EXPERIMENT,
    &chrysalis_phases::EXPERIMENT,
    &chrysalis_global::EXPERIMENT,
    &ports_figure_1::EXPERIMENT,
    &ports_table_1::EXPERIMENT,
    &ports_table_2::EXPERIMENT,
    &ports_collection::EXPERIMENT,
    &ports_processors::EXPERIMENT,
    &robot::EXPERIMENT,
    &phold::EXPERIMENT,
    &nmr_slower::EXPERIMENT,
    &nmr_oscillating::EXPERIMENT,
    &nmr_recovering::EXPERIMENT,
    &nmr_conclusions::EXPERIMENT,
    &clock_routines::EXPERIMENT,
    &clock_1_to_3::EXPERIMENT,
    &clock_4_to_7::EXPERIMENT,
    &clock_11::EXPERIMENT,
    &clock_12_to_15::EXPERIMENT,
    &messages::EXPERIMENT,
    &validate_planted::EXPERIMENT,
];

impl Listed for Experiment {
    fn name(&self) -> &'static str {
        self.name
    }

    fn known() -> &'static [&'static Experiment] {
        EXPERIMENTS
    }
}
