//! Rez-C: hard CPU reservations whose children catch up after time was stolen from them.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs.
//! Gives    RESBH x y of time received, not counting stolen time, to each child with a reservation of x in y,
//!          to within a granule; nothing to one without.
//! Admits   as `rez`.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x; A3 in every interval that
//!          ends with the period in question there is room for the stolen time, for the amounts of the periods
//!          that lie in it and, for children that wait at times, their share of it. If A3 fails, one child's
//!          catching up may cost others their amounts, and children that use the rest of the processor
//!          everything (HLS 11.7.1).
//! Costs    as `rez`, and for each timer that finds stolen time another one, at most one a granule.
//! Ties     as `rez`.
//! Source   HLS 11.5.2.
//! Checked  laws, `tests/all/rez_c.rs`, `scenarios/stolen-time.toml`.
//!
//! A budget pays for the time that its child has received: time that the host reports as stolen from the processor is
//! left out. If the timer for the end of a budget finds stolen time, it is set again for that long. A rest below the
//! granule counts as used up; otherwise, during a long interrupt, the timer would be set again for a single nanosecond
//! each time. Nothing is carried from one period to the next.

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::budgeted::{Budgeted, Rules};
use crate::parts::policy::Pooled;
use crate::parts::reserved::{self, Reserved};
use crate::parts::stolen::Stolen;
use crate::reservation::rez::{Overruns, part};
use crate::settings::shared::{ADMISSION, OVERRUNS};
use alloc::boxed::Box;
use windfall_time::Span;

settings! { RezC, "rez_c.rs":
    admission: u16 as ADMISSION,
    /// after time was stolen, a budget with less left than this counts as used up
    granule: Span = "10us",
    overruns: Overruns as OVERRUNS,
}

pub(crate) const KIND: Kind =
    RezC::kind("rez-c", "hard CPU reservations that catch up after time was stolen", |settings| {
        let RezC { admission, granule, overruns } = RezC::read(settings);
        let stolen = Stolen::CaughtUp { granule, overhead: false };
        let drops = overruns == Overruns::Dropped;
        Ok(Box::new(Pooled::new(Budgeted::new(Rules { admission, stolen, drops, ..Rules::HARD }))))
    })
    .with_parameters(&[&RESERVE])
    .with_properties(Properties { reserves: true, holds_back: true, ..Properties::NONE })
    .with_conversion(|settings| {
        let RezC { admission, overruns, .. } = RezC::read(settings);
        let rez = Reserved::new(reserved::Form::Hard, "EDF with budgets of time received");
        let (most, drops) = (part(admission), overruns == Overruns::Dropped);
        Ok(Box::new(Reserved { most, makes_up: true, drops, ..rez }))
    });
