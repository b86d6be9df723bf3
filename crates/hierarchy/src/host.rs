//! The host's interface: events go in, the thread for each processor comes out.
//!
//! Each call carries the current time, runs to completion, and leaves each processor with exactly one thread
//! or idle. The host then reads [`Hierarchy::next_changed`] to learn which thread to run where, and
//! [`Hierarchy::next_timer`] to learn when to call back.

use crate::answer::{Answer, AnswerError};
use crate::effect::Up;
use crate::error::{HierarchyError, SchedulerError};
use crate::id::{NodeId, OwnVp, Processor, Target, ThreadId};
use crate::index::{NodeIndex, Table, VpIndex};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::node::Node;
use crate::state::State;
use crate::vp::{Above, VpState};
use windfall_time::{Instant, Span};

/// Shares a machine's processors among threads by a tree of schedulers.
#[derive(Clone)]
pub struct Hierarchy {
    pub(crate) state: State,
    pub(crate) nodes: Table<NodeIndex, Node>,
}

impl Hierarchy {
    /// Creates the hierarchy of a machine with this many processors, without schedulers or threads.
    #[must_use]
    pub fn new(processors: u16) -> Hierarchy {
        Hierarchy { state: State::new(processors), nodes: Table::new() }
    }

    /// A waiting thread becomes ready: its bottom scheduler requests a processor.
    ///
    /// # Errors
    /// When the thread has exited, is not waiting, or time went back.
    pub fn ready(&mut self, now: Instant, thread: ThreadId) -> Result<(), HierarchyError> {
        self.begin(now)?;
        let vp = self.leaf_vp(thread)?;
        let joint = &mut self.state.vps[vp];
        if joint.below != VpState::Waiting {
            return Err(HierarchyError::WrongState { requested: "make ready", state: joint.below });
        }
        joint.below = VpState::Ready;
        self.state.up.push_back(Up::Request(vp));
        self.finish();
        Ok(())
    }

    /// A ready or running thread blocks: its bottom scheduler releases.
    ///
    /// # Errors
    /// When the thread has exited, is already waiting, or time went back.
    pub fn blocked(&mut self, now: Instant, thread: ThreadId) -> Result<(), HierarchyError> {
        self.begin(now)?;
        let vp = self.leaf_vp(thread)?;
        self.leaf_releases(vp, "block")?;
        self.finish();
        Ok(())
    }

    /// A running thread yields. If its scheduler supports yielding
    /// ([`lets_yield`](crate::Scheduler::lets_yield)) and another child below that scheduler is ready, the
    /// thread releases and requests again. Otherwise nothing happens.
    ///
    /// # Errors
    /// When the thread has exited, is not running, or time went back.
    pub fn yielded(&mut self, now: Instant, thread: ThreadId) -> Result<(), HierarchyError> {
        self.begin(now)?;
        let vp = self.leaf_vp(thread)?;
        let joint = self.state.vps[vp];
        let state = joint.below;
        if !state.is_running() {
            return Err(HierarchyError::WrongState { requested: "yield", state });
        }
        let Above::Node(node, _) = joint.parent else {
            return Ok(());
        };
        let Node { scheduler, instance } = &self.nodes[node];
        let view = crate::View { state: &self.state, instance };
        if !scheduler.lets_yield() || scheduler.next(joint.through, &view).is_none() {
            self.finish();
            return Ok(());
        }
        self.leaf_releases(vp, "yield")?;
        self.state.vps[vp].below = VpState::Ready;
        self.state.up.push_back(Up::Request(vp));
        self.finish();
        Ok(())
    }

    /// Sends a message from a thread to its scheduler, for example that a job begins or a share changes.
    ///
    /// # Errors
    /// When the scheduler refuses, the thread has exited, or time went back.
    pub fn send(
        &mut self,
        now: Instant,
        thread: ThreadId,
        message: Message,
    ) -> Result<(), HierarchyError> {
        self.begin(now)?;
        let vp = self.leaf_vp(thread)?;
        let answer = self.deliver_message(vp, message);
        self.finish();
        Ok(answer?)
    }

