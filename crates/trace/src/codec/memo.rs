//! State that writer and reader keep alike, so that predictable values need not be written.
//!
//! Invariant: [`Memo::after`] is called with every record on both sides, so both predict the same: the
//! thread that leaves a processor is the one that entered it; the thread that enters is the one that was
//! woken last; the waker runs on the processor of the last switch.

use crate::{Cpu, Event, ThreadId};

/// The shared memory of one block.
#[derive(Debug)]
pub(super) struct Memo {
    /// Time of the last record, in nanoseconds.
    pub(super) now: u64,
    /// The processor that was named last.
    pub(super) cpu: Cpu,
    /// The thread that was woken last.
    pub(super) woken: Option<ThreadId>,
    /// The state of each processor: unknown, idle, or a thread.
    running: Vec<Option<Option<ThreadId>>>,
}

impl Memo {
    /// Nothing is known yet.
    pub(super) fn new() -> Memo {
        Memo { now: 0, cpu: Cpu(0), woken: None, running: Vec::new() }
    }

    /// Forgets everything; a block starts at `now`.
    pub(super) fn restart(&mut self, now: u64) {
        (self.now, self.cpu, self.woken) = (now, Cpu(0), None);
        self.running.clear();
    }

    /// The state of `cpu`: unknown in this block, idle, or a thread.
    pub(super) fn running(&self, cpu: Cpu) -> Option<Option<ThreadId>> {
        self.running.get(usize::from(cpu.0)).copied().flatten()
    }

    /// Takes note of a record that was written or read.
    #[inline]
    pub(super) fn after(&mut self, now: u64, event: &Event) {
        self.now = now;
        match event {
            Event::Switch { cpu, next, .. } => {
                let place = usize::from(cpu.0);
                if place >= self.running.len() {
                    self.running.resize(place + 1, None);
                }
                self.running[place] = Some(*next);
                self.cpu = *cpu;
            }
            Event::Wake { thread, .. } => self.woken = Some(*thread),
            Event::OverheadBegin { cpu, .. } | Event::OverheadEnd { cpu } => self.cpu = *cpu,
            _ => {}
        }
    }
}

/// The first byte of a record. A switch has bit 7; a wake bit 6; the rest are numbered.
pub(super) mod tag {
    /// A switch. Bits 0 to 2: [`stop`], or [`NOBODY`] when the processor was idle.
    pub(crate) const SWITCH: u8 = 0x80;
    pub(crate) const STOP_BITS: u8 = 0x07;
    pub(crate) const NOBODY: u8 = 7;
    /// The thread that leaves is the predicted one.
    pub(crate) const FORESEEN: u8 = 0x08;
    /// The thread that enters: these two bits.
    pub(crate) const NEXT_BITS: u8 = 0x30;
    pub(crate) const NEXT_NAMED: u8 = 0x00;
    pub(crate) const NEXT_IDLE: u8 = 0x10;
    pub(crate) const NEXT_WOKEN: u8 = 0x20;
    /// The processor is the one named last.
    pub(crate) const SAME_CPU: u8 = 0x40;

    /// A wake. Bits 0 and 1: who woke it.
    pub(crate) const WAKE: u8 = 0x40;
    pub(crate) const BY_BITS: u8 = 0x03;
    pub(crate) const BY_NOBODY: u8 = 0;
    pub(crate) const BY_RUNNING: u8 = 1;
    pub(crate) const BY_NAMED: u8 = 2;

    pub(crate) const THREAD: u8 = 1;
    pub(crate) const NODE: u8 = 2;
    pub(crate) const PROMISE: u8 = 3;
    pub(crate) const EXIT: u8 = 4;
    pub(crate) const OVERHEAD_BEGIN: u8 = 5;
    pub(crate) const OVERHEAD_END: u8 = 6;
    pub(crate) const RELEASE: u8 = 7;
    pub(crate) const COMPLETE: u8 = 8;
    pub(crate) const MISSED: u8 = 9;
    pub(crate) const ABORT: u8 = 10;
    pub(crate) const NOTE: u8 = 11;
    pub(crate) const CONTROL: u8 = 12;
    pub(crate) const QUARANTINE: u8 = 13;
    pub(crate) const LOST: u8 = 14;
    pub(crate) const MARK: u8 = 15;

    /// From here on, below [`WAKE`], kinds of later versions: after the time comes the number of their bytes, then those.
    pub(crate) const LATER: u8 = 32;
    pub(crate) const ACTIVITY_BEGINS: u8 = 32;
    pub(crate) const ACTIVITY_ENDS: u8 = 33;
    pub(crate) const COUNT: u8 = 34;
    pub(crate) const TIME: u8 = 35;
    pub(crate) const STATION_WAIT: u8 = 36;
    pub(crate) const STATION_SERVICE: u8 = 37;
    pub(crate) const TASK: u8 = 38;

    /// Notes from this number on carry the number of their bytes, then those; so does each note that a later version adds.
    pub(crate) const LATER_NOTE: u8 = 14;
}
