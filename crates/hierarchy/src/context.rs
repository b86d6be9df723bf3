//! What a scheduler may do: ask for effects ([`Context`]) and look ([`View`]).
//!
//! Each effect is checked against the protocol when it is asked for, and takes effect in the
//! scheduler's own view of its virtual processors at once; the notification that goes with it is
//! delivered after the scheduler returns. An effect that breaks a rule is not carried out, and the
//! scheduler is quarantined when it returns.

use crate::error::{Rule, SchedulerError};
use crate::id::{ChildVp, OwnVp, Processor, TimerId};
use crate::journal::Note;
use crate::message::{Message, ParentNotice};
use crate::state::{Down, Downward, NONE, State, Up, index_of};
use crate::vp::{Below, VpState};
use windfall_time::{Instant, Span};

/// A scheduler's window on the hierarchy while it handles a notification.
pub struct Context<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) node: u32,
}

/// A look at one instance's virtual processors, changing nothing.
pub struct View<'a> {
    pub(crate) state: &'a State,
    pub(crate) node: u32,
}

impl View<'_> {
    /// The time of the host's present call.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.state.now
    }

    /// How many own VPs the instance has.
    #[must_use]
    pub fn owns(&self) -> usize {
        self.state.nodes[self.node as usize].owns.len()
    }

    /// The state of an own VP; waiting when there is none of that number.
    #[must_use]
    pub fn own(&self, own: OwnVp) -> VpState {
        let slot = self.state.nodes[self.node as usize].owns.get(own.index());
        slot.map_or(VpState::Waiting, |slot| self.state.vps[slot.vp as usize].below)
    }

    /// The state of a child's VP; waiting when there is no such child.
    #[must_use]
    pub fn child(&self, child: ChildVp) -> VpState {
        let vp = self.state.child_vp(self.node, child.0);
        vp.map_or(VpState::Waiting, |vp| self.state.vps[vp as usize].above)
    }

    /// The child that holds the processor of an own VP.
    #[must_use]
    pub fn held_by(&self, own: OwnVp) -> Option<ChildVp> {
        let slot = self.state.nodes[self.node as usize].owns.get(own.index())?;
        (slot.held_by != NONE).then_some(ChildVp(slot.held_by))
    }

    /// Time stolen from a processor so far, as far as the host has told (`GetStolen()` of HLS 11.5.1).
    /// It only grows, so that each scheduler can take differences of its own: between the grant of an
    /// own VP, which names the processor, and the next look at it. Zero on hosts that do not tell.
    #[must_use]
    pub fn stolen(&self, processor: Processor) -> Span {
        self.state.processors.get(processor.index()).map_or(Span::ZERO, |slot| slot.stolen)
    }

    /// Time that deciding and switching have taken of a processor so far, while it was granted, as far as the host has told.
    #[must_use]
    pub fn overhead(&self, processor: Processor) -> Span {
        self.state.processors.get(processor.index()).map_or(Span::ZERO, |slot| slot.overhead)
    }

    /// All children, in order of slot.
    pub fn children(&self) -> impl Iterator<Item = ChildVp> + '_ {
        let slots = &self.state.nodes[self.node as usize].children;
        (0_u32..).zip(slots).filter(|(_, vp)| **vp != NONE).map(|(slot, _)| ChildVp(slot))
    }
}

