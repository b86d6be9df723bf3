//! Attaches a virtual processor to a parent, detaches it, and moves a child between parents.
//!
//! A move registers at the new parent first. The child leaves its old parent only after the new one has accepted
//! everything, by steps that cannot fail. So a move happens whole or not at all.

use crate::answer::AnswerError;
use crate::effect::{Down, Up};
use crate::error::HierarchyError;
use crate::host::Hierarchy;
use crate::id::ChildVp;
use crate::index::{NodeIndex, VpIndex};
use crate::journal::Notification;
use crate::message::Message;
use crate::vp::{Above, Below, Vp, VpState};

impl Hierarchy {
    /// Registers a waiting VP for `child` at `parent` (a node's index; `None` for the top) and
    /// sends `messages` about it.
    pub(crate) fn attach(
        &mut self,
        parent: Option<NodeIndex>,
        child: Below,
        messages: &[Message],
    ) -> Result<VpIndex, HierarchyError> {
        self.state.epoch += 1;
        let Some(node) = parent else {
            return self.attach_to_top(child, messages);
        };
        let mut slot = ChildVp(0);
        let vp = self.nodes[node].instance.children.add(|given| {
            slot = given;
            self.state.new_vp(Vp::new(Above::Node(node, slot), child))
        });
        self.make_room();

        self.state.notified(&self.nodes[node].instance, Notification::Register, Some(vp));
        let mut answer = Ok(());
        self.call(node, |scheduler, context| answer = scheduler.register(slot, context));
        if let Err(refusal) = answer {
            self.forget(vp);
            self.settle();
            return Err(refusal.into());
        }
        for message in messages {
            if let Err(refusal) = self.deliver_message(vp, *message) {
                self.detach(vp);
                return Err(refusal.into());
            }
        }
        self.settle();
        Ok(vp)
    }

    /// Attaches to the top scheduler, which gives each VP the lowest free processor and takes no parameters.
    fn attach_to_top(
        &mut self,
        child: Below,
        messages: &[Message],
    ) -> Result<VpIndex, HierarchyError> {
        if let Some(message) = messages.first() {
            let (message, takes) = (message.name(), "no messages");
            return Err(AnswerError::NotUnderstood { message, takes }.into());
        }
        let processors = self.processors();
        let free = self.state.processors.position(|processor| processor.root.is_none());
        let Some(processor) = free else {
            return Err(HierarchyError::NoProcessor { processors });
        };
        let vp = self.state.new_vp(Vp::new(Above::Top(processor), child));
        self.state.processors[processor].root = Some(vp);
        self.make_room();
        Ok(vp)
    }

    /// Unregisters a waiting VP at its parent and removes it.
    pub(crate) fn detach(&mut self, vp: VpIndex) {
        if let Above::Node(node, child) = self.state.vps[vp].parent {
            self.state.notified(&self.nodes[node].instance, Notification::Unregister, Some(vp));
            self.call(node, |scheduler, context| scheduler.unregister(child, context));
            self.forget(vp);
            self.settle();
            let entry = &self.nodes[node].instance;
            if entry.quarantined && entry.children.count() == 0 && self.state.default != Some(node)
            {
                self.remove_node(node);
            }
        } else {
            self.forget(vp);
        }
    }

    /// Removes a VP from the tables.
    fn forget(&mut self, vp: VpIndex) {
        match self.state.vps[vp].parent {
            Above::Top(processor) => self.state.processors[processor].root = None,
            Above::Node(node, child) => self.nodes[node].instance.children.remove(child),
            Above::Nowhere => {}
        }
        self.state.vps[vp].child = Below::Nobody;
        self.state.free_vps.push(vp);
    }

    /// Moves the child of `old` to `new`, which is registered and waiting.
    ///
    /// The old parent receives a release, the new one a request if the child is not waiting, and the child a
    /// revocation if it was running.
    pub(crate) fn switch(&mut self, old: VpIndex, new: VpIndex) {
        self.state.epoch += 1;
        let was = self.state.vps[old];
        self.cut(old);
        self.state.vps[new].below = was.below;
        match was.child {
            Below::Thread(thread) => self.state.leaves[thread.index].vp = Some(new),
            Below::Node(node, own) => {
                self.nodes[node.index].instance.owns[own].vp = new;
                self.recount_depth(node.index);
            }
            Below::Nobody => {}
        }
        if was.below != VpState::Waiting {
            self.state.up.push_back(Up::Request(new));
        }
        if was.below.is_running() {
            self.send_down(Down::Revoke(new));
        }
        self.settle();
        self.detach(old);
    }

    /// Separates a VP from its child. The parent will receive a release if it knows of a request.
    pub(crate) fn cut(&mut self, vp: VpIndex) {
        let joint = &mut self.state.vps[vp];
        joint.child = Below::Nobody;
        if joint.below != VpState::Waiting {
            joint.below = VpState::Waiting;
            joint.releasing += 1;
            self.state.up.push_back(Up::Release(vp));
        }
    }

    /// Whether `node` is `ancestor` or lies below it.
    pub(crate) fn lies_below(&self, node: NodeIndex, ancestor: NodeIndex) -> bool {
        node == ancestor
            || self.nodes[node].instance.owns.values().any(|own| {
                match self.state.vps[own.vp].parent {
                    Above::Node(parent, _) => self.lies_below(parent, ancestor),
                    Above::Top(_) | Above::Nowhere => false,
                }
            })
    }
}
