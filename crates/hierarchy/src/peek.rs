//! Predicts which thread would run next on a processor if its thread blocked now; changes nothing.
//!
//! Each scheduler answers for its own children ([`Scheduler::next`](crate::Scheduler::next)). From the running
//! thread upwards, the first scheduler that has another child for the processor decides; from there the query goes
//! down to a thread. A host can prepare that choice, so that the kernel switches to it without asking.

use crate::context::View;
use crate::host::Hierarchy;
use crate::id::{OwnVp, Processor, ThreadId};
use crate::index::NodeIndex;
use crate::node::Node;
use crate::vp::{Above, Below, VpState};

impl Hierarchy {
    /// The thread that would run on `processor` if its current thread blocked now. `None` if the processor is idle
    /// or would become idle.
    #[must_use]
    pub fn peek(&self, processor: Processor) -> Option<ThreadId> {
        let thread = self.state.processors.get(processor)?.thread?;
        let mut vp = self.state.leaves[thread.index].vp?;
        loop {
            let joint = &self.state.vps[vp];
            let Above::Node(node, _) = joint.parent else {
                return None;
            };
            let own = joint.through;
            if let Some(thread) = self.choice_of(node, own) {
                return Some(thread);
            }
            vp = self.nodes[node].instance.owns[own].vp;
        }
    }

    /// The thread that an instance would run through `own`.
    fn choice_of(&self, node: NodeIndex, own: OwnVp) -> Option<ThreadId> {
        let Node { scheduler, instance } = &self.nodes[node];
        let child = scheduler.next(own, &View { state: &self.state, instance })?;
        let joint = &self.state.vps[instance.children.get(child)?];
        if joint.above != VpState::Ready {
            return None;
        }
        match joint.child {
            Below::Thread(thread) => Some(thread),
            Below::Node(node, own) => self.choice_of(node.index, own),
            Below::Nobody => None,
        }
    }
}
