//! Delivers effects, in order, to completion.
//!
//! Two rules order everything:
//!
//! 1. What goes *down* (grant, revoke, news) is carried to the leaves depth first, one effect after the
//!    other, as soon as the scheduler that asked for it has returned. So a processor that was
//!    revoked is free when the next effect is looked at, and can be granted in the same breath.
//! 2. What goes *up* (request, release, message) waits in one queue until nothing goes down, and is
//!    delivered in the order in which it was sent. So a scheduler hears nothing new before all its
//!    earlier effects have been carried out, and is never entered twice.
//!
//! Where a release on its way up crosses a grant or a revocation on its way down, the child has
//! acted first: the child does not hear of the other, and the parent hears the release next. Of a
//! request that the child has withdrawn before it was delivered the parent hears nothing at all:
//! acting on it could lead the child to ask again, and so on without end.

use crate::context::Context;
use crate::error::{Rule, SchedulerError};
use crate::guard::guarded;
use crate::host::Hierarchy;
use crate::id::{ChildVp, OwnVp, TimerId};
use crate::journal::{JournalEntry, JournalEvent, Notification};
use crate::message::ParentNotice;
use crate::scheduler::Scheduler;
use crate::state::{Down, Downward, NONE, Up};
use crate::vp::{Above, Below, VpState};

impl Hierarchy {
    /// Delivers until nothing is under way.
    pub(crate) fn settle(&mut self) {
        loop {
            if let Some(up) = self.state.up.pop_front() {
                self.deliver_up(up);
            } else if let Some(slot) = self.state.immediate.pop_front() {
                let hurry = core::mem::take(&mut self.state.hurried[slot as usize]);
                if hurry.wanted {
                    let (node, timer) = self.state.timer_owner[slot as usize];
                    self.fire(node, timer);
                }
            } else {
                return;
            }
        }
    }

    /// Ends a host's call: delivers until nothing is under way, then moves the children of those
    /// that were quarantined meanwhile. Not earlier: a control request that is half done must find
    /// every child where it left it.
    pub(crate) fn finish(&mut self) {
        self.settle();
        while let Some(node) = self.state.evacuate.pop() {
            self.evacuate(node);
        }
    }

    pub(crate) fn fire(&mut self, node: u32, timer: u16) {
        if self.state.nodes[node as usize].alive {
            self.journal(node, Notification::Timer, NONE);
            self.call(node, |scheduler, context| scheduler.timer(TimerId(timer), context));
        }
    }

    #[inline]
    fn deliver_up(&mut self, up: Up) {
        match up {
            Up::Request(vp) => {
                let joint = &mut self.state.vps[vp as usize];
                if joint.releasing > 0 {
                    joint.withdrawn += 1; // the release is in the queue; the parent hears neither
                    return;
                }
                joint.above = VpState::Ready;
                match self.state.vps[vp as usize].parent {
                    Above::Top(processor) => {
                        self.state.vps[vp as usize].above = VpState::Running(processor);
                        self.deliver_down(Down { vp, what: Downward::Grant(processor) });
                    }
                    Above::Node(node, slot) => {
                        self.journal(node, Notification::Request, vp);
                        self.call(node, |scheduler, context| {
                            scheduler.request(ChildVp(slot), context)
                        });
                    }
                }
            }
            Up::Release(vp) => {
                let joint = &mut self.state.vps[vp as usize];
                joint.releasing -= 1;
                if joint.withdrawn > 0 {
                    joint.withdrawn -= 1;
                    return;
                }
                let before = joint.above;
                joint.above = VpState::Waiting;
                let own = joint.through;
                let Above::Node(node, slot) = joint.parent else {
                    return;
                };
                let mut held = None;
                if matches!(before, VpState::Running(_)) {
                    self.state.nodes[node as usize].owns[usize::from(own)].held_by = NONE;
                    self.state.adjust_debt(node, own);
                    held = Some(OwnVp(own));
                }
                self.journal(node, Notification::Release, vp);
                self.call(node, |scheduler, context| {
                    scheduler.release(ChildVp(slot), held, context)
                });
            }
            Up::Message(vp, message) => {
                let Above::Node(node, slot) = self.state.vps[vp as usize].parent else {
                    return;
                };
                self.journal(node, Notification::Message(message.name()), vp);
                let mut refused = false;
                self.call(node, |scheduler, context| {
                    refused = scheduler.message(Some(ChildVp(slot)), message, context).is_err();
                });
                if refused && self.state.journal.is_open() {
                    let what = JournalEvent::MessageRefused { message: message.name() };
                    let (at, node) = (self.state.now, self.state.node_id(node));
                    self.state.journal.push(JournalEntry { at, node, what });
                }
            }
        }
    }

