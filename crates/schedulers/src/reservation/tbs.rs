//! TBS: the total bandwidth server, on one processor.
//!
//! Takes    ALL on its own VP 0. With `report-deadlines = true` it reports its deadlines to its parent, but
//!          promises nothing below RESU r, because it is charged for the slack that it hands out.
//! Gives    RESBS x y to each child with a reservation of x in y; nothing to one without. With `slack =
//!          "charged"` NULL.
//! Admits   while the sum of all x/y is at most 1, exactly.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x; A3 a child states the work
//!          of a job before it begins (`job`), or else each of its jobs counts as x.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 138 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Spuri and Buttazzo 1996; HLS 5.3.1.7. Table 5.1 says RESBH below RESU: a misprint.
//! Checked  laws, `tests/all/tbs.rs`, `tests/all/reservations.rs`.
//!
//! A job of work w is due w y/x after its release, or after the last deadline of its child if that is later. Here a
//! job is divided into parts of at most x, of which the first may be shorter: the last part is due when the job is,
//! and an overrun begins another part, which delays only its own child. As published (`slack = "charged"`), a part
//! begins when the last one is done, and a child that has run ahead is promised nothing in any interval
//! (`tests/all/tbs.rs`). With `slack = "free"` it begins at the last one's deadline; until then the child runs, without
//! charge, only while no other child has a budget. A short part comes only with a wake-up, because between whole
//! parts it would take from RESBS.

use crate::catalogue::{Kind, Properties};
use crate::parameters::RESERVE;
use crate::parts::best_effort::BestEffort;
use crate::parts::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::parts::policy::Pooled;
use crate::parts::reserved::{self, Reserved};
use crate::settings::shared::REPORT_DEADLINES;
use alloc::boxed::Box;

settings! { Tbs, "tbs.rs":
    report_deadlines: bool as REPORT_DEADLINES,
    /// whether a child is charged for time that no other child needs
    slack: Slack = "free",
}

pub(crate) const KIND: Kind = Tbs::kind(
    "tbs",
    "total bandwidth servers: soft reservations, deadlines from the work of jobs",
    |settings| {
        let Tbs { report_deadlines: reports, slack } = Tbs::read(settings);
        let (waking, overrun) = match slack {
            Slack::Charged => (Waking::After, Overrun::Postpone),
            Slack::Free => (Waking::Sporadic, Overrun::Background),
        };
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
.with_conversion(|settings| {
    if Tbs::read(settings).slack == Slack::Charged {
        return Ok(Box::new(BestEffort));
    }
    let by = "EDF with budgets, slack beside them";
    Ok(Box::new(Reserved::new(reserved::Form::Soft, by)))
});

words! {
    /// The child that is charged for time that no other child needs.
    pub enum Slack {
        /// Nobody.
        Free = "free",
        /// The child that has it.
        Charged = "charged",
    }
}
