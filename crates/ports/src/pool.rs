//! Processors on threads of this machine, without supervision: each machine behind a lock, with a thread for its timer (decision 0032, 7).
//!
//! It admits against its own processors' time. Time that the kernel gives to others meanwhile is stolen, and counted; but for that, admitted tasks are done in time.

#[cfg(feature = "tokio")]
mod awaited;
mod driven;
mod pending;
mod polled;
mod route;
mod task;

#[cfg(feature = "tokio")]
pub use awaited::{Admission, Awaited};
pub use pending::Pending;
pub use task::{Checkpoints, Finished, Forked, Handle, StoppedError};

use crate::{Affinity, Counts, Processor, Request, SubmitError};
use driven::Driven;
use route::Route;
use std::sync::Arc;
use windfall_os::sched::{self, Attributes};
use windfall_os::{LinuxError, clock};
use windfall_time::{Instant, Span};

/// Processors on threads.
#[derive(Debug)]
pub struct Pool {
    preempts: bool,
    cores: Vec<Arc<Driven>>,
    timers: Vec<std::thread::JoinHandle<()>>,
}

/// One scheduler of one processor of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// The number of the processor in the pool.
    pub processor: usize,
    /// The number of the scheduler on it.
    pub scheduler: usize,
}

impl Pool {
    /// A pool of processors of this machine, each with its schedulers; their time is that of [`Pool::now`].
    ///
    /// # Errors
    /// When this process may not use one of them, or cannot have more threads.
    pub fn new(processors: impl IntoIterator<Item = (u16, Processor)>) -> Result<Pool, LinuxError> {
        let cannot = |what: String, why: &std::io::Error| {
            LinuxError::new(what, why.to_string(), "use fewer threads, or raise the limit")
        };
        let allowed =
            sched::Affinity::of(0).map_err(|why| cannot("cannot read affinity".into(), &why))?;
        let trial = || Attributes::idle().give(0).and_then(|()| Attributes::ordinary().give(0));
        let preempts = std::thread::spawn(trial).join().is_ok_and(|answer| answer.is_ok());
        let mut pool = Pool { preempts, cores: Vec::new(), timers: Vec::new() };
        for (cpu, processor) in processors {
            if !allowed.has(cpu) {
                let what = format!("cannot use processor {cpu}");
                let why = format!("this process may use {} others", allowed.count());
                return Err(LinuxError::new(what, why, "choose one that `taskset -p $$` shows"));
            }
            let core = Arc::new(Driven::new(cpu, preempts, processor));
            let timed = core.clone();
            let name = format!("ports-timer-{cpu}");
            let timer = std::thread::Builder::new().name(name).spawn(move || timed.keep_time());
            let timer = timer.map_err(|why| cannot("cannot start a timer".into(), &why))?;
            core.timed_by(timer.thread());
            pool.timers.push(timer);
            pool.cores.push(core);
        }
        Ok(pool)
    }

    /// The time of the pool: the machine's monotonic clock.
    #[must_use]
    pub fn now() -> Instant {
        clock::now()
    }

    /// Whether a task that is not first stops at once, and not only at its next checkpoint: that takes CAP_SYS_NICE, or a limit of nice values of 20. The time that a task takes until
    /// its checkpoint is stolen from those before it.
    #[must_use]
    pub const fn preempts(&self) -> bool {
        self.preempts
    }

    fn core(&self, target: Target) -> Result<&Arc<Driven>, SubmitError> {
        let (processor, processors) = (target.processor, self.cores.len());
        self.cores.get(processor).ok_or(SubmitError::NoProcessor { processor, processors })
    }

    /// Submits to the first scheduler of the first processor that has time before the deadline. It waits for nobody (section 4): it analyses where no other thread does, and starts the task's thread;
    /// else the submission goes into the list of a processor, whose owner answers. So the answer is there at once, or comes.
    ///
    /// Refused is what no processor has time for: by the one with the most idle time, when it was asked. The closure has not run then.
    pub fn try_submit<T: Send + 'static>(
        &self,
        work: Span,
        deadline: Instant,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> Pending<T> {
        self.on_its_way(
            Target { processor: 0, scheduler: 0 },
            Request::by(work, deadline),
            None,
            code,
        )
    }

    /// Submits a task whose state lies on one processor: there; or, if that lacks time before the deadline and the affinity lets it go, to the first of the others whose scheduler of the same number has
    /// time for it and for refilling a cache (section 4). [`Handle::cpu`] is where it went. It waits for nobody, as [`Pool::try_submit`].
    ///
    /// A refusal by another processor than home counts the refill into the work. The rule for COMA is about the tasks that are at home when its owner looks; one that comes later is not known.
    pub fn submit_near<T: Send + 'static>(
        &self,
        home: Target,
        affinity: Affinity,
        request: Request,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> Pending<T> {
        self.on_its_way(home, request, Some(affinity), code)
    }

    fn on_its_way<T: Send + 'static>(
        &self,
        home: Target,
        request: Request,
        affinity: Option<Affinity>,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> Pending<T> {
        let core = match self.core(home) {
            Ok(core) => core,
            Err(error) => return Pending::refused(error),
        };
        let (before, rest) = self.cores.split_at(home.processor);
        let others = rest.iter().skip(1).chain(before).cloned().collect();
        let route = Route::over(&request, core.clone(), others, affinity);
        let (submission, pending) = Pending::new(home.scheduler, request, route, code);
        core.offer(submission);
        pending
    }

