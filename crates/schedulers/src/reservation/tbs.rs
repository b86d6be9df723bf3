//! TBS: the total bandwidth server, on one processor.
//!
//! Takes    ALL on its own VP 0. With `report-deadlines = true` it reports its deadlines to its parent, but
//!          promises nothing below RESU r, because it is charged for the slack that it hands out.
//! Gives    RESBS x y to each child with a reservation of x in y; nothing to one without. With `slack =
//!          "charged"` NULL.
//! Admits   while the sum of all x/y is at most 1, exactly; below RESU r the checker limits it to r.
//! Assumes  A1 its processor is there whenever requested; A2 overheads are inside x; A3 a child states the work
//!          of a job before it begins (`job`), or else each of its jobs counts as x.
//! Costs    O(log n) per event, O(n) per refusal or sum close to 1; 138 bytes per child; two timers.
//! Ties     the running child stays; else the lower slot.
//! Source   Spuri and Buttazzo 1996; HLS 5.3.1.7. Table 5.1 says RESBH below RESU: a misprint.
//! Checked  laws, `tests/tbs.rs`, `tests/reservations.rs`.
//!
//! A job of work w is due w y/x after its release, or after the last deadline of its child if that is later. Here a
//! job is divided into parts of at most x, of which the first may be shorter: the last part is due when the job is,
//! and an overrun begins another part, which delays only its own child. As published (`slack = "charged"`), a part
//! begins when the last one is done, and a child that has run ahead is promised nothing in any interval
//! (`tests/tbs.rs`). With `slack = "free"` it begins at the last one's deadline; until then the child runs, without
//! charge, only while no other child has a budget. A short part comes only with a wake-up, because between whole
//! parts it would take from RESBS.

use crate::catalogue::{Chosen, Form, Kind, Properties, Setting};
use crate::parameters::RESERVE;
use crate::parts::best_effort::BestEffort;
use crate::parts::budgeted::{Budgeted, Overrun, Rules, Waking};
use crate::parts::reserved::{self, Reserved};
use crate::reservation::rez::REPORT_DEADLINES;
use alloc::boxed::Box;

pub(crate) const KIND: Kind = Kind {
    name: "tbs",
    summary: "total bandwidth servers: soft reservations, deadlines from the work of jobs",
    source: source!("tbs.rs"),
    settings: &[
        REPORT_DEADLINES,
        Setting {
            name: "slack",
            form: Form::Word(&["free", "charged"]),
            default: "free",
            help: "whether a child is charged for time that no other child needs",
        },
    ],
    takes: &[&RESERVE],
    properties: Properties::NONE,
    build: |settings| {
        let (waking, overrun) = match charges(settings) {
            true => (Waking::After, Overrun::Postpone),
            false => (Waking::Sporadic, Overrun::Background),
        };
        let reports = settings.bool(REPORT_DEADLINES.name);
        Ok(Box::new(Budgeted::new(Rules { waking, overrun, jobs: true, reports, ..Rules::HARD })))
    },
    conversion: |settings| {
        if charges(settings) {
            return Ok(Box::new(BestEffort));
        }
        let by = "EDF with budgets, slack beside them";
        Ok(Box::new(Reserved::new(reserved::Form::Soft, by)))
    },
};

fn charges(settings: &Chosen<'_>) -> bool {
    settings.word("slack", &[("free", false), ("charged", true)])
}
