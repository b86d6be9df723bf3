//! Attaching a virtual processor to a parent, detaching it, and moving a child between parents.
//!
//! A move registers at the new parent first. Only when that parent has accepted everything does
//! the child leave the old one, by steps that cannot fail. So a move happens whole or not at all.

use crate::error::HierarchyError;
use crate::host::Hierarchy;
use crate::id::{ChildVp, Processor};
use crate::journal::Notification;
use crate::message::Message;
use crate::state::{Down, Downward, NONE, Up, index_of};
use crate::vp::{Above, Below, Vp, VpState};

impl Hierarchy {
    /// Registers a waiting VP for `child` at `parent` (a node's index; `None` for the top) and
    /// sends `messages` about it.
    pub(crate) fn attach(
        &mut self,
        parent: Option<u32>,
        child: Below,
        messages: &[Message],
    ) -> Result<u32, HierarchyError> {
        self.state.epoch += 1;
        let Some(node) = parent else {
            return self.attach_to_top(child, messages);
        };
        let entry = &mut self.state.nodes[node as usize];
        let slot = entry.free_children.pop().unwrap_or_else(|| {
            entry.children.push(NONE);
            index_of(entry.children.len() - 1)
        });
        entry.child_count += 1;
        let vp = self.state.new_vp(Vp::new(Above::Node(node, slot), child));
        let entry = &mut self.state.nodes[node as usize];
        entry.children[slot as usize] = vp;
        entry.free_children.reserve(1);
        self.state.make_room();

        self.journal(node, Notification::Register, vp);
        let mut answer = Ok(());
        self.call(node, |scheduler, context| answer = scheduler.register(ChildVp(slot), context));
        if let Err(refusal) = answer {
            self.forget(vp);
            self.settle();
            return Err(refusal);
        }
        for message in messages {
            if let Err(refusal) = self.deliver_message(vp, *message) {
                self.detach(vp);
                return Err(refusal);
            }
        }
        self.settle();
        Ok(vp)
    }

    /// The top scheduler: each VP its own processor, the lowest that is free; no parameters.
    fn attach_to_top(&mut self, child: Below, messages: &[Message]) -> Result<u32, HierarchyError> {
        if let Some(message) = messages.first() {
            return Err(HierarchyError::NotUnderstood {
                message: message.name(),
                takes: "no messages",
            });
        }
        let processors = self.processors();
        let free = (0..processors).find(|p| self.state.processors[usize::from(*p)].root == NONE);
        let Some(processor) = free else {
            return Err(HierarchyError::NoProcessor { processors });
        };
        let vp = self.state.new_vp(Vp::new(Above::Top(Processor(processor)), child));
        self.state.processors[usize::from(processor)].root = vp;
        self.state.make_room();
        Ok(vp)
    }

    /// Unregisters a waiting VP whose parent knows it, and forgets it.
    pub(crate) fn detach(&mut self, vp: u32) {
        if let Above::Node(node, slot) = self.state.vps[vp as usize].parent {
            self.journal(node, Notification::Unregister, vp);
            self.call(node, |scheduler, context| scheduler.unregister(ChildVp(slot), context));
            self.forget(vp);
            self.settle();
            let entry = &self.state.nodes[node as usize];
            if entry.quarantined && entry.child_count == 0 && self.state.default != Some(node) {
                self.remove_node(node);
            }
        } else {
            self.forget(vp);
        }
    }

    /// Takes a VP out of the tables.
    fn forget(&mut self, vp: u32) {
        match self.state.vps[vp as usize].parent {
            Above::Top(processor) => self.state.processors[processor.index()].root = NONE,
            Above::Node(node, slot) => {
                let entry = &mut self.state.nodes[node as usize];
                entry.children[slot as usize] = NONE;
                entry.free_children.push(slot);
                entry.child_count -= 1;
            }
        }
        self.state.vps[vp as usize].child = Below::Nobody;
        self.state.free_vps.push(vp);
    }

    /// Lets the child of `old` live on below `new`, which is registered and waiting.
    ///
    /// The old parent hears a release, the new one a request if the child wants a processor, and
    /// the child hears a revocation if it had one.
    pub(crate) fn switch(&mut self, old: u32, new: u32) {
        self.state.epoch += 1;
        let was = self.state.vps[old as usize];
        self.cut(old);
        self.state.vps[new as usize].below = was.below;
        match was.child {
            Below::Thread(thread) => self.state.leaves[thread as usize].vp = new,
            Below::Node(node, own) => {
                self.state.nodes[node as usize].owns[usize::from(own)].vp = new;
            }
            Below::Nobody => {}
        }
        if was.below != VpState::Waiting {
            self.state.up.push_back(Up::Request(new));
        }
        if matches!(was.below, VpState::Running(_)) {
            self.deliver_down(Down { vp: new, what: Downward::Revoke });
        }
        self.settle();
        self.detach(old);
    }

    /// Parts a VP from its child; the parent will hear a release if it knows of a request.
    pub(crate) fn cut(&mut self, vp: u32) {
        let joint = &mut self.state.vps[vp as usize];
        joint.child = Below::Nobody;
        if joint.below != VpState::Waiting {
            joint.below = VpState::Waiting;
            joint.releasing += 1;
            self.state.up.push_back(Up::Release(vp));
        }
    }

    /// Whether `node` is `ancestor` or lies below it.
    pub(crate) fn lies_below(&self, node: u32, ancestor: u32) -> bool {
        node == ancestor
            || self.state.nodes[node as usize].owns.iter().any(|own| {
                match self.state.vps[own.vp as usize].parent {
                    Above::Node(parent, _) => self.lies_below(parent, ancestor),
                    Above::Top(_) => false,
                }
            })
    }
}
