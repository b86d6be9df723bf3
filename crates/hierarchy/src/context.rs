//! The interface of a scheduler: [`Context`] carries out effects, [`View`] only reads.
//!
//! Each effect is checked against the protocol when it is asked for. The scheduler's own view of its virtual
//! processors changes at once; the notification is delivered after the scheduler returns. An effect that
//! breaks a rule is not carried out, and the scheduler is quarantined when it returns.

use crate::effect::{Down, Up};
use crate::error::{Rule, SchedulerError};
use crate::id::{ChildVp, OwnVp, Processor, TimerId};
use crate::index::{TableIndex, VpIndex};
use crate::instance::{Instance, OwnSlot};
use crate::journal::{JournalEvent, Note};
use crate::message::{Message, ParentNotice};
use crate::state::State;
use crate::vp::{Below, VpState};
use windfall_time::{Instant, Span};

/// The hierarchy as one scheduler may see and change it while it handles a notification.
pub struct Context<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) instance: &'a mut Instance,
}

/// Read access to one instance's virtual processors.
pub struct View<'a> {
    pub(crate) state: &'a State,
    pub(crate) instance: &'a Instance,
}

impl View<'_> {
    /// The time of the host's current call.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.state.now
    }

    /// Number of own VPs of the instance.
    #[must_use]
    pub fn owns(&self) -> usize {
        self.instance.owns.len()
    }

    /// The state of an own VP; waiting if the number does not exist.
    #[must_use]
    pub fn own(&self, own: OwnVp) -> VpState {
        let slot = self.instance.owns.get(own);
        slot.map_or(VpState::Waiting, |slot| self.state.vps[slot.vp].below)
    }

    /// The state of a child's VP; waiting if the child does not exist.
    #[must_use]
    pub fn child(&self, child: ChildVp) -> VpState {
        let vp = self.instance.children.get(child);
        vp.map_or(VpState::Waiting, |vp| self.state.vps[vp].above)
    }

    /// The child that holds the processor of an own VP.
    #[must_use]
    pub fn held_by(&self, own: OwnVp) -> Option<ChildVp> {
        self.instance.owns.get(own)?.held_by
    }

    /// Whether the current event has called the instance so often that it seems to go round: a quarter of the calls after which
    /// the instance is quarantined (S5). The instance should now do without effects that others may answer with the opposite.
    #[must_use]
    pub fn goes_round(&self) -> bool {
        self.instance.goes_round()
    }

    /// The speed of an own VP's processor, as an amount in each period, if the parent has declared one
    /// ([`Context::set_speed`]).
    #[must_use]
    pub fn speed(&self, own: OwnVp) -> Option<(Span, Span)> {
        let slot = self.instance.owns.get(own)?;
        self.state.speeds.get(&slot.vp).copied()
    }

    /// Total time stolen from a processor that the host has reported (`GetStolen()` of HLS 11.5.1). It never
    /// decreases, so a scheduler can subtract two readings: one when its own VP is granted, which names the
    /// processor, and a later one. Zero on hosts that report no stolen time.
    #[must_use]
    pub fn stolen(&self, processor: Processor) -> Span {
        self.state.processors.get(processor).map_or(Span::ZERO, |slot| slot.stolen)
    }

    /// Total time that deciding and switching took from a processor while it was granted, as reported by the
    /// host.
    #[must_use]
    pub fn overhead(&self, processor: Processor) -> Span {
        self.state.processors.get(processor).map_or(Span::ZERO, |slot| slot.overhead)
    }

    /// All children, in order of slot.
    pub fn children(&self) -> impl Iterator<Item = ChildVp> + '_ {
        self.instance.children.iter().map(|(child, _)| child)
    }
}

