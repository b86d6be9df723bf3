//! PShED: uniformly slower processors, by earliest deadline first among their owners' deadlines.
//!
//! Takes    ALL on its own VP 0. With `report-deadlines = true` it reports its deadlines to its parent, but
//!          promises nothing below RESU r, because a child that yields makes them come out of order.
//! Gives    RESU x/y to each child with a reservation of x in y, in whole nanoseconds, rounded down; nothing to
//!          one without. It declares the speed to the child, before and after a change the lesser.
//! Admits   while the sum of all x/y is at most 1, exactly.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x; A3 children report their
//!          earliest deadline whenever it changes (`job`). If there is none, the next deadline is y from now. With
//!          more than 64 to come, one that is neither among the first 63 nor after all others counts as the last.
//! Costs    O(log n) per event, O(k) per wake-up and reported deadline for k future deadlines; 138 bytes and 65
//!          deadlines of 48 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Lipari, Carpenter and Baruah 2000; BSS-I, Lipari and Buttazzo 1999; HLS 5.2.2.3.
//! Checked  laws, `tests/all/pshed.rs`.
//!
//! Work that earliest deadline first can schedule on a processor of that speed can be scheduled here (HLS 2.3.1.4). A
//! child whose deadlines come in the order in which it reports them has received by each of them, in total, its share
//! of the time in which it was runnable. HLS 5.2.2.3 promises the share between any two consecutive deadlines; no
//! scheduler can give that to a child that has run ahead (`tests/all/pshed.rs`).

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::parts::policy::Pooled;
use crate::parts::reserved::{in_order, speed};
use crate::settings::shared::REPORT_DEADLINES;
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::{ChildParam, ChildParams, Conversion, Guarantee, Offer, Supply, Type};
use windfall_time::{Ratio, Span};

settings! { Pshed, "pshed.rs":
    report_deadlines: bool as REPORT_DEADLINES,
}

pub(crate) const KIND: Kind = Pshed::kind(
    "pshed",
    "uniformly slower processors for schedulers that report their deadlines",
    |settings| {
        let reports = Pshed::read(settings).report_deadlines;
        let (waking, overrun) = (Waking::Reported, Overrun::Throttle);
        Ok(Box::new(Pooled::new(Budgeted::new(Rules {
            waking,
            overrun,
            jobs: true,
            reports,
            ..Rules::HARD
        }))))
    },
)
.with_parameters(&[&RESERVE])
.with_properties(Properties::NONE.holds_back())
.with_conversion(|_| Ok(Box::new(Slower)));

/// The approximate length of periods while a child reports no deadlines, in nanoseconds.
const ABOUT: u64 = 10_000_000;

#[derive(Clone)]
struct Slower;

impl Conversion for Slower {
    fn takes(&self) -> &'static [Type] {
        &[Type::All]
    }

    fn parameter_for(&self, requested: &Guarantee) -> Result<ChildParam, &'static str> {
        let speed = match *requested {
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

    fn declares_speed(&self) -> bool {
        true
    }

    fn give(&self, own: Supply<'_>, children: &[ChildParams]) -> Vec<Offer> {
        in_order(speed(own.guarantees, false), Span::ZERO, children, |amount, period| {
            Offer::exact(amount.over(period).map(Guarantee::Slower), "EDF among told deadlines")
        })
    }
}

/// An amount and a period whose quotient is exactly that speed, with a period close to [`ABOUT`].
fn scaled(speed: Ratio) -> Option<(Span, Span)> {
    let above = u64::try_from(speed.numerator()).ok()?;
    let below = u64::try_from(speed.denominator()).ok()?;
    let times = ABOUT.checked_div(below)?.max(1);
    let period = Span::from_nanos(below.checked_mul(times)?);
    let fits = above > 0 && above <= below && below <= 1_000_000_000;
    fits.then_some((Span::from_nanos(above * times), period))
}
