//! The infrastructure's own invariants, and every scheduler's `check` (HLS `CheckInvar`).

use crate::context::View;
use crate::error::{Rule, SchedulerError};
use crate::host::Hierarchy;
use crate::state::NONE;
use crate::vp::{Above, Below, VpState};

impl Hierarchy {
    /// Asks every scheduler to check itself; one that finds a fault is quarantined. Call it between
    /// events; it is slow.
    pub fn check_schedulers(&mut self) {
        for node in 0_u32.. {
            let Some(entry) = self.state.nodes.get(node as usize) else {
                break;
            };
            if !entry.alive {
                continue;
            }
            let mut answer = Ok(());
            let view = View { state: &self.state, node };
            let scheduler = &self.schedulers[node as usize];
            let sound = crate::guard::guarded(|| answer = scheduler.check(&view));
            let plain = |rule, detail| SchedulerError { rule, at: None, state: None, detail };
            if !sound {
                self.quarantine(node, plain(Rule::Panicked, "in check"));
            } else if let Err(detail) = answer {
                self.quarantine(node, plain(Rule::Inconsistent, detail));
            }
        }
        self.finish();
    }

    /// Whether the tables are whole: both ends of every VP agree, every running one hangs by a
    /// chain of running ones from its processor, and each processor has at most one thread.
    ///
    /// # Errors
    /// The invariant that does not hold. That would be a defect of this crate.
    pub fn check_tables(&self) -> Result<(), &'static str> {
        let state = &self.state;
        if !state.up.is_empty() || !state.down.is_empty() || !state.immediate.is_empty() {
            return Err("something is still under way");
        }
        for (index, node) in (0_u32..).zip(&state.nodes) {
            if !node.alive {
                continue;
            }
            if node.debt != 0 {
                return Err("an instance owes a processor");
            }
            for own in &node.owns {
                let joint = &state.vps[own.vp as usize];
                let running = matches!(joint.below, VpState::Running(_));
                if running != (own.held_by != NONE) {
                    return Err("an own VP runs without a child, or a child without it");
                }
            }
            for vp in self.child_vps(index) {
                self.check_vp(vp)?;
            }
        }
        for (number, processor) in (0_u16..).zip(&state.processors) {
            if processor.root != NONE {
                self.check_vp(processor.root)?;
            }
            if processor.thread != NONE {
                let vp = state.leaves[processor.thread as usize].vp;
                let below = state.vps[vp as usize].below;
                if below != VpState::Running(crate::Processor(number)) {
                    return Err("a processor runs a thread whose VP does not run there");
                }
            } else if processor.root != NONE
                && state.vps[processor.root as usize].above != VpState::Waiting
            {
                return Err("a processor idles although its root wants it");
            }
        }
        Ok(())
    }

    fn check_vp(&self, vp: u32) -> Result<(), &'static str> {
        let state = &self.state;
        let joint = &state.vps[vp as usize];
        if joint.above != joint.below || joint.releasing != 0 {
            return Err("the two ends of a virtual processor disagree");
        }
        let VpState::Running(processor) = joint.above else {
            return Ok(());
        };
        if let Above::Node(node, slot) = joint.parent {
            let own = &state.nodes[node as usize].owns[usize::from(joint.through)];
            if own.held_by != slot || state.vps[own.vp as usize].below != joint.above {
                return Err("a running VP does not hang by a running one of its parent");
            }
        }
        match joint.child {
            Below::Thread(thread) if state.processors[processor.index()].thread != thread => {
                Err("a running thread is not on its processor")
            }
            Below::Nobody => Err("a VP without a child is running"),
            _ => Ok(()),
        }
    }
}
