//! Rez: hard CPU reservations by budgeted earliest deadline first, on one processor.
//!
//! Takes    ALL on its own VP 0, or, with `tells = true`, RESU r: it tells its parent its deadlines.
//!          Further own VPs are never asked for: create one instance a processor.
//! Gives    RESBH x y to each child with a reservation of x in y; nothing to one without.
//! Admits   while the sum of all x/y is at most 1, exactly; below RESU r the checker holds it to r.
//!          A refusal names what is left.
//! Assumes  A1 its processor is there whenever asked for; A2 overheads are inside x.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 138 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   HLS 9.3.2. Waking follows the constant bandwidth server of Abeni and Buttazzo 1998.
//! Checked  laws, `tests/rez.rs`, `tests/reservations.rs`, `tests/example_4_4.rs`.
//!
//! A period begins with the `reserve` message, and each next one where the last one ends, whether
//! the child is ready or not. A change takes effect at the end of the current period. A child that
//! waits for a time d loses at most d of its budget, and none of what falls to the rest of its
//! period at a steady rate: a budget saved up until just before its deadline would delay others.
//! Overruns through a coarse timer are not taken from the next period (10.5.2 measures 32.6 % for
//! 10 ms in 33 ms). Children hear when their budget is used up and when a period begins (6.2.2).

use crate::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::catalogue::{Form, Kind, Setting};
use crate::reserved::{self, Reserved};
use alloc::boxed::Box;

/// Whether the parent is told about deadlines, as a uniformly slower processor needs it.
pub(crate) const TELLS: Setting = Setting {
    name: "tells",
    form: Form::Bool,
    default: "false",
    help: "whether it tells its parent its deadlines, as a uniformly slower processor needs",
};

pub(crate) const KIND: Kind = Kind {
    name: "rez",
    summary: "hard CPU reservations on one processor",
    source: include_str!("rez.rs"),
    settings: &[TELLS],
    build: |settings| {
        let tells = settings.bool(TELLS.name, false)?;
        let (waking, overrun) = (Waking::Fixed, Overrun::Throttle);
        Ok(Box::new(Budgeted::new(Rules { waking, overrun, jobs: false, tells })))
    },
    conversion: |settings| {
        let tells = settings.bool(TELLS.name, false)?;
        Ok(Box::new(Reserved { form: reserved::Form::Hard, by: "EDF with budgets", tells }))
    },
};
