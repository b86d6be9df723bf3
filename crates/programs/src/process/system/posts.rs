//! Posting events and waiting for them: at once, by timers, and from other nodes.

use super::{CallOutcome, System, Waits, Woken};
use crate::process::agenda::{Post, What};
use crate::process::events::State;
use crate::process::{Answer, Event, ProcessError, ProcessHandle, Reply};
use windfall_time::Instant;

impl System {
    pub(super) fn post(
        &mut self,
        me: ProcessHandle,
        event: Event,
        datum: u64,
        now: Instant,
    ) -> Answer {
        let node = event.handle().node();
        if node == me.handle().node() {
            let owner = self.events.post(event, datum)?;
            let by = self.thread_of(me);
            self.posted(owner, event, by);
        } else {
            self.events.check(event)?;
            let post = Post { event, what: What::Posted(datum), by: self.thread_of(me) };
            self.agenda.send(now.saturating_add(self.costs.latency), post);
        }
        Ok(Reply::DONE)
    }

    /// Wakes the owner of a posted event if it waits for that event.
    pub(super) fn posted(&mut self, owner: ProcessHandle, event: Event, by: Option<u32>) {
        let Ok(proc) = self.processes.at(owner.handle()) else { return };
        let wanted = match &proc.waits {
            Waits::Any => true,
            Waits::One(set) => set.contains(&event),
            _ => false,
        };
        if wanted {
            proc.waits = Waits::Not;
            self.woken.push_back(Woken { thread: proc.thread, done: false, by });
        }
    }

    pub(super) fn reset(&mut self, me: ProcessHandle, event: Event) -> Answer {
        match self.events.reset(event, me)? {
            State::Idle => Ok(Reply::datum(None)),
            State::Posted(datum) => Ok(Reply::datum(Some(datum))),
            State::InQueue(queue, ticket) => {
                if let Ok(queue) = self.queues.at(queue.handle()) {
                    queue.leave(ticket);
                }
                Ok(Reply::datum(None))
            }
        }
    }

    pub(super) fn wait(&mut self, me: ProcessHandle, set: Option<&[Event]>) -> CallOutcome {
        match self.events.take(me, set) {
            Err(refusal) => CallOutcome::Done(Err(refusal)),
            Ok(Some(posted)) => {
                let handle = posted.event.handle();
                CallOutcome::Done(Ok(Reply { handle, datum: Some(posted.datum) }))
            }
            Ok(None) => self.waits(me, set.map_or(Waits::Any, |set| Waits::One(set.to_vec()))),
        }
    }

    pub(super) fn post_at(
        &mut self,
        me: ProcessHandle,
        (event, datum): (Event, u64),
        at: Instant,
    ) -> Answer {
        let block = self.events.own(event, me)?;
        if let Some(at) = block.timer {
            return Err(ProcessError::AlreadyTimed { event, at });
        }
        block.timer = Some(at);
        self.agenda.set_timer(at, event, datum);
        Ok(Reply::DONE)
    }

    pub(super) fn cancel(&mut self, me: ProcessHandle, event: Event) -> Answer {
        let timer = self.events.own(event, me)?.timer.take();
        if let Some(at) = timer {
            self.agenda.cancel(at, event);
        }
        Ok(Reply::datum(Some(u64::from(timer.is_some()))))
    }

    /// Posts the events whose timers are due.
    pub(crate) fn timers_due(&mut self, now: Instant) {
        while let Some((event, datum)) = self.agenda.timer_due(now) {
            let Ok(block) = self.events.at(event) else { continue }; // it was deleted with its owner
            block.timer = None;
            match self.events.post(event, datum) {
                Ok(owner) => self.posted(owner, event, None),
                Err(_) => self.counts.undelivered += 1,
            }
        }
    }

    /// Delivers posts that have arrived.
    pub(crate) fn deliver_due(&mut self, now: Instant) {
        while let Some(Post { event, what, by }) = self.agenda.post_due(now) {
            match what {
                What::Posted(datum) => match self.events.post(event, datum) {
                    Ok(owner) => self.posted(owner, event, by),
                    Err(_) => self.counts.undelivered += 1,
                },
                What::Handed { queue, ticket, datum } => {
                    match self.events.hand(event, (queue, ticket), datum.word) {
                        Some(owner) => self.posted(owner, event, by),
                        None => self.give_back(event.handle().node(), queue, datum, now),
                    }
                }
            }
        }
    }
}
