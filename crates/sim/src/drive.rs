//! What a program's actions do to the machine.

use crate::cpu::ENDLESS;
use crate::events::Due;
use crate::machine::fires;
use crate::run::Sim;
use crate::thread::{Condition, Job};
use windfall_hierarchy::Processor;
use windfall_programs::{Action, NotOwner, Resource};
use windfall_scenario::outcome::Failure;
use windfall_time::{Instant, Span};
use windfall_trace::Event;

/// So many actions of one thread at one instant are taken for a program that gets nowhere.
const PATIENCE: u32 = 100_000;

impl Sim<'_> {
    /// Lets the thread on a processor act until it computes, waits, or loses the processor.
    pub(crate) fn drive(&mut self, cpu: usize) {
        let processor = Processor(u16::try_from(cpu).unwrap_or(u16::MAX));
        self.event_cpu = processor.0;
        loop {
            let Some(number) = self.cpus[cpu].thread else {
                return;
            };
            let wanted = self.hierarchy.running(processor);
            let thread = &mut self.threads[number as usize];
            if wanted != thread.id || !thread.asks || !self.cpus[cpu].robberies.is_empty() {
                return; // it acts when it gets the processor back, or when the theft is over
            }
            let now = self.now;
            let action = match thread.resumed.take() {
                Some(action) => action,
                None => thread.body.next(now),
            };
            if let Action::Compute(work) = action
                && !work.is_zero()
            {
                thread.asks = false;
                thread.left = if work == Span::MAX {
                    ENDLESS
                } else {
                    work.as_nanos().saturating_mul(self.unit)
                };
                self.rearm(cpu);
                return;
            }
            if thread.idle_actions.0 == now {
                thread.idle_actions.1 += 1;
                if thread.idle_actions.1 > PATIENCE {
                    let thread = thread.spec.name.clone();
                    self.failure = Some(Failure::Stuck { thread, at: now });
                    return;
                }
            } else {
                thread.idle_actions = (now, 0);
            }
            self.act(number, action);
            if self.failure.is_some() {
                return;
            }
        }
    }

    /// Carries out one action of a running thread, other than computing.
    fn act(&mut self, number: u32, action: Action) {
        let now = self.now;
        match action {
            Action::Compute(_) => {}
            Action::SleepUntil(at) if at <= now => {}
            Action::SleepUntil(at) => {
                self.events.set(Due::Wake(number), fires(self.machine.timer, at));
                self.block(number, Condition::Sleeping);
            }
            Action::AwaitJob => self.await_job(number),
            Action::JobDone => self.job_done(number),
            Action::JobBegins { release, deadline } => self.job_begins(number, release, deadline),
            Action::Lock(lock) => {
                if !self.syncs.at(lock).lock(number) {
                    self.block(number, Condition::Held(None));
                }
            }
            Action::Unlock(lock) => self.unlock(number, lock),
            Action::Wait { condition, lock } => {
                self.unlock(number, lock);
                self.syncs.at(condition).wait(number);
                self.block(number, Condition::Held(Some(lock)));
            }
            Action::Signal(condition) => {
                if let Some(waiter) = self.syncs.at(condition).signal() {
                    self.signalled(waiter, number);
                }
            }
            Action::Broadcast(condition) => {
                while let Some(waiter) = self.syncs.at(condition).signal() {
                    self.signalled(waiter, number);
                }
            }
            Action::Barrier(barrier) => match self.syncs.at(barrier).arrive(number) {
                Some(others) => others.into_iter().for_each(|other| self.wake(other, Some(number))),
                None => self.block(number, Condition::Held(None)),
            },
            Action::Yield => {
                if let Some(id) = self.threads[number as usize].id {
                    self.promise_sleeps(number); // it releases and requests again
                    self.promise_wakes(number);
                    self.tell(|hierarchy, now| hierarchy.yielded(now, id));
                }
            }
            Action::Wake(other) => self.wake_other(number, other),
            Action::AwaitWake => {
                let thread = &mut self.threads[number as usize];
                if thread.wakes > 0 {
                    thread.wakes -= 1;
                } else {
                    self.block(number, Condition::AwaitingWake);
                }
            }
            Action::Exit => self.exit(number),
        }
    }

    /// The thread waits for something; it acts again when it has been woken.
    fn block(&mut self, number: u32, condition: Condition) {
        self.promise_sleeps(number);
        let now = self.now;
        let thread = &mut self.threads[number as usize];
        let Some(id) = thread.id else { return };
        thread.condition = condition;
        thread.asks = true;
        thread.unserved = None;
        thread.stats.runnable += now - thread.awake;
        if thread.stats.released == 0 && thread.jobs.is_none() {
            let awake = thread.awake;
            thread.stats.complete(awake, now, false); // a burst, from wake-up to wait
        }
        self.tell(|hierarchy, now| hierarchy.blocked(now, id));
    }

    fn exit(&mut self, number: u32) {
        let now = self.now;
        self.job_done(number); // what it worked at ends with it
        self.promise_sleeps(number);
        let thread = &mut self.threads[number as usize];
        let Some(id) = thread.id else { return };
        thread.condition = Condition::Gone;
        thread.asks = false;
        thread.unserved = None;
        thread.stats.runnable += now - thread.awake;
        if thread.stats.released == 0 && thread.jobs.is_none() {
            let awake = thread.awake;
            thread.stats.complete(awake, now, false); // its last burst
        }
        self.events.cancel(Due::Release(number));
        self.attribute(number as usize);
        let parent = self.parent(self.threads[number as usize].id);
        self.threads[number as usize].stats.parent = parent;
        self.tell(|hierarchy, now| hierarchy.exited(now, id));
        self.tracer.record(now, || Event::Exit { thread: windfall_trace::ThreadId(number) });
    }

    /// The next job begins, or the thread waits for one.
    fn await_job(&mut self, number: u32) {
        let aborts = self.threads[number as usize].aborts();
        while let Some(job) = self.threads[number as usize].backlog.pop_front() {
            if aborts && job.deadline.is_some_and(|deadline| deadline <= self.now) {
                self.count_abort(number); // its time has passed while it waited
                continue;
            }
            self.threads[number as usize].job = Some(job);
            return self.begin_job(number);
        }
        self.block(number, Condition::Jobless);
    }

    /// After a job was given up: what the program does next, with or without a processor.
    pub(crate) fn next_job(&mut self, number: u32) {
        let now = self.now;
        let thread = &mut self.threads[number as usize];
        match thread.body.next(now) {
            Action::AwaitJob => self.await_job(number),
            Action::Exit => self.exit(number),
            action => thread.resumed = Some(action),
        }
        let cpu = self.threads[number as usize].cpu;
        if let Some(cpu) = cpu {
            self.eager.push(cpu);
        }
    }

    fn job_begins(&mut self, number: u32, release: Instant, deadline: Option<Instant>) {
        let thread = &mut self.threads[number as usize];
        thread.job = Some(Job { release, deadline });
        thread.stats.released += 1;
        thread.stats.due |= deadline.is_some();
        let event = Event::Release { thread: windfall_trace::ThreadId(number), deadline };
        self.tracer.record(self.now, || event);
        self.tell_job(number);
    }

    fn job_done(&mut self, number: u32) {
        let now = self.now;
        let thread = &mut self.threads[number as usize];
        let Some(job) = thread.job.take() else { return };
        let missed = job.deadline.is_some_and(|deadline| now > deadline);
        thread.stats.complete(job.release, now, missed);
        self.tracer.record(now, || Event::Complete {
            thread: windfall_trace::ThreadId(number),
            response: now - job.release,
            missed,
        });
        if !self.followers.is_empty()
            && let Some(followers) = self.followers.get(&number).cloned()
        {
            followers.into_iter().for_each(|follower| self.release_job(follower));
        }
    }

    fn unlock(&mut self, number: u32, lock: Resource) {
        match self.syncs.at(lock).unlock(number) {
            Ok(Some(next)) => self.wake(next, Some(number)),
            Ok(None) => {}
            Err(NotOwner) => {
                let thread = self.threads[number as usize].spec.name.clone();
                self.failure = Some(Failure::NotOwner { thread, at: self.now });
            }
        }
    }

    /// A thread that waited for a condition goes on when it has its lock again.
    fn signalled(&mut self, waiter: u32, by: u32) {
        let Condition::Held(Some(lock)) = self.threads[waiter as usize].condition else {
            return;
        };
        self.threads[waiter as usize].condition = Condition::Held(None);
        if self.syncs.at(lock).lock(waiter) {
            self.wake(waiter, Some(by));
        }
    }

    /// Wakes a thread that waits for that; else it will not wait next time.
    fn wake_other(&mut self, number: u32, other: usize) {
        let Some(thread) = self.threads.get_mut(other) else {
            return;
        };
        match thread.condition {
            Condition::AwaitingWake => {
                self.wake(u32::try_from(other).unwrap_or(u32::MAX), Some(number));
            }
            Condition::Gone => {}
            _ => thread.wakes += 1,
        }
    }
}
