//! PShED: uniformly slower processors, by earliest deadline first among their owners' deadlines.
//!
//! Takes    ALL on its own VP 0. With `report-deadlines = true` it tells its parent its deadlines, but promises
//!          nothing below RESU r: a child that yields tells them out of order.
//! Gives    RESU x/y to each child with a reservation of x in y, in whole nanoseconds, rounded down;
//!          nothing to one without.
//! Admits   while the sum of all x/y is at most 1, exactly; below RESU r the checker holds it to r.
//! Assumes  A1 its processor is there whenever asked for; A2 overheads are inside x; A3 children tell
//!          their earliest deadline whenever it changes (`job`), at most 64 of them ahead at a time.
//!          Where none is ahead, the next is y from now.
//! Costs    O(log n) per event, O(k) per wake-up and told deadline for k told deadlines ahead; 138
//!          bytes and 64 deadlines per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Lipari, Carpenter and Baruah 2000; BSS-I, Lipari and Buttazzo 1999; HLS 5.2.2.3.
//! Checked  laws, `tests/pshed.rs`.
//!
//! Whatever is schedulable by earliest deadline first on a processor of that speed is schedulable here
//! (HLS 2.3.1.4); a child whose deadlines come in the order in which it tells them has had by each of
//! them, in total, the share of the time that it was runnable. HLS 5.2.2.3 promises the share between
//! any two consecutive deadlines; nobody can give that to who has run ahead (`tests/pshed.rs`).

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::parts::reserved::{in_order, speed};
use crate::reservation::rez::REPORT_DEADLINES;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_time::{Ratio, Span};

pub(crate) const KIND: Kind = Kind {
    name: "pshed",
    summary: "uniformly slower processors for schedulers that tell their deadlines",
    source: source!("pshed.rs"),
    settings: &[REPORT_DEADLINES],
    takes: &[&RESERVE],
    properties: Properties::NONE,
    build: |settings| {
        let reports = settings.bool(REPORT_DEADLINES.name);
        let (waking, overrun) = (Waking::Told, Overrun::Throttle);
        Ok(Box::new(Budgeted::new(Rules { waking, overrun, jobs: true, reports, ..Rules::HARD })))
    },
    conversion: |_| Ok(Box::new(Slower)),
};

/// Periods are about as long where a child tells no deadlines.
const ABOUT: u64 = 10_000_000;

struct Slower;

impl Conversion for Slower {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn parameter_for(&self, asked: &Guarantee) -> Result<ChildParam, &'static str> {
        let speed = match *asked {
            Guarantee::Null => return Ok(ChildParam::Nothing),
            Guarantee::Slower(speed) | Guarantee::Share(speed) => speed,
            _ => return Err("it gives `RESU speed`, as `RESU 1/2`"),
        };
        let too_fine = "it gives `RESU speed` with a speed of at most nine digits, as `RESU 1/2`";
        let (amount, period) = scaled(speed).ok_or(too_fine)?;
        Ok(ChildParam::Reserve { amount, period })
    }

    fn serves_reserved_alone(&self) -> bool {
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        in_order(speed(own.guarantees, false), Span::ZERO, children, |amount, period| {
            Offer::exact(amount.over(period).map(Guarantee::Slower), "EDF among told deadlines")
        })
    }
}

/// Amount and period of exactly that speed, about the usual period.
fn scaled(speed: Ratio) -> Option<(Span, Span)> {
    let above = u64::try_from(speed.numerator()).ok()?;
    let below = u64::try_from(speed.denominator()).ok()?;
    let times = ABOUT.checked_div(below)?.max(1);
    let period = Span::from_nanos(below.checked_mul(times)?);
    let fits = above > 0 && above <= below && below <= 1_000_000_000;
    fits.then_some((Span::from_nanos(above * times), period))
}
