//! The programs of the Multics memo, for any host: scripts A and B, a process that runs out of its quanta, and
//! processes that wait for one event.
//!
//! Invariant: on one processor the steps of A and B happen in the order of their numbers, 1 to 18, again and again: who
//! wakes the other goes on until it waits itself.

use std::sync::{Arc, Mutex, PoisonError};
use windfall_programs::{
    Code, EventId, Meter, Process, ProcessError, ProcessHandle, ProcessParams, Queue,
};
use windfall_time::{Instant, Span};

/// What processes have measured, for the experiment that started them.
pub(crate) type Report<T> = Arc<Mutex<Vec<T>>>;

/// A copy of what was reported so far.
pub(crate) fn reported<T: Clone>(report: &Report<T>) -> Vec<T> {
    report.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Nothing was reported.
pub(crate) fn forget<T>(report: &Report<T>) {
    report.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

pub(crate) fn report<T>(report: &Report<T>, all: impl IntoIterator<Item = T>) {
    report.lock().unwrap_or_else(PoisonError::into_inner).extend(all);
}

const TEN: EventId = EventId(10);
const ELEVEN: EventId = EventId(11);

/// Process A, which makes process B and has it block itself first.
#[derive(Clone)]
pub(crate) struct ScriptA {
    pub(crate) loops: usize,
    /// The clock at the entry of each step, of both processes.
    pub(crate) marks: Report<(u32, Instant)>,
    /// What a mark costs.
    pub(crate) metering: Report<Span>,
}

impl Code for ScriptA {
    const NAME: &'static str = "script-a";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        report(&self.metering, [Meter::cost(&mut me, 32).await]);
        let here = me.node();
        let template = me.make_template(here).await?;
        let script = ScriptB { a: me.me(), loops: self.loops, marks: self.marks.clone() };
        let b = me.make_process(template, here, ProcessParams::default(), script).await?;
        me.block().await; // until B is about to block
        me.yield_now().await;
        let mut meter = Meter::with_room(6 * self.loops);
        for _ in 0..self.loops {
            meter.mark(&mut me, 1).await;
            me.wakeup(b).await?;
            meter.mark(&mut me, 2).await;
            me.block().await;
            meter.mark(&mut me, 5).await;
            me.wakeup(b).await?;
            meter.mark(&mut me, 6).await;
            me.block().await;
            meter.mark(&mut me, 11).await;
            me.notify(TEN).await;
            meter.mark(&mut me, 12).await;
            me.block().await;
        }
        report(&self.marks, meter.marks().iter().copied());
        Ok(())
    }
}

/// Process B.
#[derive(Clone)]
struct ScriptB {
    a: ProcessHandle,
    loops: usize,
    marks: Report<(u32, Instant)>,
}

impl Code for ScriptB {
    const NAME: &'static str = "script-b";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut meter = Meter::with_room(12 * self.loops);
        me.wakeup(self.a).await?;
        me.block().await;
        for turn in 1..=self.loops {
            meter.mark(&mut me, 3).await;
            me.wakeup(self.a).await?;
            meter.mark(&mut me, 4).await;
            me.block().await;
            meter.mark(&mut me, 7).await;
            me.wakeup(self.a).await?;
            meter.mark(&mut me, 8).await;
            me.notify(TEN).await;
            meter.mark(&mut me, 9).await;
            me.add_event(TEN).await?;
            meter.mark(&mut me, 10).await;
            me.wait_event(TEN).await;
            meter.mark(&mut me, 13).await;
            me.notify(ELEVEN).await;
            meter.mark(&mut me, 14).await;
            me.add_event(ELEVEN).await?;
            meter.mark(&mut me, 15).await;
            me.del_event(ELEVEN).await;
            meter.mark(&mut me, 16).await;
            me.wait_event(ELEVEN).await;
            meter.mark(&mut me, 17).await;
            me.wakeup(self.a).await?;
            meter.mark(&mut me, 18).await;
            if turn < self.loops {
                me.block().await;
            }
        }
        report(&self.marks, meter.marks().iter().copied());
        Ok(())
    }
}

/// Computes in small pieces, and sees how much longer than the others some of them take: a quantum ran out.
#[derive(Clone)]
pub(crate) struct RunOut {
    pub(crate) pieces: usize,
    pub(crate) piece: Span,
    pub(crate) spans: Report<Span>,
}

impl Code for RunOut {
    const NAME: &'static str = "run-out";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let mut meter = Meter::with_room(self.pieces + 1);
        meter.mark(&mut me, 0).await;
        for _ in 0..self.pieces {
            me.compute(self.piece).await;
            meter.mark(&mut me, 0).await;
        }
        let spans = meter.marks().windows(2).map(|pair| pair[1].1.saturating_since(pair[0].1));
        report(&self.spans, spans);
        Ok(())
    }
}

/// Notifies as many processes at a time as it is told, and measures that.
#[derive(Clone)]
pub(crate) struct Notifier {
    pub(crate) waiters: Vec<u32>,
    /// How many waited, and how long notifying them took, metering included.
    pub(crate) spans: Report<(u32, Span)>,
}

/// So long all who are to wait have to get there, after they have said that they will.
const GATHERING: Span = Span::from_millis(200);

impl Code for Notifier {
    const NAME: &'static str = "notifier";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        let here = me.node();
        let (template, event) = (me.make_template(here).await?, me.make_event().await?);
        let ready = me.make_queue(here, 64).await?;
        for (number, waiters) in (0..).zip(self.waiters) {
            let id = EventId(100 + number);
            for _ in 0..waiters {
                let code = Waiter { id, ready };
                me.make_process(template, here, ProcessParams::default(), code).await?;
            }
            for _ in 0..waiters {
                me.take(ready, event).await?;
            }
            let now = me.now().await;
            me.sleep_until(now + GATHERING).await;
            let mut meter = Meter::with_room(2);
            meter.mark(&mut me, 0).await;
            let woken = me.notify(id).await;
            meter.mark(&mut me, 1).await;
            let spans = meter.marks().windows(2).map(|pair| pair[1].1.saturating_since(pair[0].1));
            report(&self.spans, spans.map(|span| (woken, span)));
        }
        Ok(())
    }
}

/// Waits for one event, and ends.
#[derive(Clone)]
struct Waiter {
    id: EventId,
    ready: Queue,
}

impl Code for Waiter {
    const NAME: &'static str = "waiter";

    async fn run(self, mut me: impl Process) -> Result<(), ProcessError> {
        me.add_event(self.id).await?;
        me.enqueue(self.ready, 0).await?;
        me.wait_event(self.id).await;
        Ok(())
    }
}