impl Context<'_> {
    /// What there is to see, effects asked for in this call included.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { state: self.state, node: self.node }
    }

    /// The time of the host's present call; the same throughout it.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.view().now()
    }

    /// How many own VPs the instance has.
    #[must_use]
    pub fn owns(&self) -> usize {
        self.view().owns()
    }

    /// The state of an own VP, effects asked for in this call included.
    #[must_use]
    pub fn own(&self, own: OwnVp) -> VpState {
        self.view().own(own)
    }

    /// The state of a child's VP, effects asked for in this call included.
    #[must_use]
    pub fn child(&self, child: ChildVp) -> VpState {
        self.view().child(child)
    }

    /// The child that holds the processor of an own VP, effects asked for in this call included.
    #[must_use]
    pub fn held_by(&self, own: OwnVp) -> Option<ChildVp> {
        self.view().held_by(own)
    }

    /// The own VP whose processor a child holds.
    #[must_use]
    pub fn held_through(&self, child: ChildVp) -> Option<OwnVp> {
        let vp = self.state.child_vp(self.node, child.0)?;
        let joint = &self.state.vps[vp as usize];
        matches!(joint.above, VpState::Running(_)).then_some(OwnVp(joint.through))
    }

    /// Time stolen from a processor so far; see [`View::stolen`].
    #[must_use]
    pub fn stolen(&self, processor: Processor) -> Span {
        self.view().stolen(processor)
    }

    /// Time that deciding and switching have taken of a processor so far; see [`View::overhead`].
    #[must_use]
    pub fn overhead(&self, processor: Processor) -> Span {
        self.view().overhead(processor)
    }

    /// How many child slots there are, used or free; children are numbered below this.
    #[must_use]
    pub fn child_slots(&self) -> u32 {
        index_of(self.state.nodes[self.node as usize].children.len())
    }

    /// Grants the processor of `own` to `child`, which must be ready. The child hears of it as soon
    /// as this call returns, before anything later is looked at.
    pub fn grant(&mut self, child: ChildVp, own: OwnVp) {
        let Some(vp) = self.find_child(child) else {
            return;
        };
        let Some(own_vp) = self.find_own(own) else {
            return;
        };
        let above = self.state.vps[vp as usize].above;
        if above != VpState::Ready {
            return self.defect(Rule::GrantedWithoutRequest, child.0, Some(above));
        }
        let supply = self.state.vps[own_vp as usize].below;
        let VpState::Running(processor) = supply else {
            return self.defect(Rule::GrantedWithoutProcessor, u32::from(own.0), Some(supply));
        };
        let slot = &mut self.state.nodes[self.node as usize].owns[own.index()];
        if slot.held_by != NONE {
            return self.defect(Rule::GrantedTwice, child.0, Some(above));
        }
        if !self.spend() {
            return;
        }
        let slot = &mut self.state.nodes[self.node as usize].owns[own.index()];
        slot.held_by = child.0;
        let joint = &mut self.state.vps[vp as usize];
        joint.above = supply;
        joint.through = own.0;
        self.state.adjust_debt(self.node, own.0);
        self.state.down.push(Down { vp, what: Downward::Grant(processor) });
    }

    /// Takes the processor from `child`, which must be running and is ready from now on. The
    /// scheduler must grant it to another child or release it before it returns. Gives back the
    /// own VP whose processor it was.
    pub fn revoke(&mut self, child: ChildVp) -> Option<OwnVp> {
        let vp = self.find_child(child)?;
        let joint = &mut self.state.vps[vp as usize];
        let above = joint.above;
        if !matches!(above, VpState::Running(_)) {
            self.defect(Rule::RevokedIdle, child.0, Some(above));
            return None;
        }
        let own = joint.through;
        if !self.spend() {
            return None;
        }
        self.state.vps[vp as usize].above = VpState::Ready;
        self.state.nodes[self.node as usize].owns[usize::from(own)].held_by = NONE;
        self.state.adjust_debt(self.node, own);
        self.state.down.push(Down { vp, what: Downward::Revoke });
        Some(OwnVp(own))
    }

    /// Asks the parent for a processor through `own`, which must be waiting. The answer, if any,
    /// comes as a later `grant`.
    pub fn request(&mut self, own: OwnVp) {
        let Some(vp) = self.find_own(own) else { return };
        let below = self.state.vps[vp as usize].below;
        if below != VpState::Waiting {
            return self.defect(Rule::RequestedTwice, u32::from(own.0), Some(below));
        }
        if self.spend() {
            let joint = &mut self.state.vps[vp as usize];
            joint.below = VpState::Ready;
            joint.requests = joint.requests.wrapping_add(1);
            self.state.up.push_back(Up::Request(vp));
        }
    }

    /// Gives up the processor of `own`, or the request for one.
    pub fn release(&mut self, own: OwnVp) {
        let Some(vp) = self.find_own(own) else { return };
        let below = self.state.vps[vp as usize].below;
        if below == VpState::Waiting {
            return self.defect(Rule::ReleasedWaiting, u32::from(own.0), Some(below));
        }
        let held_by = self.state.nodes[self.node as usize].owns[own.index()].held_by;
        if held_by != NONE {
            return self.defect(Rule::ReleasedHeld, u32::from(own.0), Some(below));
        }
        if self.spend() {
            let joint = &mut self.state.vps[vp as usize];
            joint.below = VpState::Waiting;
            joint.releasing += 1;
            if matches!(below, VpState::Running(_)) {
                self.state.adjust_debt(self.node, own.0);
            }
            self.state.up.push_back(Up::Release(vp));
        }
    }

    /// Sends a message to the parent about `own`. Its answer is not heard; a refusal is noted.
    pub fn message(&mut self, own: OwnVp, message: Message) {
        let Some(vp) = self.find_own(own) else { return };
        if self.spend() {
            if let Message::Job { deadline, .. } = message {
                self.state.tell_deadline(vp, deadline);
            }
            self.state.up.push_back(Up::Message(vp, message));
        }
    }

    /// Tells `child` something about the virtual processor between the two (HLS 6.2.2). A scheduler
    /// hears it in order with grants and revocations; a thread hears nothing.
    pub fn notify_child(&mut self, child: ChildVp, news: ParentNotice) {
        let Some(vp) = self.find_child(child) else {
            return;
        };
        let listens = matches!(self.state.vps[vp as usize].child, Below::Node(..));
        if listens && self.spend() {
            self.state.down.push(Down { vp, what: Downward::Notice(news) });
        }
    }

    /// Sets a timer, replacing its former time, or stops it. A time that has come already leads to
    /// a call as soon as all that is under way has been delivered (appendix B.2.1).
    pub fn set_timer(&mut self, timer: TimerId, at: Option<Instant>) {
        let node = &self.state.nodes[self.node as usize];
        if u32::from(timer.0) >= node.timer_count {
            return self.defect(Rule::UnknownName, u32::from(timer.0), None);
        }
        let slot = node.timers + u32::from(timer.0);
        self.state.hurried[slot as usize].wanted = false;
        match at {
            None => {
                self.state.timers.remove(slot);
            }
            Some(at) if at > self.state.now => self.state.timers.set(slot, at),
            Some(_) => {
                self.state.timers.remove(slot);
                if self.spend() {
                    let hurry = &mut self.state.hurried[slot as usize];
                    hurry.wanted = true;
                    if !core::mem::replace(&mut hurry.queued, true) {
                        self.state.immediate.push_back(slot);
                    }
                }
            }
        }
    }

    /// Tells whoever watches something about a child.
    pub fn note(&mut self, child: Option<ChildVp>, note: Note) {
        self.state.note(self.node, child.map(|c| c.0), note);
    }

    fn find_child(&mut self, child: ChildVp) -> Option<u32> {
        let vp = self.state.child_vp(self.node, child.0);
        if vp.is_none() {
            self.defect(Rule::UnknownName, child.0, None);
        }
        vp
    }

    fn find_own(&mut self, own: OwnVp) -> Option<u32> {
        let slot = self.state.nodes[self.node as usize].owns.get(own.index());
        let vp = slot.map(|slot| slot.vp);
        if vp.is_none() {
            self.defect(Rule::UnknownName, u32::from(own.0), None);
        }
        vp
    }

    /// Counts an effect; whether it is still within the limit.
    fn spend(&mut self) -> bool {
        let node = &mut self.state.nodes[self.node as usize];
        node.effects += 1;
        // No limit is lower than this.
        if node.effects <= 8 || node.effects <= node.effect_limit() {
            return true;
        }
        self.state.defect.get_or_insert(SchedulerError {
            rule: Rule::TooManyEffects,
            at: None,
            state: None,
            detail: "",
        });
        false
    }

    fn defect(&mut self, rule: Rule, at: u32, state: Option<VpState>) {
        self.state.defect.get_or_insert(SchedulerError { rule, at: Some(at), state, detail: "" });
    }
}
