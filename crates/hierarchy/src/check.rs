//! Checks of the infrastructure's own invariants, and of every scheduler's (HLS `CheckInvar`).

use crate::context::View;
use crate::error::{Rule, SchedulerError};
use crate::host::Hierarchy;
use crate::index::VpIndex;
use crate::node::Node;
use crate::vp::{Above, Below, VpState};

impl Hierarchy {
    /// Runs every scheduler's `check` and quarantines those that fail. Call it between events; it is slow.
    pub fn check_schedulers(&mut self) {
        for index in self.nodes.indices() {
            let Node { scheduler, instance } = &self.nodes[index];
            if !instance.alive {
                continue;
            }
            let mut answer = Ok(());
            let view = View { state: &self.state, instance };
            let sound = crate::guard::guarded(|| answer = scheduler.check(&view));
            let plain = |rule, detail| SchedulerError { rule, at: None, state: None, detail };
            if !sound {
                self.quarantine(index, plain(Rule::Panicked, "in check"));
            } else if let Err(detail) = answer {
                self.quarantine(index, plain(Rule::Inconsistent, detail));
            }
        }
        self.finish();
    }

    /// Checks the tables: both ends of every VP agree, every running VP is connected to its processor by a chain of
    /// running VPs, and each processor has at most one thread.
    ///
    /// # Errors
    /// The invariant that does not hold, which means a defect of this crate; a sentence, because nobody branches on it.
    pub fn check_tables(&self) -> Result<(), &'static str> {
        let state = &self.state;
        if !state.up.is_empty() || !state.down.is_empty() || state.timers.has_immediate() {
            return Err("something is still under way");
        }
        for node in self.nodes.values().map(|node| &node.instance).filter(|node| node.alive) {
            if node.debt != 0 {
                return Err("an instance owes a processor");
            }
            for own in node.owns.values() {
                if state.vps[own.vp].below.is_running() != own.held_by.is_some() {
                    return Err("an own VP runs without a child, or a child without it");
                }
            }
            for own in node.owns.values() {
                let joint = &state.vps[own.vp];
                if joint.parent == Above::Nowhere && joint.below.is_running() {
                    return Err("an own VP without a parent is running");
                }
                self.check_vp(own.vp)?;
            }
            for (_, vp) in node.children.iter() {
                self.check_vp(vp)?;
            }
        }
        for (number, processor) in state.processors.iter() {
            if let Some(root) = processor.root {
                self.check_vp(root)?;
            }
            if let Some(thread) = processor.thread {
                let vp = state.leaves[thread.index].vp;
                if vp.map(|vp| state.vps[vp].below) != Some(VpState::Running(number)) {
                    return Err("a processor runs a thread whose VP does not run there");
                }
            } else if processor.root.is_some_and(|root| state.vps[root].above != VpState::Waiting) {
                return Err("a processor idles although its root wants it");
            }
        }
        Ok(())
    }

    fn check_vp(&self, vp: VpIndex) -> Result<(), &'static str> {
        let state = &self.state;
        let joint = &state.vps[vp];
        if joint.above != joint.below || joint.releasing != 0 {
            return Err("the two ends of a virtual processor disagree");
        }
        let VpState::Running(processor) = joint.above else {
            return Ok(());
        };
        if let Above::Node(node, child) = joint.parent {
            let own = &self.nodes[node].instance.owns[joint.through];
            if own.held_by != Some(child) || state.vps[own.vp].below != joint.above {
                return Err("a running VP does not hang by a running one of its parent");
            }
        }
        match joint.child {
            Below::Thread(thread) if state.processors[processor].thread != Some(thread) => {
                Err("a running thread is not on its processor")
            }
            Below::Nobody => Err("a VP without a child is running"),
            _ => Ok(()),
        }
    }
}
