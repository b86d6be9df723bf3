//! Rez-FB: CPU reservations that grow by the time stolen from them, through a feedback loop.
//!
//! Takes    ALL on its own VP 0. It never requests further own VPs.
//! Gives    RESBS x y to each child with a reservation of x in y; nothing to one without. Not RESBH: in the
//!          periods after stolen time has ceased a child receives more than x.
//! Admits   as `rez`. Capacity that nobody has reserved is lent until somebody reserves it.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x. A child receives x if
//!          stolen time is steady and the amount reserved for it fits; no other child pays for it.
//! Costs    as `rez`, and 24 bytes per child.
//! Ties     as `rez`.
//! Source   HLS 11.5.3. Difference: it never reserves less than was requested.
//! Checked  laws, `tests/all/rez_fb.rs`, `scenarios/stolen-time.toml`.
//!
//! At the start of each period `C = C + G (x - P)`, at least x and at most what admission leaves: C is reserved for
//! the period, and P was received in the last one (`feedback.rs`). A child that wakes after whole periods takes one
//! step, for the last period in which it ran. If a new reservation needs capacity that is lent, it begins when the
//! periods of the loans have ended. Notes report C (reserved) and P (received).

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::budgeted::{Budgeted, Rules};
use crate::parts::policy::Pooled;
use crate::parts::reserved::{self, Reserved};
use crate::parts::stolen::Stolen;
use crate::reservation::rez::{Overruns, part};
use crate::settings::shared::{ADMISSION, OVERRUNS};
use alloc::boxed::Box;

settings! { RezFb, "rez_fb.rs":
    admission: u16 as ADMISSION,
    /// gain: by which part of the missing time the next period grows, in thousandths
    gain: u16 = "500" in 1..=1000,
    overruns: Overruns as OVERRUNS,
}

pub(crate) const KIND: Kind =
    RezFb::kind("rez-fb", "CPU reservations that grow by the time stolen from them", |settings| {
        let RezFb { admission, gain, overruns } = RezFb::read(settings);
        let (stolen, drops) = (Stolen::FedBack { gain }, overruns == Overruns::Dropped);
        Ok(Box::new(Pooled::new(Budgeted::new(Rules { admission, stolen, drops, ..Rules::HARD }))))
    })
    .with_parameters(&[&RESERVE])
    .with_properties(Properties::NONE.holds_back())
    .with_conversion(|settings| {
        let RezFb { admission, overruns, .. } = RezFb::read(settings);
        let rez = Reserved::new(reserved::Form::Soft, "EDF with budgets and feedback");
        let (most, drops) = (part(admission), overruns == Overruns::Dropped);
        Ok(Box::new(Reserved { most, makes_up: true, drops, ..rez }))
    });
