//! Who would run next on a processor if its thread blocked now; changes nothing.
//!
//! Each scheduler answers for its own children ([`Scheduler::next`](crate::Scheduler::next)). From
//! the running thread upwards, the first scheduler that has another child for the processor
//! decides; from there the question goes down to a thread. So a host can stage that choice where a
//! kernel finds it without asking.

use crate::context::View;
use crate::host::Hierarchy;
use crate::id::{OwnVp, Processor, ThreadId};
use crate::state::NONE;
use crate::vp::{Above, Below, VpState};

impl Hierarchy {
    /// The thread that would run on `processor` if the one that does blocked now; `None` when the
    /// processor would idle, or idles.
    #[must_use]
    pub fn peek(&self, processor: Processor) -> Option<ThreadId> {
        let thread = self.state.processors.get(processor.index())?.thread;
        if thread == NONE {
            return None;
        }
        let mut vp = self.state.leaves[thread as usize].vp;
        loop {
            let joint = &self.state.vps[vp as usize];
            let Above::Node(node, _) = joint.parent else {
                return None;
            };
            let own = joint.through;
            if let Some(thread) = self.choice_of(node, OwnVp(own)) {
                return Some(thread);
            }
            vp = self.state.nodes[node as usize].owns[usize::from(own)].vp;
        }
    }

    /// The thread that an instance would serve through `own`.
    fn choice_of(&self, node: u32, own: OwnVp) -> Option<ThreadId> {
        let view = View { state: &self.state, node };
        let child = self.schedulers[node as usize].next(own, &view)?;
        let vp = self.state.child_vp(node, child.0)?;
        let joint = &self.state.vps[vp as usize];
        if joint.above != VpState::Ready {
            return None;
        }
        match joint.child {
            Below::Thread(thread) => Some(self.state.thread_id(thread)),
            Below::Node(node, own) => self.choice_of(node, OwnVp(own)),
            Below::Nobody => None,
        }
    }
}
