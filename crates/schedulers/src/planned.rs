//! Schedulers that plan ahead: blocks at fixed times, and jobs that are planned when they arrive.

pub(crate) mod activity;
pub(crate) mod spring;
pub(crate) mod time_line;
pub(crate) mod time_table;

pub use self::activity::Activity;
pub use self::spring::Spring;
pub use self::time_line::TimeLine;
pub use self::time_table::TimeTable;
