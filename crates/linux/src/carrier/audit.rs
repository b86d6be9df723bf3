//! From time to time each foreign thread is looked at: is it what it is believed to be?
//!
//! A program may set its own class or affinity, somebody else may set them, and an event may be missed. A few
//! threads are looked at on each beat of the event loop's heart, so that the cost does not depend on how many there
//! are; one that is granted a processor and does not run there is looked at when that is noticed.

use crate::supervise::procfs_worker::WorkItem;
use crate::supervise::supervisor::Supervisor;
use crate::threads::member::Kind;
use windfall_observe::fifo_priorities;
use windfall_os::LinuxError;
use windfall_os::sched::{Affinity, Attributes};
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
        let now = self.time();
        if now.saturating_since(self.external.round.last) < PAUSE || self.threads.members.is_empty()
        {
            return;
        }
        self.external.round.last = now;
        for _ in 0..EACH.min(self.threads.members.len()) {
            let number = self.external.round.next % self.threads.members.len();
            self.external.round.next = number + 1;
            self.look_at(number);
        }
        for _ in 0..STRANGERS {
            self.external.round.pending = self.forget_pending(self.external.round.pending);
        }
    }

    fn look_at(&mut self, number: usize) {
        let member = &self.threads.members[number];
        let Kind::External { .. } = member.kind else { return };
        if member.id.is_none() {
            return;
        }
        let (tid, priority, number) = (
            member.tid,
            member.fifo_priority,
            u32::try_from(number).expect("threads are numbered by 32 bits"),
        );
        let now = self.time();
        let Ok(attributes) = Attributes::of(tid) else {
            return self.becomes_gone(number, now);
        };
        if attributes.policy != libc::SCHED_FIFO.cast_unsigned() || attributes.priority != priority
        {
            // It has chosen a class itself; as long as it is supervised, that does not count.
            let restored = Attributes::fifo(fifo_priorities::HELD).give(tid);
            let member = &mut self.threads.members[number as usize];
            member.fifo_priority = fifo_priorities::HELD;
            let name = &member.outcome.name;
            let why = format!("`{name}` chose a class of its own, and {}", how(&restored));
            if let Some(cpu) = member.place.filter(|cpu| self.cpus[*cpu].actual == Some(number)) {
                self.cpus[cpu].actual = None;
                self.cpus[cpu].dirty = true;
            }
            self.tell_once(why);
        }
        let member = &self.threads.members[number as usize];
        let place = member.place.map(|cpu| Affinity::one(self.cpus[cpu].number));
        if let Some(place) = place.filter(|place| Affinity::of(tid).is_ok_and(|of| of != *place)) {
            let restored = place.give(tid);
            let name = &member.outcome.name;
            self.tell_once(format!("`{name}` was moved elsewhere, and {}", how(&restored)));
        }
        // What it does is asked only where nothing was heard of it for long: events are quicker.
        let member = &self.threads.members[number as usize];
        let off = !member.ready || member.on.is_none();
        if now.saturating_since(member.heard) > PAUSE && !member.frozen && off {
            self.send(WorkItem::Look(number));
        }
    }

    /// The thread that a processor is granted to does not run there although it could.
    pub(crate) fn resync(&mut self, cpu: usize) {
        if let Some(number) = self.desired(cpu) {
            self.look_at(number as usize);
            self.send(WorkItem::Look(number));
        }
    }

    /// Tells what was not as it should be; the same only once.
    pub(crate) fn tell_once(&mut self, why: String) {
        if !self.log.refused.iter().any(|(_, before)| *before == why) {
            let now = self.time();
            self.log.refused.push((now, why));
        }
    }

    /// The guardian was gone, and this is the next one.
    pub(crate) fn is_guarded_by(&mut self, guardian: i32) {
        let now = self.time();
        self.external.agents.push(guardian);
        self.log.remarks.push((now, "the guardian had ended; another was posted".to_owned()));
    }

    /// The guardian was gone, and there is no other: the run may not go on.
    pub(crate) fn is_unguarded(&mut self, why: &LinuxError) {
        self.log.cut_short =
            Some(format!("the guardian had ended, and no other could be posted: {why}"));
    }
}

const fn how(restored: &std::io::Result<()>) -> &'static str {
    if restored.is_ok() { "was put back" } else { "could not be put back" }
}
