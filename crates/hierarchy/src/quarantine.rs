//! What becomes of a scheduler that broke the protocol, and of its children.
//!
//! At once: every processor is taken from its children, and a [`Refuge`] takes over its instance,
//! so that the tree is whole again before the next effect is looked at. As soon as nothing is under
//! way: its children move to the default scheduler and the instance is removed. Where the default
//! is the culprit itself or lies below it, or refuses a child, the refuge stays. HLS had to trust
//! its schedulers (4.3.10); no thread is lost here.

use crate::error::{Rule, SchedulerError};
use crate::fallback::FallbackScheduler;
use crate::host::Hierarchy;
use crate::journal::{JournalEntry, JournalEvent};
use crate::state::{Down, Downward, NONE};
use crate::vp::{Below, VpState};
use alloc::boxed::Box;
use alloc::vec::Vec;

impl Hierarchy {
    #[cold]
    pub(crate) fn quarantine(&mut self, node: u32, defect: SchedulerError) {
        if self.state.nodes[node as usize].quarantined {
            debug_assert!(defect.rule == Rule::Endless, "the refuge broke the protocol: {defect}");
            return;
        }
        self.state.nodes[node as usize].quarantined = true;
        let id = self.state.node_id(node);
        let name = self.state.nodes[node as usize].name.clone();
        self.state.quarantined.push((id, name, defect));
        let what = JournalEvent::Quarantined { defect };
        self.state.journal.push(JournalEntry { at: self.state.now, node: id, what });

        for own in 0..self.state.nodes[node as usize].owns.len() {
            let slot = &mut self.state.nodes[node as usize].owns[own];
            let held_by = core::mem::replace(&mut slot.held_by, NONE);
            if let Some(vp) = self.state.child_vp(node, held_by) {
                self.state.vps[vp as usize].above = VpState::Ready;
                self.deliver_down(Down { vp, what: Downward::Revoke });
            }
        }
        let entry = &self.state.nodes[node as usize];
        for slot in entry.timers..entry.timers + entry.timer_count {
            self.state.timers.remove(slot);
            self.state.hurried[slot as usize].wanted = false;
        }
        self.recount_debt(node);
        self.state.nodes[node as usize].calls = 0;
        self.schedulers[node as usize] = Box::new(FallbackScheduler::default());
        self.call(node, |refuge, context| refuge.init(context));
        self.state.evacuate.push(node);
    }

    fn recount_debt(&mut self, node: u32) {
        let entry = &self.state.nodes[node as usize];
        let owing = entry.owns.iter().filter(|own| {
            let below = self.state.vps[own.vp as usize].below;
            matches!(below, VpState::Running(_)) != (own.held_by != NONE)
        });
        let debt = u32::try_from(owing.count()).expect("own VPs are numbered by 16 bits");
        self.state.nodes[node as usize].debt = debt;
    }

    /// Moves a quarantined instance's children to the default scheduler and removes it.
    pub(crate) fn evacuate(&mut self, node: u32) {
        let Some(default) = self.state.default else {
            return;
        };
        if !self.state.nodes[node as usize].alive || self.lies_below(default, node) {
            return;
        }
        let children: Vec<u32> = self.child_vps(node).collect();
        for old in children {
            let child = self.state.vps[old as usize].child;
            if child == Below::Nobody {
                continue; // on its way out; whoever cut it off detaches it
            }
            if let Ok(new) = self.attach(Some(default), child, &[]) {
                self.switch(old, new);
            }
        }
        let entry = &self.state.nodes[node as usize];
        if entry.alive && entry.child_count == 0 {
            self.remove_node(node);
        }
    }
}