    #[inline]
    pub(crate) fn deliver_down(&mut self, down: Down) {
        if let Downward::Notice(news) = down.what {
            return self.deliver_news(down.vp, news);
        }
        let joint = &mut self.state.vps[down.vp as usize];
        if joint.releasing > 0 {
            return; // the child has released it already; its parent hears so next
        }
        if let Downward::Grant(processor) = down.what {
            joint.below = VpState::Running(processor);
            match joint.child {
                Below::Thread(thread) => self.state.set_running(processor, thread),
                Below::Node(node, own) => {
                    self.state.adjust_debt(node, own);
                    self.journal(node, Notification::Grant, NONE);
                    self.call(node, |scheduler, context| scheduler.grant(OwnVp(own), context));
                }
                Below::Nobody => {}
            }
        } else {
            let VpState::Running(processor) = joint.below else {
                return;
            };
            joint.below = VpState::Ready;
            match joint.child {
                Below::Thread(_) => self.state.set_running(processor, NONE),
                Below::Node(node, own) => {
                    self.state.adjust_debt(node, own);
                    self.journal(node, Notification::Revoke, NONE);
                    let held_by = self.state.nodes[node as usize].owns[usize::from(own)].held_by;
                    self.call(node, |scheduler, context| {
                        scheduler.revoke(OwnVp(own), ChildVp(held_by), context);
                    });
                }
                Below::Nobody => {}
            }
        }
    }

    #[cold]
    fn deliver_news(&mut self, vp: u32, news: ParentNotice) {
        if let Below::Node(node, own) = self.state.vps[vp as usize].child {
            self.journal(node, Notification::ParentNotice(news.name()), NONE);
            self.call(node, |scheduler, context| {
                scheduler.parent_notice(OwnVp(own), news, context)
            });
        }
    }

    /// Calls a scheduler, then carries its effects down, then sees whether it kept the rules.
    #[inline]
    pub(crate) fn call(
        &mut self,
        node: u32,
        handle: impl FnOnce(&mut dyn Scheduler, &mut Context<'_>),
    ) {
        self.state.delivered += 1;
        let epoch = self.state.epoch;
        let entry = &mut self.state.nodes[node as usize];
        entry.effects = 0;
        if entry.epoch != epoch {
            entry.epoch = epoch;
            entry.calls = 0;
        }
        entry.calls += 1;
        let endless = entry.calls > entry.call_limit();
        let frame = self.state.down.len();
        let scheduler = &mut *self.schedulers[node as usize];
        let state = &mut self.state;
        let sound = guarded(|| handle(scheduler, &mut Context { state, node }));
        let debt = self.state.nodes[node as usize].debt;
        let kept = sound && debt == 0 && !endless && self.state.defect.is_none();
        let defect = if kept { None } else { Some(self.name_defect(node, sound, endless)) };

        let end = self.state.down.len();
        for at in frame..end {
            let down = self.state.down[at];
            self.deliver_down(down);
        }
        self.state.down.truncate(frame);
        if let Some(defect) = defect {
            self.quarantine(node, defect);
        }
    }

    /// Which rule was broken: the first one that was noticed during the call, else by what the
    /// scheduler left behind.
    #[cold]
    fn name_defect(&mut self, node: u32, sound: bool, endless: bool) -> SchedulerError {
        let noticed = self.state.defect.take();
        let plain = |rule| SchedulerError { rule, at: None, state: None, detail: "" };
        if let Some(defect) = noticed {
            return defect;
        }
        if !sound {
            return plain(Rule::Panicked);
        }
        if endless {
            return plain(Rule::Endless);
        }
        for (own, slot) in (0_u32..).zip(&self.state.nodes[node as usize].owns) {
            let below = self.state.vps[slot.vp as usize].below;
            let running = matches!(below, VpState::Running(_));
            let (at, state) = (Some(own), Some(below));
            if running && slot.held_by == NONE {
                return SchedulerError { rule: Rule::KeptProcessor, at, state, detail: "" };
            }
            if !running && slot.held_by != NONE {
                return SchedulerError { rule: Rule::KeptRevoked, at, state, detail: "" };
            }
        }
        plain(Rule::Inconsistent)
    }

    #[inline]
    pub(crate) fn journal(&mut self, node: u32, what: Notification, vp: u32) {
        if self.state.journal.notifications {
            let about = if vp == NONE { None } else { self.state.below(vp) };
            let what = JournalEvent::Notified { what, about };
            let entry = JournalEntry { at: self.state.now, node: self.state.node_id(node), what };
            self.state.journal.push(entry);
        }
    }
}
