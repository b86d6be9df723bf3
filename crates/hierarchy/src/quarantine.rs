//! Handling of a scheduler that broke the protocol, and of its children.
//!
//! First, at once: every processor is taken from its children, and a [`FallbackScheduler`] replaces the scheduler,
//! so that the tree is consistent before the next effect is delivered. Then, when nothing is under way: its
//! children move to the default scheduler and the instance is removed. The fallback stays if the default scheduler
//! is the broken one, lies below it, or refuses a child. HLS had to trust its schedulers (4.3.10); here a broken
//! scheduler loses no thread.

use crate::effect::Down;
use crate::error::{Rule, SchedulerError};
use crate::fallback::FallbackScheduler;
use crate::host::Hierarchy;
use crate::id::OwnVp;
use crate::index::{NodeIndex, VpIndex};
use crate::journal::JournalEvent;
use crate::vp::{Below, VpState};
use alloc::boxed::Box;
use alloc::vec::Vec;

impl Hierarchy {
    #[cold]
    pub(crate) fn quarantine(&mut self, node: NodeIndex, defect: SchedulerError) {
        let instance = &mut self.nodes[node].instance;
        if instance.quarantined {
            debug_assert!(
                defect.rule == Rule::Endless,
                "the fallback broke the protocol: {defect}"
            );
            return;
        }
        instance.quarantined = true;
        self.state.quarantined.push((instance.id, instance.name.clone(), defect));
        self.state.record(instance, JournalEvent::Quarantined { defect });

        let owns: Vec<OwnVp> = instance.owns.indices().collect();
        for own in owns {
            let instance = &mut self.nodes[node].instance;
            let held_by = instance.owns[own].held_by.take();
            if let Some(vp) = held_by.and_then(|child| instance.children.get(child)) {
                self.state.vps[vp].above = VpState::Ready;
                self.send_down(Down::Revoke(vp));
            }
        }
        self.recount_debt(node);
        let entry = &mut self.nodes[node];
        self.state.timers.stop_all(entry.instance.timers);
        entry.instance.calls = 0;
        entry.scheduler = Box::new(FallbackScheduler::default());
        self.call(node, |fallback, context| fallback.init(context));
        self.state.evacuate.push(node);
    }

    fn recount_debt(&mut self, node: NodeIndex) {
        let instance = &mut self.nodes[node].instance;
        let owing = instance.owns.values().filter(|own| {
            let runs = self.state.vps[own.vp].below.is_running();
            runs != own.held_by.is_some()
        });
        let debt = u32::try_from(owing.count()).expect("own VPs are numbered by 16 bits");
        instance.debt = debt;
    }

    /// Moves a quarantined instance's children to the default scheduler and removes it.
    pub(crate) fn evacuate(&mut self, node: NodeIndex) {
        let Some(default) = self.state.default else {
            return;
        };
        if !self.nodes[node].instance.alive || self.lies_below(default, node) {
            return;
        }
        let children: Vec<VpIndex> = self.child_vps(node).collect();
        for old in children {
            let child = self.state.vps[old].child;
            if child == Below::Nobody {
                continue; // already cut from its child; the request that cut it will detach it
            }
            if let Ok(new) = self.attach(Some(default), child, &[]) {
                self.switch(old, new);
                self.registered(new, default);
            }
        }
        let entry = &self.nodes[node].instance;
        if entry.alive && entry.children.count() == 0 {
            self.remove_node(node);
        }
    }
}