impl Context<'_> {
    /// The view of the instance, including effects asked for in this call.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { state: self.state, instance: self.instance }
    }

    /// The time of the host's current call; constant during the call.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.view().now()
    }

    /// Number of own VPs of the instance.
    #[must_use]
    pub fn owns(&self) -> usize {
        self.view().owns()
    }

    /// The state of an own VP, including effects asked for in this call.
    #[must_use]
    pub fn own(&self, own: OwnVp) -> VpState {
        self.view().own(own)
    }

    /// The state of a child's VP, including effects asked for in this call.
    #[must_use]
    pub fn child(&self, child: ChildVp) -> VpState {
        self.view().child(child)
    }

    /// The child that holds the processor of an own VP, including effects asked for in this call.
    #[must_use]
    pub fn held_by(&self, own: OwnVp) -> Option<ChildVp> {
        self.view().held_by(own)
    }

    /// The own VP through which a child runs; `None` if it does not run.
    #[must_use]
    pub fn held_through(&self, child: ChildVp) -> Option<OwnVp> {
        let joint = &self.state.vps[self.instance.children.get(child)?];
        joint.above.is_running().then_some(joint.through)
    }

    /// The declared speed of an own VP's processor; see [`View::speed`].
    #[must_use]
    pub fn speed(&self, own: OwnVp) -> Option<(Span, Span)> {
        self.view().speed(own)
    }

    /// Declares that a child receives a uniformly slower processor (`RESU`), of this amount in each period, or no longer.
    /// The child reads it ([`View::speed`]) when it admits children of its own. The first declaration for a child is
    /// for `message` only, because it allocates.
    pub fn set_speed(&mut self, child: ChildVp, speed: Option<(Span, Span)>) {
        let Some(vp) = self.find_child(child) else { return };
        match speed {
            Some(speed) => self.state.speeds.insert(vp, speed),
            None => self.state.speeds.remove(&vp),
        };
    }

    /// Total time stolen from a processor; see [`View::stolen`].
    #[must_use]
    pub fn stolen(&self, processor: Processor) -> Span {
        self.view().stolen(processor)
    }

    /// Total time that deciding and switching took from a processor; see [`View::overhead`].
    #[must_use]
    pub fn overhead(&self, processor: Processor) -> Span {
        self.view().overhead(processor)
    }

    /// Number of child slots, used or free. Every child's number is below it.
    #[must_use]
    pub fn child_slots(&self) -> u32 {
        ChildVp::at(self.instance.children.slots()).0
    }

    /// Grants the processor of `own` to `child`, which must be ready. The child is notified when this call of
    /// the scheduler returns, before any later effect is delivered.
    #[inline(always)]
    pub fn grant(&mut self, child: ChildVp, own: OwnVp) {
        let Some(vp) = self.find_child(child) else { return };
        let Some(OwnSlot { vp: own_vp, held_by }) = self.find_own(own) else { return };
        let supply = self.state.vps[own_vp].below;
        let joint = &mut self.state.vps[vp];
        let above = joint.above;
        if above != VpState::Ready {
            return self.defect(Rule::GrantedWithoutRequest, child.0, Some(above));
        }
        let VpState::Running(processor) = supply else {
            return self.defect(Rule::GrantedWithoutProcessor, u32::from(own.0), Some(supply));
        };
        if held_by.is_some() {
            return self.defect(Rule::GrantedTwice, child.0, Some(above));
        }
        if !self.instance.count_effect() {
            return self.too_many();
        }
        joint.above = supply;
        joint.through = own;
        self.instance.owns[own].held_by = Some(child);
        self.instance.adjust_debt(true, true);
        self.state.down.push(Down::Grant(vp, processor));
    }

    /// Takes the processor from `child`, which must be running and becomes ready. Before the scheduler
    /// returns it must grant the processor to another child or release it. Returns the own VP whose processor
    /// it was.
    #[inline(always)]
    pub fn revoke(&mut self, child: ChildVp) -> Option<OwnVp> {
        let vp = self.find_child(child)?;
        let joint = &mut self.state.vps[vp];
        let (above, own) = (joint.above, joint.through);
        if !above.is_running() {
            self.defect(Rule::RevokedIdle, child.0, Some(above));
            return None;
        }
        if !self.instance.count_effect() {
            self.too_many();
            return None;
        }
        joint.above = VpState::Ready;
        self.state.take_back(self.instance, own);
        self.state.down.push(Down::Revoke(vp));
        Some(own)
    }

    /// Requests a processor from the parent through `own`, which must be waiting. The parent may answer with
    /// a later `grant`.
    pub fn request(&mut self, own: OwnVp) {
        let Some(OwnSlot { vp, .. }) = self.find_own(own) else { return };
        let joint = &mut self.state.vps[vp];
        let below = joint.below;
        if below != VpState::Waiting {
            return self.defect(Rule::RequestedTwice, u32::from(own.0), Some(below));
        }
        if !self.instance.count_effect() {
            return self.too_many();
        }
        joint.below = VpState::Ready;
        joint.requests = joint.requests.wrapping_add(1);
        self.state.up.push_back(Up::Request(vp));
    }

    /// Releases the processor of `own`, or withdraws the request for one.
    pub fn release(&mut self, own: OwnVp) {
        let Some(OwnSlot { vp, held_by }) = self.find_own(own) else { return };
        let joint = &mut self.state.vps[vp];
        let below = joint.below;
        if below == VpState::Waiting {
            return self.defect(Rule::ReleasedWaiting, u32::from(own.0), Some(below));
        }
        if held_by.is_some() {
            return self.defect(Rule::ReleasedHeld, u32::from(own.0), Some(below));
        }
        if !self.instance.count_effect() {
            return self.too_many();
        }
        joint.below = VpState::Waiting;
        joint.releasing += 1;
        if below.is_running() {
            self.instance.adjust_debt(false, false);
        }
        self.state.up.push_back(Up::Release(vp));
    }

    /// Takes `own`, which must be waiting, out of its parent, which forgets what was asked for it. It can be requested meanwhile, and is
    /// not granted. For `init`, `register`, `unregister` and `message` only, because the parent may allocate.
    pub fn unregister(&mut self, own: OwnVp) {
        let Some(OwnSlot { vp, .. }) = self.find_own(own) else { return };
        let below = self.state.vps[vp].below;
        if below != VpState::Waiting || self.is_out(own) {
            return self.defect(Rule::RegisteredBusy, u32::from(own.0), Some(below));
        }
        if !self.instance.count_effect() {
            return self.too_many();
        }
        self.instance.registrations[own].is_out = true;
        self.state.up.push_back(Up::Unregister(self.instance.id.index, own));
    }

    /// Puts `own` back to where it was registered before [`unregister`](Self::unregister), with what was asked for it there. If that
    /// parent refuses, the refusal goes to the journal and `own` has no parent until it is taken out and put back once more; if it is
    /// gone, the default scheduler takes its place.
    pub fn register(&mut self, own: OwnVp) {
        let Some(OwnSlot { vp, .. }) = self.find_own(own) else { return };
        if !self.is_out(own) {
            let below = self.state.vps[vp].below;
            return self.defect(Rule::RegisteredBusy, u32::from(own.0), Some(below));
        }
        if !self.instance.count_effect() {
            return self.too_many();
        }
        self.instance.registrations[own].is_out = false;
        self.state.up.push_back(Up::Register(self.instance.id.index, own));
    }

    /// Whether the scheduler has taken `own` out.
    #[must_use]
    pub fn is_out(&self, own: OwnVp) -> bool {
        self.instance.registrations.get(own).is_some_and(|registration| registration.is_out)
    }

    /// Sends a message to the parent about `own`. The scheduler does not receive the answer; a refusal goes
    /// to the journal.
    pub fn message(&mut self, own: OwnVp, message: Message) {
        let Some(OwnSlot { vp, .. }) = self.find_own(own) else { return };
        if !self.instance.count_effect() {
            return self.too_many();
        }
        if let Message::Job { deadline, .. } = message {
            self.state.report_deadline(vp, deadline);
        }
        self.state.up.push_back(Up::Message(vp, message));
    }

    /// Notifies `child` about the virtual processor between the two (HLS 6.2.2). A scheduler receives the
    /// notice in order with grants and revocations; a thread receives nothing.
    pub fn notify_child(&mut self, child: ChildVp, notice: ParentNotice) {
        let Some(vp) = self.find_child(child) else { return };
        if !matches!(self.state.vps[vp].child, Below::Node(..)) {
            return;
        }
        if !self.instance.count_effect() {
            return self.too_many();
        }
        self.state.down.push(Down::Notice(vp, notice));
    }

    /// Sets a timer, replacing its former time, or stops it (`None`). If the time has already come, the timer
    /// fires as soon as everything under way has been delivered (appendix B.2.1).
    pub fn set_timer(&mut self, timer: TimerId, at: Option<Instant>) {
        let Some(slot) = self.instance.timers.slot(timer) else {
            return self.defect(Rule::UnknownName, u32::from(timer.0), None);
        };
        match at {
            Some(at) if at > self.state.now => self.state.timers.set(slot, at),
            None => self.state.timers.stop(slot),
            Some(_) => {
                self.state.timers.stop(slot);
                if !self.instance.count_effect() {
                    return self.too_many();
                }
                self.state.timers.expedite(slot);
            }
        }
    }

    /// Writes a note about a child to the journal, for traces and tests.
    pub fn note(&mut self, child: Option<ChildVp>, note: Note) {
        self.note_of_task(child, None, note);
    }

    /// Like [`note`](Self::note), about a task of the child, by the number with which it was submitted.
    pub fn note_of_task(&mut self, child: Option<ChildVp>, task: Option<u32>, note: Note) {
        if self.state.journal.is_open() {
            let vp = child.and_then(|child| self.instance.children.get(child));
            let about = vp.and_then(|vp| self.state.vps[vp].target());
            self.state.record(self.instance, JournalEvent::Noted { note, about, task });
        }
    }

    #[inline]
    fn find_child(&mut self, child: ChildVp) -> Option<VpIndex> {
        let vp = self.instance.children.get(child);
        if vp.is_none() {
            self.defect(Rule::UnknownName, child.0, None);
        }
        vp
    }

    #[inline]
    fn find_own(&mut self, own: OwnVp) -> Option<OwnSlot> {
        let slot = self.instance.owns.get(own).copied();
        if slot.is_none() {
            self.defect(Rule::UnknownName, u32::from(own.0), None);
        }
        slot
    }

    #[cold]
    fn too_many(&mut self) {
        let (rule, at, state) = (Rule::TooManyEffects, None, None);
        self.state.defect.get_or_insert(SchedulerError { rule, at, state, detail: "" });
    }

    #[cold]
    fn defect(&mut self, rule: Rule, at: u32, state: Option<VpState>) {
        self.state.defect.get_or_insert(SchedulerError { rule, at: Some(at), state, detail: "" });
    }
}
