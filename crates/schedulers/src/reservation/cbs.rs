//! CBS: the constant bandwidth server, on one processor.
//!
//! Takes    ALL on its own VP 0. With `report-deadlines = true` it reports its deadlines to its parent, but
//!          promises nothing below RESU r, because a child that yields makes them come out of order.
//! Gives    RESBH x y to each child with a reservation of x in y while it is runnable; nothing to one without.
//!          With `overrun = "postpone"` NULL.
//! Admits   while the sum of all x/y is at most 1, exactly.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x, except with
//!          `charges = "received"`.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 138 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Abeni and Buttazzo 1998; the hard variant throttles as Rajkumar et al. 1998.
//! Checked  laws, `tests/all/cbs.rs`, `tests/all/reservations.rs`, the simulator's reference hierarchies.
//!
//! A child that wakes at t with budget c and deadline d begins a new period, unless t < d and c is less than the
//! share of d - t; then it continues with c and d. A used-up budget waits for the deadline. Periods move across
//! wake-ups, and an interval may hold more than fixed periods would allow: the upper limit holds for each stretch in
//! which the child is runnable. With `charges = "received"` a budget does not pay for time stolen from its child, nor
//! for deciding and switching: the promise is of time received, as that of `rez-c` and under its assumption A3, which
//! then includes those costs. With `overrun = "postpone"`, as published, a used-up budget is replaced at once and the
//! deadline moves on by y. A child that has run ahead alone then waits, however long, until the others have caught
//! up: no interval is promised anything. `tests/all/cbs.rs` has examples of both.

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::best_effort::BestEffort;
use crate::parts::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::parts::policy::Pooled;
use crate::parts::reserved::{self, Reserved};
use crate::parts::stolen::Charges;
use crate::settings::shared::{CHARGES, REPORT_DEADLINES};
use alloc::boxed::Box;

settings! { Cbs, "cbs.rs":
    charges: Charges as CHARGES,
    /// whether a used-up budget waits for its deadline, or is replaced with a later one
    overrun: UsedUp = "throttle",
    report_deadlines: bool as REPORT_DEADLINES,
}

pub(crate) const KIND: Kind = Cbs::kind(
    "cbs",
    "constant bandwidth servers: reservations whose periods begin with a wake-up",
    |settings| {
        let Cbs { charges, overrun, report_deadlines: reports } = Cbs::read(settings);
        let (stolen, waking) = (charges.stolen(), Waking::Sporadic);
        let overrun = match overrun {
            UsedUp::Throttle => Overrun::Throttle,
            UsedUp::Postpone => Overrun::Postpone,
        };
        Ok(Box::new(Pooled::new(Budgeted::new(Rules {
            waking,
            overrun,
            stolen,
            reports,
            ..Rules::HARD
        }))))
    },
)
.with_parameters(&[&RESERVE])
.with_properties(Properties { reserves: true, holds_back: true, ..Properties::NONE })
.with_conversion(|settings| {
    let Cbs { charges, overrun, .. } = Cbs::read(settings);
    if overrun == UsedUp::Postpone {
        return Ok(Box::new(BestEffort));
    }
    let cbs = Reserved::new(reserved::Form::Hard, "EDF with budgets, periods from wake-ups");
    Ok(Box::new(Reserved { makes_up: charges == Charges::Received, ..cbs }))
});

words! {
    /// The consequence of a budget that is used up.
    pub enum UsedUp {
        /// It waits for its deadline.
        Throttle = "throttle",
        /// It is replaced, with a later deadline.
        Postpone = "postpone",
    }
}
