//! The programs of the Multics memo: scripts A and B, a process that runs out of its quanta, and
//! processes that wait for one event.
//!
//! Invariant: on one processor the steps of A and B happen in the order of their numbers, 1 to 18, again and again: who
//! wakes the other goes on until it waits itself.

use crate::catalogue::{Form, Kind, Setting};
use crate::process::{
    Code, EventId, Meter, Process, ProcessError, ProcessHandle, ProcessParams, Queue,
};
use crate::program::Program;
use std::sync::{Arc, Mutex, PoisonError};
use windfall_time::{Instant, Span};

/// Measurements of processes, for those who started them.
pub type Report<T> = Arc<Mutex<Vec<T>>>;

/// A copy of what was reported so far.
pub fn reported<T: Clone>(report: &Report<T>) -> Vec<T> {
    report.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Nothing was reported.
pub fn forget<T>(report: &Report<T>) {
    report.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Adds to what was reported.
pub fn report<T>(report: &Report<T>, all: impl IntoIterator<Item = T>) {
    report.lock().unwrap_or_else(PoisonError::into_inner).extend(all);
}

const TEN: EventId = EventId(10);
const ELEVEN: EventId = EventId(11);

/// Process A, which makes process B and has it block itself first.
#[derive(Clone)]
#[non_exhaustive]
pub struct ScriptA {
    /// How often the script is repeated.
    pub loops: usize,
    /// The clock at the entry of each step, of both processes.
    pub marks: Report<(u32, Instant)>,
    /// The cost of a mark.
    pub metering: Report<Span>,
}

impl ScriptA {
    /// So many times the script, reported there.
    #[must_use]
    pub const fn new(
        loops: usize,
        marks: Report<(u32, Instant)>,
        metering: Report<Span>,
    ) -> ScriptA {
        ScriptA { loops, marks, metering }
    }
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
#[non_exhaustive]
pub struct RunOut {
    /// How many pieces.
    pub pieces: usize,
    /// How long each takes.
    pub piece: Span,
    /// How long each took, metering included.
    pub spans: Report<Span>,
}

impl RunOut {
    /// So many pieces, reported there.
    #[must_use]
    pub const fn new(pieces: usize, piece: Span, spans: Report<Span>) -> RunOut {
        RunOut { pieces, piece, spans }
    }
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
#[non_exhaustive]
pub struct Notifier {
    /// How many processes wait, for each event in turn.
    pub waiters: Vec<u32>,
    /// How many waited, and how long notifying them took, metering included.
    pub spans: Report<(u32, Span)>,
}

/// So long all who are to wait have to get there, after they have said that they will.
const GATHERING: Span = Span::from_millis(200);

impl Notifier {
    /// So many waiters for each event, reported there.
    #[must_use]
    pub const fn new(waiters: Vec<u32>, spans: Report<(u32, Span)>) -> Notifier {
        Notifier { waiters, spans }
    }
}

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

const fn times(name: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting::integer(name, 1..=1_000_000, default, help)
}

/// How often something is, which was declared as a number from 1 to a million.
fn often(n: i64) -> usize {
    usize::try_from(n).expect("as declared")
}

/// A notifier and its waiters.
pub(super) static NOTIFIER: Kind = Kind::new(
    "memo-notifier",
    "makes processes that wait for one event, and notifies it, again and again (Multics memo)",
    |settings, node| {
        let waiters = u32::try_from(settings.integer("waiters")).expect("as declared");
        let waiters = vec![waiters; often(settings.integer("events"))];
        Ok(Program::process(node, Notifier { waiters, spans: Report::default() }))
    },
)
.with_settings(&[
    times("events", "10", "how many events are notified, one after the other"),
    Setting::integer("waiters", 0..=64, "8", "how many processes wait for each of them"),
]);

/// A process that runs out of its quanta.
pub(super) static RUN_OUT: Kind = Kind::new(
    "memo-run-out",
    "computes in small pieces, until it runs out of its quantum, and goes on (Multics memo)",
    |settings, node| {
        let (pieces, piece) = (often(settings.integer("pieces")), settings.span("piece"));
        Ok(Program::process(node, RunOut { pieces, piece, spans: Report::default() }))
    },
)
.with_settings(&[
    Setting { name: "piece", form: Form::Span, default: "1ms", help: "how long each piece takes" },
    times("pieces", "1000", "how many pieces"),
]);

/// Scripts A and B.
pub(super) static SCRIPT: Kind = Kind::new(
    "memo-script",
    "process A, which makes B: both wake, block and notify each other in 18 steps (Multics memo)",
    |settings, node| {
        let loops = often(settings.integer("loops"));
        let (marks, metering) = (Report::default(), Report::default());
        Ok(Program::process(node, ScriptA { loops, marks, metering }))
    },
)
.with_settings(&[times("loops", "100", "how often the 18 steps are repeated")]);
