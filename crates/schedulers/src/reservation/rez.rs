//! Rez: hard CPU reservations by budgeted earliest deadline first, on one processor.
//!
//! Takes    ALL on its own VP 0, or, with `report-deadlines = true`, RESU r: it reports its deadlines to its
//!          parent. It never requests further own VPs: create one instance for each processor.
//! Gives    RESBH x y to each child with a reservation of x in y; nothing to one without.
//! Admits   while the sum of all x/y is at most 1, exactly, or at most `admission` thousandths; with
//!          `report-deadlines = true` at most the speed that `pshed` declares (`Context::speed`). A refusal names the
//!          share that is left.
//! Assumes  A1 its processor is there whenever requested; A2 overheads and stolen time are inside x (`rez-c` and
//!          `rez-fb` make up for stolen time), except with `charges = "received"`.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 138 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   HLS 9.3.2. Waking follows the constant bandwidth server of Abeni and Buttazzo 1998.
//! Checked  laws, `tests/all/rez.rs`, `tests/all/reservations.rs`, `hierarchy/tests/example_4_4.rs`.
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

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::budgeted::{Budgeted, Rules};
use crate::parts::policy::Pooled;
use crate::parts::reserved::{self, Reserved};
use crate::parts::stolen::Charges;
use crate::settings::shared::{ADMISSION, CHARGES, OVERRUNS, REPORT_DEADLINES};
use alloc::boxed::Box;
use windfall_time::Ratio;

words! {
    /// Whether later periods pay for overruns.
    pub enum Overruns {
        /// The following periods of the same child pay.
        Charged = "charged",
        /// Nobody pays.
        Dropped = "dropped",
    }
}

/// Thousandths of a processor as a fraction.
pub(crate) fn part(thousandths: u16) -> Ratio {
    Ratio::new(thousandths.into(), 1000).unwrap_or(Ratio::ONE)
}

settings! { Rez, "rez.rs":
    admission: u16 as ADMISSION,
    charges: Charges as CHARGES,
    overruns: Overruns as OVERRUNS,
    report_deadlines: bool as REPORT_DEADLINES,
}

pub(crate) const KIND: Kind =
    Rez::kind("rez", "hard CPU reservations on one processor", |settings| {
        let Rez { admission, charges, overruns, report_deadlines: reports } = Rez::read(settings);
        let (stolen, drops) = (charges.stolen(), overruns == Overruns::Dropped);
        Ok(Box::new(Pooled::new(Budgeted::new(Rules {
            admission,
            stolen,
            reports,
            drops,
            ..Rules::HARD
        }))))
    })
    .with_parameters(&[&RESERVE])
    .with_properties(Properties { reserves: true, holds_back: true, ..Properties::NONE })
    .with_conversion(|settings| {
        let Rez { admission, charges, overruns, report_deadlines: reports } = Rez::read(settings);
        let (most, makes_up) = (part(admission), charges == Charges::Received);
        let rez = Reserved::new(reserved::Form::Hard, "EDF with budgets");
        let (drops, fixed) = (overruns == Overruns::Dropped, true);
        Ok(Box::new(Reserved { most, reports, makes_up, drops, fixed, ..rez }))
    });
