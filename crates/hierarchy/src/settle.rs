//! Delivers effects, in order, until none is left.
//!
//! Two rules determine the order:
//!
//! 1. Effects that go *down* (grant, revoke, notice) are carried to the leaves depth first, one after the
//!    other, as soon as the scheduler that asked for them has returned. So a revoked processor is free when
//!    the next effect is delivered, and one call can revoke it and grant it again. These effects are on a
//!    stack, the next one on top.
//! 2. Effects that go *up* (request, release, message) wait in one queue until none goes down, and are
//!    delivered in the order in which they were sent. So a scheduler is notified of nothing new before all
//!    its earlier effects have been carried out, and its calls never nest.
//!
//! If a release on its way up crosses a grant or a revocation on its way down, the child has acted first: the
//! child is not notified of the other effect, and the parent receives the release next. If a child withdraws
//! a request before it is delivered, the parent receives neither: acting on the request could make the child
//! request again, without end.

use crate::context::Context;
use crate::effect::{Down, Up};
use crate::error::{Rule, SchedulerError};
use crate::guard::guarded;
use crate::host::Hierarchy;
use crate::id::{Processor, TimerId};
use crate::index::{NodeIndex, VpIndex};
use crate::instance::Instance;
use crate::journal::{JournalEvent, Notification};
use crate::message::ParentNotice;
use crate::node::Node;
use crate::scheduler::Scheduler;
use crate::state::State;
use crate::vp::{Above, Below, VpState};

impl Hierarchy {
    /// Delivers effects until none is under way.
    pub(crate) fn settle(&mut self) {
        loop {
            if let Some(up) = self.state.up.pop_front() {
                self.deliver_up(up);
            } else if let Some((node, timer)) = self.state.timers.take_immediate() {
                self.fire(node, timer);
            } else {
                return;
            }
        }
    }

    /// Ends a host's call: delivers all effects, then moves the children of schedulers that were quarantined
    /// during the call. They are not moved earlier, because a half-finished control request must find every
    /// child where it left it.
    pub(crate) fn finish(&mut self) {
        self.settle();
        while let Some(node) = self.state.evacuate.pop() {
            self.evacuate(node);
        }
    }

    pub(crate) fn fire(&mut self, node: NodeIndex, timer: TimerId) {
        let instance = &self.nodes[node].instance;
        if instance.alive {
            self.state.notified(instance, Notification::Timer, None);
            self.call(node, |scheduler, context| scheduler.timer(timer, context));
        }
    }

    fn deliver_up(&mut self, up: Up) {
        match up {
            Up::Request(vp) => self.deliver_request(vp),
            Up::Release(vp) => self.deliver_release(vp),
            Up::Message(vp, message) => {
                let Above::Node(node, _) = self.state.vps[vp].parent else {
                    return;
                };
                if self.deliver_message(vp, message).is_err() {
                    let what = JournalEvent::MessageRefused { message: message.name() };
                    self.state.record(&self.nodes[node].instance, what);
                }
            }
            Up::Register(node, own) => self.register_own(node, own),
            Up::Unregister(node, own) => self.unregister_own(node, own),
        }
    }

    fn deliver_request(&mut self, vp: VpIndex) {
        let joint = &mut self.state.vps[vp];
        if joint.releasing > 0 {
            joint.withdrawn += 1; // the release is still queued; the parent receives neither
            return;
        }
        match joint.parent {
            Above::Top(processor) => {
                joint.above = VpState::Running(processor);
                self.send_down(Down::Grant(vp, processor));
            }
            Above::Nowhere => joint.above = VpState::Ready,
            Above::Node(node, child) => {
                joint.above = VpState::Ready;
                self.state.notified(&self.nodes[node].instance, Notification::Request, Some(vp));
                self.call(node, |scheduler, context| scheduler.request(child, context));
            }
        }
    }

    fn deliver_release(&mut self, vp: VpIndex) {
        let joint = &mut self.state.vps[vp];
        joint.releasing -= 1;
        if joint.withdrawn > 0 {
            joint.withdrawn -= 1;
            return;
        }
        let before = core::mem::replace(&mut joint.above, VpState::Waiting);
        let held = before.is_running().then_some(joint.through);
        let Above::Node(node, child) = joint.parent else {
            return;
        };
        let instance = &mut self.nodes[node].instance;
        if let Some(own) = held {
            self.state.take_back(instance, own);
        }
        self.state.notified(instance, Notification::Release, Some(vp));
        self.call(node, |scheduler, context| scheduler.release(child, held, context));
    }

    /// Delivers one effect down to the threads.
    pub(crate) fn send_down(&mut self, down: Down) {
        let level = self.state.down.len();
        self.state.down.push(down);
        self.carry_down(level);
    }