    /// Like [`send`](Self::send), for a message that the scheduler may not understand. Returns whether it
    /// does.
    ///
    /// # Errors
    /// When the scheduler refuses for another reason, the thread has exited, or time went back.
    pub fn try_send(
        &mut self,
        now: Instant,
        thread: ThreadId,
        message: Message,
    ) -> Result<bool, HierarchyError> {
        match self.send(now, thread, message) {
            Ok(()) => Ok(true),
            Err(HierarchyError::Refused(AnswerError::NotUnderstood { .. })) => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    /// Calls every scheduler whose timer is due at or before `now`, in order of time.
    ///
    /// # Errors
    /// When time went back.
    pub fn timer_due(&mut self, now: Instant) -> Result<(), HierarchyError> {
        while self.one_timer_due(now)? {}
        Ok(())
    }

    /// Calls the scheduler whose timer is due first, if that is at or before `now`. Returns whether a timer
    /// was due.
    ///
    /// # Errors
    /// When time went back.
    pub fn one_timer_due(&mut self, now: Instant) -> Result<bool, HierarchyError> {
        self.begin(now)?;
        let Some((node, timer)) = self.state.timers.take_due(now) else {
            return Ok(false);
        };
        self.state.epoch += 1;
        self.fire(node, timer);
        self.finish();
        Ok(true)
    }

    /// Defers the next timer to `until` if it is due earlier, because this host takes time to deliver it.
    pub fn defer_timer(&mut self, until: Instant) {
        self.state.timers.defer(until);
    }

    /// A processor that the owner of the next timer holds, if it holds one.
    #[must_use]
    pub fn next_timer_processor(&self) -> Option<Processor> {
        let owns = &self.nodes[self.state.timers.next_node()?].instance.owns;
        owns.values().find_map(|own| match self.state.vps[own.vp].below {
            VpState::Running(processor) => Some(processor),
            _ => None,
        })
    }

    /// Reports time taken from `processor` since the last report, by an interrupt or a hypervisor. Neither
    /// its thread nor its schedulers received that time. No scheduler is notified;
    /// [`View::stolen`](crate::View::stolen) returns the sum. Report what was stolen up to an event before
    /// the call that brings this event (decision 0006).
    ///
    /// # Errors
    /// When there is no such processor.
    pub fn report_stolen(
        &mut self,
        processor: Processor,
        span: Span,
    ) -> Result<(), HierarchyError> {
        let slot = self.state.processors.get_mut(processor);
        let slot = slot.ok_or(HierarchyError::Stale { what: "processor" })?;
        slot.stolen = slot.stolen.saturating_add(span);
        Ok(())
    }

    /// Reports time that deciding and switching took from `processor` since the last report, while it was
    /// granted to a thread. Otherwise like [`report_stolen`](Hierarchy::report_stolen);
    /// [`View::overhead`](crate::View::overhead) returns the sum.
    ///
    /// # Errors
    /// When there is no such processor.
    pub fn report_overhead(
        &mut self,
        processor: Processor,
        span: Span,
    ) -> Result<(), HierarchyError> {
        let slot = self.state.processors.get_mut(processor);
        let slot = slot.ok_or(HierarchyError::Stale { what: "processor" })?;
        slot.overhead = slot.overhead.saturating_add(span);
        Ok(())
    }

    /// The time at which the next timer is due.
    #[must_use]
    pub fn next_timer(&self) -> Option<Instant> {
        self.state.timers.next()
    }

    /// Whether [`next_changed`](Self::next_changed) would return a processor.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        !self.state.changed.is_empty()
    }

    /// Takes one of the processors whose thread has changed since it was last taken. `None` when no other is
    /// left.
    pub fn next_changed(&mut self) -> Option<Processor> {
        let processor = self.state.changed.pop()?;
        self.state.processors[processor].changed = false;
        Some(processor)
    }

    /// The thread that a processor should run; `None` if it should idle.
    #[must_use]
    pub fn running(&self, processor: Processor) -> Option<ThreadId> {
        self.state.processors.get(processor)?.thread
    }

    /// Number of processors.
    #[must_use]
    pub fn processors(&self) -> u16 {
        u16::try_from(self.state.processors.len()).expect("it was made for a 16-bit number of them")
    }

    /// The state of a thread's virtual processor.
    #[must_use]
    pub fn thread_state(&self, thread: ThreadId) -> Option<VpState> {
        let vp = self.leaf_vp(thread).ok()?;
        Some(self.state.vps[vp].below)
    }

    /// Number of notifications that schedulers have received so far.
    #[must_use]
    pub fn notifications(&self) -> u64 {
        self.state.delivered
    }

    /// The schedulers that broke the protocol so far, with their names and errors.
    #[must_use]
    pub fn quarantined(&self) -> &[(NodeId, alloc::string::String, SchedulerError)] {
        &self.state.quarantined
    }

    /// Keeps a journal of at most `capacity` entries between two drains: notes, quarantines, and also every
    /// notification if `notifications` is set.
    pub fn open_journal(&mut self, capacity: usize, notifications: bool) {
        self.state.journal.open(capacity, notifications);
    }

    /// Takes all entries out of the journal.
    pub fn drain_journal(&mut self) -> impl Iterator<Item = JournalEntry> + '_ {
        self.state.journal.drain()
    }

