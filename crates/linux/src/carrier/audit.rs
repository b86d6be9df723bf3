//! From time to time each foreign thread is looked at: is it what it is believed to be?
//!
//! A program may set its own class or affinity, somebody else may set them, and an event may be missed. A few
//! threads are looked at on each beat of the event loop's heart, so that the cost does not depend on how many there
//! are; one that is granted a processor and does not run there is looked at when that is noticed.

use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::Supervisor;
use windfall_host::Host;
use windfall_os::LinuxError;
use windfall_os::freezer::Brake;
use windfall_time::{Instant, Span};

/// So many threads are looked at each time.
const EACH: usize = 4;
/// So many of those that are not supervised; that is cheaper.
const STRANGERS: usize = 64;
/// And so often at most.
const PAUSE: Span = Span::from_millis(40);

/// Whose turn it is, and since when.
#[derive(Default)]
pub(crate) struct Round {
    next: usize,
    pending: i32,
    last: Instant,
}

impl Supervisor {
    /// Looks at the next few threads, if it is time to.
    pub(crate) fn audit(&mut self) {
        let (now, count) = (self.time(), self.host.threads.list.len());
        let round = &mut self.host.machine.external.round;
        if now.saturating_since(round.last) < PAUSE || count == 0 {
            return;
        }
        round.last = now;
        let first = round.next;
        round.next = (first + EACH.min(count)) % count;
        for turn in 0..EACH.min(count) {
            let number = (first + turn) % count;
            self.look_at(u32::try_from(number).expect("threads are numbered by 32 bits"));
        }
        let machine = &mut self.host.machine;
        for _ in 0..STRANGERS {
            machine.external.round.pending = machine.forget_pending(machine.external.round.pending);
        }
    }

    fn look_at(&mut self, number: u32) {
        let thread = &self.host.threads.list[number as usize];
        let (off, lives) = (!thread.is_ready() || thread.cpu().is_none(), thread.id().is_some());
        if !lives || !self.host.machine.body(number).is_external() {
            return;
        }
        let Ok(found) = self.host.machine.carrier.audit(number) else {
            return self.host.ends(number);
        };
        let name = &self.host.threads.list[number as usize].outcome.name;
        let [class, place] = [
            found.class.map(|restored| {
                format!("`{name}` chose a class of its own, and {}", how(&restored))
            }),
            found
                .place
                .map(|restored| format!("`{name}` was moved elsewhere, and {}", how(&restored))),
        ];
        if class.is_some() {
            self.raise_again(number);
        }
        class.into_iter().chain(place).for_each(|why| self.say_once(why));
        // What it does is asked only where nothing was heard of it for long: events are quicker.
        let now = self.time();
        let heard = self.host.machine.heard(number);
        if heard.is_some_and(|heard| now.saturating_since(heard) > PAUSE) && off {
            self.host.machine.send(WorkItem::Look(number));
        }
    }

    /// A thread has what threads have that may not run. If it may, the next `carry_out` lets it run.
    fn raise_again(&mut self, number: u32) {
        let machine = &mut self.host.machine;
        let place = machine.carrier.place(number);
        if let Some(cpu) = place.filter(|cpu| machine.cpus[*cpu].actual == Some(number)) {
            machine.cpus[cpu].actual = None;
            machine.cpus[cpu].dirty = true;
        }
    }

    /// The thread that a processor is granted to does not run there although it could.
    pub(crate) fn resync(&mut self, cpu: usize) {
        if let Some(number) = self.host.machine.cpus[cpu].desired {
            self.look_at(number);
            self.host.machine.send(WorkItem::Look(number));
        }
    }

    /// A thread has a group that freezes it, or why not.
    pub(crate) fn has_group(&mut self, number: u32, tid: i32, group: std::io::Result<Brake>) {
        let Host { machine, threads, .. } = &mut self.host;
        let thread = &threads.list[number as usize];
        if machine.body(number).tid != tid || thread.id().is_none() {
            return;
        }
        match group {
            Ok(brake) => machine
                .carry(&threads.list, |carrier, moment| carrier.answered(number, brake, moment)),
            Err(error) => {
                let name = &thread.outcome.name;
                let why = format!("`{name}` cannot be held off while its processor idles: {error}");
                self.say_once(why);
            }
        }
    }

    /// The guardian was gone, and this is the next one.
    pub(crate) fn is_guarded_by(&mut self, guardian: i32) {
        let now = self.time();
        self.host.machine.external.agents.push(guardian);
        self.host
            .machine
            .log
            .remarks
            .push((now, "the guardian had ended; another was posted".to_owned()));
    }

    /// The guardian was gone, and there is no other: the run may not go on.
    pub(crate) fn is_unguarded(&mut self, why: &LinuxError) {
        self.host.machine.log.cut_short =
            Some(format!("the guardian had ended, and no other could be posted: {why}"));
    }
}

const fn how(restored: &std::io::Result<()>) -> &'static str {
    if restored.is_ok() { "was put back" } else { "could not be put back" }
}