    /// The first scheduler of the first processor that has time for the work, or else of the one with the most.
    #[cfg(feature = "tokio")]
    pub(crate) fn roomiest(&self, work: Span, deadline: Instant) -> Result<Target, SubmitError> {
        let (mut best, mut most) = (0, Span::ZERO);
        for processor in 0..self.cores.len() {
            let idle = self.idle_before(Target { processor, scheduler: 0 }, deadline)?;
            if idle > most {
                (best, most) = (processor, idle);
            }
            if idle >= work {
                break;
            }
        }
        Ok(Target { processor: best, scheduler: 0 })
    }

    /// Submits to one scheduler.
    ///
    /// # Errors
    /// When it cannot promise that; the closure has not run.
    pub fn submit<T: Send + 'static>(
        &self,
        target: Target,
        request: Request,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> Result<Handle<T>, SubmitError> {
        self.submit_first(target, &[request], |at, _| code(at))
    }

    /// Submits the first alternative that there is time for; the closure is told which that is.
    ///
    /// # Errors
    /// When there is time for none; the closure has not run.
    pub fn submit_first<T: Send + 'static>(
        &self,
        target: Target,
        alternatives: &[Request],
        code: impl FnOnce(&Checkpoints, usize) -> Result<T, StoppedError> + Send + 'static,
    ) -> Result<Handle<T>, SubmitError> {
        self.submit_then(target, alternatives, code, |_| ())
    }

    /// The same, and the task's thread says how it ended, whether anybody waits for it or not.
    pub(crate) fn submit_then<T: Send + 'static>(
        &self,
        target: Target,
        alternatives: &[Request],
        code: impl FnOnce(&Checkpoints, usize) -> Result<T, StoppedError> + Send + 'static,
        then: impl FnOnce(&Finished<T>) + Send + 'static,
    ) -> Result<Handle<T>, SubmitError> {
        let core = self.core(target)?;
        let mut state = core.take_turn();
        let (which, task) = state.processor.submit_first(target.scheduler, alternatives)?;
        core.begin(&mut state, task, move |at| code(at, which), then)
    }

    /// Sends a submission to one scheduler, whose processor answers later (section 4). It takes no lock and analyses nothing: it puts the submission into a list
    /// and wakes the processor's timer. The answer costs a change of threads more than [`Pool::submit`], whose caller waits for whoever has the processor's machine, and starts the thread
    /// of the task itself. Submissions of one thread are analysed in the order in which it made them, by whichever call.
    ///
    /// # Errors
    /// When there is no such processor, or 1,024 submissions to it are not analysed yet; the closure has not run.
    pub fn send<T: Send + 'static>(
        &self,
        target: Target,
        request: Request,
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> Result<Pending<T>, SubmitError> {
        let core = self.core(target)?;
        let (submission, pending) = Pending::new(target.scheduler, request, Route::Ends, code);
        core.send(submission)?;
        Ok(pending)
    }

    /// Gives code a thread, which waits. Whether and when it may run is another matter: [`Pool::admit`].
    ///
    /// # Errors
    /// When this process cannot have another thread.
    pub fn fork<T: Send + 'static>(
        code: impl FnOnce(&Checkpoints) -> Result<T, StoppedError> + Send + 'static,
    ) -> std::io::Result<Forked<T>> {
        Forked::new(code, |_| ()).map_err(|(why, ..)| why)
    }

    /// Submits code that has its thread already.
    ///
    /// # Errors
    /// When its scheduler cannot promise that; the thread still waits, and may be submitted again.
    pub fn admit<T: Send + 'static>(
        &self,
        target: Target,
        request: Request,
        forked: Forked<T>,
    ) -> Result<Handle<T>, (SubmitError, Forked<T>)> {
        let core = match self.core(target) {
            Ok(core) => core,
            Err(error) => return Err((error, forked)),
        };
        let mut state = core.take_turn();
        match state.processor.submit(target.scheduler, request) {
            Ok(task) => Ok(core.attach(&mut state, task, forked)),
            Err(error) => Err((error, forked)),
        }
    }

    /// The most work that would be admitted with this deadline.
    ///
    /// # Errors
    /// When there is no such scheduler, or it promises no deadlines.
    pub fn idle_before(&self, target: Target, deadline: Instant) -> Result<Span, SubmitError> {
        self.core(target)?.take_turn().processor.idle_before(target.scheduler, deadline)
    }

    /// The earliest deadline with which this work would be admitted.
    ///
    /// # Errors
    /// When there is no such scheduler, it promises no deadlines, or the work can never be admitted.
    pub fn earliest_deadline(
        &self,
        target: Target,
        work: Span,
    ) -> Result<Option<Instant>, SubmitError> {
        self.core(target)?.take_turn().processor.earliest_deadline(target.scheduler, work)
    }

    /// How often what happened, on all processors together.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let each = self.cores.iter().map(|core| *core.lock().processor.counts());
        each.fold(Counts::default(), |sum, one| sum.and(&one))
    }
}

/// Tasks that have not ended are stopped at their next checkpoint. Submissions that were sent are answered.
impl Drop for Pool {
    fn drop(&mut self) {
        self.cores.iter().for_each(|core| core.end());
        for timer in self.timers.drain(..) {
            // The last one who has the pool may be a closure that was refused.
            if timer.thread().id() != std::thread::current().id() {
                let _ = timer.join();
            }
        }
        // One may have been over before another sent a submission on to it.
        while self.cores.iter().any(|core| core.answer_rest()) {}
    }
}
