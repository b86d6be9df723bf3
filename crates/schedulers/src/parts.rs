//! Code that several kinds of schedulers share, and conversions of guarantees.
//!
//! `pool.rs` keeps the best of several ready children running, and `policy.rs` is the order that it needs.
//! `pieces.rs` runs children in pieces of time that `plan.rs` assigns. `budgeted.rs` is earliest deadline first with budgets. `turns.rs` serves
//! children of one processor in turns.

pub(crate) mod affinity;
pub(crate) mod best_effort;
pub(crate) mod budgeted;
pub(crate) mod deadline_reporter;
pub(crate) mod eligible;
pub(crate) mod fluid;
pub(crate) mod funds;
pub(crate) mod line;
pub(crate) mod long_run;
pub(crate) mod nice;
pub(crate) mod pieces;
pub(crate) mod plan;
pub(crate) mod policy;
pub(crate) mod pool;
pub(crate) mod quantum;
pub(crate) mod quantum_ends;
pub(crate) mod reservation;
pub(crate) mod reserved;
pub(crate) mod search;
pub(crate) mod slots;
pub(crate) mod starvation;
pub(crate) mod stolen;
pub(crate) mod table;
pub(crate) mod ticks;
pub(crate) mod turns;
pub(crate) mod virtual_time;
