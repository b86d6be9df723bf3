//! Changes of the tree above a live scheduler (HLS 4.3.1.2, 11.7.1): the scheduler moves to another parent, gains a parent or loses one, with
//! everything below it.
//!
//! Each change moves one of its own VPs (`relocate.rs`): between parents, or from or to nowhere. A VP that is nowhere can be requested and is
//! never granted, so losing a parent is an ordinary revocation to the scheduler. Own VPs keep their numbers. A request is carried out completely
//! or changes nothing.
//!
//! A scheduler may also take an own VP out of its parent, and put it back later, as the scheduler of appendix C does when its last
//! child leaves and its first one comes ([`Context::unregister`](crate::Context::unregister)).

use crate::LEVELS;
use crate::answer::Answer;
use crate::error::HierarchyError;
use crate::host::Hierarchy;
use crate::id::{NodeId, OwnVp, Parent};
use crate::index::{NodeIndex, VpIndex};
use crate::instance::{Instance, OwnSlot};
use crate::journal::JournalEvent;
use crate::message::Message;
use crate::registration::Registration;
use crate::vp::{Above, Below, Vp};
use alloc::vec::Vec;
use windfall_time::Instant;

impl Hierarchy {
    /// Moves an instance's VP number `own`, with everything below the instance, to another parent, with the given parameters there. The
    /// instance is registered at the new parent before it leaves the old one.
    ///
    /// # Errors
    /// When the instance, the VP or the parent no longer exists, the parent lies at or below the instance, the tree would be too deep, or the parent
    /// refuses. The instance then stays where it is.
    pub fn move_node(
        &mut self,
        now: Instant,
        (node, own): (NodeId, OwnVp),
        to: Parent,
        messages: &[Message],
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let old = tree.own_slot(node, own)?.vp;
            tree.connect(node.index, own, to, messages)?;
            debug_assert!(tree.state.vps[old].child == Below::Nobody, "the old place is left");
            Ok(())
        })
    }

    /// Registers an instance at one more parent, with the given parameters there. Returns the number of the VP between them: the lowest without a
    /// parent, else the next number.
    ///
    /// # Errors
    /// As for [`move_node`](Self::move_node), and when the instance has a parent for each of its VPs and its scheduler cannot have more.
    pub fn gain_parent(
        &mut self,
        now: Instant,
        node: NodeId,
        to: Parent,
        messages: &[Message],
    ) -> Result<OwnVp, HierarchyError> {
        self.whole(now, |tree| {
            let index = tree.node_index(node)?;
            match tree.vacant(index) {
                Some(own) => tree.connect(index, own, to, messages).map(|()| own),
                None => tree.grow(index, to, messages),
            }
        })
    }

    /// Takes an instance's VP number `own` away from its parent. Its number stays for the next parent.
    ///
    /// # Errors
    /// When the instance or the VP no longer exists, the VP has no parent, or the instance would have no parent left.
    pub fn lose_parent(
        &mut self,
        now: Instant,
        node: NodeId,
        own: OwnVp,
    ) -> Result<(), HierarchyError> {
        self.whole(now, |tree| {
            let lost = tree.own_slot(node, own)?.vp;
            let registrations = &mut tree.nodes[node.index].instance.registrations;
            if registrations[own].parent.is_none() {
                return Err(HierarchyError::Stale { what: "parent" });
            }
            if registrations.values().filter(|one| one.parent.is_some()).count() < 2 {
                return Err(HierarchyError::NoParent);
            }
            registrations[own].parent = None;
            if tree.state.vps[lost].parent != Above::Nowhere {
                tree.disconnect(node.index, own);
            }
            Ok(())
        })
    }

    /// Puts an own VP that its scheduler took out back. If its parent no longer exists, the default scheduler becomes the parent.
    pub(crate) fn register_own(&mut self, node: NodeIndex, own: OwnVp) {
        let instance = &self.nodes[node].instance;
        let registration = &instance.registrations[own];
        let Some(parent) = registration.parent.filter(|_| !registration.is_out) else { return };
        if !instance.alive || self.state.vps[instance.owns[own].vp].parent != Above::Nowhere {
            return;
        }
        let requested = registration.requested.clone();
        let answer = match parent {
            Parent::Node(gone) if self.node_index(gone).is_err() => match self.default_node() {
                Some(default) => self.connect(node, own, Parent::Node(default), &[]),
                None => Err(HierarchyError::NoDefault),
            },
            there => self.connect(node, own, there, &requested),
        };
        if answer.is_err() {
            let what = JournalEvent::RegistrationRefused { own };
            self.state.record(&self.nodes[node].instance, what);
        }
    }

    /// Takes an own VP out of its parent, at the request of its scheduler.
    pub(crate) fn unregister_own(&mut self, node: NodeIndex, own: OwnVp) {
        let instance = &self.nodes[node].instance;
        let is_there = self.state.vps[instance.owns[own].vp].parent != Above::Nowhere;
        if instance.alive && is_there && instance.registrations[own].is_out {
            self.disconnect(node, own);
        }
    }

    /// Records that the instance below a VP has been moved to a parent, without parameters there.
    pub(crate) fn registered(&mut self, vp: VpIndex, parent: NodeIndex) {
        if let Below::Node(node, own) = self.state.vps[vp].child {
            let parent = Parent::Node(self.nodes[parent].instance.id);
            let registration = &mut self.nodes[node.index].instance.registrations[own];
            (registration.parent, registration.requested) = (Some(parent), Vec::new());
        }
    }

    fn own_slot(&self, node: NodeId, own: OwnVp) -> Result<OwnSlot, HierarchyError> {
        let node = self.node_index(node)?;
        let slot = self.nodes[node].instance.owns.get(own).copied();
        slot.ok_or(HierarchyError::Stale { what: "virtual processor" })
    }

    /// The first own VP that has lost its parent.
    fn vacant(&self, node: NodeIndex) -> Option<OwnVp> {
        let registrations = &self.nodes[node].instance.registrations;
        registrations.position(|registration| registration.parent.is_none())
    }

    /// Registers an own VP at a parent, and then removes it from its old place.
    fn connect(
        &mut self,
        node: NodeIndex,
        own: OwnVp,
        to: Parent,
        messages: &[Message],
    ) -> Result<(), HierarchyError> {
        let parent = self.place(node, to)?;
        let old = self.nodes[node].instance.owns[own].vp;
        let child = Below::Node(self.nodes[node].instance.id, own);
        let new = self.attach(parent, child, messages)?;
        self.switch(old, new);
        let registration = &mut self.nodes[node].instance.registrations[own];
        let is_out = registration.is_out;
        *registration = Registration { is_out, ..Registration::new(to, messages) };
        Ok(())
    }

    fn disconnect(&mut self, node: NodeIndex, own: OwnVp) {
        let old = self.nodes[node].instance.owns[own].vp;
        let child = Below::Node(self.nodes[node].instance.id, own);
        let nowhere = self.state.new_vp(Vp::new(Above::Nowhere, child));
        self.make_room();
        self.switch(old, nowhere);
    }

    /// Registers one more own VP at a parent, if the scheduler can have it.
    fn grow(
        &mut self,
        node: NodeIndex,
        to: Parent,
        messages: &[Message],
    ) -> Result<OwnVp, HierarchyError> {
        let parent = self.place(node, to)?;
        let Instance { id, owns, timers, .. } = &self.nodes[node].instance;
        let (id, before, count) = (*id, *timers, owns.len() + 1);
        let (Ok(number), Ok(timer_count)) = (
            u16::try_from(owns.len()),
            u16::try_from(self.nodes[node].scheduler.timers(count).max(count)),
        ) else {
            return Err(
                crate::AnswerError::Full { limit: "own VPs are numbered by 16 bits" }.into()
            );
        };
        let own = OwnVp(number);
        let vp = self.attach(parent, Below::Node(id, own), messages)?;
        let timers = self.state.timers.enlarge(before, node, timer_count);
        let instance = &mut self.nodes[node].instance;
        instance.owns.push(OwnSlot { vp, held_by: None });
        instance.registrations.push(Registration::new(to, messages));
        instance.timers = timers;
        self.make_room();
        let mut answer: Answer = Ok(());
        self.call(node, |scheduler, context| answer = scheduler.own_added(own, context));
        if let Err(refusal) = answer {
            let instance = &mut self.nodes[node].instance;
            instance.owns.pop();
            instance.registrations.pop();
            self.cut(vp);
            self.settle();
            self.detach(vp);
            return Err(refusal.into());
        }
        self.settle();
        self.recount_depth(node);
        Ok(own)
    }

    /// The parent, if the instance may lie below it.
    fn place(&self, node: NodeIndex, to: Parent) -> Result<Option<NodeIndex>, HierarchyError> {
        let Parent::Node(parent) = to else { return Ok(None) };
        let parent = self.node_index(parent)?;
        if self.lies_below(parent, node) {
            return Err(HierarchyError::Cycle);
        }
        self.fits_below(node, parent)?;
        Ok(Some(parent))
    }

    /// Refuses a parent below which an instance would make the tree too deep.
    pub(crate) fn fits_below(
        &self,
        node: NodeIndex,
        parent: NodeIndex,
    ) -> Result<(), HierarchyError> {
        if self.nodes[parent].instance.depth + self.height(node) > LEVELS {
            return Err(HierarchyError::TooDeep { levels: LEVELS });
        }
        Ok(())
    }

    /// The number of levels from an instance down to its lowest scheduler.
    fn height(&self, node: NodeIndex) -> usize {
        1 + self.node_children(node).map(|child| self.height(child)).max().unwrap_or(0)
    }

    /// Brings the levels of an instance and of all below it up to date.
    pub(crate) fn recount_depth(&mut self, node: NodeIndex) {
        let owns = self.nodes[node].instance.owns.values();
        let above = owns.filter_map(|own| match self.state.vps[own.vp].parent {
            Above::Node(parent, _) => Some(self.nodes[parent].instance.depth),
            Above::Top(_) | Above::Nowhere => None,
        });
        let depth = 1 + above.max().unwrap_or(0);
        if core::mem::replace(&mut self.nodes[node].instance.depth, depth) == depth {
            return;
        }
        let children: Vec<NodeIndex> = self.node_children(node).collect();
        for child in children {
            self.recount_depth(child);
        }
    }

    fn node_children(&self, node: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        self.child_vps(node).filter_map(|vp| match self.state.vps[vp].child {
            Below::Node(child, _) => Some(child.index),
            Below::Thread(_) | Below::Nobody => None,
        })
    }
}