    /// Calls a scheduler, carries its effects down, then quarantines it if it broke a rule.
    pub(crate) fn call(
        &mut self,
        node: NodeIndex,
        handle: impl FnOnce(&mut dyn Scheduler, &mut Context<'_>),
    ) {
        let level = self.state.down.len();
        self.state.notify(&mut self.nodes[node], handle);
        self.carry_down(level);
    }

    /// Delivers effects that go down until the stack has `level` entries.
    fn carry_down(&mut self, level: usize) {
        while self.state.down.len() > level {
            match self.state.down.pop() {
                Some(Down::Grant(vp, processor)) => self.deliver_grant(vp, processor),
                Some(Down::Revoke(vp)) => self.deliver_revoke(vp),
                Some(Down::Notice(vp, notice)) => self.deliver_notice(vp, notice),
                Some(Down::Quarantine(node)) => {
                    if let Some(defect) = self.state.broken.pop() {
                        self.quarantine(node, defect);
                    }
                }
                None => return,
            }
        }
    }

    #[inline]
    fn deliver_grant(&mut self, vp: VpIndex, processor: Processor) {
        let joint = &mut self.state.vps[vp];
        if joint.releasing > 0 {
            return; // the child has released already; its parent receives that next
        }
        joint.below = VpState::Running(processor);
        match joint.child {
            Below::Thread(thread) => self.state.set_running(processor, Some(thread)),
            Below::Node(id, own) => {
                let node = &mut self.nodes[id.index];
                // By S3, no child holds it.
                node.instance.adjust_debt(true, false);
                self.state.notified(&node.instance, Notification::Grant, None);
                self.state.notify(node, |scheduler, context| scheduler.grant(own, context));
            }
            Below::Nobody => {}
        }
    }

    #[inline]
    fn deliver_revoke(&mut self, vp: VpIndex) {
        let joint = &mut self.state.vps[vp];
        let (VpState::Running(processor), 0) = (joint.below, joint.releasing) else {
            return; // as above
        };
        joint.below = VpState::Ready;
        match joint.child {
            Below::Thread(_) => self.state.set_running(processor, None),
            Below::Node(id, own) => {
                let node = &mut self.nodes[id.index];
                let held_by = node.instance.owns[own].held_by;
                node.instance.adjust_debt(false, held_by.is_some());
                // By S1 and S3, there is one.
                let Some(child) = held_by else { return };
                self.state.notified(&node.instance, Notification::Revoke, None);
                self.state.notify(node, |scheduler, context| {
                    scheduler.revoke(own, child, context);
                });
            }
            Below::Nobody => {}
        }
    }

    #[cold]
    fn deliver_notice(&mut self, vp: VpIndex, notice: ParentNotice) {
        if let Below::Node(id, own) = self.state.vps[vp].child {
            let node = &mut self.nodes[id.index];
            let what = Notification::ParentNotice(notice.name());
            self.state.notified(&node.instance, what, None);
            self.state.notify(node, |scheduler, context| {
                scheduler.parent_notice(own, notice, context);
            });
        }
    }
}

impl State {
    /// Calls a scheduler and pushes the consequences on the stack: its effects, and below them its quarantine
    /// if it broke a rule.
    #[inline]
    fn notify(
        &mut self,
        node: &mut Node,
        handle: impl FnOnce(&mut dyn Scheduler, &mut Context<'_>),
    ) {
        self.delivered += 1;
        let Node { scheduler, instance } = node;
        let endless = !instance.count_call(self.epoch);
        let level = self.down.len();
        let scheduler = &mut **scheduler;
        let sound = guarded(|| handle(scheduler, &mut Context { state: self, instance }));
        if self.down.len() > level + 1 {
            self.down[level..].reverse();
        }
        if !sound || endless || instance.debt != 0 || self.defect.is_some() {
            let defect = self.name_defect(instance, sound, endless);
            self.broken.push(defect);
            self.down.insert(level, Down::Quarantine(instance.id.index));
        }
    }

    /// Names the rule that was broken: the first violation noticed during the call, else the one that the
    /// scheduler's final state shows.
    #[cold]
    fn name_defect(&mut self, instance: &Instance, sound: bool, endless: bool) -> SchedulerError {
        let plain = |rule| SchedulerError { rule, at: None, state: None, detail: "" };
        if let Some(noticed) = self.defect.take() {
            return noticed;
        }
        if !sound {
            return plain(Rule::Panicked);
        }
        if endless {
            return plain(Rule::Endless);
        }
        for (own, slot) in instance.owns.iter() {
            let below = self.vps[slot.vp].below;
            let rule = match (below.is_running(), slot.held_by) {
                (true, None) => Rule::KeptProcessor,
                (false, Some(_)) => Rule::KeptRevoked,
                _ => continue,
            };
            let (at, state) = (Some(u32::from(own.0)), Some(below));
            return SchedulerError { rule, at, state, detail: "" };
        }
        plain(Rule::Inconsistent)
    }
}
