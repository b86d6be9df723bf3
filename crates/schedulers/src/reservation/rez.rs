//! Rez: hard CPU reservations by budgeted earliest deadline first, on one processor.
//!
//! Takes    ALL on its own VP 0, or, with `report-deadlines = true`, RESU r: it reports its deadlines to its
//!          parent. It never requests further own VPs: create one instance for each processor.
//! Gives    RESBH x y to each child with a reservation of x in y; nothing to one without.
//! Admits   while the sum of all x/y is at most 1, exactly, or at most `admission` thousandths; below RESU r the
//!          checker limits it to r. A refusal names the share that is left.
//! Assumes  A1 its processor is there whenever requested; A2 overheads and stolen time are inside x (`rez-c` and
//!          `rez-fb` make up for stolen time), except with `charges = "received"`.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 138 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   HLS 9.3.2. Waking follows the constant bandwidth server of Abeni and Buttazzo 1998.
//! Checked  laws, `tests/rez.rs`, `tests/reservations.rs`, `hierarchy/tests/example_4_4.rs`.
//!
//! The first period begins with the `reserve` message, and each next one where the last one ends, whether the child is
//! ready or not. A change takes effect at the end of the current period. A child that waits for a time d loses at most
//! d of its budget, and keeps what falls to the rest of its period at a steady rate: a budget saved up until just
//! before its deadline would delay others. With `charges = "received"` a budget does not pay for time stolen from its
//! child, nor for deciding and switching, under assumption A3 of `rez-c`, which then includes those costs. If a coarse
//! timer lets a child overrun its budget, the excess is taken from the periods that follow. Its promise then holds to
//! within a tick while the sum of all (x + tick)/(y - tick) is at most 1. With `overruns = "dropped"` the excess is not
//! taken back, as in the paper (10.5.2 measures 32.6 % for 10 ms in 33 ms), and with ticks RESBS x y is left. Children
//! are notified when their budget is used up and when a period begins (6.2.2).

use crate::catalogue::{Chosen, Form, Kind, Properties, Setting};
use crate::parameters::RESERVE;
use crate::parts::budgeted::{Budgeted, Rules};
use crate::parts::reserved::{self, Reserved};
use crate::parts::stolen::{CHARGES, Stolen, charges};
use alloc::boxed::Box;
use windfall_time::Ratio;

/// Whether deadlines are reported to the parent, as a uniformly slower processor needs them.
pub(crate) const REPORT_DEADLINES: Setting = Setting {
    name: "report-deadlines",
    form: Form::Bool,
    default: "false",
    help: "whether it reports its deadlines to its parent, as a uniformly slower processor needs",
};

/// Whether later periods pay for overruns.
pub(crate) const OVERRUNS: Setting = Setting {
    name: "overruns",
    form: Form::Word(&["charged", "dropped"]),
    default: "charged",
    help: "whether the following periods pay if a coarse timer lets a child overrun its budget, or nobody does, as in HLS \
           10.5.2",
};

/// Whether overruns are dropped.
pub(crate) fn drops(settings: &Chosen<'_>) -> bool {
    settings.word(OVERRUNS.name, &[("charged", false), ("dropped", true)])
}

/// The most that may be reserved.
pub(crate) const ADMISSION: Setting = Setting {
    name: "admission",
    form: Form::Integer(1, 1000),
    default: "1000",
    help: "the most that may be reserved, in thousandths of a processor",
};

/// The most that may be reserved, in thousandths of a processor.
pub(crate) fn admission(settings: &Chosen<'_>) -> u16 {
    u16::try_from(settings.integer(ADMISSION.name)).unwrap_or(1000)
}

/// The same as a fraction of a processor.
pub(crate) fn part(thousandths: u16) -> Ratio {
    Ratio::new(thousandths.into(), 1000).unwrap_or(Ratio::ONE)
}

pub(crate) const KIND: Kind = Kind {
    name: "rez",
    summary: "hard CPU reservations on one processor",
    source: source!("rez.rs"),
    settings: &[ADMISSION, CHARGES, OVERRUNS, REPORT_DEADLINES],
    takes: &[&RESERVE],
    properties: Properties { reserves: true, ..Properties::NONE },
    build: |settings| {
        let (admission, reports) = (admission(settings), settings.bool(REPORT_DEADLINES.name));
        let (stolen, drops) = (charges(settings), drops(settings));
        Ok(Box::new(Budgeted::new(Rules { admission, stolen, reports, drops, ..Rules::HARD })))
    },
    conversion: |settings| {
        let (most, reports) = (part(admission(settings)), settings.bool(REPORT_DEADLINES.name));
        let makes_up = charges(settings) != Stolen::Charged;
        let rez = Reserved::new(reserved::Form::Hard, "EDF with budgets");
        let (drops, fixed) = (drops(settings), true);
        Ok(Box::new(Reserved { most, reports, makes_up, drops, fixed, ..rez }))
    },
};