    /// Whether the journal has no entries.
    #[must_use]
    pub const fn journal_is_empty(&self) -> bool {
        self.state.journal.is_empty()
    }

    /// Number of entries that did not fit into the journal.
    #[must_use]
    pub const fn journal_lost(&self) -> u64 {
        self.state.journal.lost()
    }

    /// Begins a host's call: sets the time, and renews every scheduler's allowance of calls.
    pub(crate) fn begin(&mut self, now: Instant) -> Result<(), HierarchyError> {
        if now < self.state.now {
            return Err(HierarchyError::TimeWentBack { now, before: self.state.now });
        }
        self.state.now = now;
        self.state.epoch += 1;
        Ok(())
    }

    pub(crate) fn leaf_vp(&self, thread: ThreadId) -> Result<VpIndex, HierarchyError> {
        let leaf = self.state.leaves.get(thread.index);
        leaf.filter(|leaf| leaf.generation == thread.generation)
            .and_then(|leaf| leaf.vp)
            .ok_or(HierarchyError::Stale { what: "thread" })
    }

    pub(crate) fn node_index(&self, node: NodeId) -> Result<NodeIndex, HierarchyError> {
        let entry = self.nodes.get(node.index).map(|entry| &entry.instance);
        entry
            .filter(|entry| entry.alive && entry.id == node)
            .map(|_| node.index)
            .ok_or(HierarchyError::Stale { what: "scheduler" })
    }

    /// Withdraws a leaf's request or releases its processor.
    pub(crate) fn leaf_releases(
        &mut self,
        vp: VpIndex,
        requested: &'static str,
    ) -> Result<(), HierarchyError> {
        let joint = &mut self.state.vps[vp];
        match joint.below {
            VpState::Waiting => {
                return Err(HierarchyError::WrongState { requested, state: joint.below });
            }
            VpState::Ready => {}
            VpState::Running(processor) => self.state.set_running(processor, None),
        }
        let joint = &mut self.state.vps[vp];
        joint.below = VpState::Waiting;
        joint.releasing += 1;
        self.state.up.push_back(Up::Release(vp));
        Ok(())
    }

    /// Sends a message to the scheduler above `vp` and returns its answer.
    pub(crate) fn deliver_message(&mut self, vp: VpIndex, message: Message) -> Answer {
        let Above::Node(node, child) = self.state.vps[vp].parent else {
            return Err(AnswerError::NotUnderstood {
                message: message.name(),
                takes: "no messages",
            });
        };
        let what = crate::Notification::Message(message.name());
        self.state.notified(&self.nodes[node].instance, what, Some(vp));
        let mut answer = Ok(());
        self.call(node, |scheduler, context| {
            answer = scheduler.message(Some(child), message, context);
        });
        answer
    }

    /// The VP number `own` of a thread or an instance.
    pub(crate) fn target_vp(&self, target: Target, own: OwnVp) -> Result<VpIndex, HierarchyError> {
        match target {
            Target::Thread(thread) => self.leaf_vp(thread),
            Target::Node(node) => {
                let node = self.node_index(node)?;
                let slot = self.nodes[node].instance.owns.get(own);
                slot.map(|slot| slot.vp).ok_or(HierarchyError::Stale { what: "virtual processor" })
            }
        }
    }
}
