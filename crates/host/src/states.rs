//! Changes of a thread's state (runnable, waiting, ended), reported by its program or by its machine.

use crate::agenda::Due;
use crate::host::Host;
use crate::machine::Machine;
use windfall_scenario::outcome::count;
use windfall_trace::{Event, Figure, ThreadId};

impl<M: Machine> Host<M> {
    /// Makes a thread runnable; `by` is the trace's number of the thread that woke it. Does nothing if it is runnable.
    #[inline]
    pub fn wakes(&mut self, number: u32, by: Option<ThreadId>) {
        let now = self.machine.now();
        let thread = &mut self.threads.list[number as usize];
        let Some(id) = thread.id.filter(|_| !thread.ready) else { return };
        thread.wakes(now);
        let last_cpu = thread.last_cpu;
        self.promise_wakes(number);
        if let Some(cpu) = last_cpu {
            self.step.payer = cpu;
        }
        self.record_at(now, number, |thread| Event::Wake { thread, by });
        self.send_at(now, |hierarchy, now| hierarchy.ready(now, id));
    }

    /// Makes a thread wait. Does nothing if it waits.
    #[inline]
    pub fn waits(&mut self, number: u32) {
        let thread = &self.threads.list[number as usize];
        let Some(id) = thread.id.filter(|_| thread.ready) else { return };
        self.promise_sleeps(number);
        self.machine.compute(number, None);
        let now = self.machine.now();
        self.threads.list[number as usize].sleeps(now);
        self.send_at(now, |hierarchy, now| hierarchy.blocked(now, id));
    }

    /// Sets a figure that a thread reports of itself.
    pub(crate) fn keeps(&mut self, number: u32, name: &'static str, value: Figure) {
        self.threads.list[number as usize].outcome.report(name, count(value));
        self.record(number, |thread| Event::Figure { thread, name: name.to_owned(), value });
    }

    /// Ends a thread. Does nothing if it has ended.
    pub fn ends(&mut self, number: u32) {
        let Some(id) = self.threads.list[number as usize].id else { return };
        self.promise_sleeps(number);
        self.machine.compute(number, None);
        let now = self.machine.now();
        if self.threads.list[number as usize].ready {
            self.threads.list[number as usize].sleeps(now);
        }
        self.agenda.cancel(Due::Release(number));
        self.take_back_first_task(number);
        self.attribute(number as usize);
        let (parent, stats) = (self.parent(Some(id)), self.counted(id));
        let outcome = &mut self.threads.list[number as usize].outcome;
        outcome.parent = parent;
        outcome.counted(stats);
        self.send(|hierarchy, now| hierarchy.exited(now, id));
        self.tasks_are_left(number, now, true);
        self.record(number, |thread| Event::Exit { thread });
        self.threads.is_forgotten(id);
        self.threads.list[number as usize].id = None;
        self.machine.ended(number);
    }
}
