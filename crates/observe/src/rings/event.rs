//! An event as a supervisor needs it: when, where, what, and the time taken by then.

use crate::kernel_event::KernelEvent;
use windfall_time::{Instant, Span};

/// Where something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// On this supervised processor.
    Here(usize),
    /// On a processor that is not supervised.
    Elsewhere,
}

impl Where {
    pub(super) fn of(cpu: u16, supervised: &[u16]) -> Where {
        supervised.iter().position(|own| *own == cpu).map_or(Where::Elsewhere, Where::Here)
    }
}

/// Time taken of a processor by interrupts and by a hypervisor. An interrupt within another is part of that one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Taken {
    /// All of it.
    pub all: Span,
    /// Of that, the time of softirqs.
    pub soft: Span,
    /// Of that, the time in which the processor stood still.
    pub steal: Span,
}

/// An event of a supervised thread or on a supervised processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// When.
    pub at: Instant,
    /// Where.
    pub place: Where,
    /// Time taken on this processor until then, since observation began.
    pub taken: Taken,
    /// The event.
    pub seen: KernelEvent,
}
