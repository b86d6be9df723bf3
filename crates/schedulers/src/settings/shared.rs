//! Settings that several kinds have.

use crate::parts::affinity::Affinity;
use crate::parts::stolen::Charges;
use crate::reservation::rez::Overruns;

shared! {
    /// the most that may be reserved, in thousandths of a processor
    ADMISSION = admission: u16 = "1000" in 1..=1000;

    /// how strongly a child is kept on the processor on which it last ran, if there are several
    AFFINITY = affinity: Affinity = "strong";

    /// whether a budget pays for the whole time in which its child held the processor, or only for the time that the child
    /// received, as under the kernel's SCHED_DEADLINE
    CHARGES = charges: Charges = "elapsed";

    /// base tickets that fund this currency; without them there is none
    CURRENCY_1 = currency_1: Option<u32> = "" in 1..=u32::MAX as i64;

    /// base tickets that fund this currency; without them there is none
    CURRENCY_2 = currency_2: Option<u32> = "" in 1..=u32::MAX as i64;

    /// base tickets that fund this currency; without them there is none
    CURRENCY_3 = currency_3: Option<u32> = "" in 1..=u32::MAX as i64;

    /// base tickets that fund this currency; without them there is none
    CURRENCY_4 = currency_4: Option<u32> = "" in 1..=u32::MAX as i64;

    /// whether the following periods pay if a coarse timer lets a child overrun its budget, or nobody does, as in HLS
    /// 10.5.2
    OVERRUNS = overruns: Overruns = "charged";

    /// whether it reports its deadlines to its parent, as a uniformly slower processor needs
    REPORT_DEADLINES = report_deadlines: bool = "false";
}
