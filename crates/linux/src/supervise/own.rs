//! Own programs: threads of this process that decide in their own calls.
//!
//! A program computes for so much processor time, seen by a clock that it reads all the while: a
//! step of the clock that is longer than reading it takes was somebody else's (HLS 11.6.2).

use crate::supervise::host::Host;
use crate::supervise::supervisor::Supervisor;
use crate::threads::member::{InProcess, Kind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use windfall_observe::fifo_priorities;
use windfall_os::sched::{Affinity, own_tid, set_fifo};
use windfall_os::{clock, process};
use windfall_programs::{
    Job, Node, ProcessError, ProcessParams, Program, ProgramError, ProgramRuntime, Progress,
    RuntimeHost, Wakeup,
};
use windfall_scenario::outcome::RunError;
use windfall_time::{Instant, Span};
use windfall_trace::Event;

/// A step of the clock longer than this was not ours: six readings of it, a sixth of the shortest
/// interrupt.
const OURS: u64 = 1_000;

impl Supervisor {
    /// What an own program does next, as far as that needs the lock.
    pub(crate) fn step(&mut self, number: u32) -> Progress {
        self.step.caller = Some(number);
        let doing = loop {
            if self.step.ending {
                break Progress::Waits;
            }
            if !self.granted(number) {
                self.settle();
                if !self.granted(number) {
                    self.threads.members[number as usize].parked = true;
                    break Progress::Waits;
                }
            }
            let doing = ProgramRuntime::step(self, number);
            match doing {
                Progress::Work(_) => break doing,
                Progress::Waits => {
                    self.threads.members[number as usize].parked = true;
                    self.settle();
                    // It may have been woken, and chosen again, by what was due meanwhile.
                    if self.threads.members[number as usize].parked {
                        break doing;
                    }
                }
                Progress::Acted if self.has_changed() => self.settle(),
                // What the kernel has seen can wait until it computes or waits.
                Progress::Acted => self.arm(),
            }
        };
        self.step.caller = None;
        doing
    }

    fn granted(&self, number: u32) -> bool {
        let member = &self.threads.members[number as usize];
        member.place.is_some_and(|cpu| self.cpus[cpu].actual == Some(number))
    }

    /// Whether an own program has ended.
    pub(crate) fn has_ended(&self, number: u32) -> bool {
        self.step.ending || self.threads.members[number as usize].id.is_none()
    }

    /// Something that own programs wait for has come.
    pub(crate) fn wakeup_due(&mut self, number: u32, wakeup: Wakeup, at: Instant) {
        match wakeup {
            Wakeup::Wake => ProgramRuntime::slept(self, number),
            Wakeup::Release => ProgramRuntime::release_due(self, number, at),
            Wakeup::Timer => ProgramRuntime::timers_due(self),
            Wakeup::Post => ProgramRuntime::posts_due(self),
            Wakeup::Deadline => match self.threads.members[number as usize].kind.clone() {
                Kind::InProcess(own) => {
                    if ProgramRuntime::abort(self, number) {
                        own.give_up.store(true, Ordering::Relaxed);
                    }
                }
                // Nobody can make it leave what it does: it goes on, and its scheduler is told.
                Kind::External { .. } => self.notify_job(number, at, None),
            },
        }
    }
}

impl RuntimeHost for Supervisor {
    // An action takes far less than a ten-thousandth of a second, settling included, so that a program
    // that gets nowhere is found out within this.
    const MOMENT: Span = Span::from_secs(10);

    fn programs(&mut self) -> &mut ProgramRuntime {
        &mut self.runtime
    }

    fn now(&self) -> Instant {
        self.time()
    }

    fn schedule_wakeup(&mut self, number: u32, wakeup: Wakeup, at: Instant) {
        self.agenda.schedule(number, wakeup, at);
    }

    fn blocked(&mut self, number: u32) {
        let now = self.time();
        self.hear_before(number);
        self.becomes_blocked(number, now);
    }

    fn woken(&mut self, number: u32, by: Option<u32>) {
        let now = self.time();
        let by = by.and_then(|by| self.threads.members[by as usize].traced);
        self.becomes_ready(number, now, by);
    }

    fn yielded(&mut self, number: u32) {
        if let Some(id) = self.threads.members[number as usize].id {
            let now = self.time();
            self.hear_before(number);
            self.notify(now, |hierarchy, now| hierarchy.yielded(now, id));
        }
    }

    fn exited(&mut self, number: u32) {
        self.listen(); // what it had of a processor is its own as long as it is known
        let now = self.time();
        self.becomes_gone(number, now);
    }

    fn spawn(
        &mut self,
        node: Node,
        terms: ProcessParams,
        program: &Program,
    ) -> Result<u32, ProcessError> {
        self.spawn_process(node, terms, program)
    }

    fn released(&mut self, number: u32, job: Job) {
        self.threads.members[number as usize].outcome.release(job.deadline.is_some());
        let deadline = job.deadline;
        self.trace_about(number, job.release, |thread| Event::Release { thread, deadline });
    }

    fn begins(&mut self, number: u32, job: Job) {
        self.threads.members[number as usize].job = Some((job.release, job.deadline));
        self.notify_job(number, job.release, job.deadline);
    }

    fn completed(&mut self, number: u32, job: Job) {
        self.trace_before(number);
        let now = self.time();
        self.threads.members[number as usize].job = None;
        let outcome = &mut self.threads.members[number as usize].outcome;
        let (done, missed) = (now.max(job.release), job.is_late(now));
        outcome.complete(job.release, done, missed);
        let response = done - job.release;
        self.trace_about(number, now, |thread| Event::Complete { thread, response, missed });
    }

    fn aborted(&mut self, number: u32) {
        self.threads.members[number as usize].outcome.abort();
        self.trace_about(number, self.time(), |thread| Event::Abort { thread });
    }

    fn goes_on(&mut self, number: u32, job: Job, missed: bool) {
        self.threads.members[number as usize].outcome.missed += u64::from(missed);
        self.notify_job(number, job.release, None);
    }

    fn program_failed(&mut self, number: u32, mishap: ProgramError) {
        let (at, thread) =
            (self.time(), self.threads.members[number as usize].outcome.name.clone());
        self.log.failure.get_or_insert(RunError::of(mishap, thread, at));
        self.step.ending = true;
    }
}

/// The life of an own program's thread.
pub(crate) fn live(host: &Host, number: u32, own: &Arc<InProcess>) {
    process::name_thread(&host.enter(|s| s.threads.members[number as usize].outcome.name.clone()));
    let tid = own_tid();
    host.enter(|s| s.arrives(number, tid));
    let mut stretches = Stretches::new(own.keeps);
    loop {
        own.gate.pass();
        loop {
            match host.enter(|s| s.step(number)) {
                Progress::Work(work) => compute(work, own, &mut stretches),
                Progress::Acted => {}
                Progress::Waits => break,
            }
        }
        if host.enter(|s| s.has_ended(number)) {
            if let (Stretches(Some(stretches)), Ok(mut kept)) = (stretches, own.kept.lock()) {
                *kept = stretches;
            }
            return;
        }
    }
}

impl Supervisor {
    /// An own program's thread exists, and goes to its gate.
    fn arrives(&mut self, number: u32, tid: i32) {
        self.threads.tids.insert(tid, number);
        let linux = self.cpus[0].number;
        let member = &mut self.threads.members[number as usize];
        member.tid = tid;
        if Affinity::one(linux).give(0).is_ok() {
            member.place = Some(0);
        }
        if set_fifo(0, fifo_priorities::OWN).is_ok() {
            member.fifo_priority = fifo_priorities::OWN;
        }
        // Those of the scenario have their place when their time comes.
        if member.id.is_some() && !self.step.ending {
            self.is_made(number, None);
            self.settle();
        }
    }
}

/// The stretches of time in which a thread saw itself running, where they are to be kept.
struct Stretches(Option<Vec<(Instant, Instant)>>);

impl Stretches {
    /// None, with room for many: to make room takes time.
    fn new(keeps: bool) -> Stretches {
        Stretches(keeps.then(|| Vec::with_capacity(1 << 16)))
    }

    fn end(&mut self, from: Instant, to: Instant) {
        if let Stretches(Some(kept)) = self {
            kept.push((from, to));
        }
    }
}

/// Computes for so much processor time, or until the work is given up.
fn compute(work: Span, own: &InProcess, stretches: &mut Stretches) {
    let mut left = work.as_nanos();
    let mut last = clock::now();
    let mut from = last;
    while left > 0 && !own.give_up.swap(false, Ordering::Relaxed) {
        for _ in 0..4 {
            let now = clock::now();
            let step = now.saturating_since(last).as_nanos();
            if step < OURS {
                left = left.saturating_sub(step);
            } else {
                stretches.end(from, last);
                from = now;
            }
            last = now;
        }
        if own.hold.load(Ordering::Relaxed) {
            own.gate.pass();
        }
    }
    stretches.end(from, last);
}
